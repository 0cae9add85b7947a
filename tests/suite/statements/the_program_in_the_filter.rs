//! The program in the filter.

use vivarium::succinct::search::{CellRule, CellValue, Query, QueryDistribution, draw_rule, odds};
use vivarium::succinct::{Concept, ConceptFamily, Dataset, LearningMetric, LearningProblem, SampledProblem};
use vivarium::sweep::cells;

use super::Shown::{Known, Preset, Runs as On, Words};
use super::{Runs, Statements, Trained, decoded, hold};

/// The identity on queries about one bit; the noise follows.
const VOTE: &str = "#v1/succinct-learning?model=cell-rules&inputs=7&examples=15&tried=one&replicas=5&steps=1&held=2000&flips=";

/// The same of consensus.
const CONSENSUS: &str = "#v1/succinct-learning?model=cell-rules&inputs=7&examples=15&tried=one&entries=-0000000+&replicas=5&steps=1&held=2000&flips=";

/// What the run of a preset is about.
fn problem(name: &str) -> LearningProblem {
    decoded(name).task.data().learning_problem().unwrap()
}

/// The problem of each run of a sweep.
fn problems(name: &str) -> Vec<LearningProblem> {
    let specs = cells(&decoded(name)).into_iter().map(|cell| cell.spec);
    specs.map(|spec| spec.task.data().learning_problem().unwrap()).collect()
}

/// The text of a setting of a preset.
fn setting(name: &str, key: &str) -> String {
    decoded(name).value(key).unwrap().to_string()
}

fn median(numbers: &[f32]) -> f32 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f32::total_cmp);
    vivarium::math::median(&sorted).unwrap()
}

