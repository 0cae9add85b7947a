//! The title of the page, which names a tab, a bookmark and a window: the subject comes first.
//!
//! # Why
//! The title contains neither step nor phase: a title that changes draws attention to a tab that is not visible, and a
//! screen reader would read it out again and again.

use crate::state::State;
use vivarium_core::language::translated;
use vivarium_labs::find_matching_preset;
use vivarium_model::run::RunSpec;
use vivarium_view::display::instance::default_run_name;
use vivarium_view::display::words::format_setting;

/// Largest number of settings listed in the name of a run; an ellipsis stands for further ones.
const MAX_SETTINGS: usize = 3;

/// Returns the title of the page, which the browser shows on the tab.
pub fn page_title(state: &State) -> String {
    tr!("{subject} · Vivarium", subject = title_subject(state))
}

/// Returns the subject of the page's title: gallery, benchmark, story or name of the run.
fn title_subject(state: &State) -> String {
    if state.gallery.is_open {
        return tr!("Gallery").into();
    }
    if state.bench.is_open {
        return tr!("Speed of this device").into();
    }
    if let Some(Ok(story)) = state.tour.as_ref().and_then(|tour| tour.story.as_ref()) {
        return story.title.clone();
    }
    run_name(&state.player.run.link.spec)
}

/// Returns the name of a run: preset and task, the name of the lab's default run, or task and the first settings that
/// differ from the lab's default.
pub fn run_name(spec: &RunSpec) -> String {
    let lab = spec.task.info();
    if let Some(preset) = find_matching_preset(spec) {
        return format!("{} · {}", translated(preset.name), translated(lab.name));
    }
    if let Some(name) = default_run_name(spec) {
        return name;
    }
    let usual = RunSpec::default_of_lab(lab.slug).unwrap_or_default();
    let all = spec.list_differences(&usual);
    let some = all.iter().filter(|(.., value)| !value.is_empty()).take(MAX_SETTINGS);
    let mut words = vec![translated(lab.name).to_string()];
    words.extend(some.map(|(key, _, value)| format_setting(spec, key, value)));
    if all.len() > MAX_SETTINGS {
        words.push("…".into());
    }
    words.join(", ")
}
