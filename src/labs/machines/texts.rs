//! Sentences about runs of a transformer that runs a machine, and about their charts.

use super::grids::selected_matrix;
use super::state::MachineState;
use super::sweeps::{block_count_curves, first_wrong_curves};
use vivarium_core::settings::format_real;
use vivarium_model::models::Family;
use vivarium_model::run::{RunSpec, SuccessCriterion};
use vivarium_model::tasks::TaskData;
use vivarium_plot::analysis::ends;
use vivarium_plot::analysis::replicas::ReplicaMeasure;
use vivarium_science::machines::{AttentionMode, MachineMetric, TokenGroup};
use vivarium_view::display::RunView;
use vivarium_view::display::words::{MISSING, format_percent, format_significant, format_thousands};

/// Names of the four metrics of a measurement: largest distance of a token entry from the nearer of 0 and 1 in the
/// latest step, and over all steps so far; share of correct steps; share of the T steps executed before any error.
pub(super) fn metric_names() -> [String; 4] {
    [
        tr!("Deviation from 0 and 1 in this step"),
        tr!("Largest deviation from 0 and 1"),
        tr!("Share of correct steps"),
        tr!("Share of the T steps executed before any error"),
    ]
    .map(String::from)
}

/// Median over networks of `metric` in the latest measurement of the run; NaN before the first measurement.
fn latest_median(run: &RunView, metric: ReplicaMeasure) -> f64 {
    f64::from(run.history.latest_median(metric))
}

/// Median over networks of a metric that only runs of Turing machines have, in the latest measurement; NaN before the
/// first measurement.
fn latest_machine_metric(run: &RunView, metric: MachineMetric) -> f64 {
    latest_median(run, ReplicaMeasure::TaskMeasure(metric as usize))
}

/// Formats the largest distance of token entries from the nearer of 0 and 1: "2.2e−16", "0", "overflow", or a dash if
/// it is unknown.
fn format_deviation(value: f64) -> String {
    match value {
        0.0 => "0".into(),
        none if none.is_nan() => MISSING.into(),
        large if large >= f64::from(f32::MAX) => tr!("overflow").into(),
        other => format_significant(other),
    }
}

/// Formats the median first machine step whose token differs from the simulator: "9", "none" if no step is wrong, or a
/// dash before the first measurement.
fn format_first_wrong(run: &RunView) -> String {
    let steps = run.spec().task.data().machine_program().map_or(0, |program| program.steps);
    match latest_machine_metric(run, MachineMetric::FirstWrong) {
        none if none.is_nan() => MISSING.into(),
        step if step > steps as f64 => tr!("none").into(),
        step => format_thousands(step as u64),
    }
}

/// Two readouts (label, value): the first wrong step, and the present state of the Turing machine.
pub(super) fn readouts(run: &RunView) -> [(String, String); 2] {
    let program = run.spec().task.data().machine_program();
    let state = latest_machine_metric(run, MachineMetric::State);
    let name = program.filter(|_| state.is_finite()).and_then(|program| {
        let name = program.machine.state_names().get(state as usize)?;
        Some(tr!(
            "{name}, cell {cell}",
            name,
            cell = format_thousands(latest_machine_metric(run, MachineMetric::Head).max(0.0) as u64)
        ))
    });
    [
        (tr!("First wrong step").into(), format_first_wrong(run)),
        (tr!("State, and position of the head").into(), name.unwrap_or(MISSING.into())),
    ]
}

/// Progress of the machine's execution by the transformer, for the status line; `None` before the first measurement.
pub(super) fn describe_progress(run: &RunView) -> Option<String> {
    let right = latest_median(run, ReplicaMeasure::TrainAccuracy);
    right.is_finite().then(|| {
        tr!(
            "{right} of the steps are right; the largest distance of a number in the tokens from the nearer of 0 and 1 is {deviation}",
            right = format_percent(right as f32),
            deviation = format_deviation(latest_median(run, ReplicaMeasure::TestLoss))
        )
    })
}

