//! Decoders on points of a function, trained on one processor core without a tensor: the mean squared error over all
//! points of a batch.
//!
//! The formulas are those of [`in_context_transformer`](vivarium_model::models::in_context_transformer), whose plain loops in double
//! precision are the reference here.
//!
//! # Why
//! Layers, norms and attention are those of [`sequence_net`](super::sequence_net): prompts go one after the other
//! through the whole network and back, so that all that is kept of one fits the second-level cache. The answer of the last
//! point is not read, since nothing is predicted after it, and behind the last attention only questions go on. As there,
//! only operations occur that IEEE 754 fixes, and a run has the same bits in every browser and on every processor.
//!
//! # Speed
//! Steps per second with drawing and update, width 32 with two heads and 64 neurons, 64 prompts of 17 points, Adam with
//! clipped gradients (`lab bench --points --peers`, medians of five windows, one of two hyperthreads of an AMD EPYC with
//! AVX-512, the other one idle, 2026-11-25):
//!
//! | network | ours | GFLOP/s | PyTorch 2.15, 1 thread | times | 2 threads | times |
//! |---|---|---|---|---|---|---|
//! | one layer | 486 | 60 | 204 | 2.4 | 234 | 2.1 |
//! | two layers | 241 | 59 | 111 | 2.2 | 120 | 2.0 |
//! | four layers | 105 | 51 | 54 | 2.0 | 43 | 2.5 |
//! | two layers, joint tokens, ReLU attention | 222 | 54 | 112 | 2.0 | 82 | 2.7 |
//!
//! The core makes at most 118 GFLOP/s without fused multiplication, which would round otherwise in one browser than in
//! another, and PyTorch has twice as many with it. Of the time 36 % is in products with weights, 19 % in their gradients,
//! 22 % in attention, 9 % in norms. Two tiles at once, with the registers of AVX-512, are no quicker. The whole preset of
//! two layers, 4,000 steps with its 41 measurements, takes 17.7 s, and in Chromium 44.1 s from the first step to the last one
//! that the page shows (two quiet cores of an Intel Xeon with AVX-512, 2026-11-26). A script that
//! reads the text of the whole page fifty times a second slows the run down to 70 s.
//!
//! # Limit
//! Three times PyTorch would be 330 steps of two layers per second, 80 GFLOP/s. The products already make 95 of the 118
//! GFLOP/s that are there without fused multiplication, their gradients 90. With both at 118 the step would take 3.6 of its
//! 4.1 ms, which is 2.5 times PyTorch; the rest would have to come from attention (22 %), norms, drawing and the update.

mod network;
#[cfg(test)]
mod tests;

use super::one_hidden_layer::Row;
use super::prompt_net::PromptLoop;
use super::sequence_net::attention::Weighing;
use super::sequence_net::layer::LayerKind;
use network::Network;
use vivarium_model::models::Family;
use vivarium_model::models::attend::Attend;
use vivarium_model::models::family::LayerPlaces;
use vivarium_model::models::in_context_transformer::{Format, Norm, OnPoints, Unit};
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::TaskData;

/// What is known of a decoder before it is trained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// Numbers in an input x.
    pub inputs: usize,
    /// Points of a prompt.
    pub points: usize,
    /// Most points that there are vectors of places for.
    pub longest: usize,
    /// Whether the token of an answer holds its x.
    pub joint: bool,
    /// What every layer is.
    pub kind: LayerKind,
    /// Place of the read-in.
    pub read_in: usize,
    /// Place of the vectors of places, if there are any.
    pub positions: Option<usize>,
    /// Places of the layers' parameters.
    pub layers: Vec<LayerPlaces>,
    /// Place of the last norm's gains.
    pub gain: usize,
    /// Place of the read-out.
    pub readout: usize,
}

impl Shape {
    /// That of a run's network.
    ///
    /// # Errors
    /// A sentence that says why the network is not covered.
    pub fn of(spec: &RunSpec) -> Result<Self, String> {
        let TaskData::Points(prompts) = spec.task.data() else {
            return Err(format!("its task is {}", spec.task.info().name));
        };
        let Some(Family::InContext(net)) = spec.model.config().family() else {
            return Err(format!("its model is {}", spec.model.info().name));
        };
        Ok(Shape::new(&OnPoints { net, prompts }))
    }

    /// That of a network.
    pub fn new(OnPoints { net, prompts }: &OnPoints) -> Self {
        let places = net.places();
        let layers = places.layers.iter().map(|at| LayerPlaces {
            gain: Some(at.gain_attention),
            query: at.query,
            key: at.key,
            value: at.value,
            distances: None,
            out: Some(at.out),
            mlp_gain: Some(at.gain_mlp),
            mlp: Some([at.mlp_in, at.mlp_out]),
        });
        Shape {
            inputs: prompts.inputs(),
            points: prompts.points,
            longest: prompts.max_points(),
            joint: net.format == Format::Joint,
            kind: LayerKind {
                heads: net.heads,
                width: net.width,
                hidden: net.hidden,
                gelu: net.unit == Unit::Gelu,
                centred: net.norm == Norm::Layer,
                weighing: match net.attend {
                    Attend::Softmax => Weighing::Softmax,
                    Attend::Relu => Weighing::Relu,
                },
            },
            read_in: places.read_in,
            positions: places.positions,
            layers: layers.collect(),
            gain: places.gain,
            readout: places.readout,
        }
    }

    /// Tokens of a prompt: a question and an answer of each point, but for the last answer.
    pub fn tokens(&self) -> usize {
        (2 * self.points).saturating_sub(1)
    }

    /// Numbers of a prompt.
    pub fn columns(&self) -> usize {
        self.points * (self.inputs + 1)
    }
}

/// The loop.
pub struct InContextLoop {
    shape: Shape,
    network: Network,
}

impl InContextLoop {
    /// The loop of a network whose parameters are zero.
    pub fn new(shape: Shape) -> Self {
        InContextLoop { network: Network::new(shape.clone()), shape }
    }
}

impl PromptLoop for InContextLoop {
    fn of(spec: &RunSpec) -> Result<Self, String> {
        Ok(InContextLoop::new(Shape::of(spec)?))
    }

    fn load(&mut self, weights: &[Vec<Row>]) {
        self.network.load(weights);
    }

    fn gradient(&mut self, rows: &[f32], gradient: &mut [Vec<Row>]) {
        let (columns, points) = (self.shape.columns(), self.shape.points);
        let share = 1.0 / (rows.len() / columns * points).max(1) as f32;
        for row in rows.chunks_exact(columns) {
            self.network.forward(row);
            self.network.backward(&row[columns - points..], share);
        }
        self.network.unload(gradient);
    }

    fn outputs(&mut self, rows: &[f32], out: &mut Vec<f32>) {
        for row in rows.chunks_exact(self.shape.columns()) {
            self.network.forward(row);
            out.extend_from_slice(&self.network.outputs);
        }
    }
}
