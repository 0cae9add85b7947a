//! Reads CSV tables of metrics that `lab run` and the page wrote, so that figures need no second training.
//!
//! # Why
//! A table has the numbers, and its head or the user names the run. Columns are found with the list that
//! writes them ([`vivarium_view::record`]), so the names that are read are those that are written. The steps
//! at which replicas reached the target are not in the table; they follow from its numbers and the target of
//! the link, as in training.

use std::collections::BTreeMap;

use super::sweep::{swept_keys, swept_values};
use super::{CommandError, open};
use vivarium_model::permalink::{Link, encode};
use vivarium_model::protocol::{EndReason, Measurement};
use vivarium_model::run::{RunSpec, StopCondition, SuccessCriterion};
use vivarium_model::tasks::MeasureNames;
use vivarium_plot::analysis::convergence::best_of_groups;
use vivarium_view::display::data::COLUMNS;
use vivarium_view::display::sweep::SweepProgress;
use vivarium_view::record::preamble::parse_initial_weights;
use vivarium_view::record::spreadsheet::from_decimal_commas;
use vivarium_view::record::{Record, TrainingEnvironment, format_csv_header, list_columns};

/// Contents of a CSV table of metrics: of a run, or of the runs of a sweep.
#[derive(Debug)]
pub enum MeasuredTable {
    /// The measurements of a run.
    Run(Box<Record>),
    /// The times of a sweep's runs.
    Sweep(Box<(Link, SweepProgress)>),
}

/// The error that the CSV table cannot be read, with a sentence about the reason.
fn reject_table<T>(sentence: String) -> Result<T, CommandError> {
    Err(CommandError::bad_link(sentence))
}

/// The link in the comment lines before the table, which begin with "#"; None if there is none.
fn find_link(text: &str) -> Option<&str> {
    let head = text.lines().take_while(|line| line.starts_with('#'));
    let mut values = head.filter_map(|line| Some(line.trim_start_matches('#').split_once(':')?.1.trim()));
    values.find(|value| value.starts_with("#v1/"))
}

/// The link of the run whose table is the text of the file at `path`: the link in the table, or the link
/// `given` on the command line. Both must state the same run.
fn choose_link(path: &str, text: &str, given: Option<&Link>) -> Result<Link, CommandError> {
    let own = find_link(text).map(open::read_link).transpose()?;
    match (own, given) {
        (None, None) => reject_table(format!(
            "{path} does not name its run: add --link with the link of this run, for example --link '#v1/sparse-parity?n=20'"
        )),
        (Some(own), Some(given)) if own.spec != given.spec => reject_table(format!(
            "{path} belongs to the run {}, and --link names another run",
            encode(&Link::from_spec(own.spec))
        )),
        (_, Some(given)) => Ok(given.clone()),
        (Some(own), None) => Ok(own),
    }
}

/// Reads the CSV table `text` of the file at `path`, with decimal points or, if its comment says so, decimal commas;
/// `given` is the link of the run on the command line, for a table that names none.
///
/// # Errors
/// A sentence about the first error in the table.
pub fn read_table(path: &str, text: &str, given: Option<&Link>) -> Result<MeasuredTable, CommandError> {
    let text = from_decimal_commas(text);
    let text: &str = &text;
    let mut table = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
    let names: Vec<String> = match table.headers() {
        Ok(names) => names.iter().map(String::from).collect(),
        Err(why) => return reject_table(format!("{path} cannot be read as CSV: {why}")),
    };
    let first = format_csv_header(&[]);
    let first: Vec<&str> = first.trim_end().split(',').collect();
    let is_run = names.len() > first.len() && names.iter().zip(&first).all(|(name, first)| name == first);
    if names.iter().eq(COLUMNS.split(',')) {
        return reject_table(format!(
            "{path} holds the numbers of charts, as lab probe writes them: lab plot draws the file of one run or of one sweep"
        ));
    }
    let is_of_several = names.get(1).is_some_and(|name| name == first[0]);
    // In the table of a sweep, the settings come before the replica and the time after it.
    let replica = names.iter().position(|name| name == first[1]);
    let is_sweep = !is_run && replica.is_some_and(|at| at > 0 && at + 1 < names.len());
    if is_of_several || (!is_run && !is_sweep) {
        return match is_of_several {
            true => reject_table(format!(
                "{path} holds several runs: lab plot draws the file of one run or of one sweep"
            )),
            false => reject_table(format!(
                "{path} is not a table of a run: its columns should begin with {}, as lab run --format csv writes them",
                first.join(" and ")
            )),
        };
    }
    let link = choose_link(path, text, given)?;
    let lines = table.records().collect::<Result<Vec<_>, _>>();
    let lines = match lines {
        Ok(lines) => lines,
        Err(why) => return reject_table(format!("{path} cannot be read as CSV: {why}")),
    };
    let lines: Vec<Vec<&str>> = lines.iter().map(|line| line.iter().collect()).collect();
    let reject = |why: String| reject_table(format!("{path}: {why}"));
    match SweepProgress::of(&link.spec) {
        None if is_run => {
            let initial = parse_initial_weights(text.lines().take_while(|line| line.starts_with('#')));
            parse_measurements(&link.spec, &names, &lines)
                .and_then(|rows| build_record(link, initial, rows))
                .or_else(reject)
        }
        Some(sweep) if is_sweep => parse_times(&link.spec, sweep, &names, &lines)
            .map(|sweep| MeasuredTable::Sweep(Box::new((link, sweep))))
            .or_else(reject),
        None => reject("this is a table of a sweep, but the link describes a single run".into()),
        Some(_) => reject("this is a table of a single run, but the link describes a sweep".into()),
    }
}

