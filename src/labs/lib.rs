//! The labs: each is a folder with all code that only this lab needs, and one line in [`LABS`].
//!
//! ```text
//! src/labs/<lab>/
//!     mod.rs       the lab's type: its vocabulary, and its presets, stories, charts and probes ([`LabParts`])
//!     charts.rs    one [`ChartSpec`] per chart: when it applies, what it draws and its summary
//!     probes.rs    one [`ProbeSpec`] per probe: when it applies, and a job that is polled
//!     presets.rs   named runs, each with a claim that a test checks
//!     stories/     guided tours through these runs, in Markdown
//!     hero/        the moving picture of the first screen: what it shows, what a touch does, and its scene
//!     panel/       data and actions of the lab's panel, which `src/panels/<lab>/` draws
//! ```
//!
//! # Why
//! Code outside this folder calls the lab of a run ([`RunView::lab`](vivarium_view::display::RunView::lab)) through its
//! traits and never checks which lab it is, so a new lab changes no shared file but this table. A lab implements two
//! traits, because the page has two programs: [`Lab`](vivarium_view::display::Lab) has the words and numbers of the
//! first view, [`LazyLab`] all that the second program contains ([`mod@lazy`]).

#[macro_use]
extern crate vivarium_core;

pub mod advice;
pub mod answer_scale;
#[cfg(test)]
pub mod answer_testing;
pub mod answers;
#[cfg(test)]
pub mod hero_testing;
pub mod lazy;
pub mod parameters;
pub mod story;
#[cfg(test)]
mod story_claims;
pub mod story_notes;
pub mod text_editor;

use std::sync::OnceLock;

use story::StoryEntry;
use vivarium_model::permalink::Link;
use vivarium_model::protocol::{ProbeId, ProbeResult};
use vivarium_model::run::RunSpec;
use vivarium_model::sweep::SweepCell;
use vivarium_view::display::charts::{ChartDrawing, ChartRules, ChartSpec, LATER_CHARTS, drawings, rules};
use vivarium_view::display::instance::goes_on_from;
use vivarium_view::display::{Labs, LazyLab};
use vivarium_view::presets::recorded::recorded_steps;
use vivarium_view::presets::{PRESET_DEFAULTS, Preset};
use vivarium_view::probing::{ProbeInput, ProbeSpec, ProbeTask, ProbedNetwork};

/// Tables that a lab declares: its presets, stories, charts, probes and lazy functions. The texts on a run are in
/// [`Lab`](vivarium_view::display::Lab) and [`LazyLab`].
pub trait LabParts {
    /// The lab's presets (links to runs, with claims about their results), one slice per group of the menu, in the
    /// order of the menu.
    const PRESETS: &[&[Preset]];
    /// Permanent name of the preset whose recorded run is the moving picture of the lab in the gallery.
    const TILE_PRESET: &str;
    /// Entries of the lab's stories, in the order of the list of stories; empty by default.
    const STORIES: &[StoryEntry] = &[];
    /// Charts of the lab beyond those that all labs share; empty by default.
    const CHARTS: &[ChartSpec] = &[];
    /// Measurements of a run's parameters that the lab offers beyond losses and accuracies, such as attention weights;
    /// empty by default.
    const PROBES: &[ProbeSpec] = &[];
    /// Functions of the lab that only the page's second wasm program contains, which is loaded after the first view.
    const LAZY: LazyLab;
}

