//! Scripts of runs that begin from weights set by hand, that train layer by layer, and of the tasks on few relevant bits.

use vivarium::labs::{PRESETS, find_preset};
use vivarium::permalink::{Link, ViewSettings, decode, encode};
use vivarium::record::torch;
use vivarium::run::RunSpec;

fn link(text: &str) -> Link {
    let (link, notices) = decode(text);
    assert!(notices.is_empty(), "{notices:?}");
    link
}

fn script(text: &str) -> String {
    torch::write_script(&link(text).spec).unwrap()
}

/// Relevant bits and the scale of inputs have the same key in links, and only the first have an entry of their own.
#[test]
fn the_scale_of_inputs_is_a_setting_and_relevant_bits_are_data() {
    let scaled = script("#v1/in-context-learning?s=2.5");
    assert!(scaled.contains("\"s\": 2.5") && scaled.contains("S[\"s\"]"), "{scaled}");
    for mixed in ["#v1/in-context-learning?dist=mixture&w2=0.25&dim=2", "#v1/sparse-parity?n=9&s=1.3.5"] {
        assert!(!script(mixed).contains("\"s\":"), "{mixed}");
    }
}

#[test]
fn weights_set_by_hand_are_a_formula_or_numbers() {
    let formulas = [
        ("#v1/groups?n=5&width=50&from=memorise", "def memorising():"),
        ("#v1/sparse-parity?model=power-net&n=6&k=3&from=maximum&loss=ce", "def of_largest_margin():"),
        ("#v1/markov?d=6&from=circuit", "def induction_head():"),
        ("#v1/markov?model=minimal-markov&from=bigram", "\"bigram\": {\"kernel\": torch.eye(K)"),
    ];
    for (text, part) in formulas {
        let script = script(text);
        assert!(script.contains(part) && !script.contains("GIVEN"), "{script}");
        assert_eq!(script.matches("def initial():").count(), 1, "{script}");
    }
    for text in GIVEN {
        let script = script(text);
        assert!(script.contains("GIVEN = {\n    \"") && script.contains("import base64"), "{script}");
        assert_eq!(script.matches("def initial():").count(), 1, "{script}");
    }
    assert!(!script("#v1/sparse-parity").contains("GIVEN"));
}

/// Runs with initial weights that no short formula gives.
const GIVEN: [&str; 6] = [
    "#v1/groups?n=5&width=16&from=maximum",
    "#v1/groups?op=sub&n=5&width=16&from=maximum",
    "#v1/sparse-parity?n=9&width=40&keep=3.17&replicas=3",
    "#v1/sparse-parity?n=9&width=40&keep=3.17&replicas=4&inits=2&second=ones&bias=output",
    "#v1/sparse-parity?n=9&width=40&init=perturbed&keep=2&replicas=3&inits=1",
    "#v1/sparse-token-regression?begin=construction&width=256",
];

#[test]
fn numbers_of_one_network_are_written_once_and_too_many_not_at_all() {
    let lines = |text: &str| {
        let script = script(text);
        let (_, given) = script.split_once("GIVEN = {\n").unwrap();
        given.split_once("\n}\n").map_or(0, |(given, _)| given.lines().count())
    };
    let kept = |replicas: &str| lines(&format!("#v1/sparse-parity?n=300&width=40&keep=3.17&{replicas}"));
    assert_eq!(kept("replicas=9&inits=1"), kept("replicas=1"));
    assert!(kept("replicas=9") > 6 * kept("replicas=1"));
    let large = script("#v1/sparse-parity?n=500&width=400&keep=1.2.3&replicas=200");
    assert!(large.contains("GIVEN = {\n}\n"), "{} letters", large.len());
}

#[test]
fn layers_that_are_trained_one_after_the_other_are_stages() {
    let of = |layers: &str| script(&format!("#v1/sparse-parity?model=deep-mlp&widths=4.3.2&layers={layers}"));
    for (part, ends, stages) in [
        ("\"stages\": 3,", 0, 1),
        ("\"depth\": 3,", 1, 0),
        ("def enter(step):", 0, 1),
        ("def forward(p, x):", 1, 1),
    ] {
        assert_eq!(
            [of("end"), of("greedy")].map(|text| text.matches(part).count()),
            [ends, stages],
            "{part}"
        );
    }
}

