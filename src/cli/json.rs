//! The catalogue and the settings of a link as JSON for programs: `--format json` of `lab list` and `lab
//! link`.
//!
//! # Why
//! The fields are those of the structs below, in their order, so this file is the list of names on which
//! programs rely: fields are added, and never renamed or removed. The value of a setting is a number if the
//! setting is one number, and otherwise the text of a link, so that `key=value` is part of a link for every
//! setting.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value as Json;

use super::print::value_to_json;
use super::science::expectation_to_json;
use vivarium_core::catalog::CatalogEntry;
use vivarium_core::settings::axes::MAX_AXES;
use vivarium_core::settings::{
    ChoiceOption, InvalidSetting, MAX_AXIS_VALUES, MAX_LIST_ENTRIES, Range, SettingInfo, Settings, Value,
};
use vivarium_labs::{PRESETS, cannot_learn};
use vivarium_model::chart::Chart;
use vivarium_model::models::Model;
use vivarium_model::optim::Optimizer;
use vivarium_model::permalink::{Link, ViewSettings, encode};
use vivarium_model::run::{FormSection, MODEL_KEY, OPTIMIZER_KEY, RunSettings, RunSpec};
use vivarium_model::tasks::Task;
use vivarium_science::markov::theory::TheorySettings;
use vivarium_view::display::instance::describe_source_comparison;
use vivarium_view::presets::Preset;
use vivarium_view::record::TrainingEnvironment;
use vivarium_view::record::preamble::relevant_numbers;

/// JSON object of `lab list`: the whole catalogue.
#[derive(Serialize)]
pub struct CatalogueJson {
    /// Name and version of this program, as in the files that it writes.
    program: String,
    /// The labs, each with the run of its bare link (a link without settings).
    labs: Vec<LabJson>,
    /// The tasks. Each task has a lab with the same slug.
    tasks: Vec<EntryJson>,
    /// The models, each with its settings; their slugs are the values of the key `model` in links.
    models: Vec<EntryJson>,
    /// The optimizers, each with its settings; their slugs are the values of the key `opt` in links.
    optimizers: Vec<EntryJson>,
    /// Settings that every run has, such as `seed` and `steps`, whatever its task.
    run: Vec<SettingJson>,
    /// Settings of the view, which change how a run is shown and not what is trained.
    view: Vec<SettingJson>,
    /// The charts of all labs; their slugs are the values of the key `show` in links.
    charts: Vec<ChartJson>,
    /// The presets: named runs, each with a claim of a publication and expectations that check it.
    presets: Vec<PresetJson>,
}

/// JSON object of a lab: a page for one task, with its defaults.
#[derive(Serialize)]
struct LabJson {
    /// Name of the lab in links.
    slug: &'static str,
    /// Name of the lab, as shown on the page.
    name: &'static str,
    /// Link of the lab without settings, which opens its default run.
    link: String,
    /// Slugs of the models that can be trained on the default task of the lab.
    models: Vec<&'static str>,
    /// Value of every setting of the bare link, by key; labs have their own defaults.
    settings: BTreeMap<&'static str, Json>,
}

/// JSON object of a task, a model or an optimizer.
#[derive(Serialize)]
struct EntryJson {
    /// Name of the task, model or optimizer in links.
    slug: &'static str,
    /// Name of the task, model or optimizer, as shown on the page.
    name: &'static str,
    /// One sentence that describes the task, model or optimizer.
    about: &'static str,
    /// Publications that define the task, model or optimizer.
    sources: Vec<PublicationJson>,
    /// Settings that only runs with this task, model or optimizer have.
    settings: Vec<SettingJson>,
    /// Settings of the theory (bounds and predictions) that is computed for runs of a task.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    theory: Vec<SettingJson>,
}

/// JSON object of a publication.
#[derive(Serialize)]
struct PublicationJson {
    /// Authors and year of the publication.
    cite: &'static str,
    /// Title of the publication.
    title: &'static str,
    /// Address of the publication.
    url: &'static str,
}

