//! The page for teachers in its dialog, and what is printed in place of the page.
//!
//! # Why
//! A dialog lies over the page and has one screen; paper has many pages. So what is printed is written anew, into a
//! section of its own, whenever the browser is about to print: by a button or by its own menu. It stays there, where no
//! screen shows it, until the next time: some phones say that they have printed before they read the page.

use leptos::html::Section;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, MouseEvent};

use crate::browser;
use crate::store::Store;
use vivarium_core::language::escaped;
use vivarium_labs::stories;
use vivarium_labs::story::parse;
use vivarium_page::html::Html;
use vivarium_page::state::State;
use vivarium_page::tour::handout::handout;
use vivarium_page::tour::lesson::lesson;
use vivarium_page::tour::{file_of, not_loaded, start_of};
use vivarium_ui::sheet::Sheet;

/// The page for teachers that is shown.
#[derive(Clone, Copy)]
pub struct Lesson {
    /// Whether one is open.
    open: RwSignal<bool>,
    /// The name of its story.
    slug: RwSignal<String>,
    /// The page in its dialog.
    shown: RwSignal<String>,
    /// The page on paper.
    printed: RwSignal<String>,
}

impl Lesson {
    /// None at first; components below open one.
    pub fn provide() {
        let [slug, shown, printed] = [(); 3].map(|()| RwSignal::new(String::new()));
        provide_context(Lesson { open: RwSignal::new(false), slug, shown, printed });
    }

    /// The page's own.
    pub fn here() -> Lesson {
        expect_context()
    }

    /// Opens the page of the story of this name.
    pub fn show(self, slug: &str) {
        let Some(about) = stories().find(|about| about.slug == slug) else { return };
        let slug = about.slug;
        self.slug.set(slug.into());
        self.write(escaped(tr!("Loading")), String::new());
        self.open.set(true);
        browser::fetch(&file_of(slug), move |text| {
            // Meanwhile the page of another story may have been asked for.
            if self.slug.with_untracked(|now| now != slug) {
                return;
            }
            let address = browser::address_of(&start_of(slug));
            match text.and_then(|text| parse(&text).map_err(|flaw| flaw.to_string())) {
                Ok(story) => {
                    let [shown, printed] = [3, 1].map(|level| lesson(slug, &story, &address, level));
                    self.write(shown, printed);
                }
                Err(why) => {
                    let mut out = Html::default();
                    out.within("p", &not_loaded(&why));
                    self.write(out.0.clone(), out.0);
                }
            }
        });
    }

    fn write(self, shown: String, printed: String) {
        self.shown.set(shown);
        self.printed.set(printed);
    }
}

/// Opens the browser's dialog for printing.
pub fn print() {
    // A browser without that dialog does nothing.
    let _ = window().print();
}

/// The open story as a handout; nothing where the page itself is to be printed.
fn story_on_paper(state: &State) -> String {
    match state.tour.as_ref().filter(|_| !state.is_covered()) {
        Some(tour) => match &tour.story {
            Some(Ok(story)) => handout(story, &browser::address_of(&start_of(tour.slug))),
            _ => String::new(),
        },
        None => String::new(),
    }
}

/// The dialog with the page for teachers, and the section that is printed in place of the page where it is not empty.
#[component]
pub fn Paper() -> impl IntoView {
    let (store, lesson) = (Store::here(), Lesson::here());
    let paper = NodeRef::<Section>::new();
    window_event_listener_untyped("beforeprint", move |_| {
        let html = match lesson.open.get_untracked() {
            true => lesson.printed.get_untracked(),
            false => store.peek(story_on_paper),
        };
        if let Some(paper) = paper.get_untracked() {
            // Markup: `lesson` and `handout`, written with `Html`, which escapes texts.
            paper.set_inner_html(&html);
        }
    });
    let follow = move |event: MouseEvent| {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        if target.is_some_and(|target| target.closest("a").is_ok_and(|link| link.is_some())) {
            lesson.open.set(false);
        }
    };
    view! {
        <Sheet open=lesson.open title=tr!("For teachers")>
            // Markup: `lesson`, written with `Html`, which escapes texts.
            <div class="lesson" data-testid="lesson" on:click=follow inner_html=move || lesson.shown.get()></div>
            <div class="lesson__buttons">
                <button class="button" type="button" data-testid="print-lesson" on:click=move |_| print()>
                    {tr!("Print this page")}
                </button>
            </div>
        </Sheet>
        <section class="handout" data-testid="handout" node_ref=paper></section>
    }
    .into_any()
}
