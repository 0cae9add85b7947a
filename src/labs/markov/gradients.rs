//! Gradient of the loss with respect to each layer: how strong the learning signal of a layer is.
//!
//! # Why
//! Edelman 2024 (section 8.1) finds that the signal for the first layer depends on how close the second layer is to its
//! final weights. The chart shows this signal in a run, and the settings `from` and `trained` of the networks hold one
//! layer at the weights of the induction head.

use super::layers::{check_has_layers, layer_count, layer_of};
use vivarium_kernels::cpu::sequence_net::Inference;
use vivarium_model::models::Model;
use vivarium_model::protocol::ProbeResult;
use vivarium_model::run::RunSpec;
use vivarium_plot::analysis::{LineChart, Role, Series};
use vivarium_view::display::RunView;
use vivarium_view::display::words::{format_significant, join_list};
use vivarium_view::probing::{Probe, ProbedNetwork};

/// Euclidean norm of the gradient of the loss with respect to the weights of each layer, then, for a transformer, with
/// respect to embedding and read-out together.
pub(super) const GRADIENTS: Probe = Probe { name: "gradients", applies: check_has_layers };

/// Norm of the gradient of each layer, then of embedding and read-out together, on the batch on which the network
/// trains next; `None` if the network cannot be evaluated.
pub(super) fn measure_gradients(network: &ProbedNetwork) -> Option<ProbeResult> {
    let spec = &network.spec;
    let sequences = spec.task.data().chain_sequences()?;
    let mut batch = vec![];
    let all = 0..spec.batch_size();
    sequences.append_some_training_sequences(spec.run.seed, 0, network.step, all, &mut batch);
    let gradient = Inference::new(spec).ok()?.gradient(&network.slices(), &batch);
    let layers = layer_count(spec)?;
    let mut squares = vec![0.0; layers + 1];
    for (which, values) in gradient.iter().enumerate() {
        let square: f64 = values.iter().map(|g| f64::from(*g) * f64::from(*g)).sum();
        squares[layer_of(spec, which).unwrap_or(layers)] += square;
    }
    if (0..gradient.len()).all(|which| layer_of(spec, which).is_some()) {
        squares.truncate(layers);
    }
    let norms: Vec<f64> = squares.into_iter().map(f64::sqrt).collect();
    Some(ProbeResult::new(GRADIENTS.id()).with_few_numbers(norms))
}

/// Name of line number `at` of the chart of a network with `layers` layers.
fn line_name(spec: &RunSpec, at: usize, layers: usize) -> String {
    match (&spec.model, at) {
        (Model::MinimalMarkov(_), 0) => tr!("layer 1: v").into(),
        (Model::MinimalMarkov(_), _) => tr!("layer 2: W").into(),
        (_, at) if at < layers => tr!("layer {number}", number = at + 1),
        _ => tr!("embedding and read-out").into(),
    }
}

/// Line chart of the measured gradient norms over training steps, one line for each layer.
pub(super) fn draw_gradients(run: &RunView) -> LineChart {
    let layers = layer_count(run.spec()).unwrap_or(0);
    let measured: Vec<(u64, &[f64])> = run.trace(&GRADIENTS).collect();
    let lines = measured.iter().map(|(_, norms)| norms.len()).max().unwrap_or(layers);
    let roles = [Role::Train, Role::Test, Role::Relevant];
    let series = |at: usize| Series {
        name: line_name(run.spec(), at, layers),
        role: roles.get(at).copied().filter(|_| at < layers).unwrap_or(Role::Other),
        x: measured.iter().map(|(step, _)| *step as f64).collect(),
        y: measured.iter().map(|(_, norms)| norms.get(at).map_or(f32::NAN, |norm| *norm as f32)).collect(),
        ..Series::default()
    };
    LineChart {
        title: tr!("Gradient of the loss by layer").into(),
        x_label: tr!("step").into(),
        y_label: tr!("norm of the gradient").into(),
        series: (0..lines).map(series).collect(),
        ..LineChart::default()
    }
}

