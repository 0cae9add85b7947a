//! The dialog that makes a sweep: what is chosen in it, and the link that comes of it.
//!
//! # Why
//! As in [`crate::share::teaching`], fields are text by name, and what they come to is decided here, where it can be tested.

use vivarium_core::language::{escaped, translated};
use vivarium_core::settings::{Axis, Range, Spread};
use vivarium_model::chart;
use vivarium_model::chart::Chart;
use vivarium_model::models::Model;
use vivarium_model::optim::Optimizer;
use vivarium_model::permalink::Link;
use vivarium_model::run::cells::{FIXED, MOST_CELLS, count as runs, seconds};
use vivarium_model::run::time::duration;
use vivarium_model::run::{MODEL_KEY, OPTIMIZER_KEY, RunSpec};
use vivarium_view::display::words::{count, label, thousands};

/// Networks of each run that are proposed where a run has one.
const SEEDS: usize = 10;

/// What is chosen for one of the two settings. Every field is what its control holds.
#[derive(Debug, Clone, Default)]
pub struct Way {
    /// The setting's key; none for the second means that there is none.
    pub key: String,
    /// "lin", "log" or "list".
    pub mode: String,
    /// First number.
    pub from: String,
    /// Last number.
    pub to: String,
    /// How many numbers.
    pub many: String,
    /// Numbers one by one, or the chosen words.
    pub list: String,
}

/// What is chosen.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// The sweep's setting, and the second one.
    pub ways: [Way; 2],
    /// Networks of each run.
    pub seeds: String,
}

/// Settings that a sweep can go through, each with its words.
fn settings(spec: &RunSpec) -> Vec<(String, String)> {
    let choosers = [MODEL_KEY, OPTIMIZER_KEY].into_iter();
    let fits = |range: Range| matches!(range, Range::Int(..) | Range::Real(..) | Range::Choice(_));
    let knobs = spec.knobs().into_iter().filter(|(_, knob)| fits(knob.range)).map(|(_, knob)| knob.key);
    let possible = knobs.chain(choosers).filter(|key| !FIXED.contains(key) && *key != "replicas");
    possible.filter(|key| spec.applies(key)).map(|key| (key.to_string(), label(spec, key))).collect()
}

/// The words that the setting behind `key` can be, with their labels; none of numbers.
fn words(spec: &RunSpec, key: &str) -> Vec<(&'static str, &'static str)> {
    match (key, spec.knob(key).map(|knob| knob.range)) {
        (MODEL_KEY, _) => {
            let suit = Model::ENTRIES.iter().filter(|entry| Model::suit(entry.info.slug, &spec.task));
            suit.map(|entry| (entry.info.slug, translated(entry.info.name))).collect()
        }
        (OPTIMIZER_KEY, _) => {
            Optimizer::ENTRIES.iter().map(|e| (e.info.slug, translated(e.info.name))).collect()
        }
        (_, Some(Range::Choice(options))) => options.iter().map(|o| (o.slug, translated(o.label))).collect(),
        _ => vec![],
    }
}

impl Way {
    /// What is proposed for the setting behind `key`: around what it is now, or all its words.
    fn of(spec: &RunSpec, key: &str) -> Way {
        let all: Vec<&str> = words(spec, key).into_iter().map(|(slug, _)| slug).collect();
        let mut way = Way { key: key.into(), list: all.join(" "), many: "5".into(), ..Way::default() };
        way.mode = if all.is_empty() { "lin" } else { "list" }.into();
        let now = spec.value(key).and_then(|value| value.to_string().parse::<f64>().ok());
        let Some((now, range)) = now.zip(spec.knob(key).map(|knob| knob.range)) else { return way };
        let (low, high, least) = match range {
            Range::Int(low, high) => (low as f64, high as f64, 1.0),
            Range::Real(low, high) => (low, high, 0.0),
            _ => return way,
        };
        let (mut from, mut to) = ((now / 2.0).max(low.max(least)), (now * 2.0).min(high));
        if key == "seed" || now == 0.0 {
            (from, to) = (low, if least == 1.0 { low + 4.0 } else { high.min(low + 0.4) });
        } else if least == 0.0 {
            // Rates and decays are looked for over powers of ten.
            (from, to) = ((now / 10.0).max(low), (now * 10.0).min(high));
            way.mode = if from > 0.0 && high > 1.0 { "log" } else { "lin" }.into();
        }
        let text = |number: f64| match least == 1.0 {
            true => format!("{number:.0}"),
            false => vivarium_core::settings::real(format!("{number:.2e}").parse().unwrap_or(number)),
        };
        (way.from, way.to) = (text(from), text(to));
        way
    }

