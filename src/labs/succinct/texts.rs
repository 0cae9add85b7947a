//! Sentences about runs of networks that contain a learning algorithm, and about their charts.

use super::panel::sentences;
use super::state::{SearchState, SuccinctState};
use super::sweeps;
use vivarium_core::settings::format_real;
use vivarium_model::run::SuccessCriterion;
use vivarium_plot::analysis::ends;
use vivarium_plot::analysis::replicas::ReplicaMeasure;
use vivarium_science::succinct::LearningMetric;
use vivarium_view::display::RunView;
use vivarium_view::display::words::{format_percent, format_thousands};

/// Formats an entry of the table of stored examples: "1/3", "−1/3" or "0".
pub(super) fn format_third(value: f32) -> String {
    match value {
        _ if value > 0.1 => "1/3".into(),
        _ if value < -0.1 => "−1/3".into(),
        _ => "0".into(),
    }
}

/// Accuracy of the rule chosen by the search on the validation queries, from 0 to 1; a query for which the sum of cells
/// is 0 counts as half right.
pub(super) fn validation_accuracy(search_state: &SearchState) -> f64 {
    f64::from(search_state.chosen_stats[0]) / (2 * search_state.net.validation.max(1)) as f64
}

/// Whether the run is a search among cell-update rules, and not a network that runs a program.
fn is_search(run: &RunView) -> bool {
    run.lab_state().is_some_and(|state: &SuccinctState| state.search_state().is_some())
}

/// Names of the four metrics of a measurement: errors and accuracies on validation and test queries for a search; for a
/// network that runs a program, largest deviation of the written rows from their exact values y\[x, 1\]/3, squared
/// error, rows written and accuracy.
pub(super) fn metric_names(run: &RunView) -> [String; 4] {
    match is_search(run) {
        true => [
            tr!("Error on the validation queries"),
            tr!("Error on the test queries"),
            tr!("Validation accuracy"),
            tr!("Test accuracy"),
        ],
        false => [
            tr!("Largest deviation of the rows from y[x, 1]/3"),
            tr!("Squared error of the answers"),
            tr!("Rows written"),
            tr!("Test inputs answered correctly"),
        ],
    }
    .map(String::from)
}

/// Two readouts (label, value): for a search, the share of rules with an accuracy of at least 95 % and the accuracy
/// with twice as many inputs and examples; for a program, the layers applied and the share of test inputs answered.
pub(super) fn readouts(run: &RunView) -> [(String, String); 2] {
    match is_search(run) {
        true => [
            (
                tr!("Share of rules with at least 95 % accuracy").into(),
                format_percent(latest_learning_metric(run, LearningMetric::GoodRuleShare)),
            ),
            (
                tr!("Accuracy with twice as many inputs and examples").into(),
                format_percent(latest_learning_metric(run, LearningMetric::TwiceSizeAccuracy)),
            ),
        ],
        false => {
            let layers = run.lab_state().map_or(0, SuccinctState::layers_applied);
            [
                (tr!("Layers").into(), format_thousands(layers)),
                (
                    tr!("Test inputs answered").into(),
                    format_percent(latest_learning_metric(run, LearningMetric::AnsweredShare)),
                ),
            ]
        }
    }
}

/// Median over networks of a metric that only runs of this lab have, in the latest measurement; NaN before the first
/// measurement.
fn latest_learning_metric(run: &RunView, metric: LearningMetric) -> f32 {
    run.history.latest_median(ReplicaMeasure::TaskMeasure(metric as usize))
}

/// Number of cell-update rules that a search has tried; if it tries a fixed list of rules, the number stops growing at
/// the end of that list.
fn count_tried_rules(search_state: &SearchState) -> u64 {
    search_state.rule_counts.iter().sum::<f32>() as u64
}

/// Progress of the run for the status line: rows written and layers applied, or the best rule of a search; `None` if a
/// search has not tried a rule yet.
pub(super) fn describe_progress(run: &RunView) -> Option<String> {
    let state: &SuccinctState = run.lab_state()?;
    if let Some(own) = state.search_state() {
        let rule = own.rule?;
        return Some(tr!(
            "rules tried: {count}; the best rule is rule {number}, which answers {share} of the validation queries right",
            count = format_thousands(count_tried_rules(own)),
            share = format_percent(validation_accuracy(own) as f32),
            number = rule.number()
        ));
    }
    Some(match state.layers_applied() {
        0 => tr!(
            "SGD has written {rows} of {all} rows of the table",
            rows = state.rows_written(),
            all = state.problem.writing_steps()
        ),
        layers => {
            tr!(
                "the table is full, and the network has applied {layers} layers since then",
                layers = format_thousands(layers)
            )
        }
    })
}

