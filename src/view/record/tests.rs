//! Round trips, damaged files, and scripts that PyTorch runs where there is one.

use serde_json::Value;

use super::*;
use vivarium_core::pytorch::ScriptPart;
use vivarium_model::permalink::decode;
use vivarium_model::run::RunSpec;
use vivarium_science::markov::ChainMeasure;
use weights::CheckpointHeader;

pub(super) fn link(text: &str) -> Link {
    let (link, notices) = decode(text);
    assert!(notices.is_empty(), "{notices:?}");
    link
}

pub(super) fn row_at(step: u64, replicas: usize) -> Measurement {
    let of = |x: f32| (0..replicas).map(|r| x / (3.0 + r as f32) + step as f32).collect::<Vec<f32>>();
    Measurement {
        step,
        train_loss: of(0.1),
        train_accuracy: of(1e-12),
        test_loss: of(-7.0),
        test_accuracy: of(1.0),
        ..Default::default()
    }
}

pub(super) fn record() -> Record {
    Record {
        link: link("#v1/sparse-parity?n=20&width=64&replicas=2&speed=0&show=loss.weights"),
        environment: TrainingEnvironment {
            program: TrainingEnvironment::program(),
            frontend: "page".into(),
            device: "WebGPU: \"Test\"".into(),
            learner: "fused kernels".into(),
            system: "Browser/1.0 (ünïcode \\ / \u{7f}".replace('\u{7f}', "…"),
            ..Default::default()
        },
        step: 100,
        ending: Some(EndReason::LastStep),
        held_out: 1024,
        solved: vec![None, Some(50)],
        rows: vec![row_at(0, 2), row_at(50, 2), row_at(100, 2)],
        times: vec![],
    }
}

