//! A decoder with what it keeps of one prompt, and its way there and back.

use super::Shape;
use crate::cpu::one_hidden_layer::{LANES, Row};
use crate::cpu::sequence_net::attention::Span;
use crate::cpu::sequence_net::axis::{Axis, Matrix, Vectors};
use crate::cpu::sequence_net::layer::{Layer, Shared};
use crate::cpu::sequence_net::norm::Norm;

/// A decoder with what it keeps of one prompt.
///
/// # Shapes
/// Activations are `[panel][token]`, the tokens in whole blocks.
#[derive(Debug, Clone)]
pub struct Network {
    shape: Shape,
    span: Span,
    /// Of the questions alone, which are all that the last MLP and the read-out are for.
    asked: Span,
    read_in: Matrix,
    positions: Option<Vectors>,
    layers: Vec<Layer>,
    norm: Norm,
    readout: Vectors,
    shared: Shared,
    /// What is read in.
    tokens: Vec<Row>,
    /// The residual stream, and the slopes in it.
    z: Vec<Row>,
    of_z: Vec<Row>,
    /// The same at the questions behind the last attention, `[panel][question]`.
    questions: Vec<Row>,
    of_questions: Vec<Row>,
    /// What is read out, and the slopes in it.
    read: Vec<Row>,
    of_read: Vec<Row>,
    /// ŷ at each question.
    pub outputs: Vec<f32>,
}

impl Network {
    /// A decoder whose parameters are zero.
    pub fn new(shape: Shape) -> Self {
        let span = Span::new(shape.tokens());
        let (residual, token) = (Axis::plain(shape.kind.width), Axis::plain(shape.inputs + 1));
        let asked = Span::new(shape.points);
        let layers = shape.layers.iter().enumerate().map(|(which, at)| {
            let is_last = which + 1 == shape.layers.len();
            Layer::new(*at, shape.kind, span, if is_last { asked } else { span })
        });
        let layers: Vec<Layer> = layers.collect();
        let axes: Vec<Axis> = layers.iter().map(|layer| layer.axis).collect();
        let zeros = vec![Row::ZERO; residual.panels() * span.stride()];
        let few = vec![Row::ZERO; residual.panels() * asked.stride()];
        let places = 2 * shape.longest;
        Network {
            span,
            asked,
            read_in: Matrix::new(token, residual, 1.0),
            positions: shape.positions.map(|_| Vectors::new(residual, places, 0, places, false)),
            norm: Norm::new(residual, asked.stride(), shape.kind.centred),
            readout: Vectors::new(residual, 1, 0, 1, true),
            shared: Shared::new(&axes, residual, span),
            layers,
            tokens: vec![Row::ZERO; token.panels() * span.stride()],
            z: zeros.clone(),
            of_z: zeros,
            questions: few.clone(),
            of_questions: few.clone(),
            read: few.clone(),
            of_read: few,
            outputs: vec![0.0; shape.points],
            shape,
        }
    }

    /// Takes the parameters and forgets the gradients.
    pub fn load(&mut self, parameters: &[Vec<Row>]) {
        self.read_in.load(&parameters[self.shape.read_in]);
        if let (Some(positions), Some(at)) = (&mut self.positions, self.shape.positions) {
            positions.load(&parameters[at]);
        }
        for layer in &mut self.layers {
            layer.load(parameters);
        }
        self.norm.gain.load(&parameters[self.shape.gain]);
        self.readout.load(&parameters[self.shape.readout]);
    }

    /// Writes the gradients.
    pub fn unload(&self, gradients: &mut [Vec<Row>]) {
        self.read_in.unload(&mut gradients[self.shape.read_in]);
        if let (Some(positions), Some(at)) = (&self.positions, self.shape.positions) {
            positions.unload(&mut gradients[at]);
        }
        for layer in &self.layers {
            layer.unload(gradients);
        }
        self.norm.gain.unload(&mut gradients[self.shape.gain]);
        self.readout.unload(&mut gradients[self.shape.readout]);
    }

