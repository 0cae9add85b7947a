//! The examples on a plot, which a person changes by pointer, finger or keyboard, with the network's answer over them.
//!
//! # Why
//! While a point is moved, only the drawing knows of it; when it is let go, another run is asked for, so that one move is one
//! restart and one undo. Arrow keys are one move until no key has been pressed for a while.

use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, KeyboardEvent, MouseEvent, PointerEvent};

use crate::descent::news::{News, Requests};
use vivarium_labs::descent::DescentState;
use vivarium_labs::descent::panel::action::{self, PanelAction};
use vivarium_labs::descent::panel::plane::{Frame, SIZE};
use vivarium_labs::descent::panel::strip::number;
use vivarium_ui::browser::by_id;
use vivarium_ui::button::button;

/// How long after the last press of an arrow key a point is taken where it is.
const AFTER: Duration = Duration::from_millis(700);

/// What is done with the points. Copies are handles to the same.
#[derive(Clone, Copy)]
struct Hand {
    news: News,
    points: Memo<Vec<[f64; 2]>>,
    frame: Memo<Frame>,
    /// The point that is moved, from 0, and where it is by now.
    moved: RwSignal<Option<(usize, [f64; 2])>>,
    /// The point that keys and buttons are about, from 0.
    chosen: RwSignal<usize>,
    /// The point that a pointer holds, from 0.
    held: StoredValue<Option<usize>>,
    /// Counts presses of arrow keys.
    presses: StoredValue<u64>,
}

impl Hand {
    fn new(news: News) -> Hand {
        let points = Memo::new(move |_| news.see(|state, _| action::points(state)).unwrap_or_default());
        Hand {
            news,
            points,
            frame: Memo::new(move |_| points.with(|points| Frame::of(points))),
            moved: RwSignal::new(None),
            chosen: RwSignal::new(0),
            held: StoredValue::new(None),
            presses: StoredValue::new(0),
        }
    }

    /// Where a point is by now.
    fn at(self, place: usize) -> [f64; 2] {
        match self.moved.get() {
            Some((moved, to)) if moved == place => to,
            _ => self.points.with(|points| points.get(place).copied()).unwrap_or_default(),
        }
    }

    /// Asks for the run with the point where it is by now.
    fn settle(self) {
        if let Some((at, to)) = self.moved.try_get_untracked().flatten() {
            self.news.request(PanelAction::Move(at, to));
            self.moved.set(None);
        }
    }

    /// Chooses a point, which gets the focus of the keyboard.
    fn choose(self, place: usize) {
        self.chosen.set(place);
        // Points may be drawn anew until then.
        request_animation_frame(move || {
            if let Some(point) = by_id(&format!("point-{place}")) {
                // Nothing else would have the focus if it failed.
                let _ = point.focus();
            }
        });
    }

    /// Adds a point, or takes the chosen one away.
    fn change(self, what: PanelAction) {
        self.settle();
        let before = self.points.with_untracked(Vec::len);
        self.news.request(what);
        let after = self.points.with_untracked(Vec::len);
        match after > before {
            true => self.choose(after - 1),
            false if after < before => self.choose(self.chosen.get_untracked().min(after.saturating_sub(1))),
            false => {}
        }
    }

    fn remove(self) {
        self.change(PanelAction::Remove(self.chosen.get_untracked()));
    }

    /// The point of the plane that a pointer is over.
    fn under(self, event: &MouseEvent) -> Option<[f64; 2]> {
        let bounds = by_id("plane")?.get_bounding_client_rect();
        let right = (f64::from(event.client_x()) - bounds.left()) / bounds.width().max(1.0);
        let down = (f64::from(event.client_y()) - bounds.top()) / bounds.height().max(1.0);
        Some(self.frame.get_untracked().point(right, down))
    }

