//! The tensors in a file of weights are what `src/model/models/TENSORS.md` says: every parameter has its entry, with its shape,
//! and a program in Python that has nothing but numpy and the file computes the same outputs and losses.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::process::Command;

use safetensors::Dtype;
use safetensors::tensor::TensorView;
use vivarium::models::layout::{Tensor, Tensors};
use vivarium::models::{Model, Parameter};
use vivarium::run::RunSpec;
use vivarium::settings::Value;
use vivarium::tasks::{Batch, Task, TaskData};
use vivarium::training::session::evaluator::Evaluator;
use vivarium_core::testing::skip;

use crate::folder::Folder;
use crate::{finish, session, spec};

/// Runs of all models that compute outputs from their weights, in many of their forms, each with a name.
const RUNS: &[(&str, &str)] = &[
    ("mlp", "sparse-parity?n=12&width=17&opt=adam"),
    ("mlp-power", "sparse-parity?n=12&width=8&act=power&degree=2&loss=square&lr=0.01"),
    ("mlp-zigzag", "sparse-parity?n=12&width=8&act=zigzag&loss=ce&mom=0.9"),
    ("mlp-wave", "sparse-parity?n=12&width=8&act=wave&degree=2&bias=none"),
    ("mlp-polynomial", "sparse-parity?n=12&width=8&act=osc&loss=corr&lr=0.001&second=ones"),
    ("mlp-sine", "sparse-parity?n=12&width=8&act=sin&bias=hidden"),
    ("mlp-kept", "sparse-parity?n=12&width=8&keep=2.3.8"),
    ("polynet", "sparse-parity?n=12&model=polynet"),
    ("disjoint-polynet", "sparse-parity?n=13&model=disjoint-polynet&layout=blocks&lr=0.01"),
    ("deep-mlp", "sparse-parity?n=12&model=deep-mlp&widths=7.5.3"),
    ("deep-mlp-greedy", "sparse-parity?n=12&model=deep-mlp&widths=7.5&layers=greedy"),
    ("deep-mlp-table", "tabular?rows=400&m=100&widths=9.6"),
    (
        "parity-transformer",
        "sparse-parity?n=12&model=parity-transformer&demb=8&dattn=4&heads=2&dmlp=16&opt=adam",
    ),
    ("perceptron", "teacher-student?n=40"),
    ("own", "sparse-parity?n=12&model=own&net=embed~20;mlp~9~gelu;norm;linear~7~no-bias;square;read"),
    ("own-linear", "sparse-parity?n=12&model=own&net=linear~20;relu;read"),
    ("own-default", "groups?n=11&model=own"),
    (
        "own-attention",
        "groups?n=11&model=own&net=embed~12~separate;token;positions;norm;attention~3;mlp~10;attention~2~size~5~causal~relu;read~last",
    ),
    (
        "own-sequence",
        "markov?k=3&t=12&model=own&net=embed~8;positions;attention~2~pre-norm;mlp~6~gelu~pre-norm;norm;attention~4~relative~relu;read",
    ),
    ("own-recurrent", "markov?k=3&t=12&model=own&net=embed~8;gru~20;mlp~6;gru~5;read"),
    (
        "own-prompt",
        "sparse-token-regression?n=6&dim=2&model=own&net=embed~8;attention~2;mlp~9;gru~7;attention~1~size~3~causal~relative;read",
    ),
    (
        "own-points",
        "in-context-learning?points=7&model=own&net=embed~8;positions;attention~2~pre-norm;mlp~9~gelu~pre-norm;norm;read",
    ),
    ("own-concat", "groups?n=11&model=own&net=embed~12;concat;linear~16;square;read"),
    ("power-net", "sparse-parity?n=12&model=power-net&width=9&loss=ce"),
    ("cls-transformer", "sparse-boolean?n=12&demb=16&heads=4&dmlp=24"),
    ("cls-transformer-plain", "sparse-boolean?n=12&demb=16&heads=4&dmlp=24&ln=no"),
    ("group-net-square", "groups?n=11&width=24&frac=0.7"),
    ("group-net-relu", "groups?op=symmetric&letters=3&width=24&act=relu&nu=2"),
    ("modular-transformer", "groups?n=11&model=modular-transformer&demb=16&dattn=4&heads=2&dmlp=24&frac=0.5"),
    (
        "modular-transformer-relu",
        "groups?n=11&model=modular-transformer&demb=16&dattn=4&heads=2&dmlp=24&attend=relu",
    ),
    ("embedding-mlp", "groups?n=11&model=embedding-mlp&demb=16&width=12&frac=0.5"),
    ("embedding-mlp-concat", "groups?n=11&model=embedding-mlp&demb=16&width=12&tied=no&join=concat"),
    ("attention-only", "markov?k=3&t=12&d=8&heads=2.1"),
    ("attention-only-absolute", "markov?k=3&t=12&d=8&heads=1.2&pos=absolute"),
    ("attention-only-norm", "markov?k=3&t=12&d=8&heads=2.2&norm=pre&mlp=on"),
    ("minimal-markov", "markov?k=3&t=12&model=minimal-markov"),
    ("token-attention", "sparse-token-regression?n=6&dim=2&h=2&width=16"),
    (
        "token-attention-separate",
        "sparse-token-regression?n=6&h=2&width=16&qk=separate&dk=5&scores=all&values=token&codes=random&de=9&enc=root",
    ),
    ("token-mlp", "sparse-token-regression?n=6&model=token-mlp&widths=20.10"),
    ("gru", "sparse-token-regression?n=6&model=gru&width=12"),
    ("gated-memory", "sparse-token-regression?n=12&model=gated-memory&knots=8&steps=4"),
    ("gated-memory-names", "sparse-token-regression?n=6&lists=one&model=gated-memory&slots=names&knots=8"),
    ("in-context-transformer", "in-context-learning?points=6"),
    (
        "in-context-transformer-joint",
        "in-context-learning?points=6&dim=2&format=joint&attend=relu&norm=layer&act=gelu&pos=none&blocks=1",
    ),
    ("descent-transformer", "in-context-regression?hidden=4.3&steps=3"),
    ("circuit-network", "boolean-circuit?n=3&steps=2"),
    ("circuit-network-toy", "boolean-circuit?circuit=toy&levels=3&steps=2"),
    ("circuit-network-plain", "boolean-circuit?n=3&round=no&steps=2"),
];

