//! Products in a table: the label of a pair (a, b) of elements is the element a∘b.
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

use super::{Batch, Examples, Form, MeasureInfo, Measures, Preset, Sampler, TaskConfig, pytorch};
use crate::chart::Chart;
use vivarium_core::bounds::{self, MOST_ELEMENTS};
use vivarium_core::catalog::Info;
use vivarium_core::pytorch::{Part, ToPyTorch, mask, rows};
use vivarium_core::rng::{Purpose, Stream};
use vivarium_core::settings::{Problem, Range};
use vivarium_core::sources::{EDELMAN_2024_GROUPS, MORWANI_2023, NANDA_2023, POWER_2022};
use vivarium_core::{choices, settings};
use vivarium_science::groups::{Group, theory};

choices! {
    /// What a∘b is.
    pub enum Operation {
        /// Addition modulo n, the cyclic group Z_n.
        Add = "add", "(a + b) mod n";
        /// Subtraction modulo n.
        Subtract = "sub", "(a − b) mod n";
        /// Multiplication modulo n, with 0 among the elements: no group.
        Multiply = "mul", "(a · b) mod n";
        /// A quadratic form modulo n: no group.
        Quadratic = "quad", "(a² + ab + b²) mod n";
        /// Every entry drawn by itself: nothing to be understood.
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
        /// A Cayley table of the person's own.
        Table = "table", "Your own Cayley table";
    }
}

settings! {
    /// The label of two elements is their product.
    pub struct Groups {
        /// How the product of two elements a and b is defined.
        operation: Operation = Operation::Add, "op", "Operation", Range::Choice(Operation::OPTIONS);
        /// Modulus n, or number of corners of the polygon. Theorem 7.7 of the thesis is about primes above 2; for other n the margin is ours.
        n: usize = 23, "n", "Order n", Range::Int(2, 128), only when "op" = "add" | "sub" | "mul" | "quad" | "random" | "dihedral";
        /// Number of letters that are permuted; 5 letters have 120 permutations, and 60 of these are even.
        letters: usize = 3, "letters", "Letters k", Range::Int(2, 5), only when "op" = "symmetric" | "alternating";
        /// Orders of the cyclic groups in the product.
        factors: Vec<usize> = vec![2, 2, 2], "factors", "Factors", Range::Sizes(2, 128, 6), only when "op" = "product";
        /// The products row by row, as numbers or names; rows and columns must have the elements in the same order.
        table: Vec<usize> = vec![0, 1, 2, 3, 1, 0, 3, 2, 2, 3, 0, 1, 3, 2, 1, 0], "table", "Cayley table", Range::Table(LARGEST_TABLE), only when "op" = "table";
        /// Share of all pairs that are training examples; all other pairs are held out. With 1, no pair is held out.
        fraction: f64 = 1.0, "frac", "Training fraction", Range::Real(0.01, 1.0);
    }
}

/// Most rows of a table of one's own: 576 numbers still fit a link.
const LARGEST_TABLE: usize = 24;

/// What nobody knows of a table of one's own without its irreps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownTable;

impl Groups {
    /// Name, source and summary.
    pub const INFO: Info = Info {
        slug: "groups",
        name: "Modular addition and finite groups",
        about: "The label of a pair of elements is the product of the two elements. During training, each neuron specialises in one frequency or one representation.",
        sources: &[EDELMAN_2024_GROUPS, MORWANI_2023, NANDA_2023, POWER_2022],
    };

    /// Elements, as many as the settings say: of a product that is yet to be refused, millions of millions.
    pub fn elements(&self) -> u64 {
        let permutations = bounds::product(2..=self.letters);
        match self.operation {
            Operation::Dihedral => bounds::product([2, self.n]),
            Operation::Symmetric => permutations,
            Operation::Alternating => permutations / 2,
            Operation::Quaternion => 8,
            Operation::Product => bounds::product(self.factors.iter().copied()),
            Operation::Table => self.table.len().isqrt() as u64,
            _ => self.n as u64,
        }
    }

    /// Elements of a group that is not [too large](Examples::problems); of one that is, so many that their square is a
    /// number of 32 bits all the same.
    pub fn order(&self) -> usize {
        self.elements().min((1 << 15) - 1) as usize
    }

