//! The models in plain loops and double precision: slow, obvious, and independent of the library.

use vivarium::models::cls_transformer::{ClsTransformer, Norm};
use vivarium::models::deep_mlp::{DeepMlp, Training};
use vivarium::models::disjoint_polynet::DisjointPolynet;
use vivarium::models::mlp::Mlp;
use vivarium::models::parity_transformer::ParityTransformer;
use vivarium::models::polynet::Polynet;
use vivarium::models::power_net::PowerNet;
use vivarium::models::{Activation, Model};
use vivarium::optim::loss::Loss;
use vivarium::tasks::Batch;

/// One replica of a model: its parameters in their permanent order, without the replica axis.
#[derive(Clone)]
pub struct Reference {
    pub model: Model,
    pub loss: Loss,
    pub inputs: usize,
    pub parameters: Vec<Vec<f64>>,
    /// Which of the model's stages the run is in.
    pub stage: usize,
}

impl Reference {
    pub fn new(model: &Model, loss: Loss, inputs: usize, parameters: &[Vec<f32>]) -> Self {
        let parameters = parameters.iter().map(|p| p.iter().map(|v| f64::from(*v)).collect()).collect();
        Reference { model: model.clone(), loss, inputs, parameters, stage: 0 }
    }

    /// f(x).
    pub fn output(&self, x: &[f32]) -> f64 {
        match &self.model {
            Model::ParityTransformer(net) => transformer(net, &self.parameters, x),
            Model::ClsTransformer(net) => cls_transformer(net, &self.parameters, x, None),
            _ => self.output_and_slopes(x).0,
        }
    }

    /// f(x) and its gradient in every parameter.
    fn output_and_slopes(&self, x: &[f32]) -> (f64, Vec<Vec<f64>>) {
        match &self.model {
            Model::Mlp(mlp) => self.mlp(mlp, x),
            Model::Polynet(polynet) => self.polynet(polynet, x),
            Model::DisjointPolynet(polynet) => self.disjoint_polynet(polynet, x),
            Model::DeepMlp(deep) => self.deep_mlp(deep, x),
            Model::PowerNet(net) => self.power_net(net, x),
            Model::ParityTransformer(_) | Model::ClsTransformer(_) => {
                (self.output(x), self.numeric_slopes(x))
            }
            other => self.first_layer_alone(other, x),
        }
    }

    /// f(x) of a model whose only parameter is its first layer, from the values of its forms.
    fn first_layer_alone(&self, model: &Model, x: &[f32]) -> (f64, Vec<Vec<f64>>) {
        let [w] = &self.parameters[..] else {
            unreachable!("{}: sequences, pairs and forests have references of their own", model.info().name)
        };
        let columns = w.len() / self.inputs;
        let z = self.forms(w, &vec![0.0; columns], x);
        let mut gradient = vec![0.0; columns];
        let network = model.network(vivarium::tasks::Task::default().examples());
        let output = network.linear_first_layer().unwrap().head(&[], &z, &mut gradient, 0);
        (output, vec![self.back(x, &gradient)])
    }

    /// w_j·x + b_j for the columns w_j of W.
    fn forms(&self, w: &[f64], b: &[f64], x: &[f32]) -> Vec<f64> {
        let columns = b.len();
        (0..columns)
            .map(|j| b[j] + (0..self.inputs).map(|i| f64::from(x[i]) * w[i * columns + j]).sum::<f64>())
            .collect()
    }

    /// The gradient in W, given the one in each w_j·x + b_j.
    fn back(&self, x: &[f32], in_forms: &[f64]) -> Vec<f64> {
        (0..self.inputs).flat_map(|i| in_forms.iter().map(move |slope| slope * f64::from(x[i]))).collect()
    }

    /// f(x) = uᵀσ(Wx + b) + β.
    fn mlp(&self, mlp: &Mlp, x: &[f32]) -> (f64, Vec<Vec<f64>>) {
        let [w, u, b, beta] = &self.parameters[..] else { panic!("four parameters") };
        let (mut output, mut in_u, mut in_b) = (beta[0], vec![], vec![]);
        for (z, u) in self.forms(w, b, x).into_iter().zip(u) {
            let (h, slope) = activation(mlp.activation, mlp.degree, z);
            output += u * h;
            in_u.push(h);
            in_b.push(u * slope);
        }
        (output, vec![self.back(x, &in_b), in_u, in_b, vec![1.0]])
    }

