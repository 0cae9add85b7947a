//! Compares maximum margins and regularised minima with printed values and closed forms.

use super::interior_point::{self, ConvexTerm};
use super::known_tables::{alternating_5, cube, cyclic, dihedral, quaternion, symmetric};
use super::{MarginError, RealCharacters, cyclic_group_margin};
use vivarium_core::rng::{Purpose, RandomStream};

fn assert_close(value: f64, expected: f64, error: f64, what: &str) {
    assert!((value / expected - 1.0).abs() < error, "{what}: {value}, expected {expected}");
}

/// Groups where theorem 7.9 holds.
fn theorem() -> Vec<(&'static str, RealCharacters, f64, usize)> {
    vec![
        ("S3", symmetric(3).0, 0.0236050, 18),
        ("S4", symmetric(4).0, 0.00207665, 126),
        ("S5", symmetric(5).0, 1.325977e-4, 1190),
        ("D3", dihedral(3), 0.0236050, 18),
        ("D4", dihedral(4), 0.0157197, 22),
        ("D5", dihedral(5), 0.00988460, 34),
        ("D6", dihedral(6), 0.00776257, 38),
        ("D7", dihedral(7), 0.00572430, 50),
        ("Z2^2", cube(2), 0.0641500, 6),
        ("Z2^3", cube(3), 0.0194404, 14),
        ("Z2^4", cube(4), 0.00641500, 30),
    ]
}

#[test]
fn margins_of_real_groups_match_theorem_7_9() {
    for (name, group, printed, width) in theorem() {
        let margin = group.compute_max_margin().unwrap();
        assert_close(margin.value, printed, 4e-6, name);
        assert_close(margin.value, group.closed_form_margin().unwrap(), 1e-11, name);
        for r in 1..group.irrep_count() {
            assert_close(
                margin.norm_shares[r],
                group.dimensions[r].powf(2.5) / group.dimension_sum(),
                1e-9,
                name,
            );
        }
        for class in &margin.class_margins {
            assert_close(*class, 1.0, 1e-10, name);
        }
        assert_eq!(margin.norm_shares[0], 0.0);
        assert!(margin.is_unique);
        assert_eq!(group.count_neurons(&margin.used_irreps), width, "{name}");
    }
}

#[test]
fn dimension_sums_match_the_printed_values() {
    let sums = [("S3", 6.65685), ("S4", 37.8338), ("S5", 264.985), ("D4", 8.65685), ("D5", 12.3137)];
    let more = [("D6", 14.3137), ("D7", 17.9706), ("Z2^2", 3.0), ("Z2^3", 7.0), ("Z2^4", 15.0)];
    let groups = theorem();
    for (name, sum) in sums.into_iter().chain(more) {
        let group = &groups.iter().find(|group| group.0 == name).unwrap().1;
        assert_close(group.dimension_sum(), sum, 3e-6, name);
    }
}

#[test]
fn margins_of_cyclic_groups_match_theorem_7_7() {
    for p in [3, 5, 7, 9, 11, 13, 15, 17, 23, 31, 71, 127] {
        let group = cyclic(p);
        let margin = group.compute_max_margin().unwrap();
        assert_close(margin.value, cyclic_group_margin(p), 1e-10, &format!("Z_{p}"));
        assert_close(group.closed_form_margin().unwrap(), cyclic_group_margin(p), 1e-13, &format!("Z_{p}"));
        for share in &margin.norm_shares[1..] {
            assert_close(*share, 2.0 / (p as f64 - 1.0), 1e-8, &format!("share in Z_{p}"));
        }
        assert_eq!(group.count_neurons(&margin.used_irreps), 4 * (p - 1));
    }
}

