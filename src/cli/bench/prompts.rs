//! `lab bench --prompts`: training of networks on prompts of tokens, on every device and learner.
//!
//! # Why
//! A step draws a batch of prompts and trains on all positions of each; nothing is measured between the two ends of a
//! window. The networks are those of two presets: two names and two heads, and the race of attention, a perceptron and
//! a GRU. PyTorch runs the same networks on data that it draws in the step, with its matrices written out and the GRU
//! besides with `torch.nn.GRU`. Compiled (`torch.compile`, 2.15) the first network makes 1.1 times as many steps on
//! one core and the perceptron at N = 16 fewer, so that no row of its own is worth the minutes of compiling.

use super::networks::BenchmarkNetworks;

/// Networks on prompts of tokens that `lab bench --prompts` times.
pub const NETWORKS: BenchmarkNetworks = BenchmarkNetworks {
    lab: "sparse-token-regression",
    caption: "Networks on prompts, batch 64, Adam",
    networks: &[
        ("attention, two heads for two names", ""),
        (
            "race, N = 4: attention",
            "n=4&dim=4&q=1&g=linear&codes=random&h=1&qk=separate&scores=all&values=token&width=32&wd=0.01",
        ),
        (
            "race, N = 8: attention",
            "n=8&dim=4&q=1&g=linear&codes=random&h=1&qk=separate&scores=all&values=token&width=32&wd=0.01",
        ),
        (
            "race, N = 16: attention",
            "n=16&dim=4&q=1&g=linear&codes=random&h=1&qk=separate&scores=all&values=token&width=32&wd=0.01",
        ),
        ("race, N = 4: MLP", "model=token-mlp&n=4&dim=4&q=1&g=linear&codes=random&wd=0.01"),
        ("race, N = 8: MLP", "model=token-mlp&n=8&dim=4&q=1&g=linear&codes=random&wd=0.01"),
        ("race, N = 16: MLP", "model=token-mlp&n=16&dim=4&q=1&g=linear&codes=random&wd=0.01"),
        ("race, N = 4: GRU", "model=gru&n=4&dim=4&q=1&g=linear&codes=random&wd=0.01"),
        ("race, N = 8: GRU", "model=gru&n=8&dim=4&q=1&g=linear&codes=random&wd=0.01"),
        ("race, N = 16: GRU", "model=gru&n=16&dim=4&q=1&g=linear&codes=random&wd=0.01"),
    ],
    size_column: ("N", "n"),
    script_options: &[&["--prompts"], &["--library", "--prompts"]],
};

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_labs as labs;
    use vivarium_model::permalink::decode;
    use vivarium_model::run::{LearnerChoice, RunSpec};
    use vivarium_model::sweep::cells;

    /// Settings of training, without its length and its measurements.
    fn trained(spec: &RunSpec) -> impl PartialEq + std::fmt::Debug + use<> {
        (spec.task.clone(), spec.model.clone(), spec.optimizer.clone(), spec.run.loss, spec.batch_size())
    }

    /// In the order of the rows: the first preset, then for each model of the race its lengths.
    fn of_presets() -> Vec<RunSpec> {
        let race = cells(&labs::find_preset("race").unwrap().link().spec);
        let first = labs::find_preset("two-heads").unwrap().link().spec;
        let series = (0..3).flat_map(|series| race.iter().filter(move |cell| cell.series_index == series));
        std::iter::once(first).chain(series.map(|cell| cell.spec.clone())).collect()
    }

    #[test]
    fn the_networks_are_those_of_the_presets() {
        let presets = of_presets();
        assert_eq!(presets.len(), NETWORKS.networks.len());
        for ((name, link), preset) in NETWORKS.networks.iter().zip(&presets) {
            let (decoded, notices) = decode(&format!("#v1/sparse-token-regression?{link}"));
            assert!(notices.is_empty() && decoded.spec.invalid_settings().is_empty(), "{name}: {notices:?}");
            let spec = NETWORKS.benchmark_run(link, LearnerChoice::Fused);
            assert!(spec.invalid_settings().is_empty(), "{name}");
            assert_eq!(trained(&spec), trained(preset), "{name}");
            let length = spec.task.sampler().prediction_count();
            assert!(link.is_empty() || name.contains(&format!("N = {length}:")), "{name}");
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
        let script = include_str!("../../../tests/peers/torch_prompts.py");
        let models = ["", "?model=token-mlp", "?model=gru"];
        let own: Vec<RunSpec> = models
            .iter()
            .map(|model| decode(&format!("#v1/sparse-token-regression{model}")).0.spec)
            .collect();
        let (_, rest) = script.split_once("DEFAULTS = {\n").unwrap();
        let (defaults, _) = rest.split_once("}\n").unwrap();
        assert!(defaults.lines().count() > 10);
        for line in defaults.lines() {
            let (key, value) = line.trim().trim_end_matches(',').split_once(": ").unwrap();
            let (key, value) = (key.trim_matches('"'), value.trim_matches('"'));
            let mut takes = 0;
            for spec in own.iter().filter(|spec| spec.value(key).is_some()) {
                let mut given = spec.clone();
                // A model that a link names begins with settings of its own.
                let same = key == "model" || (given.parse(key, value).is_ok() && given == *spec);
                assert!(same, "{line}");
                takes += 1;
            }
            assert!(takes > 0, "{line}");
        }
        assert_eq!(own[0].value("model").map(|model| model.to_string()).as_deref(), Some("token-attention"));
    }
}
