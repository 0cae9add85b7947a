//! Colour theme (system, light or dark) and text size of the page, on the screen and on paper.
//!
//! # Why
//! A browser prints what a canvas shows, so dark charts would be dark on paper, in the shape that they have on the screen.
//! When the browser is about to print, the page takes its light colours, and each drawing is painted again, for paper.

use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::HtmlElement;

use crate::browser;
use crate::icon::{Icon, Name};
use crate::signal::set_if_changed;
use vivarium_plot::charts::{Theme, presenter_scale};

/// Key under which the browser stores the chosen theme.
const STORAGE_KEY: &str = "vivarium.theme";
/// Media query for the dark colour scheme of the system.
const PREFERS_DARK: &str = "(prefers-color-scheme: dark)";
/// Media query for a system that replaces the colours of pages by a few of its own.
const FORCED_COLORS: &str = "(forced-colors: active)";
/// Size of the text in pixels that browsers have unless the user has chosen another one.
const USUAL_FONT_PX: f64 = 16.0;
/// Range of factors by which drawings follow the size of the text that the user has chosen in the browser.
const TEXT_SCALES: [f64; 2] = [1.0, 3.0];
/// Time after the end of printing until the page has its colours of the screen again. Some phones report the end before
/// they have read the page.
const AFTER_PRINT: Duration = Duration::from_millis(500);
/// Time between two readings of the resolution of the screen: a window that is moved to another screen gets no event in all
/// browsers.
const SCREEN_INTERVAL: Duration = Duration::from_secs(1);

/// Theme chosen by the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ThemeChoice {
    System,
    Light,
    Dark,
}

impl ThemeChoice {
    /// The themes with their names in storage, in the order of the theme button.
    const ALL: [(ThemeChoice, &'static str); 3] =
        [(ThemeChoice::System, "auto"), (ThemeChoice::Light, "light"), (ThemeChoice::Dark, "dark")];

    /// Name of the theme in the browser's storage and in the labels of the theme button.
    fn slug(self) -> &'static str {
        ThemeChoice::ALL.iter().find(|(choice, _)| *choice == self).map_or("auto", |(_, slug)| slug)
    }
}

/// Colour theme and text size of the page, as reactive signals.
#[derive(Clone, Copy)]
pub struct Appearance {
    /// Theme chosen by the user: the system's, light or dark.
    choice: RwSignal<ThemeChoice>,
    /// Whether the page currently has dark colours.
    pub is_dark: Memo<bool>,
    /// Whether the user has enlarged text and charts for a projector, with [`PresentButton`].
    pub presents: RwSignal<bool>,
    /// Whether presenter mode, which shows a run on the full screen, enlarges the charts.
    enlarged: RwSignal<bool>,
    /// Whether the page is being printed.
    printing: RwSignal<bool>,
    /// Size of the text that the user has chosen in the browser, relative to the usual size.
    text_scale: RwSignal<f64>,
    /// Pixels of the screen per CSS pixel.
    pixel_ratio: RwSignal<f64>,
}

/// Factor by which text and charts are enlarged for a projector, equal to the factor in the style sheet.
const PROJECTOR_SCALE: f64 = 1.35;

/// Factor by which charts are enlarged in presenter mode relative to other text, so that their small axis labels can be
/// read from a distance.
const PRESENTER_SCALE: f64 = 1.25;

impl Appearance {
    /// Colours of drawings for the page's current theme.
    pub fn theme(self) -> Theme {
        if self.is_dark.get_untracked() { Theme::dark() } else { Theme::light() }
    }

    /// Subscribes the caller to changes of colours, size and resolution; returns whether the page is dark, enlarged for a
    /// projector, and enlarged by presenter mode.
    pub fn track_changes(self) -> [bool; 3] {
        let _ = (self.printing.get(), self.text_scale.get(), self.pixel_ratio.get());
        [self.is_dark.get(), self.presents.get(), self.enlarged.get()]
    }

    /// Current scale factor of drawings, 1 for the usual size.
    pub fn drawing_scale(self) -> f64 {
        if self.enlarged.get_untracked() {
            let side = |length: Result<JsValue, JsValue>| length.ok().and_then(|length| length.as_f64());
            let (width, height) = (side(window().inner_width()), side(window().inner_height()));
            let of_window = presenter_scale(width.unwrap_or_default(), height.unwrap_or_default());
            return PRESENTER_SCALE * of_window.max(self.text_scale.get_untracked());
        }
        self.text_scale.get_untracked() * if self.presents.get_untracked() { PROJECTOR_SCALE } else { 1.0 }
    }

    /// Whether the page is being printed, so that drawings are painted for paper.
    pub fn is_printing(self) -> bool {
        self.printing.get_untracked()
    }

    /// Sets whether presenter mode enlarges the charts.
    pub fn set_enlarged(self, enlarged: bool) {
        self.enlarged.set(enlarged);
    }

    /// Toggles the enlargement of text and charts for a projector.
    pub fn present(self) {
        self.presents.update(|presents| *presents = !*presents);
        browser::set_root_attribute("data-present", if self.presents.get_untracked() { "on" } else { "off" });
    }

    /// Returns the page's appearance from the Leptos context; panics outside of a page.
    pub fn here() -> Appearance {
        expect_context()
    }

