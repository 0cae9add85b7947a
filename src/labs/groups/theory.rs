//! What theory says of the margin that a run can reach.

use crate::groups::theory::{Margin, MarginJob, Prediction, PredictionJob, RealCharacters};
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
    /// The strength of the penalty and what it predicts; nothing where the programme has no solution.
    predicted: Option<(f64, Option<Prediction>)>,
    /// The prediction for the newest strength, on its way.
    predicting: Option<PredictionJob>,
}

/// The theory on its way.
#[derive(Debug, Clone)]
pub struct GroupTheoryJob {
    characters: RealCharacters,
    margin: MarginJob,
}

/// Steps of a programme that so many operations allow: each is a matrix of all irreps with all classes, and Cholesky's
/// method.
fn steps(characters: &RealCharacters, operations: u64) -> usize {
    let each = 3 * (characters.irreps() as u64).pow(3);
    usize::try_from(operations / each.max(1)).unwrap_or(usize::MAX).max(1)
}

/// Whether there is a theory of a run's networks: squares, all wrong answers alike, and the norm L_{2,3}.
pub fn applies(spec: &RunSpec) -> bool {
    match (&spec.task, &spec.model) {
        (Task::Groups(task), Model::GroupNet(GroupNet { sigma: Sigma::Square, exponent: 3, .. })) => {
            task.has_theory()
        }
        _ => false,
    }
}

impl GroupTheoryJob {
    /// The theory of a run on `group`, where there [is one](applies).
    pub fn of(spec: &RunSpec, group: &Group, irreps: &Irreps) -> Option<Self> {
        let characters = applies(spec).then(|| RealCharacters::of(group, irreps).ok()).flatten()?;
        Some(GroupTheoryJob { margin: characters.margin_job(), characters })
    }

    /// Goes on by about so many operations. With the last of them comes the theory, or nothing where the programme has
    /// no solution.
    pub fn advance(&mut self, operations: u64) -> Option<Option<GroupTheory>> {
        let largest = self.margin.advance(&self.characters, steps(&self.characters, operations))?;
        Some(largest.ok().map(|largest| GroupTheory {
            characters: self.characters.clone(),
            largest,
            predicted: None,
            predicting: None,
        }))
    }
}

impl GroupTheory {
    /// The theory of a run on `group`, where there [is one](applies), however long it takes.
    pub fn of(spec: &RunSpec, group: &Group, irreps: &Irreps) -> Option<Self> {
        GroupTheoryJob::of(spec, group, irreps)?.advance(u64::MAX)?
    }

    /// Takes λ for what follows, which [has to be worked on](GroupTheory::advance).
    pub fn set_lambda(&mut self, lambda: f64) {
        let is_known = match (&self.predicting, &self.predicted) {
            (Some(job), _) => job.lambda() == lambda,
            (None, Some((of, _))) => *of == lambda,
            (None, None) => false,
        };
        if !is_known {
            self.predicting = Some(self.characters.prediction_job(lambda, self.largest.value));
        }
    }

    /// Goes on by about so many operations with what λ predicts; whether it is there now.
    pub fn advance(&mut self, operations: u64) -> bool {
        let Some(job) = &mut self.predicting else { return false };
        let steps = steps(&self.characters, operations);
        let Some(prediction) = job.advance(&self.characters, steps) else { return false };
        self.predicted = Some((job.lambda(), prediction.ok()));
        self.predicting = None;
        true
    }

    /// Whether there is something to [go on with](GroupTheory::advance).
    pub fn is_busy(&self) -> bool {
        self.predicting.is_some()
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
