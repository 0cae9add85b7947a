//! The maximum margin of any finite group, and the exact optimum at a penalty above zero.
//!
//! Of networks that compute `Σ_R s_R χ_R(a b c⁻¹)` the cheapest has the norms `½ (3|G|)^{1.5} Σ_R s_R D_R^{1.5}`,
//! and no network does better (appendix D.9.2 of Edelman 2024, as a linear program). So
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
//! Where a network is wide enough, its loss is convex in how its norms are spread over neurons, and may be
//! averaged over the symmetries of the group: this is an argument, not a proof that training gets there.

use super::program::{self, Solver};
use super::real_characters::Gaps;
use super::{Problem, RealCharacters};
use vivarium_core::math::{dot, project_out};

/// The largest violation of the optimality conditions that is accepted.
const TOLERANCE: f64 = 1e-9;

/// Shares below this are those of irreps that are not used.
const NONE: f64 = 1e-8;

/// The maximum margin of a group and the networks that have it.
#[derive(Debug, Clone, PartialEq)]
pub struct Margin {
    /// γ*.
    pub value: f64,
    /// Share of each irrep in Σ‖ω‖³, the trivial one (0) first; their sum is 1.
    pub shares: Vec<f64>,
    /// Which irreps have a share above zero.
    pub used: Vec<bool>,
    /// Whether no other shares reach γ*. If some do (S6), these are in the middle of all that do, and use every
    /// irrep that any of them uses.
    pub unique: bool,
    /// Margin over each class but the identity's, relative to the smallest: 1 on the margin, else above.
    pub classes: Vec<f64>,
    /// The class weights |C| τ_C that certify γ*, with a sum of 1: margins averaged with them over the wrong answers
    /// are at most γ*, for every network (lemma D.14). Above zero on the margin only.
    pub weights: Vec<f64>,
}

/// What the minimum of the regularised loss looks like.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// Normalised margin relative to γ*; not a number for the zero network, which has none.
    pub ratio: f64,
    /// Share of each irrep in Σ‖ω‖³, the trivial one (0) first; all 0 for the zero network.
    pub shares: Vec<f64>,
    /// Margin of the logits, before division by norms.
    pub margin: f64,
    /// Margin of the logits over each class but the identity's.
    pub classes: Vec<f64>,
    /// Cross-entropy, in nats.
    pub loss: f64,
    /// Σ‖ω‖³, without the factor λ.
    pub norm: f64,
    /// Whether the penalty is so large that the zero network is the best.
    pub collapsed: bool,
}

impl RealCharacters {
    /// The maximum margin, by the linear program above.
    ///
    /// # Errors
    ///
    /// If the program does not converge, which has not been seen.
    pub fn max_margin(&self) -> Result<Margin, Problem> {
        let mut job = self.margin_job();
        loop {
            if let Some(margin) = job.advance(self, usize::MAX) {
                return margin;
            }
        }
    }

    /// The same, to be computed in parts.
    pub fn margin_job(&self) -> MarginJob {
        let gaps = self.gaps();
        MarginJob { solver: Solver::new(gaps.rows.clone(), self.irreps() - 1, None), gaps }
    }

    fn margin(&self, gaps: &Gaps, solution: &program::Solution) -> Result<Margin, Problem> {
        if solution.residual > TOLERANCE {
            return Err(Problem::Unsolved(solution.residual));
        }
        let (shares, weights) = (cleaned(&solution.x), cleaned(&solution.q));
        let products = program::products(&gaps.rows, &shares[1..]);
        let least = products.iter().copied().fold(f64::INFINITY, f64::min);
        let used: Vec<bool> = shares.iter().map(|share| *share > 0.0).collect();
        // Shares can be moved where some combination of the used irreps changes no class on the margin.
        let tight = |c: &usize| products[*c] < least * (1.0 + 1e-7);
        let columns: Vec<Vec<f64>> = (1..self.irreps())
            .filter(|r| used[*r])
            .map(|r| {
                (0..products.len()).filter(tight).map(|c| gaps.rows[c * (used.len() - 1) + r - 1]).collect()
            })
            .collect();
        Ok(Margin {
            value: least / self.price(),
            unique: independent(columns),
            used,
            shares,
            classes: gaps.row_of.iter().map(|row| products[*row] / least).collect(),
            // Classes behind one row share its weight by size.
            weights: (gaps.row_of.iter().zip(&self.sizes))
                .map(|(row, size)| weights[*row + 1] * size / gaps.sizes[*row])
                .collect(),
        })
    }

