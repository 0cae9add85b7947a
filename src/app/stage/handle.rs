//! Handle to the moving picture: it gives the picture what is new, paints it at each frame on which it has changed, and
//! carries out touches.

use std::cell::RefCell;

use leptos::html::{Canvas, Div};
use leptos::prelude::*;

use crate::store::Store;
use vivarium_model::platform::now_ms;
use vivarium_page::stage::announcements::Announcements;
use vivarium_page::stage::curve::PreviousRun;
use vivarium_page::stage::focus::{LostFocus, find_lost_focus};
use vivarium_page::stage::live::{Showing, Stage};
use vivarium_page::stage::strip::{axis_end, draw_strip};
use vivarium_page::stage::{enlarge_texts, picture_scale, strip_scale};
use vivarium_plot::scene::{Scene, Target};
use vivarium_ui::appearance::{Appearance, paint_for_print};
use vivarium_ui::browser::{element_by_id, focus_selector, matches_media};
use vivarium_ui::scene::paint_scene;
use vivarium_ui::signal::set_if_changed;
use vivarium_view::display::hero::{Frame, Touch};

/// Media query for visitors who want no motion.
const REDUCED_MOTION: &str = "(prefers-reduced-motion: reduce)";

/// Time between two updates of the texts while the picture stays the same, in milliseconds.
const TEXT_INTERVAL_MS: f64 = 250.0;

/// Shortest time between two changes of the description for screen readers, in milliseconds.
const DESCRIPTION_INTERVAL_MS: f64 = 2_000.0;

/// Beginning of the DOM ids of the buttons over the targets; the key of the target follows.
pub const TARGET_ID_PREFIX: &str = "target-";

thread_local! {
    /// The picture of the page with the weights recorded along its run, which it keeps while it is hidden. The first
    /// screen, stories and presenter mode show it, one of them at a time.
    static STAGE: RefCell<Stage> = RefCell::default();
}

/// Handle to the moving picture. Copies are handles to the same picture.
#[derive(Clone, Copy)]
pub struct HeroHandle {
    /// The store of the page.
    pub store: Store,
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
    /// Factors by which the picture and the strip are drawn larger or smaller than for a screen.
    pub scales: RwSignal<[f64; 2]>,
    /// Last picture that was painted, with whether it was dark, and the pixels of the screen per pixel of the drawing.
    painted: StoredValue<(Scene, bool, f64)>,
    /// Contents of the last painted strip: version of the run, step, size, whether it was dark, and the pixels of the
    /// screen per pixel of the drawing.
    painted_strip: StoredValue<Option<StripVersion>>,
    /// Whether the visitor wants no motion.
    is_still: StoredValue<bool>,
    /// Time of the last update of the texts, in milliseconds.
    texts_ms: StoredValue<f64>,
    /// Time of the last change of the description, in milliseconds.
    described_ms: StoredValue<f64>,
    /// Things in the picture that can be touched. Reading and writing are two halves, because a signal with both keeps
    /// the buttons that have gone as its readers.
    pub targets: ReadSignal<Vec<Target>>,
    /// Replaces `targets`.
    set_targets: WriteSignal<Vec<Target>>,
    /// Sentence above the picture.
    pub headline: RwSignal<String>,
    /// Description of the picture for screen readers.
    pub description: RwSignal<String>,
    /// Effect of the last touch, for screen readers.
    pub spoken: RwSignal<String>,
    /// Sentences on touches that are still to be read out.
    announcements: StoredValue<Announcements>,
    /// Step that is shown, and last step of the strip's axis.
    pub shown: RwSignal<(u64, u64)>,
    /// Label of the button for another seed.
    pub new_run_label: RwSignal<&'static str>,
    /// Whether a replay is shown.
    pub replays: RwSignal<bool>,
}

/// Values on which the strip depends: number of measurements and results, shown step, size, theme, and pixels of the screen
/// per pixel of the drawing.
type StripVersion = (u64, u64, u64, (u32, u32), bool, f64);

