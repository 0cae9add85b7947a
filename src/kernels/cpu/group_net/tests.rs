use super::*;
use crate::cpu::ReplicaState;
use vivarium_core::rng::{Purpose, RandomStream};
use vivarium_model::optim::adam::WeightDecayKind;
use vivarium_model::optim::{Adam, Optimizer, Sgd};

/// The definition, term by term.
#[derive(Clone)]
struct Slow {
    network: Network,
    /// u, v and w, `[order, neurons]`.
    parts: [Vec<f64>; 3],
}

struct Judged {
    loss: f64,
    right: usize,
    margin: f64,
    norms: f64,
    /// Of the mean loss and the penalty.
    gradient: [Vec<f64>; 3],
}

impl Slow {
    fn norm(&self, i: usize) -> f64 {
        let own = self.parts.iter().flat_map(|part| part.iter().skip(i).step_by(self.network.neurons));
        own.map(|w| w * w).sum::<f64>().sqrt()
    }

    fn judge(&self, (cells, labels): &Data, lambda: f64) -> Judged {
        let Network { order, neurons, sigma, nu, .. } = self.network;
        let [u, v, w] = &self.parts;
        let mut gradient: [Vec<f64>; 3] = std::array::from_fn(|_| vec![0.0; order * neurons]);
        let (mut loss, mut right, mut margin) = (0.0, 0, f64::INFINITY);
        for ([a, b], label) in cells.iter().zip(labels) {
            let (a, b, label) = (*a as usize * neurons, *b as usize * neurons, *label as usize);
            let z: Vec<f64> = (0..neurons).map(|i| u[a + i] + v[b + i]).collect();
            let (h, slope): (Vec<f64>, Vec<f64>) = z
                .iter()
                .map(|z| match sigma {
                    Sigma::Square => (z * z, 2.0 * z),
                    Sigma::Relu => (z.max(0.0), if *z > 0.0 { 1.0 } else { 0.0 }),
                })
                .unzip();
            let outputs: Vec<f64> =
                (0..order).map(|c| (0..neurons).map(|i| h[i] * w[c * neurons + i]).sum()).collect();
            let top = outputs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let total: f64 = outputs.iter().map(|f| libm::exp(f - top)).sum();
            loss += libm::log(total) - (outputs[label] - top);
            let others = outputs.iter().enumerate().filter(|(c, _)| *c != label);
            let ahead = outputs[label] - others.map(|(_, f)| *f).fold(f64::NEG_INFINITY, f64::max);
            margin = margin.min(ahead);
            right += usize::from(ahead > 0.0);
            for c in 0..order {
                let hit = if c == label { 1.0 } else { 0.0 };
                let p = (libm::exp(outputs[c] - top) / total - hit) / cells.len() as f64;
                for i in 0..neurons {
                    gradient[2][c * neurons + i] += h[i] * p;
                    let pull = p * w[c * neurons + i] * slope[i];
                    gradient[0][a + i] += pull;
                    gradient[1][b + i] += pull;
                }
            }
        }
        for (gradient, part) in gradient.iter_mut().zip(&self.parts) {
            for (at, (g, w)) in gradient.iter_mut().zip(part).enumerate() {
                *g += lambda * nu as f64 * self.norm(at % neurons).powi(nu as i32 - 2) * w;
            }
        }
        let norms = (0..neurons).map(|i| self.norm(i).powi(nu as i32)).sum();
        Judged { loss, right, margin, norms, gradient }
    }
}

type Data = (Vec<[u32; 2]>, Vec<u32>);

/// Every pair and its sum.
fn table(order: usize) -> Data {
    let d = order as u32;
    let cells: Vec<[u32; 2]> = (0..d * d).map(|cell| [cell / d, cell % d]).collect();
    let labels = cells.iter().map(|[a, b]| (a + b) % d).collect();
    (cells, labels)
}

/// Pairs at random, some of them more than once, with any labels.
fn drawn(order: usize, count: u32) -> Data {
    let stream = RandomStream::new(9, Purpose::Batch, 0);
    let draw = |part: u64, i: u32| (stream.draw_normal(part, i).abs() * 1e4) as u32 % order as u32;
    let cells = (0..count).map(|i| [draw(0, i), draw(1, i)]).collect();
    (cells, (0..count).map(|i| draw(2, i)).collect())
}

