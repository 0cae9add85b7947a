//! A token as a strip of coloured blocks: the blocks, the position and shade of each number, and a text alternative.
//!
//! # Why
//! A token has from 145 to 8,192 numbers. An element for each would be slow, so each block is a small image with one
//! pixel per number, column by column, which the browser enlarges. Where possible, a column has as many rows as a layer
//! has neurons; then a column of weights is one neuron.

use std::ops::Range;

use vivarium_science::descent::{LayerPhase, TokenBlock, TokenLayout};
use vivarium_view::display::words::join_list;

/// Number of colour shades for positive numbers in a token's strip, and equally many for negative ones.
pub const SHADES_PER_SIGN: usize = 64;
/// Approximate maximum number of columns of cells in the strip that shows a token, one cell per number.
const MAX_COLUMNS: usize = 96;
/// Minimum number of rows of cells in a token's strip, and the maximum that applies unless the strip would need too
/// many columns.
const ROW_RANGE: (usize, usize) = (4, 16);
/// Maximum height of a token's strip in CSS pixels, unless its cells would become too small.
const MAX_HEIGHT_PX: usize = 288;
/// Minimum and maximum side of the square cell that shows one number of a token, in CSS pixels.
const CELL_SIDE_RANGE_PX: (usize, usize) = (3, 16);

/// A part of a token's strip: a block of the token, or the section of a block that belongs to one layer of the network.
#[derive(Debug, Clone, PartialEq)]
pub struct TokenPart {
    /// Name of the part: the symbol of the block with the layer in brackets, such as "p(2)"; the weights of layer 2 are
    /// "v(2)".
    pub name: String,
    /// The block of the token's coordinates that the part belongs to, such as the weights or the outputs.
    pub block: TokenBlock,
    /// Indices, from 0, of the part's coordinates within the whole token.
    pub range: Range<usize>,
}

impl TokenPart {
    /// The number of token coordinates in the part.
    pub fn number_count(&self) -> usize {
        self.range.len()
    }

    /// Number of columns and of rows of the part's image in a strip with `rows` rows; one pixel is one number, and
    /// numbers fill the columns from top to bottom.
    pub fn image_size(&self, rows: usize) -> (usize, usize) {
        let rows = rows.clamp(1, self.number_count().max(1));
        (self.number_count().div_ceil(rows).max(1), rows)
    }

    /// Column and row, from 0, in the part's image of the token's coordinate with index `coordinate`; none if it is not
    /// in the part.
    pub fn cell_position(&self, coordinate: usize, rows: usize) -> Option<(usize, usize)> {
        let rows = self.image_size(rows).1;
        let at = self.range.contains(&coordinate).then(|| coordinate - self.range.start)?;
        Some((at / rows, at % rows))
    }

    /// The index of the token's coordinate at the fractions `right` of the image's width and `down` of its height, each
    /// from 0 to 1; none after the part's last number.
    pub fn coordinate_at(&self, right: f64, down: f64, rows: usize) -> Option<usize> {
        let (columns, rows) = self.image_size(rows);
        let place = |share: f64, count: usize| ((share * count as f64) as usize).min(count - 1);
        let at = place(right.clamp(0.0, 1.0), columns) * rows + place(down.clamp(0.0, 1.0), rows);
        (at < self.number_count()).then_some(self.range.start + at)
    }
}

/// Whether the transformer layer shown reads a part of a token, writes it, or neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartAccess {
    /// The layer writes the part.
    Written,
    /// The layer reads the part.
    Read,
    /// The layer neither reads nor writes the part.
    Idle,
}

