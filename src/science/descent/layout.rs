//! What stands where in a token: h = \[x | y | w | p | r′ | g | s | 1 | t\] (equation 2.1 and section 3 of the paper).
//!
//! | block | holds | numbers |
//! |---|---|---|
//! | x | the input | d_x |
//! | y | the label, 0 in the query | d_y |
//! | w | all weights of the network, the same in every token | D_N |
//! | p | outputs p(1) … p(N) of its layers | Σ widths |
//! | r′ | slopes r′(0) … r′(N−1), r′(j−1) being those of layer j | Σ widths |
//! | g | ∂ℓ/∂p(N) | d_y |
//! | s | errors s(N) … s(1), from the last layer to the first | Σ widths |
//! | 1 | the number 1 | 1 |
//! | t | 1 in an example, 0 in the query | 1 |
//!
//! From p to s stands scratch: it is 0 before and after each step of descent.

use std::ops::Range;

use super::network::Network;
use super::phase::Phase;

/// A block of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Block {
    /// x.
    Input,
    /// y.
    Label,
    /// w.
    Weights,
    /// p.
    Outputs,
    /// r′.
    Slopes,
    /// g.
    LossGradient,
    /// s.
    Errors,
    /// 1.
    One,
    /// t.
    Example,
}

impl Block {
    /// All blocks in their order.
    pub const ALL: [Block; 9] = [
        Block::Input,
        Block::Label,
        Block::Weights,
        Block::Outputs,
        Block::Slopes,
        Block::LossGradient,
        Block::Errors,
        Block::One,
        Block::Example,
    ];

    /// "r′".
    pub fn symbol(self) -> &'static str {
        match self {
            Block::Input => "x",
            Block::Label => "y",
            Block::Weights => "w",
            Block::Outputs => "p",
            Block::Slopes => "r′",
            Block::LossGradient => "g",
            Block::Errors => "s",
            Block::One => "1",
            Block::Example => "t",
        }
    }

    /// What it holds, in words.
    pub fn name(self) -> &'static str {
        match self {
            Block::Input => tr!("Input"),
            Block::Label => tr!("Label (0 in the query's token)"),
            Block::Weights => tr!("Weights of the network, the same in every token"),
            Block::Outputs => tr!("Outputs of the network's layers"),
            Block::Slopes => tr!("Slopes of the activation functions"),
            Block::LossGradient => tr!("Gradient of the loss with respect to the network's output"),
            Block::Errors => tr!("Errors of the neurons, computed by backpropagation"),
            Block::One => tr!("The number 1"),
            Block::Example => tr!("1 in an example's token, 0 in the query's token"),
        }
    }

    /// Whether it is 0 before and after each step of descent.
    pub fn is_scratch(self) -> bool {
        matches!(self, Block::Outputs | Block::Slopes | Block::LossGradient | Block::Errors)
    }
}

/// Where the blocks of a token stand.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    network: Network,
    /// First coordinate of each block, and their end.
    starts: [usize; 10],
}

