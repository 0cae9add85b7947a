use super::cost::{
    CostEstimate, estimate_seconds, exceeds_launch_limit, exceeds_launch_limit_of_workgroups, max_cost,
};
use super::*;
use crate::permalink::decode;

fn spec(link: &str) -> RunSpec {
    decode(link).0.spec
}

#[test]
fn learning_rate_changes_are_recorded_by_step() {
    let mut spec = RunSpec::default();
    assert_eq!(spec.learning_rate(7), 0.1);
    spec.change_learning_rate(100, 0.05);
    spec.change_learning_rate(300, 0.01);
    assert_eq!([99, 100, 299, 300].map(|s| spec.learning_rate(s)), [0.1, 0.05, 0.05, 0.01]);
    spec.change_learning_rate(200, 0.2);
    assert_eq!(spec.run.schedule, [(100, 0.05), (200, 0.2)]);
    spec.change_learning_rate(100, 0.1);
    assert!(spec.run.schedule.is_empty(), "back to what it was is no change");
}

#[test]
fn the_optimizers_own_schedule_multiplies_what_is_set() {
    let mut spec = spec("#v1/sparse-parity?opt=adam&lr=0.01&warm=100&cool=linear&steps=300");
    spec.change_learning_rate(200, 0.04);
    // Up to the last step of the warm-up, then down to half of what is set, and to nothing.
    let rates = [0, 49, 99, 100, 199, 200, 250, 300, 900].map(|step| spec.learning_rate(step));
    let exact = [0.0001, 0.005, 0.01, 0.01, 0.00505, 0.02, 0.01, 0.0, 0.0];
    for (rate, exact) in rates.iter().zip(exact) {
        assert!((rate - exact).abs() < 1e-12, "{rates:?}");
    }
    assert_eq!([0, 199, 200].map(|step| spec.learning_rate_before_schedule(step)), [0.01, 0.01, 0.04]);
    spec.change_learning_rate(250, 0.04);
    assert_eq!(spec.run.schedule, [(200, 0.04)], "what is set already is no change");
}

/// Every optimizer has every schedule, whose rates multiply what a person sets, and a link keeps all of it.
#[test]
fn schedules_of_every_optimizer_multiply_what_is_set_and_go_through_a_link() {
    for optimizer in Optimizer::ENTRIES {
        let slug = optimizer.info.slug;
        for (rest, exact) in [
            ("warm=10&cool=cosine&steps=110", [0.1, 1.0, 0.5, 0.0]),
            ("warm=10&cool=linear&steps=110", [0.1, 1.0, 0.5, 0.0]),
            ("warm=10&cool=drops&drop=50&gamma=0.25&steps=110", [0.1, 1.0, 0.25, 0.0625]),
            ("warm=10&steps=110", [0.1, 1.0, 1.0, 1.0]),
        ] {
            let mut spec = spec(&format!("#v1/groups?opt={slug}&lr=0.02&{rest}"));
            spec.change_learning_rate(60, 0.04);
            let rates = [0, 10, 60, 110].map(|step| spec.learning_rate(step));
            let set = [0.02, 0.02, 0.04, 0.04];
            for ((rate, set), share) in rates.iter().zip(set).zip(exact) {
                assert!((rate - set * share).abs() < 1e-15, "{slug}, {rest}: {rates:?}");
            }
            let link = crate::permalink::Link {
                view: crate::permalink::ViewSettings::default_of_task(&spec.task),
                spec: spec.clone(),
                ..Default::default()
            };
            let (again, notices) = decode(&crate::permalink::encode(&link));
            assert_eq!((again.spec, notices), (spec, vec![]));
        }
    }
}

#[test]
fn only_the_cross_entropy_has_smoothed_labels() {
    let (link, notices) = decode("#v1/sparse-parity?loss=ce&ls=0.1");
    assert_eq!((link.spec.label_smoothing(), notices), (0.1, vec![]));
    let (link, notices) = decode("#v1/sparse-parity?loss=hinge&ls=0.1");
    assert_eq!(
        notices[0].to_string(),
        "ls = 0.1: expected 0, because labels can be smoothed only with the cross-entropy loss"
    );
    assert_eq!((link.spec.run.smoothing, link.spec.label_smoothing()), (0.0, 0.0));
}

