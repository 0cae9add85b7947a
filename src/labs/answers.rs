//! What a network answers to a few held-out examples, one of which stands beside the task's sentence: what goes in, what should
//! come out, and what comes out now.

use vivarium_core::bounds::SLICE;
use vivarium_model::protocol::Finding;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{Batch, Form};
use vivarium_view::display::words::{significant, thousands};
use vivarium_view::display::{Example, RunView};
use vivarium_view::probing::{AtOnce, Probe, ProbeSpec, Probed};

/// The outputs of the first replica for the first held-out examples, as [`Network::evaluate`](vivarium_model::models::Network::evaluate)
/// gives them: `[examples]`, with a number for each class or, of prompts, for each position.
///
/// # Why
/// Labs whose networks are written down or searched for have a probe that tells all that an answer follows from: their
/// examples are made from what it finds, and this one does not apply.
pub const ANSWERS: Probe = Probe { name: "answers", applies };

/// The probe with its measurement.
pub const SPEC: ProbeSpec = ProbeSpec { probe: ANSWERS, job: |_| Some(Box::new(AtOnce(answers))) };

/// Held-out examples that are shown one by one, at most.
pub const SHOWN: usize = 16;
/// Most numbers of a network that is asked, since all of them are read for it.
const MOST_NUMBERS: u64 = 1 << 20;
/// Most operations of all answers together, as the cost model counts them, so that they take some ten milliseconds: of
/// those that [`SLICE`] counts, each is a product and a sum.
const MOST_OPERATIONS: u64 = 2 * SLICE;
/// Inputs of an example that are written down with their places, at most.
const WRITTEN: usize = 6;
/// The same where inputs are numbers with several digits.
const WRITTEN_NUMBERS: usize = 4;
/// Numbers of a vector that are written down, at most.
const LISTED: usize = 3;

fn applies(spec: &RunSpec) -> Result<(), String> {
    let examples = spec.task.examples();
    let is_asked = match examples.form() {
        Form::Bits | Form::Row | Form::Pair | Form::Sequence | Form::Trace | Form::Points => {
            spec.model.config().has_weights()
        }
        // A memory that is written down reads prompts too.
        Form::Prompt => true,
        Form::Fit | Form::Steps | Form::Circuit | Form::Program => false,
    };
    if !is_asked {
        return Err(tr!("Available only for networks that give answers to single examples.").into());
    }
    match spec.architecture().numbers(examples.inputs(), 1) <= MOST_NUMBERS && asked(spec) > 0 {
        true => Ok(()),
        false => Err(tr!(
            "This network is too large for the page to compute answers to single examples during training."
        )
        .into()),
    }
}

/// How many examples the network is asked about: fewer of a network that takes longer.
fn asked(spec: &RunSpec) -> usize {
    (MOST_OPERATIONS / spec.answer()).min(SHOWN as u64) as usize
}

/// The examples that are shown; with table files, none before the file is there.
pub(super) fn shown(spec: &RunSpec) -> Batch {
    let mut batch = Batch::default();
    spec.task.sampler().held_out(spec.run.seed, 0, asked(spec), &mut batch);
    batch
}

fn answers(network: &Probed) -> Option<Finding> {
    let (spec, batch) = (&network.spec, shown(&network.spec));
    let model = spec.network();
    let outputs = model.evaluate(&network.slices(), network.inputs(), &batch.x, model.stages() - 1);
    Some(Finding::of(ANSWERS.id()).with_numbers(outputs))
}

/// How many examples there are to show of a run.
pub fn count(run: &RunView) -> usize {
    let (lab, spec) = (run.lab(), run.spec());
    if lab.answers().is_none_or(|probe| (probe.applies)(spec).is_err()) {
        return 0;
    }
    let of_network = || asked(spec).min(spec.task.examples().held_out_size().unwrap_or(SHOWN));
    lab.shown(spec).unwrap_or_else(of_network)
}

/// Example `at`, alone; none behind the last one that is shown, nor of a run that shows none.
pub(super) fn held_out(run: &RunView, at: usize) -> Option<Batch> {
    let (spec, mut batch) = (run.spec(), Batch::default());
    (at < count(run)).then(|| spec.task.sampler().held_out(spec.run.seed, at, 1, &mut batch))?;
    Some(batch)
}

/// The outputs for example `at`, of `size` numbers each, with the step that they are of.
pub(super) fn outputs(run: &RunView, at: usize, size: usize) -> Option<(u64, &[f32])> {
    let (step, finding) = run.found.get(&ANSWERS.id())?;
    Some((*step, finding.numbers.get(at * size..(at + 1) * size)?))
}

pub(super) fn sign(value: f32) -> &'static str {
    if value > 0.0 { "+1" } else { "−1" }
}

/// A number with three digits, or 0.
pub(super) fn number(value: f64) -> String {
    if value == 0.0 { "0".into() } else { significant(value) }
}

