//! Expensive runs: the question to the user before one starts, and the run to which the user agreed.
//!
//! # Why
//! Links come from strangers, and a page that opens one trains at once. A run that takes gigabytes or months waits
//! until the user presses Play, and allocates nothing before. A user who starts a sweep in the dialog has read how long
//! it takes, and is not asked.

use vivarium_model::run::RunSpec;
use vivarium_model::run::cost::{estimate_seconds, max_cost};

/// The question about an expensive run, and the run to which the user has agreed.
#[derive(Debug, Clone, Default)]
pub struct Consent {
    /// The question whether to start the current run; None if the run is not expensive or the user has agreed.
    pub question: Option<String>,
    /// Settings of the expensive run to which the user agreed last; None before that.
    agreed: Option<RunSpec>,
}

impl Consent {
    /// Creates the consent of a user who has agreed to a run with these settings.
    pub fn given_for(spec: &RunSpec) -> Self {
        Consent { question: None, agreed: Some(without_schedule(spec)) }
    }

    /// Sets the question about a run if it is expensive and the user has not agreed to it, else removes the question.
    pub fn ask(&mut self, spec: &RunSpec) {
        let is_agreed = |agreed: &RunSpec| *agreed == without_schedule(spec);
        let is_asked = !self.agreed.as_ref().is_some_and(is_agreed);
        self.question = max_cost(spec).confirmation_question(estimate_seconds(spec)).filter(|_| is_asked);
    }
}

/// Returns the settings without learning-rate changes, which do not affect the cost of a run.
fn without_schedule(spec: &RunSpec) -> RunSpec {
    let mut spec = spec.clone();
    spec.run.schedule.clear();
    spec
}
