//! The learner of networks on prompts that are executed, not trained: a step lets one more position pass, in every replica.
//!
//! # Why
//! It is a learner like the others, so that transport, links, sweeps and files are there for a constructed network too. What
//! is measured is [`Network::evaluate`](vivarium_model::models::Network::evaluate), the network's own plain loops, with the number of positions that have passed
//! among its parameters; after the last position a step changes nothing.

use super::learner::{CpuLearner, CpuNetwork};
use super::prompt_examples::PromptExamples;
use crate::session::learner::MEASURE_SAMPLE;
use vivarium_kernels::cpu::ReplicaState;
use vivarium_kernels::cpu::one_hidden_layer::Update;
use vivarium_model::models::Family;
use vivarium_model::protocol::Measurement;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::TaskData;
use vivarium_science::tokens::TokenPrompts;

/// Executes all replicas of a network on prompts on the processor.
pub type ExecutionCpu = CpuLearner<PromptExecution>;

/// A constructed network with its examples.
pub struct PromptExecution {
    spec: RunSpec,
    clock: usize,
    prompts: TokenPrompts,
    examples: PromptExamples,
}

/// One network.
#[derive(Debug, Clone, PartialEq)]
pub struct Executed {
    parameters: Vec<Vec<f32>>,
}

impl ReplicaState for Executed {
    fn read(&self, part: usize, which: usize) -> Vec<f32> {
        match part {
            0 => self.parameters[which].clone(),
            // No optimizer remembers anything.
            _ => vec![0.0; self.parameters[which].len()],
        }
    }

    fn write(&mut self, part: usize, which: usize, values: &[f32]) {
        if part == 0 {
            self.parameters[which].copy_from_slice(values);
        }
    }

    fn copy(&mut self, other: &Self) {
        for (own, theirs) in self.parameters.iter_mut().zip(&other.parameters) {
            own.copy_from_slice(theirs);
        }
    }
}

impl CpuNetwork for PromptExecution {
    type Replica = Executed;

    fn new(spec: &RunSpec) -> Result<(Self, Executed), String> {
        let examples = PromptExamples::of(spec, MEASURE_SAMPLE)?;
        let TaskData::Prompts(prompts) = spec.task.data() else {
            return Err(format!("its task is {}", spec.task.info().name));
        };
        let Some(Family::Execution(execution)) = spec.model.config().family() else {
            return Err(format!("{} is trained, not executed", spec.model.info().name));
        };
        let parameters = spec.architecture().parameters(spec.task.examples().inputs(), 1);
        let network = Executed { parameters: parameters.iter().map(|p| vec![0.0; p.len()]).collect() };
        let family = PromptExecution { spec: spec.clone(), clock: execution.clock, prompts, examples };
        Ok((family, network))
    }

    /// A step looks at no example.
    fn draw(&mut self, _spec: &RunSpec, _number: usize, _step: u64) {}

    fn step(&mut self, replica: &mut Executed, _spec: &RunSpec, _step: u64, _update: &Update) {
        let clock = &mut replica.parameters[self.clock][0];
        *clock = (*clock + 1.0).min(self.prompts.length as f32);
    }

    fn prepare_measure(&mut self, held_out: usize) {
        self.examples.prepare(held_out);
    }

    fn measure(
        &mut self,
        replica: &mut Executed,
        number: usize,
        step: u64,
        held_out: usize,
        row: &mut Measurement,
    ) {
        let weights: Vec<&[f32]> = replica.parameters.iter().map(Vec::as_slice).collect();
        let (network, inputs) = (self.spec.network(), self.prompts.encoded_dim());
        self.examples.measure((number, step, held_out), row, usize::MAX, |rows, out| {
            out.extend(network.evaluate(&weights, inputs, rows, 0));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::learner::{Learner, ready};
    use vivarium_model::models::gated_memory::PASSED;
    use vivarium_model::permalink::decode;

    const LINK: &str = "#v1/sparse-token-regression?model=gated-memory&g=linear&n=6&dim=2&replicas=2&held=400&steps=8&every=1";

    #[test]
    fn a_step_lets_a_position_pass_and_the_answers_are_there_at_the_end() {
        let spec = decode(LINK).0.spec;
        let mut learner = ExecutionCpu::new(&spec).unwrap();
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
