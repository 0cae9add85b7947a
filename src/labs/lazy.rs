//! What the page's second program brings of the labs, behind one table.
//!
//! # Why
//! Irreducible representations, theory and what looks into a transformer are a tenth of the page's code, and no use to
//! the first view. The second program brings them, so nothing in the first one may name them but through this table;
//! until it is there, these labs have their curves and a sentence in place of the rest.

use super::{DRAWINGS, LAZY_LABS};
use vivarium_model::models::group_net;
use vivarium_science::groups::Group;
use vivarium_science::groups::theory::QuadraticNetwork;
use vivarium_view::display::LazyLabs;

/// The functions.
#[derive(Clone, Copy)]
pub struct LazyModule {
    labs: LazyLabs,
    #[cfg_attr(not(feature = "ui"), expect(dead_code, reason = "elsewhere it is called directly"))]
    pub(crate) largest_network: fn(&Group) -> Option<QuadraticNetwork>,
}

/// All of them.
pub const LAZY_MODULE: LazyModule =
    LazyModule { labs: LazyLabs { all: LAZY_LABS, drawings: DRAWINGS }, largest_network: group_net::largest };

#[cfg(feature = "ui")]
static ARRIVED: std::sync::OnceLock<LazyModule> = std::sync::OnceLock::new();

/// The functions, where they are there: on the page, from the arrival of its second program on.
#[cfg(feature = "ui")]
pub fn lazy_module() -> Option<&'static LazyModule> {
    ARRIVED.get()
}

/// The functions, where they are there.
#[cfg(not(feature = "ui"))]
pub fn lazy_module() -> Option<&'static LazyModule> {
    Some(&LAZY_MODULE)
}

/// The second program is there.
#[cfg(feature = "ui")]
pub fn install(lazy_module: LazyModule) {
    group_net::provide(lazy_module.largest_network);
    // It comes once.
    let _ = ARRIVED.set(lazy_module);
}

/// What it brings of the labs.
pub(super) fn lazy_labs() -> Option<LazyLabs> {
    lazy_module().map(|module| module.labs)
}
