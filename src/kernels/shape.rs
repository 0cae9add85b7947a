//! What differs between the networks of one launch: a line of a table for each.
//!
//! # Why
//! The runs of a sweep differ in width, inputs, sample, noise, rates and seeds, and a GPU wants thousands of workgroups
//! at once. So a kernel is compiled for a way to divide the work, and each workgroup reads from its line where its
//! network lies, how large it is and where its random numbers come from. The order in which numbers are added up
//! depends on the network's own [`Shape::columns`] alone, never on the others of the launch, so that a network gives
//! the same bits in any company. Lines of networks that have ended are left out of the next table: they cost nothing.
//!
//! No barrier depends on a table, because WebGPU wants them in control flow that is uniform without looking there.

#![allow(
    missing_docs,
    clippy::too_many_arguments,
    clippy::unnecessary_cast,
    reason = "the cube macro adds items of its own and knows fewer words than Rust; a kernel has no globals"
)]

use cubecl::prelude::*;

use super::plan::{Head, Plan};

/// Numbers of a line of the table for training.
pub const FIELDS: usize = 20;
/// Numbers of a line of the table for measuring.
pub const MEASURED_FIELDS: usize = 8;
/// Numbers of a line of the table for carrying.
pub const CARRIED_FIELDS: usize = 3;

/// One line of the table for training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Line {
    /// Where its state lies, and where its own numbers lie in the scratch buffer and in a snapshot.
    pub state: usize,
    pub scratch: usize,
    pub snapshot: usize,
    /// Inputs, width and columns.
    pub shape: [usize; 3],
    /// Where the head of its schedule lies.
    pub schedule: usize,
    pub seed: u64,
    pub replica: u32,
    /// Step of the launch's first batch, and of a finite sample the epoch and the place in it.
    pub step: u64,
    pub epoch: u32,
    pub place: u32,
    /// Words below it flip a label.
    pub threshold: u32,
    /// Where its relevant inputs are listed, and how many they are.
    pub relevant: [usize; 2],
    /// Where the rows of its finite sample lie, and how many they are.
    pub rows: [usize; 2],
}

impl Line {
    /// As the kernel reads it.
    pub fn words(&self) -> [u32; FIELDS] {
        let [inputs, width, columns] = self.shape.map(|number| number as u32);
        [
            self.state as u32,
            inputs,
            width,
            columns,
            self.scratch as u32,
            self.snapshot as u32,
            self.schedule as u32,
            self.seed as u32,
            (self.seed >> 32) as u32,
            self.replica,
            self.step as u32,
            (self.step >> 32) as u32,
            self.epoch,
            self.place,
            self.threshold,
            self.relevant[0] as u32,
            self.relevant[1] as u32,
            self.rows[0] as u32,
            self.rows[1] as u32,
            vivarium_core::rng::feistel_half_bits(self.rows[1] as u32),
        ]
    }
}

/// The shape of one network, as numbers of the kernel.
#[derive(CubeType, Clone, Copy)]
pub struct Shape {
    pub inputs: usize,
    pub width: usize,
    /// Lanes side by side along the units, which settle the order of the output's sum.
    pub columns: usize,
}

/// Of a line that begins at `at`; where all networks of the plan have one shape, numbers that are known beforehand.
#[cube]
pub fn shape(table: &[u32], at: usize, #[comptime] plan: Plan) -> Shape {
    if comptime!(plan.fixed) {
        Shape {
            inputs: comptime!(plan.network.inputs).runtime(),
            width: comptime!(plan.network.width).runtime(),
            columns: comptime!(plan.columns).runtime(),
        }
    } else {
        Shape {
            inputs: table[at + 1] as usize,
            width: table[at + 2] as usize,
            columns: table[at + 3] as usize,
        }
    }
}

/// Where u begins in a state; W comes first.
#[cube]
pub fn place_u(shape: &Shape) -> usize {
    shape.inputs * shape.width
}

/// Where b begins.
#[cube]
pub fn place_b(shape: &Shape, #[comptime] head: Head) -> usize {
    if comptime!(head == Head::Sum) { (shape.inputs + 1) * shape.width } else { shape.inputs * shape.width }
}

/// Where β stands; of a product, which has none, where the parameters end.
#[cube]
pub fn place_beta(shape: &Shape, #[comptime] head: Head) -> usize {
    place_b(shape, head) + shape.width
}

/// Numbers that are trained.
#[cube]
pub fn parameters(shape: &Shape, #[comptime] head: Head) -> usize {
    if comptime!(head == Head::Sum) { place_beta(shape, head) + 1 } else { place_beta(shape, head) }
}

/// Carries numbers from one buffer to another: line `CUBE_POS` of the table says from where, to where and how many.
#[cube(launch_unchecked)]
pub fn carry(from: &[f32], to: &mut [f32], table: &[u32]) {
    let line = CUBE_POS as usize * comptime!(CARRIED_FIELDS);
    let (source, target, count) = (table[line] as usize, table[line + 1] as usize, table[line + 2] as usize);
    let mut i = UNIT_POS as usize;
    while i < count {
        to[target + i] = from[source + i];
        i += CUBE_DIM as usize;
    }
}
