//! Charts of networks on prompts: metrics against steps, and attention for the inspected prompt.

use super::probes::{HEADS, POSITIONS, no_heads_reason};
use super::state::LookupState;
use super::theory::{check_has_lower_bound, check_has_span_bound, lower_bounds, read_count};
use super::weights::PARAMETERS;
use super::weights::span::OUTSIDE;
use super::{sweeps, texts};
use vivarium_core::sorting;
use vivarium_model::models::Model;
use vivarium_model::tasks::sparse_token_regression::charts;
use vivarium_plot::analysis::curves;
use vivarium_plot::analysis::{BarChart, Heatmap, LineChart, Reading, Role, Series};
use vivarium_view::display::RunView;
use vivarium_view::display::charts::{
    ChartDependency, ChartSpec, add_step_marks, last_solved_step, target_mark,
};

/// Maximum number of prompt positions for which the position axis of a heat map gets labels; longer prompts get none.
const MAX_NAMED_POSITIONS: usize = 64;

/// Chart of a sweep over heads: final relative error against the number of heads H.
const ERROR_BY_HEADS: ChartSpec =
    ChartSpec::new(charts::STAIRS, |run| Reading::Lines(sweeps::draw_error_by_heads(run)))
        .applies(|run| match sweeps::sweeps_over(run, "h") {
            true => check_has_lower_bound(run.spec()),
            false => Err(tr!("This chart needs a sweep over the number of heads H.").into()),
        })
        .summary(|run| Some(texts::describe_error_by_heads(run)))
        .depends_on(ChartDependency::Findings)
        .uses_measurements_only();

/// Chart of a sweep: number of training sequences that a network has seen when it reaches the target, against the swept
/// setting.
const SEQUENCES_TO_TARGET: ChartSpec =
    ChartSpec::new(charts::NEEDED, |run| Reading::Lines(sweeps::draw_sequences_to_target(run)))
        .applies(|run| match run.link.spec.run.sweep.is_empty() {
            false => Ok(()),
            true => Err(tr!("This chart needs a sweep, for example over the number of positions N.").into()),
        })
        .summary(|run| Some(texts::describe_sequences_to_target(run)))
        .depends_on(ChartDependency::Sweep)
        .uses_measurements_only();

/// Chart of the retrieval error, the root mean square error of a token coordinate of variance 1 that a head looks up,
/// against the sharpness α, the factor of the attention scores that are set by hand (lemma 11 of Mousavi-Hosseini et
/// al. 2025).
const ERROR_BY_SHARPNESS: ChartSpec =
    ChartSpec::new(charts::SHARPNESS, |run| Reading::Lines(sweeps::draw_error_by_sharpness(run)))
        .applies(check_has_heads)
        .summary(texts::describe_sharpness)
        .depends_on(ChartDependency::Findings)
        .uses_measurements_only();

/// Chart of theorem 6 of Mousavi-Hosseini et al. 2025: relative error against the number of training prompts, with the
/// lower bound that follows from the linear span of these prompts.
const ERROR_BY_SAMPLE_SIZE: ChartSpec =
    ChartSpec::new(charts::SPAN, |run| Reading::Lines(sweeps::draw_error_by_sample_size(run)))
        .probe(OUTSIDE)
        .applies(|run| check_has_span_bound(run.spec()))
        .summary(texts::describe_span)
        .depends_on(ChartDependency::Findings)
        .uses_measurements_only();

