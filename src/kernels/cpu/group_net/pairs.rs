//! Pairs of group elements with their labels, in the order in which a step meets them.

use super::products::HIGH;

/// What stands for the label where a tile of pairs is not full.
pub(super) const NO_LABEL: u32 = u32::MAX;

/// Pairs and their labels, by the first element, so that those that share u lie together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pairs {
    order: usize,
    count: usize,
    starts: Vec<usize>,
    /// Filled up with the last pair.
    pub(super) cells: Vec<[u32; 2]>,
    /// Filled up with [`NO_LABEL`].
    pub(super) labels: Vec<u32>,
}

impl Pairs {
    /// The `pairs` of a group of `order` elements, any of them and any number of times, with their `labels`.
    ///
    /// # Panics
    /// If an element or a label is not below `order`.
    pub fn new(order: usize, pairs: &[[u32; 2]], labels: &[u32]) -> Self {
        let mut found = Pairs { order, ..Pairs::default() };
        found.fill(pairs, labels);
        found
    }

    /// Puts others in their place and keeps the memory.
    ///
    /// # Panics
    /// As [`Pairs::new`].
    pub fn fill(&mut self, pairs: &[[u32; 2]], labels: &[u32]) {
        let inside = |element: &u32| (*element as usize) < self.order;
        assert!(pairs.iter().flatten().chain(labels).all(inside), "elements must lie in the group");
        assert_eq!(pairs.len(), labels.len(), "each pair has one label");
        self.count = pairs.len();
        let full = self.count.next_multiple_of(HIGH);
        self.cells.resize(full, [0; 2]);
        self.labels.resize(full, NO_LABEL);
        self.starts.clear();
        self.starts.resize(self.order + 1, 0);
        for [a, _] in pairs {
            self.starts[*a as usize + 1] += 1;
        }
        for a in 0..self.order {
            self.starts[a + 1] += self.starts[a];
        }
        for (cell, label) in pairs.iter().zip(labels) {
            let place = &mut self.starts[cell[0] as usize];
            (self.cells[*place], self.labels[*place]) = (*cell, *label);
            *place += 1;
        }
        if self.count > 0 {
            let last = self.cells[self.count - 1];
            self.cells[self.count..].fill(last);
            self.labels[self.count..].fill(NO_LABEL);
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_grouped_and_filled_up() {
        let mut pairs = Pairs::new(3, &[[2, 0], [0, 1], [2, 1], [0, 1], [1, 1]], &[1, 0, 2, 0, 1]);
        assert_eq!(pairs.cells, [[0, 1], [0, 1], [1, 1], [2, 0], [2, 1], [2, 1], [2, 1], [2, 1]]);
        assert_eq!(pairs.labels[..5], [0, 0, 1, 1, 2]);
        assert!(pairs.labels[5..].iter().all(|label| *label == NO_LABEL));
        pairs.fill(&[[1, 0]], &[1]);
        assert_eq!(pairs, Pairs::new(3, &[[1, 0]], &[1]));
        assert_eq!(pairs.len(), 1);
    }
}
