//! Training loops on the processor, one replica at a time, with vectors of eight or sixteen numbers.

pub mod dense;
pub mod group_net;
pub mod in_context_net;
pub mod muon;
pub mod one_hidden_layer;
pub mod one_output;
pub mod prompt_net;
pub mod replica;
pub mod sequence_net;

/// The numbers of one network that training changes. Parameters are numbered as the model numbers them; part 0 of one
/// is its values, the parts after it are its moments.
pub trait ReplicaState: Clone {
    /// Part `part` of parameter `which`, `[rows, columns]`.
    fn read(&self, part: usize, which: usize) -> Vec<f32>;
    /// Replaces what [`ReplicaState::read`] gives.
    fn write(&mut self, part: usize, which: usize, values: &[f32]);
    /// Copies all numbers of `other`, a replica of the same network, without allocating.
    fn copy(&mut self, other: &Self);
}
