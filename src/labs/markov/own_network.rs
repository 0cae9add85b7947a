//! Attention layers of a network, and what a network of one's own computes on one sequence.

use vivarium_model::models::Model;
use vivarium_model::models::attention_only::{Head, Look};
use vivarium_model::models::graph_network::{attention_heads, evaluate_with_attention, without_heads};
use vivarium_model::run::RunSpec;

/// Number of heads in each attention layer of the network of a run; empty if the network has none.
pub fn attention_layers(spec: &RunSpec) -> Vec<usize> {
    let Model::OwnNetwork(_) = spec.model else { return spec.model.config().heads().to_vec() };
    let graph = spec.architecture().graph(spec.task.examples().inputs(), 0);
    graph.map_or(vec![], |graph| attention_heads(&graph))
}

/// Whether the page can send a sequence through a network of one's own within a frame.
pub fn can_trace(spec: &RunSpec) -> bool {
    // A step is a forward and a backward pass. A trace is the forward pass, a third of the operations.
    let operations = spec.architecture().step_flops(spec.task.examples().inputs(), 1) / 3.0;
    spec.check_fits_page(operations).is_ok()
}

/// The weights of a network of one's own whose heads in `off`, which count from 0 through all layers, add nothing; `None` for another
/// model.
pub fn weights_without(spec: &RunSpec, weights: &[&[f32]], off: &[usize]) -> Option<Vec<Vec<f32>>> {
    let Model::OwnNetwork(_) = spec.model else { return None };
    let graph = spec.architecture().graph(spec.task.examples().inputs(), 0)?;
    Some(without_heads(&graph, weights, off))
}

/// Attention weights and logits of a network of one's own on a sequence of n symbols, without the heads in `off`, which count from 0
/// through all layers; there are no scores. `None` for another model, and for a network that the page [cannot trace](can_trace).
pub fn trace(spec: &RunSpec, weights: &[&[f32]], symbols: &[u8], off: &[usize]) -> Option<Look> {
    let (n, length) = (symbols.len(), spec.task.examples().prediction_count());
    let weights = weights_without(spec, weights, off).filter(|_| can_trace(spec))?;
    let graph = spec.architecture().graph(spec.task.examples().inputs(), 0)?;
    let weights: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
    // No symbol attends to those behind it, so the symbols that fill the context do not matter.
    let mut x: Vec<f32> = symbols.iter().map(|symbol| f32::from(*symbol)).collect();
    x.resize(length, 0.0);
    let (logits, layers) = evaluate_with_attention(&graph, &weights, &x);
    let of_layer = |(layer, weights): (usize, &Vec<f32>)| {
        let heads = weights.chunks_exact(length * length).enumerate().map(|(head, weights)| Head {
            layer,
            head,
            scores: vec![],
            shares: weights
                .chunks_exact(length)
                .take(n)
                .flat_map(|row| &row[..n])
                .map(|w| f64::from(*w))
                .collect(),
        });
        heads.collect::<Vec<_>>()
    };
    let of_symbols = n * spec.task.examples().inputs();
    Some(Look {
        heads: layers.iter().enumerate().flat_map(of_layer).collect(),
        logits: logits.iter().take(of_symbols).map(|logit| f64::from(*logit)).collect(),
    })
}
