//! The list of stories, and the passage of the open story.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, MouseEvent};

use crate::browser;
use crate::lecture::LectureDialog;
use crate::store::Store;
use crate::tour::printing::{TeacherPage, print};
use vivarium_page::state::Action;
use vivarium_page::tour::{LESSON_BUTTON_PREFIX, TourAction, answers_storage_key, story_list_html};
use vivarium_ui::browser::{focus_selector, write_tab_stored};
use vivarium_ui::dialog::ModalDialog;

/// Returns the name (attribute `data-press`) of the button that was clicked inside an element with an HTML string; None
/// for a click elsewhere.
pub fn pressed_button(event: &MouseEvent) -> Option<String> {
    let target: Element = event.target()?.dyn_into().ok()?;
    let button = target.closest("[data-press]").ok()??;
    (button.get_attribute("aria-disabled").is_none()).then(|| button.get_attribute("data-press"))?
}

/// The dialog with the list of stories.
#[component]
pub fn StoryList(
    /// Whether the dialog is open.
    open: RwSignal<bool>,
) -> impl IntoView {
    let (store, lesson, lecture) = (Store::here(), TeacherPage::here(), LectureDialog::here());
    let choose = move |event: MouseEvent| {
        let Some(name) = pressed_button(&event) else { return };
        open.set(false);
        match name.strip_prefix(LESSON_BUTTON_PREFIX) {
            Some(slug) => lesson.show_story(slug),
            None => store.act(Action::Tour(TourAction::Open(name))),
        }
    };
    view! {
        <ModalDialog open title=tr!("Stories")>
            <p>{tr!("Stories are short guided tours. In a story, the page trains networks, stops and asks questions. You can leave a story at any time; the run stays on the page.")}</p>
            // Markup: `story_list_html`, written with `Html`, which escapes texts.
            <ul class="story-list" inner_html=story_list_html() on:click=choose></ul>
            <button class="button" type="button" data-testid="story-lecture" on:click=move |_| {
                open.set(false);
                lecture.open.set(true);
            }>{tr!("Make or give a lecture")}</button>
        </ModalDialog>
    }
    .into_any()
}

/// The open story: the passage that is shown.
#[component]
pub fn Tour() -> impl IntoView {
    let (store, lesson) = (Store::here(), TeacherPage::here());
    // Texts, of which the page has memos anyway: one of another kind makes the program larger.
    let pointed = store.memo(|state| {
        let pointed = state.tour.as_ref().and_then(|tour| tour.pointed_chart);
        pointed.map(|(chart, times)| format!("{}/{times}", chart.slug())).unwrap_or_default()
    });
    Effect::new(move |_| {
        if let Some((chart, _)) = pointed.get().split_once('/') {
            // The chart may be put on the page only now.
            let selector = format!(".plot:has([data-testid=chart-{chart}])");
            request_animation_frame(move || browser::scroll_into_view(&selector));
        }
    });
    let press = move |event: MouseEvent| {
        let Some(name) = pressed_button(&event) else { return };
        match &*name {
            "print" => return print(),
            "lesson" => {
                let slug = store.peek(|state| state.tour.as_ref().map(|tour| tour.slug));
                return lesson.show_story(slug.unwrap_or_default());
            }
            _ => {}
        }
        if name == "copy" {
            let text = store
                .peek(|state| state.tour.as_ref().map(|tour| tour.predictions_text()).unwrap_or_default());
            browser::copy_text(&text, move |worked| {
                let message = if worked {
                    tr!("Copied")
                } else {
                    tr!("The browser did not allow this page to copy the text.")
                };
                store.act(Action::ShowMessage(message));
            });
            return;
        }
        let what = store.peek(|state| TourAction::from_button(&name, state.tour.as_ref()?));
        let Some(what) = what else { return };
        store.act(Action::Tour(what));
    };
    let place = store.memo(|state| {
        let tour = state.tour.as_ref();
        tour.map(|t| format!("{} {} {}", t.slug, t.passage_index, t.story.is_some())).unwrap_or_default()
    });
    // Whoever listens, or moves by keyboard, goes on from the title of a new passage.
    Effect::new(move |_| {
        if !place.get().is_empty() {
            request_animation_frame(|| focus_selector(".tour__title"));
        }
    });
    let answers = store.memo(|state| {
        let tour = state.tour.as_ref();
        tour.map(|tour| (answers_storage_key(tour.slug), tour.encode_answers()))
            .filter(|(_, answers)| !answers.is_empty())
    });
    Effect::new(move |_| {
        if let Some((key, answers)) = answers.get() {
            write_tab_stored(&key, &answers);
        }
    });
    let is_open = store.memo(|state| state.tour.is_some());
    move || {
        is_open.get().then(|| {
            let html =
                store.memo(|state| state.tour.as_ref().map(|tour| tour.passage_html()).unwrap_or_default());
            view! {
                <section class="tour" aria-label=tr!("Story") data-testid="tour" on:click=press
                    // Markup: `Tour::passage_html`, written with `Html`, which escapes texts.
                    inner_html=move || html.get()></section>
            }
        })
    }
}
