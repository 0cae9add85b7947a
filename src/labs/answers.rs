//! The network's outputs for a few held-out examples, and the texts that show one of them next to the task's sentence:
//! input, label and present output.

use vivarium_core::bounds::PAGE_SLICE_OPERATIONS;
use vivarium_model::protocol::ProbeResult;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{Batch, ExampleForm, TaskData};
use vivarium_view::display::words::{format_significant, format_thousands};
use vivarium_view::display::{HeldOutExample, RunView};
use vivarium_view::probing::{Probe, ProbeSpec, ProbedNetwork, SinglePassMeasurement};

/// Probe of the network outputs of the first replica for the first held-out examples, concatenated, in the order of
/// [`Network::evaluate`](vivarium_model::models::Network::evaluate): for each example one number, or one per class, or
/// for a prompt one per position.
///
/// # Why
/// Labs whose networks are constructed or searched for have a probe that reads all parameters. They compute the outputs
/// of their examples from its result, and this probe does not apply to them.
pub const ANSWERS: Probe = Probe { name: "answers", applies };

/// The probe [`ANSWERS`] with the function that measures it.
pub const SPEC: ProbeSpec =
    ProbeSpec::new(ANSWERS, |_| Some(Box::new(SinglePassMeasurement(compute_answers))));

/// Maximum number of held-out examples of a run that the page offers to show one by one, each with input, label and
/// network output.
pub const MAX_EXAMPLES: usize = 16;
/// Networks with more parameters than this have no probe [`ANSWERS`], which copies all parameters to compute the
/// outputs for single held-out examples.
const MAX_PARAMETERS: u64 = 1 << 20;
/// Maximum number of floating-point operations, as the cost model counts them, for the network's outputs on all shown
/// held-out examples together (about ten milliseconds). A unit of [`PAGE_SLICE_OPERATIONS`] is a multiplication and an
/// addition, hence the factor 2.
const MAX_OPERATIONS: u64 = 2 * PAGE_SLICE_OPERATIONS;
/// Maximum number of input bits listed in the text of a held-out example, such as "bit 3 is +1"; further bits are left
/// out.
const MAX_WRITTEN_BITS: usize = 6;
/// Maximum number of real-valued inputs listed in the text of a held-out example, such as "column 3 is 0.310"; further
/// inputs are left out.
const MAX_WRITTEN_REALS: usize = 4;
/// Maximum number of entries of a vector written in a text; longer vectors end with "…".
const MAX_VECTOR_ENTRIES: usize = 3;

/// `Ok` if the probe [`ANSWERS`] can be measured on a run: its network gives an output for a single example, and is
/// small enough; otherwise the reason why not.
fn applies(spec: &RunSpec) -> Result<(), String> {
    let answers_examples = match spec.task.data() {
        TaskData::Bits(_)
        | TaskData::Rows
        | TaskData::Pairs
        | TaskData::Sequences(_)
        | TaskData::Traces(_)
        | TaskData::Points(_) => spec.model.config().has_weights(),
        // A memory that is written down reads prompts too.
        TaskData::Prompts(_) => true,
        TaskData::Fit(_) | TaskData::Steps(_) | TaskData::Circuit(_) | TaskData::Program(_) => false,
    };
    if !answers_examples {
        return Err(tr!("Available only for networks that give answers to single examples.").into());
    }
    match spec.architecture().numbers(spec.task.examples().inputs(), 1) <= MAX_PARAMETERS
        && affordable_example_count(spec) > 0
    {
        true => Ok(()),
        false => Err(tr!(
            "This network is too large for the page to compute answers to single examples during training."
        )
        .into()),
    }
}

/// The number of held-out examples on which a forward pass of the run's network costs at most [`MAX_OPERATIONS`] in
/// total; at most [`MAX_EXAMPLES`].
fn affordable_example_count(spec: &RunSpec) -> usize {
    (MAX_OPERATIONS / spec.forward_operations()).min(MAX_EXAMPLES as u64) as usize
}

/// The first held-out examples of a run, for which the probe [`ANSWERS`] computes outputs; empty while the data file of
/// a run on a table has not been loaded.
pub(super) fn sample_examples(spec: &RunSpec) -> Batch {
    let mut batch = Batch::default();
    spec.task.sampler().append_held_out(spec.run.seed, 0, affordable_example_count(spec), &mut batch);
    batch
}

