//! What the page shows only after its first picture: a program of its own, which is fetched beside the trainers.
//!
//! # Why
//! Dialogs, panels to look inside and stories are half of the page's code, and nobody needs them before the first
//! curve moves. `cargo xtask` splits off whatever is reached through [`second`] alone; a build that is not for the web
//! calls it as any other function.
//!
//! # Speed
//! 2026-11-27, two cores of a Xeon, a page opened anew with brotli: first paint after 0.2 s, first step after 1.0 to 1.3 s;
//! with Chromium's fourth of the processor and a server that sends 9 Mbit/s after 60 ms, to page and workers alike, first
//! paint after 0.6 s, first step after 2.4 to 2.6 s. The first step came after 4.7 s while the service worker fetched all
//! files meanwhile and the trainer's program was asked for only when its worker ran.
//! 2026-11-23: the first program is 419 KiB brotli, the second 433. 2026-11-21, `bench`: while networks train, a press
//! is on the screen after 24 ms in the median and 40 ms at the 98th percentile, in the first three labs on two cores;
//! nothing holds the page for 50 ms.

// The macro declares and exports what the splitter cuts.
#![allow(unsafe_code)]

use std::time::Duration;

use leptos::prelude::*;
use leptos::wasm_split::{SplitLoaderError, wasm_split};
use web_sys::Event;

use crate::bench::view::Bench;
use crate::browser::build::look_for_another;
use crate::charts::hand::Hand;
use crate::charts::numbers::Numbers;
use crate::compare::row::Compared;
use crate::files::dialog::Files;
use crate::gallery::cards::{Gallery, Strip};
use crate::library::list::{Library, Offer};
use crate::library::storage::web::STORAGE;
use crate::library::storage::{self, StorageModule};
use crate::presenter::view::PresenterBar;
use crate::share::teacher::Teacher;
use crate::shell::glossary;
use crate::shell::help::Help;
use crate::shell::later::{Drawer, Part, Program};
use crate::store::Store;
use crate::sweeps::cells::SweepMap;
use crate::sweeps::dialog::SweepForm;
use crate::tour::paper::Paper;
use crate::tour::passage::{Tour, Tours};
use vivarium_core::language::translated;
use vivarium_labs::lazy::{self, LAZY_MODULE, LazyModule};
use vivarium_model::platform::web::spawn;
use vivarium_page::files::openers;
use vivarium_page::files::openers::{OPENERS, Openers};
use vivarium_page::library::keeper::{self, KEEPER, Keeper};
use vivarium_page::state::Action;
use vivarium_panels::PANELS;
use vivarium_panels::panel::Place;
use vivarium_view::display::Phase;

/// When it is fetched although no trainer has answered yet, in milliseconds.
const PATIENCE_MS: u64 = 10_000;

#[wasm_split(later, wasm_split_path = leptos::wasm_split, fallible)]
fn second() -> Result<(Drawer, Modules), SplitLoaderError> {
    glossary::listen();
    Ok((draw, Modules { lazy: LAZY_MODULE, openers: OPENERS, storage: STORAGE, keeper: KEEPER }))
}

/// The tables of functions that the first program calls once they are there.
struct Modules {
    lazy: LazyModule,
    openers: Openers,
    storage: StorageModule,
    keeper: Keeper,
}

impl Modules {
    fn install(self) {
        lazy::install(self.lazy);
        openers::install(self.openers);
        storage::install(self.storage);
        keeper::install(self.keeper);
    }
}

fn draw(part: Part) -> AnyView {
    match part {
        Part::Panels => panels(),
        Part::Offer => view! { <Offer /> }.into_any(),
        Part::Library => view! { <Library /> }.into_any(),
        Part::Compared => view! { <Compared /> }.into_any(),
        Part::Tour => view! { <Tour /> }.into_any(),
        Part::Presenter => view! { <PresenterBar /> }.into_any(),
        Part::Tours(open) => view! { <Tours open /><Paper /> }.into_any(),
        Part::Help(open) => view! { <Help open /> }.into_any(),
        Part::Numbers => view! { <Numbers /> }.into_any(),
        Part::Files(open) => view! { <Files open /> }.into_any(),
        Part::Gallery => view! { <Gallery /> }.into_any(),
        Part::Bench => view! { <Bench /> }.into_any(),
        Part::Strip => view! { <Strip /> }.into_any(),
        Part::SweepMap => view! { <SweepMap /> }.into_any(),
        Part::SweepForm => view! { <SweepForm /> }.into_any(),
        Part::Teacher(open) => view! { <Teacher open /> }.into_any(),
        Part::Over(curves) => Hand::over(curves),
    }
}

/// What labs show, place by place: each of them is asked, since some of it is about a model.
fn panels() -> AnyView {
    let drawn = Place::ALL.map(|place| PANELS.iter().filter_map(|lab| lab.draw(place)).collect_view());
    drawn.collect_view().into_any()
}

/// Fetches the second program as soon as a trainer has answered or `wanted` says that somebody waits for it; where
/// that fails, again whenever `wanted` changes. A lab that shows little without it does not wait for the answer, only
/// until the trainer's program has used the connection: it is larger, and the first step waits for it.
pub fn provide(store: Store, wanted: impl Fn() -> bool + Send + Sync + 'static) {
    let program = Program(RwSignal::new(None));
    provide_context(program);
    let (late, under_way) = (RwSignal::new(false), StoredValue::new(false));
    set_timeout(move || late.set(true), Duration::from_millis(PATIENCE_MS));
    let is_needed =
        store.memo(|state| state.tour.is_some() || state.is_covered() || state.presenter.is_some());
    let answered = store.memo(|state| !matches!(state.run.phase, Phase::Loading));
    let (has_trainer, lab_needs_it) =
        (RwSignal::new(false), store.memo(|state| state.run.lab().needs_second_program()));
    window_event_listener_untyped("vivarium-trainer", move |_| has_trainer.set(true));
    // Now the page may be kept for visits without a network (www/boot.js).
    Effect::new(move |_| {
        if answered.get() && program.0.with(Option::is_some) {
            let _ = Event::new("vivarium-complete").map(|event| window().dispatch_event(&event));
        }
    });
    Effect::new(move |_| {
        let is_in_turn = answered.get() | late.get() | (lab_needs_it.get() & has_trainer.get());
        let now = wanted() | is_needed.get() | is_in_turn;
        if !now || under_way.get_value() || program.0.with_untracked(Option::is_some) {
            return;
        }
        under_way.set_value(true);
        spawn(async move {
            match second().await {
                Ok((drawer, modules)) => {
                    modules.install();
                    store.act(Action::Arrived);
                    store.keep_runs();
                    program.0.set(Some(drawer));
                }
                Err(_) => {
                    store.act(Action::Said(translated(LOST)));
                    look_for_another();
                }
            }
            under_way.set_value(false);
        });
    });
}

/// Fetches the second program before the page is shown, for a run that cannot be checked without it.
pub async fn early() {
    if let Ok((_, modules)) = second().await {
        modules.install();
    }
}

/// What is said where the second program could not be fetched.
const LOST: &str = text!(
    "A part of this page could not be fetched: dialogs and panels are missing, and runs are not stored. Training continues. When the internet connection works again, open the dialog again or reload the page."
);
