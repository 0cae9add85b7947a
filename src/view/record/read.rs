//! Reading a run's JSON, piece by piece.
//!
//! # Why
//! A tree of all values takes thirty times the bytes of a file of small numbers. Here nothing is kept but what a run has:
//! lists are counted before they grow, texts and depth have a limit, and of many measurements as many are kept as a page
//! draws. What follows from the link is checked afterwards ([`RawRun::check`]), so that a program that knows no links
//! can read the file.

use std::cell::RefCell;
use std::io::{self, BufReader, Read};

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::preamble::{self, LAB_KEY};
use super::values::{
    EnvironmentReader, KeySeed, LooseValue, LooseValueSeed, MAX_TEXT_BYTES, SettingsReader, TextLimiter,
    shorten,
};
use super::{ENDING_NAMES, ENVIRONMENT_KEYS, FORMAT, FileError, Record, TrainingEnvironment, VERSION};
use vivarium_model::permalink::{Link, TEACHER_KEYS, decode};
use vivarium_model::protocol::{EndReason, Measurement};
use vivarium_model::run::RunSpec;
use vivarium_model::sweep::cells;
use vivarium_model::tasks::Task;
use vivarium_model::tasks::measures::{EARLIER_NAMES, MeasureSlot, NamedSlot, named_slots};

/// Largest number of measurements in a run's JSON file; a file with more is rejected.
const MAX_ROWS: usize = 1 << 20;

/// Largest number of replicas in a run's JSON file, equal to the upper limit of the setting; a file with longer lists
/// is rejected.
const MAX_REPLICAS: usize = 4096;

/// Largest number of runs of a sweep in a JSON file; a file with more is rejected.
const MAX_SWEEP_RUNS: usize = 1 << 16;
/// Largest total number of entries, one per run and replica, in a sweep's lists of steps at which the target was
/// reached; a file with more is rejected.
const MAX_SWEEP_TIMES: usize = 1 << 22;

/// Decodes the link in a file; an error if any part of the link is invalid.
pub(super) fn parse_link(text: &str) -> Result<Link, FileError> {
    let (link, notices) = decode(text);
    let kept = |key: &str| TEACHER_KEYS.contains(&key) && link.teacher_keys.iter().any(|r| r.0 == key);
    match notices.iter().find(|notice| !kept(&notice.key)) {
        Some(notice) => Err(FileError::Link(notice.to_string())),
        None => Ok(link),
    }
}

/// Options for reading the measurements of a JSON file.
pub(super) struct ReadOptions {
    /// Expected number of replicas; if `None`, the length of the first list of numbers decides.
    pub(super) replicas: Option<usize>,
    /// Number of kept measurements at which every second one is dropped; this repeats while the file is read.
    pub(super) max_rows: usize,
}

/// Contents of a run's JSON file before they are compared with the link.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RawRun {
    /// Whether the field "format" identifies a file of this program.
    pub(super) is_ours: bool,
    /// Version of the file format as the file states it; `None` if the file lacks it.
    version: Option<u64>,
    /// Link of the run as the file states it; `None` if the file lacks it.
    pub(super) link: Option<String>,
    /// Settings listed in the file next to the link, as (key, value).
    settings: Vec<(String, String)>,
    /// Program, device and files with which the run was trained, in the order of [`ENVIRONMENT_KEYS`].
    environment: [String; ENVIRONMENT_KEYS.len()],
    /// Training steps completed, as the file states it; `None` if the file lacks the number.
    step: Option<u64>,
    /// Reason why the run ended; `None` if it can continue or the file states no reason.
    ending: Option<EndReason>,
    /// Number of held-out examples used in measurements, as stated in the file.
    held_out: Option<u64>,
    /// Step at which each replica reached the target, the inner value `None` if the replica did not; the outer value is
    /// `None` if the file lacks the list.
    solved: Option<Vec<Option<u64>>>,
    /// For each finished run of a sweep, the step at which each replica reached the target.
    times: Vec<Vec<Option<u64>>>,
    /// Number of measurements in the file, thinned ones included; `None` if the file lacks the list.
    pub measurements: Option<usize>,
    /// Number, counted from 1, of the first measurement that contains measures besides loss and accuracy; `None` if no
    /// measurement does.
    judged: Option<usize>,
    /// Number of replicas in the file's measurements; `None` without measurements.
    replicas: Option<usize>,
    /// Measurements that are kept after thinning; sent to the page apart from the other fields.
    #[serde(skip)]
    pub(super) rows: Vec<Measurement>,
}

