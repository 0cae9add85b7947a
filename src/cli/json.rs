//! What there is and what a link says, as JSON for programs: `--format json` of `lab list` and `lab link`.
//!
//! # Why
//! The fields are those of the structs below, in their order, so that this file is the list of names that programs rely
//! on: a field is added, and never renamed or removed. The value of a setting is a number if the setting is one number,
//! and otherwise the text of a link, so that `key=value` is part of a link for every setting.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value as Json;

use super::print::typed;
use super::science::expectation;
use vivarium_core::catalog::Entry;
use vivarium_core::settings::axes::MOST_AXES;
use vivarium_core::settings::{Choice, Knob, MOST_ENTRIES, MOST_VALUES, Problem, Range, Settings, Value};
use vivarium_labs::{PRESETS, cannot_learn};
use vivarium_model::chart::Chart;
use vivarium_model::models::Model;
use vivarium_model::optim::Optimizer;
use vivarium_model::permalink::{Link, View, encode};
use vivarium_model::run::{MODEL_KEY, OPTIMIZER_KEY, Run, RunSpec, Section};
use vivarium_model::tasks::Task;
use vivarium_science::markov::theory::TheorySettings;
use vivarium_view::display::instance::instance;
use vivarium_view::presets::Preset;
use vivarium_view::record::Environment;
use vivarium_view::record::preamble::relevant;

/// All that `lab list` lists.
#[derive(Serialize)]
pub struct Listed {
    /// The program and its version.
    program: String,
    /// The labs: what a link without settings stands for.
    labs: Vec<Lab>,
    /// The tasks; a lab has the name of its task.
    tasks: Vec<Listing>,
    /// The models: values of the key `model`.
    models: Vec<Listing>,
    /// The optimizers: values of the key `opt`.
    optimizers: Vec<Listing>,
    /// The settings of every run.
    run: Vec<Setting>,
    /// How a run is shown.
    view: Vec<Setting>,
    /// The charts: values of the key `show`.
    charts: Vec<Shown>,
    /// The presets.
    presets: Vec<Named>,
}

/// A lab.
#[derive(Serialize)]
struct Lab {
    slug: &'static str,
    name: &'static str,
    /// Its bare link.
    link: String,
    /// The models that suit its task as the bare link has it.
    models: Vec<&'static str>,
    /// Every setting of the bare link, by key; labs have defaults of their own.
    settings: BTreeMap<&'static str, Json>,
}

/// A task, a model or an optimizer.
#[derive(Serialize)]
struct Listing {
    slug: &'static str,
    name: &'static str,
    about: &'static str,
    sources: Vec<Cited>,
    settings: Vec<Setting>,
    /// The settings of the theory beside the runs of a task.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    theory: Vec<Setting>,
}

/// A publication.
#[derive(Serialize)]
struct Cited {
    cite: &'static str,
    title: &'static str,
    url: &'static str,
}

/// A setting.
#[derive(Serialize)]
struct Setting {
    key: &'static str,
    label: &'static str,
    help: &'static str,
    unit: &'static str,
    /// The value without a link that says otherwise; a lab may have another one.
    default: Option<Json>,
    values: Values,
    /// The same in words.
    expected: String,
    /// The choice without which the setting has no effect.
    only: Option<Only>,
}

/// The values that a setting takes.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Values {
    Int { from: u64, to: u64 },
    Real { from: f64, to: f64 },
    Choice { options: Vec<Chosen> },
    Set { options: Vec<Chosen> },
    List { from: u64, to: u64, most: usize },
    Sizes { from: u64, to: u64, most: usize },
    Numbers { from: u64, to: u64, most: usize },
    Table { most: usize },
    Schedule { from: f64, to: f64, most: usize },
    Points { from: f64, to: f64, most: usize },
    Text { most: usize },
    Formula { most: usize },
    Axis { most: usize },
    Axes { most: usize },
}

/// An option.
#[derive(Serialize)]
struct Chosen {
    slug: &'static str,
    label: &'static str,
}

/// The key of a choice and the values with which a setting has an effect.
#[derive(Serialize)]
struct Only {
    key: &'static str,
    values: &'static [&'static str],
}

/// A chart.
#[derive(Serialize)]
struct Shown {
    slug: &'static str,
    name: &'static str,
    help: &'static str,
    passage: &'static str,
}

