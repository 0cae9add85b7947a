//! Charts as data: what a chart draws, as a table in CSV.
//!
//! ```text
//! # program: Vivarium 0.1.0
//! # link: #v1/sparse-parity?n=20
//! # settings.lab: sparse-parity
//! …
//! # loss at step 200: Loss. x is step, value is loss.
//! chart,step,kind,name,x,row,value,low,high
//! loss,200,curve,held-out,0,,0.98,,
//! ```
//!
//! The first lines are those [of every table](crate::record::preamble). Each further line is one number of a chart. `kind`
//! says what the number is:
//!
//! ```text
//! curve       a point of the curve `name`: its place x, its value, and the edges of its band in low and high
//! unsmoothed  the same point before smoothing
//! reference   the height of the horizontal line `name`
//! mark        the place x of the vertical line `name`
//! span        an end x of the part `name` of the horizontal axis; each part has two lines
//! cell        the cell of a matrix in the column x and the row `row`; `name` is the text in the cell
//! bar         the height of the bar x; `name` is the word for bars that are marked
//! line        the height of the line `name` over the bar x
//! ```
//!
//! # Why
//! A chart is drawn from its [`Reading`] alone. So its data are written from the reading, in this module: a new chart
//! needs no code of its own. One table for all shapes can hold several charts at several steps, and the page and the
//! command line write the same bytes. Comments begin with `#`, as pandas, polars and numpy can skip them.

use std::borrow::Cow;
use std::fmt;

use super::view::RunView;
use crate::record::{Record, TrainingEnvironment, quote_csv_field};
use vivarium_model::chart::Chart;
use vivarium_model::permalink::{Link, ViewSettings};
use vivarium_plot::analysis::{BarChart, Heatmap, LineChart, Reading};

/// Header line of the CSV table of charts: the names of its columns.
pub const COLUMNS: &str = "chart,step,kind,name,x,row,value,low,high";

/// Content of a chart at one training step, to be written as CSV.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartData {
    /// Slug of the chart: its permanent name in links and files.
    pub chart: &'static str,
    /// Training steps that the run had completed when the chart was read.
    pub step: u64,
    /// Curves, matrix or bars of the chart.
    pub reading: Reading,
}

/// Position of a value along an axis of a chart.
#[derive(Debug, Clone, PartialEq)]
pub enum AxisPosition<'a> {
    /// The value has no position along this axis.
    Absent,
    /// A numeric coordinate.
    Number(f64),
    /// The name of a row, column or bar.
    Name(Cow<'a, str>),
}

/// One line of the CSV table of charts: one number of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartDatum<'a> {
    /// Kind of the number: "curve", "mark", "cell" and others, as listed in the documentation of this module.
    pub kind: &'static str,
    /// Name of the curve or line, or text of the cell.
    pub name: &'a str,
    /// Position along the horizontal axis; of a heatmap's cell, the column.
    pub x: AxisPosition<'a>,
    /// Row of a heatmap's cell; absent for curves and bars.
    pub row: AxisPosition<'a>,
    /// Height of a point or bar, or value of a cell; `None` for marks and spans, which have a position only.
    pub value: Option<f32>,
    /// Lower and upper edge of the uncertainty band of a curve at this point; `None` without a band.
    pub band: Option<(f32, f32)>,
}

impl<'a> ChartDatum<'a> {
    /// Builds a number of a chart that has neither a row nor an uncertainty band.
    fn new(kind: &'static str, name: &'a str, x: AxisPosition<'a>, value: Option<f32>) -> Self {
        ChartDatum { kind, name, x, row: AxisPosition::Absent, value, band: None }
    }
}

impl fmt::Display for AxisPosition<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AxisPosition::Absent => Ok(()),
            AxisPosition::Number(number) => write!(f, "{number}"),
            AxisPosition::Name(name) => f.write_str(&quote_csv_field(name)),
        }
    }
}

