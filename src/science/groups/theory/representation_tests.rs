//! Tests of networks from representations: their margins, and the character tables of groups.

use super::known_tables;
use super::{
    MarginError, RealCharacters, build_fourier_network, build_max_margin_network, compute_max_margin,
    compute_penalised_optimum,
};
use crate::groups::{Group, IrrepType, Irreps};

/// Checks the order, that the margin equals γ* to 1e-9, the number of neurons, and the margin of every pair and
/// class.
fn check(name: &str, group: &Group) {
    let irreps = Irreps::compute(group);
    let characters = RealCharacters::from_group(group, &irreps).unwrap();
    let margin = compute_max_margin(group, &irreps).unwrap();
    let network = build_max_margin_network(group, &irreps, &margin.norm_shares).unwrap();
    assert_eq!(network.neuron_count, characters.count_neurons(&margin.used_irreps), "{name}");
    assert_eq!(network.order(), group.order());
    let order = group.order();
    // All pairs of small groups; about every hundredth pair of large groups.
    let stride = if order > 60 { 101 } else { 1 };
    let pairs = (0..order * order).step_by(stride).map(|pair| (pair / order, pair % order));
    let spread = network.compute_margin_range(group.table(), pairs);
    let ratio = spread.min_margin / network.norm_mass(3) / margin.value;
    assert!((ratio - 1.0).abs() < 1e-9, "{name}: {ratio}");
    // All pairs have the same margin.
    assert!((spread.max_margin / spread.min_margin - 1.0).abs() < 1e-8, "{name}: {spread:?}");
    // The wrong logits are equal exactly where every class is on the margin.
    let max_margin = margin.class_margins.iter().copied().fold(1.0, f64::max);
    let expected = (max_margin - 1.0) * spread.min_margin;
    assert!(
        (spread.max_wrong_logit_difference - expected).abs() < 1e-7 * spread.min_margin,
        "{name}: {spread:?}, expected {expected}"
    );
    if characters.closed_form_margin().is_some() {
        let logits = network.compute_logits(group.identity(), group.identity());
        for (c, logit) in logits.iter().enumerate() {
            let expected = if c == group.identity() { order as f64 - 1.0 } else { -1.0 };
            assert!((logit - expected).abs() < 1e-7 * order as f64, "{name} {c}: {logit}");
        }
    }
    // Norm masses of the neurons are the shares, and within an irrep all norms are equal.
    let norms = network.neuron_norms();
    let mut from = 0;
    for r in (0..characters.irrep_count()).filter(|r| margin.used_irreps[*r]) {
        let mut only = vec![false; characters.irrep_count()];
        only[r] = true;
        let to = from + characters.count_neurons(&only);
        let mass: f64 = norms[from..to].iter().map(|norm| norm.powi(3)).sum();
        assert!((mass / network.norm_mass(3) - margin.norm_shares[r]).abs() < 1e-9, "{name} irrep {r}");
        from = to;
    }
}

#[test]
fn real_groups_reach_their_maximum_margin() {
    check("S3", &Group::symmetric(3));
    check("S4", &Group::symmetric(4));
    for n in 3..=7 {
        check(&format!("D{n}"), &Group::dihedral(n));
    }
    let two = Group::cyclic(2);
    check("Z2", &two);
    check("Z2^2", &Group::direct_product(&[two.clone(), two.clone()]));
    check("Z2^3", &Group::direct_product(&[two.clone(), two.clone(), two.clone()]));
    check("A5", &Group::alternating(5));
}

#[test]
fn the_symmetric_group_of_five_reaches_its_maximum_margin() {
    check("S5", &Group::symmetric(5));
}

