//! The process of transformers that run a Turing machine: a step of the run is a step of the machine in every replica, up to
//! step T; after it nothing changes.
//!
//! # Why
//! Keys and values of past tokens never change, so the tokens of a replica stay in memory, and its state is the number of its
//! step with its weights: an earlier state needs an earlier token, and nothing is computed twice. After a file was loaded there
//! are no tokens; the first step or measurement computes them again.
//!
//! # Speed
//! One of two hyperthreads of an AMD EPYC with AVX-512, natively, with all measurements (2026-11-25): the busy beaver's 107
//! tokens in 11 ms, 1,000 tokens of the endless counter in 0.26 s, 10,000 in 65 s. The cost of a token grows with those before
//! it, all of which each attention reads.

use std::sync::Arc;

use super::process::Process;
use vivarium_model::models::Family;
use vivarium_model::models::family::RunsMachine;
use vivarium_model::models::machine_transformer::STEP;
use vivarium_model::protocol::Measurement;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::TaskData;
use vivarium_science::machines::{
    Construction, MachineMetric, MachineProgram, MachineRun, TransformerEvaluator, clamp_to_f32,
};

/// The transformers of a run.
pub struct MachineProcess {
    net: RunsMachine,
    program: Arc<MachineProgram>,
    run: MachineRun,
    exact: Construction,
    /// Tokens of each replica; none before the first of them is computed.
    tokens: Vec<Option<ReplicaTokens>>,
}

/// The tokens of a replica, and the weights with which they were computed.
struct ReplicaTokens {
    weights: Arc<Vec<Vec<f32>>>,
    evaluator: TransformerEvaluator,
}

/// State of one replica.
#[derive(Debug, Clone, PartialEq)]
pub struct MachineState {
    /// Steps of the machine so far.
    step: usize,
    /// All matrices and vectors, in the order of the [`Construction`].
    weights: Arc<Vec<Vec<f32>>>,
}

impl MachineProcess {
    /// The tokens of replica `replica` in this state, with the program and its run.
    fn evaluator(
        &mut self,
        replica: usize,
        state: &MachineState,
    ) -> Option<(&mut TransformerEvaluator, &MachineProgram, &MachineRun)> {
        let MachineProcess { net, program, run, exact, tokens } = self;
        let slot = tokens.get_mut(replica)?;
        let has_weights =
            |own: &ReplicaTokens| Arc::ptr_eq(&own.weights, &state.weights) || own.weights == state.weights;
        if !slot.as_ref().is_some_and(has_weights) {
            let values: Vec<&[f32]> = state.weights.iter().map(Vec::as_slice).collect();
            let transformer = net.begin(exact.clone().with_tensors(&values), program)?;
            *slot = Some(ReplicaTokens {
                weights: state.weights.clone(),
                evaluator: TransformerEvaluator::new(transformer),
            });
        }
        let own = slot.as_mut()?;
        // Equal weights become one allocation, so that the next comparison is one of pointers.
        own.weights = state.weights.clone();
        Some((&mut own.evaluator, program, run))
    }
}

impl Process for MachineProcess {
    type State = MachineState;

    fn new(spec: &RunSpec) -> Result<(Self, MachineState), String> {
        let Some(Family::Machine(net)) = spec.model.config().family() else {
            return Err(format!("{} is trained, not executed", spec.model.info().name));
        };
        let TaskData::Steps(Some(program)) = spec.task.data() else {
            return Err(format!("its task is {}", spec.task.info().name));
        };
        let run = program.simulate().map_err(|error| error.to_string())?;
        let exact = Construction::new(&program.machine, program.bits).map_err(|error| error.to_string())?;
        let shapes = exact.tensors();
        let weights = Arc::new(shapes.map(|tensor| vec![0.0; tensor.values.len()]).collect());
        let tokens = (0..spec.run.replicas).map(|_| None).collect();
        Ok((MachineProcess { net, program, run, exact, tokens }, MachineState { step: 0, weights }))
    }

    fn step(&mut self, state: &mut MachineState, _spec: &RunSpec, (replica, _): (usize, u64)) {
        state.step = (state.step + 1).min(self.program.steps);
        let step = state.step;
        if let Some((evaluator, _, run)) = self.evaluator(replica, state) {
            evaluator.metrics_at(run, step);
        }
    }

    fn measure(
        &mut self,
        state: &mut MachineState,
        (replica, _): (usize, u64),
        _held_out: usize,
        row: &mut Measurement,
    ) {
        let step = state.step.min(self.program.steps);
        row.measures.resize(MachineMetric::ALL.len(), vec![]);
        let Some((evaluator, program, run)) = self.evaluator(replica, state) else { return };
        let metrics = evaluator.metrics_at(run, step);
        row.train_loss.push(clamp_to_f32(metrics.deviation));
        row.train_accuracy.push(clamp_to_f32(metrics.correct_share()));
        row.test_loss.push(clamp_to_f32(metrics.max_deviation));
        row.test_accuracy.push(clamp_to_f32(metrics.correct_prefix_share(program.steps)));
        let measures = evaluator.compute_metrics(&program.machine, run, step);
        row.measures.iter_mut().zip(measures).for_each(|(all, one)| all.push(one));
    }

