//! What the two learners of networks on pairs train on, on the processor and on a GPU.

use vivarium_model::models::Family;
use vivarium_model::models::family::PairNet;
use vivarium_model::protocol::Measurement;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Batch;

/// Pairs of elements with their labels.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Examples {
    /// The numbers of the two elements.
    pub pairs: Vec<[u32; 2]>,
    /// The number of their product.
    pub labels: Vec<u32>,
}

impl Examples {
    fn of(batch: &Batch) -> Self {
        let numbers = |values: &[f32]| -> Vec<u32> { values.iter().map(|v| *v as u32).collect() };
        Examples { pairs: numbers(&batch.x).as_chunks::<2>().0.to_vec(), labels: numbers(&batch.y) }
    }

    /// The training sample, which all replicas share.
    pub fn trained(spec: &RunSpec) -> Self {
        let (task, mut batch) = (spec.task.sampler(), Batch::default());
        task.append_training_set(spec.run.seed, 0, 0, task.training_set_size().unwrap_or(0), &mut batch);
        Examples::of(&batch)
    }

    /// The held-out pairs, up to those that are wanted; none where every pair is trained on, since they are the
    /// same then.
    pub fn held_out(spec: &RunSpec) -> Option<Self> {
        let (task, mut batch) = (spec.task.sampler(), Batch::default());
        let all = task.inputs().pow(2);
        if task.training_set_size() == Some(all) {
            return None;
        }
        task.append_held_out(spec.run.seed, 0, spec.held_out_count(), &mut batch);
        Some(Examples::of(&batch))
    }
}

/// The network of a run that a loop for pairs covers, or why none does.
///
/// # Errors
/// A sentence for the person.
pub fn covered(spec: &RunSpec) -> Result<PairNet, String> {
    match spec.model.config().family() {
        Some(Family::Pairs(net)) if spec.model.suits(&spec.task) => Ok(net),
        _ => Err(tr!("the model of the run is the {model}", model = spec.model.info().name)),
    }
}

/// Whether the kernels on a GPU cover a run on pairs.
///
/// # Errors
/// A sentence for the person.
pub fn kernels_cover(spec: &RunSpec) -> Result<(), String> {
    covered(spec)?;
    match Some(spec.batch_size()) == spec.task.examples().training_set_size() {
        true => Ok(()),
        false => Err("a step uses only a part of the sample".into()),
    }
}

/// λ of step `step`, in single precision as both loops take it.
pub fn lambda(spec: &RunSpec, step: u64) -> f32 {
    spec.architecture().penalty(step).map_or(0.0, |penalty| penalty.lambda as f32)
}

/// The first step after `step` at which the learning rate or λ changes, if one does.
pub fn next_change(spec: &RunSpec, step: u64) -> Option<u64> {
    let rate = spec.run.schedule.iter().map(|(from, _)| *from).find(|from| *from > step);
    rate.into_iter().chain(spec.architecture().next_penalty(step)).min()
}

/// What was measured of one replica.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// Mean cross-entropy.
    pub loss: f32,
    /// Share of right answers.
    pub accuracy: f32,
}

/// Adds a replica to a measurement: on what is trained on with its normalised margin, and on what is held out.
pub fn note(row: &mut Measurement, train: Measured, margin: f32, test: Measured) {
    row.train_loss.push(train.loss);
    row.train_accuracy.push(train.accuracy);
    row.margin.push(margin);
    row.test_loss.push(test.loss);
    row.test_accuracy.push(test.accuracy);
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::permalink::decode;

    #[test]
    fn examples_are_the_tasks() {
        let spec = decode("#v1/groups?n=5&frac=0.4&seed=3").0.spec;
        let (trained, held_out) = (Examples::trained(&spec), Examples::held_out(&spec).unwrap());
        assert_eq!((trained.pairs.len(), held_out.labels.len()), (10, 15));
        for (pair, label) in trained.pairs.iter().zip(&trained.labels) {
            assert_eq!((pair[0] + pair[1]) % 5, *label);
        }
        assert!(held_out.pairs.iter().all(|pair| !trained.pairs.contains(pair)));
        assert_eq!(Examples::held_out(&decode("#v1/groups?n=5").0.spec), None);
    }

    #[test]
    fn changes_of_rate_and_penalty_come_in_turn() {
        let spec = decode("#v1/groups?lambdas=20:1e-4_60:1e-5&lrs=20:0.1_40:0.2").0.spec;
        let next = [0, 20, 40, 60].map(|step| next_change(&spec, step));
        assert_eq!(next, [Some(20), Some(40), Some(60), None]);
        assert_eq!([10, 30, 70].map(|step| lambda(&spec, step)), [1e-3, 1e-4, 1e-5]);
    }
}
