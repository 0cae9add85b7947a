//! The maximum margin of any finite group, and the exact optimum at a penalty above zero.
//!
//! Among the networks that compute `Σ_R s_R χ_R(a b c⁻¹)`, the smallest Σ‖ω‖³ is `½ (3|G|)^{1.5} Σ_R s_R D_R^{1.5}`,
//! and no network has a larger margin (Edelman 2024, appendix D.9.2, as a linear program). So
//!
//! ```text
//! γ*(G) = 2 / (3|G|)^{1.5} · max_{s ≥ 0, Σ D_R^{1.5} s_R = 1} min_{C ≠ e} Σ_R s_R (D_R − χ_R(C))
//! ```
//!
//! and the regularised loss has the minimum, over s ≥ 0, of
//!
//! ```text
//! log(1 + Σ_{C≠e} |C| e^{−Σ_R s_R (D_R − χ_R(C))}) + λ ½ (3|G|)^{1.5} Σ_R s_R D_R^{1.5}
//! ```
//!
//! The loss of a sufficiently wide network is convex in the distribution of norms over neurons, and can be averaged
//! over the symmetries of the group. This is an argument, not a proof that training reaches the minimum.

use super::interior_point::{self, InteriorPointSolver};
use super::real_characters::CharacterGaps;
use super::{MarginError, RealCharacters};
use vivarium_core::math::{dot, project_out};

/// The largest accepted relative violation of the optimality conditions (Karush–Kuhn–Tucker) of a program's
/// solution.
const KKT_TOLERANCE: f64 = 1e-9;

/// Threshold for an irrep's share in Σ‖ω‖³, the sum over the neurons' weight vectors ω: a smaller share is a
/// rounding error of 0.
const MIN_SHARE: f64 = 1e-8;

/// The maximum margin of a group, and which shares of the irreps the networks that reach it have.
#[derive(Debug, Clone, PartialEq)]
pub struct MaxMargin {
    /// The maximum margin γ* of networks that multiply two elements of the group: the minimum logit margin divided by
    /// Σ‖ω‖³, the sum over the norms of the neurons' weights ω.
    pub value: f64,
    /// Share of each irrep in Σ‖ω‖³, the sum over the norms of the neurons' weights, `[irreps]`, with sum 1. The
    /// trivial irrep is first and has share 0.
    pub norm_shares: Vec<f64>,
    /// Whether each irrep has a positive share in `norm_shares`, `[irreps]`.
    pub used_irreps: Vec<bool>,
    /// Whether no other shares reach γ*. If others do (S₆), these shares are in the relative interior of all optimal
    /// shares, so that every irrep that some optimum uses is used.
    pub is_unique: bool,
    /// For each conjugacy class C ≠ e, the margin over the wrong answers c with a·b·c⁻¹ in C, divided by the minimum
    /// margin over all wrong answers, `[classes]`: at least 1.
    pub class_margins: Vec<f64>,
    /// The class weights |C| τ_C of the dual solution that certify γ*, `[classes]`, with sum 1: for every network,
    /// the margins averaged over the wrong answers with these weights are at most γ* (lemma D.14). Positive only for
    /// classes with the minimum margin.
    pub class_weights: Vec<f64>,
}

/// The minimum, over all networks, of the regularised loss: the mean cross-entropy plus a penalty λ > 0 times Σ‖ω‖³.
#[derive(Debug, Clone, PartialEq)]
pub struct PenalisedOptimum {
    /// Normalised margin, the minimum logit margin divided by Σ‖ω‖³, relative to its maximum γ*. NaN for the zero
    /// network, which has no normalised margin.
    pub margin_ratio: f64,
    /// Share of each irrep in Σ‖ω‖³, the sum over the norms of the neurons' weights, `[irreps]`; all 0 for the zero
    /// network. The trivial irrep is first and has share 0.
    pub norm_shares: Vec<f64>,
    /// Minimum over all pairs (a, b) of elements of the right logit minus the largest wrong one, without normalisation.
    pub logit_margin: f64,
    /// For each conjugacy class C ≠ e, the logit margin over the wrong answers c with a·b·c⁻¹ in C, `[classes]`.
    pub class_margins: Vec<f64>,
    /// Mean cross-entropy over all pairs (a, b) of elements, in nats, without the penalty.
    pub loss: f64,
    /// Σ‖ω‖³, the sum over the cubed norms of the neurons' weights, without the factor λ.
    pub norm_mass: f64,
    /// Whether the minimum is the network whose weights are all 0, because the penalty is so large.
    pub is_zero_network: bool,
}

impl RealCharacters {
    /// Computes the maximum margin γ* of the group by a linear program over the shares of the irreps.
    ///
    /// # Errors
    ///
    /// If the program does not converge, which has not been seen.
    pub fn compute_max_margin(&self) -> Result<MaxMargin, MarginError> {
        let mut job = self.start_max_margin();
        loop {
            if let Some(margin) = job.advance(self, usize::MAX) {
                return margin;
            }
        }
    }

