//! Fourier gaps: how far the entries of a first layer's population gradient on the hidden set exceed the others,
//! over the steps of a run.
//!
//! ```text
//! Γ = max_{i∈S} |g_i| − max_{i∉S} |g_i|,   g = E[y x σ'(w·x + b)]
//! ```
//!
//! (Edelman 2024, appendix B.3.1, figures B.7 and B.8; the strict form, with min in place of the first max, is
//! definition 5.4 for x ↦ σ'(w·x + b)). Where Γ > 0 one coordinate of S can be read off a gradient of O(log n / Γ²)
//! examples. Neither weights of the second layer nor the slope of a loss are part of g.
//!
//! # Why
//! A network that is no sum of neurons, such as a product of linear forms or several layers, has no σ'(w·x) of its own.
//! For these g is E[y x ∂f/∂z], what appendix B.3.7 asks of deep networks: up to its sign the population gradient of
//! the correlation loss. A chart says which of the two it shows.

pub use super::gradient::{FirstLayer, FirstLayerGradient, GradientAccumulator, LossDerivative, NetworkHead};
pub use super::majority::{majority_coefficient, majority_gap, relu_majority_gap};

use super::histogram::{count_bins, draw_stairs};
use super::{LineChart, Role, Series};
use vivarium_core::math::median;

/// Fourier gap of one neuron: how far the gradient entries of the relevant coordinates S exceed in absolute value those
/// of the other coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FourierGap {
    /// Γ = max_{i∈S} |g_i| − max_{i∉S} |g_i| for the gradient entries g_i of the neuron; positive if the largest is on
    /// a relevant coordinate, one in S.
    pub relaxed: f64,
    /// min_{i∈S} |g_i| − max_{i∉S} |g_i| for the gradient entries g_i of the neuron; positive if the largest entries
    /// identify the whole set S of relevant coordinates.
    pub strict: f64,
    /// Standard error of the gap `relaxed`, from the standard errors of the two gradient entries in it; 0 if the
    /// gradient is exact.
    pub standard_error: f64,
}

impl FirstLayerGradient {
    /// The Fourier gap of each neuron for the relevant coordinates with the indices `relevant`, from 0; a maximum over
    /// no coordinates is 0.
    pub fn gaps(&self, relevant: &[usize]) -> Vec<FourierGap> {
        let (inside, outside): (Vec<usize>, Vec<usize>) =
            (0..self.inputs).partition(|i| relevant.contains(i));
        let neuron = |j: usize| {
            let at = |i: &usize| (self.values[i * self.width + j].abs(), *i);
            let ordered = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0);
            let least = inside.iter().map(at).min_by(ordered);
            let [inside, outside] = [&inside, &outside].map(|set| set.iter().map(at).max_by(ordered));
            let value = |of: Option<(f64, usize)>| of.map_or(0.0, |(value, _)| value);
            let error = |of: Option<(f64, usize)>| match (&self.standard_errors, of) {
                (Some(errors), Some((_, i))) => errors[i * self.width + j],
                _ => 0.0,
            };
            FourierGap {
                relaxed: value(inside) - value(outside),
                strict: value(least) - value(outside),
                standard_error: libm::hypot(error(inside), error(outside)),
            }
        };
        (0..self.width).map(neuron).collect()
    }

    /// Index, from 0, and Fourier gap of the neuron with the largest gap Γ, [`FourierGap::relaxed`], for the relevant
    /// coordinates with the indices `relevant`; `None` if no gap is finite.
    pub fn largest_gap(&self, relevant: &[usize]) -> Option<(usize, FourierGap)> {
        let finite = self.gaps(relevant).into_iter().enumerate().filter(|(_, gap)| gap.relaxed.is_finite());
        // Of equal ones the first.
        finite.reduce(|best, next| if next.1.relaxed > best.1.relaxed { next } else { best })
    }
}

