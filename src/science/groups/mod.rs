//! Finite groups and their irreducible real representations, computed from the table of the group.
//!
//! | module | what it gives |
//! |---|---|
//! | [`cayley`] | a group from a pasted table, or what is wrong with it |
//! | [`named`] | cyclic, dihedral, symmetric, alternating and quaternion groups, and products |
//! | [`characters`] | the complex characters, from the algebra of the classes |
//! | [`irreps`] | the irreducible real representations, with their functions and matrices |
//! | [`subgroups`] | subgroups up to conjugacy, and shares of variance between their cosets |
//! | [`theory`] | networks of maximum margin |
//!
//! Sources: J.-P. Serre 1977, *Linear Representations of Finite Groups* (sections 1 and 2, and 13.2 for real
//! representations); I. M. Isaacs 1976, *Character Theory of Finite Groups*.
//!
//! ```
//! use vivarium_science::groups::Group;
//! let group = Group::symmetric(3);
//! let (swap, rotation) = (2, 3);
//! assert_eq!((group.element_name(swap), group.element_name(rotation)), ("(1 2)", "(1 2 3)"));
//! assert_eq!(group.element_name(group.multiply(swap, rotation)), "(2 3)"); // first the rotation, then the swap
//! ```
use vivarium_core::sorting;

pub mod cayley;
pub mod characters;
pub mod irreps;
mod matrices;
pub mod named;
pub mod subgroups;
pub mod theory;

pub use cayley::GroupTableError;
pub use characters::CharacterTable;
pub use irreps::{Irrep, IrrepType, Irreps};
pub use subgroups::{CosetSide, Subgroup, coset_variance_fraction};

/// A finite group, given by its multiplication table. Its elements are the numbers 0 to order − 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Number of elements of the group.
    order: usize,
    /// The product a·b at `a * order + b`, `[order, order]`.
    table: Vec<u32>,
    /// Printable name of each element, `[order]`.
    names: Vec<String>,
    /// The identity element e, as a number from 0 to order − 1.
    identity: usize,
    /// The inverse a⁻¹ of each element a, `[order]`.
    inverses: Vec<usize>,
    /// The conjugacy classes, each the list of its elements; sorted as [`Group::classes`] states.
    classes: Vec<Vec<usize>>,
    /// Index in `classes` of the conjugacy class of each element, `[order]`.
    class_of: Vec<usize>,
    /// Whether the group was built as cyclic or from permutations.
    family: GroupFamily,
}

/// How a group was constructed: as Z_n, from permutations, or from its multiplication table alone.
#[derive(Debug, Clone, PartialEq, Eq)]
enum GroupFamily {
    /// Only the multiplication table.
    General,
    /// Z_n under addition, where element a is the number a.
    Cyclic,
    /// Permutations in one-line notation, counted from 0, `[order][points]`.
    Permutations(Vec<Vec<u8>>),
}

impl Group {
    /// Builds a group from its multiplication table `[order, order]`, which must satisfy the group axioms. Finds the
    /// identity, the inverses and the conjugacy classes.
    fn build(table: Vec<u32>, names: Vec<String>, family: GroupFamily) -> Group {
        let order = names.len();
        assert_eq!(table.len(), order * order, "a table has a row and a column for each element");
        let at = |a: usize, b: usize| table[a * order + b] as usize;
        // The only idempotent of a group.
        let identity = (0..order).find(|a| at(*a, *a) == *a).unwrap_or(0);
        let inverse = |a: usize| (0..order).find(|b| at(a, *b) == identity).unwrap_or(a);
        let inverses = (0..order).map(inverse).collect();
        let mut group = Group {
            order,
            table,
            names,
            identity,
            inverses,
            classes: vec![],
            class_of: vec![usize::MAX; order],
            family,
        };
        group.find_classes();
        group
    }

    /// Computes the conjugacy classes {b·a·b⁻¹ : b in G} and sorts them as [`Group::classes`] states.
    fn find_classes(&mut self) {
        let mut seen = vec![false; self.order];
        let mut classes: Vec<Vec<usize>> = vec![];
        for a in 0..self.order {
            if seen[a] {
                continue;
            }
            let mut class = vec![];
            for by in 0..self.order {
                let b = self.multiply(self.multiply(by, a), self.inverse(by));
                if !seen[b] {
                    seen[b] = true;
                    class.push(b);
                }
            }
            class.sort_unstable();
            classes.push(class);
        }
        let identity = self.identity;
        if classes.len() == self.order {
            sorting::sort_by_key(&mut classes, |class| (class[0] != identity, class[0]));
        } else {
            sorting::sort_by_cached_key(&mut classes, |class| {
                (self.element_order(class[0]), class.len(), class[0])
            });
        }
        for (index, class) in classes.iter().enumerate() {
            class.iter().for_each(|a| self.class_of[*a] = index);
        }
        self.classes = classes;
    }

    /// Number of elements of the group.
    pub fn order(&self) -> usize {
        self.order
    }

    /// Multiplies two elements: the product a·b.
    pub fn multiply(&self, a: usize, b: usize) -> usize {
        self.table[a * self.order + b] as usize
    }