/// Further runs, of models whose tensors depend on the task.
const OTHERS: [&str; 1] = ["turing-machine?m=parity&t=20"];

/// Short, and all of it with two replicas.
fn link(run: &str) -> String {
    let rest = [("steps", "12"), ("every", "4"), ("halt", "steps"), ("held", "64"), ("replicas", "2")];
    let is_given = |key: &str| run.contains(&format!("&{key}=")) || run.contains(&format!("?{key}="));
    let rest = rest.iter().filter(|(key, _)| !is_given(key));
    format!("#v1/{run}{}", rest.map(|(key, value)| format!("&{key}={value}")).collect::<String>())
}

/// The first parameters of models that belong to the state of a run alone, and not to its formula.
const STATES: [&str; 2] = ["direct", "least"];

fn tensors_of(spec: &RunSpec) -> &'static Tensors {
    let at = Model::ENTRIES.iter().position(|entry| entry.info.slug == spec.model.info().slug).unwrap();
    &Model::TENSORS[at]
}

/// What shapes are made of: whole settings by their keys, and the letters of TENSORS.md that stand for sizes of examples.
fn sizes(spec: &RunSpec) -> HashMap<String, usize> {
    let whole = |(_, info): (_, &vivarium::settings::SettingInfo)| match spec.value(info.key)? {
        Value::Int(value) => Some((info.key.to_string(), value as usize)),
        _ => None,
    };
    let mut all: HashMap<String, usize> = spec.settings().into_iter().filter_map(whole).collect();
    let examples = spec.task.examples();
    let mut put = |letter: &str, value: usize| all.insert(letter.into(), value);
    match examples.data() {
        TaskData::Bits(_) | TaskData::Rows => {
            put("n", examples.inputs());
        }
        TaskData::Pairs => {
            put("p", examples.inputs());
        }
        TaskData::Sequences(_) | TaskData::Traces(_) => {
            put("k", examples.inputs());
            put("t", examples.prediction_count());
        }
        TaskData::Prompts(prompts) => {
            put("e", prompts.code_dim);
            put("D", prompts.encoded_dim());
        }
        _ => {}
    }
    all
}

