//! The gallery: every story and every preset as a card with its recorded curve, and what of it is shown.
//!
//! # Why
//! Cards are markup, as [`super::tour`] has it for stories: a hundred of them as components would make the program
//! larger for a view that few visits open. They are links, so that the browser opens them in a tab of their own, keeps
//! them in its history and goes back. The run goes on beneath.

#[cfg(test)]
pub(crate) mod tests;

pub mod place;
pub mod update;

use std::sync::Arc;

use super::html::Html;
use vivarium_core::language::translated;
use vivarium_labs::{PRESETS, stories};
use vivarium_model::chart::Chart;
use vivarium_model::tasks::Task;
use vivarium_plot::analysis::Role;
use vivarium_view::display::words::{decimal, thousands};
use vivarium_view::presets::recorded::{Recorded, Time, role_name};
use vivarium_view::presets::{Preset, PresetGroup};

/// The fragment that opens it.
pub const FRAGMENT: &str = "#gallery";

/// The topic of the stories.
const STORY_TOPIC: &str = "stories";

/// What is shown of the gallery.
#[derive(Debug, Clone, Default)]
pub struct Gallery {
    /// Whether it stands in place of the run.
    pub is_open: bool,
    /// Counts changes of what is shown.
    pub version: u64,
    /// Which cards are wanted.
    pub filter: Filter,
    /// The recorded curves once they are there, or why they are not.
    pub recorded: Option<Result<Arc<Vec<Recorded>>, String>>,
}

/// Which cards are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Words that a card must have, all of them.
    pub words: String,
    /// `lab.<slug>` of a lab, slug of a group of presets, or that of the stories; empty takes all.
    pub topic: String,
    /// Slug of the longest time that is wanted; empty takes all.
    pub time: String,
}

/// What a person does there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GalleryAction {
    /// The file of recorded curves has come, or why it has not.
    Fetched(Result<String, String>),
    /// Fills in a field of the filter, by its name.
    Filter(String, String),
    /// Goes back to the run.
    Close,
}

impl Filter {
    fn has(&self, texts: &[&str]) -> bool {
        let text = texts.join(" ").to_lowercase();
        self.words.to_lowercase().split_whitespace().all(|word| text.contains(word))
    }

    fn has_time(&self, time: Option<Time>) -> bool {
        match Time::ALL.iter().find(|limit| limit.slug() == self.time) {
            None => true,
            Some(limit) => time.is_some_and(|time| time as usize <= *limit as usize),
        }
    }

    /// Whether a preset of this lab, which takes this long, is wanted.
    fn takes(&self, preset: &Preset, lab: &str, time: Option<Time>) -> bool {
        let of_topic = match self.topic.strip_prefix("lab.") {
            Some(slug) => slug == lab_of(preset),
            None => self.topic.is_empty() || self.topic == preset.group.slug,
        };
        of_topic
            && self.has_time(time)
            && self.has(&[preset.name, preset.claim, preset.source, label(preset.group), lab].map(translated))
    }
}

/// The lab that a preset belongs to, which its link begins with.
fn lab_of(preset: &Preset) -> &'static str {
    let lab = preset.link.trim_start_matches("#v1/");
    lab.split('?').next().unwrap_or(lab)
}

fn label(group: &PresetGroup) -> &'static str {
    translated(group.name)
}

/// The labs with their names, and of each the groups of presets that belong to it.
fn topics() -> impl Iterator<Item = (&'static str, &'static str, Vec<&'static PresetGroup>)> {
    Task::ENTRIES.iter().map(|entry| {
        let slug = entry.info.slug;
        let mut groups: Vec<&PresetGroup> =
            PRESETS.iter().filter(|preset| lab_of(preset) == slug).map(|preset| preset.group).collect();
        groups.dedup();
        (slug, translated(entry.info.name), groups)
    })
}

impl Gallery {
    fn of(&self, slug: &str) -> Option<&Recorded> {
        self.recorded.as_ref()?.as_ref().ok()?.iter().find(|one| one.slug == slug)
    }

