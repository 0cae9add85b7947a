//! The plot of the examples, which the user changes by pointer, touch or keyboard, with the network's output as a
//! curve.
//!
//! # Why
//! While a point is moved, only the plot changes; when it is released, a new run is requested, so one move is one
//! restart and one undo. Presses of arrow keys are one move until no key has been pressed for a while.

use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, KeyboardEvent, MouseEvent, PointerEvent};

use crate::descent::context::{PanelContext, SendAction};
use vivarium_labs::descent::DescentState;
use vivarium_labs::descent::panel::action::{self, PanelAction};
use vivarium_labs::descent::panel::plane::{DRAWING_SIZE, PlotFrame};
use vivarium_labs::descent::panel::strip::format_number;
use vivarium_ui::browser::element_by_id;
use vivarium_ui::button::button;
use vivarium_ui::text::element_text;

/// Time after the last press of an arrow key until the move of an example point is committed, which starts a new run.
const KEY_MOVE_PAUSE: Duration = Duration::from_millis(700);

/// Moves, adds and removes the example points (x, y) by pointer and keyboard. Copies share the same signals.
#[derive(Clone, Copy)]
struct PointEditor {
    /// Access to the displayed run and the lab's data.
    panel: PanelContext,
    /// The points (x, y) of the run on display.
    points: Memo<Vec<[f64; 2]>>,
    /// Part of the (x, y) plane that the plot shows.
    frame: Memo<PlotFrame>,
    /// The index of the point that is being moved, and its position (x, y); the run does not have this position yet.
    moved: RwSignal<Option<(usize, [f64; 2])>>,
    /// Index, from 0, of the selected example point, on which the buttons act.
    chosen: RwSignal<usize>,
    /// Index, from 0, of the example point that the pointer drags; `None` without a drag.
    dragged: StoredValue<Option<usize>>,
    /// Number of presses of arrow keys so far; a timer commits a point's move only if no key was pressed since its
    /// start.
    key_presses: StoredValue<u64>,
}

impl PointEditor {
    fn new(panel: PanelContext) -> PointEditor {
        let points =
            Memo::new(move |_| panel.see(|state, _| action::shown_points(state)).unwrap_or_default());
        PointEditor {
            panel,
            points,
            frame: Memo::new(move |_| points.with(|points| PlotFrame::fit(points))),
            moved: RwSignal::new(None),
            chosen: RwSignal::new(0),
            dragged: StoredValue::new(None),
            key_presses: StoredValue::new(0),
        }
    }

    /// The position (x, y) of the example point with index `place`, from 0, including a move that is not committed yet.
    fn position(self, place: usize) -> [f64; 2] {
        match self.moved.get() {
            Some((moved, to)) if moved == place => to,
            _ => self.points.with(|points| points.get(place).copied()).unwrap_or_default(),
        }
    }

    /// Requests a run in which the moved example point is at its new position; does nothing if no point was moved.
    fn commit_move(self) {
        if let Some((at, to)) = self.moved.try_get_untracked().flatten() {
            self.panel.send_action(PanelAction::MovePoint(at, to));
            self.moved.set(None);
        }
    }

    /// Selects the example point with index `place`, from 0, and gives it the keyboard focus.
    fn select(self, place: usize) {
        self.chosen.set(place);
        // Points may be drawn anew until then.
        request_animation_frame(move || {
            if let Some(point) = element_by_id(&format!("point-{place}")) {
                // Nothing else would have the focus if it failed.
                let _ = point.focus();
            }
        });
    }

    /// Performs an action that adds or removes an example point, then selects the added point or a remaining one.
    fn add_or_remove(self, action: PanelAction) {
        self.commit_move();
        let before = self.points.with_untracked(Vec::len);
        self.panel.send_action(action);
        let after = self.points.with_untracked(Vec::len);
        match after > before {
            true => self.select(after - 1),
            false if after < before => self.select(self.chosen.get_untracked().min(after.saturating_sub(1))),
            false => {}
        }
    }

    /// Removes the selected example point.
    fn remove_chosen(self) {
        self.add_or_remove(PanelAction::RemovePoint(self.chosen.get_untracked()));
    }

    /// The position (x, y) in the plot's plane under the pointer; `None` if the plot is not on the page.
    fn plane_position(self, event: &MouseEvent) -> Option<[f64; 2]> {
        let bounds = element_by_id("plane")?.get_bounding_client_rect();
        let right = (f64::from(event.client_x()) - bounds.left()) / bounds.width().max(1.0);
        let down = (f64::from(event.client_y()) - bounds.top()) / bounds.height().max(1.0);
        Some(self.frame.get_untracked().to_coordinates(right, down))
    }

