//! The loop of networks on prompts that are described by a graph of operators.

use super::PromptLoop;
use crate::cpu::one_hidden_layer::Row;
use vivarium_model::models::graph_prompts::PromptInput;
use vivarium_model::models::prompts::CODES;
use vivarium_model::run::RunSpec;
use vivarium_operators::{Examples, Executor};

/// The executor of a network, and the prompts that it reads.
pub struct GraphLoop {
    executor: Executor,
    input: PromptInput,
    /// The codes of positions; empty for prompts without codes.
    codes: Vec<f32>,
    /// Tokens of prompts, `[prompts, tokens, size]`.
    tokens: Vec<f32>,
}

impl PromptLoop for GraphLoop {
    fn of(spec: &RunSpec) -> Result<Self, String> {
        let input = PromptInput::of(&spec.task.data());
        let input = input.ok_or_else(|| format!("its task is {}", spec.task.info().name))?;
        let graph = spec.architecture().graph(spec.task.examples().inputs(), 0);
        let graph = graph.ok_or_else(|| format!("its model is {}", spec.model.info().name))?;
        let mut executor = Executor::new(&graph.rewritten())?;
        executor.allocate_gradients();
        Ok(GraphLoop { executor, input, codes: vec![], tokens: vec![] })
    }

    fn load(&mut self, weights: &[Vec<Row>]) {
        if let Some([rows, columns]) = self.input.codes() {
            self.codes.clear();
            self.codes.extend(weights[CODES].iter().flat_map(|row| row.0).take(rows * columns));
        }
        self.executor.load(weights);
    }

    fn gradient(&mut self, rows: &[f32], gradient: &mut [Vec<Row>]) {
        let GraphLoop { executor, input, codes, tokens } = self;
        tokens.clear();
        input.append_tokens(codes, rows, tokens);
        let (distance, length) = (input.label_distance(), input.row_len());
        let labels = input.tokens() / distance;
        let scale = 2.0 / (rows.len() / length * labels).max(1) as f32;
        let derivative = |sample: usize, output: f32| {
            if !sample.is_multiple_of(distance) {
                return 0.0;
            }
            let (prompt, label) = (sample / distance / labels, sample / distance % labels);
            let own = input.labels(&rows[prompt * length..][..length]);
            (output - own[label]) * scale
        };
        executor.gradient_of_outputs(Examples::of_numbers(tokens), derivative, gradient);
    }

    fn outputs(&mut self, rows: &[f32], out: &mut Vec<f32>) {
        let (count, distance) = (self.input.tokens(), self.input.label_distance());
        for rows in rows.chunks(self.input.row_len() * self.executor.block()) {
            self.tokens.clear();
            self.input.append_tokens(&self.codes, rows, &mut self.tokens);
            self.executor.forward(Examples::of_numbers(&self.tokens));
            let samples = (0..rows.len() / self.input.row_len() * count).step_by(distance);
            out.extend(samples.flat_map(|sample| self.executor.output(sample).next()));
        }
    }
}
