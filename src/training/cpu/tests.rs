//! The loops against autodiff, with every optimizer that they know, with schedules, and with smoothed labels.

use super::graph_net::{GraphNet, GraphNetCpu};
use super::group_net::GroupNetCpu;
use super::learner::{CpuLearner, CpuNetwork};
use super::one_hidden_layer::OneHiddenLayerCpu;
use super::prompt_net::PromptNetCpu;
use super::sequence_net::SequenceNetCpu;
use super::trace_net::TraceNetCpu;
use crate::autodiff::Autodiff;
use crate::launch::device::Device;
use crate::launch::learners::{Place, entry};
use crate::session::learner::{Learner, ready};
use vivarium_kernels::cpu::one_output::powers::PowersLoop;
use vivarium_kernels::cpu::prompt_net::mlp::MlpLoop;
use vivarium_model::permalink::decode;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::TaskData;

fn spec(link: &str) -> RunSpec {
    let (link, notices) = decode(link);
    assert!(notices.is_empty(), "{notices:?}");
    link.spec
}

/// Relative difference allowed after so many steps: rounding in another order, grown by training.
fn tolerance(steps: u64) -> f32 {
    match steps {
        1 => 2e-5,
        10 => 2e-4,
        _ => 4e-3,
    }
}

/// How far the numbers of two learners lie apart, as a share of the largest: the farthest, and on average.
fn apart(exact: &[f32], found: &[f32]) -> (f32, f32) {
    let scale = exact.iter().fold(1e-3f32, |most, number| most.max(number.abs()));
    let each: Vec<f32> = exact.iter().zip(found).map(|(a, b)| (a - b).abs() / scale).collect();
    (each.iter().fold(0.0, |most, one| most.max(*one)), each.iter().sum::<f32>() / each.len().max(1) as f32)
}

/// Trains a run with its loop and with autodiff, and compares weights and moments after 1, 10 and 100 steps.
fn agrees<N: CpuNetwork>(link: &str) {
    let spec = spec(link);
    assert!(
        !spec.uses_autodiff() && entry(&spec, Place::Cpu).is_some_and(|entry| entry.accepts(&spec).is_ok())
    );
    let mut tensors = Autodiff::new(&spec, Device::cpu().tensors()).unwrap();
    let mut looped = CpuLearner::<N>::new(&spec).unwrap();
    let mut step = 0;
    for until in [1, 10, 100] {
        looped.train(&spec, step, until);
        (step..until).for_each(|step| tensors.train(step, spec.learning_rate(step)));
        step = until;
        let (exact, mine) = (pollster::block_on(tensors.weights()).unwrap(), ready(looped.weights()));
        for (which, (a, b)) in exact.parameters.iter().zip(&mine.parameters).enumerate() {
            let (worst, mean) = apart(a, b);
            // Where a mean gradient is nearly 0, rounding decides on its sign, and the weight moves the other way.
            let fits = match spec.optimizer.info().slug {
                "lion" => mean <= 2e-3,
                // The iteration enlarges rounding in directions of small singular values.
                "muon" => mean <= 5e-3,
                _ => worst <= tolerance(until),
            };
            assert!(fits, "{link}: parameter {which} after {until} steps: {worst}, {mean}");
        }
        let moments = exact.moments.iter().flatten().zip(mine.moments.iter().flatten());
        assert_eq!(mine.moments.concat().len(), spec.optimizer.moment_count() * spec.parameters().len());
        for (a, b) in moments {
            let (worst, mean) = apart(a, b);
            let is_on_average = ["lion", "muon"].contains(&spec.optimizer.info().slug);
            assert!(if is_on_average { mean <= 0.05 } else { worst <= 0.05 }, "{link}: {worst}, {mean}");
        }
    }
    let weights = ready(looped.weights()).parameters;
    let still = spec.initialize_parameters().iter().zip(&weights).filter(|(a, b)| a == b).count();
    // The codes of tokens stay.
    let codes = usize::from(matches!(spec.task.data(), TaskData::Prompts(_)));
    // Gains and shifts of layer norms that are switched off stay as well.
    let switched_off = if link.contains("&ln=no") { 2 } else { 0 };
    // Networks that are described by a graph say which of their parameters stay.
    let graph = spec.architecture().graph(spec.task.examples().inputs(), 0);
    let architecture = spec.architecture();
    let frozen = (0..weights.len()).filter(|which| !architecture.is_trained(*which)).count();
    let fixed = graph.map_or(frozen, |graph| graph.parameters().iter().filter(|own| !own.is_trained).count());
    assert_eq!(still, codes + switched_off + fixed, "{link}: every other parameter is trained");
}

