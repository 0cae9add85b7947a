//! Other functions and other inputs: linear regression, the paper's mixtures, longer prompts, shifted inputs.

use super::explains;
use crate::presets::{Preset, PresetGroup};
use crate::tasks::in_context_learning::charts;

/// Functions and inputs.
const GROUP: PresetGroup = PresetGroup {
    slug: "learned-functions",
    name: "Other functions and inputs",
    charts: &[charts::EXPLAINED],
};

/// With the methods that see one prompt alone.
pub(super) const FUNCTIONS: &[Preset] = &[Preset {
    slug: "linear-meets-ridge",
    name: "Linear regression: the transformer meets ridge",
    group: &GROUP,
    link: "#v1/in-context-learning?class=linear&dim=3&const=no&points=11&s=1&noise=0.5&blocks=3",
    claim: "",
    source: "Garg, Tsipras, Liang and Valiant 2022, section 3",
    instance: "",
    expect: &[explains(4_000, (0.5, 1.0))],
    budget: 4_000,
    time: "",
}];