/// Evaluates the first replica's network on the first held-out examples of its run; the result of the probe
/// [`ANSWERS`].
fn compute_answers(network: &ProbedNetwork) -> Option<ProbeResult> {
    let (spec, batch) = (&network.spec, sample_examples(&network.spec));
    let model = spec.network();
    let outputs = model.evaluate(&network.slices(), network.inputs(), &batch.x, model.stages() - 1);
    Some(ProbeResult::new(ANSWERS.id()).with_numbers(outputs))
}

/// The number of held-out examples of a run that the page can show one by one; 0 if the lab's probe of network outputs
/// does not apply to the run.
pub fn example_count(run: &RunView) -> usize {
    let (lab, spec) = (run.lab(), run.spec());
    if lab.answer_probe().is_none_or(|probe| (probe.applies)(spec).is_err()) {
        return 0;
    }
    let of_network =
        || affordable_example_count(spec).min(spec.task.examples().held_out_count().unwrap_or(MAX_EXAMPLES));
    lab.shown_example_count(spec).unwrap_or_else(of_network)
}

/// A batch with only the held-out example with index `at`, from 0; none if `at` is not below [`example_count`].
pub(super) fn sample_example(run: &RunView, at: usize) -> Option<Batch> {
    let (spec, mut batch) = (run.spec(), Batch::default());
    (at < example_count(run))
        .then(|| spec.task.sampler().append_held_out(spec.run.seed, at, 1, &mut batch))?;
    Some(batch)
}

/// The training step of the latest result of [`ANSWERS`], and in it the network's outputs for the held-out example with
/// index `at`, from 0; `size` is the number of outputs per example. None before the first result, and if the result has
/// no such example.
pub(super) fn example_outputs(run: &RunView, at: usize, size: usize) -> Option<(u64, &[f32])> {
    let (step, finding) = run.latest_results.get(&ANSWERS.id())?;
    Some((*step, finding.numbers.get(at * size..(at + 1) * size)?))
}

/// The sign of a label or a network output as text: "+1" for a positive number, otherwise "−1".
pub(super) fn format_sign(value: f32) -> &'static str {
    if value > 0.0 { "+1" } else { "−1" }
}

/// An input, label or network output as text with three significant digits, or "0".
pub(super) fn format_number(value: f64) -> String {
    if value == 0.0 { "0".into() } else { format_significant(value) }
}

/// A vector as text: "0.310" for one entry, "(0.310, −1.20)" for several; after [`MAX_VECTOR_ENTRIES`] entries it ends
/// with "…".
pub(super) fn format_vector(numbers: &[f64]) -> String {
    let written = |numbers: &[f64]| numbers.iter().map(|x| format_number(*x)).collect::<Vec<_>>().join(", ");
    match numbers {
        [one] => format_number(*one),
        few if few.len() <= MAX_VECTOR_ENTRIES => format!("({})", written(few)),
        many => format!("({}, …)", written(&many[..MAX_VECTOR_ENTRIES])),
    }
}

/// The sentence that gives the network's numeric output at a training step: "The network's answer at step 7: 0.310."
pub(super) fn describe_numeric_answer(step: u64, answer: f64) -> String {
    let (step, answer) = (format_thousands(step), format_number(answer));
    tr!("The network's answer at step {step}: {answer}.", step, answer)
}

/// The sentence that gives the network's output at the last of the `size` positions of example `at` (a prompt), from 0;
/// empty before the first result of [`ANSWERS`].
pub(super) fn describe_last_answer(run: &RunView, at: usize, size: usize) -> String {
    let last =
        |(step, outputs): (u64, &[f32])| Some(describe_numeric_answer(step, f64::from(*outputs.last()?)));
    example_outputs(run, at, size).and_then(last).unwrap_or_default()
}

/// The sentence that gives the network's answer at training step `step`, followed by "Right." or "Wrong."
pub(super) fn describe_graded_answer(step: u64, answer: &str, is_right: bool) -> String {
    let step = format_thousands(step);
    match is_right {
        true => tr!("The network's answer at step {step}: {answer}. Right.", step, answer),
        false => tr!("The network's answer at step {step}: {answer}. Wrong.", step, answer),
    }
}

