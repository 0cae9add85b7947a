//! What is said of runs of networks that contain a learning algorithm, and of their charts.

use super::panel::sentences;
use super::state::{Searched, SuccinctState};
use super::sweeps;
use vivarium_core::settings::real;
use vivarium_model::run::Success;
use vivarium_plot::analysis::curves::spread;
use vivarium_plot::analysis::ends;
use vivarium_plot::analysis::replicas::Of;
use vivarium_science::succinct::LearningMetric;
use vivarium_view::display::RunView;
use vivarium_view::display::words::{percent, thousands};

/// "1/3", "−1/3" or "0".
pub(super) fn third(value: f32) -> String {
    match value {
        _ if value > 0.1 => "1/3".into(),
        _ if value < -0.1 => "−1/3".into(),
        _ => "0".into(),
    }
}

/// The accuracy of the chosen rule on the validation queries.
pub(super) fn validation(own: &Searched) -> f64 {
    f64::from(own.best[0]) / (2 * own.net.validation.max(1)) as f64
}

/// Whether the run is a search.
fn is_search(run: &RunView) -> bool {
    run.state().is_some_and(|state: &SuccinctState| state.searched().is_some())
}

/// What the four numbers of a measurement are called.
pub(super) fn names(run: &RunView) -> [String; 4] {
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

/// Two numbers of the newest measurement.
pub(super) fn numbers(run: &RunView) -> [(String, String); 2] {
    match is_search(run) {
        true => [
            (
                tr!("Share of rules with at least 95 % accuracy").into(),
                percent(measured(run, LearningMetric::GoodRuleShare)),
            ),
            (
                tr!("Accuracy with twice as many inputs and examples").into(),
                percent(measured(run, LearningMetric::TwiceSizeAccuracy)),
            ),
        ],
        false => {
            let layers = run.state().map_or(0, SuccinctState::layers);
            [
                (tr!("Layers").into(), thousands(layers)),
                (tr!("Test inputs answered").into(), percent(measured(run, LearningMetric::AnsweredShare))),
            ]
        }
    }
}

/// The newest median of a further measure.
fn measured(run: &RunView, of: LearningMetric) -> f32 {
    newest(run, Of::Measure(of as usize))
}

/// The newest median.
fn newest(run: &RunView, of: Of) -> f32 {
    run.history.last().map_or(f32::NAN, |row| spread(of.values(row)).0)
}

/// How many rules a search has tried: a list of rules ends before the run does.
fn tried(own: &Searched) -> u64 {
    own.cloud.iter().sum::<f32>() as u64
}

/// How far the run has come, for the status line.
pub(super) fn learning(run: &RunView) -> Option<String> {
    let state: &SuccinctState = run.state()?;
    if let Some(own) = state.searched() {
        let rule = own.rule?;
        return Some(tr!(
            "rules tried: {count}; the best rule is rule {number}, which answers {share} of the validation queries right",
            count = thousands(tried(own)),
            share = percent(validation(own) as f32),
            number = rule.number()
        ));
    }
    Some(match state.layers() {
        0 => tr!(
            "SGD has written {rows} of {all} rows of the table",
            rows = state.rows(),
            all = state.problem.writing_steps()
        ),
        layers => {
            tr!(
                "the table is full, and the network has applied {layers} layers since then",
                layers = thousands(layers)
            )
        }
    })
}

/// What has been found by these networks at these steps.
pub(super) fn found(run: &RunView, networks: &str, at: &str) -> String {
    let settings = &run.spec().run;
    if settings.success == Success::Loss {
        let limit = real(settings.limit);
        return tr!(
            "In {networks} the error on the test inputs is at most {limit} for the first time {at}.",
            limit,
            networks,
            at
        );
    }
    let share = percent(settings.target as f32);
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

pub(super) fn table(run: &RunView) -> Option<String> {
    let state: &SuccinctState = run.state()?;
    let rows = state.rows();
    if rows == 0 {
        return Some(tr!("All numbers of the table are 0. No step of SGD has been made yet.").into());
    }
    Some(tr!(
        "SGD has written {rows} of {all} rows, one in each step. For an example with inputs x and label y, the row should be y[x, 1]/3: each input times y, followed by y, all divided by 3. The largest deviation of the written rows from y[x, 1]/3 is {stray}.",
        rows,
        all = state.problem.writing_steps(),
        stray = real(f64::from(newest(run, Of::TrainLoss)))
    ))
}

pub(super) fn gradient(run: &RunView) -> Option<String> {
    let state: &SuccinctState = run.state()?;
    let own = state.on_table()?;
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

pub(super) fn cells(run: &RunView) -> Option<String> {
    let state: &SuccinctState = run.state()?;
    if state.layers() == 0 {
        return Some(tr!("While SGD writes the table, no program runs and the output is 0.").into());
    }
    let own = state.on_table()?;
    let mut said = tr!(
        "Layers applied: {layers}. {now}",
        layers = thousands(state.layers()),
        now = sentences::now(state)?
    );
    if own.has_halted() {
        said += " ";
        said += &tr!("The label of the test input is {label}.", label = sentences::label(state));
    }
    Some(said)
}

pub(super) fn answers(run: &RunView) -> String {
    let layers = run.state().map_or(0, SuccinctState::layers);
    if layers == 0 {
        return tr!("Before the table is full, no test input is answered.").into();
    }
    let mut said = tr!(
        "With {layers} layers {answered} of the test inputs are answered, and {right} of all test inputs are answered correctly.",
        layers = thousands(layers),
        answered = percent(measured(run, LearningMetric::AnsweredShare)),
        right = percent(newest(run, Of::TestAccuracy))
    );
    let excess = measured(run, LearningMetric::OutputExcess);
    if excess > 0.0 {
        said += " ";
        said += &tr!(
            "For some test inputs the program has halted with an answer in the top-left cell, but the output f of the network is another number: the head has halted elsewhere in the table, and the value of its cell adds up to {excess} to f.",
            excess = real((1e4 * f64::from(excess)).round() / 1e4)
        );
    }
    let (time, longest) = (measured(run, LearningMetric::MedianTime), measured(run, LearningMetric::MaxTime));
    if time.is_finite() {
        said += " ";
        said += &tr!(
            "For every test input of a data set, we count the layers until the program halts, and we take the median and the maximum of these counts. Over all data sets, the median of the medians is {time} layers, and the median of the maxima is {longest} layers.",
            time = thousands(time.round() as u64),
            longest = thousands(longest.round() as u64)
        );
    }
    said
}

/// "521 at d = 3, 949 at d = 4".
fn listed(run: &RunView, curve: &ends::Curve, of: impl Fn(f32) -> String) -> String {
    let symbol = match sweeps::over(run) {
        Some("inputs") => "d",
        Some("examples") => "m",
        Some("flips") => "p",
        _ => "V",
    };
    let one = |(x, values): &(f64, Vec<f32>)| {
        let [_, middle, _] = ends::quartiles(values)?;
        Some(tr!("{value} at {symbol} = {place}", value = of(middle), symbol, place = real(*x)))
    };
    curve.1.iter().filter_map(one).collect::<Vec<_>>().join(", ")
}

fn of_curves(curves: &[ends::Curve], one: impl Fn(&ends::Curve) -> String) -> Option<String> {
    let are_there = curves.iter().any(|(_, points)| !points.is_empty());
    let said = |curve: &ends::Curve| match curves.len() {
        1 => one(curve),
        _ => format!("{}: {}", curve.0, one(curve)),
    };
    are_there.then(|| curves.iter().map(said).collect::<Vec<_>>().join("; "))
}

pub(super) fn times(run: &RunView) -> String {
    let curves = sweeps::times(run);
    let one = |curve: &ends::Curve| {
        let all = listed(run, curve, |time| thousands(time.round() as u64));
        match sweeps::exponent(curve) {
            Some(exponent) => {
                tr!("{all} (power law: exponent {exponent})", all, exponent = format!("{exponent:.2}"))
            }
            None => all,
        }
    };
    match of_curves(&curves, one) {
        Some(all) => tr!("Median number of layers until the program halts: {all}.", all),
        None => tr!("No run of the sweep has ended yet.").into(),
    }
}

pub(super) fn learned(run: &RunView) -> String {
    match of_curves(&sweeps::learned(run), |curve| listed(run, curve, percent)) {
        Some(all) => tr!("Share of test inputs answered correctly at the end of each run: {all}.", all),
        None => tr!("No run of the sweep has ended yet.").into(),
    }
}

pub(super) fn cloud(run: &RunView) -> Option<String> {
    let state: &SuccinctState = run.state()?;
    let own = state.searched()?;
    Some(tr!(
        "Rules tried: {count}. Rules that answer at least 95 % of all validation and test queries right: {good}. The frame marks the row with the validation accuracy of the chosen rule, {share}. Colours show log₁₀(1 + number of rules).",
        count = thousands(tried(own)),
        good = thousands(own.best[2] as u64),
        share = percent(validation(own) as f32)
    ))
}

pub(super) fn chosen(run: &RunView) -> String {
    if run.state().and_then(SuccinctState::searched).is_none_or(|own| own.rule.is_none()) {
        return tr!("No rule has been tried yet.").into();
    }
    tr!(
        "The chosen rule is right on {valid} of the validation queries, {test} of the test queries and {twice} of the queries with twice as many inputs and examples.",
        valid = percent(newest(run, Of::TrainAccuracy)),
        test = percent(newest(run, Of::TestAccuracy)),
        twice = percent(measured(run, LearningMetric::TwiceSizeAccuracy))
    )
}

pub(super) fn rule(run: &RunView) -> Option<String> {
    let own = run.state().and_then(SuccinctState::searched)?;
    let Some(rule) = own.rule else { return Some(tr!("No rule has been tried yet.").into()) };
    let named = match rule.name() {
        Some(name) => tr!("This is rule {number}, the {name} rule.", number = rule.number(), name),
        None => tr!("This is rule {number}.", number = rule.number()),
    };
    Some(format!("{named} {}", rule.describe().join(" ")))
}