/// Optimizers and schedules; `{lr}` is a rate that suits the network.
const RULES: [&str; 5] = [
    "opt=sgd&lr={lr}&mom=0.8&momkind=nesterov&wd=0.001",
    "opt=sgd&lr={lr}&warm=20&cool=cosine&steps=110&lrs=40:0.02",
    "opt=sgd&lr={lr}&mom=0.5&cool=drops&drop=15&gamma=0.7",
    "opt=adam&lr=0.003&eps=0.0001&warm=8&cool=cosine&steps=90&wd=0.01",
    "opt=lion&lr=0.0005&wd=0.1&cool=linear&steps=120",
];

fn each(network: &str, lr: &str, check: impl Fn(&str)) {
    RULES.iter().for_each(|rule| check(&format!("{network}&{}", rule.replace("{lr}", lr))));
}

const PARITY: &str = "#v1/sparse-parity?n=9&k=2&width=18&batch=40&loss=ce&held=64&replicas=2&halt=steps";
const PAIRS: &str = "#v1/groups?n=7&width=20&std=0.4&halt=steps";
const CHAINS: &str = "#v1/markov?replicas=2&batch=5&k=3&t=20&model=minimal-markov&halt=steps";
const LAYERS: &str = "#v1/markov?batch=4&k=3&t=18&heads=2.1&d=12&halt=steps";
const TRACES: &str = "#v1/machine-traces?batch=3&t=20&d=8&heads=2.1&held=64&halt=steps";
const PROMPTS: &str = "#v1/sparse-token-regression?model=token-mlp&widths=16.8&n=5&dim=2&q=1&g=mean&batch=16&held=64&halt=steps";

#[test]
fn loops_make_the_updates_of_autodiff_on_bits_and_pairs() {
    each(PARITY, "0.05", agrees_on_bits);
    each(PAIRS, "0.2", agrees_on_pairs);
}

#[test]
fn loops_make_the_updates_of_autodiff_on_sequences_and_prompts() {
    each(CHAINS, "0.1", agrees_on_chains);
    // Frozen layers, with a gradient that is shortened by the norm of the trained weights alone.
    let clipped = "opt=adam&lr=0.003&eps=0.0001&clip=0.05&wd=0.01";
    agrees_on_chains(&format!("{CHAINS}&from=layer2&trained=layer1&{clipped}"));
    agrees_on_chains(&format!("{CHAINS}&from=layer1&w0=0.05&trained=layer2&{clipped}"));
    agrees_on_chains(&format!(
        "#v1/markov?batch=4&k=3&t=18&d=9&from=layer1&c=5&trained=layer2&halt=steps&{clipped}"
    ));
    agrees_on_chains(&format!(
        "#v1/markov?batch=4&k=3&t=18&d=9&from=embedding&trained=layers&halt=steps&{clipped}"
    ));
    agrees_on_chains(&format!(
        "{LAYERS}&opt=sgd&lr=0.05&mom=0.8&momkind=nesterov&warm=20&cool=cosine&steps=110"
    ));
    agrees_on_traces(&format!("{TRACES}&opt=adam&lr=0.002&eps=0.0001&cool=drops&drop=30"));
    each(PROMPTS, "0.02", agrees::<super::prompt_net::PromptNet<MlpLoop>>);
}

