//! Presenter mode: a few large charts, and the passage of a story, for a lecturer in front of a class.
//!
//! # Why
//! Which charts are on the screen, and what a key or a clicker does, is decided here, where it can be tested. The page
//! only follows: it hides the charts that are aside, asks for the whole screen and lays out the rest by a style sheet.

#[cfg(test)]
mod tests;
mod update;

use vivarium_model::chart::Chart;

/// Most charts that are on the screen together.
const TOGETHER: usize = 2;

/// What hides everything else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cover {
    /// Nothing but black.
    Black,
    /// The address as a QR code.
    Code,
}

/// What happens in presenter mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PresenterAction {
    /// The mode begins.
    Enter,
    /// The whole page again.
    Leave,
    /// On, or back, by so many passages of the open story; without a story, by so many charts.
    Turn(isize),
    /// The next chart, and after the last one the first ones again.
    NextChart,
    /// The lab's panels in place of the charts, or the charts again.
    Inside,
    /// Covers the screen, or shows it again if it is covered so.
    Cover(Cover),
    /// Shows the screen again.
    Uncover,
}

/// Where the keys go that are pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    /// To the page: a button has the focus, or nothing has.
    Page,
    /// To a slider or a list, which answers to arrows and letters.
    Control,
    /// To a text.
    Text,
}

/// Presenter mode while it is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Presenter {
    /// Which of the screens of charts is shown: the first one has up to two charts, each of the others one.
    screen: usize,
    /// Whether the lab's panels are shown, and no chart.
    pub is_inside: bool,
    /// What hides all of it.
    pub cover: Option<Cover>,
}

impl Presenter {
    /// What a key does in this mode; none where it does what it does elsewhere.
    pub fn key(key: &str, focus: Focus) -> Option<PresenterAction> {
        let on_page = focus == Focus::Page;
        Some(match key {
            // A clicker sends these, wherever the focus was left.
            "PageDown" => PresenterAction::Turn(1),
            "PageUp" => PresenterAction::Turn(-1),
            "ArrowRight" if on_page => PresenterAction::Turn(1),
            "ArrowLeft" if on_page => PresenterAction::Turn(-1),
            "." | "b" | "B" if focus != Focus::Text => PresenterAction::Cover(Cover::Black),
            "q" | "Q" if on_page => PresenterAction::Cover(Cover::Code),
            "c" | "C" if on_page => PresenterAction::NextChart,
            "i" | "I" if on_page => PresenterAction::Inside,
            "p" | "P" if on_page => PresenterAction::Leave,
            "Escape" => PresenterAction::Leave,
            _ => return None,
        })
    }

    /// The last of the screens of so many charts.
    fn last_screen(charts: usize) -> usize {
        if charts > 1 { charts } else { 0 }
    }

    /// Goes on, or back, by so many screens of so many charts.
    fn turn(&mut self, by: isize, charts: usize) {
        let last = Presenter::last_screen(charts);
        self.screen = self.screen.min(last).saturating_add_signed(by).min(last);
        self.is_inside = false;
    }

    /// The charts that are on the screen, of those that are `shown`, while a story points at one of them or at none.
    fn on_screen<'a>(&self, shown: &'a [Chart], pointed: Option<Chart>) -> &'a [Chart] {
        let alone = match self.screen.min(Presenter::last_screen(shown.len())) {
            0 => pointed.and_then(|pointed| shown.iter().position(|chart| *chart == pointed)),
            screen => Some(screen - 1),
        };
        match alone {
            Some(at) => &shown[at..=at],
            None => &shown[..shown.len().min(TOGETHER)],
        }
    }
}
