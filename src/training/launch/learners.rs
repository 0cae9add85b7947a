//! The table of learners: one entry for each family of networks and the device that trains it.
//!
//! [`choose`](super::choose) picks from it, and the reference learner, autodiff, trains what no entry covers.

use super::worth::{
    AUTODIFF_WORTH_FLOPS, AUTODIFF_WORTH_FLOPS_OVER_FLEX, FUSED_MOST_FLOPS, FUSED_WORTH_REPLICAS,
    IN_CONTEXT_WORTH_FLOPS, PAIRS_WORTH_FLOPS, POSITION_WORTH_FLOPS, PROMPTS_WORTH_FLOPS,
    RULES_WORTH_OPERATIONS, SEQUENCES_WORTH_FLOPS,
};
#[cfg(feature = "session")]
use crate::cpu::{
    circuit::CircuitProcess,
    descent::DescentProcess,
    execution::PromptProcess,
    grid_program::GridProcess,
    machine::MachineProcess,
    process::{Process, ProcessLearner},
    random_forest::ForestProcess,
    rule_search::RuleSearchProcess,
};
#[cfg(feature = "fused")]
use crate::gpu::{
    batched_runs::BatchedRuns,
    group_net::{GroupNetGpu, GroupNetKernels},
    learner::{Batch, GpuLearner, Waiting},
    one_hidden_layer::{self, OneHiddenLayerGpu},
    prompt_nets::{PromptKernels, PromptNetGpu},
    sequence_net::{SequenceNetGpu, SequenceNetKernels},
    sliced_runs::SlicedRuns,
};
use crate::session::learner::Learner;
use crate::session::pairs;
#[cfg(feature = "session")]
use vivarium_kernels::cpu::one_output::{cls::ClsLoop, graph::GraphLoop, powers::PowersLoop};
use vivarium_kernels::plan::Network;
use vivarium_kernels::{cpu, sequence_net, token_attention, token_mlp};
#[cfg(feature = "fused")]
use vivarium_kernels::{group_net::plan::Variant, plan::Limits, prompt_nets::PromptPlan};
use vivarium_model::models::Family;
use vivarium_model::run::RunSpec;
use vivarium_model::run::cost::exceeds_launch_limit;
use vivarium_model::tasks::TaskData;

/// Where a learner trains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// On the processor, even of a run that has a GPU.
    Anywhere,
    /// On a GPU.
    Gpu,
    /// On the processor.
    Cpu,
}

/// A learner at its initial weights, with its name for the person; or why it does not fit.
pub type BuildResult = Result<(Box<dyn Learner>, &'static str), String>;

/// One learner of one family of networks.
pub struct LearnerEntry {
    /// Where it trains.
    pub place: Place,
    /// Whether it executes or searches, and trains nothing by gradients.
    pub executes: bool,
    /// Whether a run is of its family, so that it is the one to cover it or to say why not.
    pub matches: fn(&RunSpec) -> bool,
    /// Whether it covers a network of its family, as far as that can be known without its device; or a sentence. Ask
    /// [`LearnerEntry::accepts`].
    pub supports: fn(&RunSpec) -> Result<(), String>,
    /// The work of a run as a multiple of that from which on autodiff on a GPU is estimated to be faster.
    pub autodiff_worth: fn(&RunSpec) -> f64,
    /// Of a learner on a GPU, the work of a run as a multiple of that from which on it is estimated to be faster than the
    /// processor.
    pub gpu_worth: fn(&RunSpec) -> f64,
    /// How runs of a sweep share its launches, if they can.
    #[cfg(feature = "fused")]
    pub batching: Option<Batching>,
    /// Makes it; none where this build lacks it.
    pub build: Option<fn(&RunSpec) -> BuildResult>,
}

impl LearnerEntry {
    /// Whether it takes a run of its family, as far as that can be known without its device.
    ///
    /// # Errors
    /// A sentence that says why not.
    pub fn accepts(&self, spec: &RunSpec) -> Result<(), String> {
        self.follows(spec)?;
        (self.supports)(spec)
    }

    /// Makes it, if this build has it.
    pub fn build(&self, spec: &RunSpec) -> Option<BuildResult> {
        let build = self.build?;
        Some(self.follows(spec).and_then(|()| build(spec)))
    }

    /// Whether it does all that this run asks of training.
    fn follows(&self, spec: &RunSpec) -> Result<(), String> {
        let (optimizer, is_on_gpu) = (&spec.optimizer, self.place == Place::Gpu);
        let lacks_whole_gradients = is_on_gpu || !spec.has_whole_gradients_in_loop();
        Err(match self.executes {
            false if optimizer.clip() > 0.0 && lacks_whole_gradients => {
                tr!("the run clips the norm of its gradient")
            }
            false if !optimizer.is_entrywise() && lacks_whole_gradients => {
                tr!("the run's optimizer updates whole matrices")
            }
            false if is_on_gpu && spec.label_smoothing() > 0.0 => tr!("the run's labels are smoothed"),
            _ => return Ok(()),
        }
        .into())
    }
}

/// How runs of a sweep train together.
#[cfg(feature = "fused")]
pub struct Batching {
    /// Makes ready to wait for others.
    pub candidate: fn(&RunSpec, Limits) -> Waiting,
    /// Trains these runs together; or a sentence that says why they do not fit.
    pub batch: fn(&[RunSpec]) -> Result<Batch, String>,
}

/// The entry that says whether and how a run trains in `place`, if it is of any family.
pub fn entry(spec: &RunSpec, place: Place) -> Option<&'static LearnerEntry> {
    let executed = LEARNERS.iter().find(|entry| entry.place == Place::Anywhere && (entry.matches)(spec));
    if place == Place::Anywhere {
        return executed;
    }
    let fits = |entry: &&LearnerEntry| entry.place == place && entry.executes == executed.is_some();
    LEARNERS.iter().find(|entry| fits(entry) && (entry.matches)(spec))
}