/// Powers of linear forms, whose penalty changes on the way: on all inputs, on drawn ones, and of both parities of an exponent.
#[test]
fn powers_are_those_of_autodiff_with_their_penalty_and_their_margin() {
    const POWERS: &str = "#v1/sparse-parity?model=power-net&loss=ce&held=64&halt=steps";
    type Powers = super::one_output::OneOutput<PowersLoop>;
    agrees::<Powers>(&format!("{POWERS}&n=6&data=cube&batch=0&opt=sgd&lr=0.05&lambda=0.02&lambdas=5:0.1"));
    agrees::<Powers>(&format!(
        "{POWERS}&n=9&k=2&degree=2&width=19&batch=40&opt=adam&eps=0.0001&lr=0.003&clip=0.5&replicas=2"
    ));
    agrees::<Powers>(&format!(
        "{POWERS}&n=8&k=4&degree=4&width=33&batch=70&opt=sgd&lr=0.02&mom=0.8&wd=0.01&std=0.4"
    ));
    // Measured alike, the margin too.
    let spec = spec(&format!("{POWERS}&n=6&data=cube&batch=0&std=0.5&replicas=2"));
    let mut looped = CpuLearner::<Powers>::new(&spec).unwrap();
    let mut tensors = Autodiff::new(&spec, Device::cpu().tensors()).unwrap();
    let (mine, exact) = (looped.measure_now(0, 64), pollster::block_on(tensors.measure(0, 64)).unwrap());
    let numbers = |row: &vivarium_model::protocol::Measurement| {
        [&row.train_loss, &row.train_accuracy, &row.test_loss, &row.test_accuracy, &row.margin]
            .map(Vec::clone)
    };
    for (a, b) in numbers(&mine).iter().zip(&numbers(&exact)) {
        assert_eq!((a.len(), b.len()), (2, 2));
        assert!(apart(b, a).0 < 1e-5, "{mine:?} {exact:?}");
    }
}

#[test]
fn loops_smooth_labels_as_autodiff_does() {
    agrees_on_bits(&format!("{PARITY}&lr=0.1&ls=0.2"));
    agrees_on_pairs(&format!("{PAIRS}&opt=sgd&lr=0.2&ls=0.1"));
    // Classes that fill a row of lanes and a part of the next one, and a part of the sample.
    agrees_on_pairs("#v1/groups?n=18&width=20&std=0.4&batch=50&halt=steps&opt=sgd&lr=0.2&ls=0.3");
    agrees_on_chains(&format!("{CHAINS}&opt=sgd&lr=0.1&ls=0.2"));
    agrees_on_chains(&format!("{LAYERS}&opt=sgd&lr=0.05&ls=0.4"));
    agrees_on_traces(&format!("{TRACES}&opt=sgd&lr=0.05&ls=0.1"));
}

fn agrees_on_bits(link: &str) {
    agrees::<super::one_hidden_layer::OneHiddenLayer>(link);
}

fn agrees_on_pairs(link: &str) {
    agrees::<super::group_net::GroupNetFamily>(link);
}

fn agrees_on_chains(link: &str) {
    agrees::<super::sequence_net::SequenceNet<super::sequence_net::ChainExamples>>(link);
}

fn agrees_on_traces(link: &str) {
    agrees::<super::sequence_net::SequenceNet<super::trace_net::TraceExamples>>(link);
}

/// Labels are smoothed in training alone: what is measured of the same weights is the same.
#[test]
fn measured_losses_are_those_of_plain_labels() {
    let (plain, smooth) = (spec(&format!("{PAIRS}&opt=sgd")), spec(&format!("{PAIRS}&opt=sgd&ls=0.3")));
    let row = |spec: &RunSpec| GroupNetCpu::new(spec).unwrap().measure_now(0, 64);
    assert_eq!(row(&plain), row(&smooth));
    let trained = |spec: &RunSpec| {
        let mut learner = GroupNetCpu::new(spec).unwrap();
        learner.train(spec, 0, 3);
        ready(learner.weights()).parameters
    };
    assert_ne!(trained(&plain), trained(&smooth));
}

