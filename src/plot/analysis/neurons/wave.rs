//! One neuron's weights over the group.
//!
//! Over Z_p they are a sum of waves, which [`embedding`] draws between the elements, too:
//!
//! ```text
//! f(x) = Σ_ζ c_ζ cos(2πζx/p) + s_ζ sin(2πζx/p),   ζ = 0 … ⌊p/2⌋
//! ```
//!
//! (Edelman 2024, figure 7.1).

use std::f64::consts::PI;

use super::Part;
use crate::analysis::{Bars, Lines, Role, Series};
use vivarium_science::groups::Group;

/// Places of the curve per element.
const FINE: usize = 8;

/// A neuron's weights over Z_p as dots, and the real function with the same Fourier coefficients as a curve. The
/// neuron is counted from 0, and named from 1.
pub fn embedding(values: &[f32], part: Part, neuron: usize) -> Lines {
    let p = values.len();
    let coefficients = fourier(values);
    // All angles are multiples of one FINE·p-th of a turn.
    let turn = |k: usize| 2.0 * PI * k as f64 / (FINE * p) as f64;
    let turns: Vec<(f64, f64)> = (0..FINE * p).map(|k| (libm::cos(turn(k)), libm::sin(turn(k)))).collect();
    let places = if p == 0 { 0 } else { FINE * (p - 1) + 1 };
    let value = |at: usize| {
        let wave = |(frequency, (c, s)): (usize, &(f64, f64))| {
            let (cosine, sine) = turns[frequency * at % (FINE * p)];
            c * cosine + s * sine
        };
        coefficients.iter().enumerate().map(wave).sum::<f64>() as f32
    };
    let curve = Series {
        name: tr!("Fourier series").into(),
        role: Role::Train,
        x: (0..places).map(|at| at as f64 / FINE as f64).collect(),
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
    Lines {
        title: tr!("Weights {part} of neuron {neuron}", part = part.letter(), neuron = neuron + 1),
        x_label: tr!("element").into(),
        y_label: tr!("weight").into(),
        x_range: (p > 1).then_some((0.0, p.saturating_sub(1) as f64)),
        series: vec![curve, dots],
        ..Default::default()
    }
}

/// The share of each frequency in the squared norm of a function on Z_p, ζ and −ζ together, with the largest pointed
/// at; all zero for a function that is zero.
pub fn spectrum(values: &[f32]) -> Bars {
    let powers = powers(values);
    let total: f64 = powers.iter().sum();
    let share = |power: &f64| if total > 0.0 { (power / total) as f32 } else { 0.0 };
    Bars {
        title: tr!("Power by frequency").into(),
        x_label: tr!("frequency").into(),
        y_label: tr!("share of squared norm").into(),
        bars: powers
            .iter()
            .enumerate()
            .map(|(frequency, power)| (frequency.to_string(), share(power)))
            .collect(),
        marked: if total > 0.0 { vec![super::largest(&powers)] } else { vec![] },
        ..Default::default()
    }
}

/// Σ over a of f(a)² by frequency, ζ and −ζ together: they add up to ‖f‖².
pub fn powers(values: &[f32]) -> Vec<f64> {
    let p = values.len();
    // Σ cos² over the elements is p/2, but p where cos² is 1 everywhere.
    let square = |frequency: usize| if is_alone(frequency, p) { p as f64 } else { p as f64 / 2.0 };
    fourier(values)
        .iter()
        .enumerate()
        .map(|(frequency, (c, s))| (c * c + s * s) * square(frequency))
        .collect()
}

/// Whether a frequency is its own negative.
fn is_alone(frequency: usize, p: usize) -> bool {
    (2 * frequency).is_multiple_of(p)
}

/// c_ζ and s_ζ for ζ = 0 … ⌊p/2⌋; none of nothing.
fn fourier(values: &[f32]) -> Vec<(f64, f64)> {
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
        let alone = is_alone(frequency, p);
        let scale = if alone { 1.0 } else { 2.0 } / p as f64;
        // The sine of a frequency that is its own negative is zero at all elements.
        (sums.0 * scale, if alone { 0.0 } else { sums.1 * scale })
    };
    (0..=p / 2).map(coefficient).collect()
}

/// A neuron's weights over the elements of any group, those of one conjugacy class side by side. The neuron is counted
/// from 0, and named from 1. Elements that have no weight are left out.
pub fn by_class(values: &[f32], group: &Group, part: Part, neuron: usize) -> Bars {
    let elements = group.classes().iter().flatten();
    Bars {
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
            let lines = embedding(&values, Part::First, 6);
            let [curve, dots] = &lines.series[..] else { panic!("a curve and dots") };
            assert!(dots.scatter && dots.y == values && lines.title == "Weights u of neuron 7");
            assert_eq!((curve.x.len(), curve.y.len()), (FINE * (p - 1) + 1, FINE * (p - 1) + 1));
            for (a, value) in values.iter().enumerate() {
                assert!((curve.y[FINE * a] - value).abs() < 1e-5 && curve.x[FINE * a] == a as f64);
            }
        }
        assert!(embedding(&[], Part::First, 0).series[0].x.is_empty());
    }

    #[test]
    fn a_wave_is_itself_between_the_elements() {
        let wave = |x: f64| libm::cos(0.4 + 2.0 * PI * 3.0 * x / 11.0);
        let values: Vec<f32> = (0..11).map(|a| wave(f64::from(a)) as f32).collect();
        let curve = &embedding(&values, Part::Second, 0).series[0];
        assert!(curve.x.iter().zip(&curve.y).all(|(x, y)| (wave(*x) - f64::from(*y)).abs() < 1e-6));
        let bars = spectrum(&values);
        assert_eq!((bars.bars.len(), bars.marked.as_slice()), (6, [3].as_slice()));
        assert!((bars.bars[3].1 - 1.0).abs() < 1e-6 && bars.bars[3].0 == "3");
        assert!(spectrum(&[0.0; 5]).bars.iter().all(|bar| bar.1 == 0.0));
    }

    #[test]
    fn powers_add_up_to_the_squared_norm() {
        for p in [2, 9, 10] {
            let values: Vec<f32> = (0..p).map(|a| ((a * 5 + 2) % 7) as f32 - 2.5).collect();
            let square: f32 = values.iter().map(|value| value * value).sum();
            assert!((powers(&values).iter().sum::<f64>() - f64::from(square)).abs() < 1e-9);
        }
        // Alternating signs are the frequency that is its own negative.
        assert!((powers(&[1.0, -1.0, 1.0, -1.0])[2] - 4.0).abs() < 1e-12);
    }

    #[test]
    fn elements_of_a_class_stand_side_by_side() {
        let group = Group::symmetric(3);
        let values: Vec<f32> = (0..6u8).map(f32::from).collect();
        let bars = by_class(&values, &group, Part::Output, 0);
        let names: Vec<&str> = bars.bars.iter().map(|bar| bar.0.as_str()).collect();
        assert_eq!(names, ["e", "(2 3)", "(1 2)", "(1 3)", "(1 2 3)", "(1 3 2)"]);
        assert_eq!(bars.bars[2].1, 2.0);
    }
}