    /// What stands in a link for an axis of `spec`.
    fn of_axis(spec: &RunSpec, axis: &Axis) -> Way {
        let mut way = Way::of(spec, &axis.key);
        let spread = axis.range().and_then(|range| range.split_once(':').map(|(word, _)| word.to_string()));
        way.mode = spread.unwrap_or("list".into());
        way.list = axis.values.join(" ");
        if let (Some(first), Some(last)) = (axis.values.first(), axis.values.last()) {
            (way.from, way.to, way.many) = (first.clone(), last.clone(), axis.values.len().to_string());
        }
        way
    }

    /// As it stands in a link: empty where nothing is chosen.
    fn text(&self) -> String {
        let parts = self.list.split([' ', ',', ';', '_', '\n']).filter(|part| !part.is_empty());
        match self.mode.as_str() {
            _ if self.key.is_empty() => String::new(),
            "list" => format!("{}:{}", self.key, parts.collect::<Vec<_>>().join("_")),
            mode => {
                let [from, to, many] = [&self.from, &self.to, &self.many].map(|text| text.trim());
                format!("{}:{mode}:{from}..{to}:{many}", self.key)
            }
        }
    }

    /// Which field of it is wrong, in words, if the link's reader would only say that the whole is.
    fn flaw(&self, spec: &RunSpec) -> Option<String> {
        let name = || label(spec, &self.key);
        if self.key.is_empty() {
            return None;
        }
        if self.mode == "list" {
            let is_empty = self.list.trim().is_empty();
            return is_empty.then(|| tr!("{name}: give at least one value.", name = name()));
        }
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite());
        let (from, to) = (number(&self.from), number(&self.to));
        let many = self.many.trim().parse::<usize>().ok().filter(|many| (2..=1000).contains(many));
        match (from, to, many) {
            (None, ..) | (_, None, _) => Some(tr!("{name}: “From” and “To” must be numbers.", name = name())),
            (.., None) => Some(tr!("{name}: choose 2 to 1,000 values.", name = name())),
            (Some(from), Some(to), _) if self.mode == "log" && (from <= 0.0 || to <= 0.0) => {
                Some(tr!("{name}: logarithmic spacing needs numbers above 0.", name = name()))
            }
            _ => None,
        }
    }
}

impl Choice {
    /// What is proposed: the sweep of `spec`, or one over the first number of its task.
    pub fn of(spec: &RunSpec) -> Choice {
        let first = settings(spec).into_iter().find(|(key, _)| words(spec, key).is_empty());
        let (sweep, series) = (&spec.run.sweep, &spec.run.series);
        let way = |axis: &Axis, key: &str| match axis.is_empty() {
            false => Way::of_axis(spec, axis),
            true if key.is_empty() => Way { mode: "lin".into(), ..Way::default() },
            true => Way::of(spec, key),
        };
        let seeds = if spec.run.replicas > 1 { spec.run.replicas } else { SEEDS };
        Choice {
            ways: [way(sweep, &first.map(|(key, _)| key).unwrap_or_default()), way(series, "")],
            seeds: seeds.to_string(),
        }
    }

