//! The charts of networks on prompts of points: R² over the steps and by number of examples, and predictions for one
//! prompt.

use super::baselines::{applicable_baselines, baseline_color, baseline_name};
use super::probes::R2_BY_EXAMPLES;
use super::probes::curve::R2Curve;
use super::r2_series::{network_curve, r2_axis_range, reference_lines, series_values, shown_heads};
use super::state::{InContextState, PromptCurves};
use super::weights::PARAMETERS;
use super::{sweeps, texts};
use vivarium_core::settings::format_real;
use vivarium_model::permalink::AxisScale;
use vivarium_model::tasks::TaskData;
use vivarium_model::tasks::in_context_learning::charts;
use vivarium_plot::analysis::curves::{self, training_curve_name};
use vivarium_plot::analysis::{Heatmap, LineChart, Reading, Role, Series};
use vivarium_view::display::RunView;
use vivarium_view::display::charts::{
    ChartDependency, ChartSpec, add_step_marks, last_solved_step, target_mark,
};
use vivarium_view::display::words::format_decimal;

/// All charts of the lab of in-context learning, beyond those that all labs share.
pub const CHARTS: &[ChartSpec] = &[
    ChartSpec::new(charts::EXPLAINED, |run| Reading::Lines(draw_r2_over_steps(run)))
        .summary(|run| Some(texts::describe_r2_over_steps(run)))
        // Reference lines of baselines appear in addition to the rows of measurements.
        .depends_on(ChartDependency::MeasurementsAndFindings)
        .uses_measurements_only()
        .with_other_runs(),
    ChartSpec::new(charts::EXAMPLES, |run| Reading::Lines(draw_r2_by_examples(run)))
        .probe(R2_BY_EXAMPLES)
        .title(|run| {
            let shift = &run.link.view.in_context.shift;
            match (shows_error(run), InContextState::has_scaled_inputs(&run.link.view)) {
                (false, false) => None,
                (true, false) => Some(tr!("Error 1 − R² by number of examples").into()),
                (false, true) => Some(tr!(
                    "R² by number of examples, inputs multiplied by {shift}",
                    shift = format_real(*shift)
                )),
                (true, true) => Some(tr!(
                    "Error 1 − R² by number of examples, inputs multiplied by {shift}",
                    shift = format_real(*shift)
                )),
            }
        })
        .summary(texts::describe_r2_by_examples)
        .depends_on(ChartDependency::Sequence),
    ChartSpec::new(charts::PROMPT, |run| {
        Reading::Lines(run.lab_state().map(|state| draw_prompt(run, state)).unwrap_or_default())
    })
    .probe(PARAMETERS)
    .applies(|run| match run.spec().task.data() {
        TaskData::Points(prompts) if prompts.dim > 1 => Err(tr!(
            "This chart needs inputs with one number each. Each input of this run has more than one number."
        )
        .into()),
        _ => Ok(()),
    })
    .title(texts::prompt_title)
    .summary(texts::describe_prompt)
    .depends_on(ChartDependency::Sequence),
    ChartSpec::new(charts::MAPS, |run| {
        Reading::Grid(run.lab_state().map(|state| draw_attention_maps(run, state)).unwrap_or_default())
    })
    .probe(PARAMETERS)
    .title(texts::attention_maps_title)
    .summary(texts::describe_attention_maps)
    .depends_on(ChartDependency::Sequence),
    ChartSpec::new(charts::DEPTH, |run| Reading::Lines(sweeps::draw_r2_by_setting(run)))
        .applies(|run| match run.link.spec.run.sweep.is_empty() {
            false => Ok(()),
            true => Err(tr!("This chart needs a sweep, for example over the number of layers.").into()),
        })
        .summary(|run| Some(texts::describe_sweep(run)))
        .depends_on(ChartDependency::Findings)
        .uses_measurements_only(),
];

/// Whether charts show 1 − R² (the squared error relative to the labels' variance) instead of R², because the view's y
/// axis is logarithmic.
fn shows_error(run: &RunView) -> bool {
    run.link.view.y_axis == AxisScale::Log
}

/// Curves over the training steps of R², or of 1 − R², as the median over replicas: on training prompts at all points,
/// and on held-out prompts at the last point, with the baselines as reference lines.
fn draw_r2_over_steps(run: &RunView) -> LineChart {
    // The training value is over all points of a prompt, the held-out one at the last point only.
    let is_finite = run.spec().task.examples().training_set_size().is_some();
    let trained =
        training_curve_name(is_finite, run.spec().batch_size()).map(|_| tr!("training, all points"));
    let drawn = match shows_error(run) {
        true => LineChart {
            y_label: tr!("error 1 − R²").into(),
            ..curves::error_chart(&run.history, trained, None, 0.0)
        },
        false => LineChart {
            y_label: tr!("R²").into(),
            ..curves::accuracy_chart(&run.history, trained, None, 0.0)
        },
    };
    let mut lines = add_step_marks(drawn, run);
    lines.marks.extend(last_solved_step(run).map(target_mark(run)));
    for series in &mut lines.series {
        series.is_clipped = true;
        if series.role == Role::Test {
            series.name = tr!("held-out, last point").into();
        }
    }
    let all = reference_lines(run);
    if !shows_error(run) {
        let heights = all.iter().map(|(r2, _)| f64::from(*r2));
        lines.y_range = Some(r2_axis_range(series_values(&lines.series).chain(heights)));
    }
    let of = |(r2, name): (f32, String)| {
        let height = if shows_error(run) { 1.0 - r2 } else { r2 };
        (f64::from(height), name)
    };
    lines.reference_lines = all.into_iter().map(of).collect();
    lines
}

