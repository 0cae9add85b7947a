//! Every setting that a link can hold, with its range, as JSON: so that new labs are covered by themselves.

use serde_json::{Value as Json, json};
use vivarium::labs::PRESETS;
use vivarium::models::Model;
use vivarium::optim::Optimizer;
use vivarium::permalink::{HIDEABLE_PARTS, TEACHER_KEYS, ViewSettings, encode};
use vivarium::run::{MODEL_KEY, OPTIMIZER_KEY, RunSettings};
use vivarium::settings::{ChoiceOption, Range, SettingInfo, Settings};
use vivarium::tasks::Task;

/// All of it.
pub fn catalogue() -> Json {
    let tasks = Task::ENTRIES.iter().filter_map(|entry| {
        let task = Task::from_slug(entry.info.slug)?;
        let suits = |model: &&str| Model::suit(model, &task);
        let models: Vec<&str> = Model::ENTRIES.iter().map(|entry| entry.info.slug).filter(suits).collect();
        let theory = list_settings(task.config().theory_settings());
        Some(json!({ "slug": entry.info.slug, "settings": list_settings(entry.settings), "theory": theory, "models": models }))
    });
    let entry = |entry: &vivarium::catalog::CatalogEntry| json!({ "slug": entry.info.slug, "settings": list_settings(entry.settings) });
    json!({
        "modelKey": MODEL_KEY,
        "optimizerKey": OPTIMIZER_KEY,
        "tasks": tasks.collect::<Vec<_>>(),
        "models": Model::ENTRIES.iter().map(entry).collect::<Vec<_>>(),
        "optimizers": Optimizer::ENTRIES.iter().map(entry).collect::<Vec<_>>(),
        "run": list_settings(RunSettings::SETTINGS),
        "view": list_settings(ViewSettings::SETTINGS),
        "reserved": TEACHER_KEYS,
        "parts": HIDEABLE_PARTS.map(|(part, _)| part),
        "presets": PRESETS.iter().map(|preset| encode(&preset.link())).collect::<Vec<_>>(),
    })
}

fn list_settings(settings: &[SettingInfo]) -> Vec<Json> {
    settings.iter().map(|setting| json!({ "key": setting.key, "range": range(setting.range) })).collect()
}

fn range(range: Range) -> Json {
    let slugs = |options: &[ChoiceOption]| options.iter().map(|option| option.slug).collect::<Vec<_>>();
    match range {
        // As text where JavaScript would round.
        Range::Int(low, high) => json!({ "kind": "int", "low": low.to_string(), "high": high.to_string() }),
        Range::Real(low, high) => json!({ "kind": "real", "low": low, "high": high }),
        Range::Choice(options) => json!({ "kind": "choice", "options": slugs(options) }),
        Range::List(low, high) => json!({ "kind": "list", "low": low, "high": high }),
        Range::Sizes(low, high, most) => json!({ "kind": "sizes", "low": low, "high": high, "most": most }),
        Range::Numbers(low, high, most) => {
            json!({ "kind": "numbers", "low": low, "high": high, "most": most })
        }
        Range::Table(most) => json!({ "kind": "table", "most": most }),
        Range::Schedule(low, high) => json!({ "kind": "schedule", "low": low, "high": high }),
        Range::Points(largest, most) => {
            json!({ "kind": "points", "low": -largest, "high": largest, "most": most })
        }
        Range::Text(most) => json!({ "kind": "text", "most": most }),
        Range::Formula(most) => json!({ "kind": "formula", "most": most }),
        Range::Axis => json!({ "kind": "axis" }),
        Range::Axes => json!({ "kind": "axes" }),
        Range::Set(options) => json!({ "kind": "set", "options": slugs(options) }),
    }
}