/// An input as it is written: "0.310", "(0.310, −1.20)", and of a long one its beginning.
pub(super) fn vector(numbers: &[f64]) -> String {
    let written = |numbers: &[f64]| numbers.iter().map(|x| number(*x)).collect::<Vec<_>>().join(", ");
    match numbers {
        [one] => number(*one),
        few if few.len() <= LISTED => format!("({})", written(few)),
        many => format!("({}, …)", written(&many[..LISTED])),
    }
}

/// What is said of an answer that is a number, at a step.
pub(super) fn told(step: u64, answer: f64) -> String {
    let (step, answer) = (thousands(step), number(answer));
    tr!("The network's answer at step {step}: {answer}.", step, answer)
}

/// What is said of the answer at the last of `size` positions of example `at`; nothing before the network was asked.
pub(super) fn told_at_last(run: &RunView, at: usize, size: usize) -> String {
    let last = |(step, outputs): (u64, &[f32])| Some(told(step, f64::from(*outputs.last()?)));
    outputs(run, at, size).and_then(last).unwrap_or_default()
}

/// What is said of an answer at a step that is right or wrong.
pub(super) fn said(step: u64, answer: &str, is_right: bool) -> String {
    let step = thousands(step);
    match is_right {
        true => tr!("The network's answer at step {step}: {answer}. Right.", step, answer),
        false => tr!("The network's answer at step {step}: {answer}. Wrong.", step, answer),
    }
}

/// Example `at` of inputs that are numbers, with a sign for a label; none where examples are of another kind.
pub fn of_numbers(run: &RunView, at: usize) -> Option<Example> {
    let spec = run.spec();
    let (form, columns) = (spec.task.examples().form(), spec.task.examples().columns());
    let batch = held_out(run, at).filter(|_| form.is_a(Form::Bits))?;
    let (x, label) = (batch.x.get(..columns)?, *batch.y.first()?);
    let most = if form.has_bits() { WRITTEN } else { WRITTEN_NUMBERS };
    let mut places: Vec<usize> = run.relevant.iter().copied().filter(|place| *place < columns).collect();
    let relevant = places.len();
    if relevant == 0 {
        places = (0..columns).collect();
    }
    places.truncate(most);
    let one = |place: &usize| {
        let (name, value) = (place + 1, x[*place]);
        match form.has_bits() {
            true => tr!("bit {name} is {value}", name, value = sign(value)),
            false => tr!("column {name} is {value}", name, value = significant(f64::from(value))),
        }
    };
    let written = places.iter().map(one).collect::<Vec<_>>().join(", ");
    let example = at + 1;
    let given = match columns - places.len() {
        0 => tr!("Example {example}: {written}.", example, written),
        _ if relevant == 0 => {
            tr!(
                "Example {example}: {written}, and so on for all {columns} inputs.",
                example,
                written,
                columns
            )
        }
        _ if relevant > most => tr!(
            "Example {example}: {written}, and so on for all {relevant} relevant inputs.",
            example,
            written,
            relevant
        ),
        more => tr!(
            "Example {example}: {written}. The label does not depend on the other {more} inputs.",
            example,
            written,
            more
        ),
    };
    let answer = outputs(run, at, 1).map(|(step, output)| {
        let output = output[0];
        if output == 0.0 {
            let step = thousands(step);
            return tr!(
                "The network's answer at step {step}: 0, which has no sign. It counts as half a right answer.",
                step
            );
        }
        let number = significant(f64::from(output));
        let answer = tr!("{output}, so the sign is {sign}", output = number, sign = sign(output));
        said(step, &answer, output * label > 0.0)
    });
    Some(Example {
        given,
        label: tr!("The label is {label}.", label = sign(label)),
        answer: answer.unwrap_or_default(),
    })
}

