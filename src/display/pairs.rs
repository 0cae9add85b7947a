//! What the page knows of the group that a run is about, and what probes have found of the network on it.

use crate::analysis::neurons::Neurons;
use crate::analysis::progress::{Progress, ProgressTrace, Spread};
use crate::groups::{Group, Irreps};
use crate::probing::margins::GroupTheory;
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
    pub outputs: Option<(Vec<u32>, Vec<f32>)>,
    /// Live neurons by class of subgroups.
    pub cosets: Option<Vec<usize>>,
    /// Progress measures along the run.
    pub progress: ProgressTrace,
}

impl GroupsState {
    pub(super) fn made(spec: &RunSpec) -> Option<Self> {
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

    pub(super) fn take(&mut self, step: u64, finding: Finding) {
        match finding {
            Finding::Neurons { neurons, irreps, numbers } => {
                let found = Neurons::from_numbers(neurons, irreps, &numbers);
                if step == 0 {
                    self.start.clone_from(&found);
                }
                self.neurons = found;
            }
            Finding::Outputs { pairs, outputs } => self.outputs = Some((pairs, outputs)),
            Finding::Cosets(counts) => self.cosets = Some(counts),
            Finding::Progress { key, shares, losses: [restricted, excluded, train, test], sparsity } => {
                let number = |loss: Option<f64>| loss.unwrap_or(f64::NAN);
                let embedding = sparsity.map(|[gini, participation]| Spread { gini, participation });
                let (restricted, excluded) = (number(restricted), number(excluded));
                let train = number(train);
                let found = Progress { key, shares, restricted, excluded, train, test, embedding };
                self.progress.push(step, found);
            }
            _ => {}
        }
    }
}
