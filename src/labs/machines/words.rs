//! What is said of runs of a transformer that runs a machine, and of their charts.

use super::grids::chosen;
use super::state::MachineState;
use super::sweeps::{blocks, wrong};
use vivarium_core::settings::real;
use vivarium_model::models::Family;
use vivarium_model::run::{RunSpec, Success};
use vivarium_plot::analysis::curves::spread;
use vivarium_plot::analysis::ends;
use vivarium_plot::analysis::replicas::Of;
use vivarium_science::machines::{AttentionMode, MachineMetric, TokenGroup};
use vivarium_view::display::RunView;
use vivarium_view::display::words::{MISSING, percent, significant, thousands};

/// What the four numbers of a measurement are called.
pub(super) fn names() -> [String; 4] {
    [
        tr!("Deviation from 0 and 1 in this step"),
        tr!("Largest deviation from 0 and 1"),
        tr!("Share of correct steps"),
        tr!("Share of the T steps executed before any error"),
    ]
    .map(String::from)
}

/// The newest median of a number.
fn newest(run: &RunView, of: Of) -> f64 {
    run.history.last().map_or(f64::NAN, |row| f64::from(spread(of.values(row)).0))
}

/// The same of a further measure.
fn measured(run: &RunView, of: MachineMetric) -> f64 {
    newest(run, Of::Measure(of as usize))
}

/// A deviation: "2.2e−16", "0".
fn size(value: f64) -> String {
    match value {
        0.0 => "0".into(),
        none if none.is_nan() => MISSING.into(),
        large if large >= f64::from(f32::MAX) => tr!("overflow").into(),
        other => significant(other),
    }
}

/// The first wrong step: "9", or "none".
fn first_wrong(run: &RunView) -> String {
    let steps = run.spec().task.examples().program().map_or(0, |program| program.steps);
    match measured(run, MachineMetric::FirstWrong) {
        none if none.is_nan() => MISSING.into(),
        step if step > steps as f64 => tr!("none").into(),
        step => thousands(step as u64),
    }
}

/// The first wrong step, and what the machine is at.
pub(super) fn numbers(run: &RunView) -> [(String, String); 2] {
    let program = run.spec().task.examples().program();
    let state = measured(run, MachineMetric::State);
    let name = program.filter(|_| state.is_finite()).and_then(|program| {
        let name = program.machine.state_names().get(state as usize)?;
        Some(tr!(
            "{name}, cell {cell}",
            name,
            cell = thousands(measured(run, MachineMetric::Head).max(0.0) as u64)
        ))
    });
    [
        (tr!("First wrong step").into(), first_wrong(run)),
        (tr!("State, and position of the head").into(), name.unwrap_or(MISSING.into())),
    ]
}

/// How far the run has come, for the status line.
pub(super) fn learning(run: &RunView) -> Option<String> {
    let right = newest(run, Of::TrainAccuracy);
    right.is_finite().then(|| {
        tr!(
            "{right} of the steps are right; the largest distance of a number in the tokens from the nearer of 0 and 1 is {deviation}",
            right = percent(right as f32),
            deviation = size(newest(run, Of::TestLoss))
        )
    })
}

/// What has been found by these networks at these steps.
pub(super) fn found(run: &RunView, networks: &str, at: &str) -> String {
    let settings = &run.spec().run;
    if settings.success == Success::Loss {
        let limit = real(settings.limit);
        return match settings.replicas {
            1 => {
                tr!("Every number in the tokens differs from 0 or from 1 by at most {limit} {at}.", limit, at)
            }
            _ => tr!(
                "In {networks}, every number in the tokens differs from 0 or from 1 by at most {limit} {at}.",
                limit,
                networks,
                at
            ),
        };
    }
    match settings.replicas {
        1 => tr!("All steps up to T are right {at}.", at),
        _ => tr!("All steps up to T are right in {networks}, {at}.", networks, at),
    }
}