#[test]
fn impossible_combinations_are_repaired_and_named() {
    let mut spec = RunSpec::default();
    for (key, text) in [("n", "2"), ("k", "8"), ("width", "64")] {
        spec.parse(key, text).unwrap();
    }
    let repaired = spec.repair();
    assert_eq!(repaired[0].key, "k");
    assert!(spec.invalid_settings().is_empty());
    assert_eq!(spec.value("width").unwrap(), Value::Int(64));
}

#[test]
fn a_link_cannot_ask_for_unlimited_memory() {
    let mut spec = RunSpec::default();
    for (key, text) in [("n", "512"), ("width", "4096"), ("replicas", "256")] {
        spec.parse(key, text).unwrap();
    }
    assert_eq!(spec.repair()[0].key, "replicas");
    assert!(spec.invalid_settings().is_empty());
}

#[test]
fn replicas_share_initialisations_in_turn() {
    let mut spec = RunSpec::default();
    for (key, text) in [("n", "4"), ("width", "3"), ("replicas", "5")] {
        spec.parse(key, text).unwrap();
    }
    let own = spec.initialize_parameters();
    spec.parse("inits", "2").unwrap();
    let shared = spec.initialize_parameters();
    for (own, shared, parameter) in
        own.iter().zip(&shared).zip(spec.parameters()).map(|((a, b), p)| (a, b, p))
    {
        let length = parameter.len() / 5;
        let of = |values: &[f32], r: usize| values[r * length..(r + 1) * length].to_vec();
        for r in 0..5 {
            assert_eq!(of(shared, r), of(own, r % 2));
        }
    }
}

#[test]
fn stages_divide_the_steps_evenly_and_the_last_one_stays() {
    let mut spec = RunSpec::default();
    assert_eq!([0, 19_999, 50_000].map(|step| spec.stage(step)), [0, 0, 0]);
    for (key, text) in [("model", "deep-mlp"), ("widths", "3.2.1"), ("layers", "greedy")] {
        spec.parse(key, text).unwrap();
    }
    for steps in ["1", "2", "7", "9", "20000"] {
        spec.parse("steps", steps).unwrap();
        for step in 0..spec.run.steps.min(100) {
            let begun = (0..3).rev().find(|stage| spec.first_step_of_stage(*stage) <= step).unwrap();
            assert_eq!(spec.stage(step), begun, "step {step} of {steps}");
        }
        assert_eq!([spec.run.steps, 10 * spec.run.steps].map(|step| spec.stage(step)), [2, 2]);
    }
    assert_eq!([0, 1, 2].map(|stage| spec.first_step_of_stage(stage)), [0, 6667, 13_334]);
}

#[test]
fn settings_without_effect_are_known() {
    let mut spec = RunSpec::default();
    assert!(!spec.has_effect("degree") && spec.has_effect("width") && spec.has_effect("model"));
    for act in ["power", "zigzag", "wave", "osc", "sin"] {
        spec.parse("act", act).unwrap();
        assert!(spec.has_effect("degree"), "{act}");
    }
    spec.parse("model", "polynet").unwrap();
    assert!(spec.has_effect("degree"));
}

#[test]
fn differences_name_what_was_changed() {
    let mut spec = RunSpec::default();
    spec.parse("lr", "0.3").unwrap();
    let expected = ("lr".to_string(), "0.1".to_string(), "0.3".to_string());
    assert_eq!(spec.list_differences(&RunSpec::default()), [expected]);
}

/// A lab may have settings of its own for what it chooses: to choose that again is no change.
#[test]
fn what_is_chosen_already_keeps_its_settings() {
    for (lab, key, slug, own, value) in [
        ("tabular", "model", "deep-mlp", "widths", "100.100"),
        ("markov", "opt", "adam", "b2", "0.95"),
        ("sparse-boolean", "opt", "adam", "wd", "0.0001"),
    ] {
        let usual = RunSpec::default_of_lab(lab).unwrap();
        assert_eq!(usual.value(own).unwrap().to_string(), value, "{lab}");
        let (mut again, mut set) = (usual.clone(), usual.clone());
        again.parse(key, slug).unwrap();
        set.set(key, &Value::Choice(slug.into())).unwrap();
        assert_eq!((&again, &set), (&usual, &usual), "{lab}");
    }
    let said = RunSpec::default().parse("model", "fate").unwrap_err().expected;
    assert!(said.starts_with("one of mlp, ") && said.contains(", polynet, "), "{said}");
}

