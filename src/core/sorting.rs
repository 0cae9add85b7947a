//! Sorting lists of any type with one compiled sort function.
//!
//! # Why
//! The standard library's sort is compiled anew for every type and every order that is sorted by: 4 KiB each, of which the
//! page's two programs had 38, the workers more and larger ones. Nearly all of these lists have some tens of entries. So
//! indices are sorted here, which takes one such function, and then the entries are moved there. Each comparison
//! is a call, which makes this two or three times as slow. Numbers alone are sorted with `sort_unstable_by(f64::total_cmp)`
//! as anywhere else: that is there once as well. By reachability in the linked programs, 2026-11-23: 11 KiB less of the
//! first and 16 KiB less of the second after compression.

use std::cmp::Ordering;

/// Indices from 0 to `count` − 1, sorted by `compare`, which compares the entries at two indices; indices of equal
/// entries keep their order.
///
/// ```
/// use vivarium_core::sorting::argsort;
/// let words = ["pear", "fig", "plum", "date"];
/// assert_eq!(argsort(4, &|a, b| words[a].len().cmp(&words[b].len())), [1, 0, 2, 3]);
/// ```
pub fn argsort(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| compare(*a, *b));
    order
}

/// Sorts `entries` by the comparison `compare`; equal entries keep their order.
pub fn sort_by<T>(entries: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let order = argsort(entries.len(), &|a, b| compare(&entries[a], &entries[b]));
    apply_order(entries, &order);
}

/// Sorts `entries` by the result of `key`, which is computed at every comparison; equal entries keep their order.
pub fn sort_by_key<T, K: Ord>(entries: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(entries, |a, b| key(a).cmp(&key(b)));
}

/// Sorts `entries` by the result of `key`, which is expensive to compute: it is computed once per entry. Equal entries
/// keep their order.
pub fn sort_by_cached_key<T, K: Ord>(entries: &mut [T], key: impl Fn(&T) -> K) {
    let keys: Vec<K> = entries.iter().map(key).collect();
    let order = argsort(keys.len(), &|a, b| keys[a].cmp(&keys[b]));
    apply_order(entries, &order);
}

/// Permutes `entries`, so that the one at index `order[i]` comes to index i; both count from 0.
fn apply_order<T>(entries: &mut [T], order: &[usize]) {
    let mut place = vec![0; order.len()];
    for (to, from) in order.iter().enumerate() {
        place[*from] = to;
    }
    for at in 0..entries.len() {
        // Every swap brings one entry to its place.
        while place[at] != at {
            let to = place[at];
            entries.swap(at, to);
            place.swap(at, to);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_sorted_as_by_the_standard_library() {
        for count in [0, 1, 2, 3, 20, 21, 300] {
            // Few keys, so that equal ones have to keep their order.
            let entries: Vec<(usize, usize)> = (0..count).map(|at| (at * 7919 % 31 % 7, at)).collect();
            let (mut ours, mut theirs) = (entries.clone(), entries);
            sort_by_key(&mut ours, |(key, _)| *key);
            theirs.sort_by_key(|(key, _)| *key);
            assert_eq!(ours, theirs);
            sort_by_cached_key(&mut ours, |(key, at)| (key % 2, *at));
            theirs.sort_by_key(|(key, at)| (key % 2, *at));
            assert_eq!(ours, theirs);
            sort_by(&mut ours, |a, b| b.cmp(a));
            theirs.sort_by(|a, b| b.cmp(a));
            assert_eq!(ours, theirs);
        }
    }
}