impl RawRun {
    /// Reads the JSON file from `source`; dynamic dispatch keeps one compiled copy of the parser.
    pub(super) fn read(&mut self, source: &mut dyn Read, form: &ReadOptions) -> Result<(), FileError> {
        let context = ReadContext { first_error: RefCell::new(None), options: form };
        let source = BufReader::with_capacity(1 << 16, TextLimiter::new(source));
        let mut reader = serde_json::Deserializer::from_reader(source);
        let read =
            RunReader { raw: self, context: &context }.deserialize(&mut reader).and_then(|()| reader.end());
        let Err(error) = read else { return Ok(()) };
        use serde_json::error::Category;
        Err(match (error.classify(), context.first_error.into_inner()) {
            (Category::Data, flaw) => flaw.unwrap_or(FileError::Foreign),
            (Category::Io, _) if error.io_error_kind() == Some(io::ErrorKind::InvalidData) => {
                FileError::LongText(MAX_TEXT_BYTES >> 20)
            }
            (Category::Io, _) => FileError::Unreadable,
            (category, _) => FileError::NotJson {
                line: error.line(),
                column: error.column().max(1),
                ends_early: category == Category::Eof,
            },
        })
    }

    /// Takes the kept measurements out of this struct and leaves it without measurements, so that they can be sent to
    /// the page apart from the other fields.
    pub fn take_rows(&mut self) -> Vec<Measurement> {
        std::mem::take(&mut self.rows)
    }

    /// Puts the measurements `rows`, which were sent apart from the other fields, back into the contents of the file.
    pub fn with_rows(self, rows: Vec<Measurement>) -> RawRun {
        RawRun { rows, ..self }
    }

    /// Checks the contents against the link and builds the record.
    ///
    /// # Errors
    /// The first [`FileError`] that is found.
    pub fn check(self) -> Result<Record, FileError> {
        if !self.is_ours {
            return Err(FileError::Foreign);
        }
        let whole = |value: Option<u64>, place: &str| {
            value.ok_or_else(|| FileError::invalid_field(place, tr!("a whole number")))
        };
        whole(self.version, tr!("the version of the format"))?;
        let text = self.link.as_deref();
        let link = parse_link(text.ok_or_else(|| {
            FileError::invalid_field(tr!("the link"), tr!("a text that begins with #v1/"))
        })?)?;
        if let Some(flaw) = find_contradiction(&link.spec, &self.settings) {
            return Err(flaw);
        }
        let runs = cells(&link.spec);
        let replicas = link.spec.run.replicas;
        let steps = |values: Vec<Option<u64>>, place: &str, replicas: usize| match values.len() == replicas {
            true => Ok(values),
            false => Err(FileError::invalid_field(place, describe_step_list(replicas))),
        };
        let solved = match (runs.is_empty(), self.solved) {
            (false, _) => vec![],
            (true, None) => return Err(FileError::invalid_field("solved", tr!("a list"))),
            (true, Some(solved)) => steps(solved, "solved", replicas)?,
        };
        let times = self.times.into_iter().zip(&runs).enumerate();
        let times = times.map(|(i, (times, cell))| {
            steps(times, &format!("times of run {}", i + 1), cell.spec.run.replicas)
        });
        let times = times.collect::<Result<_, _>>()?;
        if self.measurements.is_none() {
            return Err(FileError::invalid_field("rows", tr!("a list")));
        }
        if let Some(found) = self.replicas.filter(|found| *found != replicas) {
            let name = link.spec.measure_names().names[0];
            return Err(FileError::invalid_field(
                measurement_place(name, 1),
                describe_number_list(replicas, found),
            ));
        }
        if let Some(at) =
            self.judged.filter(|_| !link.spec.task.examples().measure_names().has_further_measures())
        {
            return Err(FileError::invalid_field(
                measurement_place("measures", at),
                tr!("absent in this lab"),
            ));
        }
        let [program, front, device, learner, system, weights, weights_of] = self.environment;
        Ok(Record {
            environment: TrainingEnvironment {
                program,
                frontend: front,
                device,
                learner,
                system,
                weights_file: weights,
                weights_description: weights_of,
            },
            step: whole(self.step, "step")?,
            ending: self.ending,
            held_out: whole(self.held_out, "held_out")? as usize,
            solved,
            rows: self.rows,
            times,
            link,
        })
    }
}