/// Summary of the chart of gradient norms, for screen readers.
pub(super) fn describe_gradients(run: &RunView) -> String {
    let layers = layer_count(run.spec()).unwrap_or(0);
    let Some((_, norms)) = run.trace(&GRADIENTS).last() else {
        return tr!("The gradients have not been measured yet.").into();
    };
    let line = |(at, norm): (usize, &f64)| {
        tr!("{norm} for {name}", norm = format_significant(*norm), name = line_name(run.spec(), at, layers))
    };
    let all: Vec<String> = norms.iter().enumerate().map(line).collect();
    tr!("Norm of the gradient: {all}.", all = join_list(&all))
}

#[cfg(test)]
mod tests {
    use super::{GRADIENTS, check_has_layers};
    use vivarium_model::models::attention_only::OfLength;
    use vivarium_model::models::{Model, minimal_markov};
    use vivarium_model::permalink::decode;
    use vivarium_model::run::RunSpec;

    /// The run of a link, its weights at the start, and the training batch of step 7.
    fn start(link: &str) -> (RunSpec, Vec<Vec<f32>>, Vec<u8>) {
        let (link, notices) = decode(&format!("#v1/markov?k=3&t=20&batch=8&seed=4&{link}"));
        assert!(notices.is_empty(), "{notices:?}");
        let spec = link.spec;
        let mut batch = vec![];
        let sequences = spec.task.data().chain_sequences().unwrap();
        sequences.append_some_training_sequences(4, 0, 7, 0..8, &mut batch);
        let weights = spec.initialize_parameters();
        (spec, weights, batch)
    }

    fn norm<'a>(gradients: impl Iterator<Item = &'a Vec<f64>>) -> f64 {
        gradients.flatten().map(|g| g * g).sum::<f64>().sqrt()
    }

    fn assert_close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() <= 1e-5 * expected.abs() + 1e-9, "{found} {expected}");
        }
    }

    #[test]
    fn norms_are_those_of_the_gradients_in_double_precision() {
        let (spec, weights, batch) = start("heads=2.1&d=12&std=0.6");
        let Model::AttentionOnly(net) = &spec.model else { panic!("another model") };
        let slices: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
        let (_, gradients) = OfLength { net: net.clone(), length: 20 }.plain(&slices, 3).gradients(&batch);
        // embed, then query, key, value and distances of both layers, then readout.
        let exact = [norm(gradients[1..5].iter()), norm(gradients[5..9].iter())];
        let rest = norm([&gradients[0], &gradients[9]].into_iter());
        let found = crate::run_probe(&GRADIENTS.id(), &spec, 7, weights).unwrap().few;
        assert_close(&found, &[exact[0], exact[1], rest]);
    }

    #[test]
    fn the_vector_of_distances_is_the_first_layer_of_the_minimal_model() {
        let (spec, weights, batch) = start("model=minimal-markov&opt=sgd&from=layer2&v0=0.01");
        let Model::MinimalMarkov(net) = &spec.model else { panic!("another model") };
        let slices: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
        let net = minimal_markov::OfLength { net: net.clone(), length: 20 };
        let (_, [kernel, lags]) = net.gradients(&slices, 3, &batch);
        let found = crate::run_probe(&GRADIENTS.id(), &spec, 7, weights).unwrap().few;
        assert_close(&found, &[norm([lags].iter()), norm([kernel].iter())]);
    }

    /// Edelman 2024, section 8.1: without a second layer there is no signal for the first.
    #[test]
    fn v_has_no_gradient_while_w_is_zero() {
        let (spec, weights, _) = start("model=minimal-markov&opt=sgd&w0=0");
        let found = crate::run_probe(&GRADIENTS.id(), &spec, 7, weights).unwrap().few;
        assert!(found[0] == 0.0 && found[1] > 0.0, "{found:?}");
    }

    #[test]
    fn other_networks_have_no_such_chart() {
        let spec = decode("#v1/markov?model=own").0.spec;
        assert!(check_has_layers(&spec).is_err());
    }
}
