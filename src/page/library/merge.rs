//! What becomes of a run that two tabs have written, and what the place is called where a page stores its runs.

use vivarium_view::record::saved::{Marks, SavedRun};

/// What the place was called before its name held the page's path. It is read once, and left as it is: another copy of
/// this page on the same host may want it too.
pub const FORMER_NAME: &str = "vivarium";

/// What the place is called where the page at this path stores its runs: two copies of this page on one host have one
/// each, and a page is the same whether or not its file is named.
pub fn database_name(path: &str) -> String {
    let folder = path.rfind('/').map_or("/", |end| &path[..=end]);
    format!("{FORMER_NAME} {folder}")
}

/// The number of a table that a link or an id names.
pub fn table_in(link: &str) -> Option<u64> {
    let mut pairs = link.split_once('?')?.1.split('&');
    let number = pairs.clone().find_map(|pair| pair.strip_prefix("csv="))?;
    pairs.any(|pair| pair == "data=own").then(|| number.parse().ok()).flatten()
}

/// How far a run has got; one that has ended got further than one that waits there.
fn progress(kept: &SavedRun) -> (u64, bool) {
    (kept.step, kept.ended)
}

/// What is stored of a run after `new` is written over `old`; none where `old` got further. What the person says of a
/// run is not touched.
pub fn merged(old: Option<&SavedRun>, new: SavedRun) -> Option<SavedRun> {
    match old {
        Some(old) if progress(old) > progress(&new) => None,
        Some(old) => Some(SavedRun { colour: old.colour, ..new }.marked(Marks::of(old))),
        None => Some(new),
    }
}

/// The newer of what a page knows and what is stored: of the run what got further, of what is said of it the later word.
/// Lists are read without curves: those that the page has stay, where they are those of the same steps.
pub fn newest(known: SavedRun, stored: SavedRun) -> SavedRun {
    let marks = Marks::of(if known.revision > stored.revision { &known } else { &stored });
    let (mine, theirs) = (progress(&known), progress(&stored));
    if mine > theirs {
        return known.marked(marks);
    }
    let has_curves = mine == theirs && stored.rows.is_empty();
    let rows = if has_curves { known.rows } else { stored.rows };
    SavedRun { rows, ..stored }.marked(marks)
}