#[test]
fn the_condition_of_the_theorem_matches_the_printed_values() {
    let check =
        |name: &str, (group, cycles): (RealCharacters, Vec<Vec<usize>>), printed: &[(&[usize], f64)]| {
            let values = group.theorem_condition();
            for (class, value) in printed {
                let c = cycles.iter().position(|cycles| cycles == class).unwrap();
                assert!((values[c] - value).abs() < 0.06, "{name} {class:?}: {}", values[c]);
                assert!((values[c] - value).abs() < 6e-4 || name == "S6", "{name} {class:?}: {}", values[c]);
            }
        };
    check("S3", symmetric(3), &[(&[2, 1], -1.0), (&[3], -1.828)]);
    let s4: [(&[usize], f64); 4] = [(&[2, 1, 1], -1.0), (&[2, 2], -3.735), (&[3, 1], -1.828), (&[4], -1.0)];
    check("S4", symmetric(4), &s4);
    let s5: [(&[usize], f64); 6] = [
        (&[2, 1, 1, 1], -1.0),
        (&[2, 2, 1], -6.033),
        (&[3, 1, 1], -5.361),
        (&[4, 1], -1.0),
        (&[3, 2], -1.0),
        (&[5], -0.303),
    ];
    check("S5", symmetric(5), &s5);
    check("S6", symmetric(6), &[(&[4, 2], 10.3), (&[5, 1], 11.0)]);
    let a5 = alternating_5().theorem_condition();
    for (value, printed) in a5.iter().zip([0.788, -3.18, -2.80, -2.80]) {
        assert!((value - printed).abs() < 6e-3, "A5: {a5:?}");
    }
    for n in 3..=12 {
        assert!(dihedral(n).theorem_condition().iter().all(|value| *value < 0.0), "D_{n}");
    }
}

#[test]
fn groups_that_satisfy_the_condition_of_the_theorem() {
    for n in [3, 4, 5] {
        assert!(symmetric(n).0.satisfies_theorem_condition(), "S{n}");
    }
    assert!(!symmetric(6).0.satisfies_theorem_condition() && !alternating_5().satisfies_theorem_condition());
}

#[test]
fn one_irrep_of_a5_is_not_used() {
    let group = alternating_5();
    assert_eq!(group.closed_form_margin(), None);
    let margin = group.compute_max_margin().unwrap();
    assert_close(margin.value, 4.31571e-4, 2e-6, "A5");
    assert_eq!(margin.used_irreps, [false, true, true, true, false]);
    assert!(margin.is_unique);
    let formula = 2.0 / (3.0 * 180f64.sqrt() * group.dimension_sum());
    assert!((margin.value / formula - 1.0342).abs() < 5e-5);
    // The class of elements of order 2 does not have the minimum margin.
    assert!(
        margin.class_margins[0] > 1.3
            && margin.class_margins[1..].iter().all(|class| (class - 1.0).abs() < 1e-10)
    );
}

#[test]
fn four_irreps_of_s6_are_not_used() {
    let (group, _) = symmetric(6);
    let margin = group.compute_max_margin().unwrap();
    assert_close(margin.value, 7.26630e-6, 2e-6, "S6");
    assert_eq!(group.irrep_count(), 11);
    // Six irreps can have a positive share, but the optimum is not unique: five of them reach the same margin.
    assert_eq!(margin.used_irreps.iter().filter(|used| **used).count(), 6, "{:?}", margin.norm_shares);
    assert!(!margin.is_unique);
    let gaps = group.compute_character_gaps();
    let used: Vec<usize> = (1..11).filter(|r| margin.used_irreps[*r]).collect();
    let without = |left_out: usize| {
        let kept: Vec<usize> = used.iter().copied().filter(|r| *r != left_out).collect();
        let rows: Vec<f64> = gaps
            .rows
            .chunks_exact(10)
            .flat_map(|row| kept.iter().map(|r| row[r - 1]).collect::<Vec<_>>())
            .collect();
        1.0 / interior_point::solve_to_end(&rows, kept.len(), ConvexTerm::AtLeastOne).x.iter().sum::<f64>()
            / group.norm_mass_factor()
    };
    assert!(used.iter().any(|r| (without(*r) / margin.value - 1.0).abs() < 1e-10));
    let formula = 2.0 / (3.0 * (3.0 * 720f64).sqrt() * group.dimension_sum());
    assert!((margin.value / formula - 1.199).abs() < 6e-4);
}

