//! Examples from which a program inside a network learns (Goel, Kakade, Kalai and Zhang 2022): SGD writes them into a table, and
//! one filter, applied again and again, runs the program on the table.
//!
//! Concept and examples are described by [`LearningProblem`]; this module has their settings.

pub mod charts;
mod measures;

use crate::chart::Chart;
use crate::tasks::{
    Batch, Examples, MeasureInfo, MeasureNames, Sampler, SettingDefaults, TaskConfig, TaskData,
};
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings;
use vivarium_core::settings::{InvalidSetting, Range};
use vivarium_core::sources::GOEL_2022;
use vivarium_science::succinct::{ConceptFamily, LearningProblem};

/// Largest number of input bits of an example that the setting accepts.
const MAX_INPUTS: u64 = 31;
/// Largest number of training examples, for the learning algorithm inside the network, that the setting accepts.
const MAX_EXAMPLES: u64 = 100;

settings! {
    /// Concept that gives the labels, number of examples, and the test input that is shown.
    pub struct SuccinctLearning {
        /// How the label depends on the inputs.
        concept: ConceptFamily = ConceptFamily::Dictator, "concept", "Label", Range::Choice(ConceptFamily::OPTIONS);
        /// Number of inputs of an example; each input is −1 or 1.
        inputs: usize = 6, "inputs", "Inputs d", Range::Int(1, MAX_INPUTS);
        /// Number of training examples; each row of the table has one example.
        examples: usize = 8, "examples", "Examples m", Range::Int(1, MAX_EXAMPLES);
        /// Probability that the label of an example is wrong; labels of test inputs are always right.
        flips: f64 = 0.0, "flips", "Label noise", Range::Real(0.0, 0.5);
        /// Test input that is shown: the digit 1 means the value 1, and 0 means −1. If this box is empty, the test input is random.
        query: Vec<usize> = vec![], "query", "Test input", Range::Numbers(0, 1, MAX_INPUTS as usize);
    }
}

impl SuccinctLearning {
    /// Slug, name, summary and sources of this task.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "succinct-learning",
        name: "A learning algorithm inside a network",
        about: "SGD stores the examples in a table of weights, one example per step; one small filter, the same in every layer, then runs a learning algorithm on the table.",
        sources: &[GOEL_2022],
    };

    /// Charts that only runs of this task have.
    pub const CHARTS: &[Chart] = charts::CHARTS;

    /// Definitions of the measures of this task (loss, accuracy and further ones), in lists.
    pub const MEASURES: &[&[MeasureInfo]] = measures::MEASURES;

    /// Names in CSV and JSON files of the measures of a search that selects a learning rule: error and accuracy on
    /// validation and test queries.
    pub const SEARCH_MEASURE_NAMES: MeasureNames = measures::SEARCH_MEASURE_NAMES;

    /// Specification, from the settings of this task, of the concept, the examples and the label noise.
    pub fn problem_spec(&self) -> LearningProblem {
        LearningProblem {
            family: self.concept,
            inputs: self.inputs,
            examples: self.examples,
            noise: self.flips,
            fixed_input: self.query.iter().map(|bit| if *bit == 1 { 1 } else { -1 }).collect(),
        }
    }
}

impl ToPyTorch for SuccinctLearning {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        Err(tr!("The filter of this run is written by hand or found by a search, not trained.").into())
    }
}

impl TaskConfig for SuccinctLearning {
    fn default_run(&self) -> SettingDefaults {
        &[
            ("model", "recurrent-conv"),
            ("loss", "square"),
            ("batch", "1"),
            ("steps", "200"),
            ("every", "1"),
            ("halt", "steps"),
            ("held", "64"),
        ]
    }

    fn default_view(&self) -> SettingDefaults {
        &[("show", "written.slope.gridcells.answers"), ("speed", "12")]
    }

    fn smaller_network_hint(&self) -> &'static str {
        tr!("a run with fewer inputs, examples or replicas")
    }
}

impl Examples for SuccinctLearning {
    fn data(&self) -> TaskData {
        TaskData::Program(self.problem_spec())
    }

    fn inputs(&self) -> usize {
        self.inputs
    }

    fn training_set_size(&self) -> Option<usize> {
        Some(self.examples)
    }

    fn noise(&self) -> f64 {
        self.flips
    }

    fn measure_names(&self) -> MeasureNames {
        measures::MEASURE_NAMES
    }

