//! Lemma 5 in one dimension: points that the user moves by pointer, touch or keyboard, and the ReLU network through
//! them. The link does not store the points.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, KeyboardEvent, MouseEvent, PointerEvent};

use vivarium_labs::succinct::panel::interpolation::{
    self, DRAWING_SIZE, INITIAL_POINTS, LayerTable, POINT_COUNT,
};
use vivarium_science::succinct::search::{InterpolationPoint, PointError, PointNetwork};
use vivarium_ui::browser::{element_by_id, get_property};
use vivarium_ui::button::button;
use vivarium_ui::text::element_text;

/// DOM id of the SVG plane with the points through which the interpolating ReLU network passes.
const PLANE_ID: &str = "succinct-plane";

/// Moves the points through which the interpolating ReLU network passes, by pointer and keyboard. Copies share the same
/// signals.
#[derive(Clone, Copy)]
struct InterpolationEditor {
    /// The points with their slopes.
    points: RwSignal<[InterpolationPoint; POINT_COUNT]>,
    /// Index, from 0, of the selected interpolation point, on which the buttons act.
    chosen: RwSignal<usize>,
    /// Index, from 0, of the interpolation point that the pointer drags; `None` without a drag.
    dragged: StoredValue<Option<usize>>,
}

impl InterpolationEditor {
    fn new() -> InterpolationEditor {
        InterpolationEditor {
            points: RwSignal::new(INITIAL_POINTS),
            chosen: RwSignal::new(0),
            dragged: StoredValue::new(None),
        }
    }

    /// Returns the interpolation point with this index, from 0.
    fn point(self, index: usize) -> InterpolationPoint {
        self.points.with(|points| points[index % POINT_COUNT])
    }

    /// Moves the interpolation point with index `place`, from 0, to `point`.
    fn set_point(self, place: usize, point: InterpolationPoint) {
        self.points.update(|points| points[place % POINT_COUNT] = point);
    }

    /// Switches the slope of the network at the interpolation point with index `place`, from 0, between 0 and 1.
    fn toggle_slope(self, place: usize) {
        self.points.update(|points| {
            let point = &mut points[place % POINT_COUNT];
            point.rises = !point.rises;
        });
    }

    /// Handles a pointer event: starts, continues or ends the drag of an interpolation point.
    fn handle_pointer(self, event: PointerEvent) {
        match event.type_().as_str() {
            "pointerdown" if event.button() == 0 => {
                let Some((place, point)) = event_point(&event) else { return };
                self.dragged.set_value(Some(place));
                self.chosen.set(place);
                // Some browsers give a pressed button no focus.
                if let Some(button) = element_by_id(&point_id(place)) {
                    let _ = button.focus();
                }
                // Without it, only what happens over the point is heard.
                let _ = point.set_pointer_capture(event.pointer_id());
            }
            "pointermove" => {
                if let (Some(place), Some(to)) = (self.dragged.get_value(), plane_position(&event)) {
                    self.set_point(place, interpolation::move_point(untrack(|| self.point(place)), to));
                }
            }
            _ => self.dragged.set_value(None),
        }
    }

    /// Handles a key on a point: arrows move it, Space and Enter switch its slope.
    fn handle_key(self, event: KeyboardEvent) {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let Some((place, _)) = event_point(&event) else { return };
        let key = event.key();
        let moved = interpolation::move_by_key(untrack(|| self.point(place)), &key, event.shift_key());
        match (key.as_str(), moved) {
            (_, Some(to)) => self.set_point(place, to),
            // A key that is held down would turn it to and fro.
            (" " | "Enter", _) if event.repeat() => {}
            (" " | "Enter", _) => self.toggle_slope(place),
            _ => return,
        }
        event.prevent_default();
    }
}

/// The position (x, y) in the plane under the pointer; `None` if the plane is not on the page.
fn plane_position(event: &MouseEvent) -> Option<[f64; 2]> {
    let bounds = element_by_id(PLANE_ID)?.get_bounding_client_rect();
    let right = (f64::from(event.client_x()) - bounds.left()) / bounds.width().max(1.0);
    let down = (f64::from(event.client_y()) - bounds.top()) / bounds.height().max(1.0);
    Some(interpolation::from_fractions(right, down))
}