    /// Takes the value of a field: its name, and behind a dot of which setting, from 0. A word's name is `word`, and its
    /// value stands for whether it is chosen. Which setting that was, and whether it is another one now.
    pub fn take(&mut self, spec: &RunSpec, field: &str, value: &str, is_on: bool) -> Option<(usize, bool)> {
        let Some((field, at)) = field.split_once('.') else {
            self.seeds = value.into();
            return None;
        };
        let at: usize = at.parse().ok()?;
        let way = self.ways.get_mut(at)?;
        match field {
            "key" => *way = Way::of(spec, value),
            "mode" => way.mode = value.into(),
            "from" => way.from = value.into(),
            "to" => way.to = value.into(),
            "many" => way.many = value.into(),
            "list" => way.list = value.into(),
            "word" => {
                // In the order of the form, whatever the order of the clicks.
                let is_chosen = |slug: &str| match slug == value {
                    true => is_on,
                    false => way.list.split(' ').any(|other| other == slug),
                };
                let all = words(spec, &way.key).into_iter().map(|(slug, _)| slug);
                let chosen: Vec<&str> = all.filter(|slug| is_chosen(slug)).collect();
                way.list = chosen.join(" ");
            }
            _ => {}
        }
        Some((at, field == "key"))
    }

    /// Whether a word of a setting is chosen.
    fn has(&self, at: usize, slug: &str) -> bool {
        self.ways[at].list.split(' ').any(|other| other == slug)
    }

    /// The sweep's link.
    ///
    /// # Errors
    /// A sentence that says what is wrong, or that these are too many runs, how long they would take, and what can be
    /// done.
    pub fn link(&self, link: &Link) -> Result<Link, String> {
        let mut link = link.clone();
        let spec = &mut link.spec;
        (spec.run.sweep, spec.run.series) = (Axis::default(), Axis::default());
        spec.run.schedule.clear();
        if let Some(flaw) = self.ways.iter().find_map(|way| way.flaw(spec)) {
            return Err(flaw);
        }
        let told = |problem: vivarium_core::settings::Problem| {
            let name = match problem.key.as_str() {
                "sweep" => label(&link.spec, &self.ways[0].key),
                "series" => label(&link.spec, &self.ways[1].key),
                key => label(&link.spec, key),
            };
            // The runs' own sentence stands at the end of the sweep's.
            let expected = problem.expected.rsplit("; ").next().unwrap_or_default();
            tr!("{name}: expected {expected}.", name, expected = expected.trim_end_matches('.'))
        };
        let mut spec = link.spec.clone();
        let read = spec
            .parse("replicas", self.seeds.trim())
            .and_then(|()| spec.parse("sweep", &self.ways[0].text()))
            .and_then(|()| spec.parse("series", &self.ways[1].text()));
        read.map_err(told)?;
        if runs(&spec) > MOST_CELLS {
            return Err(tr!(
                "{runs} are too many: the page trains at most {most} runs. Together these runs would take up to {time} on one \
                 core. Choose fewer values, or train the runs in a terminal: lab sweep '{link}'",
                runs = count(runs(&spec), "run"),
                most = thousands(MOST_CELLS as u64),
                time = duration(seconds(&spec)),
                link = vivarium_model::permalink::encode(&Link { spec, ..link.clone() })
            ));
        }
        if let Some(problem) = spec.problems().into_iter().next() {
            return Err(told(problem));
        }
        link.spec = spec;
        link.view.speed = 0;
        // Two settings have the map; of one, the curve says more.
        // Where each network has rows of its own to be tested on, it is compared by what it comes to there.
        let curve = if link.spec.task.examples().splits() { chart::ENDS } else { chart::SWEEP };
        let has_curve = link.view.show.contains(&curve);
        if link.spec.run.series.is_empty() && !has_curve {
            link.view.show.push(curve);
            let shown = &link.view.show;
            link.view.show = Chart::ALL.iter().copied().filter(|chart| shown.contains(chart)).collect();
        }
        Ok(link.without("at"))
    }

    /// How many runs they are and how long they take at most; `flops` is what the device has shown that it can do in a
    /// second, if it has.
    pub fn estimate(link: &Link, flops: Option<f64>) -> String {
        let spec = &link.spec;
        let own = spec.run.steps as f64 * spec.step_flops();
        let share = match flops {
            // As many times as long as one core's as the device is slower than that.
            Some(flops) if flops > 0.0 => {
                own / flops / vivarium_model::run::time::seconds_of_one(spec).max(1e-9)
            }
            _ => 1.0,
        };
        let networks = count(spec.run.replicas, "network");
        tr!(
            "{runs} of {networks} each; the whole sweep takes at most about {time}. If the setting “End of the run” is “When the target is reached”, each run ends as soon as all its networks have reached the target.",
            runs = count(runs(spec), "run"),
            networks,
            time = duration(share * seconds(spec))
        )
    }
}

