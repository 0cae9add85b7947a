//! Estimated duration of a run, from its settings alone.

use super::RunSpec;
use vivarium_core::settings::format_thousands;

/// Rough number of floating-point operations per second of one processor core, by which durations of runs are
/// estimated: see `AUTODIFF_WORTH_FLOPS`.
const CORE_FLOPS: f64 = 1e10;
/// Rough minimum number of seconds for one training step of one replica, however small the network is.
const MIN_STEP_S: f64 = 1e-6;

/// Estimated seconds on one processor core for training the run of `spec` up to its last step, all replicas together.
pub fn estimate_run_seconds(spec: &RunSpec) -> f64 {
    spec.run.steps as f64 * (spec.step_flops() / CORE_FLOPS + MIN_STEP_S * spec.run.replicas as f64)
}

/// Formats a duration given in seconds: "20 s", "3 min", "5 hours", "12 days".
pub fn format_duration(seconds: f64) -> String {
    let rounded = |unit: f64| format_thousands(libm::round(seconds / unit).clamp(1.0, 1e15) as u64);
    match seconds {
        s if s < 90.0 => format!("{} s", rounded(1.0)),
        s if s < 5400.0 => format!("{} min", rounded(60.0)),
        s if s < 129_600.0 => format!("{} hours", rounded(3600.0)),
        _ => format!("{} days", rounded(86_400.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_stated_in_the_unit_that_fits() {
        let said = [0.1, 20.0, 100.0, 3600.0, 7200.0, 400_000.0].map(format_duration);
        assert_eq!(said, ["1 s", "20 s", "2 min", "60 min", "2 hours", "5 days"]);
        let ends = [89.0, 90.0, 5399.0, 5400.0, 129_599.0, 129_600.0, 1e9].map(format_duration);
        assert_eq!(ends, ["89 s", "2 min", "90 min", "2 hours", "36 hours", "2 days", "11,574 days"]);
    }

    /// A step of a large network takes its operations, of which there are 10¹⁰ in a second; one of hardly any network a
    /// microsecond.
    #[test]
    fn a_run_takes_its_steps_its_networks_and_their_operations() {
        let seconds = |link: &str| estimate_run_seconds(&crate::permalink::decode(link).0.spec);
        let small = "#v1/sparse-parity?n=2&k=1&width=1&batch=1&steps=1000000";
        assert!((seconds(small) - 1.0).abs() < 0.01);
        assert!((seconds(&format!("{small}&replicas=7")) - 7.0).abs() < 0.02);
        // 4 · 4096 · 512 · 4096 operations.
        let large = "#v1/sparse-parity?n=512&width=4096&batch=4096&steps=100";
        assert!((seconds(large) - 343.6).abs() < 0.1, "{}", seconds(large));
    }
}
