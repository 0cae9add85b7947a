//! The kinds of blocks of the transformer, each with a description and a formula. There are bits + 4 blocks.

/// Task of a block of the transformer that executes a Turing machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BlockKind {
    /// Applies the machine's rule to the current state and symbol.
    Apply,
    /// Computes the head's cell after the move.
    Move,
    /// Determines whether an earlier step wrote to the head's cell.
    Visited,
    /// Finds one bit of the number of the last step that wrote to the cell; bit 0 is the most significant.
    Search(usize),
    /// Fetches the symbol from that step, or else from the input, and completes the token.
    Fetch,
}

impl BlockKind {
    /// The kinds of all blocks in their order, for cell and step numbers of `bits` bits.
    pub fn sequence(bits: usize) -> Vec<BlockKind> {
        let mut all = vec![BlockKind::Apply, BlockKind::Move, BlockKind::Visited];
        all.extend((0..bits).map(BlockKind::Search));
        all.push(BlockKind::Fetch);
        all
    }

    /// First part of the names of the block's tensors, such as `search.2`; searches are numbered from 0.
    pub fn tensor_prefix(self) -> String {
        match self {
            BlockKind::Apply => "apply".into(),
            BlockKind::Move => "move".into(),
            BlockKind::Visited => "visited".into(),
            BlockKind::Search(round) => format!("search.{round}"),
            BlockKind::Fetch => "fetch".into(),
        }
    }

    /// Name shown on the page, such as "Search for bit 3"; bits are numbered from 1.
    pub fn name(self) -> String {
        match self {
            BlockKind::Apply => tr!("Apply the rule").into(),
            BlockKind::Move => tr!("Move the head").into(),
            BlockKind::Visited => tr!("Cell written before?").into(),
            BlockKind::Search(round) => tr!("Search for bit {bit}", bit = round + 1),
            BlockKind::Fetch => tr!("Fetch the symbol").into(),
        }
    }

    /// Sentences on how the block performs its task, in the language of the page.
    pub fn about(self) -> String {
        match self {
            BlockKind::Apply => tr!("There is one hidden unit for each pair of state and symbol. Only the hidden unit of the current pair is active. The output of this unit is the next state, the symbol to write and the move. Before step 1, step 0 fetches the first symbol: none of these units is active, the token gets the start state, no symbol is written, and the head does not move.").into(),
            BlockKind::Move => tr!("This block adds 1 to the number of the cell under the tape head, subtracts 1, or does not change this number. All carries are computed at the same time.").into(),
            BlockKind::Visited => tr!("The attention score is largest for the past steps that wrote to the cell under the tape head. If there is no such step, the null slot, which stands for no step, has the largest score.").into(),
            BlockKind::Search(0) => tr!("Step numbers are binary, with the most significant bit first. The attention score is largest for the past steps that wrote to the cell under the tape head and have a number with first bit 1. If there is such a step, the number of the last step that wrote to this cell also has first bit 1. Otherwise the null slot, which stands for no step, has the largest score, and the first bit found by the search is 0.").into(),
            BlockKind::Search(round) => tr!("The search has already found the first bits of a step number (number of bits found: {known}). The attention score is largest for the past steps that wrote to the cell under the tape head and have a number that begins with these bits, followed by 1. If there is no such step, the null slot, which stands for no step, has the largest score, and the next bit is 0.", known = round),
            BlockKind::Fetch => tr!("If earlier steps wrote to the cell under the tape head, the search has found the last of these steps, and this block copies the symbol written in that step. Otherwise the block copies the symbol of the input, or the blank if the input has no symbol for this cell.").into(),
        }
    }

    /// Formula of the block, in the notation of [`TokenGroup`](super::TokenGroup).
    pub fn formula(self) -> String {
        match self {
            BlockKind::Apply => "st, sym2, mv ← S(st, sym1):  φ(st_z + sym1_a − 1) for each pair (z, a);  st_start also gets scr4[2], which is 1 in step 0 alone".into(),
            BlockKind::Move => "pos3_j ← φ(b_j + t_j) − 2φ(b_j + t_j − 1),  t_j = φ(mv_right + Σ_{k<j} b_k − j) + φ(mv_left − Σ_{k<j} b_k),  b = pos2".into(),
            BlockKind::Visited => "Q = [2pos3 − 1; 1],  K_t = [2pos2_t − 1; 0],  K_0 = [0 … 0; bits − 1],  V_t = 1 → scr4[0]".into(),
            BlockKind::Search(j) => format!(
                "Q = [2pos3 − 1; 2scr3[..{j}] − 1; 1; 1],  K_t = [2pos2_t − 1; 2pos1_t[..{}] − 1; 0],  K_0 = [0 … 0; bits + {j}],  V_t = 1 → scr3[{j}]",
                j + 1
            ),
            BlockKind::Fetch => "sym1_c ← φ(scr1_c) + φ(scr2_c − scr4[0]) + [c = blank] φ(1 − scr4[0] − scr4[1]),  pos2 ← pos3".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_bits_plus_four_blocks_with_different_names() {
        for bits in [1, 4, 7, 14] {
            let all = BlockKind::sequence(bits);
            assert_eq!(all.len(), bits + 4);
            for of in [BlockKind::name, BlockKind::tensor_prefix, BlockKind::formula] {
                let mut names: Vec<String> = all.iter().map(|phase| of(*phase)).collect();
                names.sort_unstable();
                names.dedup();
                assert_eq!(names.len(), all.len());
            }
            assert!(all.iter().all(|phase| phase.about().ends_with('.')));
        }
        assert_eq!(BlockKind::Search(0).name(), "Search for bit 1");
        assert_eq!(BlockKind::Search(2).tensor_prefix(), "search.2");
    }
}
