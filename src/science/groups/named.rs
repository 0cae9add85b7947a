//! Cyclic, dihedral, symmetric, alternating and quaternion groups, and products of groups.

use super::{Group, GroupFamily};

/// The largest number n of permuted points for [`Group::symmetric`] and [`Group::alternating`]: S₆ has 720
/// elements.
pub const MAX_PERMUTATION_POINTS: usize = 6;

impl Group {
    /// Z_n: the numbers 0 to n − 1 under addition.
    ///
    /// # Panics
    /// If n is 0.
    pub fn cyclic(n: usize) -> Group {
        assert!(n > 0, "a group has at least one element");
        Group::from_multiplication(n, |a, b| (a + b) % n, |a| a.to_string(), GroupFamily::Cyclic)
    }

    /// D_n, the symmetries of a regular polygon with n corners, of order 2n: first the rotations rⁱ, then the
    /// reflections rⁱs, with s·r = r⁻¹·s.
    ///
    /// # Panics
    /// If n is 0.
    pub fn dihedral(n: usize) -> Group {
        assert!(n > 0, "a polygon has at least one corner");
        let times = |a: usize, b: usize| {
            let (turn, by) = (a % n, b % n);
            let turn = if a < n { turn + by } else { turn + n - by } % n;
            if (a < n) == (b < n) { turn } else { n + turn }
        };
        let name = |a: usize| match (a % n, a < n) {
            (0, true) => "e".to_string(),
            (turn, true) => format_power("r", turn),
            (turn, false) => format_power("r", turn) + "s",
        };
        Group::from_multiplication(2 * n, times, name, GroupFamily::General)
    }

    /// S_n: all permutations of 1 to n in lexicographic order of their one-line notation. a·b is first b, then a.
    ///
    /// # Panics
    /// If n is 0 or above [`MAX_PERMUTATION_POINTS`].
    pub fn symmetric(n: usize) -> Group {
        Group::from_permutations(list_permutations(n))
    }

    /// A_n: the even permutations of 1 to n, in the order of [`Group::symmetric`].
    ///
    /// # Panics
    /// If n is 0 or above [`MAX_PERMUTATION_POINTS`].
    pub fn alternating(n: usize) -> Group {
        let even =
            |p: &Vec<u8>| cycle_decomposition(p).iter().filter(|cycle| cycle.len() % 2 == 0).count() % 2 == 0;
        Group::from_permutations(list_permutations(n).into_iter().filter(even).collect())
    }

    /// Q₈: the quaternions 1, −1, i, −i, j, −j, k, −k, with i·j = k.
    pub fn quaternion() -> Group {
        /// Product of the unit of the row and the unit of the column, in the order 1, i, j and k, as (index of the
        /// unit, 1 for a minus sign or else 0).
        const UNITS: [[(usize, usize); 4]; 4] = [
            [(0, 0), (1, 0), (2, 0), (3, 0)],
            [(1, 0), (0, 1), (3, 0), (2, 1)],
            [(2, 0), (3, 1), (0, 1), (1, 0)],
            [(3, 0), (2, 0), (1, 1), (0, 1)],
        ];
        let times = |a: usize, b: usize| {
            let (unit, sign) = UNITS[a / 2][b / 2];
            2 * unit + (a + b + sign) % 2
        };
        let name = |a: usize| ["", "−"][a % 2].to_string() + ["1", "i", "j", "k"][a / 2];
        Group::from_multiplication(8, times, name, GroupFamily::General)
    }

    /// The direct product of groups. Elements are tuples, sorted so that the last component changes fastest. The
    /// product of one group is that group.
    pub fn direct_product(parts: &[Group]) -> Group {
        if let [alone] = parts {
            return alone.clone();
        }
        let order = parts.iter().map(Group::order).product();
        let split = |a: usize| {
            let mut rest = a;
            let mut digits: Vec<usize> = parts
                .iter()
                .rev()
                .map(|part| {
                    let digit = rest % part.order();
                    rest /= part.order();
                    digit
                })
                .collect();
            digits.reverse();
            digits
        };
        let elements: Vec<Vec<usize>> = (0..order).map(split).collect();
        let times = |a: usize, b: usize| {
            let pairs = elements[a].iter().zip(&elements[b]);
            pairs.zip(parts).fold(0, |index, ((a, b), part)| index * part.order() + part.multiply(*a, *b))
        };
        let name = |a: usize| {
            let names: Vec<&str> =
                elements[a].iter().zip(parts).map(|(a, part)| part.element_name(*a)).collect();
            format!("({})", names.join(", "))
        };
        Group::from_multiplication(order, times, name, GroupFamily::General)
    }

