//! Attention heads of a network: their query-key matrices, and the attention that follows from them.

use vivarium_core::math::softmax;
use vivarium_core::settings::Value;
use vivarium_model::run::RunSpec;
use vivarium_science::tokens::TokenPrompts;

/// Query-key matrices of a network's attention heads.
///
/// # Why
/// Figure 2 of Mousavi-Hosseini et al. 2025 shows W_QᵀW_K itself. The network divides the scores, and not this matrix,
/// by √d_k, where d_k is the number of components of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryKeyMatrices {
    /// Matrix W_QK of each head, `[size, size]`, row by row: the score of a query s and a key t is sᵀ W_QK t /
    /// [`QueryKeyMatrices::divisor`].
    pub heads: Vec<Vec<f64>>,
    /// Number of rows, and of columns, of a W_QK: the entries of an encoded token on which scores depend.
    pub size: usize,
    /// Number by which scores are divided: √d_k for queries and keys of d_k components with separate matrices, and 1
    /// where a head has one matrix W_QK.
    pub divisor: f64,
}

impl QueryKeyMatrices {
    /// Query-key matrices computed from a network's parameters; `None` if it has no heads.
    ///
    /// # Shapes
    /// One list for each parameter of one replica, in the order of the model.
    pub fn new(spec: &RunSpec, parameters: &[Vec<f32>]) -> Option<QueryKeyMatrices> {
        let Some(Value::Int(heads)) = spec.model.value("h") else { return None };
        let heads = heads as usize;
        let all = spec.parameters();
        let find = |name: &str| {
            let at = all.iter().position(|parameter| parameter.name == name)?;
            Some((parameters.get(at)?.as_slice(), all[at].shape[1] / heads, all[at].shape[2]))
        };
        if let Some((combined, size, _)) = find("qk") {
            let one = |w: &[f32]| w.iter().map(|w| f64::from(*w)).collect();
            let heads = combined.chunks(size * size).map(one).collect();
            return Some(QueryKeyMatrices { heads, size, divisor: 1.0 });
        }
        let ((queries, size, inner), (keys, ..)) = (find("q")?, find("k")?);
        let both = queries.chunks(size * inner).zip(keys.chunks(size * inner));
        let heads = both.map(|(q, k)| multiply_transposed(q, k, inner)).collect();
        Some(QueryKeyMatrices { heads, size, divisor: libm::sqrt(inner as f64) })
    }

    /// Number of entries at the start of an encoded token (token entries, then codes) on which attention scores do not
    /// depend, so that a W_QK has no rows and columns for them.
    pub fn skipped_entries(&self, prompts: &TokenPrompts) -> usize {
        prompts.encoded_dim().saturating_sub(self.size)
    }

    /// Attention weights of each head for the query at `position`, from 0, `[heads][length]`.
    ///
    /// # Shapes
    /// `encoded` is `[length, width]`, as [`TokenPrompts::append_encoded`] writes it.
    pub fn attention(&self, prompts: &TokenPrompts, encoded: &[f32], position: usize) -> Vec<Vec<f64>> {
        let (width, skipped) = (prompts.encoded_dim(), self.skipped_entries(prompts));
        let seen = |at: usize| &encoded[at * width + skipped..(at + 1) * width];
        let of = |w: &Vec<f64>| {
            // Computes sᵀW for the query first, then its inner products with all keys.
            let mut row = vec![0.0; self.size];
            for (s, line) in seen(position).iter().zip(w.chunks(self.size)) {
                row.iter_mut().zip(line).for_each(|(sum, w)| *sum += f64::from(*s) * w);
            }
            let dot = |at: usize| seen(at).iter().zip(&row).map(|(t, r)| f64::from(*t) * r).sum::<f64>();
            let mut weights: Vec<f64> = (0..prompts.length).map(|at| dot(at) / self.divisor).collect();
            softmax(&mut weights);
            weights
        };
        self.heads.iter().map(of).collect()
    }

    /// Blocks of a W_QK, as (rows, columns), one per name, that are nonzero in equation A.2 of Mousavi-Hosseini et al.
    /// 2025: rows for the code of a position that the query names, columns for the key's own code.
    pub fn blocks(&self, prompts: &TokenPrompts) -> Vec<(std::ops::Range<usize>, std::ops::Range<usize>)> {
        let (code, first) = (prompts.code_dim, prompts.dim - self.skipped_entries(prompts).min(prompts.dim));
        let own = first..first + code;
        (1..=prompts.names)
            .map(|name| (first + name * code..first + (name + 1) * code, own.clone()))
            .collect()
    }

