//! Catalogs: an enum with one variant per entry, and a table that names them all.
//!
//! # Why
//! A new task, model or optimizer should be one file and one line. [`catalog!`](crate::catalog!) writes the enum, the
//! look-up by slug and the forwarding of settings, so that forms, permalinks, README rows and tests
//! walk the table instead of naming entries. Dispatch is by enum, not by trait object, because entries
//! are compared, cloned and put in links.

use crate::settings::Knob;

/// What is known about an entry before it is used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Info {
    /// Permanent name in links and file names.
    pub slug: &'static str,
    /// The field's term, in sentence case.
    pub name: &'static str,
    /// One sentence on what it is.
    pub about: &'static str,
    /// Where it comes from.
    pub sources: &'static [Source],
}

/// A publication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// "Edelman 2024".
    pub cite: &'static str,
    /// Title of the work and the part of it that is meant.
    pub title: &'static str,
    /// Where to read it.
    pub url: &'static str,
}

/// An entry of a catalog with its knobs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    /// The entry's words.
    pub info: Info,
    /// Its knobs, in the order of the form.
    pub knobs: &'static [Knob],
}

/// Thesis that the first labs reproduce.
pub const EDELMAN_2024: Source = Source {
    cite: "Edelman 2024, ch. 5",
    title: "Combinatorial Tasks as Model Systems of Deep Learning (PhD thesis, Harvard)",
    url: "https://dash.harvard.edu/",
};
/// The thesis on what attention learns from few samples.
pub const EDELMAN_2024_VARIABLES: Source = Source { cite: "Edelman 2024, ch. 4", ..EDELMAN_2024 };
/// The paper behind the thesis's chapter 4.
pub const EDELMAN_2022: Source = Source {
    cite: "Edelman, Goel et al. 2022",
    title: "Inductive Biases and Variable Creation in Self-Attention Mechanisms",
    url: "https://arxiv.org/abs/2110.10090",
};
/// The small transformer whose defaults that paper takes.
pub const KARPATHY_2020: Source = Source {
    cite: "Karpathy 2020",
    title: "minGPT, a minimal PyTorch re-implementation of the OpenAI GPT",
    url: "https://github.com/karpathy/minGPT",
};
/// The thesis on data, width, time and luck.
pub const EDELMAN_2024_FRONTIER: Source = Source { cite: "Edelman 2024, ch. 6", ..EDELMAN_2024 };
/// What makes tables hard for networks.
pub const GRINSZTAJN_2022: Source = Source {
    cite: "Grinsztajn et al. 2022",
    title: "Why do tree-based models still outperform deep learning on typical tabular data?",
    url: "https://arxiv.org/abs/2207.08815",
};
/// Random forests.
pub const BREIMAN_2001: Source = Source {
    cite: "Breiman 2001",
    title: "Random Forests (Machine Learning 45)",
    url: "https://doi.org/10.1023/A:1010933404324",
};
/// The paper behind the thesis's chapter 5.
pub const BARAK_2022: Source = Source {
    cite: "Barak et al. 2022",
    title: "Hidden Progress in Deep Learning: SGD Learns Parities Near the Computational Limit",
    url: "https://arxiv.org/abs/2207.08799",
};
/// The thesis on groups.
pub const EDELMAN_2024_GROUPS: Source = Source { cite: "Edelman 2024, ch. 7", ..EDELMAN_2024 };
/// The paper behind the thesis's chapter 7.
pub const MORWANI_2023: Source = Source {
    cite: "Morwani et al. 2023",
    title: "Feature emergence via margin maximization: case studies in algebraic tasks",
    url: "https://arxiv.org/abs/2311.07568",
};
/// Grokking.
pub const POWER_2022: Source = Source {
    cite: "Power et al. 2022",
    title: "Grokking: Generalization Beyond Overfitting on Small Algorithmic Datasets",
    url: "https://arxiv.org/abs/2201.02177",
};
/// Grokking, looked into.
pub const NANDA_2023: Source = Source {
    cite: "Nanda et al. 2023",
    title: "Progress measures for grokking via mechanistic interpretability",
    url: "https://arxiv.org/abs/2301.05217",
};
/// The thesis on Markov chains in context.
pub const EDELMAN_2024_MARKOV: Source = Source { cite: "Edelman 2024, ch. 8", ..EDELMAN_2024 };
/// The paper behind the thesis's chapter 8.
pub const EDELMAN_2024_HEADS: Source = Source {
    cite: "Edelman, E. et al. 2024",
    title: "The Evolution of Statistical Induction Heads: In-Context Learning Markov Chains",
    url: "https://arxiv.org/abs/2402.11004",
};
/// Relative positions.
pub const SHAW_2018: Source = Source {
    cite: "Shaw et al. 2018",
    title: "Self-Attention with Relative Position Representations",
    url: "https://arxiv.org/abs/1803.02155",
};
/// Induction heads.
pub const OLSSON_2022: Source = Source {
    cite: "Olsson et al. 2022",
    title: "In-context Learning and Induction Heads",
    url: "https://arxiv.org/abs/2209.11895",
};
/// Training of one layer after the other.
pub const BELILOVSKY_2019: Source = Source {
    cite: "Belilovsky et al. 2019",
    title: "Greedy Layerwise Learning Can Scale to ImageNet",
    url: "https://arxiv.org/abs/1812.11446",
};
/// The transformer.
pub const VASWANI_2017: Source = Source {
    cite: "Vaswani et al. 2017",
    title: "Attention Is All You Need",
    url: "https://arxiv.org/abs/1706.03762",
};
/// Grokking shown interactively, with the notebooks behind it.
pub const PEARCE_2023: Source = Source {
    cite: "Pearce et al. 2023",
    title: "Do Machine Learning Models Memorize or Generalize?",
    url: "https://pair.withgoogle.com/explorables/grokking/",
};
/// Modular addition in two layers, solved by hand.
pub const GROMOV_2023: Source = Source {
    cite: "Gromov 2023",
    title: "Grokking modular arithmetic",
    url: "https://arxiv.org/abs/2301.02679",
};
/// Adam.
pub const KINGMA_2015: Source = Source {
    cite: "Kingma and Ba 2015",
    title: "Adam: A Method for Stochastic Optimization",
    url: "https://arxiv.org/abs/1412.6980",
};
/// AdamW.
pub const LOSHCHILOV_2019: Source = Source {
    cite: "Loshchilov and Hutter 2019",
    title: "Decoupled Weight Decay Regularization",
    url: "https://arxiv.org/abs/1711.05101",
};

