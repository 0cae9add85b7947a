//! Cache for values that follow from settings and are expensive to compute.
//!
//! # Why
//! A sampler consists of plain settings and cannot store results, and its draws are functions of their arguments
//! alone, so that batches may be drawn in any order. Each thread has its own cache.

use std::collections::BTreeMap;

/// Cache of computed values by key; emptied when the total size of the values would exceed a bound.
pub(super) struct BoundedCache<K, V> {
    /// Computed values that are cached, by their keys.
    entries: BTreeMap<K, V>,
    /// Total size of the cached values, in the unit of the caller's sizes.
    size: usize,
    /// Largest total size of the cached values, in the unit of the caller's sizes; before it would be exceeded, all
    /// values are evicted.
    capacity: usize,
}

impl<K: Ord, V: Clone> BoundedCache<K, V> {
    /// Creates an empty cache. When the sum of the sizes that callers state of their values would exceed `capacity`, all
    /// cached values are evicted first.
    pub(super) const fn new(capacity: usize) -> Self {
        BoundedCache { entries: BTreeMap::new(), size: 0, capacity }
    }

    /// Returns the value for `key`; a missing value is computed and cached, and counts with size `size`.
    pub(super) fn get_or_compute(&mut self, key: K, size: usize, compute: impl FnOnce() -> V) -> V {
        if let Some(known) = self.entries.get(&key) {
            return known.clone();
        }
        let found = compute();
        if self.size + size > self.capacity {
            self.entries.clear();
            self.size = 0;
        }
        self.size += size;
        self.entries.insert(key, found.clone());
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_found_once_and_the_memory_is_bounded() {
        let (mut known, mut found) = (BoundedCache::new(100), 0);
        let mut ask = |key: usize, size: usize| {
            let value = known.get_or_compute(key, size, || {
                found += 1;
                key * 2
            });
            assert!(known.size <= 100 && known.entries.len() <= 10);
            (value, found)
        };
        assert_eq!([ask(1, 10), ask(2, 10), ask(1, 10)], [(2, 1), (4, 2), (2, 2)]);
        (3..1000).for_each(|key| assert_eq!(ask(key, 10), (2 * key, key)));
        assert_eq!((ask(999, 10), ask(2, 10)), ((1998, 999), (4, 1000)));
    }
}
