//! Training loops on the processor, one replica at a time, with vectors of eight or sixteen numbers.

pub mod group_net;
pub mod one_hidden_layer;
pub mod sequence_net;
