//! The picture of a run on a table: the classes that the network and a random forest give to all values of two columns, as
//! two maps with the training rows on them, and one row that can be moved.

mod forest;
mod network;
mod picture;

use super::user_tables::file_of_run;
use forest::Tree;
use network::Layers;
use vivarium_core::rng::{Purpose, RandomStream};
use vivarium_model::optim::loss::Loss;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{Batch, Task};
use vivarium_plot::scene::Scene;
use vivarium_view::display::hero::{Frame, Hero, StageProgress, Touch};
use vivarium_view::display::words::{MISSING, format_percent, format_signed, format_thousands, join_list};

/// Time in which an example is shown while nobody touches the picture, in milliseconds.
const EXAMPLE_MS: f64 = 3_000.0;

/// Largest number of columns of a table of which a picture is drawn.
const MAX_COLUMNS: usize = 64;
/// Largest number of multiply-adds for one output of a network of which a picture is drawn.
const MAX_OPERATIONS: usize = 100_000;
/// Multiply-adds for all cells of a map together, which decide the number of cells.
const MAP_OPERATIONS: usize = 6_000_000;
/// Largest number of training rows that are drawn or from which trees are grown.
const MAX_TRAINING_ROWS: usize = 1000;
/// Largest number of held-out rows that are shown one by one.
const MAX_SHOWN_ROWS: usize = 100;
/// Largest number of trees in the forest; one is grown with each row that is shown and with each new set of weights.
const MAX_TREES: usize = 40;
/// Values at the edges of the maps: −2.6 and 2.6. Columns have mean 0 and standard deviation 1.
const EDGE: f32 = 2.6;
/// Share of the width of a map by which an arrow key moves the row.
const KEY_STEP: f32 = 0.02;
/// Share of the range that an arrow key moves the point while Shift is held.
const FINE_KEY_STEP: f32 = 0.002;
/// Index of the network among maps and answers.
const NETWORK: usize = 0;
/// Index of the forest among maps and answers.
const FOREST: usize = 1;

/// Whether the lab has a picture of the run: a perceptron with hidden layers on a table of few columns.
pub fn has_hero(spec: &RunSpec) -> bool {
    matches!(spec.task, Task::Tabular(_))
        && (2..=MAX_COLUMNS).contains(&spec.task.examples().inputs())
        && crate::parameters::check_is_small(spec).is_ok()
        && network::operations_per_output(spec).is_some_and(|operations| operations <= MAX_OPERATIONS)
}

/// The picture of a run; `None` if the lab has none for its network.
pub fn new_hero(spec: &RunSpec) -> Option<Box<dyn Hero>> {
    Some(Box::new(TableHero::new(spec)?))
}

/// The answers of network and forest to the shown row, each from −1 to 1: twice the probability of the second class, minus
/// 1. NaN before the first weights or trees.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Answers {
    /// Answers now.
    now: [f32; 2],
    /// Answers from which the bars move.
    from: [f32; 2],
    /// Time at which the movement began, in milliseconds.
    since_ms: f64,
}

/// State of the picture of one run.
#[derive(Debug, Clone)]
struct TableHero {
    /// Settings of the run.
    spec: RunSpec,
    /// Names of the columns.
    names: Vec<String>,
    /// Whether the values are standard deviations from the means of a table of the user, and not the table's own numbers.
    is_standardized: bool,
    /// Names of the classes with label −1 and +1.
    classes: [String; 2],
    /// Indices, from 0, of the columns on which the label depends; empty if they are not known.
    relevant: Vec<usize>,
    /// Indices of all columns, the most relevant first.
    order: Vec<usize>,
    /// Median of each column over the training rows.
    medians: Vec<f32>,
    /// Training rows of the first network, at most [`MAX_TRAINING_ROWS`].
    training: Batch,
    /// Held-out rows that are shown one by one.
    held_out: Batch,
    /// Number of the held-out row that was shown last, from 0.
    number: usize,
    /// Values of the shown row: a held-out row, of which two values may have been moved.
    row: Vec<f32>,
    /// Whether the user has moved the row, so that its label is not known.
    is_moved: bool,
    /// Whether the columns that are not on the axes are at their medians instead of the values of the shown row.
    uses_medians: bool,
    /// Indices of the horizontal and of the vertical column of the maps.
    axes: [usize; 2],
    /// Values of both columns at the centres of all cells of a map, row by row from the top.
    cells: Vec<[f32; 2]>,
    /// Number of cells in a row of a map.
    resolution: usize,
    /// Answers of network and forest in all cells, on the scale of [`Answers`].
    maps: [Vec<f32>; 2],
    /// Parameter tensors of the first network; `None` before the first weights.
    weights: Option<Vec<Vec<f32>>>,
    /// Output f of the network for the shown row.
    output: f32,
    /// Trees grown so far.
    trees: Vec<Tree>,
    /// Sums of the trees' votes in all cells.
    votes: Vec<f32>,
    /// Answers to the shown row.
    answers: Answers,
    /// Progress of the run.
    progress: StageProgress,
}