#[test]
fn the_closed_form_holds_for_other_types() {
    for (name, group) in [("Z4", cyclic(4)), ("Z6", cyclic(6)), ("Z12", cyclic(12)), ("Q8", quaternion())] {
        let margin = group.compute_max_margin().unwrap();
        if let Some(value) = group.closed_form_margin() {
            assert_close(margin.value, value, 1e-10, name);
            assert!(margin.used_irreps[1..].iter().all(|used| *used), "{name}");
        } else {
            assert!(
                margin.used_irreps[1..].iter().any(|used| !used)
                    || margin.class_margins.iter().any(|c| *c > 1.0 + 1e-6)
            );
        }
    }
}

/// The Karush–Kuhn–Tucker conditions, computed from the character table alone.
fn check_conditions(name: &str, group: &RealCharacters, lambda: f64) {
    let prediction = group
        .compute_penalised_optimum(lambda)
        .unwrap_or_else(|problem| panic!("{name} {lambda:e}: {problem}"));
    let loss = |s: &[f64]| {
        let wrong = |c: usize| {
            let margin: f64 = (1..group.irrep_count())
                .map(|r| s[r] * (group.dimensions[r] - group.character_at(r, c)))
                .sum();
            group.class_sizes[c] * (-margin).exp()
        };
        (0..group.class_sizes.len()).map(wrong).sum::<f64>()
    };
    let total = prediction.norm_mass / group.norm_mass_factor();
    let s: Vec<f64> = (0..group.irrep_count())
        .map(|r| prediction.norm_shares[r] * total / group.dimensions[r].powf(1.5))
        .collect();
    let wrong = loss(&s);
    assert_close(prediction.loss, wrong.ln_1p(), 1e-6, name);
    for r in 1..group.irrep_count() {
        let slope: f64 = (0..group.class_sizes.len())
            .map(|c| {
                let margin: f64 = (1..group.irrep_count())
                    .map(|r| s[r] * (group.dimensions[r] - group.character_at(r, c)))
                    .sum();
                let weight = group.class_sizes[c] * (-margin).exp() / (1.0 + wrong);
                weight * (group.dimensions[r] - group.character_at(r, c))
            })
            .sum();
        let price = lambda * group.norm_mass_factor() * group.dimensions[r].powf(1.5);
        if s[r] > 0.0 {
            assert_close(slope, price, 1e-6, &format!("{name} at {lambda:e}, irrep {r}"));
        } else {
            assert!(slope < price * (1.0 + 1e-6), "{name} at {lambda:e}, irrep {r}");
        }
    }
    assert!(
        prediction.margin_ratio > 0.0 && prediction.margin_ratio <= 1.0 + 1e-9,
        "{name}: {}",
        prediction.margin_ratio
    );
}

#[test]
fn penalised_optima_satisfy_the_optimality_conditions_at_every_penalty() {
    let mut groups: Vec<(&str, RealCharacters)> = theorem().into_iter().map(|(n, g, ..)| (n, g)).collect();
    groups.extend([("A5", alternating_5()), ("S6", symmetric(6).0), ("Q8", quaternion())]);
    groups.extend([("Z4", cyclic(4)), ("Z6", cyclic(6)), ("Z23", cyclic(23)), ("Z64", cyclic(64))]);
    groups.extend([("Z127", cyclic(127)), ("D12", dihedral(12)), ("Z2^5", cube(5))]);
    for (name, group) in &groups {
        for tenth in 4..=24 {
            let lambda = 10f64.powf(-0.5 * tenth as f64);
            if lambda < 0.999 * group.collapse_penalty() {
                check_conditions(name, group, lambda);
            } else {
                assert!(
                    group.compute_penalised_optimum(lambda).unwrap().is_zero_network,
                    "{name} {lambda:e}"
                );
            }
        }
        // Close to the collapse penalty.
        check_conditions(name, group, 0.99 * group.collapse_penalty());
    }
}

