//! The bar below a lecture: title, position, claim and task of the run, note, and buttons.

use leptos::prelude::*;

use crate::store::Store;
use vivarium_page::lecture::LectureAction;
use vivarium_page::lecture::update::LectureTexts;
use vivarium_page::presenter::PresenterAction;
use vivarium_page::state::{Action, State};
use vivarium_ui::browser::set_root_attribute;

/// The bar of the lecture that is shown.
#[component]
pub fn LectureBar() -> impl IntoView {
    let store = Store::here();
    let texts = store.memo(State::lecture_texts);
    let is_on = Memo::new(move |_| texts.with(Option::is_some));
    Effect::new(move |_| {
        // The screen above leaves as much space as the bar needs.
        let bar = texts.with(|texts| match texts {
            None => "off",
            Some(texts) if !texts.note.is_empty() => "note",
            Some(texts) if texts.claim.is_empty() && texts.task.is_empty() => "head",
            Some(_) => "on",
        });
        set_root_attribute("data-lecture", bar);
    });
    move || is_on.get().then(|| bar(store, texts))
}

/// Creates the content of the bar.
fn bar(store: Store, texts: Memo<Option<LectureTexts>>) -> AnyView {
    let part = move |of: fn(&LectureTexts) -> &String| {
        Memo::new(move |_| {
            texts.with(|texts| texts.as_ref().map(|texts| of(texts).clone()).unwrap_or_default())
        })
    };
    let is = move |of: fn(&LectureTexts) -> bool| {
        Memo::new(move |_| texts.with(|texts| texts.as_ref().is_some_and(of)))
    };
    let [title, place, claim, task, note] = [
        part(|texts| &texts.title),
        part(|texts| &texts.place),
        part(|texts| &texts.claim),
        part(|texts| &texts.task),
        part(|texts| &texts.note),
    ];
    let [is_first, is_last, shows_note] =
        [is(|texts| texts.is_first), is(|texts| texts.is_last), is(|texts| texts.shows_note)];
    let turn = move |by: isize| store.act(Action::Presenter(PresenterAction::Turn(by)));
    let line = move |class: &'static str, testid: &'static str, text: Memo<String>| {
        move || {
            let text = text.get();
            (!text.is_empty()).then(|| view! { <p class=class data-testid=testid prop:textContent=text></p> })
        }
    };
    view! {
        <section class="lecture" aria-label=tr!("Lecture") data-testid="lecture-bar">
            <div class="lecture__head">
                <div class="lecture__place" role="status">
                    <strong data-testid="lecture-place" prop:textContent=place></strong>
                    " "
                    // The name of the page is not shown in presenter mode, so this is the heading.
                    <h1 class="lecture__title" data-testid="lecture-title" prop:textContent=title></h1>
                </div>
                <div class="lecture__buttons">
                    <button class="button" type="button" data-testid="lecture-back" title=tr!("Previous entry (Page Up)")
                        aria-disabled=move || is_first.get().to_string() on:click=move |_| turn(-1)>
                        {tr!("Back")}
                    </button>
                    <button class="button button--main" type="button" data-testid="lecture-next" title=tr!("Next entry (Page Down)")
                        aria-disabled=move || is_last.get().to_string() on:click=move |_| turn(1)>
                        {tr!("Next")}
                    </button>
                    <button class="button" type="button" data-testid="lecture-notes" title=tr!("Show or hide the notes (N)")
                        aria-pressed=move || shows_note.get().to_string()
                        on:click=move |_| store.act(Action::Lecture(LectureAction::ToggleNote))>
                        {tr!("Notes")}
                    </button>
                </div>
            </div>
            {line("lecture__claim", "lecture-claim", claim)}
            {line("lecture__task", "lecture-task", task)}
            {line("lecture__note", "lecture-note", note)}
        </section>
    }
    .into_any()
}
