//! The panels of a sweep of more than two settings: one for each combination of the further settings.

use crate::CommandError;
use crate::journal::SweepIndex;
use vivarium_core::settings::format_thousands;
use vivarium_model::run::RunSpec;
use vivarium_model::run::cells::{axes_with_value_indices, count_runs_usize, runs_per_panel};
use vivarium_model::sweep::cell;
use vivarium_plot::analysis::convergence::best_of_groups;
use vivarium_view::display::sweep::SweepProgress;
use vivarium_view::display::words::format_setting;

/// The runs of a sweep that share the values of its third and later settings, with the results of their
/// networks.
pub struct SweepPanel {
    /// Values of the third and later swept settings, such as "width = 16, seed = 3"; empty if there are none.
    pub name: String,
    /// The sweep over the first two settings, with the third and later ones set to the values of the panel.
    pub spec: RunSpec,
    /// Runs of the panel with the target steps and final accuracies of their networks, as the page stores
    /// them.
    pub sweep: SweepProgress,
}

/// Number of panels of a sweep: combinations of values of the third and later swept settings.
pub fn count_panels(spec: &RunSpec) -> usize {
    count_runs_usize(spec) / runs_per_panel(spec).max(1)
}

/// All panels of a sweep, in the order of their runs.
///
/// # Errors
/// When runs are missing.
pub fn build_panels(index: &SweepIndex) -> Result<Vec<SweepPanel>, CommandError> {
    let missing = || {
        CommandError::bad_link(format!(
            "{} of {} runs of this sweep are missing: lab sweep trains them, and lab merge adds them from other files",
            format_thousands(index.missing_runs().len() as u64),
            format_thousands(count_runs_usize(&index.spec) as u64)
        ))
    };
    (0..count_panels(&index.spec))
        .map(|which| build_panel(index, which * runs_per_panel(&index.spec)).ok_or_else(missing))
        .collect()
}

/// The panel whose first run has the number `first` in the whole sweep, from 0; None if one of its runs is
/// missing.
fn build_panel(index: &SweepIndex, first: usize) -> Option<SweepPanel> {
    let (whole, mut spec) = (&index.spec, index.spec.clone());
    spec.run.further.clear();
    let further = &whole.run.further;
    let values = axes_with_value_indices(whole, first)
        .filter(|(axis, _)| further.iter().any(|other| other.key == axis.key));
    let values: Vec<(&str, &str)> =
        values.map(|(axis, at)| (axis.key.as_str(), axis.values[at].as_str())).collect();
    // In the order in which runs set them; an invalid value has no runs.
    values.iter().rev().for_each(|(key, value)| _ = spec.parse(key, value));
    let name =
        values.iter().map(|(key, value)| format_setting(&spec, key, value)).collect::<Vec<_>>().join(", ");
    let mut sweep = SweepProgress::of(&spec)?;
    let numbers = first..first + runs_per_panel(whole);
    sweep.cells = numbers.clone().map(|number| cell(whole, number).ok()).collect::<Option<_>>()?;
    for (number, cell) in numbers.zip(&sweep.cells) {
        let ended = index.read_outcomes(number)?;
        let times: Vec<Option<u64>> = ended.iter().map(|network| network.solved).collect();
        sweep
            .solved_steps
            .push(best_of_groups(&times, cell.spec.task.examples().replicas_per_training_set()));
        sweep.final_accuracies.push(ended.iter().map(|network| network.accuracy).collect());
    }
    Some(SweepPanel { name, spec, sweep })
}
