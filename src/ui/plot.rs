//! Drawings on canvases, made by plotters, at most eleven times a second and only when there is news.

use std::time::Duration;

use leptos::html::{Canvas, Div};
use leptos::prelude::*;
use plotters::prelude::IntoDrawingArea;
use plotters_canvas::CanvasBackend;
use wasm_bindgen::prelude::*;
use web_sys::ResizeObserver;

use crate::appearance::Appearance;
use crate::effect::effect;
use crate::surface::Surface;
use vivarium_model::platform::now_ms;
use vivarium_plot::analysis::{Lines, Reading};
use vivarium_plot::charts::{Across, Theme, draw_across};

/// Milliseconds between two drawings of one chart.
const BETWEEN_MS: f64 = 90.0;

/// What the page adds to drawings of curves, by Leptos context: names to press, a crosshair, and which of them are seen.
#[derive(Clone, Copy)]
pub struct CurveTools {
    /// Counts changes of what is hidden and of the steps in view.
    pub changes: Memo<u64>,
    /// Hides curves of the drawing of this name, and chooses the steps in view.
    pub shape: Callback<(&'static str, Lines), Lines>,
    /// The tools of one drawing.
    pub attach: Callback<(&'static str, NodeRef<Canvas>, NodeRef<Div>), Attached>,
}

/// What the page adds to one drawing of curves.
#[derive(Clone, Copy)]
pub struct Attached {
    /// Hears what was drawn, and how the steps lie on it.
    pub drawn: Callback<(Lines, Option<Across>)>,
    /// The names of the curves.
    pub legend: Callback<(), AnyView>,
    /// What stands over the curves.
    pub over: Callback<(), AnyView>,
}

/// What a chart is drawn on, with what stands around and over its curves.
pub struct PlotCanvas {
    /// What it is called.
    pub name: &'static str,
    /// Name for tests.
    pub testid: String,
    /// Whether it shows curves.
    pub is_lines: RwSignal<bool>,
    /// What is drawn, if anything.
    pub reading: Callback<(), Option<Reading>>,
    /// Tells whoever asks that there is something new to draw.
    pub news: Callback<(), ()>,
    /// The same in words.
    pub label: Signal<String>,
}

impl PlotCanvas {
    /// Legend and canvas, with the reason why there is nothing on it.
    pub fn view(self, reason: Option<Memo<Option<String>>>) -> AnyView {
        let PlotCanvas { name, testid, is_lines, reading, news, label } = self;
        let (appearance, tools) = (Appearance::here(), expect_context::<CurveTools>());
        let (frame, canvas) = (NodeRef::<Div>::new(), NodeRef::<Canvas>::new());
        let size = RwSignal::new((0u32, 0u32));
        observe(frame, size);
        let attached = tools.attach.run((name, canvas, frame));
        let paint = move || {
            let Some(mut reading) = untrack(|| reading.run(())) else { return };
            if let Reading::Lines(lines) = &mut reading {
                *lines = tools.shape.run((name, std::mem::take(lines)));
            }
            let across = render(canvas, size, &reading, appearance);
            let shows_lines = matches!(reading, Reading::Lines(_));
            if is_lines.get_untracked() != shows_lines {
                is_lines.set(shows_lines);
            }
            if let Reading::Lines(lines) = reading {
                attached.drawn.run((lines, across));
            }
        };
        paint_on(
            move || {
                let (_, _, (width, _)) = (appearance.looks(), tools.changes.get(), size.get());
                news.run(());
                width > 0
            },
            paint,
        );
        let is_empty = move || reason.is_some_and(|reason| reason.with(Option::is_some));
        view! {
            {move || is_lines.get().then(|| attached.legend.run(()))}
            <div class="plot__frame" node_ref=frame>
                <canvas class="plot__canvas" class:hidden=is_empty node_ref=canvas
                    role="img" aria-label=label data-testid=testid></canvas>
                {move || (is_lines.get() && !is_empty()).then(|| attached.over.run(()))}
                {move || reason.and_then(|why| why.get()).map(|why| view! { <p class="plot__reason">{why}</p> })}
            </div>
        }
        .into_any()
    }
}

/// Tells `size` how much room there is, in CSS pixels, for as long as the chart is shown.
fn observe(frame: NodeRef<Div>, size: RwSignal<(u32, u32)>) {
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

/// Paints on the next frame whenever `news` has changed and says that there is something to paint, but at most eleven
/// times a second.
pub fn paint_on(news: impl Fn() -> bool + 'static, paint: impl Fn() + Copy + Send + Sync + 'static) {
    let (scheduled, drawn_at) = (StoredValue::new(false), StoredValue::new(f64::NEG_INFINITY));
    let paint = move || {
        // It may have been hidden since.
        if scheduled.try_set_value(false).is_some() {
            return;
        }
        drawn_at.set_value(now_ms());
        paint();
    };
    effect(move || {
        if !news() || scheduled.get_value() {
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
}

/// A drawing of its own, beside the charts of the catalogue.
#[component]
pub fn Drawing(
    /// Name for tests.
    testid: &'static str,
    /// What is drawn, and tells whoever asks of changes; its title stands above.
    reading: Callback<(), Reading>,
    /// The same in words.
    #[prop(into)]
    label: Signal<String>,
) -> impl IntoView {
    let sheet = PlotCanvas {
        name: testid,
        testid: testid.into(),
        is_lines: RwSignal::new(false),
        reading: Callback::new(move |()| Some(reading.run(()))),
        news: Callback::new(move |()| {
            reading.run(());
        }),
        label,
    };
    let is_lines = sheet.is_lines;
    view! {
        <figure class="plot" class:plot--lines=is_lines>
            <figcaption class="plot__name">{move || reading.run(()).title().to_string()}</figcaption>
            {sheet.view(None)}
        </figure>
    }
    .into_any()
}

fn render(
    canvas: NodeRef<Canvas>,
    size: RwSignal<(u32, u32)>,
    reading: &Reading,
    appearance: Appearance,
) -> Option<Across> {
    let (Some(canvas), size) = (canvas.get_untracked(), size.get_untracked()) else { return None };
    let scale = window().device_pixel_ratio().max(1.0);
    let type_scale = scale * appearance.size();
    let theme = Theme {
        scale: type_scale,
        titles: false,
        // Above curves, the page writes title and legend itself.
        legend: !matches!(reading, Reading::Lines(_)),
        family: "system-ui, sans-serif",
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
    match draw_across(&Surface::Canvas(backend).into_drawing_area(), reading, &theme) {
        Ok(across) => across,
        Err(error) => {
            web_sys::console::error_1(&format!("{error:?}").into());
            None
        }
    }
}
