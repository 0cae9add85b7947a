//! The run on a table that the user has opened.

use vivarium_core::settings::Value;
use vivarium_model::permalink::{Link, ViewSettings};
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Task;
use vivarium_model::tasks::tabular::{TABLE_NUMBER_KEY, TABLE_ORIGIN_KEY, TableOrigin, Tabular};

/// Link to a run on the opened table with number `table_number`; keeps the other settings of the displayed link
/// `current` if that is a run on a table already, else takes the default settings.
pub fn link_to_table(table_number: u64, current: &Link) -> Link {
    let mut link = match &current.spec.task {
        Task::Tabular(_) => current.clone(),
        _ => {
            let spec = RunSpec::default_of_lab(Tabular::INFO.slug).unwrap_or_default();
            Link {
                view: ViewSettings::default_of_task(&spec.task),
                spec,
                teacher_keys: current.teacher_keys.clone(),
                ..Link::default()
            }
        }
    };
    let origin = Value::Choice(TableOrigin::Uploaded.slug().into());
    for (key, value) in [(TABLE_NUMBER_KEY, Value::Int(table_number)), (TABLE_ORIGIN_KEY, origin)] {
        // Both settings belong to this task and are in range.
        let _ = link.spec.set(key, &value);
    }
    if let Task::Tabular(task) = &mut link.spec.task {
        task.m = task.m.min(task.training_pool_size());
    }
    link
}
