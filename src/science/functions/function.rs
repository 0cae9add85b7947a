//! The function of one prompt.

use super::network::{Network, Scratch};
use super::normals::normals;
use super::{Class, FunctionPrompts};
use vivarium_core::math::dot;
use vivarium_core::rng::Stream;

/// A function of `inputs` numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum Function {
    /// ⟨w, x⟩.
    Linear(Vec<f64>),
    /// A full binary tree: at every node the sign of one number of the input decides, and a leaf is the value.
    Tree {
        /// Which number each node looks at, from the root on, level by level.
        places: Vec<usize>,
        /// Values of the leaves, from the side of negative numbers.
        leaves: Vec<f64>,
    },
    /// A network of ReLUs.
    Network(Network),
}

impl Function {
    /// The function that the words of `step` give.
    pub fn draw(prompts: &FunctionPrompts, stream: &Stream, step: u64) -> Self {
        let FunctionPrompts { dim, layers, hidden, .. } = *prompts;
        let mut numbers = vec![];
        match prompts.class {
            Class::Linear => {
                normals(stream, step, 0, prompts.inputs(), &mut numbers);
                Function::Linear(numbers)
            }
            Class::Sparse => {
                // Floyd's algorithm, as the stream's own subsets are drawn.
                let (count, mut chosen) = (prompts.sparsity.min(dim), vec![]);
                for (at, top) in (0..).zip(dim - count..dim) {
                    let pick = stream.below(step, at, top as u32 + 1) as usize;
                    chosen.push(if chosen.contains(&pick) { top } else { pick });
                }
                normals(stream, step, count.next_multiple_of(2) as u32, count, &mut numbers);
                let mut weights = vec![0.0; prompts.inputs()];
                chosen.iter().zip(numbers).for_each(|(place, weight)| weights[*place] = weight);
                Function::Linear(weights)
            }
            Class::Tree => {
                let leaves = 1u32 << prompts.depth;
                let places = (1..leaves).map(|at| stream.below(step, at, dim as u32) as usize).collect();
                normals(stream, step, leaves, leaves as usize, &mut numbers);
                Function::Tree { places, leaves: numbers }
            }
            Class::Network => {
                Function::Network(Network::draw(prompts.inputs(), layers, hidden, stream, step))
            }
        }
    }

    /// The value at an input.
    pub fn at(&self, x: &[f64]) -> f64 {
        self.value(x, &mut Scratch::default())
    }

    /// The same with room that is used again.
    pub fn value(&self, x: &[f64], scratch: &mut Scratch) -> f64 {
        match self {
            Function::Linear(weights) => dot(weights, x),
            Function::Tree { places, leaves } => {
                let mut node = 0;
                while let Some(place) = places.get(node) {
                    node = 2 * node + 1 + usize::from(x[*place] > 0.0);
                }
                leaves[node - places.len()]
            }
            Function::Network(network) => network.output(x, scratch),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_core::rng::Purpose;

    fn draw(prompts: &FunctionPrompts, example: u64) -> Function {
        Function::draw(prompts, &Stream::new(2, Purpose::Function, 0), example)
    }

    #[test]
    fn sparse_functions_have_so_many_weights_and_every_place_is_drawn() {
        let prompts = FunctionPrompts {
            class: Class::Sparse,
            dim: 5,
            constant: true,
            sparsity: 2,
            ..FunctionPrompts::default()
        };
        let mut counts = [0; 6];
        for example in 0..2000 {
            let Function::Linear(weights) = draw(&prompts, example) else { panic!("not linear") };
            let places: Vec<usize> = (0..6).filter(|at| weights[*at] != 0.0).collect();
            assert_eq!(places.len(), 2);
            places.into_iter().for_each(|place| counts[place] += 1);
        }
        assert_eq!(counts[5], 0, "the constant has no weight");
        assert!(counts[..5].iter().all(|count| (700..900).contains(count)), "{counts:?}");
    }

    #[test]
    fn a_tree_by_hand() {
        let tree = Function::Tree { places: vec![1, 0, 2], leaves: vec![10.0, 11.0, 12.0, 13.0] };
        assert_eq!(tree.at(&[-1.0, -1.0, 9.0]), 10.0);
        assert_eq!(tree.at(&[1.0, -1.0, -9.0]), 11.0);
        assert_eq!(tree.at(&[1.0, 1.0, 0.0]), 12.0);
        assert_eq!(tree.at(&[-1.0, 1.0, 0.5]), 13.0);
    }

    #[test]
    fn trees_look_at_every_number_but_the_constant() {
        let prompts = FunctionPrompts {
            class: Class::Tree,
            dim: 4,
            constant: true,
            depth: 3,
            ..FunctionPrompts::default()
        };
        let mut counts = [0; 5];
        for example in 0..400 {
            let Function::Tree { places, leaves } = draw(&prompts, example) else { panic!("no tree") };
            assert_eq!((places.len(), leaves.len()), (7, 8));
            places.into_iter().for_each(|place| counts[place] += 1);
        }
        assert!(counts[4] == 0 && counts[..4].iter().all(|count| (600..800).contains(count)), "{counts:?}");
    }
}