/// Example `at` of pairs of elements, which `name` names; none where examples are of another kind.
pub fn of_pairs(run: &RunView, at: usize, name: impl Fn(usize) -> String) -> Option<Example> {
    let spec = run.spec();
    let classes = spec.task.examples().classes()?;
    let batch = held_out(run, at).filter(|_| spec.task.examples().form() == Form::Pair)?;
    let (pair, label) = (batch.x.first_chunk::<2>()?, *batch.y.first()? as usize);
    let [a, b] = pair.map(|element| name(element as usize));
    let example = at + 1;
    let answer = outputs(run, at, classes).and_then(|(step, outputs)| {
        let (best, _) = outputs.iter().enumerate().max_by(|(_, one), (_, other)| one.total_cmp(other))?;
        Some(said(step, &name(best), best == label))
    });
    Some(Example {
        given: tr!("Example {example}: the elements {a} and {b}.", example, a, b),
        label: tr!("The label is {label}.", label = name(label)),
        answer: answer.unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asked::{ask, asked, begun, brief, initial};
    use crate::{LABS, lazy};
    use vivarium_model::run::RunSpec as Spec;
    use vivarium_model::tasks::Task;

    #[test]
    fn an_example_has_its_bits_its_label_and_the_networks_answer() {
        let (run, _) = asked("#v1/sparse-parity?n=12&k=3&width=16&replicas=2");
        assert_eq!(count(&run), SHOWN);
        for at in 0..SHOWN {
            let example = of_numbers(&run, at).unwrap();
            let minus = example.given.matches("is −1").count();
            assert_eq!(example.given.matches("bit ").count(), 3, "{example:?}");
            assert!(
                example.given.ends_with("The label does not depend on the other 9 inputs."),
                "{example:?}"
            );
            let label = if minus.is_multiple_of(2) { "The label is +1." } else { "The label is −1." };
            assert_eq!(example.label, label, "{example:?}");
            let says_plus = example.answer.contains("so the sign is +1");
            let is_right = says_plus == (minus.is_multiple_of(2));
            assert!(example.answer.starts_with("The network's answer at step 7: "), "{example:?}");
            assert!(example.answer.ends_with(if is_right { "Right." } else { "Wrong." }), "{example:?}");
        }
        assert_eq!(of_numbers(&run, SHOWN), None);
    }

    #[test]
    fn a_pair_has_the_names_of_its_elements() {
        let (run, _) = asked("#v1/groups?n=5&width=8&frac=0.6");
        assert_eq!(count(&run), 10, "as many pairs as are held out");
        let example = lazy(run.spec()).example(&run, 3).unwrap();
        let digits: Vec<usize> =
            example.given.bytes().filter(u8::is_ascii_digit).map(|digit| usize::from(digit - b'0')).collect();
        assert_eq!(digits[0], 4, "{example:?}");
        assert_eq!(example.label, format!("The label is {}.", (digits[1] + digits[2]) % 5), "{example:?}");
        assert!(example.answer.starts_with("The network's answer at step 7: "), "{example:?}");
    }

    #[test]
    fn a_student_is_asked_what_its_teacher_says() {
        let (run, weights) = asked("#v1/teacher-student?begin=gaussian");
        let Task::TeacherStudent(task) = &run.spec().task else { panic!("another task") };
        let (teacher, batch) = (task.teacher(run.spec().run.seed), shown(run.spec()));
        assert_eq!(count(&run), SHOWN);
        for (at, x) in batch.x.chunks(task.n).enumerate() {
            let example = lazy(run.spec()).example(&run, at).unwrap();
            brief(&example);
            assert!(example.given.ends_with("and so on for all 100 inputs."), "{example:?}");
            let field: f64 = x.iter().zip(&teacher).map(|(x, w)| f64::from(*x) * w).sum();
            assert_eq!(example.label, format!("The label is {}.", if field < 0.0 { "−1" } else { "+1" }));
            let output: f64 = x.iter().zip(&weights[0]).map(|(x, w)| f64::from(*x) * f64::from(*w)).sum();
            let expected = if output < 0.0 { "so the sign is −1" } else { "so the sign is +1" };
            assert!(example.answer.contains(expected), "{output}: {example:?}");
        }
        // Without weights there is no sign.
        let (run, _) = asked("#v1/teacher-student?n=9");
        let answer = of_numbers(&run, 0).unwrap().answer;
        assert_eq!(
            answer,
            "The network's answer at step 7: 0, which has no sign. It counts as half a right answer."
        );
    }

    #[test]
    fn inputs_that_matter_are_said_to_matter_where_not_all_are_written_down() {
        let (run, _) = asked("#v1/sparse-parity?n=20&k=8&width=16");
        let given = of_numbers(&run, 0).unwrap().given;
        assert!(given.ends_with(", and so on for all 8 relevant inputs."), "{given}");
        assert_eq!(given.matches("bit ").count(), WRITTEN);
    }

    #[test]
    fn every_lab_shows_examples_at_its_usual_run() {
        for task in Task::ENTRIES {
            let spec = Spec::of_lab(task.info.slug).unwrap();
            let mut run = begun(&format!("#v1/{}", task.info.slug));
            assert_eq!(*run.spec(), spec);
            assert!(count(&run) > 1, "{}", task.info.slug);
            let before = run.lazy().unwrap().example(&run, 0).unwrap();
            assert_eq!(before.answer, "", "{}: nobody has been asked", task.info.slug);
            let weights = initial(&run);
            ask(&mut run, 7, &weights);
            let all: Vec<Example> =
                (0..count(&run)).filter_map(|at| run.lazy().unwrap().example(&run, at)).collect();
            assert_eq!(all.len(), count(&run), "{}", task.info.slug);
            all.iter().for_each(brief);
            assert!(all.iter().all(|example| !example.answer.is_empty()), "{all:?}");
            assert_ne!(all[0].given, all[1].given);
        }
    }

    #[test]
    fn trees_are_not_asked() {
        let run = begun("#v1/tabular?model=random-forest");
        assert_eq!((count(&run), of_numbers(&run, 0)), (0, None));
        let (table, _) = asked("#v1/tabular");
        assert!(of_numbers(&table, 0).unwrap().given.contains("column "));
        assert!(RunView::default().labs.all.is_empty() && !LABS.all.is_empty());
    }
}
