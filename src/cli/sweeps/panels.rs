//! The maps, or sets of curves, of a sweep of more than two settings: one for each combination of the further ones.

use crate::Trouble;
use crate::journal::Found;
use vivarium_core::settings::thousands;
use vivarium_model::run::RunSpec;
use vivarium_model::run::cells::{count, panel, places};
use vivarium_model::sweep::cell;
use vivarium_plot::analysis::convergence::best;
use vivarium_view::display::sweep::Sweep;
use vivarium_view::display::words::setting;

/// The runs that differ in the first two settings alone, all of which have ended.
pub struct Panel {
    /// "width = 16, seed = 3": the values of the further settings; nothing if there are none.
    pub name: String,
    /// The sweep of the first two settings.
    pub spec: RunSpec,
    /// Its runs, as the page has them.
    pub sweep: Sweep,
}

/// How many there are.
pub fn number(spec: &RunSpec) -> usize {
    count(spec) / panel(spec).max(1)
}

/// All of them, in the order of their runs.
///
/// # Errors
/// When runs are missing.
pub fn panels(found: &Found) -> Result<Vec<Panel>, Trouble> {
    let missing = || {
        Trouble::bad(format!(
            "{} of {} runs of this sweep are missing: lab sweep trains them, and lab merge adds them from other files",
            thousands(found.missing().len() as u64),
            thousands(count(&found.spec) as u64)
        ))
    };
    (0..number(&found.spec)).map(|which| one(found, which * panel(&found.spec)).ok_or_else(missing)).collect()
}

/// The panel whose first run has this number.
fn one(found: &Found, first: usize) -> Option<Panel> {
    let (whole, mut spec) = (&found.spec, found.spec.clone());
    spec.run.further.clear();
    let further = &whole.run.further;
    let values = places(whole, first).filter(|(axis, _)| further.iter().any(|other| other.key == axis.key));
    let values: Vec<(&str, &str)> =
        values.map(|(axis, at)| (axis.key.as_str(), axis.values[at].as_str())).collect();
    // As the runs set them; a value that cannot be has no runs.
    values.iter().rev().for_each(|(key, value)| _ = spec.parse(key, value));
    let name = values.iter().map(|(key, value)| setting(&spec, key, value)).collect::<Vec<_>>().join(", ");
    let mut sweep = Sweep::of(&spec)?;
    let numbers = first..first + panel(whole);
    sweep.cells = numbers.clone().map(|number| cell(whole, number).ok()).collect::<Option<_>>()?;
    for (number, cell) in numbers.zip(&sweep.cells) {
        let ended = found.ended(number)?;
        let times: Vec<Option<u64>> = ended.iter().map(|network| network.solved).collect();
        sweep.done.push(best(&times, cell.spec.task.examples().tries()));
        sweep.ends.push(ended.iter().map(|network| network.accuracy).collect());
    }
    Some(Panel { name, spec, sweep })
}
