//! Files name measures by what they are, and begin with what is known of their run.

use serde_json::Value;

use super::tests::{link, record, row_at, sweep};
use super::*;
use vivarium_model::permalink::ViewSettings;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Task;
use vivarium_model::tasks::measures::{EARLIER_NAMES, named_slots};

/// The usual run of a lab, with two measurements that have everything.
fn run(lab: &str) -> Record {
    let spec = RunSpec::default_of_lab(lab).unwrap();
    let (replicas, more) = (spec.run.replicas, spec.measure_names().further_measures.len());
    let row = |step: u64| {
        let mut row = row_at(step, replicas);
        row.margin = vec![0.5; replicas];
        row.measures = (0..more).map(|which| vec![which as f32; replicas]).collect();
        row
    };
    let view = ViewSettings::default_of_task(&spec.task);
    Record {
        solved: vec![None; replicas],
        rows: vec![row(0), row(50)],
        link: Link { spec, view, ..Default::default() },
        ..record()
    }
}

fn table(record: &Record, measures: &MeasureNames) -> String {
    record.csv_preamble() + &format_csv(measures, record.rows.iter())
}

/// The line that names the columns.
fn head(csv: &str) -> Vec<&str> {
    csv.lines().find(|line| !line.starts_with('#')).unwrap().split(',').collect()
}

#[test]
fn the_measures_of_every_task_have_its_names_in_both_formats() {
    for (entry, lists) in Task::ENTRIES.iter().zip(Task::MEASURES) {
        let run = run(entry.info.slug);
        let measures = run.link.spec.measure_names();
        let defined: Vec<&str> = lists.iter().copied().flatten().map(|measure| measure.name).collect();
        let mut expected = measures.names.to_vec();
        expected.extend(["margin"]);
        expected.extend(measures.largest_margin.map(|_| "margin_over_max"));
        expected.extend(measures.further_names);
        for name in expected.iter().filter(|name| !name.starts_with("margin")) {
            assert!(defined.contains(name), "{}: {name} has no definition", entry.info.slug);
        }
        let text = table(&run, &measures);
        assert_eq!(head(&text), [&["step", "replica"][..], &expected].concat(), "{}", entry.info.slug);
        let json: Value = serde_json::from_str(&run.to_json()).unwrap();
        let row = &json["rows"][1];
        for name in expected {
            let found = row.get(name).or_else(|| row["measures"].get(name));
            let count = found.and_then(Value::as_array).map(Vec::len);
            assert_eq!(count, Some(run.link.spec.run.replicas), "{}: {name}", entry.info.slug);
        }
        assert_eq!(Record::parse(run.to_json().as_bytes()).unwrap(), run, "{}", entry.info.slug);
    }
}

/// As version 0.1 of this program wrote them: the same names for all tasks, further measures by their slugs.
#[test]
fn files_with_the_earlier_names_are_read() {
    for entry in Task::ENTRIES {
        let run = run(entry.info.slug);
        let measures = run.link.spec.measure_names().with_earlier_names();
        let rows: String =
            run.rows.iter().enumerate().map(|(at, row)| json_row(&measures, row, at == 0)).collect();
        let text = run.earlier_json_head() + &rows + &run.json_tail(false);
        assert!(text.contains("\"version\":1,"), "{text}");
        for name in EARLIER_NAMES {
            assert!(text.contains(&format!("\"{name}\":[")), "{}: {name}", entry.info.slug);
        }
        assert_eq!(Record::parse(text.as_bytes()).unwrap(), run, "{}", entry.info.slug);
    }
    let kept = "{\n\"format\":\"vivarium-run\",\n\"version\":1,\n\"link\":\"#v1/markov?replicas=2\",\n\
                \"settings\":{\"lab\":\"markov\"},\n\"environment\":{},\n\"held_out\":256,\n\"rows\":[\n\
                {\"step\":0,\"train_loss\":[1.5,1.25],\"train_accuracy\":[0.5,0.25],\"test_loss\":[0.75,0.5],\
                \"test_accuracy\":[-1.68,0.125],\"measures\":{\"on-iid\":[3.0,4.0]}}\n],\n\
                \"step\":0,\n\"ending\":null,\n\"solved\":[null,null]\n}\n";
    let read = Record::parse(kept.as_bytes()).unwrap();
    assert_eq!(read.rows[0].test_accuracy, [-1.68, 0.125]);
    assert_eq!(read.rows[0].measures[8], [3.0, 4.0]);
}

