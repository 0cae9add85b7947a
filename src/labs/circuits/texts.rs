//! Texts on runs of circuits as networks, and summaries of their charts.

use super::state::CircuitState;
use super::sweeps::{final_metric_curves, is_weight_product, swept_key};
use vivarium_core::settings::format_real;
use vivarium_model::run::SuccessCriterion;
use vivarium_plot::analysis::ends;
use vivarium_plot::analysis::replicas::ReplicaMeasure;
use vivarium_science::circuits::{
    CircuitMetric, Rounding, first_order_margin, is_correct, rounded_toy_margin,
};
use vivarium_view::display::RunView;
use vivarium_view::display::words::{format_percent, format_thousands};

/// A norm or a bound as text with three significant digits, or "0".
fn format_significant(value: f64) -> String {
    if value == 0.0 { "0".into() } else { vivarium_view::display::words::format_significant(value) }
}

/// Names, for runs on circuits, of the four numbers of a measurement: train loss, test loss, train accuracy, test
/// accuracy.
pub(super) fn metric_names() -> [String; 4] {
    [
        tr!("Squared error of the gates"),
        tr!("Squared error of the output"),
        tr!("Share of correct gates"),
        tr!("Share of correct answers"),
    ]
    .map(String::from)
}

/// Two readouts beside the run, each (name, value), medians over replicas: the smallest norm found of a perturbation
/// that changes the network's answer, and the two lower bounds on this norm for fixed parameters of rounding, by the
/// proof and by the formula of theorem D.6 of Wei, Chen and Ma 2022.
pub(super) fn readouts(run: &RunView) -> [(String, String); 2] {
    [
        (
            tr!("Smallest perturbation found").into(),
            format_significant(latest_median(run, CircuitMetric::LeastNorm)),
        ),
        (
            tr!("Lower bound with rounding fixed (proof of D.6; formula of D.6)").into(),
            format!(
                "{}; {}",
                format_significant(latest_median(run, CircuitMetric::ProofBound)),
                format_significant(latest_median(run, CircuitMetric::FormulaBound))
            ),
        ),
    ]
}

/// The median over replicas of a circuit metric at the latest measured step; NaN before the first measurement.
fn latest_median(run: &RunView, metric: CircuitMetric) -> f64 {
    f64::from(run.history.latest_median(ReplicaMeasure::TaskMeasure(metric as usize)))
}

/// The median over replicas of an accuracy, from 0 to 1, at the latest measured step; NaN before the first measurement.
fn latest_share(run: &RunView, measure: ReplicaMeasure) -> f32 {
    run.history.latest_median(measure)
}

/// The status line's text: the smallest norm found so far of a perturbation that changes the network's answer; none
/// before such a perturbation is found.
pub(super) fn describe_progress(run: &RunView) -> Option<String> {
    let least = latest_median(run, CircuitMetric::LeastNorm);
    least.is_finite().then(|| {
        tr!("the smallest perturbation found so far has norm {least}", least = format_significant(least))
    })
}

/// The sentence that says that the run has reached its target; `networks` is a phrase such as "9 of 10 networks", `at`
/// one such as "at step 200".
pub fn describe_result(run: &RunView, networks: &str, at: &str) -> String {
    let settings = &run.spec().run;
    if settings.success == SuccessCriterion::Loss {
        let limit = format_real(settings.limit);
        return tr!(
            "The squared error of the output is at most {limit} in {networks}, {at}.",
            limit,
            networks,
            at
        );
    }
    let share = format_percent(settings.target as f32);
    match settings.replicas {
        1 if settings.target >= 1.0 => tr!("The answer is right for all tested inputs {at}.", at),
        _ if settings.target >= 1.0 => {
            tr!("The answer is right for all tested inputs in {networks}, {at}.", networks, at)
        }
        1 => tr!("The answer is right for at least {share} of the inputs {at}.", share, at),
        _ => tr!(
            "The answer is right for at least {share} of the inputs in {networks}, {at}.",
            share,
            networks,
            at
        ),
    }
}

/// The name of a layer of gates as a row of the heat map: "inputs" for layer 0, otherwise the layer's number.
pub(super) fn layer_name(_state: &CircuitState, layer: usize) -> String {
    if layer == 0 { tr!("inputs").into() } else { layer.to_string() }
}

/// Input bits as text without separators, in the order of the inputs: "1011".
pub(super) fn format_bits(bits: &[bool]) -> String {
    bits.iter().map(|bit| if *bit { '1' } else { '0' }).collect()
}

