//! A token as a strip of blocks: which blocks there are, where each of their numbers is drawn, in which shade, and what is
//! said of them.
//!
//! # Why
//! A token has 145 numbers and at most 8,192. An element for each would be slow, so that each block is a small picture with
//! one pixel for a number, column by column; the browser enlarges it. A column has as many rows as a layer has neurons, where
//! that is possible: then a column of weights is one neuron.

use std::ops::Range;

use vivarium_science::descent::{LayerPhase, TokenBlock, TokenLayout};
use vivarium_view::display::words::list;

/// Shades on each side of zero.
pub const HALF: usize = 64;
/// Most columns that a strip has, roughly.
const COLUMNS: usize = 96;
/// Rows that a strip has at least and, as far as the columns allow, at most.
const ROWS: (usize, usize) = (4, 16);
/// Height that a strip has at most, in CSS pixels, as long as its cells can still be seen.
const HEIGHT: usize = 288;
/// Sides of a cell, in CSS pixels.
const CELL: (usize, usize) = (3, 16);

/// A block of the strip: a block of the token, or what one layer of the network has of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// "p(2)"; weights of a layer are called "v(2)".
    pub name: String,
    /// The token's block.
    pub block: TokenBlock,
    /// Its coordinates.
    pub range: Range<usize>,
}

impl Part {
    /// Numbers of the part.
    pub fn count(&self) -> usize {
        self.range.len()
    }

    /// Columns and rows of its picture, in a strip of so many rows.
    pub fn size(&self, rows: usize) -> (usize, usize) {
        let rows = rows.clamp(1, self.count().max(1));
        (self.count().div_ceil(rows).max(1), rows)
    }

    /// Column and row of a coordinate.
    pub fn cell(&self, coordinate: usize, rows: usize) -> Option<(usize, usize)> {
        let rows = self.size(rows).1;
        let at = self.range.contains(&coordinate).then(|| coordinate - self.range.start)?;
        Some((at / rows, at % rows))
    }

    /// The coordinate at these shares of the picture's width and height, from 0 to 1.
    pub fn at(&self, right: f64, down: f64, rows: usize) -> Option<usize> {
        let (columns, rows) = self.size(rows);
        let place = |share: f64, count: usize| ((share * count as f64) as usize).min(count - 1);
        let at = place(right.clamp(0.0, 1.0), columns) * rows + place(down.clamp(0.0, 1.0), rows);
        (at < self.count()).then_some(self.range.start + at)
    }
}

/// What a layer does to a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It is written.
    Written,
    /// It is read.
    Read,
    /// Neither.
    Idle,
}

/// The parts of a token in their order.
pub fn parts(layout: &TokenLayout) -> Vec<Part> {
    let network = layout.network();
    let layers = || 1..=network.layer_count();
    let mut parts = vec![];
    for block in TokenBlock::ALL {
        let mut part = |name: String, range| parts.push(Part { name, block, range });
        let symbol = block.symbol();
        match block {
            TokenBlock::Weights => layers().for_each(|j| {
                let last = network.width(j).saturating_sub(1);
                part(
                    format!("v({j})"),
                    layout.neuron_weights(j, 0).start..layout.neuron_weights(j, last).end,
                );
            }),
            TokenBlock::Outputs => layers().for_each(|j| part(format!("{symbol}({j})"), layout.outputs(j))),
            TokenBlock::Derivatives => {
                layers().for_each(|j| part(format!("{symbol}({})", j - 1), layout.derivatives(j)))
            }
            TokenBlock::Errors => {
                layers().rev().for_each(|j| part(format!("{symbol}({j})"), layout.errors(j)))
            }
            _ => part(symbol.into(), layout.block_range(block)),
        }
    }
    parts
}

/// Rows of the strip.
pub fn rows(layout: &TokenLayout) -> usize {
    let network = layout.network();
    let widest = (0..=network.layer_count()).map(|j| network.width(j)).max().unwrap_or(1);
    widest.clamp(ROWS.0, ROWS.1).max(layout.len().div_ceil(COLUMNS))
}