/// A run that is put down and taken up again goes on in its schedule.
#[test]
fn a_schedule_goes_on_where_a_run_was_left() {
    let spec =
        spec(&format!("{PARITY}&lr=0.1&mom=0.9&momkind=nesterov&warm=5&cool=cosine&steps=30&lrs=12:0.3"));
    let mut whole = OneHiddenLayerCpu::new(&spec).unwrap();
    whole.train(&spec, 0, 30);
    let mut first = OneHiddenLayerCpu::new(&spec).unwrap();
    first.train(&spec, 0, 11);
    let mut second = OneHiddenLayerCpu::new(&spec).unwrap();
    second.load(&ready(first.weights()));
    second.train(&spec, 11, 30);
    assert_eq!(ready(whole.weights()), ready(second.weights()));
}

/// Optimizers of whole matrices and shortened gradients are left to the processor, and to autodiff for networks that update
/// each neuron by itself; smoothed labels are left to the processor; each with its sentence.
#[test]
fn what_a_learner_cannot_do_is_stated() {
    let why = |link: &str, place: Place| {
        let spec = spec(link);
        entry(&spec, place).map(|entry| entry.accepts(&spec).err().unwrap_or_default())
    };
    for link in [PARITY, PAIRS, CHAINS, LAYERS, TRACES, PROMPTS] {
        for (rest, sentence) in [
            ("opt=muon", "the run's optimizer updates whole matrices"),
            ("opt=adam&clip=0.1", "the run clips the norm of its gradient"),
        ] {
            let link = format!("{link}&{rest}");
            let is_left = spec(&link).uses_autodiff();
            assert_eq!(is_left, link.starts_with(PAIRS), "{link}");
            assert_eq!(why(&link, Place::Cpu).unwrap(), if is_left { sentence } else { "" }, "{link}");
            assert!(why(&link, Place::Gpu).is_none_or(|why| why == sentence), "{link}");
        }
        for rest in ["opt=lion", "opt=sgd&mom=0.9&momkind=nesterov", "opt=adam&cool=cosine"] {
            for place in [Place::Cpu, Place::Gpu] {
                let link = format!("{link}&{rest}");
                assert!(why(&link, place).is_none_or(|why| why.is_empty()), "{link}");
            }
        }
    }
    for link in [PARITY, PAIRS, CHAINS, LAYERS] {
        let smooth = format!("{link}&ls=0.1");
        assert_eq!(why(&smooth, Place::Cpu).unwrap(), "", "{smooth}");
        assert_eq!(why(&smooth, Place::Gpu).unwrap(), "the run's labels are smoothed", "{smooth}");
    }
    // What is executed is never updated.
    let executed = "#v1/turing-machine?opt=muon";
    assert_eq!(why(executed, Place::Anywhere).as_deref(), Some(""));
    assert!(!spec(executed).uses_autodiff());
}

const MUON: &str = "opt=muon&lr=0.01&wd=0.1&vecrate=0.1";

/// Muon on one hidden layer, several layers and pairs, and shortened gradients and Muon on sequences.
#[test]
fn loops_make_the_updates_of_autodiff_with_whole_gradients() {
    type Graphs = super::one_output::OneOutput<vivarium_kernels::cpu::one_output::graph::GraphLoop>;
    agrees::<Graphs>(&format!("{PARITY}&{MUON}"));
    agrees::<GraphNet>(&format!("{EMBEDDED}&frac=0.5&{MUON}"));
    for rest in [MUON, "opt=adam&lr=0.003&eps=0.0001&clip=0.05"] {
        agrees_on_chains(&format!("{CHAINS}&{rest}"));
        agrees_on_chains(&format!("{LAYERS}&{rest}"));
    }
    agrees_on_traces(&format!("{TRACES}&{MUON}"));
    agrees::<super::prompt_net::PromptNet<MlpLoop>>(&format!("{PROMPTS}&{MUON}"));
}

/// The other families are made as well.
#[test]
fn learners_of_every_family_are_made_with_lion() {
    let lion = |link: &str| spec(&format!("{link}&opt=lion"));
    assert!(SequenceNetCpu::new(&lion(CHAINS)).is_ok() && TraceNetCpu::new(&lion(TRACES)).is_ok());
    assert!(PromptNetCpu::<MlpLoop>::new(&lion(PROMPTS)).is_ok());
}

