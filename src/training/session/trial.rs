//! Trials: a run that trains for a moment, to see how fast it goes on a device.

use crate::launch::device::Device;
use crate::session::learner::OpenHelpers;
use crate::session::{Options, Session};
use vivarium_model::platform::now_ms;
use vivarium_model::protocol::{RunError, TrainingSpeed};
use vivarium_model::run::{RunSettings, RunSpec, StopCondition};

/// The smallest number of held-out examples.
const HELD_OUT: usize = 64;
/// Most steps of a slice, so that the launches of a GPU do not pile up unseen.
const MOST_STEPS: u64 = 200_000;
/// How long a run trains before it is timed, as a part of the time for which it is timed.
const WARM_UP: f64 = 0.5;
/// The same of a run that waits for helpers, in milliseconds: each of them opens a program.
const HELPERS_MS: f64 = 400.0;

/// The run of `spec`, as long as it may be, with next to no measurements on its way.
pub fn endless(spec: &RunSpec) -> RunSpec {
    let run =
        RunSettings { halt: StopCondition::Steps, steps: 10_000_000, every: 100_000, ..spec.run.clone() };
    let few = RunSpec { run: RunSettings { held_out: HELD_OUT, ..run.clone() }, ..spec.clone() };
    if few.invalid_settings().is_empty() { few } else { RunSpec { run, ..spec.clone() } }
}

/// A run that trains for a moment to be timed.
pub struct Trial {
    session: Session,
    window_ms: f64,
    warm_up_ms: f64,
    stage: Stage,
}

/// How far a trial is.
enum Stage {
    /// The first step is made, which compiles and allocates.
    First,
    /// It trains until this moment, and finds out how many steps make a launch.
    WarmUp(f64),
    /// It has been timed since this moment and this step.
    Timed(f64, u64),
}

impl Trial {
    /// The run of `spec` at its start, to be timed for `window_ms` milliseconds.
    ///
    /// # Errors
    /// As [`Session::start`].
    pub fn start(
        spec: &RunSpec,
        device: &Device,
        cores: usize,
        window_ms: f64,
        helpers: Option<OpenHelpers>,
    ) -> Result<Self, RunError> {
        let spec = endless(spec);
        let options = Options { held_out_limit: Some(HELD_OUT), cores, ..Options::default() };
        let mut session = Session::start(&spec, device, options)?;
        let mut warm_up_ms = WARM_UP * window_ms;
        if let Some(open) = helpers {
            let wanted = session.wanted_helpers();
            let opened = open(&spec, wanted);
            if !opened.is_empty() {
                warm_up_ms = warm_up_ms.max(HELPERS_MS);
            }
            session.take_helpers(opened);
        }
        Ok(Trial { session, window_ms, warm_up_ms, stage: Stage::First })
    }

    /// Trains for about `slice_ms` milliseconds; the speed, once the time is over.
    ///
    /// # Errors
    /// When the device stops working.
    pub async fn advance(&mut self, slice_ms: f64) -> Result<Option<TrainingSpeed>, RunError> {
        let most = if matches!(self.stage, Stage::First) { 1 } else { MOST_STEPS };
        self.session.advance(slice_ms, most).await?;
        let (now, step, ended) = (now_ms(), self.session.step(), self.session.finished());
        let is_over = match self.stage {
            Stage::First => step > 0,
            Stage::WarmUp(until) => now >= until,
            Stage::Timed(from, first) => now - from >= self.window_ms && step > first,
        };
        if !is_over && !ended {
            return Ok(None);
        }
        // To read weights is to wait for the device.
        self.session.first_layer().await?;
        let now = now_ms();
        // A run that has diverged goes back to its last good measurement.
        if let Stage::Timed(from, first) = self.stage
            && step > first
        {
            let steps_per_s = (step - first) as f64 / (now - from).max(1e-3) * 1e3;
            return Ok(Some(TrainingSpeed { steps_per_s, learner: self.session.learner().into() }));
        }
        if ended {
            return Ok(Some(TrainingSpeed { steps_per_s: 0.0, learner: self.session.learner().into() }));
        }
        self.stage = match self.stage {
            Stage::First => Stage::WarmUp(now + self.warm_up_ms),
            Stage::WarmUp(_) | Stage::Timed(..) => Stage::Timed(now, step),
        };
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::permalink::decode;

    async fn finish(mut trial: Trial) -> TrainingSpeed {
        loop {
            if let Some(speed) = trial.advance(5.0).await.unwrap() {
                return speed;
            }
        }
    }

    #[test]
    fn a_trial_says_how_fast_its_run_goes_and_who_trains() {
        let spec = decode("#v1/sparse-parity?n=8&k=2&width=16&batch=8&steps=1&halt=target").0.spec;
        let trial = Trial::start(&spec, &Device::cpu(), 1, 20.0, None).unwrap();
        let speed = pollster::block_on(finish(trial));
        // One step is all that the run has; the trial has no such end.
        assert!(speed.steps_per_s > 50.0, "{speed:?}");
        assert_eq!(speed.learner, "fused loop, SIMD");
    }

    /// A rate far above what converges: the loss is no number soon, and the trial ends all the same.
    #[test]
    fn a_trial_of_a_run_that_diverges_ends() {
        let spec = decode("#v1/sparse-parity?n=8&k=2&width=16&batch=8&loss=square&lr=1000").0.spec;
        let trial = Trial::start(&spec, &Device::cpu(), 1, 20.0, None).unwrap();
        let speed = pollster::block_on(finish(trial));
        assert!(speed.steps_per_s.is_finite() && speed.steps_per_s >= 0.0, "{speed:?}");
    }

    #[test]
    fn a_run_that_cannot_be_trained_has_no_trial() {
        let mut impossible = decode("#v1/sparse-parity?n=8&k=2").0.spec;
        impossible.parse("k", "5").unwrap();
        impossible.parse("n", "4").unwrap();
        assert!(Trial::start(&impossible, &Device::cpu(), 1, 20.0, None).is_err());
    }
}
