//! The layout of a token: h = \[x | y | w | p | r′ | g | s | 1 | t\] (equation 2.1 and section 3 of the paper).
//!
//! | block | holds | numbers |
//! |---|---|---|
//! | x | the input | d_x |
//! | y | the label, 0 in the query | d_y |
//! | w | all weights of the network, the same in every token | D_N |
//! | p | outputs p(1) … p(N) of its layers | Σ widths |
//! | r′ | derivatives r′(0) … r′(N−1), where r′(j−1) belongs to layer j | Σ widths |
//! | g | ∂ℓ/∂p(N) | d_y |
//! | s | errors s(N) … s(1), from the last layer to the first | Σ widths |
//! | 1 | the number 1 | 1 |
//! | t | 1 in an example, 0 in the query | 1 |
//!
//! The blocks from p to s are workspace: 0 before and after each step of descent.

use std::ops::Range;

use super::network::DescentNetwork;
use super::phase::LayerPhase;

/// A block of adjacent token coordinates with one content, such as the weights or the outputs of the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenBlock {
    /// The input x.
    Input,
    /// The label y.
    Label,
    /// The weights w of the network.
    Weights,
    /// The outputs p of the network's layers.
    Outputs,
    /// The derivatives r′ of the activations.
    Derivatives,
    /// The gradient g of the loss with respect to the output.
    LossGradient,
    /// The backpropagated errors s.
    Errors,
    /// The constant 1.
    One,
    /// The flag t: 1 in an example, 0 in the query.
    Example,
}

impl TokenBlock {
    /// All blocks of a token, in the order of their coordinates.
    pub const ALL: [TokenBlock; 9] = [
        TokenBlock::Input,
        TokenBlock::Label,
        TokenBlock::Weights,
        TokenBlock::Outputs,
        TokenBlock::Derivatives,
        TokenBlock::LossGradient,
        TokenBlock::Errors,
        TokenBlock::One,
        TokenBlock::Example,
    ];

    /// Symbol of the block in formulas, such as "r′".
    pub fn symbol(self) -> &'static str {
        match self {
            TokenBlock::Input => "x",
            TokenBlock::Label => "y",
            TokenBlock::Weights => "w",
            TokenBlock::Outputs => "p",
            TokenBlock::Derivatives => "r′",
            TokenBlock::LossGradient => "g",
            TokenBlock::Errors => "s",
            TokenBlock::One => "1",
            TokenBlock::Example => "t",
        }
    }

    /// Name of the block's contents in the language of the page.
    pub fn name(self) -> &'static str {
        match self {
            TokenBlock::Input => tr!("Input"),
            TokenBlock::Label => tr!("Label (0 in the query's token)"),
            TokenBlock::Weights => tr!("Weights of the network, the same in every token"),
            TokenBlock::Outputs => tr!("Outputs of the network's layers"),
            TokenBlock::Derivatives => tr!("Slopes of the activation functions"),
            TokenBlock::LossGradient => tr!("Gradient of the loss with respect to the network's output"),
            TokenBlock::Errors => tr!("Errors of the neurons, computed by backpropagation"),
            TokenBlock::One => tr!("The number 1"),
            TokenBlock::Example => tr!("1 in an example's token, 0 in the query's token"),
        }
    }

    /// Whether the block is workspace: its coordinates are 0 before and after each step of gradient descent.
    pub fn is_workspace(self) -> bool {
        matches!(
            self,
            TokenBlock::Outputs | TokenBlock::Derivatives | TokenBlock::LossGradient | TokenBlock::Errors
        )
    }
}

/// Which coordinates of a token belong to which block, for a given network.
#[derive(Debug, Clone, PartialEq)]
pub struct TokenLayout {
    /// The network whose weights the tokens hold.
    network: DescentNetwork,
    /// First token coordinate of each block, in the order of [`TokenBlock::ALL`], and the dimension D of a token as
    /// the last entry.
    block_starts: [usize; 10],
}

impl TokenLayout {
    /// The layout of tokens that hold the weights of this network.
    pub fn new(network: &DescentNetwork) -> Self {
        let units = network.unit_count();
        let sizes = TokenBlock::ALL.map(|block| match block {
            TokenBlock::Input => network.inputs,
            TokenBlock::Label | TokenBlock::LossGradient => network.outputs,
            TokenBlock::Weights => network.weight_count(),
            TokenBlock::Outputs | TokenBlock::Derivatives | TokenBlock::Errors => units,
            TokenBlock::One | TokenBlock::Example => 1,
        });
        let mut starts = [0; 10];
        for (i, size) in sizes.into_iter().enumerate() {
            starts[i + 1] = starts[i] + size;
        }
        TokenLayout { network: network.clone(), block_starts: starts }
    }