/// Whoever changes the link of a file would show its measurements as those of another run.
#[test]
fn a_file_whose_settings_are_not_those_of_its_link_is_refused() {
    let parity =
        Record { link: link("#v1/sparse-parity?n=20&lr=0.1"), solved: vec![None], ..Record::default() };
    let written = Record { rows: vec![row_at(0, 1)], ..parity }.to_json();
    let changed = |from: &str, to: &str| {
        assert!(written.contains(from), "{from}: {written}");
        Record::parse(written.replacen(from, to, 1).as_bytes()).map_err(|flaw| flaw.to_string())
    };
    let said = |key: &str, linked: &str, listed: &str| {
        format!(
            "the link and the settings of this file contradict each other: {key} is {linked} according to the link, and {listed} according to the settings"
        )
    };
    let own = written.split_once("\"link\":\"").unwrap().1.split_once('"').unwrap().0;
    for (other, key, linked, listed) in [
        ("#v1/groups", "lab", "groups", "sparse-parity"),
        ("#v1/sparse-parity?n=20&lr=0.1&model=polynet", "model", "polynet", "mlp"),
        ("#v1/sparse-parity?n=20&lr=0.1&opt=adam", "opt", "adam", "sgd"),
        ("#v1/sparse-parity?lr=0.1", "n", "50", "20"),
        ("#v1/sparse-parity?n=20&lr=0.1&seed=3", "seed", "3", "0"),
    ] {
        assert_eq!(changed(own, other).unwrap_err(), said(key, linked, listed), "{other}");
    }
    // What is shown beside the run is no setting of the run.
    assert!(changed(own, "#v1/sparse-parity?n=20&lr=0.1&y=log").is_ok());
    // Earlier versions had fewer settings, or others, and the same value may be written in other words.
    assert!(changed("\"n\":\"20\",", "").is_ok());
    assert!(changed("\"n\":\"20\",", "\"n\":\"20\",\"colour\":\"blue\",").is_ok());
    assert!(changed("\"lr\":\"0.1\"", "\"lr\":\"0.10\"").is_ok());
    assert_eq!(changed("\"n\":\"20\"", "\"n\":\"21\"").unwrap_err(), said("n", "20", "21"));
    assert!(changed("\"settings\":{", "\"settings\":0,\"others\":{").is_ok());
}

/// An error names the key as the file has it.
#[test]
fn what_is_missing_is_named_as_in_the_file() {
    let text = run(Task::ENTRIES[2].info.slug).to_json();
    let flaw = |from: &str, to: &str| {
        assert!(text.contains(from), "{text}");
        Record::parse(text.replacen(from, to, 1).as_bytes()).unwrap_err().to_string()
    };
    assert_eq!(flaw("\"kl_to_truth\":", "\"kl\":"), "kl_to_truth of measurement 1 should be a list");
    let several = flaw("\"share_of_bigram\":[", "\"share_of_bigram\":[0,");
    assert!(several.starts_with("share_of_bigram of measurement 1 should be one number"), "{several}");
    let further = flaw("\"induction_attention\":[", "\"induction_attention\":[0,");
    assert!(further.starts_with("induction_attention of measurement 1 should be one number"), "{further}");
}

#[test]
fn names_follow_what_is_measured() {
    let names = |text: &str| link(text).spec.measure_names().names;
    assert_eq!(names("#v1/groups?frac=0.5")[2..], ["test_cross_entropy", "test_accuracy"]);
    assert_eq!(names("#v1/groups")[2..], ["cross_entropy_on_all_pairs", "accuracy_on_all_pairs"]);
    assert_eq!(names("#v1/sparse-parity?n=8")[2..], ["test_loss", "test_accuracy"]);
    let cube = names("#v1/sparse-parity?n=8&data=cube");
    assert_eq!(cube[2..], ["loss_on_all_inputs", "accuracy_on_all_inputs"]);
    for (settings, share) in [
        ("gram=2", "share_of_bigram"),
        ("gram=3", "share_of_trigram"),
        ("gram=4", "share_of_tetragram"),
        ("test=iid", "share_of_unigram"),
    ] {
        assert_eq!(names(&format!("#v1/markov?{settings}"))[3], share);
    }
    let search = names("#v1/succinct-learning?model=cell-rules");
    assert_eq!(search[..2], ["validation_error", "validation_accuracy"]);
}

