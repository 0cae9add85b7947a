//! The command writes the numbers of charts and of probes, in all formats; and what it refuses.

use std::path::Path;

use clap::Parser;
use serde_json::Value;

use super::npz::NpyValues;
use super::*;
use vivarium_labs::parity::probes::GAP;
use vivarium_labs::{LABS, run_probe};
use vivarium_model::chart;
use vivarium_model::permalink::{ViewSettings, decode, encode};
use vivarium_model::run::{RunSpec, StopCondition};
use vivarium_page::files::Export;
use vivarium_page::files::data::export_chart_csv;
use vivarium_page::state::State;
use vivarium_training::launch::device::Device;
use vivarium_training::session::{Options, Session};

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    probe: Arguments,
}

const LINK: &str =
    "#v1/sparse-parity?n=8&k=2&width=12&batch=8&held=64&every=10&steps=40&halt=steps&device=cpu";

/// A folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("vivarium-probe-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The page that shows a run.
fn page_of(run: &HeadlessRun) -> State {
    let mut page = State::default();
    page.player.clone_from(run.player());
    page
}

/// Runs `lab probe` with these arguments and returns the bytes that it writes to `file`.
fn probed(file: &Path, link: &str, more: &[&str]) -> Vec<u8> {
    run(file, link, more).unwrap_or_else(|trouble| panic!("{link} {more:?}: {trouble}"));
    std::fs::read(file).unwrap()
}

fn run(file: &Path, link: &str, more: &[&str]) -> Result<(), CommandError> {
    let line = [&["probe", link, "-q", "-o", file.to_str().unwrap()][..], more].concat();
    probe(&Line::try_parse_from(line).unwrap().probe)
}

fn json(file: &Path, link: &str, more: &[&str]) -> Value {
    serde_json::from_slice(&probed(file, link, more)).unwrap()
}

fn number(value: &Value) -> f32 {
    value.as_f64().unwrap() as f32
}

/// The session of a link after so many steps.
fn session(link: &str, step: u64) -> Session {
    let mut session = Session::start(&decode(link).0.spec, &Device::cpu(), Options::default()).unwrap();
    while session.step() < step {
        pollster::block_on(session.advance(f64::INFINITY, step - session.step())).unwrap();
    }
    session
}

fn parameters(session: &Session) -> Vec<Vec<f32>> {
    pollster::block_on(session.first_replica()).unwrap()
}

/// The chart of that name at a step.
fn of<'a>(document: &'a Value, name: &str, step: u64) -> &'a Value {
    let charts = document["charts"].as_array().unwrap();
    charts.iter().find(|chart| chart["chart"] == name && chart["step"] == step).unwrap()
}

