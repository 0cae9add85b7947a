//! The link in the address bar: `#v1/<lab>?key=value&…`, readable and stable.
//!
//! ```
//! use vivarium_model::permalink::{decode, encode};
//! let (link, notices) = decode("#v1/sparse-parity?n=20&width=64&colour=blue");
//! assert_eq!(encode(&link), "#v1/sparse-parity?n=20&width=64");
//! assert_eq!(notices[0].key, "colour");
//! ```
//!
//! # Links at random
//! `cargo xtask links` gives the core, as 32-bit WebAssembly, links at random over the whole catalogue, and has it do what
//! the page does before a run begins. 2026-11-23, a core that other programs shared: of 210,000 links, 30,000 of them
//! opened besides being read, five kinds froze the page, asked a worker for 2³³ numbers or meant another run in their
//! own link; `tests/fuzz/links.txt` has one of each. Since then, of 10,231 that were all opened, with all labs that there
//! are on 2026-11-25, none did: the longest task took 45 ms, and the largest page held 32 MiB.
#![doc = include_str!("README.md")]

mod encoder;
mod lesson;
mod repair;

use std::collections::BTreeMap;

use percent_encoding::percent_decode_str;

pub use encoder::{LinkEncoder, encode};
pub use lesson::HIDEABLE_PARTS;
pub use repair::{find_misplaced_link, strip_trackers, trim_trailing_marks};

use crate::chart::Chart;
use crate::chart::DEFAULT_CHARTS;
use crate::run::cells::MAX_PAGE_SWEEP_RUNS;
use crate::run::{MODEL_KEY, OPTIMIZER_KEY, RunSpec};
use crate::tasks::Task;
use crate::tasks::groups::NeuronView;
use crate::tasks::in_context_learning::InContextView;
use crate::tasks::markov::MarkovView;
use crate::tasks::sparse_token_regression::PromptView;
use crate::tasks::tabular::{TABLE_NUMBER_KEY, TABLE_ORIGIN_KEY, TableOrigin};
use vivarium_core::settings::{InvalidSetting, Range, SettingInfo, Settings, split_names};
use vivarium_core::{choices, settings};
use vivarium_science::markov::theory::TheorySettings;

choices! {
    /// State of the run when the page has opened.
    pub enum StartMode {
        /// The run starts by itself.
        Playing = "play", "Playing";
        /// The run waits until Play is pressed.
        Paused = "paused", "Paused";
    }
}

choices! {
    /// Scale of a chart's axis.
    pub enum AxisScale {
        /// Equal distances are equal differences.
        Linear = "linear", "Linear";
        /// Equal distances are equal ratios.
        Log = "log", "Logarithmic";
    }
}

choices! {
    /// Unit of the horizontal axis of curves.
    pub enum StepAxisUnit {
        /// Steps of training.
        Steps = "steps", "Training steps";
        /// Training examples, each counted as often as it was used.
        Examples = "examples", "Examples seen";
    }
}

choices! {
    /// Quantity that the map of a sweep shows for each run.
    pub enum SweepMapQuantity {
        /// The share of its networks that reached the target.
        Share = "share", "Share of networks that reach the target";
        /// The median step at which its networks reached the target.
        Steps = "steps", "Median step at which the target is reached";
        /// The median of the held-out loss at the end of the run.
        Loss = "loss", "Final held-out loss";
        /// The median of the held-out accuracy at the end of the run.
        Accuracy = "accuracy", "Final held-out accuracy";
    }
}

