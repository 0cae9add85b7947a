//! Networks on pairs in plain loops and double precision: slow, obvious, and independent of the library.

use vivarium::models::attend::Attend;
use vivarium::models::embedding_mlp::{EmbeddingMlp, Join, Tied};
use vivarium::models::group_net::{GroupNet, Sigma};
use vivarium::models::modular_transformer::ModularTransformer;
use vivarium::models::own::build::{Data, Tokens};
use vivarium::models::{Model, Penalty};
use vivarium::run::RunSpec;
use vivarium::tasks::Batch;
use vivarium_operators::reference::Reference as Executed;

/// One replica of a network on pairs: its parameters in their permanent order, without the replica axis.
#[derive(Clone)]
pub struct Reference {
    model: Model,
    /// Elements, which are the classes too.
    elements: usize,
    pub parameters: Vec<Vec<f64>>,
}

/// What a measurement of one replica on some pairs holds.
#[derive(Debug, Clone, Copy)]
pub struct Measure {
    /// Mean cross-entropy.
    pub loss: f64,
    /// Share of pairs whose label has the largest logit.
    pub accuracy: f64,
    /// The least of the label's logit less the largest other one.
    pub margin: f64,
}

/// The measurement of these logits `[pairs, classes]` with the pairs' labels.
pub fn measure(logits: &[Vec<f64>], labels: &[f32]) -> Measure {
    let (mut loss, mut right, mut least) = (0.0, 0, f64::INFINITY);
    for (logits, label) in logits.iter().zip(labels) {
        let label = *label as usize;
        let top = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = logits.iter().map(|logit| (logit - top).exp()).sum();
        loss += top + sum.ln() - logits[label];
        let others = logits.iter().enumerate().filter(|(class, _)| *class != label);
        let margin = logits[label] - others.fold(f64::NEG_INFINITY, |m, (_, logit)| m.max(*logit));
        right += usize::from(margin > 0.0);
        least = least.min(margin);
    }
    let count = labels.len() as f64;
    Measure { loss: loss / count, accuracy: right as f64 / count, margin: least }
}

/// Replica `replica` of `replicas`, out of arrays `[replicas, rows, columns]`.
pub fn replica(parameters: &[Vec<f32>], replica: usize, replicas: usize) -> Vec<Vec<f32>> {
    let own = |values: &Vec<f32>| values.chunks(values.len() / replicas).nth(replica).unwrap().to_vec();
    parameters.iter().map(own).collect()
}

impl Reference {
    /// The network of a run with these weights of one replica.
    pub fn new(spec: &RunSpec, weights: &[Vec<f32>]) -> Self {
        let parameters = weights.iter().map(|p| p.iter().map(|v| f64::from(*v)).collect()).collect();
        Reference { model: spec.model.clone(), elements: spec.task.examples().inputs(), parameters }
    }

    /// f(a, b), a logit for each element.
    pub fn logits(&self, a: usize, b: usize) -> Vec<f64> {
        match &self.model {
            Model::GroupNet(net) => self.group_net(net, a, b),
            Model::ModularTransformer(net) => self.transformer(net, a, b),
            Model::EmbeddingMlp(net) => self.embedding_mlp(net, a, b),
            Model::OwnNetwork(net) => {
                let data = Data { tokens: Tokens::Pair, inputs: self.elements, outputs: self.elements };
                let graph = net.graph(data).unwrap();
                Executed::new(&graph, &self.parameters).output(&[a as u32, b as u32])
            }
            other => panic!("{} is no network on pairs", other.info().name),
        }
    }

    /// The logits of every pair of a batch.
    pub fn all_logits(&self, batch: &Batch) -> Vec<Vec<f64>> {
        batch.x.chunks(2).map(|x| self.logits(x[0] as usize, x[1] as usize)).collect()
    }

    pub fn measure(&self, batch: &Batch) -> Measure {
        measure(&self.all_logits(batch), &batch.y)
    }

    /// Σ_i ‖ω_i‖₂^ν, where ω_i is column i of all parameters.
    pub fn norms(&self, exponent: usize) -> f64 {
        let Model::GroupNet(net) = &self.model else { panic!("only neurons have norms") };
        let square = |i: usize| -> f64 {
            let column = self.parameters.iter().flat_map(|p| p.iter().skip(i).step_by(net.width));
            column.map(|w| w * w).sum()
        };
        (0..net.width).map(|i| square(i).sqrt().powi(exponent as i32)).sum()
    }

    /// Mean cross-entropy and penalty, which is what a step makes smaller.
    pub fn objective(&self, batch: &Batch, penalty: Option<Penalty>) -> f64 {
        let pull = penalty.map_or(0.0, |penalty| penalty.lambda * self.norms(penalty.exponent));
        self.measure(batch).loss + pull
    }

