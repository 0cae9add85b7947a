//! What changes the gallery, and the address while it is open.

use std::sync::Arc;

use super::{FRAGMENT, GalleryAction};
use crate::bench;
use crate::state::State;
use crate::trainer::Effect;
use vivarium_model::permalink::encode;
use vivarium_view::presets::recorded::parse;

/// What stands in the address bar.
pub fn address(state: &State) -> String {
    match &state.tour {
        _ if state.gallery.is_open => FRAGMENT.into(),
        _ if state.bench.is_open => bench::FRAGMENT.into(),
        // What a lesson has locked stands in the run's link alone.
        Some(tour) if state.run.link.reserved.is_empty() => tour.address(),
        _ => encode(&state.run.link),
    }
}

impl State {
    /// Opens the gallery over the run.
    pub fn open_gallery(&mut self, effects: &mut Vec<Effect>) {
        self.gallery.is_open = true;
        // It takes the place of the charts.
        self.presenter = None;
        self.gallery.version += 1;
        if !matches!(self.gallery.recorded, Some(Ok(_))) {
            self.gallery.recorded = None;
            effects.push(Effect::FetchRecorded);
        }
    }

    pub(crate) fn browse(&mut self, what: GalleryAction) {
        let gallery = &mut self.gallery;
        gallery.version += 1;
        match what {
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
