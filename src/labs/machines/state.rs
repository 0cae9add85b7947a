//! What the page knows of a run: the machine, the ordinary simulator's run of it, and the transformer, executed as far as the
//! step that is shown.

use super::step::AT_STEP;
use vivarium_core::bounds::product;
use vivarium_model::models::Family;
use vivarium_model::models::family::RunsMachine;
use vivarium_model::permalink::{Link, View};
use vivarium_model::protocol::Finding;
use vivarium_model::run::RunSpec;
use vivarium_science::machines::{
    MachineProgram, MachineRun, NoiseAdder, ResidualLayout, StepRecord, StepTrace, Transformer,
    library::{self, MachineExample},
};
use vivarium_view::display::{LabState, Work};

/// Operations that are made at once when a step is to be shown; more go in slices.
const AT_ONCE: u64 = 2_000_000;

/// Operations of a number of noise, which is a logarithm and a cosine.
const DRAW: u64 = 16;

/// What is known of a run of a transformer that runs a machine: that of its first replica.
#[derive(Debug, Clone)]
pub struct MachineState {
    /// The machine, its input, start cell and number of steps.
    pub program: MachineProgram,
    /// The same by the ordinary simulator.
    pub run: MachineRun,
    /// The transformer with this run's noise, executed as far as it has been needed.
    pub transformer: Transformer,
    /// Steps made by the run that is shown, at most as many as there is room for.
    pub step: usize,
    /// All blocks of the last step that was made, of step 0 before the machine's first; none until it is executed.
    pub trace: Option<StepTrace>,
    /// The machine of the library that runs; none where the rules are a person's own.
    pub example: Option<&'static MachineExample>,
    net: RunsMachine,
    /// Noise that is still to be added to the weights.
    noising: Option<NoiseAdder>,
}

impl MachineState {
    /// Of a run, before its first step.
    pub fn of(spec: &RunSpec) -> Option<Self> {
        let program = spec.task.examples().program()?;
        let Some(Family::Machine(net)) = spec.model.config().family() else { return None };
        let program = MachineProgram::clone(&program);
        let (run, exact) = (program.simulate().ok()?, net.exact(&program)?);
        let noising = (net.sigma != 0.0).then(|| NoiseAdder::new(exact.clone(), net.sigma, spec.run.seed, 0));
        let mut state = MachineState {
            transformer: net.begin(exact, &program)?,
            noising,
            example: library::find_example(&spec.value("m")?.to_string()),
            step: 0,
            trace: None,
            net,
            program,
            run,
        };
        state.work(AT_ONCE);
        Some(state)
    }

    /// What stands where in a token.
    pub fn layout(&self) -> &ResidualLayout {
        self.transformer.construction().layout()
    }

    /// The block that the view shows, from 1 to bits + 4; 0 before the first.
    pub fn stage(&self, view: &View) -> usize {
        view.layer.min(self.transformer.construction().blocks().len())
    }

    /// The first step up to the one that is shown whose token is not the simulator's.
    pub fn first_wrong(&self) -> Option<usize> {
        let pairs = self.transformer.tokens().iter().zip(&self.run.records).take(self.step);
        pairs.into_iter().position(|(token, moment)| token != moment).map(|at| at + 1)
    }

    /// What is so after so many steps, as the tokens say; none where these are not executed yet.
    pub fn token(&self, step: usize) -> Option<StepRecord> {
        match step {
            0 => Some(self.transformer.initial_record()),
            made => self.transformer.tokens().get(made - 1).copied(),
        }
    }

    /// Whether the tokens are executed as far as the step that is shown, with their noise.
    pub fn is_executed(&self) -> bool {
        self.noising.is_none() && self.trace.as_ref().is_some_and(|trace| trace.step == self.wanted())
    }

    /// The step whose blocks are looked at; step 0 before the machine's first.
    fn wanted(&self) -> usize {
        self.step
    }
}

impl LabState for MachineState {
    fn cloned(&self) -> Box<dyn LabState> {
        Box::new(self.clone())
    }

    fn work(&mut self, operations: u64) -> Work {
        let mut left = operations;
        while let Some(noising) = &mut self.noising {
            if left == 0 {
                return Work::GoesOn;
            }
            if let Some(numbers) = noising.add_to_next_block() {
                left = left.saturating_sub(numbers.saturating_mul(DRAW));
                continue;
            }
            let done = self.noising.take().map(NoiseAdder::into_construction);
            if let Some(begun) = done.and_then(|weights| self.net.begin(weights, &self.program)) {
                self.transformer = begun;
            }
        }
        if self.is_executed() {
            return Work::Done;
        }
        let (wanted, sizes) = (self.wanted(), self.transformer.construction().sizes());
        // Of a step without its past; tokens are copied after each block.
        let alone = sizes.estimated_multiplications(1, self.program.input.len(), self.net.sigma != 0.0);
        let alone = alone.saturating_add(product([4, sizes.width(), sizes.blocks()]));
        while self.transformer.steps() < wanted {
            if left == 0 {
                return Work::GoesOn;
            }
            let past = product([sizes.score_multiplications(), self.transformer.steps() as u64]);
            left = left.saturating_sub(alone.saturating_add(past));
            if self.transformer.advance().is_none() {
                return Work::Done;
            }
        }
        self.trace = match self.transformer.last_trace().filter(|trace| trace.step == wanted) {
            Some(last) => Some(last.clone()),
            None => self.transformer.recompute_step(wanted),
        };
        Work::News
    }

    fn is_busy(&self) -> bool {
        !self.is_executed()
    }

    fn found(&mut self, step: u64, finding: &Finding, _link: &Link) {
        if finding.probe != AT_STEP.id() {
            return;
        }
        self.step = usize::try_from(step).unwrap_or(usize::MAX).min(self.program.steps);
        self.work(AT_ONCE);
    }
}
