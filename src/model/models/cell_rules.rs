//! Random restarts in a space of 19,683 short programs (ours, after Goel, Kakade, Kalai and Zhang 2022, corollary 2): a step of
//! the run draws a rule and keeps the one that answers most validation queries right. What is computed is in
//! [`vivarium_science::succinct::search`]; here are its settings, and how the state of a search is kept as parameters.
//!
//! # Why
//! Every query draws its own concept and its own examples, so that accuracy measures the learning algorithm and not one
//! classifier. Validation and test queries are disjoint.

use std::borrow::Cow;

#[cfg(not(target_family = "wasm"))]
use super::inside;
use super::layout::{Tensor, Tensors};
use super::{Architecture, Bind, Family, ModelConfig, Network, Parameter, Rows};
use crate::tasks::{ExampleForm, Examples, MeasureNames, SuccinctLearning};
use vivarium_core::bounds::saturating_product;
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings::{InvalidSetting, Range};
use vivarium_core::sources::GOEL_2022;
use vivarium_core::{choices, settings};
use vivarium_science::succinct::LearningProblem;
#[cfg(not(target_family = "wasm"))]
use vivarium_science::succinct::SampledProblem;
use vivarium_science::succinct::search::{CellRule, CellValue, ReadoutCells, draw_rule};
#[cfg(not(target_family = "wasm"))]
use vivarium_science::succinct::search::{Query, predict};

choices! {
    /// Which cells are added up for the answer.
    pub enum Read {
        /// All of them.
        All = "all", "All cells";
        /// Those of the last row.
        Bottom = "bottom", "The bottom row";
    }
}

choices! {
    /// In which order rules are tried.
    pub enum Order {
        /// By chance: a rule may be tried twice.
        Random = "random", "Random rules";
        /// By number, each once.
        All = "all", "All 19,683 rules, one after the other";
        /// A single one, so that its accuracy can be looked up.
        One = "one", "One rule, written below";
    }
}

settings! {
    /// A search for a rule by restarts and validation.
    pub struct CellRules {
        /// Rules that the search tries: random rules, all rules one after the other, or one rule that you write.
        order: Order = Order::Random, "tried", "Rules that are tried", Range::Choice(Order::OPTIONS);
        /// New values of a cell: three if the old value is −1 (cell above: −1, 0, +1), then three for the old value 0, then three for +1.
        rule: String = IDENTITY.into(), "entries", "The rule", Range::Text(MOST_TEXT), only when "tried" = "one";
        /// Cells that are added up after the last layer; the sign of the sum is the answer.
        read: Read = Read::All, "read", "Cells added up", Range::Choice(Read::OPTIONS);
        /// Number of queries on which rules are compared. The chosen rule is tested on other, held-out queries.
        validation: usize = 60, "valid", "Validation queries", Range::Int(1, 1000);
    }
}

/// The rule that changes nothing, as it is written.
const IDENTITY: &str = "---000+++";

/// Most characters of a rule.
const MOST_TEXT: usize = 40;

/// Place of the chosen rule among the parameters: nine numbers −1, 0 or 1.
pub const RULE: usize = 0;
/// Place of what is known so far: the chosen rule's points on the validation queries in halves, 1 + the restart that found
/// it, and how many of the rules tried answer at least [`GOOD`] of all queries right.
pub const BEST: usize = 1;
/// Place of the counts of rules tried, by validation accuracy (row) and test accuracy (column).
pub const CLOUD: usize = 2;

/// Places on each side of the cloud; place p is accuracy p / (SIDE − 1).
pub const SIDE: usize = 41;

/// The accuracy from which on a rule is counted as good.
pub const GOOD: f64 = 0.95;

/// Test queries, at most.
pub const MOST_TESTS: usize = 2_000;

/// Most bits of all queries of all replicas: 256 MiB.
const MOST_CELLS: u64 = 1 << 31;