    /// f(x) = Π (w_i·x + b_i).
    fn polynet(&self, polynet: &Polynet, x: &[f32]) -> (f64, Vec<Vec<f64>>) {
        let [w, b] = &self.parameters[..] else { panic!("two parameters") };
        let z = self.forms(w, b, x);
        assert_eq!(z.len(), polynet.degree);
        let all_but = |i: usize| (0..z.len()).filter(|j| *j != i).map(|j| z[j]).product::<f64>();
        let in_b: Vec<f64> = (0..z.len()).map(all_but).collect();
        (z.iter().product(), vec![self.back(x, &in_b), in_b])
    }

    /// f(x) = Σ (u_i·x)^k (w_i[0] − w_i[1]).
    fn power_net(&self, net: &PowerNet, x: &[f32]) -> (f64, Vec<Vec<f64>>) {
        let [u, w] = &self.parameters[..] else { panic!("two parameters") };
        let (k, (first, second)) = (net.degree as i32, w.split_at(net.width));
        let forms = self.forms(u, &vec![0.0; net.width], x);
        let powers: Vec<f64> = forms.iter().map(|z| z.powi(k)).collect();
        let outputs: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
        let output = powers.iter().zip(&outputs).map(|(h, w)| h * w).sum();
        let in_forms: Vec<f64> =
            forms.iter().zip(&outputs).map(|(z, w)| w * f64::from(k) * z.powi(k - 1)).collect();
        let in_w = powers.iter().copied().chain(powers.iter().map(|h| -h)).collect();
        (output, vec![self.back(x, &in_forms), in_w])
    }

    /// f(x) = Π ⟨w_i, x_Pi⟩, each coordinate asked for its block.
    fn disjoint_polynet(&self, polynet: &DisjointPolynet, x: &[f32]) -> (f64, Vec<Vec<f64>>) {
        let [w] = &self.parameters[..] else { panic!("one parameter") };
        let (n, k) = (self.inputs, polynet.degree);
        let block = |i: usize| (0..k).find(|b| i >= b * n / k && i < (b + 1) * n / k).unwrap();
        let mut forms = vec![0.0; k];
        for i in 0..n {
            forms[block(i)] += w[i] * f64::from(x[i]);
        }
        let others = |b: usize| (0..k).filter(|other| *other != b).map(|other| forms[other]).product::<f64>();
        let in_w = (0..n).map(|i| f64::from(x[i]) * others(block(i))).collect();
        (forms.iter().product(), vec![in_w])
    }

    /// f(x) = uᵀ z_L + β for z_l = σ(W_l z_{l−1} + b_l); in greedy training with the head of the stage, and with
    /// slopes for what that stage trains.
    fn deep_mlp(&self, deep: &DeepMlp, x: &[f32]) -> (f64, Vec<Vec<f64>>) {
        let layers = deep.widths.len();
        let (greedy, stage) = (deep.training == Training::Greedy, self.stage);
        let (top, head) = if greedy { (stage, 2 * (layers + stage)) } else { (layers - 1, 2 * layers) };
        // z_0 to z_top+1, and σ' in each layer.
        let mut z: Vec<Vec<f64>> = vec![x.iter().map(|x| f64::from(*x)).collect()];
        let mut bends = vec![];
        for layer in 0..=top {
            let (w, b) = (&self.parameters[2 * layer], &self.parameters[2 * layer + 1]);
            let below = &z[layer];
            let form = |j: usize| b[j] + (0..below.len()).map(|i| below[i] * w[i * b.len() + j]).sum::<f64>();
            let (values, slopes): (Vec<_>, Vec<_>) =
                (0..b.len()).map(|j| activation(deep.activation, deep.degree, form(j))).unzip();
            z.push(values);
            bends.push(slopes);
        }
        let u = &self.parameters[head];
        let output = (0..u.len()).map(|j| u[j] * z[top + 1][j]).sum::<f64>() + self.parameters[head + 1][0];
        let mut slopes: Vec<Vec<f64>> = self.parameters.iter().map(|p| vec![0.0; p.len()]).collect();
        slopes[head].clone_from(&z[top + 1]);
        slopes[head + 1] = vec![1.0];
        let mut in_z = u.clone();
        for layer in (if greedy { top } else { 0 }..=top).rev() {
            let in_b: Vec<f64> = in_z.iter().zip(&bends[layer]).map(|(g, bend)| g * bend).collect();
            let w = &self.parameters[2 * layer];
            let rows = z[layer].len();
            slopes[2 * layer] = (0..rows)
                .flat_map(|i| in_b.iter().map(move |g| (i, *g)))
                .map(|(i, g)| z[layer][i] * g)
                .collect();
            in_z =
                (0..rows).map(|i| (0..in_b.len()).map(|j| w[i * in_b.len() + j] * in_b[j]).sum()).collect();
            slopes[2 * layer + 1] = in_b;
        }
        (output, slopes)
    }

