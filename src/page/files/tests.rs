//! Files opened and saved, natively against the scripted trainer.

use crate::effect::Effect;
use crate::files;
use crate::files::Export;
use crate::scripted::Scripted;
use crate::state::{Action, State};
use vivarium_model::chart;
use vivarium_model::permalink::encode;
use vivarium_model::protocol::{Command, EndReason, Measurement, Payload};
use vivarium_model::tasks::sparse_parity::charts as parity_charts;
use vivarium_player::device::GpuSupport;
use vivarium_player::status::status_line;
use vivarium_player::trainer::{Program, Trainer, TrainerMessage};
use vivarium_view::display::RunPhase;
use vivarium_view::display::charts::ChartOfRun;
use vivarium_view::record::{Record, RunFile};

/// The page with whatever trainer it opened.
struct Page {
    state: State,
    trainer: Option<(Program, Scripted)>,
    sent: Vec<(Command, Payload)>,
}

impl Page {
    fn open(fragment: &str) -> Page {
        let mut page = Page { state: State::default(), trainer: None, sent: vec![] };
        page.act(Action::GpuDetected(GpuSupport::NoWebGpu));
        page.act(Action::Open(fragment.into()));
        page
    }

    fn act(&mut self, action: Action) {
        for effect in self.state.apply(action) {
            match effect {
                Effect::DetectGpu
                | Effect::FetchStory(_)
                | Effect::FetchRecorded
                | Effect::Library(_)
                | Effect::StoreSpeeds(_)
                | Effect::Bench(_)
                | Effect::StoreTable(_) => {}
                Effect::Open(program) => self.trainer = Some((program, Scripted::new(program, 300))),
                Effect::Send(command, payload) => {
                    if let Some((_, trainer)) = &self.trainer {
                        trainer.send(&command, &payload);
                    }
                    self.sent.push((command, payload));
                }
            }
        }
        self.listen();
    }

    fn listen(&mut self) {
        while let Some((program, text)) =
            self.trainer.as_ref().map(|(program, t)| (*program, t.take())).filter(|s| !s.1.is_empty())
        {
            text.into_iter()
                .for_each(|message| self.act(Action::Trainer(program, TrainerMessage::Message(message))));
        }
    }

    fn train(&mut self, step: u64) {
        self.trainer.as_ref().unwrap().1.advance(step);
        self.listen();
    }

    fn starts(&self) -> usize {
        self.sent.iter().filter(|(c, _)| matches!(c, Command::Start { .. })).count()
    }

    fn save(&self, export: Export) -> Vec<u8> {
        export.build(&self.state, "Test/1.0").unwrap().bytes
    }
}

const LINK: &str = "#v1/sparse-parity?n=20&width=64&every=25";

#[test]
fn a_saved_run_is_opened_as_its_curves_and_can_be_trained_anew() {
    let mut page = Page::open(LINK);
    page.train(400);
    assert_eq!(page.state.player.run.phase, RunPhase::Finished(EndReason::Target));
    let json = page.save(Export::Json);
    let mut other = Page::open("#v1/sparse-parity?n=10&k=2");
    other.train(100);
    let starts = other.starts();
    other.act(Action::open_file("run.json", json.clone()));
    assert_eq!(encode(&other.state.player.run.link), LINK);
    assert_eq!(other.state.player.run.history, page.state.player.run.history);
    assert_eq!(
        (&other.state.player.run.phase, other.state.player.run.step),
        (&RunPhase::Finished(EndReason::Target), page.state.player.run.step)
    );
    assert_eq!(status_line(&other.state.player), status_line(&page.state.player));
    assert!(
        other.state.player.message.starts_with("Opened run.json: 13 measurements up to step 300."),
        "{}",
        other.state.player.message
    );
    assert_eq!(
        files::describe_origin(&other.state).unwrap(),
        "Opened from a file: CPU, a script, Vivarium 0.1.0"
    );
    assert_eq!(other.starts(), starts, "a record is not trained");
    assert!(
        matches!(other.sent.last(), Some((Command::Pause, _))),
        "the run that was here does not go on unseen"
    );
    // What the old trainer still says is about another run.
    other.train(500);
    assert_eq!(other.state.player.run.history, page.state.player.run.history);
    for chart in [chart::WEIGHTS, parity_charts::MOVEMENT, parity_charts::GAP] {
        assert!(chart.applies(&other.state.player.run).unwrap_err().contains("contains none"), "{chart:?}");
    }
    assert!(chart::LOSS.applies(&other.state.player.run).is_ok());
    // Saved again it is the same file, whoever saves it.
    assert_eq!(Export::Json.build(&other.state, "Other/2.0").unwrap().bytes, json);
    assert!(Export::Weights.build(&other.state, "").unwrap_err().contains("contains no weights"));
    (0..30).for_each(|_| other.act(Action::Tick));
    assert_eq!(other.state.player.run.phase, RunPhase::Finished(EndReason::Target), "nobody is missed");
    assert_eq!(other.state.main_button(), ("Train", false));
    other.act(Action::TogglePlay);
    assert_eq!(
        (other.starts(), other.state.player.run.step, &other.state.player.run.phase),
        (starts + 1, 0, &RunPhase::Running)
    );
    other.train(400);
    assert_eq!(
        other.state.player.run.history, page.state.player.run.history,
        "the same link is the same run"
    );
    assert!(
        files::describe_origin(&other.state).is_none()
            && chart::WEIGHTS.applies(&other.state.player.run).is_ok()
    );
    other.act(Action::Undo);
    assert_eq!(encode(&other.state.player.run.link), "#v1/sparse-parity?n=10&k=2");
}