/// Columns in the order of their relevance: first those on which the label is known to depend, then by the absolute
/// correlation with the label.
fn rank_columns(rows: &Batch, columns: usize, relevant: &[usize]) -> Vec<usize> {
    let correlation = |column: usize| -> f32 {
        let values = rows.x.iter().skip(column).step_by(columns.max(1));
        values.zip(&rows.y).map(|(x, y)| x * y).sum::<f32>().abs()
    };
    let found: Vec<f32> = (0..columns).map(correlation).collect();
    let mut order: Vec<usize> = (0..columns).collect();
    vivarium_core::sorting::sort_by(&mut order, |a, b| {
        let is_known = |column: &usize| relevant.contains(column);
        is_known(b).cmp(&is_known(a)).then(found[*b].total_cmp(&found[*a])).then(a.cmp(b))
    });
    order
}

/// Median of each column, or 0 without rows.
fn find_medians(rows: &Batch, columns: usize) -> Vec<f32> {
    let median = |column: usize| {
        let mut values: Vec<f32> = rows.x.iter().skip(column).step_by(columns.max(1)).copied().collect();
        let middle = values.len() / 2;
        if values.is_empty() { 0.0 } else { *values.select_nth_unstable_by(middle, f32::total_cmp).1 }
    };
    (0..columns).map(median).collect()
}

impl TableHero {
    /// The picture of a run before its first step; `None` if [`has_hero`] is false or the table is not open.
    fn new(spec: &RunSpec) -> Option<TableHero> {
        if !has_hero(spec) {
            return None;
        }
        let (task, n, seed) = (&spec.task, spec.task.examples().inputs(), spec.run.seed);
        let (mut training, mut held_out) = (Batch::default(), Batch::default());
        let all = task.examples().training_set_size().unwrap_or(0).min(MAX_TRAINING_ROWS);
        task.sampler().append_training_set(seed, 0, 0, all, &mut training);
        task.sampler().append_held_out(seed, 0, spec.held_out_count().min(MAX_SHOWN_ROWS), &mut held_out);
        let relevant = task.examples().relevant(seed);
        let order = rank_columns(&training, n, &relevant);
        let axes = [*order.first()?, *order.get(1)?];
        let file = file_of_run(spec).filter(|file| file.table.names.len() == n);
        let names = match &file {
            Some(file) => file.table.names.clone(),
            None => (1..=n).map(|number| tr!("column {number}", number)).collect(),
        };
        let classes: [String; 2] =
            file.map_or_else(|| ["−1".into(), "+1".into()], |file| file.table.classes.clone());
        let operations = network::operations_per_output(spec)?.max(1);
        // An even number, so that no cell is at the middle of a column, where the labels of generated tables jump.
        let resolution = libm::sqrt((MAP_OPERATIONS / operations) as f64).clamp(12.0, 32.0) as usize / 2 * 2;
        let at = |cell: usize| EDGE * ((2 * cell + 1) as f32 / resolution as f32 - 1.0);
        let cell = |cell: usize| [at(cell % resolution), -at(cell / resolution)];
        let mut hero = TableHero {
            spec: spec.clone(),
            // The columns of an uploaded table are divided by their standard deviations.
            is_standardized: spec.task.config().uploaded_data_id().is_some(),
            names,
            classes,
            relevant,
            order,
            medians: find_medians(&training, n),
            row: held_out.x.get(..n)?.to_vec(),
            training,
            held_out,
            number: 0,
            is_moved: false,
            uses_medians: false,
            axes,
            cells: (0..resolution * resolution).map(cell).collect(),
            resolution,
            maps: [vec![], vec![]],
            weights: None,
            output: f32::NAN,
            trees: vec![],
            votes: vec![0.0; resolution * resolution],
            answers: Answers { now: [f32::NAN; 2], from: [f32::NAN; 2], since_ms: f64::NEG_INFINITY },
            progress: StageProgress::default(),
        };
        hero.grow_tree();
        if spec.can_page_initialize() {
            let initial = spec.initialize_replicas(1);
            hero.set_weights(StageProgress::default(), &initial, f64::NEG_INFINITY);
        } else {
            hero.evaluate(f64::NEG_INFINITY);
        }
        Some(hero)
    }

