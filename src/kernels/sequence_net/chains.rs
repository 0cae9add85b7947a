//! Which sequences a kernel draws: the law of their chains, and how many random words and numbers that takes.

use vivarium_model::run::RunSpec;
use vivarium_model::tasks::TaskData;
use vivarium_science::markov::{ChainFamily, ChainSequences};

/// Most contexts, since a lane solves a system of as many equations.
const MOST_CONTEXTS: usize = 32;
/// Lanes of a workgroup.
pub const SAMPLERS: usize = 64;
/// One, in the units of a row.
pub const ONE: u32 = 1 << 24;

/// What sequences are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sampling {
    /// Symbols k.
    pub symbols: usize,
    /// Length t of a context; a sequence has one symbol more.
    pub length: usize,
    /// Order n of the n-grams.
    pub order: usize,
    /// Law of the chains; of the Dirichlet laws the uniform one.
    pub chains: ChainFamily,
    /// Sequences per step.
    pub batch: usize,
}

impl Sampling {
    /// What a run draws, or why no kernel does.
    ///
    /// # Errors
    /// A sentence for the person.
    #[expect(clippy::float_cmp, reason = "only exactly 1 is uniform")]
    pub fn of(spec: &RunSpec) -> Result<Self, String> {
        let TaskData::Sequences(drawn) = spec.task.data() else {
            return Err("its examples are no sequences".into());
        };
        let ChainSequences { symbols, length, order, train_family: chains, alpha, .. } = drawn;
        if chains == ChainFamily::Dirichlet && alpha != 1.0 {
            return Err("its chains have rows with an α other than 1".into());
        }
        if chains != ChainFamily::Dirichlet && order != 2 {
            return Err("its chains are of a higher order and not Dirichlet".into());
        }
        let sampling = Sampling { symbols, length, order, chains, batch: spec.run.batch };
        if sampling.contexts() > MOST_CONTEXTS {
            return Err(format!("its chains have more than {MOST_CONTEXTS} contexts"));
        }
        let most = sampling.chain_words().max(sampling.words()) as u64 * spec.run.batch as u64;
        if most > u64::from(u32::MAX) {
            return Err("a step takes more random words than a kernel can count".into());
        }
        Ok(sampling)
    }

    /// Contexts of the chain.
    pub fn contexts(&self) -> usize {
        self.symbols.pow(self.order as u32 - 1)
    }

    /// Random words of a sequence.
    pub fn words(&self) -> usize {
        self.length + 3 - self.order
    }

    /// Moves of the walk to a doubly stochastic matrix.
    pub fn moves(&self) -> usize {
        if self.symbols == 2 { 1 } else { 2 * self.symbols.pow(3) }
    }

    /// Random words of a chain.
    pub fn chain_words(&self) -> usize {
        let row = self.symbols - 1;
        match self.chains {
            ChainFamily::Dirichlet => self.contexts() * row,
            ChainFamily::Independent => row,
            ChainFamily::DoublyStochastic => 2 * self.moves(),
            ChainFamily::Mixture => 1 + row.max(2 * self.moves()),
            // These chains have an order above 2, which no kernel draws.
            ChainFamily::NoLowerOrder | ChainFamily::LowerOrderMixture => 0,
        }
    }

    /// Numbers of the scratch buffer for one lane: cumulative rows, the matrix, its stationary law and a sum, where
    /// a number of double precision takes three.
    pub fn cells(&self) -> usize {
        let contexts = self.contexts();
        contexts * (self.symbols - 1) + 3 * (contexts * contexts + contexts + 1)
    }

    /// Turns of all loops of a lane, at most.
    pub fn turns(&self) -> u64 {
        let (c, k) = (self.contexts(), self.symbols);
        // In single precision and in double, where a quotient is 55 turns.
        let solve = 2 * (c * c * c / 3 + 4 * c * c + c) + 55 * (c * (c - 1) / 2 + c);
        let draw = c * k * k + self.moves() * (2 + k) + 4 * c * k + c * c;
        (solve + draw + self.length * (k + 1) + self.order) as u64
    }
}
