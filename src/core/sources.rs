//! Publications that tasks, models and optimizers cite.
//!
//! The thesis comes first, chapter by chapter, then papers and programs in the order of their authors.

/// Publication that the page cites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// Short citation by author and year, such as "Edelman 2024".
    pub cite: &'static str,
    /// Title of the publication, and the section of it that the page refers to.
    pub title: &'static str,
    /// Web address of the publication.
    pub url: &'static str,
}

/// Edelman's thesis, chapter 5, on sparse parities. The address is the permanent link on the thesis's cover sheet.
pub const EDELMAN_2024: Source = Source {
    cite: "Edelman 2024, ch. 5",
    title: "Combinatorial Tasks as Model Systems of Deep Learning (PhD thesis, Harvard)",
    url: "https://nrs.harvard.edu/URN-3:HUL.INSTREPOS:37379085",
};
/// Edelman's thesis, chapter 4, on sparse Boolean functions.
pub const EDELMAN_2024_VARIABLES: Source = Source { cite: "Edelman 2024, ch. 4", ..EDELMAN_2024 };
/// Edelman's thesis, chapter 6, on data, width, time and luck.
pub const EDELMAN_2024_FRONTIER: Source = Source { cite: "Edelman 2024, ch. 6", ..EDELMAN_2024 };
/// Edelman's thesis, chapter 7, on groups.
pub const EDELMAN_2024_GROUPS: Source = Source { cite: "Edelman 2024, ch. 7", ..EDELMAN_2024 };
/// Edelman's thesis, chapter 8, on Markov chains in context.
pub const EDELMAN_2024_MARKOV: Source = Source { cite: "Edelman 2024, ch. 8", ..EDELMAN_2024 };
/// Paper on the leap complexity of a function, and how long SGD takes to learn it.
pub const ABBE_2023: Source = Source {
    cite: "Abbe et al. 2023",
    title: "SGD learning on neural networks: leap complexity and saddle-to-saddle dynamics",
    url: "https://arxiv.org/abs/2302.11055",
};
/// Sparse parities, the paper behind chapter 5 of Edelman's thesis.
pub const BARAK_2022: Source = Source {
    cite: "Barak et al. 2022",
    title: "Hidden Progress in Deep Learning: SGD Learns Parities Near the Computational Limit",
    url: "https://arxiv.org/abs/2207.08799",
};
/// Paper on layer-by-layer training of deep networks.
pub const BELILOVSKY_2019: Source = Source {
    cite: "Belilovsky et al. 2019",
    title: "Greedy Layerwise Learning Can Scale to ImageNet",
    url: "https://arxiv.org/abs/1812.11446",
};
/// Paper that introduces random forests.
pub const BREIMAN_2001: Source = Source {
    cite: "Breiman 2001",
    title: "Random Forests (Machine Learning 45)",
    url: "https://doi.org/10.1023/A:1010933404324",
};
/// Paper that introduces the optimizer Lion.
pub const CHEN_2023: Source = Source {
    cite: "Chen et al. 2023",
    title: "Symbolic Discovery of Optimization Algorithms",
    url: "https://arxiv.org/abs/2302.06675",
};
/// Paper that introduces the gated recurrent unit (GRU).
pub const CHO_2014: Source = Source {
    cite: "Cho et al. 2014",
    title: "Learning Phrase Representations using RNN Encoder-Decoder for Statistical Machine Translation",
    url: "https://arxiv.org/abs/1406.1078",
};
/// Markov chains in context, the paper behind chapter 8 of Edelman's thesis.
pub const EDELMAN_2024_HEADS: Source = Source {
    cite: "Edelman, E. et al. 2024",
    title: "The Evolution of Statistical Induction Heads: In-Context Learning Markov Chains",
    url: "https://arxiv.org/abs/2402.11004",
};
/// Sparse Boolean functions and attention, the paper behind chapter 4 of Edelman's thesis.
pub const EDELMAN_2022: Source = Source {
    cite: "Edelman, Goel et al. 2022",
    title: "Inductive Biases and Variable Creation in Self-Attention Mechanisms",
    url: "https://arxiv.org/abs/2110.10090",
};
/// Paper on transformers trained to learn functions from the examples of a prompt.
pub const GARG_2022: Source = Source {
    cite: "Garg et al. 2022",
    title: "What Can Transformers Learn In-Context? A Case Study of Simple Function Classes",
    url: "https://arxiv.org/abs/2208.01066",
};
/// Paper on why tabular data are hard for neural networks.
pub const GRINSZTAJN_2022: Source = Source {
    cite: "Grinsztajn et al. 2022",
    title: "Why do tree-based models still outperform deep learning on typical tabular data?",
    url: "https://arxiv.org/abs/2207.08815",
};
/// Paper on modular addition by a two-layer network with weights in closed form.
pub const GROMOV_2023: Source = Source {
    cite: "Gromov 2023",
    title: "Grokking modular arithmetic",
    url: "https://arxiv.org/abs/2301.02679",
};
/// Publication that introduces the optimizer Muon.
pub const JORDAN_2024: Source = Source {
    cite: "Jordan et al. 2024",
    title: "Muon: An optimizer for hidden layers in neural networks",
    url: "https://kellerjordan.github.io/posts/muon/",
};
/// Program for a small transformer, whose default settings Edelman, Goel et al. 2022 use.
pub const KARPATHY_2020: Source = Source {
    cite: "Karpathy 2020",
    title: "minGPT, a minimal PyTorch re-implementation of the OpenAI GPT",
    url: "https://github.com/karpathy/minGPT",
};
/// Paper that introduces the optimizer Adam.
pub const KINGMA_2015: Source = Source {
    cite: "Kingma and Ba 2015",
    title: "Adam: A Method for Stochastic Optimization",
    url: "https://arxiv.org/abs/1412.6980",
};
/// Paper that introduces the optimizer AdamW, Adam with decoupled weight decay.
pub const LOSHCHILOV_2019: Source = Source {
    cite: "Loshchilov and Hutter 2019",
    title: "Decoupled Weight Decay Regularization",
    url: "https://arxiv.org/abs/1711.05101",
};
/// Maximum margins on groups, the paper behind chapter 7 of Edelman's thesis.
pub const MORWANI_2023: Source = Source {
    cite: "Morwani et al. 2023",
    title: "Feature emergence via margin maximization: case studies in algebraic tasks",
    url: "https://arxiv.org/abs/2311.07568",
};
/// Paper on how attention, recurrent and feedforward networks learn to look tokens up.
pub const MOUSAVI_2025: Source = Source {
    cite: "Mousavi-Hosseini et al. 2025",
    title: "When Do Transformers Outperform Feedforward and Recurrent Networks? A Statistical Perspective",
    url: "https://arxiv.org/abs/2503.11272",
};
/// Paper on momentum, and Nesterov's momentum in the form that PyTorch uses.
pub const SUTSKEVER_2013: Source = Source {
    cite: "Sutskever et al. 2013",
    title: "On the importance of initialization and momentum in deep learning",
    url: "https://proceedings.mlr.press/v28/sutskever13.html",
};
/// Paper on recurrent convolutional networks that contain a learning algorithm.
pub const GOEL_2022: Source = Source {
    cite: "Goel et al. 2022",
    title: "Recurrent Convolutional Neural Networks Learn Succinct Learning Algorithms",
    url: "https://arxiv.org/abs/2209.00735",
};
/// Paper on circuits and Turing machines as networks that tolerate noise on their weights.
pub const WEI_2022: Source = Source {
    cite: "Wei et al. 2022",
    title: "Statistically Meaningful Approximation: a Case Study on Approximating Turing Machines with Transformers",
    url: "https://arxiv.org/abs/2107.13163",
};
/// Paper on gradient descent on a deep network, carried out inside a transformer.
pub const WU_2024: Source = Source {
    cite: "Wu et al. 2024",
    title: "Transformers are Deep Optimizers: Provable In-Context Learning for Deep Model Training",
    url: "https://arxiv.org/abs/2411.16549",
};
/// Paper on RASP, a language whose programs are layers of a transformer.
pub const WEISS_2021: Source = Source {
    cite: "Weiss, Goldberg and Yahav 2021",
    title: "Thinking Like Transformers",
    url: "https://arxiv.org/abs/2106.06981",
};
/// Paper on Tracr, a compiler from RASP programs to transformer weights.
pub const LINDNER_2023: Source = Source {
    cite: "Lindner et al. 2023",
    title: "Tracr: Compiled Transformers as a Laboratory for Interpretability",
    url: "https://arxiv.org/abs/2301.05062",
};
/// Paper that explains grokking by the weights of the network.
pub const NANDA_2023: Source = Source {
    cite: "Nanda et al. 2023",
    title: "Progress measures for grokking via mechanistic interpretability",
    url: "https://arxiv.org/abs/2301.05217",
};
/// Paper on induction heads, attention heads that continue repeated sequences.
pub const OLSSON_2022: Source = Source {
    cite: "Olsson et al. 2022",
    title: "In-context Learning and Induction Heads",
    url: "https://arxiv.org/abs/2209.11895",
};
/// Interactive article on grokking, with its notebooks.
pub const PEARCE_2023: Source = Source {
    cite: "Pearce et al. 2023",
    title: "Do Machine Learning Models Memorize or Generalize?",
    url: "https://pair.withgoogle.com/explorables/grokking/",
};
/// Paper with the first observation of grokking: generalisation long after the training set is learned.
pub const POWER_2022: Source = Source {
    cite: "Power et al. 2022",
    title: "Grokking: Generalization Beyond Overfitting on Small Algorithmic Datasets",
    url: "https://arxiv.org/abs/2201.02177",
};
/// Paper that introduces relative position encodings in transformers.
pub const SHAW_2018: Source = Source {
    cite: "Shaw et al. 2018",
    title: "Self-Attention with Relative Position Representations",
    url: "https://arxiv.org/abs/1803.02155",
};
/// Paper that introduces the transformer.
pub const VASWANI_2017: Source = Source {
    cite: "Vaswani et al. 2017",
    title: "Attention Is All You Need",
    url: "https://arxiv.org/abs/1706.03762",
};
