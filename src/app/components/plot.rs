//! Charts on canvases, drawn by plotters, at most eleven times a second and only when there is news.

use std::time::Duration;

use leptos::html::{Canvas, Div};
use leptos::prelude::*;
use plotters::prelude::IntoDrawingArea;
use plotters_canvas::CanvasBackend;
use wasm_bindgen::prelude::*;
use web_sys::{HtmlCanvasElement, ResizeObserver};

use super::readouts::Headline;
use super::theme::Appearance;
use crate::app::readings::Chart;
use crate::app::store::Store;
use crate::charts::{Theme, draw};
use crate::platform::now_ms;

/// Milliseconds between two drawings of one chart.
const BETWEEN_MS: f64 = 90.0;

/// The three charts of the page.
#[component]
pub fn Plots(
    /// Whether they are light or dark.
    appearance: Appearance,
) -> impl IntoView {
    view! {
        <section class="plots" aria-label="Charts">
            <Headline />
            <Plot chart=Chart::Loss name="Loss" testid="chart-loss" appearance />
            <Plot chart=Chart::Accuracy name="Accuracy" testid="chart-accuracy" appearance />
            <Plot chart=Chart::Weights name="First-layer weights W" testid="chart-weights" appearance />
        </section>
    }
    .into_any()
}

/// One chart, in whatever room the style sheet gives it.
#[component]
fn Plot(
    /// What it shows.
    chart: Chart,
    /// Its title.
    name: &'static str,
    /// Name for tests.
    testid: &'static str,
    /// Whether it is light or dark.
    appearance: Appearance,
) -> impl IntoView {
    let store = Store::here();
    let (frame, canvas) = (NodeRef::<Div>::new(), NodeRef::<Canvas>::new());
    let size = RwSignal::new((0u32, 0u32));
    observe(frame, size);
    let stamp = store.memo(move |state| chart.stamp(state));
    let label = store.memo(move |state| chart.summary(state));
    let (scheduled, drawn_at) = (StoredValue::new(false), StoredValue::new(f64::NEG_INFINITY));
    let paint = move || {
        scheduled.set_value(false);
        drawn_at.set_value(now_ms());
        if let Some(canvas) = canvas.get_untracked() {
            let scale = window().device_pixel_ratio().max(1.0);
            let theme = if appearance.is_dark.get_untracked() { Theme::dark() } else { Theme::light() };
            let theme = Theme { scale, titles: false, family: "system-ui, sans-serif", ..theme };
            store.peek(|state| render(&canvas, size.get_untracked(), &chart.reading(state), &theme));
        }
    };
    Effect::new(move |_| {
        // Read, not only tracked: a memo that nobody reads is never computed.
        let (_, _, (width, _)) = (stamp.get(), appearance.is_dark.get(), size.get());
        if width == 0 || scheduled.get_value() {
            return;
        }
        scheduled.set_value(true);
        let wait = drawn_at.get_value() + BETWEEN_MS - now_ms();
        if wait > 0.0 {
            set_timeout(move || request_animation_frame(paint), Duration::from_millis(wait as u64));
        } else {
            request_animation_frame(paint);
        }
    });
    view! {
        <figure class=format!("plot plot--{testid}")>
            <figcaption class="plot__name">{name}</figcaption>
            <div class="plot__frame" node_ref=frame>
                <canvas class="plot__canvas" node_ref=canvas role="img" aria-label=label data-testid=testid></canvas>
            </div>
        </figure>
    }
    .into_any()
}

/// Tells `size` how much room there is, in CSS pixels.
fn observe(frame: NodeRef<Div>, size: RwSignal<(u32, u32)>) {
    frame.on_load(move |element| {
        let measured = element.clone();
        let on_resize = Closure::<dyn Fn()>::new(move || {
            let now = (measured.client_width().max(0) as u32, measured.client_height().max(0) as u32);
            if size.get_untracked() != now {
                size.set(now);
            }
        });
        if let Ok(observer) = ResizeObserver::new(on_resize.as_ref().unchecked_ref()) {
            observer.observe(&element);
        }
        // The charts stay as long as the page.
        on_resize.forget();
    });
}

fn render(canvas: &HtmlCanvasElement, size: (u32, u32), reading: &crate::analysis::Reading, theme: &Theme) {
    let pixels = |css: u32| (f64::from(css) * theme.scale).round() as u32;
    let (width, height) = (pixels(size.0), pixels(size.1));
    // Setting the size also clears, and a cleared canvas flickers.
    if (canvas.width(), canvas.height()) != (width, height) {
        canvas.set_width(width);
        canvas.set_height(height);
    }
    let Some(backend) = CanvasBackend::with_canvas_object(canvas.clone()) else { return };
    if let Err(error) = draw(&backend.into_drawing_area(), reading, theme) {
        web_sys::console::error_1(&format!("{error:?}").into());
    }
}
