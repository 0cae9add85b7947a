//! What is said of runs of a transformer that is descent, and of their charts.

use super::state::DescentState;
use super::sweeps::{distances, exponent, shown};
use vivarium_core::settings::real;
use vivarium_model::models::Family;
use vivarium_model::permalink::View;
use vivarium_model::run::{RunSpec, Success};
use vivarium_plot::analysis::curves::spread;
use vivarium_plot::analysis::ends;
use vivarium_plot::analysis::replicas::Of;
use vivarium_science::descent::{
    Activation, ComparisonMeasure, DescentNetwork, LayerKind, OutputActivation, TargetKind,
};
use vivarium_view::display::RunView;
use vivarium_view::display::words::{MISSING, decimal, percent, significant, thousands};

/// What the four numbers of a measurement are called.
pub(super) fn names() -> [String; 4] {
    [
        tr!("Loss, weights in tokens"),
        tr!("Loss, direct gradient descent"),
        tr!("R², weights in tokens"),
        tr!("R², direct gradient descent"),
    ]
    .map(String::from)
}

/// Layers that have been executed, and the distance between tokens and direct descent.
pub(super) fn numbers(run: &RunView) -> [(String, String); 2] {
    let layers = run.spec().task.examples().regression().and_then(|draw| {
        let Some(Family::Descent(net)) = run.spec().model.config().family() else { return None };
        Some(net.network(&draw).layer_count() as u64)
    });
    let executed = layers.map(|layers| run.step.saturating_mul(2 * layers + 4));
    [
        (tr!("Layers executed").into(), executed.map_or(MISSING.into(), thousands)),
        (
            tr!("Distance to direct gradient descent").into(),
            size(newest(run, Of::Measure(ComparisonMeasure::Distance as usize))),
        ),
    ]
}

/// The newest median of a number.
fn newest(run: &RunView, of: Of) -> f64 {
    run.history.last().map_or(f64::NAN, |row| f64::from(spread(of.values(row)).0))
}

/// The same of a further measure.
fn measured(run: &RunView, of: ComparisonMeasure) -> f64 {
    newest(run, Of::Measure(of as usize))
}

/// A number however large or small: "9.2e59", "4.13e−4", "0".
pub(super) fn size(value: f64) -> String {
    if value == 0.0 {
        "0".into()
    } else if value.abs() >= 1e6 && value.is_finite() {
        format!("{value:.1e}")
    } else {
        significant(value)
    }
}

/// How far descent has come, for the status line.
pub(super) fn learning(run: &RunView) -> Option<String> {
    let [tokens, direct] = [Of::TrainLoss, Of::TestLoss].map(|of| newest(run, of));
    (tokens.is_finite() && direct.is_finite()).then(|| {
        tr!(
            "the loss is {tokens} with the weights in the tokens and {direct} with direct gradient descent; the distance between the weights is {distance}",
            tokens = decimal(tokens as f32),
            direct = decimal(direct as f32),
            distance = size(measured(run, ComparisonMeasure::Distance))
        )
    })
}

/// What has been found by these networks at these steps.
pub(super) fn found(run: &RunView, networks: &str, at: &str) -> String {
    let settings = &run.spec().run;
    if settings.success == Success::Loss {
        let limit = real(settings.limit);
        return match settings.replicas {
            1 => tr!("The loss is at most {limit} {at}.", limit, at),
            _ => tr!("The loss is at most {limit} in {networks}, {at}.", limit, networks, at),
        };
    }
    let share = percent(settings.target as f32);
    match settings.replicas {
        1 => tr!("At least {share} of the variance is explained {at}.", share, at),
        _ => tr!("At least {share} of the variance is explained by {networks}, {at}.", share, networks, at),
    }
}