settings! {
    /// Settings of the view of a run: speed, charts and inspected examples; they change no number of the run.
    pub struct ViewSettings {
        /// Largest number of training steps per second, so that you can follow the run; 0 means no limit.
        speed: u64 = 400, "speed", "Speed limit", Range::Int(0, 1_000_000), "steps/s";
        /// Whether the run starts when the page is opened.
        start: StartMode = StartMode::Playing, "start", "On opening", Range::Choice(StartMode::OPTIONS);
        /// Charts that are shown.
        show: Vec<Chart> = DEFAULT_CHARTS.to_vec(), "show", "Charts", Range::Set(Chart::OPTIONS);
        /// Scale of the step axis in charts of curves; a logarithmic scale separates early memorisation from late generalisation.
        x_axis: AxisScale = AxisScale::Linear, "x", "Scale of the step axis", Range::Choice(AxisScale::OPTIONS);
        /// Number of the held-out sequence that is inspected, counted from 1; not used if you give your own sequence.
        example: usize = 1, "example", "Sequence shown", Range::Int(1, 64);
        /// Position of the symbol at which the prediction is inspected, counted from 1; 0 means the last symbol.
        place: usize = 0, "place", "Symbol shown", Range::Int(0, 512);
        /// Head whose attention is shown, counted layer by layer from 1; 0 shows all heads.
        head: usize = 0, "head", "Head shown", Range::Int(0, 32);
        /// Scale of the value axis in charts of curves; on a logarithmic scale, accuracy is plotted as error, 1 − accuracy.
        y_axis: AxisScale = AxisScale::Linear, "y", "Scale of the value axis", Range::Choice(AxisScale::OPTIONS);
        /// Weight of the previous measurements in the moving average of each curve; 0 means no smoothing.
        smooth: f64 = 0.0, "smooth", "Smoothing", Range::Real(0.0, 0.99);
        /// Whether the horizontal axis of the curves counts training steps or training examples.
        counted: StepAxisUnit = StepAxisUnit::Steps, "count", "Horizontal axis of curves", Range::Choice(StepAxisUnit::OPTIONS);
        /// Quantity that the cells of a sweep's map show.
        cells: SweepMapQuantity = SweepMapQuantity::Share, "cells", "Map of the sweep", Range::Choice(SweepMapQuantity::OPTIONS);
        /// Layer after which the numbers of all tokens are shown, counted from 1; 0 means the last layer of the step.
        layer: usize = 0, "layer", "Layer shown", Range::Int(0, 32);
    }
    with parts {
        /// Settings that only runs on groups have.
        groups: NeuronView,
        /// Settings that only runs on Markov chains have.
        markov: MarkovView,
        /// Settings that only runs on prompts of tokens have.
        prompt: PromptView,
        /// Settings that only runs on functions that are learned in context have.
        in_context: InContextView,
    }
    in order KEY_ORDER
}

/// Keys of the settings of the view in the order in which links contain them; settings with other keys come last. The
/// order of these keys does not change, so that a link is always written in one way.
const KEY_ORDER: [&str; 19] = [
    "speed", "start", "show", "x", "neuron", "example", "seq", "chain", "place", "head", "off", "named",
    "tokens", "y", "smooth", "count", "cells", "layer", "shift",
];

impl ViewSettings {
    /// View settings with which a run of `task` is shown if its link states none.
    pub fn default_of_task(task: &Task) -> Self {
        let mut view = ViewSettings::default();
        for (key, text) in task.config().default_view() {
            if let Some(setting) = ViewSettings::SETTINGS.iter().find(|setting| setting.key == *key) {
                // A test reads all of them.
                let _ = read_view_setting(&mut view, setting, text);
            }
        }
        view
    }

    /// Resets settings of the view that are invalid for the task of `spec`, such as a sequence with symbols that the
    /// task lacks, and returns an error for each.
    pub fn repair(&mut self, spec: &RunSpec) -> Vec<InvalidSetting> {
        let usual = ViewSettings::default_of_task(&spec.task);
        let mut errors = vec![];
        for setting in ViewSettings::SETTINGS {
            let (Some(value), Some(default)) = (self.value(setting.key), usual.value(setting.key)) else {
                continue;
            };
            if let Some(expected) = spec.task.config().expected_view_value(setting.key, &value) {
                errors.push(InvalidSetting::new(setting.key, &value.to_string(), expected));
                // The default was checked when it was declared.
                let _ = self.set(setting.key, &default);
            }
        }
        errors
    }
}

/// Keys by which teachers change what a link shows: "lock" (controls that cannot be changed), "hide" (hidden controls),
/// "embed" (a chart inside another page), "at" (step to wait at), "view" (the moving picture of the run, or its details),
/// and "axes" (ends of axes; kept but without effect yet).
pub const TEACHER_KEYS: [&str; 6] = ["lock", "hide", "embed", "at", "view", "axes"];

