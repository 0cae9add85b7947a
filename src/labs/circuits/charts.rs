//! The charts of circuits as networks: norms over the steps, and values, deviations and the perturbation layer by layer.

use super::probes::PERTURBATION;
use super::state::CircuitState;
use super::sweeps::{self, over};
use super::words;
use vivarium_model::tasks::boolean_circuit::charts;
use vivarium_plot::analysis::curves::series;
use vivarium_plot::analysis::replicas::Of;
use vivarium_plot::analysis::{Bars, Grid, Lines, Reading, Role, Series};
use vivarium_science::circuits::CircuitMetric;
use vivarium_view::display::RunView;
use vivarium_view::display::charts::{ChartSpec, Follows, marked, with_axes};

/// Most layers that have a bar each; of more, several in a row share one.
const MOST_BARS: usize = 48;
/// Most gates of a layer and layers that a matrix shows.
const MOST_SHOWN: usize = 512;

/// All of them.
pub const CHARTS: &[ChartSpec] = &[
    ChartSpec::new(charts::NORMS, |run| Reading::Lines(norms(run)))
        .summary(|run| Some(words::norms(run)))
        .follows(Follows::Rows)
        .of_measurements()
        .compares(),
    ChartSpec::new(charts::DEPTHS, |run| Reading::Lines(sweeps::by_depth(run)))
        .applies(|run| match over(run) {
            Some(_) => Ok(()),
            None => {
                Err(tr!("This chart needs a sweep over the depth d or over the number n of bits.").into())
            }
        })
        .title(|run| (over(run) == Some("n")).then(|| tr!("Margin by number of bits").into()))
        .summary(|run| Some(words::by_depth(run)))
        .follows(Follows::Sweep)
        .of_measurements(),
    ChartSpec::new(charts::VALUES, |run| Reading::Grid(run.state().map(values).unwrap_or_default()))
        .probe(PERTURBATION)
        .summary(words::values),
    ChartSpec::new(charts::STRAYS, |run| Reading::Lines(run.state().map(strays).unwrap_or_default()))
        .probe(PERTURBATION)
        .summary(words::strays),
    ChartSpec::new(charts::WHERE, |run| Reading::Bars(run.state().map(places).unwrap_or_default()))
        .probe(PERTURBATION)
        .summary(words::places),
    ChartSpec::new(charts::TRUTH, |run| Reading::Grid(run.state().map(table).unwrap_or_default()))
        .probe(PERTURBATION)
        .summary(words::table),
];

/// What was measured of the perturbations; what is not known of this run is left out.
fn norms(run: &RunView) -> Lines {
    let measure = |name: &str, role: Role, of: CircuitMetric| {
        series(&run.history, name, role, Of::Measure(of as usize))
    };
    let mut lines = with_axes(tr!("step"), tr!("norm of the perturbation, ‖δ‖₂"));
    let all = [
        measure(tr!("smallest noise"), Role::Train, CircuitMetric::NoiseNorm),
        measure(tr!("smallest perturbation found"), Role::Test, CircuitMetric::LeastNorm),
        measure(tr!("exact margin"), Role::Relevant, CircuitMetric::ExactMargin),
        measure(
            tr!("bound by the proof of D.6 (rounding parameters fixed)"),
            Role::Other,
            CircuitMetric::ProofBound,
        ),
        measure(
            tr!("bound by the formula of D.6 (rounding parameters fixed)"),
            Role::Other,
            CircuitMetric::FormulaBound,
        ),
        measure(tr!("bound of theorem D.6"), Role::Other, CircuitMetric::TheoremBound),
    ];
    lines.series = all.into_iter().filter(|series| series.y.iter().any(|y| y.is_finite())).collect();
    let mut lines = marked(lines, run);
    // Noise is hundreds of times the bound.
    lines.log_y = true;
    lines
}

/// "x1", "and"; of an ID gate that only carries a value its name as well.
fn name(state: &CircuitState, layer: usize, at: usize) -> Option<&str> {
    let place = state.layered.layers().get(layer)?.get(at)?;
    Some(state.circuit.signal_name(place.signal))
}