/// Networks on numbers: bits that are not drawn as words, tables, functions other than parity, students, and fixed parameters.
#[test]
fn the_loop_of_graphs_makes_the_updates_of_autodiff() {
    let agree = agrees::<super::one_output::OneOutput<vivarium_kernels::cpu::one_output::graph::GraphLoop>>;
    let deep = "#v1/sparse-parity?n=9&k=2&model=deep-mlp&widths=17.6&act=relu&batch=40&loss=ce&held=64&replicas=2&halt=steps";
    each(deep, "0.05", agree);
    agree(&format!("{deep}&opt=sgd&lr=0.1&ls=0.2"));
    agree(&format!("{deep}&opt=adam&lr=0.01&clip=0.05"));
    for link in [
        "#v1/sparse-parity?n=8&k=2&width=18&m=90&batch=0&loss=ce&held=64&halt=steps&lr=0.05",
        "#v1/sparse-parity?n=8&k=2&width=18&data=cube&loss=square&held=64&halt=steps&lr=0.02",
        "#v1/sparse-boolean?n=20&model=mlp&width=18&m=60&loss=ce&held=64&halt=steps&opt=adam&lr=0.003",
        "#v1/tabular?rows=300&m=100&widths=17.9&act=relu&loss=ce&held=64&halt=steps&lr=0.05&opt=sgd",
        "#v1/teacher-student?n=20&begin=gaussian&batch=33&held=64&halt=steps&lr=0.05&loss=ce",
        "#v1/sparse-parity?n=8&k=2&width=18&data=cube&second=ones&bias=none&loss=square&held=64&halt=steps&lr=0.02",
        "#v1/sparse-parity?n=8&k=2&width=18&data=cube&first=frozen&loss=ce&held=64&halt=steps&lr=0.02&wd=0.1",
        "#v1/sparse-parity?n=9&k=3&model=disjoint-polynet&layout=blocks&batch=30&loss=square&held=64&replicas=2&halt=steps&opt=sgd&lr=0.01",
        "#v1/sparse-parity?n=8&k=2&model=polynet&degree=2&data=cube&loss=square&held=64&halt=steps&opt=sgd&lr=0.01",
        "#v1/sparse-parity?n=8&k=2&model=polynet&degree=3&bias=no&batch=30&opt=adam&eps=0.0001&clip=0.1&lr=0.003&loss=ce&held=64&halt=steps",
    ] {
        agree(link);
    }
}

const AT_CLS: &str = "#v1/sparse-parity?n=9&k=2&model=parity-transformer&demb=12&dattn=5&heads=3&dmlp=18&batch=70&loss=ce&held=64&replicas=2&halt=steps";
const AT_CLS_WITH_NORMS: &str =
    "#v1/sparse-boolean?n=20&demb=12&heads=3&dmlp=18&m=40&held=64&replicas=2&halt=steps";

fn agrees_at_cls(link: &str) {
    agrees::<super::one_output::OneOutput<vivarium_kernels::cpu::one_output::cls::ClsLoop>>(link);
}

/// Blocks of attention that are read out at `[CLS]`, without layer norms.
#[test]
fn the_loop_of_blocks_read_at_cls_makes_the_updates_of_autodiff() {
    for rest in [
        "opt=sgd&lr=0.05&mom=0.8&momkind=nesterov&wd=0.001",
        "opt=adam&lr=0.003&eps=0.0001&wd=0.01",
        "opt=adam&lr=0.003&eps=0.0001&clip=0.05",
    ] {
        agrees_at_cls(&format!("{AT_CLS}&{rest}"));
    }
    for link in [
        "#v1/sparse-parity?n=8&k=2&model=parity-transformer&demb=17&dattn=8&heads=2&dmlp=9&data=cube&loss=square&held=64&halt=steps&opt=sgd&lr=0.02",
        "#v1/sparse-boolean?n=12&demb=10&heads=5&dmlp=7&ln=no&m=0&batch=24&held=64&halt=steps&opt=sgd&lr=0.1&wd=0.01",
    ] {
        agrees_at_cls(link);
    }
}

