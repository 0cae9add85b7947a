//! What the page does with a file that somebody opens, and with an entry of the browser's storage.

use serde_json::{Map, Value as Json, json};
use vivarium::labs::PRESETS;
use vivarium::permalink::{Link, decode, encode};
use vivarium::protocol::{EndReason, Measurement};
use vivarium::record::{Record, TrainingEnvironment, saved};
use vivarium::run::RunSpec;
use vivarium::sweep::cells;
use vivarium_page::effect::Effect;
use vivarium_page::files::Export;
use vivarium_page::library::{LibraryAction, SavedRun, StorageAnswer, StorageCommand, StoredRuns, run_id};
use vivarium_page::state::{Action, State};
use vivarium_player::device::GpuSupport;

use crate::{show, the_bytes};

/// The file of a run.
const RUN: u32 = 0;
/// Weights.
const WEIGHTS: u32 = 1;
/// A table.
const TABLE: u32 = 2;
/// An entry of the browser's storage.
const ENTRY: u32 = 3;

/// It was taken.
const TAKEN: u32 = 1;
/// It was not even one, so that nothing was said of it.
const ILLEGIBLE: u32 = 2;

/// Most replicas of a sample: larger files are changed where it matters less often.
const MOST_REPLICAS: usize = 8;

/// Most numbers of a sample of weights.
const MOST_WEIGHTS: u64 = 500;

/// Small networks, of which the weights are a file that is not much longer than its header.
const NETWORKS: [&str; 5] = [
    "#v1/sparse-parity?n=5&width=3&opt=adam&replicas=2",
    "#v1/sparse-parity?n=6&k=2&width=3&steps=500",
    "#v1/groups?n=3&width=4",
    "#v1/markov?model=minimal-markov&t=8",
    "#v1/tabular?n=4&k=2&m=60&width=3",
];

/// Milliseconds since 1970, somewhen.
const NOON: f64 = 1.8e12;

/// A sample of a kind; none where there are no more.
pub fn sample(kind: u32, which: usize) -> Option<Vec<u8>> {
    let mut links = PRESETS.iter().map(|preset| preset.link());
    match kind {
        RUN => links.filter(is_small).nth(which).map(|link| record(link).to_json().into_bytes()),
        WEIGHTS => {
            let mut networks = NETWORKS.iter().map(|text| decode(text).0.spec);
            networks
                .by_ref()
                .filter(|spec| spec.sizes().weights <= MOST_WEIGHTS)
                .nth(which)
                .map(|spec| safetensors(&spec))
        }
        TABLE => table(which),
        _ => links
            .by_ref()
            .filter(|link| is_small(link) && link.spec.run.sweep.is_empty())
            .nth(which)
            .and_then(|link| serde_json::to_vec(&entry(link)).ok()),
    }
}

fn is_small(link: &Link) -> bool {
    link.spec.run.replicas <= MOST_REPLICAS
}

/// Measurements at these steps.
fn rows(spec: &RunSpec, steps: [u64; 3]) -> Vec<Measurement> {
    let of = |at: u64| {
        (0..spec.run.replicas).map(|replica| 0.7 / (at + 1 + replica as u64) as f32).collect::<Vec<_>>()
    };
    let measures = spec.task.sampler().measure_names().further_measures.len();
    let row = |step: u64| Measurement {
        step,
        train_loss: of(step),
        train_accuracy: of(1),
        test_loss: of(step / 2),
        test_accuracy: of(2),
        margin: if step % 4 == 0 { of(3) } else { vec![] },
        measures: vec![of(step); measures],
    };
    steps.map(row).to_vec()
}

fn record(link: Link) -> Record {
    let is_sweep = !link.spec.run.sweep.is_empty();
    let times = |spec: &RunSpec| {
        (0..spec.run.replicas).map(|replica| (replica % 2 == 0).then_some(50)).collect::<Vec<_>>()
    };
    Record {
        environment: TrainingEnvironment {
            program: TrainingEnvironment::program(),
            frontend: "page".into(),
            device: "WebGPU: \"Test\"".into(),
            learner: "fused kernels".into(),
            system: "Browser/1.0 (ünïcode \\ /".into(),
            ..Default::default()
        },
        step: 100,
        ending: Some(EndReason::LastStep),
        held_out: 1024,
        solved: if is_sweep { vec![] } else { times(&link.spec) },
        rows: if is_sweep { vec![] } else { rows(&link.spec, [0, 50, 100]) },
        times: if is_sweep {
            cells(&link.spec).iter().take(3).map(|cell| times(&cell.spec)).collect()
        } else {
            vec![]
        },
        link,
    }
}

fn entry(link: Link) -> SavedRun {
    SavedRun {
        format: saved::ENTRY_FORMAT,
        id: run_id(&link.spec),
        link: encode(&link),
        name: "A run".into(),
        at: NOON,
        step: 200,
        bytes: 1000,
        solved: vec![(0, 100)],
        rows: rows(&link.spec, [0, 100, 200]),
        ..SavedRun::default()
    }
}

/// Weights as a worker writes them.
fn safetensors(spec: &RunSpec) -> Vec<u8> {
    let link = Link { spec: spec.clone(), ..Link::default() };
    let solved = vec!["-"; spec.run.replicas].join(" ");
    let about = json!({ "format": vivarium::run::checkpoint::FORMAT, "link": encode(&link), "step": "200", "solved": solved });
    let mut header = Map::from_iter([("__metadata__".to_string(), about)]);
    let mut data: Vec<u8> = vec![];
    for parameter in spec.parameters() {
        let moments = (0..spec.optimizer.moment_count()).map(|i| format!("{}.moment{i}", parameter.name));
        for name in std::iter::once(parameter.name.clone()).chain(moments) {
            let from = data.len();
            data.extend((0..parameter.len()).flat_map(|i| (i as f32 / 8.0 - 1.0).to_le_bytes()));
            header.insert(
                name,
                json!({ "dtype": "F32", "shape": parameter.shape, "data_offsets": [from, data.len()] }),
            );
        }
    }
    let mut text = Json::from(header).to_string().into_bytes();
    text.resize(text.len().next_multiple_of(8), b' ');
    [&(text.len() as u64).to_le_bytes()[..], &text, &data].concat()
}