    /// Extremes of the absolute values of the entries of all heads, inside and outside the
    /// [blocks](QueryKeyMatrices::blocks), and on and off the diagonals of the blocks.
    pub fn compute_magnitudes(&self, prompts: &TokenPrompts) -> EntryMagnitudes {
        let blocks = self.blocks(prompts);
        let mut sizes = EntryMagnitudes {
            inside: 0.0,
            outside: 0.0,
            min_on_diagonal: f64::INFINITY,
            max_off_diagonal: 0.0,
        };
        for w in &self.heads {
            for (at, size) in w.iter().map(|entry| entry.abs()).enumerate() {
                let (row, column) = (at / self.size, at % self.size);
                let block = blocks.iter().find(|(rows, own)| rows.contains(&row) && own.contains(&column));
                let max_value = if block.is_some() { &mut sizes.inside } else { &mut sizes.outside };
                *max_value = max_value.max(size);
                match block.is_some_and(|(rows, own)| row - rows.start == column - own.start) {
                    true => sizes.min_on_diagonal = sizes.min_on_diagonal.min(size),
                    false => sizes.max_off_diagonal = sizes.max_off_diagonal.max(size),
                }
            }
        }
        sizes
    }
}

/// Extremes of the absolute values of entries of query-key matrices; a block is the part for one name that is nonzero
/// in equation A.2 of Mousavi-Hosseini et al. 2025.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EntryMagnitudes {
    /// Largest absolute value of an entry of W_QK inside a block, over all heads.
    pub inside: f64,
    /// Largest absolute value of an entry of W_QK outside all blocks, over all heads.
    pub outside: f64,
    /// Smallest absolute value of an entry of W_QK on the diagonal of a block, over all heads.
    pub min_on_diagonal: f64,
    /// Largest absolute value of an entry of W_QK that is on no block's diagonal, over all heads.
    pub max_off_diagonal: f64,
}

