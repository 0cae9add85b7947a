//! The reference learner: Burn tensors with automatic differentiation, on any device.
//!
//! # Why
//! Parameters are kept without an autodiff association and enter a fresh graph at every step, so that no
//! graph outlives its step and the update itself records nothing. The losses are differentiated without
//! being summed first: the gradient of a sum is one everywhere, and Burn's whole-tensor sum uses float
//! atomics on some GPUs, which would make runs irreproducible (tracel-ai/burn#5156).
//!
//! # Speed
//! (50,3)-parity, width 100, batch 32, plain SGD, fresh data, on one core of an idle two-core server,
//! 2026-11-21, steps/s: flex natively 19,300; flex in a Chromium worker 12,500; TensorFlow.js 4 in the same
//! Chromium 2,100 on its wasm backend and 670 on its own; wgpu on simulated GPUs 135 (lavapipe). On a server
//! with an NVIDIA H200: wgpu 1,020, PyTorch eager 890. A step there is a millisecond of launches, whatever
//! its size, which the fused learners do without.

pub mod losses;
pub mod orthogonal;
#[cfg(test)]
mod tests;
pub mod updates;

use burn::tensor::{Device, Tensor, TensorData};

use crate::session::data_loader::{DataLoader, Examples};
use crate::session::evaluator::evaluated_row;
use crate::session::judge::Judge;
use crate::session::learner::{Learner, Local, MEASURE_SAMPLE, Progress, Segment, Weights, split};
use crate::session::margin::Normaliser;
use crate::session::prompt_rows::PromptRows;
use losses::{credit, losses, of_classes, smoothed_losses};
use updates::update_rule;
use vivarium_core::bounds;
use vivarium_kernels::cpu::sequence_net::Inference;
use vivarium_model::models::dropout::Masks;
use vivarium_model::models::lookup::one_hot;
use vivarium_model::models::{Net, Parameter, sequences};
use vivarium_model::optim::adam::CLIP_EPSILON;
use vivarium_model::platform::now_ms;
use vivarium_model::protocol::{Measurement, RunError};
use vivarium_model::run::RunSpec;

/// Most hidden activations that one measuring pass may hold, over all replicas: 8 MiB, within the caches.
const MEASURE_NUMBERS: u64 = 1 << 21;

/// Burn's autodiff over all replicas.
pub struct Autodiff {
    spec: RunSpec,
    net: Box<dyn Net>,
    loader: DataLoader,
    device: Device,
    shapes: Vec<Parameter>,
    parameters: Vec<Tensor<3>>,
    moments: Vec<Vec<Tensor<3>>>,
    remembered: (Vec<Tensor<3>>, Vec<Vec<Tensor<3>>>),
    /// Held-out examples that have been uploaded, in chunks.
    held_out: Vec<Examples>,
    /// The variance of a label, where labels are real numbers.
    variance: Option<f32>,
    /// Who measures networks on sequences, and what answers on their behalf.
    judged: Option<(Judge, Inference)>,
}

impl Autodiff {
    /// The learner of `spec` at its initial weights.
    ///
    /// # Errors
    /// A sentence that says that the model of `spec` is not trained by gradients.
    pub fn new(spec: &RunSpec, device: &Device) -> Result<Self, String> {
        let net = spec.model.net();
        let net = net.ok_or_else(|| format!("{} is executed, not trained", spec.model.info().name))?;
        let initial = spec.initialize_parameters();
        let shapes = spec.parameters();
        let zeros = shapes.iter().map(|p| vec![vec![0.0; p.len()]; spec.optimizer.moment_count()]).collect();
        let mut learner = Autodiff {
            spec: spec.clone(),
            net,
            loader: DataLoader::new(spec, device),
            device: device.clone(),
            shapes,
            parameters: vec![],
            moments: vec![],
            remembered: (vec![], vec![]),
            held_out: vec![],
            variance: spec.task.sampler().label_variance(spec.run.seed).map(|variance| variance as f32),
            judged: Judge::new(spec).and_then(|judge| Some((judge, Inference::new(spec).ok()?))),
        };
        learner.load(&Weights { parameters: initial, moments: zeros });
        Ok(learner)
    }

