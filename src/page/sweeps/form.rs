//! The dialog for a sweep: its form, and the link that follows from it.
//!
//! # Why
//! As in [`crate::share::teaching`], fields are texts by name, and their meaning is decided here, where it can be
//! tested.

use vivarium_core::language::{escape_html, translated};
use vivarium_core::settings::entry::{EntryError, normalize_number, parse_whole_entry};
use vivarium_core::settings::{InvalidSetting, Range, Spacing, SweepAxis};
use vivarium_model::chart;
use vivarium_model::chart::Chart;
use vivarium_model::models::Model;
use vivarium_model::optim::Optimizer;
use vivarium_model::permalink::Link;
use vivarium_model::run::cells::{
    MAX_PAGE_SWEEP_RUNS, UNSWEEPABLE_KEYS, count_runs_usize as runs, estimate_sweep_seconds,
};
use vivarium_model::run::time::format_duration;
use vivarium_model::run::{MODEL_KEY, OPTIMIZER_KEY, RunSpec};
use vivarium_view::display::words::{format_count, format_thousands, setting_label};

/// Number of seeds (replicas) per run of a new sweep in the form, unless the current settings train several replicas.
const DEFAULT_SEEDS: usize = 10;

/// The form fields of one axis of the sweep; every field is the text of its control.
#[derive(Debug, Clone, Default)]
pub struct AxisForm {
    /// Key of the swept setting; empty if this axis is not used.
    pub key: String,
    /// Spacing of the swept values: "lin" (linear), "log" (logarithmic) or "list" (listed one by one).
    pub mode: String,
    /// Smallest value of the swept setting, if the values are spaced.
    pub from: String,
    /// Largest value of the swept setting, if the values are spaced.
    pub to: String,
    /// Number of values of the swept setting, if they are spaced.
    pub value_count: String,
    /// The listed values, or the slugs of the chosen options, separated by spaces.
    pub list: String,
}

/// Values in the form of the dialog for a sweep.
#[derive(Debug, Clone, Default)]
pub struct SweepForm {
    /// The first and the second swept setting.
    pub axes: [AxisForm; 2],
    /// Text of the form field for the number of seeds (replicas) per run of the sweep.
    pub seeds: String,
}

/// Returns (key, label) of each setting that a sweep can vary.
fn sweepable_settings(spec: &RunSpec) -> Vec<(String, String)> {
    let choosers = [MODEL_KEY, OPTIMIZER_KEY].into_iter();
    let fits = |range: Range| matches!(range, Range::Int(..) | Range::Real(..) | Range::Choice(_));
    let settings = spec.settings().into_iter().filter(|(_, knob)| fits(knob.range)).map(|(_, knob)| knob.key);
    let possible =
        settings.chain(choosers).filter(|key| !UNSWEEPABLE_KEYS.contains(key) && *key != "replicas");
    possible
        .filter(|key| spec.has_effect(key))
        .map(|key| (key.to_string(), setting_label(spec, key)))
        .collect()
}