    /// What the [group](Self::group) depends on: equal values are the same group.
    pub fn law(&self) -> (&'static str, Vec<usize>) {
        let sizes = match self.operation {
            Operation::Symmetric | Operation::Alternating => vec![self.letters],
            Operation::Quaternion => vec![],
            Operation::Product => self.factors.clone(),
            Operation::Table => self.table.clone(),
            _ => vec![self.n],
        };
        let name = match self.operation {
            Operation::Dihedral
            | Operation::Symmetric
            | Operation::Alternating
            | Operation::Quaternion
            | Operation::Product
            | Operation::Table => self.operation.slug(),
            _ => Operation::Add.slug(),
        };
        (name, sizes)
    }

    /// [Operations](bounds::construction) that a network of largest margin on the group takes.
    pub fn construction(&self) -> u64 {
        let order = self.elements();
        let irreps = match self.operation {
            Operation::Dihedral => self.n as u64 / 2 + 3,
            // Partitions of up to 5 letters.
            Operation::Symmetric | Operation::Alternating => 7,
            Operation::Quaternion => 5,
            // A character and its conjugate are one; it is its own where it is of order 1 or 2.
            Operation::Product => {
                let even = self.factors.iter().filter(|n| n.is_multiple_of(2)).map(|_| 2u64);
                order.saturating_add(bounds::product(even)) / 2
            }
            Operation::Table => order,
            _ => self.n as u64 / 2 + 1,
        };
        bounds::construction(order, irreps)
    }

    /// Neurons of a network of largest margin on the group, by its irreducible real representations: 2 D³ for each one
    /// of dimension D that cannot be more than real, 8 for a turn of the plane, 32 for the quaternions, the trivial one
    /// left out. None where there is no wrong answer.
    ///
    /// # Why
    /// Links are checked for it, and a sweep has hundreds of runs: to build the network takes up to a tenth of a second.
    /// All irreps are used (Edelman 2024, theorem 7.9 and our extension), but for the one of dimension 5 of five letters' even
    /// permutations; a test builds all of them.
    ///
    /// # Errors
    /// Of a table of one's own nobody knows the irreps before they are computed.
    pub fn neurons_of_largest(&self) -> Result<Option<u64>, UnknownTable> {
        // Elements that are their own inverse have a sign each, all others a turn with their inverse.
        let abelian = |order: u64, selves: u64| {
            order.saturating_sub(selves).saturating_mul(4).saturating_add(2 * (selves - 1))
        };
        let parity = |n: usize| 1 + u64::from(n.is_multiple_of(2));
        Ok(Some(match (self.operation, self.letters) {
            (Operation::Table, _) => return Err(UnknownTable),
            (Operation::Alternating, 2) => return Ok(None),
            (Operation::Dihedral, _) if self.n.is_multiple_of(2) => (8 * self.n as u64).saturating_sub(10),
            (Operation::Dihedral, _) => 8 * self.n as u64 - 6,
            (Operation::Quaternion, _) => 3 * 2 + 32,
            (Operation::Symmetric, 2) => 2,
            (Operation::Symmetric, 3) => 2 + 16,
            (Operation::Symmetric, 4) => 2 + 16 + 2 * 54,
            (Operation::Symmetric, _) => 2 + 2 * 128 + 2 * 250 + 432,
            (Operation::Alternating, 3) => 8,
            (Operation::Alternating, 4) => 8 + 54,
            (Operation::Alternating, _) => 2 * 54 + 128,
            (Operation::Product, _) => {
                abelian(self.elements(), bounds::product(self.factors.iter().map(|n| parity(*n))))
            }
            _ => abelian(self.n as u64, parity(self.n)),
        }))
    }