/// Declares the labs' modules and writes the tables of labs.
macro_rules! labs {
    ($($module:ident::$lab:ident),+ $(,)?) => {
        $(pub mod $module;)+

        /// Every lab, in the order of the menu.
        pub static LABS: Labs = Labs { all: &[$(&$module::$lab),+], charts: RULES, lazy: lazy::lazy_labs };

        /// For every lab, in the order of [`LABS`], its functions that the page's second wasm program contains.
        static LAZY_LABS: &[&LazyLab] = &[$(&<$module::$lab as LabParts>::LAZY),+];

        /// For each lab, in the order of [`LABS`], the conditions under which its charts apply.
        static RULES: &[&[ChartRules]] =
            &[$(&rules::<{ <$module::$lab as LabParts>::CHARTS.len() }>(<$module::$lab as LabParts>::CHARTS)),+];

        /// The functions that draw charts: first those of the charts that all labs share, then those of each lab in the
        /// order of [`LABS`].
        static DRAWINGS: &[&[ChartDrawing]] = &[
            &drawings::<{ LATER_CHARTS.len() }>(LATER_CHARTS),
            $(&drawings::<{ <$module::$lab as LabParts>::CHARTS.len() }>(<$module::$lab as LabParts>::CHARTS)),+
        ];

        /// All presets by lab and by menu group: for every lab, in the order of [`LABS`], one slice of presets per
        /// group.
        const PARTS: &[&[&[Preset]]] = &[$(<$module::$lab as LabParts>::PRESETS),+];

        /// Permanent names of the presets whose recorded runs are the moving pictures of the gallery, one for each lab, in the
        /// order of [`LABS`].
        pub static TILE_PRESETS: &[&str] = &[$(<$module::$lab as LabParts>::TILE_PRESET),+];

        /// All stories, one slice per lab, in the order of [`LABS`].
        static STORIES: &[&[StoryEntry]] = &[$(<$module::$lab as LabParts>::STORIES),+];

        /// All probes with the functions that measure them, one slice per lab, in the order of [`LABS`].
        static PROBES: &[&[ProbeSpec]] = &[$(<$module::$lab as LabParts>::PROBES),+];
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

/// For the lab that the task of a run belongs to, its functions that the page's second wasm program contains. Every
/// task of the catalog has a lab.
pub fn lazy_lab(spec: &RunSpec) -> &'static LazyLab {
    LAZY_LABS[LABS.index_of(spec).unwrap_or(0)]
}

/// The link of a run on the data file stored under `file_number`, based on the link that the page shows now; none if no
/// lab learns from files.
pub fn data_file_link(file_number: u64, current: &Link) -> Option<Link> {
    LAZY_LABS.iter().find_map(|lab| (lab.link_for_file)(file_number, current))
}

/// A sentence on what theory predicts for the map of a sweep over two settings, of which each cell shows the success of
/// one run; none where the lab has no theory.
pub fn describe_map(cells: &[SweepCell]) -> Option<String> {
    (lazy_lab(&cells.first()?.spec).map_note)(cells)
}

/// Whether a theoretical lower bound on resources, such as parameters × steps × examples for sparse parities (Edelman
/// 2024, proposition 6.3), limits the success probability of a run with these settings to less than ½.
pub fn is_below_lower_bound(spec: &RunSpec) -> bool {
    (lazy_lab(spec).max_success)(spec).is_some_and(|most| most < 0.5)
}

/// The probe with this id among the probes of all labs, [`answers::SPEC`] and [`parameters::SPEC`]; none if there is no such probe.
pub fn find_probe(id: &ProbeId) -> Option<&'static ProbeSpec> {
    PROBES
        .iter()
        .copied()
        .flatten()
        .chain([&answers::SPEC, &parameters::SPEC])
        .find(|spec| spec.probe.id() == *id)
}

/// Whether the probe with this id measures these weights of a run.
pub fn measures(id: &ProbeId, input: ProbeInput) -> bool {
    find_probe(id).is_some_and(|spec| spec.input == input)
}

/// A job that measures a probe on the first replica's parameters after `step` training steps; `weights` has one vector
/// per parameter tensor. `first_layers` has the first-layer weights of all replicas, `[replicas, inputs, width]`, for a
/// probe that [measures](measures) them, else nothing. None if the probe does not exist or does not
/// apply to the run.
pub fn new_probe_job(
    id: &ProbeId,
    spec: &RunSpec,
    step: u64,
    weights: Vec<Vec<f32>>,
    first_layers: Vec<f32>,
) -> Option<ProbeTask> {
    ProbeTask::new(find_probe(id)?, ProbedNetwork { spec: spec.clone(), step, weights, first_layers })
}

/// Measures a probe, without interruption, on the first replica's parameters after `step` training steps; `weights` has
/// one vector per parameter tensor. None if the probe does not exist or does not apply.
pub fn run_probe(id: &ProbeId, spec: &RunSpec, step: u64, weights: Vec<Vec<f32>>) -> Option<ProbeResult> {
    new_probe_job(id, spec, step, weights, vec![])?.advance(f64::INFINITY)
}

