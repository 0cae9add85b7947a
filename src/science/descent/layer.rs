//! The layers of the transformer: their action on tokens, and their weights as matrices.
//!
//! ```text
//! ReLU attention    h_i + 1/(n+1) Σ_s Σ_m σ(⟨Q_m h_i, K_m h_s⟩) V_m h_s    (definition 7 of the paper, no mask, no softmax)
//! MLP               h_i + W₂ σ(W₁ h_i)                                    (definition 8)
//! product           h_i + Σ_m ⟨Q_m h_i, K_m h_i⟩ V_m h_i                   (definition 6)
//! ```
//!
//! # Why
//! A head's matrices have D² entries each, of which about a dozen are not 0, and heads of one neuron differ in two
//! numbers. So a layer is stored as the coordinates that its heads read and write, and executed from them;
//! [`DescentLayer::head_matrices`], [`DescentLayer::first_matrix`] and [`DescentLayer::second_matrix`] return the
//! matrices. Executing the matrices one by one gives bitwise equal results (a test checks it), because only products
//! with 0 are omitted and sums have the same order:
//!
//! - heads of a neuron share ⟨p, v⟩: their own factors are powers of two beside a [gain](ReluSum) that they have in common;
//! - where all tokens hold the same weights, all keys are alike and a sum over them is one number added n + 1 times;
//! - no layer reads what it writes, so that it can be written in place.

use std::ops::Range;

use super::layout::TokenLayout;
use super::matrix::{HeadMatrices, SparseMatrix};
use super::number::Precision;
use super::phase::{LayerKind, LayerPhase};
use super::relus::ReluSum;
use super::tokens::DescentTokens;

/// The heads that together write a function of ⟨v, p⟩, a neuron's pre-activation with weights v and inputs p (Wu et al.
/// 2024, equations D.7 and D.12): one head for each ReLU of the function's sum.
#[derive(Debug, Clone, PartialEq)]
pub struct NeuronHeads {
    /// Token coordinates of the neuron's inputs p, read from the query token of the attention.
    pub inputs: Range<usize>,
    /// Token coordinates of the neuron's weights v, read from the key token of the attention.
    pub weights: Range<usize>,
    /// Token coordinate to which the heads add the function's value.
    pub target: usize,
    /// Index of the function, from 0, in the list of sums of ReLUs of [`LayerWeights::Neurons`].
    pub sum_index: usize,
}

/// The two heads that update the weights of one neuron of the network in the tokens (Wu et al. 2024, equation D.16).
#[derive(Debug, Clone, PartialEq)]
pub struct WeightUpdate {
    /// Token coordinate of the neuron's backpropagated error s, which both heads read.
    pub error: usize,
    /// Token coordinates of the neuron's inputs p, by which the error is multiplied.
    pub inputs: Range<usize>,
    /// Token coordinates of the neuron's weights, which both heads change.
    pub weights: Range<usize>,
}

/// A hidden unit of an MLP layer, given by its nonzero input weights and its single output weight.
#[derive(Debug, Clone, PartialEq)]
pub struct MlpUnit {
    /// Nonzero entries of the unit's row of W₁ as pairs (token coordinate, weight), from the last coordinate to the
    /// first.
    pub reads: Vec<(usize, f64)>,
    /// Token coordinate that the unit writes. Units that write the same coordinate are adjacent.
    pub target: usize,
    /// Factor of the unit's output: its entry of W₂ in the row of the coordinate `target`.
    pub weight: f64,
}

/// A head that adds ⟨a, b⟩ c to a coordinate, where a, b and c are coordinates of the same token (Wu et al. 2024,
/// equation D.15).
#[derive(Debug, Clone, PartialEq)]
pub struct ProductHead {
    /// Token coordinates of the vector a of the product ⟨a, b⟩ c.
    pub queries: Vec<usize>,
    /// Token coordinates of the vector b of the product ⟨a, b⟩ c.
    pub keys: Range<usize>,
    /// Token coordinate of the factor c of the product ⟨a, b⟩ c.
    pub factor: usize,
    /// Token coordinate to which the head adds the product ⟨a, b⟩ c.
    pub target: usize,
}

/// The weights of one transformer layer in sparse form: those of its heads, or of its hidden units if it is an MLP.
#[derive(Debug, Clone, PartialEq)]
pub enum LayerWeights {
    /// Attention that writes functions of neurons, with the sums of ReLUs of these functions.
    Neurons(Vec<NeuronHeads>, Vec<ReluSum>),
    /// Attention that updates weights, with the factor η(n+1)/(2n).
    Updates(Vec<WeightUpdate>, f64),
    /// Hidden units of an MLP.
    Units(Vec<MlpUnit>),
    /// Heads of element-wise products.
    Products(Vec<ProductHead>),
}

