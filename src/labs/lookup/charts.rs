//! The charts of networks on prompts: what is measured over the steps, and what the prompt on show says.

use super::probes::{HEADS, POSITIONS};
use super::state::LookupState;
use super::theory::{floors, has_floor, has_span, whole};
use super::weights::PARAMETERS;
use super::weights::span::OUTSIDE;
use super::{sweeps, words};
use vivarium_core::sorting;
use vivarium_model::models::Model;
use vivarium_model::tasks::sparse_token_regression::charts;
use vivarium_plot::analysis::curves::{self, trained_on};
use vivarium_plot::analysis::{Bars, Grid, Lines, Reading, Role, Series};
use vivarium_view::display::RunView;
use vivarium_view::display::charts::{ChartSpec, Follows, marked, reached, solved};

/// Most positions that are named below a matrix.
const NAMED: usize = 64;

/// Error at the end by number of heads.
const STAIRS: ChartSpec = ChartSpec::new(charts::STAIRS, |run| Reading::Lines(sweeps::stairs(run)))
    .applies(|run| match sweeps::is_over(run, "h") {
        true => has_floor(run.spec()),
        false => Err(tr!("This chart needs a sweep over the number of heads H.").into()),
    })
    .summary(|run| Some(words::stairs(run)))
    .follows(Follows::Findings)
    .of_measurements();

/// Sequences to the target.
const NEEDED: ChartSpec = ChartSpec::new(charts::NEEDED, |run| Reading::Lines(sweeps::needed(run)))
    .applies(|run| match run.link.spec.run.sweep.is_empty() {
        false => Ok(()),
        true => Err(tr!("This chart needs a sweep, for example over the number of positions N.").into()),
    })
    .summary(|run| Some(words::needed(run)))
    .follows(Follows::Sweep)
    .of_measurements();

/// Retrieval error by sharpness.
const SHARPNESS: ChartSpec = ChartSpec::new(charts::SHARPNESS, |run| Reading::Lines(sweeps::sharpness(run)))
    .applies(|run| match whole(run.spec(), "h") {
        Some(_) => Ok(()),
        None => Err(tr!("This network has no heads.").into()),
    })
    .summary(words::sharpness)
    .follows(Follows::Findings)
    .of_measurements();

/// What a sample cannot tell of the direction u.
const SPAN: ChartSpec = ChartSpec::new(charts::SPAN, |run| Reading::Lines(sweeps::span(run)))
    .probe(OUTSIDE)
    .applies(|run| has_span(run.spec()))
    .summary(words::span)
    .follows(Follows::Findings)
    .of_measurements();

/// All of them.
pub const CHARTS: &[ChartSpec] = &[
    ChartSpec::new(charts::ERROR, |run| Reading::Lines(error(run)))
        .summary(|run| Some(words::error(run)))
        .follows(Follows::Rows)
        .of_measurements()
        .compares(),
    STAIRS,
    ChartSpec::new(charts::MATRIX, |run| {
        Reading::Grid(run.state().map(|state| matrix(run, state)).unwrap_or_default())
    })
    .probe(PARAMETERS)
    .applies(has_heads)
    .title(matrix_title)
    .summary(words::matrix)
    .follows(Follows::Head),
    ChartSpec::new(charts::GLANCES, |run| {
        Reading::Grid(run.state().map(|state| glances(run, state)).unwrap_or_default())
    })
    .probe(PARAMETERS)
    .applies(has_heads)
    .title(glances_title)
    .summary(words::glances)
    .follows(Follows::Sequence),
    ChartSpec::new(charts::ANSWERED, |run| Reading::Lines(answered(run)))
        .probe(HEADS)
        .applies(has_heads)
        .summary(words::answered),
    ChartSpec::new(charts::POSITIONS, |run| Reading::Bars(positions(run)))
        .probe(POSITIONS)
        .summary(words::positions),
    NEEDED,
    ChartSpec::new(charts::SLOTS, |run| Reading::Grid(run.state().map(slots_of).unwrap_or_default()))
        .probe(PARAMETERS)
        .applies(|run| match &run.spec().model {
            Model::GatedMemory(_) => Ok(()),
            _ => Err(tr!("Only a gated memory has slots.").into()),
        })
        .summary(words::slots)
        .follows(Follows::Sequence),
    SHARPNESS,
    SPAN,
];