/// Name of row or column `at` (from 0) of a heatmap; if it has no name, its number counted from 1.
pub fn name_at(names: &[String], at: usize) -> Cow<'_, str> {
    names.get(at).map_or_else(|| (at + 1).to_string().into(), |name| name.as_str().into())
}

impl ChartData {
    /// Wraps the content of a chart, without the faint curves, which show steps after the current one.
    pub fn new(chart: Chart, run: &RunView, mut reading: Reading) -> Self {
        if let Reading::Lines(lines) = &mut reading {
            // Faint curves lie after the current step and are left out.
            lines.series.retain(|series| !series.faint);
        }
        ChartData { chart: chart.slug(), step: run.step, reading }
    }

    /// All numbers of the chart, in the order of the CSV table.
    pub fn data(&self) -> Vec<ChartDatum<'_>> {
        match &self.reading {
            Reading::Lines(lines) => data_of_lines(lines),
            Reading::Grid(grid) => data_of_grid(grid),
            Reading::Bars(bars) => data_of_bars(bars),
        }
    }

    /// Whether the chart contains no finite number.
    pub fn is_empty(&self) -> bool {
        let mut numbers: Box<dyn Iterator<Item = f32>> = match &self.reading {
            Reading::Lines(lines) => Box::new(lines.series.iter().flat_map(|series| &series.y).copied()),
            Reading::Grid(grid) => Box::new(grid.values.iter().copied()),
            Reading::Bars(bars) => Box::new(bars.bars.iter().map(|bar| bar.1)),
        };
        !numbers.any(f32::is_finite)
    }

    /// Describes title, axes and values in one or two sentences, for the comment lines of the table.
    pub fn describe_axes(&self) -> String {
        let (title, x, row, value) = match &self.reading {
            Reading::Lines(lines) => (&lines.title, &lines.x_label, "", lines.y_label.as_str()),
            Reading::Grid(grid) => (&grid.title, &grid.x_label, grid.y_label.as_str(), ""),
            Reading::Bars(bars) => (&bars.title, &bars.x_label, "", bars.y_label.as_str()),
        };
        let named = [("x", x.as_str()), ("row", row), ("value", value)];
        let named: Vec<String> = named
            .into_iter()
            .filter(|(_, what)| !what.is_empty())
            .map(|(column, what)| format!("{column} is {what}"))
            .collect();
        let axes = if named.is_empty() { String::new() } else { format!(" {}.", named.join(", ")) };
        format!("{} at step {}: {title}.{axes}", self.chart, self.step)
    }
}

/// Numbers of a line chart: points, raw points before smoothing, reference lines, marks and spans.
fn data_of_lines(lines: &LineChart) -> Vec<ChartDatum<'_>> {
    let mut data = vec![];
    for series in &lines.series {
        for (at, x) in series.x.iter().enumerate() {
            // The last place of stairs has no height: the last stair ends there.
            let point =
                ChartDatum::new("curve", &series.name, AxisPosition::Number(*x), series.y.get(at).copied());
            data.push(ChartDatum { band: series.band.get(at).copied(), ..point });
        }
        for (x, y) in series.x.iter().zip(&series.unsmoothed) {
            data.push(ChartDatum::new("unsmoothed", &series.name, AxisPosition::Number(*x), Some(*y)));
        }
    }
    let references = lines.reference_lines.iter();
    data.extend(
        references.map(|(y, name)| ChartDatum::new("reference", name, AxisPosition::Absent, Some(*y as f32))),
    );
    data.extend(
        lines.marks.iter().map(|(x, name)| ChartDatum::new("mark", name, AxisPosition::Number(*x), None)),
    );
    let ends = lines.spans.iter().flat_map(|span| [(span, span.from), (span, span.to)]);
    data.extend(ends.map(|(span, end)| ChartDatum::new("span", &span.name, AxisPosition::Number(end), None)));
    data
}