/// Content of a link: a run, the settings of its view and of its theory, and the keys that a teacher has added.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Link {
    /// Specification of the run: task, model, optimizer and run settings.
    pub spec: RunSpec,
    /// Settings of the view: charts, axes and inspected examples.
    pub view: ViewSettings,
    /// Settings of the theory's sliders for the minimal model of attention; only links of runs on Markov chains contain
    /// them.
    pub theory: TheorySettings,
    /// Keys by which a teacher locks, hides or embeds parts of the page (see [`TEACHER_KEYS`]), with their values, in
    /// the order of the link.
    pub teacher_keys: Vec<(String, String)>,
}

impl Link {
    /// Creates the link of a run with the default view of its task.
    pub fn from_spec(spec: RunSpec) -> Link {
        Link { view: ViewSettings::default_of_task(&spec.task), spec, ..Link::default() }
    }
}

/// Largest length of a link that is read, in bytes; the rest is ignored. The longest link that is written is shorter.
pub const MAX_LINK_LENGTH: usize = 40_000;

/// Largest number of notices to the user about ignored parts of one link; more are summed up in one notice.
const MAX_NOTICES: usize = 20;

/// Decodes a link, an address that ends in one, or a bare `sparse-parity?n=20`. Never fails: the second result lists
/// the parts that were ignored, each with a description of valid values.
pub fn decode(text: &str) -> (Link, Vec<InvalidSetting>) {
    decode_within(text, MAX_PAGE_SWEEP_RUNS)
}

/// Decodes a link as [`decode`] does, but accepts sweeps of up to `max_runs` runs, which the user has confirmed.
pub fn decode_within(text: &str, max_runs: usize) -> (Link, Vec<InvalidSetting>) {
    decode_on_table(text, max_runs, None)
}

/// Decodes a link as [`decode_within`] does. If a table is given by its number `table`, a link to a run on tables that
/// names no table means this one; a link that asks for a generated table is reported.
pub fn decode_on_table(text: &str, max_runs: usize, table: Option<u64>) -> (Link, Vec<InvalidSetting>) {
    let mut notices = vec![];
    let mut text = text.trim();
    if text.len() > MAX_LINK_LENGTH {
        notices.push(InvalidSetting::new(
            "link",
            &tr!("{many} characters", many = text.len()),
            tr!("at most {most} characters", most = MAX_LINK_LENGTH),
        ));
        let end = (0..=MAX_LINK_LENGTH).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
        text = &text[..end];
    }
    let written = repair::find_link(text);
    let mut reading = read_link(&written, max_runs, table);
    if (1..=repair::MAX_REPAIRED_ERRORS).contains(&reading.error_count) {
        let others = repair::find_other_links(text, &written);
        let mut readings = others.iter().map(|other| read_link(other, max_runs, table));
        if let Some(repaired) = readings.find(|reading| reading.error_count == 0) {
            let expected = tr!(
                "a link in the form that this program writes (another program changed the link; the link was read as {link})",
                link = encode(&repaired.link)
            );
            reading = repaired;
            reading.notices.push(InvalidSetting::new("link", &written, expected));
        }
    }
    notices.extend(reading.notices);
    let link = reading.link;
    if notices.len() > MAX_NOTICES {
        let more = notices.len() - MAX_NOTICES;
        notices.truncate(MAX_NOTICES);
        notices.push(InvalidSetting::new(
            "link",
            &tr!("further problems: {more}", more),
            tr!("only settings of this run, each with a valid value"),
        ));
    }
    (link, notices)
}

/// Result of reading a link as it is written.
struct LinkReading {
    /// The link.
    link: Link,
    /// Notices on what was ignored or repaired.
    notices: Vec<InvalidSetting>,
    /// Number of parts that could not be read.
    error_count: usize,
}

