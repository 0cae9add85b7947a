//! The labs: each is a folder that holds everything that only this lab knows, and one line in [`LABS`].
//!
//! ```text
//! src/labs/<lab>/
//!     mod.rs       the lab's type: its words, and what it is made of ([`Parts`])
//!     charts.rs    one [`ChartSpec`] a chart: when it applies, what it draws and what is said of it
//!     probes.rs    one [`ProbeSpec`] a probe: when it applies, and a job that is polled
//!     presets.rs   named runs, each with a claim that a test checks
//!     stories/     tours that use them, in Markdown
//!     panel/       the plain data of its panels, which `src/panels/<lab>/` draws
//! ```
//!
//! # Why
//! Code outside this folder asks the lab of a run ([`RunView::lab`](vivarium_view::display::RunView::lab)) and never which lab it
//! is, so a new lab changes no shared file but this table. A lab has two halves, because the page's program has two:
//! [`Lab`](vivarium_view::display::Lab) is what the first view needs, words and numbers; [`LazyLab`] is what the second program
//! brings ([`mod@lazy`]).

#[macro_use]
extern crate vivarium_core;

pub mod advice;
pub mod answers;
#[cfg(test)]
pub mod asked;
pub mod lazy;
pub mod story;
#[cfg(test)]
mod story_claims;
pub mod story_notes;

use std::sync::OnceLock;

use story::About;
use vivarium_model::permalink::Link;
use vivarium_model::protocol::{Finding, ProbeId};
use vivarium_model::run::RunSpec;
use vivarium_model::sweep::Cell;
use vivarium_view::display::charts::{ChartRules, ChartSpec, Drawing, LATER, drawings, rules};
use vivarium_view::display::{Labs, LazyLab};
use vivarium_view::presets::{Preset, QUICK};
use vivarium_view::probing::{ProbeJob, ProbeSpec, Probed};

/// What a lab is made of, besides what it says of a run ([`Lab`](vivarium_view::display::Lab), [`LazyLab`]).
pub trait Parts {
    /// Its presets, in the order of the menu.
    const PRESETS: &[&[Preset]];
    /// Its stories, in the order of the list.
    const STORIES: &[About] = &[];
    /// Its charts.
    const CHARTS: &[ChartSpec] = &[];
    /// Its probes.
    const PROBES: &[ProbeSpec] = &[];
}

/// Declares the labs' modules and writes the tables of labs.
macro_rules! labs {
    ($($module:ident::$lab:ident),+ $(,)?) => {
        $(pub mod $module;)+

        /// Every lab, in the order of the menu.
        pub static LABS: Labs = Labs { all: &[$(&$module::$lab),+], charts: RULES, lazy: lazy::lazy_labs };

        /// The second halves of the labs, in the same order.
        static LAZY_LABS: &[&dyn LazyLab] = &[$(&$module::$lab),+];

        /// When their charts apply.
        static RULES: &[&[ChartRules]] =
            &[$(&rules::<{ <$module::$lab as Parts>::CHARTS.len() }>(<$module::$lab as Parts>::CHARTS)),+];

        /// What their charts draw.
        static DRAWINGS: &[&[Drawing]] = &[
            &drawings::<{ LATER.len() }>(LATER),
            $(&drawings::<{ <$module::$lab as Parts>::CHARTS.len() }>(<$module::$lab as Parts>::CHARTS)),+
        ];

        /// The presets of every lab, in the order of the menu.
        const PARTS: &[&[&[Preset]]] = &[$(<$module::$lab as Parts>::PRESETS),+];

        /// The stories of every lab, in the order of the list.
        static STORIES: &[&[About]] = &[$(<$module::$lab as Parts>::STORIES),+];

        /// The probes of every lab.
        static PROBES: &[&[ProbeSpec]] = &[$(<$module::$lab as Parts>::PROBES),+];
    };
}

labs! {
    parity::ParityLab,
    groups::GroupsLab,
    markov::MarkovLab,
    boolean::BooleanLab,
    tables::TablesLab,
    perceptron::PerceptronLab,
    lookup::LookupLab,
    descent::DescentLab,
    in_context::InContextLab,
    machines::MachinesLab,
    circuits::CircuitsLab,
    traces::TracesLab,
    succinct::SuccinctLab,
}

