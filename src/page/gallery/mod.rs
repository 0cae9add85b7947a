//! The gallery: a moving picture of each lab, every story and every preset as a card with its recorded curve, and the
//! filter of the cards.
//!
//! # Why
//! Cards are HTML strings, as stories are ([`super::tour`]): a hundred components would make the program larger for a
//! view that few visits open. They are links, so that the browser can open them in a new tab and keeps them in its
//! history. The run goes on meanwhile.

#[cfg(test)]
pub(crate) mod tests;

pub mod place;
pub mod recording;
pub mod tiles;
pub mod update;

use std::sync::Arc;

use super::html::Html;
use vivarium_core::language::translated;
use vivarium_labs::{PRESETS, find_preset, stories};
use vivarium_model::chart::Chart;
use vivarium_model::tasks::Task;
use vivarium_plot::analysis::Role;
use vivarium_view::display::words::{format_decimal, format_thousands};
use vivarium_view::presets::recorded::{DurationClass, PresetRecording, role_name};
use vivarium_view::presets::{Preset, PresetGroup};

/// Fragment of the address that opens the gallery.
pub const FRAGMENT: &str = "#gallery";

/// Value of the gallery's topic filter that selects the stories.
const STORY_TOPIC: &str = "stories";

/// State of the gallery: filter and recorded curves.
#[derive(Debug, Clone, Default)]
pub struct Gallery {
    /// Whether the gallery is shown in place of the run.
    pub is_open: bool,
    /// Number of changes of the gallery's content so far; its HTML is rebuilt when the number changes.
    pub version: u64,
    /// Filter of the gallery, which selects the shown cards.
    pub filter: CardFilter,
    /// Recorded training curves of the presets, or why they could not be loaded; None until then.
    pub recorded: Option<Result<Arc<Vec<PresetRecording>>, String>>,
}

/// Filter of the gallery: conditions that a card must satisfy to be shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CardFilter {
    /// Words, separated by spaces, that the card's texts must contain; upper and lower case are the same.
    pub words: String,
    /// Topic of the card: `lab.<slug>` of a lab, slug of a group of presets, or `stories`; empty accepts all.
    pub topic: String,
    /// Slug of the duration class that a card's training time must not exceed; empty accepts all.
    pub time: String,
}

/// An action in the gallery, such as a change of the filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GalleryAction {
    /// The file of recorded curves was fetched, or could not be.
    Fetched(Result<String, String>),
    /// Set the field of the filter with this name (first) to this value.
    Filter(String, String),
    /// Close the gallery and show the run.
    Close,
}

/// Words for which people search, in lower case, each with the words of the same meaning that the texts of cards use.
const SYNONYMS: &[(&str, &[&str])] = &[
    ("grokking", &["memoris"]),
    ("xor", &["parity"]),
    ("icl", &["in context"]),
    ("in-context", &["in context"]),
    ("mlp", &["neurons", "hidden layer"]),
    ("transformer", &["attention"]),
    ("csv", &["table"]),
    ("modular", &["modulo"]),
    ("clock", &["addition modulo", "frequency"]),
    ("fourier", &["frequency", "spectrum"]),
    ("backpropagation", &["gradient"]),
    ("automaton", &["machine"]),
    ("logic", &["boolean", "circuit"]),
];

impl CardFilter {
    /// Whether the texts of a card contain all words of the filter, each itself or by one of its [`SYNONYMS`].
    fn matches_words(&self, texts: &[&str]) -> bool {
        let text = texts.join(" ").to_lowercase();
        let has_synonym = |word: &str| {
            let mut others =
                SYNONYMS.iter().filter(|(name, _)| *name == word).flat_map(|(_, others)| *others);
            others.any(|other| text.contains(other))
        };
        self.words.to_lowercase().split_whitespace().all(|word| text.contains(word) || has_synonym(word))
    }