    /// Restores the stored theme, follows the system's theme, sets the attributes of the root element, and provides the
    /// appearance by Leptos context.
    pub fn provide() -> Appearance {
        let stored = browser::read_stored(STORAGE_KEY);
        let choice = ThemeChoice::ALL
            .iter()
            .find(|(_, slug)| stored.as_deref() == Some(slug))
            .map_or(ThemeChoice::System, |w| w.0);
        let choice = RwSignal::new(choice);
        let [system, forced] = [PREFERS_DARK, FORCED_COLORS].map(follow_media);
        let [presents, enlarged, printing] = [(); 3].map(|()| RwSignal::new(false));
        let is_dark = Memo::new(move |_| match choice.get() {
            _ if printing.get() => false,
            // Texts have the system's colours, also over drawings.
            _ if forced.get() => system.get(),
            ThemeChoice::System => system.get(),
            ThemeChoice::Light => false,
            ThemeChoice::Dark => true,
        });
        let mark =
            move || browser::set_root_attribute("data-theme", if is_dark.get() { "dark" } else { "light" });
        untrack(mark);
        Effect::new(move |_| mark());
        // Before the listeners of the drawings, which are created later.
        window_event_listener_untyped("beforeprint", move |_| {
            printing.set(true);
            untrack(mark);
        });
        window_event_listener_untyped("afterprint", move |_| {
            set_timeout(move || printing.set(false), AFTER_PRINT);
        });
        let text_scale = RwSignal::new(measure_text_scale().unwrap_or(1.0));
        let pixel_ratio = RwSignal::new(window().device_pixel_ratio());
        let follow_screen = move || set_if_changed(pixel_ratio, window().device_pixel_ratio());
        set_interval(follow_screen, SCREEN_INTERVAL);
        // The size of texts is changed in the browser's settings, which are a page of their own.
        for event in ["focus", "resize"] {
            window_event_listener_untyped(event, move |_| {
                set_if_changed(text_scale, measure_text_scale().unwrap_or(1.0));
                follow_screen();
            });
        }
        let appearance =
            Appearance { choice, is_dark, presents, enlarged, printing, text_scale, pixel_ratio };
        provide_context(appearance);
        appearance
    }
}

/// Creates a signal of whether the browser matches a CSS media query, as long as the page is open.
fn follow_media(query: &'static str) -> RwSignal<bool> {
    let matches = RwSignal::new(browser::matches_media(query));
    if let Ok(Some(list)) = window().match_media(query) {
        let changed = Closure::<dyn Fn()>::new(move || matches.set(browser::matches_media(query)));
        let _ = list.add_event_listener_with_callback("change", changed.as_ref().unchecked_ref());
        // The list must outlive this function, or its listener is dropped.
        changed.forget();
        std::mem::forget(list);
    }
    matches
}

/// Measures the size of the text that the user has chosen in the browser, relative to the usual size.
fn measure_text_scale() -> Option<f64> {
    let probe: HtmlElement = document().create_element("span").ok()?.dyn_into().ok()?;
    let _ = probe.style().set_property("font-size", "medium");
    let body = document().body()?;
    body.append_child(&probe).ok()?;
    let style = window().get_computed_style(&probe).ok().flatten();
    let size = style.and_then(|style| style.get_property_value("font-size").ok());
    probe.remove();
    let pixels: f64 = size?.trim_end_matches("px").parse().ok()?;
    Some((pixels / USUAL_FONT_PX).clamp(TEXT_SCALES[0], TEXT_SCALES[1]))
}

/// Calls `paint` when the browser is about to print, once the page has its colours for paper, as long as the caller's owner
/// lives.
pub fn paint_for_print(paint: impl Fn() + 'static) {
    let listener = window_event_listener_untyped("beforeprint", move |_| paint());
    on_cleanup(move || listener.remove());
}

/// Button that toggles the enlargement of text and charts for a projector.
#[component]
pub fn PresentButton(
    /// Appearance that the button changes.
    appearance: Appearance,
) -> impl IntoView {
    view! {
        <button class="tool tool--present" type="button" aria-label=tr!("Large text") title=tr!("Large text (P)") data-testid="present"
            aria-pressed=move || appearance.presents.get().to_string() on:click=move |_| appearance.present()>
            <Icon name=Name::Present />
        </button>
    }
    .into_any()
}

/// Button that cycles through the system's, the light and the dark theme.
#[component]
pub fn ThemeButton(
    /// Appearance that the button changes.
    appearance: Appearance,
) -> impl IntoView {
    let choice = appearance.choice;
    let next = move |_| {
        let at = ThemeChoice::ALL.iter().position(|(w, _)| *w == choice.get_untracked()).unwrap_or(0);
        choice.set(ThemeChoice::ALL[(at + 1) % 3].0);
        browser::write_stored(STORAGE_KEY, choice.get_untracked().slug());
    };
    let name = Signal::derive(move || match choice.get() {
        ThemeChoice::System => Name::Theme,
        ThemeChoice::Light => Name::Light,
        ThemeChoice::Dark => Name::Dark,
    });
    let label = move || tr!("Colours: {colours}", colours = choice.get().slug());
    view! {
        <button class="tool" type="button" aria-label=label title=label data-testid="theme" on:click=next>
            <Icon name />
        </button>
    }
}