/// The parts of a token's strip, in the order of their coordinates: one for each layer's section of a block, or for a
/// whole block.
pub fn token_parts(layout: &TokenLayout) -> Vec<TokenPart> {
    let network = layout.network();
    let layers = || 1..=network.layer_count();
    let mut parts = vec![];
    for block in TokenBlock::ALL {
        let mut part = |name: String, range| parts.push(TokenPart { name, block, range });
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

/// The number of rows of cells in the strip that shows a token, one cell per coordinate: the width of the network's
/// widest layer, limited to [`ROW_RANGE`], or more if the strip would have over [`MAX_COLUMNS`] columns.
pub fn row_count(layout: &TokenLayout) -> usize {
    let network = layout.network();
    let widest = (0..=network.layer_count()).map(|j| network.width(j)).max().unwrap_or(1);
    widest.clamp(ROW_RANGE.0, ROW_RANGE.1).max(layout.len().div_ceil(MAX_COLUMNS))
}

/// The side in CSS pixels of a cell, which shows one number, in a token's strip with `rows` rows: as large as
/// [`MAX_HEIGHT_PX`] allows, within [`CELL_SIDE_RANGE_PX`].
pub fn cell_side_px(rows: usize) -> usize {
    (MAX_HEIGHT_PX / rows.max(1)).clamp(CELL_SIDE_RANGE_PX.0, CELL_SIDE_RANGE_PX.1)
}

/// Whether the transformer layer of this phase writes or reads coordinates of a part of a token; a part that it both
/// reads and writes counts as written. Without a phase, the part is idle.
pub fn part_access(layout: &TokenLayout, phase: Option<LayerPhase>, part: &TokenPart) -> PartAccess {
    let Some(phase) = phase else { return PartAccess::Idle };
    let meets = |range: &Range<usize>| range.start < part.range.end && part.range.start < range.end;
    if meets(&layout.written_by(phase)) {
        PartAccess::Written
    } else if layout.read_by(phase).iter().any(meets) {
        PartAccess::Read
    } else {
        PartAccess::Idle
    }
}

/// The names of the token parts that the transformer layer of this phase accesses as `access` says, as a list: "x,
/// p(1), p(2) and s"; a block of which all parts are included is named as a whole.
pub fn list_part_names(
    layout: &TokenLayout,
    phase: LayerPhase,
    parts: &[TokenPart],
    access: PartAccess,
) -> String {
    let is_meant = |part: &TokenPart| self::part_access(layout, Some(phase), part) == access;
    let mut names: Vec<String> = vec![];
    for block in parts.chunk_by(|a, b| a.block == b.block) {
        match block.first() {
            Some(first) if block.len() > 1 && block.iter().all(is_meant) => {
                names.push(first.block.symbol().into());
            }
            _ => names.extend(block.iter().filter(|part| is_meant(part)).map(|part| part.name.clone())),
        }
    }
    join_list(&names)
}

/// For each part, the absolute value that gets the strongest shade: the maximum over the part's block in all these
/// states of a token, so that shades are comparable within a block and between layers.
pub fn color_limits(parts: &[TokenPart], states: &[Vec<f64>]) -> Vec<f64> {
    let largest = |part: &TokenPart| {
        let numbers = states.iter().flat_map(|token| token.get(part.range.clone()).unwrap_or_default());
        numbers.map(|x| x.abs()).filter(|x| x.is_finite()).fold(0.0, f64::max)
    };
    let blocks = parts.chunk_by(|a, b| a.block == b.block);
    blocks.flat_map(|block| vec![block.iter().map(largest).fold(0.0, f64::max); block.len()]).collect()
}

/// The index of a number's colour shade: 0 for −`limit` and below, [`SHADES_PER_SIGN`] for zero, and twice that for
/// `limit` and above; none for NaN. A number other than zero never has the shade of zero.
pub fn shade_index(value: f64, limit: f64) -> Option<usize> {
    if value.is_nan() {
        return None;
    }
    let share = if limit > 0.0 { (value / limit).clamp(-1.0, 1.0) } else { 0.0 };
    let steps =
        (share.abs() * SHADES_PER_SIGN as f64).round().max(f64::from(u8::from(share != 0.0))) as usize;
    Some(if share < 0.0 { SHADES_PER_SIGN - steps } else { SHADES_PER_SIGN + steps })
}

/// The RGBA pixels of the image of a token's part, row by row, four bytes each; `colours` has one colour per
/// [`shade_index`], and `limit` is the absolute value with the strongest shade. NaN and cells after the last number are
/// transparent.
pub fn render_pixels(
    part: &TokenPart,
    token: &[f64],
    limit: f64,
    rows: usize,
    colours: &[[u8; 3]],
) -> Vec<u8> {
    let (columns, rows) = part.image_size(rows);
    let mut pixels = vec![0; 4 * columns * rows];
    for (at, value) in token.get(part.range.clone()).unwrap_or_default().iter().enumerate() {
        let colour = shade_index(*value, limit).and_then(|shade| colours.get(shade));
        if let Some([red, green, blue]) = colour {
            let pixel = 4 * (at % rows * columns + at / rows);
            pixels[pixel..pixel + 4].copy_from_slice(&[*red, *green, *blue, 255]);
        }
    }
    pixels
}

/// A token's coordinate as text with three significant digits.
pub fn format_number(value: f64) -> String {
    if value == 0.0 { "0".into() } else { vivarium_view::display::words::format_significant(value) }
}

/// Name and value of the token's coordinate with index `coordinate`, with the description of its block: "`p(2)[3]` =
/// 0.482. …".
pub fn describe_coordinate(layout: &TokenLayout, token: &[f64], coordinate: usize) -> String {
    let block = layout.block_of(coordinate).name();
    let (name, value) =
        (layout.coordinate_name(coordinate), token.get(coordinate).copied().unwrap_or(f64::NAN));
    tr!("{name} = {value}. {block}.", name, value = format_number(value), block)
}

/// The text alternative of a token's strip: for each part its numbers, or only the largest in absolute value if there
/// are more than two.
pub fn describe_token(layout: &TokenLayout, parts: &[TokenPart], token: &[f64]) -> String {
    let sentences: Vec<String> = parts.iter().map(|part| describe_part(layout, part, token)).collect();
    sentences.join(" ")
}

/// The sentence on the coordinates in one part of a token's strip: all if there are at most two, otherwise the largest
/// in absolute value; empty for a part without coordinates.
fn describe_part(layout: &TokenLayout, part: &TokenPart, token: &[f64]) -> String {
    let (name, numbers) = (&part.name, token.get(part.range.clone()).unwrap_or_default());
    let largest = numbers.iter().enumerate().max_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs()));
    match largest {
        None => String::new(),
        Some((_, largest)) if *largest == 0.0 => tr!("{name} is 0.", name),
        Some(_) if numbers.len() < 3 => {
            let all: Vec<String> = numbers.iter().map(|x| format_number(*x)).collect();
            tr!("{name} is {numbers}.", name, numbers = join_list(&all))
        }
        Some((at, largest)) => tr!(
            "{name} has {count} numbers; the largest in absolute value is {entry} = {value}.",
            name,
            count = numbers.len(),
            entry = layout.coordinate_name(part.range.start + at),
            value = format_number(*largest)
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
            let parts = token_parts(&layout);
            assert_eq!(parts.len(), 4 * network.layer_count() + 5);
            let mut end = 0;
            for part in &parts {
                assert_eq!(part.range.start, end, "{}", part.name);
                assert!(
                    part.number_count() > 0 && part.range.clone().all(|c| layout.block_of(c) == part.block)
                );
                end = part.range.end;
            }
            assert_eq!(end, layout.len());
        }
        let names: Vec<String> = token_parts(&table()).into_iter().map(|part| part.name).collect();
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
            let rows = row_count(&layout);
            let mut columns = 0;
            for part in token_parts(&layout) {
                let (wide, high) = part.image_size(rows);
                columns += wide;
                assert!(wide * high >= part.number_count() && (wide - 1) * high < part.number_count());
                for c in part.range.clone() {
                    let (column, row) = part.cell_position(c, rows).unwrap();
                    let middle = |at: usize, of: usize| (at as f64 + 0.5) / of as f64;
                    assert_eq!(part.coordinate_at(middle(column, wide), middle(row, high), rows), Some(c));
                }
                assert_eq!(part.cell_position(part.range.end, rows), None);
                assert_eq!(part.coordinate_at(0.0, 0.0, rows), Some(part.range.start));
            }
            assert!(
                columns <= MAX_COLUMNS + 30 && rows * cell_side_px(rows) <= MAX_HEIGHT_PX.max(3 * rows),
                "{columns}, {rows}"
            );
        }
        // A column is a neuron, and what lies below the last number is nothing.
        assert_eq!((row_count(&table()), cell_side_px(8)), (8, 16));
        let ninth = TokenPart { name: "v".into(), block: TokenBlock::Weights, range: 10..19 };
        assert_eq!(
            (ninth.image_size(8), ninth.coordinate_at(0.9, 0.9, 8), ninth.coordinate_at(0.9, 0.0, 8)),
            ((2, 8), None, Some(18))
        );
    }

    #[test]
    fn roles_are_what_the_layout_says() {
        let layout = table();
        let parts = token_parts(&layout);
        let of = |phase, role| list_part_names(&layout, phase, &parts, role);
        assert_eq!(of(LayerPhase::Forward(1), PartAccess::Read), "x and v(1)");
        assert_eq!(of(LayerPhase::Forward(3), PartAccess::Read), "v(3) and p(2)");
        assert_eq!(of(LayerPhase::Forward(3), PartAccess::Written), "p(3)");
        assert_eq!(of(LayerPhase::Derivatives, PartAccess::Read), "x, w, p(1) and p(2)");
        assert_eq!(of(LayerPhase::Derivatives, PartAccess::Written), "r′");
        assert_eq!(of(LayerPhase::LossGradient, PartAccess::Read), "y, p(3) and t");
        assert_eq!(of(LayerPhase::Backward(2), PartAccess::Read), "v(3), r′(1) and s(3)");
        assert_eq!(of(LayerPhase::Backward(2), PartAccess::Written), "s(2)");
        assert_eq!(of(LayerPhase::Step, PartAccess::Read), "x, p(1), p(2) and s");
        assert_eq!(of(LayerPhase::CleanUp, PartAccess::Written), "w, p, r′, g and s");
        assert!(parts.iter().all(|part| part_access(&layout, None, part) == PartAccess::Idle));
    }

    #[test]
    fn shades_know_sign_and_size_and_what_is_no_number() {
        assert_eq!(
            [-2.0, -1.0, -1e-9, 0.0, 1e-9, 0.5, 1.0, f64::INFINITY].map(|x| shade_index(x, 1.0).unwrap()),
            [
                0,
                0,
                SHADES_PER_SIGN - 1,
                SHADES_PER_SIGN,
                SHADES_PER_SIGN + 1,
                SHADES_PER_SIGN + SHADES_PER_SIGN / 2,
                2 * SHADES_PER_SIGN,
                2 * SHADES_PER_SIGN
            ]
        );
        assert_eq!((shade_index(f64::NAN, 1.0), shade_index(3.0, 0.0)), (None, Some(SHADES_PER_SIGN)));
        let part = TokenPart { name: "x".into(), block: TokenBlock::Input, range: 1..4 };
        let colours: Vec<[u8; 3]> = (0..=2 * SHADES_PER_SIGN).map(|i| [i as u8; 3]).collect();
        let token = [9.0, 1.0, f64::NAN, -1.0];
        let seen = render_pixels(&part, &token, 1.0, 2, &colours);
        let [high, low] = [2 * SHADES_PER_SIGN as u8, 0];
        // Two columns of two: the second number is none, and after the third there is nothing.
        assert_eq!(seen, [[high, high, high, 255], [low, low, low, 255], [0; 4], [0; 4]].concat());
        // A token that is too short, as one of another run would be, has no colours.
        assert_eq!(render_pixels(&part, &[1.0], 1.0, 2, &colours), [0; 16]);
    }

    #[test]
    fn a_block_has_one_scale_in_all_its_parts_and_states() {
        let layout = TokenLayout::new(&DescentNetwork { hidden: vec![2], ..DescentNetwork::default() });
        let parts = token_parts(&layout);
        let mut before = vec![0.0; layout.len()];
        before[layout.outputs(1).start] = -3.0;
        let mut after = vec![0.0; layout.len()];
        after[layout.outputs(2).start] = 2.0;
        after[layout.block_range(TokenBlock::LossGradient).start] = f64::INFINITY;
        let limits = color_limits(&parts, &[before, after]);
        for (part, limit) in parts.iter().zip(&limits) {
            assert_eq!(*limit, if part.block == TokenBlock::Outputs { 3.0 } else { 0.0 }, "{}", part.name);
        }
        assert_eq!(limits.len(), parts.len());
    }

    #[test]
    fn the_strip_is_stated_in_words() {
        let layout = TokenLayout::new(&DescentNetwork { hidden: vec![3], ..DescentNetwork::default() });
        let mut token = vec![0.0; layout.len()];
        token[..3].copy_from_slice(&[-1.5, 1.0, 0.25]);
        token[layout.neuron_weights(1, 2).start] = -2.0;
        let said = describe_token(&layout, &token_parts(&layout), &token);
        assert!(said.starts_with("x is −1.50 and 1.00. y is 0.250. "), "{said}");
        assert!(
            said.contains("v(1) has 6 numbers; the largest in absolute value is v(1,3)[1] = −2.00."),
            "{said}"
        );
        assert!(said.contains("p(1) is 0. ") && said.ends_with("t is 0."), "{said}");
        assert_eq!(describe_coordinate(&layout, &token, 0), "x[1] = −1.50. Input.");
        assert!(describe_coordinate(&layout, &token, 10_000).contains('–'));
    }
}
