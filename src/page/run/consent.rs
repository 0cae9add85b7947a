//! Runs that are so dear that a person is asked before one begins: the question, and what was agreed to.
//!
//! # Why
//! Links come from strangers, and a page that opens one trains at once. What takes gigabytes or months waits until
//! somebody presses Play; nothing of it is there before. A person who makes a sweep in the dialog has read how long it
//! takes, and is not asked.

use vivarium_model::run::RunSpec;
use vivarium_model::run::cost::{dearest, seconds};

/// What a person is asked about a run, and what was agreed to.
#[derive(Debug, Clone, Default)]
pub struct Consent {
    /// The question of the run on show, as long as nobody has answered.
    pub question: Option<String>,
    agreed: Option<RunSpec>,
}

impl Consent {
    /// Of somebody who has agreed to this run.
    pub fn to(spec: &RunSpec) -> Self {
        Consent { question: None, agreed: Some(bare(spec)) }
    }

    /// Asks about a run, if that is called for.
    pub fn ask(&mut self, spec: &RunSpec) {
        let is_agreed = |agreed: &RunSpec| *agreed == bare(spec);
        let is_asked = !self.agreed.as_ref().is_some_and(is_agreed);
        self.question = dearest(spec).asks(seconds(spec)).filter(|_| is_asked);
    }
}

/// A run as it was when somebody agreed to it: learning rates that were set on the way do not make it dearer.
fn bare(spec: &RunSpec) -> RunSpec {
    let mut spec = spec.clone();
    spec.run.schedule.clear();
    spec
}
