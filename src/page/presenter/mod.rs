//! Presenter mode: a few large charts, and the passage of a story, for a lecturer in front of a class.
//!
//! # Why
//! The charts on the screen and the actions of keys and clickers are decided here, where they can be tested. The view
//! only hides the other charts, requests full screen, and lays out the rest with a style sheet.

#[cfg(test)]
mod tests;
mod update;

use vivarium_model::chart::Chart;

/// Largest number of charts on the first screen of presenter mode; every later screen shows one chart.
const MAX_CHARTS: usize = 2;

/// A cover of the whole screen in presenter mode: black, or an address with its QR code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScreenCover {
    /// A black screen.
    Black,
    /// The address of the page as a QR code.
    QrCode,
}

/// An action in presenter mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PresenterAction {
    /// Enter presenter mode.
    Enter,
    /// Leave presenter mode.
    Exit,
    /// Go forward (or back) by this number of passages of the open story; without a story, of screens of charts.
    Turn(isize),
    /// Show the next screen of charts; after the last one, the first.
    NextChart,
    /// Show the panels of the lab in place of the charts, or the charts again.
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
    /// Index of the screen of charts, from 0: screen 0 shows up to two charts, screen `i` only chart `i - 1`.
    screen: usize,
    /// Whether the panels of the lab are shown in place of the charts.
    pub shows_panels: bool,
    /// Cover of the screen (black or a QR code); None if the charts are visible.
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

    /// Returns the index, from 0, of the last screen of presenter mode for this number of charts.
    fn last_screen(charts: usize) -> usize {
        if charts > 1 { charts } else { 0 }
    }

    /// Goes forward by `by` screens of presenter mode, or back if `by` is negative; `charts` is the number of shown
    /// charts.
    fn turn_screens(&mut self, by: isize, charts: usize) {
        let last = Presenter::last_screen(charts);
        self.screen = self.screen.min(last).saturating_add_signed(by).min(last);
        self.shows_panels = false;
    }

    /// Returns the charts on the current screen, out of the `shown` ones; on screen 0, the chart at which a story
    /// points (`pointed`) is shown alone.
    fn charts_on_screen<'a>(&self, shown: &'a [Chart], pointed: Option<Chart>) -> &'a [Chart] {
        let alone = match self.screen.min(Presenter::last_screen(shown.len())) {
            0 => pointed.and_then(|pointed| shown.iter().position(|chart| *chart == pointed)),
            screen => Some(screen - 1),
        };
        match alone {
            Some(at) => &shown[at..=at],
            None => &shown[..shown.len().min(MAX_CHARTS)],
        }
    }
}
