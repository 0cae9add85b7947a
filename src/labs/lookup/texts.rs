//! Sentences about runs on prompts and of their charts.

use super::probes::{HEADS, POSITIONS};
use super::state::LookupState;
use super::sweeps::{collect_sequences, format_fits};
use super::theory::{lower_bound, max_code_product, prompt_task, read_count};
use super::weights::scores::EntryMagnitudes;
use super::weights::span::OUTSIDE;
use vivarium_core::settings::format_real;
use vivarium_model::run::SuccessCriterion;
use vivarium_plot::analysis::curves::median_range;
use vivarium_plot::analysis::replicas::ReplicaMeasure;
use vivarium_view::display::RunView;
use vivarium_view::display::charts::final_error_curves;
use vivarium_view::display::words::{
    MISSING, format_decimal, format_percent, format_significant, format_thousands, join_list, setting_symbol,
};

/// Names of the four metrics that each measurement of the run reports: relative error on training and held-out prompts,
/// R² on both.
pub(super) fn metric_names() -> [String; 4] {
    [
        tr!("Relative error, training"),
        tr!("Relative error, held-out"),
        tr!("R², training"),
        tr!("R², held-out"),
    ]
    .map(String::from)
}

/// Two readouts (label, value): training sequences seen, and the theoretical lower bound on the error, or the number of
/// positions if no bound is known.
pub(super) fn readouts(run: &RunView) -> [(String, String); 2] {
    let spec = run.spec();
    let seen = format_thousands(run.step.saturating_mul(spec.batch_size() as u64));
    let floor = read_count(spec, "h").and_then(|heads| lower_bound(spec, heads));
    let second = match floor {
        Some(floor) => (tr!("Theoretical lower bound").into(), format_decimal(floor as f32)),
        None => (
            tr!("Positions N").into(),
            prompt_task(spec).map_or(MISSING.into(), |task| format_thousands(task.length as u64)),
        ),
    };
    [(tr!("Sequences seen").into(), seen), second]
}

/// Median over networks of the latest relative error on held-out prompts, with the theoretical lower bound if it is
/// known and positive, as a sentence for the status line; `None` before the first measurement.
pub(super) fn describe_progress(run: &RunView) -> Option<String> {
    let error = run.history.latest_median(ReplicaMeasure::TestLoss);
    let spec = run.spec();
    if !error.is_finite() {
        return None;
    }
    let heads = read_count(spec, "h");
    let floor = heads.and_then(|heads| lower_bound(spec, heads)).filter(|floor| *floor > 0.0);
    Some(match floor {
        Some(floor) => tr!(
            "the relative error is {error}; the theoretical lower bound with {heads} is {floor}",
            error = format_decimal(error),
            heads = format_head_count(heads.unwrap_or(1)),
            floor = format_decimal(floor as f32)
        ),
        None => tr!(
            "the relative error is {error}; 1 is the error of predicting the mean",
            error = format_decimal(error)
        ),
    })
}

/// Number of heads as text: "1 head", "3 heads".
fn format_head_count(heads: usize) -> String {
    match heads {
        1 => tr!("1 head").into(),
        _ => tr!("{heads} heads", heads),
    }
}

/// Sentence that the run has reached its target error; `networks` and `at` are phrases that say by how many networks
/// and at which steps.
pub(super) fn describe_success(run: &RunView, networks: &str, at: &str) -> String {
    let settings = &run.spec().run;
    if settings.success == SuccessCriterion::Loss {
        let limit = format_real(settings.limit);
        return match settings.replicas {
            1 => tr!("The relative error is at most {limit} {at}.", limit, at),
            _ => tr!("The relative error is at most {limit} in {networks}, {at}.", limit, networks, at),
        };
    }
    let share = format_percent(settings.target as f32);
    match settings.replicas {
        1 => tr!("At least {share} of the variance is explained {at}.", share, at),
        _ => tr!("At least {share} of the variance is explained by {networks}, {at}.", share, networks, at),
    }
}

/// Summary of the error chart: training and held-out error, and the theoretical lower bound.
pub(super) fn describe_error(run: &RunView) -> String {
    let (spec, step) = (run.spec(), format_thousands(run.step));
    let (train, test) = (
        run.history.latest_median(ReplicaMeasure::TrainLoss),
        run.history.latest_median(ReplicaMeasure::TestLoss),
    );
    let said = tr!(
        "Squared error relative to the variance of the labels after {step} steps: {train} on training prompts, {test} on held-out prompts.",
        step,
        train = format_decimal(train),
        test = format_decimal(test)
    );
    // A lower bound of 0 contains no information.
    let known = read_count(spec, "h").and_then(|heads| Some((heads, lower_bound(spec, heads)?)));
    match known.filter(|(_, floor)| *floor > 0.0) {
        Some((heads, floor)) => tr!(
            "{said} The theoretical lower bound with {heads} is {floor}.",
            said,
            floor = format_decimal(floor as f32),
            heads = format_head_count(heads)
        ),
        None => said,
    }
}