/// Builder of a learner, where this build has the feature for it.
macro_rules! builder {
    ($feature:literal, $build:expr) => {{
        #[cfg(feature = $feature)]
        {
            Some($build as fn(&RunSpec) -> BuildResult)
        }
        #[cfg(not(feature = $feature))]
        {
            None
        }
    }};
}

/// Whether this program may train on the processor: in a browser those for GPUs leave that to the one for the processor.
const HAS_LOOPS: bool = !cfg!(all(target_family = "wasm", feature = "fused"));

/// Builder of a learner on the processor, where this build has it.
macro_rules! loop_builder {
    ($build:expr) => {
        match HAS_LOOPS {
            true => builder!("session", $build),
            false => None,
        }
    };
}

/// What is said of a run that our kernels train many steps at a time.
#[cfg(feature = "fused")]
pub(crate) const MANY_STEPS_NAME: &str = "fused kernels, many steps per launch";
#[cfg(feature = "fused")]
const TWO_LAUNCHES_NAME: &str = "fused kernels, two launches per step";
#[cfg(feature = "fused")]
const SIX_LAUNCHES_NAME: &str = "fused kernels, six launches per step";
#[cfg(feature = "fused")]
const MANY_LAUNCHES_NAME: &str = "fused kernels, some launches per layer and step";
#[cfg(feature = "session")]
const LOOP_NAME: &str = "fused loop, SIMD";

/// Function of a run: whether the data of its task and the family of its network match two patterns.
macro_rules! runs_of {
    ($data:pat, $family:pat) => {
        |spec: &RunSpec| matches!((spec.task.data(), spec.model.config().family()), ($data, $family))
    };
}

/// Whether the label of an example is one sign or one real number, which a network with one output predicts.
fn needs_one_output(data: &TaskData) -> bool {
    match data {
        TaskData::Bits(_)
        | TaskData::Rows
        | TaskData::Fit(_)
        | TaskData::Steps(_)
        | TaskData::Circuit(_)
        | TaskData::Program(_) => true,
        TaskData::Pairs
        | TaskData::Sequences(_)
        | TaskData::Traces(_)
        | TaskData::Prompts(_)
        | TaskData::Points(_) => false,
    }
}

/// Whether a network on numbers has one output, and no loop takes its examples as bits.
fn has_one_output_graph(spec: &RunSpec) -> bool {
    match (spec.task.data(), spec.model.config().family()) {
        (_, Some(Family::HiddenLayers(_))) => true,
        (data, Some(Family::Graph)) => needs_one_output(&data),
        (_, Some(Family::OneHiddenLayer(_))) => !spec.uses_packed_bits(),
        _ => false,
    }
}

/// The learner of a process, with its name for the person.
#[cfg(feature = "session")]
fn build_process<P: Process + 'static>(spec: &RunSpec, name: &'static str) -> BuildResult {
    Ok((Box::new(ProcessLearner::<P>::new(spec)?), name))
}

#[cfg(feature = "session")]
fn prompt_net<L: cpu::prompt_net::PromptLoop + 'static>(spec: &RunSpec) -> BuildResult {
    Ok((Box::new(crate::cpu::prompt_net::PromptNetCpu::<L>::new(spec)?), LOOP_NAME))
}