/// Summary of the chart of perturbation norms: the smallest norms of a perturbation and of random noise that change the
/// network's answer, the exact margin if known, and the lower bounds by theorem D.6 of Wei, Chen and Ma 2022.
pub(super) fn describe_norms(run: &RunView) -> String {
    let [least, noise, bound, formula, held, exact] = [
        CircuitMetric::LeastNorm,
        CircuitMetric::NoiseNorm,
        CircuitMetric::TheoremBound,
        CircuitMetric::FormulaBound,
        CircuitMetric::ProofBound,
        CircuitMetric::ExactMargin,
    ]
    .map(|of| latest_median(run, of));
    let mut said = tr!(
        "After {step} steps of the search, the smallest perturbation found that changes the answer has norm {least}.",
        step = format_thousands(run.step),
        least = format_significant(least)
    );
    let mut add = |more: String| said = format!("{said} {more}");
    if noise.is_finite() {
        add(tr!(
            "The smallest random noise found that changes the answer has norm {noise}.",
            noise = format_significant(noise)
        ));
    }
    if exact.is_finite() {
        add(tr!("The exact margin is {exact}.", exact = format_significant(exact)));
    }
    if held.is_finite() {
        add(tr!(
            "Suppose that the parameters of rounding stay fixed. Then no perturbation with a norm below {held} can change the answer. The proof of theorem D.6 gives this bound, because its error E₁ is 0 here; the formula of the theorem with κ_ξ = 0 gives {formula}. If the parameters of rounding may also change, no perturbation with a norm below {bound} can change the answer, by theorem D.6.",
            held = format_significant(held),
            formula = format_significant(formula),
            bound = format_significant(bound)
        ));
    } else if run.history.latest().is_some() {
        add(tr!("Without rounding, theorem D.6 gives no bound.").into());
    }
    said
}

/// Summary of the chart of the smallest perturbation norms found in a sweep over depth or number of bits.
pub(super) fn describe_by_depth(run: &RunView) -> String {
    let curves = final_metric_curves(run, CircuitMetric::LeastNorm);
    if curves.iter().all(|(_, points)| points.is_empty()) {
        return tr!("No run of the sweep has ended yet.").into();
    }
    let symbol = if swept_key(run) == Some("n") { "n" } else { "d" };
    let one = |(name, points): &ends::SweepCurve| {
        let known = points.iter().filter_map(|(x, values)| {
            let [_, middle, _] = ends::quartiles(values)?;
            Some(tr!(
                "{norm} at {symbol} = {value}",
                norm = format_significant(f64::from(middle)),
                symbol,
                value = format_real(*x)
            ))
        });
        let said = known.collect::<Vec<_>>().join(", ");
        if curves.len() > 1 { format!("{name}: {said}") } else { said }
    };
    let all = curves.iter().map(one).collect::<Vec<_>>().join("; ");
    let said = tr!("Norm of the smallest perturbation found, at the end of each run: {all}.", all);
    // These margins are constant from depth 4 on; 14 is such a depth.
    let (Ok(exact), Ok(first)) = (rounded_toy_margin(14), first_order_margin(14)) else { return said };
    match is_weight_product(run) {
        true => tr!(
            "{said} With rounding the exact margin is {exact} for every depth d of at least 4. A first-order approximation gives {first}; it assumes that the boundary between weights with the right answer and weights with the wrong answer is flat.",
            said,
            exact = format!("{exact:.4}"),
            first = format!("{first:.4}")
        ),
        false => said,
    }
}

/// Summary of the heat map of gate values: sizes of circuit and network, and the share of gates whose values in network
/// and circuit agree (median over replicas). None if the run is not on a circuit.
pub(super) fn describe_gate_values(run: &RunView) -> Option<String> {
    let state: &CircuitState = run.lab_state()?;
    let (counts, held) = (state.network.count_free_parameters(), state.network.count_fixed_parameters());
    let norm = |l1: f64| format_thousands(l1.round() as u64);
    Some(tr!(
        "The circuit has {depth} layers with {size} gates and inputs, at most {width} in a layer. Its network has {layers} linear layers with {parameters} parameters that a perturbation may change; {nonzeros} of them are not 0, and their part of ‖θ‖₁ is {norm}. In addition, {held} parameters stay fixed, mainly those of rounding if there is any; their part of ‖θ‖₁ is {held_norm}. For the input {input} the circuit gives {answer}, and {share} of the network's gates agree with the circuit.",
        depth = state.layered.depth(),
        size = format_thousands(state.layered.size() as u64),
        width = state.layered.width(),
        layers = state.network.layers().len(),
        parameters = format_thousands(counts.parameters),
        nonzeros = format_thousands(counts.nonzeros),
        norm = norm(counts.l1),
        held = format_thousands(held.parameters),
        held_norm = norm(held.l1),
        input = format_bits(&state.input),
        answer = u8::from(state.circuit.evaluate(&state.input).ok()?),
        share = format_percent(latest_share(run, ReplicaMeasure::TrainAccuracy))
    ))
}