/// Number of values that every measurement has before the further measures of its task: two losses, two
/// accuracies and the margin.
const BASIC_NUMBER_COUNT: usize = 5;

/// Number that stands for the margin in the measurement of [`build_marker_row`]. A column of margins divides
/// them by the largest margin, so the mark stays negative and differs from all other marks, which are indices
/// from 0.
const MARGIN_MARK: f32 = -1.0;

/// A measurement in which each measure has its own index as value (0 train loss, 1 train accuracy and so on),
/// so that the value in a column shows which measure the column holds.
fn build_marker_row(measures: &MeasureNames) -> Measurement {
    let number = |at: usize| vec![at as f32];
    Measurement {
        step: 0,
        train_loss: number(0),
        train_accuracy: number(1),
        test_loss: number(2),
        test_accuracy: number(3),
        margin: vec![MARGIN_MARK],
        measures: (0..measures.further_measures.len()).map(|at| number(BASIC_NUMBER_COUNT + at)).collect(),
    }
}

/// Parses the measurements of a run from a CSV table: `names` are the names of the columns, and `lines` the
/// cells of each line, one line for each step and replica.
fn parse_measurements(
    spec: &RunSpec,
    names: &[String],
    lines: &[Vec<&str>],
) -> Result<Vec<Measurement>, String> {
    let measures = spec.measure_names();
    let marker = build_marker_row(&measures);
    // For each column, the index of its measure.
    let places = |measures: &MeasureNames| {
        let known = list_columns(measures, std::iter::once(&marker));
        let place = |name: &String| {
            let column = known.iter().find(|column| column.key == *name)?;
            match column.values(&marker).first() {
                Some(number) if *number == MARGIN_MARK => Some(BASIC_NUMBER_COUNT - 1),
                Some(number) if *number >= 0.0 => Some(*number as usize),
                // The column is computed from others.
                _ => None,
            }
        };
        names.iter().map(place).collect::<Vec<_>>()
    };
    let missing =
        |places: &[Option<usize>]| (0..BASIC_NUMBER_COUNT - 1).find(|at| !places.contains(&Some(*at)));
    // The previous version had other names.
    let earlier = measures.with_earlier_names();
    let (now, before) = (places(&measures), places(&earlier));
    let places = match missing(&now) {
        None => now,
        Some(_) if missing(&before).is_none() => before,
        Some(at) => return Err(format!("the column {} is missing", measures.names[at])),
    };
    let replicas = spec.run.replicas;
    let mut rows: Vec<Measurement> = vec![];
    for (at, line) in lines.iter().enumerate() {
        let wrong = |what: &str| format!("measurement {} {what}", at + 1);
        let (step, replica): (Option<u64>, Option<usize>) = (line[0].parse().ok(), line[1].parse().ok());
        let (Some(step), Some(replica)) = (step, replica) else {
            return Err(wrong("has no step or no replica"));
        };
        if replica != at % replicas {
            return Err(wrong(&format!("should be of replica {} of {replicas}", at % replicas)));
        }
        if replica == 0 {
            if rows.last().is_some_and(|row| row.step >= step) {
                return Err(wrong("has a step that is not larger than the step before"));
            }
            rows.push(Measurement { step, ..Default::default() });
        }
        let Some(row) = rows.last_mut().filter(|row| row.step == step) else {
            return Err(wrong("has another step than the replicas before"));
        };
        let mut numbers: BTreeMap<usize, f32> = BTreeMap::new();
        for (text, place) in line.iter().zip(&places) {
            if let Some(place) = place.filter(|_| !text.is_empty()) {
                let number = text.parse().map_err(|_| wrong(&format!("has {text} in place of a number")))?;
                numbers.insert(place, number);
            }
        }
        for (place, number) in numbers {
            if place >= BASIC_NUMBER_COUNT {
                row.measures.resize(measures.further_measures.len(), vec![]);
            }
            let list = match place {
                0 => &mut row.train_loss,
                1 => &mut row.train_accuracy,
                2 => &mut row.test_loss,
                3 => &mut row.test_accuracy,
                4 => &mut row.margin,
                more => &mut row.measures[more - BASIC_NUMBER_COUNT],
            };
            list.push(number);
        }
    }
    // The last measurement of a killed run may be incomplete.
    if !lines.len().is_multiple_of(replicas) {
        rows.pop();
    }
    let whole = |row: &Measurement| {
        [&row.train_loss, &row.train_accuracy, &row.test_loss, &row.test_accuracy]
            .iter()
            .all(|list| list.len() == replicas)
    };
    match rows.iter().find(|row| !whole(row)) {
        _ if rows.is_empty() => Err("there are no measurements".into()),
        Some(row) => Err(format!("the measurement of step {} has empty fields", row.step)),
        None => Ok(rows),
    }
}

