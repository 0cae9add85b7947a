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
//! let (swap, turn) = (2, 3);
//! assert_eq!((group.element(swap), group.element(turn)), ("(1 2)", "(1 2 3)"));
//! assert_eq!(group.element(group.times(swap, turn)), "(2 3)"); // first the turn, then the swap
//! ```
use vivarium_core::sorting;

pub mod cayley;
pub mod characters;
pub mod irreps;
mod matrices;
pub mod named;
pub mod subgroups;
pub mod theory;

pub use cayley::TableError;
pub use characters::Characters;
pub use irreps::{Irrep, Irreps, Kind};
pub use subgroups::{Side, Subgroup, coset_share};

/// A finite group, given by its table. Elements are the numbers 0 to order − 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    order: usize,
    /// a·b at `a * order + b`, `[order, order]`.
    table: Vec<u32>,
    names: Vec<String>,
    identity: usize,
    inverses: Vec<usize>,
    classes: Vec<Vec<usize>>,
    class_of: Vec<usize>,
    family: Family,
}

/// What is known of a group besides its table.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Family {
    /// Nothing.
    Any,
    /// Z_n under addition, element a being the number a.
    Cyclic,
    /// Each element as a permutation in one-line notation, counted from 0.
    Permutations(Vec<Vec<u8>>),
}

impl Group {
    /// The group with this table, which must be that of a group.
    fn build(table: Vec<u32>, names: Vec<String>, family: Family) -> Group {
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

    fn find_classes(&mut self) {
        let mut seen = vec![false; self.order];
        let mut classes: Vec<Vec<usize>> = vec![];
        for a in 0..self.order {
            if seen[a] {
                continue;
            }
            let mut class = vec![];
            for by in 0..self.order {
                let b = self.times(self.times(by, a), self.inverse(by));
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

    /// Number of elements.
    pub fn order(&self) -> usize {
        self.order
    }

    /// The product a·b.
    pub fn times(&self, a: usize, b: usize) -> usize {
        self.table[a * self.order + b] as usize
    }

    /// All products, a·b at `a * order + b`, `[order, order]`.
    pub fn table(&self) -> &[u32] {
        &self.table
    }

    /// The element e with e·a = a·e = a.
    pub fn identity(&self) -> usize {
        self.identity
    }

    /// The element a⁻¹ with a·a⁻¹ = e.
    pub fn inverse(&self, a: usize) -> usize {
        self.inverses[a]
    }

    /// Smallest m ≥ 1 with aᵐ = e.
    pub fn element_order(&self, a: usize) -> usize {
        let mut power = a;
        let mut m = 1;
        while power != self.identity {
            power = self.times(power, a);
            m += 1;
        }
        m
    }

    /// Printable name of an element: `3`, `r²s`, `(1 2 3)`, `−i`.
    pub fn element(&self, a: usize) -> &str {
        &self.names[a]
    }

    /// Whether a·b = b·a for all elements.
    pub fn is_abelian(&self) -> bool {
        self.classes.len() == self.order
    }

    /// Whether this is Z_n as [`Group::cyclic`] makes it, element a being the number a.
    pub fn is_cyclic_by_number(&self) -> bool {
        self.family == Family::Cyclic
    }

    /// The element as a permutation in one-line notation counted from 0, where the group is one of those.
    pub fn permutation(&self, a: usize) -> Option<&[u8]> {
        match &self.family {
            Family::Permutations(all) => Some(&all[a]),
            _ => None,
        }
    }

    /// The conjugacy classes, each sorted. That of the identity is first; in abelian groups the others follow by
    /// number, else by the order of their elements, then by size, then by their smallest element.
    pub fn classes(&self) -> &[Vec<usize>] {
        &self.classes
    }

    /// Index in [`Group::classes`] of the class of an element.
    pub fn class_of(&self, a: usize) -> usize {
        self.class_of[a]
    }

    /// The element that stands for a class: its smallest one, but of permutations the one that has the points in
    /// their order, `(1 2)(3 4)`, where the class has it.
    pub fn representative(&self, class: usize) -> usize {
        let members = &self.classes[class];
        let typical = self.permutation(members[0]).map(named::typical);
        let found =
            typical.and_then(|wanted| members.iter().find(|a| self.permutation(**a) == Some(&wanted)));
        *found.unwrap_or(&members[0])
    }

    /// Name of a class, which is that of its [`Group::representative`].
    pub fn class_name(&self, class: usize) -> String {
        self.names[self.representative(class)].clone()
    }
}

/// Numbers in [−1, 1) without a pattern, the same for the same seed (SplitMix64: Steele, Lea and Flood 2014,
/// "Fast splittable pseudorandom number generators").
///
/// # Why
/// Not from [`vivarium_core::rng`]: these numbers are no part of a run. Almost any others give the same results.
fn generic(seed: u64) -> impl FnMut() -> f64 {
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
                    let conjugate = group.times(group.times(b, a), group.inverse(b));
                    assert_eq!(group.class_of(conjugate), group.class_of(a));
                }
            }
            let commutes = |a: usize| (0..group.order()).all(|b| group.times(a, b) == group.times(b, a));
            assert_eq!(group.is_abelian(), (0..group.order()).all(commutes));
        }
    }
}
