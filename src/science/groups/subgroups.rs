//! Subgroups up to conjugacy, and the fraction of a function's variance that the means over their cosets explain.

use std::collections::BTreeSet;

use super::Group;
use vivarium_core::sorting;

/// The largest order of a group for which [`Subgroup::enumerate`] lists subgroups.
pub const MAX_GROUP_ORDER: usize = 128;

/// A set of elements of a group as a bit mask: bit a, the lowest being bit 0, is set if element a is in the set.
type ElementSet = u128;

/// A subgroup of a group, as the representative of all its conjugate subgroups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subgroup {
    /// Printable name from the generators and the order: `⟨(1 2 3)⟩ order 3`.
    pub name: String,
    /// One or two elements, as numbers from 0, whose products are all elements of the subgroup.
    pub generators: Vec<usize>,
    /// All elements of the subgroup, as numbers from 0, in increasing order.
    pub members: Vec<usize>,
    /// Number of different conjugate subgroups a·H·a⁻¹ of this subgroup H, including H.
    pub conjugate_count: usize,
}

impl Subgroup {
    /// Lists all subgroups that one or two elements generate, one of each class of conjugate subgroups, sorted by
    /// order, then by the number of conjugates. `None` if the group has more than [`MAX_GROUP_ORDER`] elements.
    pub fn enumerate(group: &Group) -> Option<Vec<Subgroup>> {
        if group.order() > MAX_GROUP_ORDER {
            return None;
        }
        let representatives: Vec<usize> =
            (0..group.classes().len()).map(|c| group.class_representative(c)).collect();
        let mut second = representatives.clone();
        second.extend((0..group.order()).filter(|a| !representatives.contains(a)));
        let alone = representatives.iter().map(|a| vec![*a]);
        // Up to conjugacy, the first generator is the representative of its class.
        let pairs = representatives.iter().flat_map(|a| second.iter().map(|b| vec![*a, *b]));
        let mut seen = BTreeSet::new();
        let mut all = vec![];
        for generators in alone.chain(pairs) {
            let set = generate_subgroup(group, &generators);
            if seen.contains(&set) {
                continue;
            }
            let members: Vec<usize> = (0..group.order()).filter(|a| set >> a & 1 == 1).collect();
            // Inserts one by one, because `collect` would add another copy of the sorting code.
            let mut conjugates: BTreeSet<ElementSet> = BTreeSet::new();
            (0..group.order()).for_each(|by| _ = conjugates.insert(conjugate_subgroup(group, &members, by)));
            let names: Vec<&str> = generators.iter().map(|a| group.element_name(*a)).collect();
            all.push(Subgroup {
                name: format!("⟨{}⟩ order {}", names.join(", "), members.len()),
                generators,
                members,
                conjugate_count: conjugates.len(),
            });
            seen.extend(conjugates);
        }
        sorting::sort_by_key(&mut all, |subgroup| (subgroup.order(), subgroup.conjugate_count));
        Some(all)
    }

    /// Number of elements of the subgroup.
    pub fn order(&self) -> usize {
        self.members.len()
    }

    /// Whether the subgroup H is normal: a·H·a⁻¹ = H for all elements a, so that left and right cosets agree.
    pub fn is_normal(&self) -> bool {
        self.conjugate_count == 1
    }
}

/// The subgroup that the generators generate: all their products, since inverses are powers in a finite group.
fn generate_subgroup(group: &Group, generators: &[usize]) -> ElementSet {
    let mut set: ElementSet = 1 << group.identity();
    let mut members = vec![group.identity()];
    let mut at = 0;
    while at < members.len() {
        for by in generators {
            let product = group.multiply(members[at], *by);
            if set >> product & 1 == 0 {
                set |= 1 << product;
                members.push(product);
            }
        }
        at += 1;
    }
    set
}

/// The conjugate g·H·g⁻¹, with g = `by`, of the subgroup H with these `members`.
fn conjugate_subgroup(group: &Group, members: &[usize], by: usize) -> ElementSet {
    let inverse = group.inverse(by);
    members.iter().fold(0, |set, a| set | 1 << group.multiply(group.multiply(by, *a), inverse))
}

/// Whether the cosets of a subgroup H are left cosets a·H or right cosets H·a.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CosetSide {
    /// Left cosets a·H.
    Left,
    /// Right cosets H·a.
    Right,
}

/// Fraction of the variance of the function `f` on the group, `[order]`, that its means over the cosets of the subgroup
/// with the elements `members` explain. 1 if the function is constant on each coset; 0 if all means are equal, and for
/// constant functions.
pub fn coset_variance_fraction(group: &Group, f: &[f64], members: &[usize], side: CosetSide) -> f64 {
    let order = group.order();
    let mean = f.iter().sum::<f64>() / order as f64;
    let total: f64 = f.iter().map(|value| (value - mean) * (value - mean)).sum();
    // A constant function has no variance except for rounding errors.
    let scale: f64 = f.iter().map(|value| value * value).sum();
    if total <= 1e-24 * scale {
        return 0.0;
    }
    let mut seen = vec![false; order];
    let mut between = 0.0;
    for a in 0..order {
        if seen[a] {
            continue;
        }
        let mut sum = 0.0;
        for h in members {
            let b = if side == CosetSide::Left { group.multiply(a, *h) } else { group.multiply(*h, a) };
            seen[b] = true;
            sum += f[b] - mean;
        }
        between += sum * sum / members.len() as f64;
    }
    between / total
}