/// The record of a run with the measurements `rows`. `weights` is the name of the file with its initial
/// weights, `weights_of` the description of that file; both are empty if the link draws the weights.
fn build_record(
    link: Link,
    [weights, weights_of]: [String; 2],
    rows: Vec<Measurement>,
) -> Result<MeasuredTable, String> {
    let settings = &link.spec.run;
    let solved: Vec<Option<u64>> =
        (0..settings.replicas).map(|replica| find_target_step(&link.spec, &rows, replica)).collect();
    let step = rows.last().map_or(0, |row| row.step);
    let served = best_of_groups(&solved, link.spec.task.examples().replicas_per_training_set())
        .iter()
        .all(Option::is_some);
    let ending = match settings.halt {
        StopCondition::Target if served => Some(EndReason::Target),
        _ if step >= settings.steps => Some(EndReason::LastStep),
        _ => None,
    };
    let environment =
        TrainingEnvironment { weights_file: weights, weights_description: weights_of, ..Default::default() };
    Ok(MeasuredTable::Run(Box::new(Record {
        link,
        environment,
        step,
        ending,
        solved,
        rows,
        ..Default::default()
    })))
}

/// First measured step at which replica `replica`, from 0, reached the target of the run (an accuracy or a
/// loss); None if never.
fn find_target_step(spec: &RunSpec, rows: &[Measurement], replica: usize) -> Option<u64> {
    let (target, limit) = (spec.run.target as f32, spec.run.limit as f32);
    let reached = |row: &&Measurement| match spec.run.success {
        SuccessCriterion::Accuracy => row.test_accuracy[replica] >= target,
        SuccessCriterion::Memory => row.train_accuracy[replica] >= target,
        SuccessCriterion::Loss => row.test_loss[replica] <= limit,
    };
    rows.iter().find(reached).map(|row| row.step)
}

