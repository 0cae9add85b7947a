//! The loop of perceptrons on embeddings of pairs: [`EmbeddingMlp`](vivarium_model::models::embedding_mlp::EmbeddingMlp).
//!
//! ```text
//! T = E W,  T' = E' W'                  for all p elements, once per step; one table where both are the same
//! h = max(0, T[a] + T'[b] + β)          f = h U
//! ∂T[a] += q,  ∂T'[b] += q              q = ∂f Uᵀ where h > 0
//! ∂W = Eᵀ ∂T,  ∂E = ∂T Wᵀ               once per step
//! ```

use super::{Logits, PairLoop, TOGETHER};
use crate::cpu::dense::{Columns, HIGH, Linear, Panels, PanelsMut, panels};
use crate::cpu::one_hidden_layer::Row;
use crate::cpu::wide::{row_by_row, wide};
use vivarium_model::models::Family;
use vivarium_model::models::embedding_mlp::{BIAS, UNEMBED, W};
use vivarium_model::run::RunSpec;

/// E or E'.
#[derive(Debug, Clone)]
struct Embedding {
    /// Its place among the parameters.
    place: usize,
    /// `[panel of components][element]`.
    values: Vec<Row>,
    /// As `values`.
    slopes: Vec<Row>,
}

/// The rows of W that an embedding meets.
#[derive(Debug, Clone)]
struct Map {
    /// The first of them.
    first: usize,
    linear: Linear,
}

/// What a map makes of an embedding.
#[derive(Debug, Clone, Copy)]
struct Table {
    /// Number of the embedding.
    embedding: usize,
    /// Number of the map.
    map: usize,
}

/// The loop.
pub struct EmbeddingLoop {
    elements: usize,
    /// Components of an embedding.
    embedding: usize,
    /// Neurons.
    width: usize,
    components: Columns,
    embeddings: Vec<Embedding>,
    maps: Vec<Map>,
    /// Of the first element, and of the second unless it has the same.
    tables: Vec<Table>,
    /// `[table][panel of neurons][element]`.
    rows: Vec<Row>,
    /// As `rows`.
    slopes: Vec<Row>,
    /// `[panel of neurons]`.
    bias: Vec<Row>,
    bias_slope: Vec<Row>,
    head: Linear,
    /// h, `[panel of neurons][pair]`.
    units: Vec<Row>,
    /// Slopes in h, as `units`.
    unit_slopes: Vec<Row>,
    logits: Logits,
}

/// Where the rows of both elements' tables lie.
#[derive(Debug, Clone, Copy)]
struct Places {
    /// Rows of a panel.
    stride: usize,
    /// Where the table of the second element begins.
    second: usize,
}

wide! {
    /// Makes the units of some pairs. What is no number stays none.
    fn look_up(table: &[Row], places: Places, bias: &[Row], pairs: &[[u32; 2]], units: &mut [Row]) {
        let Places { stride, second } = places;
        for (panel, (bias, units)) in bias.iter().zip(units.chunks_exact_mut(TOGETHER)).enumerate() {
            let first = &table[panel * stride..][..stride];
            let second = &table[second + panel * stride..][..stride];
            for ([a, b], unit) in pairs.iter().zip(units) {
                row_by_row();
                let z = first[*a as usize] + second[*b as usize] + *bias;
                *unit = z.map(|z| if z > 0.0 { z } else { z * 0.0 });
            }
        }
    }
}

wide! {
    /// Adds the slopes of some pairs' units to those of the rows that they were made of.
    fn look_back(
        units: &[Row],
        unit_slopes: &[Row],
        pairs: &[[u32; 2]],
        table: &mut [Row],
        places: Places,
        bias: &mut [Row],
    ) {
        let Places { stride, second } = places;
        let blocks = units.chunks_exact(TOGETHER).zip(unit_slopes.chunks_exact(TOGETHER));
        for (panel, ((units, slopes), bias)) in blocks.zip(bias).enumerate() {
            let first = panel * stride;
            for (([a, b], unit), slope) in pairs.iter().zip(units).zip(slopes) {
                row_by_row();
                let slope = slope.zip(*unit, |slope, unit| if unit > 0.0 { slope } else { 0.0 });
                let (a, b) = (first + *a as usize, second + first + *b as usize);
                *bias = *bias + slope;
                table[a] = table[a] + slope;
                table[b] = table[b] + slope;
            }
        }
    }
}

impl EmbeddingLoop {
    /// Elements in full tiles: rows of a panel of embeddings and tables.
    fn stride(&self) -> usize {
        self.elements.next_multiple_of(HIGH)
    }

    /// Rows of a table.
    fn size(&self) -> usize {
        self.bias.len() * self.stride()
    }

    fn places(&self) -> Places {
        Places { stride: self.stride(), second: (self.tables.len() - 1) * self.size() }
    }
}