fn sentence(text: &str) -> String {
    Record::parse(text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn what_is_written_is_read_again_to_the_last_bit() {
    let written = record().to_json();
    assert_eq!(Record::parse(written.as_bytes()).unwrap(), record());
    assert_eq!(RunFile::read(written.as_bytes()).unwrap(), RunFile::Run(Box::new(record())));
    // A mark that some editors put before a text is no damage.
    assert!(Record::parse(format!("\u{feff}{written}").as_bytes()).is_ok());
    // A line for each measurement, and programs find the settings without knowing links.
    assert_eq!(written.lines().filter(|line| line.starts_with("{\"step\"")).count(), 3);
    let value: Value = serde_json::from_str(&written).unwrap();
    assert_eq!(
        (&value["settings"]["n"], &value["settings"]["model"]),
        (&Value::from("20"), &Value::from("mlp"))
    );
    // Whatever stands in a text, it is JSON.
    let odd: String = (0..0x250u32).filter_map(char::from_u32).collect();
    assert_eq!(serde_json::from_str::<Value>(&quote_json(&odd)).unwrap(), Value::from(odd));
    let mut sequences = Record { link: link("#v1/markov"), solved: vec![None], ..record() };
    let mut row = row_at(5, 1);
    row.measures = ChainMeasure::ALL.iter().map(|_| vec![]).collect();
    row.measures[ChainMeasure::OnDoubly as usize] = vec![0.25];
    sequences.rows = vec![row];
    assert_eq!(Record::parse(sequences.to_json().as_bytes()).unwrap(), sequences);
}

#[test]
fn numbers_that_are_not_finite_are_null_and_come_back_as_such() {
    let mut diverged = Record { ending: Some(EndReason::Diverged), ..record() };
    diverged.rows[2].test_loss = vec![f32::NAN, f32::INFINITY];
    let read = Record::parse(diverged.to_json().as_bytes()).unwrap();
    assert!(read.rows[2].test_loss.iter().all(|loss| loss.is_nan()));
    assert_eq!((&read.rows[..2], read.ending), (&diverged.rows[..2], Some(EndReason::Diverged)));
}

/// A sweep of four runs, one network of which has found it.
pub(super) fn sweep() -> Record {
    Record {
        link: link("#v1/sparse-parity?replicas=2&sweep=n:10_20&series=k:2_3"),
        solved: vec![],
        rows: vec![],
        times: vec![vec![Some(3), None], vec![None, None]],
        ..record()
    }
}

#[test]
fn a_sweep_keeps_its_times() {
    let sweep = sweep();
    assert_eq!(Record::parse(sweep.to_json().as_bytes()).unwrap(), sweep);
    assert!(sweep.file_stem().contains("sweep"));
}

#[test]
fn every_damage_has_its_sentence() {
    let written = record().to_json();
    let changed = |from: &str, to: &str| {
        assert!(written.contains(from), "{from}");
        sentence(&written.replacen(from, to, 1))
    };
    for (found, part) in [
        (sentence(""), "empty"),
        (sentence(" \n"), "empty"),
        (sentence(&written[..written.len() / 2]), "ends too early or is damaged at line"),
        (sentence("nonsense"), "not complete JSON"),
        (sentence("{\"a\": 1}"), "not a run of this program"),
        (sentence("[1, 2]"), "not a run of this program"),
        (sentence("{\"format\":\"vivarium-run\"}"), "the version of the format should be a whole number"),
        (
            changed("\"version\":2", "\"version\":3"),
            "newer version of this program (file format 3; this version reads formats up to 2)",
        ),
        (changed("n=20", "n=20&colour=blue"), "colour"),
        (changed("sparse-parity?", "astrology?"), "astrology"),
        (changed("\"step\":100,\n", "\"step\":-1,\n"), "step should be a whole number"),
        (changed("last-step", "boredom"), "null or one of target, last-step, diverged"),
        (changed("\"solved\":[null,50]", "\"solved\":[null]"), "a step or null for each of 2 replicas"),
        (
            changed("\"step\":50,", "\"step\":500,"),
            "measurement 3 was made at step 100, and the previous measurement at step 500",
        ),
        (
            changed("\"step\":50,", "\"step\":0,"),
            "measurement 2 was made at step 0, and the previous measurement at step 0",
        ),
        (
            changed("\"test_loss\":[", "\"test_loss\":[1,"),
            "test_loss of measurement 1 should be one number for each of the 2",
        ),
        (changed("\"test_loss\":[", "\"test_less\":["), "test_loss of measurement 1 should be a list"),
        (changed("\"train_accuracy\":[", "\"train_accuracy\":[\"x\","), "train_accuracy of measurement 1"),
        (changed("\"step\":50,", "\"measures\":{},\"step\":50,"), "absent in this lab"),
        (changed("\"rows\":[", "\"lines\":["), "rows should be a list"),
    ] {
        assert!(found.contains(part), "{part}: {found}");
        assert!(found.chars().next().is_some_and(|c| !c.is_uppercase()) && !found.ends_with('.'), "{found}");
    }
    let deep = format!("{{\"format\":{}1{}}}", "[".repeat(5000), "]".repeat(5000));
    assert!(sentence(&deep).contains("JSON"));
}

#[test]
fn any_byte_may_be_wrong_without_harm() {
    let written = record().to_json().into_bytes();
    for at in 0..written.len() {
        for byte in [b' ', b'9', 0, 0xff] {
            let mut damaged = written.clone();
            damaged[at] = byte;
            let _ = RunFile::read(&damaged);
        }
        let _ = RunFile::read(&written[..at]);
    }
}

#[test]
fn other_files_are_distinguished() {
    let sentence = |bytes: &[u8]| RunFile::read(bytes).unwrap_err().to_string();
    assert!(sentence(b"step,replica,train_loss\n0,0,1\n").contains("table of metrics"));
    for other in [b"\x89PNG\r\n\x1a\n".as_slice(), b"<svg>", b"hello"] {
        assert!(sentence(other).contains("neither a run (JSON) nor weights"));
    }
    assert!(sentence(b"").contains("empty"));
}

#[test]
fn the_table_has_a_line_for_each_measurement_and_replica() {
    let rows = record().rows;
    let text = format_csv(&MeasureNames::default(), rows.iter());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "step,replica,train_loss,train_accuracy,test_loss,test_accuracy");
    assert_eq!(lines.len(), 7);
    assert!(lines[3].starts_with("50,0,") && lines[4].starts_with("50,1,"));
    let back: f32 = lines[6].split(',').nth(4).unwrap().parse().unwrap();
    assert_eq!(back, rows[2].test_loss[1]);
    let mut judged = row_at(0, 1);
    judged.measures = ChainMeasure::ALL.iter().map(|_| vec![]).collect();
    judged.measures[ChainMeasure::OnIndependent as usize] = vec![0.5];
    judged.margin = vec![0.125];
    let more = MeasureNames { further_measures: ChainMeasure::OPTIONS, ..MeasureNames::default() };
    let text = format_csv(&more, [&judged].into_iter());
    assert!(text.lines().next().unwrap().ends_with("test_accuracy,margin,on_iid"), "{text}");
    assert!(text.lines().nth(1).unwrap().ends_with(",0.125,0.5"), "{text}");
}

#[test]
fn several_runs_are_one_table_with_the_columns_of_all() {
    let rows = record().rows;
    let mut judged = row_at(0, 1);
    judged.measures = ChainMeasure::ALL.iter().map(|_| vec![]).collect();
    judged.measures[ChainMeasure::OnIndependent as usize] = vec![0.5];
    let more = MeasureNames { further_measures: ChainMeasure::OPTIONS, ..MeasureNames::default() };
    let run = |name: &'static str, measures: MeasureNames, rows| {
        format_runs_csv(&[RunRows { name, measures, preamble: String::new(), rows }])
    };
    // What a program might take for a comment is in quotes.
    assert!(run("run #2", more, vec![&judged]).contains("\n\"run #2\",0,0,"));
    let preamble = record().csv_preamble();
    let text = format_runs_csv(&[
        RunRows {
            name: "k = 3, η = 0.1",
            measures: MeasureNames::default(),
            preamble: preamble.clone(),
            rows: rows.iter().collect(),
        },
        RunRows { name: "markov", measures: more, preamble: String::new(), rows: vec![&judged] },
    ]);
    assert!(
        text.starts_with(&format!("# run: k = 3, η = 0.1\n{preamble}# run: markov\nrun,step,")),
        "{text}"
    );
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines[0], "run,step,replica,train_loss,train_accuracy,test_loss,test_accuracy,on_iid");
    assert_eq!(lines.len(), 8);
    assert!(lines[3].starts_with("\"k = 3, η = 0.1\",50,0,") && lines[3].ends_with(','), "{}", lines[3]);
    assert!(lines[7].starts_with("markov,0,0,") && lines[7].ends_with(",0.5"), "{}", lines[7]);
    let alone = format_csv(&MeasureNames::default(), rows.iter());
    let second = alone.lines().nth(1).unwrap();
    assert_eq!(lines[1], format!("\"k = 3, η = 0.1\",{second},"));
}