    /// The multiplication table: a·b is at `a * order + b`, `[order, order]`.
    pub fn table(&self) -> &[u32] {
        &self.table
    }

    /// The identity e: e·a = a·e = a for every a.
    pub fn identity(&self) -> usize {
        self.identity
    }

    /// The inverse a⁻¹ of element `a`, for which a·a⁻¹ = e.
    pub fn inverse(&self, a: usize) -> usize {
        self.inverses[a]
    }

    /// The order of element `a`: the smallest m ≥ 1 with aᵐ = e.
    pub fn element_order(&self, a: usize) -> usize {
        let mut power = a;
        let mut m = 1;
        while power != self.identity {
            power = self.multiply(power, a);
            m += 1;
        }
        m
    }

    /// Printable name of element `a`, such as `3`, `r²s`, `(1 2 3)` or `−i`.
    pub fn element_name(&self, a: usize) -> &str {
        &self.names[a]
    }

    /// Whether the group is commutative: a·b = b·a for all elements a and b.
    pub fn is_abelian(&self) -> bool {
        self.classes.len() == self.order
    }

    /// Whether [`Group::cyclic`] built this group, so that element a is the number a of Z_n.
    pub fn is_standard_cyclic(&self) -> bool {
        self.family == GroupFamily::Cyclic
    }

    /// Element `a` as a permutation in one-line notation, counted from 0. `None` if the group was not built from
    /// permutations.
    pub fn permutation(&self, a: usize) -> Option<&[u8]> {
        match &self.family {
            GroupFamily::Permutations(all) => Some(&all[a]),
            _ => None,
        }
    }

    /// The conjugacy classes, each as a sorted list of elements. The class of the identity is first. In abelian
    /// groups the others are sorted by element; in other groups by the order of their elements, then by size, then by
    /// their smallest element.
    pub fn classes(&self) -> &[Vec<usize>] {
        &self.classes
    }

    /// Index in [`Group::classes`] of the conjugacy class of element `a`.
    pub fn class_of(&self, a: usize) -> usize {
        self.class_of[a]
    }

    /// The representative of a conjugacy class. In groups of permutations it is the permutation whose cycles list the
    /// points in increasing order, such as `(1 2)(3 4)`, if the class contains it. Otherwise it is the smallest
    /// element of the class.
    pub fn class_representative(&self, class: usize) -> usize {
        let members = &self.classes[class];
        let typical = self.permutation(members[0]).map(named::canonical_permutation);
        let found =
            typical.and_then(|wanted| members.iter().find(|a| self.permutation(**a) == Some(&wanted)));
        *found.unwrap_or(&members[0])
    }

    /// Printable name of a conjugacy class: the name of its [`Group::class_representative`].
    pub fn class_name(&self, class: usize) -> String {
        self.names[self.class_representative(class)].clone()
    }
}

/// A generator of numbers in [−1, 1), determined by `seed` (SplitMix64: Steele, Lea and Flood 2014, "Fast splittable
/// pseudorandom number generators").
///
/// # Why
/// The numbers serve as weights without structure; almost any others give the same results. They belong to no run, so
/// they do not come from [`vivarium_core::rng`].
fn splitmix64_numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_their_sizes_and_names() {
        let group = Group::symmetric(5);
        let found: Vec<(String, usize)> =
            group.classes().iter().enumerate().map(|(i, c)| (group.class_name(i), c.len())).collect();
        let expected = [
            ("e", 1),
            ("(1 2)", 10),
            ("(1 2)(3 4)", 15),
            ("(1 2 3)", 20),
            ("(1 2 3 4)", 30),
            ("(1 2 3 4 5)", 24),
            ("(1 2 3)(4 5)", 20),
        ];
        assert_eq!(found, expected.map(|(name, size)| (name.to_string(), size)));
        let group = Group::alternating(5);
        let sizes: Vec<usize> = group.classes().iter().map(Vec::len).collect();
        assert_eq!(sizes, [1, 15, 20, 12, 12]);
        assert_eq!(group.class_name(3), "(1 2 3 4 5)");
        assert_eq!(group.class_name(4), "(1 2 3 5 4)", "the other class has no such element");
        let group = Group::dihedral(4);
        let names: Vec<String> = (0..group.classes().len()).map(|c| group.class_name(c)).collect();
        assert_eq!(names, ["e", "r²", "s", "rs", "r"]);
        let group = Group::cyclic(4);
        assert_eq!(group.classes(), [[0], [1], [2], [3]]);
    }

    #[test]
    fn classes_are_closed_under_conjugation() {
        for group in named::tests::examples() {
            assert_eq!(group.classes()[0], [group.identity()]);
            assert_eq!(group.classes().iter().map(Vec::len).sum::<usize>(), group.order());
            for a in 0..group.order() {
                assert!(group.classes()[group.class_of(a)].contains(&a));
                for b in 0..group.order() {
                    let conjugate = group.multiply(group.multiply(b, a), group.inverse(b));
                    assert_eq!(group.class_of(conjugate), group.class_of(a));
                }
            }
            let commutes =
                |a: usize| (0..group.order()).all(|b| group.multiply(a, b) == group.multiply(b, a));
            assert_eq!(group.is_abelian(), (0..group.order()).all(commutes));
        }
    }
}