/// JSON object of a setting.
#[derive(Serialize)]
struct SettingJson {
    /// Key of the setting in links.
    key: &'static str,
    /// Name of the setting, as shown on the page.
    label: &'static str,
    /// One sentence that explains the setting.
    help: &'static str,
    /// Unit of the value, such as "steps"; empty if it has none.
    unit: &'static str,
    /// Default value of the setting, where a lab has no other one.
    default: Option<Json>,
    /// Accepted values of the setting as kind and bounds, for programs; `expected` has them in words.
    values: ValuesJson,
    /// Accepted values of the setting, in words.
    expected: String,
    /// Other setting and its values, one of which is required for this setting to have an effect; None if it
    /// always has one.
    only: Option<ConditionJson>,
}

/// JSON object of the accepted values of a setting: their kind, the bounds `from` and `to` of a number, and
/// `most`, the largest number of entries of a list, rows of a table, values of an axis, or characters of a
/// text.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum ValuesJson {
    Int { from: u64, to: u64 },
    Real { from: f64, to: f64 },
    Choice { options: Vec<OptionJson> },
    Set { options: Vec<OptionJson> },
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

/// JSON object of one option of a setting that is a choice or a set.
#[derive(Serialize)]
struct OptionJson {
    /// Value that stands for the option in links.
    slug: &'static str,
    /// Name of the option, as shown on the page.
    label: &'static str,
}

/// JSON object of a condition: a setting has an effect only if the setting `key` has one of `values`.
#[derive(Serialize)]
struct ConditionJson {
    /// Key of the setting on which the effect of this setting depends.
    key: &'static str,
    /// Values as in links, one of which the setting `key` must have.
    values: &'static [&'static str],
}

/// JSON object of a chart.
#[derive(Serialize)]
struct ChartJson {
    /// Name of the chart in links.
    slug: &'static str,
    /// Name of the chart, as shown on the page.
    name: &'static str,
    /// One sentence that explains the chart.
    help: &'static str,
    /// Section, figure or equation of the publication that defines the plotted quantity; empty if there is
    /// none.
    passage: &'static str,
}

/// JSON object of a setting in which the run of a preset differs from the publication.
#[derive(Serialize)]
struct DepartureJson {
    /// Key of the setting that differs from the publication, or words for a difference that is no setting.
    what: String,
    /// Value of the setting in the experiment of the publication, as text.
    source: String,
    /// Value of the setting in the run of the preset, as text.
    here: String,
}

/// All differences between the run of a preset and the experiment of its publication: settings first, then
/// others.
fn describe_departures(preset: &Preset) -> Vec<DepartureJson> {
    let spec = preset.link().spec;
    let ledger = preset.compare_with_source().unwrap_or_default();
    let of_settings = ledger.different.iter().map(|(key, source)| DepartureJson {
        what: (*key).into(),
        source: (*source).into(),
        here: spec.value(key).map(|value| value.to_string()).unwrap_or_default(),
    });
    let others = preset.departures.iter().map(|(what, source, here)| DepartureJson {
        what: (*what).into(),
        source: (*source).into(),
        here: (*here).into(),
    });
    of_settings.chain(others).collect()
}

/// JSON object of a preset.
#[derive(Serialize)]
struct PresetJson {
    /// Name of the preset in links and on the command line; it never changes.
    slug: &'static str,
    /// Name of the preset, as shown on the page.
    name: &'static str,
    /// Name of the group in which the page's gallery shows the preset.
    group: &'static str,
    /// Link of the preset: of its run, or of its sweep.
    link: &'static str,
    /// Claim that the run demonstrates, in one sentence.
    claim: &'static str,
    /// Source of the claim: author, year and section.
    source: &'static str,
    /// Comparison of the run with the experiment of the publication, in words: settings that are the same,
    /// and departures.
    instance: String,
    /// Settings in which the run differs from the experiment of the publication.
    departures: Vec<DepartureJson>,
    /// Sentence on how long the run takes; empty if it takes a few seconds.
    time: &'static str,
    /// Largest number of training steps of the run when the claim is checked.
    budget: u64,
    /// Numeric expectations by which the claim is checked: objects with kind, measure and bounds.
    expect: Vec<Json>,
}

