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

/// Functions and tables of the page's second wasm program, which is loaded after the first view. The first program
/// calls the second only through this table.
#[derive(Clone, Copy)]
pub struct LazyModule {
    /// For all labs, the functions of [`LazyLab`](vivarium_view::display::LazyLab), and the functions that draw the
    /// labs' charts.
    labs: LazyLabs,
    /// Builds the quadratic network of largest normalised margin on the multiplication table of a group; none for
    /// groups for which this network is not known.
    #[cfg_attr(not(feature = "ui"), expect(dead_code, reason = "elsewhere it is called directly"))]
    pub(crate) largest_network: fn(&Group) -> Option<QuadraticNetwork>,
}

/// All functions and tables of the page's second wasm program. A program that refers to this constant contains the code
/// behind it.
pub const LAZY_MODULE: LazyModule =
    LazyModule { labs: LazyLabs { all: LAZY_LABS, drawings: DRAWINGS }, largest_network: group_net::largest };

/// Functions and tables of the page's second wasm program as seen by the first one; unset until the page has loaded the
/// second program.
#[cfg(feature = "ui")]
static INSTALLED_MODULE: std::sync::OnceLock<LazyModule> = std::sync::OnceLock::new();

/// The functions and tables of the page's second wasm program; none until the page has loaded that program.
#[cfg(feature = "ui")]
pub fn lazy_module() -> Option<&'static LazyModule> {
    INSTALLED_MODULE.get()
}

/// The functions and tables that on the page belong to the second wasm program; programs without the page (feature
/// `ui`) always contain them.
#[cfg(not(feature = "ui"))]
pub fn lazy_module() -> Option<&'static LazyModule> {
    Some(&LAZY_MODULE)
}

/// Makes the functions of the second wasm program available; the page calls this once, when that program has loaded.
#[cfg(feature = "ui")]
pub fn install(lazy_module: LazyModule) {
    group_net::provide(lazy_module.largest_network);
    // The second program is loaded once.
    let _ = INSTALLED_MODULE.set(lazy_module);
}

/// The [`LazyLab`](vivarium_view::display::LazyLab) implementations and chart drawing functions of all labs; none until
/// the page's second wasm program has been loaded.
pub(super) fn lazy_labs() -> Option<LazyLabs> {
    lazy_module().map(|module| module.labs)
}
