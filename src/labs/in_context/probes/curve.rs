//! R² by number of examples: squared errors of many prompts, their means, and how sure these are.
//!
//! ```text
//! R²_k = 1 − mean over prompts of (f(x_{k+1}) − prediction after k examples)² / V
//! V    = mean over prompts of the variance of the labels within a prompt
//! ```
//!
//! The interval of 90 % is that of the mean: 1.645 standard errors to each side. V is taken as known.

/// Standard errors on each side of a normal mean that 90 % of the means are within.
pub const NINETY: f64 = 1.645;

/// Squared errors after each number of examples, summed over prompts.
#[derive(Debug, Clone, PartialEq)]
pub struct Errors {
    sums: Vec<f64>,
    squares: Vec<f64>,
    prompts: usize,
}

impl Errors {
    /// Of no prompt yet, after so many numbers of examples.
    pub fn new(count: usize) -> Self {
        Errors { sums: vec![0.0; count], squares: vec![0.0; count], prompts: 0 }
    }

    /// Adds those of one prompt.
    pub fn add(&mut self, errors: impl IntoIterator<Item = f64>) {
        let both = self.sums.iter_mut().zip(&mut self.squares);
        for ((sum, square), error) in both.zip(errors) {
            *sum += error;
            *square += error * error;
        }
        self.prompts += 1;
    }

    /// Prompts that were added.
    pub fn prompts(&self) -> usize {
        self.prompts
    }

    /// The mean squared error at one place.
    pub fn mean(&self, at: usize) -> f64 {
        self.sums[at] / self.prompts.max(1) as f64
    }

    /// The curve, relative to this variance of the labels.
    pub fn curve(&self, variance: f64) -> Curve {
        let count = self.prompts.max(1) as f64;
        let one = |at: usize| {
            let mean = self.mean(at);
            // Rounding must not make it negative.
            let spread = (self.squares[at] / count - mean * mean).max(0.0);
            let off = NINETY * (spread / count).sqrt();
            [mean, mean + off, mean - off].map(|error| (1.0 - error / variance) as f32)
        };
        let all: Vec<[f32; 3]> = (0..self.sums.len()).map(one).collect();
        let part = |which: usize| all.iter().map(|point| point[which]).collect();
        Curve { middle: part(0), low: part(1), high: part(2) }
    }
}

/// R² at several numbers of examples, with the ends of its interval.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Curve {
    /// R².
    pub middle: Vec<f32>,
    /// Lower ends.
    pub low: Vec<f32>,
    /// Upper ends.
    pub high: Vec<f32>,
}

impl Curve {
    /// As numbers of a finding, `[3, places]`.
    pub fn numbers(&self) -> Vec<f32> {
        [self.middle.as_slice(), &self.low, &self.high].concat()
    }

    /// From these numbers; none where there are not as many as there should be.
    pub fn of_numbers(numbers: &[f32], places: usize) -> Option<Self> {
        if places == 0 || numbers.len() != 3 * places {
            return None;
        }
        let part = |which: usize| numbers[which * places..][..places].to_vec();
        Some(Curve { middle: part(0), low: part(1), high: part(2) })
    }

    /// The interval at each place.
    pub fn band(&self) -> Vec<(f32, f32)> {
        self.low.iter().copied().zip(self.high.iter().copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_intervals_by_hand() {
        let mut errors = Errors::new(2);
        errors.add([1.0, 0.5]);
        errors.add([3.0, 0.5]);
        errors.add([2.0, 0.5]);
        errors.add([2.0, 0.5]);
        assert_eq!((errors.prompts(), errors.mean(0)), (4, 2.0));
        let curve = errors.curve(4.0);
        // The mean of 2 has a standard error of √(0.5 / 4).
        let off = (1.645 * 0.125f64.sqrt() / 4.0) as f32;
        assert_eq!(curve.middle, [0.5, 0.875]);
        assert!((curve.low[0] - (0.5 - off)).abs() < 1e-6 && (curve.high[0] - (0.5 + off)).abs() < 1e-6);
        assert_eq!((curve.low[1], curve.high[1]), (0.875, 0.875), "all prompts err alike");
    }

    #[test]
    fn numbers_of_a_finding_come_back() {
        let curve = Curve { middle: vec![0.1, 0.2], low: vec![0.0, 0.1], high: vec![0.2, 0.3] };
        assert_eq!(Curve::of_numbers(&curve.numbers(), 2), Some(curve.clone()));
        assert_eq!((Curve::of_numbers(&curve.numbers(), 3), Curve::of_numbers(&[], 0)), (None, None));
        assert_eq!(curve.band()[1], (0.1, 0.3));
    }
}
