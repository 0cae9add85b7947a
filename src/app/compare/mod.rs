//! The row of kept runs under the charts.

pub mod row;
