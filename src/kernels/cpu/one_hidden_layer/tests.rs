use super::units::{activate, loss_gradient, loss_value, multiply};
use super::*;
use crate::cpu::ReplicaState;
use crate::plan::Network;
use vivarium_model::models::Activation;
use vivarium_model::optim::loss::Loss;
use vivarium_model::run::RunSpec;

fn single(activation: Activation, degree: usize, z: f32) -> (f32, f32) {
    let coefficients = activation.function(degree).coefficients();
    let (mut values, mut slopes) = ([Row([z; LANES])], [Row::ZERO]);
    activate::<true>((activation, degree), &coefficients, &mut values, &mut slopes);
    assert_eq!(values[0].0[0].to_bits(), values[0].0[LANES - 1].to_bits());
    let mut alone = [Row([z; LANES])];
    activate::<false>((activation, degree), &coefficients, &mut alone, &mut []);
    assert_eq!(alone[0].0[3].to_bits(), values[0].0[3].to_bits());
    (values[0].0[0], slopes[0].0[0])
}

#[test]
fn values_and_slopes_are_those_of_the_definition() {
    for activation in Activation::ALL.iter().copied() {
        for degree in 1..=8 {
            // Off the kinks, where rounding decides.
            for i in -2000..2000 {
                let z = i as f32 * 0.0051 + 0.0007;
                let (value, slope) = single(activation, degree, z);
                let (exact, exact_slope) = activation.value_and_slope(degree, f64::from(z));
                let close = |a: f32, b: f64| (f64::from(a) - b).abs() <= 4e-5 * b.abs().max(1.0);
                // Horner's rule loses digits where large terms cancel.
                if activation != Activation::Oscillating || z.abs() <= degree as f32 + 1.0 {
                    assert!(close(value, exact), "{activation:?}, k = {degree}, z = {z}: {value} {exact}");
                    assert!(close(slope, exact_slope), "{activation:?}, k = {degree}, z = {z}: {slope}");
                }
            }
        }
    }
}

#[test]
fn kinks_have_the_slopes_that_are_stated() {
    for activation in [Activation::Relu, Activation::Zigzag, Activation::Wave] {
        for degree in 1..=8 {
            for z in -12..=12 {
                let (value, slope) = single(activation, degree, z as f32);
                let exact = activation.value_and_slope(degree, f64::from(z));
                assert_eq!(
                    (f64::from(value), f64::from(slope)),
                    exact,
                    "{activation:?}, k = {degree}, z = {z}"
                );
            }
        }
    }
}

#[test]
fn what_is_no_number_stays_none() {
    for activation in Activation::ALL.iter().copied() {
        assert!(single(activation, 3, f32::NAN).0.is_nan(), "{activation:?}");
    }
}

#[test]
fn losses_are_those_of_the_definition() {
    for loss in Loss::ALL.iter().copied() {
        for label in [-1.0, 1.0] {
            for output in [-90.0f32, -3.1, -0.2, 0.0, 0.7, 2.5, 90.0] {
                let (y, f, h) = (f64::from(label), f64::from(output), 1e-6);
                let exact = loss.compute(y, f);
                assert!((f64::from(loss_value(loss, label, output)) - exact).abs() <= 1e-6 * exact.max(1.0));
                let numeric = (loss.compute(y, f + h) - loss.compute(y, f - h)) / (2.0 * h);
                assert!(
                    (f64::from(loss_gradient(loss, label, output)) - numeric).abs() < 1e-4 * (1.0 + f.abs())
                );
            }
        }
    }
}

#[test]
fn slopes_of_a_product_are_the_products_of_the_others() {
    let mut z = [Row::ZERO];
    z[0].0[..3].copy_from_slice(&[2.0, 0.0, -3.0]);
    let mut slopes = [Row::ZERO];
    multiply(3, &mut z, &mut slopes);
    assert_eq!(z[0].sum(), 0.0);
    assert_eq!(slopes[0].0[..4], [0.0, -6.0, 0.0, 0.0]);
}

#[test]
fn patterns_hold_the_bits_of_each_example() {
    let (n, words): (usize, Vec<u32>) = (6, (0..14u32).map(|i| i.wrapping_mul(2_654_435_761)).collect());
    let patterns = Patterns::new(&words, n);
    for e in 0..64 {
        let block = &words[e / 32 * (n + 1)..][..n + 1];
        let bit = |i: usize| (block[i] >> (e % 32)) & 1;
        for i in 0..n {
            assert_eq!(u32::from(patterns.places[e * 2 + i / 4] >> (i % 4)) & 1, bit(i));
        }
        assert_eq!(patterns.label(e), 1.0 - 2.0 * bit(n) as f32);
    }
}

/// A few steps of a net with all kinds of parts, folded into one number. Browsers must find the same.
#[test]
fn the_bits_are_the_same_everywhere() {
    let mut spec = RunSpec::default();
    for (key, text) in
        [("opt", "adam"), ("wd", "0.01"), ("act", "sin"), ("loss", "ce"), ("width", "21"), ("batch", "300")]
    {
        spec.parse(key, text).unwrap();
    }
    let network = Network::of(&spec).unwrap();
    let mut replica = Replica::new(&network);
    for (which, values) in spec.architecture().initial(3, network.inputs, 1).iter().enumerate() {
        replica.write(0, which, values);
        assert_eq!(&replica.read(0, which), values);
    }
    let mut scratch = Scratch::new(&network);
    let stream = vivarium_core::rng::RandomStream::new(4, vivarium_core::rng::Purpose::Batch, 0);
    let mut words = vec![0; 10 * (network.inputs + 1)];
    for step in 0..20 {
        stream.fill_u32(step, 0, &mut words);
        replica.step(&mut scratch, &words, &Update::new(&spec.optimizer, step, 0.01));
    }
    let numbers: Vec<f32> = (0..3)
        .flat_map(|part| (0..4).flat_map(move |which| [(part, which)]))
        .flat_map(|(p, w)| replica.read(p, w))
        .collect();
    assert!(numbers.iter().all(|v| v.is_finite()));
    let fold = |hash: u32, v: &f32| (hash ^ v.to_bits()).wrapping_mul(16_777_619);
    assert_eq!(numbers.iter().fold(2_166_136_261, fold), 1_467_159_386);
}