/// Which gradient a chart of Fourier gaps is about: that of hidden neurons or that of linear forms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum GapSource {
    /// Hidden neurons, E[y x σ'(w·x + b)]; the number is the gap of a neuron with the same activation, weights ±1/√n
    /// and no bias.
    HiddenNeurons(f64),
    /// Linear forms z of another kind of network, E[y x ∂f/∂z].
    LinearForms,
}

/// Line chart over training steps of the Fourier gaps in `gaps`, pairs of a step and the gap at this step. Where the
/// gradient is sampled, the curve has a band of one standard error; for hidden neurons the gap of a neuron with weights
/// ±1/√n on n inputs is a reference line.
pub fn chart(gaps: &[(u64, FourierGap)], of: GapSource) -> LineChart {
    let drawn = gaps.iter().any(|(_, gap)| gap.standard_error > 0.0);
    let series = |name: &str, role: Role, of: fn(&FourierGap) -> f64| Series {
        name: name.into(),
        role,
        x: gaps.iter().map(|(step, _)| *step as f64).collect(),
        y: gaps.iter().map(|(_, gap)| of(gap) as f32).collect(),
        ..Default::default()
    };
    let mut relaxed = series(tr!("largest |g| of a relevant bit"), Role::Test, |gap| gap.relaxed);
    if drawn {
        let edges =
            gaps.iter().map(|(_, gap)| (gap.relaxed - gap.standard_error, gap.relaxed + gap.standard_error));
        relaxed.band = edges.map(|(low, high)| (low as f32, high as f32)).collect();
    }
    let (title, references) = match of {
        GapSource::HiddenNeurons(signs) => (
            tr!("Fourier gap of g = E[y x σ′(w·x + b)]"),
            vec![(signs, tr!("same activation, weights ±1/√n").into())],
        ),
        GapSource::LinearForms => (tr!("Gap of g = E[y x ∂f/∂z], z = w·x + b"), vec![]),
    };
    LineChart {
        title: title.into(),
        x_label: tr!("step").into(),
        y_label: tr!("|g| minus the largest |g| of an irrelevant bit").into(),
        series: vec![relaxed, series(tr!("smallest |g| of a relevant bit"), Role::Other, |gap| gap.strict)],
        reference_lines: references,
        ..Default::default()
    }
}

/// Largest number of bins of the histogram of Fourier gaps.
const MAX_BINS: usize = 40;
/// Difference of the largest and the smallest gap, relative to the largest in size or to 1, up to which gaps count as equal.
const EQUAL_GAPS: f64 = 1e-12;

