//! Products in a group or table: the label of a pair (a, b) of elements is the element a∘b.
//!
//! With the table of a group these are the tasks of Edelman 2024, chapter 7 (Morwani et al. 2023): addition modulo
//! n and any finite group, where all pairs are the data. Trained on a part of the pairs only, they are those of
//! grokking (Power et al. 2022; Nanda et al. 2023), where a network first memorises its pairs and understands the
//! others much later. The tables that are no group's are controls: nothing that holds for groups is true of them.
//!
//! An example's row holds the numbers of a and b, and its label is the number of a∘b.
//!
//! ```
//! use vivarium_model::tasks::{Batch, Groups, Sampler};
//! let task = Groups { n: 7, ..Default::default() };
//! let mut batch = Batch::default();
//! task.sample(0, 0, 0, 49, &mut batch);
//! assert!((0..49).all(|e| (batch.x[2 * e] + batch.x[2 * e + 1]) % 7.0 == batch.y[e]));
//! ```

pub mod charts;
mod measures;
mod view;

use super::{
    Batch, Examples, MeasureInfo, MeasureNames, Sampler, SettingDefaults, TaskConfig, TaskData, pytorch,
};
use crate::chart::Chart;
pub use view::NeuronView;
use vivarium_core::bounds::{self, MAX_GROUP_ORDER};
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch, subset_mask, table_literal};
use vivarium_core::rng::{Purpose, RandomStream};
use vivarium_core::settings::{InvalidSetting, Range};
use vivarium_core::sources::{EDELMAN_2024_GROUPS, MORWANI_2023, NANDA_2023, POWER_2022};
use vivarium_core::{choices, settings};
use vivarium_science::groups::{Group, theory};

choices! {
    /// Definition of the product a∘b.
    pub enum GroupOperation {
        /// Addition modulo n, the cyclic group Z_n.
        Add = "add", "(a + b) mod n";
        /// Subtraction modulo n.
        Subtract = "sub", "(a − b) mod n";
        /// Multiplication modulo n, with 0 among the elements: no group.
        Multiply = "mul", "(a · b) mod n";
        /// A quadratic form modulo n: no group.
        Quadratic = "quad", "(a² + ab + b²) mod n";
        /// Random entries, without any structure.
        Random = "random", "A random table";
        /// Rotations and reflections of an n-gon.
        Dihedral = "dihedral", "Dihedral group D_n";
        /// All permutations of some letters.
        Symmetric = "symmetric", "Symmetric group S_k";
        /// All even permutations of some letters.
        Alternating = "alternating", "Alternating group A_k";
        /// ±1, ±i, ±j, ±k.
        Quaternion = "quaternion", "Quaternion group Q_8";
        /// Cyclic groups side by side.
        Product = "product", "Product of cyclic groups";
        /// A Cayley table that the user enters.
        Table = "table", "Your own Cayley table";
    }
}

settings! {
    /// Learning products: the label of a pair of elements is their product.
    pub struct Groups {
        /// How the label of a pair of elements a and b is computed.
        operation: GroupOperation = GroupOperation::Add, "op", "Operation", Range::Choice(GroupOperation::OPTIONS);
        /// Modulus n, or number of corners of the polygon. Theorem 7.7 of the thesis is about primes above 2; for other n the margin is ours.
        n: usize = 23, "n", "Order n", Range::Int(2, 128), only when "op" = "add" | "sub" | "mul" | "quad" | "random" | "dihedral";
        /// Number of letters that are permuted; 5 letters have 120 permutations, and 60 of these are even.
        letters: usize = 3, "letters", "Letters k", Range::Int(2, 5), only when "op" = "symmetric" | "alternating";
        /// Orders of the cyclic groups in the product.
        factors: Vec<usize> = vec![2, 2, 2], "factors", "Factors", Range::Sizes(2, 128, 6), only when "op" = "product";
        /// The products row by row, as numbers or names; rows and columns must have the elements in the same order.
        table: Vec<usize> = vec![0, 1, 2, 3, 1, 0, 3, 2, 2, 3, 0, 1, 3, 2, 1, 0], "table", "Cayley table", Range::Table(MAX_TABLE_ROWS), only when "op" = "table";
        /// Share of all pairs that are training examples; all other pairs are held out. With 1, no pair is held out.
        fraction: f64 = 1.0, "frac", "Training fraction", Range::Real(0.01, 1.0);
    }
}

