//! The store: the state behind a signal, the workers, and the execution of effects.

use std::rc::Rc;
use std::time::Duration;

use leptos::prelude::*;

use crate::browser;
use crate::browser::files::user_agent;
use crate::library::storage::{self, BoxedFuture};
use crate::stage::choice;
use crate::trainer::web::{self, WorkerTrainer};
use vivarium_core::language::escape_html;
use vivarium_model::platform::web::spawn;
use vivarium_model::protocol::Payload;
use vivarium_page::bench::BenchAction;
use vivarium_page::effect::{BenchEffect, Effect as TrainerEffect};
use vivarium_page::files::openers::openers;
use vivarium_page::gallery::GalleryAction;
use vivarium_page::gallery::update::page_address;
use vivarium_page::library::{LibraryAction, StorageAnswer};
use vivarium_page::settings::inputs::FormInputs;
use vivarium_page::state::{Action, State};
use vivarium_page::sweeps::workers::SweepWorkers;
use vivarium_page::tour::{TourAction, answers_storage_key, story_file_path};
use vivarium_player::device::{GpuSupport, may_start_on_cpu};
use vivarium_player::speeds::SpeedCache;
use vivarium_player::trainer::{Program, Trainer, TrainerMessage};
use vivarium_ui::browser::{get_property, read_stored, read_tab_stored, write_stored};
use vivarium_ui::context::RunContext;

/// The state of the page with its workers and effects. Copies are handles to the same store.
#[derive(Clone, Copy)]
pub struct Store {
    /// The state of the page, as a signal.
    state: RwSignal<State>,
    /// Notifies the subscribers of `state` and removes them; those that still exist subscribe again as they read. The
    /// signal itself keeps every subscriber as long as the page is open: 14 KiB more at each change of the lab
    /// (`tests/e2e/soak.mjs`; Leptos 0.8).
    state_readers: WriteSignal<State>,
    /// Values on which the fields of the settings form depend, for subscribers that ignore other changes. Reading and
    /// writing are two halves because a memo keeps every subscriber.
    form: ReadSignal<FormInputs>,
    /// Notifies the subscribers of `form`, and removes them; those that still exist subscribe again as they read.
    form_readers: WriteSignal<FormInputs>,
    /// The worker that trains the current run; None before it is opened.
    trainer: StoredValue<Option<WorkerTrainer>, LocalStorage>,
    /// Whether the subscribers of the state will be notified on the next animation frame.
    notification_pending: StoredValue<bool>,
    /// The workers that train further runs of a sweep while the trainer trains the current one.
    sweep_workers: StoredValue<SweepWorkers<WorkerTrainer>, LocalStorage>,
    /// The worker whose speed the benchmark measures; None unless a measurement is in progress.
    bench_worker: StoredValue<Option<WorkerTrainer>, LocalStorage>,
    /// Number of workers opened so far; it numbers them, so that late messages of a closed one are ignored.
    worker_count: StoredValue<u32>,
    /// Whether the next slice of a long computation on the page, such as a lab's theory curve, is scheduled.
    work_pending: StoredValue<bool>,
}

/// Key in the browser's local storage of the measured speeds of CPU and GPU.
const SPEEDS_KEY: &str = "vivarium.speeds";

/// Pause between two slices of a long computation on the page, so that a frame can be drawn.
const WORK_INTERVAL: Duration = Duration::from_millis(16);