/// Title of the chart of the distances of the network's gate values from 0 and 1 in a run without noise, where all are
/// 0; none in a run with noise.
pub(super) fn deviations_title(run: &RunView) -> Option<String> {
    let state: &CircuitState = run.lab_state()?;
    let (sigma, run_sigma) = (state.deviation_sigma(), state.settings.sigma);
    let example = || {
        let sigma = format_significant(sigma);
        tr!("Deviation from 0 and 1 by layer, for example with noise σ = {sigma}", sigma)
    };
    match sigma > 0.0 {
        true => (run_sigma <= 0.0).then(example),
        false => Some(tr!("Deviation from 0 and 1 by layer: none, because the noise σ is 0").into()),
    }
}

/// Summary of the chart of the distances of the network's gate values from 0 and 1, by layer of gates.
pub(super) fn describe_deviations(run: &RunView) -> Option<String> {
    let state: &CircuitState = run.lab_state()?;
    let deviations = state.deviations();
    let largest = |which: usize| deviations.iter().fold(0.0, |most: f64, both| most.max(both[which]));
    let is_example = state.settings.sigma <= 0.0;
    let sigma = match is_example {
        true => format_significant(state.deviation_sigma()),
        false => format_real(state.settings.sigma),
    };
    let deviation = match (state.deviation_sigma() > 0.0, state.settings.rounding()) {
        (false, _) => return Some(tr!("Without noise all gate values are 0 or 1. Set the noise σ above 0 to see how errors grow from layer to layer.").into()),
        (true, Rounding::Off) => tr!(
            "With noise of standard deviation {sigma} on all weights, the largest distance between a gate value and the nearer of 0 and 1 is {largest}.",
            sigma,
            largest = format_significant(largest(0))
        ),
        (true, Rounding::On) => tr!(
            "With noise of standard deviation {sigma} on all weights, the largest distance between a gate value and the nearer of 0 and 1 is {before} before rounding and {after} after rounding.",
            sigma,
            before = format_significant(largest(0)),
            after = format_significant(largest(1))
        ),
    };
    Some(match is_example {
        true => tr!(
            "Without noise all gate values are 0 or 1; this run has none. The curves are an example. {deviation}",
            deviation
        ),
        false => deviation,
    })
}

/// Summary of the bars of the perturbation's norm by layer of gates: the norm of the whole perturbation, and the layer
/// with the largest part.
pub(super) fn describe_layer_norms(run: &RunView) -> Option<String> {
    let state: &CircuitState = run.lab_state()?;
    if state.delta.is_empty() {
        return Some(tr!("No step of the search has been made yet.").into());
    }
    let parts = state.layer_delta_norms();
    let whole = parts.iter().map(|part| part * part).sum::<f64>();
    let (at, most) = parts.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1))?;
    let place = match at + 1 < parts.len() {
        true => tr!("layer {number}", number = at + 1),
        false => tr!("the output").into(),
    };
    Some(tr!(
        "The smallest perturbation found has norm {norm}. Its largest part is in {place}: this part contributes {share} of the squared norm.",
        norm = format_significant(whole.sqrt()),
        place,
        share = format_percent((most * most / whole.max(f64::MIN_POSITIVE)) as f32)
    ))
}

/// Summary of the truth table: the number of inputs shown, and for how many of them network and circuit agree.
pub(super) fn describe_truth_table(run: &RunView) -> Option<String> {
    let state: &CircuitState = run.lab_state()?;
    let rows = state.truth_table();
    let right = rows.iter().filter(|row| is_correct(row.output, row.expected)).count();
    Some(tr!(
        "Number of inputs shown: {count}. The network and the circuit give the same answer for {right} of these inputs.",
        count = rows.len(),
        right
    ))
}
