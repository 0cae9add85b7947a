//! Networks whose neurons are known, through the whole of the summary.

use std::f64::consts::PI;

use super::readings::{
    IrrepQuantity, per_irrep_chart, phase_residual_chart, phase_torus_chart, power_heatmap, power_share_chart,
};
use super::*;
use vivarium_core::rng::{Purpose, RandomStream};
use vivarium_science::groups::{Group, Irreps};

/// θu, θv and θw of the eight neurons that each frequency has (Edelman 2024, appendix D.6.2), in quarters of a turn.
const PHASES: [[i32; 3]; 8] =
    [[0, 0, 0], [0, 2, 2], [1, -1, 0], [1, 1, 2], [-1, 0, -1], [-1, 2, 1], [0, -1, -1], [0, 1, 1]];

/// The arrays u, v and w of the exact network for Z_p, `[p, 4 (p−1)]`, all amplitudes 1.
fn exact(p: usize) -> (Vec<Vec<f32>>, usize) {
    let width = 4 * (p - 1);
    let weight = |part: usize, a: usize, neuron: usize| {
        let (frequency, theta) = (1 + neuron / 8, f64::from(PHASES[neuron % 8][part]) * PI / 2.0);
        libm::cos(theta + 2.0 * PI * (frequency * a) as f64 / p as f64) as f32
    };
    let array = |part: usize| {
        (0..p).flat_map(|a| (0..width).map(move |i| (a, i))).map(|(a, i)| weight(part, a, i)).collect()
    };
    ((0..3).map(array).collect(), width)
}

/// Normal weights for `parts` arrays.
fn random(order: usize, width: usize, parts: usize) -> Vec<Vec<f32>> {
    let array = |part: usize| {
        let stream = RandomStream::new(5, Purpose::Weights, part as u32);
        (0..order * width).map(|i| stream.draw_normal(0, i as u32)).collect()
    };
    (0..parts).map(array).collect()
}

/// Logits of a network with the activation x², `[order², order]`, and the right classes.
fn logits(group: &Group, arrays: &[Vec<f32>], width: usize) -> (Vec<f32>, Vec<usize>) {
    let (order, [u, v, w]) = (group.order(), [&arrays[0], &arrays[1], &arrays[2]]);
    let (mut logits, mut labels) = (vec![], vec![]);
    for (a, b) in (0..order).flat_map(|a| (0..order).map(move |b| (a, b))) {
        labels.push(group.multiply(a, b));
        let hidden: Vec<f64> =
            (0..width).map(|i| f64::from(u[a * width + i] + v[b * width + i]).powi(2)).collect();
        let logit =
            |c: usize| (0..width).map(|i| hidden[i] * f64::from(w[c * width + i])).sum::<f64>() as f32;
        logits.extend((0..order).map(logit));
    }
    (logits, labels)
}

#[test]
fn the_exact_network_of_a_cyclic_group() {
    for p in [5, 13] {
        let group = Group::cyclic(p);
        let (arrays, width) = exact(p);
        let found = NeuronSpectraBuilder::compute(&Irreps::compute(&group), arrays.clone(), width).unwrap();
        assert_eq!(
            (found.neuron_count(), found.irrep_count(), found.has_phases()),
            (width, p.div_ceil(2), true)
        );
        assert_eq!(found.live_neurons().len(), width);
        for part in NeuronPart::ALL {
            assert!(found.largest_shares(part).iter().all(|share| (share - 1.0).abs() < 1e-6));
        }
        assert_eq!(
            (found.dominant_irrep_agreement(), found.pure_neuron_share(0.99), found.count_per_irrep()[0]),
            (Some(1.0), Some(1.0), 0)
        );
        assert!(found.count_per_irrep()[1..].iter().all(|count| *count == 8));
        for neuron in 0..width {
            assert_eq!(found.dominant_irrep(neuron), 1 + neuron / 8);
            let [u, v, w] = NeuronPart::ALL.map(|part| f64::from(found.phase(part, neuron).unwrap()));
            for (theta, quarters) in [u, v, w].into_iter().zip(PHASES[neuron % 8]) {
                assert!(
                    wrap_angle(theta - f64::from(quarters) * PI / 2.0).abs() < 1e-6,
                    "{theta}, {quarters}"
                );
            }
            assert!(found.phase_residual(neuron, ModularOperation::Sum).unwrap().abs() < 1e-6);
            assert!((found.amplitude_ratio(neuron).unwrap() - 1.0).abs() < 1e-6);
            assert!((f64::from(found.norm(neuron)) - libm::sqrt(1.5 * p as f64)).abs() < 1e-5);
        }
        let masses = found.norm_mass_per_irrep(3);
        assert!(
            masses[1..].iter().all(|mass| (mass - 2.0 / (p as f32 - 1.0)).abs() < 1e-6) && masses[0] == 0.0
        );

        let (logits, labels) = logits(&group, &arrays, width);
        let equal = logits::measure_equality(&logits, &labels, p).unwrap();
        assert!((equal.mean_margin - 2.0 * p as f64).abs() < 1e-4, "{equal:?}");
        assert!(equal.margin_spread < 1e-6 && equal.wrong_spread < 1e-6);
    }
}

