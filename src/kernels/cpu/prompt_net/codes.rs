//! Products with codes of positions, tabulated: what a linear map makes of each code.
//!
//! # Why
//! Most numbers of an encoded prompt are codes, and there are only N of them. So a map is applied once to each code that can
//! stand in a place, a prompt looks the results up, and slopes are added up for each code before they meet the map. With
//! one-hot codes the table is the map itself.

use crate::cpu::dense::{Panels, PanelsMut, TILE_ROWS, multiply, panels, place};
use crate::cpu::one_hidden_layer::{LANES, Row};
use vivarium_operators::simd::wide;
use vivarium_science::tokens::TokenPrompts;

/// The codes of all positions, ready for products in both directions.
#[derive(Debug, Clone)]
pub struct Codes {
    length: usize,
    dim: usize,
    /// Each code, `[length, dim]`.
    values: Vec<f32>,
    /// Whether code i is the i-th unit vector, so that a table is the map.
    pub is_identity: bool,
    /// `[panel of components][position]`.
    forth: Vec<Row>,
    /// `[panel of positions][component]`.
    back: Vec<Row>,
}

impl Codes {
    /// Codes of zeros for these prompts.
    pub fn new(prompts: &TokenPrompts) -> Self {
        let (length, dim) = (prompts.length, prompts.code_dim);
        Codes {
            length,
            dim,
            values: vec![0.0; length * dim],
            is_identity: prompts.codes == vivarium_science::tokens::PositionCodes::OneHot,
            forth: vec![Row::ZERO; panels(dim) * length.next_multiple_of(TILE_ROWS)],
            back: vec![Row::ZERO; panels(length) * dim.next_multiple_of(TILE_ROWS)],
        }
    }

    /// The code of a position.
    pub fn of(&self, position: usize) -> &[f32] {
        &self.values[position * self.dim..][..self.dim]
    }

    /// Rows of a table for one place where a code can stand.
    pub fn rows(&self) -> usize {
        self.length.next_multiple_of(TILE_ROWS)
    }

    /// Rows of the map for one such place.
    pub fn inputs(&self) -> usize {
        self.dim.next_multiple_of(TILE_ROWS)
    }

    /// Takes the parameter. Codes that are the ones before cost nothing.
    pub fn load(&mut self, parameter: &[Row]) {
        let numbers = parameter.iter().flat_map(|row| row.0);
        if numbers.clone().zip(&self.values).all(|(new, old)| new == *old) {
            return;
        }
        self.values.iter_mut().zip(numbers).for_each(|(value, number)| *value = number);
        let (rows, inputs, dim) = (self.rows(), self.inputs(), self.dim);
        for (i, code) in self.values.chunks(dim).enumerate() {
            place(code, &mut PanelsMut::new(&mut self.forth, rows), i);
            for (c, value) in code.iter().enumerate() {
                self.back[i / LANES * inputs + c].0[i % LANES] = *value;
            }
        }
    }

    /// What the map makes of each code, for `places` places.
    ///
    /// # Shapes
    /// `map` is `[panel][place][Codes::inputs]`, `table` is `[panel][place][Codes::rows]`.
    pub fn tabulate(&self, map: &[Row], places: usize, table: &mut [Row]) {
        if self.is_identity {
            return table.copy_from_slice(map);
        }
        let (rows, inputs) = (self.rows(), self.inputs());
        for at in 0..places {
            let map = Panels::new(&map[at * inputs..], places * inputs);
            let mut table = PanelsMut::new(&mut table[at * rows..], places * rows);
            multiply(Panels::new(&self.forth, rows), map, self.dim, &mut table, rows, false);
        }
    }

    /// The slopes of the map, of those of the table.
    pub fn collect(&self, table: &[Row], places: usize, map: &mut [Row]) {
        if self.is_identity {
            return map.copy_from_slice(table);
        }
        let (rows, inputs) = (self.rows(), self.inputs());
        for at in 0..places {
            let table = Panels::new(&table[at * rows..], places * rows);
            let mut map = PanelsMut::new(&mut map[at * inputs..], places * inputs);
            multiply(Panels::new(&self.back, inputs), table, self.length, &mut map, inputs, false);
        }
    }
}

wide! {
    /// Adds to each sample the rows of the table that it names, `each` of them.
    ///
    /// # Shapes
    /// `table` is `[panel][row]`, `names` is `[sample, each]`, `out` is `[panel][sample]` with `count` samples that name
    /// rows.
    pub fn look_up(table: Panels<'_>, names: &[u32], each: usize, out: &mut PanelsMut<'_>, count: usize) {
        for panel in 0..table.rows.len() / table.stride {
            let table = table.panel(panel, table.stride);
            for (out, names) in out.panel(panel, count).iter_mut().zip(names.chunks_exact(each)) {
                *out = names.iter().fold(*out, |sum, name| sum + table[*name as usize]);
            }
        }
    }
}

wide! {
    /// Adds the slopes of each sample to the rows of the table that it names.
    pub fn look_back(slopes: Panels<'_>, names: &[u32], each: usize, table: &mut PanelsMut<'_>, count: usize) {
        for panel in 0..table.rows.len() / table.stride {
            let rows = table.stride;
            let table = table.panel(panel, rows);
            for (slope, names) in slopes.panel(panel, count).iter().zip(names.chunks_exact(each)) {
                for name in names {
                    table[*name as usize] = table[*name as usize] + *slope;
                }
            }
        }
    }
}
