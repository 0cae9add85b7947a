//! `lab bench --groups`: full-batch training of networks on pairs of group elements, on every device and learner.
//!
//! # Why
//! A step on all d² pairs is three products of d² × m × d, 6 d³ m operations, and needs no data but its own
//! weights, so training alone is timed: nothing is measured between the two ends of a window. PyTorch runs the
//! same networks beside it, with its own Adam and each sum of embeddings broadcast, not looked up.
//!
//! # Speed
//! PyTorch 2.11, eager, x² with Adam on all pairs, steps/s on an NVIDIA H200 and on 16 processor cores:
//!
//! ```text
//! d, m        23, 200   71, 500   113, 512
//! H200            541       484        478
//! 16 cores        553        52         23
//! ```
//!
//! On that GPU it is bound by the number of its launches, whatever the size.

use super::networks::BenchmarkNetworks;

/// Networks on pairs of group elements that `lab bench --groups` times.
pub const NETWORKS: BenchmarkNetworks = BenchmarkNetworks {
    lab: "groups",
    caption: "All pairs of group elements unless a batch is named, Adam",
    networks: &[
        ("p = 23, x²", "n=23&width=200"),
        ("p = 23, ReLU", "n=23&width=200&act=relu&nu=2&lambda=1e-4"),
        ("p = 71, x²", "n=71&width=500&lambda=1e-4"),
        ("p = 113, x²", "n=113&width=512&lambda=1e-4"),
        ("S5, x²", "op=symmetric&letters=5&width=2000&lambda=1e-5"),
        ("S5, x², batch 1,000", "op=symmetric&letters=5&width=2000&lambda=1e-5&batch=1000"),
    ],
    size_column: ("m", "width"),
    script_options: &[&["--groups"]],
};

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::optim::Optimizer;
    use vivarium_model::permalink::decode;
    use vivarium_model::run::LearnerChoice;

    #[test]
    fn every_network_is_what_its_link_says() {
        for (name, link) in NETWORKS.networks {
            let (decoded, notices) = decode(&format!("#v1/groups?{link}"));
            assert!(notices.is_empty() && decoded.spec.invalid_settings().is_empty(), "{name}");
            let spec = NETWORKS.benchmark_run(link, LearnerChoice::Fused);
            assert!(spec.invalid_settings().is_empty(), "{name}");
            assert!(matches!(&spec.optimizer, Optimizer::Adam(adam) if adam.lr == 0.01), "{name}");
            // 6 · pairs · order · width, and all pairs unless the name says how many.
            let order = spec.task.examples().inputs();
            let pairs = if name.contains("batch") { 1000 } else { order * order };
            let width: usize = spec.value("width").unwrap().to_string().parse().unwrap();
            assert_eq!(spec.step_flops(), (6 * pairs * order * width) as f64, "{name}");
        }
    }

    #[test]
    fn the_script_knows_the_same_networks() {
        let script = include_str!("../../../tests/peers/torch_bench.py");
        for (name, link) in NETWORKS.networks {
            assert!(script.contains(&format!("    \"{link}\",\n")), "{name}");
        }
    }
}
