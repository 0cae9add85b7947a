//! Markov chains in context: every sequence has a chain of its own, and its next symbols are to be predicted from those
//! before (Edelman 2024, section 8.2).
//!
//! An example's row holds `length + 1` symbols, from 0; its label is the last of them. A network predicts after each of
//! the first `length`.
//!
//! # Which words draw what
//! Sequence e of a batch takes words `e·W` to `e·W + W − 1` of [`Purpose::Batch`] at the training step, where W is
//! [`MarkovChain::sequence_words`], and its chain as many of [`Purpose::Chain`] as [`Law::words`] says. Held-out
//! sequences take those of [`Purpose::HeldOut`] and [`Purpose::HeldOutChain`] in replica 0, with the law's place
//! in [`Chains::ALL`] as the step, so that each law has sequences of its own.
//!
//! ```
//! use vivarium::tasks::markov::{Chains, MarkovChain};
//! let (task, mut symbols) = (MarkovChain::default(), vec![]);
//! task.held_out_sequences(Chains::Dirichlet, 7, 3..4, &mut symbols);
//! let chain = task.held_out_chain(Chains::Dirichlet, 7, 3);
//! assert_eq!(symbols.len(), 51);
//! assert!(chain.probability(chain.context(&symbols[..50]), symbols[50].into()) > 0.0);
//! ```

pub mod charts;

use crate::catalog::chart::Chart;
use std::ops::Range as Span;

use super::{Batch, Form, Preset, Sampler, TaskConfig, pytorch};
use crate::catalog::Info;
use crate::markov::theory::Explorer;
use crate::markov::{Chain, Law, MOST_CONTEXTS, Walker, contexts, symbols_of};
use crate::pytorch::{Part, ToPyTorch};
use crate::rng::{Purpose, Stream};
use crate::settings::{Knob, Problem, Range, Settings, Value};
use crate::sources::{EDELMAN_2024_HEADS, EDELMAN_2024_MARKOV};
use crate::{choices, settings};

choices! {
    /// Laws of transition matrices.
    pub enum Chains {
        /// Rows drawn independently.
        Dirichlet = "dirichlet", "Dirichlet rows";
        /// All rows equal, so that symbols are independent.
        Independent = "iid", "Independent symbols";
        /// Rows and columns sum to one, so that all symbols are equally frequent.
        Doubly = "ds", "Doubly stochastic";
        /// Some doubly stochastic, the others with independent symbols.
        Mixture = "mixture", "Doubly stochastic and independent";
    }
}

settings! {
    /// The next symbol of a chain that is drawn anew for every sequence.
    pub struct MarkovChain {
        /// Symbols that there are.
        symbols: usize = 2, "k", "Symbols k", Range::Int(2, 8);
        /// Symbols of a context; a network predicts after each of them.
        length: usize = 50, "t", "Context length t", Range::Int(2, 256), "symbols";
        /// A symbol depends on the n − 1 before it: 2 makes a Markov chain.
        order: usize = 2, "gram", "Order n of the n-grams", Range::Int(2, 4);
        /// Law of the transition matrices that are trained on.
        train: Chains = Chains::Dirichlet, "data", "Chains", Range::Choice(Chains::OPTIONS);
        /// Parameter α of the Dirichlet law of each row; 1 is uniform.
        alpha: f64 = 1.0, "alpha", "Concentration α", Range::Real(0.05, 20.0);
        /// Share of doubly stochastic chains in a mixture.
        share: f64 = 0.5, "mix", "Share of doubly stochastic", Range::Real(0.0, 1.0);
        /// Law of the transition matrices that are measured on.
        test: Chains = Chains::Dirichlet, "test", "Chains of the test", Range::Choice(Chains::OPTIONS);
    }
}

impl MarkovChain {
    /// Name, source and summary.
    pub const INFO: Info = Info {
        slug: "markov",
        name: "Markov chains in context",
        about: "Every sequence has a chain of its own; its next symbol is to be read off what came before.",
        sources: &[EDELMAN_2024_MARKOV, EDELMAN_2024_HEADS],
    };

    /// A law with this task's α and share.
    pub fn law(&self, chains: Chains) -> Law {
        match chains {
            Chains::Dirichlet => Law::Dirichlet(self.alpha),
            Chains::Independent => Law::Independent,
            Chains::Doubly => Law::Doubly,
            Chains::Mixture => Law::Mixture(self.share),
        }
    }