    /// Number of columns n.
    fn column_count(&self) -> usize {
        self.row.len()
    }

    /// Values of all columns that do not change within a map: the shown row, or the medians.
    fn base(&self) -> &[f32] {
        if self.uses_medians { &self.medians } else { &self.row }
    }

    /// The input whose answers are shown: the base, with the shown row's values of both columns of the maps.
    fn input(&self) -> Vec<f32> {
        let is_axis = |column: usize| self.axes.contains(&column);
        let columns = self.base().iter().zip(&self.row).enumerate();
        columns.map(|(column, (base, own))| if is_axis(column) { *own } else { *base }).collect()
    }

    /// Value of a column in the shown row; 0 for a column that does not exist.
    fn value(&self, column: usize) -> f32 {
        self.row.get(column).copied().unwrap_or(0.0)
    }

    /// An output of the network on the scale from −1 to 1. With cross-entropy, σ(f) is the probability of the second
    /// class; outputs for other losses are cut off.
    fn score(&self, output: f32) -> f32 {
        match self.spec.run.loss {
            Loss::CrossEntropy => libm::tanhf(output / 2.0),
            _ => output.clamp(-1.0, 1.0),
        }
    }

    /// Votes of a tree in all cells of a map.
    fn votes_of(&self, tree: &Tree) -> Vec<f32> {
        let (base, [across, up]) = (self.base(), self.axes);
        let vote = |[x, y]: &[f32; 2]| {
            tree.vote(&|column| match column {
                column if column == across => *x,
                column if column == up => *y,
                column => base.get(column).copied().unwrap_or(0.0),
            })
        };
        self.cells.iter().map(vote).collect()
    }

    /// Adds the votes of a tree to the sums.
    fn add_votes(&mut self, votes: &[f32]) {
        self.votes.iter_mut().zip(votes).for_each(|(sum, vote)| *sum += vote);
    }

    /// Computes the forest's map from the sums of the votes.
    fn update_forest_map(&mut self) {
        let count = self.trees.len().max(1) as f32;
        self.maps[FOREST] = self.votes.iter().map(|sum| sum / count).collect();
    }

    /// Grows a further tree until there are [`MAX_TREES`].
    fn grow_tree(&mut self) {
        if self.trees.len() >= MAX_TREES || self.training.is_empty() {
            return;
        }
        let stream = RandomStream::new(self.spec.run.seed, Purpose::Weights, 0);
        let tree = Tree::grow(&self.training, self.column_count(), stream, self.trees.len() as u64);
        let votes = self.votes_of(&tree);
        self.add_votes(&votes);
        self.trees.push(tree);
        self.update_forest_map();
    }

    /// Computes the network's map.
    fn update_network_map(&mut self) {
        let Some(weights) = &self.weights else { return };
        let Some(layers) = Layers::new(&self.spec, weights, self.progress.step) else { return };
        let outputs = layers.outputs(self.base(), self.axes, &self.cells);
        self.maps[NETWORK] = outputs.into_iter().map(|output| self.score(output)).collect();
    }

    /// Computes both maps and the answers after a change of the row, the columns or the base.
    fn update_maps(&mut self, now_ms: f64) {
        self.votes.fill(0.0);
        let votes: Vec<Vec<f32>> = self.trees.iter().map(|tree| self.votes_of(tree)).collect();
        votes.iter().for_each(|votes| self.add_votes(votes));
        self.update_forest_map();
        self.update_network_map();
        self.evaluate(now_ms);
    }

