//! Which device a run is trained on, and the sentence that says why.

use super::speeds::{Speeds, TwoSpeeds};
use crate::trainer::Program;
use vivarium_core::settings::thousands;
use vivarium_model::protocol::DeviceReport;
use vivarium_model::run::{DeviceChoice, RunSpec};
use vivarium_training::launch::choose::{Engine, engine, is_to_be_timed, worth_a_gpu};

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
    /// Why this one, as what follows "CPU:", or the name of a GPU in brackets; empty where there is nothing to explain.
    pub why: String,
}

/// What is known of the browser's devices.
#[derive(Debug, Clone, Copy)]
pub struct Known<'state> {
    /// What the browser offers.
    pub survey: &'state Survey,
    /// Why the GPU was given up earlier on this page.
    pub refused: Option<&'state str>,
    /// Whether fused kernels turned out not to fit it.
    pub uncovered: bool,
    /// What this browser has timed; none where estimates decide alone.
    pub speeds: Option<&'state Speeds>,
}

/// What comes before a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// To ask the browser what GPU it has.
    Ask,
    /// To time the run on the processor and with this program; without that it would be the choice.
    Time(Program, Choice),
    /// Nothing: the choice is made.
    Made(Choice),
}

/// Whether a worker for the CPU will probably be wanted whatever the browser answers about its GPU: both devices are timed on
/// such a run, the CPU first.
pub fn begins_on_cpu(spec: &RunSpec) -> bool {
    spec.run.device == DeviceChoice::Auto && is_to_be_timed(spec, engine(spec).0)
}

/// Which program trains the run of `spec`, or what is to be found out before.
pub fn decide(spec: &RunSpec, known: Known<'_>) -> Decision {
    let cpu_only = |why: &str| Decision::Made(Choice { program: Program::Cpu, why: why.to_string() });
    let engine = if known.uncovered { Engine::Autodiff } else { engine(spec).0 };
    let wish = spec.run.device;
    if wish == DeviceChoice::Cpu {
        return cpu_only(tr!("chosen in the settings"));
    }
    if let Some(reason) = known.refused {
        return cpu_only(reason);
    }
    let is_timed = known.speeds.is_some() && wish == DeviceChoice::Auto && is_to_be_timed(spec, engine);
    let is_small = wish == DeviceChoice::Auto && !worth_a_gpu(spec, engine);
    let small = tr!("a network of this size is trained faster on the CPU than with WebGPU");
    let name = match known.survey {
        Survey::Missing => {
            return cpu_only(tr!("no WebGPU in this browser, because navigator.gpu is missing"));
        }
        Survey::NoAdapter => {
            return cpu_only(tr!("no WebGPU in this browser, because the browser offered no GPU adapter"));
        }
        Survey::Adapter { simulated: true, .. } if wish == DeviceChoice::Auto => {
            return cpu_only(tr!(
                "WebGPU is only simulated on the CPU here, and the simulation is slower than training on the CPU directly"
            ));
        }
        // Nobody waits for a GPU that a small network hardly needs; where the page has one, it may be the faster one.
        Survey::Unknown if is_small => return cpu_only(small),
        Survey::Adapter { .. } if is_small && !is_timed => return cpu_only(small),
        Survey::Unknown => return Decision::Ask,
        Survey::Adapter { name, .. } => name,
    };
    let program = if engine == Engine::Fused { Program::Fused } else { Program::Gpu };
    let timed = known.speeds.filter(|_| is_timed).and_then(|speeds| speeds.of(name, spec, program));
    let Some(TwoSpeeds { cpu, gpu }) = timed else {
        let estimated = match is_small {
            true => Choice { program: Program::Cpu, why: small.into() },
            false => Choice { program, why: String::new() },
        };
        return if is_timed { Decision::Time(program, estimated) } else { Decision::Made(estimated) };
    };
    let [on_cpu, on_gpu] = [cpu, gpu].map(short);
    Decision::Made(match gpu > cpu {
        // The processor's program has failed.
        true if cpu == 0.0 => Choice { program, why: String::new() },
        true => {
            let why = tr!("{on_gpu} steps per second with WebGPU, and {on_cpu} on the CPU", on_gpu, on_cpu);
            Choice { program, why }
        }
        false if gpu == 0.0 => return cpu_only(tr!("the GPU cannot train this network")),
        false => {
            let why = tr!("{on_cpu} steps per second on the CPU, and {on_gpu} with WebGPU", on_cpu, on_gpu);
            Choice { program: Program::Cpu, why }
        }
    })
}