#[test]
fn a_batch_of_nothing_is_the_whole_sample_and_no_more_is_held_out_than_there_is() {
    for (link, batch, held_out) in [
        ("#v1/sparse-parity", 32, 8192),
        ("#v1/sparse-parity?m=700&batch=0", 700, 8192),
        ("#v1/sparse-parity?n=10&data=cube&batch=0", 1024, 1024),
        ("#v1/groups?n=5", 25, 25),
        ("#v1/groups?n=5&batch=7", 7, 25),
        ("#v1/markov", 32, 256),
    ] {
        let spec = spec(link);
        assert_eq!((spec.batch_size(), spec.held_out_count()), (batch, held_out), "{link}");
    }
}

/// A value that fits exactly is taken; of a value that does not, the nearest that does is, and not the default: 2²⁴ held-out numbers are
/// 65,536 rows of 256 bits or 65,280 of 257, and 2²⁶ of a step are those of 64 networks with 4096 rows of 256 bits.
#[test]
fn sizes_end_where_they_say() {
    for (query, key, mended) in [
        ("n=256&held=65536", "held", None),
        ("n=257&held=65536", "held", Some("65280")),
        ("n=256&batch=4096&replicas=64", "replicas", None),
        ("n=256&batch=4096&replicas=65", "replicas", Some("64")),
        ("n=256&batch=4096&replicas=4096", "replicas", Some("64")),
    ] {
        let (link, notices) = decode(&format!("#v1/sparse-parity?{query}"));
        match mended {
            None => assert!(notices.is_empty(), "{query}: {notices:?}"),
            Some(value) => {
                assert_eq!(link.spec.value(key).unwrap().to_string(), value, "{query}");
                let said = format!("; the value is {value} now");
                assert!(notices.len() == 1 && notices[0].expected.ends_with(&said), "{query}: {notices:?}");
            }
        }
    }
}

/// An example has t + 1 symbols, N (d + q + 1) numbers of a prompt, P (d + 2) numbers of the points of a function, or n bits.
#[test]
fn the_limit_of_held_out_examples_names_the_settings_that_cause_it() {
    for (link, most, settings, columns) in [
        ("machine-traces?t=256", 65280, "t = 256", 257),
        ("machine-traces?t=256&states=4&batch=4096", 65280, "t = 256", 257),
        ("markov?t=256", 65280, "t = 256", 257),
        ("sparse-parity?n=257", 65280, "n = 257", 257),
        ("sparse-token-regression?n=128&dim=3&q=2", 21845, "n = 128, dim = 3, q = 2", 768),
        ("in-context-learning?dim=6&points=64", 32768, "dim = 6, points = 64", 512),
    ] {
        let (read, notices) = decode(&format!("#v1/{link}&held=65536"));
        let notice = notices.iter().find(|notice| notice.key == "held");
        let said = format!(
            "at most {most} for {settings}, because each held-out example has {columns} numbers, and all held-out examples together may have at most 16777216 numbers; the value is {most} now"
        );
        assert_eq!(notice.map(|notice| notice.expected.as_str()), Some(said.as_str()), "{link}: {notices:?}");
        assert_eq!(read.spec.run.held_out, most, "{link}");
    }
}

/// Fresh functions have no sample that a batch could be the whole of, and the lab's own batch is that.
#[test]
fn where_nothing_can_be_mended_all_is_usual_but_the_seed() {
    let (link, notices) = decode("#v1/sparse-boolean?m=0&seed=7&lr=0.5");
    let mut usual = RunSpec::default_of_lab("sparse-boolean").unwrap();
    usual.run.seed = 7;
    assert_eq!(link.spec, usual);
    assert!(notices.iter().any(|notice| notice.key == "link"), "{notices:?}");
}

