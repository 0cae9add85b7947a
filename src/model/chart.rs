//! What can be shown of a run: the words of a chart, which links and switches need before anything is drawn.

mod all;

pub use all::{ACCURACY, ENDS, LOSS, MARGIN, SWEEP, THRESHOLD, TIMES, USUAL, WEIGHTS};

use vivarium_core::language::translated;

/// The shape of what a chart draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Curves over a common axis.
    Lines,
    /// A matrix of signed numbers, which wants height.
    Grid,
    /// One bar per category.
    Bars,
}

/// What is known about a chart before it is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChartInfo {
    /// Permanent name in links.
    pub slug: &'static str,
    /// Title in sentence case.
    pub name: &'static str,
    /// The same in one word, for a switch.
    pub word: &'static str,
    /// One sentence on what it shows.
    pub help: &'static str,
    /// Passage with the definition of what is drawn, and of its theory lines: author, year, section, figure or equation; empty
    /// where the chart is ours.
    pub passage: &'static str,
    /// Its shape.
    pub kind: Kind,
}

/// A chart of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Chart(&'static ChartInfo);

impl Chart {
    /// The chart with these words.
    pub const fn new(info: &'static ChartInfo) -> Self {
        Chart(info)
    }

    /// Permanent name in links.
    pub const fn slug(self) -> &'static str {
        self.0.slug
    }

    /// Its title in English, which is the key of its translations.
    pub const fn name(self) -> &'static str {
        self.0.name
    }

    /// Its words in the reader's language, and its shape.
    pub fn info(self) -> ChartInfo {
        let [name, word, help] = [self.0.name, self.0.word, self.0.help].map(translated);
        ChartInfo { name, word, help, ..*self.0 }
    }
}

/// Declares charts, one constant each, and the list of them: the doc comment's one sentence is also the tooltip. After the
/// shape the passage may follow that defines what is drawn.
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
                kind: $crate::chart::Kind::$kind,
            });)*
        $(#[$meta])*
        pub const $list: &[$crate::chart::Chart] = &[$($chart),*];
    };
}
