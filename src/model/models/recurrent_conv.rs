//! A recurrent convolutional network that contains a learning algorithm (Goel, Kakade, Kalai and Zhang 2022, section 4): its
//! filter is written down, and SGD learns the table of examples. What it computes is in [`vivarium_science::succinct::grid`]; here are
//! its settings, and how the state of a run is kept as parameters.
//!
//! ```text
//! steps 1 … m + 1    steps of SGD: each writes one row of the table W
//! steps m + 2 …      layers: the filter is applied to all cells, for the test input that is shown
//! ```
//!
//! # Why
//! The paper's network has a fixed number of layers L, long enough for the program, while it is trained and afterwards. Here each
//! further step is a further layer, so that depth can be watched as running time: the network with L layers is the run at step
//! m + 1 + L. While it is trained it has m + 2 layers, and further ones would change nothing (lemma 3). The parameters of a
//! replica are W, which training changes, and the numbers of its cells, so that a run can be kept and taken up again in the
//! middle of the program.
//!
//! The paper's working tape has as many columns as the network has layers (definition 5, where both are l). A head moves by
//! one column in a layer, so that a tape that grows with the head is the same. The tensor `cells` has its first column alone:
//! the others follow from the table.

use std::borrow::Cow;
use std::sync::Arc;

#[cfg(not(target_family = "wasm"))]
use super::inside;
use super::layout::{Tensor, Tensors};
use super::{Architecture, Bind, Family, ModelConfig, Network, Parameter, Rows};
use crate::tasks::{ExampleForm, Examples};
use vivarium_core::bounds::saturating_product;
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings::{InvalidSetting, Range};
use vivarium_core::sources::GOEL_2022;
use vivarium_core::{choices, settings};
#[cfg(not(target_family = "wasm"))]
use vivarium_science::succinct::grid::Automaton;
use vivarium_science::succinct::grid::{
    Grid, GridProgram, MAX_TAPE_COLUMNS, NetworkOutput, ProgramRun, library,
};
use vivarium_science::succinct::{Dataset, LearningProblem, SuccinctError};

choices! {
    /// A learning algorithm as a program on a grid.
    pub enum Chosen {
        /// Looks for a column that equals the label.
        Dictator = "dictator", "Dictator learner";
        /// Solves linear equations modulo 2.
        Parity = "parity", "Parity by Gaussian elimination";
        /// Rules that you have written.
        Own = "own", "Own program";
    }
}

/// Most characters of a program in a link; the text of Gaussian elimination takes about 3,000.
pub const MOST_IN_LINK: usize = 6_000;

/// The program that a person's own begins with: it answers with the label of the first example.
const OWN: &str = "\
start +- → * S up
up +- → * U up
up _ → * D read
read + → * L go+
read - → * L go-
go+ +- → * L go+
go- +- → * L go-
go+ _ → * R put+
go- _ → * R put-
put+ +- → + R right
put- +- → - R right
right +- → _ R right
right _ → * D turn1
turn1 _ → * L first1
first1 +- → _ L left
first1 _ → * S HALT
left +- → _ L left
left _ → * D turn2
turn2 _ → * R first2
first2 +- → _ R right
first2 _ → * S HALT";

settings! {
    /// The program that the filter runs.
    pub struct RecurrentConv {
        /// The learning algorithm that the filter runs.
        program: Chosen = Chosen::Dictator, "program", "Program", Range::Choice(Chosen::OPTIONS);
        /// Your rules, one per line: state, symbols read, an arrow, symbol written, move (U, D, L, R, or S for stay) and next state.
        rules: String = OWN.into(), "grid", "Own program", Range::Text(MOST_IN_LINK), only when "program" = "own";
        /// Blank columns to the right of the table, for a program to write on; 0: one for each layer, as in the paper.
        tape: usize = 0, "columns", "Columns of the working tape", Range::Int(0, MAX_TAPE_COLUMNS);
    }
}

/// Place of the table among the parameters.
pub const TABLE: usize = 0;
/// Place of the cells among the parameters.
pub const CELLS: usize = 1;

/// Test inputs for which the program is run, at most.
pub const MOST_QUERIES: usize = 256;

/// Most cells of all replicas and test inputs together: 256 MiB.
const MOST_CELLS: u64 = 1 << 28;