    fn save(state: &MachineState, which: usize) -> Vec<f32> {
        match which {
            STEP => vec![state.step as f32],
            other => state.weights[other - 1].clone(),
        }
    }

    fn load(state: &mut MachineState, which: usize, values: &[f32]) {
        match which {
            STEP => state.step = values.first().map_or(0, |step| step.max(0.0) as usize),
            // Equal weights keep their allocation, and with it the tokens that were computed with them.
            other if state.weights[other - 1] != values => {
                Arc::make_mut(&mut state.weights)[other - 1].copy_from_slice(values);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::process::ProcessLearner;
    use crate::session::learner::{Learner, ready};
    use vivarium_model::permalink::decode;

    type MachineLearner = ProcessLearner<MachineProcess>;

    fn spec(link: &str) -> RunSpec {
        let (link, notices) = decode(&format!("#v1/turing-machine?{link}"));
        assert!(notices.is_empty(), "{notices:?}");
        link.spec
    }

    #[test]
    fn tokens_are_the_simulators_for_every_machine() {
        for example in &vivarium_science::machines::library::EXAMPLES {
            let steps = example.steps.min(120);
            let spec = spec(&format!("m={}&t={steps}&replicas=2", example.slug));
            let mut learner = MachineLearner::new(&spec).unwrap();
            let before = learner.measure_now(0, 64);
            assert_eq!(
                (before.train_accuracy[0], before.test_accuracy[0], before.train_loss[0]),
                (1.0, 0.0, 0.0)
            );
            learner.train(&spec, 0, steps as u64 + 5);
            let after = learner.measure_now(steps as u64 + 5, 64);
            assert_eq!((&after.train_accuracy, &after.test_accuracy), (&vec![1.0; 2], &vec![1.0; 2]));
            assert!(after.test_loss.iter().all(|loss| *loss <= 4.5e-16), "{after:?}");
            let run = spec.task.data().machine_program().unwrap().simulate().unwrap();
            let kept = learner.network.process.tokens[0].as_ref().unwrap();
            assert_eq!(kept.evaluator.transformer().tokens(), run.records, "nothing happens after step T");
            let measured = |which: MachineMetric| after.measures[which as usize][0];
            assert_eq!(measured(MachineMetric::FirstWrong), steps as f32 + 1.0);
            assert_eq!(measured(MachineMetric::MinScoreGap), 1.0);
        }
    }

    #[test]
    fn what_is_kept_and_taken_up_again_goes_on_with_the_same_bits() {
        for link in [
            "replicas=3&sigma=0.005",
            "replicas=2&sigma=0.00001&round=no&inits=1&m=counter",
            "choice=soft&beta=3&m=palindrome&t=60",
        ] {
            let spec = spec(link);
            let (mut whole, mut first) =
                (MachineLearner::new(&spec).unwrap(), MachineLearner::new(&spec).unwrap());
            whole.train(&spec, 0, 40);
            first.train(&spec, 0, 25);
            let kept = ready(first.weights());
            let mut second = MachineLearner::new(&spec).unwrap();
            second.load(&kept);
            assert_eq!(second.measure_now(25, 64), first.measure_now(25, 64), "{link}");
            second.train(&spec, 25, 32);
            second.remember(32);
            second.train(&spec, 32, 40);
            assert_eq!(ready(second.weights()), ready(whole.weights()), "{link}");
            assert_eq!(second.measure_now(40, 64), whole.measure_now(40, 64), "{link}");
            ready(second.restore());
            whole.load(&kept);
            whole.train(&spec, 25, 32);
            assert_eq!(second.measure_now(32, 64), whole.measure_now(32, 64), "{link}");
            // Going back makes no token anew.
            assert_eq!(
                whole.network.process.tokens[0].as_ref().unwrap().evaluator.transformer().steps(),
                40,
                "{link}"
            );
        }
    }

    #[test]
    fn weights_of_a_file_are_executed_as_they_are() {
        let spec = spec("m=increment&t=14");
        let mut learner = MachineLearner::new(&spec).unwrap();
        let mut kept = ready(learner.weights());
        learner.train(&spec, 0, 14);
        // Without the rule's hidden units nothing happens any more.
        kept.parameters[1].fill(0.0);
        learner.load(&kept);
        learner.train(&spec, 0, 14);
        let row = learner.measure_now(14, 64);
        assert!(row.measures[MachineMetric::FirstWrong as usize][0] <= 2.0, "{row:?}");
        assert!(row.test_accuracy[0] < 0.1);
    }
}
