//! The layers: what they do to tokens, and their weights as matrices.
//!
//! ```text
//! ReLU attention    h_i + 1/(n+1) Σ_s Σ_m σ(⟨Q_m h_i, K_m h_s⟩) V_m h_s    (definition 7 of the paper, no mask, no softmax)
//! MLP               h_i + W₂ σ(W₁ h_i)                                    (definition 8)
//! product           h_i + Σ_m ⟨Q_m h_i, K_m h_i⟩ V_m h_i                   (definition 6)
//! ```
//!
//! # Why
//! A head's matrices have D² entries each and a dozen that are not 0, and heads of one neuron differ in two numbers. So a
//! layer is kept as what its heads read and write, and executed from that; [`Layer::head`], [`Layer::first`] and
//! [`Layer::second`] write the matrices down. Executing these one by one gives the same numbers to the last bit (a test does
//! it), since what is left out are products with 0, and sums are made in the same order:
//!
//! - heads of a neuron share ⟨p, v⟩: their own factors are powers of two beside a [gain](Relus) that they have in common;
//! - where all tokens hold the same weights, all keys are alike and a sum over them is one number added n + 1 times;
//! - no layer reads what it writes, so that it can be written in place.

use std::ops::Range;

use super::layout::Layout;
use super::matrix::{Head, Matrix};
use super::number::Number;
use super::phase::{Kind, Phase};
use super::relus::Relus;
use super::tokens::Tokens;

/// Heads that together write a function of ⟨v, p⟩ (equations D.7 and D.12): one for each ReLU of the function's sum.
#[derive(Debug, Clone, PartialEq)]
pub struct Neuron {
    /// Where p stands, in the query.
    pub inputs: Range<usize>,
    /// Where v stands, in the key.
    pub weights: Range<usize>,
    /// What is written.
    pub to: usize,
    /// Which sum of the layer the function is.
    pub sum: usize,
}

/// Two heads that move the weights of a neuron (equation D.16).
#[derive(Debug, Clone, PartialEq)]
pub struct Move {
    /// Where the neuron's error stands.
    pub error: usize,
    /// Where its inputs stand.
    pub inputs: Range<usize>,
    /// Where its weights stand.
    pub weights: Range<usize>,
}

/// A hidden unit of an MLP.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    /// Its row of W₁: coordinates, from the last to the first, and weights.
    pub reads: Vec<(usize, f64)>,
    /// The coordinate that it writes; units that write the same one follow each other.
    pub to: usize,
    /// Its entry of W₂ there.
    pub weight: f64,
}

/// A head that writes ⟨a, b⟩ c of numbers of one token (equation D.15).
#[derive(Debug, Clone, PartialEq)]
pub struct Product {
    /// Where a stands.
    pub queries: Vec<usize>,
    /// Where b stands.
    pub keys: Range<usize>,
    /// Where c stands.
    pub factor: usize,
    /// What is written.
    pub to: usize,
}

/// What a layer's weights say.
#[derive(Debug, Clone, PartialEq)]
pub enum Weights {
    /// Attention that writes functions of neurons, with the sums of ReLUs that these are.
    Neurons(Vec<Neuron>, Vec<Relus>),
    /// Attention that moves weights, with the factor η(n+1)/(2n).
    Moves(Vec<Move>, f64),
    /// Units of an MLP.
    Units(Vec<Unit>),
    /// Products.
    Products(Vec<Product>),
}

/// One of the 2N + 4 layers of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// What it does.
    pub phase: Phase,
    /// Its weights.
    pub weights: Weights,
    /// Numbers D of a token.
    dimension: usize,
    /// The coordinate that is 1.
    one: usize,
}