/// Sizes that are known of a run, and those of letters, which the first shape with a letter settles.
struct Known {
    sizes: HashMap<String, usize>,
    letters: HashMap<String, usize>,
}

/// The part of a name that a pattern leaves open, such as "search.2.own" or "layer3": letters may differ from one to the next.
fn scope(pattern: &str, name: &str) -> String {
    let Some((_, after)) = pattern.rsplit_once('}') else { return String::new() };
    name.strip_suffix(after).unwrap_or(name).to_string()
}

/// The letter as it is told apart from those of other layers.
fn own(letter: &str, scope: &str) -> String {
    let digits = scope.trim_start_matches(|c: char| !c.is_ascii_digit());
    let layer: usize = digits.parse().unwrap_or(0);
    match letter.strip_suffix("_l") {
        Some(base) => format!("{base}_{layer}"),
        None => match letter.strip_suffix("_{l−1}") {
            Some(base) => format!("{base}_{}", layer.wrapping_sub(1)),
            None => format!("{letter} {scope}"),
        },
    }
}

impl Known {
    /// The value of a sum of products, or the first letter in it that is not known.
    fn value(&self, sum: &str, scope: &str) -> Result<usize, String> {
        let factor = |word: &str| {
            let known = word.parse().ok().or_else(|| self.sizes.get(word).copied());
            let key = own(word, scope);
            known.or_else(|| self.letters.get(&key).copied()).ok_or(key)
        };
        let product = |text: &str| text.split(" · ").map(factor).product::<Result<usize, String>>();
        sum.split(" + ").map(product).sum()
    }

    /// Whether a size is what one of the alternatives of `text` says; a letter that is not known yet gets the value with
    /// which it is.
    fn agrees(&mut self, text: &str, size: usize, scope: &str) -> bool {
        let mut unknown = None;
        for sum in text.split(" or ") {
            match self.value(sum, scope) {
                Ok(value) if value == size => return true,
                Ok(_) => {}
                Err(letter) => unknown = Some((sum, letter)),
            }
        }
        let Some((sum, letter)) = unknown else { return false };
        let is_solved = (0..=size).any(|value| {
            self.letters.insert(letter.clone(), value);
            self.value(sum, scope) == Ok(size)
        });
        if !is_solved {
            self.letters.remove(&letter);
        }
        is_solved
    }
}

