//! The choice of the device that trains a run, and the sentence that explains it.

use crate::speeds::{DeviceSpeeds, SpeedCache};
use crate::trainer::Program;
use vivarium_core::settings::format_thousands;
use vivarium_model::protocol::DeviceInfo;
use vivarium_model::run::{DeviceChoice, RunSpec};
use vivarium_training::launch::choose::{Engine, engine, is_to_be_timed, is_trained_by_loops, worth_a_gpu};

/// GPU support of the browser, as the page has found it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum GpuSupport {
    /// The browser has not been asked.
    #[default]
    Unknown,
    /// The browser was asked and has not answered yet.
    Requested {
        /// Seconds since the browser was asked, while a run waits for the answer.
        seconds: u32,
    },
    /// The browser has no WebGPU (`navigator.gpu`).
    NoWebGpu,
    /// The browser has WebGPU, but returned no adapter.
    NoAdapter,
    /// The browser returned an adapter.
    Adapter {
        /// Description of the adapter, possibly empty.
        name: String,
        /// Whether the adapter is simulated on the CPU.
        simulated: bool,
    },
}

/// The chosen worker program (device and learner) for a run, with the reason for the choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramChoice {
    /// The worker program: CPU, GPU with autodiff, or GPU with fused kernels.
    pub program: Program,
    /// Why the program was chosen, as a phrase after "CPU:" or in brackets after the name of a GPU; empty if nothing
    /// needs an explanation.
    pub reason: String,
}

/// Facts about the browser's devices from which a worker program is chosen.
#[derive(Debug, Clone, Copy)]
pub struct DeviceKnowledge<'state> {
    /// GPU support of the browser, as the page has found it.
    pub gpu_support: &'state GpuSupport,
    /// Why the GPU failed earlier on this page; None if it has not.
    pub gpu_error: Option<&'state str>,
    /// Whether the fused kernels do not support this run.
    pub uncovered: bool,
    /// Whether the training loops on the CPU refused this run.
    pub loops_failed: bool,
    /// Speeds of runs measured in this browser; None if estimates alone decide.
    pub speeds: Option<&'state SpeedCache>,
}

/// The choice of a worker program for a run, or what must be found out first.
#[derive(Debug, Clone, PartialEq)]
pub enum ProgramDecision {
    /// Ask the browser for its GPU support first.
    DetectGpu,
    /// Measure the speed of the run on the CPU and with this GPU program first; second, the choice by an estimate.
    TimeBoth(Program, ProgramChoice),
    /// The program is chosen.
    Chosen(ProgramChoice),
}

/// Whether a worker for the CPU will probably be needed, at least to compare its speed with the GPU's, so that its
/// WebAssembly can be fetched early.
pub fn may_start_on_cpu(spec: &RunSpec) -> bool {
    let is_timed = spec.run.device == DeviceChoice::Auto && is_to_be_timed(spec, engine(spec).0);
    is_timed && cpu_program(spec, false) == Program::Cpu
}

/// The worker program that trains a run on the CPU: the loops of this project, or autodiff where they do not support the
/// run, or have refused it.
pub fn cpu_program(spec: &RunSpec, loops_failed: bool) -> Program {
    if !loops_failed && is_trained_by_loops(spec) { Program::Cpu } else { Program::CpuAutodiff }
}