/// A head of a layer, by what it belongs to.
enum Place<'a> {
    /// A ReLU of a neuron's sum.
    Neuron(&'a Neuron, &'a Relus, usize),
    /// The first or second head of a move, with ±1 and the factor.
    Move(&'a Move, f64, f64),
    Product(&'a Product),
}

impl Layer {
    pub(super) fn new(phase: Phase, weights: Weights, layout: &Layout) -> Self {
        Layer { phase, weights, dimension: layout.len(), one: layout.one() }
    }

    /// What kind of layer it is.
    pub fn kind(&self) -> Kind {
        self.phase.kind()
    }

    /// Attention heads, or heads of products; 0 in an MLP.
    pub fn heads(&self) -> usize {
        match &self.weights {
            Weights::Neurons(neurons, sums) => neurons.iter().map(|neuron| sums[neuron.sum].len()).sum(),
            Weights::Moves(moves, _) => 2 * moves.len(),
            Weights::Units(_) => 0,
            Weights::Products(products) => products.len(),
        }
    }

    /// Hidden units; 0 but in an MLP.
    pub fn units(&self) -> usize {
        if let Weights::Units(units) = &self.weights { units.len() } else { 0 }
    }

    /// Entries of all its matrices that are not 0.
    pub fn entries(&self) -> u64 {
        let count = match &self.weights {
            Weights::Neurons(neurons, sums) => {
                let of_sum = |sum: &Relus| {
                    let relus = (0..sum.len()).map(|m| sum.relu(m));
                    // How many have inputs, and how many single entries of b and c there are.
                    relus.fold((0, 0), |(inputs, single), relu| {
                        let [a, b, c] = [relu.a, relu.b, relu.c].map(|x| usize::from(x != 0.0));
                        (inputs + a, single + b + c)
                    })
                };
                let (counts, lengths): (Vec<_>, Vec<_>) =
                    sums.iter().map(|sum| (of_sum(sum), sum.len())).unzip();
                let of_neuron = |neuron: &Neuron| {
                    let (width, (inputs, single)) = (neuron.inputs.len(), counts[neuron.sum]);
                    inputs * width + single + lengths[neuron.sum] * (width + 1)
                };
                neurons.iter().map(of_neuron).sum::<usize>()
            }
            Weights::Moves(moves, _) => moves.iter().map(|of| 2 * (2 + of.inputs.len())).sum(),
            Weights::Units(units) => units.iter().map(|unit| unit.reads.len() + 1).sum(),
            Weights::Products(products) => products.iter().map(|of| 2 * of.queries.len() + 1).sum(),
        };
        count as u64
    }

    fn place(&self, mut head: usize) -> Option<Place<'_>> {
        match &self.weights {
            Weights::Neurons(neurons, sums) => neurons.iter().find_map(|neuron| {
                let sum = &sums[neuron.sum];
                let found = (head < sum.len()).then_some(Place::Neuron(neuron, sum, head));
                head = head.wrapping_sub(sum.len());
                found
            }),
            Weights::Moves(moves, factor) => {
                let sign = if head.is_multiple_of(2) { 1.0 } else { -1.0 };
                moves.get(head / 2).map(|of| Place::Move(of, sign, *factor))
            }
            Weights::Units(_) => None,
            Weights::Products(products) => products.get(head).map(Place::Product),
        }
    }

    /// The coordinates that a head writes; none where the layer has no such head.
    pub fn writes(&self, head: usize) -> Option<Range<usize>> {
        Some(match self.place(head)? {
            Place::Neuron(neuron, ..) => neuron.to..neuron.to + 1,
            Place::Move(of, ..) => of.weights.clone(),
            Place::Product(product) => product.to..product.to + 1,
        })
    }

    /// The matrices of a head, from 0; none where the layer has no such head.
    pub fn head(&self, head: usize) -> Option<Head> {
        let square = |entries: Vec<(usize, usize, f64)>| Matrix::new(self.dimension, self.dimension, entries);
        let identity = |columns: &mut dyn Iterator<Item = usize>, value: f64| -> Vec<_> {
            columns.enumerate().map(|(row, column)| (row, column, value)).collect()
        };
        Some(match self.place(head)? {
            Place::Neuron(neuron, sum, m) => {
                let (relu, last) = (sum.relu(m), neuron.inputs.len());
                let mut q = identity(&mut neuron.inputs.clone(), relu.a);
                q.push((last, self.one, relu.b));
                let mut k = identity(&mut neuron.weights.clone(), 1.0);
                k.push((last, self.one, 1.0));
                Head { q: square(q), k: square(k), v: square(vec![(neuron.to, self.one, relu.c)]) }
            }
            Place::Move(of, sign, factor) => Head {
                q: square(vec![(0, self.one, sign)]),
                k: square(vec![(0, of.error, 1.0)]),
                v: square(
                    of.weights.clone().zip(of.inputs.clone()).map(|(w, p)| (w, p, -sign * factor)).collect(),
                ),
            },
            Place::Product(product) => Head {
                q: square(identity(&mut product.queries.iter().copied(), 1.0)),
                k: square(identity(&mut product.keys.clone(), 1.0)),
                v: square(vec![(product.to, product.factor, 1.0)]),
            },
        })
    }

    /// W₁ of an MLP, `[units, D]`; empty in other layers.
    pub fn first(&self) -> Matrix {
        let Weights::Units(units) = &self.weights else { return Matrix::new(0, self.dimension, []) };
        let rows = units.iter().enumerate();
        let entries =
            rows.flat_map(|(row, unit)| unit.reads.iter().map(move |(c, weight)| (row, *c, *weight)));
        Matrix::new(units.len(), self.dimension, entries)
    }

    /// W₂ of an MLP, `[D, units]`; empty in other layers.
    pub fn second(&self) -> Matrix {
        let Weights::Units(units) = &self.weights else { return Matrix::new(self.dimension, 0, []) };
        let entries = units.iter().enumerate().map(|(column, unit)| (unit.to, column, unit.weight));
        Matrix::new(self.dimension, units.len(), entries)
    }

    /// How much each token, row by row, takes of what every token offers to this head: σ(⟨Q h_i, K h_s⟩) / (n + 1), or in
    /// a layer of products ⟨Q h_i, K h_i⟩ on the diagonal. `[tokens, tokens]`; none where the layer has no such head.
    ///
    /// # Why
    /// A chart asks for it on the page's thread. All that a head has in common with a token is written once for each token, a
    /// key once for all tokens that have the same, and a head's rows end long before those of its matrices.
    pub fn looks<T: Number>(&self, head: usize, tokens: &Tokens<T>) -> Option<Vec<f64>> {
        let (head, count) = (self.head(head)?, tokens.count());
        let all: Vec<Vec<T>> = (0..count).map(|i| tokens.token(i)).collect();
        let of = |matrix: &Matrix| -> Vec<Vec<T>> {
            let rows = |token: &Vec<T>| matrix.times(token).into_iter().take(head.rows()).collect();
            all.iter().map(rows).collect()
        };
        let (queries, keys) = (of(&head.q), of(&head.k));
        let mut looks = vec![0.0; count * count];
        if self.kind() == Kind::Product {
            let pairs = queries.iter().zip(&keys).enumerate();
            pairs.for_each(|(i, (query, key))| looks[i * count + i] = product(query, key).wide());
            return Some(looks);
        }
        let is_new: Vec<bool> = (0..count).map(|s| s == 0 || keys[s] != keys[s - 1]).collect();
        for (query, row) in queries.iter().zip(looks.chunks_mut(count.max(1))) {
            let mut look = 0.0;
            for (s, to) in row.iter_mut().enumerate() {
                if is_new[s] {
                    look = (product(query, &keys[s]).relu() / T::of(count as f64)).wide();
                }
                *to = look;
            }
        }
        Some(looks)
    }

    /// Parts that can be done one after the other: the neurons whose functions are written, or else all at once.
    pub fn parts(&self) -> usize {
        if let Weights::Neurons(neurons, _) = &self.weights { neurons.len() } else { 1 }
    }

    /// What the layer does to the tokens.
    pub fn apply<T: Number>(&self, tokens: &mut Tokens<T>) {
        self.apply_parts(0..self.parts(), tokens);
    }

    /// The same of these parts; parts that there are not do nothing.
    pub fn apply_parts<T: Number>(&self, parts: Range<usize>, tokens: &mut Tokens<T>) {
        match &self.weights {
            Weights::Neurons(neurons, sums) => {
                write_neurons(neurons.get(parts).unwrap_or(&[]), sums, tokens);
            }
            _ if parts != (0..1) => {}
            Weights::Moves(moves, factor) => move_weights(moves, T::of(*factor), tokens),
            Weights::Units(units) => write_units(units, tokens),
            Weights::Products(products) => write_products(products, tokens),
        }
    }
}

