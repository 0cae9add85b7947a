//! The row of compared runs under the charts.

pub mod row;
