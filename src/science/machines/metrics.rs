//! Metrics of a transformer that runs a machine, compared with the ordinary simulator.

use super::simulator::MachineRun;
use super::transformer::Transformer;
use vivarium_core::choices;

choices! {
    /// Metrics besides deviations and shares of correct steps, in the order of [`TransformerEvaluator::compute_metrics`].
    pub enum MachineMetric {
        /// [`StepMetrics::first_wrong_step`]; T + 1 if no step was wrong.
        FirstWrong = "first-wrong", "First wrong step";
        /// [`StepMetrics::min_score_gap`]; 0 if no attention had two different scores.
        MinScoreGap = "score-gap", "Smallest gap of the scores";
        /// [`StepMetrics::max_deviation`].
        MaxDeviation = "largest-deviation", "Largest deviation";
        /// Number of blocks of the transformer.
        Blocks = "blocks", "Blocks";
        /// Number of bits of a position.
        Bits = "position-bits", "Bits of a position";
        /// Cell of the head according to the latest token.
        Head = "head-cell", "Cell of the head";
        /// Index of the state according to the latest token.
        State = "machine-state", "State";
        /// 1 if the machine has no rule for the state and symbol of the latest token, else 0.
        Halted = "halted", "Halted";
    }
}

/// Metrics of a transformer that runs a machine, over the steps up to one step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepMetrics {
    /// Number of the step; 0 is the transformer's step before the machine's first.
    pub step: usize,
    /// Largest distance of a token coordinate from the nearer of 0 and 1 in this step, over all blocks, before
    /// rounding.
    pub deviation: f64,
    /// Largest `deviation` of this and all earlier steps, including step 0.
    pub max_deviation: f64,
    /// Smallest difference between the largest and the next smaller attention score, in this and all earlier steps; `None` if
    /// all scores were equal.
    pub min_score_gap: Option<f64>,
    /// Number of machine steps so far, from step 1, whose decoded token agrees with the simulator.
    pub correct_steps: usize,
    /// Number, from 1, of the first step whose decoded token differs from the simulator; `None` if the tokens of
    /// all steps so far agree.
    pub first_wrong_step: Option<usize>,
}

impl StepMetrics {
    /// Share of the steps so far whose token agrees with the simulator; 1 before the first step.
    pub fn correct_share(&self) -> f64 {
        if self.step == 0 { 1.0 } else { self.correct_steps as f64 / self.step as f64 }
    }

    /// Number of steps before the first wrong one, divided by `all`, the number of steps of the run: 1 if all steps
    /// were made and are correct.
    pub fn correct_prefix_share(&self, all: usize) -> f64 {
        let before = self.first_wrong_step.map_or(self.step, |wrong| wrong - 1);
        before as f64 / all.max(1) as f64
    }
}

/// Converts a metric to single precision for files; NaN, infinities and numbers too large for single precision
/// become [`f32::MAX`].
pub fn clamp_to_f32(number: f64) -> f32 {
    if number.abs() < f64::from(f32::MAX) { number as f32 } else { f32::MAX }
}

/// Executes a transformer, compares it with the simulator, and stores the metrics of each step.
#[derive(Debug, Clone)]
pub struct TransformerEvaluator {
    /// The transformer that is executed and compared with the simulator.
    transformer: Transformer,
    /// Metrics after each step so far, from step 0, `[steps + 1]`.
    history: Vec<StepMetrics>,
}

impl TransformerEvaluator {
    /// An evaluator of a transformer before the machine's first step.
    pub fn new(transformer: Transformer) -> Self {
        let (deviation, gap) =
            transformer.last_trace().map_or((0.0, None), |trace| (trace.deviation(), trace.min_score_gap()));
        let initial =
            StepMetrics { deviation, max_deviation: deviation, min_score_gap: gap, ..StepMetrics::default() };
        TransformerEvaluator { transformer, history: vec![initial] }
    }

    /// The transformer, with the tokens of all steps executed so far.
    pub fn transformer(&self) -> &Transformer {
        &self.transformer
    }

    /// The metrics up to step `step`, where decoded tokens are compared with the simulator's run `run`. Missing
    /// steps are executed first; if the number of a step no longer fits into the bits of a position, the metrics of
    /// the last step that does are returned.
    pub fn metrics_at(&mut self, run: &MachineRun, step: usize) -> StepMetrics {
        while self.history.len() <= step {
            let last = self.history.last().copied().unwrap_or_default();
            let Some(moment) = self.transformer.advance() else { return last };
            let (deviation, gap) = self
                .transformer
                .last_trace()
                .map_or((0.0, None), |trace| (trace.deviation(), trace.min_score_gap()));
            let step_count = last.step + 1;
            let is_right = run.records.get(last.step) == Some(&moment);
            self.history.push(StepMetrics {
                step: step_count,
                deviation,
                // NaN stays NaN.
                max_deviation: if deviation <= last.max_deviation { last.max_deviation } else { deviation },
                min_score_gap: [last.min_score_gap, gap].into_iter().flatten().reduce(f64::min),
                correct_steps: last.correct_steps + usize::from(is_right),
                first_wrong_step: last.first_wrong_step.or((!is_right).then_some(step_count)),
            });
        }
        self.history[step]
    }