    /// Whether a training time is within the limit of the filter; an unknown time (None) is not, unless there is no
    /// limit.
    fn matches_time(&self, time: Option<DurationClass>) -> bool {
        match DurationClass::ALL.iter().find(|limit| limit.slug() == self.time) {
            None => true,
            Some(limit) => time.is_some_and(|time| time as usize <= *limit as usize),
        }
    }

    /// Whether the filter accepts the card of a preset; `lab` is the name of its lab, `time` its training time.
    fn matches(&self, preset: &Preset, lab: &str, time: Option<DurationClass>) -> bool {
        let of_topic = match self.topic.strip_prefix("lab.") {
            Some(slug) => slug == lab_slug(preset),
            None => self.topic.is_empty() || self.topic == preset.group.slug,
        };
        of_topic
            && self.matches_time(time)
            && self.matches_words(
                &[preset.name, preset.claim, preset.source, group_label(preset.group), lab].map(translated),
            )
    }
}

/// Returns the slug of the lab to which a preset belongs.
fn lab_slug(preset: &Preset) -> &'static str {
    let lab = preset.link.trim_start_matches("#v1/");
    lab.split('?').next().unwrap_or(lab)
}

/// The first sentence of a text.
fn first_sentence(text: &str) -> &str {
    text.find(". ").and_then(|end| text.get(..=end)).unwrap_or(text)
}

/// Returns the translated name of a group of presets.
fn group_label(group: &PresetGroup) -> &'static str {
    translated(group.name)
}

/// Iterates over the labs in the order of the catalogue of tasks: (slug of the lab, name of the lab, groups of its
/// presets).
fn labs_with_groups() -> impl Iterator<Item = (&'static str, &'static str, Vec<&'static PresetGroup>)> {
    Task::ENTRIES.iter().map(|entry| {
        let slug = entry.info.slug;
        let mut groups: Vec<&PresetGroup> =
            PRESETS.iter().filter(|preset| lab_slug(preset) == slug).map(|preset| preset.group).collect();
        groups.dedup();
        (slug, translated(entry.info.name), groups)
    })
}

impl Gallery {
    /// Returns the recorded curves of the preset with this slug.
    fn recorded_curves(&self, slug: &str) -> Option<&PresetRecording> {
        self.recorded.as_ref()?.as_ref().ok()?.iter().find(|one| one.slug == slug)
    }

    /// Returns the training time of a preset; None before the recorded curves are loaded.
    fn recorded_time(&self, preset: &Preset) -> Option<DurationClass> {
        self.recorded_curves(preset.slug).map(|one| one.time)
    }