#[test]
fn the_function_of_the_relevant_bits_is_a_table() {
    for (text, parts) in [
        ("fn=and", ["\"truth\": \"00000001\",", "\"ones\": 0.7937005259840998,"]),
        ("fn=or&k=2", ["\"truth\": \"0111\",", "\"ones\": 0.2928932188134524,"]),
        ("fn=own&own=0010&s=4.9", ["\"truth\": \"0010\",", "\"relevant\": [4, 9],"]),
        ("ln=no", ["\"fixed\": [\"gains\", \"shifts\"],", "\"tries\": 1,"]),
    ] {
        let script = script(&format!("#v1/sparse-boolean?{text}"));
        for part in parts {
            assert!(script.contains(part), "{part} is not in\n{script}");
        }
    }
    let hebb = script("#v1/teacher-student?n=3");
    assert_eq!(hebb.lines().filter(|line| line.starts_with("    \"teacher\": [")).count(), 1);
}

/// Where minGPT drops numbers, and how its trainer shortens gradients.
#[test]
fn dropout_and_the_largest_norm_of_a_gradient_are_in_the_script() {
    let script = script("#v1/sparse-boolean?adrop=0.1&edrop=0.2&rdrop=0.3&clip=1");
    for (part, times) in [
        ("\"adrop\": 0.1,", 1),
        ("\"edrop\": 0.2,", 1),
        ("\"rdrop\": 0.3,", 1),
        ("\"clip\": 1,", 1),
        (".softmax(-1), S[\"adrop\"])", 1),
        ("dropped(tokens, S[\"edrop\"])", 1),
        (", S[\"rdrop\"])", 2),
        ("        clip(p)\n    update.step()", 1),
    ] {
        assert_eq!(script.matches(part).count(), times, "{part} in\n{script}");
    }
}

/// Names that a line of a script gives to what stands outside of functions.
fn given(line: &str) -> Vec<&str> {
    let defined = line.strip_prefix("def ").or_else(|| line.strip_prefix("class "));
    let names: Vec<&str> = match (defined, line.split_once(" = ")) {
        (Some(rest), _) => rest.split(['(', ':']).take(1).collect(),
        (None, Some((names, _))) => names.split(", ").collect(),
        (None, None) => vec![],
    };
    if line.starts_with(' ') {
        return vec![];
    }
    let is_name = |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    names.into_iter().filter(is_name).collect()
}

#[test]
fn every_preset_has_a_script_or_a_sentence() {
    let mut refused = vec![];
    for preset in PRESETS {
        match torch::write_script(&preset.link().spec) {
            Ok(script) => {
                assert!(!script.contains("{{"), "{}", preset.slug);
                // Parts are written by themselves: what one calls SIZE, another must not.
                let mut names: Vec<&str> = script.lines().flat_map(given).collect();
                names.sort_unstable();
                let twice = names.windows(2).find(|pair| pair[0] == pair[1]);
                assert!(names.len() > 10 && twice.is_none(), "{}: {twice:?}", preset.slug);
                assert!(script.contains(&encode(&Link {
                    view: ViewSettings::default_of_task(&preset.link().spec.task),
                    ..preset.link()
                })));
            }
            Err(why) => {
                assert!(why.ends_with('.'), "{why}");
                // A sweep is many runs, and a script is of one: that of each of them there is.
                let mut one = preset.link().spec;
                (one.run.sweep, one.run.series, one.run.further) = Default::default();
                // What is executed is not trained, anywhere, and a forest not by gradients.
                let is_trained = one.model.config().has_weights();
                if is_trained
                    && (preset.link().spec.run.sweep.is_empty() || torch::write_script(&one).is_err())
                {
                    refused.push((preset.slug, why));
                }
            }
        }
    }
    assert!(refused.is_empty(), "{refused:?}");
}

