//! Merging of saved runs that two tabs have written, and the name of the page's database.

use vivarium_view::record::saved::{RunMarks, SavedRun};

/// Name of the browser's database of saved runs in earlier versions, before the name contained the path of the page. It
/// is read once and never changed, because another copy of the page on this host may read it too.
pub const FORMER_DATABASE_NAME: &str = "vivarium";

/// Returns the name of the browser's database of saved runs for a page at this path: one per folder, so that two copies
/// of the page on a host have one each.
pub fn database_name(path: &str) -> String {
    let folder = path.rfind('/').map_or("/", |end| &path[..=end]);
    format!("{FORMER_DATABASE_NAME} {folder}")
}

/// Returns the number of the user's data table in a link or in the id of a run; None if the run uses no such table.
pub fn link_table_number(link: &str) -> Option<u64> {
    let mut pairs = link.split_once('?')?.1.split('&');
    let number = pairs.clone().find_map(|pair| pair.strip_prefix("csv="))?;
    pairs.any(|pair| pair == "data=own").then(|| number.parse().ok()).flatten()
}

/// Returns (step, whether the run has ended); of two versions of a run, the one with the greater pair has trained
/// further.
fn progress(run: &SavedRun) -> (u64, bool) {
    (run.step, run.ended)
}

/// Returns the version of a run to store in place of `old`: `new`, with the name, pin and colour of `old`; None if
/// `old` has trained further and stays.
pub fn merge_written(old: Option<&SavedRun>, new: SavedRun) -> Option<SavedRun> {
    match old {
        Some(old) if progress(old) > progress(&new) => None,
        Some(old) => Some(SavedRun { colour: old.colour, ..new }.with_marks(RunMarks::of(old))),
        None => Some(new),
    }
}

/// Merges a run in the page's memory with the stored one: training from the one that is further, name and pin from the
/// later edit. Curves in memory are kept if they belong to the same step.
pub fn merge_read(known: SavedRun, stored: SavedRun) -> SavedRun {
    let marks = RunMarks::of(if known.revision > stored.revision { &known } else { &stored });
    let (mine, theirs) = (progress(&known), progress(&stored));
    if mine > theirs {
        return known.with_marks(marks);
    }
    let has_curves = mine == theirs && stored.rows.is_empty();
    let rows = if has_curves { known.rows } else { stored.rows };
    SavedRun { rows, ..stored }.with_marks(marks)
}
