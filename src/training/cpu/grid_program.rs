//! The process of networks that run a program on a table: a step of the run is a step of SGD, which writes a row of the table,
//! until the table is full, and then a layer of the network.
//!
//! # Why
//! The network is executed cell by cell for the test input that is shown. Its output f for all test inputs, the sum of the head
//! over the cells of the table (definition 5), comes from the cells that the sequential walk of the same program gives, which
//! tests show to be equal to those of the network and is faster ([`NetworkOutput`]). An answer is right where f is the label.
//!
//! The arrays of a replica hold the block with its ring, and of the working tape one column. Where the tape may be wider,
//! a network that is resumed computes its layers again from the table: they depend on nothing else.
//!
//! # Speed
//! One of two hyperthreads of an AMD EPYC (2026-11-26): elimination with d = 10 and m = 20, 9,100 steps with the answers to 64
//! test inputs, takes 23 ms natively, and in Chromium 59 to 80 ms from the press of Play to the last step on the page.

use std::sync::Arc;

use super::process::Process;
use vivarium_model::models::Family;
use vivarium_model::models::family::GridProgram;
use vivarium_model::models::recurrent_conv::{MOST_QUERIES, TABLE, examples};
use vivarium_model::protocol::Measurement;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::TaskData;
use vivarium_science::succinct::grid::NetworkOutput;
use vivarium_science::succinct::grid::{
    self, Automaton, AutomatonCell, Grid, ProgramRun, RunEnd, TABLE_DENOMINATOR, TableTraining, TapePadding,
};
use vivarium_science::succinct::{Dataset, LearningMetric, LearningProblem, SampledProblem, SuccinctError};

/// The networks of a run that execute a program.
pub struct GridProcess {
    problem: LearningProblem,
    program: Arc<grid::GridProgram>,
    output: NetworkOutput,
    /// Columns that the working tape may have.
    columns: u64,
    replicas: Vec<ReplicaProblem>,
}

/// Problem of one replica, and results that later steps and measurements use again.
struct ReplicaProblem {
    drawn: SampledProblem,
    /// The table in training, after the latest step.
    tape: TableTraining,
    /// The table from which the walks were computed.
    walked_table: Vec<f32>,
    walks: Vec<Answer>,
    /// Number of layers of the walks.
    layers: u64,
}

/// The program on one test input.
struct Answer {
    walk: ProgramRun,
    right: i8,
    end: Option<RunEnd>,
}

impl Answer {
    /// The layer after which the program has halted, once it has.
    fn time(&self) -> Option<u64> {
        // Layer 1 sets the head.
        match self.end {
            Some(end @ RunEnd::Halted { .. }) => Some(end.steps() + 1),
            _ => None,
        }
    }

    /// The square of f minus the label, after so many layers.
    fn error(&self, output: &NetworkOutput, layers: u64) -> f64 {
        let away = output.compute(&self.walk, layers) - i64::from(self.right) * output.denominator();
        let away = away as f64 / output.denominator() as f64;
        away * away
    }
}

/// State of one replica.
#[derive(Debug, Clone)]
pub struct GridState {
    /// The weights that SGD writes, row by row.
    table: Vec<f32>,
    cells: Cells,
}

/// The cells as numbers before the first layer after they were loaded, and the network from then on.
#[derive(Debug, Clone)]
enum Cells {
    Loaded(Vec<f32>),
    Live(Box<Automaton>),
}

impl Cells {
    fn numbers(&self) -> Vec<f32> {
        match self {
            Cells::Loaded(numbers) => numbers.clone(),
            Cells::Live(network) => network.window().map(|cell| f32::from(cell.to_number())).collect(),
        }
    }
}

impl GridProcess {
    /// Makes one step of SGD of replica `replica`, which writes row `row` of its table.
    fn write_row(&mut self, state: &mut GridState, replica: usize, row: usize) -> Option<()> {
        let problem = &self.problem;
        let own = self.replicas.get_mut(replica)?;
        // A table of a file may hold any numbers.
        let unit = |w: &f32| libm::round(f64::from(w.clamp(-9.0, 9.0)) * TABLE_DENOMINATOR as f64) as i64;
        let units: Vec<i64> = state.table.iter().map(unit).collect();
        if own.tape.steps() != row || own.tape.weights().values != units {
            own.tape = TableTraining::resume(problem.inputs, problem.examples, TapePadding::Ring, units, row)
                .ok()?;
        }
        match (own.drawn.data.inputs().get(row), own.drawn.data.labels().get(row)) {
            (Some(x), Some(y)) => own.tape.train_on(x, *y).ok()?,
            _ => own.tape.train_on_dummy().ok()?,
        };
        state.table =
            own.tape.weights().values.iter().map(|w| *w as f32 / TABLE_DENOMINATOR as f32).collect();
        Some(())
    }

