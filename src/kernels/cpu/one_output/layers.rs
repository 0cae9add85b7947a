//! The loop of hidden layers on numbers: [`DeepMlp`](vivarium_model::models::deep_mlp::DeepMlp), and
//! [`Mlp`](vivarium_model::models::mlp::Mlp) where its inputs are not drawn as bits.
//!
//! # Why
//! Examples go through all layers in blocks of [`TOGETHER`], so that their numbers stay in the caches between the layers.
//! The head is one column, which a product of matrices would fill up to sixteen: it is a sum over panels instead.

use super::OutputLoop;
use super::parts::multiply_panels;
use crate::cpu::dense::{Linear, Panels, PanelsMut, TILE_ROWS, panels, place};
use crate::cpu::one_hidden_layer::{LANES, Row, activate};
use crate::plan::coefficients;
use vivarium_model::models::activation::Activation;
use vivarium_model::models::deep_mlp::{b, w};
use vivarium_model::models::family::{Head, HiddenLayers, Powers};
use vivarium_model::models::mlp::{B, BETA, U, W};
use vivarium_model::models::{Architecture, Family};
use vivarium_model::run::RunSpec;
use vivarium_operators::simd::wide;

/// Examples that go through all layers together.
const TOGETHER: usize = 64;

/// Where parameters stand, and which of them are trained where layers are not trained one after the other.
#[derive(Debug, Clone)]
struct Places {
    /// W and b of every layer.
    layers: Vec<[usize; 2]>,
    /// u and β of every head.
    heads: Vec<[usize; 2]>,
    /// Parameters that stay as they are.
    fixed: Vec<usize>,
}

/// The loop.
pub struct LayersLoop {
    net: HiddenLayers,
    places: Places,
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

impl LayersLoop {
    /// The loop of these layers on so many inputs.
    fn new(net: HiddenLayers, places: Places, inputs: usize) -> Self {
        let rows = |numbers: usize| vec![Row::ZERO; panels(numbers) * TOGETHER];
        let below = std::iter::once(&inputs).chain(&net.widths);
        let linear = below.zip(&net.widths).map(|(below, width)| Linear::new(*below, *width)).collect();
        let units: Vec<Vec<Row>> = net.widths.iter().map(|width| rows(*width)).collect();
        let widest = rows(net.widths.iter().copied().max().unwrap_or(1));
        let coefficients = coefficients(net.activation, net.degree);
        LayersLoop {
            inputs,
            coefficients,
            linear,
            heads: vec![],
            x: rows(inputs),
            by_z: units.clone(),
            units,
            slopes: [widest.clone(), widest],
            places,
            net,
        }
    }

    /// The loop of one layer of powers, whose parameters are W, b, u and β.
    pub(super) fn of_powers(powers: Powers, inputs: usize) -> Self {
        let (activation, degree) = (Activation::Power, powers.degree);
        let net = HiddenLayers { widths: vec![powers.width], activation, degree, ..Default::default() };
        LayersLoop::new(net, Places { layers: vec![[W, B]], heads: vec![[U, BETA]], fixed: vec![] }, inputs)
    }

    /// Makes all units up to layer `top` of at most [`TOGETHER`] examples, and the slopes of σ if they are wanted; how many
    /// examples there are in full tiles.
    fn forward<const SLOPES: bool>(&mut self, x: &[f32], top: usize) -> usize {
        let count = (x.len() / self.inputs).next_multiple_of(TILE_ROWS);
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

    /// The lowest layer that is trained in `stage`.
    fn lowest(&self, stage: usize) -> usize {
        if self.net.greedy() {
            stage
        } else {
            usize::from(self.places.fixed.contains(&self.places.layers[0][0]))
        }
    }
}

/// The layers of a run's network, and where their parameters stand.
fn layers(spec: &RunSpec) -> Option<(HiddenLayers, Places)> {
    match spec.model.config().family()? {
        Family::HiddenLayers(net) => {
            let layers = (0..net.widths.len()).map(|layer| [w(layer), b(layer)]).collect();
            let heads = (0..net.stages()).map(|stage| [net.u(stage), net.u(stage) + 1]).collect();
            Some((net, Places { layers, heads, fixed: vec![] }))
        }
        Family::OneHiddenLayer(one) if one.head == Head::Sum => {
            let trained =
                [(W, one.first_layer), (B, one.hidden_bias), (U, one.second_layer), (BETA, one.output_bias)];
            let fixed = trained.iter().filter(|(_, trained)| !trained).map(|(which, _)| *which).collect();
            let (widths, activation, degree) = (vec![one.width], one.activation, one.degree);
            let net = HiddenLayers { widths, activation, degree, ..Default::default() };
            Some((net, Places { layers: vec![[W, B]], heads: vec![[U, BETA]], fixed }))
        }
        _ => None,
    }
}

impl OutputLoop for LayersLoop {
    fn of(spec: &RunSpec) -> Result<Self, String> {
        let (net, places) = layers(spec).ok_or_else(|| format!("its model is {}", spec.model.info().name))?;
        let examples = spec.task.examples();
        if examples.classes().is_some() {
            return Err(format!("its task is {}", spec.task.info().name));
        }
        Ok(LayersLoop::new(net, places, examples.inputs()))
    }

    fn trains(&self, which: usize, stage: usize) -> bool {
        let is_of = |[one, other]: [usize; 2]| which == one || which == other;
        match self.net.greedy() {
            true => is_of(self.places.layers[stage]) || is_of(self.places.heads[stage]),
            false => !self.places.fixed.contains(&which),
        }
    }

    fn load(&mut self, weights: &[Vec<Row>]) {
        for ([w, b], linear) in self.places.layers.iter().zip(&mut self.linear) {
            linear.load(&weights[*w], &weights[*b]);
        }
        let heads = self.places.heads.iter();
        self.heads = heads.map(|[u, beta]| (weights[*u].clone(), weights[*beta][0].0[0])).collect();
    }

    fn gradient(
        &mut self,
        x: &[f32],
        stage: usize,
        mut slope: impl FnMut(usize, f32) -> f32,
        gradient: &mut [Vec<Row>],
    ) {
        let (top, head) = (self.net.top(stage), self.head(stage));
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
                    multiply_panels(lower, &self.by_z[layer - 1], TOGETHER, count);
                    self.slopes.swap(0, 1);
                }
            }
        }
        for layer in lowest..=top {
            let Ok([of_w, of_b]) = gradient.get_disjoint_mut(self.places.layers[layer]) else { return };
            self.linear[layer].unload(of_w, of_b);
        }
        // Beyond the last neuron σ(0) need not be 0.
        let width = self.net.widths[top];
        if let Some(last) = u_slopes.last_mut() {
            last.0[(width - 1) % LANES + 1..].fill(0.0);
        }
        let [u, beta] = self.places.heads[head];
        gradient[u].copy_from_slice(&u_slopes);
        gradient[beta][0].0[0] = beta_slope;
    }

    fn outputs(&mut self, x: &[f32], stage: usize, out: &mut Vec<f32>) {
        let (top, head) = (self.net.top(stage), self.head(stage));
        for x in x.chunks(TOGETHER * self.inputs) {
            self.forward::<false>(x, top);
            out.extend((0..x.len() / self.inputs).map(|at| self.output(head, top, at)));
        }
    }
}
