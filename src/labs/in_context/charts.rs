//! The charts of networks on prompts of points: R² over the steps and by number of examples, and what they make of one
//! prompt.

use super::judge::{look, methods, name};
use super::probes::EXAMPLES;
use super::probes::curve::Curve;
use super::shown::{drawn, of_network, r2_range, references, values};
use super::state::{Drawn, InContextState};
use super::weights::PARAMETERS;
use super::{sweeps, words};
use vivarium_core::settings::real;
use vivarium_model::permalink::Axis;
use vivarium_model::tasks::in_context_learning::charts;
use vivarium_plot::analysis::curves::{self, trained_on};
use vivarium_plot::analysis::{Grid, Lines, Reading, Role, Series};
use vivarium_view::display::RunView;
use vivarium_view::display::charts::{ChartSpec, Follows, marked, reached, solved};
use vivarium_view::display::words::decimal;

/// All of them.
pub const CHARTS: &[ChartSpec] = &[
    ChartSpec::new(charts::EXPLAINED, |run| Reading::Lines(explained(run)))
        .summary(|run| Some(words::explained(run)))
        // Lines of methods come beside measurements.
        .follows(Follows::Both)
        .of_measurements()
        .compares(),
    ChartSpec::new(charts::EXAMPLES, |run| Reading::Lines(by_examples(run)))
        .probe(EXAMPLES)
        .title(|run| {
            let shift = &run.link.view.shift;
            match (is_error(run), InContextState::is_shifted(&run.link.view)) {
                (false, false) => None,
                (true, false) => Some(tr!("Error 1 − R² by number of examples").into()),
                (false, true) => {
                    Some(tr!("R² by number of examples, inputs multiplied by {shift}", shift = real(*shift)))
                }
                (true, true) => Some(tr!(
                    "Error 1 − R² by number of examples, inputs multiplied by {shift}",
                    shift = real(*shift)
                )),
            }
        })
        .summary(words::by_examples)
        .follows(Follows::Sequence),
    ChartSpec::new(charts::PROMPT, |run| {
        Reading::Lines(run.state().map(|state| prompt(run, state)).unwrap_or_default())
    })
    .probe(PARAMETERS)
    .applies(|run| match run.spec().task.examples().function_prompts() {
        Some(prompts) if prompts.dim > 1 => Err(tr!(
            "This chart needs inputs with one number each. Each input of this run has more than one number."
        )
        .into()),
        _ => Ok(()),
    })
    .title(words::prompt_title)
    .summary(words::prompt)
    .follows(Follows::Sequence),
    ChartSpec::new(charts::MAPS, |run| {
        Reading::Grid(run.state().map(|state| maps(run, state)).unwrap_or_default())
    })
    .probe(PARAMETERS)
    .title(words::maps_title)
    .summary(words::maps)
    .follows(Follows::Sequence),
    ChartSpec::new(charts::DEPTH, |run| Reading::Lines(sweeps::depth(run)))
        .applies(|run| match run.link.spec.run.sweep.is_empty() {
            false => Ok(()),
            true => Err(tr!("This chart needs a sweep, for example over the number of layers.").into()),
        })
        .summary(|run| Some(words::depth(run)))
        .follows(Follows::Findings)
        .of_measurements(),
];

/// Whether values are drawn as errors, since their axis is logarithmic.
fn is_error(run: &RunView) -> bool {
    run.link.view.y_axis == Axis::Log
}

fn explained(run: &RunView) -> Lines {
    // Training counts every point of a prompt, whatever the sample is; what is held out is judged at the last one.
    let is_finite = run.spec().task.examples().sample_size().is_some();
    let trained = trained_on(is_finite, run.spec().batch()).map(|_| tr!("training, all points"));
    let drawn = match is_error(run) {
        true => Lines {
            y_label: tr!("error 1 − R²").into(),
            ..curves::error(&run.history, trained, None, 0.0)
        },
        false => Lines { y_label: tr!("R²").into(), ..curves::accuracy(&run.history, trained, None, 0.0) },
    };
    let mut lines = marked(drawn, run);
    lines.marks.extend(solved(run).map(reached(run)));
    for series in &mut lines.series {
        series.ends = true;
        if series.role == Role::Test {
            series.name = tr!("held-out, last point").into();
        }
    }
    let all = references(run);
    if !is_error(run) {
        let heights = all.iter().map(|(r2, _)| f64::from(*r2));
        lines.y_range = Some(r2_range(values(&lines.series).chain(heights)));
    }
    let of = |(r2, name): (f32, String)| {
        let height = if is_error(run) { 1.0 - r2 } else { r2 };
        (f64::from(height), name)
    };
    lines.references = all.into_iter().map(of).collect();
    lines
}

/// A curve by number of examples, as R² or as error.
fn by_number(run: &RunView, examples: Vec<f64>, curve: &Curve) -> Series {
    let (y, band) = (curve.middle.clone(), curve.band());
    let (y, band) = match is_error(run) {
        true => (
            y.into_iter().map(|r2| 1.0 - r2).collect(),
            band.into_iter().map(|(low, high)| (1.0 - high, 1.0 - low)).collect(),
        ),
        false => (y, band),
    };
    Series { x: examples, y, band, ends: true, ..Default::default() }
}

