//! The PyTorch script that states the same experiment.
//!
//! # Why
//! Whoever doubts a page takes its experiment to tools of their own. So the script is plain PyTorch with nothing but
//! torch to install: the settings on top, then data, model and training as the papers write them, without any of the
//! rearrangements that make the page fast. Parameters have the names and shapes of our checkpoints, so that it can begin
//! from a run's own weights; where data are not drawn at every step, numbers then agree step by step, which a test
//! holds. Random numbers are PyTorch's own. What is not covered is refused with a sentence rather than approximated.

use super::shell;
use crate::models::{Model, attention_only, deep_mlp, group_net, minimal_markov, mlp, polynet, power_net};
use crate::optim::Optimizer;
use crate::permalink::{Link, View, encode};
use crate::run::{Halt, RunSpec};
use crate::settings::Value;
use crate::tasks::Task;
use crate::tasks::tabular::Origin;

const HEAD: &str = include_str!("torch/head.py");
const TRAIN: &str = include_str!("torch/train.py");
const BITS: &str = include_str!("torch/bits.py");
const PAIRS: &str = include_str!("torch/pairs.py");
const SEQUENCES: &str = include_str!("torch/sequences.py");
const SIGNS: &str = include_str!("torch/signs.py");
const TABULAR: &str = include_str!("torch/tabular.py");
const SAMPLE: &str = include_str!("torch/sample.py");
const CLASSES: &str = include_str!("torch/classes.py");
const SIGMA: &str = include_str!("torch/sigma.py");
const PENALTY: &str = include_str!("torch/penalty.py");

/// The script of a run.
///
/// # Errors
/// A sentence where it would not be the same experiment.
pub fn script(spec: &RunSpec) -> Result<String, String> {
    if !spec.run.sweep.is_empty() {
        return Err(tr!("A sweep is many runs, and a script is of one: open one of them.").into());
    }
    let data: &[&str] = match &spec.task {
        Task::SparseParity(_) => &[SAMPLE, BITS, SIGNS],
        Task::Groups(_) => &[SAMPLE, CLASSES, PAIRS],
        Task::MarkovChain(_) => &[CLASSES, SEQUENCES],
        Task::Tabular(task) if task.origin == Origin::Own => {
            return Err(tr!("A script is of a generated table: it has no words for a file.").into());
        }
        Task::Tabular(_) => &[SAMPLE, TABULAR, SIGNS],
        Task::SparseBoolean(_) => return Err("Sparse Boolean functions are not in the script yet.".into()),
    };
    let mut parts: Vec<&str> = data.to_vec();
    parts.extend(model(&spec.model)?);
    let link =
        Link { spec: spec.clone(), view: View::of(&spec.task), theory: Default::default(), reserved: vec![] };
    let link = encode(&link);
    let begin = HEAD
        .replace("{{about}}", spec.model.info().about)
        .replace("{{link}}", &link)
        .replace("{{command}}", &format!("lab run {}", shell(&link)))
        .replace("{{program}}", &super::Environment::program())
        .replace("{{settings}}", &settings(spec));
    let parts = std::iter::once(begin.as_str()).chain(parts).chain([TRAIN]);
    Ok(parts.map(str::trim_end).collect::<Vec<_>>().join("\n\n\n") + "\n")
}

/// The parts of a model's script.
fn model(model: &Model) -> Result<Vec<&'static str>, String> {
    let written = "The weights that this run begins with are written down, not drawn, and the script has no words for \
                   that yet.";
    Ok(match model {
        Model::Mlp(net) if !net.keep.is_empty() => return Err(written.into()),
        Model::Mlp(_) => vec![SIGMA, include_str!("torch/mlp.py")],
        Model::Polynet(_) => vec![include_str!("torch/polynet.py")],
        Model::DisjointPolynet(_) => vec![include_str!("torch/disjoint_polynet.py")],
        Model::DeepMlp(net) if net.training == deep_mlp::Training::Greedy => {
            return Err(
                tr!("Training layer by layer is not in the script yet; all layers together are.").into()
            );
        }
        Model::DeepMlp(_) => vec![SIGMA, include_str!("torch/deep_mlp.py")],
        Model::PowerNet(net) if net.from != power_net::Beginning::Random => return Err(written.into()),
        Model::PowerNet(_) => vec![PENALTY, include_str!("torch/power_net.py")],
        Model::GroupNet(net) if net.from != group_net::Beginning::Random => return Err(written.into()),
        Model::GroupNet(_) => vec![PENALTY, include_str!("torch/group_net.py")],
        Model::ParityTransformer(_) => vec![include_str!("torch/parity_transformer.py")],
        Model::RandomForest(_) => return Err("A forest is not trained by gradients.".into()),
        Model::ClsTransformer(_) => return Err("This transformer is not in the script yet.".into()),
        Model::ModularTransformer(_) => vec![include_str!("torch/modular_transformer.py")],
        Model::EmbeddingMlp(_) => vec![include_str!("torch/embedding_mlp.py")],
        Model::AttentionOnly(net) if net.from != attention_only::Beginning::Drawn => {
            return Err(written.into());
        }
        Model::AttentionOnly(_) => vec![include_str!("torch/attention_only.py")],
        Model::MinimalMarkov(net) if net.from != minimal_markov::Beginning::Constant => {
            return Err(written.into());
        }
        Model::MinimalMarkov(_) => vec![include_str!("torch/minimal_markov.py")],
    })
}

