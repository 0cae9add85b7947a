//! The card below the curves of a run on a table: a description of the table, and a button that opens another one.

use leptos::prelude::*;

use vivarium_labs::tables::user_tables::{describe_table, file_of_run};
use vivarium_model::tasks::Task;
use vivarium_model::tasks::tabular::{TableOrigin, Tabular};
use vivarium_ui::context::RunContext;
use vivarium_ui::file_button::FileButton;
use vivarium_view::record::dataset::TableChoices;
use vivarium_view::record::head::{ACCEPTED_TABLES, HEAD_BYTES};
use vivarium_view::ui::request::Request;

/// Texts of the card about the data table on which the run trains.
#[derive(Debug, Clone, PartialEq)]
struct TableCard {
    /// Name of the file of the data table, or the kind of a generated table.
    title: String,
    /// Sentences about the table's rows, columns and label.
    texts: Vec<String>,
    /// Choices by which the file was read; `None` for a table that is not an opened file.
    reading: Option<TableReading>,
}

/// Choices by which the file of a table was read, and the columns among which they choose.
#[derive(Debug, Clone, PartialEq)]
struct TableReading {
    /// Names of all columns of the file.
    names: Vec<String>,
    /// Index, from 0, of the label column.
    label: usize,
    /// Whether the first line holds the names of the columns.
    has_header: bool,
    /// Names of the columns that count the rows, separated by commas; empty if there are none.
    counters: String,
    /// Choices by which the file was read.
    choices: TableChoices,
}

/// Collects the texts about a run's table: title, sentences and column names.
fn collect_card_texts(task: &Tabular, spec: &vivarium_model::run::RunSpec) -> TableCard {
    let opened = file_of_run(spec);
    let title = match (&opened, task.origin) {
        (Some(opened), _) => opened.name.clone(),
        (None, TableOrigin::Uploaded) => tr!("A CSV file").into(),
        (None, TableOrigin::Generated) => tr!("A generated table").into(),
    };
    let reading = opened.map(|opened| TableReading {
        names: opened.table.all.clone(),
        label: opened.table.label,
        has_header: opened.table.has_header,
        counters: opened.table.counters.join(", "),
        choices: opened.table.choices,
    });
    TableCard { title, texts: describe_table(spec), reading }
}

/// The lab's panel: what table the run trains on, and a button that opens a CSV file; for runs on tables.
#[component]
pub fn TablePanel() -> impl IntoView {
    let context = RunContext::here();
    let shown = context.memo(|run| match &run.spec().task {
        Task::Tabular(task) => Some(collect_card_texts(task, run.spec())),
        _ => None,
    });
    move || shown.get().map(|card| draw_card(context, card))
}

/// Draws the card about the run's data table.
fn draw_card(context: RunContext, texts: TableCard) -> AnyView {
    let choice = FileButton {
        word: tr!("Open a CSV file"),
        accept: ACCEPTED_TABLES,
        max_head_bytes: HEAD_BYTES,
        id: "table",
    };
    let is_own = texts.reading.is_some();
    let choices = texts.reading.map(|reading| draw_choices(context, reading));
    let back = is_own.then(|| {
        view! {
            <button class="button" type="button" data-testid="table-generated"
                on:click=move |_| context.edit("data", TableOrigin::Generated.slug())>
                {tr!("Back to the generated table")}
            </button>
        }
    });
    view! {
        <section class="inside" aria-labelledby="table-title" data-testid="table">
            <h2 class="inside__title" id="table-title" prop:textContent=texts.title></h2>
            <section class="card" aria-label=tr!("The table")>
                <ul class="theory__texts" data-testid="table-texts">
                    {texts.texts.into_iter().map(|text| view! { <li prop:textContent=text></li> }).collect_view()}
                </ul>
                <p class="files__item">
                    {choice.view(|| {})}
                    {back}
                    {choices}
                </p>
                <p class="card__note">
                    {tr!("The file needs columns of numbers, and one column with two classes or more as the label. You can also drop the file anywhere on the page. The file is read on this page and never sent anywhere. A link to this run contains only a number that identifies the file: to open the link, a reader needs the same file.")}
                </p>
                <p class="files__note files__note--error" role="alert" data-testid="table-error"
                    prop:textContent=context.file_error()></p>
            </section>
        </section>
    }
    .into_any()
}

/// Draws the choices by which the file of a table is read: label, first line, and columns that count the rows.
fn draw_choices(context: RunContext, reading: TableReading) -> AnyView {
    let TableReading { names, label, has_header, counters, choices } = reading;
    let options = names.into_iter().enumerate().map(|(at, name)| {
        view! { <option value=at.to_string() selected=at == label prop:textContent=name></option> }
    });
    let read_again = move |changed: TableChoices| {
        context.ask.run(Request::ReadTableAgain(TableChoices { label: Some(label), ..changed }));
    };
    let first_line = [("names", tr!("Names of the columns")), ("data", tr!("Data"))].map(|(value, text)| {
        let is_selected = (value == "names") == has_header;
        view! { <option value=value selected=is_selected>{text}</option> }
    });
    let keeps = (!counters.is_empty()).then(|| {
        let text = tr!("Use {columns}, which counts the rows", columns = counters);
        view! {
            <label class="form-field">
                <span prop:textContent=text></span>
                <input type="checkbox" data-testid="table-counters" prop:checked=choices.keeps_counters
                    on:change=move |_| {
                        read_again(TableChoices { keeps_counters: !choices.keeps_counters, ..choices });
                    } />
            </label>
        }
    });
    view! {
        <label class="form-field">
            <span>{tr!("Label")}</span>
            <select data-testid="table-label" on:change=move |event| {
                if let Ok(column) = event_target_value(&event).parse() {
                    context.ask.run(Request::Relabel(column));
                }
            }>{options.collect_view()}</select>
        </label>
        <label class="form-field">
            <span>{tr!("First line")}</span>
            <select data-testid="table-header" on:change=move |event| {
                let has_header = Some(event_target_value(&event) == "names");
                read_again(TableChoices { has_header, ..choices });
            }>{first_line.into_iter().collect_view()}</select>
        </label>
        {keeps}
    }
    .into_any()
}
