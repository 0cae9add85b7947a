//! What is said of runs of circuits as networks, and of their charts.

use super::state::CircuitState;
use super::sweeps::{curves, is_toy, over};
use vivarium_core::settings::real;
use vivarium_model::run::Success;
use vivarium_plot::analysis::curves::spread;
use vivarium_plot::analysis::ends;
use vivarium_plot::analysis::replicas::Of;
use vivarium_science::circuits::{
    CircuitMetric, Rounding, first_order_margin, is_correct, rounded_toy_margin,
};
use vivarium_view::display::RunView;
use vivarium_view::display::words::{percent, thousands};

/// A number with three digits, or 0.
fn significant(value: f64) -> String {
    if value == 0.0 { "0".into() } else { vivarium_view::display::words::significant(value) }
}

/// What the four numbers of a measurement are called.
pub(super) fn names() -> [String; 4] {
    [
        tr!("Squared error of the gates"),
        tr!("Squared error of the output"),
        tr!("Share of correct gates"),
        tr!("Share of correct answers"),
    ]
    .map(String::from)
}

/// The least norm found, and the lower bounds where rounding is fixed.
pub(super) fn numbers(run: &RunView) -> [(String, String); 2] {
    [
        (tr!("Smallest perturbation found").into(), significant(measured(run, CircuitMetric::LeastNorm))),
        (
            tr!("Lower bound with rounding fixed (proof of D.6; formula of D.6)").into(),
            format!(
                "{}; {}",
                significant(measured(run, CircuitMetric::ProofBound)),
                significant(measured(run, CircuitMetric::FormulaBound))
            ),
        ),
    ]
}

/// The newest median of a further measure.
fn measured(run: &RunView, of: CircuitMetric) -> f64 {
    run.history.last().map_or(f64::NAN, |row| f64::from(spread(Of::Measure(of as usize).values(row)).0))
}

/// The newest median of a share.
fn share(run: &RunView, of: Of) -> f32 {
    run.history.last().map_or(f32::NAN, |row| spread(of.values(row)).0)
}

/// How far the search has come, for the status line.
pub(super) fn learning(run: &RunView) -> Option<String> {
    let least = measured(run, CircuitMetric::LeastNorm);
    least
        .is_finite()
        .then(|| tr!("the smallest perturbation found so far has norm {least}", least = significant(least)))
}