#[test]
fn the_command_is_safe_in_a_shell_and_measures_as_the_page_did() {
    let command = record().command();
    assert_eq!(command, "lab run \"#v1/sparse-parity?n=20&width=64&replicas=2\" --held-out 1024");
    assert_eq!(Record { held_out: 0, ..record() }.command().matches("held").count(), 0);
    // Initial weights of a file are said in the run's own file and in its command, and nowhere where there are none.
    let mut begun = record();
    begun.environment.weights_file = "half way.safetensors".into();
    begun.environment.weights_description =
        "step 50 of #v1/sparse-parity?n=20, checksum 0123456789abcdef".into();
    assert_eq!(Record::parse(begun.to_json().as_bytes()).unwrap(), begun);
    assert!(
        begun.command().contains(" --weights \"half way.safetensors\" --held-out 1024"),
        "{}",
        begun.command()
    );
    assert!(!record().to_json().contains("weights_of") && !record().command().contains("--weights"));
    assert_eq!(quote_shell("it's $(rm)"), "'it'\\''s $(rm)'");
    assert_eq!([quote_shell(""), quote_shell("parity-20")], ["''", "parity-20"]);
}

/// Double quotation marks work in the command prompt of Windows, in PowerShell and in sh.
#[test]
fn a_command_on_a_table_names_its_file_and_label_in_every_shell() {
    use super::dataset::TableChoices;
    use super::{CommandTable, quote_argument};
    let table = CommandTable {
        file: "my houses.csv".into(),
        label: "sold?".into(),
        choices: TableChoices { has_header: Some(true), keeps_counters: true, ..TableChoices::default() },
    };
    let of = Record { held_out: 0, ..record() };
    assert_eq!(
        of.command_on_table(Some(&table)),
        "lab run \"#v1/sparse-parity?n=20&width=64&replicas=2\" --table \"my houses.csv\" --label \"sold?\" --header yes --row-numbers"
    );
    assert!(of.python_code_on_table(Some(&table)).contains(", table=\"my houses.csv\", label=\"sold?\")"));
    for (text, quoted) in [
        ("parity-20", "parity-20"),
        ("", "\"\""),
        ("a,b", "\"a,b\""),
        ("C:\\data\\own.csv", "\"C:\\data\\own.csv\""),
        ("100%", "\"100%\""),
        ("$HOME", "'$HOME'"),
        ("it's \"so\"", "'it'\\''s \"so\"'"),
    ] {
        assert_eq!(quote_argument(text), quoted);
    }
}

#[test]
fn the_python_code_repeats_the_run_or_the_sweep() {
    let link = "#v1/sparse-parity?n=20&width=64&replicas=2";
    let begin = format!("import vivarium; run = vivarium.run(\"{link}\"");
    assert_eq!(record().python_code(), format!("{begin}, held_out=1024); run.finish()"));
    let mut whole = Record { held_out: 0, ..record() };
    assert_eq!(whole.python_code(), format!("{begin}); run.finish()"));
    whole.environment.weights_file = "runs/half way.safetensors".into();
    assert!(whole.python_code().ends_with("  # without the initial weights of half way.safetensors"));
    let (sweep, _) = decode("#v1/sparse-parity?sweep=n:10_20");
    assert_eq!(
        Record { link: sweep, ..record() }.python_code(),
        "import vivarium; sweep = vivarium.sweep(\"#v1/sparse-parity?sweep=n:10_20\"); print(sweep)"
    );
}