/// The second half of a run's lab; the first lab's where there is none, which no catalog allows.
pub fn lazy(spec: &RunSpec) -> &'static dyn LazyLab {
    LAZY_LABS[LABS.place(spec).unwrap_or(0)]
}

/// The link of a run on the data file that is kept under this number, opened while the page shows `shown`; none where no
/// lab learns from files.
pub fn of_file(number: u64, shown: &Link) -> Option<Link> {
    LAZY_LABS.iter().find_map(|lab| lab.of_file(number, shown))
}

/// What theory says of a map of runs.
pub fn note_on_map(cells: &[Cell]) -> Option<String> {
    lazy(&cells.first()?.spec).note_on_map(cells)
}

/// Whether the resources of a run are below the lower bound of its lab for a success rate of one half.
pub fn is_forbidden(spec: &RunSpec) -> bool {
    lazy(spec).success_at_most(spec).is_some_and(|most| most < 0.5)
}

/// A probe by its name.
pub fn probe(id: &ProbeId) -> Option<&'static ProbeSpec> {
    PROBES.iter().copied().flatten().chain([&answers::SPEC]).find(|spec| spec.probe.id() == *id)
}

/// The probe of that name of a network, with these parameters of its first replica after `step` steps; none where it
/// does not apply.
pub fn probe_job(id: &ProbeId, spec: &RunSpec, step: u64, weights: Vec<Vec<f32>>) -> Option<ProbeJob> {
    ProbeJob::new(probe(id)?, Probed { spec: spec.clone(), step, weights })
}

/// What that probe finds, however long it takes.
pub fn measured(id: &ProbeId, spec: &RunSpec, step: u64, weights: Vec<Vec<f32>>) -> Option<Finding> {
    probe_job(id, spec, step, weights)?.advance(f64::INFINITY)
}

/// Why these settings cannot learn, or can hardly, each reason as a sentence; nothing for most settings.
///
/// ```
/// use vivarium_labs::cannot_learn;
/// use vivarium_model::permalink::decode;
/// let advice = |link: &str| cannot_learn(&decode(link).0.spec);
/// assert!(advice("#v1/sparse-parity?k=3").is_empty());
/// assert!(advice("#v1/sparse-parity?k=3&model=polynet&degree=2")[0].contains("a polynomial of degree 2"));
/// ```
pub fn cannot_learn(spec: &RunSpec) -> Vec<String> {
    lazy(spec).cannot_learn(spec)
}

/// Every preset, in the order of the menu; the first is what the page opens with.
pub const PRESETS: &[Preset] = &ALL;

static ALL: [Preset; count(PARTS)] = joined(PARTS);

/// How many presets there are in all parts together.
const fn count(labs: &[&[&[Preset]]]) -> usize {
    let (mut all, mut lab) = (0, 0);
    while lab < labs.len() {
        let mut part = 0;
        while part < labs[lab].len() {
            all += labs[lab][part].len();
            part += 1;
        }
        lab += 1;
    }
    all
}

/// The presets of all parts, one after the other.
const fn joined<const ALL: usize>(labs: &[&[&[Preset]]]) -> [Preset; ALL] {
    let mut presets = [QUICK; ALL];
    let (mut at, mut lab) = (0, 0);
    while lab < labs.len() {
        let mut part = 0;
        while part < labs[lab].len() {
            let mut i = 0;
            while i < labs[lab][part].len() {
                presets[at] = labs[lab][part][i];
                if cfg!(feature = "ui") {
                    // A page shows claims and checks none: a quarter of the table that every visitor would fetch.
                    presets[at].expect = &[];
                }
                at += 1;
                i += 1;
            }
            part += 1;
        }
        lab += 1;
    }
    presets
}

/// The preset that is this run.
pub fn preset_of(spec: &RunSpec) -> Option<&'static Preset> {
    // The page asks many times a second, and reading a link takes a while.
    static SPECS: OnceLock<Vec<RunSpec>> = OnceLock::new();
    let specs = SPECS.get_or_init(|| PRESETS.iter().map(|preset| preset.link().spec).collect());
    specs.iter().position(|other| other == spec).and_then(|at| PRESETS.get(at))
}

/// The preset of that name.
pub fn find(slug: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|p| p.slug == slug)
}

/// The groups of presets, in the order of the menu, each with its presets.
pub fn preset_groups() -> impl Iterator<Item = &'static [Preset]> {
    PRESETS.chunk_by(|one, next| one.group == next.group)
}

