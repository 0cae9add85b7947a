//! The dialog for teachers: a link for a class with its QR code, and the HTML that embeds the page.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlInputElement, HtmlSelectElement};

use crate::browser;
use crate::lecture::LectureDialog;
use crate::presenter::cover::Cover;
use crate::share::links::CopyField;
use crate::store::Store;
use crate::tour::printing::TeacherPage;
use vivarium_model::permalink::{Link, encode};
use vivarium_page::share::qr::qr_svg;
use vivarium_page::share::teaching::{FrameContent, LessonForm, RESIZE_SCRIPT, form_html, iframe_html};
use vivarium_page::share::titles::{page_title, run_name};
use vivarium_page::state::State;
use vivarium_ui::dialog::ModalDialog;
use vivarium_ui::icon::Name;

/// The dialog for teachers: a form, and the link with hidden and locked parts.
#[component]
pub fn Teacher(
    /// Whether the dialog is open.
    open: RwSignal<bool>,
) -> impl IntoView {
    let (store, lesson, lecture) = (Store::here(), TeacherPage::here(), LectureDialog::here());
    view! {
        <ModalDialog open title=tr!("Link for a class")>
            {move || {
                // As the link is when the dialog is opened; the run behind it goes on.
                let link = store.peek(|state| state.player.run.link.clone());
                let story = store.peek(|state| state.tour.as_ref().map(|tour| (tour.passage_address(), page_title(state))));
                let slug = store.peek(|state| state.tour.as_ref().map(|tour| tour.slug));
                let notes = match slug {
                    Some(slug) => view! {
                        <button class="button" type="button" data-testid="class-lesson" on:click=move |_| {
                            open.set(false);
                            lesson.show_story(slug);
                        }>{tr!("For teachers: goals and questions of this story")}</button>
                    }.into_any(),
                    None => view! {
                        <p>{tr!("Each story has a page for teachers. The list of stories has a button for each page.")}</p>
                    }.into_any(),
                };
                let mut form = LessonForm { opens_story: story.is_some(), ..LessonForm::from_link(&link) };
                // A frame of a run with a moving picture shows the picture unless the teacher chooses otherwise.
                if store.peek(State::has_picture) {
                    form.frame_picture.get_or_insert(true);
                }
                let fields = form_html(&link, &form);
                let step = store.peek(|state| state.player.run.step).max(100).to_string();
                let at = form.wait_step.map(|at| at.to_string()).unwrap_or_default();
                let texts = RwSignal::new(None);
                let update_texts = move |form: &LessonForm, link: &Link| {
                    // The address, what is there, and what a frame holds.
                    let place = |form: &LessonForm| match &story {
                        Some((story, title)) if form.opens_story => (browser::address_of(story), title.clone(), FrameContent::Charts(3)),
                        _ => {
                            let link = form.lesson_link(link);
                            let about = tr!("{subject} · Vivarium", subject = run_name(&link.spec));
                            (browser::address_of(&encode(&link)), about, form.frame_content(&link))
                        }
                    };
                    let (address, ..) = place(form);
                    let (framed, about, content) = place(&LessonForm { embedded: true, ..form.clone() });
                    let frame = iframe_html(&framed, &about, content);
                    // One after the other: three texts, none of which holds a line's end.
                    texts.set(Some(format!("{address}\n{frame}\n{frame}{RESIZE_SCRIPT}")));
                };
                update_texts(&form, &link);
                let line = move |at: usize| {
                    Signal::derive(move || {
                        texts.with(|texts| texts.as_ref().and_then(|texts| texts.lines().nth(at)).unwrap_or_default().into())
                    })
                };
                let [address, snippet, following]: [Signal<String>; 3] = [line(0), line(1), line(2)];
                let large = RwSignal::new(false);
                let wall = Signal::derive(move || large.get().then(|| address.get()));
                let on_input = move |event: Event| {
                    let Some(target) = event.target() else { return };
                    let field = match (target.dyn_ref::<HtmlSelectElement>(), target.dyn_ref::<HtmlInputElement>()) {
                        (Some(select), _) => (select.name(), select.value()),
                        (_, Some(input)) if input.type_() == "checkbox" => {
                            (input.name(), if input.checked() { "on".into() } else { String::new() })
                        }
                        (_, Some(input)) => (input.name(), input.value()),
                        _ => return,
                    };
                    form.set_field(&field.0, &field.1);
                    update_texts(&form, &link);
                };
                view! {
                    <div class="teacher" on:input=on_input>
                        <div class="teacher__options">
                            <label class="form-field">
                                <span>{tr!("Wait at step")}</span>
                                <input class="setting__input" type="text" inputmode="numeric" autocomplete="off" name="at" value=at
                                    placeholder=step data-testid="start-at-step" />
                            </label>
                            // Markup: `form_html`, whose texts are escaped.
                            <div class="teacher__fields" inner_html=fields></div>
                        </div>
                        <div class="teacher__result">
                            <CopyField testid="copy-lesson" icon=Name::Link word=tr!("Copy link") text=address
                                about=tr!("The link for the class.") />
                            <CopyField testid="copy-frame" icon=Name::Terminal word=tr!("Copy HTML") text=snippet
                                about=tr!("HTML that shows the run and its Play button inside another page.") />
                            <CopyField testid="copy-following" icon=Name::Terminal word=tr!("Copy HTML with script") text=following
                                about=tr!("The same HTML, with a script that sets the frame to the height that its content needs.") />
                            // Markup: `qr_svg`, whose texts are escaped.
                            <div class="teacher__code" inner_html=move || address.with(|address| qr_svg(address))></div>
                            <button class="button" type="button" data-testid="large-qr-code" on:click=move |_| large.set(true)>
                                {tr!("Show the QR code on the whole screen")}
                            </button>
                            {notes}
                            <button class="button" type="button" data-testid="class-lecture" on:click=move |_| {
                                open.set(false);
                                lecture.open.set(true);
                            }>{tr!("Lecture: runs and notes in order")}</button>
                        </div>
                        <Cover shown=wall close=Callback::new(move |()| large.set(false)) />
                    </div>
                }
            }}
        </ModalDialog>
    }
    .into_any()
}
