//! The main buttons of a run: play, step, reset, and the speed limit.

use leptos::prelude::*;

use crate::store::Store;
use crate::timeline::scrub::Scrub;
use vivarium_model::platform::fresh_seed;
use vivarium_page::library::LibraryAction;
use vivarium_page::settings::form::speed_field;
use vivarium_page::state::{Action, State};
use vivarium_player::status::status_line;
use vivarium_ui::icon::{Icon, Name};
use vivarium_ui::setting::Setting;
use vivarium_view::display::RunPhase;

/// Button with an icon and a label in the bar of main buttons.
#[component]
fn Press(
    /// Test id.
    testid: &'static str,
    /// Icon.
    #[prop(into)]
    icon: Signal<Name>,
    /// Label.
    #[prop(into)]
    word: Signal<&'static str>,
    /// Description with the key of its shortcut.
    hint: &'static str,
    /// Whether the button has no effect now. It stays focusable, so that a press that leaves it without effect does not
    /// take the focus away.
    #[prop(into)]
    idle: Signal<bool>,
    /// Called when it is pressed.
    press: Callback<()>,
) -> impl IntoView {
    view! {
        <button class="button" class:button--main=testid == "play" type="button" data-testid=testid title=hint aria-label=word
            aria-disabled=move || idle.get().to_string()
            on:click=move |_| {
                if !idle.get_untracked() {
                    press.run(());
                }
            }>
            <Icon name=icon />
            <span class="button__label" prop:textContent=word></span>
        </button>
    }
    .into_any()
}

/// The bar of main buttons with the speed limit and the last message.
#[component]
pub fn Transport() -> impl IntoView {
    let store = Store::here();
    let act = move |action: Action| Callback::new(move |()| store.act(action.clone()));
    let playing = store.memo(|state| state.player.is_playing());
    let main = store.memo(State::main_button);
    let cannot_step = store.memo(|state| {
        let phase = &state.player.run.phase;
        phase.has_ended() || matches!(phase, RunPhase::Failed(_))
    });
    let no_undo = store.memo(|state| state.undo.is_empty());
    let failed = store.memo(|state| matches!(state.player.run.phase, RunPhase::Failed(_)));
    let play_word = Signal::derive(move || main.get().0);
    let stuck = Signal::derive(move || main.get().1);
    let play_icon = Signal::derive(move || if playing.get() { Name::Pause } else { Name::Play });
    let message = store.memo(|state| state.player.message.clone());
    // What the status line says as well is only spoken.
    let spoken = store.memo(|state| state.player.message == status_line(&state.player));
    let none = store
        .memo(|state| state.player.message.is_empty() || state.player.message == status_line(&state.player));
    let never = Signal::derive(|| false);
    let seed = Callback::new(move |()| store.act(Action::NewSeed(fresh_seed())));
    view! {
        <section class="transport" aria-label=tr!("Run")>
            <div class="transport__buttons" role="toolbar" aria-label=tr!("Buttons of the run")>
                <Press testid="play" icon=play_icon word=play_word hint=tr!("Play or pause (Space)") idle=stuck
                    press=act(Action::TogglePlay) />
                <Press testid="single-step" icon=Name::Step word=tr!("Step") hint=tr!("One step (→ or .)") idle=cannot_step
                    press=act(Action::SingleStep) />
                <Press testid="reset" icon=Name::Reset word=tr!("Reset") hint=tr!("Start the same run again (R)") idle=never
                    press=act(Action::Reset) />
                <Press testid="new-seed" icon=Name::Seed word=tr!("New seed") hint=tr!("Start a run with the same settings and a new seed (N)")
                    idle=never press=seed />
                <Press testid="compare" icon=Name::Compare word=tr!("Keep and compare")
                    hint=tr!("Keep this run and draw its curves with those of the next runs (C)") idle=never
                    press=act(Action::Library(LibraryAction::Compare)) />
                <Press testid="undo" icon=Name::Undo word=tr!("Undo") hint=tr!("Undo the last change (Ctrl+Z)") idle=no_undo
                    press=act(Action::Undo) />
            </div>
            <div class="transport__speed">
                {speed_field().map(|field| view! { <Setting field /> })}
            </div>
            <Scrub />
            <p class="message" class:message--empty=none role="status" aria-live="polite" data-testid="message">
                <span class:visually-hidden=spoken prop:textContent=message></span>
                {move || failed.get().then(|| view! {
                    <button class="button" type="button" data-testid="retry" on:click=move |_| store.act(Action::Retry)>
                        {tr!("Restart from the last checkpoint")}
                    </button>
                })}
            </p>
        </section>
    }
    .into_any()
}
