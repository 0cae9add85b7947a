//! Which device a run is trained on, and the sentence that says why.

use crate::protocol::{DeviceKind, DeviceReport};
use crate::run::DeviceChoice;

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
    /// The device.
    pub kind: DeviceKind,
    /// Why this one, as what follows "CPU:"; empty where there is nothing to explain.
    pub why: String,
}

/// The device for a run of `flops` operations per step, or `None` as long as that hangs on a survey that
/// has not been answered. `refused` is why the GPU was given up earlier on this page.
pub fn choose(wish: DeviceChoice, flops: f64, survey: &Survey, refused: Option<&str>) -> Option<Choice> {
    let cpu = |why: &str| Some(Choice { kind: DeviceKind::Cpu, why: why.to_string() });
    let gpu = Some(Choice { kind: DeviceKind::Gpu, why: String::new() });
    if wish == DeviceChoice::Cpu {
        return cpu("chosen in the settings");
    }
    if let Some(reason) = refused {
        return cpu(reason);
    }
    let small = wish == DeviceChoice::Auto && flops <= 8e6;
    match survey {
        Survey::Missing => cpu("no WebGPU in this browser, because navigator.gpu is missing"),
        Survey::NoAdapter => cpu("no WebGPU in this browser, because no adapter was offered"),
        Survey::Adapter { simulated: true, .. } if wish == DeviceChoice::Auto => {
            cpu("WebGPU is only simulated on the CPU here, which is slower")
        }
        Survey::Unknown | Survey::Adapter { .. } if small => {
            cpu("faster than WebGPU for a network this small")
        }
        Survey::Unknown => None,
        Survey::Adapter { .. } => gpu,
    }
}

/// The device as the page names it.
pub fn device_line(choice: Option<&Choice>, report: Option<&DeviceReport>) -> String {
    match (choice, report) {
        (None, _) => "Asking the browser for a GPU".into(),
        (Some(Choice { kind: DeviceKind::Cpu, why }), _) => format!("CPU: {why}"),
        (Some(_), Some(report)) => {
            let name = report.name.strip_prefix("WebGPU: ").unwrap_or(&report.name);
            let prefix = if report.simulated { "WebGPU (simulated on the CPU)" } else { "WebGPU" };
            if name.is_empty() || name == "WebGPU" { prefix.into() } else { format!("{prefix}: {name}") }
        }
        (Some(_), None) => "WebGPU: getting ready".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapter(simulated: bool) -> Survey {
        Survey::Adapter { name: "Apple M2".into(), simulated }
    }

    fn kind(wish: DeviceChoice, flops: f64, survey: &Survey) -> Option<DeviceKind> {
        choose(wish, flops, survey, None).map(|c| c.kind)
    }

    #[test]
    fn the_faster_device_is_taken_and_wishes_are_kept() {
        use DeviceChoice::{Auto, Cpu, Gpu};
        let (small, large) = (1e6, 1e9);
        assert_eq!(kind(Auto, small, &adapter(false)), Some(DeviceKind::Cpu));
        assert_eq!(kind(Auto, large, &adapter(false)), Some(DeviceKind::Gpu));
        assert_eq!(kind(Auto, large, &adapter(true)), Some(DeviceKind::Cpu));
        assert_eq!(kind(Gpu, small, &adapter(true)), Some(DeviceKind::Gpu));
        assert_eq!(kind(Gpu, small, &Survey::Missing), Some(DeviceKind::Cpu));
        assert_eq!(kind(Cpu, large, &adapter(false)), Some(DeviceKind::Cpu));
    }

    #[test]
    fn only_what_hangs_on_the_survey_waits_for_it() {
        assert_eq!(kind(DeviceChoice::Auto, 1e6, &Survey::Unknown), Some(DeviceKind::Cpu));
        assert_eq!(kind(DeviceChoice::Cpu, 1e9, &Survey::Unknown), Some(DeviceKind::Cpu));
        assert_eq!(kind(DeviceChoice::Auto, 1e9, &Survey::Unknown), None);
        assert_eq!(kind(DeviceChoice::Gpu, 1e6, &Survey::Unknown), None);
    }

    #[test]
    fn the_device_is_named_with_its_reason() {
        let line = |wish, flops, survey: &Survey, refused| {
            device_line(choose(wish, flops, survey, refused).as_ref(), None)
        };
        let auto = DeviceChoice::Auto;
        assert_eq!(
            line(auto, 1e6, &Survey::Missing, None),
            "CPU: no WebGPU in this browser, because navigator.gpu is missing"
        );
        assert_eq!(
            line(auto, 1e6, &adapter(false), None),
            "CPU: faster than WebGPU for a network this small"
        );
        assert_eq!(line(auto, 1e9, &adapter(false), Some("the GPU was lost")), "CPU: the GPU was lost");
        assert_eq!(line(auto, 1e9, &Survey::Unknown, None), "Asking the browser for a GPU");
    }

    #[test]
    fn a_simulated_gpu_is_said_to_be_one() {
        let choice = Choice { kind: DeviceKind::Gpu, why: String::new() };
        let mut report = DeviceReport {
            kind: DeviceKind::Gpu,
            name: "WebGPU: SwiftShader".into(),
            simulated: true,
        };
        assert_eq!(device_line(Some(&choice), Some(&report)), "WebGPU (simulated on the CPU): SwiftShader");
        report.simulated = false;
        report.name = "WebGPU: Apple M2".into();
        assert_eq!(device_line(Some(&choice), Some(&report)), "WebGPU: Apple M2");
    }
}