/// A setting of a preset's run that is not as in the publication.
#[derive(Serialize)]
struct Departs {
    what: String,
    source: String,
    here: String,
}

/// The departures of a preset's run from the experiment of its source.
fn departures(preset: &Preset) -> Vec<Departs> {
    let spec = preset.link().spec;
    let ledger = preset.ledger().unwrap_or_default();
    let of_settings = ledger.changed.iter().map(|(key, source)| Departs {
        what: (*key).into(),
        source: (*source).into(),
        here: spec.value(key).map(|value| value.to_string()).unwrap_or_default(),
    });
    let others = preset.departs.iter().map(|(what, source, here)| Departs {
        what: (*what).into(),
        source: (*source).into(),
        here: (*here).into(),
    });
    of_settings.chain(others).collect()
}

/// A preset.
#[derive(Serialize)]
struct Named {
    slug: &'static str,
    name: &'static str,
    group: &'static str,
    link: &'static str,
    claim: &'static str,
    source: &'static str,
    instance: String,
    departures: Vec<Departs>,
    /// How long the run takes, if that is more than some seconds.
    time: &'static str,
    /// The step by which the claim must show.
    budget: u64,
    /// The claim as numbers.
    expect: Vec<Json>,
}

/// What a link says.
#[derive(Serialize)]
pub struct Explained {
    /// The program and its version.
    program: String,
    /// The link, as short as it can be.
    link: String,
    lab: &'static str,
    model: &'static str,
    optimizer: &'static str,
    /// Every setting, those of the view and of the theory included.
    settings: Vec<Said>,
    /// The keys of a teacher, as they are written in the link.
    lesson: BTreeMap<String, String>,
    /// The relevant coordinates, counted from 1.
    relevant: Vec<usize>,
    /// Why this run cannot learn, or hardly.
    cannot_learn: Vec<String>,
    /// What could not be read.
    not_read: Vec<Unread>,
}

/// A setting of a link.
#[derive(Serialize)]
struct Said {
    /// "task", "model", "optimizer", "run", "view" or "theory".
    section: &'static str,
    key: &'static str,
    label: &'static str,
    value: Json,
    /// The value of the lab's bare link with the same model and optimizer.
    default: Json,
    /// Whether the setting changes anything, the other settings being as they are.
    has_effect: bool,
}

/// A part of a link that could not be read.
#[derive(Serialize)]
struct Unread {
    key: String,
    found: String,
    expected: String,
    /// All of it in one sentence, as the page shows it.
    sentence: String,
}

fn options(options: &'static [Choice]) -> Vec<Chosen> {
    options.iter().map(|Choice { slug, label }| Chosen { slug, label }).collect()
}

impl Values {
    fn of(range: Range) -> Values {
        let most = MOST_ENTRIES;
        match range {
            Range::Int(from, to) => Values::Int { from, to },
            Range::Real(from, to) => Values::Real { from, to },
            Range::Choice(all) => Values::Choice { options: options(all) },
            Range::Set(all) => Values::Set { options: options(all) },
            Range::List(from, to) => Values::List { from, to, most },
            Range::Sizes(from, to, most) => Values::Sizes { from, to, most },
            Range::Numbers(from, to, most) => Values::Numbers { from, to, most },
            Range::Table(most) => Values::Table { most },
            Range::Schedule(from, to) => Values::Schedule { from, to, most },
            Range::Points(largest, most) => Values::Points { from: -largest, to: largest, most },
            Range::Text(most) => Values::Text { most },
            Range::Formula(most) => Values::Formula { most },
            Range::Axis => Values::Axis { most: MOST_VALUES },
            Range::Axes => Values::Axes { most: MOST_AXES },
        }
    }
}

/// The settings behind these knobs, with their defaults.
fn settings(knobs: &'static [Knob], default: impl Fn(&str) -> Option<Value>) -> Vec<Setting> {
    let setting = |knob: &'static Knob| Setting {
        key: knob.key,
        label: knob.label,
        help: knob.help,
        unit: knob.unit,
        default: default(knob.key).as_ref().map(typed),
        values: Values::of(knob.range),
        expected: knob.expected(),
        only: knob.only.map(|(key, values)| Only { key, values }),
    };
    knobs.iter().map(setting).collect()
}

