//! The cost model against what runs hold, and against links that nobody has tried.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use vivarium::bounds::{
    CONFIRM_MEMORY_FLOATS, MAX_PAGE_INITIAL_WEIGHTS, MAX_RUN_MEMORY_FLOATS, MAX_TENSOR_ENTRIES,
    PAGE_SLICE_OPERATIONS,
};
use vivarium::permalink::{decode, encode};
use vivarium::run::cost::{estimate_seconds, exceeds_launch_limit, max_cost};
use vivarium::run::{LearnerChoice, RunSpec};
use vivarium::settings::Value;
use vivarium::tasks::{Batch, Task};
use vivarium::training::launch::choose::{Engine, engine};
use vivarium::training::launch::device::Device;
use vivarium::training::launch::learners::{Place, entry};
use vivarium::training::session::{Options, Session};

use crate::catalogs::pairs_that_suit;
use crate::links::value;
use crate::spec;

/// Counts the bytes that this thread holds and allocates, so that the model can be held against them.
struct Counting;

thread_local! {
    /// Bytes now, and the most there were.
    static HELD: Cell<(i64, i64)> = const { Cell::new((0, 0)) };
    /// Bytes of all allocations until now, those that were freed among them.
    static ALLOCATED: Cell<u64> = const { Cell::new(0) };
}

fn count(bytes: i64) {
    // A thread that is ending has no counter any more.
    let _ = HELD.try_with(|held| {
        let now = held.get().0 + bytes;
        held.set((now, held.get().1.max(now)));
    });
    let _ = ALLOCATED.try_with(|allocated| allocated.set(allocated.get() + bytes.max(0) as u64));
}

#[expect(
    unsafe_code,
    reason = "an allocator is unsafe by its contract; this one hands everything to the system's"
)]
// SAFETY: every call goes to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // What is moved is there twice for a moment, which the system may spare; it is not counted.
        count(size as i64 - layout.size() as i64);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(at, layout, size) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-(layout.size() as i64));
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Numbers of four bytes that `work` holds at most, beyond what there was before.
fn most_held<T>(work: impl FnOnce() -> T) -> u64 {
    let before = HELD.get().0;
    HELD.set((before, before));
    drop(work());
    ((HELD.get().1 - before) / 4).max(0) as u64
}

/// What `work` gives, and the bytes that it allocates in all.
pub fn count_allocated<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = ALLOCATED.get();
    let made = work();
    (made, ALLOCATED.get() - before)
}

/// A run of a few steps with a checkpoint, as a worker makes it, and what it holds.
fn trained(spec: &RunSpec) -> u64 {
    most_held(|| {
        let mut session = Session::start(spec, &Device::cpu(), Options::default()).unwrap();
        while !session.finished() {
            pollster::block_on(session.advance(50.0, u64::MAX)).unwrap();
        }
        let checkpoint = pollster::block_on(session.checkpoint()).unwrap();
        (session, checkpoint.encode().unwrap())
    })
}

/// What a worker holds, of runs that are large by their weights, their optimizer, their replicas, their batch, their
/// sample and their held-out examples.
#[test]
fn what_a_worker_holds_is_what_the_model_says() {
    let one = "steps=2&every=2&device=cpu&learner=fused";
    for link in [
        format!("#v1/sparse-parity?n=256&width=2048&held=64&{one}"),
        format!("#v1/sparse-parity?opt=adam&n=256&width=1024&held=64&{one}"),
        format!("#v1/sparse-parity?n=50&width=100&replicas=256&held=64&{one}"),
        format!("#v1/sparse-parity?opt=adam&n=20&width=32&replicas=2048&held=64&{one}"),
        format!("#v1/sparse-parity?n=256&width=16&batch=4096&held=64&{one}"),
        format!("#v1/sparse-parity?n=200&width=16&held=65536&{one}"),
        format!("#v1/groups?n=97&width=512&{one}"),
        format!("#v1/markov?d=64&heads=4.4&mlp=on&norm=pre&t=50&batch=8&held=64&{one}"),
        format!("#v1/markov?model=minimal-markov&k=3&t=100&batch=16&held=16384&{one}"),
    ] {
        let spec = spec(&link);
        let (said, held) = (spec.estimate_cost().worker_floats, trained(&spec));
        println!("{link}: said {said}, held {held}: {:.2}", said as f64 / held as f64);
        // Programs hold a little besides: tables, texts, the page of a link.
        let besides = 1 << 19;
        assert!(held <= said.saturating_mul(2) + besides, "{link}: {held} held, {said} said");
        assert!(said <= held.saturating_mul(12) + besides, "{link}: {said} said, {held} held");
    }
}