/// Error of the first setting in `listed` that differs from the run `spec` of the file's link; `None` if all agree.
/// Files of earlier versions may lack settings or write values differently.
fn find_contradiction(spec: &RunSpec, listed: &[(String, String)]) -> Option<FileError> {
    let same = |key: &str, linked: &str, text: &str| {
        if linked == text {
            return true;
        }
        if key == LAB_KEY {
            return Task::from_slug(text).is_some_and(|task| task.info().slug == linked);
        }
        let mut read = spec.clone();
        read.parse(key, text).is_ok() && read.value(key) == spec.value(key)
    };
    let all = preamble::list_settings(spec);
    let differs = |(key, linked): (&'static str, String)| {
        let text = &listed.iter().find(|(of, _)| of == key)?.1;
        (!same(key, &linked, text)).then(|| FileError::Settings {
            key: key.into(),
            linked: shorten(&linked),
            listed: shorten(text),
        })
    };
    all.into_iter().find_map(differs)
}

/// Name, in error messages, of the field `key` of the measurement with number `at`, counted from 1 in the file.
fn measurement_place(key: &str, at: usize) -> String {
    format!("{key} of measurement {at}")
}

/// For error messages: describes a valid list of training steps with one entry for each of `replicas` replicas.
fn describe_step_list(replicas: usize) -> String {
    tr!("a step or null for each of {replicas} replicas", replicas)
}

/// For error messages: describes a valid list of numbers, one for each of `replicas` replicas, and says that the list
/// has `values` numbers.
fn describe_number_list(replicas: usize, values: usize) -> String {
    tr!("one number for each of the {replicas} replicas, but there are {values} numbers", replicas, values)
}

/// Context shared by all readers of a JSON file: the options, and the first invalid content found in valid JSON.
struct ReadContext<'a> {
    /// First error found in the contents; of nested readers, the innermost finds it first.
    first_error: RefCell<Option<FileError>>,
    /// Options for reading the file's measurements: expected number of replicas, and when measurements are thinned.
    options: &'a ReadOptions,
}

impl ReadContext<'_> {
    /// Records `flaw`, an error in the file's contents, unless there is one already: of nested readers, the innermost
    /// records first.
    fn record_error(&self, flaw: impl FnOnce() -> FileError) {
        self.first_error.borrow_mut().get_or_insert_with(flaw);
    }

    /// Records `flaw`, an error in the file's contents, and returns a placeholder error that makes the JSON parser
    /// stop.
    fn fail<E: Error>(&self, flaw: impl FnOnce() -> FileError) -> E {
        self.record_error(flaw);
        E::custom("refused")
    }
}

/// Implements a JSON reader for a struct with a field for its results and one for the context; accepts only lists or
/// only objects.
macro_rules! reads {
    ($name:ident, $visit:ident: $access:ident, $words:literal, |$this:ident, $from:ident| -> $value:ty $body:block) => {
        impl<'de> DeserializeSeed<'de> for $name<'_> {
            type Value = $value;

            fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<$value, D::Error> {
                from.deserialize_any(self)
            }
        }

        impl<'de> Visitor<'de> for $name<'_> {
            type Value = $value;

            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str($words)
            }

            fn $visit<A: $access<'de>>(self, mut $from: A) -> Result<$value, A::Error> {
                let $this = self;
                $body
            }
        }
    };
}

