//! The page without a browser: its reducer, with a worker in this process for a trainer.
//!
//! # Why
//! What `lab plot` draws is what the page shows, by construction: the same state hears the same messages and gives
//! the same readings. The alternative, readings made from a session's outcome, has to be taught every chart once
//! more. Only the clock is left out: there is no speed limit, no trainer falls silent, and weights are looked at by
//! the step, so that a curve does not hang on the machine ([`Rhythm::Thorough`]).

use std::collections::VecDeque;

use super::Trouble;
use vivarium_model::permalink::{Link, Start, encode};
use vivarium_model::platform::may_have_gpu;
use vivarium_model::protocol::{Command, Event, Failure, Message, Payload};
use vivarium_model::run::DeviceChoice;
use vivarium_page::state::{Action, State};
use vivarium_page::trainer::device::Survey;
use vivarium_page::trainer::{Effect, Program, TrainerMessage};
use vivarium_training::launch::choose::{Engine, prefers_gpu};
use vivarium_training::launch::device::Device;
use vivarium_training::launch::device_check::checked_gpu;
use vivarium_training::session::checkpoint::Checkpoint;
use vivarium_view::display::Phase;
use vivarium_view::display::sweep::Sweep;
use vivarium_worker::{Next, Rhythm, Worker};

/// A page that nobody looks at.
pub struct Headless {
    state: State,
    /// What must still be done outside.
    effects: Vec<Effect>,
    /// What has happened and the state has not heard of.
    waiting: VecDeque<Action>,
    worker: Option<(Program, Worker)>,
    /// Why a device was given up.
    failure: Option<Failure>,
    /// The newest checkpoint that the worker has sent.
    checkpoint: Option<Vec<u8>>,
    /// Held-out examples to measure on while a run goes on, where that is not left to the page.
    held_out: Option<Option<usize>>,
    /// Hears every message before the page does.
    listener: Option<Listener>,
}

/// What hears messages.
type Listener = Box<dyn FnMut(&Message)>;

impl Headless {
    /// The page that opens `link`, as fast as it can; nothing is trained yet.
    pub fn open(link: &Link) -> Self {
        Headless::begun(link, Start::Playing)
    }

    /// The same, which waits at the start of the run.
    pub fn waiting(link: &Link) -> Self {
        Headless::begun(link, Start::Paused)
    }

    fn begun(link: &Link, start: Start) -> Self {
        let mut link = link.clone();
        (link.view.speed, link.view.start) = (0, start);
        let mut state = State::default();
        let effects = state.apply(Action::Open(encode(&link)));
        Headless {
            state,
            effects,
            waiting: VecDeque::new(),
            worker: None,
            failure: None,
            checkpoint: None,
            held_out: None,
            listener: None,
        }
    }

    /// The same, measured on so many held-out examples, or on all of them, whatever the page would do.
    pub fn measured_on(mut self, held_out: Option<usize>) -> Self {
        self.held_out = Some(held_out);
        self
    }

    /// The same, with every message told to `listener` before the page hears it: the page keeps fewer measurements of a
    /// long run than there are.
    pub fn with_listener(mut self, listener: impl FnMut(&Message) + 'static) -> Self {
        self.listener = Some(Box::new(listener));
        self
    }

    /// The page that shows the record of a run; nothing is trained.
    ///
    /// # Errors
    /// When the page refuses the file, which may be too large for it.
    pub fn of_record(link: &Link, name: &str, bytes: Vec<u8>) -> Result<Self, Trouble> {
        let mut page = Headless { state: State::default(), ..Headless::open(link) };
        // What it would have done outside is left undone: a file needs no trainer.
        page.effects.clear();
        page.state.apply(Action::file(name, bytes));
        page.is_opened()?;
        page.state.run.link.view = link.view.clone();
        Ok(page)
    }

    /// Whether the page has taken the file.
    fn is_opened(&self) -> Result<(), Trouble> {
        match self.state.flaw.as_str() {
            "" => Ok(()),
            flaw => Err(Trouble::Other(anyhow::anyhow!("{flaw}"))),
        }
    }

    /// The page that shows the weights in a file, and waits at their step.
    ///
    /// # Errors
    /// When a GPU was asked for and cannot be used.
    pub fn of_weights(link: &Link, name: &str, bytes: Vec<u8>) -> Result<Self, Trouble> {
        let mut page = Headless::waiting(link);
        page.settle(|_| true)?;
        page.effects = page.state.apply(Action::file(name, bytes));
        page.settle(|_| true)?;
        page.is_opened()?;
        Ok(page)
    }

