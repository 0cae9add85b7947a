//! Margins of a given network by conjugacy class of the wrong answer, and the margin of each neuron that certifies γ*.
//!
//! A wrong answer c to the pair (a, b) belongs to the conjugacy class of a·b·c⁻¹. With the class weights |C| τ_C of
//! [`MaxMargin::class_weights`](super::MaxMargin::class_weights), the weighted margin of one neuron ω = (u, v, w) is
//!
//! ```text
//! ψ'(ω) = mean_{a,b} (u[a] + v[b])² (w[ab] − Σ_{c≠ab} τ(ab c⁻¹) w[c])
//! ```
//!
//! No neuron has ψ'(ω) / ‖ω‖³ above γ*, and a network has the maximum margin only if every neuron that is not 0 has γ*
//! (Edelman 2024, lemmas 7.5 and 7.6, where the distribution q* over the pairs is uniform).

use crate::groups::Group;

/// The conjugacy class of each wrong answer to each right answer in a group.
#[derive(Debug, Clone)]
pub struct WrongAnswerClasses {
    /// Number of elements of the group.
    order: usize,
    /// Index of the conjugacy class of r·c⁻¹, with the identity's as 0, for the right answer r and the answer c,
    /// `[order, order]`.
    class_of: Vec<u32>,
    /// Number of elements of each conjugacy class except the identity's, `[classes]`.
    sizes: Vec<f64>,
}

impl WrongAnswerClasses {
    /// Lists the classes of the wrong answers in `group`, with one product for each pair of elements.
    pub fn from_group(group: &Group) -> WrongAnswerClasses {
        let order = group.order();
        let inverses: Vec<usize> = (0..order).map(|c| group.inverse(c)).collect();
        let class = |pair: usize| group.class_of(group.multiply(pair / order, inverses[pair % order])) as u32;
        WrongAnswerClasses {
            order,
            class_of: (0..order * order).map(class).collect(),
            sizes: group.classes()[1..].iter().map(|class| class.len() as f64).collect(),
        }
    }

    /// Number of conjugacy classes except the identity's.
    pub fn count(&self) -> usize {
        self.sizes.len()
    }

    /// Lowers `min_margins`, `[classes]`, to the margins of one pair of elements over the wrong answers of each class,
    /// from the logits of the pair, `[order]`, and its right answer.
    pub fn lower_margins(&self, logits: &[f32], right: usize, min_margins: &mut [f64]) {
        let classes = &self.class_of[right * self.order..(right + 1) * self.order];
        for (logit, class) in logits.iter().zip(classes) {
            if let Some(class) = (*class as usize).checked_sub(1) {
                let margin = f64::from(logits[right]) - f64::from(*logit);
                min_margins[class] = min_margins[class].min(margin);
            }
        }
    }

    /// The margins of one neuron without normalisation, averaged over all pairs of elements and over the wrong answers
    /// of each class, `[classes]`. `products` is the table of right answers, `[order, order]`; `u`, `v` and `w` are the
    /// weights of the neuron, `[order]` each. It needs 2 · order² operations.
    pub fn average_neuron_margins(&self, products: &[u32], [u, v, w]: [&[f64]; 3]) -> Vec<f64> {
        let n = self.order;
        let mut hidden = vec![0.0; n];
        for (pair, right) in products.iter().enumerate() {
            let sum = u[pair / n] + v[pair % n];
            hidden[*right as usize] += sum * sum;
        }
        let mut margins = vec![0.0; self.count()];
        for (right, hidden) in hidden.iter().enumerate() {
            for (c, class) in self.class_of[right * n..(right + 1) * n].iter().enumerate() {
                if let Some(class) = (*class as usize).checked_sub(1) {
                    margins[class] += hidden * (w[right] - w[c]);
                }
            }
        }
        let pairs = (n * n) as f64;
        margins.iter().zip(&self.sizes).map(|(sum, size)| sum / (size * pairs)).collect()
    }
}

/// Margins of the neurons of a network on a group, for the certificate of the maximum margin.
#[derive(Debug, Clone, PartialEq)]
pub struct NeuronMargins {
    /// Share of each neuron in Σ‖ω‖³, `[neurons]`.
    pub norm_shares: Vec<f32>,
    /// Margins of each neuron divided by its ‖ω‖³, averaged over all pairs and over the wrong answers of each conjugacy
    /// class except the identity's, `[neurons, classes]`; NaN for a neuron whose weights are all 0.
    pub class_margins: Vec<f32>,
}

