//! How actions change the gallery, and the address of the page.

use std::sync::Arc;

use super::{FRAGMENT, GalleryAction};
use crate::bench;
use crate::effect::Effect;
use crate::state::State;
use vivarium_model::permalink::encode;
use vivarium_view::presets::recorded::parse;

/// Returns the fragment for the address bar: gallery, benchmark, lecture, story or run.
pub fn page_address(state: &State) -> String {
    match &state.lecture {
        _ if state.gallery.is_open => FRAGMENT.into(),
        _ if state.bench.is_open => bench::FRAGMENT.into(),
        Some(lecture) => lecture.address(),
        None => run_address(state),
    }
}

/// Returns the fragment that opens the passage or the run that is shown, without the lecture to which it belongs.
pub fn run_address(state: &State) -> String {
    match &state.tour {
        // Only the link of the run contains what a lesson has locked.
        Some(tour) if state.player.run.link.teacher_keys.is_empty() => tour.passage_address(),
        _ => encode(&state.player.run.link),
    }
}

impl State {
    /// Shows the gallery in place of the run, and fetches the recorded curves.
    pub fn open_gallery(&mut self, effects: &mut Vec<Effect>) {
        self.gallery.is_open = true;
        // The gallery replaces the charts.
        self.presenter = None;
        self.gallery.version += 1;
        if !matches!(self.gallery.recorded, Some(Ok(_))) {
            self.gallery.recorded = None;
            effects.push(Effect::FetchRecorded);
        }
    }

    /// Applies an action of the gallery, such as a change of the filter, to the state.
    pub(crate) fn apply_gallery_action(&mut self, action: GalleryAction) {
        let gallery = &mut self.gallery;
        gallery.version += 1;
        match action {
            GalleryAction::Fetched(text) => {
                gallery.recorded = Some(text.and_then(|text| parse(&text)).map(Arc::new));
            }
            GalleryAction::Filter(name, value) => {
                let field = match name.as_str() {
                    "topic" => &mut gallery.filter.topic,
                    "time" => &mut gallery.filter.time,
                    _ => &mut gallery.filter.words,
                };
                *field = value;
            }
            GalleryAction::Close => gallery.is_open = false,
        }
    }
}