    /// Applies layer number `layer` of replica `replica`, from 0.
    fn apply_layer(&self, state: &mut GridState, replica: usize, layer: u64) -> Option<()> {
        let own = self.replicas.get(replica)?;
        let [rows, columns] = self.problem.grid_size();
        let is_loaded = matches!(state.cells, Cells::Loaded(_));
        if layer == 0 || (is_loaded && self.columns > 1) {
            let data = examples(&state.table, &self.problem).ok()?;
            let grid = Grid::new(&data, &self.problem.test_input(&own.drawn)).ok()?.with_tape(self.columns);
            let mut network = Automaton::new(self.program.clone(), &grid).ok()?;
            network.run(layer);
            state.cells = Cells::Live(Box::new(network));
        } else if let Cells::Loaded(numbers) = &state.cells {
            let cells: Option<Vec<AutomatonCell>> =
                numbers.iter().map(|number| AutomatonCell::from_number(*number as u16)).collect();
            let network = Automaton::from_cells(self.program.clone(), rows, columns, cells?, layer).ok()?;
            state.cells = Cells::Live(Box::new(network));
        }
        if let Cells::Live(network) = &mut state.cells {
            network.apply_layer();
        }
        Some(())
    }

    /// The program on the first `count` test inputs of replica `replica`, run for `layers` layers.
    fn answers(&mut self, table: &[f32], replica: usize, count: usize, layers: u64) -> &[Answer] {
        let problem = &self.problem;
        let Some(own) = self.replicas.get_mut(replica) else { return &[] };
        // A walk only goes forwards.
        if own.walked_table != table || own.walks.len() != count || layers < own.layers {
            own.walked_table = table.to_vec();
            let data = examples(table, problem).ok();
            let walk = |at: u64| {
                let x = own.drawn.test_input(at);
                let grid = Grid::new(data.as_ref()?, &x).ok()?.with_tape(self.columns);
                let right = own.drawn.concept.label(&x);
                Some(Answer { walk: ProgramRun::new(self.program.clone(), grid), right, end: None })
            };
            own.walks = (0..count as u64).filter_map(walk).collect();
        }
        own.layers = layers;
        for answer in &mut own.walks {
            if answer.end.is_none() {
                answer.end = answer.walk.advance(layers.saturating_sub(1));
            }
        }
        &own.walks
    }
}

/// The middle of these numbers, of an even count the mean of the two in the middle.
fn median(mut numbers: Vec<f32>) -> f32 {
    vivarium_core::sorting::sort_by(&mut numbers, f32::total_cmp);
    vivarium_core::math::median(&numbers).unwrap_or(f32::NAN)
}

/// The largest distance of the rows that are written from y\[x, 1\]/3; the last row is that of the dummy example.
fn deviation(table: &[f32], data: &Dataset, rows: usize) -> f32 {
    let columns = data.d() + 1;
    let dummy = vec![1i8; data.d()];
    let all = data.examples().chain([(&dummy[..], 1i8)]).take(rows).zip(table.chunks_exact(columns));
    let distance = |((x, y), row): ((&[i8], i8), &[f32])| {
        let wanted = x.iter().chain([&1]).map(|x| f32::from(x * y) / 3.0);
        wanted.zip(row).fold(0.0, |most: f32, (wanted, w)| most.max((wanted - w).abs()))
    };
    all.map(distance).fold(0.0, f32::max)
}

impl Process for GridProcess {
    type State = GridState;

    fn new(spec: &RunSpec) -> Result<(Self, GridState), String> {
        let Some(Family::ProgramOnGrid(net)) = spec.model.config().family() else {
            return Err(format!("{} runs no program on a grid", spec.model.info().name));
        };
        let net: GridProgram = net;
        let TaskData::Program(problem) = spec.task.data() else {
            return Err(format!("its task is {}", spec.task.info().name));
        };
        let program = Arc::new(net.program().map_err(|error| error.to_string())?);
        let of_replica = |replica: usize| {
            let drawn = problem.sample(spec.run.seed, replica)?;
            let tape = TableTraining::new(problem.inputs, problem.examples, TapePadding::Ring)?;
            Ok(ReplicaProblem { drawn, tape, walked_table: vec![], walks: vec![], layers: 0 })
        };
        let replicas: Result<Vec<ReplicaProblem>, SuccinctError> =
            (0..spec.run.replicas).map(of_replica).collect();
        let replicas = replicas.map_err(|error| error.to_string())?;
        let [[rows, columns], [high, wide]] = [problem.table_size(), problem.grid_size()];
        let state =
            GridState { table: vec![0.0; rows * columns], cells: Cells::Loaded(vec![0.0; high * wide]) };
        let (columns, output) = (net.columns([high, wide], spec.run.replicas), NetworkOutput::new(&program));
        Ok((GridProcess { problem, program, output, columns, replicas }, state))
    }