/// Counted by hand: a perceptron of 4 neurons on 10 bits has 49 weights, 147 in three networks, and Adam remembers two
/// numbers of each.
#[test]
fn a_small_run_takes_what_can_be_counted() {
    let link = "#v1/sparse-parity?opt=adam&n=10&width=4&batch=8&held=64&replicas=3&steps=100&every=10";
    let state = 3 * 147;
    // 64 held-out rows and the 8 of one network, 10 bits each in words of 32 of which a loop holds half.
    let examples = (64 * 10) / 16 + (8 * 10) / 16;
    let loops = CostEstimate {
        // 11 rows of five numbers for each network, two states and one at each row, and the first network for charts.
        page_floats: 11 * 3 * 5 + 2 * state + 11 * state + 8 * 49,
        // Twice weights, gradients and moments; three states on their way to a file; activations of one network.
        worker_floats: 2 * 4 * 147 + 3 * state + examples + 8 * 4,
        gpu_floats: 4 * 147 + examples + 8 * 4,
        start_operations: 16 * 147 + 4 * 64 * 10,
        step_operations: 3 * 4 * 8 * 10 * 4,
        // A third of a step forward: 53 operations for a row.
        measurement_operations: 53 * (64 + 8) * 3,
        probe_operations: 53 * 64,
        theory_operations: 0,
        inspection_operations: 0,
    };
    assert_eq!(spec(link).estimate_cost(), loops);
    // Tensors have all rows of all networks as numbers, and four times the activations.
    let (rows, tensors) = (64 * 10 + 3 * 8 * 10, 4 * 3 * 8 * 4);
    let (worker, gpu) = (2 * 4 * 147 + 3 * state + rows + tensors, 4 * 147 + rows + tensors);
    assert_eq!(
        spec(&format!("{link}&learner=autodiff")).estimate_cost(),
        CostEstimate { worker_floats: worker, gpu_floats: gpu, ..loops }
    );
    // Without moments a GPU holds weights and gradients.
    let plain = spec(&link.replace("opt=adam", "opt=sgd")).estimate_cost();
    assert_eq!(plain.gpu_floats, 2 * 147 + examples + 8 * 4);
}

#[test]
fn labels_that_are_real_numbers_want_squares() {
    for link in ["#v1/in-context-learning", "#v1/sparse-token-regression"] {
        let mut spec = spec(link);
        spec.run.loss = crate::optim::loss::Loss::Hinge;
        let keys: Vec<String> =
            spec.invalid_settings().iter().map(|problem| problem.key.to_string()).collect();
        assert!(keys.iter().any(|key| key == "loss"), "{link}: {keys:?}");
    }
}

/// Of sequences of 10 symbols, 2 of them: a chain has 2 contexts and 2 words, and each strategy looks at all symbols.
#[test]
fn theory_and_looks_of_sequences_are_counted() {
    let link = "#v1/markov?t=10&d=16&heads=2.2&batch=64&held=64";
    let (plain, full) =
        (spec(link).estimate_cost(), spec(&format!("{link}&mlp=on&norm=pre")).estimate_cost());
    // The posterior mean looks at them again, with 255 nodes of a quadrature.
    assert_eq!(plain.theory_operations, 64 * (2 * (2 * 2 * 2 + 16 * 2 + 16 * 10) + 40 * 255));
    // For each symbol and layer 3 or 12 matrices, and scores with and values of all places; then the read-out.
    assert_eq!(plain.inspection_operations, 10 * (2 * (3 * 16 * 16 + 2 * 10 * 16) + 16 * 2));
    assert_eq!(full.inspection_operations, 10 * (2 * (12 * 16 * 16 + 2 * 10 * 16) + 16 * 2));
    assert_eq!(
        spec("#v1/markov?model=minimal-markov&k=3&t=10").estimate_cost().inspection_operations,
        10 * 10 * 3
    );
    // A measurement is of 64 held-out and 64 training rows; a probe goes through the first once, and for each head.
    assert_eq!(2 * plain.probe_operations, 5 * plain.measurement_operations);
    assert_eq!(
        spec("#v1/sparse-parity?replicas=3").step_flops(),
        3.0 * spec("#v1/sparse-parity").step_flops()
    );
}

