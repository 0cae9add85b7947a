//! What a learner is: something that makes training steps on all replicas and can be measured and saved.

use std::future::Future;
use std::pin::Pin;
#[cfg(feature = "session")]
use std::rc::Rc;

#[cfg(feature = "session")]
use crate::session::helper::ShardJob;
use vivarium_model::protocol::{Measurement, RunError};
use vivarium_model::run::RunSpec;

/// Most examples of a finite sample that training loss and accuracy are measured on.
pub const MEASURE_SAMPLE: usize = 8192;

/// A future on one thread; tensors stay where they were made.
pub type Local<'a, T> = Pin<Box<dyn Future<Output = Result<T, RunError>> + 'a>>;

/// Parameters and optimizer memory as plain numbers, in the order of `Architecture::parameters`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Weights {
    /// One array per parameter, `[replicas, rows, columns]`.
    pub parameters: Vec<Vec<f32>>,
    /// For every parameter, the optimizer's moments, each of the parameter's shape.
    pub moments: Vec<Vec<Vec<f32>>>,
}

impl Weights {
    /// From the numbers of one replica after the other: of each its parameters of these lengths, then as many `moments`
    /// of all of them.
    pub fn from_replicas(state: &[f32], replicas: usize, lengths: &[usize], moments: usize) -> Self {
        let mut weights = Weights {
            parameters: vec![vec![]; lengths.len()],
            moments: vec![vec![vec![]; moments]; lengths.len()],
        };
        let each: Vec<usize> = (0..=moments).flat_map(|_| lengths.iter().copied()).collect();
        for replica in state.chunks(state.len() / replicas) {
            for (at, values) in split(replica, each.iter().copied()).into_iter().enumerate() {
                let (part, which) = (at / lengths.len(), at % lengths.len());
                match part {
                    0 => weights.parameters[which].extend(values),
                    moment => weights.moments[which][moment - 1].extend(values),
                }
            }
        }
        weights
    }

    /// The other way round from [`Weights::from_replicas`].
    pub fn by_replica(&self, replicas: usize, moments: usize) -> Vec<f32> {
        let mut state = vec![];
        for r in 0..replicas {
            let own = |values: &[f32]| -> Vec<f32> {
                let length = values.len() / replicas;
                values[r * length..(r + 1) * length].to_vec()
            };
            state.extend(self.parameters.iter().flat_map(|values| own(values)));
            for moment in 0..moments {
                state.extend(self.moments.iter().flat_map(|kept| own(&kept[moment])));
            }
        }
        state
    }
}

/// Numbers that were read together, as arrays of these lengths.
pub fn split(numbers: &[f32], lengths: impl IntoIterator<Item = usize>) -> Vec<Vec<f32>> {
    let mut rest = numbers;
    let mut next = |length| {
        let (these, others) = rest.split_at(length);
        rest = others;
        these.to_vec()
    };
    lengths.into_iter().map(&mut next).collect()
}

/// A stretch of a run: what is to be trained and measured next.
#[derive(Debug, Clone, Copy)]
pub struct Segment<'a> {
    /// The run, with the learning rates set so far.
    pub spec: &'a RunSpec,
    /// Steps made.
    pub from: u64,
    /// Step not to go beyond.
    pub until: u64,
    /// Last step of the run, which is measured whatever its number.
    pub last: u64,
    /// Step that has been measured already.
    pub measured: Option<u64>,
    /// Held-out examples to measure on.
    pub held_out: usize,
    /// Moment to stop at, in milliseconds of [`vivarium_model::platform::now_ms`].
    pub deadline_ms: f64,
}

impl Segment<'_> {
    /// Whether the run is to be measured when `step` steps have been made.
    pub fn due(&self, step: u64) -> bool {
        let scheduled = step.is_multiple_of(self.spec.run.every) || step >= self.last;
        scheduled && self.measured != Some(step)
    }
}

/// How far a segment came.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Progress {
    /// Steps made.
    pub step: u64,
    /// Measurements, each from before the training step of its number.
    pub rows: Vec<Measurement>,
}

/// Somebody who has the same run, and computes gradients of its shards.
#[cfg(feature = "session")]
pub trait Helper {
    /// Whether it can be asked.
    fn is_ready(&self) -> bool;

    /// Asks for what [`Learner::shard_gradients`] gives, at once;
    /// the future waits for it.
    fn ask(&self, job: &ShardJob, weights: Vec<f32>) -> Local<'static, Vec<f32>>;
}

/// Makes ready helpers for a run: as many as are wanted, or fewer.
#[cfg(feature = "session")]
pub type OpenHelpers = fn(&RunSpec, usize) -> Vec<Rc<dyn Helper>>;