/// The link of such a run draws other weights, and the page does not pretend otherwise.
#[test]
fn a_run_from_the_weights_of_a_file_says_where_they_come_from() {
    let mut page = Page::open(LINK);
    page.train(400);
    assert_eq!(files::initial_weights_note(&page.state.player.run), None);
    let RunFile::Run(mut record) = RunFile::read(&page.save(Export::Json)).unwrap() else { panic!() };
    let what = "step 50 of #v1/sparse-parity?n=20, checksum 0123456789abcdef";
    record.environment.weights_file = "runs/half.safetensors".into();
    record.environment.weights_description = what.into();
    let json = record.to_json().into_bytes();
    page.act(Action::open_file("run.json", json.clone()));
    let text = "The initial weights come from half.safetensors; the link alone does not give the same run.";
    assert_eq!(files::initial_weights_note(&page.state.player.run).as_deref(), Some(text));
    assert_eq!(
        page.state.player.message,
        format!(
            "Opened run.json: 13 measurements up to step 300. {text} The button Train trains the run of the link, with \
             initial weights computed from the link; Undo goes back to the previous run."
        ),
        "it is not the same run as before"
    );
    assert_eq!(page.save(Export::Json), json);
    let line = format!("\n# initial_weights: half.safetensors, {what}\nstep,replica,");
    let table = String::from_utf8(page.save(Export::Csv)).unwrap();
    assert!(table.contains(&line), "{table}");
    assert!(files::command_line(&page.state).contains(" --weights runs/half.safetensors"));
    page.act(Action::open_file("again.json", json));
    assert!(
        page.state.player.message.contains("The run in the file is the run that was already on the page."),
        "{}",
        page.state.player.message
    );
    page.act(Action::TogglePlay);
    assert_eq!(
        page.state.player.message,
        "The run of the link is trained from its start, with initial weights computed from the link and not with the \
         weights in half.safetensors."
    );
    assert_eq!(files::initial_weights_note(&page.state.player.run), None);
    assert!(!String::from_utf8(page.save(Export::Json)).unwrap().contains("half.safetensors"));
}

#[test]
fn a_run_that_has_not_ended_waits_as_a_record() {
    let mut page = Page::open(LINK);
    page.train(150);
    let json = page.save(Export::Json);
    page.act(Action::open_file("half.json", json));
    assert_eq!(
        (&page.state.player.run.phase, page.state.player.run.step, page.starts()),
        (&RunPhase::Paused, 150, 1)
    );
    assert!(
        page.state.player.message.contains("The run in the file is the run that was already on the page."),
        "{}",
        page.state.player.message
    );
    assert!(!page.state.player.run.is_under_way(), "a learning rate edited now is of the whole run");
    page.act(Action::Edit("lr".into(), "0.2".into()));
    assert_eq!(
        (page.starts(), encode(&page.state.player.run.link)),
        (2, LINK.replace("width=64", "width=64&lr=0.2"))
    );
    page.act(Action::SingleStep);
    assert_eq!((page.state.player.run.step, &page.state.player.run.phase), (1, &RunPhase::Paused));
}