    /// The network whose weights are stored in the tokens.
    pub fn network(&self) -> &DescentNetwork {
        &self.network
    }

    /// Dimension D of a token: its number of coordinates.
    pub fn len(&self) -> usize {
        self.block_starts[9]
    }

    /// Whether a token has no coordinates, which is always false.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Range of the token coordinates of a block.
    pub fn block_range(&self, block: TokenBlock) -> Range<usize> {
        let i = block as usize;
        self.block_starts[i]..self.block_starts[i + 1]
    }

    /// The block of the token that contains the coordinate with index `coordinate`.
    pub fn block_of(&self, coordinate: usize) -> TokenBlock {
        let i = self.block_starts[1..9].iter().filter(|start| **start <= coordinate).count();
        TokenBlock::ALL[i]
    }

    /// Coordinates of the workspace blocks, which are 0 between steps: outputs p, derivatives r′, loss gradient g
    /// and errors s.
    pub fn workspace(&self) -> Range<usize> {
        self.block_range(TokenBlock::Outputs).start..self.block_range(TokenBlock::Errors).end
    }

    /// Index of the coordinate that is always 1.
    pub fn one_index(&self) -> usize {
        self.block_range(TokenBlock::One).start
    }

    /// Index of the coordinate t that is 1 in an example's token and 0 in the query's.
    pub fn example_flag(&self) -> usize {
        self.block_range(TokenBlock::Example).start
    }

    /// Token coordinates of the weights v(j,k) of neuron `k`, from 0, in layer `j`, from 1.
    pub fn neuron_weights(&self, j: usize, k: usize) -> Range<usize> {
        let (start, range) = (self.block_range(TokenBlock::Weights).start, self.network.neuron_weights(j, k));
        start + range.start..start + range.end
    }

    /// Token coordinates of the outputs p(j) of layer `j`, from 1; for `j` = 0 those of the input x.
    pub fn outputs(&self, j: usize) -> Range<usize> {
        match j {
            0 => self.block_range(TokenBlock::Input),
            _ => self.layer_range(TokenBlock::Outputs, self.network.unit_count_below(j), j),
        }
    }

    /// Coordinates of r′(j−1), the activation derivatives of layer `j`, which counts from 1.
    pub fn derivatives(&self, j: usize) -> Range<usize> {
        self.layer_range(TokenBlock::Derivatives, self.network.unit_count_below(j), j)
    }

    /// Coordinates of s(j), the backpropagated errors of layer `j`, which counts from 1.
    pub fn errors(&self, j: usize) -> Range<usize> {
        let above = self.network.unit_count() - self.network.unit_count_below(j + 1);
        self.layer_range(TokenBlock::Errors, above, j)
    }

    /// Token coordinates that the transformer layer with the task `phase` writes.
    pub fn written_by(&self, phase: LayerPhase) -> Range<usize> {
        match phase {
            LayerPhase::Forward(j) => self.outputs(j),
            LayerPhase::Derivatives => self.block_range(TokenBlock::Derivatives),
            LayerPhase::LossGradient => self.block_range(TokenBlock::LossGradient),
            LayerPhase::Backward(j) => self.errors(j),
            LayerPhase::Step => self.block_range(TokenBlock::Weights),
            LayerPhase::CleanUp => self.block_range(TokenBlock::Weights).start..self.workspace().end,
        }
    }

    /// Token coordinates that the transformer layer with the task `phase` reads, except the constant 1.
    pub fn read_by(&self, phase: LayerPhase) -> Vec<Range<usize>> {
        let last = self.network.layer_count();
        let weights = |j: usize| {
            let start = self.block_range(TokenBlock::Weights).start;
            start + self.network.weight_count_below(j)..start + self.network.weight_count_below(j + 1)
        };
        let inputs = || (0..last).map(|j| self.outputs(j)).collect::<Vec<_>>();
        match phase {
            LayerPhase::Forward(j) => vec![self.outputs(j - 1), weights(j)],
            LayerPhase::Derivatives => [inputs(), vec![self.block_range(TokenBlock::Weights)]].concat(),
            LayerPhase::LossGradient => {
                vec![
                    self.outputs(last),
                    self.block_range(TokenBlock::Label),
                    self.block_range(TokenBlock::Example),
                ]
            }
            LayerPhase::Backward(j) if j == last => {
                vec![self.derivatives(j), self.block_range(TokenBlock::LossGradient)]
            }
            LayerPhase::Backward(j) => vec![self.derivatives(j), self.errors(j + 1), weights(j + 1)],
            LayerPhase::Step => [inputs(), vec![self.block_range(TokenBlock::Errors)]].concat(),
            LayerPhase::CleanUp => vec![self.written_by(phase)],
        }
    }

