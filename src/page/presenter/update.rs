//! How actions of presenter mode change the state.

use super::{PresenterAction, Screen, chart_screens};
use crate::effect::Effect;
use crate::gallery::GalleryAction;
use crate::state::State;
use crate::tour::TourAction;
use vivarium_model::chart::{Chart, DEFAULT_CHARTS};

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
        let screen_count = self.presenter_screens().len();
        let Some(presenter) = &mut self.presenter else { return };
        match action {
            // Esc closes what is on top: first the cover, then presenter mode.
            PresenterAction::Exit if presenter.cover.take().is_some() => {}
            PresenterAction::Exit => {
                self.presenter = None;
                self.end_lecture();
            }
            PresenterAction::Cover(cover) => {
                presenter.cover = (presenter.cover != Some(cover)).then_some(cover);
            }
            // As with slides, the first key only uncovers the screen.
            _ if presenter.cover.take().is_some() => {}
            PresenterAction::Turn(by) if self.lecture.is_some() => {
                (presenter.screen, presenter.shows_panels) = (0, false);
                self.turn_lecture(by, effects);
            }
            PresenterAction::Turn(by) if self.tour.is_some() => {
                presenter.screen = 0;
                self.apply_tour_action(TourAction::Turn(by), effects);
            }
            PresenterAction::Turn(by) => presenter.turn_screens(by, screen_count),
            PresenterAction::NextChart if presenter.shows_panels => presenter.shows_panels = false,
            PresenterAction::NextChart if presenter.screen + 1 >= screen_count => presenter.screen = 0,
            PresenterAction::NextChart => presenter.turn_screens(1, screen_count),
            PresenterAction::TogglePanels => presenter.shows_panels = !presenter.shows_panels,
            PresenterAction::Enter | PresenterAction::Uncover => {}
        }
    }

    /// In presenter mode, goes to the first screen with charts, which shows the chart at which the story points.
    pub fn show_pointed_chart(&mut self) {
        let first_charts = self.first_chart_screen();
        if let Some(presenter) = &mut self.presenter {
            (presenter.screen, presenter.shows_panels) = (first_charts, false);
        }
    }

    /// Index, from 0, of the first screen with charts: the moving picture, if there is one, comes before.
    fn first_chart_screen(&self) -> usize {
        usize::from(self.offers_picture_panel())
    }

    /// The screens of presenter mode in their order: the moving picture, if the run has one, and the charts.
    fn presenter_screens(&self) -> Vec<Screen> {
        let picture = self.offers_picture_panel().then_some(Screen::Picture);
        let charts = chart_screens(&self.player.run.link.view.show, &self.named_charts());
        picture.into_iter().chain(charts).collect()
    }

    /// The shown charts that the run is about: those that represent its preset, and those that its link shows besides the
    /// charts of every run.
    fn named_charts(&self) -> Vec<Chart> {
        let shown = &self.player.run.link.view.show;
        let mut named: Vec<Chart> =
            self.preset_charts().iter().copied().filter(|chart| shown.contains(chart)).collect();
        let is_special = |chart: &Chart| !DEFAULT_CHARTS.contains(chart) && !named.contains(chart);
        let others: Vec<Chart> = shown.iter().copied().filter(is_special).collect();
        named.extend(others);
        named
    }

    /// The current screen of presenter mode, which the panels of the lab may replace; None while the mode is off.
    fn current_screen(&self) -> Option<Screen> {
        let presenter = self.presenter?;
        let mut screens = self.presenter_screens();
        let at = presenter.screen.min(screens.len().saturating_sub(1));
        let is_first_charts = at == self.first_chart_screen();
        let pointed = self.tour.as_ref().and_then(|tour| tour.pointed_chart).map(|(chart, _)| chart);
        let is_shown = |chart: &Chart| self.player.run.link.view.show.contains(chart);
        match pointed.filter(is_shown) {
            // Among the charts, the story is about this one.
            Some(chart) if is_first_charts => Some(Screen::Charts(vec![chart])),
            _ => (at < screens.len()).then(|| screens.swap_remove(at)),
        }
    }

    /// Whether presenter mode is on and shows the moving picture of the run.
    pub fn presents_picture(&self) -> bool {
        let shows_panels = self.presenter.is_some_and(|presenter| presenter.shows_panels);
        !shows_panels && self.current_screen() == Some(Screen::Picture)
    }

    /// Whether presenter mode is on and its screen does not show this chart.
    pub fn is_off_screen(&self, chart: Chart) -> bool {
        match self.current_screen() {
            None => false,
            Some(Screen::Picture) => true,
            Some(Screen::Charts(charts)) => !charts.contains(&chart),
        }
    }
}
