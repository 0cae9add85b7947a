//! The first screen: the frame around the moving picture of the run. The picture is in the second program.
//!
//! # Why
//! The frame, its title and its buttons are part of the first paint; the picture is drawn as soon as its code has arrived,
//! in space that is reserved for it, so that nothing moves aside.

pub mod choice;
pub mod handle;
pub mod hero;
pub mod targets;

use leptos::prelude::*;

use crate::settings::sections::ShortForm;
use crate::share::embed_header::EmbedLink;
use crate::shell::deferred::{Deferred, Part};
use crate::store::Store;
use vivarium_page::share::titles::run_name;
use vivarium_page::stage::StageAction;
use vivarium_page::state::Action;
use vivarium_player::status::status_line;
use vivarium_ui::browser::focus_selector;
use vivarium_view::display::RunPhase;

/// Shows the picture, or the details, and remembers the choice in this browser. The focus goes to the button that switches
/// back, since the pressed one disappears.
fn choose(store: Store, picture: bool) {
    choice::store(picture);
    store.act(Action::Stage(StageAction::ShowPicture(picture)));
    let back = if picture { "[data-testid=show-details]" } else { "[data-testid=show-picture]" };
    // The button is there once the change is shown.
    request_animation_frame(move || focus_selector(back));
}

/// The first screen of a run that has a moving picture, while the visitor wants it.
#[component]
pub fn Stage() -> impl IntoView {
    let store = Store::here();
    let shown = store.memo(|state| state.shows_stage());
    let covered = store.memo(|state| state.is_run_hidden());
    move || {
        shown.get().then(|| {
            let title = store.memo(|state| run_name(&state.player.run.link.spec));
            let is_embedded = store.memo(|state| state.player.run.link.is_embedded());
            let has_settings = store.memo(|state| {
                let link = &state.player.run.link;
                !link.hides("settings") && !link.is_embedded()
            });
            let drawer = RwSignal::new(false);
            view! {
                <main class="first-screen" hidden=covered data-testid="stage" aria-labelledby="stage-title">
                    <h2 class="first-screen__title" id="stage-title" prop:textContent=title></h2>
                    <Deferred part=Part::Hero />
                    <StageMessage />
                    <div class="first-screen__more">
                    {move || has_settings.get().then(|| view! {
                        <button class="button" type="button" data-testid="stage-settings" aria-expanded=move || drawer.get().to_string()
                            title=tr!("Change the network, its data and its training")
                            on:click=move |_| drawer.update(|open| *open = !*open)>
                            {tr!("Settings")}
                        </button>
                    })}
                    // A frame of another page has no room for the details.
                    {move || match is_embedded.get() {
                        true => view! { <EmbedLink /> }.into_any(),
                        false => view! {
                            <button class="button" type="button" data-testid="show-details"
                                title=tr!("Show the charts, settings and numbers of this run")
                                on:click=move |_| choose(store, false)>
                                {tr!("Details")}
                            </button>
                        }.into_any(),
                    }}
                    </div>
                    {move || (drawer.get() && has_settings.get()).then(|| view! {
                        <aside class="panel first-screen__drawer" aria-label=tr!("Settings") data-testid="stage-drawer"
                            on:keydown=move |event| {
                                if event.key() == "Escape" {
                                    event.stop_propagation();
                                    drawer.set(false);
                                    focus_selector("[data-testid=stage-settings]");
                                }
                            }>
                            <ShortForm />
                        </aside>
                    })}
                </main>
            }
        })
    }
}

/// The message of the run, with a button if the run has failed.
#[component]
fn StageMessage() -> impl IntoView {
    let store = Store::here();
    let message = store.memo(|state| {
        let (message, question) = (&state.player.message, &state.player.consent.question);
        match question {
            Some(question) => question.clone(),
            None if *message == status_line(&state.player) => String::new(),
            None => message.clone(),
        }
    });
    let failed = store.memo(|state| matches!(state.player.run.phase, RunPhase::Failed(_)));
    view! {
        <p class="first-screen__message" role="status" data-testid="stage-message" title=message
            class:first-screen__message--failed=failed>
            <span prop:textContent=message></span>
            {move || failed.get().then(|| view! {
                <button class="button" type="button" on:click=move |_| store.act(Action::Retry)>
                    {tr!("Restart from the last checkpoint")}
                </button>
            })}
        </p>
    }
    .into_any()
}

/// The button that shows the picture again, above charts and numbers of a run that has one.
#[component]
pub fn ShowPicture() -> impl IntoView {
    let store = Store::here();
    let is_offered = store.memo(|state| {
        state.has_picture() && !state.shows_stage() && state.tour.is_none() && state.presenter.is_none()
    });
    move || {
        is_offered.get().then(|| {
            view! {
                <button class="button show-picture" type="button" data-testid="show-picture"
                    title=tr!("Show the moving picture of this run") on:click=move |_| choose(store, true)>
                    {tr!("Moving picture")}
                </button>
            }
        })
    }
}