    /// Returns the presets of a lab whose cards match the filter; `name` is the translated name of the lab.
    fn matching_presets(&self, slug: &str, name: &str) -> Vec<&'static Preset> {
        let matches = |preset: &Preset| self.filter.matches(preset, name, self.recorded_time(preset));
        PRESETS.iter().filter(|preset| lab_slug(preset) == slug && matches(preset)).collect()
    }

    /// Returns heading and filter as HTML; fields carry their names as `data-filter`.
    pub fn heading_html(&self) -> String {
        let mut out = Html::default();
        out.alternate(&[
            "<div class=\"gallery__top\"><h2 class=\"gallery__title\" tabindex=\"-1\">",
            tr!("Gallery"),
            "</h2><button class=\"button\" type=\"button\" data-press=\"close\" data-testid=\"gallery-close\">",
            tr!("Back to the run"),
            "</button></div><div class=\"gallery__filter\" role=\"search\" aria-label=\"",
            tr!("Filter"),
            "\"><label>",
            tr!("Search"),
            "<input type=\"search\" data-filter=\"words\" data-testid=\"filter-words\" value=\"",
            &self.filter.words,
            "\"></label><label>",
            tr!("Topic"),
            "<select data-filter=\"topic\" data-testid=\"filter-topic\">",
        ]);
        out.option("", tr!("All topics"), &self.filter.topic);
        out.option(STORY_TOPIC, tr!("Stories"), &self.filter.topic);
        for (slug, name, groups) in labs_with_groups() {
            out.option(&format!("lab.{slug}"), name, &self.filter.topic);
            for group in groups {
                out.option(group.slug, &format!("– {}", group_label(group)), &self.filter.topic);
            }
        }
        out.alternate(&[
            "</select></label><label>",
            tr!("Time"),
            "<select data-filter=\"time\" data-testid=\"filter-time\">",
        ]);
        for (slug, words) in [
            ("", tr!("Any time")),
            ("seconds", tr!("Seconds")),
            ("minute", tr!("Up to a minute")),
            ("minutes", tr!("Up to half an hour")),
        ] {
            out.option(slug, words, &self.filter.time);
        }
        out.raw("</select></label></div>");
        out.0
    }

    /// Returns the cards of presets and stories that match the filter as HTML.
    pub fn cards_html(&self) -> String {
        let (mut out, mut shown) = (Html::default(), 0);
        let all = PRESETS.len() + stories().count();
        let filter = &self.filter;
        let wanted = |story: &&vivarium_labs::story::StoryEntry| {
            (filter.topic.is_empty() || filter.topic == STORY_TOPIC)
                && filter.matches_time(Some(DurationClass::Minutes))
                && {
                    // The story is about the run whose curve stands on its card.
                    let preset = find_preset(story.curve);
                    let [name, claim] = preset.map_or(["", ""], |preset| [preset.name, preset.claim]);
                    filter
                        .matches_words(&[story.title, story.about, tr!("Story"), name, claim].map(translated))
                }
        };
        let stories: Vec<_> = stories().filter(wanted).collect();
        if !stories.is_empty() {
            out.alternate(&[
                "<section class=\"gallery__lab\"><h3>",
                tr!("Stories"),
                "</h3><ul class=\"gallery-card-list\">",
            ]);
            for story in &stories {
                let link = format!("#story/{}", story.slug);
                let foot = tr!("Story, {minutes} minutes", minutes = story.minutes);
                self.write_card(
                    &mut out,
                    [&link, translated(story.title), translated(story.about), "", &foot],
                    story.curve,
                    false,
                );
            }
            out.raw("</ul></section>");
            shown += stories.len();
        }
        for (slug, name, groups) in labs_with_groups() {
            let of_lab = self.matching_presets(slug, name);
            if of_lab.is_empty() {
                continue;
            }
            out.raw("<section class=\"gallery__lab\"><h3>");
            out.text(name);
            out.raw("</h3>");
            for group in groups {
                let of_group = of_lab.iter().filter(|preset| preset.group == group);
                if of_group.clone().next().is_none() {
                    continue;
                }
                out.raw("<h4>");
                out.text(group_label(group));
                out.raw("</h4><ul class=\"gallery-card-list\">");
                for preset in of_group {
                    let foot = self.recorded_time(preset).map_or("", DurationClass::label);
                    let [name, claim, foot] = [preset.name, preset.claim, foot].map(translated);
                    let words = [preset.link, name, claim, preset.source, foot];
                    self.write_card(&mut out, words, preset.slug, true);
                }
                out.raw("</ul>");
            }
            out.raw("</section>");
            shown += of_lab.len();
        }
        let why = match &self.recorded {
            Some(Err(why)) => tr!(" The recorded curves are missing: {why}. The links still work.", why),
            _ => String::new(),
        };
        let count = match shown {
            0 => {
                tr!("No experiment or story matches. Remove a word, or choose another topic or time.").into()
            }
            _ => tr!("{shown} of {all} experiments and stories are shown.{why}", shown, all, why),
        };
        let mut head = Html::default();
        head.alternate(&[
            "<p class=\"gallery__about\">",
            tr!(
                "Each experiment is shown with a curve of a run that was recorded on one processor core, and with the time \
                 that the run takes on one core. When you open an experiment, this page trains its network from the first step. In \
                 curves of loss and accuracy, orange stands for held-out examples and blue for training examples."),
            "</p>",
        ]);
        head.raw("<p class=\"gallery__count\" role=\"status\" data-testid=\"gallery-count\">");
        head.text(&count);
        head.raw("</p>");
        head.0 + &out.0
    }

    /// Appends a card of the gallery. `texts` are link, name, claim, source and footer; `slug` is the preset whose
    /// recorded curve is shown; `shows_length` adds how many steps or runs are recorded.
    fn write_card(&self, out: &mut Html, texts: [&str; 5], slug: &str, shows_length: bool) {
        let [link, name, claim, source, foot] = texts;
        out.raw("<li class=\"gallery-card\"><a class=\"gallery-card__name\" data-testid=\"card-");
        out.raw(link.strip_prefix("#story/").unwrap_or(slug));
        out.raw("\" href=\"");
        out.text(link);
        out.raw("\">");
        out.text(name);
        out.raw("</a><div class=\"gallery-card__curve\">");
        let recorded = self.recorded_curves(slug);
        match recorded {
            Some(one) if !one.curves.is_empty() => {
                out.raw(&curves_svg(one));
                out.raw("<span class=\"gallery-card__chart\">");
                out.text(&corner_note(one));
                out.raw("</span>");
            }
            Some(_) => out.alternate(&[
                "<p class=\"gallery-card__no-curve\">",
                tr!("No curve: this experiment is too large to be recorded in advance without a GPU."),
                "</p>",
            ]),
            None => {}
        }
        out.raw("</div><p class=\"gallery-card__claim\">");
        out.text(claim);
        out.raw("</p><p class=\"gallery-card__footer\"><cite>");
        out.text(source);
        out.raw("</cite><span>");
        out.text(foot);
        if let Some(one) = recorded.filter(|one| shows_length && !one.curves.is_empty() && !one.is_complete())
        {
            let what = if one.link.contains("sweep=") { tr!("run") } else { tr!("step") };
            out.text(&tr!(
                ", recorded up to {axis} {reached} of {end}",
                axis = what,
                reached = format_thousands(one.recorded_until),
                end = format_thousands(one.run_length)
            ));
        }
        out.raw("</span></p></li>");
    }
}

