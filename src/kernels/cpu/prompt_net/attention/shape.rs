//! Sizes of a network on prompts, and where its numbers lie.

use crate::cpu::dense::{TILE_ROWS, panels};
use crate::cpu::one_hidden_layer::LANES;
use vivarium_model::models::family::PromptAttention;
use vivarium_model::models::token_attention::Scores;
use vivarium_science::tokens::TokenPrompts;

/// Most entries of all tables together: 16 MiB.
const MOST_ENTRIES: u64 = 1 << 22;

/// Sizes of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Positions of a prompt.
    pub length: usize,
    /// Names of a position.
    pub names: usize,
    /// Heads.
    pub heads: usize,
    /// Numbers of a token among what scores read: all or none.
    pub dense: usize,
    /// Numbers in a value.
    pub values: usize,
}

impl Shape {
    /// The sizes of `net` on `prompts`.
    ///
    /// # Errors
    /// A sentence where its tables would be too large.
    pub fn of(net: &PromptAttention, prompts: &TokenPrompts) -> Result<Self, String> {
        let dense = if net.scores == Scores::All { prompts.dim } else { 0 };
        let TokenPrompts { length, names, .. } = *prompts;
        let shape = Shape { length, names, heads: net.heads, dense, values: net.value_width(prompts) };
        let entries = vivarium_core::bounds::saturating_product([shape.heads, shape.lines(), shape.lines()]);
        match entries > MOST_ENTRIES {
            true => {
                Err(format!("its tables of scores would have {entries} entries, of {MOST_ENTRIES} at most"))
            }
            false => Ok(shape),
        }
    }

    /// Positions of a prompt in full panels.
    pub fn positions(&self) -> usize {
        self.length.next_multiple_of(LANES)
    }

    /// The same in full tiles: so far are the queries of a head from those of the next one.
    pub fn tiled(&self) -> usize {
        self.length.next_multiple_of(TILE_ROWS)
    }

    /// Queries of all heads at a prompt, in full panels.
    pub fn queries(&self) -> usize {
        (self.heads * self.tiled()).next_multiple_of(LANES)
    }

    /// Lines of a table: a token's numbers, then N lines for each place of a code, each in full panels.
    pub fn lines(&self) -> usize {
        self.dense.next_multiple_of(LANES) + (self.names + 1) * self.positions()
    }

    /// Line of a position's own code for place 0, and of a code that a name points at for the others.
    pub fn line(&self, place: usize, position: usize) -> usize {
        self.dense.next_multiple_of(LANES) + place * self.positions() + position
    }

    /// Panels of a value.
    pub fn value_panels(&self) -> usize {
        panels(self.values)
    }
}
