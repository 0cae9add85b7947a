//! Attention layers of a network, and what a network of one's own computes on one sequence.

use vivarium_model::models::Model;
use vivarium_model::models::attention_only::{Head, Look};
use vivarium_model::models::graph_network::{self, attention_heads, evaluate_with_attention};
use vivarium_model::run::RunSpec;

/// Number of heads in each attention layer of the network of a run; empty if the network has none.
pub fn attention_layers(spec: &RunSpec) -> Vec<usize> {
    let Model::OwnNetwork(_) = spec.model else { return spec.model.config().heads().to_vec() };
    let graph = spec.architecture().graph(spec.task.examples().inputs(), 0);
    graph.map_or(vec![], |graph| attention_heads(&graph))
}

/// `Ok` if the page can send a sequence through the network within a frame, or in slices of one.
///
/// # Errors
/// A sentence that says that a network of one's own is too large.
pub fn check_traceable(spec: &RunSpec) -> Result<(), String> {
    /// Operations in vectors that take the time of one operation in plain loops.
    const VECTOR_GAIN: f64 = 4.0;
    let Model::OwnNetwork(_) = spec.model else { return Ok(()) };
    // A step is a forward and a backward pass. A trace is the forward pass, a third of the operations.
    let operations = spec.architecture().step_flops(spec.task.examples().inputs(), 1) / 3.0;
    spec.check_fits_page(operations / VECTOR_GAIN)
}

/// The weights of a network of one's own whose heads in `off`, which count from 0 through all layers, add nothing; `None` for another
/// model.
pub fn remove_heads(spec: &RunSpec, weights: &[&[f32]], off: &[usize]) -> Option<Vec<Vec<f32>>> {
    let Model::OwnNetwork(_) = spec.model else { return None };
    let graph = spec.architecture().graph(spec.task.examples().inputs(), 0)?;
    Some(graph_network::remove_heads(&graph, weights, off))
}

/// Attention weights and logits of a network of one's own on a sequence of n symbols, without the heads in `off`, which count from 0
/// through all layers; there are no scores. `None` for another model, and for a network that the page [cannot trace](check_traceable).
pub fn trace(spec: &RunSpec, weights: &[&[f32]], symbols: &[u8], off: &[usize]) -> Option<Look> {
    let (n, length) = (symbols.len(), spec.task.examples().prediction_count());
    let Model::OwnNetwork(_) = spec.model else { return None };
    check_traceable(spec).ok()?;
    let graph = spec.architecture().graph(spec.task.examples().inputs(), 0)?;
    let removed = (!off.is_empty()).then(|| graph_network::remove_heads(&graph, weights, off));
    let weights = match &removed {
        Some(removed) => removed.iter().map(Vec::as_slice).collect(),
        None => weights.to_vec(),
    };
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
