//! The run on a table that a person has opened.

use vivarium_core::settings::Value;
use vivarium_model::permalink::{Link, View};
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Task;
use vivarium_model::tasks::tabular::{Origin, Tabular};

/// The link of a run on the table that is kept under this number, opened while the page shows `shown`: its settings stay
/// where it is about a table already.
pub fn link(number: u64, shown: &Link) -> Link {
    let mut link = match &shown.spec.task {
        Task::Tabular(_) => shown.clone(),
        _ => {
            let spec = RunSpec::of_lab(Tabular::INFO.slug).unwrap_or_default();
            Link { view: View::of(&spec.task), spec, reserved: shown.reserved.clone(), ..Link::default() }
        }
    };
    for (key, value) in [("csv", Value::Int(number)), ("data", Value::Choice(Origin::Uploaded.slug().into()))]
    {
        // Both are of this task, and in range.
        let _ = link.spec.set(key, &value);
    }
    if let Task::Tabular(task) = &mut link.spec.task {
        task.m = task.m.min(task.pool());
    }
    link
}