/// Reads a JSON list of numbers, one per replica; null becomes NaN.
struct NumbersReader<'a> {
    /// Name of the list in error messages, such as "train_loss of measurement 3".
    place: &'a dyn Fn() -> String,
    /// Expected number of values in the list; set by the first list of the file if it is not known before.
    replicas: &'a mut Option<usize>,
    /// Options, and first error found in the file.
    context: &'a ReadContext<'a>,
}

reads!(NumbersReader, visit_seq: SeqAccess, "a list", |this, list| -> Vec<f32> {
    let max_count = this.replicas.unwrap_or(MAX_REPLICAS);
    let (mut values, mut count) = (Vec::with_capacity(this.replicas.unwrap_or(0).min(MAX_REPLICAS)), 0);
    while let Some(value) = list.next_element_seed(LooseValueSeed)? {
        let value = match value {
            LooseValue::Null => f32::NAN,
            LooseValue::Whole(value) => value as f64 as f32,
            LooseValue::Real(value) => value as f32,
            _ => {
                return Err(this.context.fail(|| {
                    FileError::invalid_field((this.place)(), tr!("numbers, or null"))
                }));
            }
        };
        count += 1;
        // Those that are too many are counted and not kept; of a list without end not even that.
        if count <= max_count {
            values.push(value);
        } else if count > MAX_REPLICAS {
            break;
        }
    }
    let replicas = *this.replicas.get_or_insert(count.min(MAX_REPLICAS));
    match count == replicas {
        true => Ok(values),
        false => Err(this.context.fail(|| FileError::invalid_field((this.place)(), describe_number_list(replicas, count)))),
    }
});

/// Reads a JSON list of steps, one per replica; null becomes `None`.
struct StepsReader<'a> {
    /// Name of the list in error messages, such as "times of run 3".
    place: &'a dyn Fn() -> String,
    /// Options, and first error found in the file.
    context: &'a ReadContext<'a>,
}

reads!(StepsReader, visit_seq: SeqAccess, "a list", |this, list| -> Vec<Option<u64>> {
    let wrong = || FileError::invalid_field((this.place)(), describe_step_list(MAX_REPLICAS));
    let mut steps = vec![];
    while let Some(value) = list.next_element_seed(LooseValueSeed)? {
        let step = match value {
            LooseValue::Null => None,
            value => Some(value.into_whole().ok_or_else(|| this.context.fail(wrong))?),
        };
        if steps.len() == MAX_REPLICAS {
            return Err(this.context.fail(wrong));
        }
        steps.push(step);
    }
    Ok(steps)
});

/// Reads the lists of steps at which replicas reached the target, one list per run of a sweep.
struct SweepTimesReader<'a> {
    /// Options, and first error found in the file.
    context: &'a ReadContext<'a>,
}

reads!(SweepTimesReader, visit_seq: SeqAccess, "a list", |this, list| -> Vec<Vec<Option<u64>>> {
    let (mut times, mut count): (Vec<Vec<_>>, usize) = (vec![], 0);
    loop {
        let place = || format!("times of run {}", times.len() + 1);
        let next = list.next_element_seed(StepsReader { place: &place, context: this.context });
        let note = |_: &A::Error| this.context.record_error(|| FileError::invalid_field(place(), tr!("a list")));
        let Some(steps) = next.inspect_err(note)? else { return Ok(times) };
        count += steps.len();
        if times.len() == MAX_SWEEP_RUNS || count > MAX_SWEEP_TIMES {
            let expected = tr!("at most {most} lists", most = MAX_SWEEP_RUNS);
            return Err(this.context.fail(|| FileError::invalid_field("times", expected)));
        }
        times.push(steps);
    }
});

