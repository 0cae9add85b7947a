//! The PyTorch script that repeats the experiment.
//!
//! # Why
//! Whoever doubts a page takes its experiment to tools of their own. So the script is plain PyTorch with nothing but
//! torch to install: the settings on top, then data, model and training as the papers write them, without any of the
//! rearrangements that make the page fast. Parameters have the names and shapes of our checkpoints, so that it can begin
//! from a run's own weights; where data are not drawn at every step, numbers then agree step by step, which a test
//! holds. Random numbers are PyTorch's own. What is not covered is refused with a sentence rather than approximated.

use super::quote_argument;
use vivarium_core::pytorch::{
    ScriptPart, base64_floats, dict_entries, schedule_list, setting_literal, string_literal,
};
use vivarium_core::settings::Value;
use vivarium_model::models::Family;
use vivarium_model::models::graph_prompts::PromptInput;
use vivarium_model::permalink::{Link, encode};
use vivarium_model::run::{RunSpec, StopCondition};
use vivarium_operators::Graph;
use vivarium_operators::pytorch::ScriptContext;

/// Beginning of a generated PyTorch script: imports and settings.
const HEAD_PY: &str = include_str!("torch/head.py");
/// Part of a generated PyTorch script that starts from initial weights written into the script.
const GIVEN_PY: &str = include_str!("torch/given.py");
/// Training loop at the end of a generated PyTorch script.
const TRAIN_PY: &str = include_str!("torch/train.py");

/// Largest number of initial weights of one network that a PyTorch script contains, about a mebibyte of text; a script
/// of a larger network contains none.
const MAX_GIVEN_WEIGHTS: u64 = (1 << 20) * 3 / 16;

/// Writes the PyTorch script that trains the run.
///
/// # Errors
/// A sentence that says why the script would not be the same experiment.
pub fn write_script(spec: &RunSpec) -> Result<String, String> {
    if !spec.run.sweep.is_empty() {
        return Err(tr!(
            "A sweep has many runs, but a script trains only one run. Open one run of the sweep first."
        )
        .into());
    }
    let data = spec.task.script().to_pytorch(spec.run.seed)?;
    let model = spec.model.script().to_pytorch(spec.run.seed)?;
    let optimizer = spec.optimizer.script().to_pytorch(spec.run.seed)?;
    Ok(assemble_script(spec, &data, &model, &optimizer))
}

/// Assembles a PyTorch script from the parts for the task (`data`), the model and the optimizer; if the model provides
/// a whole script, returns this script with the run's settings and with comment lines on its origin.
pub(super) fn assemble_script(
    spec: &RunSpec,
    data: &ScriptPart,
    model: &ScriptPart,
    optimizer: &ScriptPart,
) -> String {
    let link = encode(&Link::from_spec(spec.clone()));
    if let Some(whole) = model.full_script {
        // The number of steps comes from the run, unless task or model set it.
        let steps = ("steps", spec.run.steps.to_string());
        let settings = [steps].into_iter().chain(data.settings.clone()).chain(model.settings.clone());
        return format_origin(spec, &link) + &whole.replace("{{settings}}", &dict_entries(settings));
    }
    let begin = HEAD_PY
        .replace("{{about}}", spec.model.info().about)
        .replace("{{link}}", &link)
        .replace("{{command}}", &format!("lab run {}", quote_argument(&link)))
        .replace("{{program}}", &super::TrainingEnvironment::program())
        .replace("{{settings}}", &format_settings(spec, data, model));
    let given =
        model.embeds_initial_weights.then(|| GIVEN_PY.replace("{{given}}", &format_initial_weights(spec)));
    let graph = script_graph(spec);
    // Code of such a model is its function `initial`.
    let has_initial = !model.code.is_empty();
    let prompts = PromptInput::of(&spec.task.data());
    let positions = prompts.map(|input| match input.codes() {
        Some(_) => ("encoded(p, x)", input.label_distance()),
        None => ("tokens(x)", input.label_distance()),
    });
    let initial: &[_] = match prompts.and_then(|input| input.codes()) {
        Some(_) => &[("codes", "drawn_codes()")],
        None => &[],
    };
    let context = ScriptContext { has_initial, positions, initial };
    let written = graph.map(|graph| vivarium_operators::pytorch::functions(&graph, context));
    let parts =
        data.code.iter().chain(&model.code).copied().chain(written.as_deref()).chain(given.as_deref());
    let parts = parts.chain(optimizer.code.iter().copied());
    let parts = std::iter::once(begin.as_str()).chain(parts).chain([TRAIN_PY]);
    parts.map(str::trim_end).collect::<Vec<_>>().join("\n\n\n") + "\n"
}