/// Sentence that the run has reached its target; `networks` and `at` are phrases that say by how many networks and at
/// which steps.
pub(super) fn describe_success(run: &RunView, networks: &str, at: &str) -> String {
    let settings = &run.spec().run;
    if settings.success == SuccessCriterion::Loss {
        let limit = format_real(settings.limit);
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

/// Sentences on how many machine steps were executed when the run ended and whether they are right; `None` if the run
/// has no machine or no measurement.
///
/// The measured share of T is below 1 if a step is wrong, and also if the run ends before the machine halts.
pub fn describe_end(run: &RunView) -> Option<String> {
    let all = run.spec().task.data().machine_program()?.steps as u64;
    let row = run.history.latest()?;
    let firsts = ReplicaMeasure::TaskMeasure(MachineMetric::FirstWrong as usize).values(row);
    // The metric is T + 1 if no step is wrong.
    let wrong = || firsts.iter().map(|step| *step as u64).filter(move |step| *step <= all);
    let said = tr!(
        "Step {step} was the last step. Executed steps of the machine: {made} of {all}.",
        step = format_thousands(run.step),
        made = format_thousands(row.step.min(all)),
        all = format_thousands(all)
    );
    let networks = format_thousands(firsts.len() as u64);
    let right = format_thousands((firsts.len() - wrong().count()) as u64);
    match (firsts.len(), wrong().min().zip(wrong().max())) {
        (0, _) => None,
        (1, None) => Some(tr!("{said} All executed steps are right.", said)),
        (1, Some((first, _))) => {
            Some(tr!("{said} Step {first} is the first wrong step.", said, first = format_thousands(first)))
        }
        (_, None) => {
            Some(tr!("{said} All executed steps are right in all {networks} networks.", said, networks))
        }
        (_, Some((first, last))) => Some(tr!(
            "{said} All executed steps are right in {right} of {networks} networks. In the other networks the first wrong step is at least step {first} and at most step {last}.",
            said,
            right,
            networks,
            first = format_thousands(first),
            last = format_thousands(last)
        )),
    }
}

/// Warnings about settings of the run that prevent the transformer from executing the machine correctly; empty if there
/// are none.
pub(super) fn execution_obstacles(spec: &RunSpec) -> Vec<String> {
    let (TaskData::Steps(Some(program)), Some(Family::Machine(net))) =
        (spec.task.data(), spec.model.config().family())
    else {
        return vec![];
    };
    let mut obstacles = vec![];
    if spec.run.steps < program.steps as u64 {
        obstacles.push(tr!(
            "The run ends at step {last}, before step T = {steps} of the machine.",
            last = format_thousands(spec.run.steps),
            steps = format_thousands(program.steps as u64)
        ));
    }
    match net.mode().attention {
        AttentionMode::Soft(beta) if beta < 1.0 => obstacles.push(
            tr!("If the inverse temperature is below 1 and the scores of two past tokens differ by 1, the larger of the two attention weights is less than 2.72 times the smaller one.").into(),
        ),
        _ => {}
    }
    obstacles
}

/// Title of the token chart: "Tokens; step 42 after block 8 of 11: Search for bit 5"; after the last block "Tokens after
/// step 42".
pub(super) fn tokens_title(run: &RunView) -> Option<String> {
    let state: &MachineState = run.lab_state()?;
    let (stage, blocks) = (state.shown_block(&run.link.view), state.transformer.construction().blocks());
    let block = stage.checked_sub(1).and_then(|at| blocks.get(at))?;
    if stage == blocks.len() {
        return Some(tr!("Tokens after step {step}", step = format_thousands(state.step as u64)));
    }
    Some(tr!(
        "Tokens; step {step} after block {stage} of {blocks}: {name}",
        step = format_thousands(state.step as u64),
        stage,
        blocks = blocks.len(),
        name = block.kind.name()
    ))
}

/// Summary of the token chart: width of a token, decoded latest token, and agreement with the simulator.
pub(super) fn describe_tokens(run: &RunView) -> Option<String> {
    let state: &MachineState = run.lab_state()?;
    let counts = state.transformer.construction().sizes();
    let said = tr!(
        "Number of tokens: {tokens}. Each token has {width} numbers in {groups} groups.",
        tokens = format_thousands(state.step as u64 + 1),
        width = counts.width(),
        groups = TokenGroup::ALL.len()
    );
    let Some(token) = state.decode_token(state.step) else {
        return Some(tr!("{said} The newest tokens are still being computed.", said));
    };
    let machine = &state.program.machine;
    let said = tr!(
        "{said} The newest token holds: state {name}, symbol {symbol} under the head, head on cell {cell}.",
        said,
        name = machine.state_names().get(token.state).cloned().unwrap_or_default(),
        symbol = machine.format_symbols([token.symbol]),
        cell = format_thousands(token.head as u64)
    );
    Some(match state.first_wrong() {
        Some(step) => tr!(
            "{said} Step {step} is the first step with a token that differs from the simulator's step.",
            said,
            step = format_thousands(step as u64)
        ),
        None => tr!("{said} Every token so far agrees with the simulator.", said),
    })
}

/// Summary of the tape chart: symbols on the tape and position of the machine's head.
pub(super) fn describe_tape(run: &RunView) -> Option<String> {
    /// Maximum number of tape symbols that the summary of the tape spells out.
    const MAX_SYMBOLS: usize = 80;
    let state: &MachineState = run.lab_state()?;
    let machine = &state.program.machine;
    let text = machine.format_symbols(state.run.tape_after(state.step));
    let text = text.trim_matches(vivarium_science::machines::BLANK);
    let cut: String = text.chars().take(MAX_SYMBOLS).collect();
    let cut = if text.chars().count() > MAX_SYMBOLS { format!("{cut}…") } else { cut };
    let head = if state.step == 0 { state.run.start } else { state.run.records[state.step - 1].head };
    let said = tr!(
        "The simulator's tape after step {step}: {tape}; the head is on cell {head}. A different colour marks the cell under the head.",
        step = format_thousands(state.step as u64),
        tape = if cut.is_empty() { tr!("empty").into() } else { cut },
        head = format_thousands(head as u64)
    );
    let halts = state.run.halt.filter(|(at, _)| *at <= state.step as u64);
    Some(match halts {
        Some((at, halt)) => {
            tr!(
                "{said} After step {at}: {reason}",
                said,
                reason = halt.describe(machine),
                at = format_thousands(at)
            )
        }
        None => said,
    })
}

/// Summary of the chart of distances of token entries from 0 and 1 by block: the block with the largest distance in the
/// displayed step.
pub(super) fn describe_deviation_by_block(run: &RunView) -> Option<String> {
    let state: &MachineState = run.lab_state()?;
    let trace = state.trace.as_ref()?;
    let worst =
        trace.blocks.iter().enumerate().max_by(|(_, a), (_, b)| a.deviation.total_cmp(&b.deviation))?;
    let gap = trace.min_score_gap().map_or(MISSING.into(), format_significant);
    Some(tr!(
        "In step {step} the largest distance of a number in the token from the nearer of 0 and 1 is {deviation}, after block {block}. The smallest gap between the largest and the second-largest attention score is {gap}.",
        step = format_thousands(trace.step as u64),
        block = worst.0 + 1,
        deviation = format_deviation(worst.1.deviation),
        gap
    ))
}

/// Summary of the chart of distances of token entries from 0 and 1 against steps.
pub(super) fn describe_deviation_by_step(run: &RunView) -> String {
    tr!(
        "Largest distance of a number in the tokens from the nearer of 0 and 1, before rounding: {now} in step {step}, {ever} in all steps so far. Rounding removes deviations below 1/3.",
        now = format_deviation(latest_median(run, ReplicaMeasure::TrainLoss)),
        step = format_thousands(run.step),
        ever = format_deviation(latest_median(run, ReplicaMeasure::TestLoss))
    )
}

/// Summary of the attention chart: which past token the attention of the displayed step finds as the last that wrote
/// the cell of the head.
pub(super) fn describe_past_attention(run: &RunView) -> Option<String> {
    let state: &MachineState = run.lab_state()?;
    let trace = state.trace.as_ref()?;
    let fetch = trace.blocks.last()?.self_attention.as_ref()?;
    let best = fetch.weights.iter().enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b));
    let (step, cell) = (format_thousands(trace.step as u64), format_thousands(trace.record.head as u64));
    Some(match best.filter(|(_, weight)| **weight > fetch.null_weight) {
        Some((at, _)) => tr!(
            "After step {step} the head is on cell {cell}. The search through {bits} bits ends at token {found}. Without errors, token {found} belongs to the last step that wrote to this cell.",
            step,
            cell,
            bits = state.layout().bits(),
            found = format_thousands(at as u64 + 1)
        ),
        None => tr!(
            "After step {step} the head is on cell {cell}. In the last block the null slot has the largest attention weight: the search has found no earlier step that wrote to this cell. So the token holds the symbol of the input, or the blank.",
            step,
            cell
        ),
    })
}