    /// Central differences: f has no kinks, and its chain rule would be as long as the library's.
    fn numeric_slopes(&self, x: &[f32]) -> Vec<Vec<f64>> {
        let mut moved = self.clone();
        let mut slope = |which: usize, at: usize| {
            let (value, h) = (moved.parameters[which][at], 1e-5);
            moved.parameters[which][at] = value + h;
            let above = moved.output(x);
            moved.parameters[which][at] = value - h;
            let below = moved.output(x);
            moved.parameters[which][at] = value;
            (above - below) / (2.0 * h)
        };
        let shapes = self.parameters.iter().map(Vec::len).enumerate();
        shapes.map(|(which, length)| (0..length).map(|at| slope(which, at)).collect()).collect()
    }

    /// Mean loss over the batch.
    pub fn mean_loss(&self, batch: &Batch) -> f64 {
        let rows = batch.x.chunks(self.inputs).zip(&batch.y);
        rows.map(|(x, y)| self.loss.compute(f64::from(*y), self.output(x))).sum::<f64>() / batch.len() as f64
    }

    /// dℓ/dŷ.
    fn slope(&self, y: f64, output: f64) -> f64 {
        match self.loss {
            Loss::Hinge => {
                if y * output < 1.0 {
                    -y
                } else {
                    0.0
                }
            }
            Loss::Square => 2.0 * (output - y),
            Loss::CrossEntropy => -y / (1.0 + (y * output).exp()),
            Loss::Correlation => -y,
        }
    }

    /// Gradients of the mean loss by the chain rule.
    pub fn gradients(&self, batch: &Batch) -> Vec<Vec<f64>> {
        let mut sums: Vec<Vec<f64>> = self.parameters.iter().map(|p| vec![0.0; p.len()]).collect();
        for (x, y) in batch.x.chunks(self.inputs).zip(&batch.y) {
            let (output, slopes) = self.output_and_slopes(x);
            let slope = self.slope(f64::from(*y), output) / batch.len() as f64;
            for (sum, one) in sums.iter_mut().flatten().zip(slopes.iter().flatten()) {
                *sum += slope * one;
            }
        }
        sums
    }
}

/// σ(z) and σ'(z); those with many pieces are written out, and tested, beside their definition.
fn activation(activation: Activation, degree: usize, z: f64) -> (f64, f64) {
    match activation {
        Activation::Relu => (z.max(0.0), if z > 0.0 { 1.0 } else { 0.0 }),
        Activation::Power => {
            let k = degree as i32;
            (z.powi(k), f64::from(k) * z.powi(k - 1))
        }
        other => other.value_and_slope(degree, z),
    }
}

/// The Parity Transformer as it is printed: every token of the example with its own key and value in every head.
fn transformer(net: &ParityTransformer, parameters: &[Vec<f64>], x: &[f32]) -> f64 {
    let [p, e, q, k, v, out, w1, b1, w2, b2, u] = parameters else { panic!("eleven parameters") };
    let (d, size, heads) = (net.embedding, net.attention, net.heads);
    let embedding = |token: usize, i: usize| e[token * d + i];
    let mut tokens: Vec<Vec<f64>> = vec![];
    for (place, bit) in x.iter().enumerate() {
        let token = if *bit > 0.0 { 0 } else { 1 };
        tokens.push((0..d).map(|i| embedding(token, i) + p[place * d + i]).collect());
    }
    let cls: Vec<f64> = (0..d).map(|i| embedding(2, i)).collect();
    tokens.push(cls.clone());
    // (row · W)_j, where W has `columns` columns.
    let entry = |row: &[f64], w: &[f64], columns: usize, j: usize| {
        (0..row.len()).map(|i| row[i] * w[i * columns + j]).sum::<f64>()
    };
    let mut z = cls.clone();
    for head in 0..heads {
        let of_head = |row: &[f64], w: &[f64]| -> Vec<f64> {
            (0..size).map(|j| entry(row, w, heads * size, head * size + j)).collect()
        };
        let query = of_head(&cls, q);
        let exponential = |token: &Vec<f64>| {
            let score: f64 = of_head(token, k).iter().zip(&query).map(|(k, q)| k * q).sum();
            (score / (size as f64).sqrt()).exp()
        };
        let weights: Vec<f64> = tokens.iter().map(exponential).collect();
        let sum: f64 = weights.iter().sum();
        for (token, weight) in tokens.iter().zip(weights) {
            for (j, value) in of_head(token, v).into_iter().enumerate() {
                for i in 0..d {
                    z[i] += weight / sum * value * out[(head * size + j) * d + i];
                }
            }
        }
    }
    let gelu = |z: f64| 0.5 * z * (1.0 + libm::erf(z / 2f64.sqrt()));
    let hidden: Vec<f64> = (0..net.hidden).map(|j| gelu(entry(&z, w1, net.hidden, j) + b1[j])).collect();
    (0..d).map(|i| u[i] * (z[i] + entry(&hidden, w2, d, i) + b2[i])).sum()
}

