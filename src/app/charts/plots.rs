//! The charts that are shown, with legend and overlay for charts of curves.

use leptos::prelude::*;
use vivarium_view::display::charts::ChartOfRun;

use crate::charts::curves::CurveChart;
use crate::charts::numbers::Ask;
use crate::charts::toolbar::Toolbar;
use crate::run::readouts::Headline;
use crate::shell::deferred::{Deferred, Part};
use crate::store::Store;
use vivarium_model::chart::Chart;
use vivarium_model::chart::ChartKind;
use vivarium_page::charts::shown::{ChartSize, chart_sizes};
use vivarium_ui::plot::{CurveOverlay, CurveTools, PlotCanvas};

/// Provides, in the Leptos context, how charts of curves create their legend and overlay.
pub fn provide_chart_tools(store: Store) {
    provide_context(CurveTools {
        changes: store.memo(|state| state.viewport.change_count),
        shape: Callback::new(move |(name, mut lines)| {
            store.peek(|state| state.viewport.apply_to(name, &mut lines));
            lines
        }),
        attach: Callback::new(|(name, canvas, frame)| {
            let curves = CurveChart::new(name, canvas, frame);
            CurveOverlay {
                on_drawn: Callback::new(move |(lines, across)| curves.handle_drawn(lines, across)),
                legend: Callback::new(move |()| curves.legend_view()),
                over: Callback::new(move |()| {
                    view! { <Deferred part=Part::CurveOverlay(curves) /> }.into_any()
                }),
            }
        }),
    });
}

/// View of the shown charts, in a grid of two columns.
#[component]
pub fn Plots() -> impl IntoView {
    let store = Store::here();
    // One row takes the height that two usually share.
    let is_row = store.memo(|state| state.player.run.link.view.show.len() < 3);
    let lab = store.memo(|state| state.player.run.link.spec.task.info().slug);
    // Each lab has a list of its own: one for all of them would remember every chart that was ever in it.
    let charts = move || {
        lab.get();
        let shown = store.memo(|state| state.player.run.link.view.show.clone());
        view! {
            <For each=move || shown.get() key=|chart| *chart let:chart>
                <Plot chart />
            </For>
        }
    };
    view! {
        <section class="plots" class:plots--row=is_row aria-label=tr!("Charts")>
            <Headline />
            <Toolbar />
            {charts}
        </section>
    }
    .into_any()
}

/// View of one chart: title, legend, canvas and buttons.
#[component]
fn Plot(
    /// The chart.
    chart: Chart,
) -> impl IntoView {
    let store = Store::here();
    let stamp = store.memo(move |state| {
        (
            chart.stamp(&state.player.run),
            state.player.latest_run.as_ref().map(|_| state.player.run.step),
            state.drawing_version(),
        )
    });
    let label = store.memo(move |state| chart.summary(&state.player.run));
    let title = store.memo(move |state| chart.title(&state.player.run));
    // Such a title may change with every step.
    let titled = store.memo(move |state| chart.title(&state.player.run) != chart.info().name);
    let reason = store.memo(move |state| chart.applies(&state.player.run).err());
    let room = store.memo(move |state| {
        let shown = &state.player.run.link.view.show;
        shown.iter().position(|c| *c == chart).and_then(|at| chart_sizes(shown).get(at).copied())
    });
    let kind = chart.info().kind;
    let pointed = store.memo(move |state| {
        state.tour.as_ref().and_then(|tour| tour.pointed_chart).is_some_and(|(at, _)| at == chart)
    });
    let aside = store.memo(move |state| state.is_off_screen(chart));
    let sheet = PlotCanvas {
        name: chart.slug(),
        testid: format!("chart-{}", chart.slug()),
        is_lines: RwSignal::new(kind == ChartKind::Lines),
        reading: Callback::new(move |()| {
            store.peek(|state| chart.applies(&state.player.run).is_ok().then(|| state.reading_to_end(chart)))
        }),
        track_changes: Callback::new(move |()| {
            // Read, not only tracked: a memo without readers is never computed.
            let _ = (stamp.get(), reason.get());
        }),
        label: label.into(),
    };
    let is_lines = sheet.is_lines;
    view! {
        <figure class="plot" class:plot--lines=is_lines class:plot--grid=kind == ChartKind::Grid class:plot--titled=titled class:plot--highlighted=pointed
            class:plot--not-presented=aside class:plot--tall=move || room.get() == Some(ChartSize::Tall) class:plot--wide=move || room.get() == Some(ChartSize::Wide)>
            <figcaption class="plot__name" title=title prop:textContent=title></figcaption>
            <Ask chart />
            {sheet.view(Some(reason))}
        </figure>
    }
    .into_any()
}