    /// Random words of one sequence of `length + 1` symbols: one for the first `order − 1`, and one for each other.
    pub fn sequence_words(&self) -> usize {
        self.length + 3 - self.order
    }

    /// Random words of one chain that is trained on, or of one of another law.
    pub fn chain_words(&self, chains: Chains) -> usize {
        self.law(chains).words(self.symbols, self.order)
    }

    /// Appends the training sequences of `step` in `replica` to `out`, `[size, length + 1]`.
    pub fn sequences(&self, seed: u64, replica: u32, step: u64, size: usize, out: &mut Vec<u8>) {
        let streams = [Purpose::Batch, Purpose::Chain].map(|purpose| Stream::new(seed, purpose, replica));
        self.draw(self.law(self.train), streams, step, 0..size, out);
    }

    /// The chain of training sequence `example` of `step` in `replica`.
    pub fn trained_chain(&self, seed: u64, replica: u32, step: u64, example: usize) -> Chain {
        self.chain(self.train, Stream::new(seed, Purpose::Chain, replica), step, example)
    }

    /// Appends held-out sequences of a law to `out`, `[examples, length + 1]`.
    pub fn held_out_sequences(&self, chains: Chains, seed: u64, examples: Span<usize>, out: &mut Vec<u8>) {
        let streams = [Purpose::HeldOut, Purpose::HeldOutChain].map(|purpose| Stream::new(seed, purpose, 0));
        self.draw(self.law(chains), streams, chains as u64, examples, out);
    }

    /// The chain of held-out sequence `example` of a law.
    pub fn held_out_chain(&self, chains: Chains, seed: u64, example: usize) -> Chain {
        self.chain(chains, Stream::new(seed, Purpose::HeldOutChain, 0), chains as u64, example)
    }

    fn chain(&self, chains: Chains, stream: Stream, step: u64, example: usize) -> Chain {
        let mut words = vec![0; self.chain_words(chains)];
        stream.words(step, (example * words.len()) as u32, &mut words);
        self.law(chains).draw(self.symbols, self.order, &words)
    }

    /// Appends sequences of chains of `law`: the words of sequences and of chains come from these two streams.
    fn draw(&self, law: Law, streams: [Stream; 2], step: u64, examples: Span<usize>, out: &mut Vec<u8>) {
        let counts = [self.sequence_words(), law.words(self.symbols, self.order)];
        // Whole blocks of examples, since words are fastest many at a time.
        let block = (BLOCK_WORDS / counts[0].max(counts[1])).clamp(1, examples.len().max(1));
        let mut words = counts.map(|count| vec![0; block * count]);
        let mut walker = Walker::new(self.symbols, self.order);
        let mut rows = vec![0; contexts(self.symbols, self.order) * self.symbols];
        out.reserve(examples.len() * (self.length + 1));
        for from in examples.clone().step_by(block) {
            let size = block.min(examples.end - from);
            for ((words, count), stream) in words.iter_mut().zip(counts).zip(streams) {
                stream.words(step, (from * count) as u32, &mut words[..size * count]);
            }
            let [sequences, chains] = &words;
            for (sequence, chain) in sequences.chunks(counts[0]).zip(chains.chunks(counts[1])).take(size) {
                law.rows(self.symbols, chain, &mut rows);
                walker.walk(&rows, sequence, out);
            }
        }
    }

    /// Appends sequences of symbols as examples.
    fn push(&self, sequences: &[u8], out: &mut Batch) {
        out.x.extend(sequences.iter().map(|symbol| f32::from(*symbol)));
        out.y.extend(sequences.chunks(self.length + 1).map(|sequence| f32::from(sequence[self.length])));
    }
}

/// Random words that are drawn at once, so that memory stays small where a chain takes thousands.
const BLOCK_WORDS: usize = 1 << 14;

impl ToPyTorch for MarkovChain {
    fn to_pytorch(&self, _seed: u64) -> Result<Part, String> {
        Ok(Part::code(&[pytorch::CLASSES, include_str!("pytorch/sequences.py")]))
    }
}

impl TaskConfig for MarkovChain {
    fn default_run(&self) -> Preset {
        &[
            ("model", "attention-only"),
            ("opt", "adam"),
            ("lr", "0.005"),
            ("b2", "0.95"),
            ("loss", "ce"),
            ("steps", "400"),
            ("target", "0.5"),
            ("halt", "steps"),
            ("every", "5"),
            ("held", "256"),
        ]
    }