#[test]
fn the_exact_network_of_a_group_has_one_irrep_per_neuron() {
    let group = Group::symmetric(3);
    let irreps = Irreps::compute(&group);
    // u = s R(a)_{ij}, v = ± s R(b)_{jk}, w = ± s R(c)_{ik}, s³ = d/4 (Edelman 2024, lemmas D.15 and D.16).
    let mut neurons: Vec<[Vec<f64>; 3]> = vec![];
    for (r, irrep) in irreps.all().iter().enumerate().skip(1) {
        let (d, matrices) = (irrep.dimension, irreps.matrices(r));
        let s = libm::cbrt(d as f64 / 4.0);
        let entry = |i: usize, j: usize, sign: f64| -> Vec<f64> {
            matrices.chunks(d * d).map(|matrix| s * sign * matrix[i * d + j]).collect()
        };
        for at in 0..d * d * d {
            let (i, j, k) = (at / d / d, at / d % d, at % d);
            neurons.extend([1.0, -1.0].map(|sign| [entry(i, j, 1.0), entry(j, k, sign), entry(i, k, sign)]));
        }
    }
    let width = neurons.len();
    assert_eq!(width, 18);
    let array = |part: usize| {
        let at = |a: usize| neurons.iter().map(move |neuron| neuron[part][a] as f32);
        (0..group.order()).flat_map(at).collect::<Vec<f32>>()
    };
    let arrays: Vec<Vec<f32>> = (0..3).map(array).collect();
    let found = NeuronSpectraBuilder::compute(&irreps, arrays.clone(), width).unwrap();
    assert!(
        !found.has_phases()
            && found.phase(NeuronPart::First, 0).is_none()
            && found.phase_residual(0, ModularOperation::Sum).is_none()
    );
    assert_eq!((found.count_per_irrep(), found.dominant_irrep_agreement()), (vec![0, 2, 16], Some(1.0)));
    assert!((found.median_share(NeuronPart::First).unwrap() - 1.0).abs() < 1e-6);
    // d^2.5 / Σ d^2.5.
    let share = 1.0 / (1.0 + libm::pow(2.0, 2.5)) as f32;
    assert!((found.norm_mass_per_irrep(3)[1] - share).abs() < 1e-6);
    let (logits, labels) = logits(&group, &arrays, width);
    let equal = logits::measure_equality(&logits, &labels, 6).unwrap();
    assert!(
        (equal.mean_margin - 6.0).abs() < 1e-5 && equal.wrong_spread < 1e-6 && equal.margin_spread < 1e-6
    );
}

#[test]
fn powers_add_up_to_the_squared_norm_in_any_group() {
    for group in [Group::cyclic(12), Group::symmetric(4), Group::alternating(4), Group::quaternion()] {
        let (order, width) = (group.order(), 7);
        let arrays = random(order, width, 3);
        let found = NeuronSpectraBuilder::compute(&Irreps::compute(&group), arrays.clone(), width).unwrap();
        for neuron in 0..width {
            let mut whole = 0.0;
            for (part, array) in NeuronPart::ALL.into_iter().zip(&arrays) {
                let square: f32 =
                    array.iter().skip(neuron).step_by(width).map(|weight| weight * weight).sum();
                let power: f32 = found.powers(part, neuron).iter().sum();
                assert!((power - square).abs() < 1e-4 * square, "{power} of {square}");
                whole += square;
            }
            assert!((found.norm(neuron) - whole.sqrt()).abs() < 1e-4);
            assert!((found.shares(neuron).iter().sum::<f32>() - 1.0).abs() < 1e-5);
        }
    }
}

