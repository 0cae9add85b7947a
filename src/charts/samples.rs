//! Readings to draw in tests: what the labs show, and what they show first.

use crate::analysis::{Bars, Grid, Lines, Reading, Role, Series};

/// Numbers that look like noise, from −1 to 1.
pub(super) fn noise(i: usize) -> f32 {
    let x = (i as u32).wrapping_mul(2_654_435_761) ^ 0x9e37_79b9;
    let x = (x ^ (x >> 15)).wrapping_mul(0x85eb_ca6b);
    (x ^ (x >> 13)) as f32 / u32::MAX as f32 * 2.0 - 1.0
}

/// A curve that falls from 1 to 0 around a step, as losses on parities do.
fn falling(step: f64, at: f64) -> f32 {
    (1.0 / (1.0 + ((step - at) / (0.04 * at)).exp())) as f32
}

pub(super) fn series(name: &str, role: Role, steps: usize, value: impl Fn(usize) -> f32) -> Series {
    let x: Vec<f64> = (0..=steps).map(|i| (i * 25) as f64).collect();
    Series { name: name.into(), role, y: (0..x.len()).map(value).collect(), x, band: vec![] }
}

pub(super) fn losses() -> Lines {
    Lines {
        title: "Loss".into(),
        x_label: "step".into(),
        y_label: "loss".into(),
        series: vec![
            series("training batch", Role::Train, 170, |i| {
                falling(i as f64 * 25.0, 3000.0) * (1.0 + 0.16 * noise(i)) + 0.004
            }),
            series("held-out", Role::Test, 170, |i| {
                falling(i as f64 * 25.0, 3000.0) + 0.006 * noise(i + 999)
            }),
        ],
        marks: vec![(3275.0, "found".into())],
        ..Default::default()
    }
}

pub(super) fn accuracies() -> Lines {
    let mut lines = losses();
    lines.title = "Accuracy".into();
    lines.y_label = "accuracy".into();
    lines.y_range = Some((0.3, 1.02));
    lines.references = vec![(0.5, "chance".into())];
    for s in &mut lines.series {
        s.y.iter_mut().for_each(|y| *y = (1.0 - *y / 2.0).clamp(0.0, 1.0));
    }
    lines
}

fn replicas() -> Lines {
    let mut lines = accuracies();
    for s in &mut lines.series {
        let x = s.x.clone();
        s.band =
            x.iter().map(|x| (1.0 - falling(*x, 3700.0) * 0.52, 1.0 - falling(*x, 2300.0) * 0.47)).collect();
    }
    lines.series.remove(0);
    lines
}

fn gaps() -> Lines {
    let mut lines = losses();
    lines.title = "A gap, and a lonely point".into();
    lines.marks.clear();
    for s in &mut lines.series {
        s.y[40..60].fill(f32::NAN);
        s.y[61..70].fill(f32::INFINITY);
    }
    lines
}

fn logarithmic() -> Lines {
    let curve = |name: &str, role, at| {
        let x: Vec<f64> =
            std::iter::once(0.0).chain((0..200).map(|i| (10f64).powf(i as f64 / 45.0).round())).collect();
        Series {
            name: name.into(),
            role,
            y: x.iter().map(|x| 1.0 - falling(*x, at)).collect(),
            x,
            band: vec![],
        }
    };
    Lines {
        title: "Accuracy".into(),
        x_label: "step".into(),
        y_label: "accuracy".into(),
        y_range: Some((0.0, 1.02)),
        log_x: true,
        series: vec![curve("training sample", Role::Train, 120.0), curve("held-out", Role::Test, 9000.0)],
        references: vec![(1.0 / 97.0, "one in 97 classes".into())],
        ..Default::default()
    }
}

pub(super) fn weights(rows: usize, columns: usize, marked: &[usize]) -> Grid {
    let value = |i: usize| {
        let big = marked.contains(&(i / columns)) && noise(i % columns + 77) > 0.55;
        noise(i) * 0.1 + if big { 0.32 * noise(i + 5).signum() } else { 0.0 }
    };
    Grid {
        title: "First-layer weights W".into(),
        x_label: "neuron".into(),
        y_label: "input bit".into(),
        rows,
        columns,
        values: (0..rows * columns).map(value).collect(),
        marked_rows: marked.to_vec(),
    }
}

/// One large weight among tiny ones, far more cells than pixels.
pub(super) fn needle() -> Grid {
    let mut grid = weights(48, 4096, &[]);
    grid.values.iter_mut().for_each(|v| *v = 0.0);
    grid.values[20 * 4096 + 3000] = -0.8;
    grid.marked_rows = vec![20];
    grid
}

pub(super) fn degrees() -> Bars {
    let height = |d: usize| [0.02, 0.05, 0.11, 0.62, 0.06, 0.08, 0.03, 0.02, 0.01][d];
    Bars {
        title: "Fourier weight by degree".into(),
        x_label: "degree".into(),
        y_label: "share".into(),
        bars: (0..9).map(|d| (d.to_string(), height(d))).collect(),
        marked: vec![3],
    }
}

/// Everything that has a golden picture.
pub(super) fn samples() -> Vec<(&'static str, Reading)> {
    let empty = |lines: Lines| Lines {
        series: lines
            .series
            .into_iter()
            .map(|s| Series { name: s.name, role: s.role, ..Default::default() })
            .collect(),
        marks: vec![],
        ..lines
    };
    vec![
        ("empty-loss", Reading::Lines(empty(losses()))),
        ("empty-accuracy", Reading::Lines(empty(accuracies()))),
        ("empty-weights", Reading::Grid(weights(0, 0, &[]))),
        ("loss", Reading::Lines(losses())),
        ("accuracy", Reading::Lines(accuracies())),
        ("replicas", Reading::Lines(replicas())),
        ("gaps", Reading::Lines(gaps())),
        ("logarithmic", Reading::Lines(logarithmic())),
        ("weights", Reading::Grid(weights(30, 32, &[4, 11, 12]))),
        ("needle", Reading::Grid(needle())),
        ("bars", Reading::Bars(degrees())),
    ]
}
