//! The loop of networks on numbers that are described by a graph of operators with one output:
//! [`DeepMlp`](vivarium_model::models::deep_mlp::DeepMlp), [`Perceptron`](vivarium_model::models::perceptron::Perceptron),
//! [`DisjointPolynet`](vivarium_model::models::disjoint_polynet::DisjointPolynet), [`Mlp`](vivarium_model::models::mlp::Mlp) and
//! [`Polynet`](vivarium_model::models::polynet::Polynet) where their inputs are not drawn as bits, and
//! [`OwnNetwork`](vivarium_model::models::own::OwnNetwork) on numbers.

use super::OutputLoop;
use crate::cpu::one_hidden_layer::Row;
use vivarium_model::run::RunSpec;
use vivarium_operators::simd::BLOCK;
use vivarium_operators::{Examples, Executor, Graph};

/// The loop.
pub struct GraphLoop {
    /// The graph of each stage of training.
    graphs: Vec<Graph>,
    /// The stage of which the executor is.
    stage: usize,
    executor: Executor,
    /// Numbers of an example.
    inputs: usize,
}

/// The executor of a graph.
///
/// # Errors
/// A sentence that says which part has no form in vectors, or that there is more than one output.
fn executor(graph: &Graph) -> Result<Executor, String> {
    if graph.output().shape.columns != 1 {
        return Err("it has more than one output".into());
    }
    let mut executor = Executor::new(&graph.rewritten())?;
    executor.allocate_gradients();
    Ok(executor)
}

impl GraphLoop {
    /// The loop of a graph for each stage.
    ///
    /// # Errors
    /// As [`executor`].
    pub(super) fn new(graphs: Vec<Graph>, inputs: usize) -> Result<Self, String> {
        let first = graphs.first().ok_or("it has no stage of training")?;
        Ok(GraphLoop { executor: executor(first)?, graphs, stage: 0, inputs })
    }
}

impl OutputLoop for GraphLoop {
    fn of(spec: &RunSpec) -> Result<Self, String> {
        let (examples, network) = (spec.task.examples(), spec.architecture());
        if examples.classes().is_some() {
            return Err(format!("its task is {}", spec.task.info().name));
        }
        let graphs = (0..network.stages()).map(|stage| network.graph(examples.inputs(), stage));
        let graphs = graphs.collect::<Option<Vec<_>>>();
        let graphs = graphs.ok_or_else(|| format!("its model is {}", spec.model.info().name))?;
        GraphLoop::new(graphs, examples.inputs())
    }

    fn trains(&self, which: usize, stage: usize) -> bool {
        self.graphs[stage].parameters()[which].is_trained
    }

    /// The executor of another stage replaces the present one, so that only one of them takes memory.
    fn load(&mut self, weights: &[Vec<Row>], stage: usize) {
        if stage != self.stage {
            self.executor = match executor(&self.graphs[stage]) {
                Ok(executor) => executor,
                Err(why) => unreachable!("stages differ in the layer that is read alone: {why}"),
            };
            self.stage = stage;
        }
        self.executor.load(weights);
    }

    fn gradient(
        &mut self,
        x: &[f32],
        _stage: usize,
        slope: impl FnMut(usize, f32) -> f32,
        gradient: &mut [Vec<Row>],
    ) {
        self.executor.gradient_of_outputs(Examples::of_numbers(x), slope, gradient);
    }

    fn outputs(&mut self, x: &[f32], _stage: usize, out: &mut Vec<f32>) {
        for numbers in x.chunks(BLOCK * self.inputs) {
            self.executor.forward(Examples::of_numbers(numbers));
            let count = numbers.len() / self.inputs;
            out.extend((0..count).flat_map(|example| self.executor.output(example).next()));
        }
    }
}
