//! Charts on canvases, drawn by plotters, at most eleven times a second and only when there is news.

use std::time::Duration;

use leptos::html::{Canvas, Div};
use leptos::prelude::*;
use plotters::prelude::IntoDrawingArea;
use plotters_canvas::CanvasBackend;
use wasm_bindgen::prelude::*;
use web_sys::ResizeObserver;

use super::curves::Curves;
use super::later::{Later, Part};
use super::numbers::Ask;
use super::readouts::Headline;
use super::theme::Appearance;
use super::toolbar::Toolbar;
use crate::analysis::Reading;
use crate::analysis::chart::Kind;
use crate::app::browser::surface::Surface;
use crate::app::charts::crosshair::Scene;
use crate::app::charts::shown::{Room, rooms};
use crate::app::state::State;
use crate::app::store::Store;
use crate::catalog::chart::Chart;
use crate::charts::{Across, Theme, draw_across, legend};
use crate::platform::now_ms;

/// Milliseconds between two drawings of one chart.
const BETWEEN_MS: f64 = 90.0;

/// The charts that are shown.
#[component]
pub fn Plots(
    /// Whether they are light or dark.
    appearance: Appearance,
) -> impl IntoView {
    let store = Store::here();
    let shown = store.memo(|state| state.run.link.view.show.clone());
    // One row takes the height that two usually share.
    let is_row = Memo::new(move |_| shown.with(|shown| shown.len() < 3));
    view! {
        <section class="plots" class:plots--row=is_row aria-label=tr!("Charts")>
            <Headline />
            <Toolbar />
            <For each=move || shown.get() key=|chart| *chart let:chart>
                <Plot chart shown appearance />
            </For>
        </section>
    }
    .into_any()
}

/// One chart, in whatever room the style sheet gives it.
#[component]
fn Plot(
    /// What it shows.
    chart: Chart,
    /// All that are shown, which decide its room.
    shown: Memo<Vec<Chart>>,
    /// Whether it is light or dark.
    appearance: Appearance,
) -> impl IntoView {
    let store = Store::here();
    let stamp = store.memo(move |state| {
        (chart.stamp(&state.run), state.end.as_ref().map(|_| state.run.step), state.drawings())
    });
    let label = store.memo(move |state| chart.summary(&state.run));
    let title = store.memo(move |state| chart.title(&state.run));
    let reason = store.memo(move |state| chart.applies(&state.run).err());
    let room = Memo::new(move |_| {
        shown
            .with(|shown| shown.iter().position(|c| *c == chart).and_then(|at| rooms(shown).get(at).copied()))
    });
    let kind = chart.info().kind;
    let pointed = store.memo(move |state| {
        state.tour.as_ref().and_then(|tour| tour.pointed).is_some_and(|(at, _)| at == chart)
    });
    let sheet = Sheet {
        name: chart.slug(),
        testid: format!("chart-{}", chart.slug()),
        is_lines: RwSignal::new(kind == Kind::Lines),
        reading: Callback::new(move |()| {
            store.peek(|state| chart.applies(&state.run).is_ok().then(|| chart.drawn(state)))
        }),
        news: Callback::new(move |()| {
            // Read, not only tracked: a memo that nobody reads is never computed.
            let _ = (stamp.get(), reason.get());
        }),
        label: label.into(),
        appearance,
    };
    let is_lines = sheet.is_lines;
    view! {
        <figure class="plot" class:plot--lines=is_lines class:plot--grid=kind == Kind::Grid class:plot--pointed=pointed
            class:plot--tall=move || room.get() == Some(Room::Tall) class:plot--wide=move || room.get() == Some(Room::Wide)>
            <figcaption class="plot__name">{title}</figcaption>
            <Ask chart />
            {sheet.view(Some(reason))}
        </figure>
    }
    .into_any()
}

/// What a chart is drawn on, with what stands around and over its curves.
struct Sheet {
    /// What it is called.
    name: &'static str,
    /// Name for tests.
    testid: String,
    /// Whether it shows curves.
    is_lines: RwSignal<bool>,
    /// What is drawn, if anything.
    reading: Callback<(), Option<Reading>>,
    /// Tells whoever asks that there is something new to draw.
    news: Callback<(), ()>,
    /// The same in words.
    label: Signal<String>,
    /// Whether it is light or dark.
    appearance: Appearance,
}

impl Sheet {
    /// Legend and canvas, with the reason why there is nothing on it.
    fn view(self, reason: Option<Memo<Option<String>>>) -> AnyView {
        let Sheet { name, testid, is_lines, reading, news, label, appearance } = self;
        let store = Store::here();
        let (frame, canvas) = (NodeRef::<Div>::new(), NodeRef::<Canvas>::new());
        let size = RwSignal::new((0u32, 0u32));
        observe(frame, size);
        let curves = Curves::new(name, canvas, frame);
        let seen = store.memo(|state| state.viewing.changes);
        let paint = move || {
            let Some(mut reading) = untrack(|| reading.run(())) else { return };
            if let Reading::Lines(lines) = &mut reading {
                store.peek(|state| state.viewing.shape(name, lines));
            }
            let across = render(canvas, size, &reading, appearance);
            let shows_lines = matches!(reading, Reading::Lines(_));
            if is_lines.get_untracked() != shows_lines {
                is_lines.set(shows_lines);
            }
            if let Reading::Lines(lines) = reading {
                let theme = appearance.theme();
                let named = legend(&lines, &theme);
                let events = store.peek(State::events);
                let scale = window().device_pixel_ratio().max(1.0);
                let scene = across.map(|across| Scene::new(lines, across, scale, &theme, events));
                curves.drawn(scene, named);
            }
        };
        paint_on(
            move || {
                let (_, _, (width, _)) = (appearance.looks(), seen.get(), size.get());
                news.run(());
                width > 0
            },
            paint,
        );
        let is_empty = move || reason.is_some_and(|reason| reason.with(Option::is_some));
        view! {
            {move || is_lines.get().then(|| curves.legend())}
            <div class="plot__frame" node_ref=frame>
                <canvas class="plot__canvas" class:hidden=is_empty node_ref=canvas
                    role="img" aria-label=label data-testid=testid></canvas>
                {move || (is_lines.get() && !is_empty()).then(|| view! { <Later part=Part::Over(curves) /> })}
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
pub(super) fn paint_on(news: impl Fn() -> bool + 'static, paint: impl Fn() + Copy + Send + Sync + 'static) {
    let (scheduled, drawn_at) = (StoredValue::new(false), StoredValue::new(f64::NEG_INFINITY));
    let paint = move || {
        // It may have been hidden since.
        if scheduled.try_set_value(false).is_some() {
            return;
        }
        drawn_at.set_value(now_ms());
        paint();
    };
    Effect::new(move |_| {
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
    /// Whether it is light or dark.
    appearance: Appearance,
) -> impl IntoView {
    let sheet = Sheet {
        name: testid,
        testid: testid.into(),
        is_lines: RwSignal::new(false),
        reading: Callback::new(move |()| Some(reading.run(()))),
        news: Callback::new(move |()| {
            reading.run(());
        }),
        label,
        appearance,
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