/// Summary of the chart of final error against the number of heads.
pub(super) fn describe_error_by_heads(run: &RunView) -> String {
    let spec = &run.link.spec;
    let one = |(name, points): &(String, Vec<(f64, Vec<f32>)>)| {
        let parts = points.iter().map(|(heads, errors)| {
            let mut cell = spec.clone();
            // The value was checked when the link was decoded.
            let _ = cell.parse("h", &heads.to_string());
            let floor = lower_bound(&cell, *heads as usize)
                .map_or(MISSING.into(), |floor| format_decimal(floor as f32));
            tr!(
                "{error} with {heads} (lower bound {floor})",
                error = format_decimal(median_range(errors).0),
                heads = format_head_count(*heads as usize),
                floor
            )
        });
        tr!("{name}: {parts}", name, parts = parts.collect::<Vec<_>>().join(", "))
    };
    let curves = final_error_curves(run);
    match curves.iter().all(|(_, points)| points.is_empty()) {
        true => tr!("No run of the sweep has ended yet.").into(),
        false => curves.iter().map(one).collect::<Vec<_>>().join("; ") + ".",
    }
}

/// Summary of the chart of the training sequences seen until the target is reached, with the fitted formulas of each
/// curve.
pub(super) fn describe_sequences_to_target(run: &RunView) -> String {
    let spec = &run.link.spec;
    let symbol = setting_symbol(spec, &spec.run.sweep.key);
    let one = |(name, points): (String, Vec<vivarium_plot::analysis::scaling::ScalingPoint>)| {
        let known = points.iter().map(|point| {
            let seen =
                point.median_time().map_or(tr!("not reached").into(), |seen| format_thousands(seen as u64));
            tr!("{seen} at {symbol} = {value}", seen, symbol, value = format_real(point.x))
        });
        let said = tr!("{name}: {known}", name, known = known.collect::<Vec<_>>().join(", "));
        match format_fits(&points, &symbol) {
            Some([logarithm, power]) => {
                tr!("{said}; fitted curves: {logarithm} and {power}", said, logarithm, power)
            }
            None => said,
        }
    };
    let curves = collect_sequences(run);
    match curves.iter().all(|(_, points)| points.is_empty()) {
        true => tr!("No run of the sweep has ended yet.").into(),
        false => {
            let said = curves.into_iter().map(one).collect::<Vec<_>>().join(". ");
            tr!("Number of sequences seen until the target is reached: {said}.", said)
        }
    }
}

/// Largest allowed inner product of the codes of two positions (assumption 3 of Mousavi-Hosseini et al. 2025): 1/2 with
/// a margin for single-precision rounding.
const MAX_CODE_PRODUCT: f64 = 0.5 + 1e-6;

