//! The normalised margin of a measurement, from what every learner finds: the least margin, Σ‖ω‖^ν and the mean loss.

use vivarium_model::models::Penalty;
use vivarium_model::models::penalty::is_zero;
use vivarium_model::run::RunSpec;

/// What a run's margins are normalised with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Normaliser {
    penalty: Penalty,
    /// Mean loss of a network whose outputs are equal.
    equal: f64,
}

impl Normaliser {
    /// Of a run whose model has a penalty. Its exponent is the same at all steps.
    pub fn of(spec: &RunSpec) -> Option<Normaliser> {
        let penalty = spec.architecture().penalty(0)?;
        let equal = match spec.task.examples().classes() {
            Some(classes) => libm::log(classes as f64),
            None => spec.run.loss.compute(1.0, 0.0),
        };
        Some(Normaliser { penalty, equal })
    }

    /// The exponent ν of the norms.
    pub fn exponent(&self) -> usize {
        self.penalty.exponent
    }

    /// The normalised margin of a network with the margin `least` over the training examples, Σ_i ‖ω_i‖₂^ν = `norms`, and
    /// the mean loss `loss` on the same examples. Not a number where all outputs are [equal](is_zero): a network that the
    /// penalty has driven to zero has no direction.
    pub fn margin(&self, least: f32, norms: f64, loss: f32) -> f32 {
        let least = f64::from(least);
        match is_zero(least, f64::from(loss), self.equal) {
            true => f32::NAN,
            false => self.penalty.normalised(least, norms) as f32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::permalink::decode;

    /// Margins of a run's networks in double precision, h(θ/‖θ‖): the weights are divided by their norm first.
    fn by_definition(spec: &RunSpec, weights: &[Vec<f32>], degree: i32, columns: usize) -> f64 {
        let penalty = spec.architecture().penalty(0).unwrap();
        let norms: Vec<f64> = (0..columns)
            .map(|i| {
                let column = weights.iter().flat_map(|w| w.iter().skip(i).step_by(columns));
                column.map(|w| f64::from(*w).powi(2)).sum::<f64>().sqrt()
            })
            .collect();
        let nu = penalty.exponent as f64;
        let norm = norms.iter().map(|norm| norm.powf(nu)).sum::<f64>().powf(1.0 / nu);
        let unit: Vec<Vec<f64>> =
            weights.iter().map(|w| w.iter().map(|w| f64::from(*w) / norm).collect()).collect();
        let order = weights[0].len() / columns;
        let sigma = |z: f64| if degree == 3 { z * z } else { z.max(0.0) };
        let mut least = f64::INFINITY;
        for (a, b) in (0..order * order).map(|pair| (pair / order, pair % order)) {
            let logit = |c: usize| -> f64 {
                let at = |which: usize, x: usize, i: usize| unit[which][x * columns + i];
                (0..columns).map(|i| sigma(at(0, a, i) + at(1, b, i)) * at(2, c, i)).sum()
            };
            let right = (a + b) % order;
            let wrong = (0..order).filter(|c| *c != right).map(logit).fold(f64::NEG_INFINITY, f64::max);
            least = least.min(logit(right) - wrong);
        }
        least
    }

    /// What the learners of pairs measure of weights multiplied by `scale`.
    fn measured(spec: &RunSpec, weights: &[Vec<f32>], scale: f32) -> f32 {
        let scaled: Vec<Vec<f32>> = weights.iter().map(|w| w.iter().map(|w| w * scale).collect()).collect();
        let slices: Vec<&[f32]> = scaled.iter().map(Vec::as_slice).collect();
        let order = spec.task.examples().inputs();
        let x: Vec<f32> =
            (0..order * order).flat_map(|pair| [(pair / order) as f32, (pair % order) as f32]).collect();
        let outputs = spec.network().evaluate(&slices, order, &x, 0);
        let (mut least, mut loss) = (f32::INFINITY, 0.0);
        for (pair, f) in outputs.chunks(order).enumerate() {
            let right = (pair / order + pair % order) % order;
            let wrong = f.iter().enumerate().filter(|(c, _)| *c != right).map(|(_, f)| *f);
            least = least.min(f[right] - wrong.fold(f32::NEG_INFINITY, f32::max));
            loss += f.iter().map(|other| f64::from(other - f[right]).exp()).sum::<f64>().ln();
        }
        let norms = spec.architecture().penalty(0).unwrap().norms(&slices, weights[0].len() / order);
        Normaliser::of(spec).unwrap().margin(least, norms, (loss / (order * order) as f64) as f32)
    }

    #[test]
    fn rescaling_all_weights_leaves_the_margin_for_every_activation_and_exponent() {
        for (act, degree) in [("square", 3), ("relu", 2)] {
            for nu in 2..=6 {
                for from in ["random", "maximum"] {
                    if from == "maximum" && act == "relu" {
                        continue;
                    }
                    let begin = if from == "random" { "std=0.4" } else { "from=maximum" };
                    let link = format!("#v1/groups?n=5&width=20&act={act}&nu={nu}&seed={nu}&{begin}");
                    let (link, notices) = decode(&link);
                    assert!(notices.is_empty(), "{notices:?}");
                    let (spec, weights) = (&link.spec, link.spec.initialize_replicas(1));
                    let expected = by_definition(spec, &weights, degree, 20);
                    for scale in [0.1, 0.5, 1.0, 3.0, 20.0] {
                        let found = f64::from(measured(spec, &weights, scale));
                        let error = (found - expected).abs();
                        assert!(
                            error < 2e-5 * (1e-3 + expected.abs()),
                            "{act}, {nu}, {from}, {scale}: {found} where {expected} is right"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_network_of_zeros_has_no_margin_and_a_small_one_has() {
        let spec = decode("#v1/groups?n=5&width=20&from=maximum").0.spec;
        let weights = spec.initialize_replicas(1);
        assert!(measured(&spec, &weights, 1e-3).is_nan() && measured(&spec, &weights, 0.0).is_nan());
        let powers = decode("#v1/sparse-parity?model=power-net&n=6&data=cube&batch=0&loss=hinge").0.spec;
        let normaliser = Normaliser::of(&powers).unwrap();
        assert_eq!((normaliser.equal, normaliser.exponent()), (1.0, 4));
        assert!(normaliser.margin(1e-7, 1e-9, 1.0).is_nan());
        assert_eq!(normaliser.margin(0.5, 2.0, 0.5), 0.25);
    }
}