/// What dropout multiplies the numbers of one example by.
pub struct Factors {
    /// Of components of tokens, `[CLS]` last, `[tokens, embedding]`.
    pub tokens: Vec<f64>,
    /// Of attention weights, `[heads, tokens]`.
    pub attention: Vec<f64>,
    /// Of what attention adds and of what the MLP adds, `[embedding]` each.
    pub outputs: [Vec<f64>; 2],
}

/// The transformer of minGPT as it is printed: every token of the example normalised, with its own key and value in
/// every head, and all scores exponentiated.
pub fn cls_transformer(
    net: &ClsTransformer,
    parameters: &[Vec<f64>],
    x: &[f32],
    factors: Option<&Factors>,
) -> f64 {
    let [p, e, gains, shifts, q, k, v, out, biases, w1, b1, w2, b2, heads] = parameters else {
        panic!("fourteen parameters")
    };
    let d = net.embedding;
    let size = d / net.heads;
    let norm = |which: usize, row: &[f64]| -> Vec<f64> {
        if net.norm == Norm::None {
            return row.to_vec();
        }
        let mean = row.iter().sum::<f64>() / d as f64;
        let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / d as f64;
        let normed = |i: usize| (row[i] - mean) / (variance + 1e-5).sqrt();
        (0..d).map(|i| normed(i) * gains[which * d + i] + shifts[which * d + i]).collect()
    };
    let product = |row: &[f64], w: &[f64], columns: usize, j: usize| -> f64 {
        (0..row.len()).map(|i| row[i] * w[i * columns + j]).sum()
    };
    let mut tokens: Vec<Vec<f64>> = vec![];
    for (place, bit) in x.iter().enumerate() {
        let token = if *bit > 0.0 { 0 } else { 1 };
        tokens.push((0..d).map(|i| e[token * d + i] + p[place * d + i]).collect());
    }
    tokens.push((0..d).map(|i| e[2 * d + i] + e[3 * d + i]).collect());
    if let Some(factors) = factors {
        tokens.iter_mut().flatten().zip(&factors.tokens).for_each(|(value, factor)| *value *= factor);
    }
    let cls = tokens[x.len()].clone();
    let tokens: Vec<Vec<f64>> = tokens.iter().map(|token| norm(0, token)).collect();
    let last = &tokens[x.len()];
    let mut mixed = vec![];
    for j in 0..d {
        let own = j / size * size..j / size * size + size;
        let score = |token: &Vec<f64>| -> f64 {
            let entry = |j: usize| (product(last, q, d, j) + biases[j]) * product(token, k, d, j);
            own.clone().map(entry).sum::<f64>() / (size as f64).sqrt()
        };
        let weights: Vec<f64> = tokens.iter().map(|token| score(token).exp()).collect();
        let factor = |at: usize| factors.map_or(1.0, |of| of.attention[j / size * tokens.len() + at]);
        let values = tokens
            .iter()
            .zip(&weights)
            .enumerate()
            .map(|(at, (token, weight))| factor(at) * weight * (product(token, v, d, j) + biases[d + j]));
        mixed.push(values.sum::<f64>() / weights.iter().sum::<f64>());
    }
    let kept = |which: usize, j: usize| factors.map_or(1.0, |of| of.outputs[which][j]);
    let added = |j: usize| kept(0, j) * (product(&mixed, out, d, j) + biases[2 * d + j]);
    let z: Vec<f64> = (0..d).map(|j| cls[j] + added(j)).collect();
    let gelu = |z: f64| 0.5 * z * (1.0 + libm::erf(z / 2f64.sqrt()));
    let inner = norm(1, &z);
    let h: Vec<f64> = (0..net.hidden).map(|j| gelu(product(&inner, w1, net.hidden, j) + b1[j])).collect();
    let z: Vec<f64> = (0..d).map(|j| z[j] + kept(1, j) * (product(&h, w2, d, j) + b2[j])).collect();
    let z = norm(2, &z);
    product(&z, heads, 2, 1) - product(&z, heads, 2, 0)
}