/// Its parts, one by one, of every model.
#[test]
fn weights_moments_and_examples_are_counted_exactly() {
    for (task, model) in pairs_that_suit() {
        let mut spec = RunSpec::default_of_lab(task).unwrap();
        spec.parse("model", model).unwrap();
        spec.parse("replicas", "3").unwrap();
        if !spec.invalid_settings().is_empty() {
            continue;
        }
        let (sizes, sampler) = (spec.sizes(), spec.task.sampler());
        let weights: usize = spec.initialize_parameters().iter().map(Vec::len).sum();
        assert_eq!(sizes.weights, weights as u64, "{task} {model}");
        let mut batch = Batch::default();
        sampler.sample(0, 0, 0, spec.batch_size(), &mut batch);
        assert!(sizes.data >= 3 * batch.x.len() as u64, "{task} {model}");
        batch.clear();
        sampler.append_held_out(0, 0, spec.held_out_count(), &mut batch);
        assert_eq!(sizes.held_out, batch.x.len() as u64, "{task} {model}");
        let cost = spec.estimate_cost();
        let moments = spec.optimizer.moment_count() as u64;
        assert!(cost.worker_floats >= (2 + moments) * sizes.weights + (sizes.samples + sizes.held_out) / 16);
        assert!(
            cost.gpu_floats >= (2 + moments) * sizes.weights
                && cost.page_floats >= (1 + moments) * sizes.weights
        );
        assert_eq!(cost.step_operations, spec.step_flops() as u64, "{task} {model}");
        assert!(cost.measurement_operations > 0 && cost.start_operations > 0);
    }
}

/// Where the loop on the processor does not cover a run, autodiff makes it, and holds all activations.
#[test]
fn what_autodiff_makes_is_known() {
    let mut state = 7;
    let (mut loops, mut autodiff) = (0, 0);
    for (task, model) in pairs_that_suit() {
        for _ in 0..60 {
            let spec = random(task, model, &mut state);
            // What is grown or executed has a learner of its own.
            if !spec.model.config().has_weights() {
                continue;
            }
            let covered = spec.run.learner != LearnerChoice::Autodiff
                && entry(&spec, Place::Cpu).is_some_and(|entry| entry.accepts(&spec).is_ok());
            *(if covered { &mut loops } else { &mut autodiff }) += 1;
            if !spec.uses_autodiff() && !covered {
                let why = entry(&spec, Place::Cpu).map(|entry| entry.accepts(&spec));
                panic!("{why:?}: {}", encode(&vivarium::permalink::Link { spec, ..Default::default() }));
            }
        }
    }
    assert!(loops > 100 && autodiff > 100, "{loops} {autodiff}");
}

/// Loops that cannot clip a gradient say so, and the run is one of autodiff.
#[test]
fn clipped_gradients_are_left_to_those_that_clip() {
    let clips = [
        ("sparse-parity", "", true),
        ("sparse-parity", "model=polynet&", true),
        ("markov", "", true),
        ("groups", "", false),
        ("sparse-token-regression", "", true),
        ("sparse-token-regression", "model=gru&", true),
        ("in-context-learning", "", true),
    ];
    for (lab, model, clips) in clips {
        for (clip, taken) in [(0, true), (1, clips)] {
            let (link, notices) = decode(&format!("#v1/{lab}?{model}opt=adam&clip={clip}"));
            assert!(notices.is_empty(), "{lab}: {notices:?}");
            let found = entry(&link.spec, Place::Cpu).map(|entry| entry.accepts(&link.spec));
            assert_eq!(found.as_ref().is_some_and(|found| found.is_ok()), taken, "{lab}, {clip}: {found:?}");
            assert_eq!(link.spec.uses_autodiff(), !taken, "{lab}, {clip}");
            let kernels = entry(&link.spec, Place::Gpu).map(|entry| entry.accepts(&link.spec).is_ok());
            assert!(clip == 0 || kernels != Some(true), "{lab}: no kernel clips");
        }
    }
}

/// Numbers without a pattern (Steele and Vigna 2021, table 4).
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
    *state >> 20
}

/// A run with some settings anywhere in their ranges, mended.
fn random(task: &str, model: &str, state: &mut u64) -> RunSpec {
    let mut spec = RunSpec::default_of_lab(task).unwrap();
    spec.parse("model", model).unwrap();
    let settings = spec.settings();
    for _ in 0..next(state) % 12 {
        let setting = settings[next(state) as usize % settings.len()].1;
        // Small numbers as well as large ones.
        let a = next(state) >> (next(state) % 44);
        let _ = spec.set(setting.key, &value(setting.range, a, (next(state) % 1000) as f64 / 1000.0));
    }
    if spec
        .set("opt", &Value::Choice(["sgd", "adam", "lion", "muon"][next(state) as usize % 4].into()))
        .is_err()
    {
        panic!("no such optimizer");
    }
    spec.repair();
    spec
}

