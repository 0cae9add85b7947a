//! Layout of a token: the groups of coordinates of the residual vector.
//!
//! | group | contents | size |
//! |---|---|---|
//! | st | the state, one-hot | states |
//! | sym1 | the symbol under the head, one-hot; in an encoder token the input's symbol | symbols |
//! | sym2 | the symbol that this step writes, one-hot | symbols |
//! | pos1 | the number i of the step, in binary; in an encoder token the cell | bits |
//! | pos2 | the cell l(i−1) that this step writes, in binary | bits |
//! | pos3 | the cell l(i) where the head is afterwards, in binary | bits |
//! | scr1 | the symbol written in step i′, the last step that wrote this cell, one-hot | symbols |
//! | scr2 | the symbol of the input in this cell, one-hot | symbols |
//! | scr3 | bits of i′ found so far | bits |
//! | scr4 | flags: earlier write found, input symbol found, bit found in this block | 3 |
//! | mv | left, right | 2 |
//!
//! Binary numbers begin with their most significant bit. Between steps only st, sym1 and pos2 are not 0. In step 0 the token
//! is h₀: the start cell in pos2, and 1 in the last coordinate of scr4, the mark of step 0.

use std::ops::Range;

/// A group of coordinates of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenGroup {
    /// st: state, one-hot.
    State,
    /// sym1: symbol under the head, one-hot.
    Symbol,
    /// sym2: symbol that the step writes, one-hot.
    Written,
    /// pos1: number of the step, in binary.
    Time,
    /// pos2: cell of the head before the move, in binary.
    Before,
    /// pos3: cell of the head after the move, in binary.
    Head,
    /// scr1: symbol found in an earlier step, one-hot.
    Recalled,
    /// scr2: symbol found in the input, one-hot.
    Given,
    /// scr3: bits found so far of the number of the last step that wrote the cell.
    Prefix,
    /// scr4: three flags, see the table of the module.
    Flags,
    /// mv: move to the left, move to the right.
    Move,
}

impl TokenGroup {
    /// All groups, in the order of their coordinates.
    pub const ALL: [TokenGroup; 11] = [
        TokenGroup::State,
        TokenGroup::Symbol,
        TokenGroup::Written,
        TokenGroup::Time,
        TokenGroup::Before,
        TokenGroup::Head,
        TokenGroup::Recalled,
        TokenGroup::Given,
        TokenGroup::Prefix,
        TokenGroup::Flags,
        TokenGroup::Move,
    ];

    /// Permanent short name of the group, such as "st".
    pub fn key(self) -> &'static str {
        match self {
            TokenGroup::State => "st",
            TokenGroup::Symbol => "sym1",
            TokenGroup::Written => "sym2",
            TokenGroup::Time => "pos1",
            TokenGroup::Before => "pos2",
            TokenGroup::Head => "pos3",
            TokenGroup::Recalled => "scr1",
            TokenGroup::Given => "scr2",
            TokenGroup::Prefix => "scr3",
            TokenGroup::Flags => "scr4",
            TokenGroup::Move => "mv",
        }
    }

    /// Description of the group's contents, shown on the page.
    pub fn name(self) -> &'static str {
        match self {
            TokenGroup::State => tr!("State"),
            TokenGroup::Symbol => tr!("Symbol under the head"),
            TokenGroup::Written => tr!("Symbol written in this step"),
            TokenGroup::Time => tr!("Number of the step, in binary"),
            TokenGroup::Before => tr!("Number (in binary) of the cell written in this step"),
            TokenGroup::Head => tr!("Number of the head's cell after the move, in binary"),
            TokenGroup::Recalled => tr!("Symbol found in an earlier step"),
            TokenGroup::Given => tr!("Symbol found in the input"),
            TokenGroup::Prefix => tr!("Number of the step that last wrote to the cell: bits found so far"),
            TokenGroup::Flags => {
                tr!(
                    "Flags: earlier write found, input symbol found, bit found in this round of the search (before step 0: mark of the beginning)"
                )
            }
            TokenGroup::Move => tr!("Move: left, right"),
        }
    }
}

/// Positions of the groups in a token, for given numbers of states, symbols and bits of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResidualLayout {
    /// First token coordinate of each group, in the order of [`TokenGroup::ALL`], and the width of a token as the
    /// last entry.
    starts: [usize; 12],
}

