//! Handle to the moving picture: it gives the picture what is new, paints it at each frame on which it has changed, and
//! carries out touches.

use std::cell::RefCell;

use leptos::html::{Canvas, Div};
use leptos::prelude::*;

use crate::store::Store;
use vivarium_model::platform::now_ms;
use vivarium_page::stage::live::{Showing, Stage};
use vivarium_page::stage::strip::{axis_end, draw_strip};
use vivarium_plot::scene::{Scene, Target};
use vivarium_ui::appearance::Appearance;
use vivarium_ui::browser::matches_media;
use vivarium_ui::scene::paint_scene;
use vivarium_view::display::RunPhase;
use vivarium_view::display::hero::{Frame, Touch};

/// Media query for visitors who want no motion.
const REDUCED_MOTION: &str = "(prefers-reduced-motion: reduce)";

/// Time between two updates of the texts while the picture stays the same, in milliseconds.
const TEXT_INTERVAL_MS: f64 = 250.0;

/// Shortest time between two changes of the description for screen readers, in milliseconds.
const DESCRIPTION_INTERVAL_MS: f64 = 2_000.0;

thread_local! {
    /// The picture that was shown last, with the weights recorded along its run, while it is hidden.
    static LAST_STAGE: RefCell<Option<Stage>> = const { RefCell::new(None) };
}

/// Handle to the moving picture. Copies are handles to the same picture.
#[derive(Clone, Copy)]
pub struct HeroHandle {
    /// The store of the page.
    pub store: Store,
    /// The picture of the current run.
    stage: StoredValue<Stage, LocalStorage>,
    /// Colours of the page.
    appearance: Appearance,
    /// Element that the picture fills.
    pub frame: NodeRef<Div>,
    /// Canvas of the picture.
    pub canvas: NodeRef<Canvas>,
    /// Canvas of the strip.
    pub strip: NodeRef<Canvas>,
    /// Size of the picture in CSS pixels.
    pub size: RwSignal<(u32, u32)>,
    /// Size of the strip in CSS pixels.
    pub strip_size: RwSignal<(u32, u32)>,
    /// Last picture that was painted, with whether it was dark.
    painted: StoredValue<(Scene, bool)>,
    /// Contents of the last painted strip: version of the run, step, size, and whether it was dark.
    painted_strip: StoredValue<Option<StripVersion>>,
    /// Whether the visitor wants no motion.
    is_still: StoredValue<bool>,
    /// Time of the last update of the texts, in milliseconds.
    texts_ms: StoredValue<f64>,
    /// Time of the last change of the description, in milliseconds.
    described_ms: StoredValue<f64>,
    /// Things in the picture that can be touched.
    pub targets: RwSignal<Vec<Target>>,
    /// Sentence above the picture.
    pub headline: RwSignal<String>,
    /// Description of the picture for screen readers.
    pub description: RwSignal<String>,
    /// Effect of the last touch, for screen readers.
    pub spoken: RwSignal<String>,
    /// Step that is shown, and last step of the strip's axis.
    pub shown: RwSignal<(u64, u64)>,
    /// Label of the button for another seed.
    pub new_run_label: RwSignal<&'static str>,
    /// Whether a replay is shown.
    pub replays: RwSignal<bool>,
}

/// Values on which the strip depends: number of measurements and results, shown step, size and theme.
type StripVersion = (u64, u64, u64, (u32, u32), bool);

impl HeroHandle {
    /// The picture of the page with this store, with the weights that were recorded before it was hidden.
    pub fn new(store: Store) -> Self {
        let stage = StoredValue::new_local(LAST_STAGE.take().unwrap_or_default());
        on_cleanup(move || LAST_STAGE.set(stage.try_update_value(std::mem::take)));
        HeroHandle {
            store,
            stage,
            appearance: Appearance::here(),
            frame: NodeRef::new(),
            canvas: NodeRef::new(),
            strip: NodeRef::new(),
            size: RwSignal::new((0, 0)),
            strip_size: RwSignal::new((0, 0)),
            painted: StoredValue::new((Scene::default(), false)),
            painted_strip: StoredValue::new(None),
            is_still: StoredValue::new(false),
            texts_ms: StoredValue::new(f64::NEG_INFINITY),
            described_ms: StoredValue::new(f64::NEG_INFINITY),
            targets: RwSignal::new(vec![]),
            headline: RwSignal::new(String::new()),
            description: RwSignal::new(String::new()),
            spoken: RwSignal::new(String::new()),
            shown: RwSignal::new((0, 1)),
            new_run_label: RwSignal::new(tr!("New run")),
            replays: RwSignal::new(false),
        }
    }

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
    pub fn update(self) {
        self.is_still.set_value(matches_media(REDUCED_MOTION));
        let now = now_ms();
        self.store.peek(|state| self.stage.update_value(|stage| stage.update(&state.player.run, now)));
        self.update_texts(now);
    }

    /// Brings the texts around the picture into agreement with it.
    fn update_texts(self, now: f64) {
        self.texts_ms.set_value(now);
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
                RunPhase::Finished(_) | RunPhase::Diverged { .. } => run.step.max(step).max(1),
                _ => axis_end(state.expected_steps(), run.step.max(step), run.spec().run.steps),
            }
        });
        (step, end)
    }

    /// Lets time pass and paints what has changed; then waits for the next frame, as long as the picture is on the page.
    pub fn tick(self) {
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
        } else if frame.now_ms - self.texts_ms.get_value() >= TEXT_INTERVAL_MS {
            // The description may be due, and pictures that stay the same may show another step.
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
        let mut spoken = None;
        self.stage.update_value(|stage| spoken = stage.touch(key, touch, &frame));
        if let Some(spoken) = spoken {
            self.spoken.set(spoken);
            self.paint();
        }
    }

    /// Shows the recorded weights at a step.
    pub fn rewind(self, step: u64) {
        self.stage.update_value(|stage| stage.rewind(step, now_ms()));
        self.paint();
    }

    /// Shows the newest weights again.
    pub fn show_latest(self) {
        self.stage.update_value(|stage| stage.show_latest(now_ms()));
    }

    /// Replays the run, or shows its newest step during a replay.
    pub fn toggle_replay(self) {
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