/// The interpolation point that is the target of an event: (index, element); `None` for another target.
fn event_point(event: &Event) -> Option<(usize, Element)> {
    let target = event.target()?.dyn_into::<Element>().ok()?;
    let of = target.closest("[data-point]").ok()??;
    Some((of.get_attribute("data-point")?.parse().ok()?, of))
}

/// DOM id of the interpolation point with index `place`.
fn point_id(place: usize) -> String {
    format!("interpolation-point-{place}")
}

/// Draws lemma 5 of Goel, Kakade, Kalai and Zhang (2022) in one dimension: points that can be moved, and a ReLU network
/// with the values and slopes of these points.
pub(super) fn draw_interpolation() -> AnyView {
    let editor = InterpolationEditor::new();
    let network = Memo::new(move |_| editor.points.with(|points| PointNetwork::new(points)));
    let is_first = move || editor.points.with(|points| *points == INITIAL_POINTS);
    let error = move || {
        network.with(|network| network.as_ref().err().map(interpolation::describe_error)).unwrap_or_default()
    };
    let units = move || {
        network.with(|network| network.as_ref().ok().map(interpolation::describe_units)).unwrap_or_default()
    };
    let chosen = move || {
        let place = editor.chosen.get();
        interpolation::describe_point(place, editor.point(place))
    };
    view! {
        <p class="card__text">
            {tr!("Lemma 5 of the paper builds the filter as a ReLU network that has given values and given derivatives at finitely many points. In the paper these points are the possible contents of a 3 × 3 window. The drawing shows the same construction in one dimension, for five points that you can move. The runs of this page do not use such a network; they compute the filter from its definition.")}
        </p>
        {draw_graph(editor, network)}
        <p class="card__note" role="status" data-testid="interpolation-chosen"
            prop:textContent=element_text(chosen)></p>
        <p class="setting__error" role="status" data-testid="interpolation-error"
            prop:textContent=element_text(error)></p>
        <div class="editor__buttons" role="group" aria-label=tr!("Change the points")>
            {button("interpolation-slope", tr!("Change the slope of the chosen point"), Box::new(|| false),
                Box::new(move || editor.toggle_slope(editor.chosen.get_untracked())))}
            {button("interpolation-reset", tr!("Reset the points"), Box::new(is_first),
                Box::new(move || editor.points.set(INITIAL_POINTS)))}
        </div>
        <p class="card__note" id="interpolation-help">
            {tr!("Drag a point to move it. Arrow keys move the focused point; with Shift they move the point further. Space or Enter switches the slope of the point between 0 and 1.")}
        </p>
        <p class="card__text" data-testid="interpolation-units" prop:textContent=element_text(units)></p>
        {draw_weights(network)}
    }
    .into_any()
}

/// Draws the graph of the interpolating ReLU network, with the points over it.
fn draw_graph(editor: InterpolationEditor, network: Memo<Result<PointNetwork, PointError>>) -> AnyView {
    let graph =
        move || network.with(|network| network.as_ref().map(interpolation::graph_path).unwrap_or_default());
    let slopes = move || editor.points.with(|points| interpolation::slope_path(points));
    let (wide, high) = DRAWING_SIZE;
    view! {
        <div class="succinct-plane" id=PLANE_ID role="group" data-testid="interpolation-plane"
            aria-label=tr!("Points that can be moved") aria-describedby="interpolation-help"
            on:keydown=move |event| editor.handle_key(event) on:pointerdown=move |event| editor.handle_pointer(event)
            on:pointermove=move |event| editor.handle_pointer(event) on:pointerup=move |event| editor.handle_pointer(event)
            on:pointercancel=move |event| editor.handle_pointer(event)>
            <svg class="succinct-plane__drawing" viewBox=format!("0 0 {wide} {high}") role="img"
                aria-label=tr!("Output of the network as a function of its input")>
                <path class="succinct-plane__axes" d=interpolation::axes_path() />
                <path class="succinct-plane__graph" d=graph data-testid="interpolation-graph" />
                <path class="succinct-plane__slopes" d=slopes />
            </svg>
            {(0..POINT_COUNT).map(|place| draw_point(editor, place)).collect_view()}
        </div>
        <p class="blocks__key" aria-hidden="true">
            <span class="blocks__pair">
                <i class="succinct-sample"></i>{tr!("output of the ReLU network as a function of its input")}
            </span>
            <span class="blocks__pair">
                <i class="succinct-sample succinct-sample--slope"></i>{tr!("value and slope at a point")}
            </span>
        </p>
    }
    .into_any()
}

