//! Grokking: training on a part of the pairs only (Power et al. 2022, Nanda et al. 2023).

use super::Preset;

pub(super) const PRESETS: &[Preset] = &[];