/// The same with layer norms. Embeddings of a deviation of 0.02 are divided by it, so that rates are small: with larger ones
/// rounding grows from step to step.
#[test]
fn the_loop_of_blocks_with_layer_norms_makes_the_updates_of_autodiff() {
    agrees_at_cls(&format!("{AT_CLS_WITH_NORMS}&opt=sgd&lr=0.0005&mom=0.8&momkind=nesterov&wd=0.01"));
    agrees_at_cls(&format!("{AT_CLS_WITH_NORMS}&opt=sgd&lr=0.0005&ls=0.2&wd=0.01"));
}

/// Networks that drop attention weights and what attention and MLP add: the same numbers by both learners.
#[test]
fn the_loop_of_blocks_drops_the_numbers_that_autodiff_drops() {
    let slow = "opt=adam&lr=0.0002&eps=0.001";
    for rest in ["adrop=0.2", "rdrop=0.3", "adrop=0.1&rdrop=0.1&clip=0.05&batch=30"] {
        agrees_at_cls(&format!("{AT_CLS_WITH_NORMS}&{slow}&{rest}"));
    }
    // More examples than go through the block together, and another number of heads than lanes.
    let many = "#v1/sparse-boolean?n=12&demb=20&heads=5&dmlp=7&m=90&held=64&halt=steps";
    agrees_at_cls(&format!("{many}&{slow}&adrop=0.3&rdrop=0.2"));
    agrees_at_cls(&format!("{many}&{slow}&ln=no&adrop=0.5&rdrop=0.2"));
}

/// The same on samples taken in batches, of more places than a row of lanes has, with Adam.
#[test]
fn the_loop_of_blocks_on_many_places_makes_the_updates_of_autodiff() {
    agrees_at_cls(&format!("{AT_CLS_WITH_NORMS}&batch=30&opt=adam&lr=0.0005&eps=0.0001&wd=0.01&clip=0.05"));
    agrees_at_cls(
        "#v1/sparse-boolean?n=70&demb=20&heads=1&dmlp=33&m=90&held=64&halt=steps&opt=adam&lr=0.0005&eps=0.0001",
    );
}

/// Where layers are trained one after the other, each begins its moments anew, as with autodiff, and the others rest.
#[test]
fn layers_one_by_one_are_those_of_autodiff() {
    let spec = spec(
        "#v1/sparse-parity?n=8&k=2&model=deep-mlp&widths=9.5&layers=greedy&act=relu&opt=adam&lr=0.01&wd=0.1&loss=ce&steps=40&halt=steps&held=64",
    );
    let mut tensors = Autodiff::new(&spec, Device::cpu().tensors()).unwrap();
    let mut looped =
        super::one_output::OneOutputCpu::<vivarium_kernels::cpu::one_output::graph::GraphLoop>::new(&spec)
            .unwrap();
    for (from, until) in [(0, 13), (13, 20), (20, 40)] {
        looped.train(&spec, from, until);
        (from..until).for_each(|step| tensors.train(step, spec.learning_rate(step)));
        let (exact, mine) = (pollster::block_on(tensors.weights()).unwrap(), ready(looped.weights()));
        for (which, (a, b)) in exact.parameters.iter().zip(&mine.parameters).enumerate() {
            let (worst, _) = apart(a, b);
            assert!(worst <= 1e-3, "parameter {which} after {until} steps: {worst}");
        }
        let rows = [pollster::block_on(tensors.measure(until, 64)).unwrap(), looped.measure_now(until, 64)];
        let pairs = [
            [rows[0].test_loss[0], rows[1].test_loss[0]],
            [rows[0].train_loss[0], rows[1].train_loss[0]],
            [rows[0].test_accuracy[0], rows[1].test_accuracy[0]],
        ];
        assert!(pairs.iter().all(|[exact, mine]| (exact - mine).abs() < 2e-3), "{rows:?}");
    }
}

const EMBEDDED: &str = "#v1/groups?n=11&model=embedding-mlp&demb=18&width=21&halt=steps";

const READ_AT_EQUALS: &str =
    "#v1/groups?n=11&model=modular-transformer&demb=12&dattn=5&heads=3&dmlp=18&halt=steps";

