//! The exact minimum risk of models with H attention heads, for standard normal tokens.
//!
//! If attention scores depend on positions only, the heads at a position output H linear forms of the tokens, V x
//! with V `[H, N]`, equal for each of the d coordinates, and later layers have no other information. Let W be an
//! orthonormal basis of the row space of V, and M the block of WᵀW that belongs to the named tokens. The conditional
//! means of the named tokens then have covariance M ⊗ I, and
//!
//! ```text
//! minimum risk = Var(y) − Var E[y | V x] = Var(y) − C_g(M),   C_g from Teacher::label_covariance
//! ```
//!
//! For centred squares C_g(M) = 2 tr(M²)/q and Var(y) = 2. M has H eigenvalues of at most 1; they equal 1 if the
//! heads attend to named tokens only. So the minimum relative risk is **1 − H/q exactly, for every d** (proposition
//! 21 has d = 1), for any H linearly independent forms of the named tokens. Scores that also depend on the token
//! values can convey more: at most H(q + d) linear forms of the qd coordinates, so that 1 − H(q + d)/(qd) is a lower
//! bound (proposition 3).
//!
//! # One head and linear functions
//! The mean of the named tokens is one linear form, and one head outputs it. Other linear functions g = ⟨u, ·⟩ need
//! more: attention weights are not negative, so that even for d = 1 one head outputs only the positive or the
//! negative part of u. For d > 1, u is a matrix `[q, d]`, and its rank limits what the heads can convey.
//!
//! # Two heads and more
//! Rows p > 0, p + εδ_2, …, p + εδ_H of V are attention weights for small ε, and span what p, δ_2, …, δ_H span. If p
//! has zeros the same holds in the limit. Conversely, the span of attention weights contains a p ≥ 0: their sum. So
//! the infimum over attention weights is the minimum risk over spans of **one nonnegative form and H − 1 forms of any
//! sign**. [`minimise_risk`] searches these for any g.

use super::super::teacher::name_partitions;
use super::super::{NameRepeats, Teacher, TeacherKind, TokenPrompts};
use vivarium_core::math::{dot, norm, orthogonalize};
use vivarium_core::rng::{Purpose, RandomStream};

/// Minimum relative risk (mean squared error divided by the label's variance) of H = `heads` attention heads for
/// labels that are centred squares of q = `names` different tokens, max(0, 1 − H/q), if scores depend on positions
/// only (Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, proposition 21).
pub fn min_risk_of_squares(heads: usize, names: usize) -> f64 {
    (1.0 - heads as f64 / names as f64).max(0.0)
}

/// Lower bound on the relative risk of H = `heads` attention heads for centred squares of q = `names` tokens of
/// dimension d = `dim`, whatever the scores depend on: max(0, 1 − H(q + d)/(qd)) (Mousavi-Hosseini, Sanford, Wu and
/// Erdogdu 2025, proposition 3).
///
/// For d = 1 the bound is 0: H(q + 1) exceeds q already for one head. It is positive only for H < qd/(q + d).
pub fn risk_bound_for_any_scores(heads: usize, names: usize, dim: usize) -> f64 {
    let numbers = (names * dim) as f64;
    (1.0 - (heads * (names + dim)) as f64 / numbers).max(0.0)
}

/// Minimum relative risk of H = `heads` attention heads for centred squares of `names` tokens out of `positions`,
/// where names are drawn independently if `repeated` and differ otherwise: a token x that is named m times adds m
/// (‖x‖² − d), of variance 2m²d, and H linear forms of the heads convey at most H of the tokens.
pub fn min_risk_of_squares_with_repeats(heads: usize, names: usize, positions: usize, repeated: bool) -> f64 {
    let (mut left, mut whole) = (0.0, 0.0);
    for (share, classes) in name_partitions(names, positions, repeated) {
        let count = |class: usize| classes.iter().filter(|c| **c == class).count();
        let mut counts: Vec<usize> = (0..names).map(count).collect();
        counts.sort_unstable();
        counts.reverse();
        let squares = |counts: &[usize]| counts.iter().map(|m| (m * m) as f64).sum::<f64>();
        left += share * squares(&counts[heads.min(names)..]);
        whole += share * squares(&counts);
    }
    left / whole
}