/// Whether the network has heads.
fn has_heads(run: &RunView) -> Result<(), String> {
    match whole(run.spec(), "h") {
        Some(_) => Ok(()),
        None => Err(tr!("This network has no heads.").into()),
    }
}

/// What the curve of training is called.
fn trained(run: &RunView) -> Option<&'static str> {
    trained_on(run.spec().task.examples().sample_size().is_some(), run.spec().batch())
}

fn error(run: &RunView) -> Lines {
    let mut lines = marked(
        Lines { y_label: tr!("relative error").into(), ..curves::loss(&run.history, trained(run), None) },
        run,
    );
    lines.marks.extend(solved(run).map(reached(run)));
    let named = |(heads, floor): (usize, f64)| match heads {
        1 => (floor, tr!("lower bound for 1 head").into()),
        _ => (floor, tr!("lower bound for {heads} heads", heads)),
    };
    let (own, mut all) = (whole(run.spec(), "h"), floors(run.spec()));
    // Where names would touch, the first stays: that of the run's own heads.
    sorting::sort_by_key(&mut all, |(heads, _)| Some(*heads) != own);
    lines.references = all.into_iter().map(named).collect();
    lines.references.push((1.0, tr!("predicting the mean").into()));
    lines
}

/// The heads that are drawn, counted from 0: the chosen one, or all.
fn drawn(run: &RunView, heads: usize) -> Vec<usize> {
    match run.link.view.head.checked_sub(1).filter(|head| *head < heads) {
        Some(head) => vec![head],
        None => (0..heads).collect(),
    }
}

fn matrix_title(run: &RunView) -> Option<String> {
    let head = run.link.view.head.checked_sub(1).filter(|head| Some(*head) < whole(run.spec(), "h"))?;
    Some(tr!("Query-key matrix |W_QK|, head {number}", number = head + 1))
}

/// |W_QK| of the heads side by side with a line between, the blocks of the construction outlined.
fn matrix(run: &RunView, state: &LookupState) -> Grid {
    let Some(scores) = state.scores() else { return Grid::default() };
    let (size, heads) = (scores.size, drawn(run, scores.heads.len()));
    let columns = heads.len() * (size + 1) - 1;
    let mut values = vec![f32::NAN; size * columns];
    let mut outlines = vec![];
    for (at, head) in heads.iter().enumerate() {
        let first = at * (size + 1);
        for (row, line) in scores.heads[*head].chunks(size).enumerate() {
            let cells = &mut values[row * columns + first..][..size];
            cells.iter_mut().zip(line).for_each(|(cell, w)| *cell = w.abs() as f32);
        }
        let shifted = |own: std::ops::Range<usize>| own.start + first..own.end + first;
        outlines.extend(scores.blocks(&state.prompts).into_iter().map(|(rows, own)| (rows, shifted(own))));
    }
    let names = part_names(state, size);
    let all: Vec<String> = heads.iter().map(|head| (head + 1).to_string()).collect();
    let gap = [String::new()];
    Grid {
        x_label: match all.as_slice() {
            [_] => tr!("key: entries of a token's vector").into(),
            _ => tr!("key: entries of a token's vector; heads {heads}", heads = all.join(", ")),
        },
        y_label: tr!("query: entries of a token's vector").into(),
        rows: size,
        columns,
        values,
        column_names: heads.iter().map(|_| names.as_slice()).collect::<Vec<_>>().join(&gap[..]),
        row_names: names,
        outlines,
        ..Default::default()
    }
}