#[test]
fn penalised_optima_match_the_printed_values() {
    let check = |name: &str, group: &RealCharacters, lambda: f64, ratio: f64, shares: &[f64]| {
        let found = group.compute_penalised_optimum(lambda).unwrap();
        assert!(
            ratio.is_nan() || (found.margin_ratio - ratio).abs() < 6e-4,
            "{name} {lambda:e}: {}",
            found.margin_ratio
        );
        let mut sorted = found.norm_shares[1..].to_vec();
        let mut expected = shares.to_vec();
        sorted.sort_by(f64::total_cmp);
        expected.sort_by(f64::total_cmp);
        for (share, expected) in sorted.iter().zip(&expected) {
            assert!((share - expected).abs() < 6e-4, "{name} {lambda:e}: {:?}", found.norm_shares);
        }
    };
    let (s3, s4, s5) = (symmetric(3).0, symmetric(4).0, symmetric(5).0);
    check("S3", &s3, 1e-3, 0.942, &[]);
    let rough = s3.compute_penalised_optimum(1e-3).unwrap().norm_shares;
    assert!(rough.iter().any(|share| (share - 0.20).abs() < 5e-3), "{rough:?}");
    check("S3", &s3, 1e-4, 0.961, &[]);
    check("S3", &s3, 1e-7, 0.981, &[]);
    check("S4", &s4, 1e-3, 0.775, &[0.107, 0.254, 0.319, 0.319]);
    check("S4", &s4, 1e-4, 0.884, &[0.068, 0.203, 0.364, 0.364]);
    check("S4", &s4, 1e-7, 0.946, &[0.046, 0.174, 0.390, 0.390]);
    check("D5", &dihedral(5), 1e-4, 0.964, &[0.115, 0.443, 0.443]);
    check("A5", &alternating_5(), 1e-4, 0.974, &[0.409, 0.409, 0.183, 0.0]);
    // In S₅ the irrep of dimension 6 gets a share only at small penalties.
    let six = s5.dimensions.iter().position(|d| *d == 6.0).unwrap();
    let at = |lambda: f64| s5.compute_penalised_optimum(lambda).unwrap();
    assert!((at(1e-5).margin_ratio - 0.932).abs() < 6e-4);
    for lambda in [1e-4, 1e-5, 1e-6, 1e-7] {
        assert_eq!(at(lambda).norm_shares[six], 0.0, "{lambda:e}");
    }
    assert!((at(1e-9).norm_shares[six] - 0.075).abs() < 6e-4, "{:?}", at(1e-9).norm_shares);
    assert!(at(1e-12).norm_shares[six] < 0.3);
}

#[test]
fn every_small_penalty_gives_the_maximum_margin_of_a_cyclic_group() {
    for lambda in [1e-3, 1e-5, 1e-9] {
        assert_close(cyclic(23).compute_penalised_optimum(lambda).unwrap().margin_ratio, 1.0, 1e-9, "Z_23");
    }
    assert!(cyclic(23).compute_penalised_optimum(0.0025).unwrap().is_zero_network);
    assert!(!cyclic(23).compute_penalised_optimum(0.0024).unwrap().is_zero_network);
    // At λ = 1e-3 the zero network is optimal for A₅ and S₅.
    assert!(alternating_5().compute_penalised_optimum(1e-3).unwrap().is_zero_network);
    assert!(symmetric(5).0.compute_penalised_optimum(1e-3).unwrap().is_zero_network);
}

