//! The moving picture with its strip of curves and its buttons, painted at each frame on which something has changed.

use leptos::html::{Canvas, Div};
use leptos::prelude::*;

use crate::stage::targets::Targets;
use crate::store::Store;
use vivarium_model::platform::{fresh_seed, now_ms};
use vivarium_page::stage::StageAction;
use vivarium_page::stage::live::{Showing, Stage};
use vivarium_page::stage::strip::{axis_end, draw_strip};
use vivarium_page::state::{Action, State};
use vivarium_plot::scene::{Scene, Target};
use vivarium_ui::appearance::Appearance;
use vivarium_ui::browser::matches_media;
use vivarium_ui::effect::effect;
use vivarium_ui::icon::{Icon, Name};
use vivarium_ui::plot::track_size;
use vivarium_ui::scene::paint_scene;
use vivarium_view::display::RunPhase;
use vivarium_view::display::hero::{Frame, Touch};
use vivarium_view::display::words::format_thousands;

/// Media query for visitors who want no motion.
const REDUCED_MOTION: &str = "(prefers-reduced-motion: reduce)";

/// Shortest time between two changes of the description for screen readers, in milliseconds.
const DESCRIPTION_INTERVAL_MS: f64 = 2_000.0;

/// Handle to the moving picture. Copies are handles to the same picture.
#[derive(Clone, Copy)]
pub struct HeroHandle {
    /// The store of the page.
    store: Store,
    /// The picture of the current run.
    stage: StoredValue<Stage, LocalStorage>,
    /// Colours of the page.
    appearance: Appearance,
    /// Element that the picture fills.
    frame: NodeRef<Div>,
    /// Canvas of the picture.
    canvas: NodeRef<Canvas>,
    /// Canvas of the strip.
    strip: NodeRef<Canvas>,
    /// Size of the picture in CSS pixels.
    size: RwSignal<(u32, u32)>,
    /// Size of the strip in CSS pixels.
    strip_size: RwSignal<(u32, u32)>,
    /// Last picture that was painted, with whether it was dark.
    painted: StoredValue<(Scene, bool)>,
    /// What the last painted strip showed: version of the run, step, size, and whether it was dark.
    painted_strip: StoredValue<Option<StripVersion>>,
    /// Whether the visitor wants no motion.
    is_still: StoredValue<bool>,
    /// Time of the last change of the description, in milliseconds.
    described_ms: StoredValue<f64>,
    /// What can be touched.
    pub targets: RwSignal<Vec<Target>>,
    /// Sentence above the picture.
    headline: RwSignal<String>,
    /// Description of the picture for screen readers.
    description: RwSignal<String>,
    /// Effect of the last touch, for screen readers.
    said: RwSignal<String>,
    /// Step that is shown, and last step of the strip's axis.
    shown: RwSignal<(u64, u64)>,
    /// Label of the button for another seed.
    new_run_label: RwSignal<&'static str>,
    /// Whether a replay is shown.
    replays: RwSignal<bool>,
}

/// Values on which the strip depends: number of measurements and results, shown step, size and theme.
type StripVersion = (u64, u64, u64, (u32, u32), bool);

impl HeroHandle {
    /// The size and the present time for which the picture is drawn.
    fn frame(self) -> Frame {
        let (width, height) = self.size.get_untracked();
        Frame {
            width: width as f32,
            height: height as f32,
            now_ms: now_ms(),
            is_still: self.is_still.get_value(),
        }
    }

    /// Gives the picture what is new in the run.
    fn update(self) {
        self.is_still.set_value(matches_media(REDUCED_MOTION));
        let now = now_ms();
        self.store.peek(|state| self.stage.update_value(|stage| stage.update(&state.player.run, now)));
        self.update_texts(now);
    }

    /// Brings the texts around the picture into agreement with it.
    fn update_texts(self, now: f64) {
        let is_due = now - self.described_ms.get_value() >= DESCRIPTION_INTERVAL_MS;
        self.stage.with_value(|stage| {
            let Some(hero) = stage.hero() else { return };
            let headline = match stage.showing() {
                Showing::Replay(_) => tr!("Replay: {headline}", headline = hero.headline()),
                Showing::Latest | Showing::Step(_) => hero.headline(),
            };
            set_if_changed(self.headline, headline);
            set_if_changed(self.new_run_label, hero.new_run_label());
            if is_due {
                self.described_ms.set_value(now);
                set_if_changed(self.description, hero.describe());
            }
            set_if_changed(self.replays, matches!(stage.showing(), Showing::Replay(_)));
        });
        let (step, end) = self.axis();
        set_if_changed(self.shown, (step, end));
    }

    /// The shown step, and the last step of the strip's axis.
    fn axis(self) -> (u64, u64) {
        let step = self.stage.with_value(Stage::shown_step);
        let end = self.store.peek(|state| {
            let run = &state.player.run;
            match run.phase {
                // The curves of a run that has ended fill the strip.
                RunPhase::Finished(_) => run.step.max(step).max(1),
                _ => axis_end(state.expected_steps(), run.step.max(step), run.spec().run.steps),
            }
        });
        (step, end)
    }