/// Index of the list in a [`Measurement`] that this name stands for, in the order of [`EARLIER_NAMES`]: 0 training
/// loss, 1 training accuracy, 2 held-out loss, 3 held-out accuracy, 4 margin; `None` for further measures and for the
/// margin divided by its largest value.
fn list_index(name: &NamedSlot) -> Option<usize> {
    let slots = [
        MeasureSlot::TrainLoss,
        MeasureSlot::TrainAccuracy,
        MeasureSlot::TestLoss,
        MeasureSlot::TestAccuracy,
        MeasureSlot::Margin,
    ];
    slots.iter().position(|slot| *slot == name.slot)
}

/// Keys that a measurement may have in files: those of the previous version, those of all tasks, then "step" and
/// "measures".
struct MeasurementKeys {
    /// All keys of a measurement's own fields, without those inside "measures".
    keys: Vec<&'static str>,
    /// For each of `keys`, the index in the order of [`EARLIER_NAMES`] of the field that it stands for; `None` for
    /// "step" and "measures".
    lists: Vec<Option<usize>>,
    /// Keys inside "measures", and in the same order, for each key, (its index, from 0, among the further measures of
    /// its task; number of further measures of that task).
    further: (Vec<&'static str>, Vec<(usize, usize)>),
}

impl MeasurementKeys {
    /// Collects the keys that measurements of any task may have.
    fn new() -> MeasurementKeys {
        let mut keys: Vec<&'static str> = EARLIER_NAMES.into();
        let mut lists: Vec<_> = (0..EARLIER_NAMES.len()).map(Some).collect();
        let (mut further, mut places) = (vec![], vec![]);
        for name in named_slots() {
            match list_index(name) {
                // The first that is found counts, and the same names stand for the same numbers.
                Some(list) if !keys.contains(&name.name) => {
                    keys.push(name.name);
                    lists.push(Some(list));
                }
                None if name.slot == MeasureSlot::Further => {
                    further.push(name.name);
                    places.push(name.further);
                }
                _ => {}
            }
        }
        let earlier = Task::ENTRIES.iter().filter_map(|entry| Task::from_slug(entry.info.slug));
        for task in earlier {
            let more = task.examples().measure_names().further_measures;
            further.extend(more.iter().map(|measure| measure.slug));
            places.extend((0..more.len()).map(|at| (at, more.len())));
        }
        keys.extend(["step", "measures"]);
        lists.extend([None, None]);
        MeasurementKeys { keys, lists, further: (further, places) }
    }
}

/// Reads one measurement; returns it and whether it contains measures besides loss and accuracy.
struct RowReader<'a> {
    /// Number of the measurement in the file, from 1.
    at: usize,
    /// Keys that a measurement may have in the file.
    names: &'a MeasurementKeys,
    /// Keys of the four common lists in this file, for error messages.
    own: [&'static str; 4],
    /// Number of replicas; set by the first list of the file if it is not known before.
    replicas: &'a mut Option<usize>,
    /// Options, and first error found in the file.
    context: &'a ReadContext<'a>,
}

reads!(RowReader, visit_map: MapAccess, "an object", |this, object| -> (Measurement, bool) {
    let (at, context, names) = (this.at, this.context, this.names);
    let (mut step, mut lists, mut measures) = (None, [const { None }; EARLIER_NAMES.len()], None);
    while let Some(key) = object.next_key_seed(KeySeed(&names.keys))? {
        match key.map(|key| (key, names.lists[key])) {
            Some((key, Some(list))) => {
                let place = || measurement_place(names.keys[key], at);
                let numbers = NumbersReader { place: &place, replicas: &mut *this.replicas, context };
                let note = |_: &A::Error| context.record_error(|| FileError::invalid_field(place(), tr!("a list")));
                lists[list] = Some(object.next_value_seed(numbers).inspect_err(note)?);
            }
            Some((key, None)) if names.keys[key] == "step" => {
                step = object.next_value_seed(LooseValueSeed)?.into_whole();
            }
            Some(_) => {
                let all = MeasuresReader { at, names, replicas: &mut *this.replicas, context };
                let wrong = || FileError::invalid_field(measurement_place("measures", at), tr!("an object"));
                measures = Some(object.next_value_seed(all).inspect_err(|_| context.record_error(wrong))?);
            }
            None => drop(object.next_value_seed(LooseValueSeed)?),
        }
    }
    let step = step
        .ok_or_else(|| context.fail(|| FileError::invalid_field(measurement_place("step", at), tr!("a whole number"))))?;
    if let Some(missing) = lists[..4].iter().position(Option::is_none) {
        return Err(context.fail(|| FileError::invalid_field(measurement_place(this.own[missing], at), tr!("a list"))));
    }
    let [train_loss, train_accuracy, test_loss, test_accuracy, margin] = lists.map(Option::unwrap_or_default);
    let is_judged = measures.is_some();
    let measures = measures.unwrap_or_default();
    Ok((Measurement { step, train_loss, train_accuracy, test_loss, test_accuracy, margin, measures }, is_judged))
});

/// Reads the object "measures" of a measurement: the task's measures besides loss, accuracy and margin.
struct MeasuresReader<'a> {
    /// Number of the measurement in the file, from 1.
    at: usize,
    /// Keys that the object "measures" may have in the file.
    names: &'a MeasurementKeys,
    /// Number of replicas; set by the first list of the file if it is not known before.
    replicas: &'a mut Option<usize>,
    /// Options, and first error found in the file.
    context: &'a ReadContext<'a>,
}

