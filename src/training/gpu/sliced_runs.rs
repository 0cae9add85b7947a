//! Runs of one shape that train slice by slice, all their replicas together.
//!
//! # Why
//! A slice of steps is enqueued at once and read back once with all its measurements; the weights stay where they
//! are. Where a run ends at a measurement in the middle of a slice, or diverges after it, the weights of that
//! measurement are made again: from a copy that was taken a moment before, by the same steps, which give the
//! same numbers. That is rare, and it spares every other slice a copy.
//!
//! Runs of a set share what their kernels are compiled for, so that one launch trains all of them: they keep step, and
//! whoever falls behind or ends is left out of the next launches.
//!
//! # Speed
//! 16 runs on Z_13 with 64 neurons, 400 steps each, on a GPU that is simulated by two processor cores: 15 s one after the
//! other, 9 s together, with the same numbers to the last bit. No GPU has been timed yet. 2026-11-23.

use crate::gpu::learner::{Candidate, GpuLearner, SharedRuns, Waiting};
use crate::session::learner::{Progress, Segment, Weights};
use crate::session::rollback::RollbackBuffer;
use vivarium_kernels::plan::Limits;
use vivarium_kernels::slices::{SavedRun, Slices};
use vivarium_model::protocol::{Measurement, RunError};
use vivarium_model::run::RunSpec;

/// A family of networks with its kernels and examples: what differs between these learners. Runs lie side by side.
pub trait GpuNetwork: Sized + 'static {
    /// What the kernels are compiled for; runs with the same can lie side by side.
    type Compiled: PartialEq + 'static;
    /// What launches measure before a step, of all selected runs.
    type Record;

    /// What `spec` is compiled for on a GPU with these limits.
    ///
    /// # Errors
    /// A sentence that says why the network does not fit the kernels or the GPU.
    fn compiled(spec: &RunSpec, limits: Limits) -> Result<Self::Compiled, String>;

    /// Bytes that such a run takes on the GPU, roughly.
    fn bytes(compiled: &Self::Compiled) -> u64;

    /// The networks of these runs, whose weights are put there later, on the GPU that has been opened.
    ///
    /// # Errors
    /// A sentence that says why they do not fit the kernels or the GPU, or not together.
    fn new(specs: &[RunSpec]) -> Result<Self, String>;

    /// The networks' state on the GPU, and how far those that are selected have been trained.
    fn slices(&self) -> &Slices;

    /// As [`GpuNetwork::slices`].
    fn slices_mut(&mut self) -> &mut Slices;

    /// Replaces the state of run `who`: of every replica the parameters, then their moments.
    fn put(&mut self, who: usize, state: &[f32]) {
        self.slices_mut().put(who, state);
    }

    /// The step after `step` up to which a slice can go, because what it is launched with holds so far.
    fn slice_end(&self, _spec: &RunSpec, _step: u64) -> u64 {
        u64::MAX
    }

    /// Whether held-out examples are measured by launches of their own, where a slice begins.
    fn measures_apart(&self) -> bool {
        false
    }

    /// Makes ready for slices of run `who` from `step` on.
    fn adjust(&mut self, who: usize, spec: &RunSpec, step: u64);

    /// Makes one slice of steps of the selected runs towards step `last` and measures before each of them that `every`
    /// divides, unless that has been measured before; with `look` the end too, if it is reached.
    fn train(
        &mut self,
        last: u64,
        every: u64,
        look: bool,
    ) -> impl Future<Output = Result<Vec<Self::Record>, RunError>>;

    /// Measures held-out examples where the selected runs stand, if they are [measured
    /// apart](GpuNetwork::measures_apart).
    fn measure_apart(&mut self) -> impl Future<Output = Result<Option<Self::Record>, RunError>> {
        async { Ok(None) }
    }

    /// The measurements of run `who`, which is number `at` of those that were selected, with those that were made
    /// apart.
    fn row(&self, who: usize, at: usize, record: &Self::Record, apart: Option<&Self::Record>) -> Measurement;
}

/// Trains all replicas of one run with the kernels of its family.
pub type SlicedLearner<N> = GpuLearner<SlicedRuns<N>>;

impl<N: GpuNetwork> SlicedLearner<N> {
    /// The learner of `spec` at its initial weights, on the GPU that has been opened.
    ///
    /// # Errors
    /// A sentence that says why the network does not fit the kernels or the GPU.
    pub fn new(spec: &RunSpec) -> Result<Self, String> {
        let specs = std::slice::from_ref(spec);
        let (_, learners) = SlicedLearner::of(SlicedRuns::new(specs)?, specs);
        learners.into_iter().next().ok_or_else(|| "there is no run".into())
    }
}