/// Trains all replicas of one run. How far is decided by [`crate::session::Session`].
pub trait Learner {
    /// Trains from step `segment.from` on and measures what is due, until the segment's end, its deadline or a
    /// convenient place before. A segment that begins where a measurement is due makes it, or a part of it: the row comes when
    /// it is complete.
    fn advance<'a>(&'a mut self, segment: &'a Segment<'a>) -> Local<'a, Progress>;

    /// Loss and accuracy before training step `step`, on what is trained on and on the first `held_out`
    /// held-out examples. `step` is where the learner stands, or has a row in the progress it told last.
    fn measure(&mut self, step: u64, held_out: usize) -> Local<'_, Measurement>;

    /// The weights now.
    fn weights(&self) -> Local<'_, Weights>;

    /// The first `count` parameters of the first replica, each `[rows, columns]`, in one reading.
    fn first_replica(&self, count: usize) -> Local<'_, Vec<Vec<f32>>>;

    /// The first parameter of all replicas, `[replicas, rows, columns]`. Learners that can read it without the other weights
    /// override this.
    fn first_layers(&self) -> Local<'_, Vec<f32>> {
        Box::pin(async move { Ok(self.weights().await?.parameters.into_iter().next().unwrap_or_default()) })
    }

    /// Replaces the weights, for instance with those of a checkpoint, and remembers them.
    fn load(&mut self, weights: &Weights);

    /// Remembers, cheaply, the weights before training step `step`, for [`Learner::restore`]; `step` as in
    /// [`Learner::measure`].
    fn remember(&mut self, step: u64);

    /// Goes back to what was remembered.
    fn restore(&mut self) -> Local<'_, ()>;

    /// A replica of which `row`, its newest measurement, is all that is wanted need not be trained or measured any
    /// more. Learners for which all replicas go together go on with it.
    fn stop_replica(&mut self, _replica: usize, _row: &Measurement) {}

    /// Whether a measurement has begun and is not complete.
    fn is_measuring(&self) -> bool {
        false
    }

    /// From now on trains on so many cores of the processor, where that is faster. The numbers stay the same, bit for bit.
    #[cfg(not(target_family = "wasm"))]
    fn use_cores(&mut self, _spec: &RunSpec, _count: usize) {}

    /// How many helpers could share the steps of this run.
    #[cfg(feature = "session")]
    fn wanted_helpers(&self) -> usize {
        0
    }

    /// From now on shares its steps with these helpers. The numbers stay the same, bit for bit.
    #[cfg(feature = "session")]
    fn take_helpers(&mut self, _helpers: Vec<Rc<dyn Helper>>) {}

    /// Of a learner that helps another one: for each shard of a job, the weight with which its gradient counts, and its
    /// gradient with these weights of the replica.
    #[cfg(feature = "session")]
    fn shard_gradients(&mut self, _spec: &RunSpec, _job: &ShardJob, _weights: &[f32]) -> Vec<f32> {
        vec![]
    }

    /// From now on launches for other runs leave this one where it is, so that its weights are those of the step that it
    /// was asked for last. Others still come along with it.
    fn detach(&mut self) {}

    /// The run has ended: nothing more is asked, unless it is made to go on.
    fn end(&mut self) {}
}

/// The replicas that have been [stopped](Learner::stop_replica), each with its last measurement.
#[derive(Debug, Clone, Default)]
pub struct StoppedReplicas(Vec<Option<Measurement>>);

impl StoppedReplicas {
    /// `replica` is stopped from now on.
    pub fn add(&mut self, replica: usize, row: &Measurement) {
        if self.0.len() <= replica {
            self.0.resize(replica + 1, None);
        }
        self.0[replica] = Some(row.of_replica(replica));
    }

    /// The row with the last measurement of those that have been stopped in place of later ones, which hang on how
    /// far they happened to be taken along.
    pub fn with_last_rows(&self, row: Measurement) -> Measurement {
        if self.0.iter().all(Option::is_none) {
            return row;
        }
        let mut with_last = Measurement { step: row.step, ..Default::default() };
        for replica in 0..row.test_loss.len() {
            match self.of(replica) {
                Some(last) => with_last.append(last),
                None => with_last.append(&row.of_replica(replica)),
            }
        }
        with_last
    }

    /// The last measurement of `replica`, if it has been stopped.
    pub fn of(&self, replica: usize) -> Option<&Measurement> {
        self.0.get(replica)?.as_ref()
    }
}

/// What a learner on the processor promises, which waits for nothing.
#[cfg(test)]
pub(crate) fn ready<T>(mut future: Local<'_, T>) -> T {
    use std::task::{Context, Poll, Waker};
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result.unwrap(),
        Poll::Pending => panic!("a loop on the processor waits for nothing"),
    }
}
