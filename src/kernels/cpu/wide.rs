//! Functions with vectors as wide as the processor has.

pub(crate) use vivarium_operators::simd::{row_by_row, wide};
