//! Neurons of a network with a power activation after training on a sparse parity.
//!
//! ```text
//! f(x) = Σ_i (u_i·x)^k w_i,   ω_i = (u_i, w_i),   mass of a neuron = ‖ω_i‖^(k+1)
//! ```
//!
//! In a network of largest margin every u_i ≠ 0 is on the set S of relevant bits alone, w_i is a multiple of
//! b = (1, −1), |u_i\[j\]| = ‖w_i‖ for j in S, and (Π_{j∈S} u_i\[j\])(w_i·b) ≥ 0, the sign rule (Edelman 2024, theorem
//! 7.8 and figure 7.5).
//!
//! # Why
//! Means over neurons are weighted by their mass, that is by their part in the penalty: its gradient vanishes with the
//! norm, so that the small ones are never cleaned up and say nothing.

use super::Heatmap;
use super::neurons::MIN_LIVE_SHARE;
use vivarium_core::sorting;

/// How closely the neurons of a network f(x) = Σ_i (u_i·x)^k w_i on a k-bit parity match a maximum-margin network
/// (Edelman 2024, theorem 7.8). Averages over neurons are weighted by their mass ‖ω_i‖^(k+1), ω_i = (u_i, w_i).
#[derive(Debug, Clone, PartialEq)]
pub struct ParityNeurons {
    /// Norm ‖ω_i‖ of each neuron i, where ω_i joins its input weights u_i and its output weights w_i.
    pub norms: Vec<f64>,
    /// Number of neurons whose mass, ‖ω_i‖^(k+1) for activation z^k, is at least [`MIN_LIVE_SHARE`] of the largest
    /// mass.
    pub live_count: usize,
    /// Share of the squared norm of the input weights u on irrelevant bits, averaged over neurons; 0 in a
    /// maximum-margin network.
    pub off_support_share: f64,
    /// Squared cosine of the angle between the output weights w and b = (1, −1), averaged over neurons; 1 in a
    /// maximum-margin network.
    pub alignment: f64,
    /// Share of the mass in neurons that follow the sign rule (Π u\[j\] over relevant bits j)·(w·b) ≥ 0 with b = (1,
    /// −1); 1 in a maximum-margin network.
    pub sign_rule_share: f64,
    /// Mean over relevant bits j of |u\[j\]|/‖w‖, averaged over neurons; 1 in a maximum-margin network.
    pub magnitude_ratio: f64,
}

impl ParityNeurons {
    /// Measures the neurons of one replica of a network with activation z^`degree`: input weights `u`, output weights
    /// `w`, and indices `relevant`, from 0, of the relevant bits. `None` if the shapes do not match, a relevant bit is
    /// out of range, or no neuron has a finite u and w other than zero.
    ///
    /// # Shapes
    /// `u` is `[inputs, width]`, `w` is `[2, width]`.
    pub fn read(u: &[f32], w: &[f32], width: usize, degree: usize, relevant: &[usize]) -> Option<Self> {
        let norms = neuron_norms(u, w, width)?;
        let inputs = u.len() / width;
        if relevant.is_empty() || relevant.iter().any(|j| *j >= inputs) {
            return None;
        }
        let most = norms.iter().copied().fold(0.0, f64::max);
        let mut means = [WeightedMean::default(); 4];
        let mut live = 0;
        for (i, norm) in norms.iter().enumerate() {
            // Relative to the largest, so that no power of a norm is lost.
            let mass = libm::pow(norm / most, (degree + 1) as f64);
            live += usize::from(mass >= MIN_LIVE_SHARE);
            let weight = |j: usize| f64::from(u[j * width + i]);
            let (first, second) = (f64::from(w[i]), f64::from(w[width + i]));
            let all: f64 = (0..inputs).map(|j| weight(j) * weight(j)).sum();
            let on: f64 = relevant.iter().map(|j| weight(*j) * weight(*j)).sum();
            let outer = first * first + second * second;
            let along = first - second;
            let signs = relevant.iter().map(|j| weight(*j).signum() * f64::from(weight(*j) != 0.0));
            let keeps = signs.product::<f64>() * along >= 0.0;
            let size: f64 = relevant.iter().map(|j| weight(*j).abs()).sum::<f64>() / relevant.len() as f64;
            // A neuron without u or without w does nothing.
            if all > 0.0 && outer > 0.0 {
                let values = [
                    (all - on).max(0.0) / all,
                    along * along / (2.0 * outer),
                    f64::from(keeps),
                    size / outer.sqrt(),
                ];
                means.iter_mut().zip(values).for_each(|(mean, value)| mean.add(value, mass));
            }
        }
        let [off_support, along, sign_rule, ratio] = means.map(WeightedMean::value);
        let found = ParityNeurons {
            norms,
            live_count: live,
            off_support_share: off_support,
            alignment: along,
            sign_rule_share: sign_rule,
            magnitude_ratio: ratio,
        };
        ratio.is_finite().then_some(found)
    }

