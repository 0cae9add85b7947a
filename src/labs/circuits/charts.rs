//! The charts of circuits as ReLU networks: norms over the steps, and values, deviations and the perturbation layer by
//! layer.

use super::probes::PERTURBATION;
use super::state::CircuitState;
use super::sweeps::{self, swept_key};
use super::texts;
use vivarium_model::tasks::boolean_circuit::charts;
use vivarium_plot::analysis::curves::median_series;
use vivarium_plot::analysis::replicas::ReplicaMeasure;
use vivarium_plot::analysis::{BarChart, Heatmap, LineChart, Reading, Role, Series};
use vivarium_science::circuits::CircuitMetric;
use vivarium_view::display::RunView;
use vivarium_view::display::charts::{ChartDependency, ChartSpec, add_step_marks, empty_lines};

/// Maximum number of bars, one per layer of gates, in the chart of the perturbation norm by layer; in deeper circuits
/// several adjacent layers share one bar. The bar of the output comes in addition.
const MAX_BARS: usize = 48;
/// Maximum number of rows (layers of gates) and of columns (gates of a layer) in the heat map of gate values; further
/// layers and gates are not drawn.
const MAX_MATRIX_SIZE: usize = 512;

/// All charts of the circuit lab, beyond those that all labs share.
pub const CHARTS: &[ChartSpec] = &[
    ChartSpec::new(charts::NORMS, |run| Reading::Lines(draw_norms(run)))
        .summary(|run| Some(texts::describe_norms(run)))
        .depends_on(ChartDependency::Measurements)
        .uses_measurements_only()
        .with_other_runs(),
    ChartSpec::new(charts::DEPTHS, |run| Reading::Lines(sweeps::draw_by_depth(run)))
        .applies(|run| match swept_key(run) {
            Some(_) => Ok(()),
            None => {
                Err(tr!("This chart needs a sweep over the depth d or over the number n of bits.").into())
            }
        })
        .title(|run| (swept_key(run) == Some("n")).then(|| tr!("Margin by number of bits").into()))
        .summary(|run| Some(texts::describe_by_depth(run)))
        .depends_on(ChartDependency::Sweep)
        .uses_measurements_only(),
    ChartSpec::new(charts::VALUES, |run| {
        Reading::Grid(run.lab_state().map(draw_gate_values).unwrap_or_default())
    })
    .probe(PERTURBATION)
    .summary(texts::describe_gate_values),
    ChartSpec::new(charts::STRAYS, |run| {
        Reading::Lines(run.lab_state().map(draw_deviations).unwrap_or_default())
    })
    .probe(PERTURBATION)
    .title(texts::deviations_title)
    .summary(texts::describe_deviations),
    ChartSpec::new(charts::WHERE, |run| {
        Reading::Bars(run.lab_state().map(draw_layer_norms).unwrap_or_default())
    })
    .probe(PERTURBATION)
    .summary(texts::describe_layer_norms),
    ChartSpec::new(charts::TRUTH, |run| {
        Reading::Grid(run.lab_state().map(draw_truth_table).unwrap_or_default())
    })
    .probe(PERTURBATION)
    .summary(texts::describe_truth_table),
];

/// Curves over the steps of the search, medians over replicas: the smallest norms ‖δ‖₂ found of parameter perturbations
/// and of random noise that change the network's answer, the exact margin, and the lower bounds by theorem D.6 of Wei,
/// Chen and Ma 2022; measures that this run does not have are left out.
fn draw_norms(run: &RunView) -> LineChart {
    let measure = |name: &str, role: Role, of: CircuitMetric| {
        median_series(&run.history, name, role, ReplicaMeasure::TaskMeasure(of as usize))
    };
    let mut lines = empty_lines(tr!("step"), tr!("norm of the perturbation, ‖δ‖₂"));
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
    let mut lines = add_step_marks(lines, run);
    // Noise is hundreds of times the bound.
    lines.log_y = true;
    lines
}

/// The name, such as "x1", of the signal that the gate with index `at` (from 0) of `layer` computes; layer 0 is the
/// inputs. An inserted ID gate has the name of the signal it carries. None if there is no such gate.
fn gate_name(state: &CircuitState, layer: usize, at: usize) -> Option<&str> {
    let place = state.layered.layers().get(layer)?.get(at)?;
    Some(state.circuit.signal_name(place.signal))
}