    /// The eight metrics up to step `step` in the order of [`MachineMetric`]; `run` is the simulator's complete run
    /// of `machine`.
    pub fn compute_metrics(&mut self, machine: &super::Machine, run: &MachineRun, step: usize) -> [f32; 8] {
        let metrics = self.metrics_at(run, step);
        let layout = self.transformer.construction().layout();
        let latest = match metrics.step {
            0 => self.transformer.initial_record(),
            step_count => {
                self.transformer.tokens().get(step_count - 1).copied().unwrap_or(run.initial_record())
            }
        };
        let all = [
            metrics.first_wrong_step.unwrap_or(run.records.len() + 1) as f64,
            metrics.min_score_gap.unwrap_or(0.0),
            metrics.max_deviation,
            self.transformer.construction().blocks().len() as f64,
            layout.bits() as f64,
            latest.head as f64,
            latest.state as f64,
            f64::from(u8::from(machine.rule(latest.state, latest.symbol).is_none())),
        ];
        all.map(clamp_to_f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machines::library::find_example;
    use crate::machines::{Construction, ExecutionMode, MachineProgram};

    fn course(sigma: f64) -> (MachineProgram, MachineRun, TransformerEvaluator) {
        let example = find_example("busy-beaver-3").unwrap();
        let program = MachineProgram::new(example.parse_machine().unwrap(), vec![], 8, 21).unwrap();
        let construction = Construction::new(&program.machine, program.bits).unwrap().with_noise(sigma, 1, 0);
        let mode = ExecutionMode { rounding: sigma == 0.0, ..ExecutionMode::default() };
        let transformer = Transformer::new(construction.into(), &[], 8, mode).unwrap();
        let run = program.simulate().unwrap();
        (program, run, TransformerEvaluator::new(transformer))
    }

    #[test]
    fn all_steps_are_correct_without_noise() {
        let (program, run, mut course) = course(0.0);
        // Step 0 is not a step of the machine. Without an input its attention has only null slots.
        let initial = course.metrics_at(&run, 0);
        assert_eq!((initial.step, initial.correct_steps, initial.first_wrong_step), (0, 0, None));
        assert!(initial.max_deviation <= 4.5e-16 && initial.min_score_gap.is_none(), "{initial:?}");
        let last = course.metrics_at(&run, 21);
        assert_eq!((last.step, last.correct_steps, last.first_wrong_step), (21, 21, None));
        assert!(last.max_deviation <= 4.5e-16 && (last.min_score_gap.unwrap() - 1.0).abs() < 1e-12);
        assert_eq!((last.correct_share(), last.correct_prefix_share(21)), (1.0, 1.0));
        assert_eq!(course.metrics_at(&run, 10).correct_prefix_share(20), 0.5);
        let measures = course.compute_metrics(&program.machine, &run, 21);
        assert_eq!([measures[0], measures[3], measures[4], measures[7]], [22.0, 9.0, 5.0, 1.0]);
        assert_eq!(course.compute_metrics(&program.machine, &run, 0)[5], 8.0);
        // Five bits are enough for at most 31 steps.
        assert_eq!(course.metrics_at(&run, 1000).step, 31);
    }

    #[test]
    fn the_first_wrong_step_does_not_change_later() {
        let (program, run, mut course) = course(1e-3);
        let last = course.metrics_at(&run, 21);
        let wrong = last.first_wrong_step.unwrap();
        assert_eq!(course.transformer().first_wrong_step(&run), Some(wrong));
        assert_eq!(course.metrics_at(&run, wrong - 1).first_wrong_step, None);
        assert_eq!(last.correct_prefix_share(21), (wrong - 1) as f64 / 21.0);
        assert_eq!(course.compute_metrics(&program.machine, &run, 21)[0], wrong as f32);
        assert!(course.compute_metrics(&program.machine, &run, 21).iter().all(|x| x.is_finite()));
        assert_eq!(
            [clamp_to_f32(f64::NAN), clamp_to_f32(f64::INFINITY), clamp_to_f32(0.5)],
            [f32::MAX, f32::MAX, 0.5]
        );
    }
}
