//! What follows from settings and takes long to find, kept for whoever asks for it again.
//!
//! # Why
//! A sampler is plain settings and has no place for what it has found, and what it draws is a function of its arguments
//! alone, so that it may be asked for one batch after the other in any order. Each thread keeps what it has found itself.

use std::collections::BTreeMap;

/// What was found, by what it was found of, as long as there is room for it.
pub(super) struct Remembered<K, V> {
    known: BTreeMap<K, V>,
    size: usize,
    most: usize,
}

impl<K: Ord, V: Clone> Remembered<K, V> {
    /// Nothing yet, and room for things of so much size together. What does not fit takes the place of all others.
    pub(super) const fn new(most: usize) -> Self {
        Remembered { known: BTreeMap::new(), size: 0, most }
    }

    /// What was found for `key`, or what `find` gives, of this size.
    pub(super) fn get(&mut self, key: K, size: usize, find: impl FnOnce() -> V) -> V {
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let found = find();
        if self.size + size > self.most {
            self.known.clear();
            self.size = 0;
        }
        self.size += size;
        self.known.insert(key, found.clone());
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_found_once_and_the_memory_is_bounded() {
        let (mut known, mut found) = (Remembered::new(100), 0);
        let mut ask = |key: usize, size: usize| {
            let value = known.get(key, size, || {
                found += 1;
                key * 2
            });
            assert!(known.size <= 100 && known.known.len() <= 10);
            (value, found)
        };
        assert_eq!([ask(1, 10), ask(2, 10), ask(1, 10)], [(2, 1), (4, 2), (2, 2)]);
        (3..1000).for_each(|key| assert_eq!(ask(key, 10), (2 * key, key)));
        assert_eq!((ask(999, 10), ask(2, 10)), ((1998, 999), (4, 1000)));
    }
}