#[test]
fn a_survey_in_portions_is_the_whole_one() {
    let irreps = Irreps::compute(&Group::cyclic(11));
    let mut survey = NeuronSpectraBuilder::new(&irreps, random(11, 10, 3), 10).unwrap();
    assert_eq!(survey.cost(), 3 * 121);
    assert!(survey.clone().finish().is_none());
    assert!(!survey.advance(4) && !survey.advance(5) && survey.advance(usize::MAX) && survey.advance(1));
    assert_eq!(survey.finish(), NeuronSpectraBuilder::compute(&irreps, random(11, 10, 3), 10));
    assert!(NeuronSpectraBuilder::new(&irreps, vec![], 10).is_none());
    assert!(NeuronSpectraBuilder::new(&irreps, random(11, 10, 2), 9).is_none());
    assert_eq!(NeuronSpectraBuilder::compute(&irreps, vec![vec![]; 3], 0).unwrap().live_neurons(), [0; 0]);
}

#[test]
fn numbers_make_the_same_neurons() {
    for (group, parts) in [(Group::cyclic(7), 3), (Group::cyclic(7), 1), (Group::symmetric(3), 3)] {
        let irreps = Irreps::compute(&group);
        let found = NeuronSpectraBuilder::compute(&irreps, random(group.order(), 9, parts), 9).unwrap();
        let numbers = found.to_numbers();
        let count = irreps.all().len();
        assert_eq!(NeuronSpectra::from_numbers(9, count, &numbers), Some(found));
        for wrong in [(8, count), (9, count + 1), (9, 0), (usize::MAX, count)] {
            assert_eq!(NeuronSpectra::from_numbers(wrong.0, wrong.1, &numbers), None);
        }
        for head in [[0.0, 0.0], [4.0, 1.0], [parts as f32, 0.5], [f32::NAN, 1.0]] {
            assert_eq!(NeuronSpectra::from_numbers(9, count, &[&head, &numbers[2..]].concat()), None);
        }
        assert_eq!(NeuronSpectra::from_numbers(9, count, &numbers[..numbers.len() - 1]), None);
    }
    assert_eq!(NeuronSpectra::from_numbers(0, 1, &[]), None);
}

#[test]
fn an_embedding_alone_is_enough() {
    let (mut arrays, width) = exact(7);
    arrays.truncate(1);
    let found = NeuronSpectraBuilder::compute(&Irreps::compute(&Group::cyclic(7)), arrays, width).unwrap();
    assert_eq!(
        (found.part_count(), found.dominant_irrep_agreement(), found.count_per_irrep()),
        (1, Some(1.0), vec![0, 8, 8, 8])
    );
    assert!(found.phase(NeuronPart::First, 3).is_some() && found.phase(NeuronPart::Output, 3).is_none());
    assert!(found.phase_residual(3, ModularOperation::Sum).is_none() && found.amplitude_ratio(3).is_none());
    assert!(
        found.powers(NeuronPart::Second, 0).is_empty() && found.largest_shares(NeuronPart::Second)[0] == 0.0
    );
    assert!(phase_torus_chart(&found).series[0].x.is_empty());
    assert!((power_share_chart(None, &found).marks[0].0 - 1.0).abs() < 1e-6);
}

#[test]
fn small_neurons_are_dead_and_constants_turn_nowhere() {
    // Norms 1, 0.11, 0.09 and 0: cubes 1, 1.3e-3, 7e-4 and 0.
    let u: Vec<f32> = [1.0, 0.11, 0.09, 0.0].repeat(5).iter().map(|x| x / 5f32.sqrt()).collect();
    let zero = vec![0.0; 20];
    let irreps = Irreps::compute(&Group::cyclic(5));
    let found = NeuronSpectraBuilder::compute(&irreps, vec![u, zero.clone(), zero.clone()], 4).unwrap();
    assert_eq!((found.live_neurons(), found.count_per_irrep()), (vec![0, 1], vec![2, 0, 0]));
    assert_eq!(
        (found.phase(NeuronPart::First, 0), found.phase_residual(0, ModularOperation::Sum)),
        (None, None)
    );
    assert_eq!(
        (found.largest_shares(NeuronPart::First)[3], found.largest_shares(NeuronPart::Output)[0]),
        (0.0, 0.0)
    );
    let nothing = NeuronSpectraBuilder::compute(&irreps, vec![zero.clone(), zero.clone(), zero], 4).unwrap();
    assert!(
        nothing.live_neurons().is_empty()
            && nothing.dominant_irrep_agreement().is_none()
            && nothing.pure_neuron_share(0.99).is_none()
    );
    assert_eq!(
        (nothing.norm_mass_per_irrep(3), nothing.median_share(NeuronPart::First)),
        (vec![0.0; 3], None)
    );
}

