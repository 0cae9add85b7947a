//! Input over a chart of curves by pointer, touch or keyboard: crosshair, going to a step, zoom.
//!
//! This code is in the second WebAssembly module: it is reached through [`ChartInput::attach`] alone.

use std::time::Duration;

use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{Element, Event, HtmlElement, KeyboardEvent, MouseEvent, PointerEvent, WheelEvent};

use crate::charts::curves::CurveChart;
use vivarium_page::charts::crosshair::{DrawnCurves, Pointer};
use vivarium_page::charts::viewport::ViewportAction;
use vivarium_page::state::Action;
use vivarium_ui::effect::effect;

/// Distance in CSS pixels from the point of pressing, from which on the pointer counts as dragging and not as clicking.
const MIN_DRAG_DISTANCE: f64 = 3.0;
/// Factor by which one press of the keys + and − zooms a chart's axis of steps.
const KEY_ZOOM_FACTOR: f64 = 2.0;
/// Time in which a second click makes a double click.
const DOUBLE_CLICK_TIME: Duration = Duration::from_millis(300);
/// Number of measurements by which an arrow key with Shift moves the crosshair.
const SHIFT_STEPS: usize = 10;

/// Names of the DOM events of a chart that [`ChartInput`] handles.
const CHART_EVENTS: &[&str] = &[
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

/// State of a pointer on a chart: not pressed, pressed, or dragging.
#[derive(Clone, Copy, PartialEq)]
enum Drag {
    /// No pointer is pressed on the chart.
    Nothing,
    /// Pressed at this position (CSS pixels from the left), not moved yet.
    Press(f64),
    /// Going to the step under the pointer.
    Scrub,
    /// Selecting a range of steps from this position on.
    Select(f64),
}

/// Handles pointer, wheel and keys over a chart of curves. Copies are handles to the same handler.
#[derive(Clone, Copy)]
pub struct ChartInput {
    /// The chart of curves whose pointer, wheel and keyboard input is handled.
    of: CurveChart,
    /// State of the pointer on the chart: not pressed, pressed, or dragging.
    drag: StoredValue<Drag>,
    /// Number of times that a button was pressed on the chart, plus the number of double clicks; in a zoomed chart, a
    /// click shows its step only if the number stays unchanged for [`DOUBLE_CLICK_TIME`].
    press_count: StoredValue<u32>,
    /// (left, right) end, in CSS pixels from the left of the chart, of the range of steps that a drag selects; None
    /// without such a drag.
    selected_range: RwSignal<Option<(f64, f64)>>,
    /// Index, as text, of the legend entry that was pressed within the last second and had the focus, to focus it again
    /// when the legend is rewritten; None otherwise.
    pressed_entry: StoredValue<Option<String>>,
}

impl ChartInput {
    /// Listens to the events of a chart; returns its overlay, a slider that takes the keyboard focus and announces the
    /// values at the crosshair.
    pub fn attach(of: CurveChart) -> AnyView {
        let (drag, range, pressed) =
            (StoredValue::new(Drag::Nothing), RwSignal::new(None), StoredValue::new(None));
        let press_count = StoredValue::new(0);
        let hand = ChartInput { of, drag, press_count, selected_range: range, pressed_entry: pressed };
        hand.listen(of.frame, CHART_EVENTS);
        hand.listen(of.names, &["click", "dblclick"]);
        effect(move || {
            of.legend.with(|_| ());
            if let Some(at) = pressed.get_value() {
                request_animation_frame(move || hand.restore_focus(&at));
            }
        });
        hand.overlay_view()
    }

    /// Focuses the legend entry with the index `at` again after the legend was rewritten.
    fn restore_focus(self, at: &str) {
        let Some(names) = self.of.names.try_get_untracked().flatten() else { return };
        let button = names.query_selector(&format!("[data-at='{at}']")).ok().flatten();
        let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok()) else { return };
        // The page moves a lost focus to a part around the entry.
        let focused = document().query_selector(":focus").ok().flatten();
        if focused.is_none_or(|focused| focused.contains(Some(&button))) {
            let _ = button.focus();
        }
    }

    /// Calls `read` with the curves of the last drawing; returns None before the first drawing.
    fn with_drawn_curves<T>(self, read: impl FnOnce(&DrawnCurves) -> Option<T>) -> Option<T> {
        self.of.drawn_curves.with_value(|scene| read(scene.as_ref()?))
    }

    /// Whether the chart's horizontal axis counts steps.
    fn is_over_steps(self) -> bool {
        self.with_drawn_curves(|scene| scene.lines().is_over_steps().then_some(())).is_some()
    }

    /// Returns the position of the pointer if it is over this chart, or over another chart while both have steps as
    /// horizontal axis.
    fn pointed(self) -> Option<Pointer> {
        let over_steps = self.is_over_steps();
        self.of
            .pointer_context
            .pointer
            .get_untracked()
            .filter(|of| of.chart == self.of.name || (of.over_steps && over_steps))
    }

    /// Sets the crosshair to the value `at` on the horizontal axis and to `down` CSS pixels from the top of the chart;
    /// if `at` is None, the crosshair is removed.
    fn set_pointer(self, at: Option<f64>, down: Option<f64>) {
        let over_steps = self.is_over_steps();
        let pointed = at.map(|at| Pointer { chart: self.of.name, over_steps, x: at, y_css: down });
        if self.of.pointer_context.pointer.get_untracked() != pointed {
            self.of.pointer_context.pointer.set(pointed);
        }
    }

    /// Removes the crosshair if the pointer is over this chart.
    fn clear_pointer(self) {
        if self.of.pointer_context.pointer.get_untracked().is_some_and(|of| of.chart == self.of.name) {
            self.of.pointer_context.pointer.set(None);
        }
    }

    /// Handles an event of the chart or of its legend.
    fn handle_event(self, event: Event) {
        match event.type_().as_str() {
            "keydown" => self.handle_key(event.unchecked_into()),
            "wheel" => self.handle_wheel(event.unchecked_into()),
            "focusout" => self.clear_pointer(),
            "click" => self.handle_click(event.unchecked_ref(), false),
            "dblclick" => self.handle_click(event.unchecked_ref(), true),
            _ => self.handle_pointer(event.unchecked_into()),
        }
    }

    /// Listens to events of an element until the chart is removed.
    fn listen(self, target: NodeRef<Div>, names: &'static [&'static str]) {
        // One closure for all kinds of events: each view of its own would make the program larger.
        let listener = StoredValue::new_local(None::<(Closure<dyn Fn(Event)>, HtmlElement)>);
        on_cleanup(move || {
            // What loses the focus as it goes away is not heard any more.
            if let Some((closure, element)) = listener.try_update_value(Option::take).flatten() {
                for name in names {
                    let _ =
                        element.remove_event_listener_with_callback(name, closure.as_ref().unchecked_ref());
                }
            }
        });
        target.on_load(move |element| {
            let closure = Closure::<dyn Fn(Event)>::new(move |event| self.handle_event(event));
            for name in names {
                let _ = element.add_event_listener_with_callback(name, closure.as_ref().unchecked_ref());
            }
            listener.set_value(Some((closure, element.unchecked_into())));
        });
    }

    /// Handles an event of the pointer over the chart.
    fn handle_pointer(self, event: PointerEvent) {
        let Some(canvas) = self.of.canvas.get_untracked() else { return };
        let bounds = canvas.get_bounding_client_rect();
        let right = f64::from(event.client_x()) - bounds.left();
        let down = f64::from(event.client_y()) - bounds.top();
        let by_finger = event.pointer_type() == "touch";
        let read = move || {
            self.set_pointer(self.with_drawn_curves(|scene| scene.nearest_x(right, down)), Some(down))
        };
        let at = |right: f64| self.with_drawn_curves(|scene| Some(scene.x_at(right)));
        match (event.type_().as_str(), self.drag.get_value()) {
            ("pointerdown", _) if event.button() == 0 && self.is_over_steps() => {
                self.press_count.update_value(|count| *count = count.wrapping_add(1));
                let selects = event.shift_key() || self.of.pointer_context.selects_range.get_untracked();
                self.drag.set_value(if selects { Drag::Select(right) } else { Drag::Press(right) });
                // Without it, only what happens over the chart is heard.
                let _ = canvas.set_pointer_capture(event.pointer_id());
            }
            // A touch alone goes nowhere, so that a page can be scrolled by touching a chart.
            ("pointermove", Drag::Press(from))
                if event.buttons() & 1 == 1 && (right - from).abs() > MIN_DRAG_DISTANCE =>
            {
                self.drag.set_value(Drag::Scrub);
                self.scrub_to(at(right));
            }
            ("pointermove", Drag::Scrub) if event.buttons() & 1 == 1 => {
                self.scrub_to(at(right));
                read();
            }
            ("pointermove", Drag::Select(from)) if event.buttons() & 1 == 1 => {
                self.selected_range.set(Some((from.min(right), from.max(right))));
            }
            ("pointermove", _) if !by_finger => read(),
            ("pointerup", Drag::Select(from)) => {
                self.end_drag();
                if (right - from).abs() > MIN_DRAG_DISTANCE
                    && let (Some(low), Some(high)) = (at(from.min(right)), at(from.max(right)))
                {
                    self.of.pointer_context.selects_range.set(false);
                    self.zoom_to(low, high);
                }
            }
            ("pointerup", drag) => {
                self.end_drag();
                if !by_finger && matches!(drag, Drag::Press(_)) {
                    self.go_to_clicked_step(right, down);
                }
                // A tap reads, and another one there leaves.
                if by_finger && drag != Drag::Scrub {
                    let before = self.pointed().map(|of| of.x);
                    read();
                    if before.is_some() && self.pointed().map(|of| of.x) == before {
                        self.set_pointer(None, None);
                    }
                }
            }
            ("pointercancel", _) => self.end_drag(),
            ("pointerleave", _) if !by_finger => self.clear_pointer(),
            _ => {}
        }
    }

    /// Shows the run at the measurement of a curve that was clicked at this position, in CSS pixels from the left and
    /// the top of the chart.
    fn go_to_clicked_step(self, right: f64, down: f64) {
        let Some(step) = self.with_drawn_curves(|scene| scene.clicked_step(right, down)) else { return };
        let show = move || self.of.store.act(Action::Scrub(step));
        if self.of.store.peek(|state| state.viewport.zoom.is_none()) {
            return show();
        }
        // A double click shows all steps, and does not change the step.
        let count = self.press_count.get_value();
        set_timeout(
            move || {
                if self.press_count.try_get_value() == Some(count) {
                    show();
                }
            },
            DOUBLE_CLICK_TIME,
        );
    }

    /// Ends a drag of the pointer over the chart without zooming or showing another step.
    fn end_drag(self) {
        self.drag.set_value(Drag::Nothing);
        self.selected_range.set(None);
    }

    /// Shows the run as it was at the step `at`.
    fn scrub_to(self, at: Option<f64>) {
        if let Some(at) = at {
            self.of.store.act(Action::Scrub(at.round() as u64));
        }
    }

    /// Zooms all charts over steps to the steps from `low` to `high`.
    fn zoom_to(self, low: f64, high: f64) {
        self.of.store.act(Action::Viewport(ViewportAction::Zoom(low, high)));
    }

    /// Shows all steps of the run in all charts again.
    fn reset_zoom(self) {
        if self.of.store.peek(|state| state.viewport.zoom.is_some()) {
            self.of.store.act(Action::Viewport(ViewportAction::ResetZoom));
        }
    }

    /// Zooms with the wheel while Ctrl or Meta is held; browsers report a pinch on a touchpad in the same way.
    fn handle_wheel(self, event: WheelEvent) {
        let (Some(canvas), true) = (self.of.canvas.get_untracked(), self.is_over_steps()) else { return };
        if !event.ctrl_key() && !event.meta_key() {
            return;
        }
        event.prevent_default();
        let right = f64::from(event.client_x()) - canvas.get_bounding_client_rect().left();
        let factor = libm::exp((-event.delta_y() / 200.0).clamp(-1.0, 1.0));
        if let Some((low, high)) = self.with_drawn_curves(|scene| Some(scene.zoom_range(Some(right), factor)))
        {
            self.zoom_to(low, high);
        }
    }

    /// Handles a key that is pressed while the chart has the focus.
    fn handle_key(self, event: KeyboardEvent) {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let pointed = self.pointed();
        let (at, down) = (pointed.map(|of| of.x), pointed.and_then(|of| of.y_css));
        let key = event.key();
        let next = |scene: &DrawnCurves, later: bool| {
            let count = if event.shift_key() { SHIFT_STEPS } else { 1 };
            (0..count).try_fold(at, |at, _| scene.next_x(at, later).map(Some)).flatten()
        };
        let is_over_steps = self.is_over_steps();
        match key.as_str() {
            "ArrowLeft" | "ArrowRight" => {
                self.set_pointer(self.with_drawn_curves(|scene| next(scene, key == "ArrowRight")), down);
            }
            "Home" => self.set_pointer(
                self.with_drawn_curves(|scene| scene.next_x(Some(f64::NEG_INFINITY), true)),
                down,
            ),
            "End" => self.set_pointer(self.with_drawn_curves(|scene| scene.next_x(None, true)), down),
            "ArrowUp" | "ArrowDown" => {
                let at = at.or_else(|| self.with_drawn_curves(|scene| scene.next_x(None, true)));
                let below = key == "ArrowDown";
                let other = self.of.store.peek(|state| {
                    self.with_drawn_curves(|scene| {
                        scene.next_curve_y(at?, down, below, &state.player.latest_run().history)
                    })
                });
                self.set_pointer(at, other.or(down));
            }
            "Escape" if pointed.is_some() => self.of.pointer_context.pointer.set(None),
            "Enter" if is_over_steps && at.is_some() => self.scrub_to(at),
            "+" | "=" | "-" if is_over_steps => {
                let factor = if key == "-" { 1.0 / KEY_ZOOM_FACTOR } else { KEY_ZOOM_FACTOR };
                let ends = self.with_drawn_curves(|scene| {
                    Some(scene.zoom_range(at.and_then(|at| scene.x_to_css(at)), factor))
                });
                if let Some((low, high)) = ends {
                    self.zoom_to(low, high);
                }
            }
            "0" if is_over_steps => self.reset_zoom(),
            _ => return,
        }
        event.prevent_default();
    }

    /// Creates the view of the chart's overlay: crosshair, list of values, and selected range.
    fn overlay_view(self) -> AnyView {
        let overlay = NodeRef::<Div>::new();
        let before = StoredValue::new(String::new());
        effect(move || {
            self.of.drawing_count.get();
            let (pointed, range) = (self.of.pointer_context.pointer.get(), self.selected_range.get());
            let Some(overlay) = overlay.get() else { return };
            let seen = self.of.store.peek(|state| {
                self.with_drawn_curves(|scene| {
                    Some(scene.overlay(self.of.name, pointed.as_ref(), &state.player.latest_run().history))
                })
            });
            let mut seen = seen.unwrap_or_default();
            if let (Some((from, to)), Some([_, top, _, bottom])) =
                (range, self.with_drawn_curves(|scene| Some(scene.plot_edges())))
            {
                let (width, height) = (to - from, bottom - top);
                seen.markup += &format!(
                    "<i class=\"crosshair__range\" style=\"left:{from}px;width:{width}px;top:{top}px;height:{height}px\"></i>"
                );
            }
            if before.with_value(|before| *before != seen.markup) {
                // Markup: `DrawnCurves::overlay`, whose texts are escaped, and the range above.
                overlay.set_inner_html(&seen.markup);
                before.set_value(seen.markup);
            }
            let set = |name: &str, value: &str| {
                let _ = overlay.set_attribute(name, value);
            };
            set("aria-valuetext", if seen.text.is_empty() { tr!("no point selected") } else { &seen.text });
            let ends = self.with_drawn_curves(|scene| {
                Some((scene.next_x(Some(f64::NEG_INFINITY), true)?, scene.next_x(None, true)?))
            });
            let (low, high) = ends.unwrap_or((0.0, 0.0));
            set("aria-valuemin", &low.to_string());
            set("aria-valuemax", &high.to_string());
            let at = pointed.filter(|_| !seen.text.is_empty()).map_or(high, |of| of.x);
            set("aria-valuenow", &at.clamp(low, high).to_string());
        });
        view! {
            <div class="plot__overlay" node_ref=overlay role="slider" tabindex="0" aria-label=tr!("Values at a step or position: {chart}", chart = self.of.name.replace('-', " "))
                data-testid=format!("read-{}", self.of.name)></div>
        }
        .into_any()
    }

    /// Handles a click: on a legend entry, shows or hides its curve (double click: shows it alone); on the chart, a
    /// double click shows all steps.
    fn handle_click(self, event: &MouseEvent, is_double: bool) {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let Some(target) = target else { return };
        if target.tag_name() == "CANVAS" {
            self.press_count.update_value(|count| *count = count.wrapping_add(1));
            return self.reset_zoom();
        }
        let button = target.closest("[data-at]").ok().flatten();
        let at = button.and_then(|button| button.get_attribute("data-at")?.parse::<usize>().ok());
        let sight = at.and_then(|at| {
            self.of.legend_entries.with_value(|named| {
                let name = named.get(at)?.name.clone();
                let curves = named.iter().filter(|of| !of.is_patch);
                Some(match is_double || event.shift_key() {
                    true => ViewportAction::ShowOnly(
                        self.of.name,
                        name,
                        curves.map(|of| of.name.clone()).collect(),
                    ),
                    false => ViewportAction::ToggleCurve(self.of.name, name),
                })
            })
        });
        if let Some(sight) = sight {
            let focused = target.closest("button:focus").ok().flatten();
            self.pressed_entry.set_value(focused.and_then(|button| button.get_attribute("data-at")));
            self.of.store.act(Action::Viewport(sight));
            // Afterwards the focus is left where it is.
            set_timeout(
                move || {
                    self.pressed_entry.try_set_value(None);
                },
                Duration::from_secs(1),
            );
        }
    }
}