impl CellRules {
    /// Name, source and summary.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "cell-rules",
        name: "Search among 19,683 cell rules",
        about: "Each step tries one rule. A rule gives the new value of a cell from the cell itself and the cell above it. The search keeps the rule that answers the most validation queries correctly.",
        sources: &[GOEL_2022],
    };

    /// Its tensors in a file of weights.
    pub const TENSORS: Tensors = Tensors {
        formula: "\
f = the sign of the sum of the cells after the rule was applied in every layer",
        loss: "the share of wrong answers: on the validation queries (training loss) and on the test queries (test loss).",
        letters: &[["s", "places on each side of the cloud; place i is the accuracy i / (s − 1)"]],
        all: &[
            Tensor::new(
                "rule",
                ["3", "3"],
                ["cell: −1, 0, +1", "cell above: −1, 0, +1"],
                "the chosen rule: the new value of the cell, −1, 0 or 1",
            ),
            Tensor::new(
                "best",
                ["3", "1"],
                ["points in halves, restart, good rules", ""],
                "points of the chosen rule on the validation queries in halves; 1 + the restart that found the rule; how many of the tried rules are good",
            ),
            Tensor::new(
                "cloud",
                ["s", "s"],
                ["place of the validation accuracy", "place of the test accuracy"],
                "how many rules were tried, by their two accuracies",
            ),
        ],
    };

    /// Which cells are added up.
    pub fn readout(&self) -> ReadoutCells {
        match self.read {
            Read::All => ReadoutCells::All,
            Read::Bottom => ReadoutCells::Bottom,
        }
    }

    /// The rule of restart `step` of a replica; none after the last one of the list.
    pub fn tried(&self, seed: u64, replica: usize, step: u64) -> Option<CellRule> {
        let index = u32::try_from(step).ok()?;
        match self.order {
            Order::Random => Some(draw_rule(seed, replica as u32, index)),
            Order::All => CellRule::from_number(index).ok(),
            Order::One => CellRule::parse(&self.rule).ok().filter(|_| index == 0),
        }
    }
}

/// The place of an accuracy in the cloud.
pub fn place(accuracy: f64) -> usize {
    (accuracy.clamp(0.0, 1.0) * (SIDE - 1) as f64).round() as usize
}

/// The rule of nine numbers, each −1, 0 or 1.
pub fn rule_of(numbers: &[f32]) -> CellRule {
    let entry = |at: usize| match numbers.get(at) {
        Some(number) if *number < -0.5 => CellValue::Minus,
        Some(number) if *number > 0.5 => CellValue::Plus,
        _ => CellValue::Zero,
    };
    CellRule::new(std::array::from_fn(|centre| std::array::from_fn(|above| entry(3 * centre + above))))
}

/// The nine numbers of a rule.
pub fn numbers(rule: CellRule) -> [f32; 9] {
    std::array::from_fn(|at| rule.apply(CellValue::ALL[at / 3], CellValue::ALL[at % 3]).value() as f32)
}

impl Bind for CellRules {
    type Bound = OnQueries;

    fn bind(&self, examples: &dyn Examples) -> Cow<'_, OnQueries> {
        Cow::Owned(OnQueries { net: self.clone(), problem: examples.data().learning_problem() })
    }
}

impl ModelConfig for CellRules {
    fn takes(&self) -> &'static [ExampleForm] {
        &[ExampleForm::Program]
    }

    fn family(&self) -> Option<Family> {
        Some(Family::RuleSearch(self.clone()))
    }

    fn has_weights(&self) -> bool {
        false
    }

    fn is_optimized(&self) -> bool {
        false
    }

    fn measures(&self) -> Option<MeasureNames> {
        Some(SuccinctLearning::SEARCH_MEASURE_NAMES)
    }
}

impl ToPyTorch for CellRules {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        Err(tr!("The rule of this run is found by a search, not trained.").into())
    }
}

/// The search on one kind of learning problem.
#[derive(Debug, Clone, PartialEq)]
pub struct OnQueries {
    /// Its settings.
    pub net: CellRules,
    /// The problem; none of a task about something else, which is not suited.
    pub problem: Option<LearningProblem>,
}

impl OnQueries {
    /// Bits of the images of all queries of a replica, of which there are as many as there may be.
    fn bits(&self) -> u64 {
        let [rows, columns] = self.problem.as_ref().map_or([1; 2], LearningProblem::table_size);
        // Once more at twice the size.
        saturating_product([rows, columns, self.net.validation + MOST_TESTS, 5].map(|size| size as u64))
    }
}

