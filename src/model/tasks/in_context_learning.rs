//! Learning in context: every prompt has a function of its own, and a network predicts its values from the examples before
//! (Garg, Tsipras, Liang and Valiant 2022; Wu, Su, Hu, Song and Liu 2024, appendix G).
//!
//! An example's row holds the inputs and the labels of a prompt, as [`FunctionPrompts`] writes them. The labels are real
//! numbers, one for each point: the loss is the square, and a run is measured by its error relative to the mean variance of
//! the labels within a prompt, so that 1 is no better than their mean. One less that is R².
//!
//! ```
//! use vivarium_model::tasks::{Batch, InContextLearning, Sampler};
//! let (task, mut batch) = (InContextLearning::default(), Batch::default());
//! task.sample(0, 0, 0, 4, &mut batch);
//! // Seventeen points: a number, the constant 1 and a label for each.
//! assert_eq!((batch.x.len(), batch.y.len()), (4 * 17 * (1 + 1 + 1), 4));
//! ```

pub mod charts;
mod view;

use std::cell::RefCell;

use super::remembered::BoundedCache;
use super::{
    Batch, ConstantInput, Examples, MeasureInfo, MeasureNames, Sampler, SettingDefaults, TaskConfig,
    TaskData, measures,
};
use crate::chart::Chart;
pub use view::InContextView;
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings;
use vivarium_core::settings::{InvalidSetting, Range, Settings};
use vivarium_core::sources::{GARG_2022, WU_2024};
use vivarium_science::functions::{FunctionClass, FunctionPrompts, InputDistribution};

settings! {
    /// In-context learning: each prompt has a different function, and each label is predicted from the points before
    /// it.
    pub struct InContextLearning {
        /// Family of functions; for each prompt, a new function is sampled from this family.
        class: FunctionClass = FunctionClass::Network, "class", "Functions", Range::Choice(FunctionClass::OPTIONS);
        /// Number of components of an input, without the constant 1.
        dim: usize = 1, "dim", "Input dimension d", Range::Int(1, 32);
        /// Whether a constant 1 is appended to each input; the random networks have no biases.
        constant: ConstantInput = ConstantInput::Yes, "const", "Constant input", Range::Choice(ConstantInput::OPTIONS);
        /// Number of points in a training prompt; the network predicts the label of each point from the earlier points.
        points: usize = 17, "points", "Points of a prompt", Range::Int(2, 128);
        /// Distribution of the inputs.
        distribution: InputDistribution = InputDistribution::Normal, "dist", "Inputs", Range::Choice(InputDistribution::OPTIONS);
        /// Standard deviation of the inputs.
        scale: f64 = 1.5, "s", "Scale s of the inputs", Range::Real(0.01, 10.0), only when "dist" = "normal";
        /// Weight of N(2, I) in the mixture of training inputs; N(−2, I) has the remaining weight.
        weight: f64 = 0.0, "w2", "Weight of N(2, I)", Range::Real(0.0, 1.0), only when "dist" = "mixture";
        /// Weight of N(2, I) in the mixture of test inputs; N(−2, I) has the remaining weight.
        test_weight: f64 = 0.0, "tw2", "Weight of N(2, I) in the test", Range::Real(0.0, 1.0), only when "dist" = "mixture";
        /// Factor by which the inputs of test prompts are multiplied.
        test_scale: f64 = 1.0, "ts", "Factor for test inputs", Range::Real(0.01, 10.0);
        /// Number of points in the longest test prompt; 0 means as many points as in training.
        long: usize = 0, "long", "Longest test prompt", Range::Int(0, 256);
        /// Number of input components on which a function depends.
        sparsity: usize = 1, "sparse", "Nonzero weights", Range::Int(1, 32), only when "class" = "sparse";
        /// Number of splits between the root and a leaf of a tree.
        depth: usize = 4, "splits", "Depth of the trees", Range::Int(1, 8), only when "class" = "tree";
        /// Number of layers of weights in each random network.
        layers: usize = 3, "deep", "Layers of the random networks", Range::Int(2, 6), only when "class" = "network";
        /// Number of neurons in each hidden layer of the random networks.
        hidden: usize = 8, "k", "Hidden units K of the random networks", Range::Int(1, 32), only when "class" = "network";
        /// Standard deviation of the Gaussian noise on the labels.
        noise: f64 = 0.0, "noise", "Label noise σ", Range::Real(0.0, 10.0);
    }
}

/// Largest number of label variances, one per distribution of functions and seed, that are cached.
const MAX_CACHED_VARIANCES: usize = 256;

