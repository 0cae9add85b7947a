//! `lab bench --points`: training of decoders on points of a function, on every device and learner.
//!
//! # Why
//! A step draws a batch of prompts and trains on all points of each; nothing is measured within a window. The
//! second network is the default of the lab, which should make 4,000 steps in half a minute on one core.
//! PyTorch runs the same networks on data that it draws in the step, with its own attention and norm.

use super::networks::BenchmarkNetworks;

/// Decoders on points of a function that `lab bench --points` times.
pub const NETWORKS: BenchmarkNetworks = BenchmarkNetworks {
    lab: "in-context-learning",
    caption: "Decoders on 17 points of a random network, batch 64, Adam with clipped gradients",
    networks: &[
        ("one layer", "blocks=1"),
        ("two layers", ""),
        ("four layers", "blocks=4"),
        ("two layers, joint tokens, ReLU attention", "format=joint&attend=relu"),
    ],
    size_column: ("layers", "blocks"),
    script_options: &[&["--points"]],
};

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::permalink::decode;
    use vivarium_model::run::LearnerChoice;
    use vivarium_training::launch::learners::{Place, entry};

    #[test]
    fn the_networks_are_ours_to_train() {
        for (name, link) in NETWORKS.networks {
            let (_, notices) = decode(&format!("#v1/{}?{link}", NETWORKS.lab));
            assert!(notices.is_empty(), "{name}: {notices:?}");
            let spec = NETWORKS.benchmark_run(link, LearnerChoice::Fused);
            assert!(spec.invalid_settings().is_empty(), "{name}: {:?}", spec.invalid_settings());
            assert!(entry(&spec, Place::Cpu).is_some_and(|entry| entry.accepts(&spec).is_ok()), "{name}");
            assert!(spec.optimizer.clip() > 0.0, "{name}: what is timed clips");
        }
    }

    #[test]
    fn the_script_knows_the_same_networks() {
        let script = include_str!("../../../tests/peers/torch_bench.py");
        let (_, rest) = script.split_once("POINTS = (\n").unwrap();
        let (own, _) = rest.split_once(")\n").unwrap();
        let links: Vec<&str> = own.lines().map(|line| line.trim().trim_matches([',', '"'])).collect();
        assert_eq!(links, NETWORKS.networks.iter().map(|(_, link)| *link).collect::<Vec<_>>());
    }

    #[test]
    fn the_script_has_the_defaults_of_the_lab() {
        let script = include_str!("../../../tests/peers/torch_points.py");
        let spec = decode(&format!("#v1/{}", NETWORKS.lab)).0.spec;
        let (_, rest) = script.split_once("DEFAULTS = {\n").unwrap();
        let (defaults, _) = rest.split_once("}\n").unwrap();
        assert!(defaults.lines().count() > 20);
        for line in defaults.lines() {
            let (key, value) = line.trim().trim_end_matches(',').split_once(": ").unwrap();
            let (key, value) = (key.trim_matches('"'), value.trim_matches('"'));
            assert_eq!(spec.value(key).map(|own| own.to_string()).as_deref(), Some(value), "{key}");
        }
    }
}