impl NeuronMargins {
    /// The weighted margin ψ'(ω) / ‖ω‖³ of each neuron with `class_weights`, `[classes]`, whose sum is 1. None if their
    /// number is not that of the classes.
    pub fn weighted_margins(&self, class_weights: &[f64]) -> Option<Vec<f64>> {
        let classes = class_weights.len();
        if classes == 0 || self.class_margins.len() != self.norm_shares.len() * classes {
            return None;
        }
        let weighted =
            |margins: &[f32]| margins.iter().zip(class_weights).map(|(m, q)| f64::from(*m) * q).sum();
        Some(self.class_margins.chunks_exact(classes).map(weighted).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MaxMargin, QuadraticNetwork, build_max_margin_network, compute_max_margin};
    use super::*;
    use crate::groups::{Irreps, splitmix64_numbers};

    /// Groups with irreps of all types, among them A₅, to which theorem 7.9 does not apply.
    fn groups() -> [(&'static str, Group); 7] {
        [
            ("S3", Group::symmetric(3)),
            ("S4", Group::symmetric(4)),
            ("A4", Group::alternating(4)),
            ("A5", Group::alternating(5)),
            ("Q8", Group::quaternion()),
            ("D5", Group::dihedral(5)),
            ("Z7", Group::cyclic(7)),
        ]
    }

    fn optimum(group: &Group) -> (MaxMargin, QuadraticNetwork) {
        let irreps = Irreps::compute(group);
        let margin = compute_max_margin(group, &irreps).unwrap();
        let network = build_max_margin_network(group, &irreps, &margin.norm_shares).unwrap();
        (margin, network)
    }

    fn random_network(order: usize, neuron_count: usize) -> QuadraticNetwork {
        let mut next = splitmix64_numbers(5);
        let mut layer = || (0..order * neuron_count).map(|_| next()).collect::<Vec<f64>>();
        QuadraticNetwork { neuron_count, u: layer(), v: layer(), w: layer() }
    }

    fn neuron(network: &QuadraticNetwork, i: usize) -> [Vec<f64>; 3] {
        [&network.u, &network.v, &network.w]
            .map(|layer| layer.iter().skip(i).step_by(network.neuron_count).copied().collect())
    }

    fn margins_by_class(group: &Group, network: &QuadraticNetwork) -> Vec<f64> {
        let classes = WrongAnswerClasses::from_group(group);
        let mut margins = vec![f64::INFINITY; classes.count()];
        for pair in 0..group.order() * group.order() {
            let (a, b) = (pair / group.order(), pair % group.order());
            let logits: Vec<f32> = network.compute_logits(a, b).iter().map(|logit| *logit as f32).collect();
            classes.lower_margins(&logits, group.multiply(a, b), &mut margins);
        }
        margins
    }

    /// ψ'(ω) by its definition, with the logits that the neuron alone gives to each pair.
    fn defined_margin(group: &Group, network: &QuadraticNetwork, class_weights: &[f64]) -> f64 {
        let order = group.order();
        let mut sum = 0.0;
        for pair in 0..order * order {
            let (a, b) = (pair / order, pair % order);
            let logits = network.compute_logits(a, b);
            let right = group.multiply(a, b);
            sum += logits[right];
            for c in (0..order).filter(|c| *c != right) {
                let class = group.class_of(group.multiply(right, group.inverse(c)));
                let tau = class_weights[class - 1] / group.classes()[class].len() as f64;
                sum -= tau * logits[c];
            }
        }
        sum / (order * order) as f64
    }

    #[test]
    fn margins_by_class_of_a_maximum_margin_network_match_the_linear_program() {
        for (name, group) in groups() {
            let (margin, network) = optimum(&group);
            let scale = network.norm_mass(3) * margin.value;
            let found = margins_by_class(&group, &network);
            for (class, (found, expected)) in found.iter().zip(&margin.class_margins).enumerate() {
                assert!((found / scale - expected).abs() < 1e-5, "{name} {class}: {}", found / scale);
            }
            if name == "A5" {
                let expected = [4.0 / 3.0, 1.0, 1.0, 1.0];
                assert!(
                    found.iter().zip(expected).all(|(m, one)| (m / scale - one).abs() < 1e-3),
                    "{found:?}"
                );
            }
        }
    }

    #[test]
    fn the_smallest_margin_by_class_is_the_margin_of_the_network() {
        for (name, group) in groups() {
            let network = random_network(group.order(), 9);
            let pairs = (0..group.order().pow(2)).map(|pair| (pair / group.order(), pair % group.order()));
            let expected = network.compute_margin_range(group.table(), pairs).min_margin;
            let found = margins_by_class(&group, &network).into_iter().fold(f64::INFINITY, f64::min);
            assert!((found - expected).abs() < 1e-4, "{name}: {found}, {expected}");
        }
    }

    #[test]
    fn neurons_of_a_maximum_margin_network_reach_it_and_others_do_not() {
        for (name, group) in groups() {
            let (margin, network) = optimum(&group);
            let classes = WrongAnswerClasses::from_group(&group);
            let ratio = |network: &QuadraticNetwork, i: usize| {
                let weights = neuron(network, i);
                let [u, v, w] = [&weights[0][..], &weights[1][..], &weights[2][..]];
                let margins = classes.average_neuron_margins(group.table(), [u, v, w]);
                let weighted: f64 = margins.iter().zip(&margin.class_weights).map(|(m, q)| m * q).sum();
                let alone = QuadraticNetwork { neuron_count: 1, u: u.into(), v: v.into(), w: w.into() };
                let expected = defined_margin(&group, &alone, &margin.class_weights);
                assert!((weighted - expected).abs() < 1e-9 * expected.abs().max(1.0), "{name}: {weighted}");
                weighted / alone.norm_mass(3) / margin.value
            };
            // About twelve neurons, spread over all irreps that the network uses.
            let step = (network.neuron_count / 12).max(1);
            for i in (0..network.neuron_count).step_by(step).chain([network.neuron_count - 1]) {
                let found = ratio(&network, i);
                assert!((found - 1.0).abs() < 1e-7, "{name}, neuron {i}: {found}");
            }
            let random = random_network(group.order(), 5);
            for i in 0..5 {
                let found = ratio(&random, i);
                assert!(found.abs() < 0.999, "{name}, random neuron {i}: {found}");
            }
        }
    }

    #[test]
    fn weights_of_another_group_have_no_weighted_margins() {
        let margins =
            NeuronMargins { norm_shares: vec![0.25, 0.75], class_margins: vec![1.0, 3.0, 2.0, 4.0] };
        assert_eq!(margins.weighted_margins(&[0.5, 0.5]), Some(vec![2.0, 3.0]));
        assert_eq!(margins.weighted_margins(&[1.0]), None);
        assert_eq!(margins.weighted_margins(&[]), None);
    }
}
