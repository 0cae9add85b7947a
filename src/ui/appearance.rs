//! Colour theme (system, light or dark) and text size of the page.

use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use crate::browser;
use crate::icon::{Icon, Name};
use vivarium_plot::charts::{Theme, presenter_scale};

/// Key under which the browser stores the chosen theme.
const STORAGE_KEY: &str = "vivarium.theme";
/// Media query for the dark colour scheme of the system.
const PREFERS_DARK: &str = "(prefers-color-scheme: dark)";

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

    /// Subscribes the caller to changes of colours and size; returns whether the page is dark, enlarged for a
    /// projector, and enlarged by presenter mode.
    pub fn track_changes(self) -> [bool; 3] {
        [self.is_dark.get(), self.presents.get(), self.enlarged.get()]
    }

    /// Current scale factor of drawings, 1 for the usual size.
    pub fn drawing_scale(self) -> f64 {
        if self.enlarged.get_untracked() {
            let side = |length: Result<JsValue, JsValue>| length.ok().and_then(|length| length.as_f64());
            let (width, height) = (side(window().inner_width()), side(window().inner_height()));
            return PRESENTER_SCALE * presenter_scale(width.unwrap_or_default(), height.unwrap_or_default());
        }
        if self.presents.get_untracked() { PROJECTOR_SCALE } else { 1.0 }
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
        let system = RwSignal::new(browser::matches_media(PREFERS_DARK));
        if let Ok(Some(list)) = window().match_media(PREFERS_DARK) {
            let changed = Closure::<dyn Fn()>::new(move || system.set(browser::matches_media(PREFERS_DARK)));
            let _ = list.add_event_listener_with_callback("change", changed.as_ref().unchecked_ref());
            // The list must outlive this function, or its listener is dropped.
            changed.forget();
            std::mem::forget(list);
        }
        let is_dark = Memo::new(move |_| match choice.get() {
            ThemeChoice::System => system.get(),
            ThemeChoice::Light => false,
            ThemeChoice::Dark => true,
        });
        let mark =
            move || browser::set_root_attribute("data-theme", if is_dark.get() { "dark" } else { "light" });
        untrack(mark);
        Effect::new(move |_| mark());
        let appearance =
            Appearance { choice, is_dark, presents: RwSignal::new(false), enlarged: RwSignal::new(false) };
        provide_context(appearance);
        appearance
    }
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
