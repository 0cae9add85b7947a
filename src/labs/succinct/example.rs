//! A test input beside the task: its label, and what the program answers after the layers of the newest step, or the rule that
//! the search has chosen so far.

use std::sync::Arc;

use super::state::SuccinctState;
use crate::answers::{SHOWN, said};
use crate::succinct::panel::sentences::signed;
use vivarium_core::settings::real;
use vivarium_model::models::Family;
use vivarium_model::models::cell_rules::{BEST, RULE, rule_of};
use vivarium_model::models::recurrent_conv::{RecurrentConv, TABLE, examples};
use vivarium_model::protocol::Finding;
use vivarium_model::run::RunSpec;
use vivarium_science::succinct::grid::{Grid, NetworkOutput, ProgramRun};
use vivarium_science::succinct::search::{CellRule, QueryDistribution, ReadoutCells, predict};
use vivarium_science::succinct::{LearningProblem, MAX_PROGRAM_STEPS, SampledProblem};
use vivarium_view::display::words::thousands;
use vivarium_view::display::{Example, RunView};
use vivarium_view::probing::{Job, Probe, ProbeSpec, Probed};

/// What the first replica answers to the test inputs that are shown, one number for each: −1 or 1, and 0 where there is no
/// answer. Where a program has halted with an answer in the top-left cell, the number is the output f, which may be another.
/// Nothing before the table is full, and before a rule has been tried.
pub const ANSWERED: Probe = Probe { name: "succinct-answers", applies: super::probes::applies };

/// The probe with its measurement.
pub const SPEC: ProbeSpec = ProbeSpec { probe: ANSWERED, job: |_| Some(Box::new(OneByOne(vec![]))) };

/// Test inputs that are shown.
pub fn shown(spec: &RunSpec) -> Option<usize> {
    Some(spec.held_out().clamp(1, SHOWN))
}

/// The answers found so far: one in each part of the work, which is a run of the program or of the rule.
struct OneByOne(Vec<f32>);

impl Job for OneByOne {
    fn poll(&mut self, network: &Probed) -> Option<Finding> {
        let at = self.0.len();
        let found = |answers: &[f32]| Some(Finding::of(ANSWERED.id()).with_numbers(answers.to_vec()));
        if at >= shown(&network.spec)? {
            return found(&self.0);
        }
        match answered(network, at) {
            Some(answer) => self.0.push(answer),
            None => return found(&[]),
        }
        None
    }
}

/// The answer to test input `at`; none where there is nothing yet that answers.
fn answered(network: &Probed, at: usize) -> Option<f32> {
    let spec = &network.spec;
    let problem = spec.task.examples().learning_problem()?;
    Some(match spec.model.config().family()? {
        Family::ProgramOnGrid(net) => {
            let layers = network.step.checked_sub(problem.writing_steps()).filter(|layers| *layers > 0)?;
            let drawn = problem.sample(spec.run.seed, 0).ok()?;
            let columns = net.columns(problem.grid_size(), spec.run.replicas);
            let x = input(&problem, &drawn, at);
            by_program(&net, &problem, columns, network.weights.get(TABLE)?, &x, layers).unwrap_or(0.0)
        }
        Family::RuleSearch(net) => {
            network.weights.get(BEST)?.get(1).filter(|restart| **restart > 0.0)?;
            let rule = rule_of(network.weights.get(RULE)?);
            let number = (net.validation + at) as u64;
            by_rule(&problem, spec.run.seed, number, rule, net.readout()).map_or(0.0, f32::from)
        }
        _ => return None,
    })
}

/// Test input `at`, the one that is shown first.
fn input(problem: &LearningProblem, drawn: &SampledProblem, at: usize) -> Vec<i8> {
    if at == 0 { problem.test_input(drawn) } else { drawn.test_input(at as u64) }
}