    /// Gradients of the mean loss at `step`, summed over replicas, in the order of the parameters.
    pub fn gradients(&self, step: u64) -> Vec<Tensor<3>> {
        let (x, y) = self.loader.batch(step);
        let tracked: Vec<Tensor<3>> =
            self.parameters.iter().map(|p| p.clone().autodiff().require_grad()).collect();
        let labels = self.labels(&x, &y);
        let masks = Masks { seed: self.spec.run.seed, step };
        let (examples, stage) = (self.spec.task.examples(), self.spec.stage(step));
        let outputs = self.net.forward_in_training(examples, &tracked, x.clone().autodiff(), stage, masks);
        let smoothing = self.spec.label_smoothing();
        let losses = match labels {
            Some(labels) => of_classes(labels.autodiff(), outputs, smoothing).0,
            None => {
                let targets = self.targets(&x, y).autodiff();
                smoothed_losses(self.spec.run.loss, targets, outputs, smoothing)
            }
        };
        let count = losses.dims()[1] * losses.dims()[2];
        let mut gradients = (losses / count as f32).backward();
        let gradients = tracked
            .iter()
            .zip(&self.parameters)
            .map(|(tracked, p)| tracked.grad_remove(&mut gradients).unwrap_or_else(|| p.zeros_like()));
        let Some(penalty) = self.spec.architecture().penalty(step).filter(|p| p.lambda > 0.0) else {
            return gradients.collect();
        };
        // Its gradient is written down: νλ‖ω‖^(ν−2) ω.
        let pull = self.norms(penalty.exponent - 2) * (penalty.exponent as f64 * penalty.lambda) as f32;
        gradients.zip(&self.parameters).map(|(g, p)| g + p.clone() * pull.clone()).collect()
    }

    /// What a network with these parameters makes of the examples `x`.
    fn outputs(&self, parameters: &[Tensor<3>], x: Tensor<3>, stage: usize) -> Tensor<3> {
        self.net.forward(self.spec.task.examples(), parameters, x, stage)
    }

    /// The labels as one-hot vectors, a row for each prediction, where they are classes.
    fn labels(&self, x: &Tensor<3>, y: &Tensor<3>) -> Option<Tensor<3>> {
        let sampler = self.spec.task.sampler();
        let classes = sampler.classes()?;
        Some(match sampler.prediction_count() {
            1 => one_hot(y, 0, classes),
            // Every symbol is the label of those before it.
            length => sequences::one_hot(x, 1, length, classes),
        })
    }

    /// The numbers that are to be predicted, `[replicas or 1, batch, 1]`, or of prompts `[.., batch, length]`: there the
    /// last numbers of each row.
    fn targets(&self, x: &Tensor<3>, y: Tensor<3>) -> Tensor<3> {
        match PromptRows::of(self.spec.task.examples()) {
            None => y,
            Some(rows) => last(x.clone(), rows.labels),
        }
    }

    /// ‖ω‖^`power` of every neuron, `[replicas, 1, neurons]`, for models whose neurons are the columns of all
    /// parameters.
    fn norms(&self, power: usize) -> Tensor<3> {
        let squares = self.parameters.iter().map(|p| (p.clone() * p.clone()).sum_dim(1));
        // A model with a penalty has parameters.
        let squares = squares.reduce(|a, b| a + b).unwrap_or_else(|| Tensor::zeros([1, 1, 1], &self.device));
        let ones = squares.ones_like();
        let even = (0..power / 2).fold(ones, |product, _| product * squares.clone());
        if power % 2 == 1 { even * squares.sqrt() } else { even }
    }

    /// Least margin on `examples` and Σ‖ω‖^ν, `[replicas, 1, 2]`, for a model with a penalty.
    fn margin(&self, (x, y): &Examples, step: u64, exponent: usize) -> Tensor<3> {
        let outputs = self.outputs(&self.parameters, x.clone(), self.spec.stage(step));
        let margins = match self.labels(x, y) {
            Some(labels) => of_classes(labels, outputs, 0.0).1,
            None => outputs * y.clone(),
        };
        Tensor::cat(vec![margins.min_dim(1), self.norms(exponent).sum_dim(2)], 2)
    }

    /// Makes the training step number `step` at learning rate `lr`; it may still be under way on return.
    pub fn train(&mut self, step: u64, lr: f64) {
        let stage = self.spec.stage(step);
        let trained = self.spec.model.trained(self.spec.task.examples(), stage);
        let mut gradients = self.gradients(step);
        if self.spec.optimizer.clip() > 0.0 {
            clip(&mut gradients, &trained, self.spec.optimizer.clip());
        }
        // Moments begin with the stage, since no parameter is trained in more than one.
        let count = step - self.spec.first_step_of_stage(stage);
        let (architecture, plain) = (self.spec.architecture(), self.spec.optimizer.without_decay());
        for (which, gradient) in gradients.into_iter().enumerate() {
            if trained[which] {
                let moments = &mut self.moments[which];
                let parameter = self.parameters[which].clone();
                let rule = if architecture.decays(which) {
                    update_rule(&self.spec.optimizer)
                } else {
                    update_rule(&plain)
                };
                self.parameters[which] = rule.update(parameter, gradient, moments, lr, count);
            }
        }
    }

