//! A chart of curves as its legend, its overlay and its input share it: the last drawing, and the names of its curves.

use leptos::html::{Canvas, Div};
use leptos::prelude::*;

use crate::store::Store;
use vivarium_page::charts::crosshair::{DrawnCurves, Pointer};
use vivarium_page::charts::viewport::legend_html;
use vivarium_plot::analysis::LineChart;
use vivarium_plot::charts::{self, LegendItem, PlotAxes};
use vivarium_ui::appearance::Appearance;

/// The pointer over the charts, in the Leptos context; all charts of the page share it.
#[derive(Clone, Copy)]
pub struct PointerContext {
    /// Position of the pointer, which is also the crosshair's; None if the pointer is over no chart.
    pub pointer: RwSignal<Option<Pointer>>,
    /// Whether dragging over a chart selects a range of steps to zoom to, instead of showing the run at the step under
    /// the pointer.
    pub selects_range: RwSignal<bool>,
}

impl PointerContext {
    /// Provides the charts' pointer in the Leptos context; it is over no chart yet.
    pub fn provide() {
        provide_context(PointerContext { pointer: RwSignal::new(None), selects_range: RwSignal::new(false) });
    }

    /// Returns the charts' pointer from the Leptos context.
    pub fn here() -> PointerContext {
        expect_context()
    }
}

/// Handle to a chart of curves on the page. Copies are handles to the same chart.
#[derive(Clone, Copy)]
pub struct CurveChart {
    /// The store of the page.
    pub store: Store,
    /// Light or dark colours of the page, and the scale of drawings.
    pub appearance: Appearance,
    /// The pointer that all charts of the page share.
    pub pointer_context: PointerContext,
    /// Slug (permanent name) of the chart.
    pub name: &'static str,
    /// The canvas on which the chart is drawn.
    pub canvas: NodeRef<Canvas>,
    /// The element that contains the chart's canvas.
    pub frame: NodeRef<Div>,
    /// The element that contains the legend, whose buttons name the curves.
    pub names: NodeRef<Div>,
    /// Curves and axes of the last drawing; None before it.
    pub drawn_curves: StoredValue<Option<DrawnCurves>>,
    /// Number of times the chart has been drawn so far; its overlay is updated when the number changes.
    pub drawing_count: RwSignal<u64>,
    /// Entries of the legend, in the order of its buttons.
    pub legend_entries: StoredValue<Vec<LegendItem>>,
    /// HTML of the chart's legend.
    pub legend: RwSignal<String>,
}

impl CurveChart {
    /// Creates the handle for a chart with this slug, canvas and containing element.
    pub fn new(name: &'static str, canvas: NodeRef<Canvas>, frame: NodeRef<Div>) -> Self {
        CurveChart {
            store: Store::here(),
            appearance: Appearance::here(),
            pointer_context: PointerContext::here(),
            name,
            canvas,
            frame,
            names: NodeRef::new(),
            drawn_curves: StoredValue::new(None),
            drawing_count: RwSignal::new(0),
            legend_entries: StoredValue::new(vec![]),
            legend: RwSignal::new(String::new()),
        }
    }

    /// Stores curves and axes after a drawing, and updates the legend; without axes (`across`) there is no crosshair.
    pub fn handle_drawn(self, lines: LineChart, across: Option<PlotAxes>) {
        let theme = self.appearance.theme();
        let named = charts::legend_items(&lines, &theme);
        let events = self.store.peek(|state| state.player.events());
        let scale = window().device_pixel_ratio().max(1.0);
        self.drawn_curves
            .set_value(across.map(|across| DrawnCurves::new(lines, across, scale, &theme, events)));
        let text = legend_html(&named);
        self.legend_entries.set_value(named);
        if self.legend.with_untracked(|old| *old != text) {
            self.legend.set(text);
        }
        self.drawing_count.update(|drawn| *drawn += 1);
    }

    /// Creates the view of the legend: a button for each curve, which hides or shows it.
    pub fn legend_view(self) -> AnyView {
        let legend = self.legend;
        view! {
            <div class="plot__legend" role="group" aria-label=tr!("Curves") node_ref=self.names
                // Markup: `viewport::legend_html`, whose texts are escaped.
                data-testid=format!("legend-{}", self.name) inner_html=move || legend.get()></div>
        }
        .into_any()
    }
}