#[test]
fn what_cannot_be_opened_changes_nothing_and_says_why() {
    let mut page = Page::open(LINK);
    page.train(100);
    let json = page.save(Export::Json);
    let (link, runs, undo) =
        (encode(&page.state.player.run.link), page.state.player.run.run_count, page.state.undo.len());
    for (bytes, part) in [
        (vec![], "empty"),
        (json[..json.len() / 2].to_vec(), "ends too early or is damaged"),
        (b"{\"name\": \"other\"}".to_vec(), "not a run of this program"),
        (b"\x89PNG".to_vec(), "neither a run"),
        (page.save(Export::Csv), "table of metrics"),
    ] {
        page.act(Action::open_file("file.json", bytes));
        let text = page.state.player.message.clone();
        assert!(
            text.starts_with("file.json was not opened: ") && text.ends_with(". Nothing has changed."),
            "{text}"
        );
        assert!(text.contains(part) && page.state.file_error == text, "{text}");
    }
    assert_eq!(
        (encode(&page.state.player.run.link), page.state.player.run.run_count, page.state.undo.len()),
        (link, runs, undo)
    );
    assert_eq!((&page.state.player.run.phase, page.state.player.run.step), (&RunPhase::Running, 100));
    page.train(150);
    assert_eq!(page.state.player.run.step, 150);
    page.act(Action::RequestWeights);
    assert_eq!(page.state.file_error, "");
}

/// The bytes of a checkpoint of `spec` at a step, all weights zero; the scripted trainer reads no more than the step.
fn weights(link: &str, step: u64) -> Vec<u8> {
    weights_with(link, step, "")
}

/// A file with more lines in its header.
pub(crate) fn weights_with(link: &str, step: u64, more: &str) -> Vec<u8> {
    let (link, _) = vivarium_model::permalink::decode(link);
    let (mut parts, mut end) = (vec![], 0);
    for parameter in link.spec.parameters() {
        let (begin, shape) = (end, parameter.shape);
        end += 4 * parameter.len();
        parts.push(format!(
            "\"{}\":{{\"dtype\":\"F32\",\"shape\":{shape:?},\"data_offsets\":[{begin},{end}]}}",
            parameter.name
        ));
    }
    let format = vivarium_model::run::checkpoint::FORMAT;
    parts.push(format!(
        "\"__metadata__\":{{\"format\":\"{format}\",\"link\":\"{}\",\"step\":\"{step}\",\"solved\":\"-\"{more}}}",
        encode(&link)
    ));
    let header = format!("{{{}}}", parts.join(","));
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &vec![0; end]].concat()
}

#[test]
fn weights_are_a_run_that_waits_at_their_step() {
    let mut page = Page::open("#v1/sparse-parity?n=10&k=2&speed=0&show=loss");
    page.train(100);
    let bytes = weights(LINK, 120);
    page.act(Action::open_file("half.safetensors", bytes.clone()));
    assert_eq!(encode(&page.state.player.run.link), format!("{LINK}&speed=0&show=loss"));
    let (command, payload) = page.sent.iter().rfind(|(c, _)| matches!(c, Command::Start { .. })).unwrap();
    assert!(
        matches!(command, Command::Start { paused: true, spec, .. } if *spec == page.state.player.run.link.spec)
    );
    assert_eq!(*payload, Payload::Bytes(bytes));
    assert_eq!(
        page.state.player.message,
        "Opened half.safetensors: weights at step 120. Press Play to continue the training from this step."
    );
    assert_eq!(page.state.player.run.history.rows().count(), 0, "nothing was measured here yet");
    // Those of a run that itself began with the weights of a file say so, as does all that is saved of its rest.
    let more = ",\"weights\":\"first.safetensors\",\"weights_of\":\"checksum 0123456789abcdef\"";
    page.act(Action::open_file("half.safetensors", weights_with(LINK, 120, more)));
    assert_eq!(
        page.state.player.message,
        "Opened half.safetensors: weights at step 120. Press Play to continue the training from this step. \
         The initial weights come from first.safetensors; the link alone does not give the same run."
    );
    let record = files::build_record(&page.state, "");
    assert_eq!(record.environment.weights_file, "first.safetensors");
    assert!(
        record
            .csv_preamble()
            .ends_with("\n# initial_weights: first.safetensors, checksum 0123456789abcdef\n")
    );
    // From the start it is the run of the link again.
    page.act(Action::Reset);
    let text = "The run of the link is trained from its start, with initial weights computed from the link and not with \
                the weights in first.safetensors.";
    assert_eq!(page.state.player.message, text);
    page.act(Action::Reset);
    assert_eq!(page.state.player.message, "The same run has started again.");
    assert_eq!(files::initial_weights_note(&page.state.player.run), None);
}