/// Each step of SGD changes one row of the table, one after the other.
fn one_row_a_step(runs: &Runs) -> bool {
    let run = runs.looked_into("tape-writer", &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    let columns = problem("tape-writer").table_size()[1];
    (1..=9).all(|step| {
        let (before, after) = (&run.weights(step - 1)[0], &run.weights(step)[0]);
        let rows = before.chunks(columns).zip(after.chunks(columns)).enumerate();
        let changed: Vec<usize> =
            rows.filter(|(_, (before, after))| before != after).map(|(row, _)| row).collect();
        changed == [step as usize - 1]
    })
}

/// The data sets of the program that finds the input, each with the columns in which all signs are equal, whatever the test
/// input is, and the input that is the label.
fn equal_columns() -> Vec<(Vec<usize>, usize)> {
    let (problem, run) = (problem("dictator-program"), decoded("dictator-program").run);
    let of = |replica: usize| -> (Vec<usize>, usize) {
        let SampledProblem { data, concept, .. } = problem.sample(run.seed, replica).unwrap();
        let Concept::Dictator { bit } = concept else { panic!("the label is {concept:?}") };
        let equal = (0..data.d()).filter(|column| data.examples().all(|(x, y)| x[*column] == y));
        (equal.collect(), bit)
    };
    (0..run.replicas).map(of).collect()
}

/// In at most one of twenty columns of other inputs all signs are equal.
fn others_are_rarely_equal() -> bool {
    let all = equal_columns();
    let others: usize =
        all.iter().map(|(equal, bit)| equal.iter().filter(|column| *column != bit).count()).sum();
    others * 20 <= all.len() * (problem("dictator-program").inputs - 1)
}

/// The same program, and about 55,000 layers of it.
fn same_filter_and_many_layers(runs: &Runs) -> bool {
    let time = runs.run("parity-twenty").measure("running-time", 60_000);
    setting("parity-twenty", "program") == setting("parity-program", "program")
        && (53_000.0..57_000.0).contains(&time)
}

/// Plain SGD, and no tensor stays as it was.
fn sgd_trains_all(runs: &Runs) -> bool {
    let run = runs.looked_into("parity-by-sgd", &[0, 200]);
    let mut pairs = run.weights(0).iter().zip(run.weights(200));
    setting("parity-by-sgd", "opt") == "sgd" && pairs.all(|(before, after)| before != after)
}

/// Queries about one bit, of the size of the story's.
fn queries(noise: f64, count: usize) -> Vec<Query> {
    QueryDistribution::new(ConceptFamily::Dictator, 7, 15, noise).unwrap().queries(1, 0, count).unwrap()
}

/// The sign of the sum of all cells after each layer, and after one layer more than the network has.
fn signs(query: &Query, rule: CellRule) -> Vec<i32> {
    let mut course = query.image().trajectory(rule);
    course.extend(course.last().map(|image| image.step(rule)));
    course.iter().map(|image| image.cells().iter().map(|cell| cell.value()).sum::<i32>().signum()).collect()
}

/// A chosen rule under which most answers change their sign in each of the last layers.
struct Reversing {
    /// Its accuracy after as many layers as the network has, and after one more.
    right: [f64; 2],
    /// Its accuracy on queries of twice the size.
    twice: f32,
}

/// Those among the twenty chosen rules.
fn reversing(runs: &Runs) -> Vec<Reversing> {
    let run = runs.run("search-bit");
    let (row, queries) = (run.row(3_000), queries(0.0, 200));
    let [restarts, twice] = [LearningMetric::BestRestart, LearningMetric::TwiceSizeAccuracy]
        .map(|measured| &row.measures[measured as usize]);
    let judge = |(replica, (found, twice)): (usize, (&f32, &f32))| {
        let rule = draw_rule(run.spec.run.seed, replica as u32, *found as u32 - 1);
        let all: Vec<Vec<i32>> = queries.iter().map(|query| signs(query, rule)).collect();
        let share = |count: usize| count as f64 / queries.len() as f64;
        let changes = |layer: usize| {
            share(all.iter().filter(|signs| signs[layer] != 0 && signs[layer] == -signs[layer - 1]).count())
        };
        let right = |layer: usize| {
            let pairs = all.iter().zip(&queries);
            share(pairs.filter(|(signs, query)| signs[layer] == i32::from(query.label)).count())
        };
        let is_one = (13..=17).all(|layer| changes(layer) > 0.75);
        is_one.then(|| Reversing { right: [right(16), right(17)], twice: *twice })
    };
    restarts.iter().zip(twice).enumerate().filter_map(judge).collect()
}

/// A column keeps what is above its first change of sign, and nothing below.
fn only_what_is_above_a_change_is_left() -> bool {
    queries(0.0, 50).into_iter().chain(queries(0.1, 50)).all(|query| {
        let (first, (rows, columns)) = (query.image(), query.size());
        let last = first.run(CellRule::CONSENSUS);
        (0..columns).all(|column| {
            let signs: Vec<CellValue> = (0..rows).filter_map(|row| first.cell(row, column)).collect();
            let change = (1..rows).find(|row| signs[*row] != signs[row - 1]).unwrap_or(rows);
            (0..rows).all(|row| {
                last.cell(row, column) == Some(if row < change { signs[row] } else { CellValue::Zero })
            })
        })
    })
}

/// On 95 % of the queries the column of the unknown bit has a larger sum than all other columns together, by absolute value.
fn own_column_dominates() -> bool {
    let queries = queries(0.0, 500);
    let dominates = |query: &&Query| {
        let Concept::Dictator { bit } = query.concept else { return false };
        let last = query.image().run(CellRule::CONSENSUS);
        let (rows, columns) = query.size();
        let sum = |column: usize| -> i32 {
            (0..rows).filter_map(|row| last.cell(row, column)).map(|cell| cell.value()).sum()
        };
        let others: i32 = (0..columns).filter(|column| *column != bit).map(sum).sum();
        sum(bit).abs() > others.abs()
    };
    20 * queries.iter().filter(dominates).count() >= 19 * queries.len()
}

/// A wrong label of any one example changes one sign in the column of the unknown bit, and under consensus nothing is left below.
fn one_wrong_label_empties_what_is_below() -> bool {
    queries(0.0, 20).into_iter().all(|query| {
        let Concept::Dictator { bit } = query.concept else { return false };
        (0..query.data.m()).all(|wrong| {
            let mut labels = query.data.labels().to_vec();
            labels[wrong] = -labels[wrong];
            let data = Dataset::new(query.data.inputs().to_vec(), labels).unwrap();
            let (before, after) = (query.image(), Query { data, ..query.clone() }.image());
            let last = after.run(CellRule::CONSENSUS);
            let rows = 0..query.size().0;
            rows.clone().all(|row| (before.cell(row, bit) != after.cell(row, bit)) == (row == wrong))
                && rows.skip(wrong + 1).all(|row| last.cell(row, bit) == Some(CellValue::Zero))
        })
    })
}

/// The median accuracy of a named rule on queries about one bit, with this share of wrong labels.
fn right(runs: &Runs, rule: &str, flips: &str) -> f32 {
    median(&runs.run(&format!("{rule}{flips}")).row(1).test_accuracy)
}

/// By five points of a hundred at least, where a tenth of the labels is wrong.
fn vote_is_better_with_noise(runs: &Runs) -> bool {
    right(runs, VOTE, "0.1") - right(runs, CONSENSUS, "0.1") > 0.05
}

/// Of the searches for half-spaces after so many restarts: the median accuracy on validation queries and on test queries.
fn half_spaces(run: &Trained, step: u64) -> [f32; 2] {
    [median(&run.row(step).train_accuracy), median(&run.row(step).test_accuracy)]
}

/// From 100 to 3,000 restarts: how much both medians rise.
fn rises(runs: &Runs) -> [f32; 2] {
    let run = runs.run("search-half-space");
    let (from, to) = (half_spaces(&run, 100), half_spaces(&run, 3_000));
    [to[0] - from[0], to[1] - from[1]]
}

/// The accuracy on test queries rises by three points of a hundred at most.
fn a_little_better_at_most(runs: &Runs) -> bool {
    rises(runs)[1] < 0.03
}

/// In no search the accuracy on the validation queries falls.
fn validation_never_falls(run: &Trained) -> bool {
    run.rows.windows(2).all(|pair| {
        pair[0].train_accuracy.iter().zip(&pair[1].train_accuracy).all(|(before, after)| before <= after)
    })
}

/// From 100 restarts on, the median accuracy on test queries lies between these.
fn stays(run: &Trained, least: f32, most: f32) -> bool {
    run.rows
        .iter()
        .filter(|row| row.step >= 100)
        .all(|row| (least..=most).contains(&median(&row.test_accuracy)))
}

/// The sentences.
pub const STATEMENTS: Statements = &[
    (
        "SGD writes examples into a table, and a filter of fixed size, applied in every layer of a deep network, runs a learning algorithm on this table.",
        Preset("dictator-program"),
    ),
    ("A random search also finds short learning algorithms.", Preset("search-bit")),
    ("A learning algorithm needs memory for its examples and time to compute.", Words),
    (
        "In this network the memory is the first layer: a table W with one row for each example.",
        Known(
            "Goel, Kakade, Kalai and Zhang 2022, section 4; `TableTraining::memory_image` multiplies W by the input",
        ),
    ),
    (
        "All other layers apply one small filter.",
        Known(
            "Goel, Kakade, Kalai and Zhang 2022, section 4; `Automaton::apply_layer` has one `local_rule` for every cell and layer",
        ),
    ),
    (
        "The table is trained with plain stochastic gradient descent (SGD), with one example in each step.",
        Words,
    ),
    (
        "The filter has the same weights in every layer, and is applied to windows of 3 × 3 cells of the grid that the first layer computes.",
        Known(
            "Goel, Kakade, Kalai and Zhang 2022, section 4; `Automaton::apply_layer` has one `local_rule` for every cell and layer",
        ),
    ),
    ("More layers give more time to compute.", Words),
    ("The weights of the filter are set by hand, not trained.", Words),
    (
        "There are eight examples; each example has 6 inputs and a label.",
        On(|_| {
            let problem = problem("tape-writer");
            (problem.examples, problem.inputs) == (8, 6)
        }),
    ),
    (
        "After these eight examples comes a dummy example: all its inputs and its label are 1.",
        Known("`TableTraining::train_on_dummy` is the last step; `training_writes_the_table_exactly`"),
    ),
    (
        "When the network later gets a test input, the row of the dummy example will hold this test input.",
        Known(
            "its row is [1, …, 1]/3, so that times the test input it is the test input: `the_block_is_the_xor_form`",
        ),
    ),
    ("What will one step of SGD change?", Words),
    ("One row of the table.", On(one_row_a_step)),
    ("One row of the table.", On(one_row_a_step)),
    (
        "Only the table is trained, not the filter.",
        Known("the filter is computed from the program: the table is the only parameter that SGD changes"),
    ),
    (
        "The filter finds the first empty row, and the derivative of the output with respect to all other rows is 0.",
        Known("`training_writes_the_table_exactly`: the gradient is 0 outside of the row"),
    ),
    (
        "With the learning rate 1/54 the first empty row becomes exactly y[x, 1]/3: the entries are the inputs x times the label y, followed by the label y, all divided by 3.",
        Preset("tape-writer"),
    ),
    ("After 9 steps every row of the table is written.", Preset("tape-writer")),
    (
        "For an example with inputs x and label y, the largest deviation of its row from y[x, 1]/3 is 0.",
        Preset("tape-writer"),
    ),
    (
        "In each example the label is equal to one of the 6 inputs, always the same input, and the program has to find out which input this is.",
        Words,
    ),
    (
        "Each row of the table is multiplied by the test input, component by component.",
        Known("`the_image_of_the_trained_table_equals_the_grid`"),
    ),
    (
        "In each layer the new content of a cell depends on the cell and its neighbours.",
        Known("`local_rule` is given a cell and its four neighbours, and nothing else"),
    ),
    (
        "In the first layer the bottom-right cell detects that the table is full.",
        Known(
            "`the_message_stays_ahead_of_the_head_only_if_the_first_step_does_not_move`: layer 1 sets the head",
        ),
    ),
    (
        "The head, which reads and writes one cell in each step of the program, begins in this cell, in the start state of the program.",
        Known(
            "`the_message_stays_ahead_of_the_head_only_if_the_first_step_does_not_move`: layer 1 sets the head",
        ),
    ),
    (
        "From this cell a message spreads, one cell further in each layer.",
        Known(
            "`the_message_stays_ahead_of_the_head_only_if_the_first_step_does_not_move`: the cells that change",
        ),
    ),
    (
        "A cell starts to compute when the message reaches the cell.",
        Known("`local_rule`: a cell next to one that computes begins to compute"),
    ),
    (
        "From the second layer on, each layer computes one step of the program.",
        Known("`the_automaton_equals_the_run_for_both_library_programs`: every cell after every step"),
    ),
    (
        "The program checks the columns from right to left, until it finds a column in which all cells have the same sign.",
        Known("`the_dictator_learner_predicts_by_the_last_consistent_input`"),
    ),
    ("This sign is the answer.", Known("`the_dictator_learner_predicts_by_the_last_consistent_input`")),
    ("The label is equal to one of the inputs.", Words),
    (
        "In the column of this input, all signs are equal.",
        On(|_| equal_columns().iter().all(|(equal, bit)| equal.contains(bit))),
    ),
    (
        "In any other column, all signs are equal only by chance, and this is rare.",
        On(|_| others_are_rarely_equal()),
    ),
    (
        "The program halts after about 115 layers in the median of 20 data sets, with the answer in the top-left cell.",
        Preset("dictator-program"),
    ),
    (
        "The output of the network is a sum over all cells of the table: a cell with + counts 1, a cell with - counts −1, and a blank cell counts 0.",
        Known("Goel, Kakade, Kalai and Zhang 2022, definition 5; `values_equal_those_of_the_paper`"),
    ),
    (
        "When the program has halted, all other cells are blank, so the output is the answer.",
        Known(
            "`the_automaton_equals_the_run_for_both_library_programs`: the output is the label that it predicts",
        ),
    ),
    (
        "A program that halts with its head on another cell of the table has a wrong output, because the head changes the value of its cell.",
        Known("`a_program_that_halts_inside_the_table_is_wrong_by_18_times_the_head`"),
    ),
    (
        "If the program needs more steps, the network needs more layers, but no further parameters, because all layers share one filter.",
        Known("`local_rule` is given the program and no number of layers"),
    ),
    ("In the panel below you can change each number of the test input and run the program again.", Words),
    ("In this run the label is a parity: the product of some of the 4 inputs.", Words),
    ("The program is not told which inputs are the factors of this product.", Words),
    (
        "But each example gives a linear equation modulo two, and Gaussian elimination solves systems of linear equations.",
        Known("with −1 as bit 1, a product of signs is a sum of bits modulo two"),
    ),
    (
        "If the value of one of the factors is missing, the label cannot be predicted better than by random guessing.",
        Known("given the other factors, the product with one more random sign is a coin"),
    ),
    (
        "The program for Gaussian elimination has 47 states.",
        Known("`library_programs_have_the_stated_sizes`"),
    ),
    ("What share of the test inputs will be answered correctly when the program has halted?", Words),
    ("All test inputs, in the median of 20 data sets.", Preset("parity-program")),
    ("All test inputs.", Preset("parity-program")),
    (
        "If the examples have full rank, they determine the parity, and Gaussian elimination finds the parity.",
        Known("`parity_is_correct_on_every_instance_of_full_rank`"),
    ),
    ("Here a perceptron with one hidden layer is trained on 40 examples of a parity of 8 of 20 bits.", Words),
    ("SGD trains all of its weights.", On(sgd_trains_all)),
    ("How many new inputs will the perceptron answer correctly?", Words),
    ("About half of the new inputs, as with random guessing.", Preset("parity-by-sgd")),
    ("About half of the new inputs.", Preset("parity-by-sgd")),
    (
        "In the median of 10 networks, the perceptron answers all of its 40 training examples correctly after 100 steps, but it does not learn the parity.",
        Preset("parity-by-sgd"),
    ),
    ("For Gaussian elimination, 40 examples of a parity of 20 inputs are enough.", Preset("parity-twenty")),
    (
        "The filter is the same as for the parity of four inputs, but the program needs about 55,000 layers.",
        On(same_filter_and_many_layers),
    ),
    (
        "This run is a sweep of Gaussian elimination over twenty-five problem sizes, from 3 inputs and 6 examples to 10 inputs and 20 examples.",
        On(|_| {
            let sizes: Vec<[usize; 2]> =
                problems("parity-times").iter().map(|problem| [problem.inputs, problem.examples]).collect();
            sizes.len() == 25 && sizes.first() == Some(&[3, 6]) && sizes.last() == Some(&[10, 20])
        }),
    ),
    ("Press Play.", Words),
    ("With 3 inputs and 6 examples the program needs about 530 layers.", Preset("parity-times")),
    ("With 10 inputs and 20 examples the program needs about 8,600 layers.", Preset("parity-times")),
    (
        "The filter is the same for all problem sizes.",
        Known("`local_rule` is given the program and no size of the table"),
    ),
    (
        "Each restart draws one random rule, and the search keeps the best rule.",
        On(|runs| validation_never_falls(&runs.run("search-bit"))),
    ),
    (
        "A rule gives the new value of a cell from the value of the cell itself and the value of the cell above it.",
        Known("`CellRule::apply` is given these two cells"),
    ),
    (
        "Each rule is a learning algorithm.",
        Known("`CellImage::run` makes one step for each row; `all_rules_give_the_answers_of_the_reference`"),
    ),
    (
        "In the paper the weights of the filter are not set by hand.",
        Known("Goel, Kakade, Kalai and Zhang 2022, theorem 1 and corollary 2"),
    ),
    (
        "The weights are drawn at random again and again, and the filter that is best on validation examples is kept.",
        Known("Goel, Kakade, Kalai and Zhang 2022, theorem 1 and corollary 2"),
    ),
    (
        "In principle this search can find a good filter, because the size of the filter does not depend on the number of inputs and examples.",
        Known(
            "Goel, Kakade, Kalai and Zhang 2022, theorem 1; `odds::parameters` depends on the number of states alone",
        ),
    ),
    (
        "But the probability of drawing one particular filter is below 10 to the power of minus a hundred thousand, even for programs with two states.",
        On(|_| odds::log10_probability(2) < -100_000.0),
    ),
    ("The panel “Probability of drawing the paper's filter” shows this probability.", Words),
    ("So this run searches a small set of rules instead of all filters.", Words),
    (
        "The value of a cell is −1, 0 or +1, so a rule has nine entries, and there are 19,683 rules.",
        On(|_| CellRule::all().count() == 19_683 && CellRule::IDENTITY.to_text().len() == 9),
    ),
    (
        "The rule is applied to all cells at once, as many times as the table has rows, and the sign of the sum of all cells is the answer.",
        Known("`CellImage::run` makes one step for each row; `all_rules_give_the_answers_of_the_reference`"),
    ),
    (
        "Each query has its own unknown bit (the input that is equal to the label), its own 15 examples and its own test input.",
        Known(
            "`QueryDistribution::query` draws all of them with the number of the query; `a_query_depends_only_on_seed_and_number`",
        ),
    ),
    (
        "In the median of 20 searches, the rule that is chosen from 3,000 random rules (restarts) is right on more than 98 % of the test queries.",
        Preset("search-bit"),
    ),
    (
        "In the chart “Accuracy of the chosen rule”, the third curve shows the accuracy on queries with twice as many inputs and examples.",
        Known(
            "the third series of the chart is `Measured::Twice`; the learner draws its queries with twice both numbers",
        ),
    ),
    (
        "With some of the chosen rules, most answers change their sign in each of the last layers.",
        On(|runs| (3..=17).contains(&reversing(runs).len())),
    ),
    (
        "The answers of these rules are mostly right only if the number of layers is even.",
        On(|runs| reversing(runs).iter().all(|rule| rule.right[0] > 0.8 && rule.right[1] < 0.15)),
    ),
    (
        "With m examples there are m + 1 layers.",
        Known("`CellImage::run` makes one step for each of the m + 1 rows"),
    ),
    (
        "For the 15 examples of this run, the number of layers is even.",
        On(|_| (problem("search-bit").examples + 1).is_multiple_of(2)),
    ),
    (
        "With twice as many examples the number of layers is odd, and almost all answers of these rules are wrong.",
        On(|runs| reversing(runs).iter().all(|rule| rule.twice < 0.05)),
    ),
    (
        "Under the rule named consensus a cell below the top row keeps its sign only if the cell above it has the same sign; otherwise the cell becomes 0.",
        On(|_| {
            CellRule::CONSENSUS.name() == Some("consensus")
                && CellValue::ALL.iter().all(|cell| {
                    CellValue::ALL.iter().all(|above| {
                        CellRule::CONSENSUS.apply(*cell, *above)
                            == if cell == above { *cell } else { CellValue::Zero }
                    })
                })
        }),
    ),
    (
        "Under *identity* no cell changes: the sum is a vote of all examples.",
        Known("`identity_is_a_vote_of_all_cells`"),
    ),
    (
        "A column with equal signs does not change under the consensus rule, but in any other column only the cells above the first change of sign keep their signs.",
        On(|_| only_what_is_above_a_change_is_left()),
    ),
    ("So the column of the unknown bit dominates the sum.", On(|_| own_column_dominates())),
    (
        "Without label noise the consensus rule is right on about 99 % of the queries about one unknown bit, and the vote of all examples (the identity rule) on about 93 %.",
        On(|runs| {
            let [consensus, vote] = [CONSENSUS, VOTE].map(|rule| right(runs, rule, "0"));
            (0.98..1.0).contains(&consensus) && (0.915..0.945).contains(&vote)
        }),
    ),
    (
        "For one unknown bit without label noise, consensus is better.",
        On(|runs| right(runs, CONSENSUS, "0") - right(runs, VOTE, "0") > 0.03),
    ),
    ("Which of the two rules will be better when 10 % of the labels are wrong?", Words),
    ("The vote is better.", On(vote_is_better_with_noise)),
    ("The vote is better.", On(vote_is_better_with_noise)),
    (
        "One wrong label changes one sign in the column of the unknown bit (the input that is equal to the label), so under the consensus rule the cells below this sign become 0.",
        On(|_| one_wrong_label_empties_what_is_below()),
    ),
    (
        "With 10 % of the labels wrong, consensus is right on about 79 % of the queries about one unknown bit, and the vote on about 88 %.",
        On(|runs| {
            let [consensus, vote] = [CONSENSUS, VOTE].map(|rule| right(runs, rule, "0.1"));
            (0.775..0.805).contains(&consensus) && (0.865..0.895).contains(&vote)
        }),
    ),
    (
        "This run is a sweep over six kinds of problem, three without label noise and three with 10 % of the labels wrong.",
        On(|_| {
            let noises: Vec<f64> = problems("rule-consensus").iter().map(|problem| problem.noise).collect();
            let with = |wanted: f64| noises.iter().filter(|noise| **noise == wanted).count();
            (noises.len(), with(0.0), with(0.1)) == (6, 3, 3)
        }),
    ),
    ("Press Play.", Words),
    ("In this run the label depends on the side of a random hyperplane on which the input lies.", Words),
    (
        "Each restart draws one random rule, and the search keeps the rule with the highest accuracy on 60 validation queries.",
        On(|runs| validation_never_falls(&runs.run("search-half-space"))),
    ),
    (
        "In the median of 20 searches, will the rules chosen after 3,000 restarts be much better on the test queries than those chosen after 100?",
        Words,
    ),
    ("No, at most a little better.", On(a_little_better_at_most)),
    ("At most a little better.", On(a_little_better_at_most)),
    (
        "It is partly by chance that the chosen rule is the best rule on the 60 validation queries.",
        On(|runs| {
            let [validation, test] = half_spaces(&runs.run("search-half-space"), 3_000);
            validation - test > 0.02
        }),
    ),
    (
        "From 100 to 3,000 restarts the median accuracy on the validation queries rises by more than the median accuracy on the test queries.",
        On(|runs| {
            let [validation, test] = rises(runs);
            validation > 0.02 && validation > test + 0.005
        }),
    ),
    (
        "With more restarts the accuracy of the chosen rule on the validation queries never falls.",
        On(|runs| validation_never_falls(&runs.run("search-half-space"))),
    ),
    (
        "Between 100 and 3,000 restarts the median accuracy on the test queries stays between 0.74 and 0.81.",
        On(|runs| stays(&runs.run("search-half-space"), 0.74, 0.81)),
    ),
    (
        "The runs show that a filter of fixed size can contain a learning algorithm, and that SGD can write the examples for the algorithm into a table.",
        Preset("parity-times"),
    ),
    ("The runs do not show that gradient descent finds such filters.", Words),
    (
        "If a filter contains a learning algorithm, the number of layers is the running time of the algorithm.",
        Preset("parity-times"),
    ),
    (
        "The runs also show that a search with validation queries can find a learning algorithm if the number of possible rules is small.",
        Preset("search-bit"),
    ),
    (
        "Of all 19,683 rules, between 90 and 130 learn which single input is the label: these rules are right on at least 95 % of the queries.",
        Preset("all-rules"),
    ),
    (
        "The filters that run a program were written by hand, and the rules with nine entries were found by a random search.",
        Known("`library::LEARNERS` are texts; a search keeps the best of the rules that it draws"),
    ),
    (
        "The paper proves theorems and has no experiments: the programs, their sizes and the set of rules are our choices.",
        Known("Goel, Kakade, Kalai and Zhang 2022, which has theorems and no experiment"),
    ),
    ("To try next: open “All 19,683 rules, with label noise”, and look at the chosen rule.", Words),
    ("Or open “No rule learns a parity”.", Words),
];

#[test]
fn what_it_says_is_so() {
    hold("the-program-in-the-filter");
}