    /// Central differences of the objective in every number.
    pub fn gradients(&self, batch: &Batch, penalty: Option<Penalty>) -> Vec<Vec<f64>> {
        let (mut moved, h) = (self.clone(), 1e-6);
        let mut slope = |which: usize, at: usize| {
            let value = moved.parameters[which][at];
            moved.parameters[which][at] = value + h;
            let above = moved.objective(batch, penalty);
            moved.parameters[which][at] = value - h;
            let below = moved.objective(batch, penalty);
            moved.parameters[which][at] = value;
            (above - below) / (2.0 * h)
        };
        let lengths: Vec<usize> = self.parameters.iter().map(Vec::len).collect();
        let all = lengths.into_iter().enumerate();
        all.map(|(which, length)| (0..length).map(|at| slope(which, at)).collect()).collect()
    }

    /// f(a, b)[c] = Σ_i σ(u_i[a] + v_i[b]) w_i[c].
    fn group_net(&self, net: &GroupNet, a: usize, b: usize) -> Vec<f64> {
        let [u, v, w] = &self.parameters[..] else { panic!("three parameters") };
        let m = net.width;
        let hidden = |i: usize| {
            let z = u[a * m + i] + v[b * m + i];
            if net.sigma == Sigma::Square { z * z } else { z.max(0.0) }
        };
        (0..self.elements).map(|c| (0..m).map(|i| hidden(i) * w[c * m + i]).sum()).collect()
    }

    /// f(a, b) = ReLU((E[a] + E'[b]) W + β) U, or with (E[a], E'[b]) side by side.
    fn embedding_mlp(&self, net: &EmbeddingMlp, a: usize, b: usize) -> Vec<f64> {
        let d = net.embedding;
        let second = if net.tied == Tied::Yes { &self.parameters[0] } else { &self.parameters[4] };
        let (left, right) = (row(&self.parameters[0], d, a), row(second, d, b));
        let joined: Vec<f64> = match net.join {
            Join::Sum => left.iter().zip(right).map(|(l, r)| l + r).collect(),
            Join::Concat => [left, right].concat(),
        };
        let z = plus(&times(&joined, &self.parameters[1], net.width), &self.parameters[2]);
        let hidden: Vec<f64> = z.into_iter().map(|z| z.max(0.0)).collect();
        times(&hidden, &self.parameters[3], self.elements)
    }

    /// The three tokens with a key and a value each, read out at "=".
    fn transformer(&self, net: &ModularTransformer, a: usize, b: usize) -> Vec<f64> {
        let [e, equals, p, q, k, v, out, w_in, b_in, w_out, b_out, unembed] = &self.parameters[..] else {
            panic!("twelve parameters")
        };
        let (d, size, across) = (net.embedding, net.attention, net.heads * net.attention);
        let tokens =
            [plus(row(e, d, a), row(p, d, 0)), plus(row(e, d, b), row(p, d, 1)), plus(equals, row(p, d, 2))];
        let query = times(&tokens[2], q, across);
        let keys = tokens.each_ref().map(|token| times(token, k, across));
        let values = tokens.each_ref().map(|token| times(token, v, across));
        let mut mixed = vec![0.0; across];
        for head in 0..net.heads {
            let own = head * size..(head + 1) * size;
            let scores = keys.each_ref().map(|key| {
                let score: f64 = own.clone().map(|j| key[j] * query[j]).sum();
                score / (size as f64).sqrt()
            });
            let (shares, sum) = match net.attend {
                Attend::Softmax => {
                    let powers = scores.map(f64::exp);
                    (powers, powers.iter().sum::<f64>())
                }
                Attend::Relu => (scores.map(|score| score.max(0.0)), 3.0),
            };
            for (share, value) in shares.iter().zip(&values) {
                own.clone().for_each(|j| mixed[j] += share / sum * value[j]);
            }
        }
        let z = plus(&tokens[2], &times(&mixed, out, d));
        let hidden: Vec<f64> =
            plus(&times(&z, w_in, net.hidden), b_in).into_iter().map(|h| h.max(0.0)).collect();
        times(&plus(&plus(&z, &times(&hidden, w_out, d)), b_out), unembed, self.elements)
    }
}

/// Row `at` of a matrix `[rows, columns]`.
fn row(matrix: &[f64], columns: usize, at: usize) -> &[f64] {
    &matrix[at * columns..(at + 1) * columns]
}

/// The row vector `x` times a matrix `[rows, columns]`.
fn times(x: &[f64], matrix: &[f64], columns: usize) -> Vec<f64> {
    assert_eq!(x.len() * columns, matrix.len());
    (0..columns).map(|j| x.iter().enumerate().map(|(i, x)| x * matrix[i * columns + j]).sum()).collect()
}

fn plus(a: &[f64], b: &[f64]) -> Vec<f64> {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}
