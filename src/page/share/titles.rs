//! The title of the page, which names a tab, a bookmark and a window: what is looked at comes first.
//!
//! # Why
//! No step and no sign of playing: a title that moves draws the eye to a tab that nobody looks at, and is read out again
//! and again.

use crate::state::State;
use vivarium_core::language::translated;
use vivarium_labs::preset_of;
use vivarium_model::run::RunSpec;
use vivarium_view::display::words::setting;

/// Most settings that a title names.
const SETTINGS: usize = 3;

/// The title of the page.
pub fn title(state: &State) -> String {
    tr!("{subject} · Vivarium", subject = subject(state))
}

fn subject(state: &State) -> String {
    if state.gallery.is_open {
        return tr!("Gallery").into();
    }
    if state.bench.is_open {
        return tr!("Speed of this device").into();
    }
    if let Some(Ok(story)) = state.tour.as_ref().and_then(|tour| tour.story.as_ref()) {
        return story.title.clone();
    }
    run_name(&state.run.link.spec)
}

/// What a run is called: its preset and task, or its task and the first settings that differ from the usual ones.
pub fn run_name(spec: &RunSpec) -> String {
    let lab = spec.task.info();
    if let Some(preset) = preset_of(spec) {
        return format!("{} · {}", translated(preset.name), translated(lab.name));
    }
    let usual = RunSpec::of_lab(lab.slug).unwrap_or_default();
    let all = spec.differences(&usual);
    let some = all.iter().filter(|(.., value)| !value.is_empty()).take(SETTINGS);
    let mut words = vec![translated(lab.name).to_string()];
    words.extend(some.map(|(key, _, value)| setting(spec, key, value)));
    if all.len() > SETTINGS {
        words.push("…".into());
    }
    words.join(", ")
}