/// Reads the decoded link `text`, without its `#`, as [`decode_on_table`] does.
fn read_link(text: &str, max_runs: usize, table: Option<u64>) -> LinkReading {
    let (mut notices, mut error_count) = (vec![], 0);
    let (path, query) = text.split_once('?').unwrap_or((text, ""));
    let (version, lab) = path.split_once('/').unwrap_or(("v1", path));
    if version != "v1" {
        error_count += usize::from(!version.eq_ignore_ascii_case("v1"));
        notices.push(InvalidSetting::new(
            "version",
            version,
            tr!("v1 (the link was read as a link of version v1)"),
        ));
    }
    let mut usual = Link::default();
    let lab = lab.trim_matches('/');
    let spec = RunSpec::default_of_lab(lab).or_else(|| {
        let slug = repair::repair_lab(lab)?;
        let expected = tr!("{slug} (the link was read with this name)", slug);
        notices.push(InvalidSetting::new("task", lab, expected));
        RunSpec::default_of_lab(&slug)
    });
    match spec {
        Some(spec) => usual = Link::from_spec(spec),
        None if lab.is_empty() => {}
        None => {
            error_count += 1;
            let labs: Vec<_> = crate::tasks::Task::ENTRIES.iter().map(|e| e.info.slug).collect();
            notices.push(InvalidSetting::new("task", lab, tr!("one of {labs}", labs = labs.join(", "))));
        }
    }
    let number = table.map(|number| number.to_string());
    let mut pairs = repair::split_query(query, &mut notices);
    if let Some(number) = number.as_ref().filter(|_| usual.spec.task.config().can_use_uploaded_data()) {
        let own = TableOrigin::Uploaded.slug();
        if let Some((_, origin)) = pairs.iter().find(|(key, value)| *key == TABLE_ORIGIN_KEY && *value != own)
        {
            let expected = tr!("{own}, because a CSV file is given", own);
            notices.push(InvalidSetting::new(TABLE_ORIGIN_KEY, origin, expected));
        } else if pairs.iter().all(|(key, _)| *key != TABLE_NUMBER_KEY) {
            // In front, so that the end of the link stays its end.
            let stated = pairs.into_iter().filter(|(key, _)| *key != TABLE_ORIGIN_KEY);
            let table = [(TABLE_ORIGIN_KEY, own), (TABLE_NUMBER_KEY, number.as_str())];
            pairs = table.into_iter().chain(stated).collect();
        }
    }
    let read = read_settings(&usual, &pairs, max_runs);
    let repaired = repair::read_without_marks(&usual, &pairs, &read.1, max_runs);
    // The last notice of a repaired reading is about the repair.
    let repair_count = usize::from(repaired.is_some());
    let (link, setting_notices) = repaired.unwrap_or(read);
    // A table that is not open yet is no fault of the link.
    let can_wait = usual.spec.task.config().can_use_uploaded_data();
    let waits = |notice: &InvalidSetting| {
        can_wait && notice.key == TABLE_ORIGIN_KEY && notice.found == TableOrigin::Uploaded.slug()
    };
    let stated = &setting_notices[..setting_notices.len() - repair_count];
    error_count += stated.iter().filter(|notice| !waits(notice)).count();
    notices.extend(setting_notices);
    LinkReading { link, notices, error_count }
}

/// Reads the keys and values of a link whose other settings are those of `usual`, and repairs settings that cannot be
/// combined. Returns (link, notices on what was ignored).
fn read_settings(usual: &Link, pairs: &[(&str, &str)], max_runs: usize) -> (Link, Vec<InvalidSetting>) {
    let (mut link, mut notices) = (usual.clone(), vec![]);
    read_pairs(&mut link, pairs, None, &mut notices);
    let is_stated = |key: &str| pairs.iter().any(|(stated, _)| *stated == key);
    link.spec.task.config_mut().follow_uploaded_data(&is_stated);
    let requested = link.spec.model.clone();
    let mut repaired = link.spec.repair_within(max_runs);
    // A model that does not suit the task is as one that is not known: the other settings are those of the usual model.
    // Whether it suits can depend on settings of the task, so the whole link is read before that is reported.
    let is_chosen = requested.info().slug != usual.spec.model.info().slug;
    if is_chosen && !requested.suits(&link.spec.task) {
        let unsuited = repaired.iter().find(|problem| problem.key == MODEL_KEY).cloned();
        if unsuited.is_some() {
            link = usual.clone();
            notices.clear();
            read_pairs(&mut link, pairs, unsuited.as_ref(), &mut notices);
            link.spec.task.config_mut().follow_uploaded_data(&is_stated);
            repaired = link.spec.repair_within(max_runs);
        }
    }
    notices.extend(repaired);
    notices.extend(link.repair_teacher_keys());
    notices.extend(link.view.repair(&link.spec));
    (link, notices)
}

