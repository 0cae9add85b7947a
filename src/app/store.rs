//! The one store: the state behind a signal, the trainer beside it, and the effects done.

use std::rc::Rc;
use std::time::Duration;

use leptos::prelude::*;

use crate::browser;
use crate::browser::files::system;
use crate::library::storage::{self, Coming};
use crate::trainer::web::{self, WorkerTrainer};
use vivarium_core::language::escaped;
use vivarium_model::platform::web::spawn;
use vivarium_model::protocol::Payload;
use vivarium_page::bench::BenchAction;
use vivarium_page::files::openers::openers;
use vivarium_page::gallery::GalleryAction;
use vivarium_page::gallery::update::address;
use vivarium_page::library::{LibraryAction, LibraryAnswer};
use vivarium_page::settings::inputs::FormInputs;
use vivarium_page::state::{Action, State};
use vivarium_page::sweeps::workers::SweepWorkers;
use vivarium_page::tour::{TourAction, answers_of, file_of};
use vivarium_page::trainer::device::{Survey, begins_on_cpu};
use vivarium_page::trainer::speeds::Speeds;
use vivarium_page::trainer::{BenchEffect, Effect as TrainerEffect, Program, Trainer, TrainerMessage};
use vivarium_ui::browser::{kept_in_tab, remember, remembered};
use vivarium_ui::context::RunContext;

/// The state and everything that acts on it. Copies are handles to the same.
#[derive(Clone, Copy)]
pub struct Store {
    state: RwSignal<State>,
    /// Tells those who read the state of a change, and forgets them: who is still there reads again, and is remembered
    /// again. The signal itself tells them too, but remembers every reader that there ever was, as long as the page is
    /// open: at each change of the lab another hundred that are gone, 14 KiB (`tests/e2e/soak.mjs`; Leptos 0.8).
    readers: WriteSignal<State>,
    /// What the fields of the form follow from, for those who need not know of other changes. Two halves for the same
    /// reason: the second forgets whom it has told, as a memo does not.
    form: ReadSignal<FormInputs>,
    form_readers: WriteSignal<FormInputs>,
    trainer: StoredValue<Option<WorkerTrainer>, LocalStorage>,
    /// Whether readers will be told on the next frame.
    telling: StoredValue<bool>,
    /// Those who help the trainer with a sweep.
    crew: StoredValue<SweepWorkers<WorkerTrainer>, LocalStorage>,
    /// The worker that the bench times.
    bench: StoredValue<Option<WorkerTrainer>, LocalStorage>,
    /// Counts workers, so that a late word of a dismissed one is not heard.
    trainers: StoredValue<u32>,
    /// Whether what takes long to compute will be gone on with.
    working: StoredValue<bool>,
}

/// Where it is remembered which device is faster.
const SPEEDS: &str = "vivarium.speeds";

/// Between two parts of what takes long to compute: room for a frame.
const BETWEEN_PARTS: Duration = Duration::from_millis(16);