/// What is wrong with the entries of a run's parameters.
fn flaws(spec: &RunSpec, found: &mut BTreeSet<(&'static str, &'static str)>) -> Vec<String> {
    let (slug, tensors) = (spec.model.info().slug, tensors_of(spec));
    let mut known = Known { sizes: sizes(spec), letters: HashMap::new() };
    let (mut flaws, mut order) = (vec![], vec![]);
    for Parameter { name, shape } in spec.parameters() {
        let Some(at) = tensors.all.iter().position(|tensor| tensor.is_of(&name)) else {
            flaws.push(format!("{slug}: {name} has no entry in TENSORS"));
            continue;
        };
        let Tensor { name: pattern, shape: texts, axes, only, .. } = tensors.all[at];
        found.insert((slug, pattern));
        let scope = scope(pattern, &name);
        order.push((scope.clone(), at));
        for (text, size) in texts.into_iter().zip(&shape[1..]) {
            if !known.agrees(text, *size, &scope) {
                flaws.push(format!("{slug}: {text} of {name} is {size}, with {:?}", known.letters));
            }
        }
        for (axis, size) in axes.into_iter().zip(&shape[1..]) {
            if axis.is_empty() && *size != 1 {
                flaws.push(format!("{slug}: {name} does not say what its {size} numbers belong to"));
            }
        }
        let is_set = |setting: &str| {
            let (key, wanted) = setting.split_once('=').unwrap();
            spec.value(key).is_some_and(|value| value.to_string() == wanted)
        };
        if only.is_some_and(|settings| !settings.split(" and ").all(is_set)) {
            flaws.push(format!("{slug}: {name} is there without {only:?}"));
        }
    }
    // Those of a layer, and those of no layer.
    for (at, (scope, number)) in order.iter().enumerate() {
        let is_after =
            order[..at].iter().filter(|(other, _)| other == scope).all(|(_, other)| other <= number);
        if !is_after {
            flaws.push(format!("{slug}: the entries have another order than the file"));
        }
    }
    flaws
}

