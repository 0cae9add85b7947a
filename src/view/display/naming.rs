//! Names of runs that are compared: the settings in which they differ.
//!
//! # Why
//! Whoever compares runs has changed one or two settings, and these values tell the curves apart. So a name is made of
//! all runs together, and changes when another run joins them. A name that is stored would have to list everything.

use super::words::{format_thousands, format_value, setting_symbol};
use vivarium_core::language::translated;
use vivarium_core::settings::format_real;
use vivarium_model::run::{MODEL_KEY, OPTIMIZER_KEY, RunSpec};

/// Largest number of settings in the name of a run; runs that need more get no name.
const MAX_SETTINGS: usize = 3;
/// Largest number of characters of one setting's value in the name of a run; longer values (uploaded data, machine
/// rules) are cut.
const MAX_VALUE_CHARS: usize = 24;
/// Largest number of learning-rate changes listed in the name of a run; an ellipsis stands for further changes.
const MAX_RATE_CHANGES: usize = 2;

/// Keys of settings on stopping, measuring and hardware, which appear in the names of runs only if all other settings
/// leave two names equal.
const SECONDARY_KEYS: [&str; 9] =
    ["steps", "target", "halt", "every", "held", "by", "limit", "device", "learner"];

/// Names runs by the settings in which they differ, such as "k = 3, η = 0.1"; `None` where nothing differs or the name
/// would be too long. With several tasks, the task's name comes first.
pub fn name_runs(specs: &[&RunSpec]) -> Vec<Option<String>> {
    let task = |spec: &RunSpec| spec.task.info().slug;
    if specs.iter().all(|spec| task(spec) == task(specs[0])) {
        return name_runs_of_task(specs);
    }
    let of = |spec: &&RunSpec| {
        // The others of its task follow the run.
        let others = specs.iter().filter(|other| task(other) == task(spec) && !std::ptr::eq(**other, *spec));
        let group: Vec<&RunSpec> = std::iter::once(*spec).chain(others.copied()).collect();
        let name = translated(spec.task.info().name);
        Some(match name_runs_of_task(&group).swap_remove(0) {
            Some(settings) => format!("{name}, {settings}"),
            None => name.into(),
        })
    };
    specs.iter().map(of).collect()
}

/// Names runs of one task by the settings in which they differ; settings on stopping, measuring and hardware are named
/// only if two names would otherwise be equal. One name for each of `specs`, in the same order; `None` for a run
/// that differs in no setting, or whose name would be too long.
fn name_runs_of_task(specs: &[&RunSpec]) -> Vec<Option<String>> {
    let loud = name_by_settings(specs, &|key| !SECONDARY_KEYS.contains(&key));
    if are_unique(&loud) { loud } else { name_by_settings(specs, &|_| true) }
}

/// Whether no two runs have the same name.
fn are_unique(names: &[Option<String>]) -> bool {
    names.iter().enumerate().all(|(at, name)| !names[..at].contains(name))
}

/// Names runs by the settings in which they differ and whose keys `may_name` admits; `None` where nothing differs or
/// the name would be too long.
fn name_by_settings(specs: &[&RunSpec], may_name: &dyn Fn(&str) -> bool) -> Vec<Option<String>> {
    let mut keys = vec![MODEL_KEY, OPTIMIZER_KEY];
    for (_, setting) in specs.iter().flat_map(|spec| spec.settings()) {
        // The changes of the rate are named with the rate.
        if !keys.contains(&setting.key) && !["lrs", "sweep", "series", "further"].contains(&setting.key) {
            keys.push(setting.key);
        }
    }
    let mut parts = vec![vec![]; specs.len()];
    for key in keys.into_iter().filter(|key| may_name(key)) {
        let values: Vec<Option<String>> = specs.iter().map(|spec| compared_value(spec, key)).collect();
        let mut given = values.iter().flatten();
        let first = given.next();
        // What only some of the runs have follows from another setting.
        if given.any(|other| Some(other) != first) {
            for ((parts, spec), _) in parts.iter_mut().zip(specs).zip(&values).filter(|(_, v)| v.is_some()) {
                parts.push(format_setting(spec, key));
            }
        }
    }
    let is_long = parts.iter().any(|parts| parts.len() > MAX_SETTINGS);
    let name = |parts: Vec<String>| (!parts.is_empty() && !is_long).then(|| parts.join(", "));
    parts.into_iter().map(name).collect()
}

/// Value of the setting `key` as text, for finding out whether runs differ; `None` if the run lacks the setting or if
/// the setting has no effect.
fn compared_value(spec: &RunSpec, key: &str) -> Option<String> {
    match key {
        "lr" => Some(format!("{} {:?}", spec.value(key)?, spec.run.schedule)),
        _ if !spec.has_effect(key) => None,
        _ => Some(spec.value(key)?.to_string()),
    }
}

