//! The Fourier spectrum of a trained function on the whole cube: how much of it sits on sets of each size, and
//! how much on the hidden one.
//!
//! ```text
//! W_d = Σ_{|T|=d} f̂(T)² / ‖f‖²,   ‖f‖² = E_x[f(x)²] = Σ_T f̂(T)²
//! ```
//!
//! (Edelman 2024, section 5.4.1 and equation B.2; O'Donnell 2014, section 1.4). Sets and points are bit masks as
//! in [`walsh`]: bit i of a point is set where x_i = −1.

use super::{BarChart, walsh};
use vivarium_core::sorting;

/// Maximum number of inputs n of a function whose spectrum is computed from its outputs on the whole cube: 2¹⁶ = 65,536
/// points and one million additions.
pub const MAX_INPUTS: usize = 16;

/// All points of the cube {−1, 1}ⁿ, `[2^inputs, inputs]`, in the order of the outputs of [`FourierSpectrum::read`];
/// `None` above [`MAX_INPUTS`].
pub fn cube_points(inputs: usize) -> Option<Vec<f32>> {
    (inputs <= MAX_INPUTS)
        .then(|| (0..1usize << inputs).flat_map(|mask| point_of_mask(mask, inputs)).collect())
}

/// Coordinates of the point of the cube {−1, 1}ⁿ, n = `inputs`, with this bit mask: coordinate i is −1 if bit i of
/// `mask` is set, else 1.
pub fn point_of_mask(mask: usize, inputs: usize) -> impl Iterator<Item = f32> {
    (0..inputs).map(move |i| if mask >> i & 1 == 1 { -1.0 } else { 1.0 })
}

/// Fourier coefficients of a function on the cube, compared with a target parity over the hidden set S.
#[derive(Debug, Clone, PartialEq)]
pub struct FourierSpectrum {
    /// Fourier coefficient f̂(T) of each set T of inputs, at the index whose bit i is set if T contains i.
    pub coefficients: Vec<f64>,
    /// Norm ‖f‖ of the function f, the root mean square of its outputs on the cube.
    pub norm: f64,
    /// For each size from 0 to n, the share of the squared norm ‖f‖² in the Fourier coefficients of sets of this size;
    /// all zero if f is zero.
    pub weight_by_degree: Vec<f64>,
    /// Bit mask of the hidden set S: bit i is set if S contains input i.
    pub hidden_mask: usize,
    /// Cosine similarity f̂(S) / ‖f‖ of the function f and the target parity χ_S; 0 if f is zero.
    pub correlation: f64,
    /// E[sgn f(x) · χ_S(x)] for the target parity χ_S, with sgn 0 = 0: twice the accuracy of the sign of f minus one.
    pub sign_correlation: f64,
}

impl FourierSpectrum {
    /// Computes the spectrum of a function from its outputs at all points of the cube, in the order of [`cube_points`],
    /// with the hidden set `relevant`; `None` if the number of outputs is not a power of two up to 2^[`MAX_INPUTS`], or
    /// if one is not finite.
    pub fn read(outputs: &[f32], relevant: &[usize]) -> Option<Self> {
        let fits = outputs.len().is_power_of_two() && outputs.len() <= 1 << MAX_INPUTS;
        if !fits || outputs.iter().any(|f| !f.is_finite()) {
            return None;
        }
        let n = outputs.len().trailing_zeros() as usize;
        let hidden = relevant.iter().filter(|i| **i < n).fold(0, |mask, i| mask | 1 << i);
        let mut coefficients: Vec<f64> = outputs.iter().map(|f| f64::from(*f)).collect();
        let norm = libm::sqrt(coefficients.iter().map(|f| f * f).sum::<f64>() / outputs.len() as f64);
        walsh::walsh_transform(&mut coefficients);
        let mut by_degree = walsh::weight_by_degree(&coefficients);
        if norm > 0.0 {
            by_degree.iter_mut().for_each(|weight| *weight /= norm * norm);
        }
        let signs = outputs.iter().enumerate().map(|(point, f)| {
            let y = if (point & hidden).count_ones() % 2 == 1 { -1.0 } else { 1.0 };
            if *f == 0.0 { 0.0 } else { y * f64::from(f.signum()) }
        });
        Some(FourierSpectrum {
            norm,
            weight_by_degree: by_degree,
            hidden_mask: hidden,
            correlation: if norm > 0.0 { coefficients[hidden] / norm } else { 0.0 },
            sign_correlation: signs.sum::<f64>() / outputs.len() as f64,
            coefficients,
        })
    }