    /// Builds the group of the elements 0 to `order` − 1 from its multiplication `times(a, b)` = a·b and the name
    /// `name(a)` of each element.
    fn from_multiplication(
        order: usize,
        times: impl Fn(usize, usize) -> usize,
        name: impl Fn(usize) -> String,
        family: GroupFamily,
    ) -> Group {
        let table = (0..order).flat_map(|a| (0..order).map(move |b| (a, b)));
        let table = table.map(|(a, b)| times(a, b) as u32).collect();
        Group::build(table, (0..order).map(name).collect(), family)
    }

    /// Builds the group of these permutations in one-line notation, counted from 0. The list must be closed under
    /// composition; a·b applies b first.
    fn from_permutations(all: Vec<Vec<u8>>) -> Group {
        let code =
            |points: &mut dyn Iterator<Item = u8>| points.fold(0, |code, p| code << 3 | usize::from(p));
        let mut index = vec![0; 1 << (3 * MAX_PERMUTATION_POINTS)];
        for (a, permutation) in all.iter().enumerate() {
            index[code(&mut permutation.iter().copied())] = a;
        }
        let times = |a: usize, b: usize| index[code(&mut all[b].iter().map(|p| all[a][usize::from(*p)]))];
        let name = |a: usize| format_cycles(&all[a]);
        Group::from_multiplication(all.len(), times, name, GroupFamily::Permutations(all.clone()))
    }
}

