//! Things in the moving picture that can be touched: transparent buttons over the canvas, which have a name, take the keyboard
//! focus, and answer to taps as to the mouse.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent, MouseEvent, PointerEvent};

use crate::stage::handle::{HeroHandle, TARGET_ID_PREFIX, focus_target};
use vivarium_plot::scene::{Point, Target, TargetKind};
use vivarium_view::display::hero::Touch;

/// The targets of the picture, as buttons over it. Tab enters the group, arrow keys move within it.
#[component]
pub fn Targets(
    /// The picture.
    hero: HeroHandle,
) -> impl IntoView {
    let (focused, set_focused) = signal(String::new());
    view! {
        <div class="first-screen__targets" style:--picture-scale=move || hero.scales.get()[0].to_string() role="group" tabindex="-1" aria-label=tr!("Things in the picture that can be changed")>
            <For each=move || hero.targets.get() key=|target| target.key.clone() let:target>
                <TargetButton hero focused set_focused target />
            </For>
        </div>
    }
    .into_any()
}

/// Direction of an arrow key: x to the right, y downwards.
fn arrow(key: &str) -> Option<(f32, f32)> {
    match key {
        "ArrowLeft" => Some((-1.0, 0.0)),
        "ArrowRight" => Some((1.0, 0.0)),
        "ArrowUp" => Some((0.0, -1.0)),
        "ArrowDown" => Some((0.0, 1.0)),
        _ => None,
    }
}

/// The nearest target from `from` in a direction, among those that are no handles.
fn neighbour(targets: &[Target], from: &Target, (x, y): (f32, f32)) -> Option<String> {
    let start = from.area.centre();
    let candidates = targets.iter().filter(|target| target.kind != TargetKind::Handle).filter_map(|target| {
        let centre = target.area.centre();
        let (dx, dy) = (centre.x - start.x, centre.y - start.y);
        let (along, across) = (dx * x + dy * y, (dx * y - dy * x).abs());
        (along > 1.0).then_some((along + 3.0 * across, &target.key))
    });
    candidates.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, key)| key.clone())
}

/// Position of a pointer event within the picture, in pixels of its drawing.
fn position(event: &PointerEvent) -> Option<Point> {
    let button: Element = event.current_target()?.dyn_into().ok()?;
    let frame: HtmlElement = button.parent_element()?.dyn_into().ok()?;
    let area = frame.get_bounding_client_rect();
    // The picture may be drawn larger or smaller than for a screen.
    let scale = (area.width() / f64::from(frame.offset_width().max(1))).max(0.1);
    let [x, y] = [f64::from(event.client_x()) - area.left(), f64::from(event.client_y()) - area.top()];
    Some(Point::new((x / scale) as f32, (y / scale) as f32))
}

/// A transparent button over one target.
#[component]
fn TargetButton(
    /// The picture.
    hero: HeroHandle,
    /// Key of the target that Tab reaches; empty for the first one.
    focused: ReadSignal<String>,
    /// Sets `focused`.
    set_focused: WriteSignal<String>,
    /// The target when it appeared.
    target: Target,
) -> impl IntoView {
    let key = StoredValue::new(target.key.clone());
    let id = format!("{TARGET_ID_PREFIX}{}", target.key);
    let first = target.clone();
    let now = Memo::new(move |_| {
        let find = |all: &Vec<Target>| key.with_value(|key| all.iter().find(|one| one.key == *key).cloned());
        hero.targets.with(find).unwrap_or_else(|| first.clone())
    });
    let is_handle = target.kind == TargetKind::Handle;
    // Tab reaches every handle, and of the other targets the one that had the focus last, or the first.
    let is_reached = move || {
        let is_first = || {
            hero.targets.with(|all| {
                let mut buttons = all.iter().filter(|one| one.kind != TargetKind::Handle);
                let is_kept = focused.with(|at| buttons.clone().any(|one| one.key == *at));
                !is_kept && buttons.next().is_some_and(|one| key.with_value(|key| one.key == *key))
            })
        };
        is_handle || focused.with(|at| key.with_value(|key| at == key)) || is_first()
    };
    let style = move || {
        let area = now.get().area;
        format!(
            "left:{:.1}px;top:{:.1}px;width:{:.1}px;height:{:.1}px",
            area.left, area.top, area.width, area.height
        )
    };
    let label = move || {
        let Target { name, value, .. } = now.get();
        if value.is_empty() { name } else { tr!("{name}: {value}", name, value) }
    };
    let pressed = move || match now.get().kind {
        TargetKind::Switch(is_on) => Some(is_on.to_string()),
        TargetKind::Press | TargetKind::Handle => None,
    };
    let press = move |event: MouseEvent| {
        // A pointer has moved the handle already; a press of Space or Enter has no clicks to count.
        if !is_handle || event.detail() == 0 {
            key.with_value(|key| hero.touch(key, Touch::Press));
        }
    };
    let drag = move |event: &PointerEvent| {
        if let Some(point) = position(event) {
            key.with_value(|key| hero.touch(key, Touch::Drag(point)));
        }
    };
    let key_down = move |event: KeyboardEvent| {
        let Some((x, y)) = arrow(&event.key()) else { return };
        event.prevent_default();
        event.stop_propagation();
        if is_handle {
            return key.with_value(|key| hero.touch(key, Touch::Nudge { x, y, fine: event.shift_key() }));
        }
        let next = hero.targets.with_untracked(|all| neighbour(all, &now.get_untracked(), (x, y)));
        if let Some(next) = next {
            focus_target(&next);
            set_focused.set(next);
        }
    };
    let pointer_down = move |event: PointerEvent| {
        let is_main = event.button() == 0 && event.is_primary();
        if let (true, Some(button)) =
            (is_handle && is_main, event.current_target().and_then(|at| at.dyn_into::<HtmlElement>().ok()))
        {
            // The handle follows the pointer wherever it goes until it is released.
            let _ = button.set_pointer_capture(event.pointer_id());
            drag(&event);
        }
    };
    let pointer_move = move |event: PointerEvent| {
        let button = event.current_target().and_then(|at| at.dyn_into::<HtmlElement>().ok());
        if is_handle && button.is_some_and(|button| button.has_pointer_capture(event.pointer_id())) {
            drag(&event);
        }
    };
    view! {
        <button class="target" class:target--handle=is_handle type="button" id=id.clone() data-testid=id style=style
            aria-label=label aria-pressed=pressed tabindex=move || if is_reached() { "0" } else { "-1" }
            on:click=press on:keydown=key_down on:pointerdown=pointer_down on:pointermove=pointer_move
            on:lostpointercapture=move |_| hero.end_drag()
            on:focus=move |_| set_focused.set(key.get_value())></button>
    }
    .into_any()
}