    /// Coordinates of the neurons of layer `j` of the network, from 1, within `block`, where the coordinates of
    /// `before` neurons of other layers precede them.
    fn layer_range(&self, block: TokenBlock, before: usize, j: usize) -> Range<usize> {
        let from = self.block_range(block).start + before;
        from..from + self.network.width(j)
    }

    /// Formula of the token coordinate with the index `coordinate`, from 0; the indices in the formula count from 1:
    /// "v(2,3)\[1\]", "r′(0)\[4\]".
    pub fn coordinate_name(&self, coordinate: usize) -> String {
        let (block, layers) = (self.block_of(coordinate), 1..=self.network.layer_count());
        let place = |range: Range<usize>| range.contains(&coordinate).then(|| coordinate - range.start + 1);
        let of_layer = |ranges: &dyn Fn(usize) -> Range<usize>, below: usize| {
            let at = layers.clone().find_map(|j| Some((j, place(ranges(j))?)));
            at.map(|(j, k)| format!("{}({})[{k}]", block.symbol(), j - below))
        };
        let name = match block {
            TokenBlock::Weights => layers.clone().find_map(|j| {
                let of = |k| Some((k, place(self.neuron_weights(j, k))?));
                let (k, i) = (0..self.network.width(j)).find_map(of)?;
                Some(format!("v({j},{})[{i}]", k + 1))
            }),
            TokenBlock::Outputs => of_layer(&|j| self.outputs(j), 0),
            TokenBlock::Derivatives => of_layer(&|j| self.derivatives(j), 1),
            TokenBlock::Errors => of_layer(&|j| self.errors(j), 0),
            TokenBlock::Input | TokenBlock::Label | TokenBlock::LossGradient => {
                place(self.block_range(block)).map(|k| format!("{}[{k}]", block.symbol()))
            }
            TokenBlock::One | TokenBlock::Example => None,
        };
        name.unwrap_or_else(|| block.symbol().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A 2-8-8-1 network makes tokens of 145 numbers.
    #[test]
    fn the_token_of_the_table_has_dimension_145() {
        let layout = TokenLayout::new(&DescentNetwork::default());
        let sizes = TokenBlock::ALL.map(|block| layout.block_range(block).len());
        assert_eq!(sizes, [2, 1, 88, 17, 17, 1, 17, 1, 1]);
        assert_eq!(layout.len(), 145);
        assert!(!layout.is_empty());
        // The paper's d = K = 20 and N = 6.
        let paper =
            DescentNetwork { inputs: 20, hidden: vec![20; 5], outputs: 20, ..DescentNetwork::default() };
        assert_eq!(TokenLayout::new(&paper).len(), 2 * 20 + 2400 + 3 * 120 + 20 + 2);
    }

    #[test]
    fn every_coordinate_has_a_unique_name_and_one_block() {
        let network =
            DescentNetwork { inputs: 3, hidden: vec![4, 2], outputs: 2, ..DescentNetwork::default() };
        let layout = TokenLayout::new(&network);
        let mut names: Vec<String> = (0..layout.len()).map(|c| layout.coordinate_name(c)).collect();
        assert_eq!(&names[..5], ["x[1]", "x[2]", "x[3]", "y[1]", "y[2]"]);
        assert_eq!(names[layout.neuron_weights(2, 1).start + 2], "v(2,2)[3]");
        assert_eq!(names[layout.outputs(3).start + 1], "p(3)[2]");
        assert_eq!(names[layout.derivatives(1).start], "r′(0)[1]");
        // Errors stand from the last layer to the first.
        assert_eq!(names[layout.block_range(TokenBlock::Errors).start], "s(3)[1]");
        assert_eq!(layout.errors(3).end, layout.errors(2).start);
        assert_eq!(names[layout.errors(1).end - 1], "s(1)[4]");
        assert_eq!(names[layout.one_index()], "1");
        assert_eq!(names[layout.example_flag()], "t");
        for block in TokenBlock::ALL {
            assert!(layout.block_range(block).all(|c| layout.block_of(c) == block));
            assert!(
                layout.block_range(block).all(|c| layout.workspace().contains(&c) == block.is_workspace())
            );
            assert!(!block.name().is_empty());
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), layout.len());
    }
}