#[cfg(feature = "fused")]
fn group_net_on_gpu(spec: &RunSpec) -> BuildResult {
    let learner = GroupNetGpu::new(spec)?;
    let name = group_net_name(learner.variant());
    Ok((Box::new(learner), name))
}

#[cfg(feature = "fused")]
fn group_net_name(variant: Variant) -> &'static str {
    match variant {
        Variant::One => MANY_STEPS_NAME,
        Variant::Many => TWO_LAUNCHES_NAME,
    }
}

#[cfg(feature = "fused")]
fn group_nets_on_gpu(specs: &[RunSpec]) -> Result<Batch, String> {
    let runs = SlicedRuns::<GroupNetKernels>::new(specs)?;
    let name = group_net_name(runs.network.variant());
    Ok(GpuLearner::boxed(runs, specs, name))
}

#[cfg(feature = "fused")]
fn prompt_net_on_gpu<P: PromptPlan>(spec: &RunSpec) -> BuildResult {
    let learner = PromptNetGpu::<P>::new(spec)?;
    let name = launches_name(learner.launches());
    Ok((Box::new(learner), name))
}

#[cfg(feature = "fused")]
fn prompt_nets_on_gpu<P: PromptPlan>(specs: &[RunSpec]) -> Result<Batch, String> {
    let runs = SlicedRuns::<PromptKernels<P>>::new(specs)?;
    let name = launches_name(runs.network.launches());
    Ok(GpuLearner::boxed(runs, specs, name))
}

#[cfg(feature = "fused")]
fn launches_name(launches: usize) -> &'static str {
    match launches {
        2 => TWO_LAUNCHES_NAME,
        6 => SIX_LAUNCHES_NAME,
        _ => MANY_LAUNCHES_NAME,
    }
}

/// A learner of networks that are executed or grown: it takes every network of its family, on every device.
const fn anywhere(matches: fn(&RunSpec) -> bool, build: Option<fn(&RunSpec) -> BuildResult>) -> LearnerEntry {
    LearnerEntry {
        place: Place::Anywhere,
        executes: true,
        matches,
        supports: |_| Ok(()),
        autodiff_worth: |_| 0.0,
        gpu_worth: |_| 0.0,
        #[cfg(feature = "fused")]
        batching: None,
        build,
    }
}

/// A loop of ours on the processor, of no family yet: it covers every network of its family.
const ON_CPU: LearnerEntry = LearnerEntry {
    place: Place::Cpu,
    executes: false,
    matches: |_| false,
    supports: |_| Ok(()),
    autodiff_worth: |spec| spec.step_flops() / AUTODIFF_WORTH_FLOPS,
    gpu_worth: |_| 0.0,
    #[cfg(feature = "fused")]
    batching: None,
    build: None,
};

