//! The dialog that saves the run and its charts, and opens files; files can also be dropped anywhere on the page.

use leptos::html::Dialog;
use leptos::prelude::*;
use plotters::backend::SVGBackend;
use plotters::drawing::IntoDrawingArea;
use plotters_canvas::CanvasBackend;
use vivarium_ui::text::element_text;
use vivarium_view::display::charts::ChartOfRun;
use web_sys::KeyboardEvent;

use crate::browser::files;
use crate::files::reader::FileReader;
use crate::store::Store;
use vivarium_model::chart::Chart;
use vivarium_page::files::data::export_chart_csv;
use vivarium_page::files::progress::FileReading;
use vivarium_page::files::{Export, ExportFile, build_record};
use vivarium_page::state::Action;
use vivarium_plot::analysis::Reading;
use vivarium_plot::charts::figure::{single_chart, wrap_svg};
use vivarium_plot::charts::{Theme, draw};
use vivarium_ui::appearance::Appearance;
use vivarium_ui::browser::{get_property, read_first_file, set_root_attribute};
use vivarium_ui::file_button::FileButton;
use vivarium_ui::surface::Surface;
use vivarium_view::display::words::format_thousands;
use vivarium_view::record::head::HEAD_BYTES;
use vivarium_view::record::reading::ReadProgress;
use vivarium_view::ui::request::Request;

/// (width, height) in CSS pixels of a saved picture of a chart that is not on the page.
const DEFAULT_SIZE: (u32, u32) = (640, 360);

/// Number of pixels per CSS pixel, in each direction, of a chart's picture that is saved as PNG.
const PNG_SCALE: f64 = 2.0;

/// Format in which a chart is saved as a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ChartFormat {
    /// Vector picture.
    Svg,
    /// Picture of pixels.
    Png,
    /// The chart's numbers as CSV.
    Data,
}

/// Opens files that are dropped anywhere on the page.
fn handle_drops(store: Store) {
    for event in ["dragenter", "dragover"] {
        window_event_listener_untyped(event, |event| {
            if files::has_files(&event) {
                event.prevent_default();
                set_root_attribute("data-drop", "yes");
            }
        });
    }
    window_event_listener_untyped("dragleave", |event| {
        // Only where it leaves the window, and not one element for another.
        if !get_property(&event, "relatedTarget").is_object() {
            set_root_attribute("data-drop", "no");
        }
    });
    window_event_listener_untyped("drop", move |event| {
        set_root_attribute("data-drop", "no");
        if files::has_files(&event) {
            event.prevent_default();
            let items = files::dropped_items(&event);
            let others = files::count_files(&items).saturating_sub(1);
            read_first_file(&items, HEAD_BYTES, move |name, read| {
                store.act(Action::Request(Request::OpenFile(name, read)));
                store.act(Action::FilesIgnored(others));
            });
        }
    });
}