    fn step(&mut self, state: &mut GridState, _spec: &RunSpec, (replica, step): (usize, u64)) {
        let writing = self.problem.writing_steps();
        match step.checked_sub(writing) {
            None => self.write_row(state, replica, step as usize),
            Some(layer) => self.apply_layer(state, replica, layer),
        };
    }

    fn measure(
        &mut self,
        state: &mut GridState,
        (replica, step): (usize, u64),
        held_out: usize,
        row: &mut Measurement,
    ) {
        let writing = self.problem.writing_steps();
        let (rows, layers) = (step.min(writing), step.saturating_sub(writing));
        let Some(own) = self.replicas.get(replica) else { return };
        let (stray, rank) = (deviation(&state.table, &own.drawn.data, rows as usize), own.drawn.data.rank());
        let output = self.output.clone();
        let answers = match layers > 0 {
            true => self.answers(&state.table, replica, held_out.clamp(1, MOST_QUERIES), layers),
            false => &[],
        };
        // While the table is written, f is 0 (lemma 3).
        let mut error: f64 = if answers.is_empty() { 1.0 } else { 0.0 };
        let [mut right, mut given] = [0.0, 0.0];
        let count = answers.len().max(1) as f32;
        let mut excess = f32::NAN;
        for answer in answers {
            let label = output.answer(&answer.walk, layers);
            error += answer.error(&output, layers) / f64::from(count);
            right += f32::from(u8::from(label == Some(answer.right))) / count;
            given += f32::from(u8::from(label.is_some())) / count;
            if let Some(away) = output.excess(&answer.walk, layers) {
                excess = excess.max(away.abs() as f32);
            }
        }
        let times: Vec<f32> =
            answers.iter().filter_map(|answer| answer.time()).map(|time| time as f32).collect();
        let halted = times.iter().filter(|time| **time <= layers as f32).count();
        let all = !answers.is_empty() && halted == answers.len();
        row.train_loss.push(stray);
        row.train_accuracy.push(rows as f32 / writing as f32);
        row.test_loss.push(error as f32);
        row.test_accuracy.push(right);
        row.measures.resize(LearningMetric::ALL.len(), vec![]);
        let measures = LearningMetric::ALL.iter().map(|measured| match measured {
            LearningMetric::TableDeviation => stray,
            LearningMetric::Layers => layers as f32,
            LearningMetric::AnsweredShare => given,
            LearningMetric::MedianTime if all => median(times.clone()),
            LearningMetric::MaxTime if all => times.iter().copied().fold(f32::NAN, f32::max),
            LearningMetric::Rank => rank as f32,
            LearningMetric::OutputExcess => excess,
            _ => f32::NAN,
        });
        row.measures.iter_mut().zip(measures).for_each(|(all, one)| all.push(one));
    }

    fn save(state: &GridState, which: usize) -> Vec<f32> {
        match which {
            TABLE => state.table.clone(),
            _ => state.cells.numbers(),
        }
    }