    /// Describes in a paragraph for the page how closely the neurons match a maximum-margin network.
    pub fn describe(&self) -> String {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let neurons = if self.live_count == 1 { tr!("neurons is") } else { tr!("neurons are") };
        tr!(
            "{live} of {norms} {neurons} live. The other numbers are averages over all neurons, weighted by norm mass (each neuron's term in the penalty): the product of w₁ − w₂ and all relevant uⱼ is at least 0 for {sign_rule} of the norm mass; {off_support} of ‖u‖² is outside the relevant bits; the squared cosine of the angle between w and (1, −1) is {along}; the mean |u| on the relevant bits, divided by ‖w‖, is {ratio}.",
            live = self.live_count,
            norms = self.norms.len(),
            neurons,
            off_support = percent(self.off_support_share),
            sign_rule = percent(self.sign_rule_share),
            along = percent(self.alignment),
            ratio = format!("{:.2}", self.magnitude_ratio)
        )
    }
}

/// Accumulator of a weighted mean of numbers: Σ weight · value / Σ weight.
#[derive(Debug, Clone, Copy, Default)]
struct WeightedMean {
    /// Sum of value times weight.
    sum: f64,
    /// Sum of the weights.
    weight: f64,
}

impl WeightedMean {
    /// Adds a value with its weight.
    fn add(&mut self, value: f64, weight: f64) {
        // A weight may have vanished, and the value may be too large for it then.
        if weight > 0.0 {
            self.sum += weight * value;
            self.weight += weight;
        }
    }

    /// The mean; NaN if nothing was added.
    fn value(self) -> f64 {
        self.sum / self.weight
    }
}

/// Norm ‖ω_i‖ of each neuron, over its input weights in `u`, `[inputs, width]`, and its output weights in `w`, `[2,
/// width]`; `None` if the shapes do not match or a norm is not finite.
fn neuron_norms(u: &[f32], w: &[f32], width: usize) -> Option<Vec<f64>> {
    if width == 0 || w.len() != 2 * width || u.is_empty() || !u.len().is_multiple_of(width) {
        return None;
    }
    let mut squares = vec![0.0f64; width];
    for row in u.chunks_exact(width).chain(w.chunks_exact(width)) {
        squares.iter_mut().zip(row).for_each(|(sum, weight)| *sum += f64::from(*weight) * f64::from(*weight));
    }
    let norms: Vec<f64> = squares.into_iter().map(f64::sqrt).collect();
    norms.iter().all(|norm| norm.is_finite()).then_some(norms)
}

