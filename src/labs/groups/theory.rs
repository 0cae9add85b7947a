//! What theory says of the margin that a run can reach.

use vivarium_model::models::Model;
use vivarium_model::models::group_net::{GroupNet, Sigma};
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Task;
use vivarium_science::groups::theory::{
    MaxMargin, MaxMarginJob, PenalisedOptimum, PenalisedOptimumJob, RealCharacters,
};
use vivarium_science::groups::{Group, Irreps};

/// The largest margins of networks on a group, and what a penalty of finite strength leaves of them.
#[derive(Debug, Clone)]
pub struct GroupTheory {
    characters: RealCharacters,
    /// The largest normalised margin γ*.
    pub largest: MaxMargin,
    /// The strength of the penalty and what it predicts; nothing where the programme has no solution.
    predicted: Option<(f64, Option<PenalisedOptimum>)>,
    /// The prediction for the newest strength, on its way.
    predicting: Option<PenalisedOptimumJob>,
}

/// The theory on its way.
#[derive(Debug, Clone)]
pub struct GroupTheoryJob {
    characters: RealCharacters,
    margin: MaxMarginJob,
}

/// Steps of a programme that so many operations allow: each is a matrix of all irreps with all classes, and Cholesky's
/// method.
fn steps(characters: &RealCharacters, operations: u64) -> usize {
    let each = 3 * (characters.irrep_count() as u64).pow(3);
    usize::try_from(operations / each.max(1)).unwrap_or(usize::MAX).max(1)
}

/// Whether there is a theory of a run's networks: squares, all wrong answers alike, the norm L_{2,3}, and all pairs to
/// train on. On a part of the pairs a margin may be larger.
pub fn applies(spec: &RunSpec) -> bool {
    match (&spec.task, &spec.model) {
        (Task::Groups(task), Model::GroupNet(GroupNet { sigma: Sigma::Square, exponent: 3, .. })) => {
            task.has_theory() && task.takes_all_pairs()
        }
        _ => false,
    }
}

impl GroupTheoryJob {
    /// The theory of a run on `group`, where there [is one](applies).
    pub fn of(spec: &RunSpec, group: &Group, irreps: &Irreps) -> Option<Self> {
        let characters = applies(spec).then(|| RealCharacters::from_group(group, irreps).ok()).flatten()?;
        Some(GroupTheoryJob { margin: characters.start_max_margin(), characters })
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
            self.predicting = Some(self.characters.start_penalised_optimum(lambda, self.largest.value));
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

    /// Irreps that the best network at the λ of [the prediction](Self::prediction) does without, although networks of
    /// largest margin, to which the best networks tend as λ → 0, have neurons of them.
    pub fn late(&self) -> Vec<usize> {
        let Some(prediction) = self.prediction().filter(|prediction| !prediction.is_zero_network) else {
            return vec![];
        };
        let shares = prediction.norm_shares.iter().zip(&self.largest.used_irreps).enumerate();
        shares.filter(|(_, (share, used))| **used && **share == 0.0).map(|(irrep, _)| irrep).collect()
    }

    /// The λ from which on the best network is zero.
    pub fn collapse(&self) -> f64 {
        self.characters.collapse_penalty()
    }

    /// What the penalty predicts.
    pub fn prediction(&self) -> Option<&PenalisedOptimum> {
        self.predicted.as_ref().and_then(|(_, prediction)| prediction.as_ref())
    }
}

/// The largest normalised margin γ* of the run's networks, if theory knows it.
pub fn largest(spec: &RunSpec) -> Option<f64> {
    let Task::Groups(task) = &spec.task else { return None };
    let group = task.group()?;
    let irreps = Irreps::compute(&group);
    GroupTheory::of(spec, &group, &irreps).map(|theory| theory.largest.value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::permalink::decode;

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
        for link in ["op=mul", "op=random", "act=relu", "nu=2", "model=embedding-mlp", "frac=0.5"] {
            assert_eq!(found(&format!("#v1/groups?{link}")), None, "{link}");
        }
    }

    /// S5, with Table D.1 of the thesis and a general minimiser (L-BFGS-B) in place of ours: at 10⁻⁵ the share of the irrep of
    /// dimension 6 is 0, where a small share would save 95.7 % of what it costs; at 10⁻⁸ the share is 0.0316, at 10⁻⁹
    /// it is 0.0746. As λ → 0 it is 6^2.5 / Σ d^2.5 = 0.3328.
    #[test]
    fn the_irrep_of_dimension_six_comes_late() {
        let spec = decode("#v1/groups?op=symmetric&letters=5&width=2000").0.spec;
        let Task::Groups(task) = &spec.task else { panic!("pairs") };
        let group = task.group().unwrap();
        let irreps = Irreps::compute(&group);
        let mut theory = GroupTheory::of(&spec, &group, &irreps).unwrap();
        let six = irreps.all().iter().position(|irrep| irrep.dimension == 6).unwrap();
        assert!(theory.late().is_empty(), "without a penalty nothing is predicted");
        assert!((theory.largest.norm_shares[six] - 0.332_78).abs() < 1e-5);
        for (lambda, late, share) in [(1e-5, vec![six], 0.0), (1e-8, vec![], 0.0316), (1e-9, vec![], 0.0746)]
        {
            theory.set_lambda(lambda);
            while !theory.advance(u64::MAX) {}
            let found = theory.prediction().unwrap().norm_shares[six];
            assert!(theory.late() == late && (found - share).abs() < 1e-3, "{lambda:e}: {found}");
        }
        theory.set_lambda(0.01);
        while !theory.advance(u64::MAX) {}
        assert!(theory.prediction().unwrap().is_zero_network && theory.late().is_empty());
        // 2 / ((3|G|)^1.5 √1), for the sign.
        assert!((theory.collapse() - 2.0 / 360f64.powf(1.5)).abs() < 1e-9);
    }
}