/// Measurements of a run that charts thin are all in its files; a file that lacks some says so.
#[test]
fn every_measurement_of_a_long_run_is_in_its_files() {
    let row = |step| Measurement {
        step,
        train_loss: vec![0.5],
        train_accuracy: vec![0.5],
        test_loss: vec![0.25],
        test_accuracy: vec![0.75],
        ..Default::default()
    };
    let mut page = Page::open("#v1/sparse-parity?n=20&every=1&steps=20000");
    (0..=20_000).for_each(|step| page.state.player.run.add_measurement(row(step)));
    assert!(page.state.player.run.history.rows().count() < 5000);
    let csv = String::from_utf8(page.save(Export::Csv)).unwrap();
    assert_eq!(csv.lines().filter(|line| !line.starts_with('#')).count(), 1 + 20_001);
    assert!(csv.contains("# t_c_resolution: 1\n") && !csv.contains("measurement_stride"));
    assert!(Export::Csv.description(&page.state).starts_with("Every measurement of every replica"));
    let run = Record::parse(&page.save(Export::Json)).unwrap();
    assert_eq!((run.rows.len(), run.rows[20_000].step), (20_001, 20_000));

    let mut page = Page::open("#v1/sparse-parity?n=20&every=1&steps=20000");
    page.state.player.run.history = Default::default();
    (0..100).for_each(|at| page.state.player.run.add_measurement(row(8 * at)));
    assert!(Export::Csv.description(&page.state).starts_with("Evenly spaced measurements"));
    for export in [Export::Csv, Export::Json] {
        let text = String::from_utf8(page.save(export)).unwrap();
        assert!(
            ["# measurement_stride: 8\n", "\"measurement_stride\":8,"].iter().any(|word| text.contains(word))
        );
    }
}

#[test]
fn csv_files_can_have_decimal_commas() {
    let mut page = Page::open(LINK);
    page.train(100);
    let file = |export: Export| export.build(&page.state, "Test/1.0").unwrap();
    let table = String::from_utf8(file(Export::Csv).with_decimal_commas().bytes).unwrap();
    assert!(table.contains("\nstep;replica;train_loss;") && table.contains("\n0;0;1;0,5;1;0,5\n"), "{table}");
    assert_eq!(file(Export::Json).with_decimal_commas(), file(Export::Json));
}

#[test]
fn the_name_of_a_file_turns_no_sentence_round() {
    let mut page = Page::open("#v1/sparse-parity?n=20");
    page.act(Action::open_file("ab\u{202e}gpj.csv", b"nothing".to_vec()));
    assert!(
        page.state.player.message.starts_with("ab!202e!gpj.csv was not opened: "),
        "{}",
        page.state.player.message
    );
}

#[test]
fn everything_can_be_saved_under_a_name_that_says_what_it_is() {
    let mut page = Page::open(LINK);
    page.train(200);
    let names = Export::ALL.map(|export| export.build(&page.state, "Test/1.0").map(|file| file.name));
    let base = "sparse-parity-mlp-seed0-step200";
    let of = |ending: &str| Ok(format!("{base}.{ending}"));
    let none = Err(Export::ComparedCsv.unavailable_reason(&page.state).unwrap().to_string());
    let no_sweep = Err("This run is not a sweep.".to_string());
    assert_eq!(names, [of("json"), of("csv"), no_sweep, none, of("safetensors"), of("py")]);
    assert!(
        !Export::SweepMetrics.is_listed(&page.state) && Export::Csv.label(&page.state) == "Metrics (CSV)"
    );
    let RunFile::Run(record) = RunFile::read(&page.save(Export::Json)).unwrap() else { panic!() };
    let Record { environment, held_out, rows, .. } = *record;
    assert_eq!((environment.frontend.as_str(), environment.system.as_str()), ("page", "Test/1.0"));
    assert_eq!((environment.device.as_str(), held_out, rows.len()), ("CPU", 1024, 9));
    let table = String::from_utf8(page.save(Export::Csv)).unwrap();
    assert_eq!(table.lines().filter(|line| !line.starts_with('#')).count(), 10);
    assert!(table.starts_with("# program: Vivarium ") && table.contains("\n# settings.n: "), "{table}");
    assert!(String::from_utf8(page.save(Export::Script)).unwrap().contains("import torch"));
    assert_eq!(files::command_line(&page.state), format!("lab run \"{LINK}\" --held-out 1024"));
    let fresh = State::default();
    assert!(Export::Csv.build(&fresh, "").unwrap_err().contains("Nothing has been measured"));
    assert!(Export::Weights.build(&fresh, "").unwrap_err().contains("no weights yet"));
}