impl HeroHandle {
    /// The picture of the page with this store, with the weights that were recorded before it was hidden.
    pub fn new(store: Store) -> Self {
        // Runs of which the picture sees nothing may begin and end while it is hidden.
        on_cleanup(|| {
            STAGE.with(|stage| {
                if let Ok(mut stage) = stage.try_borrow_mut() {
                    stage.hide();
                }
            });
        });
        let (targets, set_targets) = signal(vec![]);
        let hero = HeroHandle {
            store,
            appearance: Appearance::here(),
            frame: NodeRef::new(),
            canvas: NodeRef::new(),
            strip: NodeRef::new(),
            size: RwSignal::new((0, 0)),
            strip_size: RwSignal::new((0, 0)),
            scales: RwSignal::new([1.0; 2]),
            painted: StoredValue::new((Scene::default(), false, 0.0)),
            painted_strip: StoredValue::new(None),
            is_still: StoredValue::new(false),
            texts_ms: StoredValue::new(f64::NEG_INFINITY),
            described_ms: StoredValue::new(f64::NEG_INFINITY),
            targets,
            set_targets,
            headline: RwSignal::new(String::new()),
            description: RwSignal::new(String::new()),
            spoken: RwSignal::new(String::new()),
            announcements: StoredValue::new(Announcements::default()),
            shown: RwSignal::new((0, 1)),
            new_run_label: RwSignal::new(tr!("New run")),
            replays: RwSignal::new(false),
        };
        paint_for_print(move || hero.paint());
        hero
    }

    /// The size, in pixels of the drawing, and the present time for which the picture is drawn.
    fn frame(self) -> Frame {
        let ((width, height), [scale, _]) = (self.size.get_untracked(), self.scales.get_untracked());
        Frame {
            width: (f64::from(width) / scale) as f32,
            height: (f64::from(height) / scale) as f32,
            now_ms: now_ms(),
            is_still: self.is_still.get_value(),
        }
    }

    /// Gives the picture what is new in the run.
    pub fn update(self) {
        self.is_still.set_value(matches_media(REDUCED_MOTION));
        let now = now_ms();
        self.store.peek(|state| {
            let player = &state.player;
            let earlier_step = player.latest_run.as_ref().map(|_| player.run.step);
            with_stage(|stage| {
                // The text of a story describes the end of the run, which stays until the reader asks for a replay.
                stage.set_in_story(state.tour.is_some());
                stage.update(player.latest_run(), now);
                stage.follow_charts(earlier_step, now);
            });
        });
        self.update_texts(now);
    }

    /// Brings the texts around the picture into agreement with it.
    fn update_texts(self, now: f64) {
        self.texts_ms.set_value(now);
        let is_due = now - self.described_ms.get_value() >= DESCRIPTION_INTERVAL_MS;
        with_stage(|stage| {
            let Some(hero) = stage.hero() else { return };
            let headline = match stage.showing() {
                Showing::Replay(_) => tr!("Replay: {headline}", headline = hero.headline()),
                Showing::Latest | Showing::Step(_) => hero.headline(),
            };
            set_if_changed(self.headline, headline);
            set_if_changed(self.new_run_label, hero.new_run_label());
            if is_due {
                self.described_ms.set_value(now);
                let previous = stage.previous().and_then(PreviousRun::describe);
                set_if_changed(
                    self.description,
                    [hero.describe()].into_iter().chain(previous).collect::<Vec<_>>().join(" "),
                );
            }
            set_if_changed(self.replays, matches!(stage.showing(), Showing::Replay(_)));
        });
        let (step, end) = self.axis();
        set_if_changed(self.shown, (step, end));
    }

    /// The shown step, and the last step of the strip's axis.
    fn axis(self) -> (u64, u64) {
        let step = with_stage(|stage| stage.shown_step());
        let end = self.store.peek(|state| {
            let run = state.player.latest_run();
            match run.phase.has_ended() {
                // The curves of a run that has ended fill the strip.
                true => run.step.max(step).max(1),
                false => axis_end(state.expected_steps(), run.step.max(step), run.spec().run.steps),
            }
        });
        (step, end)
    }

    /// Lets time pass and paints what has changed; then waits for the next frame, as long as the picture is on the page.
    pub fn tick(self) {
        request_animation_frame(move || {
            if self.painted.try_with_value(|_| ()).is_none() {
                return;
            }
            self.paint();
            self.tick();
        });
    }