/// Matrix product QKᵀ of query weights Q and key weights K of one head, both `[size, inner]`, row by row; the product
/// is `[size, size]`.
fn multiply_transposed(queries: &[f32], keys: &[f32], inner: usize) -> Vec<f64> {
    let dot = |q: &[f32], k: &[f32]| q.iter().zip(k).map(|(q, k)| f64::from(*q) * f64::from(*k)).sum::<f64>();
    let rows = queries.chunks(inner);
    rows.flat_map(|q| keys.chunks(inner).map(move |k| dot(q, k))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::models::Family;
    use vivarium_model::models::token_attention::OnPrompts;
    use vivarium_model::permalink::decode;
    use vivarium_model::tasks::Batch;

    fn spec(rest: &str) -> RunSpec {
        let (link, notices) = decode(&format!("#v1/sparse-token-regression?{rest}"));
        assert!(notices.is_empty(), "{rest}: {notices:?}");
        link.spec
    }

    #[test]
    fn attention_is_that_of_the_reference() {
        for rest in
            ["h=3", "qk=separate&dk=5&scores=all&dim=2&q=1&codes=random", "scores=all&values=token&dim=3"]
        {
            let spec = spec(rest);
            let prompts = spec.task.data().prompts().unwrap();
            let parameters = spec.initialize_parameters();
            let scores = QueryKeyMatrices::new(&spec, &parameters).unwrap();
            let Some(Family::TokenAttention(net)) = spec.model.config().family() else { panic!("{rest}") };
            let slices: Vec<&[f32]> = parameters.iter().map(Vec::as_slice).collect();
            let (mut batch, mut encoded) = (Batch::default(), vec![]);
            spec.task.sampler().append_held_out(0, 0, 1, &mut batch);
            prompts.append_encoded(&prompts.draw_position_codes(0), &batch.x, &mut encoded);
            let expected = OnPrompts { net, prompts }.plain(&slices).look(&batch.x).shares;
            let n = prompts.length;
            for place in [0, n - 1] {
                for (head, shares) in scores.attention(&prompts, &encoded, place).iter().enumerate() {
                    let reference = &expected[(head * n + place) * n..][..n];
                    assert!(
                        shares.iter().zip(reference).all(|(a, b)| (a - b).abs() < 1e-6),
                        "{rest}: {shares:?}"
                    );
                }
            }
        }
    }

    /// Entry by entry, W_QᵀW_K of figure 2 is the sum of products of a query's and a key's components; √d_k divides the
    /// scores alone.
    #[test]
    fn query_key_matrices_are_plain_products() {
        for (rest, components) in [
            ("qk=separate&dk=5&scores=all&dim=2&q=1&h=3", 5),
            ("qk=separate&dk=7&h=2&codes=random&n=20", 7),
            // As long as what scores read: the codes of a position and of one name, of 16 components each.
            ("qk=separate&h=1&n=16&q=1", 32),
        ] {
            let spec = spec(rest);
            let weights = spec.initialize_parameters();
            let scores = QueryKeyMatrices::new(&spec, &weights).unwrap();
            assert!((scores.divisor.powi(2) - components as f64).abs() < 1e-12, "{rest}: {}", scores.divisor);
            let [queries, keys] = [&weights[1], &weights[2]];
            for (head, w) in scores.heads.iter().enumerate() {
                assert_eq!(w.len(), scores.size * scores.size);
                for row in 0..scores.size {
                    for column in 0..scores.size {
                        let mut expected = 0.0;
                        for c in 0..components {
                            let entry = |all: &[f32], at: usize| {
                                f64::from(all[(head * scores.size + at) * components + c])
                            };
                            expected += entry(queries, row) * entry(keys, column);
                        }
                        let found = w[row * scores.size + column];
                        assert!((found - expected).abs() < 1e-12, "{rest}: {found} {expected}");
                    }
                }
            }
        }
        let combined = spec("h=3");
        let weights = combined.initialize_parameters();
        let scores = QueryKeyMatrices::new(&combined, &weights).unwrap();
        let all: Vec<f32> = scores.heads.concat().iter().map(|w| *w as f32).collect();
        assert_eq!((all, scores.divisor), (weights[1].clone(), 1.0));
    }

    #[test]
    fn the_construction_stands_in_the_outlined_blocks_alone() {
        for rest in ["begin=construction", "begin=construction&scores=all&dim=2&q=1&h=1&width=128"] {
            let spec = spec(rest);
            let prompts = spec.task.data().prompts().unwrap();
            let scores = QueryKeyMatrices::new(&spec, &spec.initialize_parameters()).unwrap();
            let blocks = scores.blocks(&prompts);
            assert_eq!(blocks.len(), prompts.names);
            for (head, w) in scores.heads.iter().enumerate() {
                let (rows, own) = &blocks[head];
                for (at, entry) in w.iter().enumerate().filter(|(_, entry)| **entry != 0.0) {
                    let (row, column) = (at / scores.size, at % scores.size);
                    assert!(
                        rows.contains(&row) && own.contains(&column),
                        "{rest}: {entry} at {row}, {column}"
                    );
                    assert_eq!(row - rows.start, column - own.start, "on the diagonal");
                }
                assert_eq!(w.iter().filter(|entry| **entry != 0.0).count(), prompts.code_dim);
            }
            let sizes = scores.compute_magnitudes(&prompts);
            assert!(
                sizes.inside > 0.0 && (sizes.outside, sizes.max_off_diagonal) == (0.0, 0.0),
                "{rest}: {sizes:?}"
            );
        }
    }

    #[test]
    fn sizes_are_stated_by_block_and_diagonal() {
        // Two codes of two numbers after a token of one: the block is in the last two rows, columns 1 and 2.
        let prompts = TokenPrompts {
            length: 2,
            names: 1,
            codes: vivarium_science::tokens::PositionCodes::OneHot,
            code_dim: 2,
            ..TokenPrompts::default()
        };
        let mut w = vec![0.0; 25];
        (w[3 * 5 + 1], w[4 * 5 + 2], w[3 * 5 + 2], w[3]) = (-4.0, 3.0, 1.5, -0.5);
        let sizes = QueryKeyMatrices { heads: vec![w], size: 5, divisor: 1.0 }.compute_magnitudes(&prompts);
        assert_eq!(
            sizes,
            EntryMagnitudes { inside: 4.0, outside: 0.5, min_on_diagonal: 3.0, max_off_diagonal: 1.5 }
        );
    }

    #[test]
    fn networks_without_heads_have_no_scores() {
        for model in ["token-mlp", "gru", "gated-memory"] {
            let spec = spec(&format!("model={model}"));
            assert_eq!(QueryKeyMatrices::new(&spec, &spec.initialize_parameters()), None);
        }
    }
}
