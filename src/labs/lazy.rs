//! The part of the labs that the page loads later, in its second wasm program, behind one table of functions.
//!
//! # Why
//! Irreducible representations, theory and the analysis of transformers are a tenth of the page's code, and the first
//! view does not need them. The second program contains them, so the first one may call them only through this table.
//! Until it has loaded, these labs show their curves and a sentence in place of the rest.

use super::{DRAWINGS, LAZY_LABS};
use vivarium_model::models::group_net;
use vivarium_science::groups::Group;
use vivarium_science::groups::theory::QuadraticNetwork;
use vivarium_view::display::LazyLabs;

/// Functions and tables of the page's second wasm program, through which the first program calls it.
#[derive(Clone, Copy)]
pub struct LazyModule {
    /// The [`LazyLab`](vivarium_view::display::LazyLab) implementations of all labs, and the functions that draw their
    /// charts.
    labs: LazyLabs,
    /// Builds the network with the largest margin on a group; none where it is not known.
    #[cfg_attr(not(feature = "ui"), expect(dead_code, reason = "elsewhere it is called directly"))]
    pub(crate) largest_network: fn(&Group) -> Option<QuadraticNetwork>,
}

/// The table for the second program. A reference to it links all code of the lazy labs.
pub const LAZY_MODULE: LazyModule =
    LazyModule { labs: LazyLabs { all: LAZY_LABS, drawings: DRAWINGS }, largest_network: group_net::largest };

/// The table, once the second program has been loaded.
#[cfg(feature = "ui")]
static INSTALLED_MODULE: std::sync::OnceLock<LazyModule> = std::sync::OnceLock::new();

/// The table of functions; none until the page has loaded its second program.
#[cfg(feature = "ui")]
pub fn lazy_module() -> Option<&'static LazyModule> {
    INSTALLED_MODULE.get()
}

/// The table of functions; without a page it is always there.
#[cfg(not(feature = "ui"))]
pub fn lazy_module() -> Option<&'static LazyModule> {
    Some(&LAZY_MODULE)
}

/// Stores the table of the second program, which the page calls once when that program has loaded.
#[cfg(feature = "ui")]
pub fn install(lazy_module: LazyModule) {
    group_net::provide(lazy_module.largest_network);
    // The second program is loaded once.
    let _ = INSTALLED_MODULE.set(lazy_module);
}

/// The [`LazyLab`](vivarium_view::display::LazyLab) implementations of all labs; none until the second program has been
/// loaded.
pub(super) fn lazy_labs() -> Option<LazyLabs> {
    lazy_module().map(|module| module.labs)
}
