//! Update rules, orthogonal updates and smoothed losses against numbers that are worked out by hand or in double precision.

use burn::tensor::{Tensor, TensorData};

use super::losses::{of_classes, smoothed_losses};
use super::orthogonal::orthogonal;
use super::updates::{Update, update_rule};
use crate::launch::device::Device;
use vivarium_kernels::cpu::one_hidden_layer::{LANES, Row, Update as OnRows};
use vivarium_model::optim::adam::WeightDecayKind;
use vivarium_model::optim::loss::Loss;
use vivarium_model::optim::muon::NEWTON_SCHULZ_COEFFICIENTS;
use vivarium_model::optim::sgd::MomentumKind;
use vivarium_model::optim::{Adam, Lion, Muon, Optimizer, Sgd};
use vivarium_operators::cross_entropy::LabelSoftmax;

fn tensor(values: &[f32], shape: [usize; 3]) -> Tensor<3> {
    Tensor::from_data(TensorData::new(values.to_vec(), shape), Device::cpu().tensors())
}

fn numbers(tensor: Tensor<3>) -> Vec<f32> {
    pollster::block_on(tensor.into_data_async()).unwrap().try_to_vec().unwrap()
}

fn close(found: f32, exact: f64, what: &str) {
    assert!((f64::from(found) - exact).abs() < 2e-6 * exact.abs().max(0.1), "{what}: {found}, not {exact}");
}

/// The weight 0.5 after each of two steps with the gradients 0.2 and −0.1, on tensors and in the loops.
fn two_steps(optimizer: &Optimizer, exact: [f64; 2]) {
    let what = format!("{optimizer:?}");
    let mut w = tensor(&[0.5], [1, 1, 1]);
    let mut moments = vec![tensor(&[0.0], [1, 1, 1]); optimizer.moment_count()];
    let mut rows = [Row([0.5; LANES]), Row::ZERO, Row::ZERO];
    for (step, (gradient, exact)) in [0.2f32, -0.1].into_iter().zip(exact).enumerate() {
        let lr = optimizer.learning_rate();
        w = update_rule(optimizer).update(w, tensor(&[gradient], [1, 1, 1]), &mut moments, lr, step as u64);
        close(numbers(w.clone())[0], exact, &what);
        if optimizer.is_entrywise() {
            let [w, m, v] = &mut rows;
            let (w, m, v) = (std::slice::from_mut(w), std::slice::from_mut(m), std::slice::from_mut(v));
            OnRows::new(optimizer, step as u64, lr).apply(w, &[Row([gradient; LANES])], m, v);
            assert!(rows[0].0.iter().all(|lane| *lane == rows[0].0[0]));
            close(rows[0].0[0], exact, &what);
        }
    }
}

#[test]
fn two_steps_of_each_optimizer_are_those_on_paper() {
    let sgd = Sgd { lr: 0.5, decay: 0.1, momentum: 0.9, ..Default::default() };
    // g = 0.25, v = 0.25; then g = −0.1 + 0.0375, v = 0.9 · 0.25 − 0.0625 = 0.1625.
    two_steps(&Optimizer::Sgd(sgd.clone()), [0.5 - 0.5 * 0.25, 0.375 - 0.5 * 0.1625]);
    // The same v, and g + 0.9 v = 0.475; then g = −0.1 + 0.02625, v = 0.225 − 0.07375 = 0.15125 and g + 0.9 v = 0.062375.
    let nesterov = Sgd { kind: MomentumKind::Nesterov, ..sgd };
    two_steps(&Optimizer::Sgd(nesterov), [0.5 - 0.5 * 0.475, 0.2625 - 0.5 * 0.062_375]);
    // Without momentum there is nothing to look ahead with.
    let none = Sgd { lr: 0.5, kind: MomentumKind::Nesterov, ..Default::default() };
    two_steps(&Optimizer::Sgd(none), [0.4, 0.45]);
    // c = 0.1 · 0.2 > 0, m = 0.01 · 0.2; then c = 0.9 · 0.002 − 0.1 · 0.1 < 0.
    let lion = Lion { lr: 0.01, decay: 0.1, ..Default::default() };
    two_steps(&Optimizer::Lion(lion), [0.5 * 0.999 - 0.01, 0.4895 * 0.999 + 0.01]);
    // m̂ = 0.2, v̂ = 0.04; then m = 0.9 · 0.02 − 0.01, v = 0.999 · 0.00004 + 0.001 · 0.01.
    let adam = Adam { lr: 0.01, decay: 0.1, kind: WeightDecayKind::Decoupled, ..Default::default() };
    let second = (0.008 / 0.19) / (0.000_049_96f64 / 0.001_999).sqrt();
    two_steps(&Optimizer::Adam(adam), [0.5 * 0.999 - 0.01, 0.4895 * 0.999 - 0.01 * second]);
    // A single number is a vector, which Adam moves with β₁ = 0.9 and β₂ = 0.95 at 0.02 · 0.015.
    let second = (0.008 / 0.19) / (0.0024f64 / 0.0975).sqrt();
    two_steps(&Optimizer::Muon(Muon::default()), [0.5 - 0.0003, 0.4997 - 0.0003 * second]);
}

