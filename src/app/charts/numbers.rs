//! The numbers behind a chart, in a dialog.

use leptos::html::Dialog;
use leptos::prelude::*;
use vivarium_view::display::charts::ChartOfRun;

use crate::store::Store;
use vivarium_model::chart::Chart;
use vivarium_page::html::glossary_html;
use vivarium_plot::analysis::data_table::DataTable;

/// Largest number of rows, and of columns, that the dialog with a chart's numbers shows of the table.
const MAX_ROWS: usize = 200;

/// (chart, title, table of its numbers) in the dialog, as they were when it was opened; None while the dialog is
/// closed.
#[derive(Clone, Copy)]
pub struct ShownTable(RwSignal<Option<(Chart, String, DataTable)>>);

impl ShownTable {
    /// Provides the closed dialog of a chart's numbers in the Leptos context.
    pub fn provide() -> ShownTable {
        let shown = ShownTable(RwSignal::new(None));
        provide_context(shown);
        shown
    }

    /// Whether the dialog shows a chart's numbers.
    pub fn is_open(self) -> bool {
        self.0.with(Option::is_some)
    }
}

/// The button that opens the dialog with the table of a chart's numbers.
#[component]
pub fn Ask(
    /// The chart.
    chart: Chart,
) -> impl IntoView {
    let (store, ShownTable(shown)) = (Store::here(), expect_context::<ShownTable>());
    let ask = move |_| {
        let of = |state: &vivarium_page::state::State| {
            chart.applies(&state.player.run).is_ok().then(|| {
                (chart, chart.title(&state.player.run), state.reading_to_step(chart).table(MAX_ROWS))
            })
        };
        shown.set(store.peek(of));
    };
    view! {
        <button class="plot__table-button" type="button" aria-haspopup="dialog" on:click=ask
            aria-label=tr!("Table: numbers of {chart}", chart = chart.info().name) title=tr!("Numbers of this chart")
            data-testid=format!("numbers-{}", chart.slug())>{tr!("Table")}</button>
    }
    .into_any()
}

/// The dialog with the table of a chart's numbers.
#[component]
pub fn Numbers() -> impl IntoView {
    let (dialog, ShownTable(shown)) = (NodeRef::<Dialog>::new(), expect_context::<ShownTable>());
    Effect::new(move |_| {
        if let (true, Some(dialog)) = (shown.with(Option::is_some), dialog.get())
            && !dialog.open()
        {
            // It fails only where it is open already.
            let _ = dialog.show_modal();
        }
    });
    let close = move |_| {
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
    };
    view! {
        <dialog class="help chart-table" node_ref=dialog aria-labelledby="numbers-title" data-testid="numbers"
            on:close=move |_| shown.set(None)>
            {move || shown.get().map(|(chart, title, table)| body(chart, title, table))}
            <button class="button" type="button" on:click=close>{tr!("Close")}</button>
        </dialog>
    }
    .into_any()
}

/// Creates the citation of the passage that defines the chart; None if there is none.
fn source(chart: Chart) -> Option<AnyView> {
    let passage = chart.info().passage;
    (!passage.is_empty()).then(|| view! { <p><cite>{passage}</cite></p> }.into_any())
}

/// Creates the content of the dialog with a chart's numbers.
fn body(chart: Chart, title: String, table: DataTable) -> AnyView {
    let left_out = match table.omitted_rows {
        0 => String::new(),
        n => tr!("{n} rows in the middle of the table are left out.", n),
    };
    let row = |cells: Vec<String>| {
        let mut cells = cells.into_iter();
        let first = cells.next();
        view! { <tr><th scope="row">{first}</th>{cells.map(|cell| view! { <td>{cell}</td> }).collect_view()}</tr> }
    };
    let columns = table.columns.into_iter().map(|name| view! { <th scope="col">{name}</th> }).collect_view();
    view! {
        <h2 id="numbers-title">{title}</h2>
        // Markup: `glossary_html`, which escapes texts.
        <p inner_html=glossary_html(chart.info().help)></p>
        {source(chart)}
        <div class="chart-table__scroll" role="region" tabindex="0" aria-labelledby="numbers-title">
            <table>
                <thead><tr>{columns}</tr></thead>
                <tbody>{table.rows.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
        <p>{left_out}</p>
    }
    .into_any()
}