    /// Starts the computation of the maximum margin γ* of the group, to be run in slices by [`MaxMarginJob::advance`].
    pub fn start_max_margin(&self) -> MaxMarginJob {
        let gaps = self.compute_character_gaps();
        MaxMarginJob {
            solver: InteriorPointSolver::new(gaps.rows.clone(), self.irrep_count() - 1, None),
            gaps,
        }
    }

    /// Converts the solution of the linear program with matrix `gaps` into the maximum margin and the irreps'
    /// shares.
    fn max_margin_from_solution(
        &self,
        gaps: &CharacterGaps,
        solution: &interior_point::ProgramSolution,
    ) -> Result<MaxMargin, MarginError> {
        if solution.residual > KKT_TOLERANCE {
            return Err(MarginError::NotConverged(solution.residual));
        }
        let (shares, weights) = (normalise_shares(&solution.x), normalise_shares(&solution.q));
        let products = interior_point::multiply_rows(&gaps.rows, &shares[1..]);
        let min_product = products.iter().copied().fold(f64::INFINITY, f64::min);
        let used: Vec<bool> = shares.iter().map(|share| *share > 0.0).collect();
        // The optimum is not unique if some change of the used shares changes the margin of no tight class.
        let tight = |c: &usize| products[*c] < min_product * (1.0 + 1e-7);
        let columns: Vec<Vec<f64>> = (1..self.irrep_count())
            .filter(|r| used[*r])
            .map(|r| {
                (0..products.len()).filter(tight).map(|c| gaps.rows[c * (used.len() - 1) + r - 1]).collect()
            })
            .collect();
        Ok(MaxMargin {
            value: min_product / self.norm_mass_factor(),
            is_unique: are_columns_independent(columns),
            used_irreps: used,
            norm_shares: shares,
            class_margins: gaps.row_of.iter().map(|row| products[*row] / min_product).collect(),
            // Merged classes divide the weight of their row in proportion to their sizes.
            class_weights: (gaps.row_of.iter().zip(&self.class_sizes))
                .map(|(row, size)| weights[*row + 1] * size / gaps.answer_counts[*row])
                .collect(),
        })
    }

    /// The smallest penalty λ for which the zero network minimises the regularised loss: `2 / ((3|G|)^{1.5} √D)`
    /// for the smallest dimension D of a nontrivial irrep.
    pub fn collapse_penalty(&self) -> f64 {
        let min_dimension = self.dimensions[1..].iter().copied().fold(f64::INFINITY, f64::min);
        1.0 / (self.norm_mass_factor() * min_dimension.sqrt())
    }

    /// Computes the minimum of the regularised loss: the mean cross-entropy over all pairs of group elements plus
    /// `lambda` times Σ‖ω‖³, the sum over the norms of the neurons' weights ω.
    ///
    /// # Errors
    ///
    /// If `lambda` is not above zero, or if a program does not converge.
    pub fn compute_penalised_optimum(&self, lambda: f64) -> Result<PenalisedOptimum, MarginError> {
        let max_margin = self.compute_max_margin()?.value;
        let mut job = self.start_penalised_optimum(lambda, max_margin);
        loop {
            if let Some(prediction) = job.advance(self, usize::MAX) {
                return prediction;
            }
        }
    }

    /// Starts the computation of the minimum of the regularised loss, to be run in slices by
    /// [`PenalisedOptimumJob::advance`]. `max_margin` is γ*.
    pub fn start_penalised_optimum(&self, lambda: f64, max_margin: f64) -> PenalisedOptimumJob {
        let is_collapsed = lambda >= self.collapse_penalty();
        let program = (lambda > 0.0 && !is_collapsed).then(|| {
            let gaps = self.compute_character_gaps();
            let loss = (gaps.answer_counts.clone(), lambda * self.norm_mass_factor());
            (InteriorPointSolver::new(gaps.rows.clone(), self.irrep_count() - 1, Some(loss)), gaps)
        });
        PenalisedOptimumJob { lambda, max_margin, program }
    }

    /// The zero network as the minimum of the regularised loss, for penalties so large that no program needs to be
    /// solved. An error if `lambda` is not above zero.
    fn zero_network_optimum(&self, lambda: f64) -> Result<PenalisedOptimum, MarginError> {
        match lambda.is_nan() || lambda <= 0.0 {
            true => Err(MarginError::NonPositivePenalty(lambda)),
            false => Ok(PenalisedOptimum {
                margin_ratio: f64::NAN,
                norm_shares: vec![0.0; self.irrep_count()],
                logit_margin: 0.0,
                class_margins: vec![0.0; self.class_sizes.len()],
                loss: libm::log(self.order as f64),
                norm_mass: 0.0,
                is_zero_network: true,
            }),
        }
    }

