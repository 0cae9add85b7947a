//! What charts and words both ask: which heads are drawn, and what methods reach at the last point.

use super::judge::{methods, name};
use super::state::InContextState;
use crate::display::RunView;
use crate::models::in_context_transformer::Head;

/// The last point of a prompt as in training, and R² of each method there, with its name.
pub(super) fn at_the_last_point(run: &RunView) -> Vec<(f32, &'static str)> {
    let Some(state) = run.state::<InContextState>() else { return vec![] };
    let last = state.prompts.points - 1;
    let one = |of| Some((state.judged(of)?.after(last)?, name(of)));
    methods(&state.prompts).into_iter().filter_map(one).collect()
}

/// The heads that are drawn: the chosen one, counted from 1, or all.
pub(super) fn drawn<'a>(run: &RunView, heads: &'a [Head]) -> Vec<&'a Head> {
    match run.link.view.head.checked_sub(1).and_then(|head| heads.get(head)) {
        Some(head) => vec![head],
        None => heads.iter().collect(),
    }
}
