//! One network: its parameters, the training step and the measuring of it.

use super::minimal::Minimal;
use super::sequence::Sequence;
use super::symbols::{Tally, tally};
use super::transformer::Transformer;
use super::{Kind, Network};
use crate::kernels::cpu::ReplicaState;
use crate::kernels::cpu::one_hidden_layer::{LANES, Row, Update};
use crate::kernels::cpu::wide::wide;

/// One network with what its optimizer remembers.
///
/// Parameters and moments are each one number after the other, in rows that are filled up with zeros.
#[derive(Debug, Clone, PartialEq)]
pub struct Replica {
    /// `[part][parameter]`.
    state: Vec<Vec<Vec<Row>>>,
    /// Numbers of each parameter.
    sizes: Vec<usize>,
}

/// A network's loops and their memory, which all replicas of a run may use in turn.
#[derive(Debug, Clone)]
pub struct Scratch {
    network: Network,
    engine: Engine,
    sequence: Sequence,
    gradients: Vec<Vec<Row>>,
}

#[derive(Debug, Clone)]
enum Engine {
    Attention(Box<Transformer>),
    Minimal(Box<Minimal>),
}

/// What is to be computed of sequences, each of [`Network::length`] symbols and one more.
enum Job<'a> {
    Step(&'a [u8], &'a Update),
    Measure(&'a [u8], &'a mut Tally),
    /// Of contexts without the symbol more: logits after each, and head scores on the first ones.
    Answer(&'a [u8], &'a mut Asked),
}

/// What is asked of contexts.
pub(super) struct Asked {
    /// How many contexts head scores are taken on.
    pub scored: usize,
    /// Heads that are switched off.
    pub off: Vec<usize>,
    /// Logits after each context.
    pub logits: Vec<f32>,
    /// Of each head the sum of previous-token scores, the sum of induction scores and how many those are.
    pub heads: Vec<[f64; 3]>,
}

impl Scratch {
    /// What `network` needs.
    pub fn new(network: &Network) -> Self {
        let span = super::attention::Span::new(network.length);
        let engine = match &network.kind {
            Kind::Attention(net) => {
                Engine::Attention(Box::new(Transformer::new(net, network.symbols, network.length)))
            }
            Kind::Minimal => Engine::Minimal(Box::new(Minimal::new(network.symbols, network.length))),
        };
        Scratch {
            engine,
            sequence: Sequence::new(network.symbols, span),
            gradients: network.rows(),
            network: network.clone(),
        }
    }

    /// Heads of each layer; none where there are no heads.
    pub fn heads(&self) -> Vec<usize> {
        match &self.engine {
            Engine::Attention(net) => net.heads(),
            Engine::Minimal(_) => vec![],
        }
    }
}

impl ReplicaState for Replica {
    fn read(&self, part: usize, which: usize) -> Vec<f32> {
        self.state[part][which].iter().flat_map(|row| row.0).take(self.sizes[which]).collect()
    }

    fn write(&mut self, part: usize, which: usize, values: &[f32]) {
        for (row, values) in self.state[part][which].iter_mut().zip(values.chunks(LANES)) {
            row.0[..values.len()].copy_from_slice(values);
        }
    }

    fn copy(&mut self, other: &Self) {
        self.state.clone_from(&other.state);
    }
}

impl Replica {
    /// A network whose numbers are all zero.
    pub fn new(network: &Network) -> Self {
        Replica { state: vec![network.rows(); 1 + network.rule.moments()], sizes: network.sizes.clone() }
    }

    /// One step on a batch.
    ///
    /// # Shapes
    /// `batch` is `[sequences, length + 1]`, each symbol below [`Network::symbols`].
    pub fn step(&mut self, scratch: &mut Scratch, batch: &[u8], update: &Update) {
        self.compute(scratch, Job::Step(batch, update));
    }

    /// Loss and right answers on a batch as in [`Replica::step`].
    pub fn measure(&mut self, scratch: &mut Scratch, batch: &[u8]) -> Tally {
        let mut tally = Tally::default();
        self.compute(scratch, Job::Measure(batch, &mut tally));
        tally
    }

    /// Answers on contexts, `[contexts, length]`.
    pub(super) fn answer(&mut self, scratch: &mut Scratch, contexts: &[u8], asked: &mut Asked) {
        self.compute(scratch, Job::Answer(contexts, asked));
    }

