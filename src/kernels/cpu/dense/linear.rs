//! A linear map with its bias and its gradient.

use std::ops::Range;

use super::{Columns, Panels, PanelsMut, accumulate_weight_gradient, multiply, panels};
use crate::cpu::one_hidden_layer::{LANES, Row};
use vivarium_operators::simd::transpose;

/// W and b of xW + b, ready for products in both directions.
#[derive(Debug, Clone)]
pub struct Linear {
    inputs: usize,
    columns: Columns,
    /// Panels of outputs.
    panels: usize,
    /// Outputs that are summed over: all lanes of full panels, where groups of columns begin panels.
    outputs: usize,
    /// `[panel of outputs][input]`.
    w: Vec<Row>,
    /// `[panel of inputs][output]`.
    turned: Vec<Row>,
    /// `[panel of outputs]`.
    pub bias: Vec<Row>,
    /// As `w`.
    slope: Vec<Row>,
    /// As `bias`.
    bias_slope: Vec<Row>,
}

impl Linear {
    /// A map between so many numbers.
    pub fn new(inputs: usize, outputs: usize) -> Self {
        Linear { outputs, ..Linear::grouped(inputs, Columns::plain(outputs), panels(outputs)) }
    }

    /// A map to columns that lie in so many panels.
    pub fn grouped(inputs: usize, columns: Columns, panels: usize) -> Self {
        let w = vec![Row::ZERO; panels * inputs.next_multiple_of(LANES)];
        let bias = vec![Row::ZERO; panels];
        let outputs = panels * LANES;
        Linear {
            inputs,
            columns,
            panels,
            outputs,
            turned: w.clone(),
            slope: w.clone(),
            w,
            bias_slope: bias.clone(),
            bias,
        }
    }

    fn stride(&self) -> usize {
        self.inputs.next_multiple_of(LANES)
    }

    /// Takes W and b as they lie in parameters, and forgets the gradient.
    pub fn load(&mut self, w: &[Row], bias: &[Row]) {
        let stride = self.stride();
        self.columns.pack(w, 0..self.inputs, 1.0, &mut PanelsMut::new(&mut self.w, stride), 0);
        self.columns.pack(bias, 0..1, 1.0, &mut PanelsMut::new(&mut self.bias, 1), 0);
        self.slope.fill(Row::ZERO);
        self.bias_slope.fill(Row::ZERO);
    }

    /// Takes these rows of a parameter as rows of W from `at` on, leaves the bias as it is, and forgets the gradient of W.
    pub fn load_rows(&mut self, w: &[Row], rows: Range<usize>, at: usize) {
        let stride = self.stride();
        self.columns.pack(w, rows, 1.0, &mut PanelsMut::new(&mut self.w, stride), at);
        self.slope.fill(Row::ZERO);
    }

    /// Writes the gradient of rows of W from `at` on as these rows of a parameter.
    pub fn unload_rows(&self, w: &mut [Row], rows: Range<usize>, at: usize) {
        self.columns.unpack(Panels::new(&self.slope, self.stride()), at, rows, 1.0, w);
    }

    /// Makes ready for [`Linear::backward`] with the numbers that were loaded.
    pub fn turn(&mut self) {
        let blocks = 0..panels(self.inputs);
        transpose(&self.w, self.stride(), LANES, blocks, &mut self.turned);
    }

    /// Writes the gradient as the parameters lie.
    pub fn unload(&self, w: &mut [Row], bias: &mut [Row]) {
        self.columns.unpack(Panels::new(&self.slope, self.stride()), 0, 0..self.inputs, 1.0, w);
        self.columns.unpack(Panels::new(&self.bias_slope, 1), 0, 0..1, 1.0, bias);
    }

    /// xW + b of `count` samples in full tiles.
    pub fn forward(&self, x: Panels<'_>, out: &mut PanelsMut<'_>, count: usize) {
        for (panel, bias) in self.bias.iter().enumerate() {
            out.panel(panel, count).fill(*bias);
        }
        self.forward_onto(x, out, count);
    }

    /// Adds xW.
    pub fn forward_onto(&self, x: Panels<'_>, out: &mut PanelsMut<'_>, count: usize) {
        multiply(x, Panels::new(&self.w, self.stride()), self.inputs, out, count, true);
    }

    /// d Wᵀ, instead of what is in `out` or on top of it.
    pub fn backward(&self, d: Panels<'_>, out: &mut PanelsMut<'_>, count: usize, adds: bool) {
        multiply(d, Panels::new(&self.turned, self.panels * LANES), self.outputs, out, count, adds);
    }

    /// Adds what the slopes d of `count` samples say to the gradient of W.
    pub fn learn(&mut self, x: Panels<'_>, d: Panels<'_>, count: usize) {
        let (stride, panels) = (self.stride(), self.panels);
        accumulate_weight_gradient(
            x,
            d,
            panels,
            self.inputs,
            &mut PanelsMut::new(&mut self.slope, stride),
            count,
        );
    }

    /// Adds it to the gradient of b.
    pub fn learn_bias(&mut self, d: Panels<'_>, count: usize) {
        for (panel, slope) in self.bias_slope.iter_mut().enumerate() {
            *slope = d.panel(panel, count).iter().fold(*slope, |sum, row| sum + *row);
        }
    }

    /// The gradient of b, `[panel of outputs]`.
    pub fn bias_slope(&mut self) -> &mut [Row] {
        &mut self.bias_slope
    }
}
