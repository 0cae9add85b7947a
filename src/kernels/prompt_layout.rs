//! How prompts lie in the buffers of kernels, and what all kernels on prompts are compiled alike for.

use vivarium_science::tokens::TokenPrompts;

/// Lanes of a workgroup, which WebGPU grants everywhere.
pub const LANES: usize = 256;
/// Bytes of a buffer whose numbers 32 bits can count.
pub const COUNTABLE: u64 = 8 << 30;

/// Sizes of a prompt, and how its positions are written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PromptLayout {
    /// Positions N of a prompt, each with a token.
    pub length: usize,
    /// Numbers d in a token.
    pub dim: usize,
    /// Names q of a position.
    pub names: usize,
    /// Numbers d_e in a code.
    pub code_dim: usize,
    /// The bits of what codes are multiplied by.
    scale: u32,
}

impl PromptLayout {
    /// Of these prompts.
    pub fn of(prompts: &TokenPrompts) -> Self {
        let TokenPrompts { length, dim, names, code_dim, .. } = *prompts;
        PromptLayout { length, dim, names, code_dim, scale: prompts.code_scale().to_bits() }
    }

    /// What codes are multiplied by.
    pub fn factor(&self) -> f32 {
        f32::from_bits(self.scale)
    }

    /// Numbers of all codes of a token: its own, and those of its names.
    pub fn codes(&self) -> usize {
        (self.names + 1) * self.code_dim
    }

    /// Words of a prompt: tokens, labels, and names block by block.
    pub fn words(&self) -> usize {
        self.length * (self.dim + 1 + self.names)
    }

    /// Words of a prompt with lists of who names whom.
    pub fn listed_words(&self) -> usize {
        self.words() + self.names * (2 * self.length + 1)
    }
}

/// Workgroups that make so many numbers, one by a lane.
pub fn cubes(numbers: usize) -> usize {
    numbers.div_ceil(LANES)
}
