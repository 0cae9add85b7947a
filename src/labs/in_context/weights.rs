//! The probe of the first network's parameters, with which the page computes predictions itself.

use vivarium_model::models::Family;
use vivarium_model::models::in_context_transformer::OnPoints;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{ExampleForm, TaskData};
use vivarium_view::probing::{AllParameters, Probe, ProbeSpec};

/// Probe of all parameters of the first replica's network, concatenated in their permanent order; it applies to
/// networks on prompts of points that are [small enough](require_small) for the page.
pub const PARAMETERS: Probe = Probe { name: "in-context-parameters", applies };

/// The probe [`PARAMETERS`] with the function that measures it.
pub const SPEC: ProbeSpec = ProbeSpec::new(PARAMETERS, |_| Some(Box::new(AllParameters(PARAMETERS.id()))));

/// `Ok` if the probe [`PARAMETERS`] can be measured: the run is on prompts of points, and its network is small;
/// otherwise the reason why not.
fn applies(spec: &RunSpec) -> Result<(), String> {
    require_point_prompts(spec)?;
    require_small(spec)
}

/// `Ok` if the run's task has prompts of points (inputs with labels) and its model is a transformer on them.
///
/// # Errors
/// A sentence that names the tasks whose examples are prompts of points.
pub fn require_point_prompts(spec: &RunSpec) -> Result<(), String> {
    match (points_network(spec), spec.task.data()) {
        (Some(_), _) => Ok(()),
        (None, TaskData::Points(_)) => Err(tr!("Available only for the in-context transformer.").into()),
        (None, _) => Err(ExampleForm::Points.unavailable_reason().into()),
    }
}

/// The transformer of a run on prompts of points, together with the distribution of the prompts; none for other models
/// and tasks.
pub fn points_network(spec: &RunSpec) -> Option<OnPoints> {
    let Some(Family::InContext(net)) = spec.model.config().family() else { return None };
    Some(OnPoints { net, prompts: spec.task.data().function_prompts()? })
}

/// The approximate number of operations of the network's forward pass on a prompt of `points` points.
pub fn forward_operations(spec: &RunSpec, points: usize) -> f64 {
    let examples = spec.task.examples();
    let own = examples.data().function_prompts().map_or(points, |prompts| prompts.points).max(1);
    // A backward pass costs two forward passes. Attention grows with the square of the points.
    let step = spec.architecture().step_flops(examples.inputs(), 1) / 3.0;
    let longer = points as f64 / own as f64;
    (step * longer * longer.max(1.0)).max(1.0)
}

/// `Ok` if the page can store the parameters of one replica's network and evaluate a prompt without delay.
///
/// # Errors
/// A sentence that says that the network is too large.
pub fn require_small(spec: &RunSpec) -> Result<(), String> {
    let longest = spec.task.data().function_prompts().map_or(1, |prompts| prompts.max_points());
    spec.check_fits_page(forward_operations(spec, longest))
}