fn listings(entries: &'static [Entry], default: impl Fn(&str, &str) -> Option<Value>) -> Vec<Listing> {
    let listing = |entry: &'static Entry| {
        let info = &entry.info;
        let cited = info.sources.iter().map(|of| Cited { cite: of.cite, title: of.title, url: of.url });
        let task = Task::from_slug(info.slug);
        let theory = task.map_or(&[] as &[Knob], |task| task.config().theory_knobs());
        let explorer = TheorySettings::default();
        Listing {
            slug: info.slug,
            name: info.name,
            about: info.about,
            sources: cited.collect(),
            settings: settings(entry.knobs, |key| default(info.slug, key)),
            theory: settings(theory, |key| explorer.value(key)),
        }
    };
    entries.iter().map(listing).collect()
}

/// The keys of all settings of a run, with the choice of the model and of the optimizer before those of these two.
fn keys(spec: &RunSpec) -> Vec<(Section, &'static str, &'static str)> {
    let mut all = vec![];
    for section in Section::ALL {
        match section {
            Section::Model => all.push((section, MODEL_KEY, section.label())),
            Section::Optimizer => all.push((section, OPTIMIZER_KEY, section.label())),
            Section::Task | Section::Run => {}
        }
        let own = spec.knobs().into_iter().filter(|(of, _)| *of == section);
        all.extend(own.map(|(section, knob)| (section, knob.key, knob.label)));
    }
    all
}

/// All that there is.
pub fn listed() -> Listed {
    let lab = |entry: &Entry| {
        let info = &entry.info;
        let spec = RunSpec::of_lab(info.slug).unwrap_or_default();
        let suits = |model: &&Entry| Model::suit(model.info.slug, &spec.task);
        let settings =
            keys(&spec).into_iter().filter_map(|(_, key, _)| Some((key, typed(&spec.value(key)?))));
        Lab {
            slug: info.slug,
            name: info.name,
            link: format!("#v1/{}", info.slug),
            models: Model::ENTRIES.iter().filter(suits).map(|model| model.info.slug).collect(),
            settings: settings.collect(),
        }
    };
    let chart = |chart: &Chart| {
        let info = chart.info();
        Shown { slug: info.slug, name: info.name, help: info.help, passage: info.passage }
    };
    let presets = PRESETS.iter().map(|preset| Named {
        slug: preset.slug,
        name: preset.name,
        group: preset.group.name,
        link: preset.link,
        claim: preset.claim,
        source: preset.source,
        instance: instance(preset),
        departures: departures(preset),
        time: preset.time,
        budget: preset.budget,
        expect: preset.expect.iter().map(expectation).collect(),
    });
    let (run, view) = (Run::default(), View::default());
    Listed {
        program: Environment::program(),
        labs: Task::ENTRIES.iter().map(lab).collect(),
        tasks: listings(Task::ENTRIES, |slug, key| Task::from_slug(slug)?.value(key)),
        models: listings(Model::ENTRIES, |slug, key| Model::from_slug(slug)?.value(key)),
        optimizers: listings(Optimizer::ENTRIES, |slug, key| Optimizer::from_slug(slug)?.value(key)),
        run: settings(Run::KNOBS, |key| run.value(key)),
        view: settings(View::KNOBS, |key| view.value(key)),
        charts: Chart::ALL.iter().map(chart).collect(),
        presets: presets.collect(),
    }
}