    /// Leaves of the record on display what was measured up to `step`.
    pub fn cut_record(&mut self, step: u64) {
        let run = &mut self.state.run;
        run.history = run.history.until(step);
        run.solved.retain(|(_, at)| *at <= step);
        run.step = step;
    }

    /// The page that shows a sweep whose times are known; nothing is trained.
    pub fn of_sweep(link: &Link, sweep: Sweep) -> Self {
        let mut page = Headless::open(link);
        page.effects.clear();
        page.state.run.sweep = Some(sweep);
        page
    }

    /// What the page knows.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Trains the run, or all runs of the sweep, to the end and has the last probes answered; `told` sees the state
    /// after every change.
    ///
    /// # Errors
    /// When a GPU was asked for and cannot be used, or the run is not possible.
    pub fn finish(&mut self, mut told: impl FnMut(&State)) -> Result<(), Trouble> {
        let told = |state: &State| {
            told(state);
            true
        };
        self.finish_while(told).map(drop)
    }

    /// The same as long as `goes_on` says so of the state after every change; whether it came to the end.
    ///
    /// # Errors
    /// As [`Headless::finish`].
    pub fn finish_while(&mut self, goes_on: impl FnMut(&State) -> bool) -> Result<bool, Trouble> {
        if !self.settle(goes_on)? {
            return Ok(false);
        }
        match &self.state.run.phase {
            Phase::Finished(_) | Phase::Diverged { .. } => Ok(true),
            Phase::Failed(why) => Err(Trouble::Other(anyhow::anyhow!("{why}"))),
            other => Err(Failure::Internal(format!("it left the page {other:?}")).into()),
        }
    }

    /// Trains up to `step`, measures there and has the probes answered; whether the run comes so far. `told` is as in
    /// [`Headless::finish`].
    ///
    /// # Errors
    /// As [`Headless::finish`].
    pub fn reach(&mut self, step: u64, mut told: impl FnMut(&State)) -> Result<bool, Trouble> {
        let mut told = |state: &State| {
            told(state);
            true
        };
        self.settle(&mut told)?;
        let has_ended = matches!(self.state.run.phase, Phase::Finished(_) | Phase::Diverged { .. });
        if !has_ended {
            self.effects.push(Effect::Send(Command::PlayTo(step), Payload::Empty));
            self.settle(told)?;
        }
        match &self.state.run.phase {
            Phase::Failed(why) => Err(Trouble::Other(anyhow::anyhow!("{why}"))),
            Phase::Paused | Phase::Finished(_) | Phase::Diverged { .. } => Ok(self.state.run.step == step),
            other => Err(Failure::Internal(format!("it left the page {other:?}")).into()),
        }
    }

    /// The weights at the step that is shown.
    ///
    /// # Errors
    /// When the worker sends none.
    pub fn weights(&mut self) -> Result<Checkpoint, Trouble> {
        self.checkpoint = None;
        self.effects.push(Effect::Send(Command::Checkpoint, Payload::Empty));
        self.settle(|_| true)?;
        let bytes = self.checkpoint.take();
        let bytes = bytes.ok_or_else(|| Failure::Internal("the worker sent no weights".into()))?;
        Ok(Checkpoint::decode(&bytes)?)
    }

    /// Does all that there is to do, as long as `goes_on` says so of the state after every change; whether it came to the
    /// end.
    fn settle(&mut self, mut goes_on: impl FnMut(&State) -> bool) -> Result<bool, Trouble> {
        loop {
            if !self.catch_up_while(&mut goes_on)? {
                return Ok(false);
            }
            if !self.train() {
                return Ok(true);
            }
        }
    }

    /// Does all that is to be done without training.
    ///
    /// # Errors
    /// As [`Headless::finish`].
    pub fn catch_up(&mut self) -> Result<(), Trouble> {
        self.catch_up_while(&mut |_| true).map(drop)
    }

    fn catch_up_while(&mut self, goes_on: &mut impl FnMut(&State) -> bool) -> Result<bool, Trouble> {
        loop {
            for effect in std::mem::take(&mut self.effects) {
                self.carry_out(effect)?;
            }
            let Some(action) = self.waiting.pop_front() else { return Ok(true) };
            self.effects = self.state.apply(action);
            if !goes_on(&self.state) {
                return Ok(false);
            }
        }
    }

    /// What a person does, and what follows from it without training.
    ///
    /// # Errors
    /// As [`Headless::finish`].
    pub fn act(&mut self, action: Action) -> Result<(), Trouble> {
        let effects = self.state.apply(action);
        self.effects.extend(effects);
        self.catch_up()
    }

