//! What theory says of the margin that a run can reach.

use crate::groups::theory::{Margin, Prediction, RealCharacters};
use crate::groups::{Group, Irreps};
use crate::models::Model;
use crate::models::group_net::{GroupNet, Sigma};
use crate::run::RunSpec;
use crate::tasks::Task;

/// The largest margins of networks on a group, and what a penalty of finite strength leaves of them.
#[derive(Debug, Clone)]
pub struct GroupTheory {
    characters: RealCharacters,
    /// The largest normalised margin γ*.
    pub largest: Margin,
    /// The strength of the penalty and what it predicts, newest last; nothing where the programme has no solution.
    predicted: Option<(f64, Option<Prediction>)>,
}

impl GroupTheory {
    /// The theory of a run on `group`, where there is one: squares, all wrong answers alike, and the norm L_{2,3}.
    pub fn of(spec: &RunSpec, group: &Group, irreps: &Irreps) -> Option<Self> {
        let (Task::Groups(task), Model::GroupNet(GroupNet { sigma: Sigma::Square, exponent: 3, .. })) =
            (&spec.task, &spec.model)
        else {
            return None;
        };
        if !task.has_theory() {
            return None;
        }
        let characters = RealCharacters::of(group, irreps).ok()?;
        let largest = characters.max_margin().ok()?;
        Some(GroupTheory { characters, largest, predicted: None })
    }

    /// Takes λ for what follows.
    pub fn set_lambda(&mut self, lambda: f64) {
        if self.predicted.as_ref().is_none_or(|(of, _)| *of != lambda) {
            self.predicted = Some((lambda, self.characters.prediction(lambda).ok()));
        }
    }

    /// What the penalty predicts.
    pub fn prediction(&self) -> Option<&Prediction> {
        self.predicted.as_ref().and_then(|(_, prediction)| prediction.as_ref())
    }
}

/// The largest normalised margin γ* of the run's networks, if theory knows it.
pub fn largest(spec: &RunSpec) -> Option<f64> {
    let Task::Groups(task) = &spec.task else { return None };
    let group = task.group()?;
    let irreps = Irreps::of(&group);
    GroupTheory::of(spec, &group, &irreps).map(|theory| theory.largest.value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permalink::decode;

    fn found(link: &str) -> Option<f64> {
        largest(&decode(link).0.spec)
    }

    #[test]
    fn margins_are_those_of_the_theorems_and_of_nothing_else() {
        let close = |link: &str, expected: f64| {
            let margin = found(link).unwrap();
            assert!((margin / expected - 1.0).abs() < 1e-5, "{link}: {margin}");
        };
        close("#v1/groups", 0.002_579_57);
        close("#v1/groups?op=sub&n=13", 0.006_290_43);
        close("#v1/groups?op=symmetric&letters=4", 0.002_076_65);
        close("#v1/groups?op=product&factors=2.2", 0.064_15);
        for link in ["op=mul", "op=random", "act=relu", "nu=2", "model=embedding-mlp"] {
            assert_eq!(found(&format!("#v1/groups?{link}")), None, "{link}");
        }
    }
}