/// On all pairs and in batches, with smoothed labels, and with gradients that are shortened.
fn agrees_on_elements(network: &str) {
    let agree = agrees::<GraphNet>;
    agree(&format!("{network}&opt=sgd&lr=0.1&mom=0.8"));
    agree(&format!("{network}&frac=0.6&batch=70&replicas=2&seed=5&opt=sgd&lr=0.1&ls=0.2"));
    agree(&format!("{network}&frac=0.5&opt=adam&lr=0.003&eps=0.0001&clip=0.05&wd=0.1"));
}

#[test]
fn the_loop_of_embedded_pairs_makes_the_updates_of_autodiff() {
    each(EMBEDDED, "0.1", agrees::<GraphNet>);
    for tied in ["yes", "no"] {
        for join in ["sum", "concat"] {
            agrees_on_elements(&format!("{EMBEDDED}&tied={tied}&join={join}"));
        }
    }
}

#[test]
fn the_loop_of_transformers_on_pairs_makes_the_updates_of_autodiff() {
    agrees_on_elements(READ_AT_EQUALS);
    agrees::<GraphNet>(&format!("{READ_AT_EQUALS}&frac=0.5&opt=lion&lr=0.0005&wd=0.1"));
    agrees_on_elements(&format!("{READ_AT_EQUALS}&attend=relu"));
}

/// What is measured is what autodiff measures: of a whole sample, of a part, and of fewer pairs than are held out.
fn measures_as_autodiff(network: &str) {
    for (rest, held_out) in [("", 121), ("", 50), ("&frac=0.4", 73), ("&frac=0.4&batch=7&replicas=3", 30)] {
        let link = format!("{network}{rest}&ls=0.1");
        let spec = spec(&link);
        let mut tensors = Autodiff::new(&spec, Device::cpu().tensors()).unwrap();
        let mut looped = GraphNetCpu::new(&spec).unwrap();
        looped.train(&spec, 0, 5);
        tensors.load(&ready(looped.weights()));
        let (exact, mine) =
            (pollster::block_on(tensors.measure(5, held_out)).unwrap(), looped.measure_now(5, held_out));
        assert_eq!((mine.step, mine.margin.len(), mine.measures.len()), (5, 0, 0), "{link}");
        for (exact, mine) in [
            (&exact.train_loss, &mine.train_loss),
            (&exact.train_accuracy, &mine.train_accuracy),
            (&exact.test_loss, &mine.test_loss),
            (&exact.test_accuracy, &mine.test_accuracy),
        ] {
            assert_eq!(mine.len(), spec.run.replicas, "{link}");
            assert!(
                exact.iter().zip(mine).all(|(a, b)| (a - b).abs() < 2e-5 * a.abs().max(1.0)),
                "{link}: {exact:?}, {mine:?}"
            );
        }
    }
}

/// Bits do not hang on how steps are cut, nor on the replicas beside: weights and moments.
fn keeps_its_bits(network: &str) {
    let link = |replicas: usize| spec(&format!("{network}&frac=0.5&batch=19&opt=adam&replicas={replicas}"));
    let train = |spec: &RunSpec, cuts: &[u64]| {
        let mut learner = GraphNetCpu::new(spec).unwrap();
        for cut in cuts.windows(2) {
            learner.train(spec, cut[0], cut[1]);
            learner.measure_now(cut[1], 40);
        }
        ready(learner.weights())
    };
    let (three, one) = (link(3), link(1));
    let whole = train(&three, &[0, 30]);
    assert_eq!(train(&three, &[0, 1, 11, 30]), whole, "{network}");
    let alone = train(&one, &[0, 13, 30]);
    for (all, own) in whole.parameters.iter().zip(&alone.parameters) {
        assert_eq!(all[..own.len()], own[..], "{network}");
        assert_ne!(all[own.len()..2 * own.len()], own[..], "{network}");
    }
}

#[test]
fn networks_on_elements_are_measured_as_autodiff_does_and_keep_their_bits() {
    for rest in ["", "&tied=no&join=concat"] {
        measures_as_autodiff(&format!("{EMBEDDED}{rest}"));
        keeps_its_bits(&format!("{EMBEDDED}{rest}"));
    }
    measures_as_autodiff(READ_AT_EQUALS);
    keeps_its_bits(READ_AT_EQUALS);
}
