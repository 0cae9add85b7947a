//! Real character tables from closed formulas, for tests that do not depend on computed tables.

use super::RealCharacters;

/// All partitions of `n` into parts of at most `max_part`, each in decreasing order.
fn partitions(n: usize, max_part: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![vec![]];
    }
    let with = |first: usize| {
        partitions(n - first, first)
            .into_iter()
            .map(move |rest| [vec![first], rest].concat())
            .collect::<Vec<_>>()
    };
    (1..=max_part.min(n)).rev().flat_map(with).collect()
}

/// Value at cycle type `cycles` of the character of S_n that belongs to the partition `shape` of n, by the rule of
/// Murnaghan and Nakayama.
fn symmetric_character(shape: &[usize], cycles: &[usize]) -> f64 {
    // Removing a rim hook moves one bead of the abacus down; the sign counts the beads in between.
    let rows = shape.len();
    let beads: Vec<usize> = shape.iter().enumerate().map(|(i, part)| part + rows - 1 - i).collect();
    /// Sum, by the rule of Murnaghan and Nakayama, over all ways to remove rim hooks of the lengths `cycles` in turn
    /// from the partition with the abacus `beads` (bead positions from 0), with their signs.
    fn sum_over_rim_hooks(beads: &[usize], cycles: &[usize]) -> f64 {
        let Some((first, rest)) = cycles.split_first() else { return 1.0 };
        let mut sum = 0.0;
        for (i, bead) in beads.iter().enumerate() {
            if bead < first || beads.contains(&(bead - first)) {
                continue;
            }
            let jumped = beads.iter().filter(|other| **other < *bead && **other > bead - first).count();
            let mut moved = beads.to_vec();
            moved[i] = bead - first;
            sum += if jumped.is_multiple_of(2) { 1.0 } else { -1.0 } * sum_over_rim_hooks(&moved, rest);
        }
        sum
    }
    sum_over_rim_hooks(&beads, cycles)
}

/// The real character table of S_n, with classes and irreps in the order of partitions, and the cycle type of each
/// class except the identity's.
pub fn symmetric(n: usize) -> (RealCharacters, Vec<Vec<usize>>) {
    let shapes = partitions(n, n);
    let mut types = shapes.clone();
    types.reverse();
    let factorial = |m: usize| (1..=m).product::<usize>();
    let size = |cycles: &Vec<usize>| {
        let of = |length: usize| cycles.iter().filter(|part| **part == length).count();
        factorial(n) / (1..=n).map(|l| l.pow(of(l) as u32) * factorial(of(l))).product::<usize>()
    };
    let sizes: Vec<usize> = types.iter().map(size).collect();
    let row = |shape: &Vec<usize>| types.iter().map(|cycles| symmetric_character(shape, cycles)).collect();
    let rows: Vec<Vec<f64>> = shapes.iter().map(row).collect();
    (RealCharacters::from_characters(&sizes, &rows).unwrap(), types[1..].to_vec())
}

/// The real character table of Z_n, where each element is a class.
pub fn cyclic(n: usize) -> RealCharacters {
    let wave = |k: usize, a: usize| (std::f64::consts::TAU * (k * a % n) as f64 / n as f64).cos();
    let row = |k: usize| {
        let factor = if k == 0 || 2 * k == n { 1.0 } else { 2.0 };
        (0..n).map(|a| factor * wave(k, a)).collect()
    };
    RealCharacters::from_characters(&vec![1; n], &(0..=n / 2).map(row).collect::<Vec<_>>()).unwrap()
}

/// The real character table of the dihedral group of order 2n: classes of rotations, then one or two classes of
/// reflections.
pub fn dihedral(n: usize) -> RealCharacters {
    let even = n.is_multiple_of(2);
    let mut sizes: Vec<usize> = (0..=n / 2).map(|a| if a == 0 || 2 * a == n { 1 } else { 2 }).collect();
    sizes.extend(if even { vec![n / 2, n / 2] } else { vec![n] });
    let rotations = n / 2 + 1;
    let reflections = sizes.len() - rotations;
    let row = |rotation: &dyn Fn(usize) -> f64, ends: &[f64]| {
        (0..rotations).map(rotation).chain(ends[..reflections].iter().copied()).collect::<Vec<f64>>()
    };
    let sign = |a: usize| if a.is_multiple_of(2) { 1.0 } else { -1.0 };
    let mut rows = vec![row(&|_| 1.0, &[1.0, 1.0]), row(&|_| 1.0, &[-1.0, -1.0])];
    if even {
        rows.extend([row(&sign, &[1.0, -1.0]), row(&sign, &[-1.0, 1.0])]);
    }
    for k in 1..n.div_ceil(2) {
        let wave = move |a: usize| 2.0 * (std::f64::consts::TAU * (k * a % n) as f64 / n as f64).cos();
        rows.push(row(&wave, &[0.0, 0.0]));
    }
    RealCharacters::from_characters(&sizes, &rows).unwrap()
}

/// The real character table of A₅: classes e, order 2, order 3 and two of order 5; irreps of dimensions 1, 3, 3, 4,
/// 5.
pub fn alternating_5() -> RealCharacters {
    let golden = (1.0 + 5f64.sqrt()) / 2.0;
    let rows = [
        vec![1.0, 1.0, 1.0, 1.0, 1.0],
        vec![3.0, -1.0, 0.0, golden, 1.0 - golden],
        vec![3.0, -1.0, 0.0, 1.0 - golden, golden],
        vec![4.0, 0.0, 1.0, -1.0, -1.0],
        vec![5.0, 1.0, -1.0, 0.0, 0.0],
    ];
    RealCharacters::from_characters(&[1, 15, 20, 12, 12], &rows).unwrap()
}

/// The real character table of Z₂ⁿ, where each element is a class.
pub fn cube(n: u32) -> RealCharacters {
    let order = 1usize << n;
    let row = |k: usize| {
        (0..order).map(|a| if (a & k).count_ones().is_multiple_of(2) { 1.0 } else { -1.0 }).collect()
    };
    RealCharacters::from_characters(&vec![1; order], &(0..order).map(row).collect::<Vec<_>>()).unwrap()
}

/// The real character table of the quaternion group: classes 1, −1, ±i, ±j, ±k. The last irrep has dimension 4 and
/// quaternionic type.
pub fn quaternion() -> RealCharacters {
    let rows = [
        vec![1.0, 1.0, 1.0, 1.0, 1.0],
        vec![1.0, 1.0, 1.0, -1.0, -1.0],
        vec![1.0, 1.0, -1.0, 1.0, -1.0],
        vec![1.0, 1.0, -1.0, -1.0, 1.0],
        vec![4.0, -4.0, 0.0, 0.0, 0.0],
    ];
    RealCharacters::from_characters(&[1, 1, 2, 2, 2], &rows).unwrap()
}
