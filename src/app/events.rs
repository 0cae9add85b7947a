//! What has happened along the run: marks on the steps of every chart.
//!
//! # Why
//! Each measurement is looked at once, when it comes: to look through all of them at every drawing would take longer
//! than the drawing, with thousands of replicas.

use super::state::{Phase, State};
use super::words::thousands;
use crate::analysis::chains::curves::{name, nearest};
use crate::analysis::curves::spread;
use crate::markov::Measure;
use crate::protocol::Row;

/// Accuracy on a finite sample from which it counts as memorised.
const MEMORISED: f32 = 0.99;
/// Measurements in a row after which a strategy counts as followed.
const LASTING: u32 = 3;

/// What was noted in measurements.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Noted {
    last: Option<u64>,
    memorised: Option<u64>,
    lost: Option<(u64, usize)>,
    followed: Vec<(Measure, u64)>,
    /// The strategy that is nearest now, since when, and in how many measurements.
    nearest: Option<(Measure, u64, u32)>,
}

impl Noted {
    /// Looks at a measurement. One that is not later than the last takes the place of what came after it.
    fn hear(&mut self, row: &Row, has_sample: bool, order: Option<usize>) {
        let step = row.step;
        if self.last.is_some_and(|last| step <= last) {
            self.memorised = self.memorised.filter(|at| *at < step);
            self.lost = self.lost.filter(|(at, _)| *at < step);
            self.followed.retain(|(_, at)| *at < step);
            self.nearest = None;
        }
        self.last = Some(step);
        if has_sample && self.memorised.is_none() && spread(&row.train_accuracy).0 >= MEMORISED {
            self.memorised = Some(step);
        }
        if self.lost.is_none() {
            let lost = row.test_loss.iter().filter(|loss| !loss.is_finite()).count();
            self.lost = (lost > 0).then_some((step, lost));
        }
        let Some(now) = order.and_then(|order| nearest(row, order)) else { return };
        let (of, since, count) = self.nearest.filter(|(of, ..)| *of == now).unwrap_or((now, step, 0));
        self.nearest = Some((of, since, count + 1));
        if count + 1 == LASTING && self.followed.last().is_none_or(|(before, _)| *before != of) {
            self.followed.push((of, since));
        }
    }

    /// How many there are.
    fn count(&self) -> usize {
        usize::from(self.memorised.is_some()) + usize::from(self.lost.is_some()) + self.followed.len()
    }
}

impl State {
    /// Notes what a measurement tells.
    pub(super) fn note(&mut self, row: &Row) {
        let has_sample = self.spec().task.sampler().sample_size().is_some();
        let order = self.chains.as_ref().map(|chains| chains.task.order);
        self.noted.hear(row, has_sample, order);
    }

    /// Looks at all measurements once more: now more is known of the run.
    pub(super) fn note_again(&mut self) {
        let rows: Vec<Row> = self.history.rows().cloned().collect();
        self.noted = Noted::default();
        rows.iter().for_each(|row| self.note(row));
    }

    /// Another number when something has happened.
    pub(super) fn events_count(&self) -> usize {
        self.noted.count() + 2 * usize::from(matches!(self.phase, Phase::Diverged { .. }))
    }

    /// What has happened, with its steps: of a run that is shown at an earlier step, all of it.
    pub fn events(&self) -> Vec<(u64, String)> {
        if let Some(end) = &self.end {
            return end.events();
        }
        let all = self.spec().run.replicas;
        let mut events: Vec<(u64, String)> = vec![];
        // What a network begins with has not happened.
        let followed = self.noted.followed.iter().filter(|(_, step)| *step > 0);
        events.extend(followed.map(|(of, step)| (*step, tr!("nearest to {name}", name = name(*of)))));
        events.extend(self.noted.memorised.map(|step| (step, tr!("sample memorised").into())));
        let steps = || self.solved.iter().map(|(_, step)| *step);
        if let (Some(first), Some(last)) = (steps().min(), steps().max()) {
            let many = thousands(self.solved.len() as u64);
            match all {
                1 => events.push((first, tr!("target reached").into())),
                _ if first == last => events.push((first, tr!("target reached by {many}", many))),
                _ => {
                    events.push((first, tr!("target first reached").into()));
                    events.push((
                        last,
                        tr!("target reached by {many} of {all}", many, all = thousands(all as u64)),
                    ));
                }
            }
        }
        match (&self.phase, self.noted.lost) {
            (Phase::Diverged { step, .. }, _) => events.push((*step, tr!("loss not finite").into())),
            (_, Some((step, lost))) if all > 1 => {
                events.push((step, tr!("{lost} diverged", lost = thousands(lost as u64))));
            }
            _ => {}
        }
        events.sort_by_key(|(step, _)| *step);
        events
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::state::Action;

    fn open(link: &str) -> State {
        let mut state = State::default();
        state.apply(Action::Open(link.into()));
        state
    }

    fn told(state: &State) -> String {
        let one = |(step, what): (u64, String)| format!("{step} {what}");
        state.events().into_iter().map(one).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn memorising_and_the_target_are_told_apart() {
        let mut state = open("#v1/groups?order=5");
        for (step, accuracy) in [(0, 0.2), (10, 0.995), (20, 1.0)] {
            state.note(&Row { step, train_accuracy: vec![accuracy], ..Default::default() });
        }
        state.solved = vec![(0, 40)];
        assert_eq!(told(&state), "10 sample memorised; 40 target reached");
        // From a checkpoint before.
        state.note(&Row { step: 5, train_accuracy: vec![0.5], ..Default::default() });
        state.solved.clear();
        assert_eq!((told(&state).as_str(), state.events_count()), ("", 0));
        let mut fresh = open("#v1/sparse-parity?n=20");
        fresh.note(&Row { train_accuracy: vec![1.0], ..Default::default() });
        assert_eq!(told(&fresh), "", "there is no sample to memorise");
    }

    #[test]
    fn of_many_networks_the_first_and_the_last_are_told() {
        let mut state = open("#v1/sparse-parity?n=9&replicas=4");
        state.solved = vec![(2, 40), (0, 60)];
        state.note(&Row { step: 50, test_loss: vec![1.0, f32::NAN, 1.0, 1.0], ..Default::default() });
        state.note(&Row { step: 60, test_loss: vec![f32::NAN; 4], ..Default::default() });
        assert_eq!(told(&state), "40 target first reached; 50 1 diverged; 60 target reached by 2 of 4");
        state.phase = Phase::Diverged { step: 61, last_good: 60 };
        assert!(told(&state).ends_with("61 loss not finite"));
    }

    #[test]
    fn a_strategy_is_followed_once_it_lasts() {
        let mut state = open("#v1/markov?k=2&t=20");
        let mut next = 0;
        let mut hear = |state: &mut State, which: usize, count: usize| {
            for _ in 0..count {
                let measures = (0..5).map(|of| vec![if of == which { 0.1 } else { 0.5 }]).collect();
                state.note(&Row { step: next, measures, ..Default::default() });
                next += 10;
            }
        };
        hear(&mut state, 0, 4);
        hear(&mut state, 1, 2);
        hear(&mut state, 0, 4);
        hear(&mut state, 2, 9);
        let events = state.events();
        let names: Vec<_> = events.iter().map(|(step, what)| (*step, what.as_str())).collect();
        assert_eq!(names, [(100, "nearest to bigram")]);
    }
}
