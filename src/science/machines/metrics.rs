//! What is measured of a transformer that runs a machine, beside the ordinary simulator.

use super::simulator::Run;
use super::transformer::Transformer;
use vivarium_core::choices;

choices! {
    /// What is measured besides deviations and correct steps, in the order of [`Standing::measures`].
    pub enum Measured {
        /// [`Standing::first_wrong`], or one more than there are steps where no step was wrong.
        FirstWrong = "first-wrong", "First wrong step";
        /// [`Standing::gap`], or 0 where no attention had two different scores.
        Gap = "score-gap", "Smallest gap of the scores";
        /// [`Standing::largest`].
        Largest = "largest-deviation", "Largest deviation";
        /// Blocks of the transformer.
        Blocks = "blocks", "Blocks";
        /// Bits of a position.
        Bits = "position-bits", "Bits of a position";
        /// The cell of the head, as the newest token says.
        Head = "head-cell", "Cell of the head";
        /// The number of the state, as the newest token says.
        State = "machine-state", "State";
        /// Whether the newest token is in a state without a rule for its symbol: 1, else 0.
        Halted = "halted", "Halted";
    }
}

/// What is so after a step of the transformer.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Standing {
    /// Steps of the machine made.
    pub step: usize,
    /// The largest distance of a number from 0 or 1, before rounding, in the last step.
    pub deviation: f64,
    /// The same in all steps so far, step 0 among them.
    pub largest: f64,
    /// The smallest gap between the largest score and the next, in all steps so far, step 0 among them.
    pub gap: Option<f64>,
    /// Steps whose token is the simulator's.
    pub right: usize,
    /// The first step whose token is not.
    pub first_wrong: Option<usize>,
}

impl Standing {
    /// The share of the steps so far whose token is the simulator's; 1 before the first.
    pub fn share_right(&self) -> f64 {
        if self.step == 0 { 1.0 } else { self.right as f64 / self.step as f64 }
    }

    /// Steps before the first wrong one, as a share of `all`: 1 when all are made and right.
    pub fn share_done(&self, all: usize) -> f64 {
        let before = self.first_wrong.map_or(self.step, |wrong| wrong - 1);
        before as f64 / all.max(1) as f64
    }
}

/// A number as files hold it: what is beyond all numbers, or is none, is the largest.
pub fn finite(number: f64) -> f32 {
    if number.abs() < f64::from(f32::MAX) { number as f32 } else { f32::MAX }
}

/// A transformer beside the simulator, with what was so after each step.
#[derive(Debug, Clone)]
pub struct Course {
    transformer: Transformer,
    standings: Vec<Standing>,
}

impl Course {
    /// Of a transformer after step 0, before the machine's first step.
    pub fn new(transformer: Transformer) -> Self {
        let (deviation, gap) =
            transformer.trace().map_or((0.0, None), |trace| (trace.deviation(), trace.gap()));
        let begun = Standing { deviation, largest: deviation, gap, ..Standing::default() };
        Course { transformer, standings: vec![begun] }
    }

    /// The transformer, with the tokens that it has made.
    pub fn transformer(&self) -> &Transformer {
        &self.transformer
    }

    /// What was so after so many steps; steps that are not made yet are made now, as far as there is room.
    pub fn at(&mut self, run: &Run, step: usize) -> Standing {
        while self.standings.len() <= step {
            let last = self.standings.last().copied().unwrap_or_default();
            let Some(moment) = self.transformer.advance() else { return last };
            let (deviation, gap) =
                self.transformer.trace().map_or((0.0, None), |trace| (trace.deviation(), trace.gap()));
            let made = last.step + 1;
            let is_right = run.moments.get(last.step) == Some(&moment);
            self.standings.push(Standing {
                step: made,
                deviation,
                // A number that is none stays.
                largest: if deviation <= last.largest { last.largest } else { deviation },
                gap: [last.gap, gap].into_iter().flatten().reduce(f64::min),
                right: last.right + usize::from(is_right),
                first_wrong: last.first_wrong.or((!is_right).then_some(made)),
            });
        }
        self.standings[step]
    }

    /// The measures after so many steps in the order of [`Measured`], for a run of the whole of `run`.
    pub fn measures(&mut self, machine: &super::Machine, run: &Run, step: usize) -> [f32; 8] {
        let standing = self.at(run, step);
        let layout = self.transformer.construction().layout();
        let newest = match standing.step {
            0 => self.transformer.beginning(),
            made => self.transformer.tokens().get(made - 1).copied().unwrap_or(run.beginning()),
        };
        let all = [
            standing.first_wrong.unwrap_or(run.moments.len() + 1) as f64,
            standing.gap.unwrap_or(0.0),
            standing.largest,
            self.transformer.construction().blocks().len() as f64,
            layout.bits() as f64,
            newest.head as f64,
            newest.state as f64,
            f64::from(u8::from(machine.rule(newest.state, newest.symbol).is_none())),
        ];
        all.map(finite)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machines::library::example;
    use crate::machines::{Construction, How, Program};

    fn course(sigma: f64) -> (Program, Run, Course) {
        let example = example("busy-beaver-3").unwrap();
        let program = Program::new(example.machine().unwrap(), vec![], 8, 21).unwrap();
        let construction = Construction::new(&program.machine, program.bits).unwrap().noisy(sigma, 1, 0);
        let how = How { rounding: sigma == 0.0, ..How::default() };
        let transformer = Transformer::new(construction.into(), &[], 8, how).unwrap();
        let run = program.run().unwrap();
        (program, run, Course::new(transformer))
    }

    #[test]
    fn a_run_without_noise_is_right_to_the_end() {
        let (program, run, mut course) = course(0.0);
        // Step 0 is no step of the machine. Without an input its attention has null slots alone.
        let begun = course.at(&run, 0);
        assert_eq!((begun.step, begun.right, begun.first_wrong), (0, 0, None));
        assert!(begun.largest <= 4.5e-16 && begun.gap.is_none(), "{begun:?}");
        let last = course.at(&run, 21);
        assert_eq!((last.step, last.right, last.first_wrong), (21, 21, None));
        assert!(last.largest <= 4.5e-16 && (last.gap.unwrap() - 1.0).abs() < 1e-12);
        assert_eq!((last.share_right(), last.share_done(21)), (1.0, 1.0));
        assert_eq!(course.at(&run, 10).share_done(20), 0.5);
        let measures = course.measures(&program.machine, &run, 21);
        assert_eq!([measures[0], measures[3], measures[4], measures[7]], [22.0, 9.0, 5.0, 1.0]);
        assert_eq!(course.measures(&program.machine, &run, 0)[5], 8.0);
        // Five bits hold 31 steps and no more.
        assert_eq!(course.at(&run, 1000).step, 31);
    }

    #[test]
    fn the_first_wrong_step_stays() {
        let (program, run, mut course) = course(1e-3);
        let last = course.at(&run, 21);
        let wrong = last.first_wrong.unwrap();
        assert_eq!(course.transformer().first_wrong(&run), Some(wrong));
        assert_eq!(course.at(&run, wrong - 1).first_wrong, None);
        assert_eq!(last.share_done(21), (wrong - 1) as f64 / 21.0);
        assert_eq!(course.measures(&program.machine, &run, 21)[0], wrong as f32);
        assert!(course.measures(&program.machine, &run, 21).iter().all(|x| x.is_finite()));
        assert_eq!([finite(f64::NAN), finite(f64::INFINITY), finite(0.5)], [f32::MAX, f32::MAX, 0.5]);
    }
}