/// Heat map `[layers, gates]` of the values that the ReLU network computes for the circuit's gates on the input shown;
/// row 0 is the inputs.
fn draw_gate_values(state: &CircuitState) -> Heatmap {
    let given = state.network_values();
    let rows = given.len().min(MAX_MATRIX_SIZE);
    let columns = given.iter().map(|layer| layer.len()).max().unwrap_or(0).min(MAX_MATRIX_SIZE);
    let mut grid = Heatmap {
        x_label: tr!("gate of the layer").into(),
        y_label: tr!("layer").into(),
        rows,
        columns,
        row_names: (0..rows).map(|layer| texts::layer_name(state, layer)).collect(),
        ..Default::default()
    };
    for (layer, values) in given.iter().enumerate().take(rows) {
        for at in 0..columns {
            let value = values.get(at).map_or(f32::NAN, |value| *value as f32);
            grid.values.push(value);
            grid.texts.push(gate_name(state, layer, at).unwrap_or("").into());
        }
    }
    grid
}

/// Curves over the layers of gates of the largest distance of a gate value in the network from the nearer of 0 and 1,
/// before and after rounding, for the input shown.
fn draw_deviations(state: &CircuitState) -> LineChart {
    let deviations = state.deviations();
    let curve = |name: &str, role: Role, which: usize| Series {
        name: name.into(),
        role,
        x: (1..=deviations.len()).map(|layer| layer as f64).collect(),
        y: deviations.iter().map(|both| both[which] as f32).collect(),
        points: true,
        ..Default::default()
    };
    let mut lines = LineChart {
        x_label: tr!("layer").into(),
        y_label: tr!("largest distance from the nearer of 0 and 1").into(),
        series: vec![curve(tr!("before rounding"), Role::Train, 0)],
        ..Default::default()
    };
    let largest = deviations.iter().flatten().fold(0.0, |most: f64, deviation| most.max(*deviation));
    if state.settings.rounding() == vivarium_science::circuits::Rounding::On {
        lines.series.push(curve(tr!("after rounding"), Role::Test, 1));
        lines
            .reference_lines
            .push((vivarium_science::circuits::SIGMA_ZETA, tr!("rounding removes errors below 1/3").into()));
    } else if let Some(only) = lines.series.first_mut() {
        only.name = tr!("values of the gates").into();
    }
    if largest < 0.05 {
        lines.y_range = Some((0.0, 0.5));
    }
    lines
}

/// Bars of the ℓ₂ norm of the part of the parameter perturbation δ in each layer of gates, and last in the output; δ is
/// the smallest one found that changes the network's answer.
fn draw_layer_norms(state: &CircuitState) -> BarChart {
    let parts = state.layer_delta_norms();
    let count = parts.len();
    let each = count.div_ceil(MAX_BARS).max(1);
    // The last part is the output, which has a bar of its own.
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
    BarChart {
        x_label: tr!("layer").into(),
        y_label: tr!("norm of the layer's part of the perturbation").into(),
        bars,
        ..Default::default()
    }
}

/// Truth table as a heat map: a row for each input, with columns for its bits, the circuit's value and the network's
/// output.
fn draw_truth_table(state: &CircuitState) -> Heatmap {
    let rows = state.truth_table();
    let mut column_names: Vec<String> = state.circuit.signal_names()[..state.circuit.input_count()].to_vec();
    column_names.extend([tr!("circuit"), tr!("network")].map(String::from));
    let mut grid = Heatmap {
        x_label: tr!("bits of the input; value of the circuit; output of the network").into(),
        y_label: tr!("input").into(),
        rows: rows.len(),
        columns: column_names.len(),
        column_names,
        ..Default::default()
    };
    for (at, row) in rows.iter().enumerate() {
        if row.input == state.input {
            grid.marked_rows.push(at);
        }
        grid.row_names.push(texts::format_bits(&row.input));
        let sign = |bit: bool| if bit { 1.0 } else { -1.0 };
        grid.values.extend(row.input.iter().chain([&row.expected]).map(|bit| sign(*bit)));
        grid.values.push(row.output.clamp(-1.0, 1.0) as f32);
    }
    grid
}