/// The output f after so many layers, the first of which sets the head; none where the program has not halted with an answer in
/// the top-left cell.
fn by_program(
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

/// What a rule answers to a query of this number.
fn by_rule(
    problem: &LearningProblem,
    seed: u64,
    number: u64,
    rule: CellRule,
    readout: ReadoutCells,
) -> Option<i8> {
    predict(&task(problem)?.query(seed, number), rule, readout)
}

/// The kind of problem as the search knows it.
fn task(problem: &LearningProblem) -> Option<QueryDistribution> {
    QueryDistribution::new(problem.family, problem.inputs, problem.examples, problem.noise).ok()
}

/// What is said of an answer of the rule that the search has chosen.
fn of_rule(step: u64, answer: &str, is_right: bool) -> String {
    let step = thousands(step);
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

/// Example `at`: of a search, with examples of its own.
pub fn example(run: &RunView, at: usize) -> Option<Example> {
    let state: &SuccinctState = run.state()?;
    let (problem, which) = (&state.problem, at + 1);
    if at >= shown(run.spec())? {
        return None;
    }
    let search = state.searched();
    let (x, label) = match search {
        Some(own) => {
            let query = own.task.query(run.spec().run.seed, (own.net.validation + at) as u64);
            (query.test_input, query.label)
        }
        None => {
            let x = input(problem, &state.drawn, at);
            let label = state.drawn.concept.label(&x);
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
    let answer = run.found.get(&ANSWERED.id()).map(|(step, finding)| match finding.numbers.get(at) {
        Some(found) if *found != 0.0 && found.abs() != 1.0 => tr!(
            "The network's output at step {step} is {output}, which is neither 1 nor −1. Wrong.",
            step = thousands(*step),
            output = real((1e4 * f64::from(*found)).round() / 1e4).replace('-', "−")
        ),
        Some(found) if *found != 0.0 => {
            let found = if *found < 0.0 { -1 } else { 1 };
            let (answer, is_right) = (signed(found), found == label);
            match search {
                Some(_) => of_rule(*step, answer, is_right),
                None => said(*step, answer, is_right),
            }
        }
        Some(_) => tr!("There is no answer at step {step}.", step = thousands(*step)),
        None if search.is_some() => tr!("No rule has been tried yet.").into(),
        None => tr!(
            "There is no answer at step {step}: the program starts only when the table is full.",
            step = thousands(*step)
        ),
    });
    Some(Example {
        given,
        label: tr!("The label is {label}.", label = signed(label)),
        answer: answer.unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::count;
    use crate::asked::{ask, begun, brief, initial};
    use vivarium_model::models::cell_rules::numbers;

    /// The table that SGD writes, y\[x, 1\]/3 in each row.
    fn table(run: &RunView) -> Vec<f32> {
        let state: &SuccinctState = run.state().unwrap();
        let row =
            |(x, y): (&[i8], i8)| x.iter().chain([&1]).map(|x| f32::from(y * x) / 3.0).collect::<Vec<_>>();
        let mut table: Vec<f32> = state.drawn.data.examples().flat_map(row).collect();
        table.extend(vec![1.0 / 3.0; state.problem.inputs + 1]);
        table
    }

    fn at(link: &str, step: u64) -> RunView {
        let mut run = begun(link);
        let mut weights = initial(&run);
        weights[TABLE] = table(&run);
        ask(&mut run, step, &weights);
        run
    }

    #[test]
    fn a_program_answers_once_it_has_halted() {
        let link = "#v1/succinct-learning?query=1.0.0.1.1.0";
        let writing = example(&at(link, 9), 0).unwrap();
        assert_eq!(writing.given, "Example 1: the test input + − − + + −.");
        assert_eq!(
            writing.answer,
            "There is no answer at step 9: the program starts only when the table is full."
        );
        assert_eq!(example(&at(link, 10), 0).unwrap().answer, "There is no answer at step 10.");
        let run = at(link, 300);
        assert_eq!(count(&run), SHOWN);
        let state: &SuccinctState = run.state().unwrap();
        let (spec, weights) = (run.spec(), table(&run));
        for at in 0..SHOWN {
            let shown = example(&run, at).unwrap();
            brief(&shown);
            let x: Vec<f32> = shown
                .given
                .chars()
                .filter_map(|sign| ['−', '+'].iter().position(|one| *one == sign))
                .map(|one| 2.0 * one as f32 - 1.0)
                .collect();
            let whole: Vec<i8> = x.iter().map(|x| *x as i8).collect();
            let label = state.drawn.concept.label(&whole);
            assert_eq!(shown.label, format!("The label is {}.", signed(label)));
            let found = spec.network().evaluate(&[&weights], 6, &x, 0)[0];
            let expected = match found {
                // Without an answer f is another whole number.
                found if found.abs() != 1.0 => "There is no answer at step 300.".to_string(),
                found => {
                    let verdict = if found == f32::from(label) { "Right" } else { "Wrong" };
                    format!("The network's answer at step 300: {}. {verdict}.", signed(found as i8))
                }
            };
            assert_eq!(shown.answer, expected);
        }
        assert_eq!(example(&run, SHOWN), None);
        // A program that never halts.
        let endless = "#v1/succinct-learning?program=own&grid=a~*~→~*~S~a";
        assert_eq!(
            example(&at(endless, 1 << 40), 3).unwrap().answer,
            "There is no answer at step 1,099,511,627,776."
        );
    }

    #[test]
    fn a_rule_is_asked_queries_of_its_own() {
        let mut run = begun("#v1/succinct-learning?model=cell-rules&inputs=4&examples=6&valid=40&held=100");
        let mut weights = initial(&run);
        ask(&mut run, 0, &weights);
        assert_eq!(example(&run, 0).unwrap().answer, "No rule has been tried yet.");
        weights[RULE] = numbers(CellRule::CONSENSUS).to_vec();
        weights[BEST] = vec![70.0, 3.0, 0.0];
        ask(&mut run, 9, &weights);
        let state: &SuccinctState = run.state().unwrap();
        let task = QueryDistribution::new(state.problem.family, 4, 6, 0.0).unwrap();
        let mut right = 0;
        for at in 0..count(&run) {
            let shown = example(&run, at).unwrap();
            brief(&shown);
            let query = task.query(run.spec().run.seed, 40 + at as u64);
            assert_eq!(
                shown.label,
                format!("The label is {}.", signed(query.concept.label(&query.test_input)))
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
                        signed(sign as i8)
                    )
                }
            };
            assert_eq!(shown.answer, expected);
        }
        assert!(right > SHOWN / 2, "the consensus rule learns single bits: {right}");
        let about = |link: &str| {
            let run = begun(link);
            run.lab().about(run.spec())
        };
        assert!(about("#v1/succinct-learning").starts_with("SGD stores"));
        assert!(about("#v1/succinct-learning?model=cell-rules").starts_with("A search tries"));
    }
}