/// Formats a setting and its value for a name: "k = 3", "seed 2".
fn format_setting(spec: &RunSpec, key: &str) -> String {
    match key {
        MODEL_KEY | OPTIMIZER_KEY => format_value(spec, key),
        "seed" => tr!("seed {seed}", seed = format_value(spec, key)),
        "lr" => format_learning_rates(spec),
        _ => {
            let whole = format_value(spec, key);
            let short: String = whole.chars().take(MAX_VALUE_CHARS).collect();
            let end = if short.len() < whole.len() { "…" } else { "" };
            format!("{} = {short}{end}", setting_symbol(spec, key))
        }
    }
}

/// Formats the learning rate with its changes: "η = 0.1 → 0.5 at step 200".
fn format_learning_rates(spec: &RunSpec) -> String {
    let mut text = format!("{} = {}", setting_symbol(spec, "lr"), format_value(spec, "lr"));
    for (step, rate) in spec.run.schedule.iter().take(MAX_RATE_CHANGES) {
        text = tr!(
            "{rates} → {rate} at step {step}",
            rates = text,
            rate = format_real(*rate),
            step = format_thousands(*step)
        );
    }
    if spec.run.schedule.len() > MAX_RATE_CHANGES { text + ", …" } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(lab: &str, settings: &[(&str, &str)]) -> RunSpec {
        let mut spec = RunSpec::default_of_lab(lab).unwrap();
        settings.iter().for_each(|(key, text)| spec.parse(key, text).unwrap());
        spec
    }

    fn names_of(specs: &[RunSpec]) -> Vec<String> {
        let named = name_runs(&specs.iter().collect::<Vec<_>>());
        named.into_iter().map(|name| name.unwrap_or_default()).collect()
    }

    fn parity(settings: &[&[(&str, &str)]]) -> Vec<String> {
        let specs: Vec<RunSpec> = settings.iter().map(|settings| spec("sparse-parity", settings)).collect();
        names_of(&specs)
    }

    #[test]
    fn runs_are_named_by_the_settings_in_which_they_differ() {
        assert_eq!(parity(&[&[], &[("lr", "0.3")]]), ["η = 0.1", "η = 0.3"]);
        assert_eq!(
            parity(&[&[("k", "2")], &[("lr", "0.3")], &[]]),
            ["k = 2, η = 0.1", "k = 3, η = 0.3", "k = 3, η = 0.1"],
            "a third run may differ in another setting"
        );
        assert_eq!(parity(&[&[("seed", "7")], &[("seed", "1234567")]]), ["seed 7", "seed 1234567"]);
        assert_eq!(
            parity(&[&[("width", "1000")], &[("width", "64"), ("lr", "0.3"), ("seed", "2")]]),
            ["width = 1,000, η = 0.1, seed 0", "width = 64, η = 0.3, seed 2"]
        );
        assert_eq!(parity(&[&[("loss", "ce")], &[]]), ["loss = Cross-entropy", "loss = Hinge"]);
    }

    #[test]
    fn equal_settings_and_too_many_give_no_name() {
        assert_eq!(parity(&[&[]]), [""]);
        assert_eq!(parity(&[&[], &[]]), ["", ""]);
        let many = [("k", "2"), ("width", "64"), ("lr", "0.3"), ("seed", "2")];
        assert_eq!(parity(&[&[], &many]), ["", ""]);
    }

    #[test]
    fn when_a_run_ends_is_named_only_where_nothing_else_differs() {
        assert_eq!(parity(&[&[("steps", "500")], &[("lr", "0.3")]]), ["η = 0.1", "η = 0.3"]);
        assert_eq!(
            parity(&[&[("steps", "500")], &[("steps", "9000")]]),
            ["last step = 500", "last step = 9,000"]
        );
    }

    #[test]
    fn changes_of_the_rate_are_named_with_the_rate() {
        assert_eq!(parity(&[&[], &[("lrs", "200:0.5")]]), ["η = 0.1", "η = 0.1 → 0.5 at step 200"]);
        let changes = [("lrs", "200:0.5_1000:0.25_2000:0.125")];
        let long = "η = 0.1 → 0.5 at step 200 → 0.25 at step 1,000, …";
        let three = spec("sparse-parity", &[]);
        let mut changed = three.clone();
        changed.run.schedule = vec![(200, 0.5), (1000, 0.25), (2000, 0.125)];
        assert_eq!(names_of(&[three, changed]), ["η = 0.1", long], "{changes:?}");
    }

    #[test]
    fn models_optimizers_and_tasks_go_by_their_names() {
        assert_eq!(parity(&[&[("opt", "sgd")], &[("opt", "adam")]])[0].split(',').next().unwrap(), "SGD");
        let models = parity(&[&[("model", "mlp")], &[("model", "polynet")]]);
        assert!(models[0].starts_with("Two-layer MLP") && models[1].starts_with("PolyNet"), "{models:?}");
        let specs =
            [spec("sparse-parity", &[]), spec("groups", &[]), spec("sparse-parity", &[("lr", "0.3")])];
        let groups = translated(specs[1].task.info().name);
        assert_eq!(names_of(&specs), ["Sparse parity, η = 0.1", groups, "Sparse parity, η = 0.3"]);
    }
}