#[test]
fn what_loops_and_pages_leave_to_others_is_known() {
    for (link, is_by_autodiff) in [
        ("#v1/sparse-parity", false),
        ("#v1/sparse-parity?learner=autodiff", true),
        ("#v1/sparse-parity?model=polynet", false),
        ("#v1/sparse-parity?model=deep-mlp", false),
        ("#v1/sparse-parity?n=10&data=cube", false),
        ("#v1/sparse-parity?n=10&data=cube&model=polynet", false),
        ("#v1/sparse-parity?model=disjoint-polynet", false),
        ("#v1/sparse-parity?m=700", false),
        ("#v1/sparse-parity?m=700&batch=0", false),
        // Visits to an example are counted in 32 bits: 4.10 · 10⁹ are fewer than 2³², and 4.55 · 10⁹ are not.
        ("#v1/sparse-parity?m=10&steps=10000000&batch=4096", false),
        ("#v1/sparse-parity?m=9&steps=10000000&batch=4096", false),
        ("#v1/sparse-boolean", false),
        ("#v1/sparse-boolean?clip=1&opt=adam", false),
        ("#v1/sparse-boolean?opt=muon", false),
        ("#v1/sparse-parity?model=parity-transformer", false),
        ("#v1/groups", false),
        ("#v1/groups?opt=adam&clip=1", true),
        ("#v1/groups?model=embedding-mlp&opt=adam&clip=1", false),
        ("#v1/groups?model=modular-transformer&opt=adam&clip=1", false),
        ("#v1/groups?model=embedding-mlp&opt=muon", false),
        ("#v1/groups?opt=muon", true),
        ("#v1/markov", false),
        ("#v1/markov?opt=adam&clip=1", false),
    ] {
        assert_eq!(spec(link).uses_autodiff(), is_by_autodiff, "{link}");
    }
    for (link, is_at_once) in [
        ("#v1/sparse-parity?n=512&width=510", true),
        ("#v1/sparse-parity?n=512&width=511", false),
        ("#v1/groups?op=product&factors=2.2.2.2.2.4&width=512", true),
        ("#v1/groups?op=product&factors=2.2.2.2.2.4&width=512&from=maximum", false),
    ] {
        assert_eq!(spec(link).can_page_initialize(), is_at_once, "{link}");
    }
}

/// Networks of 510 neurons on 512 bits have 510 · 514 + 1 = 262,141 numbers, and of 511 they have 262,655: 2¹⁸ are between
/// the two. An answer may take 2²² operations.
#[test]
fn a_page_holds_a_network_whose_numbers_and_operations_are_both_few() {
    let of = |width: usize, operations: f64| {
        spec(&format!("#v1/sparse-parity?n=512&width={width}")).check_fits_page(operations).is_ok()
    };
    let most = 4_194_304.0;
    assert!(of(510, 0.0) && of(510, most));
    assert!(!of(510, most + 1.0), "too many operations alone");
    assert!(!of(511, 0.0), "too many numbers alone");
    assert!(!of(511, most + 1.0));
}

#[test]
fn rows_of_a_table_are_columns_and_what_has_no_rows_keeps_none() {
    assert_eq!(spec("#v1/sparse-parity").rows(), Rows::LAYER);
    let mut table = spec("#v1/tabular");
    assert_eq!(table.rows(), Rows { row: "column", ..Rows::LAYER });
    // No run has this model on a table, but a form may hold it until it is mended.
    table.parse("model", "descent-transformer").unwrap();
    assert_eq!(table.rows(), Rows::NONE);
}