    /// The largest margin of networks of squares on all pairs under Σ‖ω‖³ (Edelman 2024, theorems 7.7 and 7.9, extended to
    /// moduli that are no primes and to representations of other than real type), where the irreducible real
    /// representations are known without computing them and fulfil the theorem's condition. A test compares it with the
    /// characters.
    pub fn largest_margin(&self) -> Option<f64> {
        use theory::closed_form_margin;
        // Dimension and type of the nontrivial representations, and how many these are.
        let abelian = |order: u64, selves: u64| {
            closed_form_margin(order, &[(1, 1, selves - 1), (2, 2, order.saturating_sub(selves) / 2)])
        };
        let parity = |n: usize| 1 + u64::from(n.is_multiple_of(2));
        Some(match (self.operation, self.letters) {
            (Operation::Add | Operation::Subtract, _) => abelian(self.n as u64, parity(self.n)),
            (Operation::Product, _) => {
                abelian(self.elements(), bounds::product(self.factors.iter().map(|n| parity(*n))))
            }
            (Operation::Dihedral, _) => {
                let (n, signs) = (self.n as u64, parity(self.n));
                closed_form_margin(2 * n, &[(1, 1, 2 * signs - 1), (2, 1, (n - signs) / 2)])
            }
            (Operation::Quaternion, _) => closed_form_margin(8, &[(1, 1, 3), (4, 4, 1)]),
            (Operation::Symmetric, 2) => abelian(2, 2),
            (Operation::Symmetric, 3) => closed_form_margin(6, &[(1, 1, 1), (2, 1, 1)]),
            (Operation::Symmetric, 4) => closed_form_margin(24, &[(1, 1, 1), (2, 1, 1), (3, 1, 2)]),
            (Operation::Symmetric, 5) => {
                closed_form_margin(120, &[(1, 1, 1), (4, 1, 2), (5, 1, 2), (6, 1, 1)])
            }
            (Operation::Alternating, 3) => abelian(3, 1),
            (Operation::Alternating, 4) => closed_form_margin(12, &[(2, 2, 1), (3, 1, 1)]),
            // For five letters the condition fails, and a group of one element has no margin.
            _ => return None,
        })
    }

    /// Whether all pairs are trained on, so that none is held out.
    pub fn takes_all_pairs(&self) -> bool {
        self.trained() == self.pairs()
    }

    /// The group whose law the table is; for a table that is none, the cyclic group whose waves it is compared
    /// with. None for a table of one's own that is no group's, and where it is [too large](Examples::problems).
    pub fn group(&self) -> Option<Group> {
        if self.elements() > MOST_ELEMENTS as u64 {
            return None;
        }
        Some(match self.operation {
            Operation::Dihedral => Group::dihedral(self.n),
            Operation::Symmetric => Group::symmetric(self.letters),
            Operation::Alternating => Group::alternating(self.letters),
            Operation::Quaternion => Group::quaternion(),
            Operation::Product => {
                let factors: Vec<Group> = self.factors.iter().map(|n| Group::cyclic(*n)).collect();
                Group::direct_product(&factors)
            }
            Operation::Table => return Group::from_table(self.order(), &self.table).ok(),
            _ => Group::cyclic(self.n),
        })
    }

    /// Whether the theory of maximum margins holds: the table is a group's, or one's with b in another order.
    pub fn has_theory(&self) -> bool {
        !matches!(self.operation, Operation::Multiply | Operation::Quadratic | Operation::Random)
    }

    /// Whether the elements are the numbers modulo n.
    pub fn is_modular(&self) -> bool {
        use Operation::{Add, Multiply, Quadratic, Random, Subtract};
        matches!(self.operation, Add | Subtract | Multiply | Quadratic | Random)
    }

    /// a∘b for every pair, row by row: `[order, order]`.
    pub fn products(&self, seed: u64) -> Vec<u32> {
        let n = self.n;
        let modulo = |of: fn(usize, usize, usize) -> usize| {
            (0..n * n).map(|pair| (of(pair / n, pair % n, n) % n) as u32).collect()
        };
        match self.operation {
            Operation::Add => modulo(|a, b, _| a + b),
            Operation::Subtract => modulo(|a, b, n| a + n - b),
            Operation::Multiply => modulo(|a, b, _| a * b),
            Operation::Quadratic => modulo(|a, b, _| a * a + a * b + b * b),
            Operation::Random => {
                let stream = Stream::new(seed, Purpose::Support, 0);
                (0..(n * n) as u32).map(|pair| stream.below(0, pair, n as u32)).collect()
            }
            _ => self.group().map(|group| group.table().to_vec()).unwrap_or_default(),
        }
    }