/// JSON object of `lab link`: the settings of a link.
#[derive(Serialize)]
pub struct LinkJson {
    /// Name and version of this program, as in the files that it writes.
    program: String,
    /// The link, written without the settings that have their default value.
    link: String,
    /// Slug of the lab whose page the link opens.
    lab: &'static str,
    /// Slug of the model that the link trains.
    model: &'static str,
    /// Slug of the optimizer that trains the model.
    optimizer: &'static str,
    /// Every setting of the link with its value, those of the view and of the theory included.
    settings: Vec<LinkSettingJson>,
    /// Keys that a teacher added to the link, such as `lock` and `hide` for controls, with their values.
    lesson: BTreeMap<String, String>,
    /// Input coordinates that determine the label, from 1; empty if all coordinates matter equally.
    relevant: Vec<usize>,
    /// Sentences with the reasons why this run cannot learn, or learns hardly; empty without such reasons.
    cannot_learn: Vec<String>,
    /// Keys of the link whose values could not be read, with the reasons.
    not_read: Vec<UnreadPartJson>,
}

/// JSON object of a setting of a link with its value.
#[derive(Serialize)]
struct LinkSettingJson {
    /// Section of the setting: "task", "model", "optimizer", "run", "view" or "theory".
    section: &'static str,
    /// Key of the setting in links.
    key: &'static str,
    /// Name of the setting, as shown on the page.
    label: &'static str,
    /// Value of the setting in this link, its default included: a number or its text.
    value: Json,
    /// Value that the setting has in a link of the lab without settings, with the same model and optimizer.
    default: Json,
    /// Whether the setting changes the run, given the other settings.
    has_effect: bool,
}

/// JSON object of a part of a link that could not be read.
#[derive(Serialize)]
struct UnreadPartJson {
    /// Key, such as `lr`, whose value in the link could not be read.
    key: String,
    /// Text of the value in the link that could not be read.
    found: String,
    /// Values that the key accepts, in words.
    expected: String,
    /// Error message about the part, as the page shows it.
    sentence: String,
}

/// JSON objects of the options of a setting that is a choice.
fn describe_options(options: &'static [ChoiceOption]) -> Vec<OptionJson> {
    options.iter().map(|ChoiceOption { slug, label }| OptionJson { slug, label }).collect()
}

impl ValuesJson {
    /// JSON object of the accepted values `range` of a setting.
    fn from_range(range: Range) -> ValuesJson {
        let most = MAX_LIST_ENTRIES;
        match range {
            Range::Int(from, to) => ValuesJson::Int { from, to },
            Range::Real(from, to) => ValuesJson::Real { from, to },
            Range::Choice(all) => ValuesJson::Choice { options: describe_options(all) },
            Range::Set(all) => ValuesJson::Set { options: describe_options(all) },
            Range::List(from, to) => ValuesJson::List { from, to, most },
            Range::Sizes(from, to, most) => ValuesJson::Sizes { from, to, most },
            Range::Numbers(from, to, most) => ValuesJson::Numbers { from, to, most },
            Range::Table(most) => ValuesJson::Table { most },
            Range::Schedule(from, to) => ValuesJson::Schedule { from, to, most },
            Range::Points(largest, most) => ValuesJson::Points { from: -largest, to: largest, most },
            Range::Text(most) => ValuesJson::Text { most },
            Range::Formula(most) => ValuesJson::Formula { most },
            Range::Axis => ValuesJson::Axis { most: MAX_AXIS_VALUES },
            Range::Axes => ValuesJson::Axes { most: MAX_AXES },
        }
    }
}

/// JSON objects of settings; `default` returns the default value of the setting with a key.
fn describe_settings(
    settings: &'static [SettingInfo],
    default: impl Fn(&str) -> Option<Value>,
) -> Vec<SettingJson> {
    let setting = |info: &'static SettingInfo| SettingJson {
        key: info.key,
        label: info.label,
        help: info.help,
        unit: info.unit,
        default: default(info.key).as_ref().map(value_to_json),
        values: ValuesJson::from_range(info.range),
        expected: info.describe_expected(),
        only: info.condition.map(|(key, values)| ConditionJson { key, values }),
    };
    settings.iter().map(setting).collect()
}