/// Largest number of rows of a multiplication table that the user enters: its 24 · 24 = 576 numbers still fit in a
/// link.
const MAX_TABLE_ROWS: usize = 24;

/// Error if a result needs the irreducible representations of the group given by a user's table, which are not known in
/// closed form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownIrreps;

impl Groups {
    /// Slug, name, summary and sources of this task.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "groups",
        name: "Modular addition and finite groups",
        about: "The label of a pair of elements is the sum, the difference or the product of the two elements. During training, each neuron specialises in one frequency or one representation.",
        sources: &[EDELMAN_2024_GROUPS, MORWANI_2023, NANDA_2023, POWER_2022],
    };

    /// Number of elements according to the settings, saturating; for a direct product in invalid settings it may be far
    /// above [`MAX_GROUP_ORDER`].
    pub fn element_count(&self) -> u64 {
        let permutations = bounds::saturating_product(2..=self.letters);
        match self.operation {
            GroupOperation::Dihedral => bounds::saturating_product([2, self.n]),
            GroupOperation::Symmetric => permutations,
            GroupOperation::Alternating => permutations / 2,
            GroupOperation::Quaternion => 8,
            GroupOperation::Product => bounds::saturating_product(self.factors.iter().copied()),
            GroupOperation::Table => self.table.len().isqrt() as u64,
            _ => self.n as u64,
        }
    }

    /// Number of elements, at most 2¹⁵ − 1 (which only invalid settings exceed), so that its square fits into 32 bits.
    pub fn order(&self) -> usize {
        self.element_count().min((1 << 15) - 1) as usize
    }

    /// Key of the [group](Self::group): (kind of group, its sizes or the user's table). Tasks with equal keys have
    /// equal groups.
    pub fn group_key(&self) -> (&'static str, Vec<usize>) {
        let sizes = match self.operation {
            GroupOperation::Symmetric | GroupOperation::Alternating => vec![self.letters],
            GroupOperation::Quaternion => vec![],
            GroupOperation::Product => self.factors.clone(),
            GroupOperation::Table => self.table.clone(),
            _ => vec![self.n],
        };
        let name = match self.operation {
            GroupOperation::Dihedral
            | GroupOperation::Symmetric
            | GroupOperation::Alternating
            | GroupOperation::Quaternion
            | GroupOperation::Product
            | GroupOperation::Table => self.operation.slug(),
            _ => GroupOperation::Add.slug(),
        };
        (name, sizes)
    }

    /// Rough number of [operations](bounds::construction_operations) for constructing a maximum-margin network on the
    /// group.
    pub fn construction_operations(&self) -> u64 {
        let order = self.element_count();
        let irreps = match self.operation {
            GroupOperation::Dihedral => self.n as u64 / 2 + 3,
            // Partitions of up to 5 letters.
            GroupOperation::Symmetric | GroupOperation::Alternating => 7,
            GroupOperation::Quaternion => 5,
            // A character and its conjugate are one; it is its own where it is of order 1 or 2.
            GroupOperation::Product => {
                let even = self.factors.iter().filter(|n| n.is_multiple_of(2)).map(|_| 2u64);
                order.saturating_add(bounds::saturating_product(even)) / 2
            }
            GroupOperation::Table => order,
            _ => self.n as u64 / 2 + 1,
        };
        bounds::construction_operations(order, irreps)
    }

    /// Number of neurons of a constructed maximum-margin network on the group, a sum over its nontrivial irreducible
    /// real representations: 2 D³ for each of real type and dimension D, 8 for one of complex type and dimension 2, 32
    /// for that of the quaternions. None for a group of one element.
    ///
    /// # Why
    /// Every link is checked against it, and a sweep has hundreds of runs, while building the network takes up to a
    /// tenth of a second. All irreps are used (Edelman 2024, theorem 7.9 and our extension), but for the one of
    /// dimension 5 of five letters' even permutations; a test builds all of them.
    ///
    /// # Errors
    /// For a user's table, whose representations are not known in advance.
    pub fn max_margin_neurons(&self) -> Result<Option<u64>, UnknownIrreps> {
        // Elements that are their own inverse have a real character each, all others a rotation shared with their
        // inverse.
        let abelian = |order: u64, selves: u64| {
            order.saturating_sub(selves).saturating_mul(4).saturating_add(2 * (selves - 1))
        };
        let parity = |n: usize| 1 + u64::from(n.is_multiple_of(2));
        Ok(Some(match (self.operation, self.letters) {
            (GroupOperation::Table, _) => return Err(UnknownIrreps),
            (GroupOperation::Alternating, 2) => return Ok(None),
            (GroupOperation::Dihedral, _) if self.n.is_multiple_of(2) => {
                (8 * self.n as u64).saturating_sub(10)
            }
            (GroupOperation::Dihedral, _) => 8 * self.n as u64 - 6,
            (GroupOperation::Quaternion, _) => 3 * 2 + 32,
            (GroupOperation::Symmetric, 2) => 2,
            (GroupOperation::Symmetric, 3) => 2 + 16,
            (GroupOperation::Symmetric, 4) => 2 + 16 + 2 * 54,
            (GroupOperation::Symmetric, _) => 2 + 2 * 128 + 2 * 250 + 432,
            (GroupOperation::Alternating, 3) => 8,
            (GroupOperation::Alternating, 4) => 8 + 54,
            (GroupOperation::Alternating, _) => 2 * 54 + 128,
            (GroupOperation::Product, _) => abelian(
                self.element_count(),
                bounds::saturating_product(self.factors.iter().map(|n| parity(*n))),
            ),
            _ => abelian(self.n as u64, parity(self.n)),
        }))
    }

    /// Maximum margin γ* of networks with quadratic activation on all pairs, for weights with Σ‖ω‖³ ≤ 1 (Edelman 2024,
    /// theorems 7.7 and 7.9, extended to composite moduli and to representations of complex and quaternionic type);
    /// None if the group's representations are not known in closed form or violate the theorem's condition. A test
    /// compares γ* with the value computed from the group's characters.
    pub fn max_margin(&self) -> Option<f64> {
        use theory::closed_form_margin;
        // Dimension and type of the nontrivial representations, and how many these are.
        let abelian = |order: u64, selves: u64| {
            closed_form_margin(order, &[(1, 1, selves - 1), (2, 2, order.saturating_sub(selves) / 2)])
        };
        let parity = |n: usize| 1 + u64::from(n.is_multiple_of(2));
        Some(match (self.operation, self.letters) {
            (GroupOperation::Add | GroupOperation::Subtract, _) => abelian(self.n as u64, parity(self.n)),
            (GroupOperation::Product, _) => abelian(
                self.element_count(),
                bounds::saturating_product(self.factors.iter().map(|n| parity(*n))),
            ),
            (GroupOperation::Dihedral, _) => {
                let (n, signs) = (self.n as u64, parity(self.n));
                closed_form_margin(2 * n, &[(1, 1, 2 * signs - 1), (2, 1, (n - signs) / 2)])
            }
            (GroupOperation::Quaternion, _) => closed_form_margin(8, &[(1, 1, 3), (4, 4, 1)]),
            (GroupOperation::Symmetric, 2) => abelian(2, 2),
            (GroupOperation::Symmetric, 3) => closed_form_margin(6, &[(1, 1, 1), (2, 1, 1)]),
            (GroupOperation::Symmetric, 4) => closed_form_margin(24, &[(1, 1, 1), (2, 1, 1), (3, 1, 2)]),
            (GroupOperation::Symmetric, 5) => {
                closed_form_margin(120, &[(1, 1, 1), (4, 1, 2), (5, 1, 2), (6, 1, 1)])
            }
            (GroupOperation::Alternating, 3) => abelian(3, 1),
            (GroupOperation::Alternating, 4) => closed_form_margin(12, &[(2, 2, 1), (3, 1, 1)]),
            // For five letters the condition fails, and a group of one element has no margin.
            _ => return None,
        })
    }

    /// Whether all pairs are training pairs, so that none is held out.
    pub fn trains_on_all_pairs(&self) -> bool {
        self.training_pair_count() == self.pair_count()
    }

    /// Group whose multiplication table is learned; for operations modulo n that form no group, the cyclic group, to
    /// whose Fourier waves the network's weights are compared. None for a user's table that is no group, and for too
    /// large groups.
    pub fn group(&self) -> Option<Group> {
        if self.element_count() > MAX_GROUP_ORDER as u64 {
            return None;
        }
        Some(match self.operation {
            GroupOperation::Dihedral => Group::dihedral(self.n),
            GroupOperation::Symmetric => Group::symmetric(self.letters),
            GroupOperation::Alternating => Group::alternating(self.letters),
            GroupOperation::Quaternion => Group::quaternion(),
            GroupOperation::Product => {
                let factors: Vec<Group> = self.factors.iter().map(|n| Group::cyclic(*n)).collect();
                Group::direct_product(&factors)
            }
            GroupOperation::Table => return Group::from_table(self.order(), &self.table).ok(),
            _ => Group::cyclic(self.n),
        })
    }

    /// Whether the theory of maximum margins applies: the learned table is the multiplication table of a group,
    /// possibly with reordered columns.
    pub fn has_theory(&self) -> bool {
        !matches!(
            self.operation,
            GroupOperation::Multiply | GroupOperation::Quadratic | GroupOperation::Random
        )
    }

    /// Whether the elements are the numbers 0 to n − 1, with an operation modulo n.
    pub fn is_modular(&self) -> bool {
        use GroupOperation::{Add, Multiply, Quadratic, Random, Subtract};
        matches!(self.operation, Add | Subtract | Multiply | Quadratic | Random)
    }

    /// Table of the products a∘b as numbers of elements, `[order, order]`, with a row for each a.
    pub fn product_table(&self, seed: u64) -> Vec<u32> {
        let n = self.n;
        let modulo = |of: fn(usize, usize, usize) -> usize| {
            (0..n * n).map(|pair| (of(pair / n, pair % n, n) % n) as u32).collect()
        };
        match self.operation {
            GroupOperation::Add => modulo(|a, b, _| a + b),
            GroupOperation::Subtract => modulo(|a, b, n| a + n - b),
            GroupOperation::Multiply => modulo(|a, b, _| a * b),
            GroupOperation::Quadratic => modulo(|a, b, _| a * a + a * b + b * b),
            GroupOperation::Random => {
                let stream = RandomStream::new(seed, Purpose::Support, 0);
                (0..(n * n) as u32).map(|pair| stream.draw_below(0, pair, n as u32)).collect()
            }
            _ => self.group().map(|group| group.table().to_vec()).unwrap_or_default(),
        }
    }

    /// Pairs (a, b) as numbers a · order + b: the training pairs, then the held-out pairs; if all pairs are training
    /// pairs, both lists contain all.
    pub fn split(&self, seed: u64) -> (Vec<u32>, Vec<u32>) {
        let all = self.pair_count() as u32;
        let trained = self.training_pair_count() as u32;
        if trained == all {
            return ((0..all).collect(), (0..all).collect());
        }
        let order = RandomStream::new(seed, Purpose::Sample, 0).epoch_order(0, all);
        (0..all).partition(|pair| order.position(*pair) < trained)
    }

    /// Number of all pairs of elements: the square of the number of elements.
    fn pair_count(&self) -> usize {
        self.order().pow(2)
    }

    /// Number of pairs of elements that are training pairs.
    fn training_pair_count(&self) -> usize {
        let all = self.pair_count();
        ((self.fraction * all as f64).round() as usize).clamp(1, all)
    }

    /// Appends the pairs (a, b) with the numbers a · order + b in `pairs` as examples; `products` is the table of
    /// [`Groups::product_table`].
    fn append_pairs(&self, pairs: &[u32], products: &[u32], out: &mut Batch) {
        let order = self.order() as u32;
        for pair in pairs {
            out.x.extend([(pair / order) as f32, (pair % order) as f32]);
            out.y.push(products[*pair as usize] as f32);
        }
    }
}

