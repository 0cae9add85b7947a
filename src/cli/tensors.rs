//! The generated part of `TENSORS.md`: formula, loss and tensors of every model.

use super::markdown::{escape_cell, format_code, format_table};
use vivarium_core::catalog::CatalogEntry;
use vivarium_model::models::layout::{Tensor, Tensors};
use vivarium_model::models::{Model, Parameter};
use vivarium_model::permalink::{Link, encode};
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Task;

/// Markdown sections of all models for `TENSORS.md`.
pub(super) fn format_sections() -> String {
    let of = |(entry, tensors): (&CatalogEntry, &Tensors)| format_section(entry, tensors);
    Model::ENTRIES.iter().zip(Model::TENSORS).map(of).collect::<Vec<_>>().join("\n")
}

/// A run of the model with the slug `slug` with default settings: in the lab whose default model it is,
/// otherwise in the lab of the first task that it supports.
fn default_run(slug: &str) -> RunSpec {
    let labs = || Task::ENTRIES.iter().filter_map(|entry| RunSpec::default_of_lab(entry.info.slug));
    let of_lab = labs().find(|spec| spec.model.info().slug == slug);
    let of_task = || labs().find(|spec| Model::suit(slug, &spec.task));
    let mut spec = of_lab.or_else(of_task).unwrap_or_default();
    // The task supports the model, so this cannot fail.
    let _ = spec.parse("model", slug);
    spec
}

/// Markdown section of a model: its formula, its loss, the letters in them, and a table of its parameter
/// tensors.
fn format_section(entry: &CatalogEntry, tensors: &Tensors) -> String {
    let spec = default_run(entry.info.slug);
    let parameters = spec.parameters();
    let link = encode(&Link::from_spec(spec));
    let letter = |[name, about]: &[&str; 2]| format!("- {}: {}\n", format_code(name), escape_cell(about));
    let letters: String = tensors.letters.iter().map(letter).collect();
    let rows = tensors.all.iter().map(|tensor| format_row(tensor, tensors.all, &parameters));
    let example = format!("in {}", format_code(&link));
    let head = ["tensor", "shape", &example, "a row for each", "a column for each", "what it is"];
    format!(
        "### {} ({})\n\n```text\n{}\n```\n\nLoss: {}\n\n{letters}{}{}",
        escape_cell(entry.info.name),
        format_code(entry.info.slug),
        tensors.formula,
        escape_cell(tensors.loss),
        if letters.is_empty() { "" } else { "\n" },
        format_table(&head, rows),
    )
}

/// Cells of the table row of a tensor: name, shape, shapes in the default run, what its rows and columns
/// stand for, meaning. `all` are the tensors of the model, `parameters` those of the default run.
fn format_row(tensor: &Tensor, all: &[Tensor], parameters: &[Parameter]) -> Vec<String> {
    let is_own = |name: &str| all.iter().find(|one| one.is_of(name)) == Some(tensor);
    let [rows, columns] = tensor.shape;
    let axis = |axis: &str| if axis.is_empty() { "–".to_string() } else { escape_cell(axis) };
    let only =
        tensor.only.map(|setting| format!(" (only with {})", format_code(setting))).unwrap_or_default();
    vec![
        format_code(tensor.name),
        format_code(&format!("[replicas, {rows}, {columns}]")),
        format_shapes(parameters.iter().filter(|parameter| is_own(&parameter.name))),
        axis(tensor.axes[0]),
        axis(tensor.axes[1]),
        format!("{}{only}", escape_cell(tensor.about)),
    ]
}

/// The distinct shapes of these parameter tensors as text: the first two, and an ellipsis if there are more;
/// a dash for none.
fn format_shapes<'a>(parameters: impl Iterator<Item = &'a Parameter>) -> String {
    let mut all: Vec<String> = vec![];
    for Parameter { shape, .. } in parameters {
        let shape = format_code(&format!("{shape:?}"));
        if !all.contains(&shape) {
            all.push(shape);
        }
    }
    match all.len() {
        0 => "–".into(),
        1 | 2 => all.join(", "),
        _ => format!("{}, {}, …", all[0], all[1]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_shown_in_the_lab_that_begins_with_it() {
        let lab = |slug: &str| (default_run(slug).task.info().slug, default_run(slug).model.info().slug);
        assert_eq!(lab("perceptron"), ("teacher-student", "perceptron"));
        assert_eq!(lab("polynet"), ("sparse-parity", "polynet"));
        assert_eq!(lab("minimal-markov"), ("markov", "minimal-markov"));
    }

    #[test]
    fn shapes_of_layers_stand_once_each() {
        let of = |shapes_of: &[[usize; 3]]| {
            let parameters: Vec<_> = shapes_of.iter().map(|shape| Parameter::new("w", *shape)).collect();
            format_shapes(parameters.iter())
        };
        assert_eq!(of(&[]), "–");
        assert_eq!(of(&[[1, 2, 3], [1, 2, 3]]), "`[1, 2, 3]`");
        assert_eq!(of(&[[1, 2, 3], [1, 3, 3], [1, 2, 3]]), "`[1, 2, 3]`, `[1, 3, 3]`");
        assert_eq!(of(&[[1, 2, 3], [1, 3, 3], [1, 3, 1]]), "`[1, 2, 3]`, `[1, 3, 3]`, …");
    }
}