/// Reads the keys and values of a link. If `unsuited_model` is given, the link's model is ignored and that error is
/// reported for it.
fn read_pairs(
    link: &mut Link,
    pairs: &[(&str, &str)],
    unsuited_model: Option<&InvalidSetting>,
    notices: &mut Vec<InvalidSetting>,
) {
    // Which model and optimizer decides which other keys exist.
    let chooses = |key: &str| key == MODEL_KEY || key == OPTIMIZER_KEY;
    let ordered = pairs.iter().filter(|p| chooses(p.0)).chain(pairs.iter().filter(|p| !chooses(p.0)));
    // Whether the first value of each key could be read.
    let mut seen = BTreeMap::new();
    for &(key, value) in ordered {
        if let Some(is_kept) = seen.get(key) {
            notices.push(repeated_key_error(link, key, value, *is_kept, notices.len()));
            continue;
        }
        let error = match unsuited_model.filter(|_| key == MODEL_KEY) {
            Some(problem) => Some(problem.clone()),
            None => read_pair(link, key, value).err(),
        };
        seen.insert(key, error.is_none());
        notices.extend(error);
    }
}

/// Error for a key that a link contains again: that the later value is invalid, or that only one value is allowed.
/// `notice_count` is the number of notices so far.
fn repeated_key_error(
    link: &Link,
    key: &str,
    value: &str,
    first_is_kept: bool,
    notice_count: usize,
) -> InvalidSetting {
    // A copy of the link takes the value. Notices beyond the limit are only counted.
    let unread =
        if notice_count <= MAX_NOTICES { read_pair(&mut link.clone(), key, value).err() } else { None };
    let expected = match first_is_kept {
        true => tr!("one value only; the first value was kept"),
        false => tr!(
            "only one value; of several values in a link only the first is read, and here the first is not valid"
        ),
    };
    unread.unwrap_or_else(|| InvalidSetting::new(key, value, expected))
}

/// Reads a key of a link and its value into `link`; an error if the key is unknown or the value invalid.
fn read_pair(link: &mut Link, key: &str, value: &str) -> Result<(), InvalidSetting> {
    if TEACHER_KEYS.contains(&key) {
        let plain =
            value.len() <= 400 && value.chars().all(|c| c.is_ascii_alphanumeric() || ".,_-".contains(c));
        if !plain {
            return Err(InvalidSetting::new(
                key,
                value,
                tr!("letters, digits, dots, commas, underscores and hyphens"),
            ));
        }
        let (kept, error) = lesson::parse_teacher_value(&link.spec, key, value);
        link.teacher_keys.extend(kept.map(|kept| (key.to_string(), kept)));
        return error.map_or(Ok(()), Err);
    }
    if let Some(setting) = ViewSettings::SETTINGS.iter().find(|k| k.key == key) {
        return read_view_setting(&mut link.view, setting, value);
    }
    if let Some(setting) = link.spec.task.config().theory_settings().iter().find(|k| k.key == key) {
        return link.theory.set(key, &setting.parse(value)?).map(|_| ());
    }
    link.spec.parse(key, value)
}

/// Reads the setting of the view from `text`; in the list of charts, an unknown chart is reported and the known ones
/// are kept.
fn read_view_setting(
    view: &mut ViewSettings,
    setting: &SettingInfo,
    text: &str,
) -> Result<(), InvalidSetting> {
    let Range::Set(options) = setting.range else {
        return view.set(setting.key, &setting.parse(text)?).map(|_| ());
    };
    // A chart that this version does not know does not take the others with it.
    let (known, unknown): (Vec<&str>, Vec<&str>) =
        split_names(text).partition(|name| options.iter().any(|o| o.slug == *name));
    if !known.is_empty() {
        view.set(setting.key, &setting.parse(&known.join("."))?)?;
    }
    if unknown.is_empty() && !known.is_empty() {
        return Ok(());
    }
    Err(InvalidSetting::new(setting.key, &unknown.join("."), setting.describe_expected()))
}

/// Decodes the percent-encoding that mail and chat programs add to a link. Invalid UTF-8 is left encoded.
pub fn percent_decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8().unwrap_or(text.into()).into_owned()
}

