//! What is said of runs on prompts and of their charts.

use super::probes::{HEADS, POSITIONS};
use super::state::LookupState;
use super::sweeps::{fits, sequences};
use super::theory::{closest_codes, floor, task, whole};
use super::weights::scores::Sizes;
use super::weights::span::OUTSIDE;
use vivarium_core::settings::real;
use vivarium_model::protocol::Row;
use vivarium_model::run::Success;
use vivarium_plot::analysis::curves::spread;
use vivarium_view::display::RunView;
use vivarium_view::display::charts::final_errors;
use vivarium_view::display::words::{MISSING, decimal, list, percent, significant, symbol, thousands};

/// What the four numbers of a measurement are called.
pub(super) fn names() -> [String; 4] {
    [
        tr!("Relative error, training"),
        tr!("Relative error, held-out"),
        tr!("R², training"),
        tr!("R², held-out"),
    ]
    .map(String::from)
}

/// Sequences seen, and the floor of theory or else the positions.
pub(super) fn numbers(run: &RunView) -> [(String, String); 2] {
    let spec = run.spec();
    let seen = thousands(run.step.saturating_mul(spec.batch() as u64));
    let floor = whole(spec, "h").and_then(|heads| floor(spec, heads));
    let second = match floor {
        Some(floor) => (tr!("Theoretical lower bound").into(), decimal(floor as f32)),
        None => (
            tr!("Positions N").into(),
            task(spec).map_or(MISSING.into(), |task| thousands(task.length as u64)),
        ),
    };
    [(tr!("Sequences seen").into(), seen), second]
}

/// The newest median of a number.
fn newest(run: &RunView, of: fn(&Row) -> &Vec<f32>) -> f32 {
    run.history.last().map_or(f32::NAN, |row| spread(of(row)).0)
}

/// How far learning has come, for the status line.
pub(super) fn learning(run: &RunView) -> Option<String> {
    let error = newest(run, |row| &row.test_loss);
    let spec = run.spec();
    if !error.is_finite() {
        return None;
    }
    let heads = whole(spec, "h");
    let floor = heads.and_then(|heads| floor(spec, heads)).filter(|floor| *floor > 0.0);
    Some(match floor {
        Some(floor) => tr!(
            "the relative error is {error}; the theoretical lower bound with {heads} is {floor}",
            error = decimal(error),
            heads = counted(heads.unwrap_or(1)),
            floor = decimal(floor as f32)
        ),
        None => tr!(
            "the relative error is {error}; 1 is the error of predicting the mean",
            error = decimal(error)
        ),
    })
}

/// "1 head", "3 heads".
fn counted(heads: usize) -> String {
    match heads {
        1 => tr!("1 head").into(),
        _ => tr!("{heads} heads", heads),
    }
}

/// What has been found by these networks at these steps.
pub(super) fn found(run: &RunView, networks: &str, at: &str) -> String {
    let settings = &run.spec().run;
    if settings.success == Success::Loss {
        let limit = real(settings.limit);
        return match settings.replicas {
            1 => tr!("The relative error is at most {limit} {at}.", limit, at),
            _ => tr!("The relative error is at most {limit} in {networks}, {at}.", limit, networks, at),
        };
    }
    let share = percent(settings.target as f32);
    match settings.replicas {
        1 => tr!("At least {share} of the variance is explained {at}.", share, at),
        _ => tr!("At least {share} of the variance is explained by {networks}, {at}.", share, networks, at),
    }
}

pub(super) fn error(run: &RunView) -> String {
    let (spec, step) = (run.spec(), thousands(run.step));
    let (train, test) = (newest(run, |row| &row.train_loss), newest(run, |row| &row.test_loss));
    let said = tr!(
        "Squared error relative to the variance of the labels after {step} steps: {train} on training prompts, {test} on held-out prompts.",
        step,
        train = decimal(train),
        test = decimal(test)
    );
    // A floor of 0 says nothing.
    let known = whole(spec, "h").and_then(|heads| Some((heads, floor(spec, heads)?)));
    match known.filter(|(_, floor)| *floor > 0.0) {
        Some((heads, floor)) => tr!(
            "{said} The theoretical lower bound with {heads} is {floor}.",
            said,
            floor = decimal(floor as f32),
            heads = counted(heads)
        ),
        None => said,
    }
}