    /// Lets time pass and paints what has changed; then waits for the next frame, as long as the picture is on the page.
    fn tick(self) {
        request_animation_frame(move || {
            if self.stage.try_with_value(|_| ()).is_none() {
                return;
            }
            self.paint();
            self.tick();
        });
    }

    /// Paints the picture and the strip if they have changed.
    fn paint(self) {
        let (frame, is_dark) = (self.frame(), self.appearance.is_dark.get_untracked());
        let Some(canvas) = self.canvas.get_untracked().filter(|_| frame.width > 0.0) else { return };
        self.stage.update_value(|stage| stage.advance(&frame));
        let scene = self.stage.with_value(|stage| stage.scene(&frame));
        let theme =
            vivarium_plot::charts::Theme { font_family: "system-ui, sans-serif", ..self.appearance.theme() };
        let scale = window().device_pixel_ratio();
        if self.painted.with_value(|(last, was_dark)| *last != scene || *was_dark != is_dark) {
            paint_scene(&canvas, &scene, &theme, scale);
            if self.targets.with_untracked(|targets| *targets != scene.targets) {
                self.targets.set(scene.targets.clone());
            }
            self.painted.set_value((scene, is_dark));
            self.update_texts(frame.now_ms);
        }
        let (step, end) = self.axis();
        let size = self.strip_size.get_untracked();
        let news = self.store.peek(|state| {
            let run = &state.player.run;
            (run.run_count + run.finding_count, run.history.latest().map_or(0, |row| row.step + 1))
        });
        let version = Some((news.0, news.1, step + end, size, is_dark));
        let Some(strip) = self.strip.get_untracked().filter(|_| size.0 > 0) else { return };
        if self.painted_strip.get_value() != version {
            self.painted_strip.set_value(version);
            let (width, height) = (size.0 as f32, size.1 as f32);
            let scene = self.store.peek(|state| {
                self.stage.with_value(|stage| draw_strip(&state.player.run, stage, end, width, height))
            });
            paint_scene(&strip, &scene, &theme, scale);
        }
    }

    /// Carries out a touch on the target with this key, and says what it did.
    pub fn touch(self, key: &str, touch: Touch) {
        let frame = self.frame();
        let mut said = None;
        self.stage.update_value(|stage| said = stage.touch(key, touch, &frame));
        if let Some(said) = said {
            self.said.set(said);
            self.paint();
        }
    }

    /// Shows the recorded weights at a step.
    fn rewind(self, step: u64) {
        self.stage.update_value(|stage| stage.rewind(step, now_ms()));
        self.paint();
    }

    /// Shows the newest weights again.
    fn show_latest(self) {
        self.stage.update_value(|stage| stage.show_latest(now_ms()));
    }

    /// Replays the run, or shows its newest step during a replay.
    fn toggle_replay(self) {
        let now = now_ms();
        self.stage.update_value(|stage| match stage.showing() {
            Showing::Replay(_) => stage.rewind(u64::MAX, now),
            _ => stage.replay(now),
        });
        self.paint();
    }
}

/// Sets a signal only if the value differs, so that nothing is drawn again for nothing.
fn set_if_changed<T: PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: T) {
    if signal.with_untracked(|now| *now != value) {
        signal.set(value);
    }
}

/// The moving picture of the run, with its sentence, strip and buttons.
#[component]
pub fn HeroView() -> impl IntoView {
    let store = Store::here();
    let hero = HeroHandle {
        store,
        stage: StoredValue::new_local(Stage::default()),
        appearance: Appearance::here(),
        frame: NodeRef::new(),
        canvas: NodeRef::new(),
        strip: NodeRef::new(),
        size: RwSignal::new((0, 0)),
        strip_size: RwSignal::new((0, 0)),
        painted: StoredValue::new((Scene::default(), false)),
        painted_strip: StoredValue::new(None),
        is_still: StoredValue::new(false),
        described_ms: StoredValue::new(f64::NEG_INFINITY),
        targets: RwSignal::new(vec![]),
        headline: RwSignal::new(String::new()),
        description: RwSignal::new(String::new()),
        said: RwSignal::new(String::new()),
        shown: RwSignal::new((0, 1)),
        new_run_label: RwSignal::new(tr!("New run")),
        replays: RwSignal::new(false),
    };
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
        <p class="visually-hidden" aria-live="polite" data-testid="stage-said">{hero.said}</p>
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
    let ended = store.memo(|state| matches!(state.player.run.phase, RunPhase::Finished(_)));
    let playing = store.memo(|state| state.player.is_playing());
    let main = store.memo(State::main_button);
    let unpaced = store.memo(|state| state.stage.is_unpaced);
    let watch = move || if hero.replays.get() { tr!("Show the end") } else { tr!("Watch again") };
    view! {
        <div class="first-screen__buttons" role="toolbar" aria-label=tr!("Buttons of the run")>
            {move || ended.get().then(|| view! {
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