/// The texts (input, label, network's output) of held-out example `at`, from 0, of a task with bits or real numbers as
/// inputs and a sign as label; none for other tasks.
pub fn build_number_example(run: &RunView, at: usize) -> Option<HeldOutExample> {
    let spec = run.spec();
    let (form, columns) = (spec.task.data().form(), spec.task.examples().columns());
    let batch = sample_example(run, at).filter(|_| form.counts_as(ExampleForm::Bits))?;
    let (x, label) = (batch.x.get(..columns)?, *batch.y.first()?);
    let most = if form.has_bits() { MAX_WRITTEN_BITS } else { MAX_WRITTEN_REALS };
    let mut places: Vec<usize> = run.relevant.iter().copied().filter(|place| *place < columns).collect();
    let relevant = places.len();
    if relevant == 0 {
        places = (0..columns).collect();
    }
    places.truncate(most);
    let one = |place: &usize| {
        let (name, value) = (place + 1, x[*place]);
        match form.has_bits() {
            true => tr!("bit {name} is {value}", name, value = format_sign(value)),
            false => tr!("column {name} is {value}", name, value = format_significant(f64::from(value))),
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
    let answer = example_outputs(run, at, 1).map(|(step, output)| {
        let output = output[0];
        if output == 0.0 {
            let step = format_thousands(step);
            return tr!(
                "The network's answer at step {step}: 0, which has no sign. It counts as half a right answer.",
                step
            );
        }
        let number = format_significant(f64::from(output));
        let answer = tr!("{output}, so the sign is {sign}", output = number, sign = format_sign(output));
        describe_graded_answer(step, &answer, output * label > 0.0)
    });
    Some(HeldOutExample {
        input: given,
        label: tr!("The label is {label}.", label = format_sign(label)),
        answer: answer.unwrap_or_default(),
    })
}

/// The texts (input, label, network's answer) of held-out example `at`, from 0, of a task on pairs of elements;
/// `element_name` gives the name of an element by its index. None for other tasks.
pub fn build_pair_example(
    run: &RunView,
    at: usize,
    element_name: impl Fn(usize) -> String,
) -> Option<HeldOutExample> {
    let spec = run.spec();
    let classes = spec.task.examples().classes()?;
    let batch = sample_example(run, at).filter(|_| spec.task.data() == TaskData::Pairs)?;
    let (pair, label) = (batch.x.first_chunk::<2>()?, *batch.y.first()? as usize);
    let [a, b] = pair.map(|element| element_name(element as usize));
    let example = at + 1;
    let answer = example_outputs(run, at, classes).and_then(|(step, outputs)| {
        let (best, _) = outputs.iter().enumerate().max_by(|(_, one), (_, other)| one.total_cmp(other))?;
        Some(describe_graded_answer(step, &element_name(best), best == label))
    });
    Some(HeldOutExample {
        input: tr!("Example {example}: the elements {a} and {b}.", example, a, b),
        label: tr!("The label is {label}.", label = element_name(label)),
        answer: answer.unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer_testing::{assert_brief, initial_weights, new_run, record_answers, run_with_answers};
    use crate::{LABS, lazy_lab};
    use vivarium_model::run::RunSpec as Spec;
    use vivarium_model::tasks::Task;

    #[test]
    fn an_example_has_its_bits_its_label_and_the_networks_answer() {
        let (run, _) = run_with_answers("#v1/sparse-parity?n=12&k=3&width=16&replicas=2");
        assert_eq!(example_count(&run), MAX_EXAMPLES);
        for at in 0..MAX_EXAMPLES {
            let example = build_number_example(&run, at).unwrap();
            let minus = example.input.matches("is −1").count();
            assert_eq!(example.input.matches("bit ").count(), 3, "{example:?}");
            assert!(
                example.input.ends_with("The label does not depend on the other 9 inputs."),
                "{example:?}"
            );
            let label = if minus.is_multiple_of(2) { "The label is +1." } else { "The label is −1." };
            assert_eq!(example.label, label, "{example:?}");
            let says_plus = example.answer.contains("so the sign is +1");
            let is_right = says_plus == (minus.is_multiple_of(2));
            assert!(example.answer.starts_with("The network's answer at step 7: "), "{example:?}");
            assert!(example.answer.ends_with(if is_right { "Right." } else { "Wrong." }), "{example:?}");
        }
        assert_eq!(build_number_example(&run, MAX_EXAMPLES), None);
    }

    #[test]
    fn a_pair_has_the_names_of_its_elements() {
        let (run, _) = run_with_answers("#v1/groups?n=5&width=8&frac=0.6");
        assert_eq!(example_count(&run), 10, "as many pairs as are held out");
        let example = (lazy_lab(run.spec()).example)(&run, 3).unwrap();
        let digits: Vec<usize> =
            example.input.bytes().filter(u8::is_ascii_digit).map(|digit| usize::from(digit - b'0')).collect();
        assert_eq!(digits[0], 4, "{example:?}");
        assert_eq!(example.label, format!("The label is {}.", (digits[1] + digits[2]) % 5), "{example:?}");
        assert!(example.answer.starts_with("The network's answer at step 7: "), "{example:?}");
    }

    #[test]
    fn a_student_answers_its_teachers_examples() {
        let (run, weights) = run_with_answers("#v1/teacher-student?begin=gaussian");
        let Task::TeacherStudent(task) = &run.spec().task else { panic!("another task") };
        let (teacher, batch) = (task.teacher(run.spec().run.seed), sample_examples(run.spec()));
        assert_eq!(example_count(&run), MAX_EXAMPLES);
        for (at, x) in batch.x.chunks(task.n).enumerate() {
            let example = (lazy_lab(run.spec()).example)(&run, at).unwrap();
            assert_brief(&example);
            assert!(example.input.ends_with("and so on for all 100 inputs."), "{example:?}");
            let field: f64 = x.iter().zip(&teacher).map(|(x, w)| f64::from(*x) * w).sum();
            assert_eq!(example.label, format!("The label is {}.", if field < 0.0 { "−1" } else { "+1" }));
            let output: f64 = x.iter().zip(&weights[0]).map(|(x, w)| f64::from(*x) * f64::from(*w)).sum();
            let expected = if output < 0.0 { "so the sign is −1" } else { "so the sign is +1" };
            assert!(example.answer.contains(expected), "{output}: {example:?}");
        }
        // Without weights there is no sign.
        let (run, _) = run_with_answers("#v1/teacher-student?n=9");
        let answer = build_number_example(&run, 0).unwrap().answer;
        assert_eq!(
            answer,
            "The network's answer at step 7: 0, which has no sign. It counts as half a right answer."
        );
    }

    #[test]
    fn relevant_inputs_are_named_where_not_all_are_written_down() {
        let (run, _) = run_with_answers("#v1/sparse-parity?n=20&k=8&width=16");
        let given = build_number_example(&run, 0).unwrap().input;
        assert!(given.ends_with(", and so on for all 8 relevant inputs."), "{given}");
        assert_eq!(given.matches("bit ").count(), MAX_WRITTEN_BITS);
    }

    #[test]
    fn every_lab_shows_examples_at_its_usual_run() {
        for task in Task::ENTRIES {
            let spec = Spec::default_of_lab(task.info.slug).unwrap();
            let mut run = new_run(&format!("#v1/{}", task.info.slug));
            assert_eq!(*run.spec(), spec);
            assert!(example_count(&run) > 1, "{}", task.info.slug);
            let before = (run.lazy_lab().unwrap().example)(&run, 0).unwrap();
            assert_eq!(before.answer, "", "{}: nobody has been asked", task.info.slug);
            let weights = initial_weights(&run);
            record_answers(&mut run, 7, &weights);
            let all: Vec<HeldOutExample> = (0..example_count(&run))
                .filter_map(|at| (run.lazy_lab().unwrap().example)(&run, at))
                .collect();
            assert_eq!(all.len(), example_count(&run), "{}", task.info.slug);
            all.iter().for_each(assert_brief);
            assert!(all.iter().all(|example| !example.answer.is_empty()), "{all:?}");
            assert_ne!(all[0].input, all[1].input);
        }
    }

    #[test]
    fn trees_are_not_queried() {
        let run = new_run("#v1/tabular?model=random-forest");
        assert_eq!((example_count(&run), build_number_example(&run, 0)), (0, None));
        let (table, _) = run_with_answers("#v1/tabular");
        assert!(build_number_example(&table, 0).unwrap().input.contains("column "));
        assert!(RunView::default().labs.all.is_empty() && !LABS.all.is_empty());
    }
}
