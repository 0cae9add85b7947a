//! Readings to draw in tests: what the labs show, and what they show first.

use crate::analysis::{BarChart, Heatmap, LineChart, Reading, Role, Series};

/// Pseudorandom number from −1 to 1 for sample charts, which depends only on `i`.
pub(super) fn noise(i: usize) -> f32 {
    let x = (i as u32).wrapping_mul(2_654_435_761) ^ 0x9e37_79b9;
    let x = (x ^ (x >> 15)).wrapping_mul(0x85eb_ca6b);
    (x ^ (x >> 13)) as f32 / u32::MAX as f32 * 2.0 - 1.0
}

/// A made-up loss at training step `step`, for sample charts, that falls from 1 to 0 around step number `at`.
fn falling_loss(step: f64, at: f64) -> f32 {
    (1.0 / (1.0 + ((step - at) / (0.04 * at)).exp())) as f32
}

/// A sample curve with the values of `value` at every 25th step; `steps` is the index of the last of them.
pub(super) fn sample_series(name: &str, role: Role, steps: usize, value: impl Fn(usize) -> f32) -> Series {
    let x: Vec<f64> = (0..=steps).map(|i| (i * 25) as f64).collect();
    Series { name: name.into(), role, y: (0..x.len()).map(value).collect(), x, ..Default::default() }
}

/// Sample line chart: training and held-out loss of one network.
pub(super) fn loss_chart() -> LineChart {
    LineChart {
        title: "Loss".into(),
        x_label: "step".into(),
        y_label: "loss".into(),
        series: vec![
            sample_series("training batch", Role::Train, 170, |i| {
                falling_loss(i as f64 * 25.0, 3000.0) * (1.0 + 0.16 * noise(i)) + 0.004
            }),
            sample_series("held-out", Role::Test, 170, |i| {
                falling_loss(i as f64 * 25.0, 3000.0) + 0.006 * noise(i + 999)
            }),
        ],
        marks: vec![(3275.0, "found".into())],
        ..Default::default()
    }
}

/// Sample line chart: training and held-out accuracy of one network.
pub(super) fn accuracy_chart() -> LineChart {
    let mut lines = loss_chart();
    lines.title = "Accuracy".into();
    lines.y_label = "accuracy".into();
    lines.y_range = Some((0.3, 1.02));
    lines.reference_lines = vec![(0.5, "chance".into())];
    for s in &mut lines.series {
        s.y.iter_mut().for_each(|y| *y = (1.0 - *y / 2.0).clamp(0.0, 1.0));
    }
    lines
}

/// Sample line chart: accuracy curves with bands, as of several replicas.
fn replica_accuracies() -> LineChart {
    let mut lines = accuracy_chart();
    for s in &mut lines.series {
        let x = s.x.clone();
        s.band = x
            .iter()
            .map(|x| (1.0 - falling_loss(*x, 3700.0) * 0.52, 1.0 - falling_loss(*x, 2300.0) * 0.47))
            .collect();
    }
    lines.series.remove(0);
    lines
}

/// Sample line chart: curves with missing values and an isolated point.
fn gap_curves() -> LineChart {
    let mut lines = loss_chart();
    lines.title = "A gap, and a lonely point".into();
    lines.marks.clear();
    for s in &mut lines.series {
        s.y[40..60].fill(f32::NAN);
        s.y[61..70].fill(f32::INFINITY);
    }
    lines
}

/// Sample line chart: curves on logarithmic axes, from step zero.
fn log_axes_chart() -> LineChart {
    let curve = |name: &str, role, at| {
        let x: Vec<f64> =
            std::iter::once(0.0).chain((0..200).map(|i| (10f64).powf(i as f64 / 45.0).round())).collect();
        Series {
            name: name.into(),
            role,
            y: x.iter().map(|x| 1.0 - falling_loss(*x, at)).collect(),
            x,
            ..Default::default()
        }
    };
    LineChart {
        title: "Accuracy".into(),
        x_label: "step".into(),
        y_label: "accuracy".into(),
        y_range: Some((0.0, 1.02)),
        log_x: true,
        series: vec![curve("training sample", Role::Train, 120.0), curve("held-out", Role::Test, 9000.0)],
        reference_lines: vec![(1.0 / 97.0, "one in 97 classes".into())],
        ..Default::default()
    }
}

/// Sample heat map of noise `[rows, columns]`, with larger values in the rows `marked`.
pub(super) fn weight_heatmap(rows: usize, columns: usize, marked: &[usize]) -> Heatmap {
    let value = |i: usize| {
        let big = marked.contains(&(i / columns)) && noise(i % columns + 77) > 0.55;
        noise(i) * 0.1 + if big { 0.32 * noise(i + 5).signum() } else { 0.0 }
    };
    Heatmap {
        title: "First-layer weights W".into(),
        x_label: "neuron".into(),
        y_label: "input bit".into(),
        rows,
        columns,
        values: (0..rows * columns).map(value).collect(),
        marked_rows: marked.to_vec(),
        ..Default::default()
    }
}

