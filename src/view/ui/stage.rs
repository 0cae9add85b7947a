//! The stages of one step: what a panel shows of each.

/// A stage as its button shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageButton {
    /// What it does, "Forward 2".
    pub name: String,
    /// The same in a few letters, for the row of buttons: "p(2)", what it writes.
    pub short: String,
    /// Whether a new group of stages begins with it.
    pub begins: bool,
}

/// What a lab calls its stages, in the reader's language where no key is meant.
#[derive(Debug, Clone, Copy)]
pub struct StageNames {
    /// The beginning of the elements' ids: "layer".
    pub key: &'static str,
    /// All of them: "Layers of the step".
    pub all: &'static str,
    /// The button that goes back: "Previous layer".
    pub previous: &'static str,
    /// The button that goes on: "Next layer".
    pub next: &'static str,
    /// The button that plays them: "Play the layers".
    pub play: &'static str,
    /// The same while they are played: "Pause the layers".
    pub pause: &'static str,
    /// The slider: "Layer that is shown".
    pub shown: &'static str,
    /// Whether stages before the one that is shown are marked.
    pub marks_done: bool,
}

/// The stage that is shown next while so many are played; none after the last.
pub fn after(count: usize, stage: usize) -> Option<usize> {
    (stage < count).then_some(stage + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn playing_ends_at_the_last_stage() {
        for count in [7, 8] {
            let mut stage = 0;
            while let Some(next) = after(count, stage) {
                assert_eq!(next, stage + 1);
                stage = next;
            }
            assert_eq!(stage, count);
        }
    }
}