    /// The numbers a·order + b of the pairs that are trained on, and of those that are held out; where all are
    /// trained on, both are all.
    pub fn split(&self, seed: u64) -> (Vec<u32>, Vec<u32>) {
        let all = self.pairs() as u32;
        let trained = self.trained() as u32;
        if trained == all {
            return ((0..all).collect(), (0..all).collect());
        }
        let order = Stream::new(seed, Purpose::Sample, 0).order(0, all);
        (0..all).partition(|pair| order.place(*pair) < trained)
    }

    fn pairs(&self) -> usize {
        self.order().pow(2)
    }

    /// How many pairs are trained on.
    fn trained(&self) -> usize {
        let all = self.pairs();
        ((self.fraction * all as f64).round() as usize).clamp(1, all)
    }

    fn push(&self, pairs: &[u32], products: &[u32], out: &mut Batch) {
        let order = self.order() as u32;
        for pair in pairs {
            out.x.extend([(pair / order) as f32, (pair % order) as f32]);
            out.y.push(products[*pair as usize] as f32);
        }
    }
}

impl ToPyTorch for Groups {
    fn to_pytorch(&self, seed: u64) -> Result<Part, String> {
        let mut settings = vec![("order", self.order().to_string())];
        if !self.is_modular() || self.operation == Operation::Random {
            settings.push(("table", rows(&self.products(seed), self.order())));
        }
        settings.push(("trained", mask(&self.split(seed).0, self.pairs())));
        let code = vec![pytorch::SAMPLE, pytorch::CLASSES, include_str!("pytorch/pairs.py")];
        Ok(Part { code, settings, ..Part::default() })
    }
}

impl TaskConfig for Groups {
    fn default_run(&self) -> Preset {
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

    fn default_view(&self) -> Preset {
        &[("show", "accuracy.margin.neurons.purity")]
    }

    fn theory(&self) -> u64 {
        self.construction()
    }

    fn smaller_network(&self) -> &'static str {
        tr!("a smaller network, so that the network and all pairs of elements fit into a browser's memory")
    }
}

impl Groups {
    /// Charts of this task alone.
    pub const CHARTS: &[Chart] = charts::CHARTS;

    /// What its numbers are called and defined as.
    pub const MEASURES: &[&[MeasureInfo]] = measures::MEASURES;
}

impl Examples for Groups {
    fn measures(&self) -> Measures {
        measures::of(!self.takes_all_pairs())
    }

    fn form(&self) -> Form {
        Form::Pair
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

    fn held_out_size(&self) -> Option<usize> {
        let (all, trained) = (self.pairs(), self.trained());
        Some(if trained == all { all } else { all - trained })
    }

    fn sample_size(&self) -> Option<usize> {
        Some(self.trained())
    }

    fn problems(&self) -> Vec<Problem> {
        let order = self.elements();
        let mut problems = vec![];
        if self.operation == Operation::Table {
            if let Err(flaw) = Group::from_table(self.order(), &self.table) {
                problems.push(Problem::new(
                    "table",
                    tr!("this table"),
                    tr!("the table of a group; {flaw}", flaw),
                ));
            }
        } else if order > MOST_ELEMENTS as u64 {
            let (key, found) = match self.operation {
                Operation::Product => ("factors", format!("{order} elements")),
                _ => ("n", self.n.to_string()),
            };
            let expected = match self.operation {
                Operation::Dihedral => {
                    tr!("at most {most}, because D_n has 2n elements", most = MOST_ELEMENTS / 2)
                }
                _ => tr!("a product group with at most {most} elements", most = MOST_ELEMENTS),
            };
            problems.push(Problem::new(key, &found, expected));
        }
        problems
    }
}

impl Sampler for Groups {
    fn sample(&self, seed: u64, replica: u32, step: u64, size: usize, out: &mut Batch) {
        let trained = self.split(seed).0;
        let visited: Vec<u32> =
            self.visits(seed, replica, step, size).into_iter().map(|at| trained[at]).collect();
        self.push(&visited, &self.products(seed), out);
    }

    fn held_out(&self, seed: u64, from: usize, size: usize, out: &mut Batch) {
        let held_out = self.split(seed).1;
        let until = (from + size).min(held_out.len());
        self.push(&held_out[from.min(until)..until], &self.products(seed), out);
    }

    fn finite_sample(&self, seed: u64, _replica: u32, from: usize, size: usize, out: &mut Batch) {
        let trained = self.split(seed).0;
        self.push(&trained[from..from + size], &self.products(seed), out);
    }