#[test]
fn groups_with_other_types_reach_their_maximum_margin() {
    for n in [3, 4, 5, 6, 7, 8, 9, 12, 23] {
        check(&format!("Z{n}"), &Group::cyclic(n));
    }
    let (two, three) = (Group::cyclic(2), Group::cyclic(3));
    check("A4", &Group::alternating(4));
    check("Q8", &Group::quaternion());
    check("Z3 x Z3", &Group::direct_product(&[three.clone(), three.clone()]));
    check("Q8 x Z2", &Group::direct_product(&[Group::quaternion(), two]));
    // Complex types of dimension 4 and 6 use their commuting matrices.
    check("Q8 x Z3", &Group::direct_product(&[Group::quaternion(), three.clone()]));
    check("S3 x Z3", &Group::direct_product(&[Group::symmetric(3), three.clone()]));
    check("A4 x Z3", &Group::direct_product(&[Group::alternating(4), three]));
    // Quaternionic type of dimension 8: two orbits under the units.
    check("Q8 x S3", &Group::direct_product(&[Group::quaternion(), Group::symmetric(3)]));
}

#[test]
fn the_checked_groups_cover_every_type() {
    let large = |group: &Group, kind: IrrepType, dimension: usize| {
        Irreps::compute(group)
            .all()
            .iter()
            .any(|irrep| irrep.irrep_type == kind && irrep.dimension == dimension)
    };
    let three = Group::cyclic(3);
    assert!(large(&Group::direct_product(&[Group::symmetric(3), three]), IrrepType::Complex, 4));
    assert!(large(
        &Group::direct_product(&[Group::quaternion(), Group::symmetric(3)]),
        IrrepType::Quaternionic,
        8
    ));
}

#[test]
fn computed_characters_match_the_closed_formulas() {
    let pairs = [
        (Group::symmetric(3), known_tables::symmetric(3).0),
        (Group::symmetric(4), known_tables::symmetric(4).0),
        (Group::symmetric(5), known_tables::symmetric(5).0),
        (Group::dihedral(6), known_tables::dihedral(6)),
        (Group::cyclic(12), known_tables::cyclic(12)),
        (Group::alternating(5), known_tables::alternating_5()),
        (Group::quaternion(), known_tables::quaternion()),
    ];
    for (group, expected) in pairs {
        let irreps = Irreps::compute(&group);
        let found = RealCharacters::from_group(&group, &irreps).unwrap();
        let sorted = |values: &[f64]| {
            let mut values = values.to_vec();
            values.sort_by(f64::total_cmp);
            values
        };
        let close = |a: &[f64], b: &[f64]| {
            let (a, b) = (sorted(a), sorted(b));
            assert!(a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-9), "{a:?} {b:?}");
        };
        close(&found.dimensions, &expected.dimensions);
        close(&found.types, &expected.types);
        close(&found.class_sizes, &expected.class_sizes);
        close(&found.theorem_condition(), &expected.theorem_condition());
        for (r, irrep) in irreps.all().iter().enumerate() {
            let of = match irrep.irrep_type {
                IrrepType::Real => 1.0,
                IrrepType::Complex => 2.0,
                IrrepType::Quaternionic => 4.0,
            };
            assert_eq!((found.types[r], found.dimensions[r]), (of, irrep.dimension as f64));
        }
        let lambda = 0.1 * found.collapse_penalty();
        let (a, b) = (
            compute_penalised_optimum(&group, &irreps, lambda).unwrap(),
            expected.compute_penalised_optimum(lambda).unwrap(),
        );
        assert!((a.margin_ratio - b.margin_ratio).abs() < 1e-9 && (a.loss - b.loss).abs() < 1e-9);
    }
}

#[test]
fn the_fourier_network_is_the_representation_network_of_a_cyclic_group() {
    let group = Group::cyclic(11);
    let irreps = Irreps::compute(&group);
    let margin = compute_max_margin(&group, &irreps).unwrap();
    let network = build_max_margin_network(&group, &irreps, &margin.norm_shares).unwrap();
    let by_frequency = build_fourier_network(11).unwrap();
    assert_eq!(network.neuron_count, by_frequency.neuron_count);
    for (a, b) in [(0, 0), (3, 9), (10, 1)] {
        for (one, two) in network.compute_logits(a, b).iter().zip(by_frequency.compute_logits(a, b)) {
            assert!((2.0 * one - two).abs() < 1e-9);
        }
    }
}