/// How many steps of the machine were executed when a run has ended at its last step, and whether these are right: the
/// measured share of T is below 1 where a step is wrong, and also where the run ends before the machine.
pub fn ended(run: &RunView) -> Option<String> {
    let all = run.spec().task.examples().program()?.steps as u64;
    let row = run.history.last()?;
    let firsts = Of::Measure(MachineMetric::FirstWrong as usize).values(row);
    // Where no step is wrong, the measure is T + 1.
    let wrong = || firsts.iter().map(|step| *step as u64).filter(move |step| *step <= all);
    let said = tr!(
        "Step {step} was the last step. Executed steps of the machine: {made} of {all}.",
        step = thousands(run.step),
        made = thousands(row.step.min(all)),
        all = thousands(all)
    );
    let networks = thousands(firsts.len() as u64);
    let right = thousands((firsts.len() - wrong().count()) as u64);
    match (firsts.len(), wrong().min().zip(wrong().max())) {
        (0, _) => None,
        (1, None) => Some(tr!("{said} All executed steps are right.", said)),
        (1, Some((first, _))) => {
            Some(tr!("{said} Step {first} is the first wrong step.", said, first = thousands(first)))
        }
        (_, None) => {
            Some(tr!("{said} All executed steps are right in all {networks} networks.", said, networks))
        }
        (_, Some((first, last))) => Some(tr!(
            "{said} All executed steps are right in {right} of {networks} networks. In the other networks the first wrong step is at least step {first} and at most step {last}.",
            said,
            right,
            networks,
            first = thousands(first),
            last = thousands(last)
        )),
    }
}

/// What in these settings keeps the transformer from running the machine.
pub(super) fn cannot_learn(spec: &RunSpec) -> Vec<String> {
    let (Some(program), Some(Family::Machine(net))) =
        (spec.task.examples().program(), spec.model.config().family())
    else {
        return vec![];
    };
    let mut said = vec![];
    if spec.run.steps < program.steps as u64 {
        said.push(tr!(
            "The run ends at step {last}, before step T = {steps} of the machine.",
            last = thousands(spec.run.steps),
            steps = thousands(program.steps as u64)
        ));
    }
    match net.mode().attention {
        AttentionMode::Soft(beta) if beta < 1.0 => said.push(
            tr!("If the inverse temperature is below 1 and the scores of two past tokens differ by 1, the larger of the two attention weights is less than 2.72 times the smaller one.").into(),
        ),
        _ => {}
    }
    said
}

/// "Tokens after block 8 of 11 in step 42: Search for bit 5".
pub(super) fn columns_title(run: &RunView) -> Option<String> {
    let state: &MachineState = run.state()?;
    let (stage, blocks) = (state.stage(&run.link.view), state.transformer.construction().blocks());
    let block = stage.checked_sub(1).and_then(|at| blocks.get(at))?;
    Some(tr!(
        "Tokens; step {step} after block {stage} of {blocks}: {name}",
        step = thousands(state.step as u64),
        stage,
        blocks = blocks.len(),
        name = block.kind.name()
    ))
}

/// How large a token is, what the newest one says, and whether the simulator agrees.
pub(super) fn columns(run: &RunView) -> Option<String> {
    let state: &MachineState = run.state()?;
    let counts = state.transformer.construction().sizes();
    let said = tr!(
        "Number of tokens: {tokens}. Each token has {width} numbers in {groups} groups.",
        tokens = thousands(state.step as u64 + 1),
        width = counts.width(),
        groups = TokenGroup::ALL.len()
    );
    let Some(token) = state.token(state.step) else {
        return Some(tr!("{said} The newest tokens are still being computed.", said));
    };
    let machine = &state.program.machine;
    let said = tr!(
        "{said} The newest token holds: state {name}, symbol {symbol} under the head, head on cell {cell}.",
        said,
        name = machine.state_names().get(token.state).cloned().unwrap_or_default(),
        symbol = machine.format_symbols([token.symbol]),
        cell = thousands(token.head as u64)
    );
    Some(match state.first_wrong() {
        Some(step) => tr!(
            "{said} Step {step} is the first step with a token that differs from the simulator's step.",
            said,
            step = thousands(step as u64)
        ),
        None => tr!("{said} Every token so far agrees with the simulator.", said),
    })
}