impl PairLoop for EmbeddingLoop {
    fn of(spec: &RunSpec) -> Result<Self, String> {
        let Some(Family::EmbeddedPairs(net)) = spec.model.config().family() else {
            return Err(format!("its model is {}", spec.model.info().name));
        };
        if !spec.model.suits(&spec.task) {
            return Err(format!("its task is {}", spec.task.info().name));
        }
        let (elements, paths) = (spec.task.examples().inputs(), net.paths());
        let stride = elements.next_multiple_of(HIGH);
        let (mut embeddings, mut maps, mut tables) = (vec![], vec![], vec![]);
        for (at, (place, first)) in paths.into_iter().enumerate() {
            if at == 0 || place != paths[0].0 {
                let values = vec![Row::ZERO; panels(net.embedding) * stride];
                embeddings.push(Embedding { place, slopes: values.clone(), values });
            }
            if at == 0 || first != paths[0].1 {
                maps.push(Map { first, linear: Linear::new(net.embedding, net.width) });
            }
            if at == 0 || paths[0] != paths[1] {
                tables.push(Table { embedding: embeddings.len() - 1, map: maps.len() - 1 });
            }
        }
        let bias = vec![Row::ZERO; panels(net.width)];
        let rows = vec![Row::ZERO; tables.len() * bias.len() * stride];
        let units = vec![Row::ZERO; bias.len() * TOGETHER];
        Ok(EmbeddingLoop {
            elements,
            embedding: net.embedding,
            width: net.width,
            components: Columns::plain(net.embedding),
            embeddings,
            maps,
            tables,
            slopes: rows.clone(),
            rows,
            bias_slope: bias.clone(),
            bias,
            head: Linear::new(net.width, elements),
            unit_slopes: units.clone(),
            units,
            logits: Logits::new(elements),
        })
    }

    fn load(&mut self, weights: &[Vec<Row>]) {
        let (stride, size) = (self.stride(), self.size());
        for Embedding { place, values, .. } in &mut self.embeddings {
            let mut out = PanelsMut::new(values, stride);
            self.components.pack(&weights[*place], 0..self.elements, 1.0, &mut out, 0);
        }
        for Map { first, linear } in &mut self.maps {
            linear.load_rows(&weights[W], *first..*first + self.embedding, 0);
        }
        self.head.load_rows(&weights[UNEMBED], 0..self.width, 0);
        self.bias.copy_from_slice(&weights[BIAS]);
        for (Table { embedding, map }, rows) in self.tables.iter().zip(self.rows.chunks_exact_mut(size)) {
            let values = Panels::new(&self.embeddings[*embedding].values, stride);
            self.maps[*map].linear.forward(values, &mut PanelsMut::new(rows, stride), stride);
        }
        self.slopes.fill(Row::ZERO);
        self.bias_slope.fill(Row::ZERO);
    }

    fn turn(&mut self) {
        self.maps.iter_mut().for_each(|map| map.linear.turn());
        self.head.turn();
    }

    fn forward(&mut self, pairs: &[[u32; 2]]) -> &mut Logits {
        let count = pairs.len().next_multiple_of(HIGH);
        look_up(&self.rows, self.places(), &self.bias, pairs, &mut self.units);
        let mut out = PanelsMut::new(&mut self.logits.rows, TOGETHER);
        self.head.forward(Panels::new(&self.units, TOGETHER), &mut out, count);
        &mut self.logits
    }

    fn backward(&mut self, pairs: &[[u32; 2]]) {
        let (places, count) = (self.places(), pairs.len().next_multiple_of(HIGH));
        let d = Panels::new(&self.logits.rows, TOGETHER);
        // What the block is filled up with is no pair.
        self.head.learn(Panels::new(&self.units, TOGETHER), d, pairs.len());
        self.head.backward(d, &mut PanelsMut::new(&mut self.unit_slopes, TOGETHER), count, false);
        look_back(&self.units, &self.unit_slopes, pairs, &mut self.slopes, places, &mut self.bias_slope);
    }

    fn unload(&mut self, gradient: &mut [Vec<Row>]) {
        let (stride, size) = (self.stride(), self.size());
        for (at, (table, slopes)) in self.tables.iter().zip(self.slopes.chunks_exact(size)).enumerate() {
            let (d, linear) = (Panels::new(slopes, stride), &mut self.maps[table.map].linear);
            let Embedding { values, slopes, .. } = &mut self.embeddings[table.embedding];
            linear.learn(Panels::new(values, stride), d, self.elements);
            // One embedding may have two tables.
            let adds = at > table.embedding;
            linear.backward(d, &mut PanelsMut::new(slopes, stride), stride, adds);
        }
        for Embedding { place, slopes, .. } in &self.embeddings {
            let from = Panels::new(slopes, stride);
            self.components.unpack(from, 0, 0..self.elements, 1.0, &mut gradient[*place]);
        }
        for Map { first, linear } in &self.maps {
            linear.unload_rows(&mut gradient[W], *first..*first + self.embedding, 0);
        }
        self.head.unload_rows(&mut gradient[UNEMBED], 0..self.width, 0);
        gradient[BIAS].copy_from_slice(&self.bias_slope);
    }
}
