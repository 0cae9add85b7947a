//! One step layer by layer: what the tokens hold before and after the layer that is shown.

use vivarium_core::bounds::product;
use vivarium_science::descent::{ConstructedTransformer, DescentLayer, DescentTokens, LayerPhase};

/// Operations of a step that is executed at once when somebody looks at it; longer ones go in slices.
pub(super) const AT_ONCE: u64 = 1_000_000;

/// The step after some weights, as far as it has been executed.
///
/// # Why
/// All states of all tokens would be 2N + 5 times as large as the tokens, which may have a million numbers. So the step is
/// executed once for what is looked at, and kept are the tokens on both sides of the layer that is shown, and one token
/// after every layer.
#[derive(Debug, Clone)]
pub struct Trace {
    /// Steps made before it.
    pub step: u64,
    /// The layer that is shown, from 1 to 2N + 4; 0 stands before the first.
    pub layer: usize,
    /// The token that is shown, from 0; the query is the last.
    pub place: usize,
    /// All tokens before that layer; before the first one the same as [`Trace::after`].
    pub before: DescentTokens<f64>,
    /// All tokens after it.
    pub after: DescentTokens<f64>,
    /// The token that is shown before the first layer and after every one, as far as it is known: `[2N + 5][D]`.
    pub token: Vec<Vec<f64>>,
    /// What is worked on.
    tokens: DescentTokens<f64>,
    /// Layers that are done, and parts of the next one.
    done: (usize, usize),
}

impl Trace {
    /// Of the step that follows `step` others, from these tokens; nothing is executed yet.
    pub fn of(step: u64, tokens: DescentTokens<f64>, layer: usize, place: usize) -> Self {
        Trace {
            step,
            layer,
            place,
            before: tokens.clone(),
            after: tokens.clone(),
            token: vec![tokens.token(place)],
            tokens,
            done: (0, 0),
        }
    }

    /// Whether layers are left to be executed.
    pub fn is_busy(&self, transformer: &ConstructedTransformer) -> bool {
        self.done.0 < transformer.layers().len()
    }

    /// Goes on by about so many operations, and by a part of a layer at least.
    pub fn go_on(&mut self, transformer: &ConstructedTransformer, mut operations: u64) {
        while let Some(layer) = transformer.layers().get(self.done.0) {
            if self.done == (self.layer.wrapping_sub(1), 0) {
                self.before.clone_from(&self.tokens);
            }
            let (from, all) = (self.done.1, layer.part_count());
            let each = cost(layer, &self.tokens);
            let count = usize::try_from(operations / each.max(1)).unwrap_or(usize::MAX).max(1);
            let until = from.saturating_add(count).min(all);
            layer.apply_parts(from..until, &mut self.tokens);
            operations = operations.saturating_sub(product([each, (until - from) as u64]));
            self.done.1 = until;
            if until == all {
                self.done = (self.done.0 + 1, 0);
                self.token.push(self.tokens.token(self.place));
                if self.done.0 == self.layer {
                    self.after.clone_from(&self.tokens);
                }
            }
            if operations == 0 {
                return;
            }
        }
    }

    /// The layer that is shown; none before the first.
    pub fn acting<'a>(&self, transformer: &'a ConstructedTransformer) -> Option<&'a DescentLayer> {
        transformer.layers().get(self.layer.checked_sub(1)?)
    }

    /// What that layer does.
    pub fn phase(&self, transformer: &ConstructedTransformer) -> Option<LayerPhase> {
        self.acting(transformer).map(|layer| layer.phase)
    }
}

/// Operations, roughly, of a part of a layer.
fn cost(layer: &DescentLayer, tokens: &DescentTokens<f64>) -> u64 {
    let (count, parts) = (tokens.token_count() as u64, layer.part_count().max(1) as u64);
    let entries = layer.nonzero_count().max(layer.unit_count() as u64);
    // Of a neuron, one key is added as often as there are tokens.
    product([2, entries.max(parts) / parts, count]).saturating_add(product([count, count]))
}
