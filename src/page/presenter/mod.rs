//! Presenter mode: the moving picture, a few large charts, and the passage of a story, for a lecturer in front of a class.
//!
//! # Why
//! The screens and the actions of keys and clickers are decided here, where they can be tested. The view only hides the
//! other charts, requests full screen, and lays out the rest with a style sheet.

#[cfg(test)]
mod tests;
mod update;

use vivarium_model::chart::Chart;

/// Largest number of charts on the first screen with charts of presenter mode; every later screen shows one chart.
const MAX_CHARTS: usize = 2;

/// A cover of the whole screen in presenter mode: black, or an address with its QR code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScreenCover {
    /// A black screen.
    Black,
    /// The address of the page as a QR code.
    QrCode,
}

/// One screen of presenter mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Screen {
    /// The moving picture of the run.
    Picture,
    /// These charts.
    Charts(Vec<Chart>),
}

/// Time in milliseconds between the end of a cover of the screen and the end of full screen within which one press of
/// Escape has ended both.
const ONE_PRESS_MS: f64 = 1_000.0;

/// The action when the browser has left full screen, as it does on Escape, which the page may not see; None if that press
/// only ended the cover of the screen. `uncovered_ms` is the time in milliseconds since a cover ended.
pub fn fullscreen_exit_action(is_covered: bool, uncovered_ms: f64) -> Option<PresenterAction> {
    match is_covered {
        // Esc closes what is on top.
        true => Some(PresenterAction::Uncover),
        false => (uncovered_ms > ONE_PRESS_MS).then_some(PresenterAction::Exit),
    }
}

/// An action in presenter mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PresenterAction {
    /// Enter presenter mode.
    Enter,
    /// Leave presenter mode.
    Exit,
    /// Go forward (or back) by this number of entries of the lecture; without one, of passages of the open story; without a
    /// story, of screens.
    Turn(isize),
    /// Show the next screen, with charts or the moving picture; after the last one, the first.
    NextChart,
    /// Show the panels of the lab in place of the screen, or the screen again.
    TogglePanels,
    /// Cover the screen, or uncover it if it is covered in this way.
    Cover(ScreenCover),
    /// Uncover the screen.
    Uncover,
}

/// The kind of element that has the keyboard focus; it decides which keys presenter mode handles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    /// The page or a button.
    Page,
    /// A slider or a list, which handles arrows and letters.
    Control,
    /// A text field.
    Text,
}

/// State of presenter mode while it is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Presenter {
    /// Index, from 0, in the list of the screens; an index beyond the list stands for its last screen.
    screen: usize,
    /// Whether the panels of the lab are shown in place of the screen.
    pub shows_panels: bool,
    /// Cover of the screen (black or a QR code); None if the screen is visible.
    pub cover: Option<ScreenCover>,
}

impl Presenter {
    /// Returns the action of a key in presenter mode; None if the key has no special action.
    pub fn key_action(key: &str, focus: Focus) -> Option<PresenterAction> {
        let on_page = focus == Focus::Page;
        Some(match key {
            // A clicker sends these keys, wherever the focus is.
            "PageDown" => PresenterAction::Turn(1),
            "PageUp" => PresenterAction::Turn(-1),
            "ArrowRight" if on_page => PresenterAction::Turn(1),
            "ArrowLeft" if on_page => PresenterAction::Turn(-1),
            "." | "b" | "B" if focus != Focus::Text => PresenterAction::Cover(ScreenCover::Black),
            "q" | "Q" if on_page => PresenterAction::Cover(ScreenCover::QrCode),
            "c" | "C" if on_page => PresenterAction::NextChart,
            "i" | "I" if on_page => PresenterAction::TogglePanels,
            "p" | "P" if on_page => PresenterAction::Exit,
            "Escape" => PresenterAction::Exit,
            _ => return None,
        })
    }

    /// Goes forward by `by` screens of presenter mode, or back if `by` is negative; `screen_count` is the number of
    /// screens.
    fn turn_screens(&mut self, by: isize, screen_count: usize) {
        let last = screen_count.saturating_sub(1);
        self.screen = self.screen.min(last).saturating_add_signed(by).min(last);
        self.shows_panels = false;
    }
}

/// The screens with charts of presenter mode, out of the `shown` charts: first up to two of the `named` ones, which the run
/// is about, or of all charts if none is named; then each chart alone, the named ones first.
fn chart_screens(shown: &[Chart], named: &[Chart]) -> Vec<Screen> {
    let rest = shown.iter().filter(|chart| !named.contains(chart));
    let ordered: Vec<Chart> = named.iter().chain(rest).copied().collect();
    let of_first = if named.is_empty() { shown } else { named };
    let first = &of_first[..of_first.len().min(MAX_CHARTS)];
    // A chart that the first screen shows alone has no second screen.
    let alone = ordered.iter().filter(|chart| first != [**chart]).map(|chart| Screen::Charts(vec![*chart]));
    [Screen::Charts(first.to_vec())].into_iter().chain(alone).collect()
}