/// What has been found by these networks at these steps.
pub fn found(run: &RunView, networks: &str, at: &str) -> String {
    let settings = &run.spec().run;
    if settings.success == Success::Loss {
        let limit = real(settings.limit);
        return tr!(
            "The squared error of the output is at most {limit} in {networks}, {at}.",
            limit,
            networks,
            at
        );
    }
    let share = percent(settings.target as f32);
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

/// "inputs", "3".
pub(super) fn layer_name(_state: &CircuitState, layer: usize) -> String {
    if layer == 0 { tr!("inputs").into() } else { layer.to_string() }
}

/// "1011".
pub(super) fn written(bits: &[bool]) -> String {
    bits.iter().map(|bit| if *bit { '1' } else { '0' }).collect()
}

pub(super) fn norms(run: &RunView) -> String {
    let [least, noise, bound, formula, held, exact] = [
        CircuitMetric::LeastNorm,
        CircuitMetric::NoiseNorm,
        CircuitMetric::TheoremBound,
        CircuitMetric::FormulaBound,
        CircuitMetric::ProofBound,
        CircuitMetric::ExactMargin,
    ]
    .map(|of| measured(run, of));
    let mut said = tr!(
        "After {step} steps of the search, the smallest perturbation found that changes the answer has norm {least}.",
        step = thousands(run.step),
        least = significant(least)
    );
    let mut add = |more: String| said = format!("{said} {more}");
    if noise.is_finite() {
        add(tr!(
            "The smallest random noise found that changes the answer has norm {noise}.",
            noise = significant(noise)
        ));
    }
    if exact.is_finite() {
        add(tr!("The exact margin is {exact}.", exact = significant(exact)));
    }
    if held.is_finite() {
        add(tr!(
            "Suppose that the parameters of rounding stay fixed. Then no perturbation with a norm below {held} can change the answer. The proof of theorem D.6 gives this bound, because its error E₁ is 0 here; the formula of the theorem with κ_ξ = 0 gives {formula}. If the parameters of rounding may also change, no perturbation with a norm below {bound} can change the answer, by theorem D.6.",
            held = significant(held),
            formula = significant(formula),
            bound = significant(bound)
        ));
    } else if run.history.last().is_some() {
        add(tr!("Without rounding, theorem D.6 gives no bound.").into());
    }
    said
}

/// What is said of a sweep over the depth.
pub(super) fn by_depth(run: &RunView) -> String {
    let curves = curves(run, CircuitMetric::LeastNorm);
    if curves.iter().all(|(_, points)| points.is_empty()) {
        return tr!("No run of the sweep has ended yet.").into();
    }
    let symbol = if over(run) == Some("n") { "n" } else { "d" };
    let one = |(name, points): &ends::Curve| {
        let known = points.iter().filter_map(|(x, values)| {
            let [_, middle, _] = ends::quartiles(values)?;
            Some(tr!(
                "{norm} at {symbol} = {value}",
                norm = significant(f64::from(middle)),
                symbol,
                value = real(*x)
            ))
        });
        let said = known.collect::<Vec<_>>().join(", ");
        if curves.len() > 1 { format!("{name}: {said}") } else { said }
    };
    let all = curves.iter().map(one).collect::<Vec<_>>().join("; ");
    let said = tr!("Norm of the smallest perturbation found, at the end of each run: {all}.", all);
    // The constants from some depth on.
    let (Ok(exact), Ok(first)) = (rounded_toy_margin(14), first_order_margin(14)) else { return said };
    match is_toy(run) {
        true => tr!(
            "{said} With rounding the exact margin is {exact} for every depth d of at least 4. A first-order approximation gives {first}; it assumes that the boundary between weights with the right answer and weights with the wrong answer is flat.",
            said,
            exact = format!("{exact:.4}"),
            first = format!("{first:.4}")
        ),
        false => said,
    }
}

pub(super) fn values(run: &RunView) -> Option<String> {
    let state: &CircuitState = run.state()?;
    let (counts, held) = (state.network.count_free_parameters(), state.network.count_fixed_parameters());
    let norm = |l1: f64| thousands(l1.round() as u64);
    Some(tr!(
        "The circuit has {depth} layers with {size} gates and inputs, at most {width} in a layer. Its network has {layers} linear layers with {parameters} parameters that a perturbation may change; {nonzeros} of them are not 0, and their part of ‖θ‖₁ is {norm}. In addition, {held} parameters stay fixed, mainly those of rounding if there is any; their part of ‖θ‖₁ is {held_norm}. For the input {input} the circuit gives {answer}, and {share} of the network's gates agree with the circuit.",
        depth = state.layered.depth(),
        size = thousands(state.layered.size() as u64),
        width = state.layered.width(),
        layers = state.network.layers().len(),
        parameters = thousands(counts.parameters),
        nonzeros = thousands(counts.nonzeros),
        norm = norm(counts.l1),
        held = thousands(held.parameters),
        held_norm = norm(held.l1),
        input = written(&state.bits),
        answer = u8::from(state.circuit.evaluate(&state.bits).ok()?),
        share = percent(share(run, Of::TrainAccuracy))
    ))
}

pub(super) fn strays(run: &RunView) -> Option<String> {
    let state: &CircuitState = run.state()?;
    let deviations = state.deviations();
    let largest = |which: usize| deviations.iter().fold(0.0, |most: f64, both| most.max(both[which]));
    let sigma = real(state.net.sigma);
    Some(match (state.net.sigma > 0.0, state.net.rounding()) {
        (false, _) => tr!("Without noise all gate values are 0 or 1. Set the noise σ above 0 to see how errors grow from layer to layer.").into(),
        (true, Rounding::Off) => tr!(
            "With noise of standard deviation {sigma} on all weights, the largest distance between a gate value and the nearer of 0 and 1 is {largest}.",
            sigma,
            largest = significant(largest(0))
        ),
        (true, Rounding::On) => tr!(
            "With noise of standard deviation {sigma} on all weights, the largest distance between a gate value and the nearer of 0 and 1 is {before} before rounding and {after} after rounding.",
            sigma,
            before = significant(largest(0)),
            after = significant(largest(1))
        ),
    })
}

pub(super) fn places(run: &RunView) -> Option<String> {
    let state: &CircuitState = run.state()?;
    if state.delta.is_empty() {
        return Some(tr!("No step of the search has been made yet.").into());
    }
    let parts = state.parts();
    let whole = parts.iter().map(|part| part * part).sum::<f64>();
    let (at, most) = parts.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1))?;
    let place = match at + 1 < parts.len() {
        true => tr!("layer {number}", number = at + 1),
        false => tr!("the output").into(),
    };
    Some(tr!(
        "The smallest perturbation found has norm {norm}. Its largest part is in {place}: this part contributes {share} of the squared norm.",
        norm = significant(whole.sqrt()),
        place,
        share = percent((most * most / whole.max(f64::MIN_POSITIVE)) as f32)
    ))
}

pub(super) fn table(run: &RunView) -> Option<String> {
    let state: &CircuitState = run.state()?;
    let rows = state.table();
    let right = rows.iter().filter(|row| is_correct(row.output, row.truth)).count();
    Some(tr!(
        "Number of inputs shown: {count}. The network and the circuit give the same answer for {right} of these inputs.",
        count = rows.len(),
        right
    ))
}