/// Returns (slug, label) of each option of the setting `key`; empty if its values are numbers.
fn option_labels(spec: &RunSpec, key: &str) -> Vec<(&'static str, &'static str)> {
    match (key, spec.setting(key).map(|knob| knob.range)) {
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

impl AxisForm {
    /// Returns the form fields of a new axis for the setting `key`: all its options; or five numbers around the current
    /// value, from half to double for integers and from a tenth to ten times for real numbers, within the setting's
    /// range. For seeds and for a current value of 0, the numbers begin at the smallest value.
    fn default_axis(spec: &RunSpec, key: &str) -> AxisForm {
        let all: Vec<&str> = option_labels(spec, key).into_iter().map(|(slug, _)| slug).collect();
        let mut way =
            AxisForm { key: key.into(), list: all.join(" "), value_count: "5".into(), ..AxisForm::default() };
        way.mode = if all.is_empty() { "lin" } else { "list" }.into();
        let now = spec.value(key).and_then(|value| value.to_string().parse::<f64>().ok());
        let Some((now, range)) = now.zip(spec.setting(key).map(|knob| knob.range)) else { return way };
        let (low, high, least) = match range {
            Range::Int(low, high) => (low as f64, high as f64, 1.0),
            Range::Real(low, high) => (low, high, 0.0),
            _ => return way,
        };
        let (mut from, mut to) = ((now / 2.0).max(low.max(least)), (now * 2.0).min(high));
        if key == "seed" || now == 0.0 {
            (from, to) = (low, if least == 1.0 { low + 4.0 } else { high.min(low + 0.4) });
        } else if least == 0.0 {
            // Learning rates and weight decays are searched over powers of ten.
            (from, to) = ((now / 10.0).max(low), (now * 10.0).min(high));
            way.mode = if from > 0.0 && high > 1.0 { "log" } else { "lin" }.into();
        }
        let text = |number: f64| match least == 1.0 {
            true => format!("{number:.0}"),
            false => vivarium_core::settings::format_real(format!("{number:.2e}").parse().unwrap_or(number)),
        };
        (way.from, way.to) = (text(from), text(to));
        way
    }

    /// Returns the form fields for an axis of the sweep in the settings.
    fn from_axis(spec: &RunSpec, axis: &SweepAxis) -> AxisForm {
        let mut way = AxisForm::default_axis(spec, &axis.key);
        let spread = axis.range().and_then(|range| range.split_once(':').map(|(word, _)| word.to_string()));
        way.mode = spread.unwrap_or("list".into());
        way.list = axis.values.join(" ");
        if let (Some(first), Some(last)) = (axis.values.first(), axis.values.last()) {
            (way.from, way.to, way.value_count) =
                (first.clone(), last.clone(), axis.values.len().to_string());
        }
        way
    }

    /// Returns the axis as it is written in a link, such as `n:lin:10..50:5`; empty if no setting is chosen.
    fn axis_text(&self) -> String {
        let parts = self.list.split([' ', ',', ';', '_', '\n']).filter(|part| !part.is_empty());
        match self.mode.as_str() {
            _ if self.key.is_empty() => String::new(),
            "list" => format!("{}:{}", self.key, parts.collect::<Vec<_>>().join("_")),
            mode => {
                let [from, to, many] = [&self.from, &self.to, &self.value_count].map(|text| text.trim());
                format!("{}:{mode}:{from}..{to}:{many}", self.key)
            }
        }
    }

    /// Returns the axis with its numbers in the notation of links; the options of a choice stay as they are.
    ///
    /// # Errors
    /// The first text that is not one number.
    fn normalize(&self, spec: &RunSpec) -> Result<AxisForm, InvalidSetting> {
        let setting = spec.setting(&self.key);
        let setting = setting.filter(|setting| matches!(setting.range, Range::Int(..) | Range::Real(..)));
        let Some(setting) = setting else { return Ok(self.clone()) };
        let is_whole = matches!(setting.range, Range::Int(..));
        let read = |text: &str| match normalize_number(text, is_whole) {
            // The ends of a range need not be whole numbers.
            Err(EntryError::Character(_)) if text.trim().parse::<f64>().is_ok() => Ok(text.to_string()),
            Err(error) => {
                Err(InvalidSetting::new(setting.key, text, error.describe(&setting.describe_expected())))
            }
            Ok(text) => Ok(text),
        };
        let mut axis = self.clone();
        if self.mode == "list" {
            let parts = split_list(&self.list).into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
            axis.list = parts.join(" ");
        } else {
            (axis.from, axis.to) = (read(&self.from)?, read(&self.to)?);
            if let Some(count) = parse_whole_entry(&self.value_count) {
                axis.value_count = count.to_string();
            }
        }
        Ok(axis)
    }

    /// Returns a sentence on the first wrong field of the axis; None if no error is found.
    fn find_error(&self, spec: &RunSpec) -> Option<String> {
        let name = || setting_label(spec, &self.key);
        if self.key.is_empty() {
            return None;
        }
        if self.mode == "list" {
            let is_empty = self.list.trim().is_empty();
            return is_empty.then(|| tr!("{name}: give at least one value.", name = name()));
        }
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite());
        let (from, to) = (number(&self.from), number(&self.to));
        let many = parse_whole_entry(&self.value_count).filter(|many| (2..=1000).contains(many));
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

/// Splits a list of numbers at spaces, commas, semicolons and underscores. Commas are parts of the numbers if other
/// separators divide the list so that no number has two commas, as in "0,05 0,1", and in a single number such as "0,05".
fn split_list(list: &str) -> Vec<&str> {
    let is_separator = |letter: char| letter.is_whitespace() || [';', '_'].contains(&letter);
    let parts: Vec<&str> = list.split(is_separator).filter(|part| !part.is_empty()).collect();
    let has_inner_comma = |part: &&str| part.contains(',');
    let is_number = |part: &&str| {
        part.split_once(',')
            .is_none_or(|(before, after)| !before.is_empty() && !after.is_empty() && !after.contains(','))
    };
    let is_decimal = |part: &&str| {
        part.split_once(',').is_some_and(|(_, after)| after.len() > 1 && after.starts_with('0'))
    };
    let are_numbers = parts.iter().any(has_inner_comma)
        && parts.iter().all(is_number)
        && (parts.len() > 1 || parts.iter().any(is_decimal));
    match are_numbers {
        true => parts,
        false => list
            .split(|letter| is_separator(letter) || letter == ',')
            .filter(|part| !part.is_empty())
            .collect(),
    }
}

impl SweepForm {
    /// Returns the form for the sweep of `spec`, or for a default sweep over the first numeric setting of the task.
    pub fn from_spec(spec: &RunSpec) -> SweepForm {
        let first = sweepable_settings(spec).into_iter().find(|(key, _)| option_labels(spec, key).is_empty());
        let (sweep, series) = (&spec.run.sweep, &spec.run.series);
        let way = |axis: &SweepAxis, key: &str| match axis.is_empty() {
            false => AxisForm::from_axis(spec, axis),
            true if key.is_empty() => AxisForm { mode: "lin".into(), ..AxisForm::default() },
            true => AxisForm::default_axis(spec, key),
        };
        let seeds = if spec.run.replicas > 1 { spec.run.replicas } else { DEFAULT_SEEDS };
        SweepForm {
            axes: [way(sweep, &first.map(|(key, _)| key).unwrap_or_default()), way(series, "")],
            seeds: seeds.to_string(),
        }
    }

    /// Sets the form field named `field`, whose name ends with a dot and the index of the axis. For an option's
    /// checkbox, `value` is the slug of the option and `is_checked` its state. Returns (index of the axis, whether
    /// another setting was chosen); None for a field of no axis.
    pub fn set_field(
        &mut self,
        spec: &RunSpec,
        field: &str,
        value: &str,
        is_checked: bool,
    ) -> Option<(usize, bool)> {
        let Some((field, at)) = field.split_once('.') else {
            self.seeds = value.into();
            return None;
        };
        let at: usize = at.parse().ok()?;
        let way = self.axes.get_mut(at)?;
        match field {
            "key" => *way = AxisForm::default_axis(spec, value),
            "mode" => way.mode = value.into(),
            "from" => way.from = value.into(),
            "to" => way.to = value.into(),
            "many" => way.value_count = value.into(),
            "list" => way.list = value.into(),
            "word" => {
                // In the order of the form, whatever the order of the clicks.
                let is_chosen = |slug: &str| match slug == value {
                    true => is_checked,
                    false => way.list.split(' ').any(|other| other == slug),
                };
                let all = option_labels(spec, &way.key).into_iter().map(|(slug, _)| slug);
                let chosen: Vec<&str> = all.filter(|slug| is_chosen(slug)).collect();
                way.list = chosen.join(" ");
            }
            _ => {}
        }
        Some((at, field == "key"))
    }

    /// Whether the option with this slug is chosen on the axis with index `at` (0 or 1).
    fn is_option_chosen(&self, at: usize, slug: &str) -> bool {
        self.axes[at].list.split(' ').any(|other| other == slug)
    }

    /// Returns `link` with the sweep of the form.
    ///
    /// # Errors
    /// A sentence on the wrong field; or that there are too many runs, how long they would take, and what can be
    /// done.
    pub fn sweep_link(&self, link: &Link) -> Result<Link, String> {
        let mut link = link.clone();
        let spec = &mut link.spec;
        (spec.run.sweep, spec.run.series) = (SweepAxis::default(), SweepAxis::default());
        spec.run.schedule.clear();
        let report = |problem: InvalidSetting| {
            let name = match problem.key.as_str() {
                "sweep" => setting_label(&link.spec, &self.axes[0].key),
                "series" => setting_label(&link.spec, &self.axes[1].key),
                key => setting_label(&link.spec, key),
            };
            // The error of a single run is at the end of the sweep's error.
            let expected = problem.expected.rsplit("; ").next().unwrap_or_default();
            let sentence =
                tr!("{name}: expected {expected}.", name, expected = expected.trim_end_matches('.'));
            // A question has its own mark.
            sentence.replace("?.", "?")
        };
        let [first, second] = &self.axes;
        let axes =
            [first.normalize(&link.spec).map_err(report)?, second.normalize(&link.spec).map_err(report)?];
        if let Some(flaw) = axes.iter().find_map(|way| way.find_error(&link.spec)) {
            return Err(flaw);
        }
        let mut spec = link.spec.clone();
        let seeds = self.seeds.trim();
        let seeds = spec
            .setting("replicas")
            .map_or_else(|| Ok(seeds.into()), |setting| setting.normalize_entry(seeds));
        let read = seeds
            .and_then(|seeds| spec.parse("replicas", &seeds))
            .and_then(|()| spec.parse("sweep", &axes[0].axis_text()))
            .and_then(|()| spec.parse("series", &axes[1].axis_text()));
        read.map_err(report)?;
        if runs(&spec) > MAX_PAGE_SWEEP_RUNS {
            return Err(tr!(
                "{runs} are too many: the page trains at most {most} runs. Together these runs would take up to {time} on one \
                 core. Choose fewer values, or train the runs in a terminal: lab sweep '{link}'",
                runs = format_count(runs(&spec), "run"),
                most = format_thousands(MAX_PAGE_SWEEP_RUNS as u64),
                time = format_duration(estimate_sweep_seconds(&spec)),
                link = vivarium_model::permalink::encode(&Link { spec, ..link.clone() })
            ));
        }
        if let Some(problem) = spec.invalid_settings().into_iter().next() {
            return Err(report(problem));
        }
        link.spec = spec;
        link.view.speed = 0;
        // A sweep over two settings has the map; for one setting, a curve shows more.
        // If each network has its own test rows, the final results are shown.
        let curve =
            if link.spec.task.examples().has_held_out_per_replica() { chart::ENDS } else { chart::SWEEP };
        let has_curve = link.view.show.contains(&curve);
        if link.spec.run.series.is_empty() && !has_curve {
            link.view.show.push(curve);
            let shown = &link.view.show;
            link.view.show = Chart::ALL.iter().copied().filter(|chart| shown.contains(chart)).collect();
        }
        Ok(link.without_teacher_key("at"))
    }

    /// Returns a sentence on the number of runs and their duration, from the measured speed of the device (`flops`,
    /// floating-point operations per second) if known.
    pub fn estimate_text(link: &Link, flops: Option<f64>) -> String {
        let spec = &link.spec;
        let own = spec.run.steps as f64 * spec.step_flops();
        let share = match flops {
            // The estimate for one core, scaled by the speed of the device.
            Some(flops) if flops > 0.0 => {
                own / flops / vivarium_model::run::time::estimate_run_seconds(spec).max(1e-9)
            }
            _ => 1.0,
        };
        let networks = format_count(spec.run.replicas, "network");
        tr!(
            "{runs} of {networks} each; the whole sweep takes at most about {time}. If the setting “End of the run” is “When the target is reached”, each run ends as soon as all its networks have reached the target.",
            runs = format_count(runs(spec), "run"),
            networks,
            time = format_duration(share * estimate_sweep_seconds(spec))
        )
    }
}

/// Returns `<option>` elements as HTML; `options` are pairs (value, label), and `chosen` is the selected value.
pub fn options_html<'a>(options: impl IntoIterator<Item = (&'a str, &'a str)>, chosen: &str) -> String {
    let mut out = String::new();
    for (value, word) in options {
        let selected = if value == chosen { "\" selected>" } else { "\">" };
        for part in ["<option value=\"", &escape_html(value), selected, &escape_html(word), "</option>"] {
            out.push_str(part);
        }
    }
    out
}

impl SweepForm {
    /// Returns the fields of the form as HTML; the field names are those of [`SweepForm::set_field`].
    pub fn form_html(&self, spec: &RunSpec) -> String {
        let all = sweepable_settings(spec);
        let mut out = String::new();
        for (at, title) in [tr!("First setting"), tr!("Second setting")].into_iter().enumerate() {
            let none = (at > 0).then_some(("", tr!("None")));
            let all = all.iter().map(|(key, label)| (key.as_str(), label.as_str()));
            let keys = options_html(none.into_iter().chain(all), &self.axes[at].key);
            out += &format!(
                "<fieldset class=\"sweep-axis\" id=\"sweep-axis-{at}\" data-kind=\"{}\"><legend>{title}</legend><label \
                 class=\"form-field\"><span>{setting}</span><select name=\"key.{at}\" data-testid=\"sweep-key-{at}\">{keys}\
                 </select></label><div class=\"sweep-axis__values\" id=\"sweep-values-{at}\">{}</div></fieldset>",
                self.axis_kind(spec, at),
                self.value_fields_html(spec, at),
                title = escape_html(title),
                setting = escape_html(tr!("Setting")),
            );
        }
        out + &input_html("", "seeds", tr!("Seeds per run"), &self.seeds)
    }

    /// Returns the kind of the axis with index `at` (0 or 1), which decides which of its form fields are shown: "none",
    /// "words" (options), "list" or "range".
    pub fn axis_kind(&self, spec: &RunSpec, at: usize) -> &'static str {
        let way = &self.axes[at];
        match option_labels(spec, &way.key).is_empty() {
            _ if way.key.is_empty() => "none",
            false => "words",
            true if way.mode == "list" => "list",
            true => "range",
        }
    }

    /// Returns the form fields for the values of the axis with index `at` (0 or 1) as HTML.
    pub fn value_fields_html(&self, spec: &RunSpec, at: usize) -> String {
        let way = &self.axes[at];
        let [even, ratio] = Spacing::ALL.map(|(_, word)| word);
        let modes = [
            (even, tr!("evenly spaced")),
            (ratio, tr!("logarithmically spaced")),
            ("list", tr!("listed one by one")),
        ];
        let mut out = format!(
            "<label class=\"form-field form-field--mode\"><span>{values}</span><select name=\"mode.{at}\" \
             data-testid=\"sweep-mode-{at}\">{}</select></label>",
            options_html(modes, &way.mode),
            values = escape_html(tr!("Values")),
        );
        let fields = [
            ("from", tr!("From"), &way.from),
            ("to", tr!("To"), &way.to),
            ("many", tr!("Number of values"), &way.value_count),
        ];
        for (name, word, text) in fields {
            out += &input_html("form-field--range", &format!("{name}.{at}"), word, text);
        }
        out += &input_html("form-field--list", &format!("list.{at}"), tr!("Numbers"), &way.list);
        out += "<div class=\"sweep-axis__options\">";
        for (slug, label) in option_labels(spec, &way.key) {
            let checked = if self.is_option_chosen(at, slug) { "checked" } else { "" };
            out += &format!(
                "<label><input type=\"checkbox\" name=\"word.{at}\" value=\"{slug}\" {checked}/> {label}</label>",
                label = escape_html(label)
            );
        }
        out + "</div>"
    }
}

/// Returns an `<input>` named `name` as HTML, with the label `word` and the content `text`; `class` is a CSS class of
/// the label.
fn input_html(class: &str, name: &str, word: &str, text: &str) -> String {
    let (testid, word, text) = (name.replace('.', "-"), escape_html(word), escape_html(text));
    format!(
        "<label class=\"form-field {class}\"><span>{word}</span><input name=\"{name}\" value=\"{text}\" \
         autocomplete=\"off\" spellcheck=\"false\" data-testid=\"sweep-{testid}\"></label>"
    )
}