/// Numbers of a heatmap for the CSV table: one per cell, with the names of its column and row.
fn data_of_grid(grid: &Heatmap) -> Vec<ChartDatum<'_>> {
    let cell = |(at, value): (usize, &f32)| {
        let (row, column) = (at / grid.columns.max(1), at % grid.columns.max(1));
        let text = grid.texts.get(at).map_or("", String::as_str);
        let cell = ChartDatum::new(
            "cell",
            text,
            AxisPosition::Name(name_at(&grid.column_names, column)),
            Some(*value),
        );
        ChartDatum { row: AxisPosition::Name(name_at(&grid.row_names, row)), ..cell }
    };
    grid.values.iter().enumerate().map(cell).collect()
}

/// Numbers of a bar chart: bars and the line over them.
fn data_of_bars(bars: &BarChart) -> Vec<ChartDatum<'_>> {
    let bar = |(at, (category, height)): (usize, &'_ (String, f32))| {
        let name = if bars.marked.contains(&at) { bars.marked_name.as_str() } else { "" };
        (name, category.clone(), *height)
    };
    let heights = bars.bars.iter().enumerate().map(bar);
    let mut data: Vec<ChartDatum<'_>> = heights
        .map(|(name, category, height)| {
            ChartDatum::new("bar", name, AxisPosition::Name(category.into()), Some(height))
        })
        .collect();
    let overlay = bars.bars.iter().zip(&bars.overlay);
    data.extend(overlay.map(|((category, _), height)| {
        ChartDatum::new(
            "line",
            &bars.overlay_name,
            AxisPosition::Name(category.as_str().into()),
            Some(*height),
        )
    }));
    data
}

/// Record of the run's settings and environment for the comment lines at the top of a CSV table; of the measurements it
/// has the first two of the charts, which tell how far apart these are.
pub fn build_record(run: &RunView) -> Record {
    let [weights, weights_of] = run.initial_weights_file.clone();
    let here = || TrainingEnvironment {
        program: TrainingEnvironment::program(),
        weights_file: weights,
        weights_description: weights_of,
        ..Default::default()
    };
    Record {
        link: run.link.clone(),
        environment: run.file_environment.clone().unwrap_or_else(here),
        held_out: run.held_out,
        rows: run.history.rows().take(2).cloned().collect(),
        ..Default::default()
    }
}

/// Record for a table of charts: like [`build_record`], but the link keeps only settings that affect numbers in charts.
pub fn build_chart_record(run: &RunView) -> Record {
    let about = build_record(run);
    let link = about.link.clone();
    let usual = ViewSettings::default_of_task(&link.spec.task);
    let view = ViewSettings { speed: usual.speed, start: usual.start, show: usual.show, ..link.view };
    Record { link: Link { view, teacher_keys: vec![], ..link }, ..about }
}

