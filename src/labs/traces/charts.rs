//! The charts of networks on traces of a machine.

use super::newest::{layers, newest};
use super::probes::PARAMETERS;
use super::state::TracesState;
use super::words;
use vivarium_core::language::translated;
use vivarium_model::tasks::machine_traces::charts;
use vivarium_plot::analysis::chains::LETTERED;
use vivarium_plot::analysis::curves::series;
use vivarium_plot::analysis::replicas::Of;
use vivarium_plot::analysis::{Bars, Grid, Lines, Reading, Role, Series};
use vivarium_science::machines::TraceMetric;
use vivarium_science::machines::random::token_name;
use vivarium_science::machines::traces::WRITE_DISTANCES;
use vivarium_view::display::RunView;
use vivarium_view::display::charts::{ChartSpec, Follows, marked, with_axes};

/// All of them.
pub const CHARTS: &[ChartSpec] = &[
    ChartSpec::new(charts::FLOOR, |run| Reading::Lines(floor(run)))
        .summary(words::floor)
        .follows(Follows::Rows)
        .of_measurements()
        .compares(),
    ChartSpec::new(charts::CELLS, |run| Reading::Lines(cells(run)))
        .summary(|run| Some(words::cells(run)))
        .follows(Follows::Rows)
        .of_measurements()
        .compares(),
    ChartSpec::new(charts::BACK, |run| Reading::Bars(back(run)))
        .summary(|run| Some(words::back(run)))
        .follows(Follows::Rows)
        .of_measurements(),
    ChartSpec::new(charts::WRITES, |run| Reading::Lines(writes(run)))
        .summary(|run| Some(words::writes(run)))
        .follows(Follows::Rows)
        .of_measurements(),
    ChartSpec::new(charts::LONGER, |run| Reading::Lines(longer(run)))
        .summary(|run| Some(words::longer(run)))
        .follows(Follows::Rows)
        .of_measurements(),
    ChartSpec::new(charts::LOOKS, |run| {
        Reading::Grid(run.state().map(|state| looks(run, state)).unwrap_or_default())
    })
    .probe(PARAMETERS)
    .title(words::looks_title)
    .summary(words::looks)
    .follows(Follows::Sequence),
    ChartSpec::new(charts::HEADS, |run| Reading::Bars(run.state().map(heads).unwrap_or_default()))
        .probe(PARAMETERS)
        .summary(words::heads)
        .follows(Follows::Sequence),
    ChartSpec::new(charts::PATH, |run| Reading::Lines(run.state().map(path).unwrap_or_default()))
        .probe(PARAMETERS)
        .summary(words::path)
        .follows(Follows::Sequence),
];

/// One of the further measures over the steps.
fn measure(run: &RunView, name: &str, role: Role, of: TraceMetric) -> Series {
    series(&run.history, name, role, Of::Measure(of as usize))
}

fn floor(run: &RunView) -> Lines {
    let mut lines = with_axes(tr!("step"), tr!("loss (nats per token)"));
    lines.series = vec![
        series(&run.history, tr!("training batch"), Role::Train, Of::TrainLoss),
        series(&run.history, tr!("held-out traces"), Role::Test, Of::TestLoss),
    ];
    if let Some(state) = run.state::<TracesState>() {
        lines.references.push((state.least, tr!("least possible loss").into()));
    }
    marked(lines, run)
}

/// Shares over the steps, from 0 to 1.
fn shares(run: &RunView, label: &str, series: Vec<Series>) -> Lines {
    let mut lines = with_axes(tr!("step"), label);
    lines.series = series;
    lines.y_range = Some((0.0, 1.02));
    let mut lines = marked(lines, run);
    lines.log_y = false;
    lines
}

fn cells(run: &RunView) -> Lines {
    let series = vec![
        measure(run, tr!("new cells"), Role::Train, TraceMetric::NewCells),
        series(&run.history, tr!("written cells"), Role::Test, Of::TestAccuracy),
    ];
    let mut lines = shares(run, tr!("accuracy"), series);
    lines.references.push((0.5, tr!("chance").into()));
    lines
}

