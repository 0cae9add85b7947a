//! Which device a run is trained on, and the sentence that says why.

use crate::app::trainer::Program;
use crate::protocol::DeviceReport;
use crate::run::{DeviceChoice, RunSpec};
use crate::training::launch::choose::{Engine, engine, worth_a_gpu};

/// What the browser offers besides the CPU.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Survey {
    /// It has not answered yet.
    #[default]
    Unknown,
    /// It has no `navigator.gpu`.
    Missing,
    /// It has WebGPU but no adapter to give.
    NoAdapter,
    /// It gave an adapter.
    Adapter {
        /// The adapter's own words for itself, possibly empty.
        name: String,
        /// Whether it is only simulated on the CPU.
        simulated: bool,
    },
}

/// A device with the reason for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The program, which settles the device.
    pub program: Program,
    /// Why this one, as what follows "CPU:"; empty where there is nothing to explain.
    pub why: String,
}

/// The program for the run of `spec`, or `None` as long as that hangs on a survey that has not been answered.
/// `refused` is why the GPU was given up earlier on this page, and `uncovered` whether fused kernels turned
/// out not to fit it.
pub fn choose(spec: &RunSpec, survey: &Survey, refused: Option<&str>, uncovered: bool) -> Option<Choice> {
    let cpu = |why: &str| Some(Choice { program: Program::Cpu, why: why.to_string() });
    let engine = if uncovered { Engine::Autodiff } else { engine(spec).0 };
    let wish = spec.run.device;
    if wish == DeviceChoice::Cpu {
        return cpu(tr!("chosen in the settings"));
    }
    if let Some(reason) = refused {
        return cpu(reason);
    }
    let small = wish == DeviceChoice::Auto && !worth_a_gpu(spec, engine);
    match survey {
        Survey::Missing => cpu(tr!("no WebGPU in this browser, because navigator.gpu is missing")),
        Survey::NoAdapter => {
            cpu(tr!("no WebGPU in this browser, because the browser offered no GPU adapter"))
        }
        Survey::Adapter { simulated: true, .. } if wish == DeviceChoice::Auto => cpu(tr!(
            "WebGPU is only simulated on the CPU here, and the simulation is slower than training on the CPU directly"
        )),
        Survey::Unknown | Survey::Adapter { .. } if small => {
            cpu(tr!("a network of this size is trained faster on the CPU than with WebGPU"))
        }
        Survey::Unknown => None,
        Survey::Adapter { .. } => {
            let program = if engine == Engine::Fused { Program::Fused } else { Program::Gpu };
            Some(Choice { program, why: String::new() })
        }
    }
}

/// The device as the page names it.
pub fn device_line(choice: Option<&Choice>, report: Option<&DeviceReport>) -> String {
    match (choice, report) {
        (None, _) => tr!("Asking the browser for a GPU").into(),
        (Some(Choice { program: Program::Cpu, why }), _) => tr!("CPU: {why}", why),
        (Some(_), Some(report)) => {
            let name = report.name.strip_prefix("WebGPU: ").unwrap_or(&report.name);
            let prefix = if report.simulated { tr!("WebGPU (simulated on the CPU)") } else { tr!("WebGPU") };
            if name.is_empty() || name == "WebGPU" { prefix.into() } else { format!("{prefix}: {name}") }
        }
        (Some(_), None) => tr!("WebGPU: getting ready").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::DeviceKind;
    use crate::run::LearnerChoice;

    fn adapter(simulated: bool) -> Survey {
        Survey::Adapter { name: "Apple M2".into(), simulated }
    }

    /// A small, a middling and a large network.
    fn sized(wish: DeviceChoice, replicas: usize, learner: LearnerChoice) -> RunSpec {
        let mut spec = RunSpec::default();
        (spec.run.device, spec.run.replicas, spec.run.learner) = (wish, replicas, learner);
        spec
    }

    fn program(wish: DeviceChoice, replicas: usize, survey: &Survey) -> Option<Program> {
        choose(&sized(wish, replicas, LearnerChoice::Auto), survey, None, false).map(|c| c.program)
    }

    #[test]
    fn the_faster_device_is_taken_and_wishes_are_kept() {
        use DeviceChoice::{Auto, Cpu, Gpu};
        let (small, large) = (1, 1000);
        assert_eq!(program(Auto, small, &adapter(false)), Some(Program::Cpu));
        assert_eq!(program(Auto, large, &adapter(false)), Some(Program::Fused));
        assert_eq!(program(Auto, large, &adapter(true)), Some(Program::Cpu));
        assert_eq!(program(Gpu, small, &adapter(true)), Some(Program::Fused));
        assert_eq!(program(Gpu, small, &Survey::Missing), Some(Program::Cpu));
        assert_eq!(program(Cpu, large, &adapter(false)), Some(Program::Cpu));
    }

    #[test]
    fn autodiff_comes_where_it_is_wanted_or_kernels_do_not_fit_and_wants_more_work() {
        let pick = |replicas, learner, uncovered| {
            let spec = sized(DeviceChoice::Auto, replicas, learner);
            choose(&spec, &adapter(false), None, uncovered).map(|c| c.program)
        };
        assert_eq!(pick(1000, LearnerChoice::Autodiff, false), Some(Program::Gpu));
        assert_eq!(pick(1000, LearnerChoice::Auto, true), Some(Program::Gpu));
        assert_eq!(pick(10, LearnerChoice::Auto, false), Some(Program::Fused));
        assert_eq!(pick(10, LearnerChoice::Autodiff, false), Some(Program::Cpu));
        assert_eq!(pick(7, LearnerChoice::Fused, false), Some(Program::Cpu));
    }

    #[test]
    fn only_what_hangs_on_the_survey_waits_for_it() {
        assert_eq!(program(DeviceChoice::Auto, 1, &Survey::Unknown), Some(Program::Cpu));
        assert_eq!(program(DeviceChoice::Cpu, 1000, &Survey::Unknown), Some(Program::Cpu));
        assert_eq!(program(DeviceChoice::Auto, 1000, &Survey::Unknown), None);
        assert_eq!(program(DeviceChoice::Gpu, 1, &Survey::Unknown), None);
    }

    #[test]
    fn the_device_is_named_with_its_reason() {
        let line = |replicas, survey: &Survey, refused| {
            let spec = sized(DeviceChoice::Auto, replicas, LearnerChoice::Auto);
            device_line(choose(&spec, survey, refused, false).as_ref(), None)
        };
        assert_eq!(
            line(1, &Survey::Missing, None),
            "CPU: no WebGPU in this browser, because navigator.gpu is missing"
        );
        assert_eq!(
            line(1, &adapter(false), None),
            "CPU: a network of this size is trained faster on the CPU than with WebGPU"
        );
        assert_eq!(line(1000, &adapter(false), Some("the GPU was lost")), "CPU: the GPU was lost");
        assert_eq!(line(1000, &Survey::Unknown, None), "Asking the browser for a GPU");
    }

    #[test]
    fn a_simulated_gpu_is_said_to_be_one() {
        let choice = Choice { program: Program::Fused, why: String::new() };
        let mut report =
            DeviceReport { kind: DeviceKind::Gpu, name: "WebGPU: SwiftShader".into(), simulated: true };
        assert_eq!(device_line(Some(&choice), Some(&report)), "WebGPU (simulated on the CPU): SwiftShader");
        report.simulated = false;
        report.name = "WebGPU: Apple M2".into();
        assert_eq!(device_line(Some(&choice), Some(&report)), "WebGPU: Apple M2");
    }
}