#[test]
fn histograms_move_from_a_spread_to_one_place() {
    let irreps = Irreps::compute(&Group::cyclic(13));
    let (arrays, width) = exact(13);
    let start = NeuronSpectraBuilder::compute(&irreps, random(13, 200, 3), 200).unwrap();
    let now = NeuronSpectraBuilder::compute(&irreps, arrays, width).unwrap();
    let lines = power_share_chart(Some(&start), &now);
    let [before, after] = &lines.series[..] else { panic!("two histograms") };
    assert_eq!((before.y.len(), before.x.len(), after.y[19]), (20, 21, 1.0));
    assert!(before.y.iter().all(|y| *y < 0.5) && before.y.iter().filter(|y| **y > 0.0).count() >= 6);
    assert!((before.y.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    assert!((0.3..0.5).contains(&start.median_share(NeuronPart::First).unwrap()), "about 0.38 at the start");
    assert_eq!(start.pure_neuron_share(0.99), Some(0.0));
    assert_eq!(lines.marks[0].1, "median 1.000");

    let residuals =
        |neurons: &NeuronSpectra| phase_residual_chart(neurons, ModularOperation::Sum).series[0].y.clone();
    assert_eq!(residuals(&now)[20], 1.0, "zero is in the middle of a bin");
    assert!(residuals(&start).iter().filter(|y| **y > 0.0).count() > 20);
    let dots = &phase_torus_chart(&now).series[0];
    assert!(dots.scatter && dots.x.len() == width && dots.y.len() == width);
}

#[test]
fn charts_per_irrep() {
    let irreps = Irreps::compute(&Group::cyclic(7));
    let (arrays, width) = exact(7);
    let found = NeuronSpectraBuilder::compute(&irreps, arrays, width).unwrap();
    let grid = power_heatmap(&found, &[]);
    assert_eq!((grid.rows, grid.columns, grid.row_names.join(" ")), (4, 24, "0 1 2 3".to_string()));
    for (at, value) in grid.values.iter().enumerate() {
        let (irrep, column) = (at / 24, at % 24);
        assert!((value - f32::from(u8::from(irrep == 1 + column / 8))).abs() < 1e-6);
    }
    let third = [0.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0];
    let bars = per_irrep_chart(&found, Some(&third), &[], IrrepQuantity::Mass(3));
    assert_eq!((bars.overlay.as_slice(), bars.y_label.as_str()), (third.as_slice(), "share of Σ‖ω‖³"));
    assert!(bars.bars.iter().zip(third).all(|(bar, predicted)| (bar.1 - predicted).abs() < 1e-6));
    let bars = per_irrep_chart(&found, Some(&[1.0]), &[], IrrepQuantity::Count);
    assert_eq!((bars.bars[1].clone(), bars.overlay.len()), (("1".to_string(), 8.0), 0));
    assert_eq!(bars.title, "Neurons by frequency");

    let group = Group::symmetric(3);
    let irreps = Irreps::compute(&group);
    let found = NeuronSpectraBuilder::compute(&irreps, random(6, 5, 3), 5).unwrap();
    let names: Vec<String> = irreps.all().iter().map(|irrep| irrep.name.clone()).collect();
    let bars = per_irrep_chart(&found, None, &names, IrrepQuantity::Count);
    assert_eq!((bars.bars[1].0.as_str(), bars.x_label.as_str()), ("sign", "irrep"));
    assert_eq!(bars.bars.iter().map(|bar| bar.1).sum::<f32>(), 5.0);
}
