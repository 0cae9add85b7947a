//! The loop of powers of linear forms: [`PowerNet`](vivarium_model::models::power_net::PowerNet).
//!
//! # Why
//! They are a hidden layer without biases whose head is the difference of two rows, so that the loop of layers does the work.
//! Its biases stay zero, and what it finds for the head is the gradient of one row, and less the gradient of the other.

use super::layers::LayersLoop;
use super::{Layout, OutputLoop};
use crate::cpu::one_hidden_layer::{LANES, Row};
use vivarium_model::models::family::Powers;
use vivarium_model::models::power_net::{U, W};
use vivarium_model::models::{Family, Penalty, mlp};
use vivarium_model::run::RunSpec;

/// The loop.
pub struct PowersLoop {
    inputs: usize,
    width: usize,
    layers: LayersLoop,
    /// Weights and gradient as the loop of layers takes them.
    inner: [Vec<Vec<Row>>; 2],
}

/// A number of a parameter whose numbers lie one after the other.
fn number(rows: &[Row], at: usize) -> f32 {
    rows[at / LANES].0[at % LANES]
}

/// The place of such a number.
fn place(rows: &mut [Row], at: usize) -> &mut f32 {
    &mut rows[at / LANES].0[at % LANES]
}

impl OutputLoop for PowersLoop {
    fn of(spec: &RunSpec) -> Result<Self, String> {
        let Some(Family::Powers(powers)) = spec.model.config().family() else {
            return Err(format!("its model is {}", spec.model.info().name));
        };
        let (inputs, Powers { width, .. }) = (spec.task.examples().inputs(), powers);
        let mut layout = Layout { sizes: vec![0; 4], decays: vec![], ..Layout::of(spec) };
        layout.sizes[mlp::W] = inputs * width;
        (layout.sizes[mlp::B], layout.sizes[mlp::U], layout.sizes[mlp::BETA]) = (width, width, 1);
        let inner = [layout.rows(), layout.rows()];
        Ok(PowersLoop { inputs, width, layers: LayersLoop::of_powers(powers, inputs), inner })
    }

    fn load(&mut self, weights: &[Vec<Row>]) {
        let [inner, _] = &mut self.inner;
        inner[mlp::W].copy_from_slice(&weights[U]);
        for i in 0..self.width {
            *place(&mut inner[mlp::U], i) = number(&weights[W], i) - number(&weights[W], self.width + i);
        }
        self.layers.load(inner);
    }

    fn gradient(
        &mut self,
        x: &[f32],
        stage: usize,
        slope: impl FnMut(usize, f32) -> f32,
        gradient: &mut [Vec<Row>],
    ) {
        let [_, inner] = &mut self.inner;
        self.layers.gradient(x, stage, slope, inner);
        gradient[U].copy_from_slice(&inner[mlp::W]);
        for i in 0..self.width {
            let of_difference = number(&inner[mlp::U], i);
            *place(&mut gradient[W], i) = of_difference;
            *place(&mut gradient[W], self.width + i) = -of_difference;
        }
    }

    /// νλ‖ω‖^(ν−2) ω, where ω is a neuron's column of all parameters.
    fn penalise(&self, penalty: Penalty, weights: &[Vec<Row>], gradient: &mut [Vec<Row>]) {
        let scale = (penalty.exponent as f64 * penalty.lambda) as f32;
        let rows = |which: usize| if which == W { 2 } else { self.inputs };
        for i in 0..self.width {
            let column = |which: usize| (0..rows(which)).map(move |row| row * self.width + i);
            let of = |which: usize| column(which).map(move |at| number(&weights[which], at)).map(|w| w * w);
            let square: f32 = of(U).chain(of(W)).sum();
            let (power, norm) = (penalty.exponent - 2, square.sqrt());
            let even = (0..power / 2).fold(scale, |product, _| product * square);
            let pull = if power % 2 == 1 { even * norm } else { even };
            for which in [U, W] {
                for at in column(which) {
                    *place(&mut gradient[which], at) += pull * number(&weights[which], at);
                }
            }
        }
    }

    fn outputs(&mut self, x: &[f32], stage: usize, out: &mut Vec<f32>) {
        self.layers.outputs(x, stage, out);
    }
}
