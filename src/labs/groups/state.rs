//! The page's state of a run on pairs: the group, its theory, and the latest results of the probes.

use super::probes::{CLASS_MARGINS, COSETS, NEURON_MARGINS, NEURONS, OUTPUTS, PROGRESS};
use super::theory::{GroupTheory, GroupTheoryJob, applies};
use vivarium_core::bounds::PAGE_SLICE_OPERATIONS;
use vivarium_model::permalink::Link;
use vivarium_model::protocol::ProbeResult;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Task;
use vivarium_plot::analysis::neurons::NeuronSpectra;
use vivarium_plot::analysis::progress::{EmbeddingConcentration, ProgressMeasures, ProgressTrace};
use vivarium_science::groups::theory::NeuronMargins;
use vivarium_science::groups::{Group, Irreps};
use vivarium_view::display::{LabState, WorkProgress};

/// The page's state of a run on pairs: the group, its theory, and the latest results of the probes.
#[derive(Debug, Clone)]
pub struct GroupsState {
    /// The group of the task; for a table that is not a group, the group whose irreps it is analysed with.
    pub group: Group,
    /// The irreducible representations (irreps) of `group`.
    pub irreps: Irreps,
    /// The name of each irreducible representation of the group, in the order of `irreps`.
    pub irrep_names: Vec<String>,
    /// Prediction of the largest normalised margin γ*, and of the optimum of the loss plus the penalty on the weights;
    /// none where there is no theory or it has not been computed yet.
    pub theory: Option<GroupTheory>,
    /// Computation, in progress, of the largest normalised margin γ* for `theory`; none if it is finished or there is
    /// no theory for the run.
    theory_job: Option<GroupTheoryJob>,
    /// Strength λ of the penalty on the weights in the training loss; none if the model has no penalty.
    lambda: Option<f64>,
    /// Key by which two runs on the same group are recognised: the operation's name and its parameters.
    group_key: (&'static str, Vec<usize>),
    /// The latest spectra of the first replica's neurons; none before the first measurement.
    pub neurons: Option<NeuronSpectra>,
    /// The spectra of the first replica's neurons at step 0; none if they were not measured.
    pub initial_neurons: Option<NeuronSpectra>,
    /// The latest result of the probe [`OUTPUTS`]: pairs of element indices, from 0, as a, b, a, b, …, and the first
    /// replica's logits for them, `[pairs, classes]`; none before the first measurement.
    pub outputs: Option<(Vec<usize>, Vec<f32>)>,
    /// The latest number of live neurons for each conjugacy class of subgroups, counted at the largest subgroup on
    /// whose left cosets a neuron's embedding is constant; none before the first measurement.
    pub coset_counts: Option<Vec<usize>>,
    /// The first replica's smallest normalised margin over the wrong answers of each conjugacy class except the identity's,
    /// `[classes]`, at the latest measurement; none before the first.
    pub class_margins: Option<Vec<f32>>,
    /// The latest margins of the first replica's neurons by conjugacy class of the wrong answer; none before the first
    /// measurement.
    pub neuron_margins: Option<NeuronMargins>,
    /// The progress measures of modular arithmetic (Nanda et al. 2023) at the measured steps of the run so far.
    pub progress: ProgressTrace,
}

impl GroupsState {
    /// The state of a run before its first step; none for tasks other than products in a group. If the previous run,
    /// `before`, was on the same group, its representations and theory are reused.
    pub fn from_spec(spec: &RunSpec, before: Option<&GroupsState>) -> Option<Self> {
        let Task::Groups(task) = &spec.task else { return None };
        let law = task.group_key();
        let before = before.filter(|before| before.group_key == law);
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
            None => GroupTheoryJob::from_spec(spec, &group, &irreps),
        };
        let names = irreps.all().iter().map(|irrep| irrep.name.clone()).collect();
        let lambda = spec.architecture().penalty(0).map(|penalty| penalty.lambda);
        let mut state = GroupsState {
            group,
            irreps,
            irrep_names: names,
            theory,
            theory_job: to_theory,
            lambda: None,
            group_key: law,
            neurons: None,
            initial_neurons: None,
            outputs: None,
            coset_counts: None,
            class_margins: None,
            neuron_margins: None,
            progress: ProgressTrace::default(),
        };
        lambda.into_iter().for_each(|lambda| state.update_lambda(lambda));
        // For most groups, one slice computes the largest margin, and another one the optimum with the penalty.
        state.continue_work(PAGE_SLICE_OPERATIONS / 2);
        state.continue_work(PAGE_SLICE_OPERATIONS / 2);
        Some(state)
    }
}

impl LabState for GroupsState {
    fn clone_boxed(&self) -> Box<dyn LabState> {
        Box::new(self.clone())
    }

