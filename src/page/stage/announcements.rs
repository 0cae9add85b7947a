//! Sentences on the effects of touches, which screen readers read out.
//!
//! # Why
//! A drag changes the picture at every movement of the pointer. A live region that changes as often is read out long after
//! the drag, or not at all. So during a drag a sentence is passed on at most twice a second, and the last one at its end.

/// Shortest time between two sentences during a drag, in milliseconds.
const DRAG_INTERVAL_MS: f64 = 500.0;

/// The sentences on touches: when the last one was passed on, and one that waits for the end of a drag.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Announcements {
    /// Time of the last sentence that was passed on, in milliseconds; `None` before the first.
    last_ms: Option<f64>,
    /// Latest sentence of a drag that was not passed on; `None` if it was.
    waiting: Option<String>,
}

impl Announcements {
    /// Takes the sentence on the effect of a touch at the time `now_ms`; returns it if it is to be read out now.
    pub fn add(&mut self, sentence: String, is_drag: bool, now_ms: f64) -> Option<String> {
        if is_drag && self.last_ms.is_some_and(|last| now_ms - last < DRAG_INTERVAL_MS) {
            self.waiting = Some(sentence);
            return None;
        }
        (self.last_ms, self.waiting) = (Some(now_ms), None);
        Some(sentence)
    }

    /// Ends a drag at the time `now_ms`; returns its last sentence if it was not read out.
    pub fn end_drag(&mut self, now_ms: f64) -> Option<String> {
        let waiting = self.waiting.take()?;
        self.last_ms = Some(now_ms);
        Some(waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drag_is_read_out_twice_a_second_and_at_its_end() {
        let mut all = Announcements::default();
        let mut read = vec![];
        for at in 0..100 {
            read.extend(all.add(format!("{at}"), true, 20.0 * f64::from(at)));
        }
        assert_eq!(read, ["0", "25", "50", "75"]);
        assert_eq!(all.end_drag(2000.0).as_deref(), Some("99"));
        assert_eq!(all.end_drag(2000.0), None, "once");
        // Presses are always read out, and replace what waits.
        assert_eq!(all.add("drag".into(), true, 2100.0), None);
        assert_eq!(all.add("press".into(), false, 2101.0).as_deref(), Some("press"));
        assert_eq!(all.end_drag(2200.0), None);
    }
}
