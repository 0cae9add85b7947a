//! What presenter mode changes in the state.

use super::{Presenter, PresenterAction};
use crate::gallery::GalleryAction;
use crate::state::State;
use crate::tour::TourAction;
use crate::trainer::Effect;
use vivarium_model::chart::Chart;

impl State {
    /// Does what somebody wants who presents.
    pub fn present(&mut self, what: PresenterAction, effects: &mut Vec<Effect>) {
        if what == PresenterAction::Enter {
            self.close_bench(effects);
            if self.gallery.is_open {
                self.browse(GalleryAction::Close);
            }
            self.presenter.get_or_insert_default();
            return;
        }
        let charts = self.run.link.view.show.len();
        let Some(presenter) = &mut self.presenter else { return };
        match what {
            PresenterAction::Leave => self.presenter = None,
            PresenterAction::Cover(cover) => {
                presenter.cover = (presenter.cover != Some(cover)).then_some(cover);
            }
            // Who presses a key before a black screen wants to see first, as with slides.
            _ if presenter.cover.take().is_some() => {}
            PresenterAction::Turn(by) if self.tour.is_some() => {
                presenter.screen = 0;
                self.tour(TourAction::Turn(by), effects);
            }
            PresenterAction::Turn(by) => presenter.turn(by, charts),
            PresenterAction::NextChart if presenter.is_inside => presenter.is_inside = false,
            PresenterAction::NextChart if presenter.screen >= Presenter::last_screen(charts) => {
                presenter.screen = 0;
            }
            PresenterAction::NextChart => presenter.turn(1, charts),
            PresenterAction::Inside => presenter.is_inside = !presenter.is_inside,
            PresenterAction::Enter | PresenterAction::Uncover => {}
        }
    }

    /// The story points at a chart, which is to be seen.
    pub fn present_pointed(&mut self) {
        if let Some(presenter) = &mut self.presenter {
            (presenter.screen, presenter.is_inside) = (0, false);
        }
    }

    /// Whether a chart has no place on the screen of somebody who presents.
    pub fn is_aside(&self, chart: Chart) -> bool {
        let pointed = self.tour.as_ref().and_then(|tour| tour.pointed).map(|(chart, _)| chart);
        let shown = &self.run.link.view.show;
        self.presenter.is_some_and(|presenter| !presenter.on_screen(shown, pointed).contains(&chart))
    }
}
