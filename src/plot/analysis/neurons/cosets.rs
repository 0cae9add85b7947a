//! Which neurons are constant on the cosets of a subgroup: the other reading of networks on groups, in which a neuron
//! tells cosets apart rather than being one irrep (Stander, Yu, Fan and Biderman 2023).
//!
//! # Why
//! If u is constant on left cosets xH and v on right cosets Hy, then a ∈ xH and b ∈ Hy say that ab ∈ xHy, one coset of
//! a conjugate of H: so left cosets are those of u, and right ones those of v.

use crate::analysis::BarChart;
use vivarium_core::sorting;
use vivarium_science::groups::Group;
use vivarium_science::groups::subgroups::{CosetSide, Subgroup, coset_variance_fraction};

/// Minimum share of the variance of a neuron's weights over the group that their means over cosets must explain, for
/// the neuron to count as constant on these cosets.
pub const MIN_EXPLAINED_VARIANCE: f64 = 0.95;

/// Classifies neurons by the largest subgroup on whose cosets they are constant.
#[derive(Debug, Clone, PartialEq)]
pub struct CosetClassifier {
    /// Group whose elements are the inputs of the network.
    group: Group,
    /// Whether left or right cosets of the subgroups are used.
    side: CosetSide,
    /// Conjugacy classes of subgroups, by ascending order of the subgroups.
    classes: Vec<SubgroupClass>,
}

/// A conjugacy class of subgroups: all conjugates of one subgroup.
#[derive(Debug, Clone, PartialEq)]
struct SubgroupClass {
    /// Name in a chart: the order of its subgroups, with a letter if several classes have the same order.
    name: String,
    /// For each subgroup of the class, the indices of its elements.
    subgroups: Vec<Vec<usize>>,
}

impl CosetClassifier {
    /// Enumerates all subgroups of the group, up to conjugation; `None` if the group is too large for
    /// [`Subgroup::enumerate`].
    pub fn new(group: &Group, side: CosetSide) -> Option<Self> {
        let all = Subgroup::enumerate(group)?;
        let orders: Vec<usize> = all.iter().map(Subgroup::order).collect();
        let class = |(at, subgroup): (usize, &Subgroup)| SubgroupClass {
            name: short_name(&orders, at),
            subgroups: conjugate_subgroups(group, &subgroup.members),
        };
        let classes = all.iter().enumerate().map(class).collect();
        Some(CosetClassifier { group: group.clone(), side, classes })
    }

    /// Index, in the order of [`Subgroup::enumerate`], of the largest subgroups on whose cosets the function `f` is
    /// constant: the last class with a subgroup whose coset means explain [`MIN_EXPLAINED_VARIANCE`] of the variance of
    /// `f`. `f` has one value per group element; `None` if it is constant on the whole group.
    pub fn find_class(&self, f: &[f64]) -> Option<usize> {
        let explains = |members: &Vec<usize>| {
            coset_variance_fraction(&self.group, f, members, self.side) >= MIN_EXPLAINED_VARIANCE
        };
        self.classes.iter().rposition(|class| class.subgroups.iter().any(explains))
    }

    /// For each class of subgroups, the number of neurons for which it is the class that
    /// [`find_class`](Self::find_class) returns, among those with the indices `neurons`; `array` holds one of the
    /// weight functions u, v and w of all neurons, `[order, width]`. Costly for large groups (all subgroups are tried
    /// per neuron), so pass a few neurons at a time and add the counts.
    pub fn count_neurons(&self, array: &[f32], width: usize, neurons: &[usize]) -> Vec<usize> {
        let mut counts = vec![0; self.classes.len()];
        for neuron in neurons {
            let column = array.iter().skip(*neuron).step_by(width.max(1));
            let f: Vec<f64> = column.map(|weight| f64::from(*weight)).collect();
            if let Some(class) = (f.len() == self.group.order()).then(|| self.find_class(&f)).flatten() {
                counts[class] += 1;
            }
        }
        counts
    }