/// Histogram of the Fourier gaps of several networks, in ascending order, with a mark at the median and the marks `references`
/// as pairs (gap, name). The number of bins is about 2 ∛N for N gaps (Rice's rule).
pub fn distribution_chart(gaps: &[f64], references: Vec<(f64, String)>) -> LineChart {
    let (low, high) = (gaps.first().copied().unwrap_or(0.0), gaps.last().copied().unwrap_or(0.0));
    let size = low.abs().max(high.abs());
    // Equal gaps have one bin around their value.
    let is_single = high - low <= EQUAL_GAPS * size.max(1.0);
    let bins =
        if is_single { 1 } else { (libm::ceil(2.0 * libm::cbrt(gaps.len() as f64)) as usize).min(MAX_BINS) };
    let margin = 0.1 * size.max(0.01);
    let range = if is_single { (low - margin, low + margin) } else { (low, high) };
    let stairs = match gaps.is_empty() {
        true => Series { stairs: true, ..Default::default() },
        false => {
            let counts = count_bins(gaps.iter().copied(), range, bins);
            draw_stairs(range, counts.into_iter().map(|count| count as f32).collect())
        }
    };
    let series = Series {
        name: tr!("networks").into(),
        role: Role::Test,
        band: stairs.y.iter().map(|count| (0.0, *count)).collect(),
        ..stairs
    };
    let middle = median(gaps).map(|gap| (gap, tr!("median").into()));
    LineChart {
        x_label: tr!("Fourier gap Γ").into(),
        y_label: tr!("number of networks").into(),
        series: vec![series],
        marks: middle.into_iter().chain(references).collect(),
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_core::rng::{Purpose, RandomStream};

    /// Gaps of ReLU neurons.
    fn relu_gaps(weights: &[f32], biases: &[f32], inputs: usize, k: usize) -> Vec<FourierGap> {
        let width = weights.len() / inputs;
        let relevant: Vec<usize> = (0..k).collect();
        let mut job = GradientAccumulator::new(&FirstLayer { weights, biases, inputs, width }, &relevant);
        let head = |z: &[f64], out: &mut [f64]| {
            out.iter_mut()
                .zip(z)
                .for_each(|(out, z)| *out = if *z == 0.0 { 0.5 } else { f64::from(u8::from(*z > 0.0)) });
            0.0
        };
        while !job.advance(&head, &|y, _| -y, 1 << 12) {}
        job.finish().gaps(&relevant)
    }

    #[test]
    fn signs_for_weights_have_the_gap_of_majority() {
        for (n, k) in [(9, 2), (9, 4), (10, 2), (10, 3), (12, 3), (12, 4), (15, 3)] {
            let signs: Vec<f32> = (0..n).map(|i| if i * i % 3 == 1 { -1.0 } else { 1.0 }).collect();
            let gap = relu_gaps(&signs, &[], n, k)[0];
            let expected = relu_majority_gap(n, k);
            assert!((gap.relaxed - expected).abs() < 1e-14, "{n} {k}: {gap:?} {expected}");
            assert!((gap.strict - expected).abs() < 1e-14 && gap.standard_error == 0.0);
        }
    }

    /// Gaps of 200 random neurons on 15 bits, sorted, and the shares where relaxed and strict are positive.
    fn distribution(k: usize, normal: bool, bias: f32) -> (Vec<f64>, f64, f64) {
        const DRAWS: u32 = 200;
        let stream = RandomStream::new(11, Purpose::Weights, k as u32);
        let scale = 1.0 / 15f32.sqrt();
        let uniform = |step: u64, i: u32| scale * (2.0 * stream.draw_uniform(step, i) - 1.0);
        let weights: Vec<f32> =
            (0..15 * DRAWS).map(|i| if normal { stream.draw_normal(0, i) } else { uniform(0, i) }).collect();
        let biases: Vec<f32> = (0..DRAWS).map(|i| bias * uniform(1, i)).collect();
        let gaps = relu_gaps(&weights, &biases, 15, k);
        let share = |of: fn(&FourierGap) -> f64| {
            gaps.iter().filter(|gap| of(gap) > 0.0).count() as f64 / f64::from(DRAWS)
        };
        let shares = (share(|g| g.relaxed), share(|g| g.strict));
        let mut sorted: Vec<f64> = gaps.iter().map(|gap| gap.relaxed).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        (sorted, shares.0, shares.1)
    }

    /// Figure B.7 of Edelman 2024: at random starts the gap is comparable to that of majority, which is 0.0967
    /// for k = 2 and 0.0059 for k = 4.
    #[test]
    fn random_threshold_functions_have_gaps_like_majority() {
        let within = |value: f64, low: f64, high: f64| assert!((low..=high).contains(&value), "{value}");
        let (gaps, positive, strict) = distribution(2, false, 0.0);
        within(gaps[100], 0.10, 0.125);
        within(positive, 0.97, 1.0);
        within(strict, 0.97, 1.0);
        let (gaps, positive, _) = distribution(2, true, 0.0);
        within(gaps[100], 0.085, 0.115);
        within(positive, 0.97, 1.0);
        let (gaps, positive, strict) = distribution(4, false, 0.0);
        within(gaps[100], 0.003, 0.0075);
        within(positive, 0.8, 0.96);
        within(strict, 0.08, 0.3);
        let (gaps, positive, strict) = distribution(4, true, 0.0);
        within(gaps[100], 0.001, 0.004);
        within(positive, 0.68, 0.87);
        within(strict, 0.02, 0.15);
    }

    /// Edelman 2024, appendix B.3.2: an odd k needs biases.
    #[test]
    fn an_odd_parity_has_no_gap_without_biases() {
        let (gaps, positive, strict) = distribution(3, false, 0.0);
        assert!(gaps.iter().all(|gap| *gap == 0.0));
        assert_eq!((positive, strict), (0.0, 0.0));
        let (gaps, positive, _) = distribution(3, false, 1.0);
        assert!((0.002..0.006).contains(&gaps[100]) && (0.74..0.93).contains(&positive), "{positive}");
        let (gaps, positive, _) = distribution(3, false, 2.0);
        assert!((0.005..0.011).contains(&gaps[100]) && (0.84..0.98).contains(&positive), "{positive}");
    }

    #[test]
    fn gaps_are_taken_from_the_right_coordinates() {
        let gradient = FirstLayerGradient {
            values: vec![3.0, 0.1, -4.0, 0.2, -5.0, 0.1, 1.0, f64::NAN],
            standard_errors: Some(vec![0.3; 8]),
            inputs: 4,
            width: 2,
        };
        let gap = gradient.gaps(&[0, 1])[0];
        assert_eq!((gap.relaxed, gap.strict), (-1.0, -2.0));
        assert!((gap.standard_error - 0.3 * 2f64.sqrt()).abs() < 1e-15);
        assert_eq!(
            gradient.largest_gap(&[0, 1]),
            Some((0, gap)),
            "a neuron that is no number is passed over"
        );
        assert_eq!(gradient.gaps(&[0, 1, 2, 3])[0].relaxed, 5.0);
        assert_eq!(
            FirstLayerGradient { values: vec![], standard_errors: None, inputs: 0, width: 0 }
                .largest_gap(&[0]),
            None
        );
    }

    /// Each count is that of the gaps between the two edges of the bin.
    #[test]
    fn every_bin_counts_the_gaps_between_its_edges() {
        let stream = RandomStream::new(3, Purpose::Sample, 0);
        let mut gaps: Vec<f64> = (0..50).map(|i| f64::from(stream.draw_normal(0, i))).collect();
        gaps.sort_unstable_by(f64::total_cmp);
        let lines = distribution_chart(&gaps, vec![(0.5, "signs".into())]);
        let found = &lines.series[0];
        assert_eq!((found.y.len(), found.x.len(), found.stairs), (8, 9, true));
        for (bin, count) in found.y.iter().enumerate() {
            let is_last = bin == 7;
            let within = |gap: &f64| *gap >= found.x[bin] && (is_last || *gap < found.x[bin + 1]);
            assert_eq!(*count as usize, gaps.iter().filter(|gap| within(gap)).count(), "bin {bin}");
        }
        assert_eq!(lines.marks[0], ((gaps[24] + gaps[25]) / 2.0, "median".to_string()));
        assert_eq!(lines.marks[1], (0.5, "signs".to_string()));
        let equal = distribution_chart(&[0.0; 7], vec![]);
        assert_eq!(equal.series[0].y, [7.0]);
        assert!(equal.series[0].x[0] < 0.0 && equal.series[0].x[1] > 0.0);
        assert!(distribution_chart(&[], vec![]).series[0].x.is_empty());
    }

    #[test]
    fn the_chart_has_bands_only_where_points_were_drawn() {
        let gap = |step: u64| (step, FourierGap { relaxed: step as f64, strict: -1.0, standard_error: 0.0 });
        let lines = chart(&(0..100).map(gap).collect::<Vec<_>>(), GapSource::HiddenNeurons(0.1));
        assert_eq!(lines.reference_lines, [(0.1, "same activation, weights ±1/√n".to_string())]);
        assert!(lines.series[0].band.is_empty() && lines.series[0].x.len() == 100);
        assert_eq!(lines.series[0].y.last(), Some(&99.0));
        let lines = chart(
            &[(0, FourierGap { relaxed: 2.0, strict: 1.0, standard_error: 0.5 })],
            GapSource::LinearForms,
        );
        assert_eq!(lines.series[0].band, [(1.5, 2.5)]);
        assert!(lines.reference_lines.is_empty() && lines.series[1].y == [1.0]);
    }
}
