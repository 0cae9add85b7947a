//! The page for teachers in its dialog, and the section that is printed in place of the page.
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
use vivarium_core::language::escape_html;
use vivarium_labs::stories;
use vivarium_labs::story::parse_story;
use vivarium_page::html::Html;
use vivarium_page::state::State;
use vivarium_page::tour::handout::handout_html;
use vivarium_page::tour::lesson::lesson_html;
use vivarium_page::tour::{load_error_text, story_address, story_file_path};
use vivarium_ui::dialog::ModalDialog;

/// The page for teachers on a story: a dialog, and a version to print.
#[derive(Clone, Copy)]
pub struct TeacherPage {
    /// Whether the dialog with the page for teachers is open.
    open: RwSignal<bool>,
    /// Slug (permanent name) of the story on which the page for teachers is; empty before one was chosen.
    slug: RwSignal<String>,
    /// Content of the dialog with the page for teachers, as HTML.
    shown: RwSignal<String>,
    /// HTML that is printed in place of the page; empty to print the page itself.
    print_html: RwSignal<String>,
}

impl TeacherPage {
    /// Provides the page for teachers in the Leptos context, closed and without a story.
    pub fn provide() {
        let [slug, shown, printed] = [(); 3].map(|()| RwSignal::new(String::new()));
        provide_context(TeacherPage { open: RwSignal::new(false), slug, shown, print_html: printed });
    }

    /// Returns the page for teachers from the Leptos context.
    pub fn here() -> TeacherPage {
        expect_context()
    }

    /// Fetches the story with this slug and opens its page for teachers.
    pub fn show_story(self, slug: &str) {
        let Some(about) = stories().find(|about| about.slug == slug) else { return };
        let slug = about.slug;
        self.slug.set(slug.into());
        self.set_html(escape_html(tr!("Loading")), String::new());
        self.open.set(true);
        browser::fetch_text(&story_file_path(slug), move |text| {
            // Meanwhile the page of another story may have been asked for.
            if self.slug.with_untracked(|now| now != slug) {
                return;
            }
            let address = browser::address_of(&story_address(slug));
            match text.and_then(|text| parse_story(&text).map_err(|error| error.to_string())) {
                Ok(story) => {
                    let [shown, printed] = [3, 1].map(|level| lesson_html(slug, &story, &address, level));
                    self.set_html(shown, printed);
                }
                Err(why) => {
                    let mut out = Html::default();
                    out.element("p", &load_error_text(&why));
                    self.set_html(out.0.clone(), out.0);
                }
            }
        });
    }

    /// Sets the HTML of the dialog (`shown`) and of the printed version.
    fn set_html(self, shown: String, printed: String) {
        self.shown.set(shown);
        self.print_html.set(printed);
    }
}

/// Opens the browser's dialog for printing.
pub fn print() {
    // A browser without that dialog does nothing.
    let _ = window().print();
}

/// Returns the open story as HTML for printing; empty if the page itself is to be printed.
fn printed_story_html(state: &State) -> String {
    match state.tour.as_ref().filter(|_| !state.is_run_hidden()) {
        Some(tour) => match &tour.story {
            Some(Ok(story)) => handout_html(story, &browser::address_of(&story_address(tour.slug))),
            _ => String::new(),
        },
        None => String::new(),
    }
}

/// View of the dialog with the page for teachers, and of the section that is printed in place of the page.
#[component]
pub fn PrintedStory() -> impl IntoView {
    let (store, lesson) = (Store::here(), TeacherPage::here());
    let paper = NodeRef::<Section>::new();
    window_event_listener_untyped("beforeprint", move |_| {
        let html = match lesson.open.get_untracked() {
            true => lesson.print_html.get_untracked(),
            false => store.peek(printed_story_html),
        };
        if let Some(paper) = paper.get_untracked() {
            // Markup: `lesson_html` and `handout_html`, written with `Html`, which escapes texts.
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
        <ModalDialog open=lesson.open title=tr!("For teachers")>
            // Markup: `lesson_html`, written with `Html`, which escapes texts.
            <div class="lesson" data-testid="lesson" on:click=follow inner_html=move || lesson.shown.get()></div>
            <div class="lesson__buttons">
                <button class="button" type="button" data-testid="print-lesson" on:click=move |_| print()>
                    {tr!("Print this page")}
                </button>
            </div>
        </ModalDialog>
        <section class="handout" data-testid="handout" node_ref=paper></section>
    }
    .into_any()
}