    /// Bar chart of `counts`, one number of neurons per class of subgroups, by the order of the largest subgroups on
    /// whose cosets the neurons are constant; order 1 means that they are constant on the cosets of no larger subgroup.
    pub fn count_chart(&self, counts: &[usize]) -> BarChart {
        let bars = self.classes.iter().zip(counts);
        BarChart {
            title: tr!("Neurons that are constant on cosets").into(),
            x_label: tr!("order of the largest subgroup for which u is constant on the cosets").into(),
            y_label: tr!("live neurons").into(),
            bars: bars.map(|(class, count)| (class.name.clone(), *count as f32)).collect(),
            ..Default::default()
        }
    }
}

/// Name of the class of subgroups with index `at`: its order from `orders`, which has the order of each class, with a
/// letter if several classes have the same order.
fn short_name(orders: &[usize], at: usize) -> String {
    let same = |range: &[usize]| range.iter().filter(|order| **order == orders[at]).count();
    let letter = (b'a' + same(&orders[..at]).min(25) as u8) as char;
    if same(orders) == 1 { orders[at].to_string() } else { format!("{}{letter}", orders[at]) }
}

/// All different conjugates a·H·a⁻¹ of the subgroup H with the elements `members`, each as a sorted list of element
/// indices.
fn conjugate_subgroups(group: &Group, members: &[usize]) -> Vec<Vec<usize>> {
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
            [CosetSide::Left, CosetSide::Right].map(|side| CosetClassifier::new(&group, side).unwrap());
        let names: Vec<&str> = left.classes.iter().map(|class| class.name.as_str()).collect();
        assert_eq!(names, ["1", "2", "3", "6"]);
        assert_eq!(left.classes[1].subgroups.len(), 3);
        let sign = on_cosets(&group, &left.classes[2].subgroups[0], [1.0, -1.0, 0.0], CosetSide::Left);
        for swap in &left.classes[1].subgroups {
            let [own, other] = [CosetSide::Left, CosetSide::Right]
                .map(|side| on_cosets(&group, swap, [3.0, -1.0, 0.5], side));
            assert_eq!([left.find_class(&own), left.find_class(&other)], [Some(1), Some(0)]);
            assert_eq!([right.find_class(&own), right.find_class(&other)], [Some(0), Some(1)]);
        }
        let swap = on_cosets(&group, &left.classes[1].subgroups[2], [3.0, -1.0, 0.5], CosetSide::Left);
        assert_eq!((left.find_class(&sign), left.find_class(&[0.25; 6])), (Some(2), None));
        // A little of something else is let pass, a lot is not; a mean in common explains nothing.
        let mixed =
            |part: f64| sign.iter().zip(&swap).map(|(a, b)| 50.0 + a + part * b).collect::<Vec<f64>>();
        assert_eq!((left.find_class(&mixed(0.1)), left.find_class(&mixed(1.0))), (Some(2), Some(0)));
        let array: Vec<f32> =
            (0..6).flat_map(|a| [sign[a], swap[a], mixed(0.1)[a]].map(|v| v as f32)).collect();
        let counts = left.count_neurons(&array, 3, &[0, 1, 2]);
        assert_eq!(counts, [0, 1, 2, 0]);
        assert_eq!(left.count_neurons(&array, 3, &[1]), [0, 1, 0, 0]);
        assert_eq!(left.count_neurons(&array[..15], 3, &[0, 1, 2]), [0; 4]);
        assert_eq!(left.count_chart(&counts).bars[2], ("3".to_string(), 2.0));
    }

    #[test]
    fn classes_of_one_order_have_letters() {
        let cosets = CosetClassifier::new(&Group::symmetric(4), CosetSide::Left).unwrap();
        let names: Vec<&str> = cosets.classes.iter().map(|class| class.name.as_str()).collect();
        assert_eq!(names, ["1", "2a", "2b", "3", "4a", "4b", "4c", "6", "8", "12", "24"]);
        assert!(CosetClassifier::new(&Group::cyclic(200), CosetSide::Left).is_none());
    }
}