impl RecurrentConv {
    /// Name, source and summary.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "recurrent-conv",
        name: "Recurrent convolutional network",
        about: "SGD stores the examples in a table of weights, one example per step; a given 3 × 3 filter, the same in every layer, then runs a program on the table.",
        sources: &[GOEL_2022],
    };

    /// Its tensors in a file of weights.
    pub const TENSORS: Tensors = Tensors {
        formula: "\
f = the sum of f_head over the cells of the table in the last layer, from the examples in the table and the input x",
        loss: "(f − y)² with the label y = −1 or +1; mean over the test inputs. The answer of a program that has halted is f = −1 or +1.",
        letters: &[],
        all: &[
            Tensor::new(
                "table",
                ["examples + 1", "inputs + 1"],
                ["example, and a dummy example", "bit of the input, then the label"],
                "y (x, 1) / 3 of each example, from the step that writes it; 0 before this step",
            ),
            Tensor::new(
                "cells",
                ["examples + 3", "inputs + 3"],
                ["row", "column"],
                "the cells of the program in the layer of this step, with a ring around them; the last column is the first one of the working tape. Each cell is one whole number: symbol + 27 · phase (0 unknown, 1 memorise, 2 compute) + 81 · padding (0 or 1) + 162 · head (0 without the head, 1 + the number of the state with the head). The values of the paper, digits in base 3, follow from these numbers",
            ),
        ],
    };

    /// The program.
    ///
    /// # Errors
    /// What is wrong with a program of one's own.
    pub fn program(&self) -> Result<GridProgram, SuccinctError> {
        let program = match self.program {
            Chosen::Dictator => library::DICTATOR.parse_program(),
            Chosen::Parity => library::PARITY.parse_program(),
            Chosen::Own => GridProgram::parse(&self.rules),
        }?;
        program.check_first_step()?;
        Ok(program)
    }

    /// Columns that the working tape may have, with this many rows and columns of cells in the tensor: in the paper as many as
    /// there are layers. A tape that grows with the head has as many as fit into memory.
    pub fn columns(&self, [high, wide]: [usize; 2], replicas: usize) -> u64 {
        let room =
            MOST_CELLS / saturating_product([high, replicas, MOST_QUERIES].map(|size| size as u64)).max(1);
        match self.tape as u64 {
            // The first column is one of the tensor's.
            0 => (room + 1).saturating_sub(wide as u64).clamp(1, MAX_TAPE_COLUMNS),
            columns => columns,
        }
    }

    /// The text of the program.
    pub fn text(&self) -> &str {
        match self.program {
            Chosen::Dictator => library::DICTATOR.text,
            Chosen::Parity => library::PARITY.text,
            Chosen::Own => &self.rules,
        }
    }
}

/// The examples that a table W = y\[x, 1\]/3 holds, from its signs; a number that is 0 counts as 1.
///
/// # Errors
/// Where there is no row.
pub fn examples(table: &[f32], problem: &LearningProblem) -> Result<Dataset, SuccinctError> {
    let [_, columns] = problem.table_size();
    let sign = |number: f32| if number < 0.0 { -1i8 } else { 1 };
    let rows: Vec<&[f32]> = table.chunks_exact(columns).take(problem.examples).collect();
    let labels: Vec<i8> = rows.iter().map(|row| sign(row[columns - 1])).collect();
    let input = |(row, label): (&&[f32], &i8)| row[..columns - 1].iter().map(|w| sign(*w) * label).collect();
    Dataset::new(rows.iter().zip(&labels).map(input).collect(), labels)
}

impl Bind for RecurrentConv {
    type Bound = OnTable;

    fn bind(&self, examples: &dyn Examples) -> Cow<'_, OnTable> {
        Cow::Owned(OnTable { net: self.clone(), problem: examples.data().learning_problem() })
    }
}

impl ModelConfig for RecurrentConv {
    fn takes(&self) -> &'static [ExampleForm] {
        &[ExampleForm::Program]
    }

    fn family(&self) -> Option<Family> {
        Some(Family::ProgramOnGrid(self.clone()))
    }

    fn has_weights(&self) -> bool {
        false
    }

    fn is_optimized(&self) -> bool {
        false
    }
}

impl ToPyTorch for RecurrentConv {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        Err(tr!("The filter of this network is written by hand, not trained.").into())
    }
}

/// The network for one learning problem.
#[derive(Debug, Clone, PartialEq)]
pub struct OnTable {
    /// Its settings.
    pub net: RecurrentConv,
    /// The problem; none of a task about something else, which is not suited.
    pub problem: Option<LearningProblem>,
}

impl OnTable {
    /// Rows and columns of table and cells.
    fn sizes(&self) -> [[usize; 2]; 2] {
        self.problem.as_ref().map_or([[1; 2]; 2], |problem| [problem.table_size(), problem.grid_size()])
    }
}

