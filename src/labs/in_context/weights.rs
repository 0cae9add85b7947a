//! The parameters of the first network, with which the page reads prompts itself.

use vivarium_model::models::Family;
use vivarium_model::models::in_context_transformer::OnPoints;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Form;
use vivarium_view::probing::{AllParameters, Probe, ProbeSpec};

/// All parameters of a network on prompts of points, one after the other in their permanent order, where the page [can
/// compute with them](is_small).
pub const PARAMETERS: Probe = Probe { name: "in-context-parameters", applies };

/// The probe.
pub const SPEC: ProbeSpec =
    ProbeSpec { probe: PARAMETERS, job: |_| Some(Box::new(AllParameters(PARAMETERS.id()))) };

fn applies(spec: &RunSpec) -> Result<(), String> {
    is_on_points(spec)?;
    is_small(spec)
}

/// Whether the run is on prompts of points.
///
/// # Errors
/// A sentence that says that it is not.
pub fn is_on_points(spec: &RunSpec) -> Result<(), String> {
    match spec.task.examples().form() == Form::Points && network(spec).is_some() {
        true => Ok(()),
        false => Err(Form::Points.only().into()),
    }
}

/// The run's network on its prompts; none of other networks.
pub fn network(spec: &RunSpec) -> Option<OnPoints> {
    let Some(Family::InContext(net)) = spec.model.config().family() else { return None };
    Some(OnPoints { net, prompts: spec.task.examples().function_prompts()? })
}

/// Operations, roughly, that the network takes for a prompt of so many points.
pub fn forward(spec: &RunSpec, points: usize) -> f64 {
    let examples = spec.task.examples();
    let own = examples.function_prompts().map_or(points, |prompts| prompts.points).max(1);
    // A step goes forward and twice as far back. A part of it grows with the square of the points.
    let step = spec.architecture().step_flops(examples.inputs(), 1) / 3.0;
    let longer = points as f64 / own as f64;
    (step * longer * longer.max(1.0)).max(1.0)
}

/// Whether a page can hold the parameters of one network, and reads a prompt in no time.
///
/// # Errors
/// A sentence that says that the network is too large.
pub fn is_small(spec: &RunSpec) -> Result<(), String> {
    let longest = spec.task.examples().function_prompts().map_or(1, |prompts| prompts.max_points());
    spec.is_small(forward(spec, longest))
}