/// One of the 2N + 4 transformer layers that together take one step of gradient descent on a network of N layers.
#[derive(Debug, Clone, PartialEq)]
pub struct DescentLayer {
    /// The task of the layer within a step, such as a forward layer or the loss gradient.
    pub phase: LayerPhase,
    /// The weights of the heads or hidden units of the layer.
    pub weights: LayerWeights,
    /// Dimension D of a token: its number of coordinates.
    dimension: usize,
    /// Index of the token coordinate that is always 1.
    one: usize,
}

/// The function of one head of a layer, with the entry of [`LayerWeights`] whose matrices the head has.
enum HeadRole<'a> {
    /// One ReLU of a neuron's sum, with the index of the ReLU.
    Neuron(&'a NeuronHeads, &'a ReluSum, usize),
    /// The first or second head of a weight update, with sign 1 or −1 and the factor.
    Update(&'a WeightUpdate, f64, f64),
    /// A head of an element-wise product.
    Product(&'a ProductHead),
}

impl DescentLayer {
    /// Creates the layer with the task `phase` and these weights, for tokens with this layout.
    pub(super) fn new(phase: LayerPhase, weights: LayerWeights, layout: &TokenLayout) -> Self {
        DescentLayer { phase, weights, dimension: layout.len(), one: layout.one_index() }
    }

    /// The operation of the layer: attention, MLP or element-wise products.
    pub fn kind(&self) -> LayerKind {
        self.phase.kind()
    }

    /// Number of attention or product heads; 0 in an MLP.
    pub fn head_count(&self) -> usize {
        match &self.weights {
            LayerWeights::Neurons(neurons, sums) => {
                neurons.iter().map(|neuron| sums[neuron.sum_index].len()).sum()
            }
            LayerWeights::Updates(moves, _) => 2 * moves.len(),
            LayerWeights::Units(_) => 0,
            LayerWeights::Products(products) => products.len(),
        }
    }

    /// Number of hidden units of an MLP; 0 in other layers.
    pub fn unit_count(&self) -> usize {
        if let LayerWeights::Units(units) = &self.weights { units.len() } else { 0 }
    }

    /// Number of nonzero entries of all matrices of the layer: Q, K and V of its heads, or W₁ and W₂ of an MLP.
    pub fn nonzero_count(&self) -> u64 {
        let count = match &self.weights {
            LayerWeights::Neurons(neurons, sums) => {
                let of_sum = |sum: &ReluSum| {
                    let relus = (0..sum.len()).map(|m| sum.relu(m));
                    // Number of ReLUs that read inputs, and number of single entries b and c.
                    relus.fold((0, 0), |(inputs, single), relu| {
                        let [a, b, c] = [relu.a, relu.b, relu.c].map(|x| usize::from(x != 0.0));
                        (inputs + a, single + b + c)
                    })
                };
                let (counts, lengths): (Vec<_>, Vec<_>) =
                    sums.iter().map(|sum| (of_sum(sum), sum.len())).unzip();
                let of_neuron = |neuron: &NeuronHeads| {
                    let (width, (inputs, single)) = (neuron.inputs.len(), counts[neuron.sum_index]);
                    inputs * width + single + lengths[neuron.sum_index] * (width + 1)
                };
                neurons.iter().map(of_neuron).sum::<usize>()
            }
            LayerWeights::Updates(moves, _) => moves.iter().map(|of| 2 * (2 + of.inputs.len())).sum(),
            LayerWeights::Units(units) => units.iter().map(|unit| unit.reads.len() + 1).sum(),
            LayerWeights::Products(products) => products.iter().map(|of| 2 * of.queries.len() + 1).sum(),
        };
        count as u64
    }

    /// The function of the head with the index `head`, from 0; `None` if the layer has fewer heads.
    fn head_role(&self, mut head: usize) -> Option<HeadRole<'_>> {
        match &self.weights {
            LayerWeights::Neurons(neurons, sums) => neurons.iter().find_map(|neuron| {
                let sum = &sums[neuron.sum_index];
                let found = (head < sum.len()).then_some(HeadRole::Neuron(neuron, sum, head));
                head = head.wrapping_sub(sum.len());
                found
            }),
            LayerWeights::Updates(moves, factor) => {
                let sign = if head.is_multiple_of(2) { 1.0 } else { -1.0 };
                moves.get(head / 2).map(|of| HeadRole::Update(of, sign, *factor))
            }
            LayerWeights::Units(_) => None,
            LayerWeights::Products(products) => products.get(head).map(HeadRole::Product),
        }
    }

    /// Token coordinates to which the head with the index `head`, from 0, adds; `None` if the layer has fewer heads.
    pub fn written_coordinates(&self, head: usize) -> Option<Range<usize>> {
        Some(match self.head_role(head)? {
            HeadRole::Neuron(neuron, ..) => neuron.target..neuron.target + 1,
            HeadRole::Update(of, ..) => of.weights.clone(),
            HeadRole::Product(product) => product.target..product.target + 1,
        })
    }

    /// The matrices Q, K and V of head `head`, from 0; `None` if the layer has fewer heads.
    pub fn head_matrices(&self, head: usize) -> Option<HeadMatrices> {
        let square =
            |entries: Vec<(usize, usize, f64)>| SparseMatrix::new(self.dimension, self.dimension, entries);
        let identity = |columns: &mut dyn Iterator<Item = usize>, value: f64| -> Vec<_> {
            columns.enumerate().map(|(row, column)| (row, column, value)).collect()
        };
        Some(match self.head_role(head)? {
            HeadRole::Neuron(neuron, sum, m) => {
                let (relu, last) = (sum.relu(m), neuron.inputs.len());
                let mut q = identity(&mut neuron.inputs.clone(), relu.a);
                q.push((last, self.one, relu.b));
                let mut k = identity(&mut neuron.weights.clone(), 1.0);
                k.push((last, self.one, 1.0));
                HeadMatrices {
                    q: square(q),
                    k: square(k),
                    v: square(vec![(neuron.target, self.one, relu.c)]),
                }
            }
            HeadRole::Update(of, sign, factor) => HeadMatrices {
                q: square(vec![(0, self.one, sign)]),
                k: square(vec![(0, of.error, 1.0)]),
                v: square(
                    of.weights.clone().zip(of.inputs.clone()).map(|(w, p)| (w, p, -sign * factor)).collect(),
                ),
            },
            HeadRole::Product(product) => HeadMatrices {
                q: square(identity(&mut product.queries.iter().copied(), 1.0)),
                k: square(identity(&mut product.keys.clone(), 1.0)),
                v: square(vec![(product.target, product.factor, 1.0)]),
            },
        })
    }

    /// The input weights W₁ of an MLP layer, `[units, D]`; empty in other layers.
    pub fn first_matrix(&self) -> SparseMatrix {
        let LayerWeights::Units(units) = &self.weights else {
            return SparseMatrix::new(0, self.dimension, []);
        };
        let rows = units.iter().enumerate();
        let entries =
            rows.flat_map(|(row, unit)| unit.reads.iter().map(move |(c, weight)| (row, *c, *weight)));
        SparseMatrix::new(units.len(), self.dimension, entries)
    }

    /// The output weights W₂ of an MLP layer, `[D, units]`; empty in other layers.
    pub fn second_matrix(&self) -> SparseMatrix {
        let LayerWeights::Units(units) = &self.weights else {
            return SparseMatrix::new(self.dimension, 0, []);
        };
        let entries = units.iter().enumerate().map(|(column, unit)| (unit.target, column, unit.weight));
        SparseMatrix::new(self.dimension, units.len(), entries)
    }

    /// The weight of the value of token s in the output of the head with the index `head` at token i: σ(⟨Q h_i, K h_s⟩)
    /// / (n + 1), or in a product layer ⟨Q h_i, K h_i⟩ for s = i and 0 otherwise. `[tokens, tokens]`, with row i;
    /// `None` if the layer has fewer heads.
    ///
    /// # Why
    /// A chart computes it on the page's main thread. So queries and keys are computed once per token, equal keys
    /// once, and only for the rows of Q and K that have entries.
    pub fn attention_weights<T: Precision>(
        &self,
        head: usize,
        tokens: &DescentTokens<T>,
    ) -> Option<Vec<f64>> {
        let (head, count) = (self.head_matrices(head)?, tokens.token_count());
        let all: Vec<Vec<T>> = (0..count).map(|i| tokens.token(i)).collect();
        let multiply_all = |matrix: &SparseMatrix| -> Vec<Vec<T>> {
            let rows =
                |token: &Vec<T>| matrix.multiply(token).into_iter().take(head.used_row_count()).collect();
            all.iter().map(rows).collect()
        };
        let (queries, keys) = (multiply_all(&head.q), multiply_all(&head.k));
        let mut weights = vec![0.0; count * count];
        if self.kind() == LayerKind::Product {
            let pairs = queries.iter().zip(&keys).enumerate();
            pairs.for_each(|(i, (query, key))| weights[i * count + i] = inner_product(query, key).to_f64());
            return Some(weights);
        }
        let is_new: Vec<bool> = (0..count).map(|s| s == 0 || keys[s] != keys[s - 1]).collect();
        for (query, row) in queries.iter().zip(weights.chunks_mut(count.max(1))) {
            let mut weight = 0.0;
            for (s, to) in row.iter_mut().enumerate() {
                if is_new[s] {
                    weight = (inner_product(query, &keys[s]).relu() / T::from_f64(count as f64)).to_f64();
                }
                *to = weight;
            }
        }
        Some(weights)
    }

    /// Number of parts of the layer that can be executed one after the other: one for each neuron if the layer writes
    /// functions of neurons, otherwise 1.
    pub fn part_count(&self) -> usize {
        if let LayerWeights::Neurons(neurons, _) = &self.weights { neurons.len() } else { 1 }
    }

    /// Adds the layer's output to all tokens, in place.
    pub fn apply<T: Precision>(&self, tokens: &mut DescentTokens<T>) {
        self.apply_parts(0..self.part_count(), tokens);
    }

    /// Applies the parts of the layer with the indices `parts`, from 0, to all tokens; see
    /// [`DescentLayer::part_count`]. A range that ends beyond the last part changes nothing.
    pub fn apply_parts<T: Precision>(&self, parts: Range<usize>, tokens: &mut DescentTokens<T>) {
        match &self.weights {
            LayerWeights::Neurons(neurons, sums) => {
                write_neurons(neurons.get(parts).unwrap_or(&[]), sums, tokens);
            }
            _ if parts != (0..1) => {}
            LayerWeights::Updates(moves, factor) => update_weights(moves, T::from_f64(*factor), tokens),
            LayerWeights::Units(units) => write_units(units, tokens),
            LayerWeights::Products(products) => write_products(products, tokens),
        }
    }
}

