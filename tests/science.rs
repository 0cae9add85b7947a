//! Each preset's claim, checked over its replicas, and the instances of the specification against what was found
//! on them elsewhere.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::print_stdout, reason = "the numbers behind a claim are worth reading")]

use vivarium::cli::{LARGE_PRESETS, LONG_PRESETS, is_checked_by_default, science};
use vivarium::labs::{PRESETS, find_preset};
use vivarium::presets::Preset;
use vivarium::training::launch::device::Device;

fn check(preset: &Preset) -> Vec<String> {
    let verdicts = science::check_preset(preset, science::REPLICAS, &Device::cpu()).unwrap();
    for verdict in &verdicts {
        println!("{} {}: {}", if verdict.holds { "  " } else { "NO" }, preset.slug, verdict.text);
    }
    let failed = verdicts.into_iter().filter(|v| !v.holds);
    failed.map(|v| format!("{}: {}", preset.slug, v.text)).collect()
}

#[test]
#[ignore = "minutes; `cargo xtask science` runs it"]
fn every_preset_shows_what_it_claims() {
    let failed: Vec<String> = PRESETS.iter().filter(|p| is_checked_by_default(p)).flat_map(check).collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

/// The quickest of them, in every run of the tests.
#[test]
fn the_first_presets_show_what_they_claim() {
    let quick = [
        "parity-20",
        "cubic-10",
        "polynet",
        "hidden-progress",
        "hidden-progress-noise",
        "gap-path",
        "leap-1",
        "z23",
        "z7-memorise",
        "s3",
        "cube-of-bits",
    ];
    let presets = PRESETS.iter().filter(|p| quick.contains(&p.slug));
    let failed: Vec<String> = presets.flat_map(check).collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
#[ignore = "minutes; `cargo xtask science` runs it"]
fn every_instance_is_as_found_elsewhere() {
    let rows = science::compare_all(&Device::cpu(), "", |row| println!("{row:?}")).unwrap();
    println!("{}", science::format_markdown(&rows));
    let apart: Vec<_> = rows.iter().filter(|row| !row.is_settled_or_known()).collect();
    assert!(apart.is_empty(), "{apart:#?}");
}

#[test]
fn large_presets_are_presets() {
    assert!(
        LARGE_PRESETS
            .iter()
            .chain(LONG_PRESETS)
            .all(|slug| find_preset(slug).is_some_and(|p| !p.duration_note.is_empty()))
    );
}