impl Layout {
    /// The layout of tokens that carry this network.
    pub fn new(network: &Network) -> Self {
        let units = network.units();
        let sizes = Block::ALL.map(|block| match block {
            Block::Input => network.inputs,
            Block::Label | Block::LossGradient => network.outputs,
            Block::Weights => network.weights(),
            Block::Outputs | Block::Slopes | Block::Errors => units,
            Block::One | Block::Example => 1,
        });
        let mut starts = [0; 10];
        for (i, size) in sizes.into_iter().enumerate() {
            starts[i + 1] = starts[i] + size;
        }
        Layout { network: network.clone(), starts }
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Numbers D of a token.
    pub fn len(&self) -> usize {
        self.starts[9]
    }

    /// Whether a token has no number, which is never so.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Coordinates of a block.
    pub fn block(&self, block: Block) -> Range<usize> {
        let i = block as usize;
        self.starts[i]..self.starts[i + 1]
    }

    /// The block of a coordinate.
    pub fn block_of(&self, coordinate: usize) -> Block {
        let i = self.starts[1..9].iter().filter(|start| **start <= coordinate).count();
        Block::ALL[i]
    }

    /// All scratch: p, r′, g and s.
    pub fn scratch(&self) -> Range<usize> {
        self.block(Block::Outputs).start..self.block(Block::Errors).end
    }

    /// The coordinate that is 1.
    pub fn one(&self) -> usize {
        self.block(Block::One).start
    }

    /// The coordinate that is 1 in an example and 0 in the query.
    pub fn example(&self) -> usize {
        self.block(Block::Example).start
    }

    /// The weights v(j,k) of neuron `k`, from 0, of layer `j`, from 1.
    pub fn weights(&self, j: usize, k: usize) -> Range<usize> {
        let (start, range) = (self.block(Block::Weights).start, self.network.neuron(j, k));
        start + range.start..start + range.end
    }

    /// p(j), from p(0), which is x, to p(N).
    pub fn outputs(&self, j: usize) -> Range<usize> {
        match j {
            0 => self.block(Block::Input),
            _ => self.units(Block::Outputs, self.network.units_below(j), j),
        }
    }

    /// r′(j−1), the slopes of layer `j`, from 1.
    pub fn slopes(&self, j: usize) -> Range<usize> {
        self.units(Block::Slopes, self.network.units_below(j), j)
    }

    /// s(j), the errors of layer `j`, from 1.
    pub fn errors(&self, j: usize) -> Range<usize> {
        let above = self.network.units() - self.network.units_below(j + 1);
        self.units(Block::Errors, above, j)
    }

    /// The coordinates that a layer writes.
    pub fn writes(&self, phase: Phase) -> Range<usize> {
        match phase {
            Phase::Forward(j) => self.outputs(j),
            Phase::Slopes => self.block(Block::Slopes),
            Phase::LossGradient => self.block(Block::LossGradient),
            Phase::Backward(j) => self.errors(j),
            Phase::Step => self.block(Block::Weights),
            Phase::CleanUp => self.block(Block::Weights).start..self.scratch().end,
        }
    }

    /// The coordinates that a layer reads, but for the number 1.
    pub fn reads(&self, phase: Phase) -> Vec<Range<usize>> {
        let last = self.network.layers();
        let weights = |j: usize| {
            let start = self.block(Block::Weights).start;
            start + self.network.weights_below(j)..start + self.network.weights_below(j + 1)
        };
        let inputs = || (0..last).map(|j| self.outputs(j)).collect::<Vec<_>>();
        match phase {
            Phase::Forward(j) => vec![self.outputs(j - 1), weights(j)],
            Phase::Slopes => [inputs(), vec![self.block(Block::Weights)]].concat(),
            Phase::LossGradient => {
                vec![self.outputs(last), self.block(Block::Label), self.block(Block::Example)]
            }
            Phase::Backward(j) if j == last => vec![self.slopes(j), self.block(Block::LossGradient)],
            Phase::Backward(j) => vec![self.slopes(j), self.errors(j + 1), weights(j + 1)],
            Phase::Step => [inputs(), vec![self.block(Block::Errors)]].concat(),
            Phase::CleanUp => vec![self.writes(phase)],
        }
    }

    fn units(&self, block: Block, before: usize, j: usize) -> Range<usize> {
        let from = self.block(block).start + before;
        from..from + self.network.width(j)
    }

    /// What stands at a coordinate, with all numbers from 1: "v(2,3)\[1\]", "r′(0)\[4\]".
    pub fn name(&self, coordinate: usize) -> String {
        let (block, layers) = (self.block_of(coordinate), 1..=self.network.layers());
        let place = |range: Range<usize>| range.contains(&coordinate).then(|| coordinate - range.start + 1);
        let of_layer = |ranges: &dyn Fn(usize) -> Range<usize>, below: usize| {
            let at = layers.clone().find_map(|j| Some((j, place(ranges(j))?)));
            at.map(|(j, k)| format!("{}({})[{k}]", block.symbol(), j - below))
        };
        let name = match block {
            Block::Weights => layers.clone().find_map(|j| {
                let of = |k| Some((k, place(self.weights(j, k))?));
                let (k, i) = (0..self.network.width(j)).find_map(of)?;
                Some(format!("v({j},{})[{i}]", k + 1))
            }),
            Block::Outputs => of_layer(&|j| self.outputs(j), 0),
            Block::Slopes => of_layer(&|j| self.slopes(j), 1),
            Block::Errors => of_layer(&|j| self.errors(j), 0),
            Block::Input | Block::Label | Block::LossGradient => {
                place(self.block(block)).map(|k| format!("{}[{k}]", block.symbol()))
            }
            Block::One | Block::Example => None,
        };
        name.unwrap_or_else(|| block.symbol().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Section 5.1: 2-8-8-1 makes tokens of 145 numbers.
    #[test]
    fn the_token_of_the_table_has_145_numbers() {
        let layout = Layout::new(&Network::default());
        let sizes = Block::ALL.map(|block| layout.block(block).len());
        assert_eq!(sizes, [2, 1, 88, 17, 17, 1, 17, 1, 1]);
        assert_eq!(layout.len(), 145);
        assert!(!layout.is_empty());
        // The paper's d = K = 20 and N = 6.
        let paper = Network { inputs: 20, hidden: vec![20; 5], outputs: 20, ..Network::default() };
        assert_eq!(Layout::new(&paper).len(), 2 * 20 + 2400 + 3 * 120 + 20 + 2);
    }

    #[test]
    fn every_coordinate_has_a_name_of_its_own_and_one_block() {
        let network = Network { inputs: 3, hidden: vec![4, 2], outputs: 2, ..Network::default() };
        let layout = Layout::new(&network);
        let mut names: Vec<String> = (0..layout.len()).map(|c| layout.name(c)).collect();
        assert_eq!(&names[..5], ["x[1]", "x[2]", "x[3]", "y[1]", "y[2]"]);
        assert_eq!(names[layout.weights(2, 1).start + 2], "v(2,2)[3]");
        assert_eq!(names[layout.outputs(3).start + 1], "p(3)[2]");
        assert_eq!(names[layout.slopes(1).start], "r′(0)[1]");
        // Errors stand from the last layer to the first.
        assert_eq!(names[layout.block(Block::Errors).start], "s(3)[1]");
        assert_eq!(layout.errors(3).end, layout.errors(2).start);
        assert_eq!(names[layout.errors(1).end - 1], "s(1)[4]");
        assert_eq!(names[layout.one()], "1");
        assert_eq!(names[layout.example()], "t");
        for block in Block::ALL {
            assert!(layout.block(block).all(|c| layout.block_of(c) == block));
            assert!(layout.block(block).all(|c| layout.scratch().contains(&c) == block.is_scratch()));
            assert!(!block.name().is_empty());
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), layout.len());
    }
}
