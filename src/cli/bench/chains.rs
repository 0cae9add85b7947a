//! `lab bench --chains`: training of networks on sequences, on every device and learner.
//!
//! # Why
//! A step draws a batch of chains with a sequence of each, and trains after every symbol; nothing is measured
//! within a window. PyTorch runs the same networks in two ways: with sequences drawn on the device in every
//! step, as here, and with sequences drawn beforehand, which times training alone. Its chains are drawn for a
//! whole batch at once, and terms that depend on distances are one product and a view of it.
//!
//! # Speed
//! PyTorch, eager, plain formulas with k = 3, t = 100, batch 64 and prebuilt data: 260 steps/s on an NVIDIA
//! H200 and 72 on 16 processor cores.

use super::networks::BenchmarkNetworks;

/// Networks on sequences of Markov chains that `lab bench --chains` times.
pub const NETWORKS: BenchmarkNetworks = BenchmarkNetworks {
    lab: "markov",
    caption: "Networks on sequences, a Markov chain for each",
    networks: &[
        ("k = 2, t = 50", ""),
        ("k = 3, t = 100", "k=3&t=100&batch=64"),
        ("k = 3, t = 100, norms", "k=3&t=100&norm=pre&std=0.02&batch=64&wd=0.1"),
        ("3-grams, t = 100, 3 + 3 heads", "d=48&heads=3.3&gram=3&t=100&batch=64"),
        ("minimal model, t = 100", "model=minimal-markov&opt=sgd&t=100&batch=64&lr=0.002"),
    ],
    size_column: ("batch", "batch"),
    script_options: &[&["--chains"], &["--prebuilt", "--chains"]],
};

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::permalink::decode;
    use vivarium_model::run::{LearnerChoice, RunSpec};

    #[test]
    fn every_network_is_what_its_link_says() {
        for (name, link) in NETWORKS.networks {
            let (decoded, notices) = decode(&format!("#v1/markov?{link}"));
            assert!(notices.is_empty() && decoded.spec.invalid_settings().is_empty(), "{name}: {notices:?}");
            let spec = NETWORKS.benchmark_run(link, LearnerChoice::Fused);
            assert!(spec.invalid_settings().is_empty(), "{name}");
            assert!(name.contains(&format!("t = {}", spec.task.examples().prediction_count())), "{name}");
            assert_eq!(spec.batch_size(), if link.is_empty() { 32 } else { 64 }, "{name}");
        }
    }

    #[test]
    fn the_script_knows_the_same_networks() {
        let script = include_str!("../../../tests/peers/torch_bench.py");
        for (name, link) in NETWORKS.networks {
            assert!(script.contains(&format!("    \"{link}\",\n")), "{name}");
        }
    }

    #[test]
    fn the_script_has_the_defaults_of_the_lab() {
        let script = include_str!("../../../tests/peers/torch_chains.py");
        let lab = decode("#v1/markov").0.spec;
        let minimal = decode("#v1/markov?model=minimal-markov").0.spec;
        let unchanged = |spec: &RunSpec, key: &str, value: &str| {
            let mut given = spec.clone();
            given.parse(key, value).is_ok() && given == *spec
        };
        let (_, rest) = script.split_once("DEFAULTS = {\n").unwrap();
        let (defaults, _) = rest.split_once("}\n").unwrap();
        assert!(defaults.lines().count() > 10);
        for line in defaults.lines() {
            let (key, value) = line.trim().trim_end_matches(',').split_once(": ").unwrap();
            let (key, value) = (key.trim_matches('"'), value.trim_matches('"'));
            assert!(unchanged(&lab, key, value) || unchanged(&minimal, key, value), "{line}");
        }
        let rate = |link: &str| decode(link).0.spec.optimizer.learning_rate();
        let [adam, sgd] = [rate("#v1/markov"), rate("#v1/markov?opt=sgd")];
        assert!(script.contains(&format!("RATES = {{\"adam\": \"{adam}\", \"sgd\": \"{sgd}\"}}\n")));
    }
}
