//! The function f that gives the labels of one prompt.

use super::network::{BiasFreeNetwork, ForwardWorkspace};
use super::normals::append_normals;
use super::{FunctionClass, FunctionPrompts};
use vivarium_core::math::dot;
use vivarium_core::rng::RandomStream;

/// A function from an input vector `[inputs]` to a label, drawn for one prompt from a class such as linear functions.
#[derive(Debug, Clone, PartialEq)]
pub enum PromptFunction {
    /// ⟨w, x⟩ with weights w, `[inputs]`.
    Linear(Vec<f64>),
    /// A full binary decision tree: each node branches on the sign of one input coordinate, and each leaf has a
    /// value.
    Tree {
        /// Input coordinate of each inner node, from the root on, level by level.
        split_features: Vec<usize>,
        /// Values of the leaves; the first child of a node is for negative coordinates.
        leaves: Vec<f64>,
    },
    /// A network of ReLUs.
    Network(BiasFreeNetwork),
}

impl PromptFunction {
    /// Draws a function of the class `prompts.class`, from the random words of `stream` at step number `step`.
    pub fn draw(prompts: &FunctionPrompts, stream: &RandomStream, step: u64) -> Self {
        let FunctionPrompts { dim, layers, hidden, .. } = *prompts;
        let mut numbers = vec![];
        match prompts.class {
            FunctionClass::Linear => {
                append_normals(stream, step, 0, prompts.inputs(), &mut numbers);
                PromptFunction::Linear(numbers)
            }
            FunctionClass::Sparse => {
                // Floyd's algorithm for a random subset.
                let (count, mut chosen) = (prompts.sparsity.min(dim), vec![]);
                for (at, top) in (0..).zip(dim - count..dim) {
                    let pick = stream.draw_below(step, at, top as u32 + 1) as usize;
                    chosen.push(if chosen.contains(&pick) { top } else { pick });
                }
                append_normals(stream, step, count.next_multiple_of(2) as u32, count, &mut numbers);
                let mut weights = vec![0.0; prompts.inputs()];
                chosen.iter().zip(numbers).for_each(|(place, weight)| weights[*place] = weight);
                PromptFunction::Linear(weights)
            }
            FunctionClass::Tree => {
                let leaves = 1u32 << prompts.depth;
                let places = (1..leaves).map(|at| stream.draw_below(step, at, dim as u32) as usize).collect();
                append_normals(stream, step, leaves, leaves as usize, &mut numbers);
                PromptFunction::Tree { split_features: places, leaves: numbers }
            }
            FunctionClass::Network => {
                PromptFunction::Network(BiasFreeNetwork::draw(prompts.inputs(), layers, hidden, stream, step))
            }
        }
    }

    /// Computes the function's value f(x) at the input `x`, `[inputs]`.
    pub fn evaluate(&self, x: &[f64]) -> f64 {
        self.evaluate_with(x, &mut ForwardWorkspace::default())
    }

    /// Computes the function's value f(x) at the input `x`, `[inputs]`, with a workspace that is reused between calls.
    pub fn evaluate_with(&self, x: &[f64], workspace: &mut ForwardWorkspace) -> f64 {
        match self {
            PromptFunction::Linear(weights) => dot(weights, x),
            PromptFunction::Tree { split_features: places, leaves } => {
                let mut node = 0;
                while let Some(place) = places.get(node) {
                    node = 2 * node + 1 + usize::from(x[*place] > 0.0);
                }
                leaves[node - places.len()]
            }
            PromptFunction::Network(network) => network.compute_output(x, workspace),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_core::rng::Purpose;

    fn draw(prompts: &FunctionPrompts, example: u64) -> PromptFunction {
        PromptFunction::draw(prompts, &RandomStream::new(2, Purpose::Function, 0), example)
    }

    #[test]
    fn sparse_functions_have_the_stated_number_of_weights_at_any_index() {
        let prompts = FunctionPrompts {
            class: FunctionClass::Sparse,
            dim: 5,
            constant: true,
            sparsity: 2,
            ..FunctionPrompts::default()
        };
        let mut counts = [0; 6];
        for example in 0..2000 {
            let PromptFunction::Linear(weights) = draw(&prompts, example) else { panic!("not linear") };
            let places: Vec<usize> = (0..6).filter(|at| weights[*at] != 0.0).collect();
            assert_eq!(places.len(), 2);
            places.into_iter().for_each(|place| counts[place] += 1);
        }
        assert_eq!(counts[5], 0, "the constant has no weight");
        assert!(counts[..5].iter().all(|count| (700..900).contains(count)), "{counts:?}");
    }

    #[test]
    fn a_tree_matches_hand_computation() {
        let tree =
            PromptFunction::Tree { split_features: vec![1, 0, 2], leaves: vec![10.0, 11.0, 12.0, 13.0] };
        assert_eq!(tree.evaluate(&[-1.0, -1.0, 9.0]), 10.0);
        assert_eq!(tree.evaluate(&[1.0, -1.0, -9.0]), 11.0);
        assert_eq!(tree.evaluate(&[1.0, 1.0, 0.0]), 12.0);
        assert_eq!(tree.evaluate(&[-1.0, 1.0, 0.5]), 13.0);
    }

    #[test]
    fn trees_split_on_every_coordinate_except_the_constant() {
        let prompts = FunctionPrompts {
            class: FunctionClass::Tree,
            dim: 4,
            constant: true,
            depth: 3,
            ..FunctionPrompts::default()
        };
        let mut counts = [0; 5];
        for example in 0..400 {
            let PromptFunction::Tree { split_features: places, leaves } = draw(&prompts, example) else {
                panic!("no tree")
            };
            assert_eq!((places.len(), leaves.len()), (7, 8));
            places.into_iter().for_each(|place| counts[place] += 1);
        }
        assert!(counts[4] == 0 && counts[..4].iter().all(|count| (600..800).contains(count)), "{counts:?}");
    }
}