/// All permutations of n points in one-line notation, counted from 0, in lexicographic order.
fn list_permutations(n: usize) -> Vec<Vec<u8>> {
    assert!(
        (1..=MAX_PERMUTATION_POINTS).contains(&n),
        "permutations of 1 to {MAX_PERMUTATION_POINTS} points"
    );
    let mut all: Vec<Vec<u8>> = vec![vec![]];
    for _ in 0..n {
        let longer = |begin: Vec<u8>| {
            let free = (0..n as u8).filter(|p| !begin.contains(p)).collect::<Vec<u8>>();
            free.into_iter().map(move |p| [begin.as_slice(), &[p]].concat())
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

/// The cycles of a permutation in one-line notation, counted from 0; each starts at its smallest point, and fixed
/// points are left out.
pub(super) fn cycle_decomposition(permutation: &[u8]) -> Vec<Vec<u8>> {
    let mut seen = vec![false; permutation.len()];
    let mut cycles = vec![];
    for start in 0..permutation.len() as u8 {
        let mut cycle = vec![];
        let mut point = start;
        while !std::mem::replace(&mut seen[usize::from(point)], true) {
            cycle.push(point);
            point = permutation[usize::from(point)];
        }
        if cycle.len() > 1 {
            cycles.push(cycle);
        }
    }
    cycles
}

/// Formats a permutation, in one-line notation from 0, by its cycles of points from 1, such as `(1 2)(3 4)`, and
/// the identity as `e`.
fn format_cycles(permutation: &[u8]) -> String {
    let cycle = |cycle: &Vec<u8>| {
        let points: Vec<String> = cycle.iter().map(|p| (p + 1).to_string()).collect();
        format!("({})", points.join(" "))
    };
    let all: String = cycle_decomposition(permutation).iter().map(cycle).collect();
    if all.is_empty() { "e".into() } else { all }
}

/// The permutation with the same cycle lengths as `permutation` whose cycles list the points in increasing order,
/// longest cycles first. Permutations are in one-line notation, counted from 0.
pub(super) fn canonical_permutation(permutation: &[u8]) -> Vec<u8> {
    let mut lengths: Vec<usize> = cycle_decomposition(permutation).iter().map(Vec::len).collect();
    lengths.sort_unstable();
    lengths.reverse();
    let mut typical: Vec<u8> = (0..permutation.len() as u8).collect();
    let mut start = 0;
    for length in lengths {
        typical[start..start + length].rotate_left(1);
        start += length;
    }
    typical
}

/// Formats a letter with an exponent: nothing for 0, the letter alone for 1, then `r²` and so on.
fn format_power(letter: &str, exponent: usize) -> String {
    match exponent {
        0 => String::new(),
        1 => letter.into(),
        _ => letter.to_string() + &exponent.to_string().chars().map(superscript_digit).collect::<String>(),
    }
}

/// Converts a decimal digit to its superscript character.
fn superscript_digit(digit: char) -> char {
    /// Superscript characters of the decimal digits 0 to 9.
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    digit.to_digit(10).map_or(digit, |digit| DIGITS[digit as usize])
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Named groups of every kind up to order 120.
    pub fn examples() -> Vec<Group> {
        let mut groups: Vec<Group> = (1..=13).chain([24, 31]).map(Group::cyclic).collect();
        groups.extend((1..=9).chain([12]).map(Group::dihedral));
        groups.extend((1..=5).map(Group::symmetric));
        groups.extend((1..=5).map(Group::alternating));
        let [two, three, four] = [2, 3, 4].map(Group::cyclic);
        groups.push(Group::quaternion());
        groups.push(Group::direct_product(&[two.clone(), two.clone(), two.clone(), two.clone()]));
        groups.push(Group::direct_product(&[three.clone(), three.clone()]));
        groups.push(Group::direct_product(&[two.clone(), four, three.clone()]));
        groups.push(Group::direct_product(&[Group::quaternion(), three]));
        groups.push(Group::direct_product(&[Group::alternating(4), two]));
        groups.push(Group::direct_product(&[]));
        groups
    }

    #[test]
    fn every_named_group_satisfies_the_axioms() {
        for group in examples().into_iter().chain([Group::alternating(6)]) {
            let n = group.order();
            let table: Vec<usize> = group.table().iter().map(|a| *a as usize).collect();
            let checked = Group::from_table(n, &table).unwrap();
            assert_eq!((checked.identity(), &checked.classes), (group.identity(), &group.classes));
            assert_eq!(group.identity(), 0);
            for a in 0..n {
                assert_eq!(group.multiply(a, group.inverse(a)), 0);
                assert_eq!(group.multiply(0, a), a);
                assert_eq!((0..n).filter(|b| group.element_name(*b) == group.element_name(a)).count(), 1);
                // The plain loop, where it is quick.
                if n <= 24 {
                    (0..n * n).for_each(|i| {
                        let (b, c) = (i / n, i % n);
                        let left = group.multiply(group.multiply(a, b), c);
                        assert_eq!(left, group.multiply(a, group.multiply(b, c)));
                    });
                }
            }
        }
        let orders = [Group::symmetric(6), Group::alternating(6), Group::alternating(5)].map(|g| g.order());
        assert_eq!(orders, [720, 360, 60]);
    }

    #[test]
    fn elements_have_the_usual_names() {
        let names =
            |group: &Group| (0..group.order()).map(|a| group.element_name(a).to_string()).collect::<Vec<_>>();
        assert_eq!(names(&Group::dihedral(3)), ["e", "r", "r²", "s", "rs", "r²s"]);
        assert_eq!(names(&Group::symmetric(3)), ["e", "(2 3)", "(1 2)", "(1 2 3)", "(1 3 2)", "(1 3)"]);
        assert_eq!(names(&Group::quaternion()), ["1", "−1", "i", "−i", "j", "−j", "k", "−k"]);
        assert_eq!(Group::dihedral(12).element_name(23), "r¹¹s");
        let pair = Group::direct_product(&[Group::cyclic(2), Group::symmetric(3)]);
        assert_eq!(pair.element_name(9), "(1, (1 2 3))");
        assert_eq!(Group::cyclic(113).element_name(112), "112");
    }

    #[test]
    fn products_follow_the_usual_conventions() {
        let d = Group::dihedral(5);
        let (r, s) = (1, 5);
        assert_eq!(d.multiply(s, r), d.multiply(d.inverse(r), s));
        assert_eq!(d.element_name(d.multiply(2, s)), "r²s");
        let q = Group::quaternion();
        let at = |name: &str| (0..8).find(|a| q.element_name(*a) == name).unwrap();
        for (a, b, c) in
            [("i", "j", "k"), ("j", "k", "i"), ("k", "i", "j"), ("j", "i", "−k"), ("i", "i", "−1")]
        {
            assert_eq!(q.element_name(q.multiply(at(a), at(b))), c);
        }
        let s = Group::symmetric(4);
        let at = |name: &str| (0..24).find(|a| s.element_name(*a) == name).unwrap();
        assert_eq!(
            s.element_name(s.multiply(at("(1 2)"), at("(2 3)"))),
            "(1 2 3)",
            "first (2 3), then (1 2)"
        );
        let part = Group::cyclic(7);
        assert_eq!(Group::direct_product(std::slice::from_ref(&part)), part);
    }
}