    fn pointer(self, event: PointerEvent) {
        match event.type_().as_str() {
            "pointerdown" if event.button() == 0 => {
                let Some((place, point)) = point_of(&event) else { return };
                self.settle();
                self.held.set_value(Some(place));
                // Some browsers give a pressed button no focus.
                self.choose(place);
                // Without it, only what happens over the point is heard.
                let _ = point.set_pointer_capture(event.pointer_id());
            }
            "pointermove" => {
                if let (Some(place), Some(to)) = (self.held.get_value(), self.under(&event)) {
                    self.moved.set(Some((place, to)));
                }
            }
            "pointerup" => {
                self.held.set_value(None);
                self.settle();
            }
            _ => {
                self.held.set_value(None);
                self.moved.set(None);
            }
        }
    }

    fn click(self, event: MouseEvent) {
        // A point that was pressed or moved is heard as well.
        if let (None, Some(point)) = (point_of(&event), self.under(&event)) {
            self.change(PanelAction::Add(point));
        }
    }

    fn key(self, event: KeyboardEvent) {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let Some((place, _)) = point_of(&event) else { return };
        let last = self.points.with_untracked(Vec::len).saturating_sub(1);
        let key = event.key();
        let step = self.frame.get_untracked().moved(untrack(|| self.at(place)), &key, event.shift_key());
        match (key.as_str(), step) {
            (_, Some(to)) => {
                self.moved.set(Some((place, to)));
                let press = self.presses.get_value() + 1;
                self.presses.set_value(press);
                let settle = move || {
                    if self.presses.try_get_value() == Some(press) {
                        self.settle();
                    }
                };
                set_timeout(settle, AFTER);
            }
            ("Delete" | "Backspace", _) => self.remove(),
            ("Enter", _) => self.settle(),
            ("Escape", _) => self.moved.set(None),
            ("PageUp", _) => self.turn_to(place.saturating_sub(1)),
            ("PageDown", _) => self.turn_to((place + 1).min(last)),
            ("Home", _) => self.turn_to(0),
            ("End", _) => self.turn_to(last),
            _ => return,
        }
        event.prevent_default();
    }

    fn turn_to(self, place: usize) {
        self.settle();
        self.choose(place);
    }
}

/// The point that something happens to, with its drawing.
fn point_of(event: &Event) -> Option<(usize, Element)> {
    let target = event.target()?.dyn_into::<Element>().ok()?;
    let of = target.closest("[data-point]").ok()??;
    Some((of.get_attribute("data-point")?.parse().ok()?, of))
}

/// The plot, with buttons and what is said of it.
pub(super) fn plot(news: News) -> AnyView {
    let hand = Hand::new(news);
    let is_plane = news.memo(|state, _| action::is_plane(state));
    let is_own = news.memo(|state, _| action::is_own(state));
    let is_open = move || is_plane.get() == Some(true);
    let about = news.memo(|state, _| action::about_points(state));
    let [of_function, of_points] = ["f", "points"].map(|key| news.problem(key));
    let buttons = move || {
        view! {
            <div class="editing__buttons" role="group" aria-label=tr!("Change the examples")>
                {button("own-points", tr!("Turn the examples into my own points"), Box::new(move || is_own.get() != Some(false)),
                    Box::new(move || hand.change(PanelAction::Own)))}
                {button("add-point", tr!("Add a point"), Box::new(|| false),
                    Box::new(move || hand.change(PanelAction::AddFree)))}
                {button("remove-point", tr!("Remove the chosen point"),
                    Box::new(move || hand.points.with(Vec::len) < 2), Box::new(move || hand.remove()))}
            </div>
        }
    };
    view! {
        <p class="card__text" data-testid="points-about">{about}</p>
        {move || is_open().then(|| drawing(hand))}
        {move || is_open().then(buttons)}
        <p class="knob__problem" role="status" data-testid="points-problem">{of_function} " " {of_points}</p>
    }
    .into_any()
}