    /// Handles a pointer event: starts, continues, commits or cancels the drag of an example point.
    fn handle_pointer(self, event: PointerEvent) {
        match event.type_().as_str() {
            "pointerdown" if event.button() == 0 => {
                let Some((place, point)) = event_point(&event) else { return };
                self.commit_move();
                self.dragged.set_value(Some(place));
                // Some browsers give a pressed button no focus.
                self.select(place);
                // Without it, only what happens over the point is heard.
                let _ = point.set_pointer_capture(event.pointer_id());
            }
            "pointermove" => {
                if let (Some(place), Some(to)) = (self.dragged.get_value(), self.plane_position(&event)) {
                    self.moved.set(Some((place, to)));
                }
            }
            "pointerup" => {
                self.dragged.set_value(None);
                self.commit_move();
            }
            _ => {
                self.dragged.set_value(None);
                self.moved.set(None);
            }
        }
    }

    /// Adds a point where the plane was clicked, unless the click was on a point.
    fn handle_click(self, event: MouseEvent) {
        // A point that was pressed or moved is heard as well.
        if let (None, Some(point)) = (event_point(&event), self.plane_position(&event)) {
            self.add_or_remove(PanelAction::AddPoint(point));
        }
    }

    /// Handles a key on a point: arrows move it, Delete removes it, PageUp and PageDown select another one.
    fn handle_key(self, event: KeyboardEvent) {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let Some((place, _)) = event_point(&event) else { return };
        let last = self.points.with_untracked(Vec::len).saturating_sub(1);
        let key = event.key();
        let step =
            self.frame.get_untracked().move_by_key(untrack(|| self.position(place)), &key, event.shift_key());
        match (key.as_str(), step) {
            (_, Some(to)) => {
                self.moved.set(Some((place, to)));
                let press = self.key_presses.get_value() + 1;
                self.key_presses.set_value(press);
                let settle = move || {
                    if self.key_presses.try_get_value() == Some(press) {
                        self.commit_move();
                    }
                };
                set_timeout(settle, KEY_MOVE_PAUSE);
            }
            ("Delete" | "Backspace", _) => self.remove_chosen(),
            ("Enter", _) => self.commit_move(),
            ("Escape", _) => self.moved.set(None),
            ("PageUp", _) => self.commit_and_select(place.saturating_sub(1)),
            ("PageDown", _) => self.commit_and_select((place + 1).min(last)),
            ("Home", _) => self.commit_and_select(0),
            ("End", _) => self.commit_and_select(last),
            _ => return,
        }
        event.prevent_default();
    }

    /// Commits the move of an example point, then selects the point with index `place`, from 0.
    fn commit_and_select(self, place: usize) {
        self.commit_move();
        self.select(place);
    }
}

/// The example point that is the target of an event: (index, element); `None` for another target.
fn event_point(event: &Event) -> Option<(usize, Element)> {
    let target = event.target()?.dyn_into::<Element>().ok()?;
    let of = target.closest("[data-point]").ok()??;
    Some((of.get_attribute("data-point")?.parse().ok()?, of))
}

/// Draws the plot of the example points with its buttons and a sentence about the points.
pub(super) fn draw_examples(panel: PanelContext) -> AnyView {
    let editor = PointEditor::new(panel);
    let is_plane = panel.memo(|state, _| action::is_one_dimensional(state));
    let is_own = panel.memo(|state, _| action::has_own_points(state));
    let is_open = move || is_plane.get() == Some(true);
    let about = panel.memo(|state, _| action::describe_points(state));
    let [of_function, of_points] = ["f", "points"].map(|key| panel.rejected_text(key));
    let buttons = move || {
        view! {
            <div class="editor__buttons" role="group" aria-label=tr!("Change the examples")>
                {button("custom-points", tr!("Turn the examples into my own points"), Box::new(move || is_own.get() != Some(false)),
                    Box::new(move || editor.add_or_remove(PanelAction::ConvertToPoints)))}
                {button("add-point", tr!("Add a point"), Box::new(|| false),
                    Box::new(move || editor.add_or_remove(PanelAction::AddFreePoint)))}
                {button("remove-point", tr!("Remove the chosen point"),
                    Box::new(move || editor.points.with(Vec::len) < 2), Box::new(move || editor.remove_chosen()))}
            </div>
        }
    };
    view! {
        <p class="card__text" data-testid="points-about" prop:textContent=about></p>
        {move || is_open().then(|| draw_plane(editor))}
        {move || is_open().then(buttons)}
        <p class="setting__error" role="status" data-testid="points-error">
            <span prop:textContent=of_function></span> " " <span prop:textContent=of_points></span>
        </p>
    }
    .into_any()
}