/// The side of a cell in a strip of so many rows, in CSS pixels.
pub fn side(rows: usize) -> usize {
    (HEIGHT / rows.max(1)).clamp(CELL.0, CELL.1)
}

/// What a layer does to a part; between two steps nothing is done.
pub fn role(layout: &TokenLayout, phase: Option<LayerPhase>, part: &Part) -> Role {
    let Some(phase) = phase else { return Role::Idle };
    let meets = |range: &Range<usize>| range.start < part.range.end && part.range.start < range.end;
    if meets(&layout.written_by(phase)) {
        Role::Written
    } else if layout.read_by(phase).iter().any(meets) {
        Role::Read
    } else {
        Role::Idle
    }
}

/// Names of the parts with this role: "x, p(1), p(2) and s"; a block all of whose parts are named has its own.
pub fn named(layout: &TokenLayout, phase: LayerPhase, parts: &[Part], role: Role) -> String {
    let is_meant = |part: &Part| self::role(layout, Some(phase), part) == role;
    let mut names: Vec<String> = vec![];
    for block in parts.chunk_by(|a, b| a.block == b.block) {
        match block.first() {
            Some(first) if block.len() > 1 && block.iter().all(is_meant) => {
                names.push(first.block.symbol().into());
            }
            _ => names.extend(block.iter().filter(|part| is_meant(part)).map(|part| part.name.clone())),
        }
    }
    list(&names)
}

/// What the strongest shade of each part stands for: the largest |number| that its block has in any of these states of a
/// token, so that parts of one block can be compared and no colour jumps while a person goes through the layers.
pub fn limits(parts: &[Part], states: &[Vec<f64>]) -> Vec<f64> {
    let largest = |part: &Part| {
        let numbers = states.iter().flat_map(|token| token.get(part.range.clone()).unwrap_or_default());
        numbers.map(|x| x.abs()).filter(|x| x.is_finite()).fold(0.0, f64::max)
    };
    let blocks = parts.chunk_by(|a, b| a.block == b.block);
    blocks.flat_map(|block| vec![block.iter().map(largest).fold(0.0, f64::max); block.len()]).collect()
}

/// The shade of a number, from 0, the most negative, over [`HALF`], zero, to 2 · [`HALF`]; none of what is no number. What is
/// not zero is never drawn as zero.
pub fn shade(value: f64, limit: f64) -> Option<usize> {
    if value.is_nan() {
        return None;
    }
    let share = if limit > 0.0 { (value / limit).clamp(-1.0, 1.0) } else { 0.0 };
    let steps = (share.abs() * HALF as f64).round().max(f64::from(u8::from(share != 0.0))) as usize;
    Some(if share < 0.0 { HALF - steps } else { HALF + steps })
}

/// The pixels of a part, row by row, four bytes each; numbers that are none, and places after the last number, stay clear.
pub fn pixels(part: &Part, token: &[f64], limit: f64, rows: usize, colours: &[[u8; 3]]) -> Vec<u8> {
    let (columns, rows) = part.size(rows);
    let mut pixels = vec![0; 4 * columns * rows];
    for (at, value) in token.get(part.range.clone()).unwrap_or_default().iter().enumerate() {
        let colour = shade(*value, limit).and_then(|shade| colours.get(shade));
        if let Some([red, green, blue]) = colour {
            let pixel = 4 * (at % rows * columns + at / rows);
            pixels[pixel..pixel + 4].copy_from_slice(&[*red, *green, *blue, 255]);
        }
    }
    pixels
}

/// A number with three significant digits.
pub fn number(value: f64) -> String {
    if value == 0.0 { "0".into() } else { vivarium_view::display::words::significant(value) }
}

/// "p(2)[3] = 0.482.", with what the block holds.
pub fn reading(layout: &TokenLayout, token: &[f64], coordinate: usize) -> String {
    let block = layout.block_of(coordinate).name();
    let (name, value) =
        (layout.coordinate_name(coordinate), token.get(coordinate).copied().unwrap_or(f64::NAN));
    tr!("{name} = {value}. {block}.", name, value = number(value), block)
}