/// Sample heat map with one large weight among zeros, and far more cells than pixels.
pub(super) fn one_large_weight() -> Heatmap {
    let mut grid = weight_heatmap(48, 4096, &[]);
    grid.values.iter_mut().for_each(|v| *v = 0.0);
    grid.values[20 * 4096 + 3000] = -0.8;
    grid.marked_rows = vec![20];
    grid
}

/// Sample bar chart: Fourier weight by degree.
pub(super) fn degree_bars() -> BarChart {
    let height = |d: usize| [0.02, 0.05, 0.11, 0.62, 0.06, 0.08, 0.03, 0.02, 0.01][d];
    BarChart {
        title: "Fourier weight by degree".into(),
        x_label: "degree".into(),
        y_label: "share".into(),
        bars: (0..9).map(|d| (d.to_string(), height(d))).collect(),
        marked: vec![3],
        ..Default::default()
    }
}

/// Sample line chart: a loss that falls from 1 to 1e−5 in two stages; the last training values are zero.
fn deep_loss_chart() -> LineChart {
    let x: Vec<f64> = (0..=200).map(|i| f64::from(i) * 50.0).collect();
    let value = |i: usize, floor: f64| {
        let t = i as f64 / 200.0;
        let fallen = 10f64.powf(-5.0 * t * t) * f64::from(falling_loss(t * 1e4, 6500.0)).max(0.08);
        (fallen.max(floor) * (1.0 + 0.25 * f64::from(noise(i)))) as f32
    };
    let of = |name: &str, role, floor| Series {
        name: name.into(),
        role,
        y: (0..x.len()).map(|i| value(i, floor)).collect(),
        x: x.clone(),
        ..Default::default()
    };
    let mut train = of("training sample", Role::Train, 0.0);
    train.y[193..].fill(0.0);
    let mut test = of("held-out", Role::Test, 2e-3);
    test.band = test.y.iter().map(|y| (y * 0.4 - 2e-4, y * 2.5)).collect();
    LineChart {
        title: "Loss".into(),
        x_label: "step".into(),
        y_label: "loss".into(),
        log_y: true,
        series: vec![train, test],
        reference_lines: vec![(0.0, "zero".into())],
        marks: vec![(6500.0, "found".into())],
        ..Default::default()
    }
}

/// Sample line chart: number of steps until a parity is found over the number of bits, as in scaling plots.
fn scaling_chart() -> LineChart {
    let sizes = [10.0f64, 20.0, 40.0, 80.0, 160.0];
    let of = |name: &str, role, factor: f64, power: f64| {
        let y: Vec<f32> = sizes.iter().map(|n| (factor * n.powf(power)) as f32).collect();
        Series {
            name: name.into(),
            role,
            x: sizes.into(),
            band: y.iter().map(|y| (y * 0.7, y * 1.5)).collect(),
            y,
            points: true,
            ..Default::default()
        }
    };
    LineChart {
        title: "Steps until found".into(),
        x_label: "n".into(),
        y_label: "t_c (steps)".into(),
        log_x: true,
        log_y: true,
        series: vec![
            of("k = 3", Role::Test, 2.0, 1.9),
            of("k = 2", Role::Train, 9.0, 1.0),
            Series { band: vec![], points: false, ..of("n³", Role::Other, 0.11, 3.0) },
        ],
        ..Default::default()
    }
}

/// Sample histogram: first-layer weights before and after training.
fn weight_histogram() -> LineChart {
    let edges: Vec<f64> = (0..=40).map(|i| -1.0 + f64::from(i) * 0.05).collect();
    let bell = |x: f64, at: f64, wide: f64| (-((x - at) / wide).powi(2)).exp() / wide;
    let of = |name: &str, role, count: &dyn Fn(f64) -> f64| {
        let y: Vec<f32> = edges[..40].iter().map(|x| (count(x + 0.025) * 90.0).round() as f32).collect();
        Series { name: name.into(), role, x: edges.clone(), y, stairs: true, ..Default::default() }
    };
    let mut after = of("after", Role::Test, &|x| {
        0.7 * bell(x, 0.0, 0.12) + 0.15 * bell(x, 0.62, 0.12) + 0.15 * bell(x, -0.55, 0.1)
    });
    after.band = after.y.iter().map(|y| (y * 0.8, y * 1.2 + 8.0)).collect();
    LineChart {
        title: "First-layer weights".into(),
        x_label: "weight".into(),
        y_label: "count".into(),
        series: vec![of("at start", Role::Other, &|x| bell(x, 0.0, 0.3)), after],
        ..Default::default()
    }
}

