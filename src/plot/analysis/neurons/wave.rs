//! Charts of the weights of one neuron over the elements of a group.
//!
//! Over Z_p they are a sum of waves, which [`embedding_chart`] interpolates between the elements:
//!
//! ```text
//! f(x) = Σ_ζ c_ζ cos(2πζx/p) + s_ζ sin(2πζx/p),   ζ = 0 … ⌊p/2⌋
//! ```
//!
//! (Edelman 2024, figure 7.1).

use std::f64::consts::PI;

use super::NeuronPart;
use crate::analysis::{BarChart, LineChart, Role, Series};
use vivarium_science::groups::Group;

/// Points per group element of the interpolated curve in [`embedding_chart`].
const POINTS_PER_ELEMENT: usize = 8;

/// Line chart of one of a neuron's weight functions, `part`, over the elements of Z_p as dots, and its Fourier
/// interpolation as a curve, from `values`, `[p]`. The index `neuron` counts from 0; the title counts from 1.
pub fn embedding_chart(values: &[f32], part: NeuronPart, neuron: usize) -> LineChart {
    let p = values.len();
    let coefficients = real_fourier_coefficients(values);
    // All angles are multiples of one FINE·p-th of a turn.
    let turn = |k: usize| 2.0 * PI * k as f64 / (POINTS_PER_ELEMENT * p) as f64;
    let turns: Vec<(f64, f64)> =
        (0..POINTS_PER_ELEMENT * p).map(|k| (libm::cos(turn(k)), libm::sin(turn(k)))).collect();
    let places = if p == 0 { 0 } else { POINTS_PER_ELEMENT * (p - 1) + 1 };
    let value = |at: usize| {
        let wave = |(frequency, (c, s)): (usize, &(f64, f64))| {
            let (cosine, sine) = turns[frequency * at % (POINTS_PER_ELEMENT * p)];
            c * cosine + s * sine
        };
        coefficients.iter().enumerate().map(wave).sum::<f64>() as f32
    };
    let curve = Series {
        name: tr!("Fourier series").into(),
        role: Role::Train,
        x: (0..places).map(|at| at as f64 / POINTS_PER_ELEMENT as f64).collect(),
        y: (0..places).map(value).collect(),
        ..Default::default()
    };
    let dots = Series {
        name: tr!("weights").into(),
        role: Role::Test,
        x: (0..p).map(|a| a as f64).collect(),
        y: values.to_vec(),
        scatter: true,
        ..Default::default()
    };
    LineChart {
        title: tr!("Weights {part} of neuron {neuron}", part = part.letter(), neuron = neuron + 1),
        x_label: tr!("element").into(),
        y_label: tr!("weight").into(),
        x_range: (p > 1).then_some((0.0, p.saturating_sub(1) as f64)),
        series: vec![curve, dots],
        ..Default::default()
    }
}

/// Bar chart of the share of each frequency ζ, together with −ζ, in the squared norm of the function `values` on Z_p,
/// with the largest highlighted; all zero for the zero function.
pub fn frequency_share_chart(values: &[f32]) -> BarChart {
    let powers = frequency_powers(values);
    let total: f64 = powers.iter().sum();
    let share = |power: &f64| if total > 0.0 { (power / total) as f32 } else { 0.0 };
    BarChart {
        title: tr!("Power by frequency").into(),
        x_label: tr!("frequency").into(),
        y_label: tr!("share of squared norm").into(),
        bars: powers
            .iter()
            .enumerate()
            .map(|(frequency, power)| (frequency.to_string(), share(power)))
            .collect(),
        marked: if total > 0.0 { vec![super::argmax(&powers)] } else { vec![] },
        ..Default::default()
    }
}

/// Power of each frequency ζ, together with −ζ, of the function f on Z_p with these `values`; the powers sum to ‖f‖² =
/// Σ f(a)².
pub fn frequency_powers(values: &[f32]) -> Vec<f64> {
    let p = values.len();
    // Σ cos² over the elements is p/2, but p where cos² is 1 everywhere.
    let square = |frequency: usize| if is_own_negative(frequency, p) { p as f64 } else { p as f64 / 2.0 };
    real_fourier_coefficients(values)
        .iter()
        .enumerate()
        .map(|(frequency, (c, s))| (c * c + s * s) * square(frequency))
        .collect()
}

/// Whether the frequencies `frequency` and −`frequency` modulo `p` are the same, so that the sine is zero: at 0 and
/// p/2.
fn is_own_negative(frequency: usize, p: usize) -> bool {
    (2 * frequency).is_multiple_of(p)
}