/// Summary of the chart of correct steps: share of tokens that agree with the simulator, and the first wrong step.
pub(super) fn describe_correct_steps(run: &RunView) -> String {
    tr!(
        "After step {step}, {right} of the tokens agree with the simulator. First wrong step: {wrong}.",
        step = format_thousands(run.step),
        right = format_percent(latest_median(run, ReplicaMeasure::TrainAccuracy) as f32),
        wrong = format_first_wrong(run)
    )
}

/// Title of the matrix chart with block, name and size of the selected weight matrix: "Search for bit 2: own.query, 10
/// × 46".
pub(super) fn matrix_title(run: &RunView) -> Option<String> {
    let state: &MachineState = run.lab_state()?;
    let view = &run.link.view;
    let (name, matrix) = selected_matrix(state, view)?;
    let block = state.transformer.construction().blocks().get(state.shown_block(view).max(1) - 1)?;
    Some(tr!(
        "{block}: {name}, {rows} × {columns}",
        block = block.kind.name(),
        name,
        rows = matrix.rows(),
        columns = matrix.columns()
    ))
}

/// Summary of the chart of the selected weight matrix: formula of its block, and number of nonzero entries.
pub(super) fn describe_matrix(run: &RunView) -> Option<String> {
    let state: &MachineState = run.lab_state()?;
    let view = &run.link.view;
    let (_, matrix) = selected_matrix(state, view)?;
    let block = state.transformer.construction().blocks().get(state.shown_block(view).max(1) - 1)?;
    let all = (matrix.rows() * matrix.columns()) as u64;
    let entries = (0..matrix.rows())
        .flat_map(|row| (0..matrix.columns()).map(move |column| (row, column)))
        .filter(|(row, column)| matrix.weight(*row, *column) != 0.0)
        .count();
    Some(tr!(
        "{entries} of the {all} entries of this matrix are not 0. Formula of the block: {formula}.",
        entries = format_thousands(entries as u64),
        all = format_thousands(all),
        formula = block.kind.formula()
    ))
}