/// The drawing.
fn drawing(hand: Hand) -> AnyView {
    let (news, frame) = (hand.news, hand.frame);
    let count = Memo::new(move |_| hand.points.with(Vec::len));
    let target = Memo::new(move |_| {
        let frame = frame.get();
        news.see(|state, _| frame.curve(|x| state.target.evaluate(&input(state, x)))).unwrap_or_default()
    });
    let answer = Memo::new(move |_| {
        let frame = frame.get();
        news.see(|state, _| frame.curve(|x| predicted(state, x))).unwrap_or_default()
    });
    let query = news.memo(|state, _| state.draw.query);
    let query = move || {
        let (right, _) = frame.get().place([query.get().unwrap_or(0.0), 0.0]);
        format!("M{right:.1} 0V{:.0}", SIZE.1)
    };
    let end = move |of: fn(Frame) -> f64| move || number(of(frame.get()));
    let (wide, high) = SIZE;
    let axes = format!("M0 {0}H{wide}M{1} 0V{high}", high / 2.0, wide / 2.0);
    let chosen = move || {
        let at = hand.chosen.get();
        (at < count.get()).then(|| name(at, hand.at(at)))
    };
    view! {
        <div class="plane" id="plane" role="group" data-testid="plane" aria-label=tr!("Examples that can be moved")
            aria-describedby="plane-help"
            on:click=move |event| hand.click(event) on:keydown=move |event| hand.key(event)
            on:pointerdown=move |event| hand.pointer(event) on:pointermove=move |event| hand.pointer(event)
            on:pointerup=move |event| hand.pointer(event) on:pointercancel=move |event| hand.pointer(event)
            on:focusout=move |_| hand.settle()>
            <svg class="plane__drawing" viewBox=format!("0 0 {wide} {high}") role="img" data-testid="plane-drawing"
                aria-label=tr!("Plot of the network's output and of the function that generated the examples, against the input")>
                <path class="plane__axes" d=axes />
                <path class="plane__query" d=query />
                <path class="plane__target" d=target />
                <path class="plane__answer" d=answer data-testid="plane-answer" />
            </svg>
            <span class="plane__end plane__end--left" aria-hidden="true">"−"{end(|frame| frame.across)}</span>
            <span class="plane__end plane__end--right" aria-hidden="true">{end(|frame| frame.across)}</span>
            <span class="plane__end plane__end--top" aria-hidden="true">{end(|frame| frame.up)}</span>
            <span class="plane__end plane__end--bottom" aria-hidden="true">"−"{end(|frame| frame.up)}</span>
            {move || (0..count.get()).map(|place| point(hand, place)).collect_view()}
        </div>
        <p class="card__note" role="status" data-testid="point-chosen">{chosen}</p>
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

/// "Point 3: x 0.5, y −1".
fn name(place: usize, [x, y]: [f64; 2]) -> String {
    tr!("Point {number}: x {x}, y {y}", number = place + 1, x = number(x), y = number(y))
}

/// One point, from 0.
fn point(hand: Hand, place: usize) -> AnyView {
    let at = Memo::new(move |_| hand.at(place));
    let is_chosen = Memo::new(move |_| hand.chosen.get() == place);
    let along = move |which: usize| {
        move || {
            let (right, down) = hand.frame.get().place(at.get());
            format!("{:.3}%", 100.0 * [right / SIZE.0, down / SIZE.1][which])
        }
    };
    view! {
        <button class="point" class:point--chosen=is_chosen type="button" id=format!("point-{place}")
            data-point=place.to_string() data-testid=format!("point-{}", place + 1)
            aria-label=move || name(place, at.get()) tabindex=move || if is_chosen.get() { "0" } else { "-1" }
            style:left=along(0) style:top=along(1)>
        </button>
    }
    .into_any()
}

/// The network's input at x.
fn input(state: &DescentState, x: f64) -> Vec<f64> {
    [x].into_iter().chain(state.draw.constant.then_some(1.0)).collect()
}

/// What the network that the tokens carry answers at x.
fn predicted(state: &DescentState, x: f64) -> Option<f64> {
    let (network, w, input) = (&state.plan.network, &state.state.tokens, input(state, x));
    let fits = network.inputs == input.len() && network.weight_count() == w.len();
    fits.then(|| network.compute_output(w, &input).first().copied()).flatten()
}