/// The whole strip in words: each part with its numbers, or of many with the largest of them.
pub fn spoken(layout: &TokenLayout, parts: &[Part], token: &[f64]) -> String {
    let sentences: Vec<String> = parts.iter().map(|part| spoken_part(layout, part, token)).collect();
    sentences.join(" ")
}

fn spoken_part(layout: &TokenLayout, part: &Part, token: &[f64]) -> String {
    let (name, numbers) = (&part.name, token.get(part.range.clone()).unwrap_or_default());
    let largest = numbers.iter().enumerate().max_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs()));
    match largest {
        None => String::new(),
        Some((_, largest)) if *largest == 0.0 => tr!("{name} is 0.", name),
        Some(_) if numbers.len() < 3 => {
            let all: Vec<String> = numbers.iter().map(|x| number(*x)).collect();
            tr!("{name} is {numbers}.", name, numbers = list(&all))
        }
        Some((at, largest)) => tr!(
            "{name} has {count} numbers; the largest in absolute value is {entry} = {value}.",
            name,
            count = numbers.len(),
            entry = layout.coordinate_name(part.range.start + at),
            value = number(*largest)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_science::descent::DescentNetwork;

    fn table() -> TokenLayout {
        TokenLayout::new(&DescentNetwork::default())
    }

    #[test]
    fn parts_cover_a_token_in_their_order() {
        for network in [
            DescentNetwork::default(),
            DescentNetwork { hidden: vec![], ..DescentNetwork::default() },
            DescentNetwork {
                inputs: 3,
                hidden: vec![4, 2, 5, 1, 2],
                outputs: 2,
                ..DescentNetwork::default()
            },
        ] {
            let layout = TokenLayout::new(&network);
            let parts = parts(&layout);
            assert_eq!(parts.len(), 4 * network.layer_count() + 5);
            let mut end = 0;
            for part in &parts {
                assert_eq!(part.range.start, end, "{}", part.name);
                assert!(part.count() > 0 && part.range.clone().all(|c| layout.block_of(c) == part.block));
                end = part.range.end;
            }
            assert_eq!(end, layout.len());
        }
        let names: Vec<String> = parts(&table()).into_iter().map(|part| part.name).collect();
        assert_eq!(
            names.join(" "),
            "x y v(1) v(2) v(3) p(1) p(2) p(3) r′(0) r′(1) r′(2) g s(3) s(2) s(1) 1 t"
        );
    }

    #[test]
    fn every_number_has_one_pixel_and_is_found_there() {
        let small = TokenLayout::new(&DescentNetwork { hidden: vec![3], ..DescentNetwork::default() });
        let large =
            TokenLayout::new(&DescentNetwork { hidden: vec![40, 40, 40, 40], ..DescentNetwork::default() });
        for layout in [table(), small, large] {
            let rows = rows(&layout);
            let mut columns = 0;
            for part in parts(&layout) {
                let (wide, high) = part.size(rows);
                columns += wide;
                assert!(wide * high >= part.count() && (wide - 1) * high < part.count());
                for c in part.range.clone() {
                    let (column, row) = part.cell(c, rows).unwrap();
                    let middle = |at: usize, of: usize| (at as f64 + 0.5) / of as f64;
                    assert_eq!(part.at(middle(column, wide), middle(row, high), rows), Some(c));
                }
                assert_eq!(part.cell(part.range.end, rows), None);
                assert_eq!(part.at(0.0, 0.0, rows), Some(part.range.start));
            }
            assert!(
                columns <= COLUMNS + 30 && rows * side(rows) <= HEIGHT.max(3 * rows),
                "{columns}, {rows}"
            );
        }
        // A column is a neuron, and what lies below the last number is nothing.
        assert_eq!((rows(&table()), side(8)), (8, 16));
        let ninth = Part { name: "v".into(), block: TokenBlock::Weights, range: 10..19 };
        assert_eq!((ninth.size(8), ninth.at(0.9, 0.9, 8), ninth.at(0.9, 0.0, 8)), ((2, 8), None, Some(18)));
    }

    #[test]
    fn roles_are_what_the_layout_says() {
        let layout = table();
        let parts = parts(&layout);
        let of = |phase, role| named(&layout, phase, &parts, role);
        assert_eq!(of(LayerPhase::Forward(1), Role::Read), "x and v(1)");
        assert_eq!(of(LayerPhase::Forward(3), Role::Read), "v(3) and p(2)");
        assert_eq!(of(LayerPhase::Forward(3), Role::Written), "p(3)");
        assert_eq!(of(LayerPhase::Derivatives, Role::Read), "x, w, p(1) and p(2)");
        assert_eq!(of(LayerPhase::Derivatives, Role::Written), "r′");
        assert_eq!(of(LayerPhase::LossGradient, Role::Read), "y, p(3) and t");
        assert_eq!(of(LayerPhase::Backward(2), Role::Read), "v(3), r′(1) and s(3)");
        assert_eq!(of(LayerPhase::Backward(2), Role::Written), "s(2)");
        assert_eq!(of(LayerPhase::Step, Role::Read), "x, p(1), p(2) and s");
        assert_eq!(of(LayerPhase::CleanUp, Role::Written), "w, p, r′, g and s");
        assert!(parts.iter().all(|part| role(&layout, None, part) == Role::Idle));
    }

    #[test]
    fn shades_know_sign_and_size_and_what_is_no_number() {
        assert_eq!(
            [-2.0, -1.0, -1e-9, 0.0, 1e-9, 0.5, 1.0, f64::INFINITY].map(|x| shade(x, 1.0).unwrap()),
            [0, 0, HALF - 1, HALF, HALF + 1, HALF + HALF / 2, 2 * HALF, 2 * HALF]
        );
        assert_eq!((shade(f64::NAN, 1.0), shade(3.0, 0.0)), (None, Some(HALF)));
        let part = Part { name: "x".into(), block: TokenBlock::Input, range: 1..4 };
        let colours: Vec<[u8; 3]> = (0..=2 * HALF).map(|i| [i as u8; 3]).collect();
        let token = [9.0, 1.0, f64::NAN, -1.0];
        let seen = pixels(&part, &token, 1.0, 2, &colours);
        let [high, low] = [2 * HALF as u8, 0];
        // Two columns of two: the second number is none, and after the third there is nothing.
        assert_eq!(seen, [[high, high, high, 255], [low, low, low, 255], [0; 4], [0; 4]].concat());
        // A token that is too short, as one of another run would be, has no colours.
        assert_eq!(pixels(&part, &[1.0], 1.0, 2, &colours), [0; 16]);
    }

    #[test]
    fn a_block_has_one_scale_in_all_its_parts_and_states() {
        let layout = TokenLayout::new(&DescentNetwork { hidden: vec![2], ..DescentNetwork::default() });
        let parts = parts(&layout);
        let mut before = vec![0.0; layout.len()];
        before[layout.outputs(1).start] = -3.0;
        let mut after = vec![0.0; layout.len()];
        after[layout.outputs(2).start] = 2.0;
        after[layout.block_range(TokenBlock::LossGradient).start] = f64::INFINITY;
        let limits = limits(&parts, &[before, after]);
        for (part, limit) in parts.iter().zip(&limits) {
            assert_eq!(*limit, if part.block == TokenBlock::Outputs { 3.0 } else { 0.0 }, "{}", part.name);
        }
        assert_eq!(limits.len(), parts.len());
    }

    #[test]
    fn the_strip_is_said_in_words() {
        let layout = TokenLayout::new(&DescentNetwork { hidden: vec![3], ..DescentNetwork::default() });
        let mut token = vec![0.0; layout.len()];
        token[..3].copy_from_slice(&[-1.5, 1.0, 0.25]);
        token[layout.neuron_weights(1, 2).start] = -2.0;
        let said = spoken(&layout, &parts(&layout), &token);
        assert!(said.starts_with("x is −1.50 and 1.00. y is 0.250. "), "{said}");
        assert!(
            said.contains("v(1) has 6 numbers; the largest in absolute value is v(1,3)[1] = −2.00."),
            "{said}"
        );
        assert!(said.contains("p(1) is 0. ") && said.ends_with("t is 0."), "{said}");
        assert_eq!(reading(&layout, &token, 0), "x[1] = −1.50. Input.");
        assert!(reading(&layout, &token, 10_000).contains('–'));
    }
}
