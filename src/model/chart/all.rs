//! Catalog of charts, in the order of page and link.
//!
//! Charts of every lab are declared here, those of one lab with its task.

use super::Chart;
use crate::tasks::{ExampleForm, Task};
use vivarium_core::settings::{ChoiceOption, OptionEnum};

crate::charts! {
    /// The first charts of every lab.
    FIRST_CHARTS;
    /// Mean of the loss ℓ(y, f(x)) over training and over held-out examples; lower is better. Only the correlation loss −y·f(x) is negative: for right answers.
    LOSS = "loss", "Loss", "Loss", Lines;
    /// Share of the examples with the right answer. For labels ±1 that is y·f(x) > 0; f(x) = 0 counts as one half. A logarithmic axis shows 1 − accuracy.
    ACCURACY = "accuracy", "Accuracy", "Accuracy", Lines;
    /// Weight of every neuron of the first network on every input bit; the relevant bits are marked. For a transformer: the positional embeddings.
    WEIGHTS = "weights", "First-layer weights W", "Weights", Grid;
}

crate::charts! {
    /// Charts of every lab that come after those of the first task.
    MIDDLE_CHARTS;
    /// Distribution of the steps at which replicas reached the target, compared with guessing a new set of bits at every step.
    TIMES = "times", "Convergence times", "Times", Lines;
    /// Median number of steps to the target against the value of the swept setting, with a fitted power law.
    SWEEP = "sweep", "Median convergence time", "Sweep", Lines;
    /// Smallest margin of a training example, with the weights divided by the norm of the penalty; as a share of the largest possible margin if that is known.
    MARGIN = "margin", "Normalised margin", "Margin", Lines, "Edelman 2024, section 7.3; dashed line γ*: theorems 7.7 to 7.9 and our extension";
}

crate::charts! {
    /// The last charts of every lab.
    LAST_CHARTS;
    /// For each value of the second swept setting: the smallest value of the first swept setting at which 80 % of the trials succeed.
    THRESHOLD = "enough", "Smallest setting value with ≥ 80 % successful trials", "Threshold", Lines;
    /// Share of held-out examples that networks answer wrongly at the end of each run of a sweep: medians with quartiles.
    ENDS = "ends", "Held-out error at the end", "Error", Lines;
}

/// Groups of charts, in the order in which links number the charts: it is the order of the first published links, so
/// that old links keep their meaning.
const CHART_GROUPS: &[&[&[Chart]]] = &[
    &[FIRST_CHARTS],
    Task::CHARTS.split_at(1).0,
    &[MIDDLE_CHARTS],
    Task::CHARTS.split_at(1).1,
    &[LAST_CHARTS],
];

/// Number of charts of all tasks, models and runs together.
const CHART_COUNT: usize = {
    let (mut all, mut i) = (0, 0);
    while i < CHART_GROUPS.len() {
        let mut j = 0;
        while j < CHART_GROUPS[i].len() {
            all += CHART_GROUPS[i][j].len();
            j += 1;
        }
        i += 1;
    }
    all
};

/// Every chart of the catalog, in the order of links.
static ALL_CHARTS: [Chart; CHART_COUNT] = {
    let mut charts = [LOSS; CHART_COUNT];
    let (mut at, mut i) = (0, 0);
    while i < CHART_GROUPS.len() {
        let mut j = 0;
        while j < CHART_GROUPS[i].len() {
            let mut k = 0;
            while k < CHART_GROUPS[i][j].len() {
                charts[at] = CHART_GROUPS[i][j][k];
                at += 1;
                k += 1;
            }
            j += 1;
        }
        i += 1;
    }
    charts
};

/// Slug and name of every chart, as options of the setting that selects the shown charts.
static CHART_OPTIONS: [ChoiceOption; CHART_COUNT] = {
    let mut choices = [ChoiceOption { slug: "", label: "" }; CHART_COUNT];
    let mut i = 0;
    while i < CHART_COUNT {
        choices[i] = ChoiceOption { slug: ALL_CHARTS[i].slug(), label: ALL_CHARTS[i].name() };
        i += 1;
    }
    choices
};

impl Chart {
    /// Every chart of the catalog, in the order of links and of the buttons that show or hide charts.
    pub const ALL: &'static [Chart] = &ALL_CHARTS;

    /// Every chart as an option of the setting that selects the shown charts.
    pub const OPTIONS: &'static [ChoiceOption] = &CHART_OPTIONS;

    /// Form of the examples of the task that the chart belongs to; None for charts that apply to examples of any form.
    pub fn form(self) -> Option<ExampleForm> {
        let at = Task::CHARTS.iter().position(|charts| charts.contains(&self))?;
        Some(Task::from_slug(Task::ENTRIES[at].info.slug)?.data().form())
    }

    /// Returns the chart with this slug; `None` for an unknown slug.
    pub fn from_slug(slug: &str) -> Option<Chart> {
        Chart::ALL.iter().copied().find(|chart| chart.slug() == slug)
    }
}

impl OptionEnum for Chart {
    const VARIANTS: &'static [Chart] = Chart::ALL;

    fn option(self) -> &'static str {
        self.slug()
    }
}

/// Charts that a link shows unless it or the task states others.
pub const DEFAULT_CHARTS: [Chart; 3] = [LOSS, ACCURACY, WEIGHTS];

#[cfg(test)]
mod tests {
    use super::super::ChartInfo;
    use super::*;

    #[test]
    fn every_chart_has_its_words_once() {
        for (i, chart) in Chart::ALL.iter().enumerate() {
            let ChartInfo { slug, name, word, help, .. } = chart.info();
            assert!(word.chars().count() <= 10, "{word}");
            assert_eq!((slug, name), (chart.slug(), Chart::OPTIONS[i].label));
            assert!(Chart::ALL[..i].iter().all(|other| other.slug() != slug), "{slug}");
            assert!(slug.chars().all(|c| c.is_ascii_lowercase()), "{slug}");
            assert!(help.ends_with('.') && !help.contains("  ") && help.len() > 30, "{slug}: {help}");
            assert!(!help.contains('!') && help.chars().count() <= 160, "{slug}: {help}");
        }
        let place = |chart: &Chart| Chart::ALL.iter().position(|other| other == chart);
        assert!(DEFAULT_CHARTS.iter().map(place).is_sorted());
    }
}
