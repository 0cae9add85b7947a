//! Which neurons are constant on the cosets of a subgroup: the other reading of networks on groups, in which a neuron
//! tells cosets apart rather than being one irrep (Stander, Yu, Fan and Biderman 2023).
//!
//! # Why
//! If u is constant on left cosets xH and v on right cosets Hy, then a ∈ xH and b ∈ Hy say that ab ∈ xHy, one coset of
//! a conjugate of H: so left cosets are those of u, and right ones those of v.

use crate::analysis::Bars;
use vivarium_core::sorting;
use vivarium_science::groups::Group;
use vivarium_science::groups::subgroups::{CosetSide, Subgroup, coset_variance_fraction};

/// Share of the variance from which on a neuron counts as constant on cosets.
pub const EXPLAINED: f64 = 0.95;

/// The subgroups of a group, by classes of conjugate ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Cosets {
    group: Group,
    side: CosetSide,
    /// By order, rising.
    classes: Vec<Class>,
}

/// One class of conjugate subgroups.
#[derive(Debug, Clone, PartialEq)]
struct Class {
    name: String,
    /// The members of each.
    subgroups: Vec<Vec<usize>>,
}

impl Cosets {
    /// The cosets of all subgroups of a group that is small enough for [`Subgroup::enumerate`].
    pub fn new(group: &Group, side: CosetSide) -> Option<Self> {
        let all = Subgroup::enumerate(group)?;
        let orders: Vec<usize> = all.iter().map(Subgroup::order).collect();
        let class = |(at, subgroup): (usize, &Subgroup)| Class {
            name: short_name(&orders, at),
            subgroups: conjugates(group, &subgroup.members),
        };
        let classes = all.iter().enumerate().map(class).collect();
        Some(Cosets { group: group.clone(), side, classes })
    }

    /// The class with the largest subgroups, as its place in [`Subgroup::enumerate`], of which one explains [`EXPLAINED`] of a
    /// function `[order]`; of equally large ones the last. The trivial subgroup explains all, but nothing a constant.
    pub fn read(&self, f: &[f64]) -> Option<usize> {
        let explains =
            |members: &Vec<usize>| coset_variance_fraction(&self.group, f, members, self.side) >= EXPLAINED;
        self.classes.iter().rposition(|class| class.subgroups.iter().any(explains))
    }

    /// Neurons per class among these, each counted once, from one of their parts, `[order, width]`. For each neuron all
    /// subgroups are gone through, 156 of 120 elements for S₅: of a wide network, give some at a time and add up.
    pub fn count(&self, array: &[f32], width: usize, neurons: &[usize]) -> Vec<usize> {
        let mut counts = vec![0; self.classes.len()];
        for neuron in neurons {
            let column = array.iter().skip(*neuron).step_by(width.max(1));
            let f: Vec<f64> = column.map(|weight| f64::from(*weight)).collect();
            if let Some(class) = (f.len() == self.group.order()).then(|| self.read(&f)).flatten() {
                counts[class] += 1;
            }
        }
        counts
    }

    /// The counts as bars. Classes are called by the order of their subgroups, with a letter where several have it;
    /// those of order 1 read no cosets.
    pub fn bars(&self, counts: &[usize]) -> Bars {
        let bars = self.classes.iter().zip(counts);
        Bars {
            title: tr!("Neurons that are constant on cosets").into(),
            x_label: tr!("order of the largest subgroup for which u is constant on the cosets").into(),
            y_label: tr!("live neurons").into(),
            bars: bars.map(|(class, count)| (class.name.clone(), *count as f32)).collect(),
            ..Default::default()
        }
    }
}

/// The order of a subgroup, with a letter where several have it.
fn short_name(orders: &[usize], at: usize) -> String {
    let same = |range: &[usize]| range.iter().filter(|order| **order == orders[at]).count();
    let letter = (b'a' + same(&orders[..at]).min(25) as u8) as char;
    if same(orders) == 1 { orders[at].to_string() } else { format!("{}{letter}", orders[at]) }
}