fn by_examples(run: &RunView) -> Lines {
    let Some(state) = run.state::<InContextState>() else { return Lines::default() };
    let mut series = vec![];
    for of in methods(&state.prompts) {
        let Some(judged) = state.judged(of) else { continue };
        let (role, tint) = look(of);
        let examples = judged.examples.iter().map(|k| *k as f64).collect();
        let drawn = by_number(run, examples, &judged.curve);
        // Bands of all would hide each other.
        let points = judged.examples.len() <= super::judge::MOST_TRAINED + 1;
        series.push(Series { name: name(of).into(), role, tint, points, band: vec![], ..drawn });
    }
    if let Some(curve) = of_network(run, state) {
        let examples = (0..curve.middle.len()).map(|k| k as f64).collect();
        let drawn = by_number(run, examples, &curve);
        series.push(Series { name: tr!("network").into(), role: Role::Test, points: true, ..drawn });
    }
    let (last, usual) = (state.prompts.max_points() - 1, state.prompts.points - 1);
    Lines {
        x_label: tr!("examples before the question").into(),
        y_label: if is_error(run) { tr!("error 1 − R²").into() } else { tr!("R²").into() },
        x_range: Some((0.0, last as f64)),
        y_range: (!is_error(run)).then(|| r2_range(values(&series))),
        log_y: is_error(run),
        series,
        marks: (last > usual)
            .then(|| (usual as f64, tr!("last point of a training prompt").into()))
            .into_iter()
            .collect(),
        ..Default::default()
    }
}

fn prompt(run: &RunView, state: &InContextState) -> Lines {
    let inspected = &state.inspected;
    let Some(Drawn { places, truth, network, others }) = &inspected.drawn else { return Lines::default() };
    let curve = |name: &str, role: Role, tint: Option<usize>, y: &[f64]| Series {
        name: name.into(),
        role,
        tint,
        x: places.clone(),
        y: y.iter().map(|y| *y as f32).collect(),
        ..Default::default()
    };
    let mut series = vec![curve(tr!("the function"), Role::Other, None, truth)];
    for (of, y) in others {
        // Neighbours make steps that say little of one prompt.
        if *of != vivarium_science::functions::baselines::Baseline::Neighbours {
            let (role, tint) = look(*of);
            series.push(curve(name(*of), role, tint, y));
        }
    }
    if network.iter().any(|y| y.is_finite()) {
        series.push(curve(tr!("network"), Role::Test, None, network));
    }
    let shown = state.shown(&run.link.view);
    let at = |point: usize| inspected.input(point).first().map_or(f64::NAN, |x| f64::from(*x));
    series.push(Series {
        name: tr!("examples shown").into(),
        role: Role::Relevant,
        tint: Some(2),
        scatter: true,
        points: true,
        x: (0..shown).map(at).collect(),
        y: (0..shown).map(|point| inspected.label(point) as f32).collect(),
        ..Default::default()
    });
    // The same heights for every number of examples: curves sharpen, and the axis stays.
    let heights = truth.iter().copied().chain((0..inspected.points()).map(|point| inspected.label(point)));
    let (low, high) = heights.fold((0.0, 0.0), |(low, high): (f64, f64), y| (low.min(y), high.max(y)));
    let beyond = 0.25 * (high - low).max(0.1);
    Lines {
        x_label: tr!("x").into(),
        y_label: tr!("y").into(),
        x_range: places.first().zip(places.last()).map(|(low, high)| (*low, *high)),
        y_range: Some((low - beyond, high + beyond)),
        marks: vec![(at(shown), tr!("question, x = {x}", x = decimal(at(shown) as f32)))],
        series,
        ..Default::default()
    }
}

/// Maps of all heads: those of a layer side by side, layers one below the other, with a line between. Each has the tokens
/// of the examples shown and the question.
fn maps(run: &RunView, state: &InContextState) -> Grid {
    let (heads, shown) = (drawn(run, &state.inspected.heads), state.shown(&run.link.view));
    let Some(first) = heads.first() else { return Grid::default() };
    let all = 2 * state.inspected.points() - 1;
    let size = (2 * shown + 1).min(all);
    let across = heads.iter().filter(|head| head.layer == first.layer).count();
    let down = heads.len().div_ceil(across);
    let (rows, columns) = (down * (size + 1) - 1, across * (size + 1) - 1);
    let mut values = vec![f32::NAN; rows * columns];
    for (at, head) in heads.iter().enumerate() {
        let corner = (at / across * (size + 1), at % across * (size + 1));
        for row in 0..size {
            for column in 0..=row {
                values[(corner.0 + row) * columns + corner.1 + column] =
                    head.weights[row * all + column] as f32;
            }
        }
    }
    let names: Vec<String> = (0..size)
        .map(|token| format!("{}{}", if token % 2 == 0 { "x" } else { "y" }, token / 2 + 1))
        .collect();
    let repeated = |times: usize| {
        let gap = [String::new()];
        vec![names.as_slice(); times].join(&gap[..])
    };
    Grid {
        x_label: match across {
            1 => tr!("key token").into(),
            _ => tr!("key token, heads side by side").into(),
        },
        y_label: match down {
            1 => tr!("query token").into(),
            _ => tr!("query token, first layer at the top").into(),
        },
        rows,
        columns,
        values,
        row_names: repeated(down),
        column_names: repeated(across),
        ..Default::default()
    }
}