/// Sentence that the target was reached; `networks` and `at` are phrases that say by which networks and at which steps.
pub(super) fn describe_success(run: &RunView, networks: &str, at: &str) -> String {
    let settings = &run.spec().run;
    if settings.success == SuccessCriterion::Loss {
        let limit = format_real(settings.limit);
        return tr!(
            "In {networks} the error on the test inputs is at most {limit} for the first time {at}.",
            limit,
            networks,
            at
        );
    }
    let share = format_percent(settings.target as f32);
    match settings.replicas {
        1 => {
            tr!(
                "The share of test inputs answered correctly is at least {share} for the first time {at}.",
                share,
                at
            )
        }
        _ => tr!(
            "In {networks} the share of test inputs answered correctly is at least {share} for the first time {at}.",
            share,
            networks,
            at
        ),
    }
}

/// Summary of the chart of the table in which SGD stores the examples.
pub(super) fn describe_table(run: &RunView) -> Option<String> {
    let state: &SuccinctState = run.lab_state()?;
    let rows = state.rows_written();
    if rows == 0 {
        return Some(tr!("All numbers of the table are 0. No step of SGD has been made yet.").into());
    }
    Some(tr!(
        "SGD has written {rows} of {all} rows, one in each step. For an example with inputs x and label y, the row should be y[x, 1]/3: each input times y, followed by y, all divided by 3. The largest deviation of the written rows from y[x, 1]/3 is {stray}.",
        rows,
        all = state.problem.writing_steps(),
        stray = format_real(f64::from(run.history.latest_median(ReplicaMeasure::TrainLoss)))
    ))
}

/// Summary of the chart of the gradient of the table of examples; `None` unless the network runs a program.
pub(super) fn describe_gradient(run: &RunView) -> Option<String> {
    let state: &SuccinctState = run.lab_state()?;
    let own = state.program_state()?;
    let columns = state.problem.inputs + 1;
    let written: Vec<usize> = own
        .gradient
        .chunks(columns)
        .enumerate()
        .filter(|(_, row)| row.iter().any(|one| *one != 0.0))
        .map(|(row, _)| row + 1)
        .collect();
    Some(match written[..] {
        [] => tr!("The gradient is 0 everywhere.").into(),
        [row] => tr!(
            "In the newest step of SGD the gradient is 0 everywhere except in row {row}. In this row the gradient is −18y[x, 1], with the inputs x and the label y of the example. The learning rate is 1/54, so the step adds y[x, 1]/3 to this row.",
            row
        ),
        _ => tr!("In {count} rows the gradient is different from 0.", count = written.len()),
    })
}

/// Summary of the chart of the automaton's cells after the latest layer.
pub(super) fn describe_cells(run: &RunView) -> Option<String> {
    let state: &SuccinctState = run.lab_state()?;
    if state.layers_applied() == 0 {
        return Some(tr!("While SGD writes the table, no program runs and the output is 0.").into());
    }
    let own = state.program_state()?;
    let mut text = tr!(
        "Layers applied: {layers}. {now}",
        layers = format_thousands(state.layers_applied()),
        now = sentences::describe_now(state)?
    );
    if own.has_halted() {
        text += " ";
        text += &tr!("The label of the test input is {label}.", label = sentences::format_true_label(state));
    }
    Some(text)
}

/// Summary of the chart of the test inputs that the program has answered.
pub(super) fn describe_answers(run: &RunView) -> String {
    let layers = run.lab_state().map_or(0, SuccinctState::layers_applied);
    if layers == 0 {
        return tr!("Before the table is full, no test input is answered.").into();
    }
    let mut text = tr!(
        "With {layers} layers {answered} of the test inputs are answered, and {right} of all test inputs are answered correctly.",
        layers = format_thousands(layers),
        answered = format_percent(latest_learning_metric(run, LearningMetric::AnsweredShare)),
        right = format_percent(run.history.latest_median(ReplicaMeasure::TestAccuracy))
    );
    let excess = latest_learning_metric(run, LearningMetric::OutputExcess);
    if excess > 0.0 {
        text += " ";
        text += &tr!(
            "For some test inputs the program has halted with an answer in the top-left cell, but the output f of the network is another number: the head has halted elsewhere in the table, and the value of its cell adds up to {excess} to f.",
            excess = format_real((1e4 * f64::from(excess)).round() / 1e4)
        );
    }
    let (time, longest) = (
        latest_learning_metric(run, LearningMetric::MedianTime),
        latest_learning_metric(run, LearningMetric::MaxTime),
    );
    if time.is_finite() {
        text += " ";
        text += &tr!(
            "For every test input of a data set, we count the layers until the program halts, and we take the median and the maximum of these counts. Over all data sets, the median of the medians is {time} layers, and the median of the maxima is {longest} layers.",
            time = format_thousands(time.round() as u64),
            longest = format_thousands(longest.round() as u64)
        );
    }
    text
}