impl Architecture for OnQueries {
    fn parameters(&self, _inputs: usize, replicas: usize) -> Vec<Parameter> {
        vec![
            Parameter::new("rule", [replicas, 3, 3]),
            Parameter::new("best", [replicas, 3, 1]),
            Parameter::new("cloud", [replicas, SIDE, SIDE]),
        ]
    }

    fn rows(&self) -> Rows {
        Rows::NONE
    }

    fn initial(&self, _seed: u64, inputs: usize, replicas: usize) -> Vec<Vec<f32>> {
        self.parameters(inputs, replicas).iter().map(|part| vec![0.0; part.len()]).collect()
    }

    fn step_flops(&self, _inputs: usize, _batch: usize) -> f64 {
        // Words of 64 queries, a layer for each row.
        let rows = self.problem.as_ref().map_or(1, |problem| problem.table_size()[0]);
        self.bits() as f64 * rows as f64 / 64.0
    }

    fn problems(&self, _inputs: usize, _batch: usize, replicas: usize) -> Vec<InvalidSetting> {
        if self.net.order == Order::One && CellRule::parse(&self.net.rule).is_err() {
            return vec![InvalidSetting::new("entries", &self.net.rule, tr!("nine signs, each −, 0 or +"))];
        }
        let all = self.bits().saturating_mul(replicas as u64);
        let expected =
            tr!("fewer replicas, because the queries of all searches would not fit into a browser's memory");
        (all > MOST_CELLS)
            .then(|| InvalidSetting::new("replicas", &replicas.to_string(), expected))
            .into_iter()
            .collect()
    }

    fn activations(&self, _inputs: usize) -> u64 {
        self.bits() / 64
    }

    fn decays(&self, _which: usize) -> bool {
        false
    }
}

impl Network for OnQueries {
    /// A rule is no classifier: without examples it gives no answer, which is 0.
    fn evaluate(&self, _weights: &[&[f32]], inputs: usize, x: &[f32], _stage: usize) -> Vec<f32> {
        vec![0.0; x.len() / inputs.max(1)]
    }