/// Writes a catalog's enum. Each line is `module::Variant`, for a type with an associated constant `INFO: Info` and
/// [`crate::settings::Settings`], which is taken into the scope of the catalog. The functions behind the enum give an
/// entry as what all entries are:
///
/// ```ignore
/// catalog! {
///     /// Every task, with its settings.
///     pub enum Task {
///         /// Parity of a few hidden bits.
///         sparse_parity::SparseParity,
///     }
///     /// The task's sampler.
///     pub fn sampler(&self) -> &dyn Sampler;
/// }
/// ```
#[macro_export]
macro_rules! catalog {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $($(#[$vmeta:meta])* $module:ident::$entry:ident),+ $(,)? }
        $($forwarded:tt)*
    ) => {
        $(pub use $module::$entry;)+
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        pub enum $name { $($(#[$vmeta])* $entry($entry)),+ }
        impl Default for $name {
            /// The first entry with its defaults.
            fn default() -> Self {
                $crate::catalog!(@first $name $($entry)+)
            }
        }
        impl $name {
            /// Every entry, in the order of the menu.
            pub const ENTRIES: &'static [$crate::catalog::Entry] = &[$($crate::catalog::Entry {
                info: $entry::INFO,
                knobs: <$entry as $crate::settings::Settings>::KNOBS,
            }),+];
            /// The entry of that slug, with its defaults.
            pub fn from_slug(slug: &str) -> Option<Self> {
                $(if slug == $entry::INFO.slug { return Some($name::$entry(Default::default())) })+
                None
            }
            /// The entry's words.
            pub fn info(&self) -> &'static $crate::catalog::Info {
                match self { $($name::$entry(_) => const { &$entry::INFO }),+ }
            }
            /// The entry's knobs.
            pub fn knobs(&self) -> &'static [$crate::settings::Knob] {
                match self { $($name::$entry(_) => <$entry as $crate::settings::Settings>::KNOBS),+ }
            }
            /// The value behind `key`, if it is one of this entry's.
            pub fn value(&self, key: &str) -> Option<$crate::settings::Value> {
                match self { $($name::$entry(s) => $crate::settings::Settings::value(s, key)),+ }
            }
            /// Sets the value behind `key`; `false` if the key is not of this entry.
            ///
            /// # Errors
            /// When the value is of the wrong kind or out of range.
            pub fn set(&mut self, key: &str, value: &$crate::settings::Value) -> Result<bool, $crate::settings::Problem> {
                match self { $($name::$entry(s) => $crate::settings::Settings::set(s, key, value)),+ }
            }
        }
        $crate::catalog!(@forward $name { $($entry)+ } $($forwarded)*);
    };
    (@first $name:ident $entry:ident $($others:ident)*) => { $name::$entry($entry::default()) };
    (@forward $name:ident $entries:tt) => {};
    (
        @forward $name:ident { $($entry:ident)+ }
        $(#[$meta:meta])* pub fn $get:ident(&self) -> &dyn $trait:path;
        $($rest:tt)*
    ) => {
        impl $name {
            $(#[$meta])*
            pub fn $get(&self) -> &dyn $trait {
                match self { $($name::$entry(entry) => entry),+ }
            }
        }
        $crate::catalog!(@forward $name { $($entry)+ } $($rest)*);
    };
    (
        @forward $name:ident { $($entry:ident)+ }
        $(#[$meta:meta])* pub fn $get:ident(&mut self) -> &mut dyn $trait:path;
        $($rest:tt)*
    ) => {
        impl $name {
            $(#[$meta])*
            pub fn $get(&mut self) -> &mut dyn $trait {
                match self { $($name::$entry(entry) => entry),+ }
            }
        }
        $crate::catalog!(@forward $name { $($entry)+ } $($rest)*);
    };
}