/// Medians over networks of a sweep curve in words, each number formatted by `format`: "521 at d = 3, 949 at d = 4".
fn list_medians(run: &RunView, curve: &ends::SweepCurve, format: impl Fn(f32) -> String) -> String {
    let symbol = match sweeps::swept_setting(run) {
        Some("inputs") => "d",
        Some("examples") => "m",
        Some("flips") => "p",
        _ => "V",
    };
    let one = |(x, values): &(f64, Vec<f32>)| {
        let [_, middle, _] = ends::quartiles(values)?;
        Some(tr!("{value} at {symbol} = {place}", value = format(middle), symbol, place = format_real(*x)))
    };
    curve.1.iter().filter_map(one).collect::<Vec<_>>().join(", ")
}

/// Descriptions of all curves of a sweep, each made by `one`, with the curves' names if there are several; `None` if no
/// curve has a point.
fn join_curves(curves: &[ends::SweepCurve], one: impl Fn(&ends::SweepCurve) -> String) -> Option<String> {
    let are_there = curves.iter().any(|(_, points)| !points.is_empty());
    let text = |curve: &ends::SweepCurve| match curves.len() {
        1 => one(curve),
        _ => format!("{}: {}", curve.0, one(curve)),
    };
    are_there.then(|| curves.iter().map(text).collect::<Vec<_>>().join("; "))
}

/// Summary of the sweep chart of the layers until the program halts, with the exponents of the fitted power laws.
pub(super) fn describe_times(run: &RunView) -> String {
    let curves = sweeps::time_curves(run);
    let one = |curve: &ends::SweepCurve| {
        let all = list_medians(run, curve, |time| format_thousands(time.round() as u64));
        match sweeps::fit_exponent(curve) {
            Some(exponent) => {
                tr!("{all} (power law: exponent {exponent})", all, exponent = format!("{exponent:.2}"))
            }
            None => all,
        }
    };
    match join_curves(&curves, one) {
        Some(all) => tr!("Median number of layers until the program halts: {all}.", all),
        None => tr!("No run of the sweep has ended yet.").into(),
    }
}

/// Summary of the sweep chart of the accuracy on test inputs against the swept setting.
pub(super) fn describe_accuracy(run: &RunView) -> String {
    match join_curves(&sweeps::accuracy_curves(run), |curve| list_medians(run, curve, format_percent)) {
        Some(all) => tr!("Share of test inputs answered correctly at the end of each run: {all}.", all),
        None => tr!("No run of the sweep has ended yet.").into(),
    }
}

/// Summary of the chart that counts the tried rules by accuracy; `None` unless the run is a search.
pub(super) fn describe_rule_counts(run: &RunView) -> Option<String> {
    let state: &SuccinctState = run.lab_state()?;
    let own = state.search_state()?;
    Some(tr!(
        "Rules tried: {count}. Rules that answer at least 95 % of all validation and test queries right: {good}. The frame marks the row with the validation accuracy of the chosen rule, {share}. Colours show log₁₀(1 + number of rules).",
        count = format_thousands(count_tried_rules(own)),
        good = format_thousands(own.chosen_stats[2] as u64),
        share = format_percent(validation_accuracy(own) as f32)
    ))
}

/// Summary of the chart of the accuracy of the rule chosen by the search.
pub(super) fn describe_chosen_rule(run: &RunView) -> String {
    if run.lab_state().and_then(SuccinctState::search_state).is_none_or(|own| own.rule.is_none()) {
        return tr!("No rule has been tried yet.").into();
    }
    tr!(
        "The chosen rule is right on {valid} of the validation queries, {test} of the test queries and {twice} of the queries with twice as many inputs and examples.",
        valid = format_percent(run.history.latest_median(ReplicaMeasure::TrainAccuracy)),
        test = format_percent(run.history.latest_median(ReplicaMeasure::TestAccuracy)),
        twice = format_percent(latest_learning_metric(run, LearningMetric::TwiceSizeAccuracy))
    )
}

/// Summary of the chart of the chosen rule's table of new cell values; `None` unless the run is a search.
pub(super) fn describe_rule(run: &RunView) -> Option<String> {
    let own = run.lab_state().and_then(SuccinctState::search_state)?;
    let Some(rule) = own.rule else { return Some(tr!("No rule has been tried yet.").into()) };
    let named = match rule.name() {
        Some(name) => tr!("This is rule {number}, the {name} rule.", number = rule.number(), name),
        None => tr!("This is rule {number}.", number = rule.number()),
    };
    Some(format!("{named} {}", rule.describe().join(" ")))
}
