//! The loop of hidden layers on numbers: [`DeepMlp`](crate::models::deep_mlp::DeepMlp), and
//! [`Mlp`](crate::models::mlp::Mlp) where its inputs are not drawn as bits.
//!
//! # Why
//! Examples go through all layers in blocks of [`TOGETHER`], so that their numbers stay in the caches between the layers.
//! The head is one column, which a product of matrices would fill up to sixteen: it is a sum over panels instead.

use super::OutputLoop;
use crate::kernels::cpu::dense::{HIGH, Linear, Panels, PanelsMut, panels, place};
use crate::kernels::cpu::one_hidden_layer::{LANES, Row, activate};
use crate::kernels::cpu::wide::wide;
use crate::models::Family;
use crate::models::activation::{Activation, interpolant};
use crate::models::deep_mlp::{b, w};
use crate::models::family::{Head, HiddenLayers, OneHiddenLayer};
use crate::run::RunSpec;

/// Examples that go through all layers together.
const TOGETHER: usize = 64;

/// What is trained of one hidden layer with one output; of several layers everything is.
#[derive(Debug, Clone, Copy)]
struct Trained {
    first_layer: bool,
    hidden_bias: bool,
    second_layer: bool,
    output_bias: bool,
}

/// The loop.
pub struct LayersLoop {
    net: HiddenLayers,
    trained: Trained,
    /// Whether u stands before b in the parameters, as in [`Mlp`](crate::models::mlp::Mlp).
    u_first: bool,
    inputs: usize,
    /// Coefficients of the activation's polynomial, if it has one, lowest first.
    coefficients: Vec<f32>,
    linear: Vec<Linear>,
    /// Every head's u, `[panel]`, and β.
    heads: Vec<(Vec<Row>, f32)>,
    /// `[panel][example]`.
    x: Vec<Row>,
    /// σ(z) of every layer, `[panel][example]`.
    units: Vec<Vec<Row>>,
    /// σ'(z) of every layer, as `units`.
    by_z: Vec<Vec<Row>>,
    /// Slopes in z of a layer and of the one below it.
    slopes: [Vec<Row>; 2],
}

wide! {
    /// Replaces z by σ(z) and puts σ'(z) into `slopes`.
    fn activate_with_slopes(sigma: (Activation, usize), coefficients: &[f32], z: &mut [Row], slopes: &mut [Row]) {
        activate::<true>(sigma, coefficients, z, slopes);
    }
}

wide! {
    /// Replaces z by σ(z).
    fn activate_alone(sigma: (Activation, usize), coefficients: &[f32], z: &mut [Row]) {
        activate::<false>(sigma, coefficients, z, &mut []);
    }
}

wide! {
    /// Multiplies numbers by others.
    pub(super) fn multiply(numbers: &mut [Row], by: &[Row]) {
        for (number, by) in numbers.iter_mut().zip(by) {
            *number = number.zip(*by, |a, b| a * b);
        }
    }
}

impl LayersLoop {
    /// Makes all units up to layer `top` of at most [`TOGETHER`] examples, and the slopes of σ if they are wanted; how many
    /// examples there are in full tiles.
    fn forward<const SLOPES: bool>(&mut self, x: &[f32], top: usize) -> usize {
        let count = (x.len() / self.inputs).next_multiple_of(HIGH);
        let mut panels_of_x = PanelsMut::new(&mut self.x, TOGETHER);
        for (at, x) in x.chunks_exact(self.inputs).enumerate() {
            place(x, &mut panels_of_x, at);
        }
        let sigma = (self.net.activation, self.net.degree);
        for (layer, linear) in self.linear[..=top].iter().enumerate() {
            let (below, above) = self.units.split_at_mut(layer);
            let below = Panels::new(below.last().unwrap_or(&self.x), TOGETHER);
            let z = &mut above[0];
            linear.forward(below, &mut PanelsMut::new(z, TOGETHER), count);
            let all = z.chunks_exact_mut(TOGETHER).zip(self.by_z[layer].chunks_exact_mut(TOGETHER));
            for (z, by_z) in all {
                match SLOPES {
                    true => {
                        activate_with_slopes(sigma, &self.coefficients, &mut z[..count], &mut by_z[..count])
                    }
                    false => activate_alone(sigma, &self.coefficients, &mut z[..count]),
                }
            }
        }
        count
    }