    fn load(state: &mut GridState, which: usize, values: &[f32]) {
        match which {
            TABLE => state.table = values.to_vec(),
            _ => state.cells = Cells::Loaded(values.to_vec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::process::ProcessLearner;
    use crate::session::learner::{Learner, ready};
    use vivarium_core::settings::Value;
    use vivarium_model::permalink::decode;
    use vivarium_science::succinct::Concept;
    use vivarium_science::succinct::grid::library;

    type GridLearner = ProcessLearner<GridProcess>;

    fn spec(link: &str) -> RunSpec {
        let (link, notices) = decode(&format!("#v1/succinct-learning?{link}"));
        assert!(notices.is_empty(), "{notices:?}");
        link.spec
    }

    fn measured(row: &Measurement, which: LearningMetric) -> f32 {
        row.measures[which as usize][0]
    }

    #[test]
    fn a_run_writes_the_table_and_then_runs_the_program() {
        for (link, layers) in
            [("inputs=6&examples=8", 400), ("concept=parity&program=parity&inputs=4&examples=10", 2000)]
        {
            let spec = spec(link);
            let mut learner = GridLearner::new(&spec).unwrap();
            let writing = spec.task.data().learning_problem().unwrap().writing_steps();
            for step in 0..writing {
                let row = learner.measure_now(step, 64);
                assert_eq!((row.train_loss[0], row.train_accuracy[0]), (0.0, step as f32 / writing as f32));
                assert_eq!((row.test_loss[0], row.test_accuracy[0]), (1.0, 0.0));
                learner.train(&spec, step, step + 1);
            }
            let full = learner.measure_now(writing, 64);
            assert_eq!((full.train_accuracy[0], measured(&full, LearningMetric::AnsweredShare)), (1.0, 0.0));
            assert_eq!((full.test_loss[0], full.test_accuracy[0]), (1.0, 0.0));
            learner.train(&spec, writing, writing + layers);
            let last = learner.measure_now(writing + layers, 64);
            assert_eq!(
                (measured(&last, LearningMetric::AnsweredShare), measured(&last, LearningMetric::Layers)),
                (1.0, layers as f32)
            );
            assert!(last.test_accuracy[0] > 0.98, "{last:?}");
            assert!(measured(&last, LearningMetric::MedianTime) <= measured(&last, LearningMetric::MaxTime));
            // The network's own output for the input that is shown.
            let Cells::Live(network) = &learner.replicas[0].state.cells else {
                panic!("nothing was computed")
            };
            let drawn = &learner.network.process.replicas[0].drawn;
            let expected = drawn.concept.label(&learner.network.process.problem.test_input(drawn));
            assert_eq!(network.output(), i64::from(expected) * network.codes().denominator());
        }
    }

    #[test]
    fn the_network_halts_when_the_walk_does() {
        let spec = spec("inputs=5&examples=7&replicas=4");
        let mut learner = GridLearner::new(&spec).unwrap();
        learner.train(&spec, 0, 8);
        let mut last = [0; 4];
        for step in 8..400 {
            let before: Vec<Vec<f32>> =
                learner.replicas.iter().map(|replica| replica.state.cells.numbers()).collect();
            learner.train(&spec, step, step + 1);
            for (number, before) in before.iter().enumerate() {
                if learner.replicas[number].state.cells.numbers() != *before {
                    last[number] = step + 1 - 8;
                }
            }
        }
        for (number, last) in last.into_iter().enumerate() {
            let table = learner.replicas[number].state.table.clone();
            let time = learner.network.process.answers(&table, number, 1, 400)[0].time().unwrap();
            assert_eq!(time, last, "{number}");
        }
    }

    #[test]
    fn what_is_kept_and_taken_up_again_goes_on_with_the_same_bits() {
        for link in ["replicas=3", "concept=parity&program=parity&inputs=3&examples=6&replicas=2&flips=0.2"] {
            let spec = spec(link);
            for middle in [4, 8, 9, 10, 40] {
                let (mut whole, mut first) =
                    (GridLearner::new(&spec).unwrap(), GridLearner::new(&spec).unwrap());
                whole.train(&spec, 0, 80);
                first.train(&spec, 0, middle);
                let kept = ready(first.weights());
                let mut second = GridLearner::new(&spec).unwrap();
                second.load(&kept);
                second.train(&spec, middle, 60);
                second.remember(60);
                second.train(&spec, 60, 80);
                assert_eq!(ready(second.weights()), ready(whole.weights()), "{link} {middle}");
                let (a, b) = (second.measure_now(80, 64), whole.measure_now(80, 64));
                assert_eq!(format!("{a:?}"), format!("{b:?}"), "{link} {middle}");
                ready(second.restore());
                second.train(&spec, 60, 80);
                assert_eq!(ready(second.weights()), ready(whole.weights()), "{link} {middle}");
            }
        }
    }

    /// A program as a link writes it.
    fn written(text: &str) -> String {
        Value::Text(text.into()).to_string()
    }

    #[test]
    fn answers_are_read_from_the_output() {
        // The dictator learner that goes back into the table to halt: the table is as it should be, and f is not. HALT is
        // state 20 of 21, + − + − − in binary, so that the head adds 18(1/27 + 59/6561) = 604/729.
        let inside = library::DICTATOR
            .text
            .replace("X _ → * S HALT", "X _ → * U Z")
            .replace("Y _ → * S HALT", "Y _ → * U Z")
            + "Z * → * S HALT";
        let rules: Vec<&str> =
            inside.lines().filter_map(|line| line.split("//").next()).map(str::trim).collect();
        let spec = spec(&format!("inputs=6&examples=12&program=own&grid={}", written(&rules.join("\n"))));
        let mut learner = GridLearner::new(&spec).unwrap();
        learner.train(&spec, 0, 13 + 400);
        let row = learner.measure_now(13 + 400, 64);
        let excess = 604.0 / 729.0;
        assert_eq!((row.test_accuracy[0], measured(&row, LearningMetric::AnsweredShare)), (0.0, 0.0));
        assert!((measured(&row, LearningMetric::OutputExcess) - excess).abs() < 1e-6);
        assert!((row.test_loss[0] - excess * excess).abs() < 1e-5, "{row:?}");
        assert!(measured(&row, LearningMetric::MedianTime) > 100.0);
        // The same learner with its own end.
        let spec = self::spec("inputs=6&examples=12");
        let mut learner = GridLearner::new(&spec).unwrap();
        learner.train(&spec, 0, 13 + 400);
        let row = learner.measure_now(13 + 400, 64);
        assert_eq!(
            (measured(&row, LearningMetric::AnsweredShare), measured(&row, LearningMetric::OutputExcess)),
            (1.0, 0.0)
        );
        // While the program runs, f is a sum of signs: in layer 1 that of all 91 cells of the image.
        let first = learner.measure_now(13 + 1, 64);
        let drawn = &learner.network.process.replicas[0].drawn;
        let error = |at: u64| {
            let x = drawn.test_input(at);
            let dummy = vec![1; 6];
            let table = drawn.data.examples().chain([(dummy.as_slice(), 1)]);
            let row = |(a, y): (&[i8], i8)| {
                i32::from(y) * (1 + a.iter().zip(&x).map(|(a, b)| i32::from(a * b)).sum::<i32>())
            };
            (table.map(row).sum::<i32>() - i32::from(drawn.concept.label(&x))).pow(2)
        };
        let expected = (0..64).map(error).sum::<i32>() as f32 / 64.0;
        assert!((first.test_loss[0] - expected).abs() < 1e-3 * expected, "{} {expected}", first.test_loss[0]);
    }

    #[test]
    fn a_wide_tape_is_taken_up_again() {
        // Goes to the right for ever and writes; the first column of the tape is all that the parameters have.
        let rules = written("a * → * S b\nb * → - R c\nc * → + R b");
        for (columns, is_lost) in [("", false), ("&columns=9", true)] {
            let spec = spec(&format!("inputs=2&examples=3&program=own&grid={rules}{columns}"));
            let (mut whole, mut first) = (GridLearner::new(&spec).unwrap(), GridLearner::new(&spec).unwrap());
            whole.train(&spec, 0, 60);
            first.train(&spec, 0, 20);
            let kept = ready(first.weights());
            let mut second = GridLearner::new(&spec).unwrap();
            second.load(&kept);
            second.train(&spec, 20, 60);
            assert_eq!(ready(second.weights()), ready(whole.weights()));
            let [Cells::Live(one), Cells::Live(other)] =
                [&whole, &second].map(|of| &of.replicas[0].state.cells)
            else {
                panic!("nothing was computed")
            };
            assert_eq!((one.cells(), one.head()), (other.cells(), other.head()));
            // Layer 1 sets the head in column 3, layer 2 stays, and the 54 layers after them move it.
            assert_eq!(one.head().map(|(row, column, _)| (row, column)), (!is_lost).then_some((4, 3 + 54)));
            assert_eq!(kept.parameters[1].len(), 6 * 5);
        }
    }

    #[test]
    fn a_table_of_a_file_is_used_as_it_is() {
        let spec = spec("inputs=4&examples=12&query=1.1.0.0");
        let mut learner = GridLearner::new(&spec).unwrap();
        learner.train(&spec, 0, 13);
        let mut kept = ready(learner.weights());
        let answer = |learner: &mut GridLearner| {
            learner.train(&spec, 13, 400);
            let Cells::Live(network) = &learner.replicas[0].state.cells else {
                panic!("nothing was computed")
            };
            network.output() / network.codes().denominator()
        };
        let first = answer(&mut learner);
        // Another input becomes the label, and the one that it was is none any more.
        let Concept::Dictator { bit } = learner.network.process.replicas[0].drawn.concept else {
            panic!("no bit")
        };
        let table = &mut kept.parameters[TABLE];
        (0..12).for_each(|row| table[5 * row + (bit + 2) % 4] = 1.0 / 3.0);
        table[bit] = -table[bit];
        learner.load(&kept);
        assert_eq!((answer(&mut learner), first.abs()), (-first, 1));
    }
}