/// With the class weights of the maximum margin no irrep exceeds γ*, which bounds every network (duality of the linear
/// program), and classes of positive weight have the smallest margin.
fn certify_max_margin(group: &RealCharacters) {
    let margin = group.compute_max_margin().unwrap();
    assert_close(margin.class_weights.iter().sum(), 1.0, 1e-12, "sum");
    let gain = |r: usize| {
        let gap = |c: usize| margin.class_weights[c] * (group.dimensions[r] - group.character_at(r, c));
        (0..group.class_sizes.len()).map(gap).sum::<f64>()
            / group.dimensions[r].powf(1.5)
            / group.norm_mass_factor()
    };
    let best = (1..group.irrep_count()).map(gain).fold(0.0, f64::max);
    assert_close(best, margin.value, 1e-10, "duality");
    for (weight, class) in margin.class_weights.iter().zip(&margin.class_margins) {
        assert!(*weight == 0.0 || (class - 1.0).abs() < 1e-7, "{margin:?}");
    }
}

#[test]
fn class_weights_certify_the_maximum_margin() {
    for group in [alternating_5(), symmetric(5).0, symmetric(6).0, cyclic(31), quaternion()] {
        certify_max_margin(&group);
    }
    let stream = RandomStream::new(31, Purpose::Sample, 0);
    for case in 0..12 {
        certify_max_margin(&cyclic(3 + stream.draw_below(case, 0, 60) as usize));
        certify_max_margin(&dihedral(3 + stream.draw_below(case, 1, 30) as usize));
    }
}

#[test]
fn class_weights_match_lemma_d_14() {
    for (name, group, ..) in theorem() {
        let weights = group.compute_max_margin().unwrap().class_weights;
        let condition = group.theorem_condition();
        for c in 0..weights.len() {
            assert_close(
                weights[c],
                -condition[c] * group.class_sizes[c] / group.dimension_sum(),
                1e-8,
                name,
            );
        }
    }
}

#[test]
fn invalid_characters_give_the_violated_property() {
    let rows = |rows: &[&[f64]]| rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>();
    for (sizes, characters, said) in [
        (&[2, 1][..], rows(&[&[1.0, 1.0], &[1.0, -1.0]]), "first class is the identity"),
        (&[1, 1], rows(&[&[1.0, 1.0], &[1.0]]), "first class is the identity"),
        (&[1, 1], rows(&[&[1.0, -1.0], &[1.0, 1.0]]), "not the trivial one"),
        (&[1, 1], rows(&[]), "not the trivial one"),
        // Characters with mean squares of 4/3 and of 3.
        (&[1, 2], rows(&[&[1.0, 1.0], &[2.0, 0.0]]), "a mean square is none"),
        (&[1, 1, 1], rows(&[&[1.0; 3], &[3.0, 0.0, 0.0]]), "a mean square is none"),
        // One irrep missing, and one repeated.
        (&[1, 1], rows(&[&[1.0, 1.0]]), "regular character"),
        (&[1, 1], rows(&[&[1.0, 1.0], &[1.0, 1.0]]), "regular character"),
    ] {
        let error = RealCharacters::from_characters(sizes, &characters).unwrap_err().to_string();
        assert!(error.contains(said), "{said}: {error}");
    }
    assert!(RealCharacters::from_characters(&[1, 1], &rows(&[&[1.0, 1.0], &[1.0, -1.0]])).is_ok());
}

#[test]
fn inputs_without_a_result_are_errors() {
    assert_eq!(RealCharacters::from_characters(&[1], &[vec![1.0]]), Err(MarginError::TrivialGroup));
    let missing = RealCharacters::from_characters(&[1, 1, 1], &[vec![1.0; 3]]);
    assert!(matches!(missing, Err(MarginError::InvalidCharacters(_))));
    for lambda in [0.0, -1.0, f64::NAN] {
        assert!(matches!(
            symmetric(3).0.compute_penalised_optimum(lambda),
            Err(MarginError::NonPositivePenalty(_))
        ));
    }
}
