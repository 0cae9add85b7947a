//! Networks from representations against the maximum margins, and the numbers of groups computed from tables.

use super::known;
use super::{Problem, RealCharacters, fourier, max_margin, prediction, representation};
use crate::groups::{Group, Irreps, Kind};

/// Order, γ* reached to 1e-9, neurons as few as they should be, and every pair and class as predicted.
fn check(name: &str, group: &Group) {
    let irreps = Irreps::of(group);
    let characters = RealCharacters::of(group, &irreps).unwrap();
    let margin = max_margin(group, &irreps).unwrap();
    let network = representation(group, &irreps, &margin.shares).unwrap();
    assert_eq!(network.neurons, characters.neurons_needed(&margin.used), "{name}");
    assert_eq!(network.order(), group.order());
    let order = group.order();
    // All pairs of small groups, of large ones every hundredth or so.
    let stride = if order > 60 { 101 } else { 1 };
    let pairs = (0..order * order).step_by(stride).map(|pair| (pair / order, pair % order));
    let spread = network.spread(group.table(), pairs);
    let ratio = spread.least / network.mass(3) / margin.value;
    assert!((ratio - 1.0).abs() < 1e-9, "{name}: {ratio}");
    // All pairs have the same margin.
    assert!((spread.most / spread.least - 1.0).abs() < 1e-8, "{name}: {spread:?}");
    // The wrong logits are equal exactly where every class is on the margin.
    let most = margin.classes.iter().copied().fold(1.0, f64::max);
    let expected = (most - 1.0) * spread.least;
    assert!((spread.wrong - expected).abs() < 1e-7 * spread.least, "{name}: {spread:?}, expected {expected}");
    if characters.closed_form().is_some() {
        let logits = network.logits(group.identity(), group.identity());
        for (c, logit) in logits.iter().enumerate() {
            let expected = if c == group.identity() { order as f64 - 1.0 } else { -1.0 };
            assert!((logit - expected).abs() < 1e-7 * order as f64, "{name} {c}: {logit}");
        }
    }
    // Norm masses of the neurons are the shares, and within an irrep all norms are equal.
    let norms = network.norms();
    let mut from = 0;
    for r in (0..characters.irreps()).filter(|r| margin.used[*r]) {
        let mut only = vec![false; characters.irreps()];
        only[r] = true;
        let to = from + characters.neurons_needed(&only);
        let mass: f64 = norms[from..to].iter().map(|norm| norm.powi(3)).sum();
        assert!((mass / network.mass(3) - margin.shares[r]).abs() < 1e-9, "{name} irrep {r}");
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
    check("Z2^2", &Group::product(&[two.clone(), two.clone()]));
    check("Z2^3", &Group::product(&[two.clone(), two.clone(), two.clone()]));
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
    check("Z3 x Z3", &Group::product(&[three.clone(), three.clone()]));
    check("Q8 x Z2", &Group::product(&[Group::quaternion(), two]));
    // Complex pairs of dimension 4 and 6 need what commutes with them.
    check("Q8 x Z3", &Group::product(&[Group::quaternion(), three.clone()]));
    check("S3 x Z3", &Group::product(&[Group::symmetric(3), three.clone()]));
    check("A4 x Z3", &Group::product(&[Group::alternating(4), three]));
    // Quaternionic of dimension 8: two orbits under the units.
    check("Q8 x S3", &Group::product(&[Group::quaternion(), Group::symmetric(3)]));
}

#[test]
fn every_type_is_among_those_checked() {
    let large = |group: &Group, kind: Kind, dimension: usize| {
        Irreps::of(group).all().iter().any(|irrep| irrep.kind == kind && irrep.dimension == dimension)
    };
    let three = Group::cyclic(3);
    assert!(large(&Group::product(&[Group::symmetric(3), three]), Kind::Complex, 4));
    assert!(large(&Group::product(&[Group::quaternion(), Group::symmetric(3)]), Kind::Quaternionic, 8));
}

#[test]
fn characters_from_tables_are_those_known_by_heart() {
    let pairs = [
        (Group::symmetric(3), known::symmetric(3).0),
        (Group::symmetric(4), known::symmetric(4).0),
        (Group::symmetric(5), known::symmetric(5).0),
        (Group::dihedral(6), known::dihedral(6)),
        (Group::cyclic(12), known::cyclic(12)),
        (Group::alternating(5), known::alternating_5()),
        (Group::quaternion(), known::quaternion()),
    ];
    for (group, expected) in pairs {
        let irreps = Irreps::of(&group);
        let found = RealCharacters::of(&group, &irreps).unwrap();
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
        close(&found.sizes, &expected.sizes);
        close(&found.condition(), &expected.condition());
        for (r, irrep) in irreps.all().iter().enumerate() {
            let of = match irrep.kind {
                Kind::Real => 1.0,
                Kind::Complex => 2.0,
                Kind::Quaternionic => 4.0,
            };
            assert_eq!((found.types[r], found.dimensions[r]), (of, irrep.dimension as f64));
        }
        let lambda = 0.1 * found.collapse();
        let (a, b) = (prediction(&group, &irreps, lambda).unwrap(), expected.prediction(lambda).unwrap());
        assert!((a.ratio - b.ratio).abs() < 1e-9 && (a.loss - b.loss).abs() < 1e-9);
    }
}

#[test]
fn frequencies_are_what_representations_make_of_a_cyclic_group() {
    let group = Group::cyclic(11);
    let irreps = Irreps::of(&group);
    let margin = max_margin(&group, &irreps).unwrap();
    let network = representation(&group, &irreps, &margin.shares).unwrap();
    let by_frequency = fourier(11).unwrap();
    assert_eq!(network.neurons, by_frequency.neurons);
    for (a, b) in [(0, 0), (3, 9), (10, 1)] {
        for (one, two) in network.logits(a, b).iter().zip(by_frequency.logits(a, b)) {
            assert!((2.0 * one - two).abs() < 1e-9);
        }
    }
}

#[test]
fn no_network_nearby_has_a_larger_margin() {
    // Shares moved from one irrep to another cost margin, whatever the type.
    for group in [Group::symmetric(4), Group::quaternion(), Group::alternating(4), Group::cyclic(6)] {
        let irreps = Irreps::of(&group);
        let best = max_margin(&group, &irreps).unwrap();
        for r in (1..best.shares.len()).filter(|r| best.unique && best.used[*r]) {
            let mut shares = best.shares.clone();
            shares[r] *= 1.1;
            let network = representation(&group, &irreps, &shares).unwrap();
            let margin = network.normalised_margin(group.table(), 3);
            assert!(
                margin < best.value * (1.0 - 1e-6) || best.shares[r] > 0.999,
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
    // 1 at the right answer, minus the weights of wrong ones.
    let kernel: Vec<f64> = (0..n)
        .map(|g| match group.class_of(g) {
            0 => 1.0,
            class => -weights[class - 1] / group.classes()[class].len() as f64,
        })
        .collect();
    let answer: Vec<f64> = (0..n * n * n)
        .map(|i| kernel[group.times(group.times(i / (n * n), i / n % n), group.inverse(i % n))])
        .collect();
    let mut best = 0.0_f64;
    for start in 0..8 {
        // Numbers without a pattern are as good as drawn ones.
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
        ("S3 x Z3", Group::product(&[Group::symmetric(3), three])),
    ] {
        let margin = max_margin(&group, &Irreps::of(&group)).unwrap();
        let found = best_neuron(&group, &margin.weights);
        assert!((found / margin.value - 1.0).abs() < 1e-6, "{name}: {found}, {}", margin.value);
    }
}

#[test]
fn shares_that_do_not_fit_are_refused() {
    let group = Group::symmetric(3);
    let irreps = Irreps::of(&group);
    for shares in [vec![0.0; 3], vec![0.0, 1.0], vec![0.0, -1.0, 2.0], vec![0.0, f64::NAN, 1.0]] {
        assert_eq!(representation(&group, &irreps, &shares), Err(Problem::Shares));
    }
    let characters = RealCharacters::of(&group, &irreps).unwrap();
    assert_eq!(characters.network(&[0.0, 0.5, 0.5], |_| vec![1.0]), Err(Problem::Matrices(1)));
    let one = Group::cyclic(1);
    assert_eq!(max_margin(&one, &Irreps::of(&one)), Err(Problem::Trivial));
}