/// Draws the (x, y) plane: target function, the trained network's output, the query, and the example points over them.
fn draw_plane(editor: PointEditor) -> AnyView {
    let (panel, frame) = (editor.panel, editor.frame);
    let count = Memo::new(move |_| editor.points.with(Vec::len));
    let target = Memo::new(move |_| {
        let frame = frame.get();
        panel
            .see(|state, _| frame.svg_path(|x| state.target.evaluate(&network_input(state, x))))
            .unwrap_or_default()
    });
    let answer = Memo::new(move |_| {
        let frame = frame.get();
        panel.see(|state, _| frame.svg_path(|x| predict(state, x))).unwrap_or_default()
    });
    let query = panel.memo(|state, _| state.prompts.query);
    let query = move || {
        let (right, _) = frame.get().to_drawing([query.get().unwrap_or(0.0), 0.0]);
        format!("M{right:.1} 0V{:.0}", DRAWING_SIZE.1)
    };
    let end = move |of: fn(PlotFrame) -> f64| move || format_number(of(frame.get()));
    let (wide, high) = DRAWING_SIZE;
    let axes = format!("M0 {0}H{wide}M{1} 0V{high}", high / 2.0, wide / 2.0);
    let chosen = move || {
        let at = editor.chosen.get();
        (at < count.get()).then(|| point_label(at, editor.position(at)))
    };
    view! {
        <div class="plane" id="plane" role="group" data-testid="plane" aria-label=tr!("Examples that can be moved")
            aria-describedby="plane-help"
            on:click=move |event| editor.handle_click(event) on:keydown=move |event| editor.handle_key(event)
            on:pointerdown=move |event| editor.handle_pointer(event) on:pointermove=move |event| editor.handle_pointer(event)
            on:pointerup=move |event| editor.handle_pointer(event) on:pointercancel=move |event| editor.handle_pointer(event)
            on:focusout=move |_| editor.commit_move()>
            <svg class="plane__drawing" viewBox=format!("0 0 {wide} {high}") role="img" data-testid="plane-drawing"
                aria-label=tr!("Plot of the network's output and of the function that generated the examples, against the input")>
                <path class="plane__axes" d=axes />
                <path class="plane__query" d=query />
                <path class="plane__target" d=target />
                <path class="plane__answer" d=answer data-testid="plane-answer" />
            </svg>
            <span class="plane__end plane__end--left" aria-hidden="true" translate="no">"−"{end(|frame| frame.max_x)}</span>
            <span class="plane__end plane__end--right" aria-hidden="true" translate="no">{end(|frame| frame.max_x)}</span>
            <span class="plane__end plane__end--top" aria-hidden="true" translate="no">{end(|frame| frame.max_y)}</span>
            <span class="plane__end plane__end--bottom" aria-hidden="true" translate="no">"−"{end(|frame| frame.max_y)}</span>
            {move || (0..count.get()).map(|place| draw_point(editor, place)).collect_view()}
        </div>
        <p class="card__note" role="status" data-testid="point-chosen" prop:textContent=element_text(chosen)></p>
        <p class="card__note" id="plane-help">
            {tr!("Click to add a point, or drag a point to move it. Arrow keys move the chosen point (with Shift: farther), Delete removes it, PageUp and PageDown choose another point. Each change starts a new run.")}
        </p>
        <p class="blocks__key" aria-hidden="true">
            <span class="blocks__pair"><i class="plane__sample"></i>{tr!("output of the network whose weights are in the tokens")}</span>
            <span class="blocks__pair">
                <i class="plane__sample plane__sample--target"></i>{tr!("function that generated the examples")}
            </span>
            <span class="blocks__pair"><i class="plane__sample plane__sample--query"></i>{tr!("query")}</span>
        </p>
    }
    .into_any()
}

/// Label for screen readers of the example point with index `place` (from 0), which the label counts from 1, such as
/// "Point 3: x 0.5, y −1".
fn point_label(place: usize, [x, y]: [f64; 2]) -> String {
    tr!("Point {number}: x {x}, y {y}", number = place + 1, x = format_number(x), y = format_number(y))
}

/// Draws the example point with index `place`, from 0, as a button.
fn draw_point(editor: PointEditor, place: usize) -> AnyView {
    let at = Memo::new(move |_| editor.position(place));
    let is_chosen = Memo::new(move |_| editor.chosen.get() == place);
    let along = move |which: usize| {
        move || {
            let (right, down) = editor.frame.get().to_drawing(at.get());
            format!("{:.3}%", 100.0 * [right / DRAWING_SIZE.0, down / DRAWING_SIZE.1][which])
        }
    };
    view! {
        <button class="point" class:point--chosen=is_chosen type="button" id=format!("point-{place}")
            data-point=place.to_string() data-testid=format!("point-{}", place + 1)
            aria-label=move || point_label(place, at.get()) tabindex=move || if is_chosen.get() { "0" } else { "-1" }
            style:left=along(0) style:top=along(1)>
        </button>
    }
    .into_any()
}

/// Input vector of the small network that gradient descent trains, for the number x: x, and 1 if the examples have a
/// constant input.
fn network_input(state: &DescentState, x: f64) -> Vec<f64> {
    [x].into_iter().chain(state.prompts.constant.then_some(1.0)).collect()
}

/// Output for x of the small network whose weights the tokens contain; `None` if the number of weights does not fit.
fn predict(state: &DescentState, x: f64) -> Option<f64> {
    let (network, w, input) = (&state.plan.network, &state.comparison.tokens, network_input(state, x));
    let fits = network.inputs == input.len() && network.weight_count() == w.len();
    fits.then(|| network.compute_output(w, &input).first().copied()).flatten()
}