    fn add_finding(&mut self, step: u64, finding: &ProbeResult, _link: &Link) {
        let ProbeResult { probe, few, counts, numbers } = finding;
        if *probe == NEURONS.id()
            && let [neurons, irreps] = counts[..]
        {
            let found = NeuronSpectra::from_numbers(neurons, irreps, numbers);
            if step == 0 {
                self.initial_neurons.clone_from(&found);
            }
            self.neurons = found;
        } else if *probe == OUTPUTS.id() {
            self.outputs = Some((counts.clone(), numbers.clone()));
        } else if *probe == COSETS.id() {
            self.coset_counts = Some(counts.clone());
        } else if *probe == CLASS_MARGINS.id() {
            self.class_margins = Some(numbers.clone());
        } else if *probe == NEURON_MARGINS.id()
            && let [neurons, _] = counts[..]
            && let Some((norm_shares, margins)) = numbers.split_at_checked(neurons)
        {
            self.neuron_margins =
                Some(NeuronMargins { norm_shares: norm_shares.to_vec(), class_margins: margins.to_vec() });
        } else if *probe == PROGRESS.id()
            && let [restricted, excluded, train, test, gini, participation] = few[..]
        {
            let embedding = (!gini.is_nan()).then_some(EmbeddingConcentration { gini, participation });
            let test = (!test.is_nan()).then_some(test);
            let (key, shares) = (counts.clone(), numbers.clone());
            let found = ProgressMeasures {
                key_frequencies: key,
                variance_shares: shares,
                restricted_loss: restricted,
                excluded_loss: excluded,
                train_loss: train,
                test_loss: test,
                embedding,
            };
            self.progress.push(step, found);
        }
    }

    fn copy_curves(&mut self, end: &dyn LabState) {
        if let Some(end) = end.downcast_state::<Self>() {
            self.progress = end.progress.clone();
        }
    }

    fn update_lambda(&mut self, lambda: f64) {
        self.lambda = Some(lambda);
        if let Some(theory) = &mut self.theory {
            theory.set_lambda(lambda);
        }
    }

    fn continue_work(&mut self, operations: u64) -> WorkProgress {
        if let Some(job) = &mut self.theory_job {
            let Some(theory) = job.advance(operations) else { return WorkProgress::Continuing };
            (self.theory, self.theory_job) = (theory, None);
            if let (Some(theory), Some(lambda)) = (&mut self.theory, self.lambda) {
                theory.set_lambda(lambda);
            }
            return WorkProgress::Updated;
        }
        let Some(theory) = self.theory.as_mut().filter(|theory| theory.is_busy()) else {
            return WorkProgress::Done;
        };
        if theory.advance(operations) { WorkProgress::Updated } else { WorkProgress::Continuing }
    }

    fn is_busy(&self) -> bool {
        self.theory_job.is_some() || self.theory.as_ref().is_some_and(GroupTheory::is_busy)
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
        let mut state = GroupsState::from_spec(&spec, None).unwrap();
        assert!(state.theory.is_none() && state.is_busy(), "it takes more than one part");
        let mut parts = 0;
        while state.is_busy() {
            state.continue_work(PAGE_SLICE_OPERATIONS);
            parts += 1;
        }
        assert!((10..400).contains(&parts), "{parts}");
        let theory = state.theory.as_ref().unwrap();
        let characters = RealCharacters::from_group(&state.group, &state.irreps).unwrap();
        assert_eq!(theory.max_margin, characters.compute_max_margin().unwrap());
        assert_eq!(theory.prediction(), characters.compute_penalised_optimum(1e-5).ok().as_ref());

        // The next run of a sweep takes all of it.
        let mut next = spec.clone();
        next.run.seed = 1;
        let after = GroupsState::from_spec(&next, Some(&state)).unwrap();
        assert!(!after.is_busy() && after.theory.is_some());
        // A run without theory takes none, one on another group its own.
        let relu = GroupsState::from_spec(
            &self::spec("#v1/groups?op=product&factors=2.2.2.2.2.4&act=relu"),
            Some(&state),
        );
        assert!(relu.is_some_and(|relu| !relu.is_busy() && relu.theory.is_none()));
        let other = GroupsState::from_spec(&self::spec("#v1/groups?n=5"), Some(&state)).unwrap();
        assert_eq!(other.irreps.all().len(), 3);
    }

    #[test]
    fn the_prediction_follows_the_penalty() {
        let mut state = GroupsState::from_spec(&spec("#v1/groups?n=11"), None).unwrap();
        while state.is_busy() {
            state.continue_work(PAGE_SLICE_OPERATIONS);
        }
        let of = |state: &GroupsState| {
            state.theory.as_ref()?.prediction().map(|prediction| prediction.logit_margin)
        };
        let first = of(&state).unwrap();
        state.update_lambda(1e-7);
        assert!(state.is_busy() && of(&state) == Some(first), "the one before, until then");
        while state.is_busy() {
            state.continue_work(PAGE_SLICE_OPERATIONS);
        }
        assert!(of(&state).unwrap() > first);
    }
}
