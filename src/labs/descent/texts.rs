//! Texts on runs of a transformer that performs gradient descent, and summaries of their charts.

use super::state::DescentState;
use super::sweeps::{final_distance_curves, fit_exponent, format_exponent};
use vivarium_core::settings::format_real;
use vivarium_model::models::Family;
use vivarium_model::permalink::ViewSettings;
use vivarium_model::run::{RunSpec, SuccessCriterion};
use vivarium_model::tasks::TaskData;
use vivarium_plot::analysis::ends;
use vivarium_plot::analysis::replicas::ReplicaMeasure;
use vivarium_science::descent::{
    Activation, ComparisonMeasure, DescentNetwork, LayerKind, OutputActivation, TargetKind,
};
use vivarium_view::display::RunView;
use vivarium_view::display::words::{
    MISSING, format_decimal, format_percent, format_significant, format_thousands,
};

/// Names, for runs of gradient descent in tokens, of the four numbers of a measurement: train loss, test loss, train
/// accuracy, test accuracy.
pub(super) fn metric_names() -> [String; 4] {
    [
        tr!("Loss, weights in tokens"),
        tr!("Loss, direct gradient descent"),
        tr!("R², weights in tokens"),
        tr!("R², direct gradient descent"),
    ]
    .map(String::from)
}

/// Two readouts beside the run, each (name, value): the number of transformer layers executed so far, and the median
/// over replicas of the distance from the weights in the tokens to those of direct gradient descent.
pub(super) fn readouts(run: &RunView) -> [(String, String); 2] {
    let layers = run.spec().task.data().descent_prompts().and_then(|draw| {
        let Some(Family::Descent(net)) = run.spec().model.config().family() else { return None };
        Some(net.network(&draw).layer_count() as u64)
    });
    let executed = layers.map(|layers| run.step.saturating_mul(2 * layers + 4));
    [
        (tr!("Layers executed").into(), executed.map_or(MISSING.into(), format_thousands)),
        (
            tr!("Distance to direct gradient descent").into(),
            format_magnitude(latest_median(
                run,
                ReplicaMeasure::TaskMeasure(ComparisonMeasure::Distance as usize),
            )),
        ),
    ]
}

/// The median over replicas of `measure` at the latest measured step; NaN before the first measurement.
fn latest_median(run: &RunView, measure: ReplicaMeasure) -> f64 {
    f64::from(run.history.latest_median(measure))
}

/// The median over replicas of a comparison of descent in tokens with direct gradient descent, at the latest measured
/// step; NaN before the first measurement.
fn latest_measure(run: &RunView, measure: ComparisonMeasure) -> f64 {
    latest_median(run, ReplicaMeasure::TaskMeasure(measure as usize))
}

/// A number of any magnitude with few digits: "9.2e59", "4.13e−4", "0".
pub(super) fn format_magnitude(value: f64) -> String {
    if value == 0.0 {
        "0".into()
    } else if value.abs() >= 1e6 && value.is_finite() {
        format!("{value:.1e}")
    } else {
        format_significant(value)
    }
}

/// The status line's text: the losses with the weights in the tokens and with direct gradient descent, and the distance
/// between these weights; none before the first measurement.
pub(super) fn describe_progress(run: &RunView) -> Option<String> {
    let [tokens, direct] =
        [ReplicaMeasure::TrainLoss, ReplicaMeasure::TestLoss].map(|of| latest_median(run, of));
    (tokens.is_finite() && direct.is_finite()).then(|| {
        tr!(
            "the loss is {tokens} with the weights in the tokens and {direct} with direct gradient descent; the distance between the weights is {distance}",
            tokens = format_decimal(tokens as f32),
            direct = format_decimal(direct as f32),
            distance = format_magnitude(latest_measure(run, ComparisonMeasure::Distance))
        )
    })
}