    fn visits(&self, seed: u64, replica: u32, step: u64, size: usize) -> Vec<usize> {
        let m = self.trained();
        if size == m {
            // The whole sample at every step: its order makes no difference.
            return (0..m).collect();
        }
        super::epochs(Stream::new(seed, Purpose::Order, replica), m, step, size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(operation: Operation, n: usize) -> Groups {
        Groups { operation, n, ..Default::default() }
    }

    #[test]
    fn orders_are_those_of_the_tables() {
        for operation in Operation::ALL {
            let task = task(*operation, 5);
            let products = task.products(1);
            assert_eq!(products.len(), task.order().pow(2), "{operation:?}");
            assert!(products.iter().all(|c| (*c as usize) < task.order()));
            assert!(task.problems().is_empty());
        }
        assert_eq!(task(Operation::Subtract, 7).products(0)[1], 6);
        assert_eq!(task(Operation::Quadratic, 7).products(0)[2 * 7 + 3], (4 + 6 + 9) % 7);
        assert_ne!(task(Operation::Random, 7).products(0), task(Operation::Random, 7).products(1));
    }

    #[test]
    fn a_fraction_parts_the_pairs_and_depends_on_the_seed() {
        let task = Groups { fraction: 0.3, ..task(Operation::Add, 23) };
        let (trained, held_out) = task.split(4);
        assert_eq!((trained.len(), held_out.len()), (159, 370));
        assert_eq!((task.sample_size(), task.held_out_size()), (Some(159), Some(370)));
        let mut all = [trained.clone(), held_out].concat();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..529));
        assert_ne!(task.split(5).0, trained);
        let whole = Groups { fraction: 1.0, ..task };
        assert_eq!(whole.split(4).0, whole.split(4).1);
    }

    #[test]
    fn a_mini_batch_visits_every_pair_once_in_an_epoch() {
        let task = task(Operation::Dihedral, 3);
        let mut batch = Batch::default();
        (0..4).for_each(|step| task.sample(2, 1, step, 9, &mut batch));
        let mut pairs: Vec<usize> = batch.x.chunks(2).map(|x| (x[0] * 6.0 + x[1]) as usize).collect();
        pairs.sort_unstable();
        assert!(pairs.into_iter().eq(0..36));
    }

    #[test]
    fn a_table_that_is_no_group_is_refused_with_the_reason() {
        let own = |table: &[usize]| Groups {
            operation: Operation::Table,
            table: table.to_vec(),
            ..Default::default()
        };
        assert!(own(&[0, 1, 1, 0]).problems().is_empty());
        let problem = own(&[0, 1, 1, 1]).problems().remove(0).to_string();
        assert!(problem.starts_with("table = this table: expected the table of a group; "), "{problem}");
        assert_eq!(task(Operation::Dihedral, 65).problems()[0].key, "n");
        let product = Groups { factors: vec![16, 9], ..task(Operation::Product, 5) };
        assert_eq!(product.problems()[0].found, "144 elements");
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
            let product = Groups { factors, ..task(Operation::Product, 5) };
            assert_eq!(product.elements(), elements);
            assert_eq!(product.problems()[0].found, format!("{elements} elements"));
            assert!(product.order() > MOST_ELEMENTS && product.order().pow(2) < u32::MAX as usize / 4);
            assert!(product.group().is_none() && product.construction() > bounds::MOST_CONSTRUCTION);
        }
    }

    #[test]
    fn the_cost_of_a_construction_is_that_of_at_least_its_irreps() {
        let tasks = Operation::ALL.iter().flat_map(|operation| (3..=5).map(|n| task(*operation, n)));
        let products = [vec![2, 4, 3], vec![3, 5], vec![2, 2], vec![6]];
        let products = products.map(|factors| Groups { factors, ..task(Operation::Product, 5) });
        for task in tasks.chain(products) {
            for task in (2..=5).map(|letters| Groups { letters, ..task.clone() }) {
                let irreps =
                    vivarium_science::groups::Irreps::compute(&task.group().unwrap()).all().len() as u64;
                assert!(bounds::construction(task.elements(), irreps) <= task.construction(), "{task:?}");
                assert!(task.construction() <= bounds::MOST_CONSTRUCTION);
            }
        }
    }
}