    fn default_view(&self) -> Preset {
        &[("show", "kl.strategies.map.distances"), ("speed", "60")]
    }

    fn theory_knobs(&self) -> &'static [Knob] {
        Explorer::KNOBS
    }

    fn view_problem(&self, key: &str, value: &Value) -> Option<String> {
        let Value::List(numbers) = value else { return None };
        let numbers: Vec<usize> = numbers.iter().map(|number| *number as usize).collect();
        let k = self.symbols;
        match key {
            "seq" => {
                let flaw = symbols_of(&numbers, k).err()?;
                Some(tr!("symbols below k = {k}; {flaw}", k, flaw))
            }
            "chain" if !numbers.is_empty() => {
                let flaw = Chain::from_percent(k, &numbers).err()?;
                Some(tr!("{k} rows of {k} numbers that sum to 100 each; {flaw}", k, flaw))
            }
            _ => None,
        }
    }
}

impl MarkovChain {
    /// Charts of this task alone.
    pub const CHARTS: &[Chart] = charts::CHARTS;
}

impl Sampler for MarkovChain {
    fn has_measures(&self) -> bool {
        true
    }

    fn form(&self) -> Form {
        Form::Sequence
    }

    fn inputs(&self) -> usize {
        self.symbols
    }

    fn columns(&self) -> usize {
        self.length + 1
    }

    fn length(&self) -> usize {
        self.length
    }

    fn classes(&self) -> Option<usize> {
        Some(self.symbols)
    }

    fn sample(&self, seed: u64, replica: u32, step: u64, size: usize, out: &mut Batch) {
        let mut sequences = vec![];
        self.sequences(seed, replica, step, size, &mut sequences);
        self.push(&sequences, out);
    }

    fn held_out(&self, seed: u64, from: usize, size: usize, out: &mut Batch) {
        let mut sequences = vec![];
        self.held_out_sequences(self.test, seed, from..from + size, &mut sequences);
        self.push(&sequences, out);
    }

    // Every batch is fresh: there is no sample to visit.
    fn finite_sample(&self, _seed: u64, _replica: u32, _from: usize, _size: usize, _out: &mut Batch) {}

    fn visits(&self, _seed: u64, _replica: u32, _step: u64, _size: usize) -> Vec<usize> {
        vec![]
    }

    fn sample_size(&self) -> Option<usize> {
        None
    }

    fn noise(&self) -> f64 {
        0.0
    }

    fn relevant(&self, _seed: u64) -> Vec<usize> {
        vec![]
    }