/// The settings as the entries of a Python dictionary.
fn settings(spec: &RunSpec) -> String {
    // Where it is measured, and what trains it, is PyTorch's business.
    const LEFT_OUT: [&str; 7] = ["device", "learner", "sweep", "series", "lrs", "s", "table"];
    let mut entries: Vec<(String, String)> = vec![];
    let mut put = |key: &str, value: String| entries.push((key.into(), value));
    put("task", text(spec.task.info().slug));
    put("model", text(spec.model.info().slug));
    put("opt", text(spec.optimizer.info().slug));
    for (_, knob) in spec.knobs() {
        if LEFT_OUT.contains(&knob.key) || !spec.applies(knob.key) {
            continue;
        }
        if let Some(value) = spec.value(knob.key) {
            put(knob.key, python(&value));
        }
    }
    put("batch", spec.batch().to_string());
    put("held", spec.held_out().to_string());
    put("lrs", schedule(&spec.run.schedule));
    put("until_target", if spec.run.halt == Halt::Target { "True".into() } else { "False".into() });
    match &spec.task {
        Task::SparseParity(_) => {
            put("relevant", from_one(&spec.task.sampler().relevant(spec.run.seed)));
        }
        Task::Groups(task) => {
            put("order", task.order().to_string());
            if !task.is_modular() || task.operation.slug() == "random" {
                put("table", rows(&task.products(spec.run.seed), task.order()));
            }
            put("trained", mask(&task.split(spec.run.seed).0, task.order().pow(2)));
        }
        Task::Tabular(task) => {
            put("relevant", from_one(&task.support(spec.run.seed)));
            put("sample", spec.task.sampler().sample_size().unwrap_or_default().to_string());
        }
        Task::MarkovChain(_) | Task::SparseBoolean(_) => {}
    }
    if let Model::DeepMlp(net) = &spec.model {
        put("depth", net.widths.len().to_string());
    }
    let shapes = spec.parameters();
    let shape = |p: &crate::models::Parameter| format!("{}: ({}, {})", text(&p.name), p.shape[1], p.shape[2]);
    put("shapes", format!("{{{}}}", shapes.iter().map(shape).collect::<Vec<_>>().join(", ")));
    let names = |of: &dyn Fn(usize) -> bool| {
        let names = shapes.iter().enumerate().filter(|(which, _)| of(*which)).map(|(_, p)| text(&p.name));
        format!("[{}]", names.collect::<Vec<_>>().join(", "))
    };
    let fixed = fixed(&spec.model);
    put("fixed", names(&|which| fixed.contains(&which)));
    put("frozen", names(&|which| frozen(&spec.model).contains(&which)));
    put("undecayed", names(&|which| !spec.architecture().decays(which)));
    if let Optimizer::Sgd(_) = spec.optimizer {
        put("wdkind", text("coupled"));
    }
    // The last word counts where a setting is given twice, and stands where it was first.
    let mut lines: Vec<(String, String)> = vec![];
    for (key, value) in entries {
        match lines.iter_mut().find(|(known, _)| *known == key) {
            Some(line) => line.1 = value,
            None => lines.push((key, value)),
        }
    }
    lines.iter().map(|(key, value)| format!("    {}: {value},\n", text(key))).collect()
}

/// Parameters that stay as they were drawn.
fn frozen(model: &Model) -> &'static [usize] {
    match model {
        Model::Mlp(net) if net.first == mlp::FirstLayer::Frozen => &[mlp::W, mlp::B],
        _ => &[],
    }
}

/// Parameters that are not there, or ones.
fn fixed(model: &Model) -> Vec<usize> {
    match model {
        Model::Mlp(net) => {
            let (hidden, output) = net.biases();
            let ones = net.second == mlp::SecondLayer::Ones;
            let all = [(ones, mlp::U), (!hidden, mlp::B), (!output, mlp::BETA)];
            all.iter().filter(|(is_fixed, _)| *is_fixed).map(|(_, which)| *which).collect()
        }
        Model::Polynet(net) if net.bias == polynet::Bias::No => vec![polynet::B],
        _ => vec![],
    }
}

fn text(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn schedule(changes: &[(u64, f64)]) -> String {
    let change = |(step, value): &(u64, f64)| format!("({step}, {})", crate::settings::real(*value));
    format!("[{}]", changes.iter().map(change).collect::<Vec<_>>().join(", "))
}

/// A list of columns, counted from 1.
fn from_one(columns: &[usize]) -> String {
    let columns: Vec<String> = columns.iter().map(|column| (column + 1).to_string()).collect();
    format!("[{}]", columns.join(", "))
}

/// A value as Python has it.
fn python(value: &Value) -> String {
    match value {
        Value::Int(_) | Value::Real(_) => value.to_string(),
        Value::Choice(word) => text(word),
        Value::Schedule(changes) => schedule(changes),
        Value::List(_) => format!("[{}]", value.to_string().replace('.', ", ")),
        other => text(&other.to_string()),
    }
}

/// A table in rows of one string, which Python splits.
fn rows(products: &[u32], order: usize) -> String {
    let row = |row: &[u32]| row.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
    let rows: Vec<String> = products.chunks(order.max(1)).map(row).collect();
    format!("\"\"\"\n{}\n\"\"\"", rows.join("\n"))
}

/// Which of `all` pairs are among `chosen`, as hexadecimal digits of four pairs each, the first the lowest bit; None for
/// all of them.
fn mask(chosen: &[u32], all: usize) -> String {
    if chosen.len() == all {
        return "None".into();
    }
    let mut digits = vec![0u8; all.div_ceil(4)];
    chosen.iter().for_each(|pair| digits[*pair as usize / 4] |= 1 << (pair % 4));
    let digits: String = digits.iter().map(|d| char::from_digit((*d).into(), 16).unwrap_or('0')).collect();
    let lines: Vec<String> = digits
        .as_bytes()
        .chunks(100)
        .map(|c| format!("        \"{}\"", String::from_utf8_lossy(c)))
        .collect();
    format!("(\n{}\n    )", lines.join("\n"))
}