    /// Gives the worker a command, if there is a worker.
    ///
    /// # Errors
    /// As [`Headless::finish`].
    pub fn tell(&mut self, command: Command) -> Result<(), Trouble> {
        self.effects.push(Effect::Send(command, Payload::Empty));
        self.catch_up()
    }

    /// Whether there is a worker: a run that takes long waits for a person before there is one.
    pub fn has_worker(&self) -> bool {
        self.worker.is_some()
    }

    /// Trains for a moment and has the page hear of it; false once there is nothing left to do.
    ///
    /// # Errors
    /// As [`Headless::finish`].
    pub fn slice(&mut self) -> Result<bool, Trouble> {
        let goes_on = self.train();
        self.catch_up()?;
        Ok(goes_on)
    }

    /// Trains for a moment; false once there is nothing left to do.
    fn train(&mut self) -> bool {
        let Some((program, worker)) = &mut self.worker else { return false };
        let (messages, next) = pollster::block_on(worker.slice());
        let ended = messages.is_empty() && next == Next::Idle;
        let program = *program;
        messages.into_iter().for_each(|message| self.hear(program, message));
        !ended
    }

    fn hear(&mut self, program: Program, message: Message) {
        if let Event::Failed(failure) = &message.event {
            self.failure = Some(failure.clone());
        }
        if let (Event::Checkpoint { .. }, Payload::Bytes(bytes)) = (&message.event, &message.payload) {
            self.checkpoint = Some(bytes.clone());
        }
        if let Some(listener) = &mut self.listener {
            listener(&message);
        }
        self.waiting.push_back(Action::Heard(program, TrainerMessage::Said(message)));
    }

    fn carry_out(&mut self, effect: Effect) -> Result<(), Trouble> {
        match effect {
            // Stories are for a person at a page; a run on the command line is kept by whoever redirects its output.
            Effect::Fetch(_)
            | Effect::FetchRecorded
            | Effect::KeepSpeeds(_)
            | Effect::Bench(_)
            | Effect::Library(_)
            | Effect::KeepTable(_) => {}
            // Where the processor trains whatever the answer is, nobody asks the drivers.
            Effect::Survey if !self.may_want_gpu() => {
                self.waiting.push_back(Action::Surveyed(Survey::NoAdapter));
            }
            Effect::Survey => {
                let survey = self.survey();
                self.waiting.push_back(Action::Surveyed(survey));
            }
            // The page goes on elsewhere. Who asks for a GPU on the command line wants no other's numbers.
            Effect::Open(Program::Cpu) if self.state.run.spec().run.device == DeviceChoice::Gpu => {
                let why = || Failure::NoGpu("there is no GPU to use".into());
                return Err(self.failure.take().unwrap_or_else(why).into());
            }
            Effect::Open(program) => {
                self.worker = None;
                match device(program) {
                    Ok(device) => {
                        let worker = Worker::with_rhythm(device, Rhythm::Thorough);
                        self.hear(program, worker.ready());
                        self.worker = Some((program, worker));
                    }
                    Err(failure) => {
                        self.waiting
                            .push_back(Action::Heard(program, TrainerMessage::Died(failure.to_string())));
                        self.failure = Some(failure);
                    }
                }
            }
            Effect::Send(mut command, payload) => {
                if let (Command::Start { held_out_limit, .. }, Some(chosen)) = (&mut command, self.held_out) {
                    *held_out_limit = chosen;
                }
                let Some((program, worker)) = &mut self.worker else { return Ok(()) };
                let (program, answers) = (*program, worker.handle(command, payload));
                answers.into_iter().for_each(|answer| self.hear(program, answer));
            }
        }
        Ok(())
    }

    /// Whether a GPU, if there is one, would train the run or one of its sweep.
    fn may_want_gpu(&self) -> bool {
        let run = &self.state.run;
        let cells = run.sweep.iter().flat_map(|sweep| &sweep.cells).map(|cell| &cell.spec);
        std::iter::once(run.spec())
            .chain(cells)
            .any(|spec| prefers_gpu(spec) && (spec.run.device == DeviceChoice::Gpu || may_have_gpu()))
    }

    /// What GPU there is, as a browser answers it.
    fn survey(&mut self) -> Survey {
        match pollster::block_on(Device::gpu()) {
            Ok(gpu) => {
                let report = gpu.report();
                Survey::Adapter { name: report.name.clone(), simulated: report.simulated }
            }
            Err(failure) => {
                self.failure = Some(failure);
                Survey::NoAdapter
            }
        }
    }
}

