//! What stands below the curves of a run on a table: what the table is, and how to open another.

use leptos::prelude::*;

use vivarium_labs::tables::opened::{about, shown};
use vivarium_model::tasks::Task;
use vivarium_model::tasks::tabular::{Origin, Tabular};
use vivarium_ui::context::RunContext;
use vivarium_ui::file_button::FileButton;
use vivarium_view::record::head::HEAD;
use vivarium_view::ui::request::Request;

/// What a run on a table is about.
#[derive(Debug, Clone, PartialEq)]
struct Card {
    title: String,
    texts: Vec<String>,
    /// Names of the columns, and which of them is the label; of a file only.
    columns: Option<(Vec<String>, usize)>,
}

fn card(task: &Tabular, spec: &vivarium_model::run::RunSpec) -> Card {
    let opened = shown(spec);
    let title = match (&opened, task.origin) {
        (Some(opened), _) => opened.name.clone(),
        (None, Origin::Uploaded) => tr!("A CSV file").into(),
        (None, Origin::Generated) => tr!("A generated table").into(),
    };
    let columns = opened.map(|opened| (opened.table.all.clone(), opened.table.label));
    Card { title, texts: about(spec), columns }
}

/// The card of the table; nothing where the run is about something else.
#[component]
pub fn Tables() -> impl IntoView {
    let context = RunContext::here();
    let shown = context.memo(|run| match &run.spec().task {
        Task::Tabular(task) => Some(card(task, run.spec())),
        _ => None,
    });
    move || shown.get().map(|card| section(context, card))
}

fn section(context: RunContext, card: Card) -> AnyView {
    let choice =
        FileButton { word: tr!("Open a CSV file"), accept: ".csv,.tsv,.txt", head: HEAD, id: "table" };
    let is_own = card.columns.is_some();
    let label = card.columns.map(|(names, label)| {
        let options = names.into_iter().enumerate().map(|(at, name)| {
            view! { <option value=at.to_string() selected=at == label>{name}</option> }
        });
        view! {
            <label class="wish">
                <span>{tr!("Label")}</span>
                <select data-testid="table-label" on:change=move |event| {
                    if let Ok(column) = event_target_value(&event).parse() {
                        context.ask.run(Request::Relabel(column));
                    }
                }>{options.collect_view()}</select>
            </label>
        }
    });
    let back = is_own.then(|| {
        view! {
            <button class="button" type="button" data-testid="table-generated"
                on:click=move |_| context.edit("data", Origin::Generated.slug())>
                {tr!("Back to the generated table")}
            </button>
        }
    });
    view! {
        <section class="inside" aria-labelledby="table-title" data-testid="table">
            <h2 class="inside__title" id="table-title">{card.title}</h2>
            <section class="card" aria-label=tr!("The table")>
                <ul class="theory__texts" data-testid="table-texts">
                    {card.texts.into_iter().map(|text| view! { <li>{text}</li> }).collect_view()}
                </ul>
                <p class="files__item">
                    {choice.view(|| {})}
                    {back}
                    {label}
                </p>
                <p class="card__note">
                    {tr!("The file needs columns of numbers, and one column with two classes or more as the label. You can also drop the file anywhere on the page. The file is read on this page and never sent anywhere. A link to this run contains only a number that identifies the file: to open the link, a reader needs the same file.")}
                </p>
                <p class="files__note files__note--wrong" role="alert" data-testid="table-flaw">{context.flaw()}</p>
            </section>
        </section>
    }
    .into_any()
}