/// The sentence that says that the run has reached its target; `networks` is a phrase such as "9 of 10 networks", `at`
/// one such as "at step 100".
pub(super) fn describe_result(run: &RunView, networks: &str, at: &str) -> String {
    let settings = &run.spec().run;
    if settings.success == SuccessCriterion::Loss {
        let limit = format_real(settings.limit);
        return match settings.replicas {
            1 => tr!("The loss is at most {limit} {at}.", limit, at),
            _ => tr!("The loss is at most {limit} in {networks}, {at}.", limit, networks, at),
        };
    }
    let share = format_percent(settings.target as f32);
    match settings.replicas {
        1 => tr!("At least {share} of the variance is explained {at}.", share, at),
        _ => tr!("At least {share} of the variance is explained by {networks}, {at}.", share, networks, at),
    }
}

/// Reasons why the weights never change with these settings, one sentence each; empty otherwise.
pub(super) fn learning_obstacles(spec: &RunSpec) -> Vec<String> {
    let (TaskData::Fit(draw), Some(Family::Descent(net))) = (spec.task.data(), spec.model.config().family())
    else {
        return vec![];
    };
    let network = net.network(&draw);
    if net.scale == 0.0 && has_zero_gradient(&network) {
        return vec![
            tr!("All initial weights are 0. The network has no biases, so every output and every gradient is 0 and no weight ever changes.")
                .into(),
        ];
    }
    let may_be_dead =
        network.output_activation == OutputActivation::Activated && network.activation == Activation::Relu;
    if !may_be_dead || !spec.invalid_settings().is_empty() {
        return vec![];
    }
    let (examples, w) = (draw.draw_examples(spec.run.seed, 0), net.start(&draw, spec.run.seed, 0));
    let is_dead = (0..examples.len()).all(|i| network.compute_output(&w, examples.input(i)) == [0.0]);
    match is_dead {
        true => vec![
            tr!("The output unit is a ReLU. With the initial weights of the first network of this run, the output is 0 for every example. So the weights of the first network never change.")
                .into(),
        ],
        false => vec![],
    }
}

/// Whether the gradient of the loss of `network` is 0 when all its weights are 0, so that descent from there changes
/// nothing.
fn has_zero_gradient(network: &DescentNetwork) -> bool {
    let is_dead =
        network.output_activation == OutputActivation::Activated && network.activation == Activation::Relu;
    is_dead || (network.layer_count() > 1 && network.activation != Activation::Sigmoid)
}

/// Summary of the chart of losses: the latest loss with the weights in the tokens, with those of direct gradient
/// descent, and with those in single precision.
pub(super) fn describe_losses(run: &RunView) -> String {
    tr!(
        "Loss after {step} steps: {tokens} with the weights in the tokens, {direct} with direct gradient descent, {single} with direct gradient descent in single precision.",
        step = format_thousands(run.step),
        tokens = format_magnitude(latest_median(run, ReplicaMeasure::TrainLoss)),
        direct = format_magnitude(latest_median(run, ReplicaMeasure::TestLoss)),
        single = format_magnitude(latest_measure(run, ComparisonMeasure::SingleLoss))
    )
}

/// Summary of the chart of distances from direct gradient descent: latest distances and upper bounds, and the number of
/// wrong ReLU derivatives in the last step.
pub(super) fn describe_distances(run: &RunView) -> String {
    let said = tr!(
        "After {step} steps the distance between the weights in the tokens and the weights of direct gradient descent is {distance}. The bound of corollary 1.1 on this distance is {corollary}; the bound computed step by step is {recursion}. The distance between the weights of direct gradient descent and the initial weights is {moved}. The distance between the weights of direct gradient descent in single precision and in double precision is {single}.",
        step = format_thousands(run.step),
        distance = format_magnitude(latest_measure(run, ComparisonMeasure::Distance)),
        moved = format_magnitude(latest_measure(run, ComparisonMeasure::Moved)),
        single = format_magnitude(latest_measure(run, ComparisonMeasure::SingleDistance)),
        corollary = format_magnitude(latest_measure(run, ComparisonMeasure::Corollary)),
        recursion = format_magnitude(latest_measure(run, ComparisonMeasure::Recursion))
    );
    match latest_measure(run, ComparisonMeasure::WrongDerivatives) {
        wrong if wrong >= 1.0 => {
            tr!(
                "{said} In the last step, the slope of a ReLU was wrong for {wrong} pairs of an example and a ReLU.",
                said,
                wrong = format_thousands(wrong as u64)
            )
        }
        _ => said,
    }
}