/// Summary of the chart of the retrieval error against the sharpness α of attention scores set by hand; `None` if the
/// run is not on sparse token regression.
pub(super) fn describe_sharpness(run: &RunView) -> Option<String> {
    let square = f64::from(prompt_task(run.spec())?.prompt_spec().code_scale()).powi(2);
    let text = tr!(
        "The bound is N exp(−αs²/2); the factor s of the codes has the square {square} in this run. According to the bound, the logarithm of the retrieval error falls by {slope} when α increases by 1.",
        square = format_significant(square),
        slope = format_significant(square / 2.0)
    );
    let codes = max_code_product(run.spec()).map(|product| {
        let (closest, own) = (format_decimal(product as f32), format_decimal((square * (1.0 - product)) as f32));
        match product <= MAX_CODE_PRODUCT {
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
    let all = [Some(text), codes, run.lab_state().and_then(describe_hand_set_attention)];
    Some(all.into_iter().flatten().collect::<Vec<_>>().join(" "))
}

/// Sentence on the smallest attention weight that a head gives to its named token at the start of a run whose attention
/// is set by hand; `None` for other runs.
pub(super) fn describe_hand_set_attention(state: &LookupState) -> Option<String> {
    let (alpha, share) = state.hand_set_attention?;
    // Rounded down, so that 100 % is never shown for less.
    let hundredths = ((share * 1e4).floor() as u64).min(9_999);
    Some(tr!(
        "At the start of the run the attention is set by hand, with sharpness α = {alpha}. The head of a name then gives the named token at least {share} of its attention, whichever position is named.",
        alpha = format_significant(alpha),
        share = format!("{}.{:02} %", hundredths / 100, hundredths % 100)
    ))
}

/// Summary of the chart of relative error against the number of training prompts, with the lower bound from their span.
pub(super) fn describe_span(run: &RunView) -> Option<String> {
    let task = prompt_task(run.spec())?;
    let size = task.length * task.dim;
    let oracle = tr!(
        "A predictor that uses only the linear span of the vectors of n training prompts leaves on average 1 − n/{size} of the variance unexplained.",
        size
    );
    let sample = run.spec().task.examples().training_set_size();
    let error = run.history.latest_median(ReplicaMeasure::TestLoss);
    let said = match sample.filter(|_| error.is_finite()) {
        Some(n) => tr!(
            "{oracle} The network trained on {n} prompts leaves {error} of the variance unexplained.",
            oracle,
            n,
            error = format_decimal(error)
        ),
        None => oracle,
    };
    let outside = run.latest_finding(&OUTSIDE).and_then(|found| found.few.first().copied());
    Some(match outside.filter(|share| share.is_finite()) {
        Some(share) => tr!(
            "{said} Outside this span is {share} of ‖W‖², where W holds the first network's weights from the tokens to the first hidden layer; theorem 6 is about networks with 0.",
            said,
            share = format_percent(share as f32)
        ),
        None => said,
    })
}

/// Positions that `position` (from 0) names, as a list of numbers from 1.
fn format_names(state: &LookupState, position: usize) -> String {
    join_list(&state.names_at(position).iter().map(|name| (name + 1).to_string()).collect::<Vec<_>>())
}

/// Summary of the attention chart: the position with the largest weight for each head.
pub(super) fn describe_attention(run: &RunView) -> Option<String> {
    let state: &LookupState = run.lab_state()?;
    let (place, attention) = (state.shown_position(&run.link.view), &state.inspected.attention);
    if attention.is_empty() {
        return Some(tr!("The network has not been evaluated yet.").into());
    }
    let max_value = |shares: &[f64]| {
        let best = shares.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        best.map_or((0, 0.0), |(at, share)| (at + 1, *share))
    };
    let one = |(head, shares): (usize, &Vec<f64>)| {
        let (at, share) = max_value(shares);
        tr!(
            "head {head} has its largest attention weight at position {at} ({share})",
            head = head + 1,
            at,
            share = format_percent(share as f32)
        )
    };
    let heads: Vec<String> = attention.iter().enumerate().map(one).collect();
    Some(tr!(
        "Names at position {place}: {names}; {heads}.",
        place = place + 1,
        names = format_names(state, place),
        heads = join_list(&heads)
    ))
}

/// Summary of the heat map of the heads' query-key matrices |W_QK|: the largest entry inside and the largest outside
/// the blocks that are nonzero in equation A.2 of Mousavi-Hosseini et al. 2025.
pub(super) fn describe_matrix(run: &RunView) -> Option<String> {
    let state: &LookupState = run.lab_state()?;
    let Some(scores) = state.scores() else {
        return Some(tr!("The network has not been evaluated yet.").into());
    };
    let EntryMagnitudes { inside, outside, .. } = scores.compute_magnitudes(&state.prompts);
    Some(tr!(
        "The matrix |W_QK| has {size} rows and {size} columns. The largest entry is {inside} in the outlined blocks, which compare the code of a name with the code of a position, and {outside} elsewhere.",
        size = scores.size,
        inside = format_decimal(inside as f32),
        outside = format_decimal(outside as f32)
    ))
}

/// Summary of the chart of attention on named tokens: the latest mean attention under the best one-to-one assignment of
/// heads to names.
pub(super) fn describe_answered_names(run: &RunView) -> Option<String> {
    let found = run.latest_finding(&HEADS).and_then(|found| found.few.first().copied());
    Some(match found {
        Some(share) => tr!(
            "If each name is assigned to a separate head in the best way, {share} of the attention is on the named tokens; a name without a head counts as 0. The error can be small even if this share is low: if two heads attend to the same two named tokens with different weights, the outputs of these heads determine both tokens.",
            share = format_percent(share as f32)
        ),
        None => tr!("The network has not been evaluated yet.").into(),
    })
}

/// Summary of the chart of the relative error on held-out prompts at each position: the smallest and the largest of
/// these errors.
pub(super) fn describe_error_by_position(run: &RunView) -> Option<String> {
    let errors = run.latest_finding(&POSITIONS).map_or(&[][..], |found| &found.numbers);
    let min_value = errors.iter().copied().fold(f32::INFINITY, f32::min);
    let max_value = errors.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    Some(match errors.is_empty() {
        true => tr!("The errors have not been measured yet.").into(),
        false => tr!(
            "The smallest relative error of a position is {least}, and the largest is {most}.",
            least = format_decimal(min_value),
            most = format_decimal(max_value)
        ),
    })
}

/// Summary of the heat map of the slot contents of the gated-memory network for the inspected prompt: numbers of
/// positions read and of slots.
pub(super) fn describe_memory_slots(run: &RunView) -> Option<String> {
    let state: &LookupState = run.lab_state()?;
    Some(match state.read_memory() {
        Some((memory, passed)) => tr!(
            "The memory has read {passed} of {length} positions. Each of the {slots} slots keeps the token that was written to it.",
            passed = passed.min(state.prompts.length),
            length = state.prompts.length,
            slots = memory.slots
        ),
        None => tr!("The network has not been evaluated yet.").into(),
    })
}