/// Smallest expected squared error of `heads` attention heads whose scores depend on positions only, divided by the
/// variance of the labels; `None` if it is not known, as for some functions of names that may be equal. For
/// functions without a closed form it is the result of [`minimise_risk`]; the label function is drawn from `seed`,
/// the seed of the run.
pub fn min_relative_risk(prompts: &TokenPrompts, seed: u64, heads: usize) -> Option<f64> {
    let (q, repeated) = (prompts.names, prompts.repeats == NameRepeats::Independent);
    match prompts.function {
        _ if heads >= q => Some(0.0),
        TeacherKind::Squares => Some(min_risk_of_squares_with_repeats(heads, q, prompts.length, repeated)),
        TeacherKind::Mean if heads > 0 => Some(0.0),
        _ if repeated => None,
        _ => Some(minimise_risk(&prompts.teacher(seed), heads, LinearForms::AttentionWeights).risk),
    }
}

/// The component of the vector `row` orthogonal to the span of the orthonormal vectors `basis`.
fn orthogonal_component(row: &[f64], basis: &[Vec<f64>]) -> Vec<f64> {
    let mut rest = row.to_vec();
    orthogonalize(&mut rest, basis.iter());
    rest
}

/// An orthonormal basis of the span of `rows`, by Gram–Schmidt; dependent rows add no vector.
fn orthonormal_basis<'a>(rows: impl Iterator<Item = &'a [f64]>) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = vec![];
    for row in rows {
        let mut rest = orthogonal_component(row, &basis);
        let left = norm(&rest);
        if left > 1e-9 * norm(row) && left > 0.0 {
            rest.iter_mut().for_each(|x| *x /= left);
            basis.push(rest);
        }
    }
    basis
}

/// The block of WᵀW for the positions `names`, from 0, `[names, names]`, where the rows of W, `[rows][positions]`,
/// are the orthonormal `basis`.
fn named_covariance(basis: &[Vec<f64>], names: &[usize]) -> Vec<f64> {
    let entry = |j: usize, l: usize| basis.iter().map(|w| w[j] * w[l]).sum::<f64>();
    names.iter().flat_map(|j| names.iter().map(move |l| (*j, *l))).map(|(j, l)| entry(j, l)).collect()
}

/// The covariance matrix M, `[names, names]`, of the named tokens' conditional means, given the heads' outputs V x,
/// where V are the attention weights and x is one coordinate of all tokens.
///
/// # Shapes
/// `attention` is V, the attention weights `[heads, positions]`. `names` may contain a position twice.
pub fn conditional_mean_covariance(attention: &[f64], positions: usize, names: &[usize]) -> Vec<f64> {
    named_covariance(&orthonormal_basis(attention.chunks(positions)), names)
}

/// Minimum relative risk of any function of the outputs of heads with the attention weights `attention`, for labels
/// of the tokens at the positions `names`, from 0, which differ.
///
/// # Shapes
/// `attention` is `[heads, positions]`.
pub fn relative_risk(teacher: &Teacher, attention: &[f64], positions: usize, names: &[usize]) -> f64 {
    1.0 - teacher.label_covariance(&conditional_mean_covariance(attention, positions, names))
        / teacher.label_variance(positions, false)
}

/// Which matrices V of linear forms are allowed; each row of V is a linear form of the tokens that the heads
/// output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinearForms {
    /// One row is not negative, as in spans of attention weights.
    AttentionWeights,
    /// All rows have any signs.
    Any,
}