/// JSON objects of catalogue entries; `default` returns the default of a setting, by slug of the entry and
/// key.
fn describe_entries(
    entries: &'static [CatalogEntry],
    default: impl Fn(&str, &str) -> Option<Value>,
) -> Vec<EntryJson> {
    let listing = |entry: &'static CatalogEntry| {
        let info = &entry.info;
        let cited =
            info.sources.iter().map(|of| PublicationJson { cite: of.cite, title: of.title, url: of.url });
        let task = Task::from_slug(info.slug);
        let theory = task.map_or(&[] as &[SettingInfo], |task| task.config().theory_settings());
        let explorer = TheorySettings::default();
        EntryJson {
            slug: info.slug,
            name: info.name,
            about: info.about,
            sources: cited.collect(),
            settings: describe_settings(entry.settings, |key| default(info.slug, key)),
            theory: describe_settings(theory, |key| explorer.value(key)),
        }
    };
    entries.iter().map(listing).collect()
}

/// Section of the form, key in links and label of all settings of a run; the choices of model and optimizer
/// come first in their sections.
fn setting_keys(spec: &RunSpec) -> Vec<(FormSection, &'static str, &'static str)> {
    let mut all = vec![];
    for section in FormSection::ALL {
        match section {
            FormSection::Model => all.push((section, MODEL_KEY, section.label())),
            FormSection::Optimizer => all.push((section, OPTIMIZER_KEY, section.label())),
            FormSection::Task | FormSection::Run => {}
        }
        let own = spec.settings().into_iter().filter(|(of, _)| *of == section);
        all.extend(own.map(|(section, info)| (section, info.key, info.label)));
    }
    all
}

/// The whole catalogue, for `lab list --format json`.
pub fn describe_catalogue() -> CatalogueJson {
    let lab = |entry: &CatalogEntry| {
        let info = &entry.info;
        let spec = RunSpec::default_of_lab(info.slug).unwrap_or_default();
        let suits = |model: &&CatalogEntry| Model::suit(model.info.slug, &spec.task);
        let settings = setting_keys(&spec)
            .into_iter()
            .filter_map(|(_, key, _)| Some((key, value_to_json(&spec.value(key)?))));
        LabJson {
            slug: info.slug,
            name: info.name,
            link: format!("#v1/{}", info.slug),
            models: Model::ENTRIES.iter().filter(suits).map(|model| model.info.slug).collect(),
            settings: settings.collect(),
        }
    };
    let chart = |chart: &Chart| {
        let info = chart.info();
        ChartJson { slug: info.slug, name: info.name, help: info.help, passage: info.passage }
    };
    let presets = PRESETS.iter().map(|preset| PresetJson {
        slug: preset.slug,
        name: preset.name,
        group: preset.group.name,
        link: preset.link,
        claim: preset.claim,
        source: preset.source,
        instance: describe_source_comparison(preset),
        departures: describe_departures(preset),
        time: preset.duration_note,
        budget: preset.max_steps,
        expect: preset.expectations.iter().map(expectation_to_json).collect(),
    });
    let (run, view) = (RunSettings::default(), ViewSettings::default());
    CatalogueJson {
        program: TrainingEnvironment::program(),
        labs: Task::ENTRIES.iter().map(lab).collect(),
        tasks: describe_entries(Task::ENTRIES, |slug, key| Task::from_slug(slug)?.value(key)),
        models: describe_entries(Model::ENTRIES, |slug, key| Model::from_slug(slug)?.value(key)),
        optimizers: describe_entries(Optimizer::ENTRIES, |slug, key| Optimizer::from_slug(slug)?.value(key)),
        run: describe_settings(RunSettings::SETTINGS, |key| run.value(key)),
        view: describe_settings(ViewSettings::SETTINGS, |key| view.value(key)),
        charts: Chart::ALL.iter().map(chart).collect(),
        presets: presets.collect(),
    }
}