/// Coefficients (of the cosine, of the sine) of the function `values` on Z_p for each frequency ζ from 0 to ⌊p/2⌋;
/// empty for an empty function.
fn real_fourier_coefficients(values: &[f32]) -> Vec<(f64, f64)> {
    let p = values.len();
    if p == 0 {
        return vec![];
    }
    let turn = |k: usize| 2.0 * PI * k as f64 / p as f64;
    let turns: Vec<(f64, f64)> = (0..p).map(|k| (libm::cos(turn(k)), libm::sin(turn(k)))).collect();
    let coefficient = |frequency: usize| {
        let sums = values.iter().enumerate().fold((0.0, 0.0), |(c, s), (a, value)| {
            let (cosine, sine) = turns[frequency * a % p];
            (c + f64::from(*value) * cosine, s + f64::from(*value) * sine)
        });
        let alone = is_own_negative(frequency, p);
        let scale = if alone { 1.0 } else { 2.0 } / p as f64;
        // The sine of a frequency that is its own negative is zero at all elements.
        (sums.0 * scale, if alone { 0.0 } else { sums.1 * scale })
    };
    (0..=p / 2).map(coefficient).collect()
}

/// Bar chart of one of a neuron's weight functions, `part`, over the elements of any group, grouped by conjugacy class,
/// from `values` with one number per element. The index `neuron` counts from 0; the title counts from 1. Elements
/// without a weight are omitted.
pub fn conjugacy_class_chart(values: &[f32], group: &Group, part: NeuronPart, neuron: usize) -> BarChart {
    let elements = group.classes().iter().flatten();
    BarChart {
        title: tr!("Weights {part} of neuron {neuron}", part = part.letter(), neuron = neuron + 1),
        x_label: tr!("element, sorted by conjugacy class").into(),
        y_label: tr!("weight").into(),
        bars: elements.filter_map(|a| Some((group.element_name(*a).to_string(), *values.get(*a)?))).collect(),
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_passes_through_the_weights() {
        for p in [1, 2, 7, 12] {
            let values: Vec<f32> = (0..p).map(|a| ((a * a * 7 + 3 * a) % 11) as f32 - 5.0).collect();
            let lines = embedding_chart(&values, NeuronPart::First, 6);
            let [curve, dots] = &lines.series[..] else { panic!("a curve and dots") };
            assert!(dots.scatter && dots.y == values && lines.title == "Weights u of neuron 7");
            assert_eq!(
                (curve.x.len(), curve.y.len()),
                (POINTS_PER_ELEMENT * (p - 1) + 1, POINTS_PER_ELEMENT * (p - 1) + 1)
            );
            for (a, value) in values.iter().enumerate() {
                assert!(
                    (curve.y[POINTS_PER_ELEMENT * a] - value).abs() < 1e-5
                        && curve.x[POINTS_PER_ELEMENT * a] == a as f64
                );
            }
        }
        assert!(embedding_chart(&[], NeuronPart::First, 0).series[0].x.is_empty());
    }

    #[test]
    fn a_wave_is_itself_between_the_elements() {
        let wave = |x: f64| libm::cos(0.4 + 2.0 * PI * 3.0 * x / 11.0);
        let values: Vec<f32> = (0..11).map(|a| wave(f64::from(a)) as f32).collect();
        let curve = &embedding_chart(&values, NeuronPart::Second, 0).series[0];
        assert!(curve.x.iter().zip(&curve.y).all(|(x, y)| (wave(*x) - f64::from(*y)).abs() < 1e-6));
        let bars = frequency_share_chart(&values);
        assert_eq!((bars.bars.len(), bars.marked.as_slice()), (6, [3].as_slice()));
        assert!((bars.bars[3].1 - 1.0).abs() < 1e-6 && bars.bars[3].0 == "3");
        assert!(frequency_share_chart(&[0.0; 5]).bars.iter().all(|bar| bar.1 == 0.0));
    }

    #[test]
    fn powers_add_up_to_the_squared_norm() {
        for p in [2, 9, 10] {
            let values: Vec<f32> = (0..p).map(|a| ((a * 5 + 2) % 7) as f32 - 2.5).collect();
            let square: f32 = values.iter().map(|value| value * value).sum();
            assert!((frequency_powers(&values).iter().sum::<f64>() - f64::from(square)).abs() < 1e-9);
        }
        // Alternating signs are the frequency that is its own negative.
        assert!((frequency_powers(&[1.0, -1.0, 1.0, -1.0])[2] - 4.0).abs() < 1e-12);
    }

    #[test]
    fn elements_of_a_class_stand_side_by_side() {
        let group = Group::symmetric(3);
        let values: Vec<f32> = (0..6u8).map(f32::from).collect();
        let bars = conjugacy_class_chart(&values, &group, NeuronPart::Output, 0);
        let names: Vec<&str> = bars.bars.iter().map(|bar| bar.0.as_str()).collect();
        assert_eq!(names, ["e", "(2 3)", "(1 2)", "(1 3)", "(1 2 3)", "(1 3 2)"]);
        assert_eq!(bars.bars[2].1, 2.0);
    }
}
