//! Links: for ever, and whatever stands in them.

use proptest::prelude::*;
use vivarium::permalink::{MAX_LINK_LENGTH, ViewSettings, decode, encode};
use vivarium::run::RunSpec;
use vivarium::settings::{Range, Settings, SweepAxis, Value};

use crate::catalogs::pairs_that_suit;

/// `permalinks.txt` only grows: each line is a link that somebody may have kept, and what it must mean: the
/// canonical link, then settings that it must carry. A default that changes breaks the second part.
#[test]
fn recorded_links_mean_what_they_meant() {
    let recorded = include_str!("../golden/permalinks.txt");
    let mut count = 0;
    for line in recorded.lines().filter(|line| !line.trim().is_empty() && !line.starts_with("# ")) {
        let mut parts = line.split(" | ");
        let (text, canonical) = (parts.next().unwrap(), parts.next().unwrap());
        let (link, _) = decode(text);
        assert_eq!(encode(&link), canonical, "{line}");
        for setting in parts.flat_map(str::split_whitespace) {
            let (key, value) = setting.split_once('=').unwrap();
            let meant = link.spec.value(key).or_else(|| link.view.value(key)).unwrap();
            assert_eq!(meant.to_string(), value, "{line}: {key}");
        }
        count += 1;
    }
    assert!(count >= 5);
}

/// A value that the range allows, chosen by three numbers.
pub fn value(range: Range, a: u64, b: f64) -> Value {
    match range {
        Range::Int(low, high) => Value::Int(low + a % (high - low).saturating_add(1)),
        Range::Real(low, high) => Value::Real(low + (high - low) * b),
        Range::Choice(options) => Value::Choice(options[a as usize % options.len()].slug.to_string()),
        Range::List(low, high) => {
            Value::List((0..a % 4).map(|i| low + (a + i * 7) % (high - low + 1)).collect())
        }
        Range::Points(largest, most) => {
            let point = |i: u64| [largest * (2.0 * b - 1.0), -largest * b / (1 + i) as f64];
            Value::Points((0..a % most as u64).map(point).collect())
        }
        Range::Text(most) => {
            const LETTERS: [char; 8] = ['1', '0', '_', ' ', '→', '%', ';', 'R'];
            let letter = |i: u64| LETTERS[((a.wrapping_mul(i + 1) >> 3) % 8) as usize];
            Value::Text((0..a % 9.min(most as u64)).map(letter).collect())
        }
        Range::Formula(most) => {
            const PARTS: [&str; 9] = ["x1", "x2", "x3", "~", " & ", "|", "^", "(", ")"];
            let part = |i: u64| PARTS[((a.wrapping_mul(i + 1) >> 3) % 9) as usize];
            Value::Formula((0..a % 9.min(most as u64 / 3)).map(part).collect())
        }
        Range::Axis => Value::Axis(Default::default()),
        Range::Axes => Value::Axes(vec![]),
        Range::Sizes(low, high, most) => {
            Value::List((0..=a % most as u64).map(|i| low + (a + i * 7) % (high - low + 1)).collect())
        }
        Range::Numbers(low, high, most) => {
            Value::List((0..a % most as u64).map(|i| low + (a + i * 7) % (high - low + 1)).collect())
        }
        // Addition, now and then with one entry changed, which makes it no group's.
        Range::Table(most) => {
            let rows = 1 + a % most as u64;
            let mut table: Vec<u64> = (0..rows * rows).map(|at| (at / rows + at % rows) % rows).collect();
            if b > 0.7 {
                let at = (a / 7) as usize % table.len();
                table[at] = (table[at] + 1) % rows;
            }
            Value::List(table)
        }
        Range::Schedule(low, high) => {
            Value::Schedule((0..a % 3).map(|i| (i * 100 + a % 50, low + (high - low) * b)).collect())
        }
        // An empty one is refused, which is right.
        Range::Set(options) => {
            let chosen = options.iter().enumerate().filter(|(i, _)| a >> (i % 64) & 1 == 1);
            Value::Set(chosen.map(|(_, option)| option.slug.to_string()).collect())
        }
    }
}