impl ToPyTorch for Groups {
    fn to_pytorch(&self, seed: u64) -> Result<ScriptPart, String> {
        let mut settings = vec![("order", self.order().to_string())];
        if !self.is_modular() || self.operation == GroupOperation::Random {
            settings.push(("table", table_literal(&self.product_table(seed), self.order())));
        }
        settings.push(("trained", subset_mask(&self.split(seed).0, self.pair_count())));
        let code =
            vec![pytorch::EXAMPLES_SCRIPT, pytorch::CLASS_LOSSES_SCRIPT, include_str!("pytorch/pairs.py")];
        Ok(ScriptPart { code, settings, ..ScriptPart::default() })
    }
}

impl TaskConfig for Groups {
    fn default_run(&self) -> SettingDefaults {
        &[
            ("model", "group-net"),
            ("opt", "adam"),
            ("lr", "0.01"),
            ("loss", "ce"),
            ("batch", "0"),
            ("steps", "600"),
            ("halt", "steps"),
            ("every", "5"),
        ]
    }

    fn default_view(&self) -> SettingDefaults {
        &[("show", "accuracy.margin.neurons.purity")]
    }

    fn theory_operations(&self) -> u64 {
        self.construction_operations()
    }

    fn smaller_network_hint(&self) -> &'static str {
        tr!("a smaller network, so that the network and all pairs of elements fit into a browser's memory")
    }
}

