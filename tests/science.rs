//! Each preset's claim, checked over three seeds.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::print_stdout, reason = "the numbers behind a claim are worth reading")]

use vivarium::presets::{Measure, PRESETS, Preset};
use vivarium::training::device::Device;
use vivarium::training::session::{Options, Session};

/// Runs the preset with three replicas and checks each of its expectations.
fn check(preset: &Preset) {
    let mut spec = preset.link().spec;
    (spec.run.replicas, spec.run.steps) = (3, preset.budget);
    let mut session = Session::start(&spec, &Device::cpu(), Options::default()).unwrap();
    let outcome = pollster::block_on(session.finish(|_| {})).unwrap();
    for expect in preset.expect {
        let reached: Vec<Option<u64>> = (0..spec.run.replicas)
            .map(|r| {
                let rows = outcome.rows.iter().find(|row| {
                    let measured = match expect.measure {
                        Measure::TrainAccuracy => row.train_accuracy[r],
                        Measure::TestAccuracy => row.test_accuracy[r],
                    };
                    measured >= expect.at_least
                });
                rows.map(|row| row.step)
            })
            .collect();
        let (first, last) = expect.steps;
        let fitting = reached.iter().flatten().filter(|step| (first..=last).contains(*step)).count();
        println!(
            "{}: {:?} ≥ {} at {reached:?}, expected in {first} to {last}",
            preset.slug, expect.measure, expect.at_least
        );
        assert!(fitting as f64 >= expect.fraction * spec.run.replicas as f64, "{}: {reached:?}", preset.slug);
    }
}

fn preset(slug: &str) -> &'static Preset {
    Preset::find(slug).unwrap_or_else(|| panic!("no preset {slug}"))
}

#[test]
fn parity_20() {
    check(preset("parity-20"));
}

#[test]
fn parity_50() {
    check(preset("parity-50"));
}

#[test]
fn parity_noise() {
    check(preset("parity-noise"));
}

#[test]
fn parity_grokking() {
    check(preset("parity-grokking"));
}

/// No preset without its test above.
#[test]
fn every_preset_is_checked() {
    let source = include_str!("science.rs");
    for preset in PRESETS {
        assert!(source.contains(&format!("check(preset(\"{}\"))", preset.slug)), "{}", preset.slug);
    }
}