    /// The output of example `at` above layer `top`.
    fn output(&self, head: usize, top: usize, at: usize) -> f32 {
        let (u, beta) = &self.heads[head];
        let units = self.units[top].iter().skip(at).step_by(TOGETHER);
        let sum = units.zip(u).fold(Row::ZERO, |sum, (unit, u)| sum + unit.zip(*u, |a, b| a * b));
        sum.sum() + beta
    }

    /// Number of the head that is the output in `stage`.
    fn head(&self, stage: usize) -> usize {
        if self.net.greedy() { stage } else { 0 }
    }

    /// Where the parameter that is number `which` in a deep MLP stands, and the other way round.
    fn at(&self, which: usize) -> usize {
        match which {
            1 if self.u_first => 2,
            2 if self.u_first => 1,
            _ => which,
        }
    }

    /// The lowest layer that is trained in `stage`.
    fn lowest(&self, stage: usize) -> usize {
        if self.net.greedy() { stage } else { usize::from(!self.trained.first_layer) }
    }
}

/// The layers of a run's network, and what is trained of them.
fn layers(spec: &RunSpec) -> Option<(HiddenLayers, Trained)> {
    match spec.model.config().family()? {
        Family::HiddenLayers(net) => {
            let all = Trained { first_layer: true, hidden_bias: true, second_layer: true, output_bias: true };
            Some((net, all))
        }
        Family::OneHiddenLayer(one) if one.head == Head::Sum => {
            let OneHiddenLayer {
                activation,
                degree,
                first_layer,
                hidden_bias,
                second_layer,
                output_bias,
                ..
            } = one;
            let net = HiddenLayers { widths: vec![one.width], activation, degree, ..Default::default() };
            Some((net, Trained { first_layer, hidden_bias, second_layer, output_bias }))
        }
        _ => None,
    }
}

impl OutputLoop for LayersLoop {
    fn of(spec: &RunSpec) -> Result<Self, String> {
        let (net, trained) =
            layers(spec).ok_or_else(|| format!("its model is {}", spec.model.info().name))?;
        let examples = spec.task.examples();
        if examples.classes().is_some() {
            return Err(format!("its task is {}", spec.task.info().name));
        }
        let inputs = examples.inputs();
        let rows = |numbers: usize| vec![Row::ZERO; panels(numbers) * TOGETHER];
        let below = std::iter::once(&inputs).chain(&net.widths);
        let linear = below.zip(&net.widths).map(|(below, width)| Linear::new(*below, *width)).collect();
        let units: Vec<Vec<Row>> = net.widths.iter().map(|width| rows(*width)).collect();
        let widest = rows(net.widths.iter().copied().max().unwrap_or(1));
        let coefficients = match net.activation {
            Activation::Oscillating => interpolant(net.degree).iter().map(|c| *c as f32).collect(),
            _ => vec![],
        };
        Ok(LayersLoop {
            inputs,
            coefficients,
            linear,
            heads: vec![],
            x: rows(inputs),
            by_z: units.clone(),
            units,
            slopes: [widest.clone(), widest],
            u_first: matches!(spec.model.config().family(), Some(Family::OneHiddenLayer(_))),
            trained,
            net,
        })
    }

    fn trains(&self, which: usize, stage: usize) -> bool {
        let Trained { first_layer, hidden_bias, second_layer, output_bias } = self.trained;
        let (head, which) = (self.net.u(stage), self.at(which));
        match which {
            _ if which == head => second_layer,
            _ if which == head + 1 => output_bias,
            0 if !self.net.greedy() => first_layer,
            1 if !self.net.greedy() => hidden_bias,
            _ => !self.net.greedy() || which / 2 == stage,
        }
    }