/// The minimum relative risk over the linear forms V that heads output, and a V that reaches it.
#[derive(Debug, Clone, PartialEq)]
pub struct MinRiskForms {
    /// Minimum of the relative risk: mean squared error divided by the label's variance, from 0 to 1.
    pub risk: f64,
    /// An orthonormal basis of the rows of V on the named tokens, `[heads, names]`. With
    /// [`LinearForms::AttentionWeights`] the first row is not negative. V is 0 on other tokens, which would only add
    /// noise.
    pub forms: Vec<f64>,
}

/// Minimises the relative risk over the linear forms V of `heads` heads, for a label function of different names,
/// by gradient descent from every choice of names and a few random starts. The result is the minimum or close to
/// it.
///
/// # Why
/// The risk depends on the span of the rows, so they are kept orthonormal (Edelman, Arias and Smith 1998), and one
/// row is kept nonnegative by spectral projected gradients (Birgin, Martínez and Raydan 2000).
///
/// # Speed
/// Each start takes 5 to 100 evaluations of risk and gradient, each as expensive as two evaluations of the risk.
/// Pattern search along single coordinates (Hooke and Jeeves 1961) took 100 to 40,000 evaluations, and with two or
/// more heads stopped above the infimum.
pub fn minimise_risk(teacher: &Teacher, heads: usize, forms: LinearForms) -> MinRiskForms {
    let names = teacher.name_count();
    let all: Vec<usize> = (0..names).collect();
    let search = RiskSearch::new(teacher, names, &all, forms);
    let mut best = MinRiskForms { risk: f64::INFINITY, forms: vec![] };
    for start in search_starts(heads.min(names), names) {
        let (rows, risk) = search.minimise(&start);
        if risk < best.risk {
            best = MinRiskForms { risk, forms: rows.concat() };
        }
    }
    MinRiskForms { risk: best.risk.max(0.0), ..best }
}

/// Number of random starting points of [`minimise_risk`], in addition to one starting point for every choice of as
/// many names as there are heads.
const RANDOM_STARTS: u64 = 4;

/// The starting points of [`minimise_risk`], `[starts][heads][names]`: every choice of `heads` names, and random
/// rows. The first row of each start is not negative.
fn search_starts(heads: usize, names: usize) -> Vec<Vec<Vec<f64>>> {
    let stream = RandomStream::new(0, Purpose::Weights, 0);
    let chosen = (0..1usize << names).filter(|set| set.count_ones() as usize == heads).map(|set| {
        let is_in = |j: &usize| set >> j & 1 == 1;
        let one = |at: usize| (0..names).map(|j| if j == at { 1.0 } else { 0.0 }).collect();
        let mut rows: Vec<Vec<f64>> = (0..names).filter(is_in).map(one).collect();
        // The first row covers all chosen names, to have as few zeros as possible.
        if let Some(first) = rows.first_mut() {
            (0..names).filter(is_in).for_each(|j| first[j] = 1.0);
        }
        rows
    });
    let random = (0..RANDOM_STARTS).map(|step| {
        let number = |at: usize| f64::from(stream.draw_normal(step, at as u32));
        let row = |h: usize| (0..names).map(|j| number(h * names + j)).collect();
        let mut rows: Vec<Vec<f64>> = (0..heads).map(row).collect();
        rows.iter_mut().take(1).flatten().for_each(|x| *x = x.abs());
        rows
    });
    chosen.chain(random).collect()
}

/// Maximum number of gradient steps of [`minimise_risk`] from one starting point.
const MAX_SEARCH_STEPS: usize = 200;
/// The descent of [`minimise_risk`] ends if the predicted decrease of a step or the remaining risk is below this.
const MIN_DECREASE: f64 = 1e-12;
/// A step of [`minimise_risk`] may raise the risk up to the maximum of this many previous risks, because
/// Barzilai–Borwein step sizes are good on average but not at each step.
const RISK_WINDOW: usize = 5;
/// Fraction of its predicted decrease that a step of [`minimise_risk`] must achieve, measured from the maximum of
/// the last [`RISK_WINDOW`] risks.
const ARMIJO_FRACTION: f64 = 1e-4;

