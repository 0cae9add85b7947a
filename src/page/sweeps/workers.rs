//! Workers that train runs of a sweep beside the one on show, where the processor has cores to spare.
//!
//! # Why
//! The page shows its sweep run by run from the first on, and whoever looks into the run on show finds it with the
//! trainer. So others come from the other end, a run each, until both meet; the last run is left to the trainer, so that
//! what is on show at the end was trained there. What a run comes to follows from its link, whoever trains it, so that
//! their number changes nothing but the time. Each holds a run of its own, so that there are as many as there is
//! [memory](vivarium_model::run::cost::Cost::helpers) for.
//!
//! # Speed
//! 2026-11-22, a two-core server, Chromium, the 20 runs of the preset `frontier` from the opening of the page: 69 s by the
//! trainer alone, with the first run at its end after 5.4 s; 44 s and 1.4 s with one who helps, since runs at the far end
//! are the ones that succeed early. A second one, for whom there is no core, costs 6 s.

use crate::run::lifecycle::held_out_limit;
use crate::state::State;
use crate::trainer::{Program, Trainer, TrainerMessage};
use vivarium_model::protocol::{Command, Event, Payload, Row};
use vivarium_model::run::RunSpec;
use vivarium_model::run::cost::dearest;
use vivarium_view::display::own_data;
use vivarium_view::display::sweep::Outcome;

/// Most who help: beyond that a browser's memory is worth more than the time.
const MOST: usize = 7;

/// Those who help.
pub struct SweepWorkers<T> {
    members: Vec<Member<T>>,
    /// Members at most.
    most: usize,
    /// The sweep that they train for.
    sweep: Option<Box<RunSpec>>,
    /// How many of them there is memory for, in that sweep.
    room: usize,
    is_going: bool,
    /// Number of the next member.
    next: u32,
    /// Members that broke down.
    lost: Vec<T>,
}

struct Member<T> {
    number: u32,
    trainer: T,
    errand: Option<SweepJob>,
}

/// A run that a member makes, and what it has come to so far.
struct SweepJob {
    run: usize,
    spec: RunSpec,
    times: Vec<Option<u64>>,
    last: Option<Row>,
}

impl<T: Trainer> SweepWorkers<T> {
    /// Of a processor with so many cores: one is the trainer's. The page has none for itself, since it needs one for a few
    /// milliseconds at a time.
    pub fn new(cores: usize) -> Self {
        let most = cores.saturating_sub(1).min(MOST);
        SweepWorkers { members: vec![], most, sweep: None, room: 0, is_going: false, next: 0, lost: vec![] }
    }

    /// Has them do what the page needs now. `open` finds a new member, whose signs come under the number given. Those who
    /// are not needed any more are the result: they may be dropped as soon as none of them is being heard.
    #[must_use]
    pub fn settle(&mut self, state: &State, open: impl FnMut(u32) -> Option<T>) -> Vec<T> {
        let mut gone = std::mem::take(&mut self.lost);
        let helped = state.helped().filter(|_| self.most > 0);
        if helped.is_none() || self.sweep.as_deref() != Some(&state.run.link.spec) {
            gone.extend(self.members.drain(..).map(|member| member.trainer));
            (self.sweep, self.is_going) = (None, false);
        }
        let Some((_, is_now)) = helped else { return gone };
        if self.sweep.is_none() {
            self.sweep = Some(Box::new(state.run.link.spec.clone()));
            self.room = dearest(&state.run.link.spec).helpers(MOST);
        }
        if is_now != self.is_going {
            self.is_going = is_now;
            let command = if is_now { Command::Play } else { Command::Pause };
            for member in self.members.iter().filter(|member| member.errand.is_some()) {
                member.trainer.send(&command, &Payload::Empty);
            }
        }
        if is_now {
            self.fill(state, open);
        }
        gone
    }

    /// Gives every member a run, and opens members while there are runs.
    fn fill(&mut self, state: &State, mut open: impl FnMut(u32) -> Option<T>) {
        loop {
            let free = self.members.iter().position(|member| member.errand.is_none());
            if free.is_none() && self.members.len() >= self.most.min(self.room) {
                return;
            }
            let Some(errand) = self.next_errand(state) else { return };
            let place = match free {
                Some(place) => place,
                None => {
                    let Some(trainer) = open(self.next) else {
                        self.most = self.members.len();
                        return;
                    };
                    self.members.push(Member { number: self.next, trainer, errand: None });
                    self.next += 1;
                    self.members.len() - 1
                }
            };
            let member = &mut self.members[place];
            if let Some((command, table)) = own_data(&errand.spec) {
                member.trainer.send(&command, &table);
            }
            let start = Command::Start {
                spec: errand.spec.clone(),
                speed: 0,
                paused: false,
                held_out_limit: held_out_limit(&errand.spec),
                resting: true,
            };
            member.trainer.send(&start, &Payload::Empty);
            member.errand = Some(errand);
        }
    }

    /// The last run of the sweep that nobody makes and that would be made on the processor.
    fn next_errand(&self, state: &State) -> Option<SweepJob> {
        let (sweep, _) = state.helped()?;
        let is_made =
            |run| self.members.iter().flat_map(|member| &member.errand).any(|errand| errand.run == run);
        let on_cpu = |spec| state.choose_for(spec).is_some_and(|choice| choice.program == Program::Cpu);
        let mut runs = sweep.cells.iter().enumerate().rev();
        let (run, cell) =
            runs.find(|(run, cell)| sweep.is_open(*run) && !is_made(*run) && on_cpu(&cell.spec))?;
        let spec = cell.spec.clone();
        Some(SweepJob { run, times: vec![None; spec.run.replicas], spec, last: None })
    }

    /// Takes in a sign of a member; what a run has come to with its number, if it has ended.
    pub fn hear(&mut self, number: u32, sign: TrainerMessage) -> Option<(usize, Outcome)> {
        let place = self.members.iter().position(|member| member.number == number)?;
        let message = match sign {
            TrainerMessage::Said(message) if !matches!(message.event, Event::Failed(_)) => message,
            // Its run is made by somebody else, and nobody takes its place: whatever was wrong may be so again.
            _ => {
                self.lost.push(self.members.remove(place).trainer);
                self.most = self.most.min(self.members.len());
                return None;
            }
        };
        let errand = &mut self.members[place].errand;
        let made = errand.as_mut()?;
        match message.event {
            Event::Metrics(mut rows) => {
                made.last = rows.pop().or(made.last.take());
                None
            }
            Event::Solved { replica, step } => {
                made.times[replica].get_or_insert(step);
                None
            }
            Event::Finished { .. } => {
                let SweepJob { run, spec, times, last } = errand.take()?;
                Some((run, Outcome::of(&spec, &times, last.as_ref())))
            }
            _ => None,
        }
    }
}