#[test]
fn a_sweep_is_saved_by_its_times_and_opened_so() {
    let mut page = Page::open("#v1/sparse-parity?replicas=1&sweep=n:10_20");
    page.train(400);
    assert_eq!(page.state.player.run.sweep.as_ref().unwrap().solved_steps.len(), 1);
    let json = page.save(Export::Json);
    let mut other = Page::open("");
    other.act(Action::open_file("sweep.json", json));
    let sweep = other.state.player.run.sweep.as_ref().unwrap();
    assert_eq!((sweep.solved_steps.as_slice(), sweep.cells.len()), ([vec![Some(300)]].as_slice(), 2));
    assert!(
        other.state.player.message.contains("a sweep in which 1 of 2 runs are complete"),
        "{}",
        other.state.player.message
    );
    assert!(Export::Script.build(&other.state, "").unwrap_err().contains("A sweep has many runs"));
    let metrics = Export::SweepMetrics.build(&other.state, "").unwrap_err();
    assert_eq!(metrics, "The opened file contains no measurements of the runs.");
}

mod apart {
    //! Files that are too large to be read at once: a worker reads them, here by hand.

    use std::sync::Arc;

    use super::*;
    use crate::files::progress::FileReading;
    use vivarium_labs::tables::user_tables::file_of_run;
    use vivarium_model::platform::file::UploadedFile;
    use vivarium_view::record::head::HEAD_BYTES;
    use vivarium_view::record::reading::{FileEvent, FileReceiver, ReadProgress, read};
    use vivarium_view::ui::request::Request;

    /// Returns an uploaded file of which the page has only the first bytes.
    fn uploaded_file(bytes: &[u8]) -> UploadedFile {
        assert!(bytes.len() > HEAD_BYTES);
        UploadedFile { size: bytes.len() as u64, head: Arc::from(&bytes[..HEAD_BYTES]), handle: None }
    }

    fn open(page: &mut Page, name: &str, bytes: &[u8]) {
        page.act(Action::Request(Request::OpenFile(name.into(), Ok(uploaded_file(bytes)))));
    }

    /// Returns the actions with the messages of a worker that reads the page's current file.
    fn worker_messages(page: &Page, bytes: &[u8]) -> Vec<Action> {
        let FileReading { number, job, .. } = page.state.file_reading.clone().expect("something to read");
        let mut received = FileReceiver::default();
        let text = FileEvent::messages(read(&job, bytes));
        let news = text.into_iter().filter_map(|(event, payload)| received.receive(event, payload));
        news.map(|news| Action::FileMessage(number, news)).collect()
    }

    fn table(rows: usize) -> Vec<u8> {
        let row = |i: usize| format!("{},{},{}\n", i * 7 % 31, i * i % 53, ["no", "yes"][i % 2]);
        std::iter::once("size,age,sold\n".to_string())
            .chain((0..rows).map(row))
            .collect::<String>()
            .into_bytes()
    }

