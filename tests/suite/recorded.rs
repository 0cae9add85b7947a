//! The recorded curves of the presets.

use vivarium::labs::PRESETS;
use vivarium::presets::recorded::{PresetRecording, parse};

const FILE: &str = include_str!("../../src/view/presets/recorded.txt");

/// A preset that was changed since is found by its link; `lab record <preset>` records it anew.
#[test]
fn every_preset_as_it_is_now_has_its_record() {
    let all = parse(FILE).unwrap();
    let names = |of: &[PresetRecording]| {
        of.iter().map(|one| (one.slug.clone(), one.link.clone())).collect::<Vec<_>>()
    };
    let presets: Vec<_> = PRESETS.iter().map(|p| (p.slug.to_string(), p.link.to_string())).collect();
    assert_eq!(names(&all), presets);
    let without: Vec<_> = all.iter().filter(|one| one.curves.is_empty()).map(|one| &*one.slug).collect();
    assert!(without.len() <= 6, "{without:?}");
    for one in &all {
        assert!(
            one.curves.len() <= 6 && one.run_length > 0 && one.recorded_until <= one.run_length,
            "{}",
            one.slug
        );
        for curve in &one.curves {
            assert!((2..=64).contains(&curve.x.len()), "{}: {}", one.slug, curve.x.len());
            assert!(curve.x.is_sorted_by(|a, b| a <= b), "{}", one.slug);
            assert!(curve.x.iter().chain(&curve.y).all(|v| v.is_finite()), "{}", one.slug);
            let positive = |is_log: bool, v: &[f32]| !is_log || v.iter().all(|v| *v > 0.0);
            assert!(positive(one.log[1], &curve.y), "{}", one.slug);
        }
    }
    // 206,000 before the preset with dropout, 207,000 before two presets of networks that a user writes,
    // 208,500 before two more, 210,000 before the predicted plateau of an error and the margins of a sweep.
    assert!(FILE.len() < 216_000, "{}", FILE.len());
}