/// A row for each layer, a column for each gate: 0 has no colour, and 1 has the full one.
fn values(state: &CircuitState) -> Grid {
    let given = state.given();
    let rows = given.len().min(MOST_SHOWN);
    let columns = given.iter().map(|layer| layer.len()).max().unwrap_or(0).min(MOST_SHOWN);
    let mut grid = Grid {
        x_label: tr!("gate of the layer").into(),
        y_label: tr!("layer").into(),
        rows,
        columns,
        row_names: (0..rows).map(|layer| words::layer_name(state, layer)).collect(),
        ..Default::default()
    };
    for (layer, values) in given.iter().enumerate().take(rows) {
        for at in 0..columns {
            let value = values.get(at).map_or(f32::NAN, |value| *value as f32);
            grid.values.push(value);
            grid.texts.push(name(state, layer, at).unwrap_or("").into());
        }
    }
    grid
}

fn strays(state: &CircuitState) -> Lines {
    let deviations = state.deviations();
    let curve = |name: &str, role: Role, which: usize| Series {
        name: name.into(),
        role,
        x: (1..=deviations.len()).map(|layer| layer as f64).collect(),
        y: deviations.iter().map(|both| both[which] as f32).collect(),
        points: true,
        ..Default::default()
    };
    let mut lines = Lines {
        x_label: tr!("layer").into(),
        y_label: tr!("largest distance from the nearer of 0 and 1").into(),
        series: vec![curve(tr!("before rounding"), Role::Train, 0)],
        ..Default::default()
    };
    let largest = deviations.iter().flatten().fold(0.0, |most: f64, deviation| most.max(*deviation));
    if state.net.rounding() == vivarium_science::circuits::Rounding::On {
        lines.series.push(curve(tr!("after rounding"), Role::Test, 1));
        lines
            .references
            .push((vivarium_science::circuits::SIGMA_ZETA, tr!("rounding removes errors below 1/3").into()));
    } else if let Some(only) = lines.series.first_mut() {
        only.name = tr!("values of the gates").into();
    }
    if largest < 0.05 {
        lines.y_range = Some((0.0, 0.5));
    }
    lines
}

fn places(state: &CircuitState) -> Bars {
    let parts = state.parts();
    let count = parts.len();
    let each = count.div_ceil(MOST_BARS).max(1);
    // The output is the last and stands alone.
    let layers = count.saturating_sub(1);
    let group = |from: usize| {
        let until = (from + each).min(layers);
        let norm = parts[from..until].iter().map(|part| part * part).sum::<f64>().sqrt();
        let name = match until - from {
            1 => (from + 1).to_string(),
            _ => format!("{}–{until}", from + 1),
        };
        (name, norm as f32)
    };
    let mut bars: Vec<(String, f32)> = (0..layers).step_by(each).map(group).collect();
    bars.extend(parts.last().map(|part| (tr!("output").into(), *part as f32)));
    Bars {
        x_label: tr!("layer").into(),
        y_label: tr!("norm of the layer's part of the perturbation").into(),
        bars,
        ..Default::default()
    }
}

/// A row for each input: its bits, the circuit's value and the network's output.
fn table(state: &CircuitState) -> Grid {
    let rows = state.table();
    let mut column_names: Vec<String> = state.circuit.signal_names()[..state.circuit.input_count()].to_vec();
    column_names.extend([tr!("circuit"), tr!("network")].map(String::from));
    let mut grid = Grid {
        x_label: tr!("bits of the input; value of the circuit; output of the network").into(),
        y_label: tr!("input").into(),
        rows: rows.len(),
        columns: column_names.len(),
        column_names,
        ..Default::default()
    };
    for (at, row) in rows.iter().enumerate() {
        if row.bits == state.bits {
            grid.marked_rows.push(at);
        }
        grid.row_names.push(words::written(&row.bits));
        let sign = |bit: bool| if bit { 1.0 } else { -1.0 };
        grid.values.extend(row.bits.iter().chain([&row.truth]).map(|bit| sign(*bit)));
        grid.values.push(row.output.clamp(-1.0, 1.0) as f32);
    }
    grid
}