/// All a·H·a⁻¹, each sorted and once.
fn conjugates(group: &Group, members: &[usize]) -> Vec<Vec<usize>> {
    let by = |a: usize| {
        let moved = members.iter().map(|h| group.multiply(group.multiply(a, *h), group.inverse(a)));
        let mut moved: Vec<usize> = moved.collect();
        moved.sort_unstable();
        moved
    };
    let mut all: Vec<Vec<usize>> = (0..group.order()).map(by).collect();
    sorting::sort_by(&mut all, Vec::cmp);
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A function on the permutations of three letters that is constant on cosets, first elements first.
    fn on_cosets(group: &Group, members: &[usize], values: [f64; 3], side: CosetSide) -> Vec<f64> {
        let mut f = vec![f64::NAN; group.order()];
        let mut values = values.into_iter();
        for g in 0..group.order() {
            if f[g].is_nan() {
                let value = values.next().unwrap();
                for h in members {
                    f[if side == CosetSide::Left { group.multiply(g, *h) } else { group.multiply(*h, g) }] =
                        value;
                }
            }
        }
        f
    }

    #[test]
    fn a_neuron_counts_for_the_largest_subgroup_that_explains_it() {
        let group = Group::symmetric(3);
        let [left, right] =
            [CosetSide::Left, CosetSide::Right].map(|side| Cosets::new(&group, side).unwrap());
        let names: Vec<&str> = left.classes.iter().map(|class| class.name.as_str()).collect();
        assert_eq!(names, ["1", "2", "3", "6"]);
        assert_eq!(left.classes[1].subgroups.len(), 3);
        let sign = on_cosets(&group, &left.classes[2].subgroups[0], [1.0, -1.0, 0.0], CosetSide::Left);
        for swap in &left.classes[1].subgroups {
            let [own, other] = [CosetSide::Left, CosetSide::Right]
                .map(|side| on_cosets(&group, swap, [3.0, -1.0, 0.5], side));
            assert_eq!([left.read(&own), left.read(&other)], [Some(1), Some(0)]);
            assert_eq!([right.read(&own), right.read(&other)], [Some(0), Some(1)]);
        }
        let swap = on_cosets(&group, &left.classes[1].subgroups[2], [3.0, -1.0, 0.5], CosetSide::Left);
        assert_eq!((left.read(&sign), left.read(&[0.25; 6])), (Some(2), None));
        // A little of something else is let pass, a lot is not; a mean in common explains nothing.
        let mixed =
            |part: f64| sign.iter().zip(&swap).map(|(a, b)| 50.0 + a + part * b).collect::<Vec<f64>>();
        assert_eq!((left.read(&mixed(0.1)), left.read(&mixed(1.0))), (Some(2), Some(0)));
        let array: Vec<f32> =
            (0..6).flat_map(|a| [sign[a], swap[a], mixed(0.1)[a]].map(|v| v as f32)).collect();
        let counts = left.count(&array, 3, &[0, 1, 2]);
        assert_eq!(counts, [0, 1, 2, 0]);
        assert_eq!(left.count(&array, 3, &[1]), [0, 1, 0, 0]);
        assert_eq!(left.count(&array[..15], 3, &[0, 1, 2]), [0; 4]);
        assert_eq!(left.bars(&counts).bars[2], ("3".to_string(), 2.0));
    }

    #[test]
    fn classes_of_one_order_have_letters() {
        let cosets = Cosets::new(&Group::symmetric(4), CosetSide::Left).unwrap();
        let names: Vec<&str> = cosets.classes.iter().map(|class| class.name.as_str()).collect();
        assert_eq!(names, ["1", "2a", "2b", "3", "4a", "4b", "4c", "6", "8", "12", "24"]);
        assert!(Cosets::new(&Group::cyclic(200), CosetSide::Left).is_none());
    }
}