/// The options of a choice as markup.
pub fn options<'a>(of: impl IntoIterator<Item = (&'a str, &'a str)>, chosen: &str) -> String {
    let mut out = String::new();
    for (value, word) in of {
        let selected = if value == chosen { "\" selected>" } else { "\">" };
        for part in ["<option value=\"", &escaped(value), selected, &escaped(word), "</option>"] {
            out.push_str(part);
        }
    }
    out
}

impl Choice {
    /// The form's fields as markup, with the names that [`Choice::take`] takes.
    pub fn markup(&self, spec: &RunSpec) -> String {
        let all = settings(spec);
        let mut out = String::new();
        for (at, title) in [tr!("First setting"), tr!("Second setting")].into_iter().enumerate() {
            let none = (at > 0).then_some(("", tr!("None")));
            let all = all.iter().map(|(key, label)| (key.as_str(), label.as_str()));
            let keys = options(none.into_iter().chain(all), &self.ways[at].key);
            out += &format!(
                "<fieldset class=\"way\" id=\"way-{at}\" data-kind=\"{}\"><legend>{title}</legend><label \
                 class=\"wish\"><span>{setting}</span><select name=\"key.{at}\" data-testid=\"sweep-key-{at}\">{keys}\
                 </select></label><div class=\"way__values\" id=\"values-{at}\">{}</div></fieldset>",
                self.kind(spec, at),
                self.values(spec, at),
                title = escaped(title),
                setting = escaped(tr!("Setting")),
            );
        }
        out + &box_of("", "seeds", tr!("Seeds per run"), &self.seeds)
    }

    /// Of which kind the values of a setting are, which decides what of its fields is shown.
    pub fn kind(&self, spec: &RunSpec, at: usize) -> &'static str {
        let way = &self.ways[at];
        match words(spec, &way.key).is_empty() {
            _ if way.key.is_empty() => "none",
            false => "words",
            true if way.mode == "list" => "list",
            true => "range",
        }
    }

    /// The fields that hold the values of a setting, as markup.
    pub fn values(&self, spec: &RunSpec, at: usize) -> String {
        let way = &self.ways[at];
        let [even, ratio] = Spread::ALL.map(|(_, word)| word);
        let modes = [
            (even, tr!("evenly spaced")),
            (ratio, tr!("logarithmically spaced")),
            ("list", tr!("listed one by one")),
        ];
        let mut out = format!(
            "<label class=\"wish wish--mode\"><span>{values}</span><select name=\"mode.{at}\" \
             data-testid=\"sweep-mode-{at}\">{}</select></label>",
            options(modes, &way.mode),
            values = escaped(tr!("Values")),
        );
        let fields = [
            ("from", tr!("From"), &way.from),
            ("to", tr!("To"), &way.to),
            ("many", tr!("Number of values"), &way.many),
        ];
        for (name, word, text) in fields {
            out += &box_of("wish--range", &format!("{name}.{at}"), word, text);
        }
        out += &box_of("wish--list", &format!("list.{at}"), tr!("Numbers"), &way.list);
        out += "<div class=\"way__words\">";
        for (slug, label) in words(spec, &way.key) {
            let checked = if self.has(at, slug) { "checked" } else { "" };
            out += &format!(
                "<label><input type=\"checkbox\" name=\"word.{at}\" value=\"{slug}\" {checked}/> {label}</label>",
                label = escaped(label)
            );
        }
        out + "</div>"
    }
}

/// A box with its label.
fn box_of(class: &str, name: &str, word: &str, text: &str) -> String {
    let (testid, word, text) = (name.replace('.', "-"), escaped(word), escaped(text));
    format!(
        "<label class=\"wish {class}\"><span>{word}</span><input name=\"{name}\" value=\"{text}\" \
         autocomplete=\"off\" spellcheck=\"false\" data-testid=\"sweep-{testid}\"></label>"
    )
}