impl InContextLearning {
    /// Slug, name, summary and sources of this task.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "in-context-learning",
        name: "Learning in context",
        about: "Each prompt contains points of a different function. A network predicts the label of each point from the earlier points.",
        sources: &[GARG_2022, WU_2024],
    };

    /// Charts that only runs of this task have.
    pub const CHARTS: &[Chart] = charts::CHARTS;

    /// Definitions of the measures of this task (loss, accuracy and further ones), in lists.
    pub const MEASURES: &[&[MeasureInfo]] = &[&measures::PROMPT_MEASURES];

    /// Specification, from the settings of this task, of the prompts: functions, inputs and row layout.
    pub fn prompt_spec(&self) -> FunctionPrompts {
        let InContextLearning {
            class,
            dim,
            points,
            distribution: law,
            scale,
            weight,
            test_weight,
            test_scale,
            ..
        } = *self;
        let InContextLearning { long, sparsity, depth, layers, hidden, noise, .. } = *self;
        let constant = self.constant == ConstantInput::Yes;
        FunctionPrompts {
            class,
            dim,
            constant,
            points,
            held_out_points: long,
            distribution: law,
            input_scale: scale,
            mixture_weight: weight,
            test_scale,
            test_mixture_weight: test_weight,
            sparsity,
            depth,
            layers,
            hidden,
            noise,
        }
    }

    /// Appends to `out.y` the first label of each prompt in `out.x` from position `begin` on.
    fn push_labels(prompts: &FunctionPrompts, begin: usize, out: &mut Batch) {
        let rows = out.x[begin..].chunks(prompts.row_len());
        out.y.extend(rows.map(|row| prompts.split_row(row).1[0]));
    }
}

impl ToPyTorch for InContextLearning {
    fn to_pytorch(&self, seed: u64) -> Result<ScriptPart, String> {
        let variance = self.label_variance(seed).unwrap_or(1.0);
        let settings = vec![("variance", settings::format_real(variance))];
        Ok(ScriptPart { code: vec![include_str!("pytorch/points.py")], settings, ..ScriptPart::default() })
    }
}

impl TaskConfig for InContextLearning {
    fn default_run(&self) -> SettingDefaults {
        &[
            ("model", "in-context-transformer"),
            ("opt", "adam"),
            ("lr", "0.002"),
            ("b2", "0.99"),
            ("warm", "200"),
            ("cool", "linear"),
            ("clip", "1"),
            ("loss", "square"),
            ("batch", "64"),
            ("steps", "4000"),
            ("target", "0.95"),
            ("halt", "steps"),
            ("every", "100"),
            ("held", "1000"),
        ]
    }

    fn default_view(&self) -> SettingDefaults {
        &[("show", "explained.examples.prompt.maps"), ("speed", "200")]
    }

    fn repair(&mut self) {
        self.sparsity = self.sparsity.min(self.dim);
        if self.long > 0 {
            self.long = self.long.max(self.points);
        }
    }
}

impl Examples for InContextLearning {
    fn measure_names(&self) -> MeasureNames {
        MeasureNames { names: measures::names_of(&measures::PROMPT_MEASURES), ..MeasureNames::default() }
    }

    fn data(&self) -> TaskData {
        TaskData::Points(self.prompt_spec())
    }

    fn inputs(&self) -> usize {
        self.prompt_spec().inputs()
    }

    fn columns(&self) -> usize {
        self.prompt_spec().row_len()
    }

    fn prediction_count(&self) -> usize {
        self.points
    }

    fn training_set_size(&self) -> Option<usize> {
        None
    }

    fn invalid_settings(&self) -> Vec<InvalidSetting> {
        let mut errors = vec![];
        if self.class == FunctionClass::Sparse && self.sparsity > self.dim {
            let expected = tr!("at most d = {d}, the number of components of an input", d = self.dim);
            errors.push(InvalidSetting::new("sparse", &self.sparsity.to_string(), expected));
        }
        if (1..self.points).contains(&self.long) {
            let expected = tr!(
                "0, or at least {points}, the number of points of a training prompt",
                points = self.points
            );
            errors.push(InvalidSetting::new("long", &self.long.to_string(), expected));
        }
        errors
    }
}

impl Sampler for InContextLearning {
    /// Variance of a label; computed once for each specification of prompts and seed, then cached.
    fn label_variance(&self, seed: u64) -> Option<f64> {
        /// Key of a cached label variance: settings of the task as text, and seed.
        type CacheKey = (String, u64);
        thread_local! {
            /// Label variances that this thread has computed, by the task's settings and seed.
            static CACHE: RefCell<BoundedCache<CacheKey, f64>> = const { RefCell::new(BoundedCache::new(MAX_CACHED_VARIANCES)) };
        }
        let written = |setting: &settings::SettingInfo| Some(Settings::value(self, setting.key)?.to_string());
        let written: Vec<String> = Self::SETTINGS.iter().filter_map(written).collect();
        let find = || self.prompt_spec().label_variance(seed);
        Some(CACHE.with_borrow_mut(|known| known.get_or_compute((written.join("&"), seed), 1, find)))
    }

