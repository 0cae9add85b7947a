//! Measured speeds of CPU and GPU in this browser.
//!
//! # Why
//! The work from which on a GPU is faster depends on the GPU, on the processor and on the browser: the estimates of
//! [`worth`](vivarium_training::launch::worth) were made on one machine. So a run for which they are too imprecise
//! trains for a moment on each device, and the speeds are stored for runs of about the same work, until the browser
//! changes: an update may compile other shaders. A run that the estimates decide is not timed, and neither is a sweep,
//! whose runs share launches. The timing decides only which device trains, so that the numbers of a run follow from its
//! link and its device.

use crate::trainer::Program;
use vivarium_model::run::RunSpec;

/// Largest number of speed measurements stored in this browser; beyond it the oldest are removed.
const MAX_ENTRIES: usize = 100;

/// Measured training speed of a run on CPU and GPU, in steps per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeviceSpeeds {
    /// Training speed of the run on the CPU in steps per second.
    pub cpu: f64,
    /// Training speed of the run on the GPU in steps per second; 0 if the GPU cannot train the run.
    pub gpu: f64,
}

/// A speed measurement on CPU and GPU, in progress, that precedes a run.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceTiming {
    /// Settings of the run whose speed is measured.
    pub spec: RunSpec,
    /// Name of the GPU adapter on which the run is timed.
    pub adapter: String,
    /// Worker program that would train the run on the GPU: fused kernels or autodiff.
    pub gpu_program: Program,
    /// Worker program (device and learner) whose speed is being measured now.
    pub current_program: Program,
    /// Training speed measured on the CPU in steps per second; 0 before it is measured.
    pub cpu: f64,
}

/// Speeds of runs measured in this browser, by GPU adapter and kind of run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SpeedCache {
    /// User agent of the browser in which the speeds were measured.
    browser: String,
    /// (key of adapter and kind of run, measured speeds), the latest last; see [`entry_key`].
    entries: Vec<(String, DeviceSpeeds)>,
}

impl SpeedCache {
    /// Decodes speeds stored by [`SpeedCache::encode`]; empty if they were measured in another `browser` (user agent).
    pub fn decode(text: &str, browser: &str) -> SpeedCache {
        let mut lines = text.lines();
        let mut speeds = SpeedCache { browser: browser.replace(['\t', '\n'], " "), entries: vec![] };
        if lines.next() == Some(&speeds.browser) {
            speeds.entries = lines.filter_map(parse_line).collect();
        }
        speeds
    }

    /// Encodes the speeds as lines of text for the browser's storage.
    pub fn encode(&self) -> String {
        let mut text = self.browser.clone();
        for (key, DeviceSpeeds { cpu, gpu }) in &self.entries {
            text += &format!("\n{key}\t{cpu}\t{gpu}");
        }
        text
    }

    /// Returns the speeds measured for runs like this one on the adapter named `adapter`, with the GPU program
    /// `on_gpu`; None if there are none.
    pub fn find(&self, adapter: &str, spec: &RunSpec, on_gpu: Program) -> Option<DeviceSpeeds> {
        let key = entry_key(adapter, spec, on_gpu);
        self.entries.iter().find(|(known, _)| *known == key).map(|(_, speeds)| *speeds)
    }

    /// Stores the speeds of runs like this one on the adapter named `adapter`, with the GPU program `on_gpu`.
    pub fn insert(&mut self, adapter: &str, spec: &RunSpec, on_gpu: Program, speeds: DeviceSpeeds) {
        let key = entry_key(adapter, spec, on_gpu);
        self.entries.retain(|(known, _)| *known != key);
        self.entries.push((key, speeds));
        self.entries.drain(..self.entries.len().saturating_sub(MAX_ENTRIES));
    }
}

