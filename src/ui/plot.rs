//! Drawings on canvases, made by plotters, at most eleven times a second and only when their content has changed.

use std::time::Duration;

use leptos::html::{Canvas, Div};
use leptos::prelude::*;
use plotters::prelude::IntoDrawingArea;
use plotters_canvas::CanvasBackend;
use wasm_bindgen::prelude::*;
use web_sys::ResizeObserver;

use crate::appearance::{Appearance, paint_for_print};
use crate::effect::effect;
use crate::surface::Surface;
use crate::text::element_text;
use vivarium_model::platform::now_ms;
use vivarium_plot::analysis::{LineChart, Reading};
use vivarium_plot::charts::{PlotAxes, Theme, draw_with_axes, limit_scale};

/// Minimum time between two drawings of one chart, in milliseconds; earlier changes are drawn when it has passed.
const MIN_REDRAW_MS: f64 = 90.0;

/// Tools that the page adds to charts with curves (legend, crosshair, zoom), provided by Leptos context.
#[derive(Clone, Copy)]
pub struct CurveTools {
    /// Number that grows whenever curves are hidden or shown or the charts' visible range of steps changes.
    pub changes: Memo<u64>,
    /// Removes hidden curves from the chart with the given name and sets its visible range of steps.
    pub shape: Callback<(&'static str, LineChart), LineChart>,
    /// Creates legend, crosshair and zoom of one chart from its name, its canvas, and the element that contains the
    /// canvas.
    pub attach: Callback<(&'static str, NodeRef<Canvas>, NodeRef<Div>), CurveOverlay>,
}

/// Legend, crosshair and zoom attached to one chart with curves.
#[derive(Clone, Copy)]
pub struct CurveOverlay {
    /// Called after each drawing with the curves, and with the mapping of the horizontal axis to pixels if there is
    /// one.
    pub on_drawn: Callback<(LineChart, Option<PlotAxes>)>,
    /// Renders the chart's legend, which names its curves.
    pub legend: Callback<(), AnyView>,
    /// Renders the elements that lie over the chart's curves, such as the crosshair.
    pub over: Callback<(), AnyView>,
}

/// A canvas on which a chart is drawn, with legend and overlay.
pub struct PlotCanvas {
    /// Permanent name of the chart, as in links.
    pub name: &'static str,
    /// Test id of the chart's canvas element.
    pub testid: String,
    /// Whether the chart has curves, as opposed to a matrix or bars.
    pub is_lines: RwSignal<bool>,
    /// Returns the content of the chart (curves, matrix or bars); `None` if there is nothing to draw.
    pub reading: Callback<(), Option<Reading>>,
    /// Subscribes the caller, such as the drawing code, to changes of the chart's content.
    pub track_changes: Callback<(), ()>,
    /// Description of the chart for screen readers.
    pub label: Signal<String>,
}

impl PlotCanvas {
    /// Renders legend and canvas, or the text `reason`, which says why the chart is empty, while that is not `None`.
    pub fn view(self, reason: Option<Memo<Option<String>>>) -> AnyView {
        let PlotCanvas { name, testid, is_lines, reading, track_changes, label } = self;
        let (appearance, tools) = (Appearance::here(), expect_context::<CurveTools>());
        let (frame, canvas) = (NodeRef::<Div>::new(), NodeRef::<Canvas>::new());
        let size = RwSignal::new((0u32, 0u32));
        track_size(frame, size);
        let attached = tools.attach.run((name, canvas, frame));
        let paint = move || {
            let Some(mut reading) = untrack(|| reading.run(())) else { return };
            if let Reading::Lines(lines) = &mut reading {
                *lines = tools.shape.run((name, std::mem::take(lines)));
            }
            let across = draw_reading(canvas, size, &reading, appearance);
            let shows_lines = matches!(reading, Reading::Lines(_));
            if is_lines.get_untracked() != shows_lines {
                is_lines.set(shows_lines);
            }
            if let Reading::Lines(lines) = reading {
                attached.on_drawn.run((lines, across));
            }
        };
        repaint_on(
            move || {
                let (_, _, (width, _)) = (appearance.track_changes(), tools.changes.get(), size.get());
                track_changes.run(());
                width > 0
            },
            paint,
        );
        let is_empty = move || reason.is_some_and(|reason| reason.with(Option::is_some));
        view! {
            {move || is_lines.get().then(|| attached.legend.run(()))}
            <div class="plot__frame" node_ref=frame>
                <canvas class="plot__canvas" class:invisible=is_empty node_ref=canvas
                    role="img" aria-label=label data-testid=testid></canvas>
                {move || (is_lines.get() && !is_empty()).then(|| attached.over.run(()))}
                {move || reason.and_then(|why| why.get()).map(|why| view! { <p class="plot__reason" prop:textContent=why></p> })}
            </div>
        }
        .into_any()
    }
}

/// Keeps `size`, (width, height), equal to the size of the element `frame` in CSS pixels while the chart is mounted.
pub fn track_size(frame: NodeRef<Div>, size: RwSignal<(u32, u32)>) {
    let watching = StoredValue::new_local(None::<(ResizeObserver, Closure<dyn Fn()>)>);
    on_cleanup(move || {
        if let Some((observer, _)) = watching.try_update_value(Option::take).flatten() {
            observer.disconnect();
        }
    });
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
            watching.set_value(Some((observer, on_resize)));
        }
    });
}

