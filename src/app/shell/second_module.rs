//! The page's second WebAssembly module ("second program"): the code that the page needs only after its first paint,
//! fetched next to the trainers' programs.
//!
//! # Why
//! Dialogs, panels to look inside and stories are half of the page's code, and none of it is needed before the
//! first curve moves. `cargo xtask` splits off whatever is reached through [`load_second_program`] alone; a build
//! that is not for the web calls it as any other function.
//!
//! # Speed
//! 2026-11-27, two cores of a Xeon, a page opened anew with brotli: first paint after 0.2 s, first step after 1.0
//! to 1.3 s; with Chromium's fourth of the processor and a server that sends 9 Mbit/s after 60 ms, to page and
//! workers alike, first paint after 0.6 s, first step after 2.4 to 2.6 s. The first step came after 4.7 s while the
//! service worker fetched all files meanwhile and the trainer's program was asked for only when its worker ran.
//! 2026-11-23: the first module is 419 KiB brotli, the second 433. 2026-11-21, `bench`: while networks train, a
//! press is on the screen after 24 ms in the median and 40 ms at the 98th percentile, in the first three labs on
//! two cores; nothing holds the page for 50 ms.

// The macro declares and exports what the splitter cuts.
#![allow(unsafe_code)]

use std::time::Duration;

use leptos::prelude::*;
use leptos::wasm_split::{SplitLoaderError, wasm_split};
use web_sys::Event;

use crate::bench::view::Bench;
use crate::browser::build::check_for_new_build;
use crate::charts::input::ChartInput;
use crate::charts::numbers::Numbers;
use crate::compare::row::Compared;
use crate::files::dialog::Files;
use crate::gallery::cards::{Gallery, StoryTeaser};
use crate::lecture::bar::LectureBar;
use crate::lecture::editor::LectureEditor;
use crate::library::list::{Library, ResumeOffer};
use crate::library::storage::web::STORAGE;
use crate::library::storage::{self, StorageModule};
use crate::presenter::view::PresenterBar;
use crate::share::teacher::Teacher;
use crate::shell::deferred::{DeferredModule, LazyView, Part};
use crate::shell::focus::keep_focus;
use crate::shell::glossary;
use crate::shell::help::Help;
use crate::stage::hero::{HeroPanel, HeroView};
use crate::store::Store;
use crate::sweeps::cells::SweepMap;
use crate::sweeps::dialog::SweepForm;
use crate::tour::passage::{StoryList, Tour};
use crate::tour::printing::PrintedStory;
use vivarium_core::language::translated;
use vivarium_labs::lazy::{self, LAZY_MODULE, LazyModule};
use vivarium_model::platform::web::spawn;
use vivarium_page::files::openers;
use vivarium_page::files::openers::{FILE_FUNCTIONS, FileFunctions};
use vivarium_page::library::functions::{self as library_functions, LIBRARY_FUNCTIONS, LibraryFunctions};
use vivarium_page::state::Action;
use vivarium_panels::PANELS;
use vivarium_panels::panel::PageSection;
use vivarium_view::display::RunPhase;

/// Milliseconds after which the second WebAssembly module is fetched even if no trainer has answered.
const FETCH_AFTER_MS: u64 = 10_000;

/// Loads the page's second WebAssembly module. Returns (function that creates its views, function pointers that the
/// first module calls).
#[wasm_split(later, wasm_split_path = leptos::wasm_split, fallible)]
fn load_second_program() -> Result<(LazyView, FunctionTables), SplitLoaderError> {
    glossary::listen();
    keep_focus();
    Ok((
        part_view,
        FunctionTables {
            lazy: LAZY_MODULE,
            file_functions: FILE_FUNCTIONS,
            storage: STORAGE,
            library_functions: LIBRARY_FUNCTIONS,
        },
    ))
}

/// Function pointers of the second WebAssembly module that the first module calls.
struct FunctionTables {
    /// Functions of the labs that compute, such as results for panels, which the first paint does not need.
    lazy: LazyModule,
    /// Functions that open and read files.
    file_functions: FileFunctions,
    /// Functions that store runs in the browser.
    storage: StorageModule,
    /// Functions that change, save and draw saved runs.
    library_functions: LibraryFunctions,
}

impl FunctionTables {
    /// Passes the function pointers to the places in the first module that call them.
    fn install(self) {
        lazy::install(self.lazy);
        openers::install(self.file_functions);
        storage::install(self.storage);
        library_functions::install(self.library_functions);
    }
}