fn assert_affordable(spec: &RunSpec, text: &str) {
    assert!(spec.invalid_settings().is_empty(), "{text}");
    let (cost, sizes) = (spec.estimate_cost(), spec.sizes());
    assert!(cost.memory_floats() <= MAX_RUN_MEMORY_FLOATS, "{text}: {cost:?}");
    assert!(
        cost.memory_floats() <= CONFIRM_MEMORY_FLOATS
            || max_cost(spec).confirmation_question(estimate_seconds(spec)).is_some(),
        "{text}: not asked"
    );
    assert!(!spec.uses_autodiff() || sizes.activations <= MAX_TENSOR_ENTRIES, "{text}: {sizes:?}");
    if spec.can_page_initialize() {
        let one = sizes.weights / spec.run.replicas as u64;
        assert!(
            one <= MAX_PAGE_INITIAL_WEIGHTS && spec.construction_operations() <= PAGE_SLICE_OPERATIONS,
            "{text}: {cost:?}"
        );
    }
    let memory = cost.max_sweep_workers(7) as u64 * cost.worker_floats;
    assert!(memory <= CONFIRM_MEMORY_FLOATS, "{text}: helpers hold {memory}");
}

/// Ten thousand links with settings anywhere in their ranges.
#[test]
fn what_a_link_costs_is_bounded_or_confirmed() {
    let (mut state, mut asked) = (3, 0);
    let pairs = pairs_that_suit();
    for round in 0..10_000 {
        let (task, model) = pairs[round % pairs.len()];
        let spec = random(task, model, &mut state);
        let text = encode(&vivarium::permalink::Link { spec: spec.clone(), ..Default::default() });
        assert_affordable(&spec, &text);
        asked += u32::from(max_cost(&spec).confirmation_question(estimate_seconds(&spec)).is_some());
    }
    println!("{asked} of 10,000 are asked about");
    assert!(asked < 5000, "{asked}");
}

/// Every link of which it was reported that it takes a page down, or blocks it.
const REPORTED: &[&str] = &[
    "#v1/groups?op=product&factors=128.128.128.128.16",
    "#v1/sparse-parity?n=512&width=4096&batch=2048&replicas=4096",
    "#v1/groups?op=product&factors=128.128.128&from=maximum",
    "#v1/groups?op=product&factors=32.32&from=maximum",
    "#v1/markov?k=8&gram=3&t=255&held=65536&alpha=0.3",
    "#v1/groups?n=127&width=4096&from=maximum&sweep=seed:lin:1..300:300",
    "#v1/sparse-parity?model=deep-mlp&widths=1.4096.4096.4096.4096",
    "#v1/sparse-parity?replicas=4096&every=1",
    "#v1/markov?k=8&t=256&d=128&heads=8.8.8.8&mlp=on&norm=pre",
    "#v1/groups?op=symmetric&letters=5&width=1200&from=maximum",
    "#v1/sparse-parity?n=512&width=4096&batch=4096&replicas=4096&learner=autodiff",
    "#v1/sparse-parity?model=polynet&degree=8&batch=4096&replicas=4096&learner=autodiff",
    "#v1/sparse-parity?model=disjoint-polynet&batch=4096&replicas=4096&learner=autodiff",
    "#v1/sparse-boolean?model=mlp&width=4096&batch=4096&replicas=4096",
    "#v1/sparse-parity?n=512&width=4096&batch=4096&learner=fused",
];

#[test]
fn every_reported_link_is_refused_or_affordable() {
    for link in REPORTED {
        let (read, notices) = decode(link);
        assert_affordable(&read.spec, link);
        assert!(decode(&encode(&read)).1.is_empty(), "{link}");
        println!(
            "{link}: {} notices, {}",
            notices.len(),
            read.spec.estimate_cost().describe_needs(estimate_seconds(&read.spec))
        );
    }
}

/// What is refused is lowered to the nearest that fits, and not to the default.
#[test]
fn too_many_networks_become_as_many_as_fit() {
    let (link, notices) = decode("#v1/sparse-parity?n=512&width=4096&batch=2048&replicas=4096");
    let replicas = link.spec.run.replicas;
    assert!((2..64).contains(&replicas), "{replicas}");
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(notices[0].to_string().ends_with(&format!("; the value is {replicas} now")), "{notices:?}");
    let mut more = link.spec.clone();
    more.run.replicas += 1;
    assert!(!more.invalid_settings().is_empty(), "one more is too many");
    let (one, _) = decode("#v1/markov?t=256&d=128&heads=8&batch=4096&learner=autodiff");
    assert!((32..4096).contains(&one.spec.run.batch), "{}", one.spec.run.batch);
}