proptest! {
    #[test]
    fn what_is_encoded_decodes_to_the_same(
        chosen in any::<prop::sample::Index>(),
        optimizer in 0usize..2,
        which in prop::collection::vec((any::<prop::sample::Index>(), any::<u64>(), 0.0f64..1.0), 0..8)
    ) {
        let (task, model) = *chosen.get(&pairs_that_suit());
        let mut link = decode(&format!("#v1/{task}")).0;
        link.spec.parse("model", model).unwrap();
        link.spec.parse("opt", ["sgd", "adam"][optimizer]).unwrap();
        for (index, a, b) in which {
            let settings: Vec<_> = link.spec.settings().into_iter().map(|k| k.1).chain(ViewSettings::SETTINGS).collect();
            let info = index.get(&settings);
            let value = value(info.range, a, b);
            // Lists with a number twice are refused, which is right.
            let _ = match link.view.value(info.key) {
                Some(_) => link.view.set(info.key, &value).map(|_| ()),
                None => link.spec.set(info.key, &value),
            };
        }
        link.spec.repair();
        link.view.repair(&link.spec);
        let text = encode(&link);
        let (again, notices) = decode(&text);
        prop_assert!(notices.is_empty(), "{text}: {notices:?}");
        prop_assert_eq!(&again, &link);
        prop_assert!(link.spec.invalid_settings().is_empty(), "{text}");
        prop_assert!(text.chars().all(|c| c.is_ascii_alphanumeric() || "#/?&=._:-~!;,+*()@$".contains(c)), "{}", text);
    }

    #[test]
    fn no_text_panics_and_every_result_can_run(text in "\\PC{0,300}") {
        let (link, _) = decode(&text);
        prop_assert!(link.spec.invalid_settings().is_empty());
        prop_assert!(decode(&encode(&link)).1.iter().all(|n| link.teacher_keys.iter().any(|r| r.0 == n.key)));
    }

    #[test]
    fn hostile_links_are_data(
        lab in prop::sample::select(vec!["sparse-parity", "groups", "markov", "grou%00ps"]),
        key in "([a-z<>&\"'%=]{0,12}|op|table|factors|lambdas|frac|model|seq|chain|heads|gram)",
        text in "(<script>|%[0-9a-f]{2}|\\.\\./|\u{0}|[0-9e.:_-]){0,20}"
    ) {
        let (link, notices) = decode(&format!("#v1/{lab}?n=20&{key}={text}&width=64"));
        prop_assert!(link.spec.invalid_settings().is_empty());
        for notice in &notices {
            prop_assert!(notice.found.chars().count() <= 41 && notice.key.chars().count() <= 41);
        }
    }

    #[test]
    fn values_out_of_range_never_get_through(index in any::<prop::sample::Index>(), text in "-?[0-9]{1,25}(\\.[0-9]{1,5})?(e[0-9]{1,3})?") {
        for lab in ["sparse-parity", "groups", "markov"] {
            let settings = RunSpec::default_of_lab(lab).unwrap().settings();
            let info = index.get(&settings).1;
            let (link, notices) = decode(&format!("#v1/{lab}?{}={text}", info.key));
            let kept = link.spec.value(info.key).unwrap();
            prop_assert!(info.check(&kept).is_ok());
            if notices.is_empty() {
                prop_assert_eq!(info.parse(&text).unwrap(), kept);
            }
        }
    }
}

#[test]
fn long_garbage_is_cut_and_named() {
    let garbage = "x=1&".repeat(MAX_LINK_LENGTH);
    let (link, notices) = decode(&format!("#v1/sparse-parity?n=20&{garbage}"));
    assert_eq!(encode(&link), "#v1/sparse-parity?n=20");
    assert_eq!(notices[0].key, "link");
}

/// The value whose text is the longest, or nearly.
fn longest(range: Range) -> Value {
    const SHARE: f64 = 0.123_456_789_012_345_68;
    match range {
        Range::Int(_, high) => Value::Int(high),
        Range::Real(low, high) => Value::Real(low + (high - low) * SHARE),
        Range::Choice(options) => Value::Choice(
            options.iter().map(|option| option.slug).max_by_key(|slug| slug.len()).unwrap().into(),
        ),
        Range::List(low, high) => Value::List((low.max(high.saturating_sub(63))..=high).collect()),
        Range::Sizes(_, high, most) | Range::Numbers(_, high, most) => Value::List(vec![high; most]),
        Range::Table(most) => Value::List(vec![999; most * most]),
        Range::Schedule(low, high) => {
            let value = low + (high - low) * SHARE;
            Value::Schedule((0..64).map(|at| (u64::MAX - 64 + at, value)).collect())
        }
        Range::Points(largest, most) => Value::Points(vec![[-largest * SHARE; 2]; most]),
        Range::Text(most) => Value::Text("1".repeat(most)),
        Range::Formula(most) => Value::Formula("1".repeat(most - 1)),
        // 2,500 characters are the most of a list.
        Range::Axis => Value::Axis(SweepAxis::new("settings".into(), vec!["9".repeat(24); 100])),
        // As are they of several lists together.
        Range::Axes => Value::Axes(vec![SweepAxis::new("settings".into(), vec!["9".repeat(24); 99])]),
        Range::Set(options) => Value::Set(options.iter().map(|option| option.slug.to_string()).collect()),
    }
}

/// Of a run with 64 changes of two settings and a sweep of a thousand values, the link was longer than what is read.
#[test]
fn no_link_that_is_written_is_too_long_to_be_read() {
    let mut most = 0;
    for (task, model) in pairs_that_suit() {
        for optimizer in ["sgd", "adam"] {
            let mut link = decode(&format!("#v1/{task}")).0;
            link.spec.parse("model", model).unwrap();
            link.spec.parse("opt", optimizer).unwrap();
            for (_, info) in link.spec.settings() {
                link.spec.set(info.key, &longest(info.range)).unwrap();
            }
            for info in ViewSettings::SETTINGS {
                link.view.set(info.key, &longest(info.range)).unwrap();
            }
            for info in link.spec.task.config().theory_settings() {
                link.theory.set(info.key, &longest(info.range)).unwrap();
            }
            let reserved = ["lock", "hide", "axes", "embed", "at"];
            link.teacher_keys = reserved.map(|key| (key.into(), "x".repeat(400))).to_vec();
            most = most.max(encode(&link).len());
        }
    }
    // A third as much again, for what is still to come.
    assert!(most * 4 < MAX_LINK_LENGTH * 3, "{most}");
    assert!(most > 10_000, "{most}");
}
