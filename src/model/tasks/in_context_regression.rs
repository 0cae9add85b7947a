//! Regression in a prompt: n examples of one function and a query, as the tokens of a transformer whose layers are gradient
//! descent (Wu et al. 2024, problem 2). The examples are drawn once, and every step of the run takes all of them.
//!
//! The prompts are described by [`DescentPrompts`]; this module has their settings.

pub mod charts;
mod measures;

use crate::chart::Chart;
use crate::tasks::{
    Batch, ConstantInput, Examples, MeasureInfo, MeasureNames, Sampler, SettingDefaults, TaskConfig, TaskData,
};
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings;
use vivarium_core::settings::{InvalidSetting, Range};
use vivarium_core::sources::WU_2024;
use vivarium_science::descent::{
    Activation, DescentPrompts, ExampleOrder, InputSpacing, MAX_EXAMPLES, TargetKind,
};

/// Largest number of points that the user can enter, limited by the length of a link.
const MAX_POINTS: usize = 64;

settings! {
    /// Function, and the inputs of its examples.
    pub struct InContextRegression {
        /// Number of examples in the prompt; if you enter your own points, all of these points are the examples.
        examples: usize = 16, "n", "Examples n", Range::Int(1, MAX_EXAMPLES as u64), "examples";
        /// Number of components of an input, without the constant 1.
        dim: usize = 1, "dim", "Input dimension d", Range::Int(1, 32);
        /// Whether a constant 1 is appended to each input; the network in the tokens has no biases.
        constant: ConstantInput = ConstantInput::Yes, "const", "Constant input", Range::Choice(ConstantInput::OPTIONS);
        /// Distribution of the inputs: at equal distances, uniform or normal.
        spread: InputSpacing = InputSpacing::Even, "spread", "Inputs", Range::Choice(InputSpacing::OPTIONS);
        /// Range of the inputs, from −a to a; for normal inputs, a is the standard deviation.
        reach: f64 = 1.5, "wide", "Range a of the inputs", Range::Real(0.0, 10.0);
        /// Function that gives the labels of the examples.
        function: TargetKind = TargetKind::Sine, "f", "Function", Range::Choice(TargetKind::OPTIONS);
        /// Frequency ω of the sine.
        frequency: f64 = 2.0, "freq", "Frequency ω", Range::Real(0.0, 20.0), only when "f" = "sin";
        /// Number of neurons in each hidden layer of the random network that gives the labels.
        teacher: Vec<usize> = vec![8, 8], "teacher", "Hidden layers of the random network", Range::Numbers(1, 64, 5), only when "f" = "network";
        /// Activation of the random network that gives the labels.
        activation: Activation = Activation::Relu, "tact", "Activation of the random network", Range::Choice(Activation::OPTIONS), only when "f" = "network";
        /// Your own points (x, y); the run uses these points as its examples.
        points: Vec<[f64; 2]> = vec![], "points", "Own points", Range::Points(100.0, MAX_POINTS), only when "f" = "points";
        /// Input x of the query, if the inputs have one component; otherwise the query is sampled like the examples.
        query: f64 = 0.4, "query", "Query x", Range::Real(-100.0, 100.0);
        /// Label that is written into the token of the query; the results do not depend on this label.
        query_label: f64 = 0.0, "qy", "Label of the query", Range::Real(-100.0, 100.0);
        /// Order of the examples in the prompt; except for rounding, the results do not depend on this order.
        order: ExampleOrder = ExampleOrder::Drawn, "order", "Order of the examples", Range::Choice(ExampleOrder::OPTIONS);
    }
}

impl InContextRegression {
    /// Slug, name, summary and sources of this task.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "in-context-regression",
        name: "Gradient descent inside a transformer",
        about: "The tokens of a transformer hold examples of one function. The weights of the transformer are set by hand so that its layers perform gradient descent.",
        sources: &[WU_2024],
    };

    /// Charts that only runs of this task have.
    pub const CHARTS: &[Chart] = charts::CHARTS;

    /// Definitions of the measures of this task (loss, accuracy and further ones), in lists.
    pub const MEASURES: &[&[MeasureInfo]] = measures::MEASURES;

    /// Specification, from the settings of this task, of the prompt's examples and of gradient descent on them.
    pub fn prompt_spec(&self) -> DescentPrompts {
        DescentPrompts {
            examples: self.examples,
            dim: self.dim,
            constant: self.constant == ConstantInput::Yes,
            spacing: self.spread,
            input_range: self.reach,
            function: self.function,
            frequency: self.frequency,
            teacher_hidden: self.teacher.clone(),
            activation: self.activation,
            points: self.points.clone(),
            query: self.query,
            query_label: self.query_label,
            order: self.order,
        }
    }

    /// Appends the examples of `replica` with the indices `places` from 0, which wrap around after the last example.
    fn append_points(&self, seed: u64, replica: u32, places: impl Iterator<Item = usize>, out: &mut Batch) {
        let examples = self.prompt_spec().draw_examples(seed, replica);
        for at in places.map(|place| place % examples.len().max(1)) {
            out.x.extend(examples.input(at).iter().map(|x| *x as f32));
            out.y.extend(examples.label(at).iter().map(|y| *y as f32));
        }
    }
}

impl ToPyTorch for InContextRegression {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        Err("The weights of this transformer are set by hand, not trained.".into())
    }
}