impl Store {
    /// Creates the store, opens the run that the address names, and keeps address and state in agreement.
    pub fn open() -> Store {
        let speeds = SpeedCache::decode(&read_stored(SPEEDS_KEY).unwrap_or_default(), &user_agent());
        let mut state = State::with_speeds(speeds);
        state.bench.table.program = user_agent();
        state.stage.wants_picture = choice::wants_picture();
        let state = RwSignal::new(state);
        let (form, form_readers) = signal(state.with_untracked(FormInputs::of));
        let store = Store {
            state,
            state_readers: state.write_only(),
            form,
            form_readers,
            trainer: StoredValue::new_local(None),
            bench_worker: StoredValue::new_local(None),
            notification_pending: StoredValue::new(false),
            worker_count: StoredValue::new(0),
            work_pending: StoredValue::new(false),
            sweep_workers: StoredValue::new_local(SweepWorkers::new(browser::thread_count())),
        };
        provide_context(store);
        provide_context(RunContext {
            run: MappedSignal::new(store.state, |state| &state.player.run, |state| &mut state.player.run),
            field: Callback::new(move |key: &'static str| store.see_form(|state| state.field_state(key))),
            file_error: Callback::new(move |()| store.see(|state| state.file_error.clone())),
            explained_html: Callback::new(move |text: String| store.explained(&text)),
            ask: Callback::new(move |what| store.act(Action::Request(what))),
        });
        if !browser::has_gpu() {
            store.apply(Action::GpuDetected(GpuSupport::NoWebGpu));
        }
        store.act(Action::Open(browser::take_misplaced_link().unwrap_or_else(browser::fragment)));
        let link = store.memo(page_address);
        // Whether the browser has refused the newest address; the next tick tries again.
        let is_refused = StoredValue::new(false);
        let show_address = move |link: &str| is_refused.set_value(!browser::set_address_bar(link));
        Effect::new(move |_| show_address(&link.get()));
        for event in ["hashchange", "popstate"] {
            window_event_listener_untyped(event, move |_| {
                let fragment = browser::fragment();
                if fragment != store.peek(page_address) {
                    store.act(Action::Open(fragment));
                    // The same run written differently leaves the link as it is.
                    show_address(&store.peek(page_address));
                }
            });
        }
        let leave = move || store.act(Action::Library(LibraryAction::PageHidden));
        window_event_listener_untyped("pagehide", move |_| leave());
        // The last that a page on a phone may hear: hidden, it is ended without another word.
        window_event_listener_untyped("visibilitychange", move |_| {
            if document().hidden() {
                leave();
            }
        });
        // From www/frame.js, in a frame of another page.
        window_event_listener_untyped("vivarium-view", move |event| {
            store.act(Action::FrameInView(get_property(&event, "detail").is_truthy()));
        });
        window_event_listener_untyped("vivarium-programs", move |_| store.act(Action::GpuProgramsCompiled));
        let tick = move || {
            if is_refused.get_value() {
                show_address(&store.peek(page_address));
            }
            store.dispatch_next_frame(Action::Tick);
        };
        set_interval(tick, Duration::from_secs(1));
        browser::publish_rows(move |with| store.state.with_untracked(|state| with(state)));
        store
    }

    /// Returns the store of this page from the Leptos context; panics outside of a page.
    pub fn here() -> Store {
        expect_context()
    }

    /// Connects the browser's storage of saved runs and reads them; called once the second WebAssembly module, which
    /// contains it, is loaded.
    pub fn connect_storage(self) {
        if let Some(storage) = storage::storage() {
            (storage.listen)(Rc::new(move |answer| {
                // Not at once: the browser may say it while the state is being changed.
                set_timeout(move || self.handle_storage_answer(answer), Duration::ZERO);
            }));
            self.act(Action::Library(LibraryAction::Load));
        }
    }

    /// Applies an answer of the storage of saved runs to the state.
    fn handle_storage_answer(self, answer: StorageAnswer) {
        self.act(Action::Library(LibraryAction::Answer(answer)));
    }

    /// Awaits an answer of the storage of saved runs, if one is expected, and applies it.
    fn await_storage_answer(self, answer: Option<BoxedFuture<Option<StorageAnswer>>>) {
        if let Some(coming) = answer {
            spawn(async move {
                if let Some(answer) = coming.await {
                    self.handle_storage_answer(answer);
                }
            });
        }
    }

    /// Applies an action to the page's state, carries out its effects, and notifies all subscribers at once.
    pub fn act(self, action: Action) {
        self.apply(action);
        self.notify_readers();
    }

    /// Notifies the subscribers of the state, and those of the settings form if its values have changed.
    fn notify_readers(self) {
        self.state_readers.notify();
        self.form_readers.maybe_update(|form| self.peek(|state| form.update(state)));
    }

    /// Applies an action and notifies subscribers on the next frame, because messages arrive faster than frames.
    fn dispatch_next_frame(self, action: Action) {
        self.apply(action);
        if !self.notification_pending.get_value() {
            self.notification_pending.set_value(true);
            request_animation_frame(move || {
                self.notification_pending.set_value(false);
                self.notify_readers();
            });
        }
    }

    /// Applies an action to the state and carries out its effects.
    fn apply(self, action: Action) {
        let mut effects = vec![];
        self.state.update_untracked(|state| effects = state.apply(action));
        for effect in effects {
            match effect {
                TrainerEffect::DetectGpu => {
                    if self.state.with_untracked(|state| may_start_on_cpu(&state.player.run.link.spec)) {
                        web::prefetch_cpu_program();
                    }
                    browser::detect_gpu(move |survey| self.act(Action::GpuDetected(survey)));
                }
                TrainerEffect::Open(kind) => self.open_trainer(kind),
                TrainerEffect::FetchStory(slug) => browser::fetch_text(&story_file_path(slug), move |text| {
                    self.act(Action::Tour(TourAction::Fetched(slug, text)));
                    if let Some(answers) = read_tab_stored(&answers_storage_key(slug)) {
                        self.act(Action::Tour(TourAction::RestoreAnswers(answers)));
                    }
                }),
                TrainerEffect::FetchRecorded => browser::fetch_text("./recorded.txt", move |text| {
                    self.act(Action::Gallery(GalleryAction::Fetched(text)));
                }),
                TrainerEffect::Bench(what) => self.run_bench_effect(what),
                TrainerEffect::StoreSpeeds(text) => write_stored(SPEEDS_KEY, &text),
                TrainerEffect::StoreTable(number) => {
                    self.await_storage_answer(
                        storage::storage().map(|storage| (storage.store_table)(number)),
                    );
                }
                TrainerEffect::Library(command) => {
                    self.await_storage_answer(
                        storage::storage().map(|storage| (storage.run_command)(command)),
                    );
                }
                TrainerEffect::Send(command, payload) => self.trainer.with_value(|trainer| {
                    if let Some(trainer) = trainer {
                        trainer.send(&command, &payload);
                    }
                }),
            }
        }
        self.update_sweep_workers();
        self.schedule_work();
    }

    /// Schedules the next slice of a long computation on the page, if one is unfinished.
    fn schedule_work(self) {
        if self.peek(|state| state.player.run.is_busy()) && !self.work_pending.get_value() {
            self.work_pending.set_value(true);
            let part = move || {
                self.work_pending.set_value(false);
                self.dispatch_next_frame(Action::ContinueWork);
            };
            set_timeout(part, WORK_INTERVAL);
        }
    }

    /// Opens, pauses or closes sweep workers as the state requires.
    fn update_sweep_workers(self) {
        let mut closed = vec![];
        let open = |number| {
            WorkerTrainer::open(Program::Cpu, move |message| self.handle_sweep_worker(number, message)).ok()
        };
        self.state.with_untracked(|state| {
            self.sweep_workers.update_value(|workers| closed = workers.update(state, open))
        });
        if !closed.is_empty() {
            // Not at once: this may be running inside a callback of one of them.
            set_timeout(move || drop(closed), Duration::ZERO);
        }
    }

    /// Handles a message of the sweep worker with this number.
    fn handle_sweep_worker(self, number: u32, message: TrainerMessage) {
        let mut ended = None;
        self.sweep_workers.update_value(|workers| ended = workers.handle_message(number, message));
        if let Some((run, outcome)) = ended {
            self.dispatch_next_frame(Action::SweepRunEnded(run, outcome));
        }
    }

    /// Opens the worker that trains the current run, with this program, in place of the previous worker.
    fn open_trainer(self, program: Program) {
        self.open_worker(self.trainer, program, Action::Trainer);
    }

    /// Carries out an effect on the worker of the benchmark.
    fn run_bench_effect(self, effect: BenchEffect) {
        match effect {
            BenchEffect::Open(kind) => {
                self.open_worker(self.bench_worker, kind, |kind, sign| {
                    Action::Bench(BenchAction::Worker(kind, sign))
                });
            }
            BenchEffect::Send(command) => self.bench_worker.with_value(|worker| {
                if let Some(worker) = worker {
                    worker.send(&command, &Payload::Empty);
                }
            }),
            BenchEffect::Close => self.replace_worker(self.bench_worker, None),
        }
    }

    /// Opens a worker with this program in place of the one in `slot`; `to_action` converts its messages to actions.
    fn open_worker(
        self,
        slot: StoredValue<Option<WorkerTrainer>, LocalStorage>,
        program: Program,
        to_action: fn(Program, TrainerMessage) -> Action,
    ) {
        let number = self.worker_count.get_value() + 1;
        self.worker_count.set_value(number);
        // A late word of a worker that has been closed is not heard.
        let opened = WorkerTrainer::open(program, move |sign| {
            let is_there =
                slot.with_value(|worker| worker.as_ref().is_some_and(|worker| worker.number == number));
            if is_there {
                self.dispatch_next_frame(to_action(program, sign));
            }
        });
        let (worker, failure) = match opened {
            Ok(mut worker) => {
                worker.number = number;
                (Some(worker), None)
            }
            Err(why) => (None, Some(why)),
        };
        self.replace_worker(slot, worker);
        if let Some(why) = failure {
            set_timeout(
                move || {
                    // Another may have been opened meanwhile.
                    if slot.with_value(Option::is_none) {
                        self.dispatch_next_frame(to_action(program, TrainerMessage::Died(why)));
                    }
                },
                Duration::ZERO,
            );
        }
    }

    /// Puts a worker, or none, into `slot`, and drops the old one later, outside of its own callbacks.
    fn replace_worker(
        self,
        slot: StoredValue<Option<WorkerTrainer>, LocalStorage>,
        worker: Option<WorkerTrainer>,
    ) {
        let mut dismissed = worker;
        slot.update_value(|current| std::mem::swap(current, &mut dismissed));
        // Not at once: this may be running inside one of its callbacks.
        set_timeout(move || drop(dismissed), Duration::ZERO);
    }

    /// Returns a value that `read` takes from the state, and subscribes the caller to all changes of the state.
    pub fn see<T>(self, read: impl FnOnce(&State) -> T) -> T {
        self.state.with(read)
    }

    /// Returns a value that `read` takes from the state, and subscribes the caller only to changes of the settings
    /// form.
    pub fn see_form<T>(self, read: impl FnOnce(&State) -> T) -> T {
        self.form.track();
        self.peek(read)
    }

    /// Converts a text to HTML in which the terms of the glossary are buttons. Before the second WebAssembly module,
    /// which contains the glossary, is loaded, the text is only escaped, and the caller is subscribed to changes.
    pub fn explained(self, text: &str) -> String {
        match openers() {
            Some(openers) => (openers.glossary_html)(text),
            None => {
                self.state.track();
                escape_html(text)
            }
        }
    }

    /// Returns a value that `read` takes from the state, without a subscription.
    pub fn peek<T>(self, read: impl FnOnce(&State) -> T) -> T {
        self.state.with_untracked(read)
    }

    /// Creates a memo of a value of the state; its subscribers are notified when the value changes.
    pub fn memo<T>(self, read: impl Fn(&State) -> T + Send + Sync + 'static) -> Memo<T>
    where
        T: PartialEq + Send + Sync + 'static,
    {
        self.memo_after(move |state, _| read(state))
    }

    /// Creates a memo as [`Store::memo`] does, of a value that depends on the previous one.
    pub fn memo_after<T>(self, read: impl Fn(&State, Option<&T>) -> T + Send + Sync + 'static) -> Memo<T>
    where
        T: PartialEq + Send + Sync + 'static,
    {
        Memo::new(move |before| self.state.with(|state| read(state, before)))
    }
}