impl ResidualLayout {
    /// The layout for these numbers of states, symbols and bits of a position.
    pub fn new(states: usize, symbols: usize, bits: usize) -> Self {
        let sizes = TokenGroup::ALL.map(|group| match group {
            TokenGroup::State => states,
            TokenGroup::Symbol | TokenGroup::Written | TokenGroup::Recalled | TokenGroup::Given => symbols,
            TokenGroup::Time | TokenGroup::Before | TokenGroup::Head | TokenGroup::Prefix => bits,
            TokenGroup::Flags => 3,
            TokenGroup::Move => 2,
        });
        let mut starts = [0; 12];
        for (i, size) in sizes.into_iter().enumerate() {
            starts[i + 1] = starts[i] + size;
        }
        ResidualLayout { starts }
    }

    /// Width of a token, its number of coordinates: states + 4 symbols + 4 bits + 5.
    pub fn width(&self) -> usize {
        self.starts[11]
    }

    /// Number of bits of a position, that is, of cell and step numbers.
    pub fn bits(&self) -> usize {
        self.group(TokenGroup::Time).len()
    }

    /// Range of the token coordinates of a group.
    pub fn group(&self, group: TokenGroup) -> Range<usize> {
        let i = group as usize;
        self.starts[i]..self.starts[i + 1]
    }

    /// Token coordinate of entry `index`, from 0, of a group.
    pub fn coordinate(&self, group: TokenGroup, index: usize) -> usize {
        self.group(group).start + index
    }

    /// The group that contains a token coordinate.
    pub fn group_of(&self, coordinate: usize) -> TokenGroup {
        let i = self.starts[1..11].iter().filter(|start| **start <= coordinate).count();
        TokenGroup::ALL[i]
    }

    /// Name of a token coordinate, such as "pos1\[3\]", with indices from 0.
    pub fn name(&self, coordinate: usize) -> String {
        let group = self.group_of(coordinate);
        format!("{}[{}]", group.key(), coordinate - self.group(group).start)
    }

    /// Writes a number in binary, most significant bit first, into a group of `token`.
    pub(super) fn write_binary(&self, token: &mut [f64], group: TokenGroup, number: usize) {
        for (place, coordinate) in self.group(group).rev().enumerate() {
            let bit = u32::try_from(place).ok().and_then(|place| number.checked_shr(place)).unwrap_or(0) & 1;
            token[coordinate] = bit as f64;
        }
    }

    /// The number that a group of `token` holds in binary, most significant bit first; values above ½ count as 1.
    pub(super) fn read_binary(&self, token: &[f64], group: TokenGroup) -> usize {
        token[self.group(group)].iter().fold(0, |number, bit| 2 * number + usize::from(*bit > 0.5))
    }

    /// Index, from 0, within the token group `group` of the largest value in `token`; of equal values the first.
    pub(super) fn argmax(&self, token: &[f64], group: TokenGroup) -> usize {
        let numbers = &token[self.group(group)];
        (1..numbers.len()).fold(0, |best, at| if numbers[at] > numbers[best] { at } else { best })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widths_equal_published_widths() {
        for (states, symbols, bits, width) in [(3, 3, 4, 36), (4, 2, 5, 37), (8, 3, 6, 49), (5, 2, 7, 46)] {
            assert_eq!(ResidualLayout::new(states, symbols, bits).width(), width);
        }
    }

    #[test]
    fn every_coordinate_has_a_unique_name_and_one_group() {
        let layout = ResidualLayout::new(3, 2, 4);
        let mut names: Vec<String> = (0..layout.width()).map(|at| layout.name(at)).collect();
        assert_eq!((names[0].as_str(), names[3].as_str()), ("st[0]", "sym1[0]"));
        assert_eq!(names[layout.coordinate(TokenGroup::Prefix, 3)], "scr3[3]");
        assert_eq!(names[layout.width() - 1], "mv[1]");
        for group in TokenGroup::ALL {
            assert!(layout.group(group).all(|at| layout.group_of(at) == group));
            assert!(!group.name().is_empty());
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), layout.width());
    }

    #[test]
    fn numbers_are_written_and_read() {
        let layout = ResidualLayout::new(2, 2, 5);
        let mut token = vec![0.0; layout.width()];
        layout.write_binary(&mut token, TokenGroup::Head, 22);
        assert_eq!(token[layout.group(TokenGroup::Head)], [1.0, 0.0, 1.0, 1.0, 0.0]);
        assert_eq!(layout.read_binary(&token, TokenGroup::Head), 22);
        token[layout.coordinate(TokenGroup::Symbol, 1)] = 0.7;
        assert_eq!(layout.argmax(&token, TokenGroup::Symbol), 1);
    }
}
