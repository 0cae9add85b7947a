//! The moving picture with its strip of curves and its buttons.

use leptos::html::Div;
use leptos::prelude::*;

use crate::stage::handle::HeroHandle;
use crate::stage::targets::Targets;
use crate::store::Store;
use vivarium_model::platform::fresh_seed;
use vivarium_page::stage::StageAction;
use vivarium_page::state::{Action, State};
use vivarium_ui::effect::effect;
use vivarium_ui::icon::{Icon, Name};
use vivarium_ui::plot::track_size;
use vivarium_view::display::RunPhase;
use vivarium_view::display::words::format_thousands;

/// The moving picture of the run, with its sentence, strip and buttons.
#[component]
pub fn HeroView() -> impl IntoView {
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
        <p class="first-screen__headline" data-testid="stage-headline">{hero.headline}</p>
        <div class="first-screen__picture" node_ref=hero.frame>
            <canvas class="first-screen__canvas" node_ref=hero.canvas role="img" data-testid="stage-picture"
                aria-label=hero.headline aria-describedby="stage-description"></canvas>
            <Targets hero />
        </div>
        <p class="visually-hidden" id="stage-description" data-testid="stage-description">{hero.description}</p>
        <p class="visually-hidden" aria-live="polite" data-testid="stage-spoken">{hero.spoken}</p>
        <div class="first-screen__strip" node_ref=strip_frame>
            <canvas class="first-screen__canvas" node_ref=hero.strip aria-hidden="true"></canvas>
            <input class="first-screen__slider" type="range" min="0" step="1" data-testid="stage-slider"
                aria-label=tr!("Step shown in the picture") aria-valuetext=step_text
                max=move || hero.shown.get().1 prop:value=move || hero.shown.get().0.to_string()
                on:input:target=move |event| {
                    if let Ok(step) = event.target().value().parse() {
                        hero.rewind(step);
                    }
                } />
        </div>
        <StageButtons hero />
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
    let replayable = store
        .memo(|state| matches!(state.player.run.phase, RunPhase::Finished(_) | RunPhase::Diverged { .. }));
    let ended = store.memo(|state| matches!(state.player.run.phase, RunPhase::Finished(_)));
    let playing = store.memo(|state| state.player.is_playing());
    let main = store.memo(State::main_button);
    let unpaced = store.memo(|state| state.stage.is_unpaced);
    let watch = move || if hero.replays.get() { tr!("Show the end") } else { tr!("Watch again") };
    view! {
        <div class="first-screen__buttons" role="toolbar" aria-label=tr!("Buttons of the run")>
            {move || replayable.get().then(|| view! {
                <button class="button button--main" type="button" data-testid="stage-replay"
                    title=tr!("Show the recorded run from its beginning") on:click=move |_| hero.toggle_replay()>
                    {watch}
                </button>
            })}
            <button class="button" class:button--main=move || !ended.get() type="button" data-testid="stage-play"
                title=tr!("Play or pause (Space)") disabled=move || main.get().1
                on:click=move |_| {
                    hero.show_latest();
                    store.act(Action::TogglePlay);
                }>
                {move || (!ended.get()).then(|| {
                    let name = if playing.get() { Name::Pause } else { Name::Play };
                    view! { <Icon name=Signal::derive(move || name) /> }
                })}
                {move || if ended.get() { tr!("Train further") } else { main.get().0 }}
            </button>
            <button class="button" type="button" data-testid="stage-new"
                title=tr!("Start a run with the same settings and a new seed (N)")
                on:click=move |_| store.act(Action::NewSeed(fresh_seed()))>
                {hero.new_run_label}
            </button>
            <button class="button" type="button" data-testid="stage-fast" aria-pressed=move || unpaced.get().to_string()
                title=tr!("Train as fast as this device can, instead of for about 15 seconds")
                on:click=move |_| store.act(Action::Stage(StageAction::Unpaced(!unpaced.get_untracked())))>
                {tr!("Full speed")}
            </button>
        </div>
    }
    .into_any()
}