/// Creates the view of a part of the page that is in the second WebAssembly module.
fn part_view(part: Part) -> AnyView {
    match part {
        Part::Hero => view! { <HeroView /> }.into_any(),
        Part::HeroPanel => view! { <HeroPanel /> }.into_any(),
        Part::Panels => lab_panels(),
        Part::ResumeOffer => view! { <ResumeOffer /> }.into_any(),
        Part::Library => view! { <Library /> }.into_any(),
        Part::Compared => view! { <Compared /> }.into_any(),
        Part::Tour => view! { <Tour /> }.into_any(),
        Part::Presenter => view! { <PresenterBar /> }.into_any(),
        Part::Lecture => view! { <LectureBar /><LectureEditor /> }.into_any(),
        Part::StoryList(open) => view! { <StoryList open /><PrintedStory /> }.into_any(),
        Part::Help(open) => view! { <Help open /> }.into_any(),
        Part::Numbers => view! { <Numbers /> }.into_any(),
        Part::Files(open) => view! { <Files open /> }.into_any(),
        Part::Gallery => view! { <Gallery /> }.into_any(),
        Part::Bench => view! { <Bench /> }.into_any(),
        Part::StoryTeaser => view! { <StoryTeaser /> }.into_any(),
        Part::SweepMap => view! { <SweepMap /> }.into_any(),
        Part::SweepForm => view! { <SweepForm /> }.into_any(),
        Part::Teacher(open) => view! { <Teacher open /> }.into_any(),
        Part::CurveOverlay(curves) => ChartInput::attach(curves),
    }
}

/// Creates the panels of all labs, in their order on the page; panels of other labs than the run's are empty.
fn lab_panels() -> AnyView {
    let drawn = PageSection::ALL.map(|place| PANELS.iter().filter_map(|lab| lab.draw(place)).collect_view());
    drawn.collect_view().into_any()
}

/// Fetches the second WebAssembly module when a trainer has answered or `is_requested` is true, and again after a failure
/// when `is_requested` changes. A lab that needs the module early does not wait for the answer, but lets the trainer's
/// program load first, since the first step depends on it.
pub fn provide_second_program(store: Store, is_requested: impl Fn() -> bool + Send + Sync + 'static) {
    let program = DeferredModule(RwSignal::new(None));
    provide_context(program);
    let (late, under_way) = (RwSignal::new(false), StoredValue::new(false));
    set_timeout(move || late.set(true), Duration::from_millis(FETCH_AFTER_MS));
    let is_needed =
        store.memo(|state| state.tour.is_some() || state.is_run_hidden() || state.presenter.is_some());
    let answered = store.memo(|state| !matches!(state.player.run.phase, RunPhase::Loading));
    let (has_trainer, lab_needs_it) =
        (RwSignal::new(false), store.memo(|state| state.player.run.lab().needs_lazy_code()));
    window_event_listener_untyped("vivarium-trainer", move |_| has_trainer.set(true));
    // Now the page may be kept for visits without a network (www/boot.js).
    Effect::new(move |_| {
        if answered.get() && program.0.with(Option::is_some) {
            let _ = Event::new("vivarium-complete").map(|event| window().dispatch_event(&event));
        }
    });
    Effect::new(move |_| {
        let is_in_turn = answered.get() | late.get() | (lab_needs_it.get() & has_trainer.get());
        let now = is_requested() | is_needed.get() | is_in_turn;
        if !now || under_way.get_value() || program.0.with_untracked(Option::is_some) {
            return;
        }
        under_way.set_value(true);
        spawn(async move {
            match load_second_program().await {
                Ok((drawer, modules)) => {
                    modules.install();
                    store.act(Action::SecondProgramLoaded);
                    store.connect_storage();
                    program.0.set(Some(drawer));
                    // After an attempt that failed.
                    if store.peek(|state| state.player.message == translated(FETCH_FAILED_TEXT)) {
                        store.act(Action::ShowMessage(""));
                    }
                }
                Err(_) => {
                    store.act(Action::ShowMessage(translated(FETCH_FAILED_TEXT)));
                    check_for_new_build();
                }
            }
            under_way.set_value(false);
        });
    });
}

/// Fetches the second WebAssembly module before the page is shown, for a run that cannot be checked without it.
pub async fn fetch_before_page() {
    if let Ok((_, modules)) = load_second_program().await {
        modules.install();
    }
}

/// Message if the second WebAssembly module could not be fetched.
const FETCH_FAILED_TEXT: &str = text!(
    "A part of this page could not be fetched: dialogs and panels are missing, and runs are not stored. Training continues. When the internet connection works again, open the dialog again or reload the page. If this message stays, a file on the server is missing or incomplete."
);