/// Calls `paint` on an animation frame when a signal read by `has_changed` changes and `has_changed` returns true, at
/// most eleven times a second; and when the browser is about to print.
pub fn repaint_on(has_changed: impl Fn() -> bool + 'static, paint: impl Fn() + Copy + Send + Sync + 'static) {
    let (scheduled, drawn_at) = (StoredValue::new(false), StoredValue::new(f64::NEG_INFINITY));
    paint_for_print(paint);
    let paint = move || {
        // It may have been hidden since.
        if scheduled.try_set_value(false).is_some() {
            return;
        }
        drawn_at.set_value(now_ms());
        paint();
    };
    effect(move || {
        if !has_changed() || scheduled.get_value() {
            return;
        }
        scheduled.set_value(true);
        let wait = drawn_at.get_value() + MIN_REDRAW_MS - now_ms();
        if wait > 0.0 {
            set_timeout(move || request_animation_frame(paint), Duration::from_millis(wait as u64));
        } else {
            request_animation_frame(paint);
        }
    });
}

/// A drawing that is not a chart of the catalogue, with its title above.
#[component]
pub fn Drawing(
    /// Test id of the canvas.
    testid: &'static str,
    /// Content of the drawing; subscribes the caller to its changes. Its title is shown above the canvas.
    reading: Callback<(), Reading>,
    /// Description of the drawing for screen readers.
    #[prop(into)]
    label: Signal<String>,
) -> impl IntoView {
    let sheet = PlotCanvas {
        name: testid,
        testid: testid.into(),
        is_lines: RwSignal::new(false),
        reading: Callback::new(move |()| Some(reading.run(()))),
        track_changes: Callback::new(move |()| {
            reading.run(());
        }),
        label,
    };
    let is_lines = sheet.is_lines;
    view! {
        <figure class="plot" class:plot--lines=is_lines>
            <figcaption class="plot__name" prop:textContent=element_text(move || reading.run(()).title().to_string())></figcaption>
            {sheet.view(None)}
        </figure>
    }
    .into_any()
}

/// Sizes of charts on paper, (width, height) in CSS pixels: of a chart in one of two columns, and of a matrix, which has
/// both. `styles/print.css` has the same shapes.
const PAPER_SIZES: [(u32, u32); 2] = [(340, 215), (700, 440)];

/// Pixels per CSS pixel of charts on paper.
const PAPER_PIXEL_RATIO: f64 = 3.0;

/// Draws a chart's content on the canvas, of the `size` (width, height) in CSS pixels, at the screen's resolution, or for
/// paper while the page is printed; returns the mapping of the horizontal axis to pixels, `None` for charts without curves
/// and on paper.
fn draw_reading(
    canvas: NodeRef<Canvas>,
    size: RwSignal<(u32, u32)>,
    reading: &Reading,
    appearance: Appearance,
) -> Option<PlotAxes> {
    let canvas = canvas.get_untracked()?;
    let is_on_paper = appearance.is_printing();
    let (size, scale, enlargement) = if is_on_paper {
        let is_wide = matches!(canvas.closest(".plot--grid"), Ok(Some(_)));
        (PAPER_SIZES[usize::from(is_wide)], PAPER_PIXEL_RATIO, 1.0)
    } else {
        (size.get_untracked(), window().device_pixel_ratio().max(1.0), appearance.drawing_scale())
    };
    let type_scale = scale * limit_scale(enlargement, f64::from(size.0));
    let theme = Theme {
        scale: type_scale,
        titles: false,
        // Above curves, the page writes title and legend itself.
        legend: !matches!(reading, Reading::Lines(_)),
        font_family: "system-ui, sans-serif",
        ..appearance.theme()
    };
    let pixels = |css: u32| (f64::from(css) * scale).round() as u32;
    let (width, height) = (pixels(size.0), pixels(size.1));
    // Setting the size also clears, and a cleared canvas flickers.
    if (canvas.width(), canvas.height()) != (width, height) {
        canvas.set_width(width);
        canvas.set_height(height);
    }
    let backend = CanvasBackend::with_canvas_object(canvas.clone())?;
    match draw_with_axes(&Surface::Canvas(backend).into_drawing_area(), reading, &theme) {
        Ok(across) => across.filter(|_| !is_on_paper),
        Err(error) => {
            web_sys::console::error_1(&format!("{error:?}").into());
            None
        }
    }
}
