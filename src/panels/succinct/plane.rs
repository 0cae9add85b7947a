//! Lemma 5 in one dimension on the page: points that a person moves by pointer, finger or keyboard, and the network through
//! them. Nothing of it is in the link.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, KeyboardEvent, MouseEvent, PointerEvent};

use vivarium_labs::succinct::panel::through::{self, COUNT, SIZE, START, Weights};
use vivarium_science::succinct::search::{InterpolationPoint, PointError, PointNetwork};
use vivarium_ui::browser::{by_id, get};
use vivarium_ui::button::button;

/// The id of the drawing.
const PLANE: &str = "succinct-plane";

/// What is done with the points. Copies are handles to the same.
#[derive(Clone, Copy)]
struct Hand {
    points: RwSignal<[InterpolationPoint; COUNT]>,
    /// The point that buttons are about, from 0.
    chosen: RwSignal<usize>,
    /// The point that a pointer holds, from 0.
    held: StoredValue<Option<usize>>,
}

impl Hand {
    fn new() -> Hand {
        Hand { points: RwSignal::new(START), chosen: RwSignal::new(0), held: StoredValue::new(None) }
    }

    /// Where a point is.
    fn at(self, place: usize) -> InterpolationPoint {
        self.points.with(|points| points[place % COUNT])
    }

    fn put(self, place: usize, point: InterpolationPoint) {
        self.points.update(|points| points[place % COUNT] = point);
    }

    /// Changes the slope of a point.
    fn turn(self, place: usize) {
        self.points.update(|points| {
            let point = &mut points[place % COUNT];
            point.rises = !point.rises;
        });
    }

    fn pointer(self, event: PointerEvent) {
        match event.type_().as_str() {
            "pointerdown" if event.button() == 0 => {
                let Some((place, point)) = point_of(&event) else { return };
                self.held.set_value(Some(place));
                self.chosen.set(place);
                // Some browsers give a pressed button no focus.
                if let Some(button) = by_id(&point_id(place)) {
                    let _ = button.focus();
                }
                // Without it, only what happens over the point is heard.
                let _ = point.set_pointer_capture(event.pointer_id());
            }
            "pointermove" => {
                if let (Some(place), Some(to)) = (self.held.get_value(), under(&event)) {
                    self.put(place, through::moved(untrack(|| self.at(place)), to));
                }
            }
            _ => self.held.set_value(None),
        }
    }

    fn key(self, event: KeyboardEvent) {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let Some((place, _)) = point_of(&event) else { return };
        let key = event.key();
        let moved = through::pressed(untrack(|| self.at(place)), &key, event.shift_key());
        match (key.as_str(), moved) {
            (_, Some(to)) => self.put(place, to),
            // A key that is held down would turn it to and fro.
            (" " | "Enter", _) if event.repeat() => {}
            (" " | "Enter", _) => self.turn(place),
            _ => return,
        }
        event.prevent_default();
    }
}

/// The point of the plane that a pointer is over.
fn under(event: &MouseEvent) -> Option<[f64; 2]> {
    let bounds = by_id(PLANE)?.get_bounding_client_rect();
    let right = (f64::from(event.client_x()) - bounds.left()) / bounds.width().max(1.0);
    let down = (f64::from(event.client_y()) - bounds.top()) / bounds.height().max(1.0);
    Some(through::at_shares(right, down))
}

/// The point that something happens to, with its drawing.
fn point_of(event: &Event) -> Option<(usize, Element)> {
    let target = event.target()?.dyn_into::<Element>().ok()?;
    let of = target.closest("[data-through]").ok()??;
    Some((of.get_attribute("data-through")?.parse().ok()?, of))
}

fn point_id(place: usize) -> String {
    format!("through-point-{place}")
}

/// The drawing, with buttons, what is said of it, and the weights.
pub(super) fn plane() -> AnyView {
    let hand = Hand::new();
    let network = Memo::new(move |_| hand.points.with(|points| PointNetwork::new(points)));
    let is_first = move || hand.points.with(|points| *points == START);
    let error =
        move || network.with(|network| network.as_ref().err().map(through::sentence)).unwrap_or_default();
    let units = move || network.with(|network| network.as_ref().ok().map(through::units)).unwrap_or_default();
    let chosen = move || {
        let place = hand.chosen.get();
        through::name(place, hand.at(place))
    };
    view! {
        <p class="card__text">
            {tr!("Lemma 5 of the paper builds the filter as a ReLU network that has given values and given derivatives at finitely many points. In the paper these points are the possible contents of a 3 × 3 window. The drawing shows the same construction in one dimension, for five points that you can move. The runs of this page do not use such a network; they compute the filter from its definition.")}
        </p>
        {drawing(hand, network)}
        <p class="card__note" role="status" data-testid="through-chosen">{chosen}</p>
        <p class="knob__problem" role="status" data-testid="through-problem">{error}</p>
        <div class="editing__buttons" role="group" aria-label=tr!("Change the points")>
            {button("through-slope", tr!("Change the slope of the chosen point"), Box::new(|| false),
                Box::new(move || hand.turn(hand.chosen.get_untracked())))}
            {button("through-reset", tr!("Reset the points"), Box::new(is_first),
                Box::new(move || hand.points.set(START)))}
        </div>
        <p class="card__note" id="through-help">
            {tr!("Drag a point to move it. Arrow keys move the focused point; with Shift they move the point further. Space or Enter switches the slope of the point between 0 and 1.")}
        </p>
        <p class="card__text" data-testid="through-units">{units}</p>
        {tables(network)}
    }
    .into_any()
}