    /// Its heading and the filter, as markup; fields carry their names as `data-filter`.
    pub fn head(&self) -> String {
        let mut out = Html::default();
        out.mixed(&[
            "<div class=\"gallery__top\"><h2 class=\"gallery__title\" tabindex=\"-1\">",
            tr!("Gallery"),
            "</h2><button class=\"button\" type=\"button\" data-press=\"close\" data-testid=\"gallery-close\">",
            tr!("Back to the run"),
            "</button></div><p class=\"gallery__about\">",
            tr!(
                "Each experiment is shown with a curve of a run that was recorded on one processor core, and with the time \
                 that the run takes on one core. When you open an experiment, this page trains its network from the first step. In \
                 curves of loss and accuracy, orange stands for held-out examples and blue for training examples."),
            "</p><div class=\"gallery__filter\" role=\"search\" aria-label=\"",
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
        for (slug, name, groups) in topics() {
            out.option(&format!("lab.{slug}"), name, &self.filter.topic);
            for group in groups {
                out.option(group.slug, &format!("– {}", label(group)), &self.filter.topic);
            }
        }
        out.mixed(&[
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

    /// The wanted cards, as markup.
    pub fn cards(&self) -> String {
        let (mut out, mut shown) = (Html::default(), 0);
        let all = PRESETS.len() + stories().count();
        let filter = &self.filter;
        let wanted = |story: &&vivarium_labs::story::About| {
            (filter.topic.is_empty() || filter.topic == STORY_TOPIC)
                && filter.has_time(Some(Time::Minutes))
                && filter.has(&[story.title, story.about, tr!("Story")].map(translated))
        };
        let stories: Vec<_> = stories().filter(wanted).collect();
        if !stories.is_empty() {
            out.mixed(&[
                "<section class=\"gallery__lab\"><h3>",
                tr!("Stories"),
                "</h3><ul class=\"exhibits\">",
            ]);
            for story in &stories {
                let link = format!("#story/{}", story.slug);
                let foot = tr!("Story, {minutes} minutes", minutes = story.minutes);
                self.card(
                    &mut out,
                    [&link, translated(story.title), translated(story.about), "", &foot],
                    story.curve,
                    false,
                );
            }
            out.raw("</ul></section>");
            shown += stories.len();
        }
        for (slug, name, groups) in topics() {
            let time = |preset: &Preset| self.of(preset.slug).map(|one| one.time);
            let of_lab: Vec<&Preset> = PRESETS
                .iter()
                .filter(|preset| lab_of(preset) == slug && filter.takes(preset, name, time(preset)))
                .collect();
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
                out.text(label(group));
                out.raw("</h4><ul class=\"exhibits\">");
                for preset in of_group {
                    let foot = time(preset).map_or("", Time::label);
                    let [name, claim, foot] = [preset.name, preset.claim, foot].map(translated);
                    let words = [preset.link, name, claim, preset.source, foot];
                    self.card(&mut out, words, preset.slug, true);
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
        head.raw("<p class=\"gallery__count\" role=\"status\" data-testid=\"gallery-count\">");
        head.text(&count);
        head.raw("</p>");
        head.0 + &out.0
    }

    /// A card: link, name, claim, source and what stands below, with the recorded curve of preset `of`.
    fn card(&self, out: &mut Html, words: [&str; 5], of: &str, whole: bool) {
        let [link, name, claim, source, foot] = words;
        out.raw("<li class=\"exhibit\"><a class=\"exhibit__name\" data-testid=\"card-");
        out.raw(link.strip_prefix("#story/").unwrap_or(of));
        out.raw("\" href=\"");
        out.text(link);
        out.raw("\">");
        out.text(name);
        out.raw("</a><div class=\"exhibit__curve\">");
        let recorded = self.of(of);
        match recorded {
            Some(one) if !one.curves.is_empty() => {
                out.raw(&drawing(one));
                out.raw("<span class=\"exhibit__mark\">");
                out.text(&mark(one));
                out.raw("</span>");
            }
            Some(_) => out.mixed(&[
                "<p class=\"exhibit__none\">",
                tr!("No curve: this experiment is too large to be recorded in advance without a GPU."),
                "</p>",
            ]),
            None => {}
        }
        out.raw("</div><p class=\"exhibit__claim\">");
        out.text(claim);
        out.raw("</p><p class=\"exhibit__foot\"><cite>");
        out.text(source);
        out.raw("</cite><span>");
        out.text(foot);
        if let Some(one) = recorded.filter(|one| whole && !one.curves.is_empty() && !one.is_whole()) {
            let what = if one.link.contains("sweep=") { tr!("run") } else { tr!("step") };
            out.text(&tr!(
                ", recorded up to {axis} {reached} of {end}",
                axis = what,
                reached = thousands(one.reached),
                end = thousands(one.of)
            ));
        }
        out.raw("</span></p></li>");
    }
}

/// What stands in the corner of a curve.
fn mark(one: &Recorded) -> String {
    let chart = Chart::ALL.iter().find(|chart| chart.slug() == one.chart);
    tr!("{word}, recorded", word = chart.map_or("", |chart| chart.info().word))
}

/// Width and height of the drawing in its own units.
const SIZE: (f32, f32) = (600.0, 160.0);
/// Room between curves and edges.
const ROOM: f32 = 8.0;

/// The recorded curves as an SVG element, which says in words what is seen. Its colours are the style sheet's.
pub fn drawing(one: &Recorded) -> String {
    let place = |v: f32, axis: usize| match one.log[axis] {
        // Step 0 is drawn where step 1 is.
        true => libm::logf(if axis == 0 { v.max(1.0) } else { v }),
        false => v,
    };
    let xs = one.curves.iter().flat_map(|curve| &curve.x).map(|x| place(*x, 0));
    let heights = one.lines.iter().map(|(height, _)| height);
    let ys = one.curves.iter().flat_map(|curve| &curve.y).chain(heights).map(|y| place(*y, 1));
    let (x, y) = (Span::of(xs), Span::of(ys));
    let column = |v: f32| ROOM + (SIZE.0 - 2.0 * ROOM) * x.share(place(v, 0));
    let row = |v: f32| SIZE.1 - ROOM - (SIZE.1 - 2.0 * ROOM) * y.share(place(v, 1));
    let mut out = Html::default();
    out.raw("<svg class=\"curve\" viewBox=\"0 0 600 160\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"");
    out.text(&words(one));
    out.raw("\">");
    for (height, _) in &one.lines {
        out.raw(&format!("<path class=\"curve__line\" d=\"M0 {}H600\"/>", row(*height) as i32));
    }
    // What it is about is drawn last, over the rest.
    let of = |role: Role| one.curves.iter().filter(move |curve| curve.role == role);
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

/// What is seen, for those who do not see it.
fn words(one: &Recorded) -> String {
    let chart = Chart::ALL.iter().find(|chart| chart.slug() == one.chart);
    let name = chart.map_or(tr!("Curve"), |chart| chart.info().name);
    let told = one.curves.iter().find(|curve| curve.role == Role::Test).or(one.curves.first());
    let ends = told.and_then(|curve| Some((curve.y.first()?, curve.y.last()?)));
    let (from, to) = ends.map_or((f32::NAN, f32::NAN), |(from, to)| (*from, *to));
    tr!(
        "{name}, recorded: {from} at the first point, {to} at the last point",
        name,
        from = decimal(from),
        to = decimal(to)
    )
}

/// A range of places.
struct Span(f32, f32);

impl Span {
    fn of(places: impl Iterator<Item = f32>) -> Span {
        let (low, high) = places.fold((f32::MAX, f32::MIN), |(low, high), v| (low.min(v), high.max(v)));
        Span(low, high)
    }

    /// Where `v` lies in it, from 0 to 1; in the middle where there is no range.
    fn share(&self, v: f32) -> f32 {
        let width = self.1 - self.0;
        if width > 1e-6 * self.1.abs().max(1e-12) { (v - self.0) / width } else { 0.5 }
    }
}

/// Stories, and the way to the gallery, for the foot of the page, as markup.
pub fn strip() -> String {
    let mut out = Html::default();
    out.mixed(&["<h2>", tr!("Stories and experiments"), "</h2><ul class=\"more__cards\">"]);
    for story in stories() {
        out.raw("<li><a class=\"more__card\" href=\"#story/");
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
    out.raw("<li><a class=\"more__card more__card--all\" data-testid=\"strip-gallery\" href=\"#gallery\"><strong>");
    out.text(&tr!("All {many} experiments", many = PRESETS.len()));
    out.mixed(&[
        "</strong><span>",
        tr!("The gallery shows the result of each experiment and the time that the experiment takes."),
        "</span></a></li></ul>",
    ]);
    out.0
}