#[test]
fn consent_is_needed_from_a_gibibyte_and_a_half_or_thirty_days_on() {
    let held =
        |numbers: u64| CostEstimate { page_floats: 5, worker_floats: numbers - 5, ..CostEstimate::default() };
    let (memory, days) = (402_653_184, 2_592_000.0);
    assert!(!held(memory).needs_confirmation(days) && held(memory).confirmation_question(days).is_none());
    assert!(held(memory + 1).needs_confirmation(0.0) && held(memory).needs_confirmation(days + 1.0));
    let asked = held(memory + 1).confirmation_question(7200.0).unwrap();
    assert!(asked.contains("about 1.5 GiB of memory and up to 2 hours on one core"), "{asked}");
    for (numbers, text) in [
        (5, "about 1 MiB"),
        (1 << 18, "about 1 MiB"),
        (3 << 18, "about 3 MiB"),
        ((1 << 28) - 1, "about 1023 MiB"),
        (1 << 28, "about 1.0 GiB"),
        (5 << 27, "about 2.5 GiB"),
    ] {
        assert!(
            held(numbers).describe_needs(1.0).starts_with(text),
            "{numbers}: {}",
            held(numbers).describe_needs(1.0)
        );
    }
}

#[test]
fn helpers_patience_and_launches_follow_the_cost() {
    let cost = |worker: u64, step: u64| CostEstimate {
        worker_floats: worker,
        step_operations: step,
        ..CostEstimate::default()
    };
    // A gibibyte for all, 16 MiB for each besides its run.
    assert_eq!([7, 3].map(|most| cost((1 << 26) - (1 << 22), 0).max_sweep_workers(most)), [4, 3]);
    assert_eq!([cost(0, 0).max_sweep_workers(100), cost(u64::MAX, 0).max_sweep_workers(100)], [64, 0]);
    let slow = CostEstimate {
        start_operations: 100_000_000,
        step_operations: 50_000_000,
        measurement_operations: 51_000_000,
        ..CostEstimate::default()
    };
    assert_eq!([slow.response_timeout_s(12), CostEstimate::default().response_timeout_s(12)], [16, 12]);
    let steps = [0, 1_000_000, 900_000_000].map(|step| cost(0, step).steps_per_launch(4e10, 20.0));
    assert_eq!(steps, [800_000_000, 800, 1]);
    assert_eq!(cost(0, 1).steps_per_launch(-1.0, 20.0), 1);
    // 3.44 · 10¹⁰ operations of a step, and at most 10⁹ of one workgroup, whatever the other networks do.
    let large = "#v1/sparse-parity?n=512&width=4096&batch=4096";
    for link in [large.to_string(), format!("{large}&replicas=3")] {
        let is_too_long =
            [1, 34, 35].map(|workgroups| exceeds_launch_limit_of_workgroups(&spec(&link), workgroups));
        assert_eq!(is_too_long, [true, true, false], "{link}");
        assert!(exceeds_launch_limit(&spec(&link)));
    }
    assert!(!exceeds_launch_limit(&spec("#v1/sparse-parity")));
}

#[test]
fn a_sweep_is_as_expensive_as_its_most_expensive_run() {
    let step = |query: &str| spec(&format!("#v1/sparse-parity?{query}")).estimate_cost().step_operations;
    for (sweep, of) in
        [("width:8_64_16", "width=64"), ("n:lin:10..200:191", "n=200"), ("n:lin:200..10:191", "n=200")]
    {
        let swept = spec(&format!("#v1/sparse-parity?sweep={sweep}"));
        assert_eq!(
            (max_cost(&swept).step_operations, max_cost(&swept).inspection_operations),
            (step(of), 0),
            "{sweep}"
        );
    }
    let one = spec("#v1/sparse-parity");
    assert_eq!(
        (max_cost(&one), estimate_seconds(&one)),
        (one.estimate_cost(), time::estimate_run_seconds(&one))
    );
    let (few, many) = (
        CostEstimate { page_floats: 7, inspection_operations: 1, ..CostEstimate::default() },
        CostEstimate { page_floats: 3, inspection_operations: 9, ..CostEstimate::default() },
    );
    assert_eq!(
        few.max(many),
        CostEstimate { page_floats: 7, inspection_operations: 9, ..CostEstimate::default() }
    );
}

