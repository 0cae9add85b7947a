//! What a chart of curves shares with whoever looks at it: what was drawn, and the names of its curves.

use leptos::html::{Canvas, Div};
use leptos::prelude::*;

use crate::store::Store;
use vivarium_page::charts::crosshair::{Pointed, Scene};
use vivarium_page::charts::viewport::legend;
use vivarium_page::state::State;
use vivarium_plot::analysis::Lines;
use vivarium_plot::charts::{self, Across, Named};
use vivarium_ui::appearance::Appearance;

/// What all charts share while somebody looks at them.
#[derive(Clone, Copy)]
pub struct Gaze {
    /// Where somebody points.
    pub pointed: RwSignal<Option<Pointed>>,
    /// Whether dragging selects steps to be shown, and does not go to one.
    pub selects: RwSignal<bool>,
}

impl Gaze {
    /// Nobody looks yet.
    pub fn provide() {
        provide_context(Gaze { pointed: RwSignal::new(None), selects: RwSignal::new(false) });
    }

    /// That of this page.
    pub fn here() -> Gaze {
        expect_context()
    }
}

/// A chart of curves. Copies are handles to the same.
#[derive(Clone, Copy)]
pub struct Curves {
    /// The page's state.
    pub store: Store,
    /// Whether it is light or dark.
    pub appearance: Appearance,
    /// Where somebody looks.
    pub gaze: Gaze,
    /// What it is called.
    pub name: &'static str,
    /// What it is drawn on.
    pub canvas: NodeRef<Canvas>,
    /// What that stands in.
    pub frame: NodeRef<Div>,
    /// What the names of the curves stand in.
    pub names: NodeRef<Div>,
    /// What was drawn last.
    pub scene: StoredValue<Option<Scene>>,
    /// Counts drawings.
    pub drawn: RwSignal<u64>,
    /// The names.
    pub named: StoredValue<Vec<Named>>,
    /// The same as markup.
    pub legend: RwSignal<String>,
}

impl Curves {
    /// Of the chart of this name, drawn on a canvas in a frame.
    pub fn new(name: &'static str, canvas: NodeRef<Canvas>, frame: NodeRef<Div>) -> Self {
        Curves {
            store: Store::here(),
            appearance: Appearance::here(),
            gaze: Gaze::here(),
            name,
            canvas,
            frame,
            names: NodeRef::new(),
            scene: StoredValue::new(None),
            drawn: RwSignal::new(0),
            named: StoredValue::new(vec![]),
            legend: RwSignal::new(String::new()),
        }
    }

    /// These lines were drawn, with the steps so; without curves, there is nothing to look at.
    pub fn drawn(self, lines: Lines, across: Option<Across>) {
        let theme = self.appearance.theme();
        let named = charts::legend(&lines, &theme);
        let events = self.store.peek(State::events);
        let scale = window().device_pixel_ratio().max(1.0);
        self.scene.set_value(across.map(|across| Scene::new(lines, across, scale, &theme, events)));
        let text = legend(&named);
        self.named.set_value(named);
        if self.legend.with_untracked(|old| *old != text) {
            self.legend.set(text);
        }
        self.drawn.update(|drawn| *drawn += 1);
    }

    /// The names of the curves, each a button that hides its curve or shows it.
    pub fn legend(self) -> AnyView {
        let legend = self.legend;
        view! {
            <div class="plot__legend" role="group" aria-label=tr!("Curves") node_ref=self.names
                // Markup: `viewport::legend`, whose texts are escaped.
                data-testid=format!("legend-{}", self.name) inner_html=move || legend.get()></div>
        }
        .into_any()
    }
}