/// The title of the heat map of tokens, with layer and step: "Tokens after layer 4 of 10 in step 13: …".
pub(super) fn tokens_title(state: &DescentState) -> String {
    let (trace, of) = (&state.trace, state.transformer.layers().len());
    match trace.phase(&state.transformer) {
        Some(phase) => tr!(
            "Tokens after layer {layer} of {of} in step {step}: {name}",
            layer = trace.layer,
            of,
            step = format_thousands(trace.step + 1),
            name = phase.name()
        ),
        None => tr!("Tokens after step {step}", step = format_thousands(trace.step)),
    }
}

/// Summary of the heat map of tokens: numbers of tokens and coordinates, and the function of the layer shown in words
/// and as a formula.
pub(super) fn describe_tokens(run: &RunView) -> Option<String> {
    let state: &DescentState = run.lab_state()?;
    let sizes = state.plan.compute_sizes(state.examples.len());
    let said = tr!(
        "There are {tokens} tokens with {token} numbers each; {weights} of the numbers in each token are weights.",
        tokens = format_thousands(sizes.token_count),
        token = format_thousands(sizes.token_dim),
        weights = format_thousands(sizes.weights)
    );
    let Some(layer) = state.trace.shown_layer(&state.transformer) else {
        return Some(tr!("{said} After a complete step, the blocks p, r′, g and s are 0.", said));
    };
    let (phase, kind) = (layer.phase, layer.kind());
    Some(tr!(
        "{said} {about} {kind}: {general}. In this layer: {formula}.",
        said,
        about = phase.description(),
        kind = kind.name(),
        general = kind.formula(),
        formula = phase.formula(state.plan.network.layer_count())
    ))
}

/// The title of the attention map, with the phase of the transformer layer shown: "Forward 2, head 3 of 8"; none if the
/// layer has no heads.
pub(super) fn attention_title(state: &DescentState, view: &ViewSettings) -> Option<String> {
    let layer = state.trace.shown_layer(&state.transformer).filter(|layer| layer.head_count() > 0)?;
    Some(tr!(
        "{name}, head {head} of {heads}",
        name = layer.phase.name(),
        head = state.shown_head(view) + 1,
        heads = format_thousands(layer.head_count() as u64)
    ))
}

/// Summary of the attention map: the kind of the transformer layer shown, and the token coordinates that the selected
/// head writes.
pub(super) fn describe_attention(run: &RunView) -> Option<String> {
    let state: &DescentState = run.lab_state()?;
    let Some(layer) = state.trace.shown_layer(&state.transformer) else {
        return Some(
            tr!("No layer is chosen, so no attention is shown. Choose a layer to see its attention.").into(),
        );
    };
    let head = state.shown_head(&run.link.view);
    let written = layer.written_coordinates(head).and_then(|range| {
        let [first, last] =
            [range.start, range.end.checked_sub(1)?].map(|at| state.layout().coordinate_name(at));
        Some(if first == last { first } else { tr!("{first} to {last}", first, last) })
    });
    let said = match (layer.kind(), written) {
        (LayerKind::Feedforward, _) | (_, None) => {
            tr!("An MLP works on each token by itself: it has no attention.").into()
        }
        (LayerKind::Product, Some(written)) => tr!(
            "A product head works on each token by itself, so only the diagonal of the attention map is nonzero. This head writes {written}. Ordinary transformers have no product heads.",
            written
        ),
        (LayerKind::Attention, Some(written)) => tr!(
            "ReLU attention without softmax: token i adds the value of token s with weight σ(⟨Q hᵢ, K hₛ⟩)/(n+1). This head writes {written}.",
            written
        ),
    };
    match state.attention_weights(&run.link.view).is_some_and(|values| is_zero(&values)) {
        true => Some(tr!("{said} {zero}", said, zero = zero_attention_note())),
        false => Some(said),
    }
}

