//! Products against plain sums.

use super::*;
use crate::cpu::one_hidden_layer::{LANES, Row};
use vivarium_core::rng::{Purpose, RandomStream};

fn drawn(count: usize, seed: u64) -> Vec<f32> {
    let stream = RandomStream::new(seed, Purpose::Weights, 0);
    (0..count as u32).map(|i| stream.draw_normal(0, i)).collect()
}

/// Numbers one after the other, as parameters lie.
fn lanes(values: &[f32]) -> Vec<Row> {
    let mut rows = vec![Row::ZERO; values.len().div_ceil(LANES)];
    values.iter().enumerate().for_each(|(n, value)| rows[n / LANES].0[n % LANES] = *value);
    rows
}

/// A matrix `[samples, columns]` in panels of `stride` rows.
fn in_panels(values: &[f32], columns: usize, stride: usize) -> Vec<Row> {
    let mut rows = vec![Row::ZERO; panels(columns) * stride];
    let mut out = PanelsMut::new(&mut rows, stride);
    values.chunks(columns).enumerate().for_each(|(at, values)| place(values, &mut out, at));
    rows
}

/// Entry (sample, column) of panels.
fn entry(rows: &[Row], stride: usize, sample: usize, column: usize) -> f32 {
    rows[column / LANES * stride + sample].0[column % LANES]
}

/// Σ in the order of the terms, from `start`.
fn sum(start: f32, terms: impl Iterator<Item = (f32, f32)>) -> f32 {
    terms.fold(start, |sum, (a, b)| sum + a * b)
}

#[test]
fn a_linear_map_is_plain_sums_to_the_last_bit() {
    for (samples, inputs, outputs) in [(4, 1, 1), (8, 16, 16), (68, 21, 37), (132, 40, 3)] {
        let (w, b) = (drawn(inputs * outputs, 1), drawn(outputs, 2));
        let (x, d) = (drawn(samples * inputs, 3), drawn(samples * outputs, 4));
        let mut linear = Linear::new(inputs, outputs);
        linear.load(&lanes(&w), &lanes(&b));
        linear.turn();
        let (x_rows, d_rows) = (in_panels(&x, inputs, samples), in_panels(&d, outputs, samples));
        let (x_panels, d_panels) = (Panels::new(&x_rows, samples), Panels::new(&d_rows, samples));
        let mut out = vec![Row::ZERO; panels(outputs) * samples];
        linear.forward(x_panels, &mut PanelsMut::new(&mut out, samples), samples);
        let mut back = vec![Row([7.0; LANES]); panels(inputs) * samples];
        linear.backward(d_panels, &mut PanelsMut::new(&mut back, samples), samples, false);
        for s in 0..samples {
            for o in 0..outputs {
                let exact = sum(b[o], (0..inputs).map(|i| (w[i * outputs + o], x[s * inputs + i])));
                assert_eq!(
                    entry(&out, samples, s, o),
                    exact,
                    "{samples} {inputs} {outputs}: output {s}, {o}"
                );
            }
            for i in 0..inputs {
                let exact = sum(0.0, (0..outputs).map(|o| (w[i * outputs + o], d[s * outputs + o])));
                assert_eq!(
                    entry(&back, samples, s, i),
                    exact,
                    "{samples} {inputs} {outputs}: slope {s}, {i}"
                );
            }
        }
        linear.learn(x_panels, d_panels, samples);
        linear.learn_bias(d_panels, samples);
        let (mut w_slopes, mut b_slopes) = (lanes(&vec![9.0; w.len()]), lanes(&vec![9.0; b.len()]));
        linear.unload(&mut w_slopes, &mut b_slopes);
        for o in 0..outputs {
            for i in 0..inputs {
                let exact = sum(0.0, (0..samples).map(|s| (d[s * outputs + o], x[s * inputs + i])));
                let n = i * outputs + o;
                assert_eq!(w_slopes[n / LANES].0[n % LANES], exact, "{samples} {inputs} {outputs}: {i}, {o}");
            }
            let exact = (0..samples).fold(0.0, |sum, s| sum + d[s * outputs + o]);
            assert_eq!(b_slopes[o / LANES].0[o % LANES], exact);
        }
    }
}

#[test]
fn groups_of_columns_begin_panels() {
    let (inputs, size) = (5, 18);
    let (w, b) = (drawn(inputs * 3 * size, 1), drawn(3 * size, 2));
    let columns = Columns::grouped(size, &[2, 4, 0]);
    let mut linear = Linear::grouped(inputs, columns, 6);
    linear.load(&lanes(&w), &lanes(&b));
    let x = in_panels(&drawn(4 * inputs, 3), inputs, 4);
    let mut out = vec![Row::ZERO; 6 * 4];
    linear.forward(Panels::new(&x, 4), &mut PanelsMut::new(&mut out, 4), 4);
    for (group, first) in [2, 4, 0].into_iter().enumerate() {
        for column in 0..size {
            let n = group * size + column;
            let exact = sum(b[n], (0..inputs).map(|i| (w[i * 3 * size + n], entry(&x, 4, 1, i))));
            assert_eq!(entry(&out, 4, 1, first * LANES + column), exact, "{group}, {column}");
        }
        assert_eq!(entry(&out, 4, 1, first * LANES + size), 0.0, "no column");
    }
}

#[test]
fn rows_of_a_parameter_come_back() {
    for size in [1, 3, 16, 17, 48] {
        let values: Vec<f32> = (0..7 * size).map(|n| n as f32 + 1.0).collect();
        let (columns, parameter) = (Columns::plain(size), lanes(&values));
        let mut rows = vec![Row::ZERO; panels(size) * 9];
        columns.pack(&parameter, 2..6, 0.5, &mut PanelsMut::new(&mut rows, 9), 3);
        assert_eq!(entry(&rows, 9, 3, size - 1), 0.5 * values[3 * size - 1]);
        let mut back = lanes(&vec![0.0; values.len()]);
        columns.unpack(Panels::new(&rows, 9), 3, 2..6, 2.0, &mut back);
        for (n, value) in values.iter().enumerate() {
            let expected = if (2 * size..6 * size).contains(&n) { *value } else { 0.0 };
            assert_eq!(back[n / LANES].0[n % LANES], expected, "{size}: {n}");
        }
    }
}

#[test]
fn units_below_zero_have_no_slope() {
    let mut units = [Row::ZERO; 2];
    units[0].0[..3].copy_from_slice(&[-1.0, 0.0, 2.0]);
    relu(&mut units);
    assert_eq!(units[0].0[..3], [0.0, 0.0, 2.0]);
    let mut slopes = [Row([3.0; LANES]); 2];
    relu_backward(&units, &mut slopes);
    assert_eq!(slopes[0].0[..3], [0.0, 0.0, 3.0]);
}