/// A network at random numbers of standard deviation `scale`, twice.
fn twins(network: Network, scale: f32) -> (Replica, Slow) {
    let stream = RandomStream::new(3, Purpose::Weights, 0);
    let mut replica = Replica::new(&network);
    let parts = std::array::from_fn(|which| {
        let size = (network.order * network.neurons) as u32;
        let values: Vec<f32> = (0..size).map(|i| scale * stream.draw_normal(which as u64, i)).collect();
        replica.write(0, which, &values);
        assert_eq!(replica.read(0, which), values);
        values.iter().map(|v| f64::from(*v)).collect()
    });
    (replica, Slow { network, parts })
}

fn network(order: usize, neurons: usize, sigma: Sigma, nu: usize, rule: Rule) -> Network {
    Network { order, neurons, sigma, nu, rule }
}

fn close(found: &[f32], exact: &[f64], tolerance: f64, what: &str) {
    let most = exact.iter().fold(1e-12f64, |most, v| most.max(v.abs()));
    assert_eq!(found.len(), exact.len(), "{what}");
    for (at, (a, b)) in found.iter().zip(exact).enumerate() {
        assert!((f64::from(*a) - b).abs() <= tolerance * most, "{what}, {at}: {a} instead of {b}");
    }
}

#[test]
fn gradients_and_measures_are_those_of_the_definition() {
    // At the first step the velocity is the gradient.
    let rule = Rule::Sgd { momentum: true };
    let descent = Optimizer::Sgd(Sgd { lr: 0.5, momentum: 0.5, ..Default::default() });
    let lambda = 0.01;
    for (sigma, nu) in [Sigma::Square, Sigma::Relu].into_iter().flat_map(|s| [2, 3, 4].map(|nu| (s, nu))) {
        for (order, neurons) in [(1, 2), (5, 3), (8, 40), (16, 16), (17, 33), (23, 17), (33, 5), (5, 1000)] {
            for data in [table(order), drawn(order, 1), drawn(order, 37), drawn(order, 300)] {
                let network = network(order, neurons, sigma, nu, rule);
                let what = format!("{network:?} on {} pairs", data.0.len());
                let (mut replica, slow) = twins(network, 0.6);
                let exact = slow.judge(&data, lambda);
                let (mut scratch, pairs) = (Scratch::new(&network), Pairs::new(order, &data.0, &data.1));
                let sums = replica.measure(&mut scratch, &pairs);
                close(&[sums.loss as f32], &[exact.loss], 1e-5, &what);
                close(&[sums.norms as f32], &[exact.norms], 1e-6, &what);
                assert_eq!(sums.right, exact.right, "{what}");
                if order > 1 {
                    close(&[sums.margin], &[exact.margin], 1e-4, &what);
                }
                replica.step(&mut scratch, &pairs, lambda as f32, &Update::new(&descent, 0, 0.5));
                for which in 0..3 {
                    close(&replica.read(1, which), &exact.gradient[which], 1e-5, &what);
                    let pushed = slow.parts[which].iter().zip(&exact.gradient[which]);
                    let pushed: Vec<f64> = pushed.map(|(w, g)| w - 0.5 * g).collect();
                    close(&replica.read(0, which), &pushed, 1e-5, &what);
                }
            }
        }
    }
}

#[test]
fn ten_steps_of_adam_are_those_of_the_definition() {
    for (sigma, nu, kind) in
        [(Sigma::Square, 3, WeightDecayKind::Decoupled), (Sigma::Relu, 2, WeightDecayKind::Coupled)]
    {
        // The larger ε keeps a sign that hangs on rounding from becoming a whole step.
        let adam = Adam { epsilon: 1e-4, decay: 0.1, kind, ..Default::default() };
        let network = network(7, 21, sigma, nu, Rule::Adam);
        let (mut replica, mut slow) = twins(network, 0.3);
        let (data, mut scratch) = (table(7), Scratch::new(&network));
        let pairs = Pairs::new(7, &data.0, &data.1);
        let mut moments: [[Vec<f64>; 3]; 2] =
            std::array::from_fn(|_| std::array::from_fn(|_| vec![0.0; 7 * 21]));
        for step in 0..10 {
            replica.step(
                &mut scratch,
                &pairs,
                1e-3,
                &Update::new(&Optimizer::Adam(adam.clone()), step, 0.01),
            );
            let judged = slow.judge(&data, 1e-3);
            for which in 0..3 {
                for (i, g) in judged.gradient[which].iter().enumerate() {
                    let w = &mut slow.parts[which][i];
                    let coupled = if kind == WeightDecayKind::Coupled { 0.1 } else { 0.0 };
                    let g = g + coupled * *w;
                    let [m, v] = &mut moments;
                    let (m, v) = (&mut m[which][i], &mut v[which][i]);
                    *m = 0.9 * *m + 0.1 * g;
                    *v = 0.999 * *v + 0.001 * g * g;
                    let unbias = |beta: f64| 1.0 - beta.powi(step as i32 + 1);
                    let update = *m / unbias(0.9) / ((*v / unbias(0.999)).sqrt() + 1e-4);
                    *w -= 0.01 * (update + (0.1 - coupled) * *w);
                }
            }
        }
        for (which, weights) in slow.parts.iter().enumerate() {
            close(&replica.read(0, which), weights, 1e-4, "weights");
            close(&replica.read(1, which), &moments[0][which], 1e-3, "means");
            close(&replica.read(2, which), &moments[1][which], 1e-3, "squares");
        }
    }
}