/// The settings of a link, and the parts of it that could not be read, for `lab link --format json`.
pub fn describe_link(link: &Link, unread_parts: &[InvalidSetting]) -> LinkJson {
    let spec = &link.spec;
    let [lab, model, optimizer] =
        [spec.task.info(), spec.model.info(), spec.optimizer.info()].map(|info| info.slug);
    let bare = RunSpec::default_of_lab(lab).unwrap_or_default();
    let mut usual = bare.clone();
    for (key, chosen) in [(MODEL_KEY, model), (OPTIMIZER_KEY, optimizer)] {
        // Both values are slugs of their catalogues, so this cannot fail.
        let _ = usual.parse(key, chosen);
    }
    let json = |found: Option<Value>| found.as_ref().map_or(Json::Null, value_to_json);
    let is_choice = |key: &str| key == MODEL_KEY || key == OPTIMIZER_KEY;
    let of_run = setting_keys(spec).into_iter().map(|(section, key, label)| LinkSettingJson {
        section: match section {
            FormSection::Task => "task",
            FormSection::Model => "model",
            FormSection::Optimizer => "optimizer",
            FormSection::Run => "run",
        },
        key,
        label,
        value: json(spec.value(key)),
        default: json(if is_choice(key) { bare.value(key) } else { usual.value(key) }),
        has_effect: spec.has_effect(key),
    });
    let view = ViewSettings::default_of_task(&spec.task);
    let of_view = ViewSettings::SETTINGS.iter().map(|info| LinkSettingJson {
        section: "view",
        key: info.key,
        label: info.label,
        value: json(link.view.value(info.key)),
        default: json(view.value(info.key)),
        has_effect: true,
    });
    let explorer = TheorySettings::default();
    let of_theory = spec.task.config().theory_settings().iter().map(|info| LinkSettingJson {
        section: "theory",
        key: info.key,
        label: info.label,
        value: json(link.theory.value(info.key)),
        default: json(explorer.value(info.key)),
        has_effect: true,
    });
    let unread = unread_parts.iter().map(|problem| UnreadPartJson {
        key: problem.key.clone(),
        found: problem.found.clone(),
        expected: problem.expected.clone(),
        sentence: problem.to_string(),
    });
    LinkJson {
        program: TrainingEnvironment::program(),
        link: encode(link),
        lab,
        model,
        optimizer,
        settings: of_run.chain(of_view).chain(of_theory).collect(),
        lesson: link.teacher_keys.iter().cloned().collect(),
        relevant: relevant_numbers(spec),
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
        let listed = parsed(&describe_catalogue());
        let mut kinds = std::collections::BTreeSet::new();
        let mut check = |infos: &[SettingInfo], settings: &Json| {
            let settings = settings.as_array().unwrap();
            assert!(
                settings
                    .iter()
                    .map(|setting| setting["key"].as_str().unwrap())
                    .eq(infos.iter().map(|k| k.key))
            );
            for (info, setting) in infos.iter().zip(settings) {
                let default = &setting["default"];
                let is_number = matches!(info.range, Range::Int(..) | Range::Real(..));
                assert_eq!(
                    (default.is_number(), default.is_string()),
                    (is_number, !is_number),
                    "{}",
                    info.key
                );
                let read = info.parse(&text(default)).unwrap();
                assert_eq!(value_to_json(&read), *default, "{}", info.key);
                assert_eq!(
                    (setting["help"].as_str(), setting["label"].as_str()),
                    (Some(info.help), Some(info.label))
                );
                assert_eq!(setting["expected"], info.describe_expected());
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
                check(entry.settings, &found["settings"]);
            }
        }
        check(RunSettings::SETTINGS, &listed["run"]);
        check(ViewSettings::SETTINGS, &listed["view"]);
        check(TheorySettings::SETTINGS, &find(&listed["tasks"], "slug", "markov")["theory"]);
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
        let listed = parsed(&describe_catalogue());
        assert_eq!(listed["program"], TrainingEnvironment::program());
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
            assert_eq!(expect.len(), preset.expectations.len());
            assert!(expect.iter().all(|one| one["kind"].is_string()), "{}", preset.slug);
        }
    }

    #[test]
    fn a_link_is_explained_with_what_has_an_effect_and_what_was_not_read() {
        let text = "#v1/sparse-parity?n=20&k=3&s=2.7.15&opt=adam&limit=0.5&lr=0.01&show=loss&width=0&lock=n";
        let (link, notices) = decode(text);
        let said = parsed(&describe_link(&link, &notices));
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
        assert_eq!(of("lr")[2], value_to_json(&adam));
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
                .settings()
                .iter()
                .all(|(_, info)| keys.iter().filter(|key| **key == info.key).count() == 1)
        );
        let theory = parsed(&describe_link(&decode("#v1/markov?tt=40").0, &[]));
        let length = find(&theory["settings"], "key", "tt");
        assert_eq!((&length["section"], &length["value"]), (&Json::from("theory"), &Json::from(40)));
    }
}
