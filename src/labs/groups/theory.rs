//! The margins that theory predicts for a run.

use vivarium_model::models::Model;
use vivarium_model::models::group_net::{GroupNet, Sigma};
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Task;
use vivarium_science::groups::theory::{
    MaxMargin, MaxMarginJob, PenalisedOptimum, PenalisedOptimumJob, RealCharacters,
};
use vivarium_science::groups::{Group, Irreps};

/// Theory of quadratic networks on a group (Edelman 2024, chapter 7): the largest normalised margin, and the optimum of
/// the loss plus the penalty λ Σ‖ω‖³, where ω = (u, v, w) are the weights of a neuron.
#[derive(Debug, Clone)]
pub struct GroupTheory {
    /// The group's real character table: a number for each irrep (irreducible representation) and conjugacy class.
    characters: RealCharacters,
    /// The largest normalised margin γ* that networks on the group can have, a margin of the logits divided by Σ‖ω‖³
    /// over the neurons, and the share of each irrep in Σ‖ω‖³ in networks with this margin.
    pub max_margin: MaxMargin,
    /// The latest λ for which the optimum of loss plus penalty was computed, and this optimum, which is none if the
    /// convex programme has no solution; none before the first computation.
    optimum: Option<(f64, Option<PenalisedOptimum>)>,
    /// Computation of the optimum of loss plus penalty for the latest λ, in progress; none if it is finished.
    optimum_job: Option<PenalisedOptimumJob>,
}

/// Computation, in progress, of the largest normalised margin γ* that networks on a group can have; it gives a
/// [`GroupTheory`] at its end.
#[derive(Debug, Clone)]
pub struct GroupTheoryJob {
    /// The group's real character table: a number for each irrep (irreducible representation) and conjugacy class.
    characters: RealCharacters,
    /// Solver of the convex programme for the largest normalised margin of networks on the group.
    margin_job: MaxMarginJob,
}

/// The number of steps of the convex solver that fit into `operations`; a step multiplies matrices of irreps and
/// classes and does a Cholesky decomposition.
fn affordable_steps(characters: &RealCharacters, operations: u64) -> usize {
    let each = 3 * (characters.irrep_count() as u64).pow(3);
    usize::try_from(operations / each.max(1)).unwrap_or(usize::MAX).max(1)
}

/// Whether the theory covers a run: the labels are products in a group (columns of the table may be reordered),
/// activations are squares, the penalty sums the norms ‖ω‖³ of the neurons' weights (norm L_{2,3}), and training is on
/// all pairs. On a subset of the pairs, a margin may be larger.
pub fn applies(spec: &RunSpec) -> bool {
    match (&spec.task, &spec.model) {
        (Task::Groups(task), Model::GroupNet(GroupNet { sigma: Sigma::Square, exponent: 3, .. })) => {
            task.has_theory() && task.trains_on_all_pairs()
        }
        _ => false,
    }
}

/// The sentence on which runs the theory covers, for charts of other runs.
pub fn missing_theory_reason() -> &'static str {
    tr!(
        "Theory gives the largest margin for products in one group with the activation function z², the exponent ν = 3 and training on all pairs."
    )
}

impl GroupTheoryJob {
    /// Starts the computation of the theory for a run on `group`; none where the theory does not [apply](applies).
    pub fn from_spec(spec: &RunSpec, group: &Group, irreps: &Irreps) -> Option<Self> {
        let characters = applies(spec).then(|| RealCharacters::from_group(group, irreps).ok()).flatten()?;
        Some(GroupTheoryJob { margin_job: characters.start_max_margin(), characters })
    }

    /// Continues the computation of the largest margin by about this many operations. None while unfinished; at the end
    /// the theory, or `Some(None)` if the convex programme has no solution.
    pub fn advance(&mut self, operations: u64) -> Option<Option<GroupTheory>> {
        let largest =
            self.margin_job.advance(&self.characters, affordable_steps(&self.characters, operations))?;
        Some(largest.ok().map(|largest| GroupTheory {
            characters: self.characters.clone(),
            max_margin: largest,
            optimum: None,
            optimum_job: None,
        }))
    }
}

impl GroupTheory {
    /// Computes the theory of a run on `group` to its end; none where the theory does not [apply](applies).
    pub fn compute(spec: &RunSpec, group: &Group, irreps: &Irreps) -> Option<Self> {
        GroupTheoryJob::from_spec(spec, group, irreps)?.advance(u64::MAX)?
    }

    /// Sets the strength λ of the penalty; later calls of [`GroupTheory::advance`] compute the optimum of loss plus
    /// penalty for it.
    pub fn set_lambda(&mut self, lambda: f64) {
        let is_known = match (&self.optimum_job, &self.optimum) {
            (Some(job), _) => job.lambda() == lambda,
            (None, Some((of, _))) => *of == lambda,
            (None, None) => false,
        };
        if !is_known {
            self.optimum_job = Some(self.characters.start_penalised_optimum(lambda, self.max_margin.value));
        }
    }

    /// Continues the computation of the optimum for the latest penalty strength λ by about this many operations; true
    /// when it has just been finished.
    pub fn advance(&mut self, operations: u64) -> bool {
        let Some(job) = &mut self.optimum_job else { return false };
        let steps = affordable_steps(&self.characters, operations);
        let Some(prediction) = job.advance(&self.characters, steps) else { return false };
        self.optimum = Some((job.lambda(), prediction.ok()));
        self.optimum_job = None;
        true
    }

