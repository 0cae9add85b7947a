//! The stages of one step: what a panel shows of each.

/// Texts of the button that selects one stage of a computation, such as a layer of a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageButton {
    /// Name of the stage of the computation on its button: "Forward 2".
    pub name: String,
    /// Abbreviation on the button: "p(2)", the vector that the stage writes.
    pub short: String,
    /// Whether the stage begins a new group.
    pub begins: bool,
}

/// Labels of a player for the stages of a computation, in the reader's language except for the key.
#[derive(Debug, Clone, Copy)]
pub struct StageNames {
    /// Prefix of the HTML element ids of the player: "layer".
    pub key: &'static str,
    /// Label of the group of buttons: "Layers of the step".
    pub all: &'static str,
    /// Label of the button to the previous stage: "Previous layer".
    pub previous: &'static str,
    /// Label of the button to the next stage: "Next layer".
    pub next: &'static str,
    /// Label of the play button: "Play the layers".
    pub play: &'static str,
    /// Label of the play button during playback: "Pause the layers".
    pub pause: &'static str,
    /// Label of the slider: "Layer that is shown".
    pub shown: &'static str,
    /// Whether stages before the current one are marked as done.
    pub marks_done: bool,
}

/// Number of the stage after `stage` during playback of the stages 1 to `count`; 0 is the state before the first.
/// `None` after the last.
pub fn next_stage(count: usize, stage: usize) -> Option<usize> {
    (stage < count).then_some(stage + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn playing_ends_at_the_last_stage() {
        for count in [7, 8] {
            let mut stage = 0;
            while let Some(next) = next_stage(count, stage) {
                assert_eq!(next, stage + 1);
                stage = next;
            }
            assert_eq!(stage, count);
        }
    }
}