/// ⟨a, b⟩.
fn product<T: Number>(a: &[T], b: &[T]) -> T {
    #[cfg(test)]
    MULTIPLIED.set(MULTIPLIED.get() + a.len());
    let mut sum = T::default();
    a.iter().zip(b).for_each(|(a, b)| sum += *a * *b);
    sum
}

#[cfg(test)]
thread_local! {
    /// Products that this thread has made of queries and keys.
    static MULTIPLIED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// A row is added to another.
#[inline(always)]
fn add<T: Number>(to: &mut [T], row: &[T]) {
    to.iter_mut().zip(row).for_each(|(to, x)| *to += *x);
}

fn write_neurons<T: Number>(neurons: &[Neuron], sums: &[Relus], tokens: &mut Tokens<T>) {
    let count = tokens.count();
    let [mut z, mut sum, mut total] = [0; 3].map(|_| vec![T::default(); count]);
    for neuron in neurons {
        let relus = &sums[neuron.sum];
        let gain: T = relus.gain();
        // Keys are a matter of the weights alone.
        let (keys, times) = if tokens.are_alike(neuron.weights.clone()) { (1, count) } else { (count, 1) };
        total.fill(T::default());
        for s in 0..keys {
            z.fill(T::default());
            for (p, w) in neuron.inputs.clone().zip(neuron.weights.clone()) {
                let weight = tokens.row(w)[s];
                for (z, p) in z.iter_mut().zip(tokens.row(p)) {
                    *z += gain * *p * weight;
                }
            }
            relus.sum(&z, &mut sum);
            (0..times).for_each(|_| add(&mut total, &sum));
        }
        let count = T::of(count as f64);
        tokens.row_mut(neuron.to).iter_mut().zip(&total).for_each(|(h, total)| *h += *total / count);
    }
}

fn move_weights<T: Number>(moves: &[Move], factor: T, tokens: &mut Tokens<T>) {
    let count = T::of(tokens.count() as f64);
    for of in moves {
        // The first head takes errors above 0, the second those below; every token asks for the same.
        let scores: Vec<(T, T)> = tokens.row(of.error).iter().map(|s| (s.relu(), (-*s).relu())).collect();
        for (p, w) in of.inputs.clone().zip(of.weights.clone()) {
            let mut total = T::default();
            for (p, (above, below)) in tokens.row(p).iter().zip(&scores) {
                total += *above * (-factor * *p) + *below * (factor * *p);
            }
            let moved = total / count;
            tokens.row_mut(w).iter_mut().for_each(|w| *w += moved);
        }
    }
}

fn write_units<T: Number>(units: &[Unit], tokens: &mut Tokens<T>) {
    let [mut z, mut total] = [0; 2].map(|_| vec![T::default(); tokens.count()]);
    for of_one in units.chunk_by(|a, b| a.to == b.to) {
        total.fill(T::default());
        for unit in of_one {
            z.fill(T::default());
            for (c, weight) in &unit.reads {
                let weight = T::of(*weight);
                z.iter_mut().zip(tokens.row(*c)).for_each(|(z, h)| *z += weight * *h);
            }
            let weight = T::of(unit.weight);
            total.iter_mut().zip(&z).for_each(|(total, z)| *total += weight * z.relu());
        }
        add(tokens.row_mut(of_one[0].to), &total);
    }
}

fn write_products<T: Number>(products: &[Product], tokens: &mut Tokens<T>) {
    let mut score = vec![T::default(); tokens.count()];
    for product in products {
        score.fill(T::default());
        for (q, k) in product.queries.iter().zip(product.keys.clone()) {
            let pairs = tokens.row(*q).iter().zip(tokens.row(k));
            score.iter_mut().zip(pairs).for_each(|(score, (q, k))| *score += *q * *k);
        }
        score.iter_mut().zip(tokens.row(product.factor)).for_each(|(score, c)| *score = *score * *c);
        add(tokens.row_mut(product.to), &score);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descent::{Activation, Draw, Network, Plan, Transformer};

    #[test]
    fn looks_are_those_of_all_pairs_with_few_products() {
        let examples = Draw { examples: 30, ..Draw::default() }.draw(0, 0);
        for activation in [Activation::Relu, Activation::Tanh] {
            let network = Network { hidden: vec![20, 3], activation, ..Network::default() };
            let plan = Plan { network, ..Plan::default() };
            let transformer = Transformer::new(&plan, &examples);
            let tokens = transformer.tokens::<f64>(&examples, &plan.network.draw(0, 0, 1.0));
            let states = transformer.trace(tokens);
            for (layer, tokens) in transformer.layers().iter().zip(&states) {
                for place in [0, 2] {
                    let Some(head) = layer.head(place) else { continue };
                    let before = MULTIPLIED.get();
                    let looks = layer.looks(place, tokens).unwrap();
                    // A neuron of the second layer has 20 inputs and the number 1; a move has one number, and 31 keys.
                    assert!(MULTIPLIED.get() - before <= 31 * 31, "{:?}", layer.phase);
                    let all: Vec<Vec<f64>> = (0..31).map(|i| tokens.token(i)).collect();
                    for (at, look) in looks.into_iter().enumerate() {
                        let (i, s) = (at / 31, at % 31);
                        let product = head.product(&all[i], &all[s]);
                        let expected = match layer.kind() {
                            Kind::Product if i != s => 0.0,
                            Kind::Product => product,
                            _ => product.relu() / 31.0,
                        };
                        assert_eq!(look, expected, "{:?} {i} {s}", layer.phase);
                    }
                }
            }
        }
    }
}