    fn sample(&self, seed: u64, replica: u32, step: u64, size: usize, out: &mut Batch) {
        self.sample_range(seed, replica, step, 0..size, out);
    }

    fn sample_range(
        &self,
        seed: u64,
        replica: u32,
        step: u64,
        examples: std::ops::Range<usize>,
        out: &mut Batch,
    ) -> bool {
        let (prompts, begin) = (self.prompt_spec(), out.x.len());
        prompts.append_training_prompts(seed, replica, step, examples, &mut out.x);
        InContextLearning::push_labels(&prompts, begin, out);
        true
    }

    fn append_held_out(&self, seed: u64, from: usize, size: usize, out: &mut Batch) {
        let (prompts, begin) = (self.prompt_spec(), out.x.len());
        prompts.append_held_out_prompts(seed, self.points, from..from + size, &mut out.x);
        InContextLearning::push_labels(&prompts, begin, out);
    }

    fn append_training_set(&self, _seed: u64, _replica: u32, _from: usize, _size: usize, _out: &mut Batch) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_those_of_the_prompts() {
        let task = InContextLearning { dim: 3, points: 5, long: 12, noise: 0.1, ..Default::default() };
        let (prompts, mut batch) = (task.prompt_spec(), Batch::default());
        assert_eq!(
            (task.columns(), task.inputs(), task.prediction_count(), prompts.max_points()),
            (25, 4, 5, 12)
        );
        task.sample(3, 1, 4, 6, &mut batch);
        task.sample(3, 2, 4, 6, &mut batch);
        let mut rows = vec![];
        prompts.append_training_prompts(3, 1, 4, 0..6, &mut rows);
        prompts.append_training_prompts(3, 2, 4, 0..6, &mut rows);
        assert_eq!(batch.x, rows);
        let first: Vec<f32> = rows.chunks(25).map(|row| row[20]).collect();
        assert_eq!(batch.y, first);
    }

    #[test]
    fn held_out_prompts_have_the_length_of_training() {
        let task = InContextLearning { long: 40, ..Default::default() };
        let (mut whole, mut parts) = (Batch::default(), Batch::default());
        task.append_held_out(1, 0, 9, &mut whole);
        task.append_held_out(1, 0, 4, &mut parts);
        task.append_held_out(1, 4, 5, &mut parts);
        assert_eq!(whole, parts);
        assert_eq!((whole.len(), whole.x.len()), (9, 9 * task.columns()));
    }

    #[test]
    fn the_variance_is_that_of_the_prompts_and_changes_with_them() {
        let plain = InContextLearning::default();
        for (task, other) in [
            (plain.clone(), InContextLearning { hidden: 9, ..plain.clone() }),
            (plain.clone(), InContextLearning { scale: 1.6, ..plain.clone() }),
            (plain.clone(), InContextLearning { test_scale: 2.0, ..plain.clone() }),
        ] {
            let [a, b] = [&task, &other].map(|task| task.label_variance(3));
            assert_eq!(
                (a, b),
                (Some(task.prompt_spec().label_variance(3)), Some(other.prompt_spec().label_variance(3)))
            );
            assert_ne!(a, b);
        }
        assert_ne!(plain.label_variance(3), plain.label_variance(4));
    }

    #[test]
    fn impossible_settings_are_named_and_mended() {
        let sparse =
            InContextLearning { class: FunctionClass::Sparse, dim: 3, sparsity: 4, ..Default::default() };
        let short = InContextLearning { long: 16, ..Default::default() };
        for (task, key, expected) in [
            (sparse, "sparse", "at most d = 3, the number of components of an input"),
            (short, "long", "0, or at least 17, the number of points of a training prompt"),
        ] {
            let problems = task.invalid_settings();
            assert_eq!(problems.len(), 1, "{problems:?}");
            assert_eq!((problems[0].key.as_str(), problems[0].expected.as_str()), (key, expected));
            let mut mended = task;
            mended.repair();
            assert!(mended.invalid_settings().is_empty());
        }
        // What has no effect is no problem.
        assert!(InContextLearning { sparsity: 30, ..Default::default() }.invalid_settings().is_empty());
    }

    #[test]
    fn the_script_asks_for_settings_that_there_are() {
        let task = InContextLearning::default();
        let mut written = vec!["batch", "held"];
        written.extend(task.to_pytorch(0).unwrap().settings.into_iter().map(|(key, _)| key));
        let script = include_str!("pytorch/points.py");
        let asked: Vec<&str> =
            script.split("S[\"").skip(1).filter_map(|rest| Some(rest.split_once("\"]")?.0)).collect();
        assert!(asked.len() > 15);
        for key in asked {
            assert!(written.contains(&key) || Settings::value(&task, key).is_some(), "{key}");
        }
    }
}