impl Architecture for OnTable {
    fn parameters(&self, _inputs: usize, replicas: usize) -> Vec<Parameter> {
        let [[rows, columns], [high, wide]] = self.sizes();
        vec![
            Parameter::new("table", [replicas, rows, columns]),
            Parameter::new("cells", [replicas, high, wide]),
        ]
    }

    fn rows(&self) -> Rows {
        Rows::NONE
    }

    fn initial(&self, _seed: u64, inputs: usize, replicas: usize) -> Vec<Vec<f32>> {
        self.parameters(inputs, replicas).iter().map(|part| vec![0.0; part.len()]).collect()
    }

    fn step_flops(&self, _inputs: usize, _batch: usize) -> f64 {
        // A step of SGD goes through m + 2 layers of all cells, a later one through a few cells for each test input.
        let [[rows, _], [high, wide]] = self.sizes();
        ((rows + 1) * high * wide) as f64
    }

    fn problems(&self, _inputs: usize, _batch: usize, replicas: usize) -> Vec<InvalidSetting> {
        let mut problems = vec![];
        if let Err(mistake) = self.net.program() {
            let expected = tr!("a program without this mistake: {mistake}", mistake);
            problems.push(InvalidSetting::new("grid", &self.net.rules, expected));
        }
        let [_, [high, wide]] = self.sizes();
        let cells = |wide: u64| saturating_product([high as u64, wide, replicas as u64, MOST_QUERIES as u64]);
        let tape = self.net.tape as u64;
        if cells(wide as u64) > MOST_CELLS {
            let expected = tr!(
                "fewer replicas, because the cells of all test inputs would not fit into a browser's memory"
            );
            problems.push(InvalidSetting::new("replicas", &replicas.to_string(), expected));
        } else if tape > 0 && cells(wide as u64 - 1 + tape) > MOST_CELLS {
            let most = RecurrentConv { tape: 0, ..self.net.clone() }.columns([high, wide], replicas);
            let expected = tr!(
                "at most {most} columns, because the cells of all test inputs would not fit into a browser's memory",
                most
            );
            problems.push(InvalidSetting::new("columns", &tape.to_string(), expected));
        }
        problems
    }

    fn activations(&self, _inputs: usize) -> u64 {
        let [_, [high, wide]] = self.sizes();
        saturating_product([high, wide].map(|size| size as u64))
    }

    fn decays(&self, _which: usize) -> bool {
        false
    }
}

impl Network for OnTable {
    /// The output f for each input from the examples of the table, after as many layers as the program needs: its answer where
    /// it has halted as it should.
    fn evaluate(&self, weights: &[&[f32]], inputs: usize, x: &[f32], _stage: usize) -> Vec<f32> {
        let count = x.len() / inputs.max(1);
        let Some((data, program)) = self.parts(weights) else { return vec![0.0; count] };
        let output = NetworkOutput::new(&program);
        let f = |x: &[f32]| {
            let (_, walk) = self.walk(&data, &program, x)?;
            Some(output.compute(&walk, u64::MAX) as f64 / output.denominator() as f64)
        };
        x.chunks_exact(inputs.max(1)).map(|x| f(x).map_or(0.0, |f| f as f32)).collect()
    }

    /// The cells of the network after each of its layers, for each input, until its program has ended for all of them. A cell is
    /// the number that the tensor `cells` has.
    #[cfg(not(target_family = "wasm"))]
    fn inside_at(
        &self,
        at: &inside::At<'_>,
        weights: &[&[f32]],
        inputs: usize,
        x: &[f32],
    ) -> Result<Vec<inside::Inside>, String> {
        let parts = self.problem.as_ref().zip(self.parts(weights));
        let Some((problem, (data, program))) = parts.filter(|_| at.wants(inside::Kind::Activations)) else {
            return Ok(vec![]);
        };
        let [rows, columns] = problem.grid_size();
        let walks: Vec<_> =
            x.chunks_exact(inputs.max(1)).filter_map(|x| self.walk(&data, &program, x)).collect();
        // Layer 1 sets the head; each further layer is a step.
        let last = walks.iter().map(|(_, walk)| walk.steps() + 1).max().unwrap_or(0);
        let kept = inside::kept(last, saturating_product([walks.len(), rows, columns]))?;
        let mut all = inside::Gathered::default();
        for (grid, _) in walks {
            let network = Automaton::new(program.clone(), &grid).map_err(|mistake| mistake.to_string());
            let mut network = network?;
            let after = kept.iter().flat_map(|layer| {
                network.run(*layer);
                network.window().map(|cell| f64::from(cell.to_number())).collect::<Vec<_>>()
            });
            let axes = [("layer", kept.len()), ("row", rows), ("column", columns)];
            all.activations("activations", &axes, after);
        }
        let mut arrays = all.arrays();
        arrays.push(inside::layers(&kept));
        Ok(arrays)
    }
}