    /// Margin of the optimum of loss plus penalty for a penalty of strength `lambda`, as a share of the largest margin; `None` if
    /// this optimum is the network whose weights are all 0, or was not found.
    pub fn margin_ratio(&self, lambda: f64) -> Option<f64> {
        let mut job = self.characters.start_penalised_optimum(lambda, self.max_margin.value);
        let optimum = loop {
            if let Some(found) = job.advance(&self.characters, usize::MAX) {
                break found.ok()?;
            }
        };
        (!optimum.is_zero_network).then_some(optimum.margin_ratio)
    }

    /// Number of real irreps of the group: an irrep with complex characters and its conjugate are one.
    pub fn irrep_count(&self) -> usize {
        self.characters.irrep_count()
    }

    /// Whether the condition of theorem 7.9 holds for the group, so that at the largest margin all classes of wrong answers
    /// have the same margin (Edelman 2024, for real irreps; the extension to other irreps is ours).
    pub fn satisfies_theorem_condition(&self) -> bool {
        self.characters.satisfies_theorem_condition()
    }

    /// Whether the computation of an optimum is in progress, which needs calls of [`GroupTheory::advance`].
    pub fn is_busy(&self) -> bool {
        self.optimum_job.is_some()
    }

    /// Indices, from 0, of irreps whose share is 0 in the optimum of [the prediction](Self::prediction) for its λ,
    /// although networks of the largest margin, the limit of the optimum as λ → 0, use them. Empty without a prediction
    /// and if all weights are predicted to be 0.
    pub fn late_irreps(&self) -> Vec<usize> {
        let Some(prediction) = self.prediction().filter(|prediction| !prediction.is_zero_network) else {
            return vec![];
        };
        let shares = prediction.norm_shares.iter().zip(&self.max_margin.used_irreps).enumerate();
        shares.filter(|(_, (share, used))| **used && **share == 0.0).map(|(irrep, _)| irrep).collect()
    }

    /// The smallest strength λ of the penalty for which the optimum is the network with all weights 0.
    pub fn collapse_lambda(&self) -> f64 {
        self.characters.collapse_penalty()
    }

    /// The optimum of loss plus penalty for the latest penalty strength λ whose computation is finished; none before
    /// the first computation or if the optimum does not exist.
    pub fn prediction(&self) -> Option<&PenalisedOptimum> {
        self.optimum.as_ref().and_then(|(_, prediction)| prediction.as_ref())
    }
}

/// Computes the largest normalised margin γ* that the networks of a run can have; none where the theory does not
/// [apply](applies).
pub fn compute_max_margin(spec: &RunSpec) -> Option<f64> {
    let Task::Groups(task) = &spec.task else { return None };
    let group = task.group()?;
    let irreps = Irreps::compute(&group);
    GroupTheory::compute(spec, &group, &irreps).map(|theory| theory.max_margin.value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::permalink::decode;

    fn max_margin_of(link: &str) -> Option<f64> {
        compute_max_margin(&decode(link).0.spec)
    }

    #[test]
    fn margins_are_those_of_the_theorems_and_of_nothing_else() {
        let close = |link: &str, expected: f64| {
            let margin = max_margin_of(link).unwrap();
            assert!((margin / expected - 1.0).abs() < 1e-5, "{link}: {margin}");
        };
        close("#v1/groups", 0.002_579_57);
        close("#v1/groups?op=sub&n=13", 0.006_290_43);
        close("#v1/groups?op=symmetric&letters=4", 0.002_076_65);
        close("#v1/groups?op=product&factors=2.2", 0.064_15);
        for link in ["op=mul", "op=random", "act=relu", "nu=2", "model=embedding-mlp", "frac=0.5"] {
            assert_eq!(max_margin_of(&format!("#v1/groups?{link}")), None, "{link}");
        }
    }

    /// S5, with Table D.1 of the thesis and a general minimiser (L-BFGS-B) in place of ours: at 10⁻⁵ the share of the
    /// irrep of dimension 6 is 0, where a small share would save 95.7 % of what it costs; at 10⁻⁸ the share is 0.0316,
    /// at 10⁻⁹ it is 0.0746. As λ → 0 it is 6^2.5 / Σ d^2.5 = 0.3328.
    #[test]
    fn the_irrep_of_dimension_six_comes_late() {
        let spec = decode("#v1/groups?op=symmetric&letters=5&width=2000").0.spec;
        let Task::Groups(task) = &spec.task else { panic!("pairs") };
        let group = task.group().unwrap();
        let irreps = Irreps::compute(&group);
        let mut theory = GroupTheory::compute(&spec, &group, &irreps).unwrap();
        let six = irreps.all().iter().position(|irrep| irrep.dimension == 6).unwrap();
        assert!(theory.late_irreps().is_empty(), "without a penalty nothing is predicted");
        assert!((theory.max_margin.norm_shares[six] - 0.332_78).abs() < 1e-5);
        for (lambda, late, share) in [(1e-5, vec![six], 0.0), (1e-8, vec![], 0.0316), (1e-9, vec![], 0.0746)]
        {
            theory.set_lambda(lambda);
            while !theory.advance(u64::MAX) {}
            let found = theory.prediction().unwrap().norm_shares[six];
            assert!(theory.late_irreps() == late && (found - share).abs() < 1e-3, "{lambda:e}: {found}");
        }
        theory.set_lambda(0.01);
        while !theory.advance(u64::MAX) {}
        assert!(theory.prediction().unwrap().is_zero_network && theory.late_irreps().is_empty());
        // 2 / ((3|G|)^1.5 √1), for the sign.
        assert!((theory.collapse_lambda() - 2.0 / 360f64.powf(1.5)).abs() < 1e-9);
    }
}
