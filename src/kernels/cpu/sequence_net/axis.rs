//! Columns in panels of lanes, and parameters in the layouts that the loops want.

use std::ops::Range;

use crate::cpu::one_hidden_layer::{LANES, Row};

/// Columns of a matrix, or components of vectors: groups of them, each of which begins a panel of [`LANES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axis {
    /// Heads, or 1.
    pub groups: usize,
    /// Columns of each.
    pub size: usize,
}

impl Axis {
    /// One group.
    pub fn plain(size: usize) -> Self {
        Axis { groups: 1, size }
    }

    /// Panels of a group.
    pub fn each(self) -> usize {
        self.size.div_ceil(LANES)
    }

    /// Panels of all groups.
    pub fn panels(self) -> usize {
        self.groups * self.each()
    }

    /// Lanes of a panel that are summed over.
    pub fn deep(self) -> usize {
        self.size.min(LANES)
    }

    /// Terms of a sum over the axis.
    pub fn rows(self) -> usize {
        self.panels() * self.deep()
    }

    /// Panel and lane of each column.
    pub fn places(self) -> impl Iterator<Item = (usize, usize)> {
        let column =
            move |group: usize| (0..self.size).map(move |c| (group * self.each() + c / LANES, c % LANES));
        (0..self.groups).flat_map(column)
    }

    /// Whether a column has the same place on `other`.
    pub fn agrees(self, other: Axis) -> bool {
        self.panels() == other.panels() && (self.groups == other.groups || self.size.is_multiple_of(LANES))
    }
}

/// Number `n` of a parameter that lies in rows, one number after the other.
#[inline(always)]
pub fn number(rows: &[Row], n: usize) -> f32 {
    rows[n / LANES].0[n % LANES]
}

/// A parameter as a linear map between axes: once for each direction, and its gradient.
#[derive(Debug, Clone)]
pub struct Matrix {
    /// Of its rows.
    pub from: Axis,
    /// Of its columns.
    pub to: Axis,
    /// What it is multiplied by wherever it is used.
    scale: f32,
    columns: Vec<(usize, usize)>,
    /// `[panel of columns][row]`.
    pub forth: Vec<Row>,
    /// `[panel of rows][column]`.
    pub back: Vec<Row>,
    /// As `forth`, with [`LANES`] rows to each panel of them.
    pub slope: Vec<Row>,
}

impl Matrix {
    /// A matrix of zeros.
    pub fn new(from: Axis, to: Axis, scale: f32) -> Self {
        Matrix {
            from,
            to,
            scale,
            columns: to.places().collect(),
            forth: vec![Row::ZERO; to.panels() * from.rows()],
            back: vec![Row::ZERO; from.panels() * to.rows()],
            slope: vec![Row::ZERO; to.panels() * from.panels() * LANES],
        }
    }

    /// Takes the parameter and forgets the gradient.
    pub fn load(&mut self, parameter: &[Row]) {
        let (rows, columns, deep) = (self.from.rows(), self.to.rows(), [self.from.deep(), self.to.deep()]);
        for (r, (panel, lane)) in self.from.places().enumerate() {
            let back = &mut self.back[panel * columns..(panel + 1) * columns];
            for (c, (to, column)) in self.columns.iter().enumerate() {
                let value = number(parameter, r * self.columns.len() + c) * self.scale;
                self.forth[to * rows + panel * deep[0] + lane].0[*column] = value;
                back[to * deep[1] + column].0[lane] = value;
            }
        }
        self.slope.fill(Row::ZERO);
    }

    /// Writes the gradient as the parameter lies.
    pub fn unload(&self, gradient: &mut [Row]) {
        let rows = self.from.panels() * LANES;
        for (r, (panel, lane)) in self.from.places().enumerate() {
            for (c, (to, column)) in self.columns.iter().enumerate() {
                let n = r * self.columns.len() + c;
                let slope = self.slope[to * rows + panel * LANES + lane].0[*column];
                gradient[n / LANES].0[n % LANES] = slope * self.scale;
            }
        }
    }
}

/// The rows of some panels, and how many each panel has.
pub type Part<'a> = (&'a [Row], usize);

/// A parameter as vectors, one after the other, and its gradient.
#[derive(Debug, Clone)]
pub struct Vectors {
    /// Of their components.
    pub axis: Axis,
    /// How many there are.
    count: usize,
    /// Rows of a panel.
    pub stride: usize,
    /// Rows of zeros before the first vector.
    lead: usize,
    /// Whether the parameter has a row for each component.
    turned: bool,
    /// `[panel][vector]`.
    pub values: Vec<Row>,
    /// The same.
    pub slope: Vec<Row>,
}

impl Vectors {
    /// `count` vectors of zeros in panels of `stride` rows, of which the first `lead` stay zero.
    pub fn new(axis: Axis, count: usize, lead: usize, stride: usize, turned: bool) -> Self {
        let zeros = vec![Row::ZERO; axis.panels() * stride];
        Vectors { axis, count, stride, lead, turned, values: zeros.clone(), slope: zeros }
    }

    /// Number in the parameter, row and lane of every component.
    #[inline(always)]
    fn each(&self, mut visit: impl FnMut(usize, usize, usize)) {
        let size = self.axis.groups * self.axis.size;
        for (c, (panel, lane)) in self.axis.places().enumerate() {
            for v in 0..self.count {
                let n = if self.turned { c * self.count + v } else { v * size + c };
                visit(n, panel * self.stride + self.lead + v, lane);
            }
        }
    }

    /// Takes the parameter and forgets the gradient.
    pub fn load(&mut self, parameter: &[Row]) {
        let mut values = std::mem::take(&mut self.values);
        self.each(|n, row, lane| values[row].0[lane] = number(parameter, n));
        self.values = values;
        self.slope.fill(Row::ZERO);
    }

    /// The rows of some panels, and how many each has.
    #[inline(always)]
    pub fn part(&self, panels: Range<usize>) -> Part<'_> {
        (&self.values[panels.start * self.stride..panels.end * self.stride], self.stride)
    }

    /// The same, with those of the gradient.
    #[inline(always)]
    pub fn split(&mut self, panels: Range<usize>) -> (Part<'_>, &mut [Row]) {
        let own = panels.start * self.stride..panels.end * self.stride;
        ((&self.values[own.clone()], self.stride), &mut self.slope[own])
    }

    /// Writes the gradient as the parameter lies.
    pub fn unload(&self, gradient: &mut [Row]) {
        self.each(|n, row, lane| gradient[n / LANES].0[n % LANES] = self.slope[row].0[lane]);
    }
}

/// Puts columns of `from` where `to` has them, on `count` positions, or adds them there.
///
/// # Shapes
/// `x` and `out` are `[panel][position]` with `stride` positions.
#[inline(always)]
pub fn place(from: Axis, x: &[Row], to: Axis, out: &mut [Row], stride: usize, count: usize, adds: bool) {
    if from.agrees(to) {
        for (out, x) in out.chunks_exact_mut(stride).zip(x.chunks_exact(stride)) {
            for (out, x) in out[..count].iter_mut().zip(x) {
                *out = if adds { *out + *x } else { *x };
            }
        }
        return;
    }
    if !adds {
        out.fill(Row::ZERO);
    }
    for ((p, l), (to, lane)) in from.places().zip(to.places()) {
        let x = &x[p * stride..][..count];
        for (out, x) in out[to * stride..][..count].iter_mut().zip(x) {
            out.0[lane] = if adds { out.0[lane] + x.0[l] } else { x.0[l] };
        }
    }
}
