//! What drives a run: play, step, start over, speed; and what carries it elsewhere: its link.

use leptos::prelude::*;

use super::icon::{Icon, Name};
use super::knob::Knob;
use super::later::{Later, Part};
use super::scrub::Scrub;
use crate::app::run::status::status;
use crate::app::settings::form::speed_field;
use crate::app::state::{Action, State};
use crate::app::store::Store;
use crate::app::{browser, files};
use crate::display::Phase;
use crate::permalink::encode;
use crate::platform::fresh_seed;

/// A button with an icon and a word.
#[component]
fn Press(
    /// Name for tests.
    testid: &'static str,
    /// Icon.
    #[prop(into)]
    icon: Signal<Name>,
    /// Word.
    #[prop(into)]
    word: Signal<&'static str>,
    /// What it does and on which key.
    hint: &'static str,
    /// Whether it does nothing now.
    #[prop(into)]
    idle: Signal<bool>,
    /// What happens.
    press: Callback<()>,
) -> impl IntoView {
    view! {
        <button class="button" class:button--main=testid == "play" type="button" data-testid=testid title=hint aria-label=word
            disabled=idle on:click=move |_| press.run(())>
            <Icon name=icon />
            <span class="button__word">{word}</span>
        </button>
    }
    .into_any()
}

/// The bar of buttons, the speed, and the last message.
#[component]
pub fn Transport() -> impl IntoView {
    let store = Store::here();
    let act = move |action: Action| Callback::new(move |()| store.act(action.clone()));
    let playing = store.memo(|state| state.is_playing());
    let main = store.memo(State::main_button);
    let cannot_step = store.memo(|state| {
        matches!(state.run.phase, Phase::Finished(_) | Phase::Diverged { .. } | Phase::Failed(_))
    });
    let no_undo = store.memo(|state| state.undo.is_empty());
    let failed = store.memo(|state| matches!(state.run.phase, Phase::Failed(_)));
    let play_word = Signal::derive(move || main.get().0);
    let stuck = Signal::derive(move || main.get().1);
    let play_icon = Signal::derive(move || if playing.get() { Name::Pause } else { Name::Play });
    let message = store.memo(|state| state.message.clone());
    // What the status line says as well is only spoken.
    let spoken = store.memo(|state| state.message == status(state));
    let none = store.memo(|state| state.message.is_empty() || state.message == status(state));
    let never = Signal::derive(|| false);
    let seed = Callback::new(move |()| store.act(Action::NewSeed(fresh_seed())));
    view! {
        <section class="transport" aria-label=tr!("Run")>
            <div class="transport__buttons" role="toolbar" aria-label=tr!("Transport")>
                <Press testid="play" icon=play_icon word=play_word hint=tr!("Play or pause (Space)") idle=stuck
                    press=act(Action::Toggle) />
                <Press testid="single-step" icon=Name::Step word=tr!("Step") hint=tr!("One step (→ or .)") idle=cannot_step
                    press=act(Action::SingleStep) />
                <Press testid="reset" icon=Name::Reset word=tr!("Reset") hint=tr!("Back to the same start (R)") idle=never
                    press=act(Action::Reset) />
                <Press testid="new-seed" icon=Name::Seed word=tr!("New seed") hint=tr!("The same settings from a new seed (N)")
                    idle=never press=seed />
                <Press testid="undo" icon=Name::Undo word=tr!("Undo") hint=tr!("Undo the last change (Ctrl+Z)") idle=no_undo
                    press=act(Action::Undo) />
            </div>
            <div class="transport__speed">
                {speed_field().map(|field| view! { <Knob field /> })}
            </div>
            <Scrub />
            <p class="message" class:message--none=none role="status" aria-live="polite" data-testid="message">
                <span class:spoken=spoken>{message}</span>
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

/// The run as a link and as a command line, to be copied.
#[component]
pub fn Links() -> impl IntoView {
    let store = Store::here();
    let link = store.memo(|state| encode(&state.run.link));
    let address = move || browser::address_of(&link.get());
    let command = store.memo(files::command);
    let teach = RwSignal::new(false);
    let whole = store.memo(|state| {
        state
            .run
            .link
            .is_embedded()
            .then(|| browser::address_of(&encode(&state.run.link.clone().without("embed"))))
    });
    view! {
        {move || whole.get().map(|address| view! {
            <a class="whole" href=address target="_blank" rel="noopener" data-testid="whole">{tr!("Open in Vivarium")}</a>
        })}
        <section class="links" aria-label=tr!("This run elsewhere")>
            <Copied testid="copy-link" icon=Name::Link word=tr!("Copy link") text=Signal::derive(address)
                about=tr!("This address is the run: opened elsewhere, it gives the same run.") />
            <Copied testid="copy-command" icon=Name::Terminal word=tr!("Copy command") text=Signal::derive(move || command.get())
                about=tr!("The same run without a page, with the same numbers.") />
            <button class="button" type="button" data-testid="teach" on:click=move |_| teach.set(true)>
                {tr!("Link for a class, QR code, embedding")}
            </button>
            <p class="paper">{address}</p>
        </section>
        <Later part=Part::Teacher(teach) />
    }
    .into_any()
}

/// A text with a button that copies it.
#[component]
pub(super) fn Copied(
    /// Name for tests.
    testid: &'static str,
    /// Icon.
    icon: Name,
    /// Word on the button.
    word: &'static str,
    /// What is copied.
    text: Signal<String>,
    /// What it is good for.
    about: &'static str,
) -> impl IntoView {
    let state = RwSignal::new(word);
    let field = NodeRef::<leptos::html::Input>::new();
    let copy = move |_| {
        browser::copy(&text.get_untracked(), move |worked| {
            state.set(if worked { tr!("Copied") } else { tr!("Press Ctrl+C") });
            if !worked && let Some(field) = field.get_untracked() {
                // No clipboard here: the text is selected, and the keyboard can copy it.
                let _ = field.focus();
                field.select();
            }
            set_timeout(move || state.set(word), std::time::Duration::from_millis(2500));
        });
    };
    view! {
        <div class="copied">
            <input class="copied__text" type="text" readonly aria-label=about title=about prop:value=text node_ref=field />
            <button class="button" type="button" data-testid=testid on:click=copy>
                <Icon name=icon />
                <span aria-live="polite">{state}</span>
            </button>
        </div>
    }
    .into_any()
}