impl OnTable {
    /// The examples that the table holds, and the program.
    fn parts(&self, weights: &[&[f32]]) -> Option<(Dataset, Arc<GridProgram>)> {
        let (problem, table) = self.problem.as_ref().zip(weights.get(TABLE))?;
        Some((examples(table, problem).ok()?, Arc::new(self.net.program().ok()?)))
    }

    /// The grid of an input before the first layer, and the program after its last step.
    fn walk(&self, data: &Dataset, program: &Arc<GridProgram>, x: &[f32]) -> Option<(Grid, ProgramRun)> {
        let x: Vec<i8> = x.iter().map(|one| if *one < 0.0 { -1 } else { 1 }).collect();
        let [_, cells] = self.sizes();
        let grid = Grid::new(data, &x).ok()?.with_tape(self.net.columns(cells, 1));
        let mut walk = ProgramRun::new(program.clone(), grid.clone());
        walk.run(vivarium_science::succinct::MAX_PROGRAM_STEPS).ok()?;
        Some((grid, walk))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permalink::decode;
    use crate::run::RunSpec;
    use vivarium_science::succinct::grid::{AutomatonCell, MINUS_INDEX, PLUS_INDEX};

    fn spec(link: &str) -> RunSpec {
        let (link, notices) = decode(&format!("#v1/succinct-learning?{link}"));
        assert!(notices.is_empty(), "{notices:?}");
        link.spec
    }

    #[test]
    fn parameters_are_the_table_and_the_cells() {
        let spec = spec("inputs=4&examples=6&replicas=3");
        let (shapes, initial) = (spec.parameters(), spec.initialize_parameters());
        assert_eq!(shapes[TABLE].shape, [3, 7, 5]);
        assert_eq!(shapes[CELLS].shape, [3, 9, 7]);
        for (parameter, values) in shapes.iter().zip(&initial) {
            assert_eq!(parameter.len(), values.len(), "{}", parameter.name);
        }
    }

    #[test]
    fn the_answer_is_that_of_the_program_on_the_table() {
        let spec = spec("concept=parity&program=parity&inputs=3&examples=9&seed=5");
        let problem = spec.task.data().learning_problem().unwrap();
        let drawn = problem.sample(5, 0).unwrap();
        assert_eq!(drawn.data.rank(), 3);
        let third = |y: i8, x: i8| f32::from(y * x) / 3.0;
        let row = |(x, y): (&[i8], i8)| x.iter().chain([&1]).map(|x| third(y, *x)).collect::<Vec<f32>>();
        let mut table: Vec<f32> = drawn.data.examples().flat_map(row).collect();
        table.extend([1.0 / 3.0; 4]);
        assert_eq!(examples(&table, &problem).unwrap(), drawn.data);
        let queries: Vec<Vec<i8>> = (0..8).map(|at| drawn.test_input(at)).collect();
        let x: Vec<f32> = queries.iter().flatten().map(|one| f32::from(*one)).collect();
        let expected: Vec<f32> = queries.iter().map(|x| f32::from(drawn.concept.label(x))).collect();
        assert_eq!(spec.network().evaluate(&[&table], 3, &x, 0), expected);
    }

    #[test]
    fn the_first_program_of_ones_own_answers_with_the_first_label() {
        let spec = spec("program=own&inputs=3&examples=4");
        let data = Dataset::new(vec![vec![1, -1, 1]; 4], vec![-1, 1, 1, 1]).unwrap();
        let row = |(x, y): (&[i8], i8)| x.iter().chain([&1]).map(|x| f32::from(y * x)).collect::<Vec<f32>>();
        let mut table: Vec<f32> = data.examples().flat_map(row).collect();
        table.extend([1.0; 4]);
        assert_eq!(spec.network().evaluate(&[&table], 3, &[1.0, 1.0, -1.0], 0), [-1.0]);
    }

    /// The first grid is the input in XOR form, and the last one holds the answer alone.
    #[test]
    fn cells_after_every_layer_are_an_array() {
        let spec = spec("concept=dictator&program=dictator&inputs=3&examples=5&seed=5");
        let drawn = spec.task.data().learning_problem().unwrap().sample(5, 0).unwrap();
        let row = |(x, y): (&[i8], i8)| x.iter().chain([&1]).map(|x| f32::from(y * x)).collect::<Vec<f32>>();
        let mut table: Vec<f32> = drawn.data.examples().flat_map(row).collect();
        table.extend([1.0; 4]);
        let queries: Vec<Vec<i8>> = (0..4).map(|at| drawn.test_input(at)).collect();
        let x: Vec<f32> = queries.iter().flatten().map(|one| f32::from(*one)).collect();
        let at = inside::At { seed: 5, step: 0, rate: 0.0, kinds: &[inside::Kind::Activations] };
        let arrays = spec.network().inside_at(&at, &[&table], 3, &x).unwrap();
        let [cells, layers] = [0, 1].map(|at| &arrays[at]);
        assert_eq!(cells.axes, ["example", "layer", "row", "column"]);
        let count = layers.shape[0];
        assert_eq!(
            (cells.shape.as_slice(), layers.values[count - 1]),
            (&[4, count, 8, 6][..], (count - 1) as f32)
        );
        let answers = spec.network().evaluate(&[&table], 3, &x, 0);
        assert!(answers.iter().all(|answer| *answer != 0.0), "{answers:?}");
        for (e, x) in queries.iter().enumerate() {
            let symbols = |layer: usize| -> Vec<u8> {
                let numbers = &cells.values[(e * count + layer) * 48..][..48];
                numbers
                    .iter()
                    .map(|number| AutomatonCell::from_number(*number as u16).unwrap().symbol)
                    .collect()
            };
            assert_eq!(symbols(0), Grid::new(&drawn.data, x).unwrap().symbols());
            let mut last = Grid::blank(3, 5).unwrap();
            last.set_symbol(1, 1, if answers[e] > 0.0 { PLUS_INDEX } else { MINUS_INDEX });
            assert_eq!(symbols(count - 1), last.symbols(), "{e}");
        }
        let none = inside::At { kinds: &[], ..at };
        assert_eq!(spec.network().inside_at(&none, &[&table], 3, &x), Ok(vec![]));
    }

    #[test]
    fn a_program_that_cannot_run_is_one_sentence() {
        for (rules, said) in
            [("a+~→~*~L~b", "a"), ("nonsense", "line 1"), ("start~+-~→~*~L~HALT", "start"), ("", "program")]
        {
            let (read, notices) = decode(&format!("#v1/succinct-learning?program=own&grid={rules}"));
            assert_eq!(read.spec.invalid_settings(), [], "{rules}");
            let all: Vec<String> = notices.iter().map(ToString::to_string).collect();
            assert!(all.len() == 1 && all[0].contains(said), "{rules}: {all:?}");
        }
        for (link, key) in [
            ("inputs=31&examples=100&replicas=4000", "replicas"),
            ("examples=100&columns=1048576", "columns"),
        ] {
            let (read, notices) = decode(&format!("#v1/succinct-learning?{link}"));
            assert!(notices.iter().any(|notice| notice.key == key), "{notices:?}");
            assert_eq!(read.spec.invalid_settings(), []);
        }
    }

    /// 256 MiB for the cells of up to 256 test inputs of each replica, with one byte for a cell.
    #[test]
    fn the_tape_is_as_wide_as_memory_allows() {
        let columns = |link: &str, cells, replicas| {
            let Some(Family::ProgramOnGrid(net)) = spec(link).model.config().family() else {
                panic!("{link}")
            };
            net.columns(cells, replicas)
        };
        // 2²⁸/(11 · 256) = 95,325 columns, of which 8 are those of the block and of the ring on its left.
        assert_eq!(columns("", [11, 9], 1), 95_325 - 8);
        // 2²⁸/(103 · 100 · 256) = 101, of which 33.
        assert_eq!(columns("", [103, 34], 100), 101 - 33);
        assert_eq!(columns("", [103, 34], usize::MAX), 1);
        assert_eq!(columns("columns=7", [103, 34], 100), 7);
        assert_eq!(columns("", [4, 4], 1), 262_144 - 3);
        // Every link without the setting has the tensors that it had.
        assert_eq!(spec("columns=50").parameters()[CELLS].shape, spec("").parameters()[CELLS].shape);
        assert_eq!(spec("").parameters()[CELLS].shape, [1, 11, 9]);
    }
}
