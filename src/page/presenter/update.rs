//! How actions of presenter mode change the state.

use super::{Presenter, PresenterAction};
use crate::effect::Effect;
use crate::gallery::GalleryAction;
use crate::state::State;
use crate::tour::TourAction;
use vivarium_model::chart::Chart;

impl State {
    /// Applies an action of presenter mode, such as going to the next screen, to the state.
    pub fn apply_presenter_action(&mut self, action: PresenterAction, effects: &mut Vec<Effect>) {
        if action == PresenterAction::Enter {
            self.close_bench(effects);
            if self.gallery.is_open {
                self.apply_gallery_action(GalleryAction::Close);
            }
            self.presenter.get_or_insert_default();
            return;
        }
        let charts = self.player.run.link.view.show.len();
        let Some(presenter) = &mut self.presenter else { return };
        match action {
            // Esc closes what is on top: first the cover, then presenter mode.
            PresenterAction::Exit if presenter.cover.take().is_some() => {}
            PresenterAction::Exit => self.presenter = None,
            PresenterAction::Cover(cover) => {
                presenter.cover = (presenter.cover != Some(cover)).then_some(cover);
            }
            // As with slides, the first key only uncovers the screen.
            _ if presenter.cover.take().is_some() => {}
            PresenterAction::Turn(by) if self.tour.is_some() => {
                presenter.screen = 0;
                self.apply_tour_action(TourAction::Turn(by), effects);
            }
            PresenterAction::Turn(by) => presenter.turn_screens(by, charts),
            PresenterAction::NextChart if presenter.shows_panels => presenter.shows_panels = false,
            PresenterAction::NextChart if presenter.screen >= Presenter::last_screen(charts) => {
                presenter.screen = 0;
            }
            PresenterAction::NextChart => presenter.turn_screens(1, charts),
            PresenterAction::TogglePanels => presenter.shows_panels = !presenter.shows_panels,
            PresenterAction::Enter | PresenterAction::Uncover => {}
        }
    }

    /// In presenter mode, goes to screen 0, which shows the chart at which the story points.
    pub fn show_pointed_chart(&mut self) {
        if let Some(presenter) = &mut self.presenter {
            (presenter.screen, presenter.shows_panels) = (0, false);
        }
    }

    /// Whether presenter mode is on and its screen does not show this chart.
    pub fn is_off_screen(&self, chart: Chart) -> bool {
        let pointed = self.tour.as_ref().and_then(|tour| tour.pointed_chart).map(|(chart, _)| chart);
        let shown = &self.player.run.link.view.show;
        self.presenter.is_some_and(|presenter| !presenter.charts_on_screen(shown, pointed).contains(&chart))
    }
}