/// Every story, in the order of the list.
pub fn stories() -> impl Iterator<Item = &'static About> {
    STORIES.iter().copied().flatten()
}

/// The file of a story in the sources.
#[cfg(not(target_family = "wasm"))]
pub fn story_file(root: &std::path::Path, slug: &str) -> Option<std::path::PathBuf> {
    let folders = std::fs::read_dir(root.join("src/labs")).ok()?.flatten();
    folders.map(|lab| lab.path().join(format!("stories/{slug}.md"))).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::permalink::{decode, encode};
    use vivarium_view::presets::Expect;

    #[test]
    fn every_preset_is_a_clean_canonical_link_within_its_budget() {
        for preset in PRESETS {
            let (link, notices) = decode(preset.link);
            assert!(notices.is_empty(), "{}: {notices:?}", preset.slug);
            assert_eq!(encode(&link), preset.link, "{}", preset.slug);
            assert!(preset.budget <= link.spec.run.steps);
            assert!(!preset.expect.is_empty());
            for expect in preset.expect {
                check(expect, preset, link.spec.run.sweep.values.len(), link.spec.run.series.values.len());
            }
            assert!(preset.time.is_empty() || preset.time.ends_with('.'), "{}", preset.slug);
            for text in [preset.claim, &vivarium_view::display::instance::instance(preset)] {
                assert!(text.ends_with('.'), "{}: {text}", preset.slug);
            }
        }
    }

    /// An expectation must be about something that the preset has, and must be able to fail.
    fn check(expect: &Expect, preset: &Preset, values: usize, series: usize) {
        let (values, series) = (values.max(1), series.max(1));
        let sound = match *expect {
            Expect::Reaches { steps, share, .. } => {
                steps.0 < steps.1 && steps.1 <= preset.budget && share.0 <= share.1 && share != (0.0, 1.0)
            }
            Expect::Median { step, between, .. } => step <= preset.budget && between.0 <= between.1,
            Expect::MedianTime { series: line, at, between } => {
                line < series && at < values && between.0 < between.1
            }
            Expect::Exponent { series: line, values: (first, last), between } => {
                line < series && first < last && last < values && between.0 < between.1
            }
            Expect::Solved { series: line, at, share } => line < series && at < values && share != (0.0, 1.0),
            Expect::Threshold { series: line, between } => {
                line < series && values > 1 && between.0 < between.1
            }
            Expect::Ends { series: line, at, between } => {
                line < series && at < values && between.0 < between.1
            }
            Expect::Last { series: line, at, between, .. } => {
                line < series && at < values && between.0 <= between.1
            }
            Expect::Power { series: line, values: (first, last), between, .. } => {
                line < series && first < last && last < values && between.0 < between.1
            }
            Expect::Ahead { series: line, than, at, by } => {
                line < series && than < series && line != than && at < values && by > 0.0
            }
            Expect::Narrows { from, to, times } => from < values && to < values && times > 1.0,
            Expect::Sooner { at, than, share } => at < values && than < values && at != than && share > 0.5,
            Expect::Stages { stages, share } => stages.len() > 1 && share.0 > 0.0,
            Expect::Between(share) => share > 0.0 && preset.link().spec.run.inits > 1,
        };
        assert!(sound, "{}: {expect:?}", preset.slug);
    }

    #[test]
    fn every_group_has_presets_and_they_stand_together() {
        let groups: Vec<&str> = preset_groups().map(|presets| presets[0].group.slug).collect();
        for (i, slug) in groups.iter().enumerate() {
            assert!(!groups[..i].contains(slug), "{slug} is in two places");
        }
    }

    #[test]
    fn every_task_has_one_lab() {
        let labs: Vec<&str> = LABS.all.iter().map(|lab| lab.info().slug).collect();
        assert_eq!(
            labs,
            vivarium_model::tasks::Task::ENTRIES.iter().map(|task| task.info.slug).collect::<Vec<_>>()
        );
    }

    #[test]
    fn slugs_are_unique() {
        for (i, preset) in PRESETS.iter().enumerate() {
            assert!(PRESETS[..i].iter().all(|other| other.slug != preset.slug));
            assert_eq!(find(preset.slug), Some(preset));
            assert_eq!(preset_of(&preset.link().spec), Some(preset), "two presets are one run");
        }
    }
}