#[test]
fn every_parameter_has_its_entry_and_every_entry_its_parameter() {
    let (mut found, mut wrong) = (BTreeSet::new(), vec![]);
    for task in Task::ENTRIES {
        for model in Model::ENTRIES {
            let mut spec = RunSpec::default_of_lab(task.info.slug).unwrap();
            if Model::suit(model.info.slug, &spec.task) {
                spec.parse("model", model.info.slug).unwrap();
                wrong.extend(flaws(&spec, &mut found));
            }
        }
    }
    for run in RUNS.iter().map(|(_, run)| run).chain(&OTHERS) {
        wrong.extend(flaws(&spec(&link(run)), &mut found));
    }
    for (entry, tensors) in Model::ENTRIES.iter().zip(Model::TENSORS) {
        let slug = entry.info.slug;
        for tensor in tensors.all {
            if !found.contains(&(slug, tensor.name)) {
                wrong.push(format!("{slug}: no run here has {}", tensor.name));
            }
        }
        // The formula of what is computed in Python names all that it takes; other parameters are the state of a search.
        let used = RUNS.iter().filter(|(_, run)| spec(&link(run)).model.info().slug == slug);
        let letters = tensors.letters.iter().map(|[_, about]| *about).collect::<String>();
        let named = [tensors.formula, &letters].concat();
        let is_named = |tensor: &Tensor| named.contains(tensor.name);
        let first_state = tensors.all.iter().position(|tensor| STATES.contains(&tensor.name));
        for tensor in &tensors.all[..first_state.unwrap_or(tensors.all.len())] {
            if used.clone().next().is_some() && !is_named(tensor) {
                wrong.push(format!("{slug}: the formula does not name {}", tensor.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_shape_that_is_not_the_parameters_is_seen() {
    let mut known = Known { sizes: HashMap::from([("n".into(), 5)]), letters: HashMap::new() };
    assert!(known.agrees("n", 5, "") && known.agrees("2 · n + 1", 11, "") && !known.agrees("n", 6, ""));
    assert!(known.agrees("3 · S", 12, "") && known.agrees("S", 4, "") && !known.agrees("S", 5, ""));
    assert!(!known.agrees("3 · V", 13, "") && known.agrees("3 · V", 15, ""));
    assert!(known.agrees("n or m_{l−1}", 5, "w1") && known.agrees("m_l", 7, "w1"));
    assert!(known.agrees("n or m_{l−1}", 7, "w2") && !known.agrees("n or m_{l−1}", 8, "w2"));
    assert!(known.agrees("K", 3, "search.0.own") && known.agrees("K", 4, "search.1.own"));
    assert!(!known.agrees("K", 4, "search.0.own"));
}

/// A Python that can import numpy, or why there is none.
fn python() -> Result<String, String> {
    let wanted = std::env::var("VIVARIUM_PYTHON").ok();
    let name = wanted.clone().unwrap_or("python3".into());
    let has = Command::new(&name).args(["-c", "import numpy"]).output();
    match has {
        Ok(output) if output.status.success() => Ok(name),
        _ if wanted.is_some() => panic!("VIVARIUM_PYTHON is {name}, which cannot import numpy"),
        Ok(_) => Err(format!("{name} cannot import numpy (VIVARIUM_PYTHON names another Python)")),
        Err(why) => Err(format!("{name} does not run ({why}; VIVARIUM_PYTHON names another Python)")),
    }
}

/// Arrays of single precision as a safetensors file, with texts in its header.
fn file(arrays: &[(&str, Vec<usize>, Vec<f32>)], texts: &[(&str, String)]) -> Vec<u8> {
    let bytes: Vec<Vec<u8>> = arrays
        .iter()
        .map(|(_, _, all)| all.iter().flat_map(|number| number.to_le_bytes()).collect())
        .collect();
    let views = arrays
        .iter()
        .zip(&bytes)
        .map(|((name, shape, _), bytes)| (*name, TensorView::new(Dtype::F32, shape.clone(), bytes).unwrap()));
    let texts = texts.iter().map(|(key, text)| (key.to_string(), text.clone())).collect();
    safetensors::serialize(views, Some(texts)).unwrap()
}

/// Held-out examples of a replica, as its network sees them.
fn examples(spec: &RunSpec, replica: u32) -> Batch {
    let mut batch = Batch::default();
    if let Some(evaluator) = Evaluator::new(spec) {
        batch.x = evaluator.contexts()[..spec.held_out_count() * spec.task.examples().prediction_count()]
            .iter()
            .map(|symbol| f32::from(*symbol))
            .collect();
        batch.y = vec![0.0; spec.held_out_count()];
    } else {
        spec.task.sampler().append_held_out_of_replica(
            spec.run.seed,
            replica,
            0,
            spec.held_out_count(),
            &mut batch,
        );
    }
    batch
}

/// The outputs of a replica's weights for these examples.
fn outputs(spec: &RunSpec, weights: &[&[f32]], batch: &Batch, stage: usize) -> Vec<f32> {
    let examples = spec.task.examples();
    let columns = batch.x.len() / batch.len();
    // A network on sequences is given the label behind the context.
    let rows = batch.x.chunks(columns);
    let is_sequence = matches!(examples.data(), TaskData::Sequences(_));
    let x: Vec<f32> = rows.flat_map(|row| row.iter().copied().chain(is_sequence.then_some(0.0))).collect();
    spec.network().evaluate(weights, examples.inputs(), &x, stage)
}

/// How the held-out loss of a run is to be computed, by a word that the program in Python knows; empty where the measure is
/// no loss of outputs.
fn loss(spec: &RunSpec) -> &'static str {
    match spec.task.data() {
        TaskData::Bits(_) | TaskData::Rows => "signs",
        TaskData::Pairs => "classes",
        TaskData::Sequences(_) => "chains",
        TaskData::Prompts(_) => "positions",
        TaskData::Points(_) => "points",
        TaskData::Fit(_) => "fit",
        _ => "",
    }
}

/// Trains a run and writes its checkpoint, and a file with held-out examples, outputs and losses.
fn write(folder: &Folder, name: &str, run: &str) {
    let link = link(run);
    let mut session = session(&link);
    let spec = spec(&link);
    let last = finish(&mut session).rows.pop().unwrap();
    let step = session.step();
    assert_eq!(last.step, step, "{link}");
    let checkpoint = pollster::block_on(session.checkpoint()).unwrap();
    std::fs::write(folder.file(&format!("{name}.weights.safetensors")), checkpoint.encode().unwrap())
        .unwrap();

    let (replicas, stage) = (spec.run.replicas, spec.stage(step));
    let (mut x, mut y, mut f) = (vec![], vec![], vec![]);
    for replica in 0..replicas {
        let one = |values: &Vec<f32>| values.len() / replicas;
        let all = &checkpoint.weights.parameters;
        let own: Vec<&[f32]> =
            all.iter().map(|values| &values[replica * one(values)..][..one(values)]).collect();
        let batch = examples(&spec, replica as u32);
        f.extend(outputs(&spec, &own, &batch, stage));
        x.extend(batch.x);
        y.extend(batch.y);
    }
    let count = y.len() / replicas;
    let per_example = |values: &[f32]| vec![replicas, count, values.len() / y.len()];
    let mut arrays = vec![
        ("x", per_example(&x), x.clone()),
        ("f", per_example(&f), f.clone()),
        ("y", vec![replicas, count], y.clone()),
        ("loss", vec![replicas, 1], last.test_loss.clone()),
    ];
    if let Some(evaluator) = Evaluator::new(&spec) {
        let symbols = spec.task.examples().inputs();
        let truth: Vec<f32> = evaluator.truths()[..count * symbols].iter().map(|p| *p as f32).collect();
        arrays.push(("truth", vec![replicas, count, symbols], truth.repeat(replicas)));
    }
    let infos = spec.settings().into_iter();
    let mut settings: BTreeMap<String, String> = infos
        .filter_map(|(_, info)| Some((info.key.to_string(), spec.value(info.key)?.to_string())))
        .collect();
    settings.insert("model".into(), spec.model.info().slug.into());
    settings.insert("task".into(), spec.task.info().slug.into());
    settings.insert("stage".into(), stage.to_string());
    if let Some(variance) = spec.task.sampler().label_variance(spec.run.seed) {
        settings.insert("variance".into(), variance.to_string());
    }
    let texts = [
        ("settings", serde_json::to_string(&settings).unwrap()),
        ("step", step.to_string()),
        ("loss", loss(&spec).into()),
    ];
    std::fs::write(folder.file(&format!("{name}.examples.safetensors")), file(&arrays, &texts)).unwrap();
}

/// A new model needs a run in [`RUNS`], unless it computes no outputs from its weights.
#[test]
fn every_model_that_is_trained_is_recomputed() {
    let slugs: BTreeSet<&str> = RUNS.iter().map(|(_, run)| spec(&link(run)).model.info().slug).collect();
    for entry in Model::ENTRIES {
        let is_trained = Model::from_slug(entry.info.slug).unwrap().config().has_weights();
        assert!(!is_trained || slugs.contains(entry.info.slug), "{} has no run here", entry.info.slug);
    }
}

#[test]
fn numpy_computes_the_same_outputs_and_losses_from_checkpoints() {
    let python = match python() {
        Ok(python) => python,
        Err(why) => return skip(module_path!(), &why),
    };
    let folder = Folder::new("tensors");
    RUNS.iter().for_each(|(name, run)| write(&folder, name, run));
    // The command line writes the same file.
    let (name, run) = RUNS[0];
    let written = folder.file("command.safetensors");
    let command = Command::new(env!("CARGO_BIN_EXE_lab"))
        .args(["run", &link(run), "--device", "cpu", "-q", "--checkpoint", &written])
        .output()
        .unwrap();
    assert!(command.status.success(), "{}", String::from_utf8_lossy(&command.stderr));
    let own = std::fs::read(folder.file(&format!("{name}.weights.safetensors"))).unwrap();
    let theirs = std::fs::read(&written).unwrap();
    let numbers =
        |file: &[u8]| file[8 + u64::from_le_bytes(file[..8].try_into().unwrap()) as usize..].to_vec();
    assert_eq!(numbers(&own), numbers(&theirs), "`lab run` writes other weights");

    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/tensors.py");
    let output = Command::new(python).arg(program).arg(&folder.0).output().unwrap();
    let said = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes)).concat();
    println!("{said}");
    assert!(output.status.success(), "{said}");
    assert!(said.contains(&format!("{} runs, 0 of them wrong", RUNS.len())), "{said}");
}
