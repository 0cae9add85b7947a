//! Recorded runs and generated texts must be what the code gives.

use std::path::Path;

use vivarium::cli::{GoldenRun, LARGE_PRESETS, build_readmes, golden_path};
use vivarium::labs::PRESETS;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// `cargo lab golden --bless` records anew; the reason goes into the commit.
#[test]
fn presets_run_as_recorded() {
    for preset in PRESETS.iter().filter(|p| !LARGE_PRESETS.contains(&p.slug)) {
        let recorded = GoldenRun::read(&golden_path(&root().join("tests/golden/runs"), preset)).unwrap();
        let differences = recorded.describe_differences(&GoldenRun::record(preset).unwrap());
        assert!(differences.is_empty(), "{}: {differences:#?}", preset.slug);
    }
}

#[test]
fn the_tables_of_the_readmes_are_up_to_date() {
    for readme in build_readmes() {
        let text = std::fs::read_to_string(root().join(readme.path)).unwrap();
        let is_new = readme.refresh_tables(&text).unwrap() == text;
        assert!(is_new, "{} is out of date; `cargo lab docs` refreshes it", readme.path);
    }
}