/// Writes charts as one CSV table, headed by the comment lines of the record from [`build_chart_record`].
pub fn write_csv(about: &Record, charts: &[ChartData]) -> String {
    let mut text = about.csv_preamble();
    for chart in charts {
        let about = chart.describe_axes().replace(['\n', '\r'], " ");
        text.push_str(&format!("# {about}\n"));
    }
    text.push_str(COLUMNS);
    text.push('\n');
    let number = |value: Option<f32>| value.map_or_else(String::new, |value| value.to_string());
    for chart in charts {
        for ChartDatum { kind, name, x, row, value, band } in chart.data() {
            let ChartData { chart, step, .. } = chart;
            let name = quote_csv_field(name);
            let [low, high] = [band.map(|band| band.0), band.map(|band| band.1)].map(number);
            text.push_str(&format!(
                "{chart},{step},{kind},{name},{x},{row},{},{low},{high}\n",
                number(value)
            ));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::FileError;
    use crate::record::head::detect_kind;
    use vivarium_model::permalink::decode;
    use vivarium_plot::analysis::{AxisSpan, Series};

    /// The settings of the run of these tests, all of them, as a reader of its files finds them.
    const SETTINGS: &str = "lab=sparse-parity; model=mlp; opt=sgd; n=20; k=3; s=; layout=anywhere; data=fresh; m=0; \
        noise=0; width=100; act=relu; degree=3; init=uniform; ones=2; bias=both; \
        second=trained; first=trained; keep=; lr=0.1; wd=0; mom=0; momkind=classical; warm=0; \
        cool=none; drop=1000; gamma=0.1; loss=hinge; ls=0; batch=32; seed=0; replicas=1; \
        inits=0; steps=20000; target=1; halt=target; every=50; held=8192; lrs=; sweep=; \
        series=; further=; by=accuracy; limit=0.1; device=auto; learner=auto";

    /// A run with this link, measured on 64 held-out examples.
    fn run() -> RunView {
        let (link, _) = decode("#v1/sparse-parity?n=20&show=loss&speed=7&x=log&at=30");
        RunView { link, held_out: 64, ..RunView::default() }
    }

    fn of(reading: Reading) -> String {
        let run = run();
        let data = ChartData::new(vivarium_model::chart::LOSS, &run, reading);
        write_csv(&build_chart_record(&run), &[data])
    }

    /// First lines of a table of charts of the run.
    fn head() -> String {
        let mut head =
            format!("# program: {}\n# link: #v1/sparse-parity?n=20&x=log\n", TrainingEnvironment::program());
        for setting in SETTINGS.split("; ") {
            let (key, value) = setting.split_once('=').unwrap();
            head += &format!("# settings.{key}: {value}\n");
        }
        head + "# relevant: [2,13,19]\n# t_c_resolution: 50\n# held_out: 64\n"
    }

    #[test]
    fn a_table_begins_as_tables_of_metrics_do_and_is_none_to_learn() {
        let text = of(Reading::Bars(BarChart { title: "Shares".into(), ..BarChart::default() }));
        assert_eq!(text, format!("{}# loss at step 0: Shares.\n{COLUMNS}\n", head()));
        let flaw = detect_kind("data.csv", text.len() as u64, text.as_bytes());
        assert_eq!(flaw, Err(FileError::Table));
        // As the version before wrote it.
        let old = format!("# Vivarium 0.1.0\n# #v1/sparse-parity\n{COLUMNS}\n");
        assert_eq!(detect_kind("data.csv", old.len() as u64, old.as_bytes()), Err(FileError::Table));
    }

    /// The link does not give the numbers of such a run, and its files say so.
    #[test]
    fn a_run_from_the_weights_of_a_file_names_the_file() {
        let what = "step 50 of #v1/sparse-parity?n=20, checksum 0123456789abcdef";
        let begun = RunView { initial_weights_file: ["runs/half.safetensors".into(), what.into()], ..run() };
        let last = format!("# initial_weights: half.safetensors, {what}\n");
        assert_eq!(build_chart_record(&begun).csv_preamble(), head() + &last);
        assert_eq!(build_record(&begun).environment.weights_file, "runs/half.safetensors");
        // A file that is opened says it of itself.
        let record = Some(TrainingEnvironment {
            program: "Vivarium 0.0.1".into(),
            ..build_record(&begun).environment
        });
        let opened = RunView { file_environment: record, ..run() };
        let text = build_chart_record(&opened).csv_preamble();
        assert!(text.starts_with("# program: Vivarium 0.0.1\n") && text.ends_with(&last), "{text}");
    }

    #[test]
    fn curves_have_their_bands_and_what_comes_later_is_left_out() {
        let series = Series {
            name: "a, \"b\"".into(),
            x: vec![0.0, 2.5],
            y: vec![0.1, f32::NAN],
            band: vec![(0.0, 1.0), (-1.0, 1e-7)],
            unsmoothed: vec![0.3],
            ..Series::default()
        };
        let later = Series { faint: true, ..series.clone() };
        let span = AxisSpan { from: 1.0, to: 2.0, name: "warm".into(), role: Default::default() };
        let lines = LineChart {
            title: "Loss".into(),
            x_label: "step".into(),
            y_label: "loss".into(),
            series: vec![series, later],
            reference_lines: vec![(0.5, "chance".into())],
            marks: vec![(7.0, "#7".into())],
            spans: vec![span],
            ..LineChart::default()
        };
        let expected = "# loss at step 0: Loss. x is step, value is loss.\n\
                        chart,step,kind,name,x,row,value,low,high\n\
                        loss,0,curve,\"a, \"\"b\"\"\",0,,0.1,0,1\n\
                        loss,0,curve,\"a, \"\"b\"\"\",2.5,,NaN,-1,0.0000001\n\
                        loss,0,unsmoothed,\"a, \"\"b\"\"\",0,,0.3,,\n\
                        loss,0,reference,chance,,,0.5,,\n\
                        loss,0,mark,\"#7\",7,,,,\n\
                        loss,0,span,warm,1,,,,\n\
                        loss,0,span,warm,2,,,,\n";
        assert_eq!(of(Reading::Lines(lines)), head() + expected);
    }

    #[test]
    fn stairs_end_without_a_height() {
        let stairs = Series { x: vec![0.0, 1.0], y: vec![3.0], stairs: true, ..Series::default() };
        let lines = LineChart { series: vec![stairs], ..LineChart::default() };
        assert!(of(Reading::Lines(lines)).ends_with("loss,0,curve,,0,,3,,\nloss,0,curve,,1,,,,\n"));
    }

    #[test]
    fn cells_have_their_names_or_numbers_from_1() {
        let grid = Heatmap {
            title: "W".into(),
            x_label: "neuron".into(),
            y_label: "input bit".into(),
            rows: 2,
            columns: 2,
            values: vec![1.0, -2.0, 0.0, 0.5],
            row_names: vec!["x".into(), "y".into()],
            texts: vec!["one".into()],
            ..Heatmap::default()
        };
        let text = of(Reading::Grid(grid));
        assert!(text.contains("\n# loss at step 0: W. x is neuron, row is input bit.\n"), "{text}");
        let cells =
            "loss,0,cell,one,1,x,1,,\nloss,0,cell,,2,x,-2,,\nloss,0,cell,,1,y,0,,\nloss,0,cell,,2,y,0.5,,\n";
        assert!(text.ends_with(cells), "{text}");
    }

    #[test]
    fn bars_have_their_marks_and_the_line_over_them() {
        let bars = BarChart {
            title: "Shares".into(),
            bars: vec![("2".into(), 0.25), ("3".into(), 0.75)],
            marked: vec![1],
            marked_name: "target".into(),
            overlay: vec![0.5, 0.5],
            overlay_name: "even".into(),
            ..BarChart::default()
        };
        let text = of(Reading::Bars(bars));
        assert!(text.contains("\n# loss at step 0: Shares.\n"), "{text}");
        let lines = "loss,0,bar,,2,,0.25,,\nloss,0,bar,target,3,,0.75,,\nloss,0,line,even,2,,0.5,,\nloss,0,line,even,3,,0.5,,\n";
        assert!(text.ends_with(lines), "{text}");
    }

    #[test]
    fn a_chart_without_data_is_empty() {
        let is_empty = |reading| ChartData { chart: "loss", step: 0, reading }.is_empty();
        assert!(is_empty(Reading::Lines(LineChart {
            series: vec![Series::default()],
            ..LineChart::default()
        })));
        assert!(is_empty(Reading::Grid(Heatmap::default())) && is_empty(Reading::Bars(BarChart::default())));
        let unknown = BarChart { bars: vec![("1".into(), f32::NAN)], ..BarChart::default() };
        assert!(is_empty(Reading::Bars(unknown)));
        let point = Series { x: vec![0.0], y: vec![1.0], ..Series::default() };
        assert!(!is_empty(Reading::Lines(LineChart { series: vec![point], ..LineChart::default() })));
    }
}