pub(super) fn stairs(run: &RunView) -> String {
    let spec = &run.link.spec;
    let one = |(name, points): &(String, Vec<(f64, Vec<f32>)>)| {
        let parts = points.iter().map(|(heads, errors)| {
            let mut cell = spec.clone();
            // It was in range when the link was read.
            let _ = cell.parse("h", &heads.to_string());
            let floor = floor(&cell, *heads as usize).map_or(MISSING.into(), |floor| decimal(floor as f32));
            tr!(
                "{error} with {heads} (lower bound {floor})",
                error = decimal(spread(errors).0),
                heads = counted(*heads as usize),
                floor
            )
        });
        tr!("{name}: {parts}", name, parts = parts.collect::<Vec<_>>().join(", "))
    };
    let curves = final_errors(run);
    match curves.iter().all(|(_, points)| points.is_empty()) {
        true => tr!("No run of the sweep has ended yet.").into(),
        false => curves.iter().map(one).collect::<Vec<_>>().join("; ") + ".",
    }
}

pub(super) fn needed(run: &RunView) -> String {
    let spec = &run.link.spec;
    let symbol = symbol(spec, &spec.run.sweep.key);
    let one = |(name, points): (String, Vec<vivarium_plot::analysis::scaling::Point>)| {
        let known = points.iter().map(|point| {
            let seen = point.median().map_or(tr!("not reached").into(), |seen| thousands(seen as u64));
            tr!("{seen} at {symbol} = {value}", seen, symbol, value = real(point.x))
        });
        let said = tr!("{name}: {known}", name, known = known.collect::<Vec<_>>().join(", "));
        match fits(&points, &symbol) {
            Some([logarithm, power]) => {
                tr!("{said}; fitted curves: {logarithm} and {power}", said, logarithm, power)
            }
            None => said,
        }
    };
    let curves = sequences(run);
    match curves.iter().all(|(_, points)| points.is_empty()) {
        true => tr!("No run of the sweep has ended yet.").into(),
        false => {
            let said = curves.into_iter().map(one).collect::<Vec<_>>().join(". ");
            tr!("Number of sequences seen until the target is reached: {said}.", said)
        }
    }
}

/// Inner products of codes up to this obey assumption 3: their numbers are rounded to single precision.
const MOST_ALIKE: f64 = 0.5 + 1e-6;

pub(super) fn sharpness(run: &RunView) -> Option<String> {
    let square = f64::from(task(run.spec())?.drawn().code_scale()).powi(2);
    let said = tr!(
        "The bound is N exp(−αs²/2); the factor s of the codes has the square {square} in this run. According to the bound, the logarithm of the retrieval error falls by {slope} when α increases by 1.",
        square = significant(square),
        slope = significant(square / 2.0)
    );
    let codes = closest_codes(run.spec()).map(|product| {
        let (closest, own) = (decimal(product as f32), decimal((square * (1.0 - product)) as f32));
        match product <= MOST_ALIKE {
            true => tr!(
                "The bound holds for the codes of this run: the largest scalar product of two codes is {closest}, and 1/2 is allowed. With these codes the logarithm falls by {own} if α is large.",
                closest,
                own
            ),
            false => tr!(
                "The bound does not hold for the codes of this run: the largest scalar product of two codes is {closest}, and at most 1/2 is allowed. With these codes the logarithm falls by only {own} if α is large.",
                closest,
                own
            ),
        }
    });
    let all = [Some(said), codes, run.state().and_then(by_hand)];
    Some(all.into_iter().flatten().collect::<Vec<_>>().join(" "))
}

/// How much of the attention named tokens get where it is set by hand.
pub(super) fn by_hand(state: &LookupState) -> Option<String> {
    let (alpha, share) = state.set_by_hand?;
    // Rounded down, and never up to a hundred.
    let hundredths = ((share * 1e4).floor() as u64).min(9_999);
    Some(tr!(
        "At the start of the run the attention is set by hand, with sharpness α = {alpha}. The head of a name then gives the named token at least {share} of its attention, whichever position is named.",
        alpha = significant(alpha),
        share = format!("{}.{:02} %", hundredths / 100, hundredths % 100)
    ))
}