    /// The `count` Fourier coefficients of largest absolute value, in descending order of it, each after the ascending
    /// indices, from 0, of the inputs in its set.
    pub fn largest_coefficients(&self, count: usize) -> Vec<(Vec<usize>, f64)> {
        let size = |mask: usize| self.coefficients[mask].abs();
        // Of equal ones the lower mask, so that the list stands still.
        let masks = sorting::argsort(self.coefficients.len(), &|a, b| size(b).total_cmp(&size(a)));
        let members = |mask: usize| (0..self.weight_by_degree.len()).filter(|i| mask >> i & 1 == 1).collect();
        masks.into_iter().take(count).map(|mask| (members(mask), self.coefficients[mask])).collect()
    }
}

/// Bar chart of the share of the squared norm in the Fourier coefficients of sets of each size, from `shares` with one
/// number per size from 0; `size` is the size of the hidden set, whose bar is highlighted.
pub fn degree_chart(shares: &[f32], size: usize) -> BarChart {
    BarChart {
        title: tr!("Fourier weight by degree").into(),
        x_label: tr!("degree").into(),
        y_label: tr!("share of squared norm").into(),
        bars: shares.iter().enumerate().map(|(degree, share)| (degree.to_string(), *share)).collect(),
        marked: vec![size],
        marked_name: "degree of the target".into(),
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outputs(n: usize, f: impl Fn(&[f32]) -> f32) -> Vec<f32> {
        cube_points(n).unwrap().chunks(n).map(f).collect()
    }

    #[test]
    fn a_mixture_is_taken_apart() {
        let f = outputs(5, |x| 3.0 * x[0] * x[2] * x[4] - 2.0 * x[1] + 1.0);
        let spectrum = FourierSpectrum::read(&f, &[0, 2, 4]).unwrap();
        let shares = [1.0 / 14.0, 4.0 / 14.0, 0.0, 9.0 / 14.0, 0.0, 0.0];
        for (found, expected) in spectrum.weight_by_degree.iter().zip(shares) {
            assert!((found - expected).abs() < 1e-12);
        }
        assert_eq!(spectrum.largest_coefficients(3), [(vec![0, 2, 4], 3.0), (vec![1], -2.0), (vec![], 1.0)]);
        assert!((spectrum.correlation - 3.0 / 14f64.sqrt()).abs() < 1e-12);
        // Of x_1 = +1 (3χ − 1) and x_1 = −1 (3χ + 3), only χ = −1 in the second is a tie.
        assert!((spectrum.sign_correlation - 0.75).abs() < 1e-12);
        let shares: Vec<f32> = spectrum.weight_by_degree.iter().map(|share| *share as f32).collect();
        let bars = degree_chart(&shares, 3);
        assert_eq!((bars.bars.len(), bars.marked), (6, vec![3]));
        assert_eq!(bars.bars[3].0, "3");
    }

    #[test]
    fn the_correlation_of_signs_is_twice_the_accuracy_minus_one() {
        let labels = outputs(6, |x| x[0] * x[1]);
        // The second is 0 for three quarters of the inputs.
        let functions: [fn(&[f32]) -> f32; 2] =
            [|x| x[0] * x[1] + 0.7 * x[2] + 0.6 * x[3] * x[4] - 0.1, |x| (x[0] + x[1]).max(0.0)];
        for f in functions.map(|f| outputs(6, f)) {
            let credit = |margin: f32| if margin == 0.0 { 0.5 } else { f64::from(u8::from(margin > 0.0)) };
            let right: f64 = labels.iter().zip(&f).map(|(y, f)| credit(y * f)).sum();
            let spectrum = FourierSpectrum::read(&f, &[0, 1]).unwrap();
            assert!(right < 64.0);
            assert_eq!(spectrum.sign_correlation, 2.0 * right / 64.0 - 1.0);
        }
    }

    #[test]
    fn the_hidden_parity_alone_has_correlation_one_and_zero_has_none() {
        let spectrum = FourierSpectrum::read(&outputs(4, |x| 0.25 * x[1] * x[3]), &[1, 3]).unwrap();
        assert_eq!((spectrum.correlation, spectrum.sign_correlation, spectrum.norm), (1.0, 1.0, 0.25));
        let nothing = FourierSpectrum::read(&[0.0; 8], &[0]).unwrap();
        assert_eq!((nothing.correlation, nothing.sign_correlation), (0.0, 0.0));
        assert_eq!(nothing.weight_by_degree, [0.0; 4]);
    }

    #[test]
    fn what_is_no_function_on_the_cube_has_no_spectrum() {
        assert_eq!(FourierSpectrum::read(&[1.0; 12], &[0]), None);
        assert_eq!(FourierSpectrum::read(&[], &[0]), None);
        assert_eq!(FourierSpectrum::read(&[1.0, f32::NAN], &[0]), None);
        assert_eq!(FourierSpectrum::read(&vec![1.0; 1 << (MAX_INPUTS + 1)], &[0]), None);
        assert_eq!(cube_points(MAX_INPUTS + 1), None);
    }
}