/// Every learner but autodiff.
pub static LEARNERS: &[LearnerEntry] = &[
    anywhere(
        runs_of!(_, Some(Family::Forest(_))),
        builder!("session", |spec| build_process::<ForestProcess>(spec, "decision trees")),
    ),
    anywhere(
        runs_of!(_, Some(Family::Execution(_))),
        builder!("session", |spec| build_process::<PromptProcess>(spec, "executed, one position per step")),
    ),
    anywhere(
        runs_of!(_, Some(Family::Descent(_))),
        builder!("session", |spec| build_process::<DescentProcess>(
            spec,
            "executed, one step of gradient descent per step"
        )),
    ),
    anywhere(
        runs_of!(_, Some(Family::Machine(_))),
        builder!("session", |spec| build_process::<MachineProcess>(
            spec,
            "executed, one step of the machine per step"
        )),
    ),
    anywhere(
        runs_of!(_, Some(Family::Circuit(_))),
        builder!("session", |spec| build_process::<CircuitProcess>(
            spec,
            "executed, one iteration of the search per step"
        )),
    ),
    anywhere(
        runs_of!(_, Some(Family::ProgramOnGrid(_))),
        builder!("session", |spec| build_process::<GridProcess>(
            spec,
            "executed, one step of SGD or one layer per step"
        )),
    ),
    anywhere(
        runs_of!(_, Some(Family::RuleSearch(_))),
        builder!("session", |spec| build_process::<RuleSearchProcess>(
            spec,
            "executed, one restart per step"
        )),
    ),
    LearnerEntry {
        place: Place::Gpu,
        executes: true,
        matches: runs_of!(_, Some(Family::RuleSearch(_))),
        supports: |_| Ok(()),
        autodiff_worth: |_| 0.0,
        gpu_worth: |spec| spec.step_flops() * spec.run.steps as f64 / RULES_WORTH_OPERATIONS,
        #[cfg(feature = "fused")]
        batching: None,
        build: builder!("fused", |spec| Ok((
            Box::new(crate::gpu::rule_search::RuleSearchGpu::new(spec)?),
            "searched, thousands of rules per launch"
        ))),
    },
    LearnerEntry {
        place: Place::Gpu,
        executes: false,
        matches: |spec| needs_one_output(&spec.task.data()),
        supports: |spec| {
            Network::of(spec)?.on_a_gpu()?;
            match exceeds_launch_limit(spec) {
                true => Err("one of its steps is too long for one launch".into()),
                false => Ok(()),
            }
        },
        autodiff_worth: |spec| spec.step_flops() / spec.run.replicas as f64 / FUSED_MOST_FLOPS,
        gpu_worth: |spec| spec.run.replicas as f64 / FUSED_WORTH_REPLICAS as f64,
        #[cfg(feature = "fused")]
        batching: Some(Batching {
            candidate: one_hidden_layer::candidate,
            batch: |specs| Ok(GpuLearner::boxed(BatchedRuns::new(specs)?, specs, MANY_STEPS_NAME)),
        }),
        build: builder!("fused", |spec| Ok((Box::new(OneHiddenLayerGpu::new(spec)?), MANY_STEPS_NAME))),
    },
    LearnerEntry {
        place: Place::Gpu,
        executes: false,
        matches: runs_of!(TaskData::Pairs, _),
        supports: pairs::kernels_cover,
        autodiff_worth: |_| 0.0,
        gpu_worth: |spec| spec.step_flops() / PAIRS_WORTH_FLOPS,
        #[cfg(feature = "fused")]
        batching: Some(Batching {
            candidate: SlicedRuns::<GroupNetKernels>::candidate,
            batch: group_nets_on_gpu,
        }),
        build: builder!("fused", group_net_on_gpu),
    },
    LearnerEntry {
        place: Place::Gpu,
        executes: false,
        matches: runs_of!(TaskData::Sequences(_), _),
        supports: sequence_net::covers,
        autodiff_worth: |_| 0.0,
        gpu_worth: |spec| spec.step_flops() / SEQUENCES_WORTH_FLOPS,
        #[cfg(feature = "fused")]
        batching: Some(Batching {
            candidate: SlicedRuns::<SequenceNetKernels>::candidate,
            batch: |specs| {
                Ok(GpuLearner::boxed(SlicedRuns::<SequenceNetKernels>::new(specs)?, specs, TWO_LAUNCHES_NAME))
            },
        }),
        build: builder!("fused", |spec| Ok((Box::new(SequenceNetGpu::new(spec)?), TWO_LAUNCHES_NAME))),
    },
    LearnerEntry {
        place: Place::Gpu,
        executes: false,
        matches: runs_of!(_, Some(Family::TokenAttention(_))),
        supports: token_attention::covers,
        autodiff_worth: |_| 0.0,
        gpu_worth: |spec| spec.step_flops() / PROMPTS_WORTH_FLOPS,
        #[cfg(feature = "fused")]
        batching: Some(Batching {
            candidate: SlicedRuns::<PromptKernels<token_attention::plan::Plan>>::candidate,
            batch: prompt_nets_on_gpu::<token_attention::plan::Plan>,
        }),
        build: builder!("fused", prompt_net_on_gpu::<token_attention::plan::Plan>),
    },
    LearnerEntry {
        place: Place::Gpu,
        executes: false,
        matches: runs_of!(_, Some(Family::TokenMlp(_))),
        supports: token_mlp::covers,
        autodiff_worth: |_| 0.0,
        gpu_worth: |spec| spec.step_flops() / PROMPTS_WORTH_FLOPS,
        #[cfg(feature = "fused")]
        batching: Some(Batching {
            candidate: SlicedRuns::<PromptKernels<token_mlp::plan::Plan>>::candidate,
            batch: prompt_nets_on_gpu::<token_mlp::plan::Plan>,
        }),
        build: builder!("fused", prompt_net_on_gpu::<token_mlp::plan::Plan>),
    },
    LearnerEntry {
        matches: has_one_output_graph,
        build: loop_builder!(|spec| Ok((
            Box::new(crate::cpu::one_output::OneOutputCpu::<GraphLoop>::new(spec)?),
            LOOP_NAME
        ))),
        ..ON_CPU
    },
    LearnerEntry {
        matches: runs_of!(_, Some(Family::Powers(_))),
        build: loop_builder!(|spec| Ok((
            Box::new(crate::cpu::one_output::OneOutputCpu::<PowersLoop>::new(spec)?),
            LOOP_NAME
        ))),
        ..ON_CPU
    },
    LearnerEntry {
        matches: runs_of!(_, Some(Family::ReadAtCls(_))),
        supports: cpu::one_output::cls::covers,
        build: loop_builder!(|spec| Ok((
            Box::new(crate::cpu::one_output::OneOutputCpu::<ClsLoop>::new(spec)?),
            LOOP_NAME
        ))),
        ..ON_CPU
    },
    LearnerEntry {
        matches: |spec| needs_one_output(&spec.task.data()),
        supports: |spec| Network::of(spec).map(drop),
        build: loop_builder!(|spec| Ok((
            Box::new(crate::cpu::one_hidden_layer::OneHiddenLayerCpu::new(spec)?),
            LOOP_NAME
        ))),
        ..ON_CPU
    },
    LearnerEntry {
        matches: runs_of!(TaskData::Pairs, Some(Family::Graph)),
        build: loop_builder!(|spec| Ok((
            Box::new(crate::cpu::graph_net::GraphNetCpu::new(spec)?),
            LOOP_NAME
        ))),
        ..ON_CPU
    },
    LearnerEntry {
        matches: runs_of!(TaskData::Pairs, _),
        supports: |spec| pairs::covered(spec).map(drop),
        autodiff_worth: |spec| spec.step_flops() / AUTODIFF_WORTH_FLOPS_OVER_FLEX,
        build: loop_builder!(|spec| Ok((
            Box::new(crate::cpu::group_net::GroupNetCpu::new(spec)?),
            LOOP_NAME
        ))),
        ..ON_CPU
    },
    LearnerEntry {
        matches: runs_of!(TaskData::Sequences(_), _),
        supports: |spec| cpu::sequence_net::Network::of(spec).map(drop),
        autodiff_worth: |spec| spec.step_flops() / AUTODIFF_WORTH_FLOPS_OVER_FLEX,
        build: loop_builder!(|spec| Ok((
            Box::new(crate::cpu::sequence_net::SequenceNetCpu::new(spec)?),
            LOOP_NAME
        ))),
        ..ON_CPU
    },
    LearnerEntry {
        matches: runs_of!(TaskData::Traces(_), _),
        supports: |spec| cpu::sequence_net::Network::of(spec).map(drop),
        autodiff_worth: |spec| spec.step_flops() / AUTODIFF_WORTH_FLOPS_OVER_FLEX,
        build: loop_builder!(|spec| Ok((
            Box::new(crate::cpu::trace_net::TraceNetCpu::new(spec)?),
            LOOP_NAME
        ))),
        ..ON_CPU
    },
    LearnerEntry {
        matches: runs_of!(_, Some(Family::TokenAttention(_))),
        supports: cpu::prompt_net::attention::AttentionLoop::covers,
        build: loop_builder!(prompt_net::<cpu::prompt_net::attention::AttentionLoop>),
        ..ON_CPU
    },
    LearnerEntry {
        matches: runs_of!(_, Some(Family::TokenMlp(_))),
        build: loop_builder!(prompt_net::<cpu::prompt_net::mlp::MlpLoop>),
        ..ON_CPU
    },
    LearnerEntry {
        matches: runs_of!(_, Some(Family::Gru(_))),
        autodiff_worth: |spec| {
            spec.step_flops() / spec.task.examples().prediction_count() as f64 / POSITION_WORTH_FLOPS
        },
        build: loop_builder!(prompt_net::<cpu::prompt_net::gru::GruLoop>),
        ..ON_CPU
    },
    LearnerEntry {
        matches: runs_of!(TaskData::Prompts(_) | TaskData::Points(_), Some(Family::Graph)),
        autodiff_worth: |spec| spec.step_flops() / IN_CONTEXT_WORTH_FLOPS,
        build: loop_builder!(prompt_net::<cpu::prompt_net::graph::GraphLoop>),
        ..ON_CPU
    },
    LearnerEntry {
        matches: runs_of!(_, Some(Family::InContext(_))),
        supports: |spec| cpu::in_context_net::Shape::of(spec).map(drop),
        autodiff_worth: |spec| spec.step_flops() / IN_CONTEXT_WORTH_FLOPS,
        build: loop_builder!(prompt_net::<cpu::in_context_net::InContextLoop>),
        ..ON_CPU
    },
];