/// Saves a chart as SVG (`is_vector`) or PNG, in dark or light colours. `report` is called with whether the file was
/// offered to the browser, as soon as the file exists.
fn save_chart(
    store: Store,
    chart: Chart,
    is_vector: bool,
    is_dark: bool,
    report: impl Fn(bool) + Clone + 'static,
) {
    let name = store.peek(|state| format!("{}-{}", build_record(state, "").file_stem(), chart.slug()));
    let canvas = files::chart_canvas(chart.slug());
    let size =
        canvas.map(|canvas| (canvas.client_width().max(0) as u32, canvas.client_height().max(0) as u32));
    let (width, height) = size.filter(|(w, h)| *w > 0 && *h > 0).unwrap_or(DEFAULT_SIZE);
    let theme = if is_dark { Theme::dark() } else { Theme::light() };
    let reading = store.peek(|state| {
        let mut reading = state.reading_to_end(chart);
        if let Reading::Lines(lines) = &mut reading {
            state.viewport.apply_to(chart.slug(), lines);
        }
        reading
    });
    // The title takes a line of its own there.
    let height = height + 28;
    if !is_vector {
        let theme = Theme { font_family: "system-ui, sans-serif", ..theme }.with_scale(PNG_SCALE);
        let pixels = [width, height].map(|side| (f64::from(side) * PNG_SCALE) as u32);
        let drawn = files::create_canvas(pixels).filter(|sheet| {
            CanvasBackend::with_canvas_object(sheet.clone()).is_some_and(|backend| {
                draw(&Surface::Canvas(backend).into_drawing_area(), &reading, &theme).is_ok()
            })
        });
        return match drawn {
            Some(sheet) => files::save_canvas_png(&sheet, format!("{name}.png"), report),
            None => report(false),
        };
    }
    let text = wrap_svg(&single_chart(&reading, width, height), &theme, |text, units, theme| {
        let area = Surface::Svg(SVGBackend::with_string(text, units)).into_drawing_area();
        draw(&area, &reading, theme).and_then(|()| area.present()).is_ok()
    });
    report(files::save_file(&ExportFile {
        name: format!("{name}.svg"),
        media_type: "image/svg+xml",
        bytes: text.into_bytes(),
    }));
}

/// Reads the file in `State::file_reading` in a worker whenever there is one; `done` is called after each file. Returns
/// a memo that is true while a file is being read.
fn read_in_worker(store: Store, done: impl Fn() + Copy + 'static) -> Memo<bool> {
    let reader = StoredValue::new_local(None::<FileReader>);
    let number = store.memo(|state| state.file_reading.as_ref().map(|reading| reading.number));
    Effect::new(move |before: Option<Option<u64>>| {
        let number = number.get();
        // The one before ends, and gives its memory back.
        reader.set_value(None);
        let Some(wanted) = number else {
            if before.flatten().is_some() {
                done();
            }
            return number;
        };
        let on_progress = move |progress| store.act(Action::FileMessage(wanted, progress));
        let opened = store.peek(|state| {
            let reading = state.file_reading.as_ref()?;
            Some(FileReader::open(&reading.job, reading.file.handle.as_ref()?, on_progress))
        });
        match opened {
            Some(Ok(opened)) => reader.set_value(Some(opened)),
            Some(Err(why)) => on_progress(ReadProgress::Done(Err(why))),
            None => {}
        }
        number
    });
    Memo::new(move |_| number.get().is_some())
}

/// Creates the progress bar for a file that is being read, with a button that cancels it; shown while `is_here`.
fn progress(store: Store, is_here: impl Fn() -> bool + Send + Sync + 'static) -> AnyView {
    let is_here = Memo::new(move |_| is_here());
    let cancel = move |_| store.act(Action::Request(Request::CancelFile));
    let shown = move || {
        let text = store
            .memo(|state| state.file_reading.as_ref().map(FileReading::progress_text).unwrap_or_default());
        let share = store.memo(|state| state.file_reading.as_ref().map_or(0.0, |reading| reading.fraction));
        view! {
            <div class="file-progress" data-testid="file-progress">
                // Ten times a second is too often to be read out: the name and the button say enough.
                <span aria-hidden="true" data-testid="file-progress-text" prop:textContent=text></span>
                <progress aria-label=tr!("Reading the file") max="1" value=move || share.get().to_string()></progress>
                <button class="button" type="button" data-testid="file-progress-cancel" on:click=cancel>
                    {tr!("Cancel")}
                </button>
            </div>
        }
    };
    (move || is_here.get().then(shown)).into_any()
}

