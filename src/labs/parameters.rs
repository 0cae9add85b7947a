//! The probe of all parameters of the first replica, from which the page computes the picture of the first screen.

use vivarium_model::run::RunSpec;
use vivarium_view::probing::{AllParameters, Probe, ProbeSpec};

/// All parameters of the first replica, one tensor after another in the order of `RunSpec::parameters`, for networks with
/// at most [`MAX_PARAMETERS`] of them.
pub const PARAMETERS: Probe = Probe { name: "all-parameters", applies: check_is_small };

/// The probe [`PARAMETERS`] with the measurement that reads all parameter tensors.
pub const SPEC: ProbeSpec = ProbeSpec::new(PARAMETERS, |_| Some(Box::new(AllParameters(PARAMETERS.id()))));

/// Networks with more parameters than this are not copied to the page after each measurement: 1 MiB of numbers.
pub const MAX_PARAMETERS: u64 = 1 << 18;

/// Returns an error message if the run's network has no parameters or too many.
///
/// # Errors
///
/// A sentence that says why the parameters cannot be copied to the page.
pub fn check_is_small(spec: &RunSpec) -> Result<(), String> {
    match spec.architecture().numbers(spec.task.examples().inputs(), 1) {
        0 => Err(tr!("This network has no parameters.").into()),
        1..=MAX_PARAMETERS => Ok(()),
        _ => Err(tr!("This network is too large for a picture that follows its training.").into()),
    }
}
