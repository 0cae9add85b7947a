//! What stands where in a token: the groups of the residual vector (section 3.4 of the construction's text).
//!
//! | group | holds | numbers |
//! |---|---|---|
//! | st | the state, one-hot | states |
//! | sym1 | the symbol under the head, one-hot; in an encoder token the input's symbol | symbols |
//! | sym2 | the symbol that this step writes, one-hot | symbols |
//! | pos1 | the number i of the step, in binary; in an encoder token the cell | bits |
//! | pos2 | the cell l(i−1) that this step writes, in binary | bits |
//! | pos3 | the cell l(i) where the head is afterwards, in binary | bits |
//! | scr1 | the symbol that was read from an earlier step, one-hot | symbols |
//! | scr2 | the symbol that was read from the input, one-hot | symbols |
//! | scr3 | bits of i′ found so far | bits |
//! | scr4 | earlier write found, input found, bit found now | 3 |
//! | mv | left, right | 2 |
//!
//! Binary numbers begin with their most significant bit. Between steps only st, sym1 and pos2 are not 0. In step 0 the token
//! is h₀: the start cell in pos2, and 1 in the last number of scr4, which marks the beginning.

use std::ops::Range;

/// A group of coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Group {
    /// st.
    State,
    /// sym1.
    Symbol,
    /// sym2.
    Written,
    /// pos1.
    Time,
    /// pos2.
    Before,
    /// pos3.
    Head,
    /// scr1.
    Recalled,
    /// scr2.
    Given,
    /// scr3.
    Prefix,
    /// scr4.
    Flags,
    /// mv.
    Move,
}

impl Group {
    /// All groups in their order.
    pub const ALL: [Group; 11] = [
        Group::State,
        Group::Symbol,
        Group::Written,
        Group::Time,
        Group::Before,
        Group::Head,
        Group::Recalled,
        Group::Given,
        Group::Prefix,
        Group::Flags,
        Group::Move,
    ];

    /// "st".
    pub fn key(self) -> &'static str {
        match self {
            Group::State => "st",
            Group::Symbol => "sym1",
            Group::Written => "sym2",
            Group::Time => "pos1",
            Group::Before => "pos2",
            Group::Head => "pos3",
            Group::Recalled => "scr1",
            Group::Given => "scr2",
            Group::Prefix => "scr3",
            Group::Flags => "scr4",
            Group::Move => "mv",
        }
    }

    /// What it holds, in words.
    pub fn name(self) -> &'static str {
        match self {
            Group::State => tr!("State"),
            Group::Symbol => tr!("Symbol under the head"),
            Group::Written => tr!("Symbol written in this step"),
            Group::Time => tr!("Number of the step, in binary"),
            Group::Before => tr!("Number (in binary) of the cell written in this step"),
            Group::Head => tr!("Number of the head's cell after the move, in binary"),
            Group::Recalled => tr!("Symbol found in an earlier step"),
            Group::Given => tr!("Symbol found in the input"),
            Group::Prefix => tr!("Number of the step that last wrote to the cell: bits found so far"),
            Group::Flags => {
                tr!(
                    "Flags: earlier write found, input symbol found, bit found in this round of the search (before step 0: mark of the beginning)"
                )
            }
            Group::Move => tr!("Move: left, right"),
        }
    }
}

/// Where the groups of a token stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// First coordinate of each group, and their end.
    starts: [usize; 12],
}

impl Layout {
    /// The layout for so many states, symbols and bits of a position.
    pub fn new(states: usize, symbols: usize, bits: usize) -> Self {
        let sizes = Group::ALL.map(|group| match group {
            Group::State => states,
            Group::Symbol | Group::Written | Group::Recalled | Group::Given => symbols,
            Group::Time | Group::Before | Group::Head | Group::Prefix => bits,
            Group::Flags => 3,
            Group::Move => 2,
        });
        let mut starts = [0; 12];
        for (i, size) in sizes.into_iter().enumerate() {
            starts[i + 1] = starts[i] + size;
        }
        Layout { starts }
    }

    /// Numbers of a token: states + 4 symbols + 4 bits + 5.
    pub fn width(&self) -> usize {
        self.starts[11]
    }

    /// Bits of a position.
    pub fn bits(&self) -> usize {
        self.group(Group::Time).len()
    }

    /// Coordinates of a group.
    pub fn group(&self, group: Group) -> Range<usize> {
        let i = group as usize;
        self.starts[i]..self.starts[i + 1]
    }

    /// One coordinate of a group.
    pub fn at(&self, group: Group, place: usize) -> usize {
        self.group(group).start + place
    }

    /// The group of a coordinate.
    pub fn group_of(&self, coordinate: usize) -> Group {
        let i = self.starts[1..11].iter().filter(|start| **start <= coordinate).count();
        Group::ALL[i]
    }

    /// "pos1\[3\]", with places from 0.
    pub fn name(&self, coordinate: usize) -> String {
        let group = self.group_of(coordinate);
        format!("{}[{}]", group.key(), coordinate - self.group(group).start)
    }

    /// Writes a number in binary into a group.
    pub(super) fn write(&self, token: &mut [f64], group: Group, number: usize) {
        for (place, coordinate) in self.group(group).rev().enumerate() {
            let bit = u32::try_from(place).ok().and_then(|place| number.checked_shr(place)).unwrap_or(0) & 1;
            token[coordinate] = bit as f64;
        }
    }

    /// The number that a group holds in binary; what is above ½ counts as 1.
    pub(super) fn number(&self, token: &[f64], group: Group) -> usize {
        token[self.group(group)].iter().fold(0, |number, bit| 2 * number + usize::from(*bit > 0.5))
    }

    /// The place of the largest number of a group, the first of several.
    pub(super) fn largest(&self, token: &[f64], group: Group) -> usize {
        let numbers = &token[self.group(group)];
        (1..numbers.len()).fold(0, |best, at| if numbers[at] > numbers[best] { at } else { best })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widths_are_those_of_the_table() {
        for (states, symbols, bits, width) in [(3, 3, 4, 36), (4, 2, 5, 37), (8, 3, 6, 49), (5, 2, 7, 46)] {
            assert_eq!(Layout::new(states, symbols, bits).width(), width);
        }
    }

    #[test]
    fn every_coordinate_has_a_name_of_its_own_and_one_group() {
        let layout = Layout::new(3, 2, 4);
        let mut names: Vec<String> = (0..layout.width()).map(|at| layout.name(at)).collect();
        assert_eq!((names[0].as_str(), names[3].as_str()), ("st[0]", "sym1[0]"));
        assert_eq!(names[layout.at(Group::Prefix, 3)], "scr3[3]");
        assert_eq!(names[layout.width() - 1], "mv[1]");
        for group in Group::ALL {
            assert!(layout.group(group).all(|at| layout.group_of(at) == group));
            assert!(!group.name().is_empty());
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), layout.width());
    }

    #[test]
    fn numbers_are_written_and_read() {
        let layout = Layout::new(2, 2, 5);
        let mut token = vec![0.0; layout.width()];
        layout.write(&mut token, Group::Head, 22);
        assert_eq!(token[layout.group(Group::Head)], [1.0, 0.0, 1.0, 1.0, 0.0]);
        assert_eq!(layout.number(&token, Group::Head), 22);
        token[layout.at(Group::Symbol, 1)] = 0.7;
        assert_eq!(layout.largest(&token, Group::Symbol), 1);
    }
}