/// The graph of the network, with the points over it.
fn drawing(hand: Hand, network: Memo<Result<PointNetwork, PointError>>) -> AnyView {
    let graph = move || network.with(|network| network.as_ref().map(through::path).unwrap_or_default());
    let slopes = move || hand.points.with(|points| through::slopes(points));
    let (wide, high) = SIZE;
    view! {
        <div class="succinct-plane" id=PLANE role="group" data-testid="through-plane"
            aria-label=tr!("Points that can be moved") aria-describedby="through-help"
            on:keydown=move |event| hand.key(event) on:pointerdown=move |event| hand.pointer(event)
            on:pointermove=move |event| hand.pointer(event) on:pointerup=move |event| hand.pointer(event)
            on:pointercancel=move |event| hand.pointer(event)>
            <svg class="succinct-plane__drawing" viewBox=format!("0 0 {wide} {high}") role="img"
                aria-label=tr!("Output of the network as a function of its input")>
                <path class="succinct-plane__axes" d=through::axes() />
                <path class="succinct-plane__graph" d=graph data-testid="through-graph" />
                <path class="succinct-plane__slopes" d=slopes />
            </svg>
            {(0..COUNT).map(|place| point(hand, place)).collect_view()}
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

/// One point, from 0.
fn point(hand: Hand, place: usize) -> AnyView {
    let at = Memo::new(move |_| hand.at(place));
    let is_chosen = Memo::new(move |_| hand.chosen.get() == place);
    let along = move |which: usize| {
        move || {
            let of = at.get();
            let (right, down) = through::place([of.x, of.y]);
            format!("{:.3}%", 100.0 * [right / SIZE.0, down / SIZE.1][which])
        }
    };
    view! {
        <button class="succinct-point" class:succinct-point--chosen=is_chosen type="button" id=point_id(place)
            data-through=place.to_string() data-testid=format!("through-{}", place + 1)
            aria-label=move || through::name(place, at.get()) style:left=along(0) style:top=along(1)
            on:focus=move |_| hand.chosen.set(place)>
        </button>
    }
    .into_any()
}

/// The weights of the three layers, which are computed only while they are shown.
fn tables(network: Memo<Result<PointNetwork, PointError>>) -> AnyView {
    let open = RwSignal::new(false);
    let toggled = move |event: Event| {
        if let Some(details) = event.target() {
            open.set(get(&details, "open").is_truthy());
        }
    };
    let weights = Memo::new(move |_| match open.get() {
        true => network.with(|network| network.as_ref().map(through::weights).unwrap_or_default()),
        false => vec![],
    });
    view! {
        <details class="succinct-details" data-testid="through-weights" on:toggle=toggled>
            <summary class="group__name">{tr!("Weights of the three layers")}</summary>
            {move || weights.get().into_iter().map(table).collect_view()}
        </details>
    }
    .into_any()
}

/// One layer.
fn table(layer: Weights) -> AnyView {
    let columns = layer.rows.first().map_or(1, |(weights, _)| weights.len());
    let row = |(at, (weights, bias)): (usize, (Vec<String>, String))| {
        let number = |number: String| view! { <td>{number}</td> };
        view! {
            <tr>
                <th scope="row">{(at + 1).to_string()}</th>
                {weights.into_iter().map(number).collect_view()}
                <td>{bias}</td>
            </tr>
        }
    };
    let rest = (layer.more > 0).then(|| {
        let more = tr!("{more} more rows", more = layer.more);
        view! { <p class="succinct-caption">{more}</p> }
    });
    view! {
        <div class="succinct-frame" role="region" tabindex="0" aria-label=layer.title.clone()>
            <table class="succinct-weights">
                <caption class="succinct-caption">{layer.title.clone()}</caption>
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