reads!(MeasuresReader, visit_map: MapAccess, "an object", |this, object| -> Vec<Vec<f32>> {
    let (names, places) = &this.names.further;
    let mut measures = vec![];
    while let Some(key) = object.next_key_seed(KeySeed(names))? {
        match key {
            Some(which) => {
                let place = || measurement_place(names[which], this.at);
                let numbers = NumbersReader { place: &place, replicas: &mut *this.replicas, context: this.context };
                let note = |_: &A::Error| this.context.record_error(|| FileError::invalid_field(place(), tr!("a list")));
                let values = object.next_value_seed(numbers).inspect_err(note)?;
                let (at, all) = places[which];
                measures.resize(measures.len().max(all), vec![]);
                measures[at] = values;
            }
            None => drop(object.next_value_seed(LooseValueSeed)?),
        }
    }
    Ok(measures)
});

/// Reads the list of all measurements of a run; whenever `ReadOptions::max_rows` of them are kept, every second one is
/// dropped.
struct RowsReader<'a> {
    /// Contents of the run's file, whose measurements this reader fills in.
    raw: &'a mut RawRun,
    /// Options, and first error found in the file.
    context: &'a ReadContext<'a>,
}

reads!(RowsReader, visit_seq: SeqAccess, "a list", |this, list| -> () {
    let RowsReader { raw, context } = this;
    let (mut replicas, mut last, mut stride) = (context.options.replicas, None::<Measurement>, 1);
    // The link stands before the measurements in every file that this program has written.
    let own = raw.link.as_deref().and_then(|text| parse_link(text).ok());
    let earlier = [EARLIER_NAMES[0], EARLIER_NAMES[1], EARLIER_NAMES[2], EARLIER_NAMES[3]];
    let own = own.filter(|_| raw.version != Some(1)).map_or(earlier, |link| link.spec.measure_names().names);
    let names = MeasurementKeys::new();
    raw.rows.clear();
    raw.judged = None;
    let mut seen = 0;
    loop {
        let at = seen + 1;
        let next = list.next_element_seed(RowReader { at, names: &names, own, replicas: &mut replicas, context });
        let note = |_: &A::Error| {
            context.record_error(|| FileError::invalid_field(tr!("measurement {at}", at), tr!("an object")));
        };
        let Some((row, is_judged)) = next.inspect_err(note)? else { break };
        if seen == MAX_ROWS {
            return Err(context.fail(|| FileError::TooMany(MAX_ROWS)));
        }
        if let Some(before) = last.as_ref().map(|row| row.step).filter(|before| *before >= row.step) {
            return Err(context.fail(|| FileError::Order { at, step: row.step, before }));
        }
        if is_judged {
            raw.judged.get_or_insert(at);
        }
        // As the curves of a page are thinned while it trains.
        if let Some(before) = last.replace(row).filter(|_| (seen - 1).is_multiple_of(stride)) {
            raw.rows.push(before);
        }
        seen += 1;
        if raw.rows.len() >= context.options.max_rows.max(2) {
            let mut place = 0;
            raw.rows.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            stride *= 2;
        }
    }
    raw.rows.extend(last);
    (raw.measurements, raw.replicas) = (Some(seen), replicas.filter(|_| seen > 0));
    Ok(())
});

