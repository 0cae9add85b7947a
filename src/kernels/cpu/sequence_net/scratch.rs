//! The loops of a network with their memory: the training step of a replica and the measuring of it.

use super::graph::GraphNet;
use super::minimal::Minimal;
use super::sequence::Sequence;
use super::symbols::{Tally, tally};
use super::transformer::Transformer;
use super::{Kind, Network, Replica};
use crate::cpu::one_hidden_layer::{LANES, Row, Update};

/// A network's loops and their memory, which all replicas of a run may use in turn.
#[derive(Debug, Clone)]
pub struct Scratch {
    network: Network,
    engine: Engine,
    sequence: Sequence,
    gradients: Vec<Vec<Row>>,
    /// ε of the smoothed labels; 0 where they are not smoothed.
    pub smoothing: f32,
}

#[derive(Debug, Clone)]
enum Engine {
    Attention(Box<Transformer>),
    Minimal(Box<Minimal>),
    Graph(Box<GraphNet>),
}

/// What is to be computed of sequences, each of [`Network::length`] symbols and one more.
enum Job<'a> {
    Gradients(&'a [u8]),
    Measure(&'a [u8], &'a mut Tally),
    /// Of contexts without the symbol more: logits after each, and head scores on the first ones.
    Answer(&'a [u8], &'a mut Asked),
    /// Of contexts without the symbol more: all of it.
    Look(&'a [u8], &'a mut dyn FnMut(usize, &View)),
}

/// What a network makes of one context, at all of its places.
pub struct View<'a> {
    engine: &'a Engine,
    sequence: &'a Sequence,
    alphabet: usize,
}