#[test]
fn nothing_wraps_whatever_the_settings_are() {
    for (task, model) in pairs_that_suit() {
        let mut spec = RunSpec::default_of_lab(task).unwrap();
        spec.parse("model", model).unwrap();
        for (_, setting) in spec.settings() {
            if let vivarium::settings::Range::Int(_, high) = setting.range {
                let _ = spec.set(setting.key, &Value::Int(high));
            }
        }
        if !spec.task.examples().invalid_settings().is_empty() {
            // Sizes of what cannot be are no sizes.
            spec.task = RunSpec::default_of_lab(task).unwrap().task;
        }
        let usual = spec.estimate_cost();
        (spec.run.replicas, spec.run.held_out) = (usize::MAX, usize::MAX);
        spec.run.steps = u64::MAX;
        if spec.run.batch > 0 {
            spec.run.batch = usize::MAX;
        }
        let cost = spec.estimate_cost();
        for (large, small) in [
            (cost.page_floats, usual.page_floats),
            (cost.worker_floats, usual.worker_floats),
            (cost.gpu_floats, usual.gpu_floats),
            (cost.step_operations, usual.step_operations),
            (cost.start_operations, usual.start_operations),
            (cost.measurement_operations, usual.measurement_operations),
        ] {
            assert!(large >= small && large > 1 << 40, "{task} {model}: {cost:?}");
        }
        assert!(
            cost.response_timeout_s(12) >= 12
                && cost.max_sweep_workers(7) == 0
                && cost.steps_per_launch(1e12, 20.0) == 1
        );
        assert!(cost.confirmation_question(f64::INFINITY).is_some());
    }
}

/// A step that one workgroup would take seconds for is not made in one launch, also where that is asked for.
#[test]
fn a_step_that_is_too_long_for_a_launch_is_not_fused() {
    let large = spec("#v1/sparse-parity?n=512&width=4096&batch=4096&learner=fused");
    assert!(exceeds_launch_limit(&large));
    assert_eq!(engine(&large).0, Engine::Autodiff);
    let usual = spec("#v1/sparse-parity?learner=fused");
    assert!(!exceeds_launch_limit(&usual));
    assert_eq!(engine(&usual).0, Engine::Fused);
    let cost = spec("#v1/sparse-parity").estimate_cost();
    assert!(
        (10..100_000).contains(&cost.steps_per_launch(4e10, 20.0)),
        "{}",
        cost.steps_per_launch(4e10, 20.0)
    );
}

/// Links in the browser's tests and on the command line's pages are no dear ones: they begin by themselves.
#[test]
fn usual_runs_begin_by_themselves() {
    let text =
        ["run", "markov", "groups", "sweeps", "charts", "parity", "time", "files", "teaching", "bench"]
            .map(|file| std::fs::read_to_string(format!("tests/e2e/{file}.mjs")).unwrap())
            .concat();
    let mut count = 0;
    for part in text.split("#v1/").skip(1) {
        let link: String = part.chars().take_while(|c| !"\"`$' \\".contains(*c)).collect();
        let spec = decode(&format!("#v1/{link}")).0.spec;
        assert_eq!(max_cost(&spec).confirmation_question(estimate_seconds(&spec)), None, "{link}");
        count += 1;
    }
    assert!(count > 50, "{count}");
}

/// The task of a run that is looked into takes its work from the model: what is over a slice is done in parts.
#[test]
fn what_the_page_computes_is_known_before_it_is_computed() {
    let cost = |link: &str| spec(link).estimate_cost();
    let lines = cost("#v1/markov?k=8&gram=3&t=255&held=65536&alpha=0.3");
    assert!(lines.theory_operations > 1000 * PAGE_SLICE_OPERATIONS, "{lines:?}");
    let look = cost("#v1/markov?k=8&t=256&d=128&heads=8.8.8.8&mlp=on&norm=pre");
    assert!(
        look.inspection_operations > 20 * PAGE_SLICE_OPERATIONS
            && look.inspection_operations < 500 * PAGE_SLICE_OPERATIONS,
        "{look:?}"
    );
    let usual = cost("#v1/markov");
    assert!(usual.inspection_operations <= PAGE_SLICE_OPERATIONS, "{usual:?}");
    assert!(
        matches!(spec("#v1/groups").task, Task::Groups(_))
            && cost("#v1/groups").theory_operations <= PAGE_SLICE_OPERATIONS
    );
    assert!(cost("#v1/groups?op=product&factors=2.2.2.2.2.4").theory_operations > 10 * PAGE_SLICE_OPERATIONS);
    assert_eq!(cost("#v1/sparse-parity").theory_operations, 0);
}