    /// Sums of loss and of right answers over the examples in `stage`, `[replicas, 1, 2]`; where labels are real numbers,
    /// of the loss relative to their variance and of the share that is explained, for each row by its last `judged` labels
    /// where not by all.
    fn sums(&self, (x, y): &Examples, stage: usize, judged: Option<usize>) -> Tensor<3> {
        let outputs = self.outputs(&self.parameters, x.clone(), stage);
        if let Some(variance) = self.variance {
            let losses = losses(self.spec.run.loss, self.targets(x, y.clone()), outputs);
            let losses = match judged {
                Some(judged) => last(losses, judged),
                None => losses,
            };
            // The share of the variance that is not explained, of each prompt.
            let errors = losses.mean_dim(2) / variance;
            let explained = -errors.clone() + 1.0;
            return Tensor::cat(vec![errors.sum_dim(1), explained.sum_dim(1)], 2);
        }
        let (losses, right) = match self.labels(x, y) {
            Some(labels) => {
                let (losses, margins) = of_classes(labels, outputs, 0.0);
                (losses, margins.greater_elem(0.0).float())
            }
            None => (losses(self.spec.run.loss, y.clone(), outputs.clone()), credit(y.clone(), outputs)),
        };
        Tensor::cat(vec![losses.sum_dim(1), right.sum_dim(1)], 2)
    }

    /// Loss and accuracy on all symbols of the next batch; the rest is judged by our loops, as for every learner.
    fn measure_sequences(&mut self, step: u64) -> Local<'_, Measurement> {
        let seen = self.loader.batch(step);
        let predictions = (seen.1.dims()[1] * self.spec.task.examples().prediction_count()) as f32;
        let sums = self.sums(&seen, self.spec.stage(step), None) / predictions;
        let replicas = self.spec.run.replicas;
        let all = joined(self.parameters.iter().cloned().chain([sums]));
        let Some((judge, inference)) = &mut self.judged else {
            unreachable!("only networks on sequences are measured so")
        };
        let lengths: Vec<usize> = self.shapes.iter().map(Parameter::len).collect();
        Box::pin(async move {
            let numbers = read(all).await?;
            let weights = split(&numbers, lengths.iter().copied().chain([2 * replicas]));
            let (weights, sums) = weights.split_at(lengths.len());
            let column = |which: usize| sums[0].iter().skip(which).step_by(2).copied().collect();
            let evaluations = (0..replicas).map(|replica| {
                let of = |values: &Vec<f32>| {
                    replica * values.len() / replicas..(replica + 1) * values.len() / replicas
                };
                let weights: Vec<&[f32]> = weights.iter().map(|values| &values[of(values)]).collect();
                judge.evaluate(inference, &weights)
            });
            Ok(evaluated_row(step, column(0), column(1), &evaluations.collect::<Vec<_>>()))
        })
    }

    /// Uploads held-out examples until there are `count`, in chunks of a bounded size.
    fn hold_out(&mut self, count: usize) {
        let width = self.spec.architecture().activations(self.spec.task.examples().inputs());
        let each = bounds::saturating_product([width, self.spec.run.replicas as u64]);
        let chunk = (MEASURE_NUMBERS / each).clamp(32, 1024) as usize / 32 * 32;
        let mut have: usize = self.held_out.iter().map(|(_, y)| y.dims()[1]).sum();
        while have < count {
            let size = chunk.min(count - have);
            self.held_out.push(self.loader.held_out(have, size));
            have += size;
        }
    }

    fn upload(&self, which: usize, values: &[f32]) -> Tensor<3> {
        Tensor::from_data(TensorData::new(values.to_vec(), self.shapes[which].shape), &self.device)
    }
}

/// The last `count` columns.
fn last(rows: Tensor<3>, count: usize) -> Tensor<3> {
    let columns = rows.dims()[2];
    rows.narrow(2, columns - count, count)
}

/// Shortens the gradient of each replica, over all parameters that are `trained`, to a norm of `most` where it is longer, as
/// [`vivarium_model::optim::adam`] says.
fn clip(gradients: &mut [Tensor<3>], trained: &[bool], most: f64) {
    let own = gradients.iter().zip(trained).filter(|(_, trained)| **trained).map(|(gradient, _)| gradient);
    let squares = own.map(|g| (g.clone() * g.clone()).sum_dim(1).sum_dim(2)).reduce(|a, b| a + b);
    // [replicas, 1, 1]
    let Some(squares) = squares else { return };
    let scale = ((squares.sqrt() + CLIP_EPSILON as f32).recip() * most as f32).clamp_max(1.0);
    for gradient in gradients {
        *gradient = gradient.clone() * scale.clone();
    }
}

/// Reads a tensor back. In a browser this is the only way: reading synchronously panics there.
async fn read(tensor: Tensor<3>) -> Result<Vec<f32>, RunError> {
    let data = tensor.into_data_async().await.map_err(RunError::gpu_lost)?;
    // A device that was lost in between shows only when the numbers are looked at.
    data.try_to_vec::<f32>().map_err(RunError::gpu_lost)
}