/// Reasons why a run with these settings cannot learn, or hardly can, one sentence each; empty for most settings.
///
/// ```
/// use vivarium_labs::cannot_learn;
/// use vivarium_model::permalink::decode;
/// let advice = |link: &str| cannot_learn(&decode(link).0.spec);
/// assert!(advice("#v1/sparse-parity?k=3").is_empty());
/// assert!(advice("#v1/sparse-parity?k=3&model=polynet&degree=2")[0].contains("a polynomial of degree 2"));
/// ```
pub fn cannot_learn(spec: &RunSpec) -> Vec<String> {
    (lazy_lab(spec).learning_obstacles)(spec)
}

/// Every preset, in the order of the menu; the first is what the page opens with.
pub const PRESETS: &[Preset] = &ALL_PRESETS;

/// Every preset of every lab in one array, in the order of the menu; the memory behind [`PRESETS`].
static ALL_PRESETS: [Preset; count_presets(PARTS)] = join_presets(PARTS);

/// The number of presets in all groups of all labs; `labs` has one slice of presets per lab and group.
const fn count_presets(labs: &[&[&[Preset]]]) -> usize {
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

/// The presets of all groups of all labs in one array, in the order of the menu; `ALL` is their number. With the
/// feature `ui` their expectations are left out.
const fn join_presets<const ALL: usize>(labs: &[&[&[Preset]]]) -> [Preset; ALL] {
    let mut presets = [PRESET_DEFAULTS; ALL];
    let (mut at, mut lab) = (0, 0);
    while lab < labs.len() {
        let mut part = 0;
        while part < labs[lab].len() {
            let mut i = 0;
            while i < labs[lab][part].len() {
                presets[at] = labs[lab][part][i];
                if cfg!(feature = "ui") {
                    // A page shows claims and checks none: a quarter of the table that every visitor would fetch.
                    presets[at].expectations = &[];
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

/// The preset whose link has exactly these run settings, or the preset of which a run with these settings goes on: with
/// more steps, and perhaps beyond the target. None if there is no such preset.
pub fn find_matching_preset(spec: &RunSpec) -> Option<&'static Preset> {
    // The page calls this many times a second, and decoding a link takes a while.
    /// (run settings, recorded number of steps) of each preset, computed from its link at the first call, in the order
    /// of [`PRESETS`]; the last step of the settings where the run was not recorded to its end.
    static RUNS: OnceLock<Vec<(RunSpec, u64)>> = OnceLock::new();
    let run = |preset: &Preset| {
        let spec = preset.link().spec;
        let end = recorded_steps(preset.slug).unwrap_or(spec.run.steps);
        (spec, end)
    };
    let runs = RUNS.get_or_init(|| PRESETS.iter().map(run).collect());
    let exact = runs.iter().position(|(other, _)| other == spec);
    let longest = || {
        let ours = runs.iter().enumerate().filter(|(_, (other, end))| goes_on_from(spec, other, *end));
        // Of two presets that differ in the condition for the end, the one with the condition of the run.
        let nearest = ours.max_by_key(|(_, (other, _))| (other.run.halt == spec.run.halt, other.run.steps));
        nearest.map(|(at, _)| at)
    };
    exact.or_else(longest).and_then(|at| PRESETS.get(at))
}

/// The preset with this slug among those of all labs; none if there is no such preset.
pub fn find_preset(slug: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|p| p.slug == slug)
}

/// The presets of all labs, one slice per menu group, in the order of the menu.
pub fn preset_groups() -> impl Iterator<Item = &'static [Preset]> {
    PRESETS.chunk_by(|one, next| one.group == next.group)
}

/// Every story of every lab, in the order of the list of stories.
pub fn stories() -> impl Iterator<Item = &'static StoryEntry> {
    STORIES.iter().copied().flatten()
}

/// The Markdown file of a story in the repository with this root; none if there is no such story.
#[cfg(not(target_family = "wasm"))]
pub fn find_story_file(root: &std::path::Path, slug: &str) -> Option<std::path::PathBuf> {
    let folders = std::fs::read_dir(root.join("src/labs")).ok()?.flatten();
    folders.map(|lab| lab.path().join(format!("stories/{slug}.md"))).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::permalink::{decode, encode};
    use vivarium_view::presets::Expectation;

    #[test]
    fn every_preset_is_a_clean_canonical_link_within_its_budget() {
        for preset in PRESETS {
            let (link, notices) = decode(preset.link);
            assert!(notices.is_empty(), "{}: {notices:?}", preset.slug);
            assert_eq!(encode(&link), preset.link, "{}", preset.slug);
            assert!(preset.max_steps <= link.spec.run.steps);
            assert!(!preset.expectations.is_empty());
            for expect in preset.expectations {
                check(expect, preset, link.spec.run.sweep.values.len(), link.spec.run.series.values.len());
            }
            assert!(
                preset.duration_note.is_empty() || preset.duration_note.ends_with('.'),
                "{}",
                preset.slug
            );
            for text in [preset.claim, &vivarium_view::display::instance::describe_source_comparison(preset)]
            {
                assert!(text.ends_with('.'), "{}: {text}", preset.slug);
            }
        }
    }

    /// An expectation must be about something that the preset has, and must be able to fail.
    fn check(expect: &Expectation, preset: &Preset, values: usize, series: usize) {
        let (values, series) = (values.max(1), series.max(1));
        let sound = match *expect {
            Expectation::Reaches { steps, share, .. } => {
                steps.0 < steps.1 && steps.1 <= preset.max_steps && share.0 <= share.1 && share != (0.0, 1.0)
            }
            Expectation::Median { step, between, .. } => step <= preset.max_steps && between.0 <= between.1,
            Expectation::MedianTime { series: line, at, between } => {
                line < series && at < values && between.0 < between.1
            }
            Expectation::Exponent { series: line, values: (first, last), between } => {
                line < series && first < last && last < values && between.0 < between.1
            }
            Expectation::Solved { series: line, at, share } => {
                line < series && at < values && share != (0.0, 1.0)
            }
            Expectation::Threshold { series: line, between } => {
                line < series && values > 1 && between.0 < between.1
            }
            Expectation::FinalError { series: line, at, between } => {
                line < series && at < values && between.0 < between.1
            }
            Expectation::FinalMeasure { series: line, at, between, .. } => {
                line < series && at < values && between.0 <= between.1
            }
            Expectation::PowerLaw { series: line, values: (first, last), between, .. } => {
                line < series && first < last && last < values && between.0 < between.1
            }
            Expectation::LowerError { series: line, than, at, by } => {
                line < series && than < series && line != than && at < values && by > 0.0
            }
            Expectation::NarrowerSpread { from, to, times } => from < values && to < values && times > 1.0,
            Expectation::FasterPairs { at, than, share } => {
                at < values && than < values && at != than && share > 0.5
            }
            Expectation::Stages { stages, share } => stages.len() > 1 && share.0 > 0.0,
            Expectation::VarianceBetweenInits(share) => share > 0.0 && preset.link().spec.run.inits > 1,
        };
        assert!(sound, "{}: {expect:?}", preset.slug);
    }

    #[test]
    fn a_run_that_goes_on_is_still_the_run_of_its_preset() {
        let preset = find_preset("parity-20").unwrap();
        let mut spec = preset.link().spec;
        spec.run.steps *= 2;
        spec.run.halt = vivarium_model::run::StopCondition::Steps;
        assert_eq!(find_matching_preset(&spec), Some(preset));
        // The run ends at its target, long before its last step.
        let end = recorded_steps(preset.slug).unwrap();
        spec.run.steps = 2 * end;
        assert!(spec.run.steps < preset.link().spec.run.steps);
        assert_eq!(find_matching_preset(&spec), Some(preset));
        spec.run.steps = end / 2;
        assert_eq!(find_matching_preset(&spec), None, "it ends before the target");
        spec.run.steps = 2 * end;
        spec.run.seed += 1;
        assert_eq!(find_matching_preset(&spec), None);
        let mut shorter = preset.link().spec;
        shorter.run.steps /= 2;
        assert_eq!(find_matching_preset(&shorter), None);
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
            assert_eq!(find_preset(preset.slug), Some(preset));
            assert_eq!(find_matching_preset(&preset.link().spec), Some(preset), "two presets are one run");
        }
    }
}