#[test]
fn what_is_no_number_is_seen() {
    let network = network(5, 3, Sigma::Relu, 2, Rule::Sgd { momentum: false });
    let (data, mut scratch) = (table(5), Scratch::new(&network));
    let pairs = Pairs::new(5, &data.0, &data.1);
    for (which, broken) in [(0, f32::NAN), (1, f32::NAN), (2, f32::NAN), (2, f32::INFINITY)] {
        let (mut replica, _) = twins(network, 0.3);
        let mut values = replica.read(0, which);
        values[7] = broken;
        replica.write(0, which, &values);
        let sums = replica.measure(&mut scratch, &pairs);
        assert!(sums.loss.is_nan() && sums.margin.is_nan(), "{which} {broken}: {sums:?}");
        // Nor does it stay behind in the memory.
        let (replica, slow) = twins(network, 0.3);
        let sums = replica.measure(&mut scratch, &pairs);
        close(&[sums.loss as f32], &[slow.judge(&data, 0.0).loss], 1e-5, "afterwards");
    }
}

#[test]
fn equal_outputs_are_no_answer() {
    let network = network(5, 3, Sigma::Square, 3, Rule::Adam);
    let (data, mut scratch) = (table(5), Scratch::new(&network));
    let sums = Replica::new(&network).measure(&mut scratch, &Pairs::new(5, &data.0, &data.1));
    assert_eq!((sums.right, sums.margin, sums.norms), (0, 0.0, 0.0));
    assert!((sums.loss - 25.0 * libm::log(5.0)).abs() < 1e-4);
}

#[test]
fn without_pairs_only_the_penalty_pulls() {
    let network = network(5, 3, Sigma::Square, 2, Rule::Sgd { momentum: false });
    let (mut replica, slow) = twins(network, 0.3);
    let mut scratch = Scratch::new(&network);
    let (pairs, descent) = (Pairs::new(5, &[], &[]), Optimizer::Sgd(Sgd::default()));
    assert!(pairs.is_empty());
    replica.step(&mut scratch, &pairs, 0.25, &Update::new(&descent, 0, 0.5));
    for which in 0..3 {
        let exact: Vec<f64> = slow.parts[which].iter().map(|w| 0.75 * w).collect();
        close(&replica.read(0, which), &exact, 1e-6, "shrunk");
    }
}

/// A few steps, folded into one number. Browsers must find the same.
#[test]
fn the_bits_are_the_same_everywhere() {
    let adam = Optimizer::Adam(Adam { lr: 0.01, decay: 0.01, ..Default::default() });
    let network = network(23, 37, Sigma::Square, 3, Rule::Adam);
    let (start, _) = twins(network, 0.3);
    let (all, few, mut scratch) = (table(23), drawn(23, 50), Scratch::new(&network));
    let mut pairs = Pairs::new(23, &all.0, &all.1);
    let mut run = || {
        let mut replica = Replica::new(&network);
        replica.copy(&start);
        for step in 0..12 {
            let data = if step % 2 == 0 { &all } else { &few };
            pairs.fill(&data.0, &data.1);
            replica.step(&mut scratch, &pairs, 1e-3, &Update::new(&adam, step, 0.01));
        }
        let of_part = |part: usize| (0..3).flat_map(move |which| [(part, which)]);
        let numbers: Vec<f32> = (0..3).flat_map(of_part).flat_map(|(p, w)| replica.read(p, w)).collect();
        assert!(numbers.iter().all(|v| v.is_finite()));
        let fold = |hash: u32, v: &f32| (hash ^ v.to_bits()).wrapping_mul(16_777_619);
        numbers.iter().fold(2_166_136_261, fold)
    };
    let first = run();
    assert_eq!(run(), first);
    assert_eq!(first, 2_865_598_469);
}