    fn invalid_settings(&self) -> Vec<InvalidSetting> {
        let (given, inputs) = (self.query.len(), self.inputs);
        let found = || self.query.iter().map(usize::to_string).collect::<Vec<_>>().join(".");
        if given != 0 && given != inputs {
            let expected =
                tr!("{inputs} numbers, each 0 or 1, one for each input; or an empty field", inputs);
            return vec![InvalidSetting::new("query", &found(), expected)];
        }
        vec![]
    }
}

impl Sampler for SuccinctLearning {
    fn sample(&self, seed: u64, replica: u32, step: u64, size: usize, out: &mut Batch) {
        let Ok(drawn) = self.problem_spec().sample(seed, replica as usize) else { return };
        for at in self.batch_indices(seed, replica, step, size) {
            append_example(&drawn.data.inputs()[at], drawn.data.labels()[at], out);
        }
    }

    fn append_held_out(&self, seed: u64, from: usize, size: usize, out: &mut Batch) {
        self.append_held_out_of_replica(seed, 0, from, size, out);
    }

    fn append_held_out_of_replica(&self, seed: u64, replica: u32, from: usize, size: usize, out: &mut Batch) {
        let Ok(drawn) = self.problem_spec().sample(seed, replica as usize) else { return };
        for at in from..from + size {
            let x = drawn.test_input(at as u64);
            append_example(&x, drawn.concept.label(&x), out);
        }
    }

    fn append_training_set(&self, seed: u64, replica: u32, from: usize, size: usize, out: &mut Batch) {
        let Ok(drawn) = self.problem_spec().sample(seed, replica as usize) else { return };
        for (x, y) in drawn.data.examples().skip(from).take(size) {
            append_example(x, y, out);
        }
    }
}

/// Appends one example with the input bits `x` and the label `y`, both ±1.
fn append_example(x: &[i8], y: i8, out: &mut Batch) {
    out.x.extend(x.iter().map(|one| f32::from(*one)));
    out.y.push(f32::from(y));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permalink::{decode, encode};
    use crate::run::RunSpec;
    use vivarium_core::settings::Settings;

    #[test]
    fn settings_are_those_of_the_table_where_a_link_says_nothing() {
        let spec = RunSpec::default_of_lab("succinct-learning").unwrap();
        assert_eq!(spec.invalid_settings(), []);
        assert_eq!((spec.task.examples().inputs(), spec.task.examples().training_set_size()), (6, Some(8)));
        for setting in SuccinctLearning::SETTINGS {
            assert!(setting.help.ends_with('.') && !setting.label.is_empty(), "{}", setting.key);
        }
    }

    #[test]
    fn a_test_input_goes_through_a_link() {
        let link = "#v1/succinct-learning?concept=parity&inputs=4&query=1.0.0.1";
        let (read, notices) = decode(link);
        assert!(notices.is_empty(), "{notices:?}");
        assert_eq!(encode(&read), link);
        let problem = read.spec.task.data().learning_problem().unwrap();
        let drawn = problem.sample(3, 1).unwrap();
        assert_eq!(problem.test_input(&drawn), [1, -1, -1, 1]);
        assert_eq!(
            (problem.table_size(), problem.grid_size(), problem.writing_steps()),
            ([9, 5], [11, 7], 9)
        );
    }

    #[test]
    fn what_cannot_be_is_one_sentence() {
        for (link, said) in [
            ("query=1.0", "6 numbers, each 0 or 1, one for each input; or an empty field"),
            ("inputs=32", "a whole number from 1 to 31"),
            ("examples=0", "a whole number from 1 to 100"),
            ("flips=0.7", "0.5"),
        ] {
            let (read, notices) = decode(&format!("#v1/succinct-learning?{link}"));
            assert_eq!(read.spec.invalid_settings(), [], "{link}");
            let all: Vec<String> = notices.iter().map(ToString::to_string).collect();
            assert!(all.len() == 1 && all[0].contains(said), "{link}: {all:?}");
        }
    }

    #[test]
    fn examples_are_those_of_the_concept() {
        let task = SuccinctLearning { concept: ConceptFamily::Parity, ..Default::default() };
        let drawn = task.problem_spec().sample(5, 2).unwrap();
        let mut batch = Batch::default();
        task.append_training_set(5, 2, 0, 8, &mut batch);
        task.append_held_out_of_replica(5, 2, 10, 4, &mut batch);
        task.sample(5, 2, 0, 8, &mut batch);
        assert_eq!((batch.x.len(), batch.y.len()), (20 * 6, 20));
        for (x, y) in batch.x.chunks(6).zip(&batch.y) {
            let x: Vec<i8> = x.iter().map(|one| *one as i8).collect();
            assert_eq!(f32::from(drawn.concept.label(&x)), *y);
        }
    }
}
