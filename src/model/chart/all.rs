//! The catalogue of charts: what can be shown of a run, in the order in which page and link have it.
//!
//! Charts of every lab stand here; those of one lab alone stand with its task.

use super::Chart;
use crate::tasks::{Form, Task};
use vivarium_core::settings::{Choice, Options};

crate::charts! {
    /// The first charts of every lab.
    FIRST;
    /// Mean of the loss ℓ(y, f(x)) over the training examples and over the held-out examples.
    LOSS = "loss", "Loss", "Loss", Lines;
    /// Share of the examples with the right answer. For labels ±1 that is y·f(x) > 0; f(x) = 0 counts as one half. A logarithmic axis shows 1 − accuracy.
    ACCURACY = "accuracy", "Accuracy", "Accuracy", Lines;
    /// Weight of every neuron of the first network on every input bit; the relevant bits are marked. For a transformer: the positional embeddings.
    WEIGHTS = "weights", "First-layer weights W", "Weights", Grid;
}

crate::charts! {
    /// Charts of every lab that stand behind those of the first task.
    MIDDLE;
    /// Distribution of the steps at which replicas reached the target, compared with guessing a new set of bits at every step.
    TIMES = "times", "Convergence times", "Times", Lines;
    /// Median number of steps to the target against the value of the swept setting, with a fitted power law.
    SWEEP = "sweep", "Median convergence time", "Sweep", Lines;
    /// Smallest margin of a training example, with the weights divided by the norm of the penalty; as a share of the largest possible margin if that is known.
    MARGIN = "margin", "Normalised margin", "Margin", Lines, "Edelman 2024, section 7.3; dashed line γ*: theorems 7.7 to 7.9 and our extension";
}

crate::charts! {
    /// The last charts of every lab.
    LAST;
    /// For each value of the second swept setting: the smallest value of the first swept setting at which 80 % of the trials succeed.
    THRESHOLD = "enough", "Smallest setting value with ≥ 80 % successful trials", "Threshold", Lines;
    /// Share of held-out examples that networks answer wrongly at the end of each run of a sweep: medians with quartiles.
    ENDS = "ends", "Held-out error at the end", "Error", Lines;
}

/// The charts in the order of links and switches, in parts: links that name some keep the order in which these were
/// there when the first links were made.
const PARTS: &[&[&[Chart]]] =
    &[&[FIRST], Task::CHARTS.split_at(1).0, &[MIDDLE], Task::CHARTS.split_at(1).1, &[LAST]];

const COUNT: usize = {
    let (mut all, mut i) = (0, 0);
    while i < PARTS.len() {
        let mut j = 0;
        while j < PARTS[i].len() {
            all += PARTS[i][j].len();
            j += 1;
        }
        i += 1;
    }
    all
};

static CHARTS: [Chart; COUNT] = {
    let mut charts = [LOSS; COUNT];
    let (mut at, mut i) = (0, 0);
    while i < PARTS.len() {
        let mut j = 0;
        while j < PARTS[i].len() {
            let mut k = 0;
            while k < PARTS[i][j].len() {
                charts[at] = PARTS[i][j][k];
                at += 1;
                k += 1;
            }
            j += 1;
        }
        i += 1;
    }
    charts
};

static CHOICES: [Choice; COUNT] = {
    let mut choices = [Choice { slug: "", label: "" }; COUNT];
    let mut i = 0;
    while i < COUNT {
        choices[i] = Choice { slug: CHARTS[i].slug(), label: CHARTS[i].name() };
        i += 1;
    }
    choices
};

impl Chart {
    /// Every chart, in the order of links and switches.
    pub const ALL: &'static [Chart] = &CHARTS;

    /// The same as choices of a setting.
    pub const OPTIONS: &'static [Choice] = &CHOICES;

    /// What examples are to the networks that the chart is about: to the task that declares it; none if it is about all.
    pub fn form(self) -> Option<Form> {
        let at = Task::CHARTS.iter().position(|charts| charts.contains(&self))?;
        Some(Task::from_slug(Task::ENTRIES[at].info.slug)?.examples().form())
    }

    /// The chart of that permanent name.
    pub fn find(slug: &str) -> Option<Chart> {
        Chart::ALL.iter().copied().find(|chart| chart.slug() == slug)
    }
}

impl Options for Chart {
    const VARIANTS: &'static [Chart] = Chart::ALL;

    fn option(self) -> &'static str {
        self.slug()
    }
}

/// What is shown where a link does not say it.
pub const USUAL: [Chart; 3] = [LOSS, ACCURACY, WEIGHTS];

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
        assert!(USUAL.iter().map(place).is_sorted());
    }
}