/// The inner product ⟨a, b⟩ of two vectors of equal length.
fn inner_product<T: Precision>(a: &[T], b: &[T]) -> T {
    #[cfg(test)]
    DOT_PRODUCTS.set(DOT_PRODUCTS.get() + a.len());
    let mut sum = T::default();
    a.iter().zip(b).for_each(|(a, b)| sum += *a * *b);
    sum
}

#[cfg(test)]
thread_local! {
    /// Number of multiplications in inner products of queries and keys that this thread has computed, for tests.
    static DOT_PRODUCTS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Adds the vector `row` to the vector `to`, entry by entry.
#[inline(always)]
fn add_row<T: Precision>(to: &mut [T], row: &[T]) {
    to.iter_mut().zip(row).for_each(|(to, x)| *to += *x);
}

/// Executes the heads that write functions of neurons: adds 1/(n+1) Σ_s Σ_m c_m σ(a_m ⟨p, v_s⟩ + b_m), over tokens s
/// with neuron weights v_s and over the ReLUs m of the neuron's entry in `sums`, to the target coordinate of each
/// neuron.
fn write_neurons<T: Precision>(neurons: &[NeuronHeads], sums: &[ReluSum], tokens: &mut DescentTokens<T>) {
    let count = tokens.token_count();
    let [mut z, mut sum, mut total] = [0; 3].map(|_| vec![T::default(); count]);
    for neuron in neurons {
        let relus = &sums[neuron.sum_index];
        let gain: T = relus.gain();
        // Keys depend on the weights only.
        let (keys, times) =
            if tokens.are_equal_in_all_tokens(neuron.weights.clone()) { (1, count) } else { (count, 1) };
        total.fill(T::default());
        for s in 0..keys {
            z.fill(T::default());
            for (p, w) in neuron.inputs.clone().zip(neuron.weights.clone()) {
                let weight = tokens.row(w)[s];
                for (z, p) in z.iter_mut().zip(tokens.row(p)) {
                    *z += gain * *p * weight;
                }
            }
            relus.evaluate_scaled(&z, &mut sum);
            (0..times).for_each(|_| add_row(&mut total, &sum));
        }
        let count = T::from_f64(count as f64);
        tokens.row_mut(neuron.target).iter_mut().zip(&total).for_each(|(h, total)| *h += *total / count);
    }
}

/// Executes the heads that update weights: adds `factor`/(n+1) Σ_i (σ(−s_i) − σ(s_i)) p_i over the tokens i, with
/// neuron error s_i and neuron inputs p_i, to the neuron's weights in every token.
fn update_weights<T: Precision>(updates: &[WeightUpdate], factor: T, tokens: &mut DescentTokens<T>) {
    let count = T::from_f64(tokens.token_count() as f64);
    for update in updates {
        // The first head handles positive errors, the second negative ones. All tokens have the same query.
        let scores: Vec<(T, T)> = tokens.row(update.error).iter().map(|s| (s.relu(), (-*s).relu())).collect();
        for (p, w) in update.inputs.clone().zip(update.weights.clone()) {
            let mut total = T::default();
            for (p, (above, below)) in tokens.row(p).iter().zip(&scores) {
                total += *above * (-factor * *p) + *below * (factor * *p);
            }
            let change = total / count;
            tokens.row_mut(w).iter_mut().for_each(|w| *w += change);
        }
    }
}

/// Adds the output of the hidden units of an MLP layer to each token, in place.
fn write_units<T: Precision>(units: &[MlpUnit], tokens: &mut DescentTokens<T>) {
    let [mut z, mut total] = [0; 2].map(|_| vec![T::default(); tokens.token_count()]);
    for of_one in units.chunk_by(|a, b| a.target == b.target) {
        total.fill(T::default());
        for unit in of_one {
            z.fill(T::default());
            for (c, weight) in &unit.reads {
                let weight = T::from_f64(*weight);
                z.iter_mut().zip(tokens.row(*c)).for_each(|(z, h)| *z += weight * *h);
            }
            let weight = T::from_f64(unit.weight);
            total.iter_mut().zip(&z).for_each(|(total, z)| *total += weight * z.relu());
        }
        add_row(tokens.row_mut(of_one[0].target), &total);
    }
}

/// Adds the product ⟨a, b⟩ c of each head to its target coordinate of each token, in place.
fn write_products<T: Precision>(products: &[ProductHead], tokens: &mut DescentTokens<T>) {
    let mut score = vec![T::default(); tokens.token_count()];
    for product in products {
        score.fill(T::default());
        for (q, k) in product.queries.iter().zip(product.keys.clone()) {
            let pairs = tokens.row(*q).iter().zip(tokens.row(k));
            score.iter_mut().zip(pairs).for_each(|(score, (q, k))| *score += *q * *k);
        }
        score.iter_mut().zip(tokens.row(product.factor)).for_each(|(score, c)| *score = *score * *c);
        add_row(tokens.row_mut(product.target), &score);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descent::{Activation, ConstructedTransformer, DescentNetwork, DescentPlan, DescentPrompts};

    #[test]
    fn attention_weights_match_all_pairs_with_few_products() {
        let examples = DescentPrompts { examples: 30, ..DescentPrompts::default() }.draw_examples(0, 0);
        for activation in [Activation::Relu, Activation::Tanh] {
            let network = DescentNetwork { hidden: vec![20, 3], activation, ..DescentNetwork::default() };
            let plan = DescentPlan { network, ..DescentPlan::default() };
            let transformer = ConstructedTransformer::new(&plan, &examples);
            let tokens = transformer.tokens::<f64>(&examples, &plan.network.draw_weights(0, 0, 1.0));
            let states = transformer.trace(tokens);
            for (layer, tokens) in transformer.layers().iter().zip(&states) {
                for place in [0, 2] {
                    let Some(head) = layer.head_matrices(place) else { continue };
                    let before = DOT_PRODUCTS.get();
                    let weights = layer.attention_weights(place, tokens).unwrap();
                    // A neuron of the second layer has 20 inputs and the number 1; a move has one number, and 31 keys.
                    assert!(DOT_PRODUCTS.get() - before <= 31 * 31, "{:?}", layer.phase);
                    let all: Vec<Vec<f64>> = (0..31).map(|i| tokens.token(i)).collect();
                    for (at, look) in weights.into_iter().enumerate() {
                        let (i, s) = (at / 31, at % 31);
                        let product = head.score(&all[i], &all[s]);
                        let expected = match layer.kind() {
                            LayerKind::Product if i != s => 0.0,
                            LayerKind::Product => product,
                            _ => product.relu() / 31.0,
                        };
                        assert_eq!(look, expected, "{:?} {i} {s}", layer.phase);
                    }
                }
            }
        }
    }
}
