//! The view that a visitor has chosen: the moving picture, or the details of a run; kept in the browser.

use vivarium_ui::browser::{read_stored, write_stored};

/// Key in the browser's local storage of the view that a visitor wants: the picture, or [`DETAILS`].
const STORAGE_KEY: &str = "vivarium.view";

/// Stored value of a visitor who wants charts, settings and numbers.
const DETAILS: &str = "details";

/// Whether this visitor is shown the picture first: everybody who has not opened the details.
pub fn wants_picture() -> bool {
    read_stored(STORAGE_KEY).as_deref() != Some(DETAILS)
}

/// Remembers in this browser that the visitor wants the picture (true) or the details.
pub fn store(wants_picture: bool) {
    write_stored(STORAGE_KEY, if wants_picture { "picture" } else { DETAILS });
}