    #[test]
    fn a_large_table_is_read_apart_and_becomes_the_run() {
        let mut page = Page::open(LINK);
        page.train(100);
        let bytes = table(9_000);
        open(&mut page, "big.csv", &bytes);
        assert_eq!((encode(&page.state.player.run.link), page.state.file_error.as_str()), (LINK.into(), ""));
        page.train(125);
        assert_eq!(page.state.player.run.step, 125, "the run goes on meanwhile");
        let number = page.state.file_reading.as_ref().unwrap().number;
        page.act(Action::FileMessage(number, ReadProgress::Progress(0.5)));
        assert!(page.state.file_reading.as_ref().unwrap().progress_text().contains("big.csv: 50 %"));
        page.act(Action::FileMessage(number + 1, ReadProgress::Done(Err("of another file".into()))));
        assert_eq!(page.state.file_error, "");
        let done = worker_messages(&page, &bytes);
        done.into_iter().for_each(|action| page.act(action));
        assert!(page.state.file_reading.is_none(), "whoever read it is not needed any more");
        assert!(page.state.player.message.starts_with("Opened big.csv"), "{}", page.state.player.message);
        let opened = file_of_run(&page.state.player.run.link.spec).expect("the table");
        assert_eq!((opened.file.size, opened.table.label), (bytes.len() as u64, 2));
        // Another label makes another table of the same file.
        page.act(Action::Request(Request::Relabel(0)));
        assert_eq!(page.state.file_reading.as_ref().unwrap().job.choices.label, Some(0));
        let done = worker_messages(&page, &bytes);
        done.into_iter().for_each(|action| page.act(action));
        assert_eq!(file_of_run(&page.state.player.run.link.spec).unwrap().table.label, 0);
    }

    #[test]
    fn a_large_run_is_the_same_as_if_it_were_read_at_once() {
        let mut page = Page::open(LINK);
        page.train(100);
        let mut record = files::build_record(&page.state, "");
        let row = record.rows[0].clone();
        record.rows =
            (0..3000).map(|step| vivarium_model::protocol::Measurement { step, ..row.clone() }).collect();
        record.step = 2999;
        let bytes = record.to_json().into_bytes();
        let (mut at_once, mut apart) = (Page::open("#v1/groups"), Page::open("#v1/groups"));
        at_once.act(Action::open_file("run.json", bytes.clone()));
        open(&mut apart, "run.json", &bytes);
        let done = worker_messages(&apart, &bytes);
        done.into_iter().for_each(|action| apart.act(action));
        assert!(
            apart.state.player.message.contains("3,000 measurements up to step 2,999"),
            "{}",
            apart.state.player.message
        );
        assert_eq!(apart.state.player.message, at_once.state.player.message);
        assert_eq!(apart.state.player.run.history, at_once.state.player.run.history);
        assert_eq!(encode(&apart.state.player.run.link), LINK);
    }

    #[test]
    fn what_is_not_ours_is_refused_before_it_is_read() {
        let mut page = Page::open(LINK);
        let map = "{\"type\":\"FeatureCollection\",\"features\":[".to_string();
        let map = map + &"{\"type\":\"Feature\"},".repeat(HEAD_BYTES / 10);
        for (name, bytes) in [
            ("map.geojson", map.into_bytes()),
            ("zeros.json", [b"[", "0,".repeat(HEAD_BYTES).as_bytes()].concat()),
        ] {
            open(&mut page, name, &bytes);
            assert!(page.state.file_reading.is_none(), "{name}");
            assert!(page.state.file_error.contains("not a run of this program"), "{}", page.state.file_error);
        }
    }

    #[test]
    fn reading_can_be_cancelled_and_the_next_file_takes_its_place() {
        let mut page = Page::open(LINK);
        page.act(Action::Request(Request::CancelFile));
        assert_eq!(page.state.file_error, "", "there was nothing to cancel");
        let bytes = table(9_000);
        open(&mut page, "big.csv", &bytes);
        let late = worker_messages(&page, &bytes);
        page.act(Action::Request(Request::CancelFile));
        let text = "big.csv was not opened: reading was cancelled. Nothing has changed.";
        assert_eq!((page.state.file_error.as_str(), page.state.file_reading.is_none()), (text, true));
        late.into_iter().for_each(|action| page.act(action));
        assert_eq!(
            (page.state.file_error.as_str(), encode(&page.state.player.run.link)),
            (text, LINK.into())
        );
        open(&mut page, "first.csv", &bytes);
        let late = worker_messages(&page, &bytes);
        open(&mut page, "second.csv", &bytes);
        late.into_iter().for_each(|action| page.act(action));
        assert_eq!(page.state.file_reading.as_ref().unwrap().name, "second.csv");
        // A small one, which is there at once, too.
        page.act(Action::open_file("small.csv", table(100)));
        assert!(
            page.state.file_reading.is_none() && page.state.player.message.starts_with("Opened small.csv")
        );
    }
}