/// Reads the whole JSON file of a run, one top-level field after another.
struct RunReader<'a> {
    /// Contents of the run's file, whose fields this reader fills in.
    raw: &'a mut RawRun,
    /// Options, and first error found in the file.
    context: &'a ReadContext<'a>,
}

reads!(RunReader, visit_map: MapAccess, "an object", |this, object| -> () {
    let RunReader { raw, context } = this;
    /// Keys of the top-level fields of a run's JSON file.
    const KEYS: [&str; 11] = [
        "format", "version", "link", "settings", "environment", "step", "ending", "held_out", "solved", "times",
        "rows",
    ];
    while let Some(key) = object.next_key_seed(KeySeed(&KEYS))? {
        let place = || key.map_or_else(String::new, |key| KEYS[key].into());
        let a_list = |_: &A::Error| context.record_error(|| FileError::invalid_field(place(), tr!("a list")));
        match key.map(|key| KEYS[key]) {
            Some("format") => {
                let format = object.next_value_seed(LooseValueSeed)?.into_text();
                let ours = format.filter(|format| format == FORMAT);
                ours.ok_or_else(|| context.fail(|| FileError::Foreign))?;
                raw.is_ours = true;
            }
            Some("version") => {
                raw.version = object.next_value_seed(LooseValueSeed)?.into_whole();
                // Of another program "version" may be anything.
                if let Some(newer) = raw.version.filter(|it| *it > VERSION && raw.is_ours) {
                    return Err(context.fail(|| FileError::Newer(newer)));
                }
            }
            Some("link") => raw.link = object.next_value_seed(LooseValueSeed)?.into_text(),
            Some("settings") => {
                raw.settings.clear();
                object.next_value_seed(SettingsReader { settings: &mut raw.settings })?;
            }
            Some("environment") => object.next_value_seed(EnvironmentReader { values: &mut raw.environment })?,
            Some("step") => raw.step = object.next_value_seed(LooseValueSeed)?.into_whole(),
            Some("ending") => {
                raw.ending = match object.next_value_seed(LooseValueSeed)? {
                    LooseValue::Null => None,
                    word => {
                        let word = word.into_text();
                        let known = ENDING_NAMES.iter().find(|(_, known)| word.as_deref() == Some(known));
                        let words = || ENDING_NAMES.map(|(_, word)| word).join(", ");
                        let wrong =
                            || FileError::invalid_field("ending", tr!("null or one of {words}", words = words()));
                        Some(known.ok_or_else(|| context.fail(wrong))?.0)
                    }
                }
            }
            Some("held_out") => raw.held_out = object.next_value_seed(LooseValueSeed)?.into_whole(),
            Some("solved") => {
                let steps = StepsReader { place: &place, context };
                raw.solved = Some(object.next_value_seed(steps).inspect_err(a_list)?);
            }
            Some("times") => raw.times = object.next_value_seed(SweepTimesReader { context }).inspect_err(a_list)?,
            Some(_) => object.next_value_seed(RowsReader { raw: &mut *raw, context }).inspect_err(a_list)?,
            None => drop(object.next_value_seed(LooseValueSeed)?),
        }
    }
    // Said here too, since the version may stand before the format.
    match raw.version.filter(|version| *version > VERSION && raw.is_ours) {
        Some(newer) => Err(context.fail(|| FileError::Newer(newer))),
        None => Ok(()),
    }
});
