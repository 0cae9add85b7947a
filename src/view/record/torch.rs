//! The PyTorch script that states the same experiment.
//!
//! # Why
//! Whoever doubts a page takes its experiment to tools of their own. So the script is plain PyTorch with nothing but
//! torch to install: the settings on top, then data, model and training as the papers write them, without any of the
//! rearrangements that make the page fast. Parameters have the names and shapes of our checkpoints, so that it can begin
//! from a run's own weights; where data are not drawn at every step, numbers then agree step by step, which a test
//! holds. Random numbers are PyTorch's own. What is not covered is refused with a sentence rather than approximated.

use super::shell;
use vivarium_core::pytorch::{Part, entries, numbers, schedule, text, value};
use vivarium_core::settings::Value;
use vivarium_model::permalink::{Link, encode};
use vivarium_model::run::{Halt, RunSpec};

const HEAD: &str = include_str!("torch/head.py");
const GIVEN: &str = include_str!("torch/given.py");
const TRAIN: &str = include_str!("torch/train.py");

/// Most initial weights that a script holds: a mebibyte of text.
const MOST_GIVEN: u64 = (1 << 20) * 3 / 16;

/// The script of a run.
///
/// # Errors
/// A sentence that says why the script would not be the same experiment.
pub fn script(spec: &RunSpec) -> Result<String, String> {
    if !spec.run.sweep.is_empty() {
        return Err(tr!(
            "A sweep has many runs, but a script trains only one run. Open one run of the sweep first."
        )
        .into());
    }
    let data = spec.task.script().to_pytorch(spec.run.seed)?;
    let model = spec.model.script().to_pytorch(spec.run.seed)?;
    let optimizer = spec.optimizer.script().to_pytorch(spec.run.seed)?;
    Ok(put_together(spec, &data, &model, &optimizer))
}

/// The script of a run from what its task, its model and its optimizer say.
pub(super) fn put_together(spec: &RunSpec, data: &Part, model: &Part, optimizer: &Part) -> String {
    let link = encode(&Link::of(spec.clone()));
    if let Some(whole) = model.whole {
        // How many steps it makes is said by the run, unless task or model say it.
        let steps = ("steps", spec.run.steps.to_string());
        let settings = [steps].into_iter().chain(data.settings.clone()).chain(model.settings.clone());
        return origin(spec, &link) + &whole.replace("{{settings}}", &entries(settings));
    }
    let begin = HEAD
        .replace("{{about}}", spec.model.info().about)
        .replace("{{link}}", &link)
        .replace("{{command}}", &format!("lab run {}", shell(&link)))
        .replace("{{program}}", &super::Environment::program())
        .replace("{{settings}}", &settings(spec, data, model));
    let given = model.given.then(|| GIVEN.replace("{{given}}", &given(spec)));
    let parts = data.code.iter().chain(&model.code).copied().chain(given.as_deref());
    let parts = parts.chain(optimizer.code.iter().copied());
    let parts = std::iter::once(begin.as_str()).chain(parts).chain([TRAIN]);
    parts.map(str::trim_end).collect::<Vec<_>>().join("\n\n\n") + "\n"
}

/// The initial weights as the entries of a Python dictionary: of one replica where all are the same. Nothing where they are
/// too many, or where a page without its second program cannot construct them.
fn given(spec: &RunSpec) -> String {
    let shapes = spec.parameters();
    let of_one: u64 = shapes.iter().map(|p| p.numbers() / spec.run.replicas as u64).sum();
    if of_one > MOST_GIVEN {
        return String::new();
    }
    let config = spec.model.config();
    let weights = match config.constructed(&spec.task, spec.run.seed) {
        Some(one) => one,
        None if config.construction(&spec.task).is_some() => return String::new(),
        None => {
            let (one, all) = (spec.initial_of(1), spec.initial());
            let is_same = |(one, all): (&Vec<f32>, &Vec<f32>)| all.chunks(one.len()).all(|own| own == one);
            if one.iter().zip(&all).all(is_same) { one } else { all }
        }
    };
    if weights.iter().map(|values| values.len() as u64).sum::<u64>() > MOST_GIVEN {
        return String::new();
    }
    entries(shapes.iter().zip(&weights).map(|(p, values)| (p.name.as_str(), numbers(values))))
}

/// What a whole script is of, as comments. The link stands in neither of the first two lines, where Python looks for an
/// encoding.
fn origin(spec: &RunSpec, link: &str) -> String {
    let (about, program) = (spec.model.info().about, super::Environment::program());
    let command = format!("lab run {} --checkpoint weights.safetensors", shell(link));
    format!(
        "# {about}\n# Written by {program} for the run\n#\n#     {link}\n#\n# This command saves its weights:\n#\n\
        #     {command}\n\n"
    )
}

/// The settings as the entries of a Python dictionary.
fn settings(spec: &RunSpec, data: &Part, model: &Part) -> String {
    // Where it is measured, and what trains it, is PyTorch's business.
    const LEFT_OUT: [&str; 7] = ["device", "learner", "sweep", "series", "further", "lrs", "table"];
    let mut all: Vec<(String, String)> = vec![];
    let mut put = |key: &str, value: String| all.push((key.into(), value));
    put("task", text(spec.task.info().slug));
    put("model", text(spec.model.info().slug));
    put("opt", text(spec.optimizer.info().slug));
    for (_, knob) in spec.knobs() {
        if LEFT_OUT.contains(&knob.key) || !spec.applies(knob.key) {
            continue;
        }
        // A relevant set is an entry of the data's own; a scale of inputs has the same key.
        if let Some(set) =
            spec.value(knob.key).filter(|set| knob.key != "s" || !matches!(set, Value::List(_)))
        {
            put(knob.key, value(&set));
        }
    }
    put("batch", spec.batch().to_string());
    put("held", spec.held_out().to_string());
    put("lrs", schedule(&spec.run.schedule));
    put("until_target", if spec.run.halt == Halt::Target { "True".into() } else { "False".into() });
    data.settings.iter().chain(&model.settings).for_each(|(key, value)| put(key, value.clone()));
    let shapes = spec.parameters();
    let shape = |p: &vivarium_model::models::Parameter| {
        format!("{}: ({}, {})", text(&p.name), p.shape[1], p.shape[2])
    };
    put("shapes", format!("{{{}}}", shapes.iter().map(shape).collect::<Vec<_>>().join(", ")));
    let names = |of: &dyn Fn(usize) -> bool| {
        let names = shapes.iter().enumerate().filter(|(which, _)| of(*which)).map(|(_, p)| text(&p.name));
        format!("[{}]", names.collect::<Vec<_>>().join(", "))
    };
    put("fixed", names(&|which| model.fixed.contains(&which)));
    put("frozen", names(&|which| model.frozen.contains(&which)));
    put("undecayed", names(&|which| !spec.architecture().decays(which)));
    entries(all)
}