    /// The penalty from which on the zero network is the best: `2 / ((3|G|)^{1.5} √D)` of the smallest D.
    pub fn collapse(&self) -> f64 {
        let least = self.dimensions[1..].iter().copied().fold(f64::INFINITY, f64::min);
        1.0 / (self.price() * least.sqrt())
    }

    /// The minimum of the mean cross-entropy over all pairs plus `lambda` times Σ‖ω‖³.
    ///
    /// # Errors
    ///
    /// If `lambda` is not above zero, or if a program does not converge.
    pub fn prediction(&self, lambda: f64) -> Result<Prediction, Problem> {
        let best = self.max_margin()?.value;
        let mut job = self.prediction_job(lambda, best);
        loop {
            if let Some(prediction) = job.advance(self, usize::MAX) {
                return prediction;
            }
        }
    }

    /// The same, to be computed in parts, where `best` is γ*.
    pub fn prediction_job(&self, lambda: f64, best: f64) -> PredictionJob {
        let is_collapsed = lambda >= self.collapse();
        let program = (lambda > 0.0 && !is_collapsed).then(|| {
            let gaps = self.gaps();
            let loss = (gaps.sizes.clone(), lambda * self.price());
            (Solver::new(gaps.rows.clone(), self.irreps() - 1, Some(loss)), gaps)
        });
        PredictionJob { lambda, best, program }
    }

    fn predicted(&self, lambda: f64) -> Result<Prediction, Problem> {
        match lambda.is_nan() || lambda <= 0.0 {
            true => Err(Problem::Penalty(lambda)),
            false => Ok(Prediction {
                ratio: f64::NAN,
                shares: vec![0.0; self.irreps()],
                margin: 0.0,
                classes: vec![0.0; self.sizes.len()],
                loss: libm::log(self.order as f64),
                norm: 0.0,
                collapsed: true,
            }),
        }
    }

    fn prediction_of(
        &self,
        gaps: &Gaps,
        best: f64,
        solution: &program::Solution,
    ) -> Result<Prediction, Problem> {
        if solution.residual > TOLERANCE {
            return Err(Problem::Unsolved(solution.residual));
        }
        let products = program::products(&gaps.rows, &solution.x);
        let margin = products.iter().copied().fold(f64::INFINITY, f64::min);
        let norm = self.price() * solution.x.iter().sum::<f64>();
        let wrong: f64 = products.iter().zip(&gaps.sizes).map(|(y, size)| size * libm::exp(-y)).sum();
        Ok(Prediction {
            ratio: margin / norm / best,
            shares: cleaned(&solution.x),
            margin,
            classes: gaps.row_of.iter().map(|row| products[*row]).collect(),
            loss: libm::log1p(wrong),
            norm,
            collapsed: false,
        })
    }
}

/// A [maximum margin](RealCharacters::max_margin) on its way.
#[derive(Debug, Clone)]
pub struct MarginJob {
    solver: Solver,
    gaps: Gaps,
}

impl MarginJob {
    /// Goes on by so many steps, of the `characters` that it is of; the margin comes with the last one.
    pub fn advance(&mut self, characters: &RealCharacters, steps: usize) -> Option<Result<Margin, Problem>> {
        self.solver.advance(steps).map(|solution| characters.margin(&self.gaps, &solution))
    }
}

/// A [prediction](RealCharacters::prediction) on its way.
#[derive(Debug, Clone)]
pub struct PredictionJob {
    lambda: f64,
    best: f64,
    /// None where there is nothing to solve.
    program: Option<(Solver, Gaps)>,
}

impl PredictionJob {
    /// The penalty that it is for.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// Goes on by so many steps, of the `characters` that it is of; the prediction comes with the last one.
    pub fn advance(
        &mut self,
        characters: &RealCharacters,
        steps: usize,
    ) -> Option<Result<Prediction, Problem>> {
        let Some((solver, gaps)) = &mut self.program else { return Some(characters.predicted(self.lambda)) };
        let solution = solver.advance(steps)?;
        Some(characters.prediction_of(gaps, self.best, &solution))
    }
}

/// Shares with a sum of 1, a 0 for the trivial irrep in front, and rounding errors as zeros.
fn cleaned(masses: &[f64]) -> Vec<f64> {
    let total: f64 = masses.iter().sum();
    let kept = |mass: &f64| if *mass > NONE * total { *mass } else { 0.0 };
    let sum: f64 = masses.iter().map(kept).sum();
    std::iter::once(0.0).chain(masses.iter().map(|mass| kept(mass) / sum)).collect()
}

/// Whether no column is a combination of those before it.
fn independent(mut columns: Vec<Vec<f64>>) -> bool {
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