/// Returns the note in the corner of a card's recorded curve: the name of the measured quantity.
fn corner_note(recording: &PresetRecording) -> String {
    let chart = Chart::ALL.iter().find(|chart| chart.slug() == recording.chart);
    tr!("{word}, recorded", word = chart.map_or("", |chart| chart.info().word))
}

/// (width, height) of the SVG of a preset's recorded curves, in units of its view box.
const DRAWING_SIZE: (f32, f32) = (600.0, 160.0);
/// Margin between a preset's recorded curves and the edges of their SVG, in units of its view box.
const DRAWING_MARGIN: f32 = 8.0;

/// Returns the recorded curves as an SVG element with a description; the style sheet sets the colours.
pub fn curves_svg(recording: &PresetRecording) -> String {
    let place = |v: f32, axis: usize| match recording.log[axis] {
        // Step 0 is drawn where step 1 is.
        true => libm::logf(if axis == 0 && v == 0.0 { 1.0 } else { v }),
        false => v,
    };
    let xs = recording.curves.iter().flat_map(|curve| &curve.x).map(|x| place(*x, 0));
    let heights = recording.lines.iter().map(|(height, _)| height);
    let ys = recording.curves.iter().flat_map(|curve| &curve.y).chain(heights).map(|y| place(*y, 1));
    let (x, y) = (ValueRange::of_values(xs), ValueRange::of_values(ys));
    let column = |v: f32| DRAWING_MARGIN + (DRAWING_SIZE.0 - 2.0 * DRAWING_MARGIN) * x.fraction(place(v, 0));
    let row = |v: f32| {
        DRAWING_SIZE.1 - DRAWING_MARGIN - (DRAWING_SIZE.1 - 2.0 * DRAWING_MARGIN) * y.fraction(place(v, 1))
    };
    let mut out = Html::default();
    out.raw("<svg class=\"curve\" viewBox=\"0 0 600 160\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"");
    out.text(&describe_curves(recording));
    out.raw("\">");
    for (height, _) in &recording.lines {
        out.raw(&format!("<path class=\"curve__line\" d=\"M0 {}H600\"/>", row(*height) as i32));
    }
    // The most relevant curve is drawn last, over the rest.
    let of = |role: Role| recording.curves.iter().filter(move |curve| curve.role == role);
    for curve in [Role::Other, Role::Train, Role::Relevant, Role::Test].into_iter().flat_map(of) {
        out.raw(&format!("<polyline class=\"curve__{}\" points=\"", role_name(curve.role)));
        for (x, y) in curve.x.iter().zip(&curve.y) {
            out.raw(&format!("{},{} ", column(*x) as i32, row(*y) as i32));
        }
        out.raw("\"/>");
    }
    out.raw("</svg>");
    out.0
}

/// Describes the first and last point of recorded curves for screen readers.
fn describe_curves(recording: &PresetRecording) -> String {
    let chart = Chart::ALL.iter().find(|chart| chart.slug() == recording.chart);
    let name = chart.map_or(tr!("Curve"), |chart| chart.info().name);
    let curve = recording.curves.iter().find(|curve| curve.role == Role::Test).or(recording.curves.first());
    let ends = curve.and_then(|curve| Some((curve.y.first()?, curve.y.last()?)));
    let (from, to) = ends.map_or((f32::NAN, f32::NAN), |(from, to)| (*from, *to));
    tr!(
        "{name}, recorded: {from} at the first point, {to} at the last point",
        name,
        from = format_decimal(from),
        to = format_decimal(to)
    )
}

/// (smallest, largest) value on one axis, horizontal or vertical, of a preset's recorded curves.
struct ValueRange(f32, f32);

impl ValueRange {
    /// Returns the range of values on an axis of recorded curves.
    fn of_values(values: impl Iterator<Item = f32>) -> ValueRange {
        let (low, high) = values.fold((f32::MAX, f32::MIN), |(low, high), v| (low.min(v), high.max(v)));
        ValueRange(low, high)
    }

    /// Returns the position of `value` in the range, from 0 (smallest) to 1 (largest); 0.5 if the range is a single
    /// value.
    fn fraction(&self, value: f32) -> f32 {
        let width = self.1 - self.0;
        if width > 1e-6 * self.1.abs().max(1e-12) { (value - self.0) / width } else { 0.5 }
    }
}

/// Returns the list of stories, with a link to the gallery, as HTML for the foot of the page.
pub fn stories_html() -> String {
    let mut out = Html::default();
    out.alternate(&["<h2>", tr!("Stories and experiments"), "</h2><ul class=\"teaser__cards\">"]);
    for story in stories() {
        out.raw("<li><a class=\"teaser__card\" href=\"#story/");
        out.raw(story.slug);
        out.raw("\"><strong>");
        out.text(translated(story.title));
        out.raw("</strong><span>");
        out.text(&tr!(
            "{about} Story, {minutes} minutes.",
            about = translated(story.about),
            minutes = story.minutes
        ));
        out.raw("</span></a></li>");
    }
    out.raw("<li><a class=\"teaser__card teaser__card--gallery\" data-testid=\"strip-gallery\" href=\"#gallery\"><strong>");
    out.text(&tr!("All {many} experiments", many = PRESETS.len()));
    out.alternate(&[
        "</strong><span>",
        tr!("The gallery shows the result of each experiment and the time that the experiment takes."),
        "</span></a></li></ul>",
    ]);
    out.0
}
