//! Display of a test input next to the task: its label, and the answer of the program after the latest layer, or of the
//! rule that the search has chosen so far.

use std::sync::Arc;

use super::state::SuccinctState;
use crate::answers::{MAX_EXAMPLES, describe_graded_answer};
use crate::succinct::panel::sentences::format_label;
use vivarium_core::settings::format_real;
use vivarium_model::models::Family;
use vivarium_model::models::cell_rules::{BEST, RULE, rule_of};
use vivarium_model::models::recurrent_conv::{RecurrentConv, TABLE, examples};
use vivarium_model::protocol::ProbeResult;
use vivarium_model::run::RunSpec;
use vivarium_science::succinct::grid::{Grid, NetworkOutput, ProgramRun};
use vivarium_science::succinct::search::{CellRule, QueryDistribution, ReadoutCells, predict};
use vivarium_science::succinct::{LearningProblem, MAX_PROGRAM_STEPS, SampledProblem};
use vivarium_view::display::words::format_thousands;
use vivarium_view::display::{HeldOutExample, RunView};
use vivarium_view::probing::{Probe, ProbeMeasurement, ProbeSpec, ProbedNetwork};

/// Answers ±1 of the first replica to the test inputs that the page can display, one number per input; 0 where it gives
/// no answer.
///
/// If a program has halted with an answer in the top-left cell, the number is the output f, which may differ from that
/// answer. Empty before the table is full, and before a rule has been tried.
pub const ANSWERED: Probe = Probe { name: "succinct-answers", applies: super::probes::applies };

/// Definition of the probe [`ANSWERED`]: its name, and the measurement that answers the test inputs.
pub const SPEC: ProbeSpec = ProbeSpec::new(ANSWERED, |_| Some(Box::new(AnswersJob(vec![]))));

/// Number of test inputs that the user can display as examples, between 1 and `MAX_EXAMPLES`.
pub fn example_count(spec: &RunSpec) -> Option<usize> {
    Some(spec.held_out_count().clamp(1, MAX_EXAMPLES))
}

/// Running measurement of [`ANSWERED`]: the answers so far, to one test input per call of `poll`.
struct AnswersJob(Vec<f32>);

impl ProbeMeasurement for AnswersJob {
    fn poll(&mut self, network: &ProbedNetwork) -> Option<ProbeResult> {
        let at = self.0.len();
        let found = |answers: &[f32]| Some(ProbeResult::new(ANSWERED.id()).with_numbers(answers.to_vec()));
        if at >= example_count(&network.spec)? {
            return found(&self.0);
        }
        match evaluate_answer(network, at) {
            Some(answer) => self.0.push(answer),
            None => return found(&[]),
        }
        None
    }
}

/// Answer of the network to test input `index`, from 0, encoded as in [`ANSWERED`]; `None` while the table of examples
/// is not full or the search has tried no rule.
fn evaluate_answer(network: &ProbedNetwork, index: usize) -> Option<f32> {
    let spec = &network.spec;
    let problem = spec.task.data().learning_problem()?;
    Some(match spec.model.config().family()? {
        Family::ProgramOnGrid(net) => {
            let layers = network.step.checked_sub(problem.writing_steps()).filter(|layers| *layers > 0)?;
            let drawn = problem.sample(spec.run.seed, 0).ok()?;
            let columns = net.columns(problem.grid_size(), spec.run.replicas);
            let x = test_input(&problem, &drawn, index);
            run_program(&net, &problem, columns, network.weights.get(TABLE)?, &x, layers).unwrap_or(0.0)
        }
        Family::RuleSearch(net) => {
            network.weights.get(BEST)?.get(1).filter(|restart| **restart > 0.0)?;
            let rule = rule_of(network.weights.get(RULE)?);
            let number = (net.validation + index) as u64;
            apply_rule(&problem, spec.run.seed, number, rule, net.readout()).map_or(0.0, f32::from)
        }
        _ => return None,
    })
}

/// Test input number `index`, from 0, with entries ±1; number 0 is the one shown in the panel.
fn test_input(problem: &LearningProblem, sample: &SampledProblem, index: usize) -> Vec<i8> {
    if index == 0 { problem.test_input(sample) } else { sample.test_input(index as u64) }
}

