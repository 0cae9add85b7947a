//! What a link, a file or a form can ask for at most: sizes are refused before anything is built.
//!
//! Whatever took gigabytes or minutes built something large, so these tests count the bytes that are allocated, and the
//! networks of largest margin.

use vivarium::bounds::{MAX_HELD_OUT_ENTRIES, MAX_TENSOR_ENTRIES, MAX_TRAINING_SET_ENTRIES};
use vivarium::models::group_net::BUILT;
use vivarium::permalink::{Link, decode, encode};
use vivarium::run::RunSpec;
use vivarium::settings::{InvalidSetting, Range, SettingInfo, Value};
use vivarium::tasks::Task;

use crate::catalogs::pairs_that_suit;
use crate::costs::count_allocated;

/// Bytes that reading and repairing one link may allocate; the largest of the links here takes 213 thousand.
const MOST_FOR_A_LINK: u64 = 1 << 20;
/// Bytes that finding the problems of one run may allocate; the largest here, of a circuit, takes 2.2 million.
const MOST_FOR_PROBLEMS: u64 = 1 << 23;

/// Reads a link, which must build no network and allocate little.
fn read(text: &str) -> (Link, Vec<InvalidSetting>) {
    let built = BUILT.get();
    let (read, allocated) = count_allocated(|| decode(text));
    assert!(allocated <= MOST_FOR_A_LINK, "{text}: {allocated} bytes");
    assert_eq!(BUILT.get(), built, "{text} builds a network");
    read
}

/// Whatever passes has sizes below their limits, and 32 bits hold them, in bytes too.
fn assert_bounded(spec: &RunSpec, text: &str) {
    let sizes = spec.sizes();
    let numbers = [sizes.weights, sizes.data, sizes.samples, sizes.splits];
    assert!(numbers.iter().all(|numbers| *numbers <= MAX_TENSOR_ENTRIES), "{text}: {sizes:?}");
    assert!(sizes.held_out <= MAX_HELD_OUT_ENTRIES, "{text}: {sizes:?}");
    if spec.uses_autodiff() {
        assert!(sizes.activations <= MAX_TENSOR_ENTRIES, "{text}: {sizes:?}");
    }
    let limits = [MAX_TENSOR_ENTRIES, MAX_HELD_OUT_ENTRIES, MAX_TRAINING_SET_ENTRIES];
    assert!(limits.iter().all(|limit| *limit < u64::from(u32::MAX / 4)));
    let inputs = spec.task.examples().inputs();
    assert!(spec.architecture().activations(inputs) < u64::from(u32::MAX / 4), "{text}");
    if let Task::Groups(task) = &spec.task {
        assert!(task.element_count() <= 128 && task.order().pow(2) <= 1 << 14, "{text}");
    }
    assert!(spec.parameters().iter().all(|p| p.numbers() == p.len() as u64), "{text}");
    assert!(spec.step_flops().is_finite(), "{text}");
}

/// The links that made a page panic, or take gigabytes or minutes.
#[test]
fn links_that_ask_for_too_much_are_mended_at_once() {
    for (link, key, mended) in [
        ("#v1/groups?op=product&factors=128.128.128.128.16", "factors", "#v1/groups?op=product"),
        (
            "#v1/groups?op=product&factors=128.128.128&from=maximum",
            "factors",
            "#v1/groups?op=product&from=maximum",
        ),
        ("#v1/groups?op=product&factors=32.32&from=maximum", "factors", "#v1/groups?op=product&from=maximum"),
        (
            "#v1/groups?op=product&factors=128.128.128&from=memorise",
            "factors",
            "#v1/groups?op=product&from=memorise",
        ),
        (
            "#v1/sparse-parity?n=512&width=4096&batch=2048&replicas=4096",
            "replicas",
            "#v1/sparse-parity?n=512&width=4096&batch=2048&replicas=",
        ),
        (
            "#v1/sparse-parity?n=2&k=2&width=4096&batch=4096&replicas=4096&learner=autodiff",
            "replicas",
            "#v1/sparse-parity?n=2&k=2&width=4096&batch=4096&replicas=",
        ),
        ("#v1/markov?t=256&k=8&batch=4096&replicas=4096", "replicas", ""),
        ("#v1/sparse-boolean?n=2048&m=100000&replicas=4096", "m", ""),
        ("#v1/tabular?n=256&rows=100000&m=0&replicas=4096", "m", ""),
        ("#v1/groups?op=dihedral&n=64&frac=0.99&batch=4096&replicas=4096&width=4096", "replicas", ""),
        (
            "#v1/groups?from=maximum&width=4096&sweep=n:lin:2..128:127",
            "sweep",
            "#v1/groups?width=4096&from=maximum",
        ),
    ] {
        let (read, notices) = read(link);
        assert!(notices.iter().any(|notice| notice.key == key), "{link}: {notices:?}");
        assert!(read.spec.invalid_settings().is_empty(), "{link}");
        assert_bounded(&read.spec, link);
        let text = encode(&read);
        // As many networks as fit, which `costs` looks at.
        let is_mended = if mended.ends_with('=') { text.starts_with(mended) } else { text == mended };
        assert!(mended.is_empty() || is_mended, "{link} became {text}: {notices:?}");
        assert!(decode(&text).1.is_empty(), "{text}");
    }
}