/// A run of the set.
struct SlicedRun {
    /// With the learning rates set so far.
    spec: RunSpec,
    /// Steps made, and the last that has been measured.
    step: u64,
    recorded: Option<u64>,
    /// Last step of the run.
    last: u64,
    /// Whether somebody wants it to go on.
    active: bool,
    /// Whether it comes along with others.
    detached: bool,
    /// What a launch for another has brought it and it has not asked for.
    waiting: Option<Progress>,
    rollback: RollbackBuffer<SavedRun>,
}

/// Runs of one shape, alone or with others.
pub struct SlicedRuns<N: GpuNetwork> {
    pub(crate) network: N,
    runs: Vec<SlicedRun>,
}

/// A run that waits, with what it is compiled for.
struct SlicedCandidate<N: GpuNetwork> {
    compiled: N::Compiled,
    every: u64,
}

impl<N: GpuNetwork> Candidate for SlicedCandidate<N> {
    fn bytes(&self) -> u64 {
        N::bytes(&self.compiled)
    }

    fn order(&self) -> [usize; 2] {
        [0, 0]
    }

    fn joins(&self, others: &[&dyn Candidate]) -> bool {
        others.iter().all(|other| {
            let other = other.of::<SlicedCandidate<N>>();
            other.is_some_and(|other| other.every == self.every && other.compiled == self.compiled)
        })
    }
}

impl<N: GpuNetwork> SlicedRuns<N> {
    /// These runs, each at its initial weights, on the GPU that has been opened.
    ///
    /// # Errors
    /// As [`GpuNetwork::new`].
    pub fn new(specs: &[RunSpec]) -> Result<Self, String> {
        let run = |spec: &RunSpec| SlicedRun {
            spec: spec.clone(),
            step: 0,
            recorded: None,
            last: spec.run.steps,
            active: true,
            detached: false,
            waiting: None,
            rollback: RollbackBuffer::new(),
        };
        let mut runs = SlicedRuns { network: N::new(specs)?, runs: specs.iter().map(run).collect() };
        for (who, spec) in specs.iter().enumerate() {
            let zeros = |p: &vivarium_model::models::Parameter| {
                vec![vec![0.0; p.len()]; spec.optimizer.moment_count()]
            };
            let moments = spec.parameters().iter().map(zeros).collect();
            runs.load(who, &Weights { parameters: spec.initialize_parameters(), moments });
        }
        Ok(runs)
    }

    /// A run of this family as one that waits for others.
    ///
    /// # Errors
    /// As [`GpuNetwork::compiled`].
    pub fn candidate(spec: &RunSpec, limits: Limits) -> Waiting {
        let compiled = N::compiled(spec, limits)?;
        Ok(Box::new(SlicedCandidate::<N> { compiled, every: spec.run.every }))
    }

    /// The runs that come along with `who`, itself among them: those that stand where it does and measure when it does.
    fn members(&self, who: usize) -> Vec<usize> {
        let first = &self.runs[who];
        let comes = |run: &SlicedRun| {
            let stands = run.step == first.step && run.recorded == first.recorded;
            let goes_on = (run.step < run.last) == (first.step < first.last);
            run.active
                && !run.detached
                && run.waiting.is_none()
                && stands
                && goes_on
                && run.spec.run.every == first.spec.run.every
        };
        (0..self.runs.len()).filter(|at| *at == who || comes(&self.runs[*at])).collect()
    }

    /// Selects these runs, all of which stand where the first of them does.
    fn select(&mut self, members: &[usize], recorded: Option<u64>) {
        let step = members.first().map_or(0, |first| self.runs[*first].step);
        for who in members {
            self.network.adjust(*who, &self.runs[*who].spec, step);
        }
        self.network.slices_mut().select(members.to_vec(), step, recorded);
    }

    /// The step up to which a slice of these runs can go.
    fn slice_end(&self, members: &[usize]) -> u64 {
        let end = |run: &SlicedRun| self.network.slice_end(&run.spec, run.step).min(run.last);
        members.iter().map(|who| end(&self.runs[*who])).min().unwrap_or(u64::MAX)
    }

    /// One slice for `who` and those that come along: each finds it [waiting](SlicedRun::waiting).
    async fn slice(&mut self, who: usize, segment: &Segment<'_>) -> Result<(), RunError> {
        let from = self.runs[who].step;
        let mut members = self.members(who);
        let (every, apart) = (segment.spec.run.every, self.network.measures_apart());
        let mut until = segment.until.min(self.slice_end(&members)).max(from);
        if apart {
            until = until.min((from + 1).next_multiple_of(every));
        }
        let is_end = until == from || from >= segment.last;
        if is_end {
            // Nobody else is needed to measure a run where it stands.
            members = vec![who];
        }
        for who in &members {
            if self.runs[*who].rollback.wants_state() {
                let saved = self.network.slices().save(*who);
                self.runs[*who].rollback.save(from, saved);
            }
        }
        let progress = if segment.due(from) && (apart || is_end) {
            self.rows_here(&members).await?.into_iter().map(|row| vec![row]).collect()
        } else {
            self.select(&members, self.runs[who].recorded);
            let records = self.network.train(until, every, false).await?;
            let rows = |(at, who): (usize, &usize)| -> Vec<Measurement> {
                records.iter().map(|record| self.network.row(*who, at, record, None)).collect()
            };
            members.iter().enumerate().map(rows).collect::<Vec<_>>()
        };
        let step = self.network.slices().step();
        for (who, rows) in members.into_iter().zip(progress) {
            let run = &mut self.runs[who];
            run.step = step;
            run.recorded = rows.last().map(|row: &Measurement| row.step).or(run.recorded);
            run.waiting = Some(Progress { step, rows });
        }
        Ok(())
    }

