//! The edges of what a link may hold: the last that is taken, and the first that is not; and what a bare link shows.

use super::{MAX_LINK_LENGTH, ViewSettings, decode, encode};
use crate::run::RunSpec;
use crate::tasks::Task;
use vivarium_core::settings::Settings;

/// By heart: a link without `show` means these charts for ever.
#[test]
fn each_lab_opens_with_its_own_charts_and_speed() {
    let known = [
        ("sparse-parity", "loss.accuracy.weights", "400", "share"),
        ("sparse-boolean", "loss.accuracy.attention", "20", "share"),
        ("groups", "accuracy.margin.neurons.purity", "400", "share"),
        ("markov", "kl.strategies.map.distances", "60", "share"),
        ("teacher-student", "accuracy.weights.overlap", "200", "share"),
        ("tabular", "loss.accuracy", "100", "accuracy"),
        ("sparse-token-regression", "error.qk.glances", "200", "share"),
        ("in-context-regression", "both.apart.strip.fitted", "20", "share"),
        ("in-context-learning", "explained.examples.prompt.maps", "200", "share"),
        ("turing-machine", "columns.tape.recall.correct", "8", "share"),
        ("boolean-circuit", "norms.gates.strays.where", "60", "share"),
        ("machine-traces", "floor.cells.stepsback.writes", "0", "share"),
        ("succinct-learning", "written.slope.gridcells.answers", "12", "share"),
    ];
    assert_eq!(known.len(), Task::ENTRIES.len());
    for (lab, show, speed, cells) in known {
        let view = ViewSettings::default_of_task(&Task::from_slug(lab).unwrap());
        let said = ["show", "speed", "cells"].map(|key| view.value(key).unwrap().to_string());
        assert_eq!(said, [show, speed, cells], "{lab}");
        let link = decode(&format!("#v1/{lab}")).0;
        assert_eq!((link.view, Some(link.spec)), (view, RunSpec::default_of_lab(lab)), "{lab}");
        // So to show the same is no part of a link, and to show the charts of another lab is.
        let usual = format!("#v1/{lab}?show={show}&speed={speed}&cells={cells}");
        assert_eq!(encode(&decode(&usual).0), format!("#v1/{lab}"));
        let charts = if lab == "sparse-parity" { "loss.accuracy" } else { "loss.accuracy.weights" };
        if charts != show {
            let other = format!("#v1/{lab}?show={charts}");
            assert_eq!(encode(&decode(&other).0), other);
        }
    }
}

#[test]
fn a_link_of_the_longest_length_is_read_whole() {
    let begin = "#v1/sparse-parity?n=20";
    let of = |length: usize| decode(&format!("{begin}{}", "&".repeat(length - begin.len())));
    let keys = |length: usize| of(length).1.into_iter().map(|notice| notice.key).collect::<Vec<_>>();
    assert_eq!(keys(MAX_LINK_LENGTH), [""; 0]);
    assert_eq!(keys(MAX_LINK_LENGTH + 1), ["link"]);
    assert!([0, 1].into_iter().all(|more| encode(&of(MAX_LINK_LENGTH + more).0) == begin));
}

#[test]
fn twenty_notices_are_listed_and_the_others_counted() {
    let last = |many: usize| {
        let pairs: Vec<String> = (0..many).map(|i| format!("x{i}=1")).collect();
        let notices = decode(&format!("#v1/sparse-parity?{}", pairs.join("&"))).1;
        let last = notices.last().unwrap();
        (notices.len(), last.key.clone(), last.found.clone())
    };
    let said = |many: usize, key: &str, found: &str| (many, key.to_string(), found.to_string());
    assert_eq!(last(20), said(20, "x19", "1"));
    assert_eq!(last(21), said(21, "link", "further problems: 1"));
    assert_eq!(last(25), said(21, "link", "further problems: 5"));
}

/// Ends of axes are kept as they stand, so that what a page might show as markup must not be among it.
#[test]
fn what_is_kept_as_it_stands_is_short_and_plain() {
    let [longest, longer] = [400, 401].map(|many| "a".repeat(many));
    let values: [(&str, bool); 5] =
        [("0_1,-2.5", true), ("<b>", false), ("a b", false), (&longest, true), (&longer, false)];
    for (value, is_kept) in values {
        let (link, notices) = decode(&format!("#v1/sparse-parity?axes={value}"));
        let expected = if is_kept { format!("?axes={value}") } else { String::new() };
        assert_eq!(encode(&link), format!("#v1/sparse-parity{expected}"));
        assert_eq!(notices.len(), 1, "{value}");
    }
}

/// Eight positions with two names each, and a number: 16 places for names and 8 for numbers.
#[test]
fn what_is_changed_in_a_prompt_is_in_it() {
    for (changed, is_kept) in [
        ("named=1:1_16:8", true),
        ("named=17:1", false),
        ("named=0:1", false),
        ("named=16:9", false),
        ("named=3:1.5", false),
        ("tokens=1:-2.5_8:100", true),
        ("tokens=9:1", false),
        ("tokens=0:1", false),
        ("named=3:1&tokens=3:1.5", true),
    ] {
        let link = format!("#v1/sparse-token-regression?{changed}");
        let (read, notices) = decode(&link);
        let expected = if is_kept { link.as_str() } else { "#v1/sparse-token-regression" };
        assert_eq!((encode(&read).as_str(), notices.is_empty()), (expected, is_kept), "{changed}");
    }
}