#[test]
fn lion_leaves_a_weight_without_a_gradient_where_it_is() {
    let optimizer = Optimizer::Lion(Lion { lr: 0.01, ..Default::default() });
    let mut moments = vec![tensor(&[0.0; 3], [1, 1, 3])];
    let gradient = tensor(&[0.0, f32::NAN, -1e-30], [1, 1, 3]);
    let w = numbers(update_rule(&optimizer).update(
        tensor(&[0.5; 3], [1, 1, 3]),
        gradient,
        &mut moments,
        0.01,
        0,
    ));
    assert!(w[0] == 0.5 && w[1].is_nan() && (w[2] - 0.51).abs() < 1e-6, "{w:?}");
    let (mut on_rows, mut m) = ([Row([0.5; LANES])], [Row::ZERO]);
    let mut g = Row::ZERO;
    (g.0[1], g.0[2]) = (f32::NAN, -1e-30);
    OnRows::new(&optimizer, 0, 0.01).apply(&mut on_rows, &[g], &mut m, &mut []);
    let w = on_rows[0].0;
    assert!(w[0] == 0.5 && w[1].is_nan() && (w[2] - 0.51).abs() < 1e-6, "{w:?}");
}

/// What the iteration makes of a singular value, in double precision.
fn iterated(mut x: f64, times: usize) -> f64 {
    let [a, b, c] = NEWTON_SCHULZ_COEFFICIENTS;
    for _ in 0..times {
        x = a * x + b * x.powi(3) + c * x.powi(5);
    }
    x
}

/// A diagonal matrix stays diagonal, and each entry is iterated by itself.
#[test]
fn two_steps_of_muon_on_a_matrix_are_those_on_paper() {
    for (rows, columns) in [(2, 4), (4, 2), (2, 2)] {
        let diagonal = |[a, b]: [f32; 2]| {
            let mut values = vec![0.0; rows * columns];
            (values[0], values[columns + 1]) = (a, b);
            tensor(&values, [1, rows, columns])
        };
        let muon = Muon { decay: 0.5, ..Default::default() };
        let mut moments = vec![diagonal([0.0, 0.0]); 2];
        let mut w = diagonal([1.0, 1.0]);
        let (mut exact, mut sums) = ([1.0f64; 2], [0.0f64; 2]);
        for (step, gradient) in [[3.0f32, 4.0], [-1.0, 2.0]].into_iter().enumerate() {
            w = muon.update(w, diagonal(gradient), &mut moments, 0.02, step as u64);
            let gradient = gradient.map(f64::from);
            let push: Vec<f64> = (0..2)
                .map(|i| {
                    sums[i] = 0.95 * sums[i] + gradient[i];
                    gradient[i] + 0.95 * sums[i]
                })
                .collect();
            let norm = (push[0] * push[0] + push[1] * push[1]).sqrt();
            let stretch = (columns as f64 / rows as f64).max(1.0).sqrt();
            let found = numbers(w.clone());
            for i in 0..2 {
                exact[i] = exact[i] * (1.0 - 0.02 * 0.5) - 0.02 * stretch * iterated(push[i] / norm, 5);
                close(found[i * columns + i], exact[i], &format!("{rows} × {columns}, step {step}"));
            }
            let rest = found.iter().enumerate().filter(|(at, _)| ![0, columns + 1].contains(at));
            assert!(rest.into_iter().all(|(_, w)| *w == 0.0), "{found:?}");
        }
    }
}

#[test]
fn each_replica_has_its_own_orthogonal_update() {
    let values: Vec<f32> =
        (0..30).map(|i| libm::sinf(0.5 + 1.3 * (i * i) as f32) * if i < 15 { 1e-3 } else { 50.0 }).collect();
    for shape in [[2, 3, 5], [2, 5, 3]] {
        let [_, rows, columns] = shape;
        let found = numbers(orthogonal(tensor(&values, shape), 5));
        for one in found.chunks(15) {
            // Of all directions in the smaller space, none is stretched much.
            for turn in 0..40 {
                let angle = |k: usize| libm::sin(0.3 + 1.9 * (turn * 3 + k) as f64);
                let v: Vec<f64> = (0..3).map(angle).collect();
                let image = |long: usize| -> f64 {
                    let entry = |short: usize| {
                        if rows < columns { one[short * 5 + long] } else { one[long * 3 + short] }
                    };
                    (0..3).map(|short| f64::from(entry(short)) * v[short]).sum()
                };
                let length = |v: &mut dyn Iterator<Item = f64>| v.map(|x| x * x).sum::<f64>().sqrt();
                let ratio = length(&mut (0..5).map(image)) / length(&mut v.iter().copied());
                assert!((0.6..1.3).contains(&ratio), "{shape:?}: {ratio}");
            }
        }
    }
    assert!(numbers(orthogonal(tensor(&[0.0; 6], [1, 2, 3]), 5)).iter().all(|x| *x == 0.0));
}

