//! What a pointer, a finger or the keyboard does over curves: read them, go to a step, show a part of the run.
//!
//! Nothing of it is needed for the first picture: it is reached through [`Hand::over`] alone.

use std::time::Duration;

use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{Element, Event, HtmlElement, KeyboardEvent, MouseEvent, PointerEvent, WheelEvent};

use crate::charts::curves::Curves;
use vivarium_page::charts::crosshair::{Pointed, Scene};
use vivarium_page::charts::viewport::ViewportAction;
use vivarium_page::state::Action;
use vivarium_ui::effect::effect;

/// How far a pointer must move before it counts as dragged, in CSS pixels.
const SLACK: f64 = 3.0;
/// How much nearer one press of a key brings the steps.
const NEARER: f64 = 2.0;
/// Places that are passed at once while Shift is held.
const LEAP: usize = 10;

/// What is done over a chart.
const OVER: &[&str] = &[
    "pointerdown",
    "pointermove",
    "pointerup",
    "pointercancel",
    "pointerleave",
    "dblclick",
    "wheel",
    "keydown",
    "focusout",
];

/// What a pressed pointer is about.
#[derive(Clone, Copy, PartialEq)]
enum Drag {
    Nothing,
    /// It was pressed here, and has not moved.
    Press(f64),
    /// The steps of the run go by.
    Scrub,
    /// It selects from here on.
    Select(f64),
}

/// A hand at a chart of curves. Copies are handles to the same.
#[derive(Clone, Copy)]
pub struct Hand {
    of: Curves,
    drag: StoredValue<Drag>,
    /// What is selected, from left to right in CSS pixels.
    range: RwSignal<Option<(f64, f64)>>,
    /// The name that had the focus when it was pressed.
    pressed: StoredValue<Option<String>>,
}

impl Hand {
    /// Listens to what is done with a chart; what stands over it, which has the focus of the keyboard and says what is
    /// under the crosshair.
    pub fn over(of: Curves) -> AnyView {
        let (drag, range, pressed) =
            (StoredValue::new(Drag::Nothing), RwSignal::new(None), StoredValue::new(None));
        let hand = Hand { of, drag, range, pressed };
        hand.listen(of.frame, OVER);
        hand.listen(of.names, &["click", "dblclick"]);
        effect(move || {
            of.legend.with(|_| ());
            if let Some(at) = pressed.get_value() {
                request_animation_frame(move || hand.focus_again(&at));
            }
        });
        hand.view()
    }

