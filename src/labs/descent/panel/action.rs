//! Actions of the user in the panel: choosing a layer or a token changes the view, moving the examples requests another
//! run. All of them are part of the link and can be undone.

use super::plane::{self, MAX_POINTS, PlotFrame};
use crate::descent::DescentState;
use vivarium_core::language::translated;
use vivarium_core::settings::entry::parse_whole_entry;
use vivarium_science::descent::TargetKind;
use vivarium_view::display::words::MISSING;
use vivarium_view::ui::request::Request;

/// The sentence that says why the examples cannot be edited as points in a plot: their inputs have more than one
/// number.
pub const NO_PLOT_REASON: &str = text!(
    "You can add and move points only if each input has one number. First set the input dimension to 1."
);

/// Action of the user in the descent panel.
#[derive(Debug, Clone, PartialEq)]
pub enum PanelAction {
    /// Show the tokens after this layer of the step, from 1; 0 shows them before the first layer.
    ShowLayer(usize),
    /// Show the token of this example, from 1; 0 shows the query's.
    ShowToken(usize),
    /// Show the token of the example whose number, from 1, the user typed.
    ShowTypedToken(String),
    /// Turn the generated examples into points that the user can move.
    ConvertToPoints,
    /// Add a point at these coordinates (x, y).
    AddPoint([f64; 2]),
    /// Add a point in the widest horizontal gap between the existing points.
    AddFreePoint,
    /// Move the point with this index, from 0, to these coordinates (x, y).
    MovePoint(usize, [f64; 2]),
    /// Remove the point with this index, from 0.
    RemovePoint(usize),
}

/// Whether the prompt's examples are points placed by the user, not examples drawn at random.
pub fn has_own_points(state: &DescentState) -> bool {
    state.prompts.function == TargetKind::Points
}

/// Whether each input of the prompt's examples is one number, so that examples are points (x, y).
pub fn is_one_dimensional(state: &DescentState) -> bool {
    state.prompts.dim == 1
}

/// The points (x, y) of the editable plot: the user's own, or the first replica's examples; empty if inputs have
/// several numbers.
pub fn shown_points(state: &DescentState) -> Vec<[f64; 2]> {
    if has_own_points(state) {
        return state.prompts.points.clone();
    }
    if !is_one_dimensional(state) {
        return vec![];
    }
    let (examples, first) = (&state.examples, |numbers: &[f64]| numbers.first().copied().unwrap_or(0.0));
    (0..examples.len()).map(|i| [first(examples.input(i)), first(examples.label(i))]).collect()
}

/// The request to the page for an action in the descent panel: a changed view or setting, or a message why the action
/// is not possible.
pub fn build_request(state: &DescentState, action: PanelAction) -> Request {
    let examples = state.examples.len();
    // Each change starts from the points that are shown.
    let change = |change: &dyn Fn(&mut Vec<[f64; 2]>)| {
        let mut points = plane::limit_points(&shown_points(state));
        change(&mut points);
        edit_points(state, &points)
    };
    let is_full = shown_points(state).len() >= MAX_POINTS;
    let is_view = matches!(
        action,
        PanelAction::ShowLayer(_) | PanelAction::ShowToken(_) | PanelAction::ShowTypedToken(_)
    );
    if !is_view && !is_one_dimensional(state) {
        return Request::ShowMessage(translated(NO_PLOT_REASON));
    }
    match action {
        PanelAction::ShowLayer(layer) => Request::edit("layer", layer.to_string()),
        PanelAction::ShowToken(place) => Request::edit("place", place.to_string()),
        PanelAction::ShowTypedToken(text) => {
            match parse_whole_entry(&text).filter(|at| (1..=examples as u64).contains(at)) {
                Some(place) => Request::edit("place", place.to_string()),
                None => {
                    let expected = tr!("an example from 1 to {last}", last = examples);
                    Request::Refuse { key: "place", text, expected }
                }
            }
        }
        PanelAction::ConvertToPoints => change(&|_| ()),
        PanelAction::AddPoint(_) | PanelAction::AddFreePoint if is_full => Request::ShowMessage(tr!(
            "No more than 64 points are possible. Remove one point before you add another."
        )),
        PanelAction::AddPoint(point) => change(&|points| points.push(point.map(plane::round_coordinate))),
        PanelAction::AddFreePoint => {
            change(&|points| points.push(PlotFrame::fit(points).find_free_point(points)))
        }
        PanelAction::MovePoint(at, to) => change(&|points| {
            if let Some(point) = points.get_mut(at) {
                *point = to.map(plane::round_coordinate);
            }
        }),
        PanelAction::RemovePoint(_) if shown_points(state).len() < 2 => Request::ShowMessage(tr!(
            "At least one point must stay. Move this point, or add another point first."
        )),
        PanelAction::RemovePoint(at) => change(&|points| {
            if at < points.len() {
                points.remove(at);
            }
        }),
    }
}

/// A request that makes these points (x, y) the examples of the prompt. It sets the function first, which is invalid
/// without points, so that both settings change with one restart and one undo step.
fn edit_points(state: &DescentState, points: &[[f64; 2]]) -> Request {
    let function = (!has_own_points(state)).then(|| ("f", TargetKind::Points.slug().to_string()));
    Request::Edit(function.into_iter().chain([("points", plane::format_points(points))]).collect())
}

/// The name of the token with index `token`, from 0: "example 3 at (0.5, 1)", or "the query" for the last one.
pub fn token_name(state: &DescentState, token: usize) -> String {
    let examples = &state.examples;
    if token >= examples.len() {
        return tr!("the query").into();
    }
    let first = |numbers: &[f64]| numbers.first().map_or(MISSING.into(), |x| super::strip::format_number(*x));
    match is_one_dimensional(state) {
        true => tr!(
            "example {number} at ({x}, {y})",
            number = token + 1,
            x = first(examples.input(token)),
            y = first(examples.label(token))
        ),
        false => tr!("example {number}", number = token + 1),
    }
}

/// Summary of the editable plot of examples: how many points there are, and whether they are the user's own.
pub fn describe_points(state: &DescentState) -> String {
    let count = shown_points(state).len();
    match (is_one_dimensional(state), has_own_points(state)) {
        (false, _) => translated(NO_PLOT_REASON).into(),
        (true, true) if count == 1 => tr!("1 point of your own; at most {most} points are possible.", most = MAX_POINTS),
        (true, true) => tr!("{count} points of your own; at most {most} points are possible.", count, most = MAX_POINTS),
        (true, false) if count > MAX_POINTS => {
            tr!(
                "{count} examples, generated from the settings. Your first change turns {most} of these examples into your own points and removes the remaining examples.",
                count,
                most = MAX_POINTS
            )
        }
        (true, false) if count == 1 => {
            tr!("1 example, generated from the settings. Your first change turns this example into your own point.").into()
        }
        (true, false) => tr!("{count} examples, generated from the settings. Your first change turns these examples into your own points.", count),
    }
}
