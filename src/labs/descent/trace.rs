//! One step layer by layer: the tokens before and after the layer that is shown.

use vivarium_core::bounds::saturating_product;
use vivarium_science::descent::{ConstructedTransformer, DescentLayer, DescentTokens, LayerPhase};

/// Maximum number of operations of a step of descent that the page executes without interruption for its trace; more
/// expensive steps are executed in slices.
pub(super) const MAX_SYNC_OPERATIONS: u64 = 1_000_000;

/// The trace of one step of descent through the 2N + 4 layers of the transformer, as far as it has been executed; N is
/// the number of layers of the network in the tokens.
///
/// # Why
/// All states of all tokens would be 2N + 5 times as large as the tokens, which may have a million numbers. So the
/// trace stores only the tokens before and after the layer that is shown, and one token after every layer.
#[derive(Debug, Clone)]
pub struct StepTrace {
    /// Number of steps of descent that come before the traced one.
    pub step: u64,
    /// Number, from 1 to 2N + 4, of the transformer layer that the view shows; 0 stands for the input of the first
    /// layer. N is the number of layers of the network in the tokens.
    pub layer: usize,
    /// Index, from 0, of the token that the view shows; the query is the last token.
    pub token_index: usize,
    /// All tokens of the prompt before the transformer layer that the view shows; for layer 0 equal to
    /// [`StepTrace::after`].
    pub before: DescentTokens<f64>,
    /// All tokens of the prompt after the transformer layer that the view shows.
    pub after: DescentTokens<f64>,
    /// The token that the view shows, before the first transformer layer and after each layer executed so far: at most
    /// `[2N + 5][D]`, where N is the number of layers of the network in the tokens and D the number of coordinates of a
    /// token.
    pub token_by_layer: Vec<Vec<f64>>,
    /// All tokens of the prompt after the transformer layers executed so far.
    current: DescentTokens<f64>,
    /// Number of completely executed transformer layers, and number of executed parts (`DescentLayer::part_count`) of
    /// the layer after them.
    executed: (usize, usize),
}

impl StepTrace {
    /// A trace of the step of descent after `step` steps, from the input tokens `tokens`, with no layer executed yet.
    /// The trace stores the tokens before and after transformer layer `layer` (from 1; 0 for the input tokens), and
    /// after each layer the token with index `place`, from 0.
    pub fn new(step: u64, tokens: DescentTokens<f64>, layer: usize, place: usize) -> Self {
        StepTrace {
            step,
            layer,
            token_index: place,
            before: tokens.clone(),
            after: tokens.clone(),
            token_by_layer: vec![tokens.token(place)],
            current: tokens,
            executed: (0, 0),
        }
    }

    /// Whether some transformer layers of the traced step of descent have not been executed yet.
    pub fn is_unfinished(&self, transformer: &ConstructedTransformer) -> bool {
        self.executed.0 < transformer.layers().len()
    }

    /// Executes further transformer layers of the traced step by about this many operations, at least one part (such as
    /// one neuron) of a layer.
    pub fn advance(&mut self, transformer: &ConstructedTransformer, mut operations: u64) {
        while let Some(layer) = transformer.layers().get(self.executed.0) {
            if self.executed == (self.layer.wrapping_sub(1), 0) {
                self.before.clone_from(&self.current);
            }
            let (from, all) = (self.executed.1, layer.part_count());
            let each = part_cost(layer, &self.current);
            let count = usize::try_from(operations / each.max(1)).unwrap_or(usize::MAX).max(1);
            let until = from.saturating_add(count).min(all);
            layer.apply_parts(from..until, &mut self.current);
            operations = operations.saturating_sub(saturating_product([each, (until - from) as u64]));
            self.executed.1 = until;
            if until == all {
                self.executed = (self.executed.0 + 1, 0);
                self.token_by_layer.push(self.current.token(self.token_index));
                if self.executed.0 == self.layer {
                    self.after.clone_from(&self.current);
                }
            }
            if operations == 0 {
                return;
            }
        }
    }

    /// The transformer layer that is shown; none if the tokens before the first layer are shown.
    pub fn shown_layer<'a>(&self, transformer: &'a ConstructedTransformer) -> Option<&'a DescentLayer> {
        transformer.layers().get(self.layer.checked_sub(1)?)
    }

    /// The phase, such as a layer's forward pass or the update of the weights, that the transformer layer shown has
    /// within the step of descent; none if the tokens before the first layer are shown.
    pub fn phase(&self, transformer: &ConstructedTransformer) -> Option<LayerPhase> {
        self.shown_layer(transformer).map(|layer| layer.phase)
    }
}

/// The approximate number of operations for executing one part of a transformer layer, such as one neuron of an
/// attention layer, on all tokens.
fn part_cost(layer: &DescentLayer, tokens: &DescentTokens<f64>) -> u64 {
    let (count, parts) = (tokens.token_count() as u64, layer.part_count().max(1) as u64);
    let entries = layer.nonzero_count().max(layer.unit_count() as u64);
    // For one part of an attention layer, each of the tokens adds its value once to each token.
    saturating_product([2, entries.max(parts) / parts, count])
        .saturating_add(saturating_product([count, count]))
}