    /// Takes the tokens of a prompt.
    fn take(&mut self, row: &[f32]) {
        let Shape { inputs, points, joint, .. } = self.shape;
        let (stride, length) = (self.span.stride(), self.span.length);
        let (x, labels) = row.split_at(points * inputs);
        let mut put = |token: usize, column: usize, value: f32| {
            self.tokens[column / LANES * stride + token].0[column % LANES] = value;
        };
        for (j, (x, y)) in x.chunks_exact(inputs).zip(labels).enumerate() {
            for (column, value) in x.iter().enumerate() {
                put(2 * j, column, *value);
                // The last answer is not read. One that holds no x has zeros there from the beginning.
                if joint && 2 * j + 1 < length {
                    put(2 * j + 1, column, *value);
                }
            }
            if 2 * j + 1 < length {
                put(2 * j + 1, inputs, *y);
            }
        }
    }

    /// Predicts the labels of a prompt, into [`Network::outputs`].
    ///
    /// # Shapes
    /// `row` is the inputs, `[points, inputs]`, then the labels, `[points]`.
    pub fn forward(&mut self, row: &[f32]) {
        self.take(row);
        let (stride, length, count) = (self.span.stride(), self.span.length, self.span.count());
        self.read_in.forward(&self.tokens, stride, 0..count, &mut self.z, false);
        if let Some(positions) = &self.positions {
            let panels = self.z.chunks_exact_mut(stride).zip(positions.values.chunks_exact(positions.stride));
            for (z, places) in panels {
                z[..length].iter_mut().zip(places).for_each(|(z, place)| *z = *z + *place);
            }
        }
        let last = self.layers.len() - 1;
        for (which, layer) in self.layers.iter_mut().enumerate() {
            layer.z.copy_from_slice(&self.z);
            layer.attend(&mut self.shared, which, 0, &[], &mut self.z);
            if which < last {
                layer.think(0, &mut self.z);
            }
        }
        let (few, points) = (self.asked.stride(), self.shape.points);
        for (questions, z) in self.questions.chunks_exact_mut(few).zip(self.z.chunks_exact(stride)) {
            questions[..points].iter_mut().zip(z.iter().step_by(2)).for_each(|(question, z)| *question = *z);
        }
        self.layers[last].think(0, &mut self.questions);
        self.norm.forward(&self.questions, 0, self.asked.count(), &mut self.read);
        for (j, output) in self.outputs.iter_mut().enumerate() {
            let panels = self.read.iter().skip(j).step_by(few).zip(&self.readout.values);
            *output = panels.fold(Row::ZERO, |sum, (z, u)| sum + z.zip(*u, |z, u| z * u)).sum();
        }
    }

    /// Adds the gradient of `scale` times Σ (ŷ − y)² over the points of the prompt whose forward pass has just been made.
    pub fn backward(&mut self, labels: &[f32], scale: f32) {
        let (stride, length, count) = (self.span.stride(), self.span.length, self.span.count());
        let (few, points) = (self.asked.stride(), self.shape.points);
        for (j, (output, label)) in self.outputs.iter().zip(labels).enumerate() {
            let slope = 2.0 * scale * (output - label);
            for (p, (u, of_u)) in self.readout.values.iter().zip(&mut self.readout.slope).enumerate() {
                let at = p * few + j;
                *of_u = *of_u + self.read[at] * slope;
                self.of_read[at] = *u * slope;
            }
        }
        self.of_questions.fill(Row::ZERO);
        self.norm.backward(&self.of_read, self.asked.count(), &mut self.of_questions);
        let last = self.layers.len() - 1;
        self.layers[last].think_back(&mut self.shared, &mut self.of_questions);
        self.of_z.fill(Row::ZERO);
        for (of_z, of) in self.of_z.chunks_exact_mut(stride).zip(self.of_questions.chunks_exact(few)) {
            of_z.iter_mut().step_by(2).zip(&of[..points]).for_each(|(of_z, of)| *of_z = *of);
        }
        for (which, layer) in self.layers.iter_mut().enumerate().rev() {
            if which < last {
                layer.think_back(&mut self.shared, &mut self.of_z);
            }
            layer.attend_back(&mut self.shared, which, &mut self.of_z);
        }
        self.read_in.learn(&self.tokens, &self.of_z, stride, count);
        if let Some(positions) = &mut self.positions {
            let panels = positions.slope.chunks_exact_mut(positions.stride);
            for (slope, of_z) in panels.zip(self.of_z.chunks_exact(stride)) {
                slope.iter_mut().zip(&of_z[..length]).for_each(|(slope, of_z)| *slope = *slope + *of_z);
            }
        }
    }
}
