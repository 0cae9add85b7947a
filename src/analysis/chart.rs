//! The catalogue of charts: what can be shown of a run, in the order in which page and link have it.

use crate::choices;
use crate::language::translated;
use crate::tasks::Form;

/// The shape of what a chart draws, which is its [`Reading`](super::Reading)'s.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Curves over a common axis.
    Lines,
    /// A matrix of signed numbers, which wants height.
    Grid,
    /// One bar per category.
    Bars,
}

/// What is known about a chart before it is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About {
    /// Permanent name in links.
    pub slug: &'static str,
    /// Title in sentence case.
    pub name: &'static str,
    /// The same in one word, for a switch.
    pub word: &'static str,
    /// One sentence on what it shows.
    pub help: &'static str,
    /// Its shape.
    pub kind: Kind,
}

/// Writes the catalogue: the doc comment's one sentence is also the tooltip.
macro_rules! charts {
    ($($(#[doc = $help:literal])+ $chart:ident = $slug:literal, $name:literal, $word:literal, $kind:ident;)+) => {
        choices! {
            /// What can be shown of a run.
            pub enum Chart { $($(#[doc = $help])+ $chart = $slug, $name;)+ }
        }
        impl Chart {
            /// Its words and its shape.
            pub fn info(self) -> About {
                let about = match self {
                    $(Chart::$chart => const { &About {
                        slug: $slug,
                        name: $name,
                        word: $word,
                        help: concat!($($help),+).trim_ascii(),
                        kind: Kind::$kind,
                    } }),+
                };
                let [name, word, help] = [about.name, about.word, about.help].map(translated);
                About { name, word, help, ..*about }
            }
        }
    };
}

charts! {
    /// Mean of the loss ℓ(y, f(x)) over the examples, on those of the training and on held-out ones.
    Loss = "loss", "Loss", "Loss", Lines;
    /// Share of the examples with y·f(x) > 0; on a logarithmic axis the error, 1 − accuracy, as papers plot it.
    Accuracy = "accuracy", "Accuracy", "Accuracy", Lines;
    /// Weight W of every neuron on every input bit in the first network, relevant bits pointed at; of a transformer, its positions.
    Weights = "weights", "First-layer weights W", "Weights", Grid;
    /// How far the first layer has moved: the largest |w_t − w_0| on relevant bits and on the others.
    Movement = "movement", "Weight movement", "Movement", Lines;
    /// Each weight of one neuron over the steps, those on relevant bits in colour.
    Paths = "paths", "Path of every weight", "Paths", Lines;
    /// Γ of the population gradient: its largest entry on a relevant bit minus the largest on another.
    Gap = "gap", "Fourier gap Γ", "Gap Γ", Lines;
    /// Share of the output's squared norm on parities of each degree, over all 2^n inputs.
    Spectrum = "spectrum", "Fourier weight by degree", "Spectrum", Bars;
    /// Mean attention of the transformer's \[CLS\] token on every input bit, over its heads.
    Attention = "attention", "Attention of [CLS]", "Attention", Bars;
    /// Embeddings u of the neurons of largest norm in a network of powers, relevant bits pointed at.
    Strongest = "strongest", "Neurons of largest norm", "Strongest", Grid;
    /// Norms of the strongest neurons of a layer whose rows began with a few ones, and how many relevant bits each of those rows held.
    Luck = "luck", "Strongest neurons and their luck", "Luck", Bars;
    /// When the replicas reached the target, beside the law of guessing a new set at every step.
    Times = "times", "Convergence times", "Times", Lines;
    /// Median time to the target against the setting that the sweep goes through, with the fitted power.
    Sweep = "sweep", "Median convergence time", "Sweep", Lines;
    /// Least margin over the training examples, divided by the norm that the penalty takes; 1 is the largest possible.
    Margin = "margin", "Normalised margin", "Margin", Lines;
    /// Share of every live neuron's squared norm in each frequency or irrep, neurons of one kind side by side.
    Neurons = "neurons", "What each neuron is made of", "Neurons", Grid;
    /// Largest share of one frequency or irrep in the embedding u, over all live neurons, at the start and now.
    Purity = "purity", "Largest normalised power", "Purity", Lines;
    /// How many live neurons belong to each frequency or irrep.
    Counts = "counts", "Neurons of each kind", "Counts", Bars;
    /// Share of each frequency or irrep in the sum of the neurons' norms, with what theory predicts at this λ.
    Mass = "mass", "Norm of each kind", "Mass", Bars;
    /// Phases of u and v of every live neuron; opposite edges are the same place.
    Phases = "phases", "Phases of u and v", "Phases", Lines;
    /// How far the phases of u, v and w are from adding up, over all live neurons.
    Residual = "residual", "Phase residual θu + θv − θw", "Residual", Lines;
    /// First-layer weights of one neuron over the elements, with the smooth curve of the same Fourier coefficients.
    Curve = "curve", "Embedding of one neuron", "Curve", Lines;
    /// Power of one neuron's embedding in each frequency or irrep.
    Wave = "wave", "Spectrum of one neuron", "Wave", Bars;
    /// Outputs for some pairs less that of the right answer; at the largest margin all wrong ones are alike.
    Outputs = "outputs", "Outputs less the right one", "Outputs", Grid;
    /// Live neurons by the largest subgroup on whose cosets u is constant: another reading of the same weights.
    Cosets = "cosets", "Neurons that read cosets", "Cosets", Bars;
    /// Characters of the group's irreducible real representations by conjugacy class, computed from its table.
    Characters = "characters", "Character table", "Table", Grid;
    /// Loss with the key frequencies alone and without them, beside those of training and held-out pairs.
    Progress = "progress", "Restricted and excluded loss", "Progress", Lines;
    /// How unevenly the embedding's squared norm lies on the frequencies: Gini coefficient and participation ratio.
    Sparsity = "sparsity", "Sparsity of the embedding", "Sparsity", Lines;
    /// Share of the outputs' variance in the waves of each frequency, key frequencies pointed at.
    Keys = "keys", "Key frequencies", "Keys", Bars;
    /// KL of the truth to the network at the last symbol, with what each strategy reaches and which one is nearest.
    Truth = "kl", "KL to the truth", "KL", Lines;
    /// KL of each strategy's prediction to the network's: which of them the network follows.
    Strategies = "strategies", "KL to the strategies", "Follows", Lines;
    /// Attention on the symbol before, and of the last symbol on those that follow its earlier copies.
    Scores = "scores", "Previous-token and induction score", "Scores", Lines;
    /// Attention of one head on the chosen sequence: each row is a symbol that looks back.
    Map = "map", "Attention map", "Map", Grid;
    /// Weight of each distance in the first layer, averaged over symbols, now and earlier; 1 is even.
    Distances = "distances", "Effective positional weights", "Distances", Lines;
    /// KL to the truth without each head, beside that of the whole network.
    Ablation = "ablation", "Loss without each head", "Without", Bars;
    /// KL to the truth on chains of each law, of which training may have seen one only.
    Others = "others", "Other chains", "Others", Lines;
    /// Matrix W of the minimal model: how the current symbol weighs an earlier one.
    Kernel = "kernel", "Matrix W", "W", Grid;
    /// Vector v of the minimal model over distances; odd ones rise before the loss falls.
    Lags = "lags", "Vector v", "v", Bars;
    /// What the network, each strategy and the truth expect next on the chosen sequence.
    Next = "next", "Next symbol", "Next", Grid;
    /// W and v of the minimal model as two exact gradient steps make them, by theory.
    Theory = "theory", "Theory of two steps", "Theory", Lines;
    /// Attention of \[CLS\] on every input bit, a dot for each held-out example: of one head, or of all on average.
    Looks = "looks", "Attention, example by example", "Looks", Lines;
    /// Least value of a swept setting with which 80 % of the trials succeed, against the second setting of the sweep.
    Threshold = "enough", "How many are enough", "Enough", Lines;
    /// Share of held-out examples that networks got wrong at the end of each run of a sweep: medians with quartiles.
    Ends = "ends", "Held-out error at the end", "Error", Lines;
}

impl Chart {
    /// What examples are to the networks that the chart is about; none if it is about all.
    pub fn form(self) -> Option<Form> {
        use Chart::*;
        match self {
            Loss | Accuracy | Weights | Times | Sweep | Margin | Threshold | Ends => None,
            Movement | Paths | Gap | Spectrum | Attention | Strongest | Luck | Looks => Some(Form::Bits),
            Truth | Strategies | Scores | Map | Distances | Ablation | Others | Kernel | Lags | Next
            | Theory => Some(Form::Sequence),
            _ => Some(Form::Pair),
        }
    }
}

/// What is shown where a link does not say it.
pub const USUAL: [Chart; 3] = [Chart::Loss, Chart::Accuracy, Chart::Weights];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chart_has_its_words_once() {
        for (i, chart) in Chart::ALL.iter().enumerate() {
            let About { slug, name, word, help, .. } = chart.info();
            assert!(word.chars().count() <= 9, "{word}");
            assert_eq!((slug, name), (chart.slug(), Chart::OPTIONS[i].label));
            assert!(Chart::ALL[..i].iter().all(|other| other.slug() != slug), "{slug}");
            assert!(slug.chars().all(|c| c.is_ascii_lowercase()), "{slug}");
            assert!(help.ends_with('.') && !help.contains("  ") && help.len() > 30, "{slug}: {help}");
            assert!(!help.contains('!') && help.chars().count() <= 160, "{slug}: {help}");
        }
        assert!(USUAL.iter().map(|c| *c as usize).is_sorted());
    }
}
