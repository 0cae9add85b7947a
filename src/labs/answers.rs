//! What a network answers to a few held-out examples, one of which stands beside the task's sentence: what goes in, what should
//! come out, and what comes out now.

use crate::display::words::{significant, thousands};
use crate::display::{Example, RunView};
use crate::probing::{AtOnce, Probe, ProbeSpec, Probed};
use crate::protocol::Finding;
use crate::run::RunSpec;
use crate::tasks::{Batch, Form};

/// The outputs of the first replica for the first held-out examples, `[examples]` or `[examples, classes]`.
pub const ANSWERS: Probe = Probe { name: "answers", applies };

/// The probe with its measurement.
pub const SPEC: ProbeSpec = ProbeSpec { probe: ANSWERS, job: |_| Some(Box::new(AtOnce(answers))) };

/// Held-out examples that are shown one by one.
pub const SHOWN: usize = 16;
/// Most numbers of a network that is asked, so that an answer takes a few milliseconds at most.
const MOST_NUMBERS: u64 = 1 << 20;
/// Inputs of an example that are written down.
const WRITTEN: usize = 6;

fn applies(spec: &RunSpec) -> Result<(), String> {
    let form = spec.task.examples().form();
    if !matches!(form, Form::Bits | Form::Row | Form::Pair) || !spec.model.config().has_weights() {
        return Err(tr!("Available only for trained networks on bits, on rows or on pairs.").into());
    }
    match spec.architecture().numbers(spec.task.examples().inputs(), 1) <= MOST_NUMBERS {
        true => Ok(()),
        false => Err(tr!("This network is too large to be asked while it trains.").into()),
    }
}

/// The examples that are shown; with table files, none before the file is there.
fn shown(spec: &RunSpec) -> Batch {
    let mut batch = Batch::default();
    spec.task.sampler().held_out(spec.run.seed, 0, SHOWN, &mut batch);
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
    match applies(run.spec()) {
        Ok(()) => run.spec().task.examples().held_out_size().unwrap_or(SHOWN).min(SHOWN),
        Err(_) => 0,
    }
}

/// The outputs for example `at`, with the step that they are of.
fn outputs(run: &RunView, at: usize, size: usize) -> Option<(u64, &[f32])> {
    let (step, finding) = run.found.get(&ANSWERS.id())?;
    Some((*step, finding.numbers.get(at * size..(at + 1) * size)?))
}

fn sign(value: f32) -> &'static str {
    if value > 0.0 { "+1" } else { "−1" }
}

/// What is said of an answer at a step.
fn said(step: u64, answer: &str, is_right: bool) -> String {
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
    if !form.is_a(Form::Bits) || count(run) == 0 {
        return None;
    }
    let batch = shown(spec);
    let (x, label) = (batch.x.get(at * columns..(at + 1) * columns)?, *batch.y.get(at)?);
    let relevant = run.relevant.iter().copied().filter(|place| *place < columns);
    let mut places: Vec<usize> = relevant.take(WRITTEN).collect();
    let knows_relevant = !places.is_empty();
    if !knows_relevant {
        places = (0..columns.min(WRITTEN)).collect();
    }
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
        _ if !knows_relevant => {
            tr!("Example {example}: {written}, and so on for {columns} inputs.", example, written, columns)
        }
        more => tr!(
            "Example {example}: {written}. The other {more} inputs do not matter.",
            example,
            written,
            more
        ),
    };
    let answer = outputs(run, at, 1).map(|(step, output)| {
        let output = output[0];
        let answer = tr!("{output}, so {sign}", output = significant(f64::from(output)), sign = sign(output));
        said(step, &answer, (output > 0.0) == (label > 0.0))
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
    if spec.task.examples().form() != Form::Pair || count(run) == 0 {
        return None;
    }
    let batch = shown(spec);
    let (pair, label) = (batch.x.get(2 * at..2 * at + 2)?, *batch.y.get(at)? as usize);
    let [a, b] = [pair[0], pair[1]].map(|element| name(element as usize));
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
    use crate::labs::{LABS, lazy};
    use crate::permalink::decode;

    /// A run of `link` whose network was asked at step 7 with its initial weights.
    fn asked(link: &str) -> RunView {
        let (link, notices) = decode(link);
        assert!(notices.is_empty(), "{notices:?}");
        let mut run = RunView { link: link.clone(), ..RunView::default() };
        run.set_up(&LABS);
        run.state = lazy(&link.spec).state(&link.spec, &link, None);
        let weights = link.spec.initial().into_iter().zip(link.spec.parameters());
        let first = weights.map(|(values, p)| values[..p.len() / link.spec.run.replicas].to_vec());
        let probed = Probed { spec: link.spec.clone(), step: 7, weights: first.collect() };
        run.found.insert(ANSWERS.id(), (7, answers(&probed).unwrap()));
        run
    }

    #[test]
    fn an_example_has_its_bits_its_label_and_the_networks_answer() {
        let run = asked("#v1/sparse-parity?n=12&k=3&width=16&replicas=2");
        assert_eq!(count(&run), SHOWN);
        for at in 0..SHOWN {
            let example = of_numbers(&run, at).unwrap();
            let minus = example.given.matches("is −1").count();
            assert_eq!(example.given.matches("bit ").count(), 3, "{example:?}");
            assert!(example.given.ends_with("The other 9 inputs do not matter."), "{example:?}");
            let label = if minus.is_multiple_of(2) { "The label is +1." } else { "The label is −1." };
            assert_eq!(example.label, label, "{example:?}");
            let says_plus = example.answer.contains("so +1");
            let is_right = says_plus == (minus.is_multiple_of(2));
            assert!(example.answer.starts_with("The network's answer at step 7: "), "{example:?}");
            assert!(example.answer.ends_with(if is_right { "Right." } else { "Wrong." }), "{example:?}");
        }
        assert_eq!(of_numbers(&run, SHOWN), None);
    }

    #[test]
    fn a_pair_has_the_names_of_its_elements() {
        let run = asked("#v1/groups?n=5&width=8&frac=0.6");
        assert_eq!(count(&run), 10, "as many pairs as are held out");
        let example = lazy(run.spec()).example(&run, 3).unwrap();
        let digits: Vec<usize> =
            example.given.bytes().filter(u8::is_ascii_digit).map(|digit| usize::from(digit - b'0')).collect();
        assert_eq!(digits[0], 4, "{example:?}");
        assert_eq!(example.label, format!("The label is {}.", (digits[1] + digits[2]) % 5), "{example:?}");
        assert!(example.answer.starts_with("The network's answer at step 7: "), "{example:?}");
    }

    #[test]
    fn other_examples_are_shown_by_their_labs() {
        for link in
            ["#v1/markov", "#v1/turing-machine", "#v1/succinct-learning", "#v1/tabular?model=random-forest"]
        {
            let (link, _) = decode(link);
            let mut run = RunView { link, ..RunView::default() };
            run.set_up(&LABS);
            assert_eq!((count(&run), of_numbers(&run, 0)), (0, None), "{}", run.spec().task.info().slug);
        }
        let table = asked("#v1/tabular");
        assert!(of_numbers(&table, 0).unwrap().given.contains("column "));
    }
}