/// Charts of the lab on sparse token regression, in the order of the chart menu.
pub const CHARTS: &[ChartSpec] = &[
    ChartSpec::new(charts::ERROR, |run| Reading::Lines(draw_error(run)))
        .summary(|run| Some(texts::describe_error(run)))
        .depends_on(ChartDependency::Measurements)
        .uses_measurements_only()
        .with_other_runs(),
    ERROR_BY_HEADS,
    ChartSpec::new(charts::MATRIX, |run| {
        Reading::Grid(run.lab_state().map(|state| draw_matrix(run, state)).unwrap_or_default())
    })
    .probe(PARAMETERS)
    .applies(check_has_heads)
    .title(matrix_title)
    .summary(texts::describe_matrix)
    .depends_on(ChartDependency::Head),
    ChartSpec::new(charts::GLANCES, |run| {
        Reading::Grid(run.lab_state().map(|state| draw_attention(run, state)).unwrap_or_default())
    })
    .probe(PARAMETERS)
    .applies(check_has_heads)
    .title(attention_title)
    .summary(texts::describe_attention)
    .depends_on(ChartDependency::Sequence),
    ChartSpec::new(charts::ANSWERED, |run| Reading::Lines(draw_answered_names(run)))
        .probe(HEADS)
        .applies(check_has_heads)
        .summary(texts::describe_answered_names),
    ChartSpec::new(charts::POSITIONS, |run| Reading::Bars(draw_error_by_position(run)))
        .probe(POSITIONS)
        .summary(texts::describe_error_by_position),
    SEQUENCES_TO_TARGET,
    ChartSpec::new(charts::SLOTS, |run| {
        Reading::Grid(run.lab_state().map(draw_memory_slots).unwrap_or_default())
    })
    .probe(PARAMETERS)
    .applies(|run| match &run.spec().model {
        Model::GatedMemory(_) => Ok(()),
        _ => Err(tr!("Only a gated memory has slots.").into()),
    })
    .summary(texts::describe_memory_slots)
    .depends_on(ChartDependency::Sequence),
    ERROR_BY_SHARPNESS,
    ERROR_BY_SAMPLE_SIZE,
];

/// Returns an error message if the network has no attention heads, so that no chart of attention can be drawn.
fn check_has_heads(run: &RunView) -> Result<(), String> {
    match read_count(run.spec(), "h") {
        Some(_) => Ok(()),
        None => Err(no_heads_reason(run.spec()).into()),
    }
}

/// Label of the curve of the training error in the error chart; `None` if the run trains on fresh batches that are too
/// small for this curve.
fn training_curve_name(run: &RunView) -> Option<&'static str> {
    curves::training_curve_name(
        run.spec().task.examples().training_set_size().is_some(),
        run.spec().batch_size(),
    )
}

/// Draws the relative error on training and held-out prompts against steps; reference lines are the theoretical lower
/// bounds for numbers of heads below the number of names, and 1, the error of predicting the mean.
fn draw_error(run: &RunView) -> LineChart {
    let mut lines = add_step_marks(
        LineChart {
            y_label: tr!("relative error").into(),
            ..curves::loss_chart(&run.history, training_curve_name(run), None)
        },
        run,
    );
    lines.marks.extend(last_solved_step(run).map(target_mark(run)));
    let named = |(heads, floor): (usize, f64)| match heads {
        1 => (floor, tr!("lower bound for 1 head").into()),
        _ => (floor, tr!("lower bound for {heads} heads", heads)),
    };
    let (own, mut all) = (read_count(run.spec(), "h"), lower_bounds(run.spec()));
    // If labels overlap, the first is kept: put the bound for the run's own heads first.
    sorting::sort_by_key(&mut all, |(heads, _)| Some(*heads) != own);
    lines.reference_lines = all.into_iter().map(named).collect();
    lines.reference_lines.push((1.0, tr!("predicting the mean").into()));
    lines
}

/// Attention heads to draw, counted from 0: the one selected in the view, or all `heads` heads of the network if none
/// is selected.
fn select_heads(run: &RunView, heads: usize) -> Vec<usize> {
    match run.link.view.head.checked_sub(1).filter(|head| *head < heads) {
        Some(head) => vec![head],
        None => (0..heads).collect(),
    }
}

/// Title of the query-key matrix chart when one head is selected; `None` for all heads.
fn matrix_title(run: &RunView) -> Option<String> {
    let head = run.link.view.head.checked_sub(1).filter(|head| Some(*head) < read_count(run.spec(), "h"))?;
    Some(tr!("Query-key matrix |W_QK|, head {number}", number = head + 1))
}