    /// Names are written anew when one of them was pressed: the focus goes back there.
    fn focus_again(self, at: &str) {
        let Some(names) = self.of.names.try_get_untracked().flatten() else { return };
        let button = names.query_selector(&format!("[data-at='{at}']")).ok().flatten();
        if let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok())
            && document().query_selector(":focus").ok().flatten().is_none()
        {
            let _ = button.focus();
        }
    }

    fn scene<T>(self, of: impl FnOnce(&Scene) -> Option<T>) -> Option<T> {
        self.of.scene.with_value(|scene| of(scene.as_ref()?))
    }

    fn is_over_steps(self) -> bool {
        self.scene(|scene| scene.lines().is_over_steps().then_some(())).is_some()
    }

    /// Where somebody points, as far as it concerns this chart.
    fn pointed(self) -> Option<Pointed> {
        let over_steps = self.is_over_steps();
        self.of
            .gaze
            .pointed
            .get_untracked()
            .filter(|of| of.chart == self.of.name || (of.over_steps && over_steps))
    }

    fn point(self, at: Option<f64>, down: Option<f64>) {
        let over_steps = self.is_over_steps();
        let pointed = at.map(|at| Pointed { chart: self.of.name, over_steps, at, down });
        if self.of.gaze.pointed.get_untracked() != pointed {
            self.of.gaze.pointed.set(pointed);
        }
    }

    /// Nobody points at it any more.
    fn leave(self) {
        if self.of.gaze.pointed.get_untracked().is_some_and(|of| of.chart == self.of.name) {
            self.of.gaze.pointed.set(None);
        }
    }

    /// Something is done with the chart, or with the names of its curves.
    fn hear(self, event: Event) {
        match event.type_().as_str() {
            "keydown" => self.key(event.unchecked_into()),
            "wheel" => self.wheel(event.unchecked_into()),
            "focusout" => self.leave(),
            "click" => self.press(event.unchecked_ref(), false),
            "dblclick" => self.press(event.unchecked_ref(), true),
            _ => self.pointer(event.unchecked_into()),
        }
    }

    /// Hears of what is done with an element, for as long as it is there.
    fn listen(self, of: NodeRef<Div>, names: &'static [&'static str]) {
        // One closure for all kinds of events: each view of its own would make the program larger.
        let heard = StoredValue::new_local(None::<(Closure<dyn Fn(Event)>, HtmlElement)>);
        on_cleanup(move || {
            // What loses the focus as it goes away is not heard any more.
            if let Some((closure, element)) = heard.try_update_value(Option::take).flatten() {
                for name in names {
                    let _ =
                        element.remove_event_listener_with_callback(name, closure.as_ref().unchecked_ref());
                }
            }
        });
        of.on_load(move |element| {
            let closure = Closure::<dyn Fn(Event)>::new(move |event| self.hear(event));
            for name in names {
                let _ = element.add_event_listener_with_callback(name, closure.as_ref().unchecked_ref());
            }
            heard.set_value(Some((closure, element.unchecked_into())));
        });
    }

    /// A pointer does something over the chart.
    fn pointer(self, event: PointerEvent) {
        let Some(canvas) = self.of.canvas.get_untracked() else { return };
        let bounds = canvas.get_bounding_client_rect();
        let right = f64::from(event.client_x()) - bounds.left();
        let down = f64::from(event.client_y()) - bounds.top();
        let by_finger = event.pointer_type() == "touch";
        let read = move || self.point(self.scene(|scene| scene.nearest_place(right, down)), Some(down));
        let at = |right: f64| self.scene(|scene| Some(scene.value(right)));
        match (event.type_().as_str(), self.drag.get_value()) {
            ("pointerdown", _) if event.button() == 0 && self.is_over_steps() => {
                let selects = event.shift_key() || self.of.gaze.selects.get_untracked();
                self.drag.set_value(if selects { Drag::Select(right) } else { Drag::Press(right) });
                // Without it, only what happens over the chart is heard.
                let _ = canvas.set_pointer_capture(event.pointer_id());
            }
            // A press alone goes nowhere, so that a page can be scrolled by touching a chart.
            ("pointermove", Drag::Press(from))
                if event.buttons() & 1 == 1 && (right - from).abs() > SLACK =>
            {
                self.drag.set_value(Drag::Scrub);
                self.scrub(at(right));
            }
            ("pointermove", Drag::Scrub) if event.buttons() & 1 == 1 => {
                self.scrub(at(right));
                read();
            }
            ("pointermove", Drag::Select(from)) if event.buttons() & 1 == 1 => {
                self.range.set(Some((from.min(right), from.max(right))));
            }
            ("pointermove", _) if !by_finger => read(),
            ("pointerup", Drag::Select(from)) => {
                self.let_go();
                if (right - from).abs() > SLACK
                    && let (Some(low), Some(high)) = (at(from.min(right)), at(from.max(right)))
                {
                    self.of.gaze.selects.set(false);
                    self.zoom(low, high);
                }
            }
            ("pointerup", drag) => {
                self.let_go();
                // A tap reads, and another one there leaves.
                if by_finger && drag != Drag::Scrub {
                    let before = self.pointed().map(|of| of.at);
                    read();
                    if before.is_some() && self.pointed().map(|of| of.at) == before {
                        self.point(None, None);
                    }
                }
            }
            ("pointercancel", _) => self.let_go(),
            ("pointerleave", _) if !by_finger => self.leave(),
            _ => {}
        }
    }

    fn let_go(self) {
        self.drag.set_value(Drag::Nothing);
        self.range.set(None);
    }

    fn scrub(self, at: Option<f64>) {
        if let Some(at) = at {
            self.of.store.act(Action::Scrub(at.round() as u64));
        }
    }

    fn zoom(self, low: f64, high: f64) {
        self.of.store.act(Action::ViewportAction(ViewportAction::Zoom(low, high)));
    }

    /// The whole run again.
    fn whole(self) {
        if self.of.store.peek(|state| state.viewing.zoom.is_some()) {
            self.of.store.act(Action::ViewportAction(ViewportAction::Whole));
        }
    }

    /// The wheel brings steps nearer while Ctrl or Meta is held, as a pinch on a touchpad does.
    fn wheel(self, event: WheelEvent) {
        let (Some(canvas), true) = (self.of.canvas.get_untracked(), self.is_over_steps()) else { return };
        if !event.ctrl_key() && !event.meta_key() {
            return;
        }
        event.prevent_default();
        let right = f64::from(event.client_x()) - canvas.get_bounding_client_rect().left();
        let factor = libm::exp((-event.delta_y() / 200.0).clamp(-1.0, 1.0));
        if let Some((low, high)) = self.scene(|scene| Some(scene.nearer(Some(right), factor))) {
            self.zoom(low, high);
        }
    }

    /// A key was pressed while the chart has the focus.
    fn key(self, event: KeyboardEvent) {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let pointed = self.pointed();
        let (at, down) = (pointed.map(|of| of.at), pointed.and_then(|of| of.down));
        let key = event.key();
        let next = |scene: &Scene, later: bool| {
            let count = if event.shift_key() { LEAP } else { 1 };
            (0..count).try_fold(at, |at, _| scene.next_place(at, later).map(Some)).flatten()
        };
        let is_over_steps = self.is_over_steps();
        match key.as_str() {
            "ArrowLeft" | "ArrowRight" => {
                self.point(self.scene(|scene| next(scene, key == "ArrowRight")), down);
            }
            "Home" => self.point(self.scene(|scene| scene.next_place(Some(f64::NEG_INFINITY), true)), down),
            "End" => self.point(self.scene(|scene| scene.next_place(None, true)), down),
            "ArrowUp" | "ArrowDown" => {
                let at = at.or_else(|| self.scene(|scene| scene.next_place(None, true)));
                let below = key == "ArrowDown";
                let other = self.of.store.peek(|state| {
                    self.scene(|scene| scene.next_curve(at?, down, below, &state.whole().history))
                });
                self.point(at, other.or(down));
            }
            "Escape" if pointed.is_some() => self.of.gaze.pointed.set(None),
            "Enter" if is_over_steps && at.is_some() => self.scrub(at),
            "+" | "=" | "-" if is_over_steps => {
                let factor = if key == "-" { 1.0 / NEARER } else { NEARER };
                let ends = self.scene(|scene| Some(scene.nearer(at.and_then(|at| scene.right(at)), factor)));
                if let Some((low, high)) = ends {
                    self.zoom(low, high);
                }
            }
            "0" if is_over_steps => self.whole(),
            _ => return,
        }
        event.prevent_default();
    }

    fn view(self) -> AnyView {
        let overlay = NodeRef::<Div>::new();
        let before = StoredValue::new(String::new());
        effect(move || {
            self.of.drawn.get();
            let (pointed, range) = (self.of.gaze.pointed.get(), self.range.get());
            let Some(overlay) = overlay.get() else { return };
            let seen = self.of.store.peek(|state| {
                self.scene(|scene| Some(scene.seen(self.of.name, pointed.as_ref(), &state.whole().history)))
            });
            let mut seen = seen.unwrap_or_default();
            if let (Some((from, to)), Some([_, top, _, bottom])) =
                (range, self.scene(|scene| Some(scene.edges())))
            {
                let (width, height) = (to - from, bottom - top);
                seen.markup += &format!(
                    "<i class=\"cross__range\" style=\"left:{from}px;width:{width}px;top:{top}px;height:{height}px\"></i>"
                );
            }
            if before.with_value(|before| *before != seen.markup) {
                // Markup: `Scene::seen`, whose texts are escaped, and the range above.
                overlay.set_inner_html(&seen.markup);
                before.set_value(seen.markup);
            }
            let set = |name: &str, value: &str| {
                let _ = overlay.set_attribute(name, value);
            };
            set("aria-valuetext", if seen.words.is_empty() { tr!("no point selected") } else { &seen.words });
            let ends = self.scene(|scene| {
                Some((scene.next_place(Some(f64::NEG_INFINITY), true)?, scene.next_place(None, true)?))
            });
            let (low, high) = ends.unwrap_or((0.0, 0.0));
            set("aria-valuemin", &low.to_string());
            set("aria-valuemax", &high.to_string());
            let at = pointed.filter(|_| !seen.words.is_empty()).map_or(high, |of| of.at);
            set("aria-valuenow", &at.clamp(low, high).to_string());
        });
        view! {
            <div class="plot__over" node_ref=overlay role="slider" tabindex="0" aria-label=tr!("Values at a step or position: {chart}", chart = self.of.name.replace('-', " "))
                data-testid=format!("read-{}", self.of.name)></div>
        }
        .into_any()
    }

    /// A name was pressed: its curve is hidden or shown, or shown alone. Twice on the chart itself is the whole run.
    fn press(self, event: &MouseEvent, twice: bool) {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let Some(target) = target else { return };
        if target.tag_name() == "CANVAS" {
            return self.whole();
        }
        let button = target.closest("[data-at]").ok().flatten();
        let at = button.and_then(|button| button.get_attribute("data-at")?.parse::<usize>().ok());
        let sight = at.and_then(|at| {
            self.of.named.with_value(|named| {
                let name = named.get(at)?.name.clone();
                let curves = named.iter().filter(|of| !of.is_patch);
                Some(match twice || event.shift_key() {
                    true => {
                        ViewportAction::Only(self.of.name, name, curves.map(|of| of.name.clone()).collect())
                    }
                    false => ViewportAction::Toggle(self.of.name, name),
                })
            })
        });
        if let Some(sight) = sight {
            let focused = target.closest("button:focus").ok().flatten();
            self.pressed.set_value(focused.and_then(|button| button.get_attribute("data-at")));
            self.of.store.act(Action::ViewportAction(sight));
            // Afterwards the focus is left where it is.
            set_timeout(
                move || {
                    self.pressed.try_set_value(None);
                },
                Duration::from_secs(1),
            );
        }
    }
}