    /// Computes the answers to the shown row, and moves the bars there.
    fn evaluate(&mut self, now_ms: f64) {
        let x = self.input();
        let output = self.weights.as_ref().and_then(|weights| {
            let slices: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
            let stage = self.spec.stage(self.progress.step);
            self.spec.network().evaluate(&slices, x.len(), &x, stage).first().copied()
        });
        self.output = output.unwrap_or(f32::NAN);
        let votes = self.trees.iter().map(|tree| tree.vote(&|column| x.get(column).copied().unwrap_or(0.0)));
        let forest = match self.trees.len() {
            0 => f32::NAN,
            count => votes.sum::<f32>() / count as f32,
        };
        let now = [self.score(self.output), forest];
        self.answers = Answers { now, from: self.answers.now, since_ms: now_ms };
    }

    /// Moves the shown row to these values of both columns of the maps, each cut off at the edges of the maps.
    fn move_to(&mut self, values: [f32; 2]) -> Option<String> {
        if !values.iter().all(|value| value.is_finite()) {
            return None;
        }
        for (column, value) in self.axes.into_iter().zip(values) {
            if let Some(place) = self.row.get_mut(column) {
                *place = value.clamp(-EDGE, EDGE);
            }
        }
        self.is_moved = true;
        self.evaluate(f64::NEG_INFINITY);
        Some(self.describe_point())
    }

    /// Makes a column the horizontal one, and the column that was horizontal the vertical one.
    fn choose_column(&mut self, column: usize, now_ms: f64) -> Option<String> {
        if column >= self.column_count() {
            return None;
        }
        // The horizontal column itself changes places with the vertical one.
        self.axes = match self.axes {
            [across, up] if across == column => [up, across],
            [across, _] => [column, across],
        };
        self.update_maps(now_ms);
        let [across, up] = self.axes.map(|axis| self.name(axis));
        let point = self.describe_point();
        Some(tr!("Horizontal: {across}. Vertical: {up}. {point}", across, up, point))
    }

    /// Name of a column.
    fn name(&self, column: usize) -> String {
        self.names.get(column).cloned().unwrap_or_default()
    }

    /// Name of the class to which the sign of an answer belongs.
    fn class(&self, answer: f32) -> &str {
        &self.classes[usize::from(answer > 0.0)]
    }

    /// The answer of network or forest in words: a class, with the probability of this class or the output.
    fn describe_answer(&self, which: usize) -> String {
        let answer = self.answers.now.get(which).copied().unwrap_or(f32::NAN);
        if answer.is_nan() {
            return MISSING.into();
        }
        let class = self.class(answer);
        if which == NETWORK && self.spec.run.loss != Loss::CrossEntropy {
            return tr!("class {class}, output {output}", class, output = format_signed(self.output, 2));
        }
        tr!("class {class}, {share}", class, share = format_percent((1.0 + answer.abs()) / 2.0))
    }

    /// Label of the shown row; `None` if the user has moved it.
    fn label(&self) -> Option<f32> {
        self.held_out.y.get(self.number).copied().filter(|_| !self.is_moved)
    }

    /// Short words on the values of the columns that are not on the maps.
    fn describe_others(&self) -> &'static str {
        match self.uses_medians {
            true => tr!("other columns: medians"),
            false => tr!("other columns: as in the row"),
        }
    }

    /// Both values of the shown row on the maps, and both answers.
    fn describe_point(&self) -> String {
        let [across, up] = self.axes;
        tr!(
            "{across} is {x}, {up} is {y}. Network: {network}. Forest: {forest}.",
            across = self.name(across),
            x = format_signed(self.value(across), 2),
            up = self.name(up),
            y = format_signed(self.value(up), 2),
            network = self.describe_answer(NETWORK),
            forest = self.describe_answer(FOREST)
        )
    }

    /// Whether the shown row is as in the table, and its class.
    fn describe_row(&self) -> String {
        let number = self.number + 1;
        match self.label() {
            Some(label) => tr!("held-out row {number}: class {class}", number, class = self.class(label)),
            None => tr!("held-out row {number}, moved", number),
        }
    }
}

impl Hero for TableHero {
    fn set_weights(&mut self, progress: StageProgress, weights: &[Vec<f32>], now_ms: f64) {
        let shapes = self.spec.parameters();
        let has_shape = |(own, shape): (&Vec<f32>, &vivarium_model::models::Parameter)| {
            own.len() == shape.shape[1] * shape.shape[2]
        };
        if weights.len() != shapes.len() || !weights.iter().zip(&shapes).all(has_shape) {
            return;
        }
        self.progress = progress;
        self.weights = Some(weights.to_vec());
        self.grow_tree();
        self.update_network_map();
        self.evaluate(now_ms);
    }