/// Heat map of the entries of |W_QK|, rows for the query and columns for the key: one square matrix per drawn head,
/// side by side with a gap between; outlines mark the blocks that are nonzero in equation A.2 of Mousavi-Hosseini et
/// al. 2025.
fn draw_matrix(run: &RunView, state: &LookupState) -> Heatmap {
    let Some(scores) = state.scores() else { return Heatmap::default() };
    let (size, heads) = (scores.size, select_heads(run, scores.heads.len()));
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
    let names = entry_names(state, size);
    let all: Vec<String> = heads.iter().map(|head| (head + 1).to_string()).collect();
    let gap = [String::new()];
    Heatmap {
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

/// Names of the last `size` entries of an encoded token: "x 1" for token entries, "ω 1" for the code of the token's own
/// position, "t1 1" for the code of the first position that it names.
fn entry_names(state: &LookupState, size: usize) -> Vec<String> {
    let prompts = &state.prompts;
    let token = (1..=prompts.dim).map(|at| format!("x {at}"));
    let code = |part: usize| {
        (1..=prompts.code_dim)
            .map(move |at| if part == 0 { format!("ω {at}") } else { format!("t{part} {at}") })
    };
    let all = token.chain((0..=prompts.names).flat_map(code)).collect::<Vec<_>>();
    all[all.len().saturating_sub(size)..].to_vec()
}

/// Title of the attention chart, with the number (from 1) of the selected query position.
fn attention_title(run: &RunView) -> Option<String> {
    let state: &LookupState = run.lab_state()?;
    Some(tr!(
        "Attention of the heads at position {number}",
        number = state.shown_position(&run.link.view) + 1
    ))
}

/// Heat map of attention weights for the selected query position, `[heads, length]`; the positions that the query names
/// are outlined.
fn draw_attention(run: &RunView, state: &LookupState) -> Heatmap {
    let (place, attention) = (state.shown_position(&run.link.view), &state.inspected.attention);
    let length = state.prompts.length;
    let rows = attention.len();
    Heatmap {
        x_label: tr!("attended position; named positions are outlined").into(),
        y_label: tr!("head").into(),
        rows,
        columns: length,
        values: attention.iter().flatten().map(|share| *share as f32).collect(),
        row_names: (1..=rows).map(|head| head.to_string()).collect(),
        column_names: if length <= MAX_NAMED_POSITIONS {
            (1..=length).map(|at| at.to_string()).collect()
        } else {
            vec![]
        },
        outlines: state.names_at(place).iter().map(|name| (0..rows, *name..name + 1)).collect(),
        ..Default::default()
    }
}

/// Draws two curves against steps: the attention on named tokens under the best assignment of heads to names
/// ([`HEADS`]), and, if known, the smallest relative error possible with the network's attention.
fn draw_answered_names(run: &RunView) -> LineChart {
    let curve = |which: usize, name: &str, role: Role| {
        let known = run.trace(&HEADS).filter(|(_, few)| few.get(which).is_some_and(|x| x.is_finite()));
        let (x, y): (Vec<f64>, Vec<f32>) = known.map(|(step, few)| (step as f64, few[which] as f32)).unzip();
        Series { name: name.into(), role, x, y, ..Default::default() }
    };
    let left = curve(1, tr!("smallest possible error with this attention"), Role::Train);
    let has_left = !left.x.is_empty();
    let own = curve(0, tr!("attention on named tokens, one head per name"), Role::Test);
    let mut lines = add_step_marks(
        LineChart {
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
    // Attention can be 0 at first, which a logarithmic axis cannot show.
    lines.log_y = false;
    lines
}

/// Bars of the first network's relative error on held-out prompts, one bar per position of the prompt.
fn draw_error_by_position(run: &RunView) -> BarChart {
    let errors = run.latest_finding(&POSITIONS).map_or(&[][..], |found| &found.numbers);
    let length = run.spec().task.examples().prediction_count();
    let bar = |at: usize| ((at + 1).to_string(), errors.get(at).copied().unwrap_or(f32::NAN));
    BarChart {
        x_label: tr!("position").into(),
        y_label: tr!("relative error").into(),
        bars: (0..length).map(bar).collect(),
        ..Default::default()
    }
}

/// Heat map of the slots of the gated-memory network for the inspected prompt, `[slots × dim, length]`: column t,
/// counted from 1, holds the contents after t positions are read, and is empty (NaN) beyond the positions that the
/// network reads.
fn draw_memory_slots(state: &LookupState) -> Heatmap {
    let Some((memory, passed)) = state.read_memory() else { return Heatmap::default() };
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
    Heatmap {
        x_label: tr!("last position read").into(),
        y_label: tr!("slot").into(),
        rows,
        columns: length,
        values: (0..rows).flat_map(|row| (0..length).map(move |at| cell(row, at))).collect(),
        row_names: (0..rows).map(name).collect(),
        column_names: if length <= MAX_NAMED_POSITIONS {
            (1..=length).map(|at| at.to_string()).collect()
        } else {
            vec![]
        },
        ..Default::default()
    }
}
