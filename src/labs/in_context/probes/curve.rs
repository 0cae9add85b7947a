//! R² by number of examples: squared errors of many prompts, their means, and intervals for the means.
//!
//! ```text
//! R²_k = 1 − mean over prompts of (f(x_{k+1}) − prediction after k examples)² / V
//! V    = mean over prompts of the variance of the labels within a prompt
//! ```
//!
//! The interval of 90 % is that of the mean: 1.645 standard errors to each side. V is treated as exact.

/// Half-width, in standard errors, of the 90 % interval for a normally distributed mean; used for the intervals of R².
pub const Z_90: f64 = 1.645;

/// Squared errors of a network's predictions after 0, 1, … examples of a prompt, summed over prompts.
#[derive(Debug, Clone, PartialEq)]
pub struct SquaredErrors {
    /// Sums over prompts of the squared error; the index is the number of examples before the predicted point, from 0.
    sums: Vec<f64>,
    /// Sums over prompts of the square of the squared error, for its variance; the index is the number of examples
    /// before the predicted point, from 0.
    squares: Vec<f64>,
    /// Number of prompts whose errors have been added to the sums.
    prompt_count: usize,
}

impl SquaredErrors {
    /// Sums over no prompts yet, for example counts 0, 1, …, `count` − 1.
    pub fn new(count: usize) -> Self {
        SquaredErrors { sums: vec![0.0; count], squares: vec![0.0; count], prompt_count: 0 }
    }

    /// Adds one prompt: `errors` are the squared errors of the predictions after 0, 1, … examples.
    pub fn add_prompt(&mut self, errors: impl IntoIterator<Item = f64>) {
        let both = self.sums.iter_mut().zip(&mut self.squares);
        for ((sum, square), error) in both.zip(errors) {
            *sum += error;
            *square += error * error;
        }
        self.prompt_count += 1;
    }

    /// The number of prompts whose errors have been added so far.
    pub fn prompt_count(&self) -> usize {
        self.prompt_count
    }

    /// The mean over prompts of the squared error of the prediction after `at` examples.
    pub fn mean_at(&self, at: usize) -> f64 {
        self.sums[at] / self.prompt_count.max(1) as f64
    }

    /// The curve of R² by number of examples, 1 − mean squared error / `variance`, where `variance` is that of the
    /// labels.
    pub fn to_r2_curve(&self, variance: f64) -> R2Curve {
        let count = self.prompt_count.max(1) as f64;
        let one = |at: usize| {
            let mean = self.mean_at(at);
            // Rounding errors could make the variance negative.
            let spread = (self.squares[at] / count - mean * mean).max(0.0);
            let off = Z_90 * (spread / count).sqrt();
            [mean, mean + off, mean - off].map(|error| (1.0 - error / variance) as f32)
        };
        let all: Vec<[f32; 3]> = (0..self.sums.len()).map(one).collect();
        let part = |which: usize| all.iter().map(|point| point[which]).collect();
        R2Curve { mean: part(0), low: part(1), high: part(2) }
    }
}

/// R² of predictions by number of examples in the prompt, with the ends of its 90 % interval over prompts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct R2Curve {
    /// R² from the mean squared error over prompts, one entry for each number of examples in the prompt.
    pub mean: Vec<f32>,
    /// Lower end of the 90 % interval of R² for each entry of `mean`.
    pub low: Vec<f32>,
    /// Upper end of the 90 % interval of R² for each entry of `mean`.
    pub high: Vec<f32>,
}

impl R2Curve {
    /// The curve of R² as the numbers of a probe result: means, lower ends and upper ends, `[3, points]`.
    pub fn to_numbers(&self) -> Vec<f32> {
        [self.mean.as_slice(), &self.low, &self.high].concat()
    }

    /// Reads a curve of R² from the numbers of a probe result, `[3, point_count]`; none if their count is not 3 ·
    /// `point_count`.
    pub fn from_numbers(numbers: &[f32], point_count: usize) -> Option<Self> {
        if point_count == 0 || numbers.len() != 3 * point_count {
            return None;
        }
        let part = |which: usize| numbers[which * point_count..][..point_count].to_vec();
        Some(R2Curve { mean: part(0), low: part(1), high: part(2) })
    }

    /// The 90 % interval (low, high) of R² at each number of examples.
    pub fn band(&self) -> Vec<(f32, f32)> {
        self.low.iter().copied().zip(self.high.iter().copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_intervals_by_hand() {
        let mut errors = SquaredErrors::new(2);
        errors.add_prompt([1.0, 0.5]);
        errors.add_prompt([3.0, 0.5]);
        errors.add_prompt([2.0, 0.5]);
        errors.add_prompt([2.0, 0.5]);
        assert_eq!((errors.prompt_count(), errors.mean_at(0)), (4, 2.0));
        let curve = errors.to_r2_curve(4.0);
        // The mean of 2 has a standard error of √(0.5 / 4).
        let off = (1.645 * 0.125f64.sqrt() / 4.0) as f32;
        assert_eq!(curve.mean, [0.5, 0.875]);
        assert!((curve.low[0] - (0.5 - off)).abs() < 1e-6 && (curve.high[0] - (0.5 + off)).abs() < 1e-6);
        assert_eq!((curve.low[1], curve.high[1]), (0.875, 0.875), "all prompts err alike");
    }

    #[test]
    fn numbers_of_a_finding_come_back() {
        let curve = R2Curve { mean: vec![0.1, 0.2], low: vec![0.0, 0.1], high: vec![0.2, 0.3] };
        assert_eq!(R2Curve::from_numbers(&curve.to_numbers(), 2), Some(curve.clone()));
        assert_eq!(
            (R2Curve::from_numbers(&curve.to_numbers(), 3), R2Curve::from_numbers(&[], 0)),
            (None, None)
        );
        assert_eq!(curve.band()[1], (0.1, 0.3));
    }
}