/// Creates the choice of another label for a table that could not be used with its label; shown while `is_here`. `done`
/// is called after each choice.
fn refused_table(
    store: Store,
    is_here: impl Fn() -> bool + Send + Sync + 'static,
    done: impl Fn() + Copy + Send + Sync + 'static,
) -> AnyView {
    let refused = store.memo(|state| {
        let file = state.refused_table.as_ref()?;
        Some((file.name.clone(), file.table.all.clone(), file.table.label))
    });
    let is_here = Memo::new(move |_| is_here());
    let choose = move |label: Option<usize>| {
        store.act(Action::Request(Request::LabelRefusedTable(label)));
        done();
    };
    let shown = move |(name, names, label): (String, Vec<String>, usize)| {
        let options = names.into_iter().enumerate().map(|(at, name)| {
            view! { <option value=at.to_string() selected=at == label prop:textContent=name></option> }
        });
        view! {
            <div class="file-progress" data-testid="refused-table">
                <label class="form-field">
                    <span prop:textContent=tr!("Label of {name}", name)></span>
                    <select data-testid="refused-label" on:change=move |event| choose(event_target_value(&event).parse().ok())>
                        {options.collect_view()}
                    </select>
                </label>
                <button class="button" type="button" data-testid="refused-close" on:click=move |_| choose(None)>
                    {tr!("Do not open the file")}
                </button>
            </div>
        }
    };
    (move || refused.get().filter(|_| is_here.get()).map(shown)).into_any()
}