impl Groups {
    /// Charts that only runs of this task have.
    pub const CHARTS: &[Chart] = charts::CHARTS;

    /// Definitions of the measures of this task (loss, accuracy and further ones), in lists.
    pub const MEASURES: &[&[MeasureInfo]] = measures::MEASURES;
}

impl Examples for Groups {
    fn measure_names(&self) -> MeasureNames {
        measures::measure_names(!self.trains_on_all_pairs())
    }

    fn data(&self) -> TaskData {
        TaskData::Pairs
    }

    fn inputs(&self) -> usize {
        self.order()
    }

    fn columns(&self) -> usize {
        2
    }

    fn classes(&self) -> Option<usize> {
        Some(self.order())
    }

    fn held_out_count(&self) -> Option<usize> {
        let (all, trained) = (self.pair_count(), self.training_pair_count());
        Some(if trained == all { all } else { all - trained })
    }

    fn training_set_size(&self) -> Option<usize> {
        Some(self.training_pair_count())
    }

    fn invalid_settings(&self) -> Vec<InvalidSetting> {
        let order = self.element_count();
        let mut errors = vec![];
        if self.operation == GroupOperation::Table {
            if let Err(flaw) = Group::from_table(self.order(), &self.table) {
                errors.push(InvalidSetting::new(
                    "table",
                    tr!("this table"),
                    tr!("the table of a group; {flaw}", flaw),
                ));
            }
        } else if order > MAX_GROUP_ORDER as u64 {
            let (key, found) = match self.operation {
                GroupOperation::Product => ("factors", format!("{order} elements")),
                _ => ("n", self.n.to_string()),
            };
            let expected = match self.operation {
                GroupOperation::Dihedral => {
                    tr!("at most {most}, because D_n has 2n elements", most = MAX_GROUP_ORDER / 2)
                }
                _ => tr!("a product group with at most {most} elements", most = MAX_GROUP_ORDER),
            };
            errors.push(InvalidSetting::new(key, &found, expected));
        }
        errors
    }
}