/// A speed to two digits that count, as it was measured no better.
fn short(speed: f64) -> String {
    let unit = libm::pow(10.0, (libm::log10(speed.max(1e-3)).floor() - 1.0).max(-2.0));
    let rounded = (speed / unit).round() * unit;
    match rounded {
        few if few < 1.0 => format!("{few:.2}"),
        few if few < 10.0 => format!("{few:.1}"),
        many => thousands(many as u64),
    }
}

/// The device as the page names it.
pub fn device_line(choice: Option<&Choice>, report: Option<&DeviceReport>, is_timed: bool) -> String {
    match (choice, report) {
        (None, _) if is_timed => tr!("The CPU and the GPU are being timed on this network").into(),
        (None, _) => tr!("Asking the browser for a GPU").into(),
        (Some(Choice { program: Program::Cpu, why }), _) => tr!("CPU: {why}", why),
        (Some(Choice { why, .. }), Some(report)) => {
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

    fn adapter(simulated: bool) -> Survey {
        Survey::Adapter { name: "Apple M2".into(), simulated }
    }

    /// A small, a middling and a large network.
    fn sized(wish: DeviceChoice, replicas: usize, learner: LearnerChoice) -> RunSpec {
        let mut spec = RunSpec::default();
        (spec.run.device, spec.run.replicas, spec.run.learner) = (wish, replicas, learner);
        spec
    }

    /// What is decided without anything timed.
    fn decided(spec: &RunSpec, survey: &Survey, refused: Option<&str>, uncovered: bool) -> Decision {
        decide(spec, Known { survey, refused, uncovered, speeds: Some(&Speeds::default()) })
    }

    fn program(wish: DeviceChoice, replicas: usize, survey: &Survey) -> Option<Program> {
        match decided(&sized(wish, replicas, LearnerChoice::Auto), survey, None, false) {
            Decision::Made(choice) => Some(choice.program),
            Decision::Ask => None,
            Decision::Time(..) => panic!("{replicas} replicas are for the estimate to decide"),
        }
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
            match decided(&spec, &adapter(false), None, uncovered) {
                Decision::Made(Choice { program, .. }) | Decision::Time(_, Choice { program, .. }) => program,
                Decision::Ask => panic!("the browser has said what it has"),
            }
        };
        assert_eq!(pick(1000, LearnerChoice::Autodiff, false), Program::Gpu);
        assert_eq!(pick(1000, LearnerChoice::Auto, true), Program::Gpu);
        assert_eq!(pick(10, LearnerChoice::Auto, false), Program::Fused);
        assert_eq!(pick(10, LearnerChoice::Autodiff, false), Program::Cpu);
        assert_eq!(pick(7, LearnerChoice::Fused, false), Program::Cpu);
    }

    #[test]
    fn only_what_hangs_on_the_survey_waits_for_it() {
        assert_eq!(program(DeviceChoice::Auto, 1, &Survey::Unknown), Some(Program::Cpu));
        assert_eq!(program(DeviceChoice::Cpu, 1000, &Survey::Unknown), Some(Program::Cpu));
        assert_eq!(program(DeviceChoice::Auto, 1000, &Survey::Unknown), None);
        assert_eq!(program(DeviceChoice::Gpu, 1, &Survey::Unknown), None);
    }

    /// Where the estimates say eight replicas, twenty may be faster on either device.
    #[test]
    fn what_an_estimate_cannot_decide_is_timed_once() {
        let mut speeds = Speeds::default();
        let mut spec = sized(DeviceChoice::Auto, 20, LearnerChoice::Auto);
        let survey = adapter(false);
        let on = |spec: &RunSpec, survey: &Survey, speeds: &Speeds| {
            decide(spec, Known { survey, refused: None, uncovered: false, speeds: Some(speeds) })
        };
        let estimated = Choice { program: Program::Fused, why: String::new() };
        assert_eq!(on(&spec, &survey, &speeds), Decision::Time(Program::Fused, estimated));
        for (cpu, gpu, program, why) in [
            (62_123.0, 41_999.0, Program::Cpu, "62,000 steps per second on the CPU, and 42,000 with WebGPU"),
            (6.21, 41_999.0, Program::Fused, "42,000 steps per second with WebGPU, and 6.2 on the CPU"),
            (6.21, 0.0, Program::Cpu, "the GPU cannot train this network"),
        ] {
            speeds.put("Apple M2", &spec, Program::Fused, TwoSpeeds { cpu, gpu });
            let choice = Choice { program, why: why.into() };
            assert_eq!(on(&spec, &survey, &speeds), Decision::Made(choice));
        }
        // On another adapter nothing is known; a simulated one and a wish need no timing.
        let other = Survey::Adapter { name: "Apple M3".into(), simulated: false };
        assert!(matches!(on(&spec, &other, &speeds), Decision::Time(..)));
        assert!(matches!(on(&spec, &adapter(true), &Speeds::default()), Decision::Made(_)));
        assert_eq!(on(&spec, &Survey::Unknown, &speeds), Decision::Ask);
        // A little less work than the estimate wants is timed where the GPU is known, and asks for none.
        let few = sized(DeviceChoice::Auto, 5, LearnerChoice::Auto);
        assert!(matches!(on(&few, &Survey::Unknown, &speeds), Decision::Made(_)));
        assert!(matches!(
            on(&few, &survey, &speeds),
            Decision::Time(Program::Fused, Choice { program: Program::Cpu, .. })
        ));
        spec.run.device = DeviceChoice::Gpu;
        assert!(matches!(on(&spec, &survey, &Speeds::default()), Decision::Made(_)));
        // Where nothing is timed, the estimate decides.
        spec.run.device = DeviceChoice::Auto;
        let untimed = Known { survey: &survey, refused: None, uncovered: false, speeds: None };
        let estimated = Choice { program: Program::Fused, why: String::new() };
        assert_eq!(decide(&spec, untimed), Decision::Made(estimated));
    }

    #[test]
    fn speeds_are_said_to_two_digits() {
        let said = [0.0, 0.123, 1.26, 9.96, 12.6, 126.0, 62_499.0, 1_260_000.0].map(short);
        assert_eq!(said, ["0.00", "0.12", "1.3", "10", "13", "130", "62,000", "1,300,000"]);
    }

    #[test]
    fn the_device_is_named_with_its_reason() {
        let line = |replicas, survey: &Survey, refused| {
            let spec = sized(DeviceChoice::Auto, replicas, LearnerChoice::Auto);
            match decided(&spec, survey, refused, false) {
                Decision::Made(choice) => device_line(Some(&choice), None, false),
                Decision::Ask | Decision::Time(..) => device_line(None, None, false),
            }
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
        assert_eq!(device_line(None, None, true), "The CPU and the GPU are being timed on this network");
        let why = "42,000 steps per second with WebGPU, and 6.2 on the CPU".to_string();
        let report = DeviceReport { kind: DeviceKind::Gpu, name: "WebGPU: M2".into(), simulated: false };
        let choice = Choice { program: Program::Fused, why };
        assert_eq!(
            device_line(Some(&choice), Some(&report), false),
            "WebGPU: M2 (42,000 steps per second with WebGPU, and 6.2 on the CPU)"
        );
    }

    #[test]
    fn a_simulated_gpu_is_said_to_be_one() {
        let choice = Choice { program: Program::Fused, why: String::new() };
        let mut report =
            DeviceReport { kind: DeviceKind::Gpu, name: "WebGPU: SwiftShader".into(), simulated: true };
        assert_eq!(
            device_line(Some(&choice), Some(&report), false),
            "WebGPU (simulated on the CPU): SwiftShader"
        );
        report.simulated = false;
        report.name = "WebGPU: Apple M2".into();
        assert_eq!(device_line(Some(&choice), Some(&report), false), "WebGPU: Apple M2");
    }
}