/// What this link says, and what of it could not be read.
pub fn explained(link: &Link, not_read: &[Problem]) -> Explained {
    let spec = &link.spec;
    let [lab, model, optimizer] =
        [spec.task.info(), spec.model.info(), spec.optimizer.info()].map(|info| info.slug);
    let bare = RunSpec::of_lab(lab).unwrap_or_default();
    let mut usual = bare.clone();
    for (key, chosen) in [(MODEL_KEY, model), (OPTIMIZER_KEY, optimizer)] {
        // Both are entries of their catalogues.
        let _ = usual.parse(key, chosen);
    }
    let json = |found: Option<Value>| found.as_ref().map_or(Json::Null, typed);
    let is_choice = |key: &str| key == MODEL_KEY || key == OPTIMIZER_KEY;
    let of_run = keys(spec).into_iter().map(|(section, key, label)| Said {
        section: match section {
            Section::Task => "task",
            Section::Model => "model",
            Section::Optimizer => "optimizer",
            Section::Run => "run",
        },
        key,
        label,
        value: json(spec.value(key)),
        default: json(if is_choice(key) { bare.value(key) } else { usual.value(key) }),
        has_effect: spec.applies(key),
    });
    let view = View::of(&spec.task);
    let of_view = View::KNOBS.iter().map(|knob| Said {
        section: "view",
        key: knob.key,
        label: knob.label,
        value: json(link.view.value(knob.key)),
        default: json(view.value(knob.key)),
        has_effect: true,
    });
    let explorer = TheorySettings::default();
    let of_theory = spec.task.config().theory_knobs().iter().map(|knob| Said {
        section: "theory",
        key: knob.key,
        label: knob.label,
        value: json(link.theory.value(knob.key)),
        default: json(explorer.value(knob.key)),
        has_effect: true,
    });
    let unread = not_read.iter().map(|problem| Unread {
        key: problem.key.clone(),
        found: problem.found.clone(),
        expected: problem.expected.clone(),
        sentence: problem.to_string(),
    });
    Explained {
        program: Environment::program(),
        link: encode(link),
        lab,
        model,
        optimizer,
        settings: of_run.chain(of_view).chain(of_theory).collect(),
        lesson: link.reserved.iter().cloned().collect(),
        relevant: relevant(spec),
        cannot_learn: cannot_learn(spec),
        not_read: unread.collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use vivarium_model::permalink::decode;

    /// As a program reads it.
    fn parsed(described: &impl Serialize) -> Json {
        serde_json::from_str(&serde_json::to_string_pretty(described).unwrap()).unwrap()
    }

    fn find<'a>(list: &'a Json, key: &str, name: &str) -> &'a Json {
        list.as_array().unwrap().iter().find(|item| item[key] == name).unwrap_or_else(|| panic!("{name}"))
    }

    /// A value as it stands behind `key=` in a link.
    fn text(value: &Json) -> String {
        value.as_str().map_or_else(|| value.to_string(), String::from)
    }

    #[test]
    fn every_setting_is_listed_with_a_default_that_a_link_can_hold() {
        let listed = parsed(&listed());
        let mut kinds = std::collections::BTreeSet::new();
        let mut check = |knobs: &[Knob], settings: &Json| {
            let settings = settings.as_array().unwrap();
            assert!(
                settings
                    .iter()
                    .map(|setting| setting["key"].as_str().unwrap())
                    .eq(knobs.iter().map(|k| k.key))
            );
            for (knob, setting) in knobs.iter().zip(settings) {
                let default = &setting["default"];
                let is_number = matches!(knob.range, Range::Int(..) | Range::Real(..));
                assert_eq!(
                    (default.is_number(), default.is_string()),
                    (is_number, !is_number),
                    "{}",
                    knob.key
                );
                let read = knob.parse(&text(default)).unwrap();
                assert_eq!(typed(&read), *default, "{}", knob.key);
                assert_eq!(
                    (setting["help"].as_str(), setting["label"].as_str()),
                    (Some(knob.help), Some(knob.label))
                );
                assert_eq!(setting["expected"], knob.expected());
                kinds.insert(setting["values"]["kind"].as_str().unwrap().to_string());
            }
        };
        for (entries, list) in
            [(Task::ENTRIES, "tasks"), (Model::ENTRIES, "models"), (Optimizer::ENTRIES, "optimizers")]
        {
            assert_eq!(listed[list].as_array().unwrap().len(), entries.len());
            for entry in entries {
                let found = find(&listed[list], "slug", entry.info.slug);
                assert_eq!(
                    (found["name"].as_str(), found["about"].as_str()),
                    (Some(entry.info.name), Some(entry.info.about))
                );
                assert_eq!(found["sources"][0]["url"], entry.info.sources[0].url);
                check(entry.knobs, &found["settings"]);
            }
        }
        check(Run::KNOBS, &listed["run"]);
        check(View::KNOBS, &listed["view"]);
        check(TheorySettings::KNOBS, &find(&listed["tasks"], "slug", "markov")["theory"]);
        assert!(kinds.len() >= 11, "{kinds:?}");
        let width = find(&find(&listed["models"], "slug", "mlp")["settings"], "key", "width");
        assert_eq!(
            (&width["default"], &width["values"]["from"], &width["only"]),
            (&Json::from(100), &Json::from(1), &Json::Null)
        );
        let limit = find(&listed["run"], "key", "limit");
        assert_eq!(
            (&limit["only"]["key"], &limit["only"]["values"][0]),
            (&Json::from("by"), &Json::from("loss"))
        );
        let halt = find(&listed["run"], "key", "halt");
        assert_eq!(
            (&halt["values"]["kind"], &halt["values"]["options"][1]["slug"]),
            (&Json::from("choice"), &Json::from("steps"))
        );
    }

    /// The settings of a lab are those of its bare link: put into a link they change nothing.
    #[test]
    fn labs_charts_and_presets_are_listed_whole() {
        let listed = parsed(&listed());
        assert_eq!(listed["program"], Environment::program());
        for entry in Task::ENTRIES {
            let lab = find(&listed["labs"], "slug", entry.info.slug);
            let bare = lab["link"].as_str().unwrap();
            let settings = lab["settings"].as_object().unwrap();
            let parts: Vec<String> =
                settings.iter().map(|(key, value)| format!("{key}={}", text(value))).collect();
            let (link, notices) = decode(&format!("{bare}?{}", parts.join("&")));
            assert_eq!((encode(&link).as_str(), notices), (bare, vec![]));
            assert!(lab["models"].as_array().unwrap().contains(&settings["model"]));
        }
        let charts = listed["charts"].as_array().unwrap();
        assert!(
            charts
                .iter()
                .map(|chart| chart["slug"].as_str().unwrap())
                .eq(Chart::ALL.iter().map(|c| c.slug()))
        );
        assert_eq!(listed["presets"].as_array().unwrap().len(), PRESETS.len());
        for preset in PRESETS {
            let found = find(&listed["presets"], "slug", preset.slug);
            assert_eq!(
                (found["link"].as_str(), found["claim"].as_str()),
                (Some(preset.link), Some(preset.claim))
            );
            let expect = found["expect"].as_array().unwrap();
            assert_eq!(expect.len(), preset.expect.len());
            assert!(expect.iter().all(|one| one["kind"].is_string()), "{}", preset.slug);
        }
    }

    #[test]
    fn a_link_is_explained_with_what_has_an_effect_and_what_was_not_read() {
        let text = "#v1/sparse-parity?n=20&k=3&s=2.7.15&opt=adam&limit=0.5&lr=0.01&show=loss&width=0&lock=n";
        let (link, notices) = decode(text);
        let said = parsed(&explained(&link, &notices));
        assert_eq!(said["link"], encode(&link));
        assert_eq!((&said["lab"], &said["optimizer"]), (&Json::from("sparse-parity"), &Json::from("adam")));
        let setting = |key: &str| find(&said["settings"], "key", key);
        let of = |key: &str| {
            let setting = setting(key);
            [&setting["section"], &setting["value"], &setting["default"], &setting["has_effect"]]
                .map(Json::clone)
        };
        assert_eq!(json!(of("n")), json!(["task", 20, 50, true]));
        assert_eq!(json!(of("opt")), json!(["optimizer", "adam", "sgd", true]));
        assert_eq!(json!(of("lr")[..2]), json!(["optimizer", 0.01]));
        assert_eq!(json!(of("limit")), json!(["run", 0.5, 0.1, false]));
        assert_eq!(json!(of("show")), json!(["view", "loss", "loss.accuracy.weights", true]));
        // The rate's default is that of the optimizer that was chosen.
        let adam = decode("#v1/sparse-parity?opt=adam").0.spec.value("lr").unwrap();
        assert_eq!(of("lr")[2], typed(&adam));
        assert_eq!(
            (said["relevant"].to_string(), &said["lesson"]["lock"]),
            ("[2,7,15]".into(), &Json::from("n"))
        );
        let unread = said["not_read"].as_array().unwrap();
        assert_eq!(
            (unread.len(), &unread[0]["key"], &unread[0]["found"]),
            (1, &Json::from("width"), &Json::from("0"))
        );
        assert_eq!(unread[0]["sentence"], notices[0].to_string());
        // Each setting once, and every one of the run.
        let keys: Vec<&str> = said["settings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|setting| setting["key"].as_str().unwrap())
            .collect();
        assert!(
            link.spec
                .knobs()
                .iter()
                .all(|(_, knob)| keys.iter().filter(|key| **key == knob.key).count() == 1)
        );
        let theory = parsed(&explained(&decode("#v1/markov?tt=40").0, &[]));
        let length = find(&theory["settings"], "key", "tt");
        assert_eq!((&length["section"], &length["value"]), (&Json::from("theory"), &Json::from(40)));
    }
}