impl Sampler for Groups {
    fn sample(&self, seed: u64, replica: u32, step: u64, size: usize, out: &mut Batch) {
        let trained = self.split(seed).0;
        let visited: Vec<u32> =
            self.batch_indices(seed, replica, step, size).into_iter().map(|at| trained[at]).collect();
        self.append_pairs(&visited, &self.product_table(seed), out);
    }

    fn append_held_out(&self, seed: u64, from: usize, size: usize, out: &mut Batch) {
        let held_out = self.split(seed).1;
        let until = (from + size).min(held_out.len());
        self.append_pairs(&held_out[from.min(until)..until], &self.product_table(seed), out);
    }

    fn append_training_set(&self, seed: u64, _replica: u32, from: usize, size: usize, out: &mut Batch) {
        let trained = self.split(seed).0;
        self.append_pairs(&trained[from..from + size], &self.product_table(seed), out);
    }

    fn batch_indices(&self, seed: u64, replica: u32, step: u64, size: usize) -> Vec<usize> {
        let m = self.training_pair_count();
        if size == m {
            // The whole sample at every step: its order makes no difference.
            return (0..m).collect();
        }
        super::epoch_indices(RandomStream::new(seed, Purpose::Order, replica), m, step, size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(operation: GroupOperation, n: usize) -> Groups {
        Groups { operation, n, ..Default::default() }
    }

    #[test]
    fn orders_are_those_of_the_tables() {
        for operation in GroupOperation::ALL {
            let task = task(*operation, 5);
            let products = task.product_table(1);
            assert_eq!(products.len(), task.order().pow(2), "{operation:?}");
            assert!(products.iter().all(|c| (*c as usize) < task.order()));
            assert!(task.invalid_settings().is_empty());
        }
        assert_eq!(task(GroupOperation::Subtract, 7).product_table(0)[1], 6);
        assert_eq!(task(GroupOperation::Quadratic, 7).product_table(0)[2 * 7 + 3], (4 + 6 + 9) % 7);
        assert_ne!(
            task(GroupOperation::Random, 7).product_table(0),
            task(GroupOperation::Random, 7).product_table(1)
        );
    }

    #[test]
    fn a_fraction_parts_the_pairs_and_depends_on_the_seed() {
        let task = Groups { fraction: 0.3, ..task(GroupOperation::Add, 23) };
        let (trained, held_out) = task.split(4);
        assert_eq!((trained.len(), held_out.len()), (159, 370));
        assert_eq!((task.training_set_size(), task.held_out_count()), (Some(159), Some(370)));
        let mut all = [trained.clone(), held_out].concat();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..529));
        assert_ne!(task.split(5).0, trained);
        let whole = Groups { fraction: 1.0, ..task };
        assert_eq!(whole.split(4).0, whole.split(4).1);
    }