/// The bytes of a file of weights, as the library writes them.
pub(super) fn weights_of(spec: &RunSpec) -> Vec<u8> {
    let link = Link { spec: spec.clone(), ..Default::default() };
    let solved = vec!["-"; spec.run.replicas].join(" ");
    let mut parts = vec![format!(
        "\"__metadata__\":{{\"format\":\"{}\",\"link\":\"{}\",\"step\":\"0\",\"solved\":\"{solved}\"}}",
        vivarium_model::run::checkpoint::FORMAT,
        encode(&link)
    )];
    let mut data: Vec<u8> = vec![];
    for (parameter, values) in spec.parameters().iter().zip(spec.initialize_parameters()) {
        let moments = (0..spec.optimizer.moment_count()).map(|i| format!("{}.moment{i}", parameter.name));
        let named = std::iter::once((parameter.name.clone(), values.clone()));
        for (name, values) in named.chain(moments.map(|name| (name, vec![0.0f32; parameter.len()]))) {
            let begin = data.len();
            data.extend(values.iter().flat_map(|v| v.to_le_bytes()));
            let shape = parameter.shape;
            parts.push(format!(
                "\"{name}\":{{\"dtype\":\"F32\",\"shape\":{shape:?},\"data_offsets\":[{begin},{}]}}",
                data.len()
            ));
        }
    }
    let header = format!("{{{}}}", parts.join(","));
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &data].concat()
}

#[test]
fn weights_are_checked_by_their_header() {
    let spec = link("#v1/sparse-parity?opt=adam&n=5&width=3&replicas=2").spec;
    let bytes = weights_of(&spec);
    let header = CheckpointHeader::read(&bytes).unwrap();
    assert_eq!((&header.spec, header.step, header.solved.len()), (&spec, 0, 2));
    assert_eq!(header.tensors[0], ("w".to_string(), [2, 5, 3]));
    assert_eq!(RunFile::read(&bytes).unwrap(), RunFile::Weights(Box::new(header)));
    let sentence = |bytes: &[u8]| RunFile::read(bytes).unwrap_err().to_string();
    assert!(sentence(&bytes[..bytes.len() - 5]).contains("damaged or cut off"));
    assert!(sentence(&bytes[..40]).contains("damaged or cut off"));
    let longer = [&bytes[..], &[0; 4]].concat();
    assert!(sentence(&longer).contains("damaged or cut off"));
    let replaced = |from: &str, to: &str| {
        let at = bytes.windows(from.len()).position(|w| w == from.as_bytes()).unwrap();
        let mut other = bytes.clone();
        other[at..at + from.len()].copy_from_slice(to.as_bytes());
        sentence(&other)
    };
    assert!(replaced("width=3", "width=4").contains("the weights w should be 2 × 5 × 4 numbers"));
    assert!(replaced("vivarium-checkpoint-1", "elsewhere--checkpoint").contains("another program"));
    assert!(replaced("replicas=2", "replicas=3").contains("one entry for each of the 3 replicas"));
    let mut broken = bytes.clone();
    let end = broken.len();
    broken[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
    assert!(sentence(&broken).contains("only finite numbers"));
}

/// A model that is executed gives a whole script, which needs the settings and says where it comes from.
#[test]
fn a_run_that_is_executed_has_a_script_of_its_own() {
    let spec = link("#v1/sparse-parity?n=20&steps=700").spec;
    let whole = "\"\"\"What it is.\"\"\"\n\nS = {\n{{settings}}}\n";
    let data =
        ScriptPart { settings: vec![("rules", "{}".into()), ("bits", "3".into())], ..ScriptPart::default() };
    let model = ScriptPart {
        full_script: Some(whole),
        settings: vec![("bits", "4".into())],
        ..ScriptPart::default()
    };
    let script = torch::assemble_script(&spec, &data, &model, &ScriptPart::default());
    let settings = "S = {\n    \"steps\": 700,\n    \"rules\": {},\n    \"bits\": 4,\n}\n";
    assert!(script.ends_with(&whole.replace("{{settings}}}\n", &settings[6..])), "{script}");
    let (origin, _) = script.split_once("\"\"\"").unwrap();
    assert!(origin.lines().all(|line| line.is_empty() || line.starts_with('#')), "{script}");
    for part in ["#v1/sparse-parity?n=20&steps=700", "lab run \"#v1/", "\" --checkpoint weights.safetensors"]
    {
        assert!(origin.contains(part), "{script}");
    }
    // Python reads an encoding out of the first two lines.
    assert!(origin.lines().take(2).all(|line| !line.contains("v1")), "{script}");
}