/// Chooses the worker program (CPU, GPU or fused kernels) that trains a run with these settings, or returns what must
/// be found out first.
pub fn decide_program(spec: &RunSpec, knowledge: DeviceKnowledge<'_>) -> ProgramDecision {
    let cpu = cpu_program(spec, knowledge.loops_failed);
    let cpu_choice = |why: &str| ProgramChoice { program: cpu, reason: why.to_string() };
    let cpu_only = |why: &str| ProgramDecision::Chosen(cpu_choice(why));
    let engine = if knowledge.uncovered { Engine::Autodiff } else { engine(spec).0 };
    let wish = spec.run.device;
    if wish == DeviceChoice::Cpu {
        return cpu_only(tr!("chosen in the settings"));
    }
    if let Some(reason) = knowledge.gpu_error {
        return cpu_only(reason);
    }
    let is_timed = knowledge.speeds.is_some() && wish == DeviceChoice::Auto && is_to_be_timed(spec, engine);
    let is_small = wish == DeviceChoice::Auto && !worth_a_gpu(spec, engine);
    let small = tr!("a network of this size is trained faster on the CPU than with WebGPU");
    let name = match knowledge.gpu_support {
        GpuSupport::NoWebGpu => {
            return cpu_only(tr!("no WebGPU in this browser, because navigator.gpu is missing"));
        }
        GpuSupport::NoAdapter => {
            return cpu_only(tr!("no WebGPU in this browser, because the browser offered no GPU adapter"));
        }
        GpuSupport::Adapter { simulated: true, .. } if wish == DeviceChoice::Auto => {
            return cpu_only(tr!(
                "WebGPU is only simulated on the CPU here, and the simulation is slower than training on the CPU directly"
            ));
        }
        // A small network does not wait for the detection of a GPU; if the page knows one, it may be the faster device.
        GpuSupport::Unknown | GpuSupport::Requested { .. } if is_small => return cpu_only(small),
        GpuSupport::Adapter { .. } if is_small && !is_timed => return cpu_only(small),
        GpuSupport::Unknown | GpuSupport::Requested { .. } => return ProgramDecision::DetectGpu,
        GpuSupport::Adapter { name, .. } => name,
    };
    let program = if engine == Engine::Fused { Program::Fused } else { Program::Gpu };
    let timed = knowledge.speeds.filter(|_| is_timed).and_then(|speeds| speeds.find(name, spec, program));
    let Some(DeviceSpeeds { cpu, gpu }) = timed else {
        let estimated = match is_small {
            true => cpu_choice(small),
            false => ProgramChoice { program, reason: String::new() },
        };
        return if is_timed {
            ProgramDecision::TimeBoth(program, estimated)
        } else {
            ProgramDecision::Chosen(estimated)
        };
    };
    let [on_cpu, on_gpu] = [cpu, gpu].map(format_two_digits);
    ProgramDecision::Chosen(match gpu > cpu {
        // The program for the CPU has failed.
        true if cpu == 0.0 => ProgramChoice { program, reason: String::new() },
        true => {
            let why = tr!("{on_gpu} steps per second with WebGPU, and {on_cpu} on the CPU", on_gpu, on_cpu);
            ProgramChoice { program, reason: why }
        }
        false if gpu == 0.0 => return cpu_only(tr!("the GPU cannot train this network")),
        false => {
            let why = tr!("{on_cpu} steps per second on the CPU, and {on_gpu} with WebGPU", on_cpu, on_gpu);
            cpu_choice(&why)
        }
    })
}

/// Formats a positive speed, such as steps per second, with two significant digits.
pub fn format_two_digits(speed: f64) -> String {
    let unit = libm::pow(10.0, (libm::log10(speed.max(1e-3)).floor() - 1.0).max(-2.0));
    let rounded = (speed / unit).round() * unit;
    match rounded {
        few if few < 1.0 => format!("{few:.2}"),
        few if few < 10.0 => format!("{few:.1}"),
        many => format_thousands(many as u64),
    }
}