/// Parses the results of a sweep into `sweep`, in the order of its runs; the last runs may be missing.
/// `names` are the names of the columns. Each of `lines` has the settings of the run, the replica and the
/// step at which it reached the target (empty if never); further columns are ignored.
fn parse_times(
    spec: &RunSpec,
    mut sweep: SweepProgress,
    names: &[String],
    lines: &[Vec<&str>],
) -> Result<SweepProgress, String> {
    let keys: Vec<&str> = swept_keys(spec).collect();
    if names.len() < keys.len() + 2 || names[..keys.len()] != keys {
        return Err(format!("its first columns should be {}, the settings of the sweep", keys.join(" and ")));
    }
    let mut at = 0;
    let cells = sweep.cells.clone();
    for cell in &cells {
        let of = &cell.spec;
        let group = &lines[at..(at + of.run.replicas).min(lines.len())];
        if group.len() < of.run.replicas {
            break;
        }
        let values: Vec<&str> = swept_values(spec, cell).collect();
        let mut times = vec![];
        for (replica, line) in group.iter().enumerate() {
            let own = &line[keys.len()..];
            let time = if own[1].is_empty() { Some(None) } else { own[1].parse().ok().map(Some) };
            match time.filter(|_| line[..keys.len()] == values && own[0].parse() == Ok(replica)) {
                Some(time) => times.push(time),
                None => {
                    return Err(format!(
                        "line {} should be replica {replica} of the run with {}",
                        at + replica + 1,
                        values.join(", ")
                    ));
                }
            }
        }
        at += times.len();
        sweep.solved_steps.push(best_of_groups(&times, of.task.examples().replicas_per_training_set()));
    }
    match sweep.solved_steps.is_empty() {
        true => Err("there is no run".into()),
        false => Ok(sweep),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_view::record::format_csv;
    use vivarium_view::record::spreadsheet::to_decimal_commas;

    fn link_of(text: &str) -> Link {
        open::read_link(text).unwrap()
    }

    fn row(step: u64, right: &[f32]) -> Measurement {
        Measurement {
            step,
            train_loss: right.iter().map(|r| 1.0 - r).collect(),
            train_accuracy: vec![0.25; right.len()],
            test_loss: vec![f32::NAN; right.len()],
            test_accuracy: right.to_vec(),
            ..Default::default()
        }
    }

    fn record(text: &str, link: Option<&Link>) -> Record {
        let MeasuredTable::Run(record) = read_table("run.csv", text, link).unwrap() else { panic!("a run") };
        *record
    }

    fn parse_errors(text: &str, link: Option<&Link>) -> String {
        let Err(CommandError::BadLink(sentences)) = read_table("run.csv", text, link) else {
            panic!("{text}")
        };
        sentences.join("\n")
    }

    #[test]
    fn a_table_is_the_run_that_it_was_written_of() {
        let link = link_of("#v1/sparse-parity?replicas=2&steps=20&every=10");
        let rows = [row(0, &[0.5, 0.625]), row(10, &[1.0, 0.75]), row(20, &[1.0, 0.1])];
        let text = format_csv(&link.spec.measure_names(), rows.iter());
        let found = record(&text, Some(&link));
        let shown = |rows: &[Measurement]| format!("{rows:?}");
        assert_eq!(shown(&found.rows), shown(&rows));
        assert_eq!((found.solved.as_slice(), found.step), ([Some(10), None].as_slice(), 20));
        assert_eq!(found.ending, Some(EndReason::LastStep));
        // With a head of its own, and as an interrupted command leaves it.
        let named = format!("# program: Vivarium\n# link: {}\n{text}30,0,0,1,", encode(&link));
        assert_eq!(shown(&record(&named.replace("30,0,0,1,", "30,0,0,1,0,1\n"), None).rows), shown(&rows));
        assert!(parse_errors(&named, None).contains("cannot be read as CSV"));
    }

    /// As the page saves it for spreadsheets.
    #[test]
    fn a_table_with_decimal_commas_is_the_same_run() {
        let link = link_of("#v1/sparse-parity?replicas=2&steps=20&every=10");
        let rows = [row(0, &[0.5, 0.625]), row(10, &[1.0, 0.75])];
        let text = format_csv(&link.spec.measure_names(), rows.iter());
        let whole = Record { link: link.clone(), ..Record::default() }.csv_preamble() + &text;
        let found = record(&to_decimal_commas(&whole), None);
        assert_eq!(format!("{:?}", found.rows), format!("{:?}", record(&whole, None).rows));
        assert_eq!((found.rows.len(), found.link), (2, link));
    }

    /// A file of chart data is not a table of measurements, although both begin alike.
    #[test]
    fn a_table_of_charts_is_distinguished_from_a_table_of_a_run() {
        let link = link_of("#v1/sparse-parity?n=20");
        let run = vivarium_view::display::RunView { link: link.clone(), ..Default::default() };
        let charts = vivarium_view::display::data::write_csv(
            &vivarium_view::display::data::build_chart_record(&run),
            &[],
        );
        let sentence = "run.csv holds the numbers of charts, as lab probe writes them: lab plot draws the file of one run or of \
                        one sweep";
        assert_eq!([parse_errors(&charts, None), parse_errors(&charts, Some(&link))], [sentence; 2]);
    }

    #[test]
    fn a_run_from_the_weights_of_a_file_says_so() {
        let link = link_of("#v1/sparse-parity?replicas=1");
        let text = format_csv(&link.spec.measure_names(), [row(0, &[0.5])].iter());
        let mut begun = Record { link: link.clone(), ..Record::default() };
        begun.environment.weights_file = "runs/half.safetensors".into();
        begun.environment.weights_description =
            "step 50 of #v1/sparse-parity?n=77, checksum 0123456789abcdef".into();
        let found = record(&(begun.csv_preamble() + &text), None);
        // The link in that line is the one of another run.
        assert_eq!(
            (&found.link, &found.environment.weights_description),
            (&link, &begun.environment.weights_description)
        );
        assert_eq!(found.environment.weights_file, "half.safetensors");
        assert_eq!(record(&text, Some(&link)).environment, TrainingEnvironment::default());
    }

    #[test]
    fn further_measures_are_found_by_their_names() {
        let link = link_of("#v1/markov?replicas=1");
        let measures = link.spec.measure_names();
        assert!(!measures.further_measures.is_empty());
        let more: Vec<Vec<f32>> =
            (0..measures.further_measures.len()).map(|at| vec![at as f32 + 0.5]).collect();
        let rows = [
            Measurement { measures: more.clone(), ..row(0, &[0.5]) },
            Measurement { measures: more, ..row(10, &[0.5]) },
        ];
        let earlier = measures.with_earlier_names();
        for names in [measures, earlier] {
            let found = record(&format_csv(&names, rows.iter()), Some(&link));
            assert_eq!(format!("{:?}", found.rows), format!("{rows:?}"));
        }
    }

    #[test]
    fn what_is_no_run_is_stated() {
        let link = link_of("#v1/sparse-parity?replicas=2");
        let good = format_csv(&link.spec.measure_names(), [row(0, &[0.5, 0.5]), row(10, &[0.5, 0.5])].iter());
        assert!(parse_errors(&good, None).contains("add --link"), "{}", parse_errors(&good, None));
        let foreign = parse_errors("a,b\n1,2\n", Some(&link));
        assert!(
            foreign.contains("is not a table of a run: its columns should begin with step and replica"),
            "{foreign}"
        );
        assert!(parse_errors(&format!("run,{good}"), Some(&link)).contains("several runs"));
        let other = link_of("#v1/sparse-parity?n=77");
        assert!(
            parse_errors(&format!("# link: {}\n{good}", encode(&link)), Some(&other))
                .contains("names another run")
        );
        let sweep = link_of("#v1/sparse-parity?sweep=n:10_20");
        assert!(parse_errors(&good, Some(&sweep)).contains("the link describes a sweep"));
        let three = link_of("#v1/sparse-parity?replicas=3");
        assert!(
            parse_errors(&good, Some(&three)).contains("should be of replica 2 of 3"),
            "{}",
            parse_errors(&good, Some(&three))
        );
        let empty = good.lines().next().unwrap().to_string() + "\n";
        assert!(parse_errors(&empty, Some(&link)).contains("no measurements"));
        let word = good.replacen("0.25", "soon", 1);
        assert!(parse_errors(&word, Some(&link)).contains("has soon in place of a number"));
        let short = "step,replica,x\n0,0,1\n";
        assert!(
            parse_errors(short, Some(&link)).contains("is missing"),
            "{}",
            parse_errors(short, Some(&link))
        );
    }

    #[test]
    fn the_table_that_the_page_saves_of_a_sweep_is_read() {
        let link = link_of("#v1/sparse-parity?replicas=2&sweep=n:10_20&series=k:2_3");
        let mut sweep = SweepProgress::of(&link.spec).unwrap();
        sweep.solved_steps = vec![vec![Some(50), None], vec![Some(70), Some(80)], vec![None, Some(9)]];
        let text = sweep.format_csv(&link.spec);
        let MeasuredTable::Sweep(found) = read_table("sweep.csv", &text, Some(&link)).unwrap() else {
            panic!("a sweep")
        };
        assert_eq!(found.1.solved_steps, sweep.solved_steps);
    }

    #[test]
    fn times_of_a_sweep_are_read_in_the_order_of_its_runs() {
        let link = link_of("#v1/sparse-parity?replicas=2&sweep=n:10_20&series=k:2_3");
        let text = "n,k,replica,t_c\n10,2,0,50\n10,2,1,\n10,3,0,70\n10,3,1,80\n20,2,0,90\n";
        let more = text.lines().map(|line| format!("{line},budget\n")).collect::<String>();
        for text in [text, &more] {
            let MeasuredTable::Sweep(found) = read_table("sweep.csv", text, Some(&link)).unwrap() else {
                panic!()
            };
            assert_eq!(
                found.1.solved_steps,
                [vec![Some(50), None], vec![Some(70), Some(80)]],
                "the third is cut off"
            );
        }
        for (text, why) in [
            (text.replace("n,k", "n,width"), "its first columns should be n and k"),
            (text.replace("10,3,0", "10,4,0"), "should be replica 0 of the run with 10, 3"),
            (text.replace(",80", ",soon"), "should be replica 1"),
        ] {
            assert!(parse_errors(&text, Some(&link)).contains(why), "{}", parse_errors(&text, Some(&link)));
        }
    }
}
