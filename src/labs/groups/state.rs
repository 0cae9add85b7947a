//! What the page knows of the group that a run is about, and what probes have found of the network on it.


use super::probes::{COSETS, NEURONS, OUTPUTS, PROGRESS};
use super::theory::GroupTheory;
use crate::analysis::neurons::Neurons;
use crate::analysis::progress::{Progress, ProgressTrace, Spread};
use crate::display::LabState;
use crate::groups::{Group, Irreps};
use crate::permalink::Link;
use crate::protocol::Finding;
use crate::run::RunSpec;
use crate::tasks::Task;

/// The group of a run, and the newest findings.
#[derive(Debug, Clone)]
pub struct GroupsState {
    /// The group, or the one whose waves a table is compared with.
    pub group: Group,
    /// Its irreducible representations.
    pub irreps: Irreps,
    /// Their names.
    pub names: Vec<String>,
    /// What theory says of margins, where it does.
    pub theory: Option<GroupTheory>,
    /// What the neurons are, and what they were at the start.
    pub neurons: Option<Neurons>,
    /// See [`GroupsState::neurons`].
    pub start: Option<Neurons>,
    /// Pairs, a and b after each other, and the outputs on them.
    pub outputs: Option<(Vec<usize>, Vec<f32>)>,
    /// Live neurons by class of subgroups.
    pub cosets: Option<Vec<usize>>,
    /// Progress measures along the run.
    pub progress: ProgressTrace,
}

impl GroupsState {
    /// Of a run on pairs, before its first step.
    pub fn of(spec: &RunSpec) -> Option<Self> {
        let Task::Groups(task) = &spec.task else { return None };
        let group = task.group()?;
        let irreps = Irreps::of(&group);
        let mut theory = GroupTheory::of(spec, &group, &irreps);
        if let (Some(theory), Some(penalty)) = (&mut theory, spec.architecture().penalty(0)) {
            theory.set_lambda(penalty.lambda);
        }
        let names = irreps.all().iter().map(|irrep| irrep.name.clone()).collect();
        Some(GroupsState {
            group,
            irreps,
            names,
            theory,
            neurons: None,
            start: None,
            outputs: None,
            cosets: None,
            progress: ProgressTrace::default(),
        })
    }
}

impl LabState for GroupsState {
    fn cloned(&self) -> Box<dyn LabState> {
        Box::new(self.clone())
    }

    fn found(&mut self, step: u64, finding: &Finding, _link: &Link) {
        let Finding { probe, few, counts, numbers } = finding;
        if *probe == NEURONS.id()
            && let [neurons, irreps] = counts[..]
        {
            let found = Neurons::from_numbers(neurons, irreps, numbers);
            if step == 0 {
                self.start.clone_from(&found);
            }
            self.neurons = found;
        } else if *probe == OUTPUTS.id() {
            self.outputs = Some((counts.clone(), numbers.clone()));
        } else if *probe == COSETS.id() {
            self.cosets = Some(counts.clone());
        } else if *probe == PROGRESS.id()
            && let [restricted, excluded, train, test, gini, participation] = few[..]
        {
            let embedding = (!gini.is_nan()).then_some(Spread { gini, participation });
            let test = (!test.is_nan()).then_some(test);
            let (key, shares) = (counts.clone(), numbers.clone());
            let found = Progress { key, shares, restricted, excluded, train, test, embedding };
            self.progress.push(step, found);
        }
    }

    fn take_curves(&mut self, end: &dyn LabState) {
        if let Some(end) = end.of::<Self>() {
            self.progress = end.progress.clone();
        }
    }

    fn follow_lambda(&mut self, lambda: f64) {
        if let Some(theory) = &mut self.theory {
            theory.set_lambda(lambda);
        }
    }
}