/// Heat map of the input weights u (rows: input bits) of the `count` neurons of largest norm over all their weights
/// (columns, descending), with the relevant bits marked. Empty if the shapes do not match.
///
/// # Shapes
/// As [`ParityNeurons::read`].
pub fn largest_neurons_heatmap(
    u: &[f32],
    w: &[f32],
    width: usize,
    relevant: &[usize],
    count: usize,
) -> Heatmap {
    let norms = neuron_norms(u, w, width).unwrap_or_default();
    // Of equal ones the lower number, so that the picture stands still.
    let mut order = sorting::argsort(norms.len(), &|a, b| norms[b].total_cmp(&norms[a]));
    order.truncate(count);
    let rows = if order.is_empty() { 0 } else { u.len() / width };
    Heatmap {
        title: tr!("Neurons with the largest norms").into(),
        x_label: tr!("neuron, sorted by ‖ω‖ (largest first)").into(),
        y_label: tr!("input bit").into(),
        rows,
        columns: order.len(),
        values: (0..rows).flat_map(|j| order.iter().map(move |i| u[j * width + i])).collect(),
        marked_rows: relevant.to_vec(),
        column_names: order.iter().map(|i| (i + 1).to_string()).collect(),
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_science::groups::theory;

    fn singles(values: &[f64]) -> Vec<f32> {
        values.iter().map(|value| *value as f32).collect()
    }

    #[test]
    fn a_network_of_largest_margin_is_that_of_the_theorem() {
        for relevant in [vec![1, 3], vec![0, 2, 4], vec![0, 1, 2, 5]] {
            let (k, best) = (relevant.len(), theory::build_parity_network(6, &relevant).unwrap());
            let (u, w) = (singles(&best.u), singles(&best.w));
            let found = ParityNeurons::read(&u, &w, best.neuron_count, k, &relevant).unwrap();
            assert_eq!(
                (found.live_count, found.off_support_share, found.sign_rule_share),
                (best.neuron_count, 0.0, 1.0)
            );
            assert!(
                (found.alignment - 1.0).abs() < 1e-6 && (found.magnitude_ratio - 1.0).abs() < 1e-6,
                "{found:?}"
            );
            let mass: f64 = found.norms.iter().map(|norm| norm.powi(k as i32 + 1)).sum();
            assert!((mass - 1.0).abs() < 1e-6);
            // Of another set of bits it is not.
            let other = ParityNeurons::read(&u, &w, best.neuron_count, k, &[0, 3]).unwrap();
            assert!(other.off_support_share > 0.3, "{other:?}");
            // With outputs the other way round every sign is wrong.
            let turned: Vec<f32> = w.iter().map(|w| -w).collect();
            assert_eq!(
                ParityNeurons::read(&u, &turned, best.neuron_count, k, &relevant).unwrap().sign_rule_share,
                0.0
            );
        }
    }

    /// A neuron of norm √13, the same with half its weights and the other sign of one, a dead one, and one that is all
    /// zero.
    const U: [f32; 12] = [2.0, -1.0, 0.1, 0.0, 2.0, 1.0, 0.0, 0.0, 1.0, 0.5, 0.0, 0.0];
    const W: [f32; 8] = [2.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.1, 0.0];

    #[test]
    fn neurons_by_hand() {
        let found = ParityNeurons::read(&U, &W, 4, 2, &[0, 1]).unwrap();
        // Masses are third powers of the norms, √13, √13/2, √0.02 and 0.
        let tiny = (0.02f64.sqrt() / 13f64.sqrt()).powi(3);
        let all = 1.0 + 0.125 + tiny;
        assert_eq!(found.live_count, 2);
        assert!((found.norms[1] - 3.25f64.sqrt()).abs() < 1e-12 && found.norms[3] == 0.0);
        let near =
            |found: f64, expected: f64| assert!((found - expected).abs() < 1e-7, "{found}, {expected}");
        near(found.off_support_share, 1.125 / 9.0 / all);
        near(found.alignment, 0.5);
        // The dead one's product is zero, which keeps the rule.
        near(found.sign_rule_share, (1.0 + tiny) / all);
        near(found.magnitude_ratio, (1.125 + 0.5 * tiny) / all);
        assert_eq!(
            found.describe(),
            "2 of 4 neurons are live. The other numbers are averages over all neurons, weighted by norm mass (each neuron's term in the \
             penalty): the product of w₁ − w₂ and all relevant uⱼ is at least 0 for 88.9 % of the norm mass; 11.1 % of ‖u‖² is outside \
             the relevant bits; the squared cosine of the angle between w and (1, −1) is 50.0 %; the mean |u| on the relevant bits, \
             divided by ‖w‖, is 1.00."
        );
    }

    #[test]
    fn the_largest_neurons_come_first() {
        let grid = largest_neurons_heatmap(&U, &W, 4, &[0, 1], 3);
        assert_eq!((grid.rows, grid.columns, grid.marked_rows.as_slice()), (3, 3, [0, 1].as_slice()));
        assert_eq!(grid.column_names, ["1", "2", "3"]);
        assert_eq!(grid.values, [2.0, -1.0, 0.1, 2.0, 1.0, 0.0, 1.0, 0.5, 0.0]);
        let swapped = largest_neurons_heatmap(&[1.0, 5.0, 2.0, 0.0], &[0.0, 0.0, 1.0, 0.0], 2, &[1], 9);
        assert_eq!(
            (swapped.column_names, swapped.values),
            (vec!["2".into(), "1".into()], vec![5.0, 1.0, 0.0, 2.0])
        );
    }

    #[test]
    fn what_does_not_fit_is_nothing() {
        assert!(largest_neurons_heatmap(&U, &W[..7], 4, &[0], 3).values.is_empty());
        for (u, w, width, relevant) in [
            (&U[..], &W[..7], 4, &[0][..]),
            (&U, &W, 0, &[0]),
            (&U[..11], &W, 4, &[0]),
            (&U, &W, 4, &[3]),
            (&U, &W, 4, &[]),
            (&[0.0; 12], &W, 4, &[0]),
            (&[f32::NAN; 12], &W, 4, &[0]),
        ] {
            assert_eq!(ParityNeurons::read(u, w, width, 3, relevant), None);
        }
    }
}