#[cfg(test)]
mod tests {
    use super::super::named::tests::examples;
    use super::super::splitmix64_numbers;
    use super::*;

    fn all(group: &Group) -> Vec<Subgroup> {
        Subgroup::enumerate(group).unwrap()
    }

    #[test]
    fn subgroup_counts_match_published_tables() {
        // Conjugacy classes of subgroups, and subgroups: sequences A000638 and A005432 of the OEIS for S_n.
        let counts = |group: Group| {
            let all = all(&group);
            (all.len(), all.iter().map(|subgroup| subgroup.conjugate_count).sum::<usize>())
        };
        let symmetric = [1, 2, 3, 4, 5].map(|n| counts(Group::symmetric(n)));
        assert_eq!(symmetric, [(1, 1), (2, 2), (4, 6), (11, 30), (19, 156)]);
        assert_eq!(counts(Group::alternating(5)), (9, 59));
        assert_eq!(counts(Group::quaternion()), (6, 6));
        assert_eq!(counts(Group::dihedral(4)), (8, 10));
        assert_eq!(counts(Group::cyclic(12)), (6, 6));
        let [two, three] = [2, 3].map(Group::cyclic);
        assert_eq!(counts(Group::direct_product(&[three.clone(), three])), (6, 6));
        // Without the whole group, which needs three generators: 1 + 7 + 7.
        assert_eq!(counts(Group::direct_product(&[two.clone(), two.clone(), two])), (15, 15));
        assert_eq!(Subgroup::enumerate(&Group::symmetric(6)), None);
    }

    #[test]
    fn subgroups_have_names_and_sizes() {
        let group = Group::symmetric(4);
        let all = all(&group);
        let names: Vec<(&str, usize)> = all.iter().map(|s| (s.name.as_str(), s.conjugate_count)).collect();
        assert_eq!(names[0], ("⟨e⟩ order 1", 1));
        assert!(
            names.contains(&("⟨(1 2)⟩ order 2", 6)) && names.contains(&("⟨(1 2 3)⟩ order 3", 4)),
            "{names:?}"
        );
        assert_eq!(
            all.iter().filter(|s| s.is_normal()).map(Subgroup::order).collect::<Vec<_>>(),
            [1, 4, 12, 24]
        );
    }

    #[test]
    fn members_are_closed_under_products() {
        for group in examples() {
            for subgroup in all(&group) {
                let has = |a: usize| subgroup.members.binary_search(&a).is_ok();
                assert!(has(group.identity()) && subgroup.generators.iter().all(|a| has(*a)));
                assert_eq!(group.order() % subgroup.order(), 0);
                assert!(subgroup.members.iter().all(|a| has(group.inverse(*a))));
                let pairs =
                    subgroup.members.iter().flat_map(|a| subgroup.members.iter().map(move |b| (a, b)));
                assert!(pairs.into_iter().all(|(a, b)| has(group.multiply(*a, *b))));
            }
        }
    }

    #[test]
    fn functions_of_the_coset_have_variance_fraction_one() {
        let group = Group::symmetric(4);
        let mut draw = splitmix64_numbers(1);
        let f: Vec<f64> = (0..24).map(|_| draw()).collect();
        for subgroup in all(&group) {
            let members = &subgroup.members;
            let share = |f: &[f64], side| coset_variance_fraction(&group, f, members, side);
            // Means over the left cosets.
            let of_left: Vec<f64> =
                (0..24).map(|a| members.iter().map(|h| f[group.multiply(a, *h)]).sum::<f64>()).collect();
            if subgroup.order() < 24 {
                assert!((share(&of_left, CosetSide::Left) - 1.0).abs() < 1e-12);
                let same = (share(&of_left, CosetSide::Right) - 1.0).abs() < 1e-12;
                assert_eq!(same, subgroup.is_normal(), "{}", subgroup.name);
            }
            let (left, right) = (share(&f, CosetSide::Left), share(&f, CosetSide::Right));
            assert!((0.0..1.0 + 1e-12).contains(&left) && (0.0..1.0 + 1e-12).contains(&right));
            assert_eq!((left - right).abs() < 1e-12, subgroup.is_normal(), "{}", subgroup.name);
            assert_eq!(share(&[0.1; 24], CosetSide::Left), 0.0);
        }
        // The sign is a function of the coset of A₄, and of no coset of ⟨(1 2)⟩.
        let sign: Vec<f64> =
            (0..24).map(|a| if all(&group)[9].members.contains(&a) { 1.0 } else { -1.0 }).collect();
        let shares: Vec<(usize, f64)> = all(&group)
            .iter()
            .map(|s| (s.order(), coset_variance_fraction(&group, &sign, &s.members, CosetSide::Right)))
            .collect();
        assert_eq!(shares[9], (12, 1.0));
        assert!(shares.iter().all(|(_, share)| [0.0, 1.0].contains(share)), "{shares:?}");
    }
}