    #[test]
    fn a_mini_batch_visits_every_pair_once_in_an_epoch() {
        let task = task(GroupOperation::Dihedral, 3);
        let mut batch = Batch::default();
        (0..4).for_each(|step| task.sample(2, 1, step, 9, &mut batch));
        let mut pairs: Vec<usize> = batch.x.chunks(2).map(|x| (x[0] * 6.0 + x[1]) as usize).collect();
        pairs.sort_unstable();
        assert!(pairs.into_iter().eq(0..36));
    }

    #[test]
    fn a_table_that_is_no_group_is_refused_with_the_reason() {
        let own = |table: &[usize]| Groups {
            operation: GroupOperation::Table,
            table: table.to_vec(),
            ..Default::default()
        };
        assert!(own(&[0, 1, 1, 0]).invalid_settings().is_empty());
        let problem = own(&[0, 1, 1, 1]).invalid_settings().remove(0).to_string();
        assert!(problem.starts_with("table = this table: expected the table of a group; "), "{problem}");
        assert_eq!(task(GroupOperation::Dihedral, 65).invalid_settings()[0].key, "n");
        let product = Groups { factors: vec![16, 9], ..task(GroupOperation::Product, 5) };
        assert_eq!(product.invalid_settings()[0].found, "144 elements");
    }

    /// In 32 bits the first two orders are 0.
    #[test]
    fn a_product_of_any_size_is_counted_and_none_that_is_too_large_is_built() {
        for (factors, elements) in [
            (vec![128, 128, 128, 128, 16], 1u64 << 32),
            (vec![128, 128, 128, 128, 128, 128], 1 << 42),
            (vec![128, 128, 128], 1 << 21),
            (vec![32, 32], 1 << 10),
        ] {
            let product = Groups { factors, ..task(GroupOperation::Product, 5) };
            assert_eq!(product.element_count(), elements);
            assert_eq!(product.invalid_settings()[0].found, format!("{elements} elements"));
            assert!(product.order() > MAX_GROUP_ORDER && product.order().pow(2) < u32::MAX as usize / 4);
            assert!(
                product.group().is_none()
                    && product.construction_operations() > bounds::MAX_CONSTRUCTION_OPERATIONS
            );
        }
    }

    #[test]
    fn the_cost_of_a_construction_is_that_of_at_least_its_irreps() {
        let tasks = GroupOperation::ALL.iter().flat_map(|operation| (3..=5).map(|n| task(*operation, n)));
        let products = [vec![2, 4, 3], vec![3, 5], vec![2, 2], vec![6]];
        let products = products.map(|factors| Groups { factors, ..task(GroupOperation::Product, 5) });
        for task in tasks.chain(products) {
            for task in (2..=5).map(|letters| Groups { letters, ..task.clone() }) {
                let irreps =
                    vivarium_science::groups::Irreps::compute(&task.group().unwrap()).all().len() as u64;
                assert!(
                    bounds::construction_operations(task.element_count(), irreps)
                        <= task.construction_operations(),
                    "{task:?}"
                );
                assert!(task.construction_operations() <= bounds::MAX_CONSTRUCTION_OPERATIONS);
            }
        }
    }
}
