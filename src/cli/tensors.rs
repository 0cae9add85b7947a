//! The part of `TENSORS.md` that is generated: of every model its formula, its loss, and its tensors.

use super::markdown::{cell, code, table};
use vivarium_core::catalog::Entry;
use vivarium_model::models::layout::{Tensor, Tensors};
use vivarium_model::models::{Model, Parameter};
use vivarium_model::permalink::{Link, encode};
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Task;

/// The sections of all models.
pub(super) fn sections() -> String {
    let of = |(entry, tensors): (&Entry, &Tensors)| section(entry, tensors);
    Model::ENTRIES.iter().zip(Model::TENSORS).map(of).collect::<Vec<_>>().join("\n")
}

/// A run of the model with its defaults: of the lab that begins with this model, or of the first task that suits it.
fn usual(slug: &str) -> RunSpec {
    let labs = || Task::ENTRIES.iter().filter_map(|entry| RunSpec::of_lab(entry.info.slug));
    let of_lab = labs().find(|spec| spec.model.info().slug == slug);
    let of_task = || labs().find(|spec| Model::suit(slug, &spec.task));
    let mut spec = of_lab.or_else(of_task).unwrap_or_default();
    // It suits.
    let _ = spec.parse("model", slug);
    spec
}

fn section(entry: &Entry, tensors: &Tensors) -> String {
    let spec = usual(entry.info.slug);
    let parameters = spec.parameters();
    let link = encode(&Link::of(spec));
    let letter = |[name, about]: &[&str; 2]| format!("- {}: {}\n", code(name), cell(about));
    let letters: String = tensors.letters.iter().map(letter).collect();
    let rows = tensors.all.iter().map(|tensor| row(tensor, tensors.all, &parameters));
    let example = format!("in {}", code(&link));
    let head = ["tensor", "shape", &example, "a row for each", "a column for each", "what it is"];
    format!(
        "### {} ({})\n\n```text\n{}\n```\n\nLoss: {}\n\n{letters}{}{}",
        cell(entry.info.name),
        code(entry.info.slug),
        tensors.formula,
        cell(tensors.loss),
        if letters.is_empty() { "" } else { "\n" },
        table(&head, rows),
    )
}

fn row(tensor: &Tensor, all: &[Tensor], parameters: &[Parameter]) -> Vec<String> {
    let is_own = |name: &str| all.iter().find(|one| one.is_of(name)) == Some(tensor);
    let [rows, columns] = tensor.shape;
    let axis = |axis: &str| if axis.is_empty() { "–".to_string() } else { cell(axis) };
    let only = tensor.only.map(|setting| format!(" (only with {})", code(setting))).unwrap_or_default();
    vec![
        code(tensor.name),
        code(&format!("[replicas, {rows}, {columns}]")),
        shapes(parameters.iter().filter(|parameter| is_own(&parameter.name))),
        axis(tensor.axes[0]),
        axis(tensor.axes[1]),
        format!("{}{only}", cell(tensor.about)),
    ]
}

/// The different shapes of some parameters, at most two of them.
fn shapes<'a>(parameters: impl Iterator<Item = &'a Parameter>) -> String {
    let mut all: Vec<String> = vec![];
    for Parameter { shape, .. } in parameters {
        let shape = code(&format!("{shape:?}"));
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
        let lab = |slug: &str| (usual(slug).task.info().slug, usual(slug).model.info().slug);
        assert_eq!(lab("perceptron"), ("teacher-student", "perceptron"));
        assert_eq!(lab("polynet"), ("sparse-parity", "polynet"));
        assert_eq!(lab("minimal-markov"), ("markov", "minimal-markov"));
    }

    #[test]
    fn shapes_of_layers_stand_once_each() {
        let of = |shapes_of: &[[usize; 3]]| {
            let parameters: Vec<_> = shapes_of.iter().map(|shape| Parameter::new("w", *shape)).collect();
            shapes(parameters.iter())
        };
        assert_eq!(of(&[]), "–");
        assert_eq!(of(&[[1, 2, 3], [1, 2, 3]]), "`[1, 2, 3]`");
        assert_eq!(of(&[[1, 2, 3], [1, 3, 3], [1, 2, 3]]), "`[1, 2, 3]`, `[1, 3, 3]`");
        assert_eq!(of(&[[1, 2, 3], [1, 3, 3], [1, 3, 1]]), "`[1, 2, 3]`, `[1, 3, 3]`, …");
    }
}
