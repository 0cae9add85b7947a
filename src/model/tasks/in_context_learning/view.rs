//! Settings of the view of runs on functions that are learned in context.

use vivarium_core::settings;
use vivarium_core::settings::Range;

settings! {
    /// Inputs of the inspected prompts, in the view of runs on functions that are learned in context.
    pub struct InContextView {
        /// Factor that multiplies the inputs of the inspected held-out prompts; measurements of the run do not use the factor.
        shift: f64 = 1.0, "shift", "Inputs multiplied by", Range::Real(0.01, 10.0);
    }
}