impl Store {
    /// Opens the run of the address and keeps both in step from then on.
    pub fn open() -> Store {
        let speeds = Speeds::read(&remembered(SPEEDS).unwrap_or_default(), &system());
        let mut state = State::with_speeds(speeds);
        state.bench.table.program = system();
        let state = RwSignal::new(state);
        let (form, form_readers) = signal(state.with_untracked(FormInputs::of));
        let store = Store {
            state,
            readers: state.write_only(),
            form,
            form_readers,
            trainer: StoredValue::new_local(None),
            bench: StoredValue::new_local(None),
            telling: StoredValue::new(false),
            trainers: StoredValue::new(0),
            working: StoredValue::new(false),
            crew: StoredValue::new_local(SweepWorkers::new(browser::cores())),
        };
        provide_context(store);
        provide_context(RunContext {
            run: MappedSignal::new(store.state, |state| &state.run, |state| &mut state.run),
            field: Callback::new(move |key: &'static str| store.see_form(|state| state.field(key))),
            flaw: Callback::new(move |()| store.see(|state| state.flaw.clone())),
            explained: Callback::new(move |text: String| store.explained(&text)),
            ask: Callback::new(move |what| store.act(Action::Request(what))),
        });
        if !browser::has_gpu() {
            store.apply(Action::Surveyed(Survey::Missing));
        }
        store.act(Action::Open(browser::fragment()));
        let link = store.memo(address);
        Effect::new(move |_| browser::show_address(&link.get()));
        for event in ["hashchange", "popstate"] {
            window_event_listener_untyped(event, move |_| {
                let fragment = browser::fragment();
                if fragment != store.peek(address) {
                    store.act(Action::Open(fragment));
                    // The same run written differently leaves the link as it is.
                    browser::show_address(&store.peek(address));
                }
            });
        }
        let leave = move || store.act(Action::Library(LibraryAction::Leave));
        window_event_listener_untyped("pagehide", move |_| leave());
        // The last that a page on a phone may hear: hidden, it is ended without another word.
        window_event_listener_untyped("visibilitychange", move |_| {
            if document().hidden() {
                leave();
            }
        });
        set_interval(move || store.later(Action::Tick), Duration::from_secs(1));
        browser::publish_rows(move |with| store.state.with_untracked(|state| with(state)));
        store
    }

    /// The store of this page.
    pub fn here() -> Store {
        expect_context()
    }

    /// Keeps runs from now on, and learns what is kept: the second program is there.
    pub fn keep_runs(self) {
        if let Some(storage) = storage::storage() {
            (storage.listen)(Rc::new(move |answer| {
                // Not at once: the browser may say it while the state is being changed.
                set_timeout(move || self.heard_of_runs(answer), Duration::ZERO);
            }));
            self.act(Action::Library(LibraryAction::Load));
        }
    }

    fn heard_of_runs(self, answer: LibraryAnswer) {
        self.act(Action::Library(LibraryAction::Heard(answer)));
    }

    /// Waits for what storage has to say, if it has.
    fn tell_of_runs(self, coming: Option<Coming<Option<LibraryAnswer>>>) {
        if let Some(coming) = coming {
            spawn(async move {
                if let Some(answer) = coming.await {
                    self.heard_of_runs(answer);
                }
            });
        }
    }

    /// Does what a person asked for, and tells every reader at once.
    pub fn act(self, action: Action) {
        self.apply(action);
        self.tell();
    }

    /// Tells every reader that the state has changed, and those of the form if it is about them.
    fn tell(self) {
        self.readers.notify();
        self.form_readers.maybe_update(|form| self.peek(|state| form.renew(state)));
    }

    /// Takes in what happened, and tells readers on the next frame: messages come faster than frames.
    fn later(self, action: Action) {
        self.apply(action);
        if !self.telling.get_value() {
            self.telling.set_value(true);
            request_animation_frame(move || {
                self.telling.set_value(false);
                self.tell();
            });
        }
    }

    fn apply(self, action: Action) {
        let mut deeds = vec![];
        self.state.update_untracked(|state| deeds = state.apply(action));
        for deed in deeds {
            match deed {
                TrainerEffect::Survey => {
                    if self.state.with_untracked(|state| begins_on_cpu(&state.run.link.spec)) {
                        web::expect();
                    }
                    browser::survey(move |survey| self.act(Action::Surveyed(survey)));
                }
                TrainerEffect::Open(kind) => self.employ(kind),
                TrainerEffect::Fetch(slug) => browser::fetch(&file_of(slug), move |text| {
                    self.act(Action::Tour(TourAction::Fetched(slug, text)));
                    if let Some(answers) = kept_in_tab(&answers_of(slug)) {
                        self.act(Action::Tour(TourAction::Recall(answers)));
                    }
                }),
                TrainerEffect::FetchRecorded => browser::fetch("./recorded.txt", move |text| {
                    self.act(Action::Gallery(GalleryAction::Fetched(text)));
                }),
                TrainerEffect::Bench(what) => self.serve_bench(what),
                TrainerEffect::KeepSpeeds(text) => remember(SPEEDS, &text),
                TrainerEffect::KeepTable(number) => {
                    self.tell_of_runs(storage::storage().map(|storage| (storage.keep_table)(number)));
                }
                TrainerEffect::Library(command) => {
                    self.tell_of_runs(storage::storage().map(|storage| (storage.obey)(command)));
                }
                TrainerEffect::Send(command, payload) => self.trainer.with_value(|trainer| {
                    if let Some(trainer) = trainer {
                        trainer.send(&command, &payload);
                    }
                }),
            }
        }
        self.settle();
        self.work_on();
    }

    /// Has the page go on with what takes long to compute, a part at a time.
    fn work_on(self) {
        if self.peek(|state| state.run.is_busy()) && !self.working.get_value() {
            self.working.set_value(true);
            let part = move || {
                self.working.set_value(false);
                self.later(Action::Work);
            };
            set_timeout(part, BETWEEN_PARTS);
        }
    }

    /// Gives those who help what there is to do now.
    fn settle(self) {
        let mut gone = vec![];
        let open = |number| WorkerTrainer::open(Program::Cpu, move |sign| self.helped(number, sign)).ok();
        self.state.with_untracked(|state| self.crew.update_value(|crew| gone = crew.settle(state, open)));
        if !gone.is_empty() {
            // Not at once: this may be running inside a callback of one of them.
            set_timeout(move || drop(gone), Duration::ZERO);
        }
    }

    fn helped(self, number: u32, sign: TrainerMessage) {
        let mut ended = None;
        self.crew.update_value(|crew| ended = crew.hear(number, sign));
        if let Some((run, outcome)) = ended {
            self.later(Action::Ahead(run, outcome));
        }
    }

    fn employ(self, kind: Program) {
        self.open_worker(self.trainer, kind, Action::Heard);
    }

    /// Does with the worker of the bench what it wants.
    fn serve_bench(self, what: BenchEffect) {
        match what {
            BenchEffect::Open(kind) => {
                self.open_worker(self.bench, kind, |kind, sign| {
                    Action::Bench(BenchAction::Heard(kind, sign))
                });
            }
            BenchEffect::Send(command) => self.bench.with_value(|worker| {
                if let Some(worker) = worker {
                    worker.send(&command, &Payload::Empty);
                }
            }),
            BenchEffect::Close => self.replace_worker(self.bench, None),
        }
    }

    /// Opens a worker in place of the one in `place`; what it says becomes an action.
    fn open_worker(
        self,
        place: StoredValue<Option<WorkerTrainer>, LocalStorage>,
        kind: Program,
        heard: fn(Program, TrainerMessage) -> Action,
    ) {
        let number = self.trainers.get_value() + 1;
        self.trainers.set_value(number);
        // A late word of a worker that has been closed is not heard.
        let opened = WorkerTrainer::open(kind, move |sign| {
            let is_there =
                place.with_value(|worker| worker.as_ref().is_some_and(|worker| worker.number == number));
            if is_there {
                self.later(heard(kind, sign));
            }
        });
        let (worker, failure) = match opened {
            Ok(mut worker) => {
                worker.number = number;
                (Some(worker), None)
            }
            Err(why) => (None, Some(why)),
        };
        self.replace_worker(place, worker);
        if let Some(why) = failure {
            set_timeout(
                move || {
                    // Another may have been opened meanwhile.
                    if place.with_value(Option::is_none) {
                        self.later(heard(kind, TrainerMessage::Died(why)));
                    }
                },
                Duration::ZERO,
            );
        }
    }

    fn replace_worker(
        self,
        place: StoredValue<Option<WorkerTrainer>, LocalStorage>,
        worker: Option<WorkerTrainer>,
    ) {
        let mut dismissed = worker;
        place.update_value(|current| std::mem::swap(current, &mut dismissed));
        // Not at once: this may be running inside one of its callbacks.
        set_timeout(move || drop(dismissed), Duration::ZERO);
    }

    /// What `of` sees in the state; whoever calls is told when the state changes.
    pub fn see<T>(self, of: impl FnOnce(&State) -> T) -> T {
        self.state.with(of)
    }

    /// What `of` sees in the state; whoever calls is told when what fields follow from changes.
    pub fn see_form<T>(self, of: impl FnOnce(&State) -> T) -> T {
        self.form.track();
        self.peek(of)
    }

    /// A text as markup, in which the terms of the glossary can be pressed. The second program brings the glossary:
    /// whoever calls before is told of changes until then.
    pub fn explained(self, text: &str) -> String {
        match openers() {
            Some(openers) => (openers.explained)(text),
            None => {
                self.state.track();
                escaped(text)
            }
        }
    }

    /// What `of` sees in the state now.
    pub fn peek<T>(self, of: impl FnOnce(&State) -> T) -> T {
        self.state.with_untracked(of)
    }

    /// What `of` sees, telling its readers only when that changes.
    pub fn memo<T>(self, of: impl Fn(&State) -> T + Send + Sync + 'static) -> Memo<T>
    where
        T: PartialEq + Send + Sync + 'static,
    {
        Memo::new(move |_| self.state.with(&of))
    }
}