impl View<'_> {
    /// The logit of `symbol` after the place `from`.
    pub fn logit(&self, from: usize, symbol: usize) -> f32 {
        let (logits, rows) = self.engine.logits(self.alphabet);
        logits[from / LANES * rows + symbol].0[from % LANES]
    }

    /// The cross-entropy of `label` after the place `from`, in nats.
    pub fn surprise(&self, from: usize, label: usize) -> f64 {
        let logit = |a: usize| f64::from(self.logit(from, a));
        let top = (0..self.alphabet).map(logit).fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = (0..self.alphabet).map(|a| libm::exp(logit(a) - top)).sum();
        libm::log(sum) + top - logit(label)
    }

    /// Heads of each layer.
    pub fn heads(&self) -> Vec<usize> {
        match self.engine {
            Engine::Attention(net) => net.heads(),
            Engine::Minimal(_) | Engine::Graph(_) => vec![],
        }
    }

    /// The share of attention of place `from` on place `to`; 0 where there are no heads.
    pub fn share(&self, layer: usize, head: usize, from: usize, to: usize) -> f32 {
        match self.engine {
            Engine::Attention(net) => net.share(self.sequence, layer, head, from, to),
            Engine::Minimal(_) | Engine::Graph(_) => 0.0,
        }
    }
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
            Kind::Graph(graph) => {
                Engine::Graph(Box::new(GraphNet::new(graph, network.symbols, network.length)))
            }
        };
        Scratch {
            engine,
            sequence: Sequence::new(network.symbols, span),
            gradients: network.layout.rows(),
            network: network.clone(),
            smoothing: 0.0,
        }
    }

    /// Heads of each layer; none where there are no heads.
    pub fn heads(&self) -> Vec<usize> {
        match &self.engine {
            Engine::Attention(net) => net.heads(),
            Engine::Minimal(_) | Engine::Graph(_) => vec![],
        }
    }

    /// One step of a replica on a batch.
    ///
    /// # Shapes
    /// `batch` is `[sequences, length + 1]`, each symbol below [`Network::symbols`].
    pub fn step(&mut self, replica: &mut Replica, batch: &[u8], update: &Update) {
        self.compute(replica, Job::Gradients(batch));
        replica.update(&self.network.layout, &mut self.gradients, update);
    }

    /// Room for a gradient: zeros for all parameters.
    pub fn zeros(&self) -> Vec<Vec<Row>> {
        self.network.layout.rows()
    }

    /// Writes the gradient of the mean loss of a replica on a batch as in [`Scratch::step`].
    pub fn gradient(&mut self, replica: &Replica, batch: &[u8], gradient: &mut Vec<Vec<Row>>) {
        self.compute(replica, Job::Gradients(batch));
        std::mem::swap(&mut self.gradients, gradient);
    }

    /// Loss and right answers on a batch as in [`Scratch::step`].
    pub fn measure(&mut self, replica: &Replica, batch: &[u8]) -> Tally {
        let mut tally = Tally::default();
        self.compute(replica, Job::Measure(batch, &mut tally));
        tally
    }

    /// Answers on contexts, `[contexts, length]`.
    pub(super) fn answer(&mut self, replica: &Replica, contexts: &[u8], asked: &mut Asked) {
        self.compute(replica, Job::Answer(contexts, asked));
    }

    /// Shows `see` what the network makes of each of the `contexts`, by its number.
    ///
    /// # Shapes
    /// `contexts` is `[contexts, length]`.
    pub fn look(&mut self, replica: &Replica, contexts: &[u8], see: &mut dyn FnMut(usize, &View)) {
        self.compute(replica, Job::Look(contexts, see));
    }

    fn compute(&mut self, replica: &Replica, job: Job) {
        let Scratch { network, engine, sequence, gradients, smoothing } = self;
        match engine {
            Engine::Attention(net) => net.load(replica.weights()),
            Engine::Minimal(net) => net.load(replica.weights()),
            Engine::Graph(net) => net.load(replica.weights()),
        }
        let (symbols, length) = (network.symbols, network.length);
        match job {
            Job::Gradients(batch) => {
                if let Engine::Graph(net) = engine {
                    net.gradient(batch, *smoothing, gradients);
                    return;
                }
                let scale = 1.0 / (batch.len() / (length + 1) * length).max(1) as f32;
                for symbols in batch.chunks_exact(length + 1) {
                    sequence.read(symbols);
                    engine.forward(sequence, true, &[]);
                    engine.backward(sequence, scale, *smoothing);
                }
                match engine {
                    Engine::Attention(net) => net.unload(gradients),
                    Engine::Minimal(net) => net.unload(gradients),
                    Engine::Graph(_) => {}
                }
            }
            Job::Measure(batch, sums) => {
                for context in batch.chunks_exact(length + 1) {
                    sequence.read(context);
                    engine.forward(sequence, true, &[]);
                    let (logits, rows) = engine.logits(symbols);
                    tally(sequence, symbols, rows, logits, sums);
                }
            }
            Job::Look(contexts, see) => {
                for (c, context) in contexts.chunks_exact(length).enumerate() {
                    sequence.read(context);
                    engine.forward(sequence, true, &[]);
                    see(c, &View { engine: &*engine, sequence: &*sequence, alphabet: symbols });
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
}

impl Engine {
    fn forward(&mut self, sequence: &Sequence, all: bool, off: &[usize]) {
        match self {
            Engine::Attention(net) => net.forward(sequence, all, off),
            Engine::Minimal(net) => net.forward(sequence),
            Engine::Graph(net) => net.forward(sequence),
        }
    }

    fn backward(&mut self, sequence: &Sequence, scale: f32, smoothing: f32) {
        match self {
            Engine::Attention(net) => net.backward(sequence, scale, smoothing),
            Engine::Minimal(net) => net.backward(sequence, scale, smoothing),
            // A graph has the gradient of a whole batch.
            Engine::Graph(_) => {}
        }
    }

    /// The logits, `[block][symbol]`, and how many rows a block has.
    fn logits(&self, symbols: usize) -> (&[Row], usize) {
        match self {
            Engine::Attention(net) => (&net.logits, symbols.next_multiple_of(super::products::TILE_ROWS)),
            Engine::Minimal(net) => (&net.logits, symbols),
            Engine::Graph(net) => (&net.logits, symbols),
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
