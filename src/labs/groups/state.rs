//! What the page knows of the group that a run is about, and what probes have found of the network on it.

use super::probes::{COSETS, NEURONS, OUTPUTS, PROGRESS};
use super::theory::{GroupTheory, GroupTheoryJob, applies};
use vivarium_core::bounds::SLICE;
use vivarium_model::permalink::Link;
use vivarium_model::protocol::Finding;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Task;
use vivarium_plot::analysis::neurons::Neurons;
use vivarium_plot::analysis::progress::{Progress, ProgressTrace, Spread};
use vivarium_science::groups::{Group, Irreps};
use vivarium_view::display::{LabState, Work};

/// The group of a run, and the newest findings.
#[derive(Debug, Clone)]
pub struct GroupsState {
    /// The group, or the one whose waves a table is compared with.
    pub group: Group,
    /// Its irreducible representations.
    pub irreps: Irreps,
    /// Their names.
    pub names: Vec<String>,
    /// What theory says of margins, where it does and where that is computed.
    pub theory: Option<GroupTheory>,
    /// The theory on its way.
    to_theory: Option<GroupTheoryJob>,
    /// Strength of the penalty, where the model has one.
    lambda: Option<f64>,
    /// What the group depends on.
    law: (&'static str, Vec<usize>),
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
    /// Of a run on pairs, before its first step; what follows from the group alone is taken from the run `before`, if
    /// that was on the same.
    pub fn of(spec: &RunSpec, before: Option<&GroupsState>) -> Option<Self> {
        let Task::Groups(task) = &spec.task else { return None };
        let law = task.law();
        let before = before.filter(|before| before.law == law);
        let (group, irreps) = match before {
            Some(before) => (before.group.clone(), before.irreps.clone()),
            None => {
                let group = task.group()?;
                let irreps = Irreps::compute(&group);
                (group, irreps)
            }
        };
        let theory = before.filter(|_| applies(spec)).and_then(|before| before.theory.clone());
        let to_theory = match theory {
            Some(_) => None,
            None => GroupTheoryJob::of(spec, &group, &irreps),
        };
        let names = irreps.all().iter().map(|irrep| irrep.name.clone()).collect();
        let lambda = spec.architecture().penalty(0).map(|penalty| penalty.lambda);
        let mut state = GroupsState {
            group,
            irreps,
            names,
            theory,
            to_theory,
            lambda: None,
            law,
            neurons: None,
            start: None,
            outputs: None,
            cosets: None,
            progress: ProgressTrace::default(),
        };
        lambda.into_iter().for_each(|lambda| state.follow_lambda(lambda));
        // The margin, and what the penalty leaves of it: of most groups both are there at once.
        state.work(SLICE / 2);
        state.work(SLICE / 2);
        Some(state)
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
        self.lambda = Some(lambda);
        if let Some(theory) = &mut self.theory {
            theory.set_lambda(lambda);
        }
    }

    fn work(&mut self, operations: u64) -> Work {
        if let Some(job) = &mut self.to_theory {
            let Some(theory) = job.advance(operations) else { return Work::GoesOn };
            (self.theory, self.to_theory) = (theory, None);
            if let (Some(theory), Some(lambda)) = (&mut self.theory, self.lambda) {
                theory.set_lambda(lambda);
            }
            return Work::News;
        }
        let Some(theory) = self.theory.as_mut().filter(|theory| theory.is_busy()) else { return Work::Done };
        if theory.advance(operations) { Work::News } else { Work::GoesOn }
    }

    fn is_busy(&self) -> bool {
        self.to_theory.is_some() || self.theory.as_ref().is_some_and(GroupTheory::is_busy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::permalink::decode;
    use vivarium_science::groups::theory::RealCharacters;

    fn spec(link: &str) -> RunSpec {
        let (link, notices) = decode(link);
        assert!(notices.is_empty(), "{notices:?}");
        link.spec
    }

    #[test]
    fn the_theory_of_a_large_group_comes_in_parts_and_is_the_same() {
        let spec = spec("#v1/groups?op=product&factors=2.2.2.2.2.4&lambda=1e-5");
        let mut state = GroupsState::of(&spec, None).unwrap();
        assert!(state.theory.is_none() && state.is_busy(), "it takes more than one part");
        let mut parts = 0;
        while state.is_busy() {
            state.work(SLICE);
            parts += 1;
        }
        assert!((10..400).contains(&parts), "{parts}");
        let theory = state.theory.as_ref().unwrap();
        let characters = RealCharacters::from_group(&state.group, &state.irreps).unwrap();
        assert_eq!(theory.largest, characters.compute_max_margin().unwrap());
        assert_eq!(theory.prediction(), characters.compute_penalised_optimum(1e-5).ok().as_ref());

        // The next run of a sweep takes all of it.
        let mut next = spec.clone();
        next.run.seed = 1;
        let after = GroupsState::of(&next, Some(&state)).unwrap();
        assert!(!after.is_busy() && after.theory.is_some());
        // A run without theory takes none, one on another group its own.
        let relu =
            GroupsState::of(&self::spec("#v1/groups?op=product&factors=2.2.2.2.2.4&act=relu"), Some(&state));
        assert!(relu.is_some_and(|relu| !relu.is_busy() && relu.theory.is_none()));
        let other = GroupsState::of(&self::spec("#v1/groups?n=5"), Some(&state)).unwrap();
        assert_eq!(other.irreps.all().len(), 3);
    }

    #[test]
    fn the_prediction_follows_the_penalty() {
        let mut state = GroupsState::of(&spec("#v1/groups?n=11"), None).unwrap();
        while state.is_busy() {
            state.work(SLICE);
        }
        let of = |state: &GroupsState| {
            state.theory.as_ref()?.prediction().map(|prediction| prediction.logit_margin)
        };
        let first = of(&state).unwrap();
        state.follow_lambda(1e-7);
        assert!(state.is_busy() && of(&state) == Some(first), "the one before, until then");
        while state.is_busy() {
            state.work(SLICE);
        }
        assert!(of(&state).unwrap() > first);
    }
}