    /// The cells after each layer of the chosen rule, for each input with the examples of the run, and the answers.
    #[cfg(not(target_family = "wasm"))]
    fn inside_at(
        &self,
        at: &inside::At<'_>,
        weights: &[&[f32]],
        inputs: usize,
        x: &[f32],
    ) -> Result<Vec<inside::Inside>, String> {
        let Some(problem) = &self.problem else { return Ok(vec![]) };
        if weights[BEST][1] == 0.0 {
            return Err("the search has tried no rule yet, and without a rule there are no arrays".into());
        }
        let (rule, readout) = (rule_of(weights[RULE]), self.net.readout());
        let ([rows, columns], count) = (problem.table_size(), x.len() / inputs.max(1));
        let kept = inside::kept(rows as u64, saturating_product([count, rows, columns]))?;
        let SampledProblem { concept, data, .. } =
            problem.sample(at.seed, 0).map_err(|mistake| mistake.to_string())?;
        let mut all = inside::Gathered::default();
        for x in x.chunks_exact(inputs.max(1)) {
            let test: Vec<i8> = x.iter().map(|one| if *one < 0.0 { -1 } else { 1 }).collect();
            let right = concept.label(&test);
            let query =
                Query { concept: concept.clone(), data: data.clone(), test_input: test, label: right };
            let course = query.image().trajectory(rule);
            let images = kept.iter().filter_map(|layer| course.get(*layer as usize));
            let cells = images.flat_map(|image| image.cells().iter().map(|cell| f64::from(cell.value())));
            let axes = [("layer", kept.len()), ("row", rows), ("column", columns)];
            all.activations("activations", &axes, cells);
            let answer = predict(&query, rule, readout).map_or(0.0, f64::from);
            all.add(inside::Kind::Examples, inside::OUTPUTS, &[], [answer]);
        }
        let mut arrays = all.arrays();
        arrays.push(inside::layers(&kept));
        Ok(arrays)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permalink::decode;

    #[test]
    fn parameters_are_the_rule_and_the_cloud() {
        let (link, notices) = decode("#v1/succinct-learning?model=cell-rules&replicas=2&steps=500");
        assert!(notices.is_empty(), "{notices:?}");
        let (shapes, initial) = (link.spec.parameters(), link.spec.initialize_parameters());
        assert_eq!(shapes[RULE].len() + shapes[BEST].len() + shapes[CLOUD].len(), 2 * (9 + 3 + 41 * 41));
        assert!(initial.iter().zip(&shapes).all(|(values, shape)| values.len() == shape.len()));
    }

    #[test]
    fn rules_are_tried_in_both_orders() {
        let all = CellRules { order: Order::All, ..Default::default() };
        assert_eq!(all.tried(0, 0, 7).map(CellRule::number), Some(7));
        assert_eq!((all.tried(0, 0, 19_682).is_some(), all.tried(0, 0, 19_683)), (true, None));
        let random = CellRules::default();
        assert_ne!(random.tried(0, 0, 1), random.tried(0, 1, 1));
        let one = CellRules { order: Order::One, rule: "-00 000 00+".into(), ..Default::default() };
        assert_eq!([0, 1].map(|step| one.tried(0, 0, step)), [Some(CellRule::CONSENSUS), None]);
        assert_eq!([0.0, 0.5, 0.99, 1.0].map(place), [0, 20, 40, 40]);
    }

    /// The identity rule changes no cell; the sign of the sum of the last cells is the answer.
    #[test]
    fn cells_after_every_layer_are_an_array() {
        let link = "#v1/succinct-learning?model=cell-rules&inputs=3&examples=5&seed=5";
        let spec = decode(link).0.spec;
        let drawn = spec.task.data().learning_problem().unwrap().sample(5, 0).unwrap();
        let x: Vec<f32> = (0..4).flat_map(|at| drawn.test_input(at)).map(f32::from).collect();
        let at = inside::At { seed: 5, step: 1, rate: 0.0, kinds: &[] };
        for (rule, tried) in [(CellRule::IDENTITY, 1.0), (CellRule::CONSENSUS, 9.0)] {
            let numbers = numbers(rule);
            let arrays = spec.network().inside_at(&at, &[&numbers, &[0.0, tried, 0.0]], 3, &x).unwrap();
            let of = |name: &str| arrays.iter().find(|array| array.name == name).unwrap();
            let (cells, outputs) = (of("activations"), of("outputs"));
            assert_eq!((cells.shape.as_slice(), outputs.shape.as_slice()), (&[4, 7, 6, 4][..], &[4][..]));
            assert_eq!(
                (of("layers").shape.as_slice(), outputs.axes.as_slice()),
                (&[7][..], &["example"][..])
            );
            for (course, output) in cells.values.chunks(7 * 24).zip(&outputs.values) {
                let (first, last) = (&course[..24], &course[6 * 24..]);
                assert!(first.iter().all(|cell| cell.abs() == 1.0));
                assert_eq!(first == last, rule == CellRule::IDENTITY);
                let sum: f32 = last.iter().sum();
                assert_eq!(*output, if sum == 0.0 { 0.0 } else { sum.signum() });
            }
        }
        let refused = spec.network().inside_at(&at, &[&[0.0; 9], &[0.0; 3]], 3, &x).unwrap_err();
        assert!(refused.starts_with("the search has tried no rule yet"), "{refused}");
    }

    #[test]
    fn a_rule_that_cannot_be_read_is_refused() {
        let (link, notices) = decode("#v1/succinct-learning?model=cell-rules&tried=one&entries=+-0");
        assert_eq!(
            notices.iter().map(|notice| notice.key.as_str()).collect::<Vec<_>>(),
            ["entries"],
            "{notices:?}"
        );
        assert_eq!(link.spec.invalid_settings(), []);
    }

    #[test]
    fn too_many_replicas_are_refused() {
        let link = "#v1/succinct-learning?model=cell-rules&inputs=31&examples=100&replicas=4096";
        let (read, notices) = decode(link);
        assert!(notices.iter().any(|notice| notice.key == "replicas"), "{notices:?}");
        assert_eq!(read.spec.invalid_settings(), []);
    }
}
