//! Line icons, drawn here so that nothing is fetched.

use leptos::prelude::*;

/// Name of an icon, by its use; the comment of each variant says what the icon shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Name {
    /// A triangle.
    Play,
    /// Two bars.
    Pause,
    /// A triangle against a bar.
    Step,
    /// An arrow in a circle.
    Reset,
    /// A die.
    Seed,
    /// An arrow backwards.
    Undo,
    /// Two curves.
    Compare,
    /// Two links of a chain.
    Link,
    /// A prompt.
    Terminal,
    /// A half-filled circle.
    Theme,
    /// A sun.
    Light,
    /// A moon.
    Dark,
    /// An arrow into a tray.
    Files,
    /// A question mark.
    Help,
    /// An i.
    About,
    /// A screen on a stand.
    Present,
    /// The corners of a screen.
    Enlarge,
}

impl Name {
    /// SVG path of the icon in a box of 24 × 24 units.
    fn path(self) -> &'static str {
        match self {
            Name::Play => "M7 4.5v15l12-7.5z",
            Name::Pause => "M7 5h3.5v14H7zM13.5 5H17v14h-3.5z",
            Name::Step => "M6 5v14l9.5-7zM17 5h2v14h-2z",
            Name::Reset => "M5 12a7 7 0 1 0 2.2-5.1M5 4v4h4",
            Name::Seed => "M5 5h14v14H5zM9 9h.01M15 9h.01M12 12h.01M9 15h.01M15 15h.01",
            Name::Undo => "M9 6 5 10l4 4M5 10h9a5 5 0 0 1 0 10h-3",
            Name::Compare => "M4 18C8 18 8 6 20 6M4 20c8 0 8-7 16-7",
            Name::Link => {
                "M10 14a4 4 0 0 0 6 .4l2.5-2.5a4 4 0 0 0-5.7-5.7L11.5 7.5M14 10a4 4 0 0 0-6-.4l-2.5 2.5a4 4 0 0 0 5.7 5.7l1.3-1.3"
            }
            Name::Terminal => "M5 7l5 5-5 5M12 18h7",
            Name::Theme => "M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16",
            Name::Light => {
                "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6l1.4 1.4M17 17l1.4 1.4M5.6 18.4 7 17M17 7l1.4-1.4"
            }
            Name::Dark => "M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z",
            Name::Files => "M12 4v10M8 10.5l4 4 4-4M5 16v4h14v-4",
            Name::Help => "M9 9.2a3 3 0 1 1 4.3 2.7c-.9.4-1.3 1-1.3 2.1M12 17.5h.01",
            Name::Present => "M4 5h16v10H4zM12 15v4M8 19h8",
            Name::Enlarge => "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
            Name::About => "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 11.5v4M12 8.5h.01",
        }
    }

    /// Whether the icon's path is filled instead of stroked.
    fn is_filled(self) -> bool {
        matches!(self, Name::Play | Name::Pause | Name::Step)
    }
}

/// SVG icon, hidden from screen readers.
#[component]
pub fn Icon(
    /// Icon to show; may change.
    #[prop(into)]
    name: Signal<Name>,
) -> impl IntoView {
    view! {
        <svg class="icon" class:icon--filled=move || name.get().is_filled() viewBox="0 0 24 24" aria-hidden="true">
            <path d=move || name.get().path()></path>
        </svg>
    }
}