fn back(run: &RunView) -> Bars {
    let first = TraceMetric::TwoBack as usize;
    let classes = TraceMetric::ALL[first..].iter().zip(WRITE_DISTANCES);
    let bar = |(of, (from, to)): (&TraceMetric, (usize, usize))| {
        let name = match to {
            usize::MAX => tr!("{from} or more", from),
            _ if from == to => from.to_string(),
            _ => tr!("{from} to {to}", from, to),
        };
        (name, newest(run, *of))
    };
    Bars {
        x_label: tr!("steps since the last write to the cell").into(),
        y_label: tr!("accuracy").into(),
        bars: classes.map(bar).collect(),
        ..Default::default()
    }
}

fn writes(run: &RunView) -> Lines {
    let roles = [Role::Train, Role::Test, Role::Relevant, Role::Other];
    let curve = |(of, role): (TraceMetric, Role)| {
        measure(run, translated(TraceMetric::OPTIONS[of as usize].label), role, of)
    };
    let mut lines = shares(run, tr!("share of attention"), layers(run).zip(roles).map(curve).collect());
    let even = newest(run, TraceMetric::UniformAttention);
    if even.is_finite() {
        lines.references.push((f64::from(even), tr!("uniform attention").into()));
    }
    lines
}

fn longer(run: &RunView) -> Lines {
    let all = [
        (TraceMetric::RunTwice, Role::Train),
        (TraceMetric::RunFourTimes, Role::Relevant),
        (TraceMetric::RunEightTimes, Role::Other),
    ];
    let curve = |(of, role): (TraceMetric, Role)| {
        measure(run, translated(TraceMetric::OPTIONS[of as usize].label), role, of)
    };
    let mut series = vec![series(
        &run.history,
        tr!("run of the same length as in training"),
        Role::Test,
        Of::TestAccuracy,
    )];
    series.extend(all.map(curve));
    shares(run, tr!("accuracy on written cells"), series)
}

fn looks(run: &RunView, state: &TracesState) -> Grid {
    let (t, head) = (state.traces.length, state.head(&run.link.view));
    let Some(head) = head.and_then(|head| state.look.heads.get(head)) else { return Grid::default() };
    let names: Vec<String> = match t {
        ..=LETTERED => state.places[..t].iter().map(|place| token_name(place.token)).collect(),
        _ => vec![],
    };
    // Attention looks back only.
    let cell = |(at, share): (usize, &f64)| if at % t > at / t { f32::NAN } else { *share as f32 };
    Grid {
        x_label: tr!("key step (outlined: the last step that wrote to the cell of the predicted symbol)")
            .into(),
        y_label: tr!("query step").into(),
        rows: t,
        columns: t,
        values: head.shares.iter().enumerate().map(cell).collect(),
        row_names: names.clone(),
        column_names: names,
        outlines: state.writes(1).map(|(from, to)| (from..from + 1, to..to + 1)).collect(),
        ..Default::default()
    }
}

fn heads(state: &TracesState) -> Bars {
    let Some((means, even)) = state.on_writes() else { return Bars::default() };
    Bars {
        x_label: tr!("head").into(),
        y_label: tr!("share of attention on the last write").into(),
        overlay: vec![even as f32; means.len()],
        overlay_name: tr!("uniform attention").into(),
        bars: state.head_names().into_iter().zip(means).map(|(name, mean)| (name, mean as f32)).collect(),
        ..Default::default()
    }
}

fn path(state: &TracesState) -> Lines {
    let wrong = state.wrong();
    let dots = |name: &str, role: Role, is_new: bool| {
        let at: Vec<usize> =
            wrong.iter().copied().filter(|at| state.places[*at].last_write.is_none() == is_new).collect();
        Series {
            name: name.into(),
            role,
            x: at.iter().map(|at| *at as f64).collect(),
            y: at.iter().map(|at| state.places[*at].cell as f32).collect(),
            points: true,
            scatter: true,
            ..Default::default()
        }
    };
    let line = Series {
        name: tr!("cell under the head").into(),
        role: Role::Other,
        x: (0..state.places.len()).map(|at| at as f64).collect(),
        y: state.places.iter().map(|place| place.cell as f32).collect(),
        ..Default::default()
    };
    Lines {
        x_label: tr!("step of the machine").into(),
        y_label: tr!("cell").into(),
        series: vec![
            line,
            dots(tr!("wrong prediction, new cell"), Role::Train, true),
            dots(tr!("wrong prediction, written cell"), Role::Relevant, false),
        ],
        ..Default::default()
    }
}