/// In each lab, the charts that a bare link shows have numbers, except those that do not apply.
#[test]
fn the_usual_charts_of_every_lab_have_data() {
    let folder = folder("labs");
    let file = folder.join("data.json");
    for lab in LABS.all {
        let slug = lab.info().slug;
        let mut spec = RunSpec::default_of_lab(slug).unwrap();
        for (key, text) in [("steps", "4"), ("every", "2"), ("held", "64"), ("device", "cpu")] {
            let before = spec.clone();
            if open::override_setting(&mut spec, key, text).is_err() {
                spec = before;
            }
        }
        spec.run.halt = StopCondition::Steps;
        let view = ViewSettings::default_of_task(&spec.task);
        let link = encode(&Link { spec, view: view.clone(), ..Link::default() });
        let document = json(&file, &link, &[]);
        let page = HeadlessRun::open_paused(&decode(&link).0);
        let charts = document["charts"].as_array().unwrap();
        assert!(!charts.is_empty(), "{slug}");
        for chart in view.show.iter().filter(|chart| chart.applies(&page.player().run).is_ok()) {
            let Some(found) = charts.iter().find(|found| found["chart"] == chart.slug()) else {
                panic!("{slug}: {} is missing", chart.slug());
            };
            let numbers = match found["shape"].as_str().unwrap() {
                "curves" => &found["curves"][0]["value"],
                "matrix" | "bars" => &found["values"],
                other => panic!("{slug}: {other}"),
            };
            assert!(!numbers.as_array().unwrap().is_empty(), "{slug}: {} is empty", chart.slug());
            let has_numbers = numbers.to_string().contains(|c: char| c.is_ascii_digit());
            assert!(has_numbers, "{slug}: {} has no finite number", chart.slug());
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn curves_are_the_measurements_and_what_the_probe_finds() {
    let folder = folder("values");
    let steps = ["--charts", "gap,loss,weights", "--at", "40,0,15", "--format", "json"];
    let document = json(&folder.join("data"), LINK, &steps);
    assert_eq!(document["charts"].as_array().unwrap().len(), 9);
    let rows = pollster::block_on(session(LINK, 0).finish(|_| {})).unwrap().rows;
    let loss = &of(&document, "loss", 40)["curves"];
    let held_out = loss.as_array().unwrap().iter().find(|curve| curve["name"] == "held-out").unwrap();
    let points = held_out["x"].as_array().unwrap().iter().zip(held_out["value"].as_array().unwrap());
    for row in &rows {
        let mut own = points.clone().filter(|(x, _)| x.as_f64() == Some(row.step as f64));
        assert_eq!(number(own.next().unwrap().1), row.test_loss[0], "step {}", row.step);
    }
    // Five measurements, and the one at a step that was asked for.
    assert_eq!((rows.len(), points.len()), (5, 6));
    for step in [0, 15, 40] {
        let (at, spec) = (session(LINK, step), decode(LINK).0.spec);
        let weights = parameters(&at);
        let cells: Vec<f32> = of(&document, "weights", step)["values"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|row| row.as_array().unwrap().iter().map(number))
            .collect();
        assert_eq!(cells, weights[0], "step {step}");
        let found = run_probe(&GAP.id(), &spec, step, weights).unwrap();
        let curve = &of(&document, "gap", step)["curves"][0];
        assert_eq!(curve["x"].as_array().unwrap().last().unwrap().as_f64(), Some(step as f64));
        let value = curve["value"].as_array().unwrap().last().unwrap();
        let near = found.few.iter().any(|few| (*few as f32 - number(value)).abs() <= 1e-6 * few.abs() as f32);
        assert!(near, "step {step}: {value} is none of {:?}", found.few);
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// One function writes both.
#[test]
fn the_pages_file_is_the_commands_to_the_byte() {
    let folder = folder("page");
    let shown = format!("{LINK}&show=loss.weights.spectrum");
    let mut page = HeadlessRun::open(&decode(&shown).0);
    page.finish(|_| {}).unwrap();
    for chart in [chart::LOSS, chart::WEIGHTS, Chart::from_slug("spectrum").unwrap()] {
        let saved = export_chart_csv(&page_of(&page), chart);
        assert_eq!(saved.name, format!("sparse-parity-mlp-seed0-step40-{}.csv", chart.slug()));
        let bytes = probed(&folder.join("data.csv"), LINK, &["--charts", chart.slug()]);
        assert_eq!(String::from_utf8(saved.bytes).unwrap(), String::from_utf8(bytes).unwrap());
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// A checkpoint at a step has the same weights as the run at that step; it goes on from there.
#[test]
fn a_file_of_weights_is_probed_and_goes_on() {
    let folder = folder("weights");
    let file = folder.join("run.safetensors");
    let checkpoint = pollster::block_on(session(LINK, 15).checkpoint()).unwrap();
    std::fs::write(&file, checkpoint.encode().unwrap()).unwrap();
    let (path, data) = (file.to_str().unwrap(), folder.join("data.csv"));
    let charts = ["--charts", "weights,spectrum"];
    let cells = |bytes: Vec<u8>| -> Vec<String> {
        String::from_utf8(bytes)
            .unwrap()
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(String::from)
            .collect()
    };
    let of_file = cells(probed(&data, path, &charts));
    let of_link = cells(probed(&data, LINK, &[&charts[..], &["--at", "15"]].concat()));
    assert_eq!(of_file, of_link);
    assert!(of_file.len() > 96 && of_file[1].starts_with("weights,15,cell,,1,1,"), "{:?}", &of_file[..2]);
    let of_file = cells(probed(&data, path, &[&charts[..], &["--at", "15,40"]].concat()));
    let of_link = cells(probed(&data, LINK, &[&charts[..], &["--at", "15,40"]].concat()));
    assert_eq!(of_file, of_link);
    // A checkpoint of a run that began with the weights of a file hands that on, to files and to later checkpoints.
    let initial = ["runs/half.safetensors", "step 5 of #v1/sparse-parity, checksum 0123456789abcdef"];
    let begun = Checkpoint { initial: initial.map(String::from), ..checkpoint };
    std::fs::write(&file, begun.encode().unwrap()).unwrap();
    let said = format!("half.safetensors, {}", initial[1]);
    let text = String::from_utf8(probed(&data, path, &[&charts[..], &["--at", "20"]].concat())).unwrap();
    assert!(text.contains(&format!("\n# initial_weights: {said}\n# weights at step 20: ")), "{text}");
    let document = json(&folder.join("data.json"), path, &charts);
    assert_eq!(document["initial_weights"], said);
    let mut page =
        HeadlessRun::from_weights(&open::read_link(path).unwrap(), path, std::fs::read(path).unwrap())
            .unwrap();
    page.train_to(20, |_| {}).unwrap();
    assert_eq!(page.request_checkpoint().unwrap().initial, begun.initial);
    let early = run(&data, path, &["--at", "0"]).unwrap_err();
    assert_eq!(early.to_string(), "the file contains the weights at step 15; step 0 came before it");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_saved_run_has_its_measurements_and_no_weights() {
    let folder = folder("record");
    let file = folder.join("run.json");
    let mut page = HeadlessRun::open(&decode(LINK).0);
    page.finish(|_| {}).unwrap();
    let saved = Export::Json.build(&page_of(&page), "").unwrap().bytes;
    std::fs::write(&file, &saved).unwrap();
    let (path, data) = (file.to_str().unwrap(), folder.join("data.json"));
    let document = json(&data, path, &["--charts", "loss", "--at", "20,40"]);
    // The fields about the run are those of its own file.
    let own: Value = serde_json::from_slice(&saved).unwrap();
    for key in ["settings", "held_out", "relevant", "t_c_resolution"] {
        assert!(!own[key].is_null() && document[key] == own[key], "{key}: {}", document[key]);
    }
    assert_eq!((&document["format"], &document["version"]), (&"vivarium-data".into(), &1.into()));
    assert_eq!(document["program"], own["environment"]["program"]);
    assert_eq!(document["link"], encode(&decode(LINK).0));
    let places = |step: u64| of(&document, "loss", step)["curves"][0]["x"].as_array().unwrap().len();
    assert_eq!([20, 40].map(places), [3, 5]);
    let whole = json(&data, LINK, &["--charts", "loss", "--at", "20,40"]);
    assert_eq!(document, whole);
    let refused = |more: &[&str]| match run(&data, path, more).unwrap_err() {
        CommandError::BadLink(lines) => lines.join("\n"),
        other => panic!("{other}"),
    };
    assert_eq!(
        refused(&["--charts", "weights"]),
        "weights: This chart needs weights, but the opened file contains none. Train the network first."
    );
    assert!(
        refused(&["--arrays", "outputs"]).starts_with("--arrays needs weights, but the file contains none")
    );
    assert_eq!(refused(&["--at", "41"]), "the run in the file ends at step 40, before step 41");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_there_is_not_is_refused_with_a_sentence() {
    let folder = folder("refused");
    let data = folder.join("data.csv");
    let refused = |link: &str, more: &[&str]| match run(&data, link, more).unwrap_err() {
        CommandError::BadLink(lines) => lines.join("\n"),
        other => panic!("{link} {more:?}: {other}"),
    };
    let unknown = refused(LINK, &["--charts", "loss,fate"]);
    assert!(
        unknown.starts_with("there is no chart fate; this run has the charts loss, accuracy"),
        "{unknown}"
    );
    assert_eq!(
        refused(LINK, &["--at", "0,1041"]),
        "step 1,041 is after the last step of the run, 40; --steps sets the last step"
    );
    let soon = "#v1/sparse-parity?n=6&k=1&width=16&lr=1&batch=32&held=64&every=5&steps=2000&device=cpu";
    let early = refused(soon, &["--at", "2000", "--charts", "loss"]);
    assert!(early.starts_with("the run ended at step ") && early.contains(", before step 2,000;"), "{early}");
    assert!(refused(LINK, &["--charts", "attention"]).starts_with("attention: "));
    let sweep = format!("{LINK}&sweep=n:6_8");
    assert!(refused(&sweep, &["--at", "0"]).starts_with("--at can be used only with a single run"));
    assert!(refused(LINK, &["--arrays", "outputs"]).starts_with("--arrays needs --format json or npz"));
    let attention = ["--arrays", "attention", "--format", "json"];
    assert_eq!(
        refused(LINK, &attention),
        "the model Two-layer MLP has no attention weights that can be written as arrays"
    );
    let line = Line::try_parse_from(["probe", LINK, "--format", "npz"]).unwrap();
    assert!(probe(&line.probe).unwrap_err().to_string().contains("needs a file"));
    assert!(!data.exists(), "nothing is written");
    std::fs::remove_dir_all(folder).unwrap();
}

/// Arrays on inputs of a file, in both formats, are what the network makes of them.
#[test]
fn arrays_are_what_is_inside_the_network() {
    let folder = folder("arrays");
    let inputs = folder.join("inputs.csv");
    std::fs::write(&inputs, "a,b,c,d,e,f,g,h\n1,1,1,1,1,1,1,1\n\n-1,1,1,-1,1,1,1,1\n1,-1,1,1,1,1,-1,1\n")
        .unwrap();
    let more = ["--at", "15", "--charts", "loss,weights", "--arrays", "activations,outputs"];
    let given = [&more[..], &["--inputs", inputs.to_str().unwrap()]].concat();
    let document = json(&folder.join("data.json"), LINK, &given);
    let archive = npz::tests::decode_npz(&probed(&folder.join("data.npz"), LINK, &given));
    let single = |name: &str| {
        let array = archive.iter().find(|array| array.name == name).unwrap_or_else(|| panic!("{name}"));
        let NpyValues::Single(values) = &array.values else { panic!("{name}") };
        (array.shape.clone(), values.clone())
    };
    for block in document["arrays"].as_array().unwrap() {
        let name = format!("{}/15", block["array"].as_str().unwrap());
        let shape: Vec<usize> =
            block["shape"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize).collect();
        let values: Vec<f32> = block["values"].as_array().unwrap().iter().map(number).collect();
        assert_eq!(single(&name), (shape, values), "{name}");
        assert_eq!(block["axes"][0], "example");
    }
    let (at, spec) = (session(LINK, 15), decode(LINK).0.spec);
    let weights = parameters(&at);
    let weights: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
    let (shape, x) = single("inputs/15");
    assert_eq!((shape, x[8]), (vec![3, 8], -1.0));
    let outputs = spec.network().evaluate(&weights, 8, &x, 0);
    assert_eq!(single("outputs/15"), (vec![3], outputs));
    assert_eq!(single("activations/15").0, [3, 12]);
    assert_eq!(single("weights/15/values"), (vec![8, 12], weights[0].to_vec()));
    let about = archive.iter().find(|array| array.name == "about").unwrap();
    let NpyValues::Text(texts) = &about.values else { panic!("a text") };
    let about: Value = serde_json::from_str(&texts[0]).unwrap();
    assert_eq!(about["link"], document["link"]);
    assert_eq!(
        (&about["charts"][0]["x"], &about["arrays"][0]["axes"][1]),
        (&"step".into(), &"column".into())
    );
    // Held-out examples have labels.
    let usual = json(&folder.join("data.json"), LINK, &[&more[..], &["--examples", "5"]].concat());
    let labels = usual["arrays"].as_array().unwrap().iter().find(|block| block["array"] == "labels").unwrap();
    assert_eq!(labels["shape"], serde_json::json!([5]));
    for (text, why) in [
        ("1,1,1,1,1,1,1\n", "line 1: an input has 8 numbers, not 7"),
        ("1,1,1,1,1,1,1,1\n1,1,x,1,1,1,1,1\n", "line 2 contains something else than numbers"),
        ("bits\n", "contains no inputs"),
    ] {
        std::fs::write(&inputs, text).unwrap();
        let refused = run(&folder.join("no.json"), LINK, &given).unwrap_err();
        assert!(refused.to_string().contains(why), "{refused}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// Networks that are executed, searched or grown have hidden arrays too, and say where they have none.
#[test]
fn networks_without_trained_weights_have_arrays() {
    let folder = folder("executed");
    let file = folder.join("data.npz");
    let usual = ["--at", "2", "--charts", "loss", "--examples", "3", "--format", "npz", "--arrays"];
    type Shapes = [(&'static str, &'static [usize])];
    let links: [(&str, &Shapes); 8] = [
        (
            "#v1/tabular?model=random-forest&trees=5&m=60&held=64&steps=5",
            &[("trees", &[3, 2]), ("outputs", &[3])],
        ),
        (
            "#v1/succinct-learning?model=cell-rules&inputs=3&examples=5&valid=10&steps=3",
            &[("activations", &[3, 7, 6, 4]), ("layers", &[7]), ("outputs", &[3])],
        ),
        ("#v1/succinct-learning?inputs=3&examples=5&steps=20", &[("outputs", &[3])]),
        ("#v1/turing-machine?m=increment&t=14", &[("outputs", &[3]), ("labels", &[3])]),
        ("#v1/boolean-circuit?circuit=majority&n=3&steps=2", &[("outputs", &[3])]),
        ("#v1/in-context-regression?hidden=3&n=4&steps=3", &[("layers", &[9]), ("outputs", &[3])]),
        (
            "#v1/sparse-token-regression?model=gated-memory&n=8&lists=one&slots=names&steps=8",
            &[("outputs", &[3, 8])],
        ),
        (
            "#v1/markov?k=2&t=8&model=minimal-markov&steps=3&device=cpu",
            &[("activations.layer2", &[3, 8, 2]), ("outputs", &[3, 2])],
        ),
    ];
    for (link, expected) in links {
        let archive =
            npz::tests::decode_npz(&probed(&file, link, &[&usual[..], &["activations,outputs"]].concat()));
        for (name, shape) in expected {
            let name = format!("{name}/2");
            let array = archive.iter().find(|array| array.name == name);
            let found = array.unwrap_or_else(|| panic!("{link}: {name}"));
            assert_eq!(found.shape, *shape, "{link} {name}");
        }
        let is_hidden = |name: &str| name.starts_with("activations") || name.starts_with("trees");
        assert!(archive.iter().any(|array| is_hidden(&array.name)), "{link}");
    }
    let forest = links[0].0;
    let refused = |more: &[&str]| match run(&file, forest, more).unwrap_err() {
        CommandError::BadLink(lines) => lines.join("\n"),
        other => panic!("{other}"),
    };
    assert_eq!(
        refused(&[&usual[..], &["attention"]].concat()),
        "the model Random forest has no attention weights that can be written as arrays"
    );
    assert_eq!(
        refused(&["--at", "0", "--format", "npz", "--arrays", "activations"]),
        "the forest has no tree yet: each training step grows one tree"
    );
    std::fs::remove_dir_all(folder).unwrap();
}