/// Optimizers, schedules and smoothed labels, and what a script writes for them.
const RULES: [(&str, &[&str]); 6] = [
    (
        "opt=sgd&lr=0.3&mom=0.9&momkind=nesterov&wd=0.01",
        &["torch.optim.SGD(", "nesterov=True", "\"mom\": 0.9"],
    ),
    (
        "opt=sgd&lr=0.3&mom=0.9&cool=cosine&lrs=5:0.1",
        &["torch.optim.SGD(", "LambdaLR(", "\"cool\": \"cosine\""],
    ),
    (
        "opt=adam&lr=0.01&warm=3&cool=drops&drop=4&gamma=0.5",
        &["torch.optim.AdamW", "\"drop\": 4", "\"gamma\": 0.5"],
    ),
    ("opt=lion&lr=0.003&wd=0.1&cool=linear", &["class Lion(torch.optim.Optimizer)", "\"b2\": 0.99"]),
    ("opt=muon&wd=0.1&warm=2", &["class Muon(torch.optim.Optimizer)", "\"nssteps\": 5"]),
    ("opt=sgd&lr=0.3&ls=0.2", &["\"ls\": 0.2", "label_smoothing=label_smoothing"]),
];

#[test]
fn scripts_name_the_optimizer_and_the_schedule() {
    for (rule, parts) in RULES {
        let script = torch::write_script(&link(&format!("#v1/groups?n=5&{rule}")).spec).unwrap();
        for part in parts {
            assert!(script.contains(part), "{rule}: {part} is not in\n{script}");
        }
        assert_eq!(script.contains("nesterov=True"), rule.contains("nesterov"), "{rule}");
        assert_eq!(script.matches("def moved(groups)").count(), 1, "{rule}");
    }
    let classical = torch::write_script(&link("#v1/sparse-parity?mom=0&momkind=nesterov").spec).unwrap();
    assert!(!classical.contains("nesterov=True"), "PyTorch refuses it without momentum");
}

/// The bytes of a file of weights, as the library writes them.
fn weights_of(spec: &RunSpec) -> Vec<u8> {
    let link = Link { spec: spec.clone(), ..Default::default() };
    let solved = vec!["-"; spec.run.replicas].join(" ");
    let mut parts = vec![format!(
        "\"__metadata__\":{{\"format\":\"{}\",\"link\":\"{}\",\"step\":\"0\",\"solved\":\"{solved}\"}}",
        vivarium::run::checkpoint::FORMAT,
        encode(&link)
    )];
    let mut data: Vec<u8> = vec![];
    for (parameter, values) in spec.parameters().iter().zip(spec.initialize_parameters()) {
        let moments = (0..spec.optimizer.moment_count()).map(|i| format!("{}.moment{i}", parameter.name));
        let named = std::iter::once((parameter.name.clone(), values.clone()));
        for (name, values) in named.chain(moments.map(|name| (name, vec![0.0f32; parameter.len()]))) {
            let begin = data.len();
            data.extend(values.iter().flat_map(|v| v.to_le_bytes()));
            let shape = parameter.shape;
            parts.push(format!(
                "\"{name}\":{{\"dtype\":\"F32\",\"shape\":{shape:?},\"data_offsets\":[{begin},{}]}}",
                data.len()
            ));
        }
    }
    let header = format!("{{{}}}", parts.join(","));
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &data].concat()
}

/// Scripts that PyTorch runs; without it these tests are reported as skipped.
mod peers {
    use std::path::Path;
    use std::process::Command;

    use super::*;
    use vivarium::presets::Preset;
    use vivarium::pytorch::peer::find_python;
    use vivarium::run::StopCondition;
    use vivarium::tasks::{Batch, Examples, Task};
    use vivarium::training::autodiff::Autodiff;
    use vivarium::training::launch::device::Device;
    use vivarium::training::session::learner::Learner;
    use vivarium_core::testing::skip;