/// The symbols on the tape, and where the head is.
pub(super) fn tape(run: &RunView) -> Option<String> {
    const MOST: usize = 80;
    let state: &MachineState = run.state()?;
    let machine = &state.program.machine;
    let text = machine.format_symbols(state.run.tape_after(state.step));
    let text = text.trim_matches(vivarium_science::machines::BLANK);
    let cut: String = text.chars().take(MOST).collect();
    let cut = if text.chars().count() > MOST { format!("{cut}…") } else { cut };
    let head = if state.step == 0 { state.run.start } else { state.run.records[state.step - 1].head };
    let said = tr!(
        "The simulator's tape after step {step}: {tape}; the head is on cell {head}. A different colour marks the cell under the head.",
        step = thousands(state.step as u64),
        tape = if cut.is_empty() { tr!("empty").into() } else { cut },
        head = thousands(head as u64)
    );
    let halts = state.run.halt.filter(|(at, _)| *at <= state.step as u64);
    Some(match halts {
        Some((at, halt)) => {
            tr!("{said} After step {at}: {reason}", said, reason = halt.describe(machine), at = thousands(at))
        }
        None => said,
    })
}

/// Where numbers have strayed most in the step that is shown.
pub(super) fn stray(run: &RunView) -> Option<String> {
    let state: &MachineState = run.state()?;
    let trace = state.trace.as_ref()?;
    let worst =
        trace.blocks.iter().enumerate().max_by(|(_, a), (_, b)| a.deviation.total_cmp(&b.deviation))?;
    let gap = trace.min_score_gap().map_or(MISSING.into(), significant);
    Some(tr!(
        "In step {step} the largest distance of a number in the token from the nearer of 0 and 1 is {deviation}, after block {block}. The smallest gap between the largest and the second-largest attention score is {gap}.",
        step = thousands(trace.step as u64),
        block = worst.0 + 1,
        deviation = size(worst.1.deviation),
        gap
    ))
}

pub(super) fn strayed(run: &RunView) -> String {
    tr!(
        "Largest distance of a number in the tokens from the nearer of 0 and 1, before rounding: {now} in step {step}, {ever} in all steps so far. Rounding removes deviations below 1/3.",
        now = size(newest(run, Of::TrainLoss)),
        step = thousands(run.step),
        ever = size(newest(run, Of::TestLoss))
    )
}

/// What the search of the step that is shown has found.
pub(super) fn recall(run: &RunView) -> Option<String> {
    let state: &MachineState = run.state()?;
    let trace = state.trace.as_ref()?;
    let fetch = trace.blocks.last()?.self_attention.as_ref()?;
    let best = fetch.weights.iter().enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b));
    let (step, cell) = (thousands(trace.step as u64), thousands(trace.record.head as u64));
    Some(match best.filter(|(_, weight)| **weight > fetch.null_weight) {
        Some((at, _)) => tr!(
            "After step {step} the head is on cell {cell}. The search through {bits} bits ends at token {found}. Without errors, token {found} belongs to the last step that wrote to this cell.",
            step,
            cell,
            bits = state.layout().bits(),
            found = thousands(at as u64 + 1)
        ),
        None => tr!(
            "After step {step} the head is on cell {cell}. In the last block the null slot has the largest attention weight: the search has found no earlier step that wrote to this cell. So the token holds the symbol of the input, or the blank.",
            step,
            cell
        ),
    })
}

pub(super) fn correct(run: &RunView) -> String {
    tr!(
        "After step {step}, {right} of the tokens agree with the simulator. First wrong step: {wrong}.",
        step = thousands(run.step),
        right = percent(newest(run, Of::TrainAccuracy) as f32),
        wrong = first_wrong(run)
    )
}