    fn example_interval_ms(&self) -> f64 {
        EXAMPLE_MS
    }

    fn show_next_example(&mut self, now_ms: f64) {
        let (n, count) = (self.column_count(), self.held_out.len().max(1));
        self.number = (self.number + 1) % count;
        if let Some(row) = self.held_out.x.get(self.number * n..(self.number + 1) * n) {
            self.row = row.to_vec();
        }
        self.is_moved = false;
        self.grow_tree();
        self.update_maps(now_ms);
    }

    fn touch(&mut self, key: &str, touch: Touch, frame: &Frame) -> Option<String> {
        let [across, up] = self.axes.map(|axis| self.value(axis));
        match (key, touch) {
            (picture::POINT, Touch::Drag(to)) => {
                let values = picture::Layout::new(frame).values_at(to);
                self.move_to(values)
            }
            (picture::POINT, Touch::Nudge { x, y, fine }) => {
                let step = 2.0 * EDGE * if fine { FINE_KEY_STEP } else { KEY_STEP };
                self.move_to([across + x * step, up - y * step])
            }
            (picture::MEDIANS, Touch::Press) => {
                self.uses_medians = !self.uses_medians;
                self.update_maps(frame.now_ms);
                let point = self.describe_point();
                Some(match self.uses_medians {
                    true => {
                        tr!("All other columns are at their medians over the training rows. {point}", point)
                    }
                    false => tr!("All other columns have the values of the row. {point}", point),
                })
            }
            (column, Touch::Press) => {
                let column = column.strip_prefix(picture::COLUMN)?.parse().ok()?;
                self.choose_column(column, frame.now_ms)
            }
            _ => None,
        }
    }

    fn scene(&self, frame: &Frame) -> Scene {
        picture::draw(self, frame)
    }

    fn has_diverged(&self) -> bool {
        self.weights.is_some() && !self.output.is_finite()
    }

    fn own_headline(&self) -> String {
        let columns = || self.relevant.iter().map(|column| (column + 1).to_string()).collect::<Vec<_>>();
        match (self.progress.has_ended, self.relevant.len()) {
            (true, relevant) if relevant == self.column_count() => {
                tr!("All {relevant} columns matter. Move the point: where does the class change?", relevant)
            }
            (true, 1) => tr!(
                "Only column {columns} matters. Move the point along another: the answer should stay.",
                columns = join_list(&columns())
            ),
            (true, 2..=3) => tr!(
                "Only columns {columns} matter. Move the point along another: the answer should stay.",
                columns = join_list(&columns())
            ),
            (true, _) => {
                tr!("Drag the point across a border of the map: the class changes. Does the forest agree?")
                    .into()
            }
            (false, _) => {
                tr!("A network learns the classes of rows in a table. Drag the point, or choose columns.")
                    .into()
            }
        }
    }

    fn own_description(&self) -> String {
        let (step, row, point) =
            (format_thousands(self.progress.step), self.describe_row(), self.describe_point());
        let others = match self.uses_medians {
            true => tr!("All other columns are at their medians over the training rows."),
            false => {
                tr!("All other columns have the values of the row, so that the maps change with the row.")
            }
        };
        let unit = match self.is_standardized {
            true => tr!("Values are in standard deviations from the mean of their column."),
            false => "",
        };
        let others = format!("{others} {unit}");
        tr!(
            "Step {step}. Shown is {row}. {point} {others} The forest has {trees} of {all} trees, grown on {rows} training rows.",
            step,
            row,
            point,
            others = others.trim_end(),
            trees = self.trees.len(),
            all = MAX_TREES,
            rows = format_thousands(self.training.len() as u64)
        )
    }

    fn inner_progress(&self) -> Option<f32> {
        let first = self.weights.as_ref()?.first()?;
        let width = (first.len() / self.column_count().max(1)).max(1);
        let size = |row: &[f32]| row.iter().map(|w| w * w).sum::<f32>();
        let sizes: Vec<f32> = first.chunks_exact(width).map(size).collect();
        let relevant: f32 = self.relevant.iter().filter_map(|column| sizes.get(*column)).sum();
        let all: f32 = sizes.iter().sum();
        (!self.relevant.is_empty() && all > 0.0).then_some(relevant / all)
    }

    fn inner_progress_name(&self) -> &'static str {
        tr!("weight share of the relevant columns")
    }
}

#[cfg(test)]
mod tests;