    /// Runs scripts one after the other in one interpreter, since importing torch takes longer than most of them.
    const DRIVER: &str = "
import contextlib, runpy, sys
for name in sys.argv[1:]:
    sys.argv = [name + '.py', '--weights', name + '.safetensors']
    with open(name + '.csv', 'w') as out, open(name + '.txt', 'w') as err:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            runpy.run_path(name + '.py', run_name='__main__')
";

    /// Runs the scripts of these runs from the weights of the runs themselves; lines of numbers, and what they said.
    fn run(python: &str, folder: &str, specs: &[(&str, RunSpec)]) -> Vec<(Vec<Vec<f32>>, String)> {
        let folder = std::env::temp_dir().join(format!("vivarium-{folder}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = |name: &str, ending: &str| folder.join(format!("{name}.{ending}"));
        for (name, spec) in specs {
            std::fs::write(path(name, "py"), torch::write_script(spec).unwrap()).unwrap();
            std::fs::write(path(name, "safetensors"), weights_of(spec)).unwrap();
        }
        let mut driver = Command::new(python);
        driver.arg("-c").arg(DRIVER).current_dir(&folder).args(specs.iter().map(|(name, _)| name));
        let output = driver.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let read = |(name, _): &(&str, RunSpec)| {
            let table = std::fs::read_to_string(path(name, "csv")).unwrap();
            let messages = std::fs::read_to_string(path(name, "txt")).unwrap();
            let numbers = |line: &str| {
                let cells = line.split(',').map(str::parse);
                cells
                    .collect::<Result<_, _>>()
                    .unwrap_or_else(|why| panic!("{name}: {line}: {why}\n{messages}"))
            };
            (table.lines().skip(1).map(numbers).collect(), messages)
        };
        let found = specs.iter().map(read).collect();
        std::fs::remove_dir_all(folder).unwrap();
        found
    }

    /// Steps and losses that are recorded of a preset's first replica.
    fn golden(slug: &str) -> Option<(Vec<f32>, Vec<f32>, Vec<f32>)> {
        let path = format!("{}/tests/golden/runs/{slug}.toml", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).ok()?;
        let list = |key: &str| -> Option<Vec<f32>> {
            let line = text.lines().find_map(|line| line.strip_prefix(&format!("{key} = [")))?;
            line.trim_end_matches(']').split(", ").map(|cell| cell.parse().ok()).collect()
        };
        Some((list("steps")?, list("train_loss")?, list("test_loss")?))
    }

    fn short(preset: &Preset, steps: u64) -> RunSpec {
        let mut spec = preset.link().spec;
        (spec.run.replicas, spec.run.inits, spec.run.every, spec.run.halt) = (1, 0, 1, StopCondition::Steps);
        spec.run.steps = steps;
        spec
    }

    /// A script makes the updates of autodiff with every optimizer, schedule and with smoothed labels.
    #[test]
    fn scripts_make_the_updates_of_every_optimizer() {
        let Some(python) = find_python() else { return skip(module_path!(), "no Python can import torch") };
        let pairs = "#v1/groups?n=5&width=12&std=0.4&steps=12&halt=steps&every=1";
        let specs: Vec<RunSpec> =
            RULES.iter().map(|(rule, _)| link(&format!("{pairs}&{rule}")).spec).collect();
        let named: Vec<String> = (0..specs.len()).map(|at| format!("rule{at}")).collect();
        let named: Vec<(&str, RunSpec)> = named.iter().map(String::as_str).zip(specs).collect();
        for (((_, spec), (rows, _)), (rule, _)) in named.iter().zip(run(python, "rules", &named)).zip(RULES) {
            let device = Device::cpu();
            let mut tensors = Autodiff::new(spec, device.tensors()).unwrap();
            assert_eq!(rows.len(), 13, "{rule}");
            for (step, row) in rows.iter().enumerate() {
                let measured = Learner::measure(&mut tensors, step as u64, 64);
                let exact = pollster::block_on(measured).unwrap().train_loss[0];
                assert!(
                    (row[2] - exact).abs() < 1e-4 * (0.1 + exact),
                    "{rule}, step {step}: {} {exact}",
                    row[2]
                );
                tensors.train(step as u64, spec.learning_rate(step as u64));
            }
        }
    }

    /// Whether every step takes all of a sample that hangs on no random number, or on one that the script is told.
    fn is_exact(spec: &RunSpec) -> bool {
        let sampler = spec.task.sampler();
        let given = matches!(&spec.task, Task::Groups(_)) || spec.task.examples().trains_on_all_inputs();
        given && sampler.training_set_size() == Some(spec.batch_size())
    }

    #[test]
    fn scripts_give_the_recorded_numbers_where_no_data_are_drawn() {
        let Some(python) = find_python() else { return skip(module_path!(), "no Python can import torch") };
        let mut specs = vec![];
        for preset in PRESETS {
            let spec = short(preset, 20);
            let fits = spec.step_flops() < 2e8 && spec.run.sweep.is_empty() && golden(preset.slug).is_some();
            if is_exact(&spec) && fits && torch::write_script(&spec).is_ok() {
                specs.push((preset.slug, spec));
            }
        }
        assert!(specs.len() >= 10, "{}", specs.len());
        for ((slug, _), (rows, _)) in specs.iter().zip(run(python, "exact", &specs)) {
            let Some((steps, train, test)) = golden(slug) else { continue };
            for (step, (train, test)) in steps.iter().zip(train.iter().zip(&test)) {
                let row = rows.iter().find(|row| row[0] == *step).unwrap();
                // Rounding grows along a run.
                let bound = if *step < 6.0 { 1e-4 } else { 2e-3 };
                for (found, expected) in [(row[2], train), (row[4], test)] {
                    let off = (found - expected).abs() / (1e-3 + expected.abs());
                    assert!(off < bound, "{slug} at step {step}: {found} and {expected}");
                }
            }
        }
    }

    #[test]
    fn scripts_begin_where_the_runs_begin_where_data_are_drawn() {
        let Some(python) = find_python() else { return skip(module_path!(), "no Python can import torch") };
        let (mut models, mut specs) = (vec![], vec![]);
        for preset in PRESETS {
            let mut spec = short(preset, 2);
            let key = (
                spec.task.info().slug,
                spec.model.info().slug,
                spec.value("act"),
                spec.value("norm"),
                spec.value("mlp"),
            );
            let known = is_exact(&spec) || models.contains(&key) || golden(preset.slug).is_none();
            // The script of a process prints no table of training.
            let fits = spec.step_flops() < 1e9 && spec.run.sweep.is_empty() && !spec.is_executed();
            if known || !fits || torch::write_script(&spec).is_err() {
                continue;
            }
            spec.run.held_out = 4096;
            models.push(key);
            specs.push((preset.slug, spec));
        }
        assert!(specs.len() >= 8, "{models:?}");
        for ((slug, spec), (rows, _)) in specs.iter().zip(run(python, "drawn", &specs)) {
            let Some((_, _, test)) = golden(slug) else { continue };
            // Held-out examples are others, and a product of normal numbers has a wide law.
            let bound = if spec.run.loss.is_signed() { 2.0 } else { 0.02 + 0.15 * test[0] };
            assert!((rows[0][4] - test[0]).abs() < bound, "{slug}: {:?} and {}", rows[0], test[0]);
        }
    }

    #[test]
    fn what_is_learned_on_the_page_is_learned_by_the_script() {
        let Some(python) = find_python() else { return skip(module_path!(), "no Python can import torch") };
        let parity = link("#v1/sparse-parity?n=20&width=64&every=50&held=1024").spec;
        let induction = find_preset("induction").unwrap().link().spec;
        let found = run(python, "learned", &[("parity", parity), ("induction", induction)]);
        assert!(found[0].1.contains("Replica 0: target accuracy at step"), "{}", found[0].1);
        let kl: Vec<f32> = found[1].0.iter().map(|row| row[4]).collect();
        assert!(kl[kl.len() - 1] < 0.4 * kl[0], "{kl:?}");
    }

    /// Prints the initial weights of each script, one parameter after the other, as the whole numbers that have their bits.
    const WEIGHTS: &str = "
import runpy, sys, torch
for name in sys.argv[1:]:
    script = runpy.run_path(name + '.py', run_name='script')
    p = script['initial']()
    numbers = torch.cat([p[key].flatten() for key in script['S']['shapes']])
    print(name, *numbers.view(torch.int32).tolist())
";

    /// What this Python code prints when it is given the names of these runs' scripts, which are 0, 1, 2, ….
    fn driven(python: &str, folder: &str, code: &str, specs: &[RunSpec]) -> String {
        driven_with(python, folder, code, specs, |_, _| ())
    }

    /// As [`driven`]; `add_files` writes further files of a run, given the path of its script without the ending.
    fn driven_with(
        python: &str,
        folder: &str,
        code: &str,
        specs: &[RunSpec],
        add_files: impl Fn(&Path, &RunSpec),
    ) -> String {
        let folder = std::env::temp_dir().join(format!("vivarium-{folder}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut driver = Command::new(python);
        driver.arg("-c").arg(code).current_dir(&folder);
        for (at, spec) in specs.iter().enumerate() {
            std::fs::write(folder.join(format!("{at}.py")), torch::write_script(spec).unwrap()).unwrap();
            add_files(&folder.join(at.to_string()), spec);
            driver.arg(at.to_string());
        }
        let output = driver.output().unwrap();
        std::fs::remove_dir_all(folder).unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Bit by bit.
    #[test]
    fn scripts_begin_from_the_weights_that_are_set_by_hand() {
        let Some(python) = find_python() else { return skip(module_path!(), "no Python can import torch") };
        let formulas = [
            "#v1/groups?n=5&width=60&from=memorise&replicas=2",
            "#v1/groups?op=symmetric&letters=3&width=72&from=memorise",
            "#v1/groups?op=sub&n=7&width=98&from=memorise",
            "#v1/sparse-parity?model=power-net&n=6&k=3&from=maximum&loss=ce&replicas=2",
            "#v1/sparse-parity?model=power-net&n=9&k=4&degree=4&s=8.2.5.9&from=maximum&loss=ce",
            "#v1/markov?d=6&from=circuit",
            "#v1/markov?k=3&d=9&c=7&a=2&t=12&from=circuit&replicas=2",
            "#v1/markov?model=minimal-markov&from=bigram&k=3",
            "#v1/markov?model=minimal-markov&from=unigram",
            "#v1/markov?model=minimal-markov&from=layer1&w0=0.25",
            "#v1/markov?model=minimal-markov&from=layer2&v0=0.5&k=3&trained=layer1",
            "#v1/markov?model=minimal-markov&v0=0.5&w0=-0.25&replicas=2",
            "#v1/teacher-student?n=7",
        ];
        let specs: Vec<RunSpec> = formulas.iter().chain(&GIVEN).map(|text| link(text).spec).collect();
        let printed = driven(python, "begun", WEIGHTS, &specs);
        assert_eq!(printed.lines().count(), specs.len());
        for ((line, spec), text) in printed.lines().zip(&specs).zip(formulas.iter().chain(&GIVEN)) {
            let bits = line.split(' ').skip(1).map(|bits| bits.parse::<i32>().unwrap());
            let found: Vec<f32> = bits.map(|bits| f32::from_bits(bits.cast_unsigned())).collect();
            assert_eq!(found, spec.initialize_parameters().concat(), "{text}");
        }
    }

    /// Every stage of greedy training, the transformer of chapter 4 and the perceptron on all inputs: the numbers of
    /// autodiff.
    #[test]
    fn scripts_train_the_same_networks_where_no_data_are_drawn() {
        let Some(python) = find_python() else { return skip(module_path!(), "no Python can import torch") };
        let cube = "#v1/sparse-parity?n=6&k=2&data=cube&batch=0&replicas=2&steps=12&halt=steps&every=1";
        let models = [
            "model=deep-mlp&widths=3.2.2&layers=greedy&lr=0.1&wd=0.01&mom=0.5",
            "model=deep-mlp&widths=4.2&act=relu&layers=greedy&opt=adam&lr=0.01&clip=1",
            "model=cls-transformer&demb=8&heads=2&dmlp=12&opt=adam&lr=0.02&wd=0.1&loss=ce",
            "model=cls-transformer&demb=6&heads=3&dmlp=5&ln=no&lr=0.5&wd=0.01",
            "model=perceptron&begin=gaussian&loss=corr&lr=0.1",
            "model=own&net=embed~9;norm;mlp~6~gelu;linear~5~no-bias;square;read&lr=0.05&wd=0.01",
            "model=disjoint-polynet&degree=2&init=normal&lr=0.05&wd=0.01",
            "model=polynet&degree=2&lr=0.05",
        ];
        let specs: Vec<RunSpec> = models.iter().map(|model| link(&format!("{cube}&{model}")).spec).collect();
        let names: Vec<String> = (0..specs.len()).map(|at| format!("model{at}")).collect();
        let named: Vec<(&str, RunSpec)> = names.iter().map(String::as_str).zip(specs).collect();
        for (((_, spec), (rows, _)), model) in named.iter().zip(run(python, "stages", &named)).zip(models) {
            let device = Device::cpu();
            let mut tensors = Autodiff::new(spec, device.tensors()).unwrap();
            assert_eq!(rows.len(), 26, "{model}");
            for (step, rows) in rows.chunks(2).enumerate() {
                let exact = pollster::block_on(tensors.measure(step as u64, 64)).unwrap();
                for (row, (train, test)) in rows.iter().zip(exact.train_loss.iter().zip(&exact.test_loss)) {
                    for (found, exact) in [(row[2], train), (row[4], test)] {
                        let off = (found - exact).abs();
                        assert!(off < 1e-4 * (0.1 + exact.abs()), "{model}, step {step}: {found} {exact}");
                    }
                }
                tensors.train(step as u64, spec.learning_rate(step as u64));
            }
        }
    }

    /// Prints the outputs for the rows in a text file, with the weights of the run.
    const OUTPUTS: &str = "
import runpy, sys, torch
for name in sys.argv[1:]:
    script = runpy.run_path(name + '.py', run_name='script')
    rows = [[float(word) for word in line.split()] for line in open(name + '.txt')]
    f = script['forward'](script['loaded'](name + '.safetensors'), torch.tensor([rows]))
    print(*f.flatten().tolist())
";

    /// Prompts of tokens and of points, for networks that are described by a graph and for others.
    #[test]
    fn scripts_answer_prompts_as_the_runs() {
        let Some(python) = find_python() else { return skip(module_path!(), "no Python can import torch") };
        let tokens = "#v1/sparse-token-regression?n=6&dim=2&codes=random&enc=root";
        let points = "#v1/in-context-learning?points=7&dim=2";
        let links = [
            format!(
                "{tokens}&model=own&net=embed~8;attention~2;mlp~9;gru~7;attention~1~size~3~causal~relative;read"
            ),
            format!(
                "{points}&model=own&net=embed~8;positions;attention~2~pre-norm;mlp~9~gelu~pre-norm;norm;read"
            ),
            format!("{points}&format=joint&width=12"),
            format!("{tokens}&model=gru&width=5"),
        ];
        let specs: Vec<RunSpec> = links.iter().map(|text| link(text).spec).collect();
        let batch = |spec: &RunSpec| {
            let mut batch = Batch::default();
            spec.task.sampler().sample(3, 0, 0, 4, &mut batch);
            batch.x
        };
        let printed = driven_with(python, "prompts", OUTPUTS, &specs, |path, spec| {
            std::fs::write(path.with_extension("safetensors"), weights_of(spec)).unwrap();
            // A row of a script's prompt of tokens ends before its labels.
            let labels = spec.task.data().prompts().map_or(0, |prompts| prompts.length);
            let row = |row: &[f32]| {
                row[..row.len() - labels].iter().map(f32::to_string).collect::<Vec<_>>().join(" ") + "\n"
            };
            let rows: String = batch(spec).chunks(spec.task.examples().columns()).map(row).collect();
            std::fs::write(path.with_extension("txt"), rows).unwrap();
        });
        assert_eq!(printed.lines().count(), specs.len());
        for (line, (spec, text)) in printed.lines().zip(specs.iter().zip(&links)) {
            let found: Vec<f32> = line.split(' ').map(|number| number.parse().unwrap()).collect();
            let weights = spec.initialize_parameters();
            let weights: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
            let exact = spec.network().evaluate(&weights, spec.task.examples().inputs(), &batch(spec), 0);
            assert_eq!(found.len(), exact.len(), "{text}");
            for (found, exact) in found.iter().zip(&exact) {
                assert!((found - exact).abs() < 1e-4 * (0.1 + exact.abs()), "{text}: {found} and {exact}");
            }
        }
    }

    /// Prints a batch of each replica, its bits and then its labels, after a look at which replicas share it.
    const BATCHES: &str = "
import runpy, sys
for name in sys.argv[1:]:
    script = runpy.run_path(name + '.py', run_name='script')
    data = script['Data']()
    for _ in range(4):
        x, y = data.batch()
        alike = [[bool(a.equal(b)) for b in x] for a in x]
        assert alike == [[a // 2 == b // 2 for b in range(5)] for a in range(5)], alike
    for replica in range(5):
        print(name, *x[replica].flatten().int().tolist(), *y[replica].flatten().int().tolist())
    x, y = data.held_out
    print(name, *x.flatten().int().tolist(), *y.flatten().int().tolist())
";

    /// Samples that restarts share, that fit one set of bits only, and that are labelled as ours are.
    #[test]
    fn scripts_draw_the_samples_of_sparse_functions() {
        let Some(python) = find_python() else { return skip(module_path!(), "no Python can import torch") };
        let shared = "#v1/sparse-boolean?n=8&k=3&demb=4&heads=1&held=600&replicas=5&tries=2";
        let tasks = [
            "m=40",
            "m=0&batch=16",
            "m=40&batch=15",
            "fn=or&m=40",
            "fn=majority&m=40",
            "fn=own&own=0010&s=4.7&m=40",
        ];
        let specs: Vec<RunSpec> = tasks.iter().map(|text| link(&format!("{shared}&{text}")).spec).collect();
        let printed = driven(python, "samples", BATCHES, &specs);
        let lines: Vec<Vec<f32>> = printed
            .lines()
            .map(|line| line.split(' ').map(|number| number.parse().unwrap()).collect())
            .collect();
        assert_eq!(lines.len(), 6 * tasks.len());
        for (at, line) in lines.iter().enumerate() {
            let spec = &specs[at / 6];
            let Task::SparseBoolean(task) = &spec.task else { panic!("a task of this test") };
            let size = (line.len() - 1) / 9;
            let batch = Batch { x: line[1..][..8 * size].to_vec(), y: line[1 + 8 * size..].to_vec() };
            let (relevant, table) = (task.relevant(spec.run.seed), task.truth_table());
            for (x, y) in batch.x.chunks(8).zip(&batch.y) {
                let row = relevant.iter().fold(0, |row, bit| 2 * row + usize::from(x[*bit] > 0.0));
                assert_eq!(table[row], *y > 0.0, "{}: {x:?} {y}", tasks[at / 6]);
            }
            if size == 40 {
                assert!(task.determines_relevant_bits(&batch), "{}", tasks[at / 6]);
            }
            if size == 600 {
                let ones = batch.x.iter().filter(|x| **x > 0.0).count() as f64 / 4800.0;
                assert!((ones - task.probability_of_one()).abs() < 0.03, "{}: {ones}", tasks[at / 6]);
            }
        }
    }
}
