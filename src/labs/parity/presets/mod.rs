//! Presets on sparse parities: chapters 5 and 6 of the thesis (Edelman 2024) and section 7.5.

mod data;
mod depth;
pub mod experiments;
mod frontier;
mod margins;
mod networks;
mod progress;
mod search;
mod start;

use vivarium_view::presets::Preset;

/// Every preset of the lab on sparse parities, in the order of the menu; the inner lists are its groups.
pub const PRESETS: &[&[Preset]] = &[
    start::PRESETS,
    networks::PRESETS,
    progress::PRESETS,
    progress::each_network::PRESETS,
    search::PRESETS,
    data::PRESETS,
    frontier::PRESETS,
    depth::PRESETS,
    margins::PRESETS,
];