impl TaskConfig for InContextRegression {
    fn default_run(&self) -> SettingDefaults {
        &[
            ("model", "descent-transformer"),
            ("loss", "square"),
            ("batch", "0"),
            ("steps", "100"),
            ("every", "1"),
            ("halt", "steps"),
            ("held", "64"),
        ]
    }

    fn default_view(&self) -> SettingDefaults {
        // Layer 8 writes errors. Those of the query are 0, so that an example is shown.
        &[("show", "both.apart.strip.fitted"), ("speed", "20"), ("place", "1"), ("layer", "8")]
    }

    fn smaller_network_hint(&self) -> &'static str {
        tr!("a smaller network, so that all its weights fit into a token")
    }
}

impl Examples for InContextRegression {
    fn data(&self) -> TaskData {
        TaskData::Fit(self.prompt_spec())
    }

    fn inputs(&self) -> usize {
        self.prompt_spec().inputs()
    }

    fn held_out_count(&self) -> Option<usize> {
        Some(self.prompt_spec().example_count().max(1))
    }

    fn training_set_size(&self) -> Option<usize> {
        Some(self.prompt_spec().example_count().max(1))
    }

    fn measure_names(&self) -> MeasureNames {
        measures::MEASURE_NAMES
    }

    fn invalid_settings(&self) -> Vec<InvalidSetting> {
        self.prompt_spec().invalid_settings()
    }
}

impl Sampler for InContextRegression {
    fn label_variance(&self, seed: u64) -> Option<f64> {
        Some(self.prompt_spec().draw_examples(seed, 0).label_variance())
    }

    fn sample(&self, seed: u64, replica: u32, step: u64, size: usize, out: &mut Batch) {
        self.append_points(seed, replica, self.batch_indices(seed, replica, step, size).into_iter(), out);
    }

    fn append_held_out(&self, seed: u64, from: usize, size: usize, out: &mut Batch) {
        self.append_points(seed, 0, from..from + size, out);
    }

    fn append_held_out_of_replica(&self, seed: u64, replica: u32, from: usize, size: usize, out: &mut Batch) {
        self.append_points(seed, replica, from..from + size, out);
    }

    fn append_training_set(&self, seed: u64, replica: u32, from: usize, size: usize, out: &mut Batch) {
        self.append_points(seed, replica, from..(from + size).min(self.prompt_spec().example_count()), out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permalink::{decode, encode};
    use crate::run::RunSpec;
    use vivarium_core::settings::{Settings, Value};

    #[test]
    fn a_point_that_is_refused_costs_no_other_setting() {
        let (link, notices) = decode("#v1/in-context-regression?f=points&points=1:nan&hidden=4&steps=30");
        let keys: Vec<&str> = notices.iter().map(|notice| notice.key.as_str()).collect();
        assert_eq!(keys, ["points", "f"], "{notices:?}");
        assert_eq!(encode(&link), "#v1/in-context-regression?hidden=4&steps=30");
    }

    #[test]
    fn settings_are_those_of_the_table_where_a_link_says_nothing() {
        let spec = RunSpec::default_of_lab("in-context-regression").unwrap();
        assert_eq!(spec.invalid_settings(), []);
        assert_eq!(InContextRegression::default().prompt_spec(), DescentPrompts::default());
        assert_eq!((spec.batch_size(), spec.held_out_count()), (16, 16));
    }

    #[test]
    fn own_points_go_through_a_link() {
        let link = "#v1/in-context-regression?f=points&points=-1:0.5_0.25:2_3:-1e-7";
        let (read, notices) = decode(link);
        assert!(notices.is_empty(), "{notices:?}");
        assert_eq!(
            read.spec.value("points"),
            Some(Value::Points(vec![[-1.0, 0.5], [0.25, 2.0], [3.0, -1e-7]]))
        );
        assert_eq!(encode(&read), link);
        assert_eq!(read.spec.task.examples().training_set_size(), Some(3));
        for (points, said) in [
            ("nan:1", "points"),
            ("0:inf", "points"),
            ("1", "points"),
            ("1:2:3", "points"),
            ("", "points"),
            ("101:0", "points"),
            (&"0:1_".repeat(65), "points"),
        ] {
            let (mended, notices) = decode(&format!("#v1/in-context-regression?f=points&points={points}"));
            assert!(
                notices.iter().any(|notice| notice.key == said || notice.key == "f"),
                "{points}: {notices:?}"
            );
            assert_eq!(mended.spec.invalid_settings(), [], "{points}");
        }
    }

    #[test]
    fn a_batch_holds_every_example_once() {
        let task = InContextRegression { spread: InputSpacing::Normal, ..Default::default() };
        let (mut sample, mut batch) = (Batch::default(), Batch::default());
        task.append_training_set(3, 1, 0, 16, &mut sample);
        task.sample(3, 1, 5, 16, &mut batch);
        assert_eq!((sample.len(), sample.x.len()), (16, 32));
        let sorted = |batch: &Batch| {
            let mut labels = batch.y.clone();
            labels.sort_by(f32::total_cmp);
            labels
        };
        assert_eq!(sorted(&sample), sorted(&batch));
        assert_eq!(
            sample.y,
            task.prompt_spec().draw_examples(3, 1).y[..16].iter().map(|y| *y as f32).collect::<Vec<_>>()
        );
    }

    #[test]
    fn every_setting_has_words() {
        for setting in InContextRegression::SETTINGS {
            assert!(setting.help.ends_with('.') && !setting.label.is_empty(), "{}", setting.key);
        }
    }
}