    /// Converts the solution of the convex program with matrix `gaps` into the minimum of the regularised loss.
    /// `max_margin` is γ*.
    fn optimum_from_solution(
        &self,
        gaps: &CharacterGaps,
        max_margin: f64,
        solution: &interior_point::ProgramSolution,
    ) -> Result<PenalisedOptimum, MarginError> {
        if solution.residual > KKT_TOLERANCE {
            return Err(MarginError::NotConverged(solution.residual));
        }
        let products = interior_point::multiply_rows(&gaps.rows, &solution.x);
        let margin = products.iter().copied().fold(f64::INFINITY, f64::min);
        let norm = self.norm_mass_factor() * solution.x.iter().sum::<f64>();
        let wrong: f64 = products.iter().zip(&gaps.answer_counts).map(|(y, size)| size * libm::exp(-y)).sum();
        Ok(PenalisedOptimum {
            margin_ratio: margin / norm / max_margin,
            norm_shares: normalise_shares(&solution.x),
            logit_margin: margin,
            class_margins: gaps.row_of.iter().map(|row| products[*row]).collect(),
            loss: libm::log1p(wrong),
            norm_mass: norm,
            is_zero_network: false,
        })
    }
}

/// A computation of the [maximum margin](RealCharacters::compute_max_margin) of a group that runs in slices.
#[derive(Debug, Clone)]
pub struct MaxMarginJob {
    /// The solver of the linear program whose solution is the maximum margin.
    solver: InteriorPointSolver,
    /// The matrix of the linear program whose solution is the maximum margin.
    gaps: CharacterGaps,
}

impl MaxMarginJob {
    /// Takes up to `steps` Newton steps. Returns the maximum margin when the solver has ended, else `None`.
    /// `characters` must be the table that started the computation.
    pub fn advance(
        &mut self,
        characters: &RealCharacters,
        steps: usize,
    ) -> Option<Result<MaxMargin, MarginError>> {
        self.solver.advance(steps).map(|solution| characters.max_margin_from_solution(&self.gaps, &solution))
    }
}

/// A computation of the [regularised minimum](RealCharacters::compute_penalised_optimum) of a group's loss that
/// runs in slices.
#[derive(Debug, Clone)]
pub struct PenalisedOptimumJob {
    /// The penalty λ, the factor of Σ‖ω‖³ in the regularised loss.
    lambda: f64,
    /// The maximum normalised margin γ* of the group, by which the optimum's margin is divided.
    max_margin: f64,
    /// The solver of the convex program, and the program's matrix. `None` if the zero network is the minimum, or if
    /// the penalty is invalid.
    program: Option<(InteriorPointSolver, CharacterGaps)>,
}

impl PenalisedOptimumJob {
    /// The penalty λ, the factor of Σ‖ω‖³ in the regularised loss.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// Takes up to `steps` Newton steps. Returns the minimum of the regularised loss when the solver has ended,
    /// else `None`. `characters` must be the table that started the computation.
    pub fn advance(
        &mut self,
        characters: &RealCharacters,
        steps: usize,
    ) -> Option<Result<PenalisedOptimum, MarginError>> {
        let Some((solver, gaps)) = &mut self.program else {
            return Some(characters.zero_network_optimum(self.lambda));
        };
        let solution = solver.advance(steps)?;
        Some(characters.optimum_from_solution(gaps, self.max_margin, &solution))
    }
}

/// Divides each of `masses`, such as those of the nontrivial irreps, by their sum, where masses of at most
/// [`MIN_SHARE`] times the sum count as 0, and prepends a 0, the share of the trivial irrep.
fn normalise_shares(masses: &[f64]) -> Vec<f64> {
    let total: f64 = masses.iter().sum();
    let without_rounding = |mass: &f64| if *mass > MIN_SHARE * total { *mass } else { 0.0 };
    let sum: f64 = masses.iter().map(without_rounding).sum();
    std::iter::once(0.0).chain(masses.iter().map(|mass| without_rounding(mass) / sum)).collect()
}

/// Whether these columns of a matrix, each `[rows]`, are linearly independent, by Gram–Schmidt.
fn are_columns_independent(mut columns: Vec<Vec<f64>>) -> bool {
    for i in 0..columns.len() {
        let (before, rest) = columns.split_at_mut(i);
        let length = dot(&rest[0], &rest[0]);
        before.iter().for_each(|axis| project_out(&mut rest[0], axis));
        let left = dot(&rest[0], &rest[0]);
        if left <= 1e-14 * length {
            return false;
        }
        rest[0].iter_mut().for_each(|x| *x /= left.sqrt());
    }
    true
}