/// "search.2 own.query, 10 × 46".
pub(super) fn matrix_title(run: &RunView) -> Option<String> {
    let state: &MachineState = run.state()?;
    let view = &run.link.view;
    let (name, matrix) = chosen(state, view)?;
    let block = state.transformer.construction().blocks().get(state.stage(view).max(1) - 1)?;
    Some(tr!(
        "{block}: {name}, {rows} × {columns}",
        block = block.kind.name(),
        name,
        rows = matrix.rows(),
        columns = matrix.columns()
    ))
}

/// What the block computes, and how much of its matrix is not 0.
pub(super) fn matrix(run: &RunView) -> Option<String> {
    let state: &MachineState = run.state()?;
    let view = &run.link.view;
    let (_, matrix) = chosen(state, view)?;
    let block = state.transformer.construction().blocks().get(state.stage(view).max(1) - 1)?;
    let all = (matrix.rows() * matrix.columns()) as u64;
    let entries = (0..matrix.rows())
        .flat_map(|row| (0..matrix.columns()).map(move |column| (row, column)))
        .filter(|(row, column)| matrix.weight(*row, *column) != 0.0)
        .count();
    Some(tr!(
        "{entries} of the {all} entries of this matrix are not 0. Formula of the block: {formula}.",
        entries = thousands(entries as u64),
        all = thousands(all),
        formula = block.kind.formula()
    ))
}

/// What is said of a sweep over the setting with this symbol.
pub(super) fn by(run: &RunView, symbol: &str) -> String {
    let curves = wrong(run);
    if curves.iter().all(|(_, points)| points.is_empty()) {
        return tr!("No run of the sweep has ended yet.").into();
    }
    let one = |(name, points): &ends::Curve| {
        let known = points.iter().filter_map(|(x, values)| {
            let [_, middle, _] = ends::quartiles(values)?;
            Some(tr!(
                "{step} at {symbol} = {value}",
                step = thousands(middle.max(0.0) as u64),
                symbol,
                value = real(*x)
            ))
        });
        format!("{name}: {}", known.collect::<Vec<_>>().join(", "))
    };
    let all = curves.iter().map(one).collect::<Vec<_>>().join(". ");
    tr!("First wrong step, or T + 1 if no step is wrong: {all}.", all)
}

/// The same of a sweep over β, with the β that is enough for each T.
pub(super) fn by_beta(run: &RunView) -> String {
    let mut known: Vec<(usize, usize)> = vec![];
    // All values of β have the same T and the same input.
    for cell in run.sweep.iter().flat_map(|sweep| &sweep.cells).filter(|cell| cell.at == 0) {
        let program = cell.spec.task.examples().program();
        let (Some(program), Some(Family::Machine(net))) = (program, cell.spec.model.config().family()) else {
            continue;
        };
        let run = (program.steps, program.input.len());
        // The rule needs rounding, and weights without noise.
        if net.mode().rounding && net.sigma == 0.0 && !known.contains(&run) {
            known.push(run);
        }
    }
    let rule = |(steps, input): (usize, usize)| {
        tr!(
            "For T = {steps} steps and an input of m = {input} symbols, every β above ln(2(T + m)) = {beta} is enough.",
            steps = thousands(steps as u64),
            input = thousands(input as u64),
            beta = significant(AttentionMode::safe_beta(steps, input))
        )
    };
    std::iter::once(by(run, "β")).chain(known.into_iter().map(rule)).collect::<Vec<_>>().join(" ")
}

pub(super) fn depth(run: &RunView) -> String {
    let curves = blocks(run);
    let all = curves.iter().flat_map(|(_, points)| points);
    let said: Vec<String> = all
        .filter_map(|(x, values)| {
            let [_, middle, _] = ends::quartiles(values)?;
            Some(tr!(
                "{blocks} for T = {steps}",
                blocks = thousands(middle.max(0.0) as u64),
                steps = thousands(*x as u64)
            ))
        })
        .collect();
    match said.is_empty() {
        true => tr!("No run of the sweep has ended yet.").into(),
        false => tr!(
            "Number of blocks: {all}. The numbers of the positions are binary; each further bit of these numbers needs one more block.",
            all = said.join(", ")
        ),
    }
}