/// Draws the interpolation point with index `place`, from 0, as a button.
fn draw_point(editor: InterpolationEditor, place: usize) -> AnyView {
    let at = Memo::new(move |_| editor.point(place));
    let is_chosen = Memo::new(move |_| editor.chosen.get() == place);
    let along = move |which: usize| {
        move || {
            let of = at.get();
            let (right, down) = interpolation::to_drawing([of.x, of.y]);
            format!("{:.3}%", 100.0 * [right / DRAWING_SIZE.0, down / DRAWING_SIZE.1][which])
        }
    };
    view! {
        <button class="succinct-point" class:succinct-point--chosen=is_chosen type="button" id=point_id(place)
            data-point=place.to_string() data-testid=format!("interpolation-{}", place + 1)
            aria-label=move || interpolation::describe_point(place, at.get()) style:left=along(0) style:top=along(1)
            on:focus=move |_| editor.chosen.set(place)>
        </button>
    }
    .into_any()
}

/// Draws the foldable weights of the interpolating network's three layers, which are computed only while unfolded.
fn draw_weights(network: Memo<Result<PointNetwork, PointError>>) -> AnyView {
    let open = RwSignal::new(false);
    let toggled = move |event: Event| {
        if let Some(details) = event.target() {
            open.set(get_property(&details, "open").is_truthy());
        }
    };
    let weights = Memo::new(move |_| match open.get() {
        true => network.with(|network| network.as_ref().map(interpolation::layer_tables).unwrap_or_default()),
        false => vec![],
    });
    view! {
        <details class="succinct-details" data-testid="interpolation-weights" on:toggle=toggled>
            <summary class="group__name">{tr!("Weights of the three layers")}</summary>
            {move || weights.get().into_iter().map(draw_layer_weights).collect_view()}
        </details>
    }
    .into_any()
}

/// Draws the table of weights and biases of one layer of the interpolating ReLU network.
fn draw_layer_weights(layer: LayerTable) -> AnyView {
    let columns = layer.rows.first().map_or(1, |(weights, _)| weights.len());
    let row = |(at, (weights, bias)): (usize, (Vec<String>, String))| {
        let number = |number: String| view! { <td translate="no">{number}</td> };
        view! {
            <tr>
                <th scope="row" translate="no">{(at + 1).to_string()}</th>
                {weights.into_iter().map(number).collect_view()}
                <td translate="no">{bias}</td>
            </tr>
        }
    };
    let rest = (layer.omitted_rows > 0).then(|| {
        let more = tr!("{more} more rows", more = layer.omitted_rows);
        view! { <p class="succinct-caption" prop:textContent=more></p> }
    });
    view! {
        <div class="succinct-frame" role="region" tabindex="0" aria-label=layer.title.clone()>
            <table class="succinct-weights">
                <caption class="succinct-caption" prop:textContent=layer.title.clone()></caption>
                <thead>
                    <tr>
                        <th scope="col">{tr!("Unit")}</th>
                        <th scope="colgroup" colspan=columns.to_string()>{tr!("Weights")}</th>
                        <th scope="col">"b"</th>
                    </tr>
                </thead>
                <tbody>{layer.rows.into_iter().enumerate().map(row).collect_view()}</tbody>
            </table>
        </div>
        {rest}
    }
    .into_any()
}