    fn load(&mut self, weights: &[Vec<Row>]) {
        for layer in 0..self.linear.len() {
            let [at_w, at_b] = [w(layer), b(layer)].map(|which| self.at(which));
            self.linear[layer].load(&weights[at_w], &weights[at_b]);
        }
        let heads = (2 * self.linear.len()..weights.len()).step_by(2);
        let head = |u: usize| (weights[self.at(u)].clone(), weights[self.at(u + 1)][0].0[0]);
        self.heads = heads.map(head).collect();
    }

    fn gradient(
        &mut self,
        x: &[f32],
        stage: usize,
        mut slope: impl FnMut(usize, f32) -> f32,
        gradient: &mut [Vec<Row>],
    ) {
        let (top, head, at_u) = (self.net.top(stage), self.head(stage), self.net.u(stage));
        let lowest = self.lowest(stage);
        self.linear[lowest..=top].iter_mut().skip(1).for_each(Linear::turn);
        let mut u_slopes = vec![Row::ZERO; self.heads[head].0.len()];
        let mut beta_slope = 0.0;
        for (block, x) in x.chunks(TOGETHER * self.inputs).enumerate() {
            let (examples, count) = (x.len() / self.inputs, self.forward::<true>(x, top));
            let mut pulls = [0.0; TOGETHER];
            for (at, pull) in pulls[..examples].iter_mut().enumerate() {
                *pull = slope(block * TOGETHER + at, self.output(head, top, at));
                beta_slope += *pull;
            }
            for (panel, (u, u_slope)) in self.heads[head].0.iter().zip(&mut u_slopes).enumerate() {
                let of = panel * TOGETHER..panel * TOGETHER + count;
                let units = self.units[top][of.clone()].iter().zip(&self.by_z[top][of.clone()]);
                for ((d, (unit, by_z)), pull) in self.slopes[0][of].iter_mut().zip(units).zip(&pulls) {
                    *u_slope = *u_slope + *unit * *pull;
                    *d = u.zip(*by_z, |u, by_z| u * pull * by_z);
                }
            }
            for layer in (lowest..=top).rev() {
                let [d, lower] = &mut self.slopes;
                let (linear, d) = (&mut self.linear[layer], Panels::new(d, TOGETHER));
                let below = layer.checked_sub(1).map_or(&self.x, |below| &self.units[below]);
                linear.learn(Panels::new(below, TOGETHER), d, count);
                linear.learn_bias(d, count);
                if layer > lowest {
                    linear.backward(d, &mut PanelsMut::new(lower, TOGETHER), count, false);
                    let all =
                        lower.chunks_exact_mut(TOGETHER).zip(self.by_z[layer - 1].chunks_exact(TOGETHER));
                    all.for_each(|(d, by_z)| multiply(&mut d[..count], &by_z[..count]));
                    self.slopes.swap(0, 1);
                }
            }
        }
        for layer in lowest..=top {
            let places = [w(layer), b(layer)].map(|which| self.at(which));
            let Ok([of_w, of_b]) = gradient.get_disjoint_mut(places) else { return };
            self.linear[layer].unload(of_w, of_b);
        }
        // Beyond the last neuron σ(0) need not be 0.
        let width = self.net.widths[top];
        if let Some(last) = u_slopes.last_mut() {
            last.0[(width - 1) % LANES + 1..].fill(0.0);
        }
        gradient[self.at(at_u)].copy_from_slice(&u_slopes);
        gradient[self.at(at_u + 1)][0].0[0] = beta_slope;
    }

    fn outputs(&mut self, x: &[f32], stage: usize, out: &mut Vec<f32>) {
        let (top, head) = (self.net.top(stage), self.head(stage));
        for x in x.chunks(TOGETHER * self.inputs) {
            self.forward::<false>(x, top);
            out.extend((0..x.len() / self.inputs).map(|at| self.output(head, top, at)));
        }
    }
}