/// Sample line chart: weights of 30 input bits over steps, three of them relevant.
fn weight_trajectories() -> LineChart {
    let of = |bit: usize| {
        let relevant = [4, 11, 12].contains(&bit);
        let x: Vec<f64> = (0..=160).map(|i| f64::from(i) * 25.0).collect();
        let mut at = 0.04 * noise(bit * 7 + 3);
        let y = (0..x.len()).map(|i| {
            at += 0.006 * noise(bit * 977 + i);
            let grown = 1.0 - falling_loss(x[i], 2200.0 + 150.0 * bit as f64);
            at + if relevant { grown * (0.62 + 0.01 * bit as f32) } else { 0.0 }
        });
        let (name, role) =
            if relevant { ("relevant bits", Role::Relevant) } else { ("other bits", Role::Other) };
        Series { name: name.into(), role, y: y.collect(), x, ..Default::default() }
    };
    LineChart {
        title: "Largest weight of each bit".into(),
        x_label: "step".into(),
        y_label: "weight".into(),
        series: (0..30).map(of).collect(),
        ..Default::default()
    }
}
/// Sample scatter plot: the phases of 200 neurons in two families.
fn phase_scatter() -> LineChart {
    let turn = std::f64::consts::PI;
    let of = |name: &str, role, shift: usize| Series {
        name: name.into(),
        role,
        x: (0..100).map(|i| turn * f64::from(noise(i + shift))).collect(),
        y: (0..100).map(|i| turn as f32 * noise(3 * i + shift + 500)).collect(),
        scatter: true,
        ..Default::default()
    };
    LineChart {
        title: "Phases of the neurons".into(),
        x_label: "θu (rad)".into(),
        y_label: "θv (rad)".into(),
        series: vec![of("frequency 1", Role::Test, 0), of("frequency 2", Role::Train, 7000)],
        ..Default::default()
    }
}

/// Sample heat map: the character table of the symmetric group S₃.
fn character_table() -> Heatmap {
    let names = |names: [&str; 3]| names.map(String::from).to_vec();
    Heatmap {
        title: "Character table".into(),
        x_label: "conjugacy class".into(),
        y_label: "irrep".into(),
        rows: 3,
        columns: 3,
        values: vec![1.0, 1.0, 1.0, 1.0, -1.0, 1.0, 2.0, 0.0, -1.0],
        row_names: names(["trivial", "sign", "standard"]),
        column_names: names(["e", "(1 2)", "(1 2 3)"]),
        ..Default::default()
    }
}

/// Sample bar chart with an overlay line.
fn overlaid_bars() -> BarChart {
    BarChart {
        overlay: vec![0.002, 0.02, 0.07, 0.16, 0.25, 0.25, 0.16, 0.07, 0.02],
        overlay_name: "a random function".into(),
        ..degree_bars()
    }
}

/// All sample charts, which tests compare with golden pictures, each with the name of its picture file.
pub(super) fn samples() -> Vec<(&'static str, Reading)> {
    let empty = |lines: LineChart| LineChart {
        series: lines
            .series
            .into_iter()
            .map(|s| Series { name: s.name, role: s.role, ..Default::default() })
            .collect(),
        marks: vec![],
        ..lines
    };
    vec![
        ("empty-loss", Reading::Lines(empty(loss_chart()))),
        ("empty-accuracy", Reading::Lines(empty(accuracy_chart()))),
        ("empty-weights", Reading::Grid(weight_heatmap(0, 0, &[]))),
        ("loss", Reading::Lines(loss_chart())),
        ("accuracy", Reading::Lines(accuracy_chart())),
        ("replicas", Reading::Lines(replica_accuracies())),
        ("gaps", Reading::Lines(gap_curves())),
        ("logarithmic", Reading::Lines(log_axes_chart())),
        ("weights", Reading::Grid(weight_heatmap(30, 32, &[4, 11, 12]))),
        ("needle", Reading::Grid(one_large_weight())),
        ("bars", Reading::Bars(degree_bars())),
        ("bars-overlay", Reading::Bars(overlaid_bars())),
        ("log-loss", Reading::Lines(deep_loss_chart())),
        ("empty-log-loss", Reading::Lines(empty(deep_loss_chart()))),
        ("scaling", Reading::Lines(scaling_chart())),
        ("histogram", Reading::Lines(weight_histogram())),
        ("trajectories", Reading::Lines(weight_trajectories())),
        ("scatter", Reading::Lines(phase_scatter())),
        ("named-grid", Reading::Grid(character_table())),
    ]
}
