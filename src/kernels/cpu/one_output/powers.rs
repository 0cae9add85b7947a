//! The loop of powers of linear forms: [`PowerNet`](vivarium_model::models::power_net::PowerNet).
//!
//! # Why
//! They are a hidden layer without biases whose head is the difference of two rows. The graph has that difference as its second
//! parameter, whose gradient is the gradient of one row, and minus the gradient of the other.

use super::graph::GraphLoop;
use super::{Layout, OutputLoop};
use crate::cpu::one_hidden_layer::{LANES, Row};
use vivarium_model::models::family::Powers;
use vivarium_model::models::power_net::{U, W};
use vivarium_model::models::{Family, Penalty};
use vivarium_model::run::RunSpec;
use vivarium_operators::Graph;
use vivarium_operators::pointwise::Function;

/// Places of the linear forms and of the difference in the graph.
const FORMS: usize = 0;
const DIFFERENCE: usize = 1;

/// The loop.
pub struct PowersLoop {
    inputs: usize,
    width: usize,
    graph: GraphLoop,
    /// Weights and gradient of the graph's parameters: u and the difference of the rows of w.
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
        let layout = Layout { sizes: vec![inputs * width, width], decays: vec![], ..Layout::of(spec) };
        let inner = [layout.rows(), layout.rows()];
        let mut graph = Graph::on_numbers(inputs);
        let u = graph.parameter("u", [inputs, width], 0.0);
        let difference = graph.parameter("difference", [width, 1], 0.0);
        let x = graph.input();
        let forms = graph.linear(x, u);
        let h = graph.pointwise(forms, Function::Power(powers.degree));
        let f = graph.linear(h, difference);
        graph.set_output(f);
        Ok(PowersLoop { inputs, width, graph: GraphLoop::new(vec![graph], inputs)?, inner })
    }

    fn load(&mut self, weights: &[Vec<Row>], stage: usize) {
        let [inner, _] = &mut self.inner;
        inner[FORMS].copy_from_slice(&weights[U]);
        for i in 0..self.width {
            *place(&mut inner[DIFFERENCE], i) = number(&weights[W], i) - number(&weights[W], self.width + i);
        }
        self.graph.load(inner, stage);
    }

    fn gradient(
        &mut self,
        x: &[f32],
        stage: usize,
        slope: impl FnMut(usize, f32) -> f32,
        gradient: &mut [Vec<Row>],
    ) {
        let [_, inner] = &mut self.inner;
        self.graph.gradient(x, stage, slope, inner);
        gradient[U].copy_from_slice(&inner[FORMS]);
        for i in 0..self.width {
            let of_difference = number(&inner[DIFFERENCE], i);
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
        self.graph.outputs(x, stage, out);
    }
}