/// The dialog for opening and saving files.
#[component]
pub fn Files(
    /// Whether the dialog is open.
    open: RwSignal<bool>,
) -> impl IntoView {
    let (store, appearance) = (Store::here(), Appearance::here());
    handle_drops(store);
    let dialog = NodeRef::<Dialog>::new();
    // What was done last, or why it was not.
    let note = RwSignal::new(String::new());
    Effect::new(move |_| {
        if let (true, Some(dialog)) = (open.get(), dialog.get())
            && !dialog.open()
        {
            note.set(String::new());
            store.act(Action::RequestWeights);
            // It fails only where it is open already.
            let _ = dialog.show_modal();
        }
    });
    let close = move || {
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
    };
    let has_decimal_commas = RwSignal::new(files::wants_decimal_commas());
    let for_reader = move |file: ExportFile| match has_decimal_commas.get_untracked() {
        true => file.with_decimal_commas(),
        false => file,
    };
    let save = move |export: Export| {
        let file = store.peek(|state| export.build(state, &files::user_agent())).map(for_reader);
        note.set(match file {
            Ok(file) if files::save_file(&file) => tr!("Saved {name}.", name = file.name),
            Ok(file) => tr!("The browser did not save {name}.", name = file.name),
            Err(why) => why,
        });
    };
    let exports = Export::ALL.map(|export| {
        let why = store.memo(move |state| export.unavailable_reason(state));
        let about = store.memo(move |state| export.description(state));
        let label = store.memo(move |state| export.label(state));
        let is_listed = store.memo(move |state| export.is_listed(state));
        let at = store.memo(move |state| match (export, state.weights_step()) {
            (Export::Weights, Some(step)) => {
                tr!(" The weights are those of step {step}.", step = format_thousands(step))
            }
            _ => String::new(),
        });
        view! {
            <li class="files__item" class:not-displayed=move || !is_listed.get()>
                <button class="button" type="button" data-testid=format!("save-{}", export.slug())
                    aria-disabled=move || why.get().is_some().to_string() on:click=move |_| save(export)
                    prop:textContent=label>
                </button>
                <span prop:textContent=element_text(move || {
                    format!("{}{}", why.get().unwrap_or_else(|| about.get()), at.get())
                })></span>
            </li>
        }
        .into_any()
    });
    let charts = store.memo(|state| {
        let shown = state.player.run.link.view.show.iter().copied();
        shown.filter(|chart| chart.applies(&state.player.run).is_ok()).collect::<Vec<_>>()
    });
    let keep = move |chart: Chart, kind: ChartFormat| {
        let is_dark = appearance.is_dark.get_untracked();
        let report = move |is_saved: bool| {
            let name = chart.info().name;
            note.set(if is_saved {
                tr!("Saved the chart {name}.", name)
            } else {
                tr!("{name} was not saved.", name)
            });
        };
        // The note on the previous file would be taken for one on this file, which may need a while.
        note.set(String::new());
        match kind {
            ChartFormat::Svg | ChartFormat::Png => {
                save_chart(store, chart, kind == ChartFormat::Svg, is_dark, report);
            }
            ChartFormat::Data => {
                report(files::save_file(&for_reader(store.peek(|state| export_chart_csv(state, chart)))));
            }
        }
    };
    let choose_commas = move |event| {
        let is_on = event_target_checked(&event);
        has_decimal_commas.set(is_on);
        files::store_decimal_commas(is_on);
    };
    let pictures = move |chart: Chart| {
        let name = chart.info().name;
        let button = move |kind: ChartFormat| {
            let (word, slug) = match kind {
                ChartFormat::Svg => ("SVG", "svg"),
                ChartFormat::Png => ("PNG", "png"),
                ChartFormat::Data => (tr!("Data (CSV)"), "data"),
            };
            view! {
                <button class="button" type="button" data-testid=format!("save-{slug}-{}", chart.slug())
                    aria-label=tr!("Save {name} as {word}", name, word) on:click=move |_| keep(chart, kind)>
                    {word}
                </button>
            }
            .into_any()
        };
        view! {
            <li class="files__item files__item--chart">
                <span class="files__pair">{button(ChartFormat::Svg)}{button(ChartFormat::Png)}{button(ChartFormat::Data)}</span>
                <span prop:textContent=name></span>
            </li>
        }
        .into_any()
    };
    let opened = move || {
        if store.peek(|state| state.file_error.is_empty() && state.file_reading.is_none()) {
            close();
        }
    };
    let reads = read_in_worker(store, opened);
    let escape = move |event: KeyboardEvent| {
        // What is read comes before what is open.
        if event.key() == "Escape" && reads.get_untracked() {
            event.prevent_default();
            store.act(Action::Request(Request::CancelFile));
        }
    };
    let choice = FileButton {
        word: tr!("Open a file"),
        accept: ".json,.safetensors,.csv,.tsv,.txt,.data,.dat",
        max_head_bytes: HEAD_BYTES,
        id: "file",
    };
    let error = store.memo(|state| state.file_error.clone());
    view! {
        <dialog class="help files" node_ref=dialog aria-labelledby="files-title" data-testid="files-dialog"
            on:close=move |_| open.set(false) on:keydown=escape>
            <h2 id="files-title">{tr!("Save")}</h2>
            <ul class="files__list">{exports.into_iter().collect_view()}</ul>
            <h2>{tr!("Charts on this page")}</h2>
            <ul class="files__list">
                {move || charts.get().into_iter().map(pictures).collect_view()}
            </ul>
            <label class="files__choice">
                <input type="checkbox" data-testid="decimal-commas" prop:checked=move || has_decimal_commas.get()
                    on:change=choose_commas />
                {tr!("CSV files for spreadsheets that use decimal commas: 0,5 instead of 0.5, with semicolons between columns. This browser remembers the choice.")}
            </label>
            <h2>{tr!("Open")}</h2>
            <p class="files__item">
                {choice.view(opened)}
                <span>
                    {tr!("Open a run (JSON) or weights (safetensors) that this page or the command “lab” has saved, or a table (CSV) for training a network. You can also drop the file anywhere on the page.")}
                </span>
            </p>
            {progress(store, move || reads.get() && open.get())}
            {refused_table(store, move || open.get(), opened)}
            <p class="files__note" role="status" data-testid="files-note" prop:textContent=note></p>
            <p class="files__note files__note--error" role="alert" data-testid="files-error" prop:textContent=error></p>
            <button class="button" type="button" on:click=move |_| close()>{tr!("Close")}</button>
        </dialog>
        {progress(store, move || reads.get() && !open.get())}
        {refused_table(store, move || !open.get(), || {})}
    }
    .into_any()
}
