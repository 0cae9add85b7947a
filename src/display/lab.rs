//! What a lab says of a run on display: the contract between what every run shows and what only one lab knows.
//!
//! # Why
//! Charts, summaries and status lines ask the lab of a run, and never which lab it is. The page's program has two halves:
//! [`Lab`] is what the first view needs, words and when charts apply; [`LazyLab`] is what the second program brings, what
//! labs compute and draw. The labs themselves stand above this room and come in as a table, [`Labs`].

use std::any::Any;
use std::fmt;

use super::charts::{ChartRules, Drawing};
use super::view::RunView;
use crate::catalog::Info;
use crate::permalink::Link;
use crate::probing::Probe;
use crate::protocol::{Finding, Row};
use crate::run::RunSpec;
use crate::sweep::Cell;

/// What differs between labs in the words of every run.
#[derive(Debug, Clone, Copy)]
pub struct Vocabulary {
    /// What the accuracy that counts is measured on, in English: "held-out rows".
    pub examples: &'static str,
    /// Whether inputs are columns of a table, which nobody has to find, and not bits.
    pub columns: bool,
    /// Whether something is hidden that networks "find"; otherwise they "reach the target".
    pub hides: bool,
    /// Whether a run that ends before its target "has not found" what it searched.
    pub searches: bool,
    /// Whether loss and accuracy are those of training alone, since held-out sequences are measured in another quantity.
    pub trains_only: bool,
}

impl Vocabulary {
    /// Of bits, a few of which are to be found.
    pub const BITS: Vocabulary = Vocabulary {
        examples: text!("held-out examples"),
        columns: false,
        hides: true,
        searches: true,
        trains_only: false,
    };
}

/// What the page's first program knows of a lab.
pub trait Lab: Sync {
    /// Name, slug and sources: those of its task.
    fn info(&self) -> &'static Info;

    /// Its words.
    fn vocabulary(&self) -> Vocabulary {
        Vocabulary::BITS
    }

    /// What the accuracy that counts is measured on in a run, in the reader's language.
    fn examples(&self, _spec: &RunSpec) -> &'static str {
        crate::language::translated(self.vocabulary().examples)
    }

    /// Accuracy of guessing.
    fn chance(&self, spec: &RunSpec) -> f32 {
        1.0 / spec.task.sampler().classes().unwrap_or(2) as f32
    }

    /// Whether the page fetches its second program at once, since little of a run can be shown without it.
    fn needs_second_program(&self) -> bool {
        false
    }

    /// Probes that are watched whichever charts are on show.
    fn watched(&self) -> &'static [Probe] {
        &[]
    }
}

/// What a lab computes: the page's second program brings it. What is `None` is said as for every run.
pub trait LazyLab: Sync {
    /// Why these settings cannot learn, or can hardly, each reason as a sentence; nothing for most settings.
    fn cannot_learn(&self, _spec: &RunSpec) -> Vec<String> {
        vec![]
    }

    /// What is known of a run before its first step, besides what every run has; what does not change from the run
    /// `before` can be taken from there.
    fn state(
        &self,
        _spec: &RunSpec,
        _link: &Link,
        _before: Option<&dyn LabState>,
    ) -> Option<Box<dyn LabState>> {
        None
    }

    /// The largest normalised margin γ* of the run's networks, where theory knows it; what is known of the run may hold
    /// it already.
    fn largest_margin(&self, _spec: &RunSpec, _state: Option<&dyn LabState>) -> Option<f64> {
        None
    }

    /// Further lines on the chart of margins, as shares of γ*, with their names.
    fn margin_lines(&self, _run: &RunView) -> Vec<(f64, String)> {
        vec![]
    }

    /// How far learning has come, for the status line: "nearest to the unigram strategy".
    fn learning(&self, _run: &RunView) -> Option<String> {
        None
    }

    /// What has been found by these networks ("5 of 20 networks") at these steps ("at step 1,250").
    fn found(&self, _run: &RunView, _networks: &str, _at: &str) -> Option<String> {
        None
    }

    /// What the four numbers of a measurement are called.
    fn names(&self, _run: &RunView) -> Option<[String; 4]> {
        None
    }