#[test]
fn margins_are_divided_by_the_closed_form() {
    let largest = |text: &str| link(text).spec.measure_names().largest_margin;
    // √(2/27) / (√23 · 22), and 4! √(2 · 5⁻⁵).
    assert!((largest("#v1/groups?n=23").unwrap() / 0.002_579_57 - 1.0).abs() < 1e-5);
    let cube = "#v1/sparse-parity?model=power-net&n=10&k=4&degree=4&data=cube";
    assert!((largest(cube).unwrap() / 0.607_157 - 1.0).abs() < 1e-5);
    for unknown in ["groups?n=23&frac=0.5", "groups?n=23&act=relu", "groups?op=mul", "groups?nu=2", "markov"]
    {
        assert_eq!(largest(&format!("#v1/{unknown}")), None, "{unknown}");
    }
    let spec = link("#v1/groups?n=23").spec;
    let (measures, margin) = (spec.measure_names(), 0.002_f32);
    let row = Measurement { margin: vec![margin], ..row_at(0, 1) };
    let share = f64::from(margin) / measures.largest_margin.unwrap();
    let text = format_csv(&measures, [&row].into_iter());
    assert!(head(&text).ends_with(&["margin", "margin_over_max"]), "{text}");
    let last: f64 = text.trim_end().rsplit(',').next().unwrap().parse().unwrap();
    assert!((last / share - 1.0).abs() < 1e-6 && (share - 0.7753).abs() < 1e-3, "{last} {share}");
    let json: Value = serde_json::from_str(json_row(&measures, &row, true).trim()).unwrap();
    assert!((json["margin_over_max"][0].as_f64().unwrap() / share - 1.0).abs() < 1e-6, "{json}");
}

#[test]
fn a_file_begins_with_what_is_known_of_its_run() {
    let run = record();
    let text = table(&run, &run.link.spec.measure_names());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], format!("# program: {}", TrainingEnvironment::program()));
    assert_eq!(lines[1], format!("# link: {}", encode(&run.link)));
    assert_eq!(
        lines[2..5],
        ["# settings.lab: sparse-parity", "# settings.model: mlp", "# settings.opt: sgd"]
    );
    // Also settings that have their defaults.
    let spec = &run.link.spec;
    for (_, setting) in spec.settings() {
        let value = spec.value(setting.key).unwrap().to_string();
        let line = format!("# settings.{}: {value}", setting.key);
        assert!(lines.contains(&line.as_str()), "{line}: {text}");
    }
    let relevant: Vec<usize> = spec.task.examples().relevant(0).iter().map(|at| at + 1).collect();
    assert!(lines.contains(&format!("# relevant: {}", preamble::format_list(&relevant)).as_str()), "{text}");
    assert!(lines.contains(&"# t_c_resolution: 50") && lines.contains(&"# held_out: 1024"), "{text}");
    assert_eq!(head(&text)[..3], ["step", "replica", "train_loss"]);
    let json: Value = serde_json::from_str(&run.to_json()).unwrap();
    assert_eq!(json["relevant"], Value::from(relevant));
    assert_eq!(json["t_c_resolution"], Value::from(50));
    assert_eq!(json["settings"]["batch"], Value::from("32"));
    // Such a table is told from one to learn, and a value of several lines stays in one.
    let flaw = head::detect_kind("table.csv", text.len() as u64, text.as_bytes());
    assert_eq!(flaw, Err(FileError::Table));
    let circuit = link("#v1/boolean-circuit?circuit=own");
    let about = preamble::format_run_lines("Vivarium", "#v1/x", &circuit.spec, None);
    assert!(about.lines().all(|line| line.starts_with("# ") && line.contains(": ")), "{about}");
}

/// A file that lacks measurements says so, with the resolution that its lines have.
#[test]
fn a_file_with_every_eighth_measurement_says_so() {
    let row = |step| Measurement { step, test_loss: vec![0.5], ..Default::default() };
    let run =
        Record { link: link("#v1/sparse-parity?every=25"), solved: vec![Some(75)], ..Default::default() };
    let whole = Record { rows: [0, 25, 50].map(row).into(), ..run.clone() };
    let thinned = Record { rows: [0, 200, 400, 425].map(row).into(), ..run };
    let field = |record: &Record, key: &str| {
        let json: Value = serde_json::from_str(&record.to_json()).unwrap();
        json[key].as_u64()
    };
    assert!(whole.csv_preamble().contains("# t_c_resolution: 25\n"));
    assert!(!whole.csv_preamble().contains("measurement_stride"));
    assert_eq!(field(&whole, "measurement_stride"), None);
    let text = thinned.csv_preamble();
    assert!(text.contains("# t_c_resolution: 200\n# measurement_stride: 8\n"), "{text}");
    assert_eq!(
        (field(&thinned, "measurement_stride"), field(&thinned, "t_c_resolution")),
        (Some(8), Some(25))
    );
    assert_eq!(preamble::measurement_stride(25, [400, 425].into_iter()), 1);
    assert_eq!(
        preamble::measurement_stride(25, [410, 600].into_iter()),
        8,
        "resumed between two measurements"
    );
    assert_eq!(preamble::measurement_stride(25, [0].into_iter()), 1);
}