    fn compute(&mut self, scratch: &mut Scratch, job: Job) {
        let Scratch { network, engine, sequence, gradients } = scratch;
        match engine {
            Engine::Attention(net) => net.load(&self.state[0]),
            Engine::Minimal(net) => net.load(&self.state[0]),
        }
        let (symbols, length) = (network.symbols, network.length);
        match job {
            Job::Step(batch, update) => {
                let scale = 1.0 / (batch.len() / (length + 1) * length).max(1) as f32;
                for symbols in batch.chunks_exact(length + 1) {
                    sequence.read(symbols);
                    engine.forward(sequence, true, &[]);
                    engine.backward(sequence, scale);
                }
                match engine {
                    Engine::Attention(net) => net.unload(gradients),
                    Engine::Minimal(net) => net.unload(gradients),
                }
                self.update(network, gradients, update);
            }
            Job::Measure(batch, sums) => {
                for context in batch.chunks_exact(length + 1) {
                    sequence.read(context);
                    engine.forward(sequence, true, &[]);
                    let (logits, rows) = engine.logits(symbols);
                    tally(sequence, symbols, rows, logits, sums);
                }
            }
            Job::Answer(contexts, asked) => {
                for (c, context) in contexts.chunks_exact(length).enumerate() {
                    sequence.read(context);
                    engine.forward(sequence, c < asked.scored, &asked.off);
                    let (logits, rows) = engine.logits(symbols);
                    let last = &logits[(length - 1) / LANES * rows..];
                    asked.logits.extend(last[..symbols].iter().map(|row| row.0[(length - 1) % LANES]));
                    if c < asked.scored {
                        engine.score(sequence, &mut asked.heads);
                    }
                }
            }
        }
    }

    fn update(&mut self, network: &Network, gradients: &[Vec<Row>], update: &Update) {
        let free = update.undecayed();
        for (which, (gradient, decays)) in gradients.iter().zip(&network.decays).enumerate() {
            apply(&mut self.state, which, gradient, if *decays { update } else { &free });
        }
    }
}

impl Engine {
    fn forward(&mut self, sequence: &Sequence, all: bool, off: &[usize]) {
        match self {
            Engine::Attention(net) => net.forward(sequence, all, off),
            Engine::Minimal(net) => net.forward(sequence),
        }
    }

    fn backward(&mut self, sequence: &Sequence, scale: f32) {
        match self {
            Engine::Attention(net) => net.backward(sequence, scale),
            Engine::Minimal(net) => net.backward(sequence, scale),
        }
    }

    /// The logits, `[block][symbol]`, and how many rows a block has.
    fn logits(&self, symbols: usize) -> (&[Row], usize) {
        match self {
            Engine::Attention(net) => (&net.logits, symbols.next_multiple_of(super::products::HIGH)),
            Engine::Minimal(net) => (&net.logits, symbols),
        }
    }

    /// Adds the scores of every head on a sequence whose forward pass of all positions has just been made.
    fn score(&self, sequence: &Sequence, heads: &mut [[f64; 3]]) {
        let Engine::Attention(net) = self else { return };
        let last = sequence.span.length - 1;
        let follows = |j: &usize| sequence.symbols[j - 1] == sequence.symbols[last];
        let found = (1..=last).any(|j| follows(&j));
        let of_layer = |(layer, heads): (usize, usize)| (0..heads).map(move |head| (layer, head));
        let each = net.heads().into_iter().enumerate().flat_map(of_layer);
        for (score, (layer, head)) in heads.iter_mut().zip(each) {
            let share = |from: usize, to: usize| f64::from(net.share(sequence, layer, head, from, to));
            score[0] += (1..=last).map(|i| share(i, i - 1)).sum::<f64>() / last as f64;
            score[1] += (1..=last).filter(follows).map(|j| share(last, j)).sum::<f64>();
            score[2] += f64::from(u8::from(found));
        }
    }
}

wide! {
    /// Moves parameter `which` against its gradient.
    fn apply(state: &mut [Vec<Vec<Row>>], which: usize, gradient: &[Row], update: &Update) {
        match state {
            [w] => update.apply(&mut w[which], gradient, &mut [], &mut []),
            [w, m] => update.apply(&mut w[which], gradient, &mut m[which], &mut []),
            [w, m, v, ..] => update.apply(&mut w[which], gradient, &mut m[which], &mut v[which]),
            [] => {}
        }
    }
}