/// Describes the device that trains the run, as the trainer reports it, with the reason for its choice. `choice` is
/// None before the device is chosen, `report` before the trainer's first message; `is_timed` while both devices are
/// being timed.
pub fn describe_device(
    choice: Option<&ProgramChoice>,
    report: Option<&DeviceInfo>,
    is_timed: bool,
) -> String {
    match (choice, report) {
        (None, _) if is_timed => tr!("The CPU and the GPU are being timed on this network").into(),
        (None, _) => tr!("Asking the browser for a GPU").into(),
        (Some(ProgramChoice { program, reason: why }), _) if !program.needs_gpu() => tr!("CPU: {why}", why),
        (Some(ProgramChoice { reason: why, .. }), Some(report)) => {
            let name = report.name.strip_prefix("WebGPU: ").unwrap_or(&report.name);
            let prefix = if report.simulated { tr!("WebGPU (simulated on the CPU)") } else { tr!("WebGPU") };
            let device =
                if name.is_empty() || name == "WebGPU" { prefix.into() } else { format!("{prefix}: {name}") };
            if why.is_empty() { device } else { format!("{device} ({why})") }
        }
        (Some(_), None) => tr!("WebGPU: getting ready").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::protocol::DeviceKind;
    use vivarium_model::run::LearnerChoice;

    fn adapter(simulated: bool) -> GpuSupport {
        GpuSupport::Adapter { name: "Apple M2".into(), simulated }
    }

    /// A small, a middling and a large network.
    fn sized(wish: DeviceChoice, replicas: usize, learner: LearnerChoice) -> RunSpec {
        let mut spec = RunSpec::default();
        (spec.run.device, spec.run.replicas, spec.run.learner) = (wish, replicas, learner);
        spec
    }

    /// The decision without measured speeds.
    fn decided(
        spec: &RunSpec,
        survey: &GpuSupport,
        refused: Option<&str>,
        uncovered: bool,
    ) -> ProgramDecision {
        decide_program(
            spec,
            DeviceKnowledge {
                gpu_support: survey,
                gpu_error: refused,
                uncovered,
                loops_failed: false,
                speeds: Some(&SpeedCache::default()),
            },
        )
    }

    fn program(wish: DeviceChoice, replicas: usize, survey: &GpuSupport) -> Option<Program> {
        match decided(&sized(wish, replicas, LearnerChoice::Auto), survey, None, false) {
            ProgramDecision::Chosen(choice) => Some(choice.program),
            ProgramDecision::DetectGpu => None,
            ProgramDecision::TimeBoth(..) => panic!("{replicas} replicas are for the estimate to decide"),
        }
    }

    #[test]
    fn the_faster_device_is_taken_and_requests_are_kept() {
        use DeviceChoice::{Auto, Cpu, Gpu};
        let (small, large) = (1, 1000);
        assert_eq!(program(Auto, small, &adapter(false)), Some(Program::Cpu));
        assert_eq!(program(Auto, large, &adapter(false)), Some(Program::Fused));
        assert_eq!(program(Auto, large, &adapter(true)), Some(Program::Cpu));
        assert_eq!(program(Gpu, small, &adapter(true)), Some(Program::Fused));
        assert_eq!(program(Gpu, small, &GpuSupport::NoWebGpu), Some(Program::Cpu));
        assert_eq!(program(Cpu, large, &adapter(false)), Some(Program::Cpu));
    }

    #[test]
    fn autodiff_comes_where_it_is_wanted_or_kernels_do_not_fit_and_wants_more_work() {
        let pick = |replicas, learner, uncovered| {
            let spec = sized(DeviceChoice::Auto, replicas, learner);
            match decided(&spec, &adapter(false), None, uncovered) {
                ProgramDecision::Chosen(ProgramChoice { program, .. })
                | ProgramDecision::TimeBoth(_, ProgramChoice { program, .. }) => program,
                ProgramDecision::DetectGpu => panic!("the browser has said what it has"),
            }
        };
        assert_eq!(pick(1000, LearnerChoice::Autodiff, false), Program::Gpu);
        assert_eq!(pick(1000, LearnerChoice::Auto, true), Program::Gpu);
        assert_eq!(pick(10, LearnerChoice::Auto, false), Program::Fused);
        assert_eq!(pick(10, LearnerChoice::Autodiff, false), Program::CpuAutodiff);
        assert_eq!(pick(7, LearnerChoice::Fused, false), Program::Cpu);
    }

    #[test]
    fn only_what_hangs_on_the_survey_waits_for_it() {
        assert_eq!(program(DeviceChoice::Auto, 1, &GpuSupport::Unknown), Some(Program::Cpu));
        assert_eq!(program(DeviceChoice::Cpu, 1000, &GpuSupport::Unknown), Some(Program::Cpu));
        assert_eq!(program(DeviceChoice::Auto, 1000, &GpuSupport::Unknown), None);
        assert_eq!(program(DeviceChoice::Gpu, 1, &GpuSupport::Unknown), None);
    }

    /// Where the estimates say eight replicas, twenty may be faster on either device.
    #[test]
    fn what_an_estimate_cannot_decide_is_timed_once() {
        let mut speeds = SpeedCache::default();
        let mut spec = sized(DeviceChoice::Auto, 20, LearnerChoice::Auto);
        let survey = adapter(false);
        let on = |spec: &RunSpec, survey: &GpuSupport, speeds: &SpeedCache| {
            decide_program(
                spec,
                DeviceKnowledge {
                    gpu_support: survey,
                    gpu_error: None,
                    uncovered: false,
                    loops_failed: false,
                    speeds: Some(speeds),
                },
            )
        };
        let estimated = ProgramChoice { program: Program::Fused, reason: String::new() };
        assert_eq!(on(&spec, &survey, &speeds), ProgramDecision::TimeBoth(Program::Fused, estimated));
        for (cpu, gpu, program, why) in [
            (62_123.0, 41_999.0, Program::Cpu, "62,000 steps per second on the CPU, and 42,000 with WebGPU"),
            (6.21, 41_999.0, Program::Fused, "42,000 steps per second with WebGPU, and 6.2 on the CPU"),
            (6.21, 0.0, Program::Cpu, "the GPU cannot train this network"),
        ] {
            speeds.insert("Apple M2", &spec, Program::Fused, DeviceSpeeds { cpu, gpu });
            let choice = ProgramChoice { program, reason: why.into() };
            assert_eq!(on(&spec, &survey, &speeds), ProgramDecision::Chosen(choice));
        }
        // On another adapter nothing is known; a simulated one and a chosen device need no timing.
        let other = GpuSupport::Adapter { name: "Apple M3".into(), simulated: false };
        assert!(matches!(on(&spec, &other, &speeds), ProgramDecision::TimeBoth(..)));
        assert!(matches!(on(&spec, &adapter(true), &SpeedCache::default()), ProgramDecision::Chosen(_)));
        assert_eq!(on(&spec, &GpuSupport::Unknown, &speeds), ProgramDecision::DetectGpu);
        // A little less work than the estimate wants is timed where the GPU is known, and asks for none.
        let few = sized(DeviceChoice::Auto, 5, LearnerChoice::Auto);
        assert!(matches!(on(&few, &GpuSupport::Unknown, &speeds), ProgramDecision::Chosen(_)));
        assert!(matches!(
            on(&few, &survey, &speeds),
            ProgramDecision::TimeBoth(Program::Fused, ProgramChoice { program: Program::Cpu, .. })
        ));
        spec.run.device = DeviceChoice::Gpu;
        assert!(matches!(on(&spec, &survey, &SpeedCache::default()), ProgramDecision::Chosen(_)));
        // Where nothing is timed, the estimate decides.
        spec.run.device = DeviceChoice::Auto;
        let untimed = DeviceKnowledge {
            gpu_support: &survey,
            gpu_error: None,
            uncovered: false,
            loops_failed: false,
            speeds: None,
        };
        let estimated = ProgramChoice { program: Program::Fused, reason: String::new() };
        assert_eq!(decide_program(&spec, untimed), ProgramDecision::Chosen(estimated));
    }

    #[test]
    fn speeds_are_stated_to_two_digits() {
        let text = [0.0, 0.123, 1.26, 9.96, 12.6, 126.0, 62_499.0, 1_260_000.0].map(format_two_digits);
        assert_eq!(text, ["0.00", "0.12", "1.3", "10", "13", "130", "62,000", "1,300,000"]);
    }

    #[test]
    fn the_device_is_named_with_its_reason() {
        let line = |replicas, survey: &GpuSupport, refused| {
            let spec = sized(DeviceChoice::Auto, replicas, LearnerChoice::Auto);
            match decided(&spec, survey, refused, false) {
                ProgramDecision::Chosen(choice) => describe_device(Some(&choice), None, false),
                ProgramDecision::DetectGpu | ProgramDecision::TimeBoth(..) => {
                    describe_device(None, None, false)
                }
            }
        };
        assert_eq!(
            line(1, &GpuSupport::NoWebGpu, None),
            "CPU: no WebGPU in this browser, because navigator.gpu is missing"
        );
        assert_eq!(
            line(1, &adapter(false), None),
            "CPU: a network of this size is trained faster on the CPU than with WebGPU"
        );
        assert_eq!(line(1000, &adapter(false), Some("the GPU was lost")), "CPU: the GPU was lost");
        assert_eq!(line(1000, &GpuSupport::Unknown, None), "Asking the browser for a GPU");
        assert_eq!(describe_device(None, None, true), "The CPU and the GPU are being timed on this network");
        let why = "42,000 steps per second with WebGPU, and 6.2 on the CPU".to_string();
        let report = DeviceInfo { kind: DeviceKind::Gpu, name: "WebGPU: M2".into(), simulated: false };
        let choice = ProgramChoice { program: Program::Fused, reason: why };
        assert_eq!(
            describe_device(Some(&choice), Some(&report), false),
            "WebGPU: M2 (42,000 steps per second with WebGPU, and 6.2 on the CPU)"
        );
    }

    #[test]
    fn a_simulated_gpu_is_reported_as_one() {
        let choice = ProgramChoice { program: Program::Fused, reason: String::new() };
        let mut report =
            DeviceInfo { kind: DeviceKind::Gpu, name: "WebGPU: SwiftShader".into(), simulated: true };
        assert_eq!(
            describe_device(Some(&choice), Some(&report), false),
            "WebGPU (simulated on the CPU): SwiftShader"
        );
        report.simulated = false;
        report.name = "WebGPU: Apple M2".into();
        assert_eq!(describe_device(Some(&choice), Some(&report), false), "WebGPU: Apple M2");
    }
}