/// Also where the name of the file looks like what follows it.
#[test]
fn initial_weights_of_a_file_are_stated_in_one_line_and_read_back() {
    let run = record();
    let drawn = run.csv_preamble();
    assert!(!drawn.contains("initial_weights"), "{drawn}");
    assert!(!run.json_about().join(",").contains("initial_weights"));
    let none = || [const { String::new() }; 2];
    assert_eq!(preamble::parse_initial_weights(drawn.lines()), none());
    let [step, sum] = ["step 50 of #v1/sparse-parity?n=20", "checksum 0123456789abcdef"];
    for (file, what) in [
        ("half.safetensors", format!("{step}, {sum}")),
        ("/home/me/half way, step 3 of 7.safetensors", format!("{step}, {sum}")),
        ("C:\\runs\\a, step 3.safetensors", sum.to_string()),
        ("half.safetensors", String::new()),
    ] {
        let mut begun = run.clone();
        (begun.environment.weights_file, begun.environment.weights_description) = (file.into(), what.clone());
        let name = file.rsplit(['/', '\\']).next().unwrap();
        let said = if what.is_empty() { name.to_string() } else { format!("{name}, {what}") };
        let text = begun.csv_preamble();
        assert_eq!(text, format!("{drawn}# initial_weights: {said}\n"));
        assert_eq!(preamble::parse_initial_weights(text.lines()), [name.to_string(), what]);
        let json: Value = serde_json::from_str(&format!("{{{}}}", begun.json_about().join(","))).unwrap();
        assert_eq!(json["initial_weights"], Value::from(said));
        // The run's own JSON has the path as it was given, for the command that makes the run again.
        assert_eq!(Record::parse(begun.to_json().as_bytes()).unwrap(), begun);
    }
}

/// Whatever has no measurements of its own says the same of the run as its JSON does.
#[test]
fn the_fields_about_a_run_are_those_of_its_json() {
    let run = record();
    let about: Value = serde_json::from_str(&format!("{{{}}}", run.json_about().join(","))).unwrap();
    let keys: Vec<&str> = about.as_object().unwrap().keys().map(String::as_str).collect();
    let mut expected = ["program", "link", "settings", "held_out", "relevant", "t_c_resolution"];
    expected.sort_unstable();
    let sorted = |mut keys: Vec<&str>| {
        keys.sort_unstable();
        keys.join(" ")
    };
    assert_eq!(sorted(keys), expected.join(" "));
    let json: Value = serde_json::from_str(&run.to_json()).unwrap();
    for key in ["link", "settings", "held_out", "relevant", "t_c_resolution"] {
        assert_eq!(about[key], json[key], "{key}");
    }
    assert_eq!(about["program"], json["environment"]["program"]);
}

#[test]
fn a_sweep_has_the_relevant_set_of_each_run_where_these_differ() {
    let of = |text: &str| Record { link: link(text), ..sweep() }.relevant_sets();
    let one = of("#v1/sparse-parity?n=9&s=2.4.9&sweep=lr:0.1_0.2");
    assert_eq!(one, Some(vec![vec![2, 4, 9]]));
    let several = of("#v1/sparse-parity?n=40&sweep=seed:1_2_3").unwrap();
    assert_eq!(several.len(), 3);
    assert_eq!(of("#v1/markov?sweep=seed:1_2_3"), None);
    let json = Record { link: link("#v1/sparse-parity?n=40&sweep=seed:1_2_3"), ..sweep() }.to_json();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["relevant"], serde_json::to_value(several).unwrap());
}

/// Names that files of the version before have stand for what they stood for, whatever is added.
#[test]
fn earlier_slugs_are_no_new_names_of_something_else() {
    for entry in Task::ENTRIES {
        let task = Task::from_slug(entry.info.slug).unwrap();
        let more = task.examples().measure_names().further_measures;
        for (which, measure) in more.iter().enumerate() {
            let same = named_slots().iter().find(|named| named.name == measure.slug && named.further.1 > 0);
            assert!(same.is_none_or(|named| named.further == (which, more.len())), "{}", measure.slug);
        }
    }
}