/// Largest size that each task accepts, and the setting named in the error for the next size.
#[test]
fn each_task_ends_where_it_says() {
    let named = |lab: &str, query: &str| {
        let mut spec = RunSpec::default_of_lab(lab).unwrap();
        for (key, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
            spec.parse(key, value).unwrap();
        }
        let problems = spec.task.sampler().invalid_settings().into_iter().map(|problem| problem.key);
        problems.collect::<Vec<_>>()
    };
    for (lab, taken, refused, key) in [
        ("sparse-parity", "n=3&k=3", "n=3&k=4", "k"),
        ("sparse-parity", "n=9&k=2&s=1.9", "n=9&k=2&s=1.10", "s"),
        ("sparse-parity", "n=9&k=2&s=", "n=9&k=2&s=1", "s"),
        ("sparse-parity", "n=9&k=3&s=1.2.3", "n=9&k=2&s=1.2.3", "s"),
        ("sparse-parity", "n=16&data=cube", "n=17&data=cube", "data"),
        ("sparse-parity", "n=5&data=cube", "n=5&data=cube&m=1", "m"),
        ("sparse-parity", "n=5&data=cube", "n=5&data=cube&noise=0.1", "noise"),
        ("sparse-parity", "n=128&m=32768", "n=128&m=32769", "m"),
        ("sparse-boolean", "n=3&k=3", "n=3&k=4", "k"),
        ("sparse-boolean", "fn=majority&k=5", "fn=majority&k=4", "k"),
        ("sparse-boolean", "fn=parity&k=4", "fn=majority&k=6", "k"),
        ("sparse-boolean", "n=9&k=2&s=1.9", "n=9&k=2&s=1.10", "s"),
        ("sparse-boolean", "n=9&k=2&s=", "n=9&k=2&s=1", "s"),
        ("sparse-boolean", "n=128&m=32768", "n=128&m=32769", "m"),
        ("teacher-student", "n=128&m=32768", "n=128&m=32769", "m"),
        ("groups", "op=dihedral&n=64", "op=dihedral&n=65", "n"),
        ("groups", "op=product&factors=64.2", "op=product&factors=43.3", "factors"),
        ("groups", "op=table&table=0.1.1.0", "op=table&table=0.1.1.1", "table"),
        ("markov", "k=8&gram=3", "k=5&gram=4", "gram"),
        ("markov", "k=4&gram=4", "k=8&gram=4", "gram"),
        ("markov", "gram=2&data=ds", "gram=3&data=ds", "data"),
        ("markov", "gram=2&test=iid", "gram=3&test=iid", "test"),
        ("markov", "gram=3&data=no-lower", "gram=2&data=no-lower", "data"),
        ("markov", "gram=4&test=lower-mixture", "gram=2&test=lower-mixture", "test"),
        ("markov", "gram=3&t=3", "gram=3&t=2", "t"),
        ("tabular", "n=9&k=9", "n=8&k=9", "k"),
        ("tabular", "rule=parity&k=4", "rule=majority&k=4", "k"),
        ("tabular", "pieces=4", "pieces=5", "pieces"),
        ("tabular", "n=9&s=1.2.9", "n=9&s=1.2.10", "s"),
        ("tabular", "n=9&s=", "n=9&s=1.2", "s"),
        // A tenth of the rows is held out.
        ("tabular", "rows=40&m=36", "rows=40&m=37", "m"),
        ("tabular", "n=256&rows=100000&m=16384", "n=256&rows=100000&m=16385", "m"),
        ("sparse-token-regression", "n=3&q=3", "n=3&q=4", "q"),
        ("sparse-token-regression", "n=3&q=4&draw=free", "n=2&q=3", "q"),
        ("sparse-token-regression", "codes=orthogonal&de=8", "codes=orthogonal&de=7", "de"),
        ("sparse-token-regression", "codes=orthogonal&de=0", "codes=orthogonal&de=1", "de"),
        ("sparse-token-regression", "codes=random&de=7", "codes=orthogonal&de=7", "de"),
        // Prompts of 64 positions with a number, two names and a number to hold them against.
        ("sparse-token-regression", "n=64&m=16384", "n=64&m=16385", "m"),
    ] {
        assert_eq!(named(lab, taken), [""; 0], "{lab} {taken}");
        assert_eq!(named(lab, refused), [key], "{lab} {refused}");
    }
}
