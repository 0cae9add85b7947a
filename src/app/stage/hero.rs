//! The moving picture with its strip of curves and its buttons: on the first screen, and in a panel above the charts.

use leptos::html::Div;
use leptos::prelude::*;

use crate::stage::handle::HeroHandle;
use crate::stage::targets::Targets;
use crate::store::Store;
use vivarium_model::platform::fresh_seed;
use vivarium_page::stage::strip::key_share;
use vivarium_page::stage::{StageAction, StagePlacement};
use vivarium_page::state::{Action, State};
use vivarium_ui::effect::effect;
use vivarium_ui::icon::{Icon, Name};
use vivarium_ui::plot::track_size;
use vivarium_ui::text::element_text;
use vivarium_view::display::RunPhase;
use vivarium_view::display::words::format_thousands;

/// The panel with the moving picture above the charts, beside the text of a story and in presenter mode. The bar of the
/// run has the buttons.
#[component]
pub fn HeroPanel() -> impl IntoView {
    let store = Store::here();
    let is_shown = store.memo(|state| state.stage_placement() == StagePlacement::Panel);
    move || {
        is_shown.get().then(|| {
            view! {
                <section class="stage-panel" aria-label=tr!("Moving picture") data-testid="stage-panel">
                    <HeroView in_panel=true />
                </section>
            }
        })
    }
}

/// The moving picture of the run, with its sentence, strip and buttons.
#[component]
pub fn HeroView(
    /// Whether the picture is in a panel above the charts, where the bar of the run has the buttons.
    #[prop(optional)]
    in_panel: bool,
) -> impl IntoView {
    let store = Store::here();
    let hero = HeroHandle::new(store);
    let strip_frame = NodeRef::<Div>::new();
    track_size(hero.frame, hero.size);
    track_size(strip_frame, hero.strip_size);
    let news = store.memo(|state| {
        let run = &state.player.run;
        (run.run_count, run.finding_count, run.step, run.phase.clone(), run.lazy_lab().is_some())
    });
    effect(move || {
        // Read, not only tracked: a memo without readers is never computed.
        let _ = news.get();
        untrack(|| hero.update());
    });
    hero.tick();
    let step_text = move || {
        let (step, end) = hero.shown.get();
        tr!("Step {step} of {end}", step = format_thousands(step), end = format_thousands(end))
    };
    view! {
        <p class="first-screen__headline" data-testid="stage-headline" prop:textContent=hero.headline></p>
        <div class="first-screen__picture" node_ref=hero.frame>
            <canvas class="first-screen__canvas" node_ref=hero.canvas role="img" data-testid="stage-picture"
                aria-label=hero.headline aria-describedby="stage-description"></canvas>
            <Targets hero />
        </div>
        <p class="visually-hidden" id="stage-description" data-testid="stage-description" prop:textContent=hero.description></p>
        <p class="visually-hidden" aria-live="polite" data-testid="stage-spoken" prop:textContent=hero.spoken></p>
        <div class="first-screen__strip" node_ref=strip_frame
            style:--strip-scale=move || hero.scales.get()[1].to_string()>
            <canvas class="first-screen__canvas" node_ref=hero.strip aria-hidden="true"></canvas>
            <input class="first-screen__slider" type="range" min="0" step="1" data-testid="stage-slider"
                aria-label=tr!("Step shown in the picture") aria-valuetext=step_text
                max=move || hero.shown.get().1 prop:value=move || hero.shown.get().0.to_string()
                on:keydown=move |event| {
                    // One step of thousands would not be seen; Alt and an arrow go back in the history of the browser.
                    let is_plain = !event.alt_key() && !event.ctrl_key() && !event.meta_key();
                    let key = event.key();
                    // A clicker sends these keys, wherever the focus is.
                    let is_of_clicker =
                        || key.starts_with("Page") && store.peek(|state| state.presenter.is_some());
                    let share = key_share(&key, event.shift_key()).filter(|_| is_plain && !is_of_clicker());
                    if let Some(share) = share {
                        event.prevent_default();
                        hero.move_by(share);
                    }
                }
                on:input:target=move |event| {
                    if let Ok(step) = event.target().value().parse() {
                        hero.rewind(step);
                    }
                } />
        </div>
        {if in_panel { view! { <ReplayButton hero /> }.into_any() } else { view! { <StageButtons hero /> }.into_any() }}
    }
    .into_any()
}

/// The button of the panel that replays the run up to its newest step. Nothing is replayed by itself beside a text.
#[component]
fn ReplayButton(
    /// The picture.
    hero: HeroHandle,
) -> impl IntoView {
    let is_offered = hero.store.memo(|state| {
        let run = state.player.latest_run();
        let is_at_rest = run.phase == RunPhase::Paused || run.phase.has_ended();
        is_at_rest && run.step > 0
    });
    move || {
        is_offered
            .get()
            .then(|| replay_button(hero, "button stage-panel__replay", tr!("Show the newest step")))
    }
}

/// Creates the button that replays the run; during a replay it ends the replay, and its label is `label_of_end`.
fn replay_button(hero: HeroHandle, class: &'static str, label_of_end: &'static str) -> AnyView {
    let label = move || if hero.replays.get() { label_of_end } else { tr!("Watch again") };
    view! {
        <button class=class type="button" data-testid="stage-replay"
            title=tr!("Show the recorded run from its beginning") on:click=move |_| hero.toggle_replay()
            prop:textContent=element_text(label)></button>
    }
    .into_any()
}

/// The buttons below the strip: play or watch again, train further, another seed, pace.
#[component]
fn StageButtons(
    /// The picture.
    hero: HeroHandle,
) -> impl IntoView {
    let store = hero.store;
    let replayable = store.memo(|state| state.player.run.phase.has_ended());
    let ended = store.memo(|state| matches!(state.player.run.phase, RunPhase::Finished(_)));
    let playing = store.memo(|state| state.player.is_playing());
    let main = store.memo(State::main_button);
    let unpaced = store.memo(|state| state.stage.is_unpaced);
    view! {
        <div class="first-screen__buttons" role="toolbar" aria-label=tr!("Buttons of the run")>
            {move || replayable.get().then(|| replay_button(hero, "button button--main", tr!("Show the end")))}
            <button class="button" class:button--main=move || !ended.get() type="button" data-testid="stage-play"
                title=tr!("Play or pause (Space)") aria-disabled=move || main.get().1.to_string()
                on:click=move |_| {
                    if main.get_untracked().1 {
                        return;
                    }
                    hero.show_latest();
                    store.act(Action::TogglePlay);
                }>
                {move || (!ended.get()).then(|| {
                    let name = if playing.get() { Name::Pause } else { Name::Play };
                    view! { <Icon name=Signal::derive(move || name) /> }
                })}
                <span prop:textContent=element_text(move || if ended.get() { tr!("Train further") } else { main.get().0 })></span>
            </button>
            <button class="button" type="button" data-testid="stage-new"
                title=tr!("Start a run with the same settings and a new seed (N)")
                on:click=move |_| store.act(Action::NewSeed(fresh_seed()))
                prop:textContent=hero.new_run_label></button>
            <button class="button" type="button" data-testid="stage-fast" aria-pressed=move || unpaced.get().to_string()
                title=tr!("Train as fast as this device can, instead of for about 15 seconds")
                on:click=move |_| store.act(Action::Stage(StageAction::Unpaced(!unpaced.get_untracked())))>
                {tr!("Full speed")}
            </button>
        </div>
    }
    .into_any()
}