/// Whether all of these attention weights of one head are 0.
pub(super) fn is_zero(values: &[f64]) -> bool {
    values.iter().all(|value| *value == 0.0)
}

/// The note on the attention map that all attention weights of the selected head are 0.
pub(super) fn zero_attention_note() -> &'static str {
    tr!("The attention weight of this head is 0 for every pair of tokens.")
}

/// Summary of the chart of the target function and of the networks trained in the tokens and by direct gradient
/// descent: the outputs of both at the query, and the target function's value there if it is known.
pub(super) fn describe_function(run: &RunView) -> Option<String> {
    let state: &DescentState = run.lab_state()?;
    let (examples, network) = (&state.examples, &state.plan.network);
    let query = examples.input(examples.len());
    let answer =
        |w: &[f64]| network.compute_output(w, query).first().map_or(MISSING.into(), |y| format_magnitude(*y));
    let said = tr!(
        "At the query x = {x} the network stored in the tokens gives the output {tokens}. The same network, trained directly by gradient descent, gives {direct}.",
        x = format_real(*query.first()?),
        tokens = answer(&state.comparison.tokens),
        direct = answer(&state.comparison.direct)
    );
    let truth = state.target.evaluate(query).filter(|_| state.prompts.function != TargetKind::Points);
    Some(match truth {
        Some(truth) => {
            tr!(
                "{said} The value of the function at the query is {truth}.",
                said,
                truth = format_magnitude(truth)
            )
        }
        None => said,
    })
}

/// Summary of the bars of heads and hidden units by transformer layer: the totals over all layers of one step of
/// descent.
pub(super) fn describe_layer_sizes(run: &RunView) -> Option<String> {
    let state: &DescentState = run.lab_state()?;
    let counts = state.transformer.counts();
    Some(tr!(
        "A step of gradient descent takes {layers} layers with {heads} attention heads, {products} product heads and {units} hidden units. The matrices of these layers have {parameters} entries; {entries} of these entries are nonzero.",
        layers = counts.layers,
        heads = format_thousands(counts.attention_heads),
        products = format_thousands(counts.product_heads),
        units = format_thousands(counts.mlp_units),
        parameters = format_thousands(counts.parameters),
        entries = format_thousands(counts.nonzero_entries)
    ))
}

/// Summary of the chart of final distances from direct gradient descent in a sweep, with the exponents of the fitted
/// power laws; `symbol` is that of the swept setting, such as "M".
pub(super) fn describe_sweep(run: &RunView, symbol: &str) -> String {
    let curves = final_distance_curves(run);
    if curves.iter().all(|(_, points)| points.is_empty()) {
        return tr!("No run of the sweep has ended yet.").into();
    }
    let one = |curve: &ends::SweepCurve| {
        let known = curve.1.iter().filter_map(|(x, values)| {
            let [_, middle, _] = ends::quartiles(values)?;
            let distance = format_magnitude(f64::from(middle));
            Some(tr!("{distance} at {symbol} = {value}", distance, symbol, value = format_real(*x)))
        });
        let said = known.collect::<Vec<_>>().join(", ");
        match fit_exponent(curve) {
            Some(power) => {
                tr!("{said}; exponent of the fitted power law: {power}", said, power = format_exponent(power))
            }
            None => said,
        }
    };
    let all = curves.iter().map(one).collect::<Vec<_>>().join(". ");
    tr!(
        "Distance between the weights in the tokens and the weights of direct gradient descent, at the end of each run: {all}.",
        all
    )
}