/// Returns the key of a speed measurement: adapter, program, task, model, learner, logarithm of the operations per step
/// (in quarters of a power of two), and replicas.
fn entry_key(adapter: &str, spec: &RunSpec, on_gpu: Program) -> String {
    let work = (4.0 * libm::log2(spec.step_flops().max(1.0))).round();
    let word = |key: &str| spec.value(key).map(|value| value.to_string()).unwrap_or_default();
    let [model, learner] = ["model", "learner"].map(word);
    let (task, replicas) = (spec.task.info().slug, spec.run.replicas);
    let kernels = if on_gpu == Program::Fused { "kernels" } else { "autodiff" };
    let adapter = adapter.replace(['\t', '\n'], " ");
    format!("{adapter} {kernels} {task} {model} {learner} {work} {replicas}")
}

/// Parses a stored speed measurement: the key from [`entry_key`], a tab, and the
/// training steps per second on CPU and GPU; None if the line is not one.
fn parse_line(line: &str) -> Option<(String, DeviceSpeeds)> {
    let mut parts = line.split('\t');
    let key = parts.next()?.to_string();
    let mut number = || parts.next()?.parse().ok().filter(|speed: &f64| speed.is_finite() && *speed >= 0.0);
    Some((key, DeviceSpeeds { cpu: number()?, gpu: number()? }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::permalink::decode;

    const ONE: DeviceSpeeds = DeviceSpeeds { cpu: 62_000.5, gpu: 41_000.0 };

    fn spec(link: &str) -> RunSpec {
        decode(link).0.spec
    }

    #[test]
    fn what_was_found_is_known_of_runs_with_the_same_work() {
        let mut speeds = SpeedCache::decode("", "Browser 1");
        let run = spec("#v1/groups?n=23");
        assert_eq!(speeds.find("Apple M2", &run, Program::Fused), None);
        speeds.insert("Apple M2", &run, Program::Fused, ONE);
        assert_eq!(speeds.find("Apple M2", &run, Program::Fused), Some(ONE));
        // Another rate or seed makes no other work; another size, model, number of replicas or adapter may.
        assert_eq!(
            speeds.find("Apple M2", &spec("#v1/groups?n=23&lr=0.5&seed=9"), Program::Fused),
            Some(ONE)
        );
        for other in ["#v1/groups?n=47", "#v1/groups?n=23&replicas=2", "#v1/groups?n=23&learner=autodiff"] {
            assert_eq!(speeds.find("Apple M2", &spec(other), Program::Fused), None, "{other}");
        }
        assert_eq!(speeds.find("Apple M3", &run, Program::Fused), None);
    }

    #[test]
    fn what_is_kept_is_read_again_by_the_same_browser_alone() {
        let mut speeds = SpeedCache::decode("", "Browser\t1");
        let run = spec("#v1/groups?n=23");
        speeds.insert("an adapter\twith a tab\nand a line", &run, Program::Fused, ONE);
        let text = speeds.encode();
        assert_eq!(SpeedCache::decode(&text, "Browser\t1"), speeds);
        assert_eq!(
            SpeedCache::decode(&text, "Browser 2").find(
                "an adapter\twith a tab\nand a line",
                &run,
                Program::Fused
            ),
            None
        );
    }

    #[test]
    fn what_cannot_be_read_is_left_out() {
        let text = "B\nno numbers\nA one\t1\nA two\t1\tx\nA three\tNaN\t1\nA four\t1\t-1\nA five\t1\t2";
        let speeds = SpeedCache::decode(text, "B");
        assert_eq!(speeds.entries, [("A five".to_string(), DeviceSpeeds { cpu: 1.0, gpu: 2.0 })]);
    }

    #[test]
    fn the_oldest_is_forgotten() {
        let mut speeds = SpeedCache::default();
        for adapter in 0..MAX_ENTRIES + 5 {
            speeds.insert(&adapter.to_string(), &spec("#v1/groups"), Program::Fused, ONE);
        }
        assert_eq!(speeds.entries.len(), MAX_ENTRIES);
        assert_eq!(speeds.find("4", &spec("#v1/groups"), Program::Fused), None);
        assert_eq!(speeds.find("5", &spec("#v1/groups"), Program::Fused), Some(ONE));
        speeds.insert("5", &spec("#v1/groups"), Program::Fused, ONE);
        assert_eq!(speeds.entries.len(), MAX_ENTRIES);
    }
}