/// What the numbers are called that scores depend on: those of the token, of its own code and of those of its names.
fn part_names(state: &LookupState, size: usize) -> Vec<String> {
    let prompts = &state.prompts;
    let token = (1..=prompts.dim).map(|at| format!("x {at}"));
    let code = |part: usize| {
        (1..=prompts.code_dim)
            .map(move |at| if part == 0 { format!("ω {at}") } else { format!("t{part} {at}") })
    };
    let all = token.chain((0..=prompts.names).flat_map(code)).collect::<Vec<_>>();
    all[all.len().saturating_sub(size)..].to_vec()
}

fn glances_title(run: &RunView) -> Option<String> {
    let state: &LookupState = run.state()?;
    Some(tr!("Attention of the heads at position {number}", number = state.place(&run.link.view) + 1))
}

/// A row for each head: its attention on every position, the named ones outlined.
fn glances(run: &RunView, state: &LookupState) -> Grid {
    let (place, attention) = (state.place(&run.link.view), &state.inspected.attention);
    let length = state.prompts.length;
    let rows = attention.len();
    Grid {
        x_label: tr!("attended position; named positions are outlined").into(),
        y_label: tr!("head").into(),
        rows,
        columns: length,
        values: attention.iter().flatten().map(|share| *share as f32).collect(),
        row_names: (1..=rows).map(|head| head.to_string()).collect(),
        column_names: if length <= NAMED { (1..=length).map(|at| at.to_string()).collect() } else { vec![] },
        outlines: state.named(place).iter().map(|name| (0..rows, *name..name + 1)).collect(),
        ..Default::default()
    }
}

fn answered(run: &RunView) -> Lines {
    let curve = |which: usize, name: &str, role: Role| {
        let known = run.trace(&HEADS).filter(|(_, few)| few.get(which).is_some_and(|x| x.is_finite()));
        let (x, y): (Vec<f64>, Vec<f32>) = known.map(|(step, few)| (step as f64, few[which] as f32)).unzip();
        Series { name: name.into(), role, x, y, ..Default::default() }
    };
    let left = curve(1, tr!("smallest possible error with this attention"), Role::Train);
    let has_left = !left.x.is_empty();
    let own = curve(0, tr!("attention on named tokens, one head per name"), Role::Test);
    let mut lines = marked(
        Lines {
            x_label: tr!("step").into(),
            y_label: if has_left {
                tr!("relative error, share of attention").into()
            } else {
                tr!("share of attention").into()
            },
            y_range: Some((0.0, 1.02)),
            series: has_left.then_some(left).into_iter().chain([own]).collect(),
            ..Default::default()
        },
        run,
    );
    // Shares are 0 before they rise.
    lines.log_y = false;
    lines
}

fn positions(run: &RunView) -> Bars {
    let errors = run.finding(&POSITIONS).map_or(&[][..], |found| &found.numbers);
    let length = run.spec().task.examples().length();
    let bar = |at: usize| ((at + 1).to_string(), errors.get(at).copied().unwrap_or(f32::NAN));
    Bars {
        x_label: tr!("position").into(),
        y_label: tr!("relative error").into(),
        bars: (0..length).map(bar).collect(),
        ..Default::default()
    }
}

/// A row for each number of a slot: what it holds after each position that has passed, from the first on.
fn slots_of(state: &LookupState) -> Grid {
    let Some((memory, passed)) = state.memory() else { return Grid::default() };
    let (length, dim) = (state.prompts.length, state.prompts.dim);
    let rows = memory.slots * dim;
    let cell = |row: usize, at: usize| match at < passed {
        true => memory.forward[at * rows + row] as f32,
        false => f32::NAN,
    };
    let name = |row: usize| match dim {
        1 => (row + 1).to_string(),
        _ => format!("{}, {}", row / dim + 1, row % dim + 1),
    };
    Grid {
        x_label: tr!("last position read").into(),
        y_label: tr!("slot").into(),
        rows,
        columns: length,
        values: (0..rows).flat_map(|row| (0..length).map(move |at| cell(row, at))).collect(),
        row_names: (0..rows).map(name).collect(),
        column_names: if length <= NAMED { (1..=length).map(|at| at.to_string()).collect() } else { vec![] },
        ..Default::default()
    }
}