/// Everything in one array: a browser may take 100 ms for each reading back.
fn joined(tensors: impl Iterator<Item = Tensor<3>>) -> Tensor<3> {
    let flat = tensors.map(|t| {
        let len = t.shape().num_elements();
        t.reshape([1, 1, len])
    });
    Tensor::cat(flat.collect(), 2)
}

impl Learner for Autodiff {
    fn advance<'a>(&'a mut self, segment: &'a Segment<'a>) -> Local<'a, Progress> {
        Box::pin(async move {
            let mut step = segment.from;
            if segment.due(step) {
                return Ok(Progress { step, rows: vec![self.measure(step, segment.held_out).await?] });
            }
            // Up to the next measurement, so that nobody ever has to go back to one.
            while step < segment.until {
                self.train(step, segment.spec.learning_rate(step));
                step += 1;
                if segment.due(step) || now_ms() >= segment.deadline_ms {
                    break;
                }
            }
            Ok(Progress { step, rows: vec![] })
        })
    }

    fn measure(&mut self, step: u64, held_out: usize) -> Local<'_, Measurement> {
        if self.judged.is_some() {
            return self.measure_sequences(step);
        }
        self.hold_out(held_out);
        let stage = self.spec.stage(step);
        let seen = self.loader.seen(step, MEASURE_SAMPLE);
        let seen_count = seen.1.dims()[1] as f32;
        let train = self.sums(&seen, stage, None) / seen_count;
        let judged = PromptRows::of(self.spec.task.examples()).map(|rows| rows.judged);
        let mut test: Option<Tensor<3>> = None;
        let mut counted = 0;
        for examples in &self.held_out {
            if counted >= held_out {
                break;
            }
            counted += examples.1.dims()[1];
            let sums = self.sums(examples, stage, judged);
            test = Some(test.map_or(sums.clone(), |so_far| so_far + sums));
        }
        // `held_out` is at least one, so there is a chunk.
        let test = test.unwrap_or_else(|| train.zeros_like()) / counted.max(1) as f32;
        let normaliser = Normaliser::of(&self.spec);
        let margin = normaliser.map(|normaliser| self.margin(&seen, step, normaliser.exponent()));
        let width = if margin.is_some() { 6 } else { 4 };
        let all = Tensor::cat([train, test].into_iter().chain(margin).collect(), 2); // [replicas, 1, width]
        Box::pin(async move {
            let values = read(all).await?;
            let column = |i: usize| values.iter().skip(i).step_by(width).copied().collect();
            let margin = |of: Normaliser| {
                let each = values.chunks_exact(width);
                each.map(|v| of.margin(v[4], f64::from(v[5]), v[0])).collect()
            };
            Ok(Measurement {
                step,
                train_loss: column(0),
                train_accuracy: column(1),
                test_loss: column(2),
                test_accuracy: column(3),
                margin: normaliser.map_or_else(Vec::new, margin),
                measures: vec![],
            })
        })
    }

    fn weights(&self) -> Local<'_, Weights> {
        let all = joined(self.parameters.iter().chain(self.moments.iter().flatten()).cloned());
        Box::pin(async move {
            let numbers = read(all).await?;
            let lengths = self.shapes.iter().map(Parameter::len);
            let kept = self.shapes.iter().zip(&self.moments);
            let kept = kept.flat_map(|(shape, moments)| moments.iter().map(|_| shape.len()));
            let mut parameters = split(&numbers, lengths.chain(kept));
            let mut rest = parameters.split_off(self.shapes.len()).into_iter();
            let moments = self.moments.iter().map(|m| rest.by_ref().take(m.len()).collect()).collect();
            Ok(Weights { parameters, moments })
        })
    }

    fn first_replica(&self, count: usize) -> Local<'_, Vec<Vec<f32>>> {
        let first = self.parameters.iter().take(count).map(|p| p.clone().narrow(0, 0, 1));
        let all = joined(first);
        Box::pin(async move {
            let lengths = self.shapes.iter().take(count).map(|s| s.len() / s.shape[0]);
            Ok(split(&read(all).await?, lengths))
        })
    }

    fn load(&mut self, weights: &Weights) {
        self.parameters =
            weights.parameters.iter().enumerate().map(|(i, values)| self.upload(i, values)).collect();
        let moments = weights.moments.iter().enumerate();
        self.moments = moments
            .map(|(i, moments)| moments.iter().map(|values| self.upload(i, values)).collect())
            .collect();
        self.remember(0);
    }

    fn remember(&mut self, _step: u64) {
        self.remembered = (self.parameters.clone(), self.moments.clone());
    }

    fn restore(&mut self) -> Local<'_, ()> {
        (self.parameters, self.moments) = self.remembered.clone();
        Box::pin(async { Ok(()) })
    }
}