pub(super) fn span(run: &RunView) -> Option<String> {
    let task = task(run.spec())?;
    let size = task.length * task.dim;
    let oracle = tr!(
        "A predictor that uses only the linear span of the vectors of n training prompts leaves on average 1 − n/{size} of the variance unexplained.",
        size
    );
    let sample = run.spec().task.examples().sample_size();
    let error = newest(run, |row| &row.test_loss);
    let said = match sample.filter(|_| error.is_finite()) {
        Some(n) => tr!(
            "{oracle} The network trained on {n} prompts leaves {error} of the variance unexplained.",
            oracle,
            n,
            error = decimal(error)
        ),
        None => oracle,
    };
    let outside = run.finding(&OUTSIDE).and_then(|found| found.few.first().copied());
    Some(match outside.filter(|share| share.is_finite()) {
        Some(share) => tr!(
            "{said} Outside this span is {share} of ‖W‖², where W holds the first network's weights from the tokens to the first hidden layer; theorem 6 is about networks with 0.",
            said,
            share = percent(share as f32)
        ),
        None => said,
    })
}

/// The names of the position that is looked into, as numbers from 1.
fn named(state: &LookupState, place: usize) -> String {
    list(&state.named(place).iter().map(|name| (name + 1).to_string()).collect::<Vec<_>>())
}

pub(super) fn glances(run: &RunView) -> Option<String> {
    let state: &LookupState = run.state()?;
    let (place, attention) = (state.place(&run.link.view), &state.inspected.attention);
    if attention.is_empty() {
        return Some(tr!("The network has not been evaluated yet.").into());
    }
    let most = |shares: &[f64]| {
        let best = shares.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        best.map_or((0, 0.0), |(at, share)| (at + 1, *share))
    };
    let one = |(head, shares): (usize, &Vec<f64>)| {
        let (at, share) = most(shares);
        tr!(
            "head {head} has its largest attention weight at position {at} ({share})",
            head = head + 1,
            at,
            share = percent(share as f32)
        )
    };
    let heads: Vec<String> = attention.iter().enumerate().map(one).collect();
    Some(tr!(
        "Names at position {place}: {names}; {heads}.",
        place = place + 1,
        names = named(state, place),
        heads = list(&heads)
    ))
}

pub(super) fn matrix(run: &RunView) -> Option<String> {
    let state: &LookupState = run.state()?;
    let Some(scores) = state.scores() else {
        return Some(tr!("The network has not been evaluated yet.").into());
    };
    let Sizes { inside, outside, .. } = scores.sizes(&state.prompts);
    Some(tr!(
        "The matrix |W_QK| has {size} rows and {size} columns. The largest entry is {inside} in the outlined blocks, which compare the code of a name with the code of a position, and {outside} elsewhere.",
        size = scores.size,
        inside = decimal(inside as f32),
        outside = decimal(outside as f32)
    ))
}

pub(super) fn answered(run: &RunView) -> Option<String> {
    let found = run.finding(&HEADS).and_then(|found| found.few.first().copied());
    Some(match found {
        Some(share) => tr!(
            "If each name is assigned to a separate head in the best way, {share} of the attention is on the named tokens; a name without a head counts as 0. The error can be small even if this share is low: if two heads attend to the same two named tokens with different weights, the outputs of these heads determine both tokens.",
            share = percent(share as f32)
        ),
        None => tr!("The network has not been evaluated yet.").into(),
    })
}

pub(super) fn positions(run: &RunView) -> Option<String> {
    let errors = run.finding(&POSITIONS).map_or(&[][..], |found| &found.numbers);
    let least = errors.iter().copied().fold(f32::INFINITY, f32::min);
    let most = errors.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    Some(match errors.is_empty() {
        true => tr!("The errors have not been measured yet.").into(),
        false => tr!(
            "The smallest relative error of a position is {least}, and the largest is {most}.",
            least = decimal(least),
            most = decimal(most)
        ),
    })
}

pub(super) fn slots(run: &RunView) -> Option<String> {
    let state: &LookupState = run.state()?;
    Some(match state.memory() {
        Some((memory, passed)) => tr!(
            "The memory has read {passed} of {length} positions. Each of the {slots} slots keeps the token that was written to it.",
            passed = passed.min(state.prompts.length),
            length = state.prompts.length,
            slots = memory.slots
        ),
        None => tr!("The network has not been evaluated yet.").into(),
    })
}
