//! Settings of the view of runs on prompts of tokens.

use vivarium_core::settings;
use vivarium_core::settings::Range;

settings! {
    /// Changes to the inspected prompt, in the view of runs on prompts of tokens.
    pub struct PromptView {
        /// Changed names in the inspected prompt: index in the list of all names, counted from 1, and new name (a position).
        named: Vec<(u64, f64)> = vec![], "named", "Changed names", Range::Schedule(1.0, 256.0);
        /// Changed numbers in the tokens of the inspected prompt: index in the list of all numbers, counted from 1, and new value.
        tokens: Vec<(u64, f64)> = vec![], "tokens", "Changed numbers in tokens", Range::Schedule(-100.0, 100.0);
    }
}
