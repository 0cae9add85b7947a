//! The loop of networks on numbers that are described by a graph of operators with one output: hidden layers one after the other
//! ([`DeepMlp`](vivarium_model::models::deep_mlp::DeepMlp)), and [`Mlp`](vivarium_model::models::mlp::Mlp) where its inputs are not
//! drawn as bits.

use super::OutputLoop;
use crate::cpu::one_hidden_layer::Row;
use vivarium_model::run::RunSpec;
use vivarium_operators::simd::BLOCK;
use vivarium_operators::{Examples, Executor, Graph};

/// The loop.
pub struct GraphLoop {
    /// Executor of each stage of training.
    stages: Vec<Executor>,
    /// Which parameters each stage trains.
    trained: Vec<Vec<bool>>,
    /// Numbers of an example.
    inputs: usize,
}

impl GraphLoop {
    /// The loop of a graph for each stage.
    ///
    /// # Errors
    /// A sentence that says which part has no form in vectors.
    pub(super) fn new(graphs: &[Graph], inputs: usize) -> Result<Self, String> {
        let executor = |graph: &Graph| -> Result<Executor, String> {
            let mut executor = Executor::new(&graph.rewritten())?;
            executor.allocate_gradients();
            Ok(executor)
        };
        let trained = |graph: &Graph| graph.parameters().iter().map(|own| own.is_trained).collect();
        Ok(GraphLoop {
            stages: graphs.iter().map(executor).collect::<Result<Vec<_>, _>>()?,
            trained: graphs.iter().map(trained).collect(),
            inputs,
        })
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
        GraphLoop::new(&graphs, examples.inputs())
    }

    fn trains(&self, which: usize, stage: usize) -> bool {
        self.trained[stage][which]
    }

    fn load(&mut self, weights: &[Vec<Row>], stage: usize) {
        self.stages[stage].load(weights);
    }

    fn gradient(
        &mut self,
        x: &[f32],
        stage: usize,
        slope: impl FnMut(usize, f32) -> f32,
        gradient: &mut [Vec<Row>],
    ) {
        let examples = Examples { numbers: x, symbols: &[] };
        self.stages[stage].gradient_of_outputs(examples, slope, gradient);
    }

    fn outputs(&mut self, x: &[f32], stage: usize, out: &mut Vec<f32>) {
        let executor = &mut self.stages[stage];
        for numbers in x.chunks(BLOCK * self.inputs) {
            executor.forward(Examples { numbers, symbols: &[] });
            let count = numbers.len() / self.inputs;
            out.extend((0..count).flat_map(|example| executor.output(example).next()));
        }
    }
}