/// Output f of the network that runs a program on the table of examples and the test input `x`, after `layers` layers,
/// of which the first places the head; the working tape has at most `columns` columns. `None` unless the program has
/// halted with an answer in the top-left cell.
fn run_program(
    net: &RecurrentConv,
    problem: &LearningProblem,
    columns: u64,
    table: &[f32],
    x: &[i8],
    layers: u64,
) -> Option<f32> {
    let grid = Grid::new(&examples(table, problem).ok()?, x).ok()?.with_tape(columns);
    let program = Arc::new(net.program().ok()?);
    let output = NetworkOutput::new(&program);
    let mut walk = ProgramRun::new(program, grid);
    walk.advance((layers - 1).min(MAX_PROGRAM_STEPS));
    output.excess(&walk, layers)?;
    Some((output.compute(&walk, layers) as f64 / output.denominator() as f64) as f32)
}

/// Answer of a cell-update rule to query number `query`, from 0, of the search with this seed (training examples and a
/// test input): −1 or 1; `None` if it gives none.
fn apply_rule(
    problem: &LearningProblem,
    seed: u64,
    query: u64,
    rule: CellRule,
    readout: ReadoutCells,
) -> Option<i8> {
    predict(&query_distribution(problem)?.query(seed, query), rule, readout)
}

/// Distribution from which a search among rules draws its queries for a learning problem; `None` if the search does not
/// support the problem.
fn query_distribution(problem: &LearningProblem) -> Option<QueryDistribution> {
    QueryDistribution::new(problem.family, problem.inputs, problem.examples, problem.noise).ok()
}

/// Sentence on an answer of the rule that the search has chosen after `step` steps, and on whether it is right.
fn describe_answer(step: u64, answer: &str, is_right: bool) -> String {
    let step = format_thousands(step);
    match is_right {
        true => {
            tr!(
                "After step {step}, the chosen rule gives the answer {answer}. This answer is right.",
                step,
                answer
            )
        }
        false => {
            tr!(
                "After step {step}, the chosen rule gives the answer {answer}. This answer is wrong.",
                step,
                answer
            )
        }
    }
}

