//! Charts of a run: slug, title and help text, which links and the list of charts need before anything is drawn.

mod all;

pub use all::{ACCURACY, DEFAULT_CHARTS, ENDS, LOSS, MARGIN, SWEEP, THRESHOLD, TIMES, WEIGHTS};

use vivarium_core::language::translated;

/// Kind of drawing that shows a chart's data: curves, a matrix or bars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChartKind {
    /// Curves over a common axis.
    Lines,
    /// A matrix of signed numbers, drawn with more height.
    Grid,
    /// One bar per category.
    Bars,
}

/// Slug, title, help text and kind of drawing of one of the charts about a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChartInfo {
    /// Permanent name of the chart in links and files.
    pub slug: &'static str,
    /// Title of the chart in sentence case.
    pub name: &'static str,
    /// Title in one word, for the button that shows or hides the chart.
    pub word: &'static str,
    /// Description in one sentence of the quantity that the chart shows.
    pub help: &'static str,
    /// Publication that defines the plotted quantity and its theoretical lines: author, year, section, figure or
    /// equation; empty where the chart is ours.
    pub passage: &'static str,
    /// Whether the chart shows curves, a matrix or bars.
    pub kind: ChartKind,
}

/// A chart of the catalogue: a reference to its slug, title and help.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Chart(&'static ChartInfo);

impl Chart {
    /// Creates the chart with this info.
    pub const fn new(info: &'static ChartInfo) -> Self {
        Chart(info)
    }

    /// Permanent name of the chart in links and files.
    pub const fn slug(self) -> &'static str {
        self.0.slug
    }

    /// Title of the chart in English, which is the key of its translations.
    pub const fn name(self) -> &'static str {
        self.0.name
    }

    /// Title, help and other texts of the chart in the language of the page.
    pub fn info(self) -> ChartInfo {
        let [name, word, help] = [self.0.name, self.0.word, self.0.help].map(translated);
        ChartInfo { name, word, help, ..*self.0 }
    }
}

/// Declares charts as constants, and a list of them: the doc comment's one sentence is also the tooltip. After the
/// shape, the publication that defines the plotted quantity may follow.
#[macro_export]
macro_rules! charts {
    ($(#[$meta:meta])* $list:ident; $($(#[doc = $help:literal])+ $chart:ident = $slug:literal, $name:literal, $word:literal, $kind:ident $(, $passage:literal)?;)*) => {
        $($(#[doc = $help])+
        pub const $chart: $crate::chart::Chart =
            $crate::chart::Chart::new(&$crate::chart::ChartInfo {
                slug: $slug,
                name: $crate::shown($name),
                word: $crate::shown($word),
                help: $crate::shown(concat!($($help),+).trim_ascii()),
                passage: $crate::shown(concat!("", $($passage)?)),
                kind: $crate::chart::ChartKind::$kind,
            });)*
        $(#[$meta])*
        pub const $list: &[$crate::chart::Chart] = &[$($chart),*];
    };
}