/// Why nothing moves, or may not.
pub(super) fn cannot_learn(spec: &RunSpec) -> Vec<String> {
    let draw = spec.task.examples().regression();
    let (Some(draw), Some(Family::Descent(net))) = (draw, spec.model.config().family()) else {
        return vec![];
    };
    let network = net.network(&draw);
    if net.scale == 0.0 && stands_still(&network) {
        return vec![
            tr!("All initial weights are 0. The network has no biases, so every output and every gradient is 0 and no weight ever changes.")
                .into(),
        ];
    }
    let may_be_dead =
        network.output_activation == OutputActivation::Activated && network.activation == Activation::Relu;
    if !may_be_dead || !spec.problems().is_empty() {
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

/// Whether a network all of whose weights are 0 has no gradient.
fn stands_still(network: &DescentNetwork) -> bool {
    let is_dead =
        network.output_activation == OutputActivation::Activated && network.activation == Activation::Relu;
    is_dead || (network.layer_count() > 1 && network.activation != Activation::Sigmoid)
}

pub(super) fn both(run: &RunView) -> String {
    tr!(
        "Loss after {step} steps: {tokens} with the weights in the tokens, {direct} with direct gradient descent, {single} with direct gradient descent in single precision.",
        step = thousands(run.step),
        tokens = size(newest(run, Of::TrainLoss)),
        direct = size(newest(run, Of::TestLoss)),
        single = size(measured(run, ComparisonMeasure::SingleLoss))
    )
}

pub(super) fn apart(run: &RunView) -> String {
    let said = tr!(
        "After {step} steps the distance between the weights in the tokens and the weights of direct gradient descent is {distance}. The bound of corollary 1.1 on this distance is {corollary}; the bound computed step by step is {recursion}. The distance between the weights of direct gradient descent and the initial weights is {moved}. The distance between the weights of direct gradient descent in single precision and in double precision is {single}.",
        step = thousands(run.step),
        distance = size(measured(run, ComparisonMeasure::Distance)),
        moved = size(measured(run, ComparisonMeasure::Moved)),
        single = size(measured(run, ComparisonMeasure::SingleDistance)),
        corollary = size(measured(run, ComparisonMeasure::Corollary)),
        recursion = size(measured(run, ComparisonMeasure::Recursion))
    );
    match measured(run, ComparisonMeasure::WrongDerivatives) {
        wrong if wrong >= 1.0 => {
            tr!(
                "{said} In the last step, the slope of a ReLU was wrong for {wrong} pairs of an example and a ReLU.",
                said,
                wrong = thousands(wrong as u64)
            )
        }
        _ => said,
    }
}

/// "Tokens after layer 4 of 10 in step 13: Slopes".
pub(super) fn tokens_title(state: &DescentState) -> String {
    let (trace, of) = (&state.trace, state.transformer.layers().len());
    match trace.phase(&state.transformer) {
        Some(phase) => tr!(
            "Tokens after layer {layer} of {of} in step {step}: {name}",
            layer = trace.layer,
            of,
            step = thousands(trace.step + 1),
            name = phase.name()
        ),
        None => tr!("Tokens after step {step}", step = thousands(trace.step)),
    }
}

/// What the layer does, in words and as a formula, and how large a token is.
pub(super) fn tokens(run: &RunView) -> Option<String> {
    let state: &DescentState = run.state()?;
    let sizes = state.plan.compute_sizes(state.examples.len());
    let said = tr!(
        "There are {tokens} tokens with {token} numbers each; {weights} of the numbers in each token are weights.",
        tokens = thousands(sizes.token_count),
        token = thousands(sizes.token_dim),
        weights = thousands(sizes.weights)
    );
    let Some(layer) = state.trace.acting(&state.transformer) else {
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

/// "Attention in the layer shown: Forward 2, head 3 of 8"; none where the layer has no heads.
pub(super) fn acting_title(state: &DescentState, view: &View) -> Option<String> {
    let layer = state.trace.acting(&state.transformer).filter(|layer| layer.head_count() > 0)?;
    Some(tr!(
        "{name}, head {head} of {heads}",
        name = layer.phase.name(),
        head = state.head(view) + 1,
        heads = thousands(layer.head_count() as u64)
    ))
}

pub(super) fn acting(run: &RunView) -> Option<String> {
    let state: &DescentState = run.state()?;
    let Some(layer) = state.trace.acting(&state.transformer) else {
        return Some(
            tr!("No layer is chosen, so no attention is shown. Choose a layer to see its attention.").into(),
        );
    };
    let head = state.head(&run.link.view);
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
    match state.attention(&run.link.view).is_some_and(|values| is_zero(&values)) {
        true => Some(tr!("{said} {zero}", said, zero = zero())),
        false => Some(said),
    }
}

/// Whether a head takes nothing anywhere.
pub(super) fn is_zero(values: &[f64]) -> bool {
    values.iter().all(|value| *value == 0.0)
}

/// What is said of such a head.
pub(super) fn zero() -> &'static str {
    tr!("The attention weight of this head is 0 for every pair of tokens.")
}

pub(super) fn fitted(run: &RunView) -> Option<String> {
    let state: &DescentState = run.state()?;
    let (examples, network) = (&state.examples, &state.plan.network);
    let query = examples.input(examples.len());
    let answer = |w: &[f64]| network.compute_output(w, query).first().map_or(MISSING.into(), |y| size(*y));
    let said = tr!(
        "At the query x = {x} the network stored in the tokens gives the output {tokens}. The same network, trained directly by gradient descent, gives {direct}.",
        x = real(*query.first()?),
        tokens = answer(&state.state.tokens),
        direct = answer(&state.state.direct)
    );
    let truth = state.target.evaluate(query).filter(|_| state.draw.function != TargetKind::Points);
    Some(match truth {
        Some(truth) => {
            tr!("{said} The value of the function at the query is {truth}.", said, truth = size(truth))
        }
        None => said,
    })
}

pub(super) fn heads(run: &RunView) -> Option<String> {
    let state: &DescentState = run.state()?;
    let counts = state.transformer.counts();
    Some(tr!(
        "A step of gradient descent takes {layers} layers with {heads} attention heads, {products} product heads and {units} hidden units. The matrices of these layers have {parameters} entries; {entries} of these entries are nonzero.",
        layers = counts.layers,
        heads = thousands(counts.attention_heads),
        products = thousands(counts.product_heads),
        units = thousands(counts.mlp_units),
        parameters = thousands(counts.parameters),
        entries = thousands(counts.nonzero_entries)
    ))
}

/// What is said of a sweep over the setting with this symbol.
pub(super) fn by(run: &RunView, symbol: &str) -> String {
    let curves = distances(run);
    if curves.iter().all(|(_, points)| points.is_empty()) {
        return tr!("No run of the sweep has ended yet.").into();
    }
    let one = |curve: &ends::Curve| {
        let known = curve.1.iter().filter_map(|(x, values)| {
            let [_, middle, _] = ends::quartiles(values)?;
            let distance = size(f64::from(middle));
            Some(tr!("{distance} at {symbol} = {value}", distance, symbol, value = real(*x)))
        });
        let said = known.collect::<Vec<_>>().join(", ");
        match exponent(curve) {
            Some(power) => {
                tr!("{said}; exponent of the fitted power law: {power}", said, power = shown(power))
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
