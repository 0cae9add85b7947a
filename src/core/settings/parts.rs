//! Settings of several structs in one list, in a given order.
//!
//! # Why
//! The settings of the view of one lab are a struct of their own next to the lab's task, but a link contains the
//! settings of all views in one order, in which those of several labs alternate. So a list of keys gives the order, and
//! the indices that follow from it are computed at compile time.

use super::SettingInfo;

/// Counts the settings in all `parts`.
pub const fn count_settings(parts: &[&[SettingInfo]]) -> usize {
    let (mut part, mut count) = (0, 0);
    while part < parts.len() {
        count += parts[part].len();
        part += 1;
    }
    count
}

/// Concatenates lists of settings into one of N entries, the sum of their lengths; the first list must not be empty.
pub const fn concat_settings<const N: usize>(parts: &[&[SettingInfo]]) -> [SettingInfo; N] {
    let mut all = [parts[0][0]; N];
    let (mut part, mut at) = (0, 0);
    while part < parts.len() {
        let mut own = 0;
        while own < parts[part].len() {
            all[at] = parts[part][own];
            (own, at) = (own + 1, at + 1);
        }
        part += 1;
    }
    all
}

/// Concatenates lists, as [`concat_settings`] does for the declarations of the settings.
pub fn concat_fields<T, const N: usize>(parts: [Vec<T>; N]) -> Vec<T> {
    parts.into_iter().flatten().collect()
}

/// Finds the order of the N settings of all `parts`, as indices into the concatenated lists: first the settings with
/// these `keys`, in the order of the keys, then the other settings in the order of the parts.
///
/// # Panics
/// When no setting has one of the keys, or two settings or two entries of `keys` are equal; the code does not compile
/// then, because the order is a constant.
pub const fn find_order<const N: usize>(parts: &[&[SettingInfo]], keys: &[&str]) -> [usize; N] {
    let all: [SettingInfo; N] = concat_settings(parts);
    let (mut order, mut count) = ([0; N], 0);
    while count < keys.len() {
        let mut at = 0;
        while !is_same_text(all[at].key, keys[count]) {
            at += 1;
        }
        order[count] = at;
        count += 1;
    }
    let mut at = 0;
    while at < N {
        let mut key = 0;
        while key < keys.len() && !is_same_text(all[at].key, keys[key]) {
            key += 1;
        }
        if key == keys.len() {
            order[count] = at;
            count += 1;
        }
        at += 1;
    }
    assert!(count == N, "every setting has one place in the order");
    order
}

/// Lists the settings of all `parts` in an `order` that [`find_order`] has found.
pub const fn order_settings<const N: usize>(
    parts: &[&[SettingInfo]],
    order: &[usize; N],
) -> [SettingInfo; N] {
    let all: [SettingInfo; N] = concat_settings(parts);
    let (mut ordered, mut at) = (all, 0);
    while at < N {
        ordered[at] = all[order[at]];
        at += 1;
    }
    ordered
}

/// Lists the `fields` of the concatenated parts in `order`, as [`order_settings`] does for the declarations of the
/// settings.
pub fn order_fields<T>(fields: Vec<T>, order: &[usize]) -> Vec<T> {
    let mut fields: Vec<Option<T>> = fields.into_iter().map(Some).collect();
    order.iter().filter_map(|at| fields.get_mut(*at)?.take()).collect()
}

/// Whether two texts are equal; `==` cannot be used in constants.
const fn is_same_text(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}