/// Tables of all sorts.
fn table(which: usize) -> Option<Vec<u8>> {
    let lines = |head: &str, line: &dyn Fn(usize) -> String| {
        let lines: Vec<String> = std::iter::once(head.to_string()).chain((0..60).map(line)).collect();
        Some(lines.join("\n").into_bytes())
    };
    match which {
        0 => lines("size,age,sold", &|i| format!("{},{i}.5,{}", i * i % 53, ["no", "yes"][i % 2])),
        1 => lines("0\t7\t0", &|i| format!("{}\t{i}e2\t{}", i * i % 11, i % 3)),
        2 => lines("id;gap;word;y", &|i| {
            format!("{i};{};w{};{}", if i % 9 == 0 { "?" } else { "-1.5e-3" }, i % 4, i * 7 % 31)
        }),
        3 => lines("\u{feff}\"a \"\"b\"\"\",\"c,d\",label", &|i| {
            format!("\"{i}\",{},{}", i % 7, ["x", "y", "z"][i % 3])
        }),
        _ => None,
    }
}

/// The name under which a person opens it.
fn name(kind: u32) -> &'static str {
    match kind {
        RUN => "run.json",
        WEIGHTS => "run.safetensors",
        _ => "table.csv",
    }
}

/// Does it, and gives what the page then asks of storage, in which `stored` lies if anything does.
fn act_beside(stored: Option<&SavedRun>, page: &mut State, action: Action) {
    let mut actions = vec![action];
    while let Some(action) = actions.pop() {
        for effect in page.apply(action) {
            let answer = match effect {
                Effect::Library(StorageCommand::ReadRun(id, _)) => {
                    let found = stored.map(|run| (Box::new(run.clone()), 200u64.to_le_bytes().to_vec()));
                    StorageAnswer::RunRead(id, found.ok_or("there are none".to_string()))
                }
                Effect::Library(StorageCommand::ReadCurves(id)) => {
                    StorageAnswer::Curves(id, stored.map_or(vec![], |run| run.rows.clone()))
                }
                _ => continue,
            };
            actions.push(Action::Library(LibraryAction::Answer(answer)));
        }
    }
}

/// The same where nothing is stored.
fn act(page: &mut State, action: Action) {
    act_beside(None, page, action);
}

/// The page with it, and what became of it.
pub fn opened(kind: u32) -> (State, u32) {
    let bytes = the_bytes();
    let mut page = State::default();
    act(&mut page, Action::GpuDetected(GpuSupport::NoWebGpu));
    let flags = if kind == ENTRY { take_up(&mut page, &bytes) } else { open(&mut page, kind, bytes) };
    show(&page);
    (page, flags)
}

fn open(page: &mut State, kind: u32, bytes: Vec<u8>) -> u32 {
    act(page, Action::Open("#v1/sparse-parity?n=30".into()));
    let before = encode(&page.player.run.link);
    act(page, Action::open_file(name(kind), bytes));
    if page.file_error.is_empty() {
        return TAKEN;
    }
    assert!(
        page.file_error.ends_with(". Nothing has changed.") && page.file_error.len() < 1200,
        "{}",
        page.file_error
    );
    assert_eq!(encode(&page.player.run.link), before);
    0
}

fn take_up(page: &mut State, bytes: &[u8]) -> u32 {
    let Ok(read) = serde_json::from_slice::<SavedRun>(bytes) else { return ILLEGIBLE };
    let key = read.id.clone();
    let mut stock = StoredRuns { now_ms: NOON, ..StoredRuns::default() };
    let stored = match read.check(&key) {
        Ok(run) => {
            assert_eq!(run.clone().check(&key).as_ref(), Ok(&run), "what is checked stays as it is");
            stock.runs.push(run.clone());
            Some(run)
        }
        Err(why) => {
            assert!(why.to_string().len() > 15, "{why}");
            stock.damaged.push((key.clone(), why.to_string()));
            None
        }
    };
    act(page, Action::Open("#v1/sparse-parity?n=30".into()));
    for wish in [
        LibraryAction::Answer(StorageAnswer::Loaded(stock)),
        LibraryAction::ToggleCompared(key.clone()),
        LibraryAction::Resume(key),
    ] {
        act_beside(stored.as_ref(), page, Action::Library(wish));
    }
    u32::from(stored.is_some()) * TAKEN
}

/// What a person does with it then: looks at it in other ways, and saves it; what was saved can be opened.
pub fn used(page: &mut State) {
    let last = page.player.run.history.latest().map_or(0, |row| row.step);
    for action in [
        Action::ToggleAxis("x"),
        Action::Scrub(last / 2),
        Action::ToggleAxis("y"),
        Action::ShowLatestStep,
        Action::ScrubBy(false),
    ] {
        act(page, action);
        show(page);
    }
    for export in Export::ALL {
        let Ok(file) = export.build(page, "Node") else { continue };
        if export == Export::Json {
            let read = Record::parse(&file.bytes);
            assert!(read.is_ok(), "{:?} of {}", read.err(), String::from_utf8_lossy(&file.bytes));
        }
    }
    act(page, Action::Undo);
    show(page);
}