/// A minimisation of the relative risk over matrices V with orthonormal rows; each row is a linear form that heads
/// output.
struct RiskSearch<'a> {
    /// The label function g whose risk is minimised.
    teacher: &'a Teacher,
    /// Number of positions in a prompt, which is the number of columns of V, the linear forms that the heads output,
    /// `[heads, positions]`.
    positions: usize,
    /// The positions, from 0, of the tokens on which the label depends; all different.
    names: &'a [usize],
    /// Whether one row of V must be nonnegative, as in spans of attention weights.
    forms: LinearForms,
    /// Variance of a label over prompts, by which risks are divided.
    variance: f64,
}

impl<'a> RiskSearch<'a> {
    /// Prepares the minimisation of the risk of `teacher` over rows of V of length `positions`.
    fn new(teacher: &'a Teacher, positions: usize, names: &'a [usize], forms: LinearForms) -> Self {
        RiskSearch { teacher, positions, names, forms, variance: teacher.label_variance(positions, false) }
    }

    /// The relative risk for the orthonormal rows `rows` of V, `[heads][positions]`, and its gradient with respect
    /// to the rows, of the same shape.
    ///
    /// With G the gradient of C_g with respect to M, zero outside the named tokens, the gradient of C_g with respect
    /// to a row w is 2 (1 − WᵀW) G w: a change within the span does not change the span.
    fn risk_and_gradient(&self, rows: &[Vec<f64>]) -> (f64, Vec<Vec<f64>>) {
        let (covariance, shared_gradient) =
            self.teacher.label_covariance_with_gradient(&named_covariance(rows, self.names));
        let row_gradient = |row: &Vec<f64>| {
            let mut gradient_row = vec![0.0; self.positions];
            for (j, name_gradient) in self.names.iter().zip(shared_gradient.chunks(self.names.len())) {
                gradient_row[*j] += name_gradient
                    .iter()
                    .zip(self.names)
                    .map(|(derivative, l)| derivative * row[*l])
                    .sum::<f64>();
            }
            let mut gradient = orthogonal_component(&gradient_row, rows);
            gradient.iter_mut().for_each(|derivative| *derivative *= -2.0 / self.variance);
            gradient
        };
        (1.0 - covariance / self.variance, rows.iter().map(row_gradient).collect())
    }

    /// The rows of V after a projected gradient step at step size `rate`, minus the rows before it:
    /// `[heads][positions]`. With [`LinearForms::AttentionWeights`] the step keeps the first row nonnegative.
    fn search_direction(&self, rows: &[Vec<f64>], gradient: &[Vec<f64>], rate: f64) -> Vec<Vec<f64>> {
        let row_direction = |(h, (row, gradient)): (usize, (&Vec<f64>, &Vec<f64>))| {
            let lower_bound =
                if h == 0 && self.forms == LinearForms::AttentionWeights { 0.0 } else { f64::NEG_INFINITY };
            row.iter()
                .zip(gradient)
                .map(|(x, derivative)| (x - rate * derivative).max(lower_bound) - x)
                .collect()
        };
        rows.iter().zip(gradient).enumerate().map(row_direction).collect()
    }