/// The graph from which the functions of a script are written; none if the model provides them.
fn script_graph(spec: &RunSpec) -> Option<Graph> {
    let is_graph = spec.model.config().family() == Some(Family::Graph);
    spec.architecture().graph(spec.task.examples().inputs(), 0).filter(|_| is_graph)
}

/// Formats the initial weights as entries of a Python dictionary, name to base64 text; of one replica if all are equal.
/// Empty if they are too many, or if they are constructed by code in the page's second WebAssembly file that is not
/// loaded.
fn format_initial_weights(spec: &RunSpec) -> String {
    let shapes = spec.parameters();
    let of_one: u64 = shapes.iter().map(|p| p.numbers() / spec.run.replicas as u64).sum();
    if of_one > MAX_GIVEN_WEIGHTS {
        return String::new();
    }
    let config = spec.model.config();
    let weights = match config.constructed(&spec.task, spec.run.seed) {
        Some(one) => one,
        None if config.construction(&spec.task).is_some() => return String::new(),
        None => {
            let (one, all) = (spec.initialize_replicas(1), spec.initialize_parameters());
            let is_same = |(one, all): (&Vec<f32>, &Vec<f32>)| all.chunks(one.len()).all(|own| own == one);
            if one.iter().zip(&all).all(is_same) { one } else { all }
        }
    };
    if weights.iter().map(|values| values.len() as u64).sum::<u64>() > MAX_GIVEN_WEIGHTS {
        return String::new();
    }
    dict_entries(shapes.iter().zip(&weights).map(|(p, values)| (p.name.as_str(), base64_floats(values))))
}

/// Comment lines at the top of a PyTorch script that the model provides as a whole. The link is not in the first two
/// lines, where Python looks for an encoding.
fn format_origin(spec: &RunSpec, link: &str) -> String {
    let (about, program) = (spec.model.info().about, super::TrainingEnvironment::program());
    let command = format!("lab run {} --checkpoint weights.safetensors", quote_argument(link));
    format!(
        "# {about}\n# Written by {program} for the run\n#\n#     {link}\n#\n# This command saves its weights:\n#\n\
        #     {command}\n\n"
    )
}

/// Formats the run's settings as entries of a Python dictionary, for the start of a PyTorch script.
fn format_settings(spec: &RunSpec, data: &ScriptPart, model: &ScriptPart) -> String {
    // Where it is measured, and what trains it, is PyTorch's business.
    /// Keys of settings that are left out of a PyTorch script, where they have no meaning.
    const OMITTED_KEYS: [&str; 7] = ["device", "learner", "sweep", "series", "further", "lrs", "table"];
    let mut all: Vec<(String, String)> = vec![];
    let mut put = |key: &str, value: String| all.push((key.into(), value));
    put("task", string_literal(spec.task.info().slug));
    put("model", string_literal(spec.model.info().slug));
    put("opt", string_literal(spec.optimizer.info().slug));
    for (_, setting) in spec.settings() {
        if OMITTED_KEYS.contains(&setting.key) || !spec.has_effect(setting.key) {
            continue;
        }
        // A relevant set is an entry of the data's own; a scale of inputs has the same key.
        if let Some(set) =
            spec.value(setting.key).filter(|set| setting.key != "s" || !matches!(set, Value::List(_)))
        {
            put(setting.key, setting_literal(&set));
        }
    }
    put("batch", spec.batch_size().to_string());
    put("held", spec.held_out_count().to_string());
    put("lrs", schedule_list(&spec.run.schedule));
    put("until_target", if spec.run.halt == StopCondition::Target { "True".into() } else { "False".into() });
    data.settings.iter().chain(&model.settings).for_each(|(key, value)| put(key, value.clone()));
    let shapes = spec.parameters();
    let shape = |p: &vivarium_model::models::Parameter| {
        format!("{}: ({}, {})", string_literal(&p.name), p.shape[1], p.shape[2])
    };
    put("shapes", format!("{{{}}}", shapes.iter().map(shape).collect::<Vec<_>>().join(", ")));
    let names = |of: &dyn Fn(usize) -> bool| {
        let names =
            shapes.iter().enumerate().filter(|(which, _)| of(*which)).map(|(_, p)| string_literal(&p.name));
        format!("[{}]", names.collect::<Vec<_>>().join(", "))
    };
    put("fixed", names(&|which| model.constant_parameters.contains(&which)));
    let graph = script_graph(spec);
    let is_fixed = |which: usize| graph.as_ref().is_some_and(|graph| !graph.parameters()[which].is_trained);
    let architecture = spec.architecture();
    let is_frozen = |which| {
        model.frozen_parameters.contains(&which) || is_fixed(which) || !architecture.is_trained(which)
    };
    put("frozen", names(&is_frozen));
    put("undecayed", names(&|which| !spec.architecture().decays(which)));
    dict_entries(all)
}