    /// Paints the picture and the strip if they have changed.
    fn paint(self) {
        self.update_scales();
        let (frame, is_dark) = (self.frame(), self.appearance.is_dark.get_untracked());
        let scales = self.scales.get_untracked();
        let Some(canvas) = self.canvas.get_untracked().filter(|_| frame.width > 0.0) else { return };
        let scene = with_stage(|stage| {
            stage.advance(&frame);
            let mut scene = stage.scene(&frame);
            enlarge_texts(&mut scene, scales[0]);
            scene
        });
        let theme = || vivarium_plot::charts::Theme {
            font_family: "system-ui, sans-serif",
            ..self.appearance.theme()
        };
        // Paper shows more than most screens.
        let screen_ratio = if self.appearance.is_printing() { 2.0 } else { window().device_pixel_ratio() };
        let [picture_ratio, strip_ratio] = scales.map(|scale| scale * screen_ratio);
        let is_new = |(last, was_dark, ratio): &(Scene, bool, f64)| {
            *last != scene || *was_dark != is_dark || *ratio != picture_ratio
        };
        if self.painted.with_value(is_new) {
            paint_scene(&canvas, &scene, &theme(), picture_ratio);
            self.replace_targets(&scene.targets);
            self.painted.set_value((scene, is_dark, picture_ratio));
            self.update_texts(frame.now_ms);
        } else if frame.now_ms - self.texts_ms.get_value() >= TEXT_INTERVAL_MS {
            // The description may be due, and pictures that stay the same may show another step.
            self.update_texts(frame.now_ms);
        }
        let (step, end) = self.axis();
        let size = self.strip_size.get_untracked();
        let news = self.store.peek(|state| {
            let run = state.player.latest_run();
            (run.run_count + run.finding_count, run.history.latest().map_or(0, |row| row.step + 1))
        });
        let version = Some((news.0, news.1, step + end, size, is_dark, strip_ratio));
        let Some(strip) = self.strip.get_untracked().filter(|_| size.0 > 0) else { return };
        if self.painted_strip.get_value() != version {
            self.painted_strip.set_value(version);
            let length = |pixels: u32| (f64::from(pixels) / scales[1]) as f32;
            let (width, height) = (length(size.0), length(size.1));
            let scene = self.store.peek(|state| {
                with_stage(|stage| draw_strip(state.player.latest_run(), stage, end, width, height))
            });
            paint_scene(&strip, &scene, &theme(), strip_ratio);
        }
    }

    /// Shows these targets, if they are others. If the focused one disappears, the focus goes to the nearest one that is left,
    /// or to the group of all.
    fn replace_targets(self, targets: &[Target]) {
        if self.targets.with_untracked(|before| before == targets) {
            return;
        }
        let focused = document().active_element().map(|element| element.id()).unwrap_or_default();
        let lost = focused.strip_prefix(TARGET_ID_PREFIX).and_then(|focused| {
            self.targets.with_untracked(|before| find_lost_focus(before, targets, focused))
        });
        self.set_targets.set(targets.to_vec());
        if let Some(lost) = lost {
            // The buttons of new targets are there with the next frame.
            request_animation_frame(move || match lost {
                LostFocus::Target(key) => focus_target(&key),
                LostFocus::Group => focus_selector(".first-screen__targets"),
            });
        }
    }

    /// Brings the scales of picture and strip into agreement with their sizes and the texts of the page.
    fn update_scales(self) {
        let text_scale = self.appearance.drawing_scale();
        let scales = [
            picture_scale(text_scale, self.size.get_untracked()),
            strip_scale(text_scale, self.strip_size.get_untracked()),
        ];
        set_if_changed(self.scales, scales);
    }

    /// Carries out a touch on the target with this key, and says what it did.
    pub fn touch(self, key: &str, touch: Touch) {
        let frame = self.frame();
        let spoken = with_stage(|stage| stage.touch(key, touch, &frame));
        if let Some(spoken) = spoken {
            let is_drag = matches!(touch, Touch::Drag(_));
            let due = self.announcements.try_update_value(|all| all.add(spoken, is_drag, frame.now_ms));
            if let Some(due) = due.flatten() {
                self.spoken.set(due);
            }
            self.paint();
        }
    }

    /// Ends a drag: its last effect is read out.
    pub fn end_drag(self) {
        if let Some(last) = self.announcements.try_update_value(|all| all.end_drag(now_ms())).flatten() {
            self.spoken.set(last);
        }
    }

    /// Shows the recorded weights at a step.
    pub fn rewind(self, step: u64) {
        with_stage(|stage| stage.rewind(step, now_ms()));
        self.paint();
    }

    /// Shows weights that were recorded earlier (for a negative share) or later, by this share of the strip's axis.
    pub fn move_by(self, share: f64) {
        let (_, end) = self.axis();
        with_stage(|stage| stage.move_by(share, end, now_ms()));
        self.paint();
        self.update_texts(now_ms());
    }

    /// Shows the newest weights again.
    pub fn show_latest(self) {
        with_stage(|stage| stage.show_latest(now_ms()));
    }

    /// Replays the run, or shows its newest step during a replay.
    pub fn toggle_replay(self) {
        let now = now_ms();
        with_stage(|stage| match stage.showing() {
            Showing::Replay(_) => stage.rewind(u64::MAX, now),
            _ => stage.replay(now),
        });
        self.paint();
    }
}

/// Result of `act` on the picture of the page.
fn with_stage<T>(act: impl FnOnce(&mut Stage) -> T) -> T {
    STAGE.with_borrow_mut(act)
}

/// Moves the focus to the button over the target with this key.
pub fn focus_target(key: &str) {
    if let Some(button) = element_by_id(&format!("{TARGET_ID_PREFIX}{key}")) {
        let _ = button.focus();
    }
}