/// Summary of a sweep chart: median first wrong machine step (T + 1 if none of the T steps is wrong) for each value of
/// the swept setting, whose symbol (such as "β") is `symbol`.
pub(super) fn describe_first_wrong(run: &RunView, symbol: &str) -> String {
    let curves = first_wrong_curves(run);
    if curves.iter().all(|(_, points)| points.is_empty()) {
        return tr!("No run of the sweep has ended yet.").into();
    }
    let one = |(name, points): &ends::SweepCurve| {
        let known = points.iter().filter_map(|(x, values)| {
            let [_, middle, _] = ends::quartiles(values)?;
            Some(tr!(
                "{step} at {symbol} = {value}",
                step = format_thousands(middle.max(0.0) as u64),
                symbol,
                value = format_real(*x)
            ))
        });
        format!("{name}: {}", known.collect::<Vec<_>>().join(", "))
    };
    let all = curves.iter().map(one).collect::<Vec<_>>().join(". ");
    tr!("First wrong step, or T + 1 if no step is wrong: {all}.", all)
}

/// Summary of the sweep chart over the inverse temperature β of the softmax, with the bound ln(2(T + m)), for T steps
/// and m symbols of input, above which every β suffices in theory.
pub(super) fn describe_first_wrong_by_beta(run: &RunView) -> String {
    let mut known: Vec<(usize, usize)> = vec![];
    // All values of β have the same T and the same input.
    for cell in run.sweep.iter().flat_map(|sweep| &sweep.cells).filter(|cell| cell.sweep_index == 0) {
        let (TaskData::Steps(Some(program)), Some(Family::Machine(net))) =
            (cell.spec.task.data(), cell.spec.model.config().family())
        else {
            continue;
        };
        let run = (program.steps, program.input.len());
        // The bound on β holds with rounding and without noise.
        if net.mode().rounding && net.sigma == 0.0 && !known.contains(&run) {
            known.push(run);
        }
    }
    let rule = |(steps, input): (usize, usize)| {
        tr!(
            "For T = {steps} steps and an input of m = {input} symbols, every β above ln(2(T + m)) = {beta} is enough.",
            steps = format_thousands(steps as u64),
            input = format_thousands(input as u64),
            beta = format_significant(AttentionMode::safe_beta(steps, input))
        )
    };
    std::iter::once(describe_first_wrong(run, "β"))
        .chain(known.into_iter().map(rule))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Summary of the chart of the number of transformer blocks against the number of machine steps T.
pub(super) fn describe_block_count(run: &RunView) -> String {
    let curves = block_count_curves(run);
    let all = curves.iter().flat_map(|(_, points)| points);
    let counts: Vec<String> = all
        .filter_map(|(x, values)| {
            let [_, middle, _] = ends::quartiles(values)?;
            Some(tr!(
                "{blocks} for T = {steps}",
                blocks = format_thousands(middle.max(0.0) as u64),
                steps = format_thousands(*x as u64)
            ))
        })
        .collect();
    match counts.is_empty() {
        true => tr!("No run of the sweep has ended yet.").into(),
        false => tr!(
            "Number of blocks: {all}. The numbers of the positions are binary; each further bit of these numbers needs one more block.",
            all = counts.join(", ")
        ),
    }
}
