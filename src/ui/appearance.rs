//! Light or dark: as the system has it, or as the person wants it.

use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use crate::browser;
use crate::icon::{Icon, Name};
use vivarium_plot::charts::{Theme, enlarged};

const STORED_AS: &str = "vivarium.theme";
const PREFERS_DARK: &str = "(prefers-color-scheme: dark)";

/// What the person wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ThemeAction {
    System,
    Light,
    Dark,
}

impl ThemeAction {
    const ALL: [(ThemeAction, &'static str); 3] =
        [(ThemeAction::System, "auto"), (ThemeAction::Light, "light"), (ThemeAction::Dark, "dark")];

    fn slug(self) -> &'static str {
        ThemeAction::ALL.iter().find(|(wish, _)| *wish == self).map_or("auto", |(_, slug)| slug)
    }
}

/// The wish and what comes of it.
#[derive(Clone, Copy)]
pub struct Appearance {
    wish: RwSignal<ThemeAction>,
    /// Whether the page is dark.
    pub is_dark: Memo<bool>,
    /// Whether type is large, for a projector.
    pub presents: RwSignal<bool>,
    /// Whether type has the size of presenter mode.
    enlarged: RwSignal<bool>,
}

/// How much larger type is for a projector; the style sheet says the same.
const LARGE: f64 = 1.35;

/// How much larger the type and the lines of charts are in presenter mode than the page's other type: numbers on axes are
/// the smallest type of the page, and the last row is to read them.
const FROM_AFAR: f64 = 1.25;

impl Appearance {
    /// Colours of drawings, as they are now.
    pub fn theme(self) -> Theme {
        if self.is_dark.get_untracked() { Theme::dark() } else { Theme::light() }
    }

    /// Tells whoever asks of changes.
    pub fn looks(self) -> [bool; 3] {
        [self.is_dark.get(), self.presents.get(), self.enlarged.get()]
    }

    /// How much larger than usual things are drawn.
    pub fn size(self) -> f64 {
        if self.enlarged.get_untracked() {
            let side = |length: Result<JsValue, JsValue>| length.ok().and_then(|length| length.as_f64());
            let (width, height) = (side(window().inner_width()), side(window().inner_height()));
            return FROM_AFAR * enlarged(width.unwrap_or_default(), height.unwrap_or_default());
        }
        if self.presents.get_untracked() { LARGE } else { 1.0 }
    }

    /// Gives type the size of presenter mode, or the size that it had.
    pub fn enlarge(self, enlarged: bool) {
        self.enlarged.set(enlarged);
    }

    /// Makes type large, or as it was.
    pub fn present(self) {
        self.presents.update(|presents| *presents = !*presents);
        browser::mark_root("data-present", if self.presents.get_untracked() { "on" } else { "off" });
    }

    /// That of this page.
    pub fn here() -> Appearance {
        expect_context()
    }

    /// Reads what is remembered, follows the system, and marks the root element for the style sheets.
    pub fn provide() -> Appearance {
        let stored = browser::remembered(STORED_AS);
        let wish = ThemeAction::ALL
            .iter()
            .find(|(_, slug)| stored.as_deref() == Some(slug))
            .map_or(ThemeAction::System, |w| w.0);
        let wish = RwSignal::new(wish);
        let system = RwSignal::new(browser::holds(PREFERS_DARK));
        if let Ok(Some(list)) = window().match_media(PREFERS_DARK) {
            let changed = Closure::<dyn Fn()>::new(move || system.set(browser::holds(PREFERS_DARK)));
            let _ = list.add_event_listener_with_callback("change", changed.as_ref().unchecked_ref());
            // The list must outlive this function, or nobody is told.
            changed.forget();
            std::mem::forget(list);
        }
        let is_dark = Memo::new(move |_| match wish.get() {
            ThemeAction::System => system.get(),
            ThemeAction::Light => false,
            ThemeAction::Dark => true,
        });
        let mark = move || browser::mark_root("data-theme", if is_dark.get() { "dark" } else { "light" });
        untrack(mark);
        Effect::new(move |_| mark());
        let appearance =
            Appearance { wish, is_dark, presents: RwSignal::new(false), enlarged: RwSignal::new(false) };
        provide_context(appearance);
        appearance
    }
}

/// Makes type large for a projector, or as it was.
#[component]
pub fn PresentButton(
    /// What it changes.
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

/// Goes from automatic to light to dark.
#[component]
pub fn ThemeButton(
    /// What it changes.
    appearance: Appearance,
) -> impl IntoView {
    let wish = appearance.wish;
    let next = move |_| {
        let at = ThemeAction::ALL.iter().position(|(w, _)| *w == wish.get_untracked()).unwrap_or(0);
        wish.set(ThemeAction::ALL[(at + 1) % 3].0);
        browser::remember(STORED_AS, wish.get_untracked().slug());
    };
    let name = Signal::derive(move || match wish.get() {
        ThemeAction::System => Name::Theme,
        ThemeAction::Light => Name::Light,
        ThemeAction::Dark => Name::Dark,
    });
    let label = move || tr!("Colours: {colours}", colours = wish.get().slug());
    view! {
        <button class="tool" type="button" aria-label=label title=label data-testid="theme" on:click=next>
            <Icon name />
        </button>
    }
}