    /// Two more numbers, with their names.
    fn numbers(&self, _run: &RunView) -> Option<[(String, String); 2]> {
        None
    }

    /// What theory says of a map of runs.
    fn note_on_map(&self, _cells: &[Cell]) -> Option<String> {
        None
    }

    /// The largest chance of success that theory leaves to runs of these settings, where it says something; it may be
    /// above 1.
    fn success_at_most(&self, _spec: &RunSpec) -> Option<f64> {
        None
    }
}

/// What a lab knows of a run, and what its probes have found, besides what every run has.
pub trait LabState: Any + fmt::Debug + Send + Sync {
    /// The same once more.
    fn cloned(&self) -> Box<dyn LabState>;

    /// As a value of any type, so that the lab can have its own back.
    fn as_any(&self) -> &dyn Any;

    /// The same, to be changed.
    fn as_any_mut(&mut self) -> &mut dyn Any;

    /// Takes what a probe has found after `step` steps.
    fn found(&mut self, _step: u64, _finding: &Finding, _link: &Link) {}

    /// Takes the curves over the steps of `end`, the same run at its newest step.
    fn take_curves(&mut self, _end: &dyn LabState) {}

    /// Computes anew what follows the settings of the view and of theory.
    fn look_anew(&mut self, _link: &Link) {}

    /// Has theory follow the strength of the penalty.
    fn follow_lambda(&mut self, _lambda: f64) {}

    /// What a measurement is nearest to, of the stages that learning goes through.
    fn nearest(&self, _row: &Row) -> Option<String> {
        None
    }
}

impl Clone for Box<dyn LabState> {
    fn clone(&self) -> Self {
        self.as_ref().cloned()
    }
}

/// What the second program brings of all labs, in the order of [`Labs::all`].
#[derive(Clone, Copy)]
pub struct LazyLabs {
    /// The labs.
    pub all: &'static [&'static dyn LazyLab],
    /// What their charts draw.
    pub drawings: &'static [&'static [Drawing]],
}

/// All labs.
pub struct Labs {
    /// What the first program knows of them.
    pub all: &'static [&'static dyn Lab],
    /// The rules of their charts.
    pub charts: &'static [&'static [ChartRules]],
    /// What the second program brings, once it is there.
    pub lazy: fn() -> Option<LazyLabs>,
}

impl Labs {
    /// Place of a run's lab in the table; none where there is no such lab, which no catalog allows.
    pub fn place(&self, spec: &RunSpec) -> Option<usize> {
        let slug = spec.task.info().slug;
        self.all.iter().position(|lab| lab.info().slug == slug)
    }
}

impl fmt::Debug for Labs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.all.iter().map(|lab| lab.info().slug)).finish()
    }
}

/// No lab: what a view has before a run is put into it.
static NONE: Labs = Labs { all: &[], charts: &[], lazy: || None };

impl Default for &'static Labs {
    fn default() -> Self {
        &NONE
    }
}

/// The words of a run that is of no lab.
struct NoLab;

impl Lab for NoLab {
    fn info(&self) -> &'static Info {
        &crate::tasks::Task::ENTRIES[0].info
    }
}

impl RunView {
    /// The run's lab.
    pub fn lab(&self) -> &'static dyn Lab {
        self.labs.place(self.spec()).map_or(&NoLab, |at| self.labs.all[at])
    }

    /// The words of the run's lab.
    pub fn vocabulary(&self) -> Vocabulary {
        self.lab().vocabulary()
    }

    /// The second half of the run's lab, once it is there.
    pub fn lazy(&self) -> Option<&'static dyn LazyLab> {
        (self.labs.lazy)()?.all.get(self.labs.place(self.spec())?).copied()
    }

    /// What the run's lab knows of it, if that is of the type `S`.
    pub fn state<S: LabState>(&self) -> Option<&S> {
        self.state.as_ref()?.as_any().downcast_ref()
    }

    /// The same, to be changed.
    pub fn state_mut<S: LabState>(&mut self) -> Option<&mut S> {
        self.state.as_mut()?.as_any_mut().downcast_mut()
    }
}