/// The device of a program, after its trial.
fn device(program: Program) -> Result<Device, Failure> {
    match program {
        Program::Cpu => Ok(Device::cpu()),
        Program::Fused => pollster::block_on(checked_gpu(&[Engine::Fused])),
        Program::Gpu => pollster::block_on(checked_gpu(&[Engine::Autodiff])),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;
    use vivarium_labs::parity::probes::{ATTENTION, GAP, SPECTRUM};
    use vivarium_model::permalink::decode;
    use vivarium_model::protocol::Ending;
    use vivarium_training::session::{Options, Session};

    fn finished(link: &str) -> State {
        let (link, notices) = decode(link);
        assert!(notices.is_empty(), "{notices:?}");
        let mut page = Headless::open(&link);
        page.finish(|_| {}).unwrap();
        page.state
    }

    /// Slow, paused and measured on more than the page's processor takes: none of it is in the way.
    #[test]
    fn the_page_ends_with_every_measurement_and_the_last_probes() {
        let link = "#v1/sparse-parity?n=8&k=2&width=16&held=64&every=10&steps=120&halt=steps&device=cpu\
                    &speed=1&start=paused&show=loss.movement.gap.spectrum";
        let state = finished(link);
        assert_eq!(state.run.phase, Phase::Finished(Ending::LastStep));
        let mut session = Session::start(&state.run.link.spec, &Device::cpu(), Options::default()).unwrap();
        let rows = pollster::block_on(session.finish(|_| {})).unwrap().rows;
        assert_eq!(state.run.history.rows().cloned().collect::<Vec<_>>(), rows);
        let moved = state.run.trajectories.as_ref().unwrap().movements();
        let moved: Vec<u64> = moved.map(|(step, _)| step).collect();
        let every_measurement: Vec<u64> = (0..=12).map(|i| 10 * i).collect();
        assert_eq!(moved, every_measurement);
        assert_eq!(state.run.trace(&GAP).map(|(step, _)| step).collect::<Vec<_>>(), every_measurement);
        assert_eq!(state.run.found[&SPECTRUM.id()].1.numbers.len(), 9);
        assert!(state.run.finding(&ATTENTION).is_none(), "nobody watches it");
    }

    #[test]
    fn a_sweep_is_over_and_its_times_are_those_of_its_runs() {
        let link = "#v1/sparse-parity?k=2&width=32&lr=1&held=64&every=5&steps=300&replicas=3&device=cpu\
                    &sweep=n:6_8&series=k:1_2&show=sweep";
        let state = finished(link);
        let sweep = state.run.sweep.as_ref().unwrap();
        assert!(sweep.is_over() && sweep.done.len() == 4);
        for (cell, found) in sweep.cells.iter().zip(&sweep.done) {
            let mut session = Session::start(&cell.spec, &Device::cpu(), Options::default()).unwrap();
            assert_eq!(pollster::block_on(session.finish(|_| {})).unwrap().solved, *found);
            assert!(found.iter().any(Option::is_some), "{found:?}");
        }
    }

    #[test]
    fn who_listens_hears_every_measurement_and_the_run_waits_where_it_is_told_to() {
        let link =
            "#v1/sparse-parity?n=8&k=2&width=16&held=64&every=10&steps=120&halt=steps&device=cpu&show=loss";
        let heard = Rc::new(RefCell::new(vec![]));
        let listening = Rc::clone(&heard);
        let mut page = Headless::open(&decode(link).0).measured_on(Some(16)).with_listener(move |message| {
            if let Event::Metrics(rows) = &message.event {
                listening.borrow_mut().extend(rows.iter().map(|row| row.step));
            }
        });
        page.catch_up().unwrap();
        assert!(page.has_worker());
        let mut told = |command: Command| {
            page.tell(command).unwrap();
            while page.slice().unwrap() {}
            let run = &page.state().run;
            (run.phase.clone(), run.step, run.held_out, heard.borrow().len())
        };
        assert_eq!(told(Command::Pause), (Phase::Paused, 0, 16, 1));
        assert_eq!(told(Command::PlayTo(40)), (Phase::Paused, 40, 16, 5));
        assert_eq!(told(Command::Play), (Phase::Finished(Ending::LastStep), 120, 16, 13));
        assert!(heard.borrow().iter().copied().eq((0..=12).map(|i| 10 * i)));
    }

    #[test]
    fn a_diverged_run_ends_where_it_was_last_good() {
        let state = finished(
            "#v1/sparse-parity?n=10&k=2&width=32&act=power&degree=4&lr=50&loss=square&every=1&held=64&steps=400&device=cpu",
        );
        assert!(matches!(state.run.phase, Phase::Diverged { last_good, .. } if last_good == state.run.step));
    }
}