    /// Minimises the relative risk by gradient descent from the span of the rows `start`, `[heads][positions]`.
    /// Returns the rows with the smallest risk found, which are orthonormal, and their risk.
    fn minimise(&self, start: &[Vec<f64>]) -> (Vec<Vec<f64>>, f64) {
        let mut rows = orthonormal_basis(start.iter().map(Vec::as_slice));
        let (mut risk, mut gradient) = self.risk_and_gradient(&rows);
        let (mut best, mut recent_risks, mut rate) = ((rows.clone(), risk), vec![risk], 1.0);
        for _ in 0..MAX_SEARCH_STEPS {
            let direction = self.search_direction(&rows, &gradient, rate);
            let predicted_change = frobenius_product(&direction, &gradient);
            if predicted_change > -MIN_DECREASE || risk < MIN_DECREASE {
                break;
            }
            let max_recent_risk = recent_risks.iter().copied().fold(risk, f64::max);
            let accepted = (0..30).find_map(|halvings| {
                let share = 1.0 / f64::from(1u32 << halvings);
                let next = orthonormal_basis(plus_scaled(&rows, &direction, share).iter().map(Vec::as_slice));
                let evaluation = (next.len() == rows.len()).then(|| self.risk_and_gradient(&next))?;
                (evaluation.0 <= max_recent_risk + ARMIJO_FRACTION * share * predicted_change)
                    .then_some((next, evaluation))
            });
            let Some((next, (next_risk, next_gradient))) = accepted else { break };
            // The next rate is the inverse curvature along the step (Barzilai and Borwein 1988).
            let step = plus_scaled(&next, &rows, -1.0);
            let curvature = frobenius_product(&step, &plus_scaled(&next_gradient, &gradient, -1.0));
            rate = if curvature > 0.0 { frobenius_product(&step, &step) / curvature } else { 4.0 * rate }
                .clamp(1e-3, 1e3);
            (rows, risk, gradient) = (next, next_risk, next_gradient);
            recent_risks.push(risk);
            recent_risks.drain(..recent_risks.len().saturating_sub(RISK_WINDOW));
            if risk < best.1 {
                best = (rows.clone(), risk);
            }
        }
        best
    }
}

/// The sum a + `share` · b of two matrices, row by row.
fn plus_scaled(a: &[Vec<f64>], b: &[Vec<f64>], share: f64) -> Vec<Vec<f64>> {
    let row = |(a, b): (&Vec<f64>, &Vec<f64>)| a.iter().zip(b).map(|(a, b)| a + share * b).collect();
    a.iter().zip(b).map(row).collect()
}