/// 16,384 neurons have room on up to 512 bits, and on pairs of up to 32 elements; beyond, as many weights as before.
#[test]
fn a_layer_is_as_wide_as_its_inputs_leave_room() {
    for (link, most) in [
        ("#v1/sparse-parity?n=512&width=16384", None),
        ("#v1/sparse-parity?n=512&width=16384&batch=4096", None),
        ("#v1/sparse-parity?n=40&model=power-net&width=16384", None),
        ("#v1/sparse-parity?n=128&model=deep-mlp&widths=16384.2", None),
        ("#v1/groups?n=32&width=16384", None),
        ("#v1/sparse-boolean?n=2048&model=mlp&m=1000&width=4096", None),
        (
            "#v1/sparse-boolean?n=2048&model=mlp&m=1000&width=4097",
            Some("at most 4096 neurons for 2048 inputs"),
        ),
        (
            "#v1/sparse-boolean?n=513&model=deep-mlp&widths=16384",
            Some("at most 16352 neurons for 513 inputs"),
        ),
        ("#v1/groups?n=33&width=16384", Some("at most 15887 neurons for 33 inputs")),
        ("#v1/sparse-parity?width=16385", Some("a whole number from 1 to 16384")),
    ] {
        let (read, notices) = read(link);
        assert_bounded(&read.spec, link);
        assert!(read.spec.invalid_settings().is_empty(), "{link}");
        match most {
            None => assert!(notices.is_empty(), "{link}: {notices:?}"),
            Some(most) => {
                assert!(notices.iter().any(|notice| notice.expected.contains(most)), "{link}: {notices:?}")
            }
        }
    }
    // As many of them as before fit together.
    for (width, replicas) in [(4096, 31), (16_384, 7)] {
        let most =
            |replicas: usize| decode(&format!("#v1/sparse-parity?n=512&width={width}&replicas={replicas}")).1;
        assert!(most(replicas).is_empty(), "{:?}", most(replicas));
        assert!(most(replicas + 1).iter().any(|notice| notice.key == "replicas"), "{width}");
    }
}

/// The ends of a range, the smallest first.
fn ends(setting: &SettingInfo) -> Vec<Value> {
    match setting.range {
        Range::Int(low, high) => vec![Value::Int(low), Value::Int(high)],
        Range::Real(low, high) => vec![Value::Real(low), Value::Real(high)],
        Range::Choice(options) => options.iter().map(|o| Value::Choice(o.slug.into())).collect(),
        Range::List(low, high) => {
            vec![Value::List(vec![]), Value::List((low..=high.min(low + 63)).collect())]
        }
        Range::Sizes(low, high, most) => vec![
            Value::List(vec![low]),
            Value::List(vec![high]),
            Value::List(vec![2.max(low); most]),
            Value::List(vec![high; most]),
        ],
        Range::Numbers(_, high, most) => vec![Value::List(vec![]), Value::List(vec![high; most])],
        Range::Table(most) => {
            let n = most as u64;
            vec![Value::List(vec![0]), Value::List((0..n * n).map(|at| (at / n + at % n) % n).collect())]
        }
        Range::Schedule(low, high) => {
            vec![Value::Schedule(vec![]), Value::Schedule(vec![(0, low), (9, high)])]
        }
        Range::Points(largest, most) => {
            vec![Value::Points(vec![]), Value::Points(vec![[largest, -largest]; most])]
        }
        Range::Text(most) => vec![Value::Text(String::new()), Value::Text("1".repeat(most))],
        Range::Formula(most) => {
            let texts = ["", "(x1 ^ x2) & x3", "maj(x1, x2, x3)", "x8"].map(String::from);
            let long = ["~".repeat(most), "1".repeat(most), format!("{}x1", "(".repeat(most - 2))];
            texts.into_iter().chain(long).map(Value::Formula).collect()
        }
        Range::Axis | Range::Axes | Range::Set(_) => vec![],
    }
}

/// Numbers without a pattern (Steele and Vigna 2021, table 4).
fn next(state: &mut u64) -> usize {
    *state = state.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
    (*state >> 33) as usize
}

/// Every setting of every task and model at an end of its range, in combinations: none panics, none builds much, and
/// what passes is bounded, as is what is mended.
#[test]
fn whatever_stands_at_the_ends_of_ranges_is_bounded() {
    let (mut state, mut passed) = (1, 0);
    for (task, model) in pairs_that_suit() {
        let mut plain = RunSpec::default_of_lab(task).unwrap();
        plain.parse("model", model).unwrap();
        let settings: Vec<&SettingInfo> = plain.settings().into_iter().map(|(_, setting)| setting).collect();
        for round in 0..400 {
            let mut spec = plain.clone();
            for setting in &settings {
                let ends = ends(setting);
                // All settings at their ends, or some of them.
                if ends.is_empty() || next(&mut state) % 4 < round % 4 {
                    continue;
                }
                // Mostly the larger end: that is where memory is.
                let at = match next(&mut state) % 3 {
                    0 => next(&mut state) % ends.len(),
                    _ => ends.len() - 1,
                };
                let at = if matches!(setting.range, Range::Choice(_)) {
                    next(&mut state) % ends.len()
                } else {
                    at
                };
                let _ = spec.set(setting.key, &ends[at]);
            }
            let (problems, allocated) = count_allocated(|| spec.invalid_settings());
            let text = format!("{spec:?}");
            assert!(allocated <= MOST_FOR_PROBLEMS, "{allocated} bytes: {text}");
            if problems.is_empty() {
                assert_bounded(&spec, &text);
                passed += 1;
            }
            spec.repair();
            assert!(
                spec.invalid_settings().is_empty(),
                "{:?} in {spec:?}, mended from {text}",
                spec.invalid_settings()
            );
            assert_bounded(&spec, &text);
        }
    }
    assert!(passed > 100, "some of them are possible: {passed}");
}
