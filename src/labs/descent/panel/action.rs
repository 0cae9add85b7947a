//! What a person does in the panel: choose a layer and a token, which changes what is shown, and move the examples, which asks
//! for another run. All of it is in the link and can be undone.

use super::plane::{self, Frame, MOST};
use crate::descent::DescentState;
use vivarium_core::language::translated;
use vivarium_science::descent::TargetKind;
use vivarium_view::display::words::MISSING;
use vivarium_view::ui::request::Request;

/// Why there is no plot.
pub const NO_PLANE: &str = text!(
    "You can add and move points only if each input has one number. First set the input dimension to 1."
);

/// What can be done.
#[derive(Debug, Clone, PartialEq)]
pub enum PanelAction {
    /// Show the tokens after this layer of the step, from 1; 0 shows them between two steps.
    Layer(usize),
    /// Show the token of this example, from 1; 0 shows the query's.
    Token(usize),
    /// The same as it was typed.
    TypedToken(String),
    /// Take the examples as points of one's own.
    Own,
    /// Put down a point.
    Add([f64; 2]),
    /// Put down a point where there is room.
    AddFree,
    /// Move this point, from 0.
    Move(usize, [f64; 2]),
    /// Take this point away, from 0.
    Remove(usize),
}

/// Whether the examples are a person's own points.
pub fn is_own(state: &DescentState) -> bool {
    state.draw.function == TargetKind::Points
}

/// Whether examples of this run can be points in a plane.
pub fn is_plane(state: &DescentState) -> bool {
    state.draw.dim == 1
}

/// The points of the plot: a person's own, or the examples of the first replica; none where an input has more numbers than one.
pub fn points(state: &DescentState) -> Vec<[f64; 2]> {
    if is_own(state) {
        return state.draw.points.clone();
    }
    if !is_plane(state) {
        return vec![];
    }
    let (examples, first) = (&state.examples, |numbers: &[f64]| numbers.first().copied().unwrap_or(0.0));
    (0..examples.len()).map(|i| [first(examples.input(i)), first(examples.label(i))]).collect()
}

/// What the page is asked for by this deed.
pub fn request(state: &DescentState, what: PanelAction) -> Request {
    let examples = state.examples.len();
    // What becomes of the points begins with those that are there.
    let change = |change: &dyn Fn(&mut Vec<[f64; 2]>)| {
        let mut points = plane::own(&points(state));
        change(&mut points);
        put(state, &points)
    };
    let is_full = points(state).len() >= MOST;
    let is_view = matches!(what, PanelAction::Layer(_) | PanelAction::Token(_) | PanelAction::TypedToken(_));
    if !is_view && !is_plane(state) {
        return Request::Say(translated(NO_PLANE));
    }
    match what {
        PanelAction::Layer(layer) => Request::edit("layer", layer.to_string()),
        PanelAction::Token(place) => Request::edit("place", place.to_string()),
        PanelAction::TypedToken(text) => {
            match text.trim().parse().ok().filter(|at| (1..=examples).contains(at)) {
                Some(place) => Request::edit("place", place.to_string()),
                None => {
                    let expected = tr!("an example from 1 to {last}", last = examples);
                    Request::Refuse { key: "place", text, expected }
                }
            }
        }
        PanelAction::Own => change(&|_| ()),
        PanelAction::Add(_) | PanelAction::AddFree if is_full => {
            Request::Say(tr!("No more than 64 points are possible. Remove one point before you add another."))
        }
        PanelAction::Add(point) => change(&|points| points.push(point.map(plane::rounded))),
        PanelAction::AddFree => change(&|points| points.push(Frame::of(points).free(points))),
        PanelAction::Move(at, to) => change(&|points| {
            if let Some(point) = points.get_mut(at) {
                *point = to.map(plane::rounded);
            }
        }),
        PanelAction::Remove(_) if points(state).len() < 2 => {
            Request::Say(tr!("At least one point must stay. Move this point, or add another point first."))
        }
        PanelAction::Remove(at) => change(&|points| {
            if at < points.len() {
                points.remove(at);
            }
        }),
    }
}

/// Has these points be the examples. The function comes first: together with no points it cannot be, so that both are one
/// change, one restart and one undo.
fn put(state: &DescentState, points: &[[f64; 2]]) -> Request {
    let function = (!is_own(state)).then(|| ("f", TargetKind::Points.slug().to_string()));
    Request::Edit(function.into_iter().chain([("points", plane::written(points))]).collect())
}

/// What a token is called: "example 3", "query".
pub fn token_name(state: &DescentState, token: usize) -> String {
    let examples = &state.examples;
    if token >= examples.len() {
        return tr!("the query").into();
    }
    let first = |numbers: &[f64]| numbers.first().map_or(MISSING.into(), |x| super::strip::number(*x));
    match is_plane(state) {
        true => tr!(
            "example {number} at ({x}, {y})",
            number = token + 1,
            x = first(examples.input(token)),
            y = first(examples.label(token))
        ),
        false => tr!("example {number}", number = token + 1),
    }
}

/// What is said of the plot.
pub fn about_points(state: &DescentState) -> String {
    let count = points(state).len();
    match (is_plane(state), is_own(state)) {
        (false, _) => translated(NO_PLANE).into(),
        (true, true) if count == 1 => tr!("1 point of your own; at most {most} points are possible.", most = MOST),
        (true, true) => tr!("{count} points of your own; at most {most} points are possible.", count, most = MOST),
        (true, false) if count > MOST => {
            tr!(
                "{count} examples, generated from the settings. Your first change turns {most} of these examples into your own points and removes the remaining examples.",
                count,
                most = MOST
            )
        }
        (true, false) if count == 1 => {
            tr!("1 example, generated from the settings. Your first change turns this example into your own point.").into()
        }
        (true, false) => tr!("{count} examples, generated from the settings. Your first change turns these examples into your own points.", count),
    }
}