    fn problems(&self) -> Vec<Problem> {
        let mut problems = vec![];
        if contexts(self.symbols, self.order) > MOST_CONTEXTS {
            let fits = |order: &usize| contexts(self.symbols, *order) <= MOST_CONTEXTS;
            let most = (2..self.order).rfind(fits).unwrap_or(2);
            let expected = tr!(
                "at most {most} for k = {k}: {all} contexts",
                most,
                k = self.symbols,
                all = MOST_CONTEXTS
            );
            problems.push(Problem::new("gram", &self.order.to_string(), expected));
        }
        for (key, chains) in [("data", self.train), ("test", self.test)] {
            if self.order > 2 && chains != Chains::Dirichlet {
                let expected =
                    tr!("dirichlet for n = {n}: the others are laws of Markov chains", n = self.order);
                problems.push(Problem::new(key, chains.slug(), expected));
            }
        }
        if self.length < self.order {
            let expected = tr!("at least n = {n}", n = self.order);
            problems.push(Problem::new("t", &self.length.to_string(), expected));
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAWS: [Chains; 4] = [Chains::Dirichlet, Chains::Independent, Chains::Doubly, Chains::Mixture];

    #[test]
    fn a_batch_is_a_function_of_seed_replica_and_step() {
        let task = MarkovChain { symbols: 3, length: 20, ..Default::default() };
        let draw = |seed, replica, step, size| {
            let mut batch = Batch::default();
            task.sample(seed, replica, step, size, &mut batch);
            batch
        };
        let base = draw(1, 0, 0, 40);
        assert_eq!((base.x.len(), base.len()), (40 * 21, 40));
        assert!(base.x.iter().all(|x| [0.0, 1.0, 2.0].contains(x)));
        assert!((0..40).all(|e| base.y[e] == base.x[e * 21 + 20]));
        assert_eq!(base, draw(1, 0, 0, 40));
        for other in [draw(2, 0, 0, 40), draw(1, 1, 0, 40), draw(1, 0, 1, 40), draw(1, 0, 1 << 32, 40)] {
            assert_ne!(base.x, other.x);
        }
        // A larger batch begins with the smaller one.
        assert_eq!(base.x, draw(1, 0, 0, 500).x[..40 * 21]);
    }

    #[test]
    fn sequences_are_those_of_their_chains_one_by_one() {
        for (train, order, alpha) in
            [(0, 2, 1.0), (0, 2, 0.3), (1, 2, 1.0), (2, 2, 1.0), (3, 2, 1.0), (0, 3, 1.0), (0, 4, 2.0)]
        {
            let task =
                MarkovChain { symbols: 3, length: 9, order, train: LAWS[train], alpha, ..Default::default() };
            let mut sequences = vec![];
            task.sequences(5, 2, 3, 130, &mut sequences);
            assert_eq!(sequences.len(), 1300);
            for e in [0, 1, 2, 3, 77, 129] {
                let mut words = vec![0; task.sequence_words()];
                Stream::new(5, Purpose::Batch, 2).words(3, (e * words.len()) as u32, &mut words);
                let expected = task.trained_chain(5, 2, 3, e).sequence(&words);
                assert_eq!(sequences[e * 10..][..10], expected, "{train} {order} {e}");
            }
        }
    }

    #[test]
    fn held_out_sequences_are_of_the_law_of_the_test_and_can_be_read_in_parts() {
        for (number, test) in LAWS.into_iter().enumerate() {
            assert_eq!(Chains::ALL[number], test);
            let task = MarkovChain { symbols: 4, test, ..Default::default() };
            let (mut whole, mut parts, mut sequences) = (Batch::default(), Batch::default(), vec![]);
            task.held_out(1, 0, 90, &mut whole);
            for (from, size) in [(0, 7), (7, 1), (8, 82)] {
                task.held_out(1, from, size, &mut parts);
            }
            assert_eq!(whole, parts);
            task.held_out_sequences(test, 1, 0..90, &mut sequences);
            assert!(sequences.iter().zip(&whole.x).all(|(a, b)| f32::from(*a) == *b));
            let mut words = vec![0; task.sequence_words()];
            Stream::new(1, Purpose::HeldOut, 0).words(number as u64, (33 * words.len()) as u32, &mut words);
            assert_eq!(sequences[33 * 51..][..51], task.held_out_chain(test, 1, 33).sequence(&words));
        }
    }

    #[test]
    fn impossible_settings_are_named_and_mended() {
        for (query, key, found, expected) in [
            ("k=5&gram=4", "gram", "4", "at most 3 for k = 5: 64 contexts"),
            ("gram=3&data=ds", "data", "ds", "dirichlet for n = 3: the others are laws of Markov chains"),
            ("gram=3&test=iid", "test", "iid", "dirichlet for n = 3: the others are laws of Markov chains"),
            ("t=3&gram=4", "t", "3", "at least n = 4"),
        ] {
            let (link, notices) = crate::permalink::decode(&format!("#v1/markov?{query}"));
            let notice = &notices[0];
            assert_eq!((notice.key.as_str(), notice.found.as_str()), (key, found), "{query}");
            assert_eq!(notice.expected, expected);
            assert!(notices.len() == 1 && link.spec.problems().is_empty(), "{query}: {notices:?}");
        }
        for fine in ["k=8", "k=4&gram=4", "k=8&gram=3", "t=4&gram=4", "data=mixture&test=ds&k=8"] {
            assert!(crate::permalink::decode(&format!("#v1/markov?{fine}")).1.is_empty(), "{fine}");
        }
    }

    /// A batch is drawn for every training step; the bound is ten times what an idle core takes.
    #[test]
    fn a_batch_is_quick() {
        let task = MarkovChain { symbols: 3, length: 100, ..Default::default() };
        let mut sequences = vec![];
        let once = |step| {
            let begin = crate::platform::now_ms();
            sequences.clear();
            task.sequences(0, 0, step, 64, &mut sequences);
            crate::platform::now_ms() - begin
        };
        let least = (0..200).map(once).fold(f64::INFINITY, f64::min);
        assert!(least < 0.6, "{least} ms");
    }
}