/// The curve of R², or of 1 − R², by number of examples in the prompt, with its 90 % band; `examples` has the x values
/// of the points of `curve`.
fn r2_series(run: &RunView, examples: Vec<f64>, curve: &R2Curve) -> Series {
    let (y, band) = (curve.mean.clone(), curve.band());
    let (y, band) = match shows_error(run) {
        true => (
            y.into_iter().map(|r2| 1.0 - r2).collect(),
            band.into_iter().map(|(low, high)| (1.0 - high, 1.0 - low)).collect(),
        ),
        false => (y, band),
    };
    Series { x: examples, y, band, is_clipped: true, ..Default::default() }
}

/// Curves of R², or of 1 − R², on held-out prompts by number of examples in the prompt, for the baselines and the first
/// replica's network.
fn draw_r2_by_examples(run: &RunView) -> LineChart {
    let Some(state) = run.lab_state::<InContextState>() else { return LineChart::default() };
    let mut series = vec![];
    for of in applicable_baselines(&state.prompts) {
        let Some(judged) = state.baseline_curve(of) else { continue };
        let (role, tint) = baseline_color(of);
        let examples = judged.example_counts.iter().map(|k| *k as f64).collect();
        let drawn = r2_series(run, examples, &judged.curve);
        // The bands of all baselines would hide each other.
        let points = judged.example_counts.len() <= super::baselines::MAX_TRAINED_COUNTS + 1;
        series.push(Series {
            name: baseline_name(of).into(),
            role,
            muted_colour: tint,
            points,
            band: vec![],
            ..drawn
        });
    }
    if let Some(curve) = network_curve(run, state) {
        let examples = (0..curve.mean.len()).map(|k| k as f64).collect();
        let drawn = r2_series(run, examples, &curve);
        series.push(Series { name: tr!("network").into(), role: Role::Test, points: true, ..drawn });
    }
    let (last, usual) = (state.prompts.max_points() - 1, state.prompts.points - 1);
    LineChart {
        x_label: tr!("examples before the question").into(),
        y_label: if shows_error(run) { tr!("error 1 − R²").into() } else { tr!("R²").into() },
        x_range: Some((0.0, last as f64)),
        y_range: (!shows_error(run)).then(|| r2_axis_range(series_values(&series))),
        log_y: shows_error(run),
        series,
        marks: (last > usual)
            .then(|| (usual as f64, tr!("last point of a training prompt").into()))
            .into_iter()
            .collect(),
        ..Default::default()
    }
}

/// Curves over x of one held-out prompt's target function and of the predictions by baselines and network after the
/// prompt's first examples, with these examples as points.
fn draw_prompt(run: &RunView, state: &InContextState) -> LineChart {
    let inspected = &state.inspected;
    let Some(PromptCurves { positions: places, target: truth, network, baselines: others }) =
        &inspected.curves
    else {
        return LineChart::default();
    };
    let curve = |name: &str, role: Role, tint: Option<usize>, y: &[f64]| Series {
        name: name.into(),
        role,
        muted_colour: tint,
        x: places.clone(),
        y: y.iter().map(|y| *y as f32).collect(),
        ..Default::default()
    };
    let mut series = vec![curve(tr!("the function"), Role::Other, None, truth)];
    for (of, y) in others {
        // Nearest neighbours give step functions, which are not informative for one prompt.
        if *of != vivarium_science::functions::baselines::Baseline::Neighbours {
            let (role, tint) = baseline_color(*of);
            series.push(curve(baseline_name(*of), role, tint, y));
        }
    }
    if network.iter().any(|y| y.is_finite()) {
        series.push(curve(tr!("network"), Role::Test, None, network));
    }
    let shown = state.shown_count(&run.link.view);
    let at = |point: usize| inspected.input(point).first().map_or(f64::NAN, |x| f64::from(*x));
    series.push(Series {
        name: tr!("examples shown").into(),
        role: Role::Relevant,
        muted_colour: Some(2),
        scatter: true,
        points: true,
        x: (0..shown).map(at).collect(),
        y: (0..shown).map(|point| inspected.label(point) as f32).collect(),
        ..Default::default()
    });
    // The y range does not depend on the number of examples shown.
    let heights =
        truth.iter().copied().chain((0..inspected.point_count()).map(|point| inspected.label(point)));
    let (low, high) = heights.fold((0.0, 0.0), |(low, high): (f64, f64), y| (low.min(y), high.max(y)));
    let beyond = 0.25 * (high - low).max(0.1);
    LineChart {
        x_label: tr!("x").into(),
        y_label: tr!("y").into(),
        x_range: places.first().zip(places.last()).map(|(low, high)| (*low, *high)),
        y_range: Some((low - beyond, high + beyond)),
        marks: vec![(at(shown), tr!("question, x = {x}", x = format_decimal(at(shown) as f32)))],
        series,
        ..Default::default()
    }
}

/// Attention maps as one grid: the heads of a layer side by side, layers from top to bottom, with a gap in between.
/// Each map is over the tokens of the examples shown and the query, `[query tokens, key tokens]`.
fn draw_attention_maps(run: &RunView, state: &InContextState) -> Heatmap {
    let (heads, shown) = (shown_heads(run, &state.inspected.heads), state.shown_count(&run.link.view));
    let Some(first) = heads.first() else { return Heatmap::default() };
    let all = 2 * state.inspected.point_count() - 1;
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
    Heatmap {
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