/// The inner product of two matrices: the sum over all entries of the product of the entries of `a` and `b`.
fn frobenius_product(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| dot(a, b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn teacher(function: TeacherKind, names: usize, dim: usize) -> Teacher {
        Teacher::draw(function, names, dim, 6, 5)
    }

    fn normals(seed: u64, count: usize) -> Vec<f64> {
        let stream = RandomStream::new(seed, Purpose::Batch, 0);
        (0..count as u32).map(|i| f64::from(stream.draw_normal(0, i))).collect()
    }

    fn rows_of(numbers: &[f64], positions: usize) -> Vec<Vec<f64>> {
        numbers.chunks(positions).map(<[f64]>::to_vec).collect()
    }

    #[test]
    fn the_bounds_match_the_paper() {
        assert_eq!([0, 1, 2, 3, 4].map(|h| min_risk_of_squares(h, 2)), [1.0, 0.5, 0.0, 0.0, 0.0]);
        assert!((min_risk_of_squares(1, 3) - 2.0 / 3.0).abs() < 1e-15);
        assert!((risk_bound_for_any_scores(1, 8, 16) - (1.0 - 24.0 / 128.0)).abs() < 1e-15);
        assert_eq!(risk_bound_for_any_scores(1, 4, 1), 0.0);
        for (h, q, d) in [(1, 3, 8), (2, 6, 64), (3, 5, 2)] {
            assert!(risk_bound_for_any_scores(h, q, d) <= min_risk_of_squares(h, q));
        }
    }

    /// With d = 1 one head has q + 1 linear forms, more than the q numbers of the named tokens. Unclamped the bound is
    /// 1 − (q + 1)/q = −1/q, and less with more heads. By hand: with q = 4 and d = 16 the 20 forms of one head leave 44 of 64
    /// numbers, and the 40 forms of two leave 24.
    #[test]
    fn proposition_3_gives_zero_for_tokens_of_one_dimension() {
        for names in 1..=6 {
            for heads in 1..=8 {
                assert_eq!(risk_bound_for_any_scores(heads, names, 1), 0.0, "{heads} heads, {names} names");
            }
            assert!(1.0 - (names as f64 + 1.0) / (names as f64) < 0.0);
        }
        assert!((risk_bound_for_any_scores(1, 4, 16) - 44.0 / 64.0).abs() < 1e-15);
        assert!((risk_bound_for_any_scores(2, 4, 16) - 24.0 / 64.0).abs() < 1e-15);
    }

    /// The risk is 1 − H/q for every choice of H forms of the named tokens, in every dimension; it is larger if other
    /// tokens enter the forms.
    #[test]
    fn squares_have_the_same_risk_for_every_choice_of_forms() {
        for (heads, names, dim) in [(1, 2, 1), (1, 3, 1), (2, 3, 1), (2, 5, 3), (3, 4, 8)] {
            let (teacher, all): (_, Vec<usize>) =
                (teacher(TeacherKind::Squares, names, dim), (0..names).collect());
            for seed in 0..20 {
                let own = normals(seed, heads * names);
                let min_risk = relative_risk(&teacher, &own, names, &all);
                assert!(
                    (min_risk - min_risk_of_squares(heads, names)).abs() < 1e-9,
                    "{heads} of {names}: {min_risk}"
                );
                let wider = normals(seed, heads * (names + 3));
                assert!(
                    relative_risk(&teacher, &wider, names + 3, &all)
                        > min_risk_of_squares(heads, names) + 1e-6
                );
            }
        }
    }

    /// No V on all tokens of a prompt does better: the search comes down to the floor and not below.
    #[test]
    fn a_search_over_all_tokens_ends_at_the_minimum_risk() {
        for (heads, names, positions) in [(1, 2, 5), (1, 3, 6), (2, 3, 5)] {
            let (teacher, all): (_, Vec<usize>) =
                (teacher(TeacherKind::Squares, names, 1), (0..names).collect());
            for seed in 0..3 {
                let start = rows_of(&normals(seed, heads * positions), positions);
                let (_, least) =
                    RiskSearch::new(&teacher, positions, &all, LinearForms::Any).minimise(&start);
                let exact = min_risk_of_squares(heads, names);
                assert!(least > exact - 1e-9 && least < exact + 1e-3, "{heads} of {names}: {least}");
            }
        }
    }

    /// The formula against the conditional expectation itself, on drawn tokens: for squares it is
    /// (‖mean‖² + d tr(I − M) − qd)/√(qd).
    #[test]
    fn the_risk_is_the_error_of_the_conditional_expectation() {
        let (heads, names, dim, positions, draws) = (2, 3, 2, 5, 60_000u64);
        let (shares, named) = (normals(3, heads * positions), [4usize, 0, 2]);
        let teacher = teacher(TeacherKind::Squares, names, dim);
        // W from its own Gram and Schmidt, so that it is not the code under test.
        let (first, second) = shares.split_at(positions);
        let unit = |v: Vec<f64>| -> Vec<f64> { v.iter().map(|x| x / dot(&v, &v).sqrt()).collect() };
        let first = unit(first.to_vec());
        let along = dot(&first, second);
        let second = unit(second.iter().zip(&first).map(|(x, o)| x - along * o).collect());
        let trace: f64 = named.iter().map(|j| first[*j].powi(2) + second[*j].powi(2)).sum();
        let (stream, size) = (RandomStream::new(8, Purpose::Batch, 0), (names * dim) as f64);
        let mut error = 0.0;
        for draw in 0..draws {
            let x: Vec<f64> =
                (0..positions * dim).map(|i| f64::from(stream.draw_normal(draw, i as u32))).collect();
            let label = teacher
                .compute_label(&named.iter().flat_map(|j| x[j * dim..][..dim].to_vec()).collect::<Vec<_>>());
            let mut square = 0.0;
            for of in 0..dim {
                let form = |w: &[f64]| w.iter().enumerate().map(|(i, w)| w * x[i * dim + of]).sum::<f64>();
                let (a, b) = (form(&first), form(&second));
                square += named.iter().map(|j| (a * first[*j] + b * second[*j]).powi(2)).sum::<f64>();
            }
            let guess = (square + dim as f64 * (names as f64 - trace) - size) / size.sqrt();
            error += (label - guess).powi(2) / draws as f64;
        }
        let exact = relative_risk(&teacher, &shares, positions, &named);
        assert!((error / 2.0 / exact - 1.0).abs() < 0.03, "{error} {exact}");
    }

    #[test]
    fn the_mean_needs_one_head() {
        for (names, dim) in [(2, 1), (3, 1), (3, 4), (6, 2)] {
            let found =
                minimise_risk(&teacher(TeacherKind::Mean, names, dim), 1, LinearForms::AttentionWeights);
            assert!(found.risk < 1e-6, "{found:?}");
            let [least, most] =
                [f64::min, f64::max].map(|f| found.forms.iter().copied().fold(found.forms[0], f));
            assert!(least / most > 0.99, "{found:?}");
        }
    }

    /// One head tells the positive or the negative part of u, two tell both; without the sign one is enough.
    #[test]
    fn a_linear_function_of_scalar_tokens_needs_a_head_for_each_sign() {
        let teacher = teacher(TeacherKind::Linear, 4, 1);
        let u = teacher.linear_direction().unwrap();
        let part = |sign: f64| u.iter().map(|x| (sign * x).max(0.0).powi(2)).sum::<f64>();
        let (up, down) = (part(1.0), part(-1.0));
        assert!(up > 0.02 && down > 0.02, "a direction with both signs: {u:?}");
        let one = minimise_risk(&teacher, 1, LinearForms::AttentionWeights).risk;
        assert!((one - up.min(down)).abs() < 1e-6, "{one} {up} {down}");
        assert!(minimise_risk(&teacher, 2, LinearForms::AttentionWeights).risk < 1e-6);
        assert!(minimise_risk(&teacher, 1, LinearForms::Any).risk < 1e-6);
    }

    /// Of any forms, as many as u has singular values, and the risk is what the others have.
    #[test]
    fn a_linear_function_of_tokens_needs_as_many_heads_as_its_rank() {
        let teacher = teacher(TeacherKind::Linear, 2, 3);
        let (a, b) = teacher.linear_direction().unwrap().split_at(3);
        let (aa, ab, bb) = (dot(a, a), dot(a, b), dot(b, b));
        let min_risk = 0.5 * (aa + bb - ((aa - bb).powi(2) + 4.0 * ab * ab).sqrt());
        let any = minimise_risk(&teacher, 1, LinearForms::Any).risk;
        assert!((any - min_risk).abs() < 1e-6 && min_risk > 0.01, "{any} {min_risk}");
        let shares = minimise_risk(&teacher, 1, LinearForms::AttentionWeights).risk;
        assert!(if ab < 0.0 { (shares - aa.min(bb)).abs() < 1e-6 } else { (shares - min_risk).abs() < 1e-6 });
    }

    #[test]
    fn the_gradient_of_the_risk_matches_central_differences() {
        let (positions, named, step) = (5, [4usize, 0, 2], 1e-5);
        for function in TeacherKind::ALL {
            let teacher = teacher(*function, 3, 2);
            let rows = orthonormal_basis(normals(3, 2 * positions).chunks(positions));
            let (least, slopes) =
                RiskSearch::new(&teacher, positions, &named, LinearForms::Any).risk_and_gradient(&rows);
            assert!((least - relative_risk(&teacher, &rows.concat(), positions, &named)).abs() < 1e-12);
            for (at, slope) in slopes.concat().iter().enumerate() {
                let moved = |by: f64| {
                    let mut shares = rows.concat();
                    shares[at] += by;
                    relative_risk(&teacher, &shares, positions, &named)
                };
                let numeric = (moved(step) - moved(-step)) / (2.0 * step);
                assert!((slope - numeric).abs() < 1e-7, "{function:?} at {at}: {slope} {numeric}");
            }
        }
    }

    /// Two heads whose shares hardly differ come as near to what the search found as one likes.
    #[test]
    fn attention_weights_that_hardly_differ_convey_a_form_of_any_sign() {
        for (function, dim) in [(TeacherKind::Linear, 3), (TeacherKind::Network, 1)] {
            let (teacher, all) = (teacher(function, 4, dim), [0, 1, 2, 3]);
            let found = minimise_risk(&teacher, 2, LinearForms::AttentionWeights);
            let (first, second) = found.forms.split_at(4);
            assert!(first.iter().all(|share| *share >= 0.0), "{found:?}");
            let near = |by: f64| {
                let one: Vec<f64> = first.iter().map(|share| share + by).collect();
                let other = one.iter().zip(second).map(|(share, x)| share + by * x);
                let shares: Vec<f64> = one.iter().copied().chain(other).collect();
                assert!(shares.iter().all(|share| *share >= 0.0));
                relative_risk(&teacher, &shares, 4, &all) - found.risk
            };
            let apart = [1e-2, 1e-3, 1e-4].map(near);
            assert!(apart.iter().all(|apart| *apart > -1e-6) && apart[2] < 1e-3, "{apart:?}");
            assert!(found.risk > minimise_risk(&teacher, 2, LinearForms::Any).risk - 1e-9);
        }
    }

    #[test]
    fn the_risk_of_a_network_is_between_zero_and_one() {
        let teacher = teacher(TeacherKind::Network, 3, 2);
        let risks: Vec<f64> =
            (0..=3).map(|heads| minimise_risk(&teacher, heads, LinearForms::AttentionWeights).risk).collect();
        assert!(risks.windows(2).all(|pair| pair[1] < pair[0]), "{risks:?}");
        assert!((risks[0] - 1.0).abs() < 1e-9 && risks[3].abs() < 1e-9, "{risks:?}");
    }

    #[test]
    fn repeated_names_need_fewer_heads() {
        for heads in 0..=3 {
            assert!(
                (min_risk_of_squares_with_repeats(heads, 3, 9, false) - min_risk_of_squares(heads, 3)).abs()
                    < 1e-12
            );
        }
        // Two names of two tokens: half of the time the same, of variance 4 then and of 1 + 1 else; one head leaves 1.
        assert!(
            (min_risk_of_squares_with_repeats(1, 2, 2, true) - 0.5 * 1.0 / (0.5 * 4.0 + 0.5 * 2.0)).abs()
                < 1e-12
        );
        assert!(min_risk_of_squares_with_repeats(1, 3, 8, true) < min_risk_of_squares(1, 3));
    }

    #[test]
    fn prompts_have_a_minimum_risk_where_it_is_known() {
        let of = |function, repeats, heads| {
            min_relative_risk(&TokenPrompts { function, repeats, ..TokenPrompts::default() }, 1, heads)
        };
        assert_eq!(of(TeacherKind::Squares, NameRepeats::Distinct, 1), Some(0.5));
        assert_eq!(of(TeacherKind::Mean, NameRepeats::Independent, 1), Some(0.0));
        assert_eq!(of(TeacherKind::Network, NameRepeats::Independent, 1), None);
        assert!(
            of(TeacherKind::Network, NameRepeats::Distinct, 1).is_some_and(|risk| risk > 0.0 && risk < 1.0)
        );
        assert_eq!(of(TeacherKind::Network, NameRepeats::Independent, 2), Some(0.0));
    }
}