/// Builds the display of test input number `index`, from 0; for a search among rules, of one of the search's test
/// queries.
pub fn build_example(run: &RunView, index: usize) -> Option<HeldOutExample> {
    let state: &SuccinctState = run.lab_state()?;
    let (problem, which) = (&state.problem, index + 1);
    if index >= example_count(run.spec())? {
        return None;
    }
    let search = state.search_state();
    let (x, label) = match search {
        Some(own) => {
            let query = own.queries.query(run.spec().run.seed, (own.net.validation + index) as u64);
            (query.test_input, query.label)
        }
        None => {
            let x = test_input(problem, &state.sample, index);
            let label = state.sample.concept.label(&x);
            (x, label)
        }
    };
    let x = x.iter().map(|one| if *one < 0 { "−" } else { "+" }).collect::<Vec<_>>().join(" ");
    let given = match search {
        Some(_) => tr!(
            "Query {which}: {examples} examples of a random function, and the test input {x}.",
            which,
            examples = problem.examples,
            x
        ),
        None => tr!("Example {which}: the test input {x}.", which, x),
    };
    let answer =
        run.latest_results.get(&ANSWERED.id()).map(|(step, finding)| match finding.numbers.get(index) {
            Some(found) if *found != 0.0 && found.abs() != 1.0 => tr!(
                "The network's output at step {step} is {output}, which is neither 1 nor −1. Wrong.",
                step = format_thousands(*step),
                output = format_real((1e4 * f64::from(*found)).round() / 1e4).replace('-', "−")
            ),
            Some(found) if *found != 0.0 => {
                let found = if *found < 0.0 { -1 } else { 1 };
                let (answer, is_right) = (format_label(found), found == label);
                match search {
                    Some(_) => describe_answer(*step, answer, is_right),
                    None => describe_graded_answer(*step, answer, is_right),
                }
            }
            Some(_) => tr!("There is no answer at step {step}.", step = format_thousands(*step)),
            None if search.is_some() => tr!("No rule has been tried yet.").into(),
            None => tr!(
                "There is no answer at step {step}: the program starts only when the table is full.",
                step = format_thousands(*step)
            ),
        });
    Some(HeldOutExample {
        input: given,
        label: tr!("The label is {label}.", label = format_label(label)),
        answer: answer.unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer_testing::{assert_brief, initial_weights, new_run, record_answers};
    use crate::answers::example_count;
    use vivarium_model::models::cell_rules::numbers;

    /// The table that SGD writes, y\[x, 1\]/3 in each row.
    fn table(run: &RunView) -> Vec<f32> {
        let state: &SuccinctState = run.lab_state().unwrap();
        let row =
            |(x, y): (&[i8], i8)| x.iter().chain([&1]).map(|x| f32::from(y * x) / 3.0).collect::<Vec<_>>();
        let mut table: Vec<f32> = state.sample.data.examples().flat_map(row).collect();
        table.extend(vec![1.0 / 3.0; state.problem.inputs + 1]);
        table
    }

    fn at(link: &str, step: u64) -> RunView {
        let mut run = new_run(link);
        let mut weights = initial_weights(&run);
        weights[TABLE] = table(&run);
        record_answers(&mut run, step, &weights);
        run
    }

    #[test]
    fn a_program_answers_once_it_has_halted() {
        let link = "#v1/succinct-learning?query=1.0.0.1.1.0";
        let writing = build_example(&at(link, 9), 0).unwrap();
        assert_eq!(writing.input, "Example 1: the test input + − − + + −.");
        assert_eq!(
            writing.answer,
            "There is no answer at step 9: the program starts only when the table is full."
        );
        assert_eq!(build_example(&at(link, 10), 0).unwrap().answer, "There is no answer at step 10.");
        let run = at(link, 300);
        assert_eq!(example_count(&run), MAX_EXAMPLES);
        let state: &SuccinctState = run.lab_state().unwrap();
        let (spec, weights) = (run.spec(), table(&run));
        for at in 0..MAX_EXAMPLES {
            let shown = build_example(&run, at).unwrap();
            assert_brief(&shown);
            let x: Vec<f32> = shown
                .input
                .chars()
                .filter_map(|sign| ['−', '+'].iter().position(|one| *one == sign))
                .map(|one| 2.0 * one as f32 - 1.0)
                .collect();
            let whole: Vec<i8> = x.iter().map(|x| *x as i8).collect();
            let label = state.sample.concept.label(&whole);
            assert_eq!(shown.label, format!("The label is {}.", format_label(label)));
            let found = spec.network().evaluate(&[&weights], 6, &x, 0)[0];
            let expected = match found {
                // Without an answer f is another whole number.
                found if found.abs() != 1.0 => "There is no answer at step 300.".to_string(),
                found => {
                    let verdict = if found == f32::from(label) { "Right" } else { "Wrong" };
                    format!("The network's answer at step 300: {}. {verdict}.", format_label(found as i8))
                }
            };
            assert_eq!(shown.answer, expected);
        }
        assert_eq!(build_example(&run, MAX_EXAMPLES), None);
        // A program that never halts.
        let endless = "#v1/succinct-learning?program=own&grid=a~*~→~*~S~a";
        assert_eq!(
            build_example(&at(endless, 1 << 40), 3).unwrap().answer,
            "There is no answer at step 1,099,511,627,776."
        );
    }

    #[test]
    fn a_rule_answers_queries_of_its_own() {
        let mut run = new_run("#v1/succinct-learning?model=cell-rules&inputs=4&examples=6&valid=40&held=100");
        let mut weights = initial_weights(&run);
        record_answers(&mut run, 0, &weights);
        assert_eq!(build_example(&run, 0).unwrap().answer, "No rule has been tried yet.");
        weights[RULE] = numbers(CellRule::CONSENSUS).to_vec();
        weights[BEST] = vec![70.0, 3.0, 0.0];
        record_answers(&mut run, 9, &weights);
        let state: &SuccinctState = run.lab_state().unwrap();
        let task = QueryDistribution::new(state.problem.family, 4, 6, 0.0).unwrap();
        let mut right = 0;
        for at in 0..example_count(&run) {
            let shown = build_example(&run, at).unwrap();
            assert_brief(&shown);
            let query = task.query(run.spec().run.seed, 40 + at as u64);
            assert_eq!(
                shown.label,
                format!("The label is {}.", format_label(query.concept.label(&query.test_input)))
            );
            let sum = query.image().run(CellRule::CONSENSUS).sum(ReadoutCells::All);
            let expected = match sum.signum() {
                0 => "There is no answer at step 9.".to_string(),
                sign => {
                    let is_right = sign == i32::from(query.label);
                    right += usize::from(is_right);
                    let verdict = if is_right { "right" } else { "wrong" };
                    format!(
                        "After step 9, the chosen rule gives the answer {}. This answer is {verdict}.",
                        format_label(sign as i8)
                    )
                }
            };
            assert_eq!(shown.answer, expected);
        }
        assert!(right > MAX_EXAMPLES / 2, "the consensus rule learns single bits: {right}");
        let about = |link: &str| {
            let run = new_run(link);
            run.lab().about(run.spec())
        };
        assert!(about("#v1/succinct-learning").starts_with("SGD stores"));
        assert!(about("#v1/succinct-learning?model=cell-rules").starts_with("A search tries"));
    }
}