    /// Measures these runs where they stand.
    async fn rows_here(&mut self, members: &[usize]) -> Result<Vec<Measurement>, RunError> {
        self.select(members, None);
        let here = self.network.slices().step();
        let records = self.network.train(here, 1, true).await?;
        let apart = self.network.measure_apart().await?;
        let Some(record) = records.first() else {
            return Err(RunError::Internal(
                "a network on the GPU could not be measured where it stands".into(),
            ));
        };
        let row = |(at, who): (usize, &usize)| self.network.row(*who, at, record, apart.as_ref());
        Ok(members.iter().enumerate().map(row).collect())
    }

    /// Takes it that the weights of `who` are those of `step`, which only a run that is taken up again must be told.
    fn stand(&mut self, who: usize, step: u64) {
        let run = &mut self.runs[who];
        if run.step != step {
            (run.step, run.recorded) = (step, None);
            run.rollback.stand(step);
        }
    }
}

impl<N: GpuNetwork> SharedRuns for SlicedRuns<N> {
    async fn advance(&mut self, who: usize, segment: &Segment<'_>) -> Result<Progress, RunError> {
        let run = &mut self.runs[who];
        (run.active, run.last) = (true, segment.last);
        run.spec.run.schedule.clone_from(&segment.spec.run.schedule);
        if run.waiting.is_none() {
            self.stand(who, segment.from);
            self.runs[who].recorded = segment.measured;
            self.slice(who, segment).await?;
        }
        let run = &mut self.runs[who];
        let mut progress = run.waiting.take().unwrap_or_default();
        progress.rows.retain(|row| segment.due(row.step));
        run.rollback.recent.clone_from(&progress.rows);
        Ok(progress)
    }

    async fn look(&mut self, who: usize, step: u64, _held_out: usize) -> Result<Measurement, RunError> {
        match self.runs[who].rollback.measured(step) {
            Some(row) if step != self.runs[who].step => Ok(row.clone()),
            _ => {
                self.stand(who, step);
                let row = self.rows_here(&[who]).await?.pop();
                row.ok_or_else(|| RunError::Internal("nothing was measured".into()))
            }
        }
    }

    async fn state_of(&self, who: usize, count: usize) -> Result<Vec<f32>, RunError> {
        self.network.slices().state_of(who, count).await
    }

    fn load(&mut self, who: usize, weights: &Weights) {
        let run = &self.runs[who];
        let state = weights.by_replica(run.spec.run.replicas, run.spec.optimizer.moment_count());
        self.network.put(who, &state);
        let saved = self.network.slices().save(who);
        let run = &mut self.runs[who];
        (run.recorded, run.waiting) = (None, None);
        run.rollback.begin(run.step, saved);
    }

    fn remember(&mut self, who: usize, step: u64) {
        self.runs[who].rollback.remember(step);
    }

    /// Goes back to the newest copy that is known to be good, and trains from there without measuring.
    async fn restore(&mut self, who: usize) -> Result<(), RunError> {
        let run = &mut self.runs[who];
        let (saved, from, to) = run.rollback.go_back();
        if let Some(saved) = saved {
            self.network.slices().restore(who, saved);
        }
        (run.step, run.recorded, run.waiting) = (from, None, None);
        while self.runs[who].step < to {
            // The state that is gone back to may itself be due.
            let from = self.runs[who].step;
            self.select(&[who], Some(from));
            let until = to.min(self.network.slice_end(&self.runs[who].spec, from));
            self.network.train(until, u64::MAX, false).await?;
            self.runs[who].step = self.network.slices().step();
        }
        Ok(())
    }

    fn detach(&mut self, who: usize) {
        self.runs[who].detached = true;
    }

    fn end(&mut self, who: usize) {
        (self.runs[who].active, self.runs[who].waiting) = (false, None);
    }

    fn leave(&mut self, who: usize) {
        self.end(who);
        self.runs[who].rollback = RollbackBuffer::new();
    }

    fn steps(&self) -> f64 {
        self.network.slices().steps()
    }

    fn awake(&self) -> usize {
        self.runs.iter().filter(|run| run.active).map(|run| run.spec.run.replicas).sum()
    }
}

#[cfg(test)]
#[cfg(feature = "cli")]
mod tests;
