//! Which of two devices is faster, as far as this browser has timed it.
//!
//! # Why
//! From how much work on a GPU is faster hangs on the GPU, on the processor and on the browser: the estimates of
//! [`worth`](vivarium_training::launch::worth) were made on one machine. So a run for which they are too rough trains for a
//! moment on either, and what was found is kept for runs of about the same work, until the browser is another: an update
//! may bring other shaders. A run that the estimates decide is not timed, and neither is a sweep, whose runs share launches.
//! What is timed decides only which device trains, so that the numbers of a run follow from its link and its device.

use super::Program;
use vivarium_model::run::RunSpec;

/// Most networks that are kept; the oldest are forgotten.
const MOST: usize = 100;

/// Steps per second on either device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TwoSpeeds {
    /// On the processor.
    pub cpu: f64,
    /// On the GPU; 0 where it cannot train the run.
    pub gpu: f64,
}

/// A run that is timed.
#[derive(Debug, Clone, PartialEq)]
pub struct Timing {
    /// It.
    pub spec: RunSpec,
    /// The adapter that it is timed on.
    pub adapter: String,
    /// The program that trains it there.
    pub on_gpu: Program,
    /// The program that is timed now.
    pub now: Program,
    /// Steps per second on the processor, once they are known.
    pub cpu: f64,
}

/// What this browser has timed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Speeds {
    /// What the browser calls itself.
    browser: String,
    /// Adapter and network, with what was found, the newest last.
    found: Vec<(String, TwoSpeeds)>,
}

impl Speeds {
    /// What was kept as [`Speeds::text`], for a browser that calls itself `browser`: nothing, if another one kept it.
    pub fn read(text: &str, browser: &str) -> Speeds {
        let mut lines = text.lines();
        let mut speeds = Speeds { browser: browser.replace(['\t', '\n'], " "), found: vec![] };
        if lines.next() == Some(&speeds.browser) {
            speeds.found = lines.filter_map(line).collect();
        }
        speeds
    }

    /// What is to be kept.
    pub fn text(&self) -> String {
        let mut text = self.browser.clone();
        for (key, TwoSpeeds { cpu, gpu }) in &self.found {
            text += &format!("\n{key}\t{cpu}\t{gpu}");
        }
        text
    }

    /// What was found for runs like this on the adapter of that name.
    pub fn of(&self, adapter: &str, spec: &RunSpec, on_gpu: Program) -> Option<TwoSpeeds> {
        let key = key(adapter, spec, on_gpu);
        self.found.iter().find(|(known, _)| *known == key).map(|(_, speeds)| *speeds)
    }

    /// Keeps what was found.
    pub fn put(&mut self, adapter: &str, spec: &RunSpec, on_gpu: Program, speeds: TwoSpeeds) {
        let key = key(adapter, spec, on_gpu);
        self.found.retain(|(known, _)| *known != key);
        self.found.push((key, speeds));
        self.found.drain(..self.found.len().saturating_sub(MOST));
    }
}

/// What a speed hangs on: the adapter and its program, task, model and learner, the work of a step to about a fifth, and the
/// replicas.
fn key(adapter: &str, spec: &RunSpec, on_gpu: Program) -> String {
    let work = (4.0 * libm::log2(spec.step_flops().max(1.0))).round();
    let word = |key: &str| spec.value(key).map(|value| value.to_string()).unwrap_or_default();
    let [model, learner] = ["model", "learner"].map(word);
    let (task, replicas) = (spec.task.info().slug, spec.run.replicas);
    let kernels = if on_gpu == Program::Fused { "kernels" } else { "autodiff" };
    let adapter = adapter.replace(['\t', '\n'], " ");
    format!("{adapter} {kernels} {task} {model} {learner} {work} {replicas}")
}

fn line(line: &str) -> Option<(String, TwoSpeeds)> {
    let mut parts = line.split('\t');
    let key = parts.next()?.to_string();
    let mut number = || parts.next()?.parse().ok().filter(|speed: &f64| speed.is_finite() && *speed >= 0.0);
    Some((key, TwoSpeeds { cpu: number()?, gpu: number()? }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::permalink::decode;

    const ONE: TwoSpeeds = TwoSpeeds { cpu: 62_000.5, gpu: 41_000.0 };

    fn spec(link: &str) -> RunSpec {
        decode(link).0.spec
    }

    #[test]
    fn what_was_found_is_known_of_runs_with_the_same_work() {
        let mut speeds = Speeds::read("", "Browser 1");
        let run = spec("#v1/groups?n=23");
        assert_eq!(speeds.of("Apple M2", &run, Program::Fused), None);
        speeds.put("Apple M2", &run, Program::Fused, ONE);
        assert_eq!(speeds.of("Apple M2", &run, Program::Fused), Some(ONE));
        // Another rate or seed makes no other work; another size, model, number of replicas or adapter may.
        assert_eq!(speeds.of("Apple M2", &spec("#v1/groups?n=23&lr=0.5&seed=9"), Program::Fused), Some(ONE));
        for other in ["#v1/groups?n=47", "#v1/groups?n=23&replicas=2", "#v1/groups?n=23&learner=autodiff"] {
            assert_eq!(speeds.of("Apple M2", &spec(other), Program::Fused), None, "{other}");
        }
        assert_eq!(speeds.of("Apple M3", &run, Program::Fused), None);
    }

    #[test]
    fn what_is_kept_is_read_again_by_the_same_browser_alone() {
        let mut speeds = Speeds::read("", "Browser\t1");
        let run = spec("#v1/groups?n=23");
        speeds.put("an adapter\twith a tab\nand a line", &run, Program::Fused, ONE);
        let text = speeds.text();
        assert_eq!(Speeds::read(&text, "Browser\t1"), speeds);
        assert_eq!(
            Speeds::read(&text, "Browser 2").of("an adapter\twith a tab\nand a line", &run, Program::Fused),
            None
        );
    }

    #[test]
    fn what_cannot_be_read_is_left_out() {
        let text = "B\nno numbers\nA one\t1\nA two\t1\tx\nA three\tNaN\t1\nA four\t1\t-1\nA five\t1\t2";
        let speeds = Speeds::read(text, "B");
        assert_eq!(speeds.found, [("A five".to_string(), TwoSpeeds { cpu: 1.0, gpu: 2.0 })]);
    }

    #[test]
    fn the_oldest_is_forgotten() {
        let mut speeds = Speeds::default();
        for adapter in 0..MOST + 5 {
            speeds.put(&adapter.to_string(), &spec("#v1/groups"), Program::Fused, ONE);
        }
        assert_eq!(speeds.found.len(), MOST);
        assert_eq!(speeds.of("4", &spec("#v1/groups"), Program::Fused), None);
        assert_eq!(speeds.of("5", &spec("#v1/groups"), Program::Fused), Some(ONE));
        speeds.put("5", &spec("#v1/groups"), Program::Fused, ONE);
        assert_eq!(speeds.found.len(), MOST);
    }
}