/// −Σ q ln softmax(f) with q = (1 − ε) one-hot + ε/K, in double precision.
fn of_shares(outputs: &[f64], label: usize, smoothing: f64) -> f64 {
    let sum: f64 = outputs.iter().map(|f| f.exp()).sum();
    let share = |class: usize| {
        f64::from(u8::from(class == label)) * (1.0 - smoothing) + smoothing / outputs.len() as f64
    };
    -outputs.iter().enumerate().map(|(class, f)| share(class) * (f - sum.ln())).sum::<f64>()
}

#[test]
fn slopes_of_smoothed_losses_are_central_differences() {
    let (outputs, smoothing, label) = ([0.3f64, -1.2, 2.0, 0.7], 0.3, 1);
    let single = outputs.map(|f| f as f32);
    let hot = tensor(&[0.0, 1.0, 0.0, 0.0], [1, 1, 4]);
    let f = tensor(&single, [1, 1, 4]).autodiff().require_grad();
    let losses = of_classes(hot.autodiff(), f.clone(), smoothing as f32).0;
    close(numbers(losses.clone().inner())[0], of_shares(&outputs, label, smoothing), "loss");
    let slopes = f.grad(&losses.backward()).map(numbers).unwrap_or_default();
    for class in 0..4 {
        let at = |shift: f64| {
            let mut moved = outputs;
            moved[class] += shift;
            of_shares(&moved, label, smoothing)
        };
        close(slopes[class], (at(1e-5) - at(-1e-5)) / 2e-5, "slope");
    }
    // A sign is a label of two classes whose logits are half of the output, and its opposite.
    for (y, output) in [(1.0f64, 0.8f64), (-1.0, 0.8), (1.0, -2.5)] {
        let exact = |output: f64| of_shares(&[0.5 * y * output, -0.5 * y * output], 0, smoothing);
        let f = tensor(&[output as f32], [1, 1, 1]).autodiff().require_grad();
        let label = tensor(&[y as f32], [1, 1, 1]).autodiff();
        let losses = smoothed_losses(Loss::CrossEntropy, label, f.clone(), smoothing as f32);
        close(numbers(losses.clone().inner())[0], exact(output), "loss of a sign");
        let slope = f.grad(&losses.backward()).map(numbers).unwrap_or_default()[0];
        close(slope, (exact(output + 1e-5) - exact(output - 1e-5)) / 2e-5, "slope of a sign");
    }
}

/// The loss and its gradient by the tensors, and by the kernel of the fused loop, for these outputs.
fn loss_and_gradient(outputs: &[f32], label: usize) -> [(f32, Vec<f32>); 2] {
    let classes = outputs.len();
    let hot: Vec<f32> = (0..classes).map(|class| f32::from(u8::from(class == label))).collect();
    let f = tensor(outputs, [1, 1, classes]).autodiff().require_grad();
    let losses = of_classes(tensor(&hot, [1, 1, classes]).autodiff(), f.clone(), 0.0).0;
    let loss = numbers(losses.clone().inner())[0];
    let gradient = f.grad(&losses.backward()).map(numbers).unwrap_or_default();
    let mut rows = vec![Row::ZERO; classes.div_ceil(LANES)];
    for (class, output) in outputs.iter().enumerate() {
        rows[class / LANES].0[class % LANES] = *output;
    }
    let answer = LabelSoftmax::new(&mut rows, classes, label);
    answer.write_gradient(&mut rows, label);
    let fused = (0..classes).map(|class| rows[class / LANES].0[class % LANES]).collect();
    [(loss, gradient), (answer.loss(), fused)]
}

/// A memorised example has a loss below the rounding error of 1. Its gradient keeps its digits, and its sum over the
/// classes is zero, so that tensors and fused loops continue the training in the same way.
#[test]
fn a_memorised_example_has_the_same_gradient_in_tensors_and_in_the_fused_loop() {
    for (outputs, label) in [
        (vec![30.0f32, 0.0, 1.0, -2.0], 0usize),
        (vec![1.0, 2.0, 41.0], 2),
        (vec![-60.0, 5.0], 1),
        (vec![0.5, 0.5, 0.4], 1),
        (vec![7.0, -20.0, 3.0], 1),
        (vec![900.0, -900.0], 1),
    ] {
        let [tensors, fused] = loss_and_gradient(&outputs, label);
        let agree = |a: f32, b: f32| (a - b).abs() <= 1e-5 * b.abs().max(1e-30);
        assert!(agree(tensors.0, fused.0), "{outputs:?}: {} {}", tensors.0, fused.0);
        for (a, b) in tensors.1.iter().zip(&fused.1) {
            assert!(agree(*a, *b), "{outputs:?}: {:?} {:?}", tensors.1, fused.1);
        }
        let sum: f32 = tensors.1.iter().sum();
        assert!(tensors.1[label] < 0.0 && sum.abs() <= 1e-5 * tensors.1[label].abs(), "{outputs:?}: {sum}");
    }
}
