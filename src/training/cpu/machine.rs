//! The learner of transformers that run a Turing machine: a step of the run is a step of the machine in every replica, up to
//! step T; after it nothing changes.
//!
//! # Why
//! It is a learner like the others, so that transport, links, sweeps and files are there for a transformer that is written down
//! too. Keys and values of past tokens never change, so the tokens that a replica has made are kept, and its state is the
//! number of its step: to go back is to look at an earlier token, and nothing is computed twice. Where nothing is kept, after a
//! file was loaded, the tokens are made anew as soon as one is asked for.
//!
//! # Speed
//! One of two hyperthreads of an AMD EPYC with AVX-512, natively, with all measurements (2026-11-25): the busy beaver's 107
//! tokens in 11 ms, 1,000 tokens of the endless counter in 0.26 s, 10,000 in 65 s. The cost of a token grows with those before
//! it, all of which each attention reads.

use std::sync::Arc;

use super::learner::{CpuLearner, CpuNetwork};
use vivarium_kernels::cpu::ReplicaState;
use vivarium_kernels::cpu::one_hidden_layer::Update;
use vivarium_model::models::Family;
use vivarium_model::models::family::RunsMachine;
use vivarium_model::models::machine_transformer::STEP;
use vivarium_model::protocol::Measurement;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::TaskData;
use vivarium_science::machines::{
    Construction, MachineMetric, MachineProgram, MachineRun, TransformerEvaluator, clamp_to_f32,
};

/// Steps all replicas of one transformer on the processor.
pub type MachineCpu = CpuLearner<MachineRuns>;

/// The transformers of a run.
pub struct MachineRuns {
    net: RunsMachine,
    program: Arc<MachineProgram>,
    run: MachineRun,
    exact: Construction,
    courses: Vec<Option<Kept>>,
    /// The replica whose turn it is.
    turn: usize,
}

/// The tokens of a replica, and the weights that made them.
struct Kept {
    weights: Arc<Vec<Vec<f32>>>,
    course: TransformerEvaluator,
}

/// What one replica is at.
#[derive(Debug, Clone, PartialEq)]
pub struct Stepped {
    step: usize,
    /// All matrices and vectors, in the order of the [`Construction`].
    weights: Arc<Vec<Vec<f32>>>,
}

impl ReplicaState for Stepped {
    fn read(&self, part: usize, which: usize) -> Vec<f32> {
        let own = match which {
            STEP => vec![self.step as f32],
            other => self.weights[other - 1].clone(),
        };
        // No optimizer remembers anything.
        if part == 0 { own } else { vec![0.0; own.len()] }
    }

    fn write(&mut self, part: usize, which: usize, values: &[f32]) {
        match which {
            _ if part > 0 => {}
            STEP => self.step = values.first().map_or(0, |step| step.max(0.0) as usize),
            // Those that it has already are kept, with the tokens that they have made.
            other if self.weights[other - 1] != values => {
                Arc::make_mut(&mut self.weights)[other - 1].copy_from_slice(values);
            }
            _ => {}
        }
    }

    fn copy(&mut self, other: &Self) {
        self.clone_from(other);
    }
}

impl MachineRuns {
    /// The tokens of replica `number`, with what they are made from.
    fn course(
        &mut self,
        number: usize,
        replica: &Stepped,
    ) -> Option<(&mut TransformerEvaluator, &MachineProgram, &MachineRun)> {
        let MachineRuns { net, program, run, exact, courses, .. } = self;
        let slot = courses.get_mut(number)?;
        let is_its_own =
            |kept: &Kept| Arc::ptr_eq(&kept.weights, &replica.weights) || kept.weights == replica.weights;
        if !slot.as_ref().is_some_and(is_its_own) {
            let values: Vec<&[f32]> = replica.weights.iter().map(Vec::as_slice).collect();
            let transformer = net.begin(exact.clone().with_tensors(&values), program)?;
            *slot = Some(Kept {
                weights: replica.weights.clone(),
                course: TransformerEvaluator::new(transformer),
            });
        }
        let kept = slot.as_mut()?;
        // Where they are equal, they are the same from now on.
        kept.weights = replica.weights.clone();
        Some((&mut kept.course, program, run))
    }
}

impl CpuNetwork for MachineRuns {
    type Replica = Stepped;

    fn new(spec: &RunSpec) -> Result<(Self, Stepped), String> {
        let Some(Family::Machine(net)) = spec.model.config().family() else {
            return Err(format!("{} is trained, not executed", spec.model.info().name));
        };
        let TaskData::Steps(Some(program)) = spec.task.data() else {
            return Err(format!("its task is {}", spec.task.info().name));
        };
        let run = program.simulate().map_err(|mistake| mistake.to_string())?;
        let exact =
            Construction::new(&program.machine, program.bits).map_err(|mistake| mistake.to_string())?;
        let shapes = exact.tensors();
        let weights = Arc::new(shapes.map(|tensor| vec![0.0; tensor.values.len()]).collect());
        let courses = (0..spec.run.replicas).map(|_| None).collect();
        Ok((MachineRuns { net, program, run, exact, courses, turn: 0 }, Stepped { step: 0, weights }))
    }

    /// A machine sees no examples; here it is told whose turn it is.
    fn draw(&mut self, _spec: &RunSpec, number: usize, _step: u64) {
        self.turn = number;
    }

    fn step(&mut self, replica: &mut Stepped, _spec: &RunSpec, _step: u64, _update: &Update) {
        replica.step = (replica.step + 1).min(self.program.steps);
        let step = replica.step;
        if let Some((course, _, run)) = self.course(self.turn, replica) {
            course.metrics_at(run, step);
        }
    }

    fn measure(
        &mut self,
        replica: &mut Stepped,
        number: usize,
        _step: u64,
        _held_out: usize,
        row: &mut Measurement,
    ) {
        let step = replica.step.min(self.program.steps);
        row.measures.resize(MachineMetric::ALL.len(), vec![]);
        let Some((course, program, run)) = self.course(number, replica) else { return };
        let standing = course.metrics_at(run, step);
        row.train_loss.push(clamp_to_f32(standing.deviation));
        row.train_accuracy.push(clamp_to_f32(standing.correct_share()));
        row.test_loss.push(clamp_to_f32(standing.max_deviation));
        row.test_accuracy.push(clamp_to_f32(standing.correct_prefix_share(program.steps)));
        let measures = course.compute_metrics(&program.machine, run, step);
        row.measures.iter_mut().zip(measures).for_each(|(all, one)| all.push(one));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::learner::{Learner, ready};
    use vivarium_model::permalink::decode;

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
            let mut learner = MachineCpu::new(&spec).unwrap();
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
            let kept = learner.network.courses[0].as_ref().unwrap();
            assert_eq!(kept.course.transformer().tokens(), run.records, "nothing happens after step T");
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
            let (mut whole, mut first) = (MachineCpu::new(&spec).unwrap(), MachineCpu::new(&spec).unwrap());
            whole.train(&spec, 0, 40);
            first.train(&spec, 0, 25);
            let kept = ready(first.weights());
            let mut second = MachineCpu::new(&spec).unwrap();
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
            assert_eq!(whole.network.courses[0].as_ref().unwrap().course.transformer().steps(), 40, "{link}");
        }
    }

    #[test]
    fn weights_of_a_file_are_executed_as_they_are() {
        let spec = spec("m=increment&t=14");
        let mut learner = MachineCpu::new(&spec).unwrap();
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