#[cfg(test)]
mod edge_tests;
#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart;

    fn keys(text: &str) -> Vec<String> {
        decode(text).1.into_iter().map(|p| p.key).collect()
    }

    /// The settings of several labs alternate, because links were written in this order before labs declared their own
    /// settings.
    #[test]
    fn the_settings_of_the_view_keep_their_order_in_links() {
        let keys: Vec<_> = ViewSettings::SETTINGS.iter().map(|setting| setting.key).collect();
        let expected_keys = [
            "speed", "start", "show", "x", "neuron", "example", "seq", "chain", "place", "head", "off",
            "named", "tokens", "y", "smooth", "count", "cells", "layer", "shift",
        ];
        assert_eq!(keys, expected_keys);
        let query = "speed=7&start=paused&show=loss&x=log&neuron=3&example=2&seq=0.1&chain=50.50.50.50&place=4\
                     &head=5&off=1.2&named=3:2_5:1&tokens=1:0.5&y=log&smooth=0.5&count=examples&cells=loss&layer=6\
                     &shift=2.5";
        let mut view = ViewSettings::default();
        for (setting, pair) in ViewSettings::SETTINGS.iter().zip(query.split('&')) {
            let (key, text) = pair.split_once('=').unwrap();
            assert_eq!(setting.key, key);
            let value = setting.parse(text).unwrap();
            assert_ne!(view.value(key), Some(value.clone()), "{key}");
            assert!(view.set(key, &value).unwrap());
            assert_eq!(view.value(key), Some(value), "{key}");
        }
        let link = format!("#v1/markov?{query}");
        let (read, notices) = decode(&link);
        assert_eq!((encode(&read), &read.view, notices), (link, &view, vec![]));
        assert_eq!((view.speed, view.layer, view.in_context.shift, view.groups.neuron), (7, 6, 2.5, 3));
        let MarkovView { sequence, chain, off } = view.markov;
        assert_eq!((sequence, chain, off), (vec![0, 1], vec![50; 4], vec![1, 2]));
        let PromptView { named, tokens } = view.prompt;
        assert_eq!((named, tokens), (vec![(3, 2.0), (5, 1.0)], vec![(1, 0.5)]));
    }

    #[test]
    fn defaults_make_the_shortest_link() {
        assert_eq!(encode(&Link::default()), "#v1/sparse-parity");
        assert_eq!(decode("#v1/sparse-parity").0, Link::default());
        assert_eq!(decode("").0, Link::default());
    }

    #[test]
    fn a_link_without_a_lab_is_the_usual_one_and_no_error() {
        for text in ["", "#", "#v1/", "#v1/?"] {
            assert_eq!(decode(text), (Link::default(), vec![]), "{text}");
        }
        let (link, notices) = decode("#v1/?n=20");
        assert_eq!((encode(&link).as_str(), notices), ("#v1/sparse-parity?n=20", vec![]));
    }

    #[test]
    fn bytes_that_make_no_text_are_left_as_they_are() {
        for (text, decoded) in [
            ("%23v1/a%3Fn%3D20%26s%3d1", "#v1/a?n=20&s=1"),
            ("%CE%B3 π", "γ π"),
            ("100%", "100%"),
            ("%2", "%2"),
            ("%+f%g0%%41", "%+f%g0%A"),
            ("n%3D1%FF", "n%3D1%FF"),
        ] {
            assert_eq!(percent_decode(text), decoded);
        }
    }

    #[test]
    fn smoothing_is_in_the_link_unless_there_is_none() {
        let (link, notices) = decode("#v1/sparse-parity?smooth=0.9&n=20&y=log");
        assert_eq!((link.view.smooth, notices.len()), (0.9, 0));
        assert_eq!(encode(&link), "#v1/sparse-parity?n=20&y=log&smooth=0.9");
        assert_eq!(encode(&decode("#v1/groups?smooth=0").0), "#v1/groups");
        assert_eq!(keys("#v1/groups?smooth=1"), ["smooth"]);
    }

    #[test]
    fn whole_addresses_and_escaped_links_are_read() {
        let (link, notices) = decode("https://example.org/vivarium/#v1/sparse-parity%3Fn%3D20%26s=1.2.3");
        assert!(notices.is_empty(), "{notices:?}");
        assert_eq!(encode(&link), "#v1/sparse-parity?n=20&s=1.2.3");
    }

    #[test]
    fn another_optimizer_brings_its_own_defaults() {
        let (link, notices) = decode("#v1/sparse-parity?lr=0.01&opt=adam&b1=0.8");
        assert!(notices.is_empty());
        assert_eq!(encode(&link), "#v1/sparse-parity?opt=adam&lr=0.01&b1=0.8");
        assert_eq!(encode(&decode("#v1/sparse-parity?opt=adam").0), "#v1/sparse-parity?opt=adam");
    }

    #[test]
    fn what_cannot_be_read_is_listed_and_the_rest_is_kept() {
        let bad = "#v1/sparse-parity?n=20&batch=5000&k=99&x=<script>alert(1)</script>&n=30&width=64";
        assert_eq!(keys(bad), ["batch", "k", "x", "n"]);
        assert_eq!(encode(&decode(bad).0), "#v1/sparse-parity?n=20&width=64");
        assert_eq!(keys("#v1/sparse-parity?n=4&k=6"), ["k"]);
        assert_eq!(keys("#v9/sparse-parity?n=20"), ["version"]);
        assert_eq!(keys("#v1/astrology"), ["task"]);
        assert_eq!(keys("#v1/sparse-parity?n=20%20&seed=%0A3"), [""; 0]);
        assert_eq!(keys("#v1/sparse-parity?mom=0.9&opt=adam"), ["mom"]);
    }

    /// Settings that the usual model has are kept, and the others are named, as if the model were not known at all.
    #[test]
    fn a_model_that_does_not_suit_the_task_is_as_one_that_is_not_known() {
        for (query, kept, named) in [
            ("sparse-parity?model=MODEL&width=7&n=20", "sparse-parity?n=20&width=7", vec!["model"]),
            ("sparse-parity?n=20&width=7&model=MODEL", "sparse-parity?n=20&width=7", vec!["model"]),
            ("sparse-parity?model=MODEL&trees=5&width=7", "sparse-parity?width=7", vec!["model", "trees"]),
            ("sparse-parity?model=MODEL&width=0", "sparse-parity", vec!["model", "width"]),
            (
                "sparse-parity?model=MODEL&model=polynet&width=7",
                "sparse-parity?width=7",
                vec!["model", "model"],
            ),
            ("sparse-parity?model=MODEL&lock=width,trees", "sparse-parity?lock=width", vec!["model", "lock"]),
            ("turing-machine?model=MODEL&width=64&t=50", "turing-machine?t=50", vec!["model", "width"]),
            // Of its lab, as where no model is named.
            ("machine-traces?model=MODEL&t=20", "machine-traces?t=20", vec!["model"]),
        ] {
            for model in ["group-net", "random-forest", "banana"] {
                let link = format!("#v1/{}", query.replacen("MODEL", model, 1));
                assert_eq!(encode(&decode(&link).0), format!("#v1/{kept}"), "{link}");
                assert_eq!(keys(&link), named, "{link}");
            }
        }
        let (_, notices) = decode("#v1/sparse-parity?model=random-forest&trees=5");
        assert!(notices[0].expected.ends_with(" for this task"), "{}", notices[0]);
        assert_eq!(notices[1].to_string(), "trees = 5: expected a setting of this run");
        assert_eq!(keys("#v1/turing-machine?model=mlp&width=64"), ["model", "width"]);
    }

    /// A second value is named for what is wrong with it; what is trained is the same as ever.
    #[test]
    fn of_two_values_the_one_that_cannot_be_read_is_named() {
        let said = |query: &str| {
            let (link, notices) = decode(&format!("#v1/sparse-parity?{query}"));
            let said: Vec<String> = notices.iter().map(ToString::to_string).collect();
            (encode(&link), said.join("; "))
        };
        let [n12, usual] = ["#v1/sparse-parity?n=12", "#v1/sparse-parity"].map(String::from);
        let unread = "n = twelve: expected a whole number from 2 to 512";
        assert_eq!(said("n=12&n=twelve"), (n12.clone(), unread.into()));
        assert_eq!(said("n=12&n=5000"), (n12.clone(), unread.replace("twelve", "5000")));
        let kept = "n = 13: expected one value only; the first value was kept";
        assert_eq!(said("n=12&n=13"), (n12, kept.into()));
        let unused = "n = 12: expected only one value; of several values in a link only the first is read, and here the first is not valid";
        assert_eq!(said("n=twelve&n=12"), (usual, format!("{unread}; {unused}")));
        // Notices beyond those that are listed cost no reading.
        let many = decode(&format!("#v1/sparse-parity?n=12{}", "&n=twelve".repeat(3000))).1;
        assert_eq!((many.len(), many[20].found.as_str()), (MAX_NOTICES + 1, "further problems: 2980"));
    }

    #[test]
    fn the_link_of_a_run_alone_has_no_charts() {
        for task in Task::ENTRIES {
            let spec = RunSpec::default_of_lab(task.info.slug).unwrap();
            assert_eq!(encode(&Link::from_spec(spec)), format!("#v1/{}", task.info.slug));
        }
        let (shown, _) = decode("#v1/groups?n=13&steps=20&show=neurons&y=log");
        assert_eq!(encode(&Link::from_spec(shown.spec)), "#v1/groups?n=13&steps=20");
    }

    #[test]
    fn what_is_shown_is_in_the_link_in_the_order_of_the_catalogue() {
        let (link, notices) = decode("#v1/sparse-parity?y=log&show=weights.loss&x=log&n=20");
        assert!(notices.is_empty());
        assert_eq!(link.view.show, [chart::LOSS, chart::WEIGHTS]);
        assert_eq!(encode(&link), "#v1/sparse-parity?n=20&show=loss.weights&x=log&y=log");
        let usual = "#v1/sparse-parity?show=loss.accuracy.weights&x=linear";
        assert_eq!(encode(&decode(usual).0), "#v1/sparse-parity");
        for chart in Chart::ALL {
            let link = format!("#v1/sparse-parity?show={}", chart.slug());
            assert_eq!(decode(&link).0.view.show, [*chart]);
            assert_eq!(encode(&decode(&link).0), link);
        }
    }

    #[test]
    fn unknown_charts_are_named_and_the_others_kept() {
        let (link, notices) = decode("#v1/sparse-parity?show=loss.astrology.weights.fate");
        assert_eq!(link.view.show, [chart::LOSS, chart::WEIGHTS]);
        assert_eq!((notices.len(), notices[0].found.as_str()), (1, "astrology.fate"));
        assert!(notices[0].expected.starts_with("one or more of loss, accuracy, weights"));
        for nothing in ["", ".", "astrology"] {
            let (link, notices) = decode(&format!("#v1/sparse-parity?show={nothing}"));
            assert_eq!((link.view.show, notices.len()), (DEFAULT_CHARTS.to_vec(), 1), "{nothing}");
        }
    }

    #[test]
    fn teachers_keys_are_kept_as_they_stand() {
        let (link, notices) = decode("#v1/sparse-parity?lock=n,k&embed");
        assert_eq!(encode(&link), "#v1/sparse-parity?lock=n,k&embed=");
        assert_eq!(notices.len(), 0);
    }

    #[test]
    fn the_theory_next_to_sequences_is_in_the_link() {
        let link = "#v1/markov?model=minimal-markov&tdata=doubly&tt=40&tsteps=3";
        let (read, notices) = decode(link);
        assert_eq!((encode(&read).as_str(), read.theory.length, notices), (link, 40, vec![]));
        assert_eq!(keys("#v1/markov?tt=1&tdata=fate"), ["tt", "tdata"]);
        assert_eq!(keys("#v1/sparse-parity?tt=40"), ["tt"]);
    }

    #[test]
    fn sequences_and_chains_that_cannot_be_are_dropped_with_their_reason() {
        let good = "#v1/markov?seq=0.1.1&chain=90.10.30.70";
        assert_eq!((encode(&decode(good).0).as_str(), decode(good).1.len()), (good, 0));
        let (link, notices) = decode("#v1/markov?seq=0.1.2&chain=90.20.30.70&example=3");
        assert_eq!(encode(&link), "#v1/markov?example=3");
        assert!(
            notices[0].expected.starts_with("numbers from 0 to k − 1 as symbols, where k = 2; symbol 3 is 2"),
            "{}",
            notices[0]
        );
        assert!(notices[1].expected.contains("row 1 must sum to 100"), "{}", notices[1]);
        let few = decode("#v1/markov?k=3&chain=90.10.30.70").1;
        assert!(few[0].expected.contains("needs 9 entries"), "{}", few[0]);
        assert_eq!(keys("#v1/sparse-parity?seq=0.7"), [] as [&str; 0]);
    }

    #[test]
    fn garbage_of_any_length_gives_notices_and_a_run() {
        for text in ["#".repeat(100_000), "&=".repeat(50_000), "%".repeat(100_000), "é%ff".repeat(30_000)] {
            let (link, notices) = decode(&text);
            assert!(link.spec.invalid_settings().is_empty());
            assert!(!notices.is_empty() && notices.len() <= MAX_NOTICES + 1);
        }
    }
}