#[test]
fn no_network_nearby_has_a_larger_margin() {
    // Moving norm share from one irrep to another lowers the margin, for every type.
    for group in [Group::symmetric(4), Group::quaternion(), Group::alternating(4), Group::cyclic(6)] {
        let irreps = Irreps::compute(&group);
        let best = compute_max_margin(&group, &irreps).unwrap();
        for r in (1..best.norm_shares.len()).filter(|r| best.is_unique && best.used_irreps[*r]) {
            let mut shares = best.norm_shares.clone();
            shares[r] *= 1.1;
            let network = build_max_margin_network(&group, &irreps, &shares).unwrap();
            let margin = network.compute_normalised_margin(group.table(), 3);
            assert!(
                margin < best.value * (1.0 - 1e-6) || best.norm_shares[r] > 0.999,
                "{r}: {margin} {}",
                best.value
            );
        }
    }
}

/// The largest score of one neuron found by maximising over u, v and w in turn, from eight starts: the weighted
/// margin averaged over pairs, per ‖ω‖³.
fn best_neuron(group: &Group, weights: &[f64]) -> f64 {
    let n = group.order();
    // 1 for the right answer, minus the class weight for a wrong one.
    let kernel: Vec<f64> = (0..n)
        .map(|g| match group.class_of(g) {
            0 => 1.0,
            class => -weights[class - 1] / group.classes()[class].len() as f64,
        })
        .collect();
    let answer: Vec<f64> = (0..n * n * n)
        .map(|i| kernel[group.multiply(group.multiply(i / (n * n), i / n % n), group.inverse(i % n))])
        .collect();
    let mut best = 0.0_f64;
    for start in 0..8 {
        // Deterministic numbers without structure serve as random ones.
        let jumble = |i: usize| ((i * i) as f64 * 0.618).sin() + (i as f64).cos();
        let drawn = |part: usize| (0..n).map(|a| jumble((3 * start + part) * n + a)).collect();
        let mut parts: [Vec<f64>; 3] = std::array::from_fn(drawn);
        let mut score = 0.0;
        for round in 0..600 {
            let which = round % 3;
            let mut pull = vec![0.0; n];
            for (i, value) in answer.iter().enumerate() {
                let at = [i / (n * n), i / n % n, i % n];
                let others = [(1, 2), (0, 2), (0, 1)][which];
                pull[at[which]] += value * parts[others.0][at[others.0]] * parts[others.1][at[others.1]];
            }
            score = pull.iter().map(|x| x * x).sum::<f64>().sqrt();
            parts[which] = pull.iter().map(|x| x / score).collect();
        }
        best = best.max(score);
    }
    // (u + v)² w contributes 2 u v w; three functions of norm 1 have ‖ω‖³ = 3^{1.5}.
    2.0 * best / (n * n) as f64 / 27f64.sqrt()
}

#[test]
fn no_neuron_scores_above_the_maximum_margin() {
    let three = Group::cyclic(3);
    for (name, group) in [
        ("S3", Group::symmetric(3)),
        ("Z7", Group::cyclic(7)),
        ("Z6", Group::cyclic(6)),
        ("A4", Group::alternating(4)),
        ("Q8", Group::quaternion()),
        ("D5", Group::dihedral(5)),
        ("S3 x Z3", Group::direct_product(&[Group::symmetric(3), three])),
    ] {
        let margin = compute_max_margin(&group, &Irreps::compute(&group)).unwrap();
        let found = best_neuron(&group, &margin.class_weights);
        assert!((found / margin.value - 1.0).abs() < 1e-6, "{name}: {found}, {}", margin.value);
    }
}

#[test]
fn invalid_norm_shares_are_an_error() {
    let group = Group::symmetric(3);
    let irreps = Irreps::compute(&group);
    for shares in [vec![0.0; 3], vec![0.0, 1.0], vec![0.0, -1.0, 2.0], vec![0.0, f64::NAN, 1.0]] {
        assert_eq!(build_max_margin_network(&group, &irreps, &shares), Err(MarginError::InvalidNormShares));
    }
    let characters = RealCharacters::from_group(&group, &irreps).unwrap();
    assert_eq!(
        characters.build_network(&[0.0, 0.5, 0.5], |_| vec![1.0]),
        Err(MarginError::InvalidMatrices(1))
    );
    let one = Group::cyclic(1);
    assert_eq!(compute_max_margin(&one, &Irreps::compute(&one)), Err(MarginError::TrivialGroup));
}
