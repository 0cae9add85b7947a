//! What each of the bits + 4 blocks of the transformer does, in words and as a formula.

/// A block of the transformer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// The machine's rule is applied.
    Apply,
    /// The head moves.
    Move,
    /// Whether the cell was written before.
    Visited,
    /// One bit of the step that last wrote the cell, from 0, the most significant.
    Search(usize),
    /// The symbol is fetched from that step or from the input, and the next token is made.
    Fetch,
}

impl Phase {
    /// The blocks of a step where positions have so many bits.
    pub fn all(bits: usize) -> Vec<Phase> {
        let mut all = vec![Phase::Apply, Phase::Move, Phase::Visited];
        all.extend((0..bits).map(Phase::Search));
        all.push(Phase::Fetch);
        all
    }

    /// "search.2", for the names of tensors, with rounds from 0.
    pub fn key(self) -> String {
        match self {
            Phase::Apply => "apply".into(),
            Phase::Move => "move".into(),
            Phase::Visited => "visited".into(),
            Phase::Search(round) => format!("search.{round}"),
            Phase::Fetch => "fetch".into(),
        }
    }

    /// "Search for bit 3", with bits from 1.
    pub fn name(self) -> String {
        match self {
            Phase::Apply => tr!("Apply the rule").into(),
            Phase::Move => tr!("Move the head").into(),
            Phase::Visited => tr!("Cell written before?").into(),
            Phase::Search(round) => tr!("Search for bit {bit}", bit = round + 1),
            Phase::Fetch => tr!("Fetch the symbol").into(),
        }
    }

    /// What it does, in a sentence.
    pub fn about(self) -> String {
        match self {
            Phase::Apply => tr!("There is one hidden unit for each pair of state and symbol. Only the hidden unit of the current pair is active. The output of this unit is the next state, the symbol to write and the move. Before step 1, step 0 fetches the first symbol: none of these units is active, the token gets the start state, no symbol is written, and the head does not move.").into(),
            Phase::Move => tr!("This block adds 1 to the number of the cell under the tape head, subtracts 1, or does not change this number. All carries are computed at the same time.").into(),
            Phase::Visited => tr!("The attention score is largest for the past steps that wrote to the cell under the tape head. If there is no such step, the null slot, which stands for no step, has the largest score.").into(),
            Phase::Search(0) => tr!("Step numbers are binary, with the most significant bit first. The attention score is largest for the past steps that wrote to the cell under the tape head and have a number with first bit 1. If there is such a step, the number of the last step that wrote to this cell also has first bit 1. Otherwise the null slot, which stands for no step, has the largest score, and the first bit found by the search is 0.").into(),
            Phase::Search(round) => tr!("The search has already found the first bits of a step number (number of bits found: {known}). The attention score is largest for the past steps that wrote to the cell under the tape head and have a number that begins with these bits, followed by 1. If there is no such step, the null slot, which stands for no step, has the largest score, and the next bit is 0.", known = round),
            Phase::Fetch => tr!("If earlier steps wrote to the cell under the tape head, the search has found the last of these steps, and this block copies the symbol written in that step. Otherwise the block copies the symbol of the input, or the blank if the input has no symbol for this cell.").into(),
        }
    }

    /// What it computes.
    pub fn formula(self) -> String {
        match self {
            Phase::Apply => "st, sym2, mv ← S(st, sym1):  φ(st_z + sym1_a − 1) for each pair (z, a);  st_start also gets scr4[2], which is 1 in step 0 alone".into(),
            Phase::Move => "pos3_j ← φ(b_j + t_j) − 2φ(b_j + t_j − 1),  t_j = φ(mv_right + Σ_{k<j} b_k − j) + φ(mv_left − Σ_{k<j} b_k),  b = pos2".into(),
            Phase::Visited => "Q = [2pos3 − 1; 1],  K_t = [2pos2_t − 1; 0],  K_0 = [0 … 0; bits − 1],  V_t = 1 → scr4[0]".into(),
            Phase::Search(j) => format!(
                "Q = [2pos3 − 1; 2scr3[..{j}] − 1; 1; 1],  K_t = [2pos2_t − 1; 2pos1_t[..{}] − 1; 0],  K_0 = [0 … 0; bits + {j}],  V_t = 1 → scr3[{j}]",
                j + 1
            ),
            Phase::Fetch => "sym1_c ← φ(scr1_c) + φ(scr2_c − scr4[0]) + [c = blank] φ(1 − scr4[0] − scr4[1]),  pos2 ← pos3".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_blocks_as_bits_and_four() {
        for bits in [1, 4, 7, 14] {
            let all = Phase::all(bits);
            assert_eq!(all.len(), bits + 4);
            for of in [Phase::name, Phase::key, Phase::formula] {
                let mut names: Vec<String> = all.iter().map(|phase| of(*phase)).collect();
                names.sort_unstable();
                names.dedup();
                assert_eq!(names.len(), all.len());
            }
            assert!(all.iter().all(|phase| phase.about().ends_with('.')));
        }
        assert_eq!(Phase::Search(0).name(), "Search for bit 1");
        assert_eq!(Phase::Search(2).key(), "search.2");
    }
}
