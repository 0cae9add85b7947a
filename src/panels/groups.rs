//! The help text of the lab of finite groups.

use crate::panel::LabPanel;
use vivarium_labs::groups::GroupsLab;

impl LabPanel for GroupsLab {
    fn help(&self) -> &'static str {
        tr!(
            "A network gets two elements of a group and must answer with the result of an operation, for example their sum modulo n or the product of two permutations. For the network each element is only a name; the input does not contain the structure of the group. During training the weights of each neuron concentrate on one frequency, or on one irreducible representation, and the margin grows towards the largest possible margin. If the network trains on only some of the pairs, it may first memorise these pairs and generalise much later."
        )
    }
}
