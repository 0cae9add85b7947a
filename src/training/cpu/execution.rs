//! The process of networks on prompts that are executed, not trained: a step reads one more position, in every replica.
//!
//! # Why
//! A measurement is one of [`Network::evaluate`](vivarium_model::models::Network::evaluate), the network's own plain loops, with
//! the number of positions that have been read among its parameters; after the last position a step changes nothing.

use super::process::Process;
use super::prompt_examples::PromptExamples;
use crate::session::learner::MEASURE_SAMPLE;
use vivarium_model::models::Family;
use vivarium_model::protocol::Measurement;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::TaskData;
use vivarium_science::tokens::TokenPrompts;

/// A constructed network on prompts, with its examples.
pub struct PromptProcess {
    spec: RunSpec,
    /// Place of the number of positions read among the parameters.
    clock: usize,
    prompts: TokenPrompts,
    examples: PromptExamples,
}

impl Process for PromptProcess {
    /// All parameters, in their permanent order.
    type State = Vec<Vec<f32>>;

    fn new(spec: &RunSpec) -> Result<(Self, Vec<Vec<f32>>), String> {
        let examples = PromptExamples::of(spec, MEASURE_SAMPLE)?;
        let TaskData::Prompts(prompts) = spec.task.data() else {
            return Err(format!("its task is {}", spec.task.info().name));
        };
        let Some(Family::Execution(execution)) = spec.model.config().family() else {
            return Err(format!("{} is trained, not executed", spec.model.info().name));
        };
        let parameters = spec.architecture().parameters(spec.task.examples().inputs(), 1);
        let zeros = parameters.iter().map(|p| vec![0.0; p.len()]).collect();
        let process = PromptProcess { spec: spec.clone(), clock: execution.clock, prompts, examples };
        Ok((process, zeros))
    }

    fn step(&mut self, parameters: &mut Vec<Vec<f32>>, _spec: &RunSpec, _at: (usize, u64)) {
        let clock = &mut parameters[self.clock][0];
        *clock = (*clock + 1.0).min(self.prompts.length as f32);
    }

    fn prepare_measure(&mut self, held_out: usize) {
        self.examples.prepare(held_out);
    }

    fn measure(
        &mut self,
        parameters: &mut Vec<Vec<f32>>,
        (replica, step): (usize, u64),
        held_out: usize,
        row: &mut Measurement,
    ) {
        let weights: Vec<&[f32]> = parameters.iter().map(Vec::as_slice).collect();
        let (network, inputs) = (self.spec.network(), self.prompts.encoded_dim());
        self.examples.measure((replica, step, held_out), row, usize::MAX, |rows, out| {
            out.extend(network.evaluate(&weights, inputs, rows, 0));
        });
    }

    fn save(parameters: &Vec<Vec<f32>>, which: usize) -> Vec<f32> {
        parameters[which].clone()
    }

    fn load(parameters: &mut Vec<Vec<f32>>, which: usize, values: &[f32]) {
        parameters[which].copy_from_slice(values);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::process::ProcessLearner;
    use crate::session::learner::{Learner, ready};
    use vivarium_model::models::gated_memory::PASSED;
    use vivarium_model::permalink::decode;

    const LINK: &str = "#v1/sparse-token-regression?model=gated-memory&g=linear&n=6&dim=2&replicas=2&held=400&steps=8&every=1";

    #[test]
    fn a_step_lets_a_position_pass_and_the_answers_are_there_at_the_end() {
        let spec = decode(LINK).0.spec;
        let mut learner = ProcessLearner::<PromptProcess>::new(&spec).unwrap();
        let mut before = [f32::INFINITY; 2];
        for step in 0..=8 {
            let row = learner.measure_now(step, 400);
            let now = [row.test_loss[0], row.train_loss[0]];
            // Both passes have come to every other position one step before the last.
            assert!(step >= 6 || now[0] < before[0], "{step}: {now:?} {before:?}");
            assert_eq!(row.test_loss[0], row.test_loss[1], "constructed alike");
            assert_eq!(row.test_accuracy[0], 1.0 - row.test_loss[0]);
            before = now;
            learner.train(&spec, step, step + 1);
        }
        assert!(before.iter().all(|error| *error < 1e-10), "{before:?}");
        let kept = ready(learner.weights()).parameters;
        assert_eq!(kept[PASSED], [6.0, 6.0]);
        assert_eq!(kept[0], spec.initialize_parameters()[0]);
    }
}
