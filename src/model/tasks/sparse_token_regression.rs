//! Sparse token regression (qSTR): every position of a prompt names a few tokens, and its label is a function of them
//! (Mousavi-Hosseini et al. 2025, definition 2).
//!
//! An example's row holds tokens, names and labels, as [`TokenPrompts`] writes them. The labels are real numbers, one
//! for each position: the loss is the square, and a run is measured by its error relative to their variance, so that 1
//! is the error of predicting the mean. One minus this error is the explained fraction of the variance, R².
//!
//! ```
//! use vivarium_model::tasks::{Batch, Sampler, SparseTokenRegression};
//! let (task, mut batch) = (SparseTokenRegression::default(), Batch::default());
//! task.sample(0, 0, 0, 4, &mut batch);
//! // Eight positions: a token of one number, two names and a label for each.
//! assert_eq!((batch.x.len(), batch.y.len()), (4 * 8 * (1 + 2 + 1), 4));
//! ```

pub mod charts;
mod view;

use std::cell::RefCell;
use std::rc::Rc;

use super::remembered::BoundedCache;
use super::{
    Batch, Examples, MeasureInfo, MeasureNames, Sampler, SettingDefaults, TaskConfig, TaskData, measures,
};
use crate::chart::Chart;
pub use view::PromptView;
use vivarium_core::bounds::{self, MAX_TRAINING_SET_ENTRIES};
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::choices;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::rng::{Purpose, RandomStream};
use vivarium_core::settings;
use vivarium_core::settings::{InvalidSetting, Range, Value};
use vivarium_core::sources::MOUSAVI_2025;
use vivarium_science::tokens::{
    CodeScale, MAX_NAMES, NameLists, NameRepeats, PositionCodes, PromptStreams, Teacher, TeacherKind,
    TokenPrompts,
};

choices! {
    /// Prompts on which a network is measured.
    pub enum TestPromptKind {
        /// Prompts as in training.
        Same = "same", "As in training";
        /// Prompts with one list of names for all positions, as in the authors' code.
        One = "one", "One list for all positions";
    }
}

settings! {
    /// Regression on tokens: each position names a few tokens of the prompt, and its label is a function of them.
    pub struct SparseTokenRegression {
        /// Number of positions in a prompt; each position has one token.
        length: usize = 8, "n", "Positions N", Range::Int(2, 256);
        /// Number of components of a token's vector.
        dim: usize = 1, "dim", "Components d of a token", Range::Int(1, 64);
        /// Number of names at each position; each name refers to one position, and the label depends on the tokens at these positions.
        names: usize = 2, "q", "Names q per position", Range::Int(1, MAX_NAMES as u64);
        /// Whether the same name may occur more than once at a position.
        repeats: NameRepeats = NameRepeats::Distinct, "draw", "Names", Range::Choice(NameRepeats::OPTIONS);
        /// Whether each position has a separate list of names, or all positions of a prompt share one list.
        lists: NameLists = NameLists::PerPosition, "lists", "Lists of names", Range::Choice(NameLists::OPTIONS);
        /// Lists of names in the prompts on which the network is measured.
        test: TestPromptKind = TestPromptKind::Same, "test", "Test prompts", Range::Choice(TestPromptKind::OPTIONS);
        /// Function g that computes the label from the named tokens.
        function: TeacherKind = TeacherKind::Squares, "g", "Function g", Range::Choice(TeacherKind::OPTIONS);
        /// Number of hidden units of the random network.
        units: usize = 8, "units", "Units of the random network", Range::Int(1, 32), only when "g" = "network";
        /// Vector that encodes a position; a token contains the code of its own position and the codes of the positions that it names.
        codes: PositionCodes = PositionCodes::OneHot, "codes", "Codes of positions", Range::Choice(PositionCodes::OPTIONS);
        /// Number of components of a code; with 0: N for orthogonal codes, and ⌊5 ln N⌋ for codes of random signs.
        code_dim: usize = 0, "de", "Components d_e of a code", Range::Int(0, 256), only when "codes" = "random" | "orthogonal";
        /// The factor by which codes are multiplied.
        scale: CodeScale = CodeScale::Root, "enc", "Scale of the codes", Range::Choice(CodeScale::OPTIONS);
        /// Standard deviation of Gaussian noise on the training labels.
        noise: f64 = 0.0, "noise", "Label noise σ", Range::Real(0.0, 10.0);
        /// Number of training prompts, which are sampled once and reused; with 0, every step samples new prompts.
        m: usize = 0, "m", "Sample size n", Range::Int(0, 100_000), "prompts";
    }
}

/// Largest number of numbers in cached teachers, 8 MiB: enough for thousands of runs that are trained together.
const MAX_CACHED_NUMBERS: usize = 1 << 20;

#[cfg(test)]
thread_local! {
    /// Number of teachers that this thread has drawn, for tests.
    static DRAWN_TEACHERS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl SparseTokenRegression {
    /// Slug, name, summary and sources of this task.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "sparse-token-regression",
        name: "Sparse token regression",
        about: "Each position of a prompt contains a token and the positions (“names”) of a few tokens. The label of the position is a function of these few tokens.",
        sources: &[MOUSAVI_2025],
    };

    /// Charts that only runs of this task have.
    pub const CHARTS: &[Chart] = charts::CHARTS;

    /// Definitions of the measures of this task (loss, accuracy and further ones), in lists.
    pub const MEASURES: &[&[MeasureInfo]] = &[&measures::PROMPT_MEASURES];

    /// Specification, from the settings of this task, of the prompts: tokens, names, labels and row layout.
    pub fn prompt_spec(&self) -> TokenPrompts {
        let SparseTokenRegression { length, dim, names, repeats, function, units, codes, scale, .. } = *self;
        let code_dim = codes.dimension(length, self.code_dim);
        TokenPrompts {
            length,
            dim,
            names,
            repeats,
            function,
            hidden_units: units,
            codes,
            code_dim,
            code_scaling: scale,
        }
    }

    /// Teacher, a random function, that gives the labels. It is cached with the moments of its random network, since
    /// every batch needs it.
    pub fn teacher(&self, seed: u64) -> Rc<Teacher> {
        /// Slug of the label's function, [names per position, components of a token, hidden units of the teacher], and
        /// seed.
        type CacheKey = (&'static str, [usize; 3], u64);
        thread_local! {
            /// Teachers, the random functions that give the labels, that this thread has drawn, by settings and seed.
            static CACHE: RefCell<BoundedCache<CacheKey, Rc<Teacher>>> =
                const { RefCell::new(BoundedCache::new(MAX_CACHED_NUMBERS)) };
        }
        let SparseTokenRegression { names, dim, units, function, .. } = *self;
        // As many numbers as it may have, and room for itself.
        let size = 64 + units * names * dim;
        let draw = || {
            #[cfg(test)]
            DRAWN_TEACHERS.set(DRAWN_TEACHERS.get() + 1);
            Rc::new(self.prompt_spec().teacher(seed))
        };
        let key = (function.slug(), [names, dim, units], seed);
        CACHE.with_borrow_mut(|known| known.get_or_compute(key, size, draw))
    }

    /// Appends prompts to `out`; their tokens and the positions that they name are drawn from the random streams of the
    /// two purposes.
    fn append_prompts(
        &self,
        seed: u64,
        replica: u32,
        [tokens, names]: [Purpose; 2],
        step: u64,
        examples: impl Iterator<Item = usize>,
        out: &mut Batch,
    ) {
        let (prompts, stream) = (self.prompt_spec(), |purpose| RandomStream::new(seed, purpose, replica));
        let is_test = tokens == Purpose::HeldOut;
        // Noise of a fixed training set is drawn with it, far from that of any batch.
        let noise = (self.noise > 0.0 && !is_test).then(|| (stream(Purpose::Noise), self.noise));
        let lists = if is_test && self.test == TestPromptKind::One { NameLists::Shared } else { self.lists };
        let from = PromptStreams { tokens: stream(tokens), names: stream(names), noise, lists };
        let begin = out.x.len();
        prompts.append_prompts(&self.teacher(seed), &from, step, examples, &mut out.x);
        let rows = out.x[begin..].chunks(prompts.row_len());
        out.y.extend(rows.map(|row| prompts.split_row(row).2[0]));
    }
}

impl ToPyTorch for SparseTokenRegression {
    fn to_pytorch(&self, seed: u64) -> Result<ScriptPart, String> {
        let (prompts, list) = (self.prompt_spec(), |numbers: &[f64]| {
            format!("[{}]", numbers.iter().map(|x| settings::format_real(*x)).collect::<Vec<_>>().join(", "))
        });
        let mut settings = vec![
            ("code_dim", prompts.code_dim.to_string()),
            ("code_scale", settings::format_real(f64::from(prompts.code_scale()))),
            ("variance", settings::format_real(prompts.label_variance(seed))),
        ];
        // What is drawn of g is written down: a network that begins from weights of the page goes on with the same g.
        let table = |columns: usize, numbers: &[f64]| {
            let rows: Vec<String> = numbers.chunks(columns).map(list).collect();
            format!("[\n        {},\n    ]", rows.join(",\n        "))
        };
        let teacher = self.teacher(seed);
        if let Some(u) = teacher.linear_direction() {
            settings.push(("teacher_w", table(1, u)));
        }
        if self.function == TeacherKind::Network {
            let readout = teacher.build_readout(1);
            settings.push(("teacher_w", table(readout.a.len(), &readout.w)));
            settings.push(("teacher_a", list(&readout.a)));
            settings.push(("teacher_c", settings::format_real(readout.c)));
        }
        let code = vec![super::pytorch::EXAMPLES_SCRIPT, include_str!("pytorch/prompts.py")];
        Ok(ScriptPart { code, settings, ..ScriptPart::default() })
    }
}

impl TaskConfig for SparseTokenRegression {
    fn default_run(&self) -> SettingDefaults {
        &[
            ("enc", "one"),
            ("model", "token-attention"),
            ("opt", "adam"),
            ("lr", "0.003"),
            ("loss", "square"),
            ("batch", "64"),
            ("steps", "4000"),
            ("target", "0.95"),
            ("halt", "steps"),
            ("held", "2000"),
        ]
    }

    fn default_view(&self) -> SettingDefaults {
        &[("show", "error.qk.glances"), ("speed", "200")]
    }

    fn expected_view_value(&self, key: &str, value: &Value) -> Option<String> {
        let Value::Schedule(changes) = value else { return None };
        let n = self.length;
        let (places, is_sound): (usize, fn(f64, usize) -> bool) = match key {
            "named" => (n * self.names, |name, n| name.fract() == 0.0 && name <= n as f64),
            "tokens" => (n * self.dim, |_, _| true),
            _ => return None,
        };
        let fits = |(place, value): &(u64, f64)| (1..=places as u64).contains(place) && is_sound(*value, n);
        (!changes.iter().all(fits)).then(|| match key {
            "named" => tr!("pairs name:position, for example 3:1_5:2; the names of all positions are numbered from 1 to {places}, and the positions are numbered from 1 to {n}", places, n),
            _ => tr!("pairs index:value, for example 3:0.5_5:-1; the components of all tokens have the indices 1 to {places}", places),
        })
    }
}

impl Examples for SparseTokenRegression {
    fn measure_names(&self) -> MeasureNames {
        MeasureNames { names: measures::names_of(&measures::PROMPT_MEASURES), ..MeasureNames::default() }
    }

    fn data(&self) -> TaskData {
        TaskData::Prompts(self.prompt_spec())
    }

    fn inputs(&self) -> usize {
        self.prompt_spec().encoded_dim()
    }

    fn columns(&self) -> usize {
        self.prompt_spec().row_len()
    }

    fn prediction_count(&self) -> usize {
        self.length
    }

    fn training_set_size(&self) -> Option<usize> {
        (self.m > 0).then_some(self.m)
    }

    fn invalid_settings(&self) -> Vec<InvalidSetting> {
        let (mut errors, n) = (vec![], self.length);
        if self.repeats == NameRepeats::Distinct && self.names > n {
            let expected = tr!("at most N = {n}, since all names of a position are different", n);
            errors.push(InvalidSetting::new("q", &self.names.to_string(), expected));
        }
        if self.codes == PositionCodes::Orthogonal && (1..n).contains(&self.code_dim) {
            let expected =
                tr!("0, or at least N = {n}, because N orthogonal codes need at least N components each", n);
            errors.push(InvalidSetting::new("de", &self.code_dim.to_string(), expected));
        }
        let columns = bounds::saturating_product([n, self.dim + self.names + 1]);
        if bounds::saturating_product([self.m as u64, columns]) > MAX_TRAINING_SET_ENTRIES {
            let expected = tr!(
                "at most {most} for prompts of {columns} numbers",
                most = MAX_TRAINING_SET_ENTRIES / columns,
                columns
            );
            errors.push(InvalidSetting::new("m", &self.m.to_string(), expected));
        }
        errors
    }
}

impl Sampler for SparseTokenRegression {
    fn label_variance(&self, seed: u64) -> Option<f64> {
        Some(self.prompt_spec().label_variance(seed))
    }

    fn sample(&self, seed: u64, replica: u32, step: u64, size: usize, out: &mut Batch) {
        if self.m == 0 {
            return self.append_prompts(seed, replica, [Purpose::Batch, Purpose::Names], step, 0..size, out);
        }
        let visits = self.batch_indices(seed, replica, step, size).into_iter();
        self.append_prompts(seed, replica, [Purpose::Sample, Purpose::SampleNames], u64::MAX, visits, out);
    }

    fn append_held_out(&self, seed: u64, from: usize, size: usize, out: &mut Batch) {
        self.append_prompts(seed, 0, [Purpose::HeldOut, Purpose::HeldOutNames], 0, from..from + size, out);
    }

    fn append_training_set(&self, seed: u64, replica: u32, from: usize, size: usize, out: &mut Batch) {
        let until = (from + size).min(self.m);
        self.append_prompts(
            seed,
            replica,
            [Purpose::Sample, Purpose::SampleNames],
            u64::MAX,
            from..until,
            out,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_visited_as_they_were_drawn() {
        let task = SparseTokenRegression { m: 40, noise: 0.5, ..Default::default() };
        let (mut whole, mut batch, columns) = (Batch::default(), Batch::default(), task.columns());
        task.append_training_set(5, 2, 0, 40, &mut whole);
        task.sample(5, 2, 7, 8, &mut batch);
        for (at, visit) in task.batch_indices(5, 2, 7, 8).into_iter().enumerate() {
            assert_eq!(batch.x[at * columns..][..columns], whole.x[visit * columns..][..columns]);
        }
        assert_eq!(whole.len(), 40);
    }

    #[test]
    fn the_teacher_is_drawn_once_and_the_labels_are_the_same_bit_for_bit() {
        DRAWN_TEACHERS.set(0);
        for (at, function) in TeacherKind::ALL.iter().copied().enumerate() {
            let task = SparseTokenRegression { function, dim: 3, units: 5, ..Default::default() };
            let prompts = task.prompt_spec();
            for step in 0..4 {
                for seed in [3, 4] {
                    let mut batch = Batch::default();
                    task.sample(seed, 1, step, 6, &mut batch);
                    let stream = |purpose| RandomStream::new(seed, purpose, 1);
                    let (tokens, names) = (stream(Purpose::Batch), stream(Purpose::Names));
                    let from = PromptStreams { tokens, names, noise: None, lists: task.lists };
                    let mut expected = vec![];
                    prompts.append_prompts(&prompts.teacher(seed), &from, step, 0..6, &mut expected);
                    assert_eq!(batch.x, expected, "{function:?}");
                    task.append_held_out(seed, 0, 5, &mut batch);
                }
            }
            assert_eq!(DRAWN_TEACHERS.get(), 2 * (at + 1), "one for each seed");
        }
        // Those of another size or with other units are others.
        let task = SparseTokenRegression { function: TeacherKind::Network, ..Default::default() };
        for other in
            [SparseTokenRegression { units: 9, ..task.clone() }, SparseTokenRegression { dim: 2, ..task }]
        {
            assert_eq!(*other.teacher(3), other.prompt_spec().teacher(3));
        }
    }

    #[test]
    fn noise_is_on_training_labels_alone() {
        let (plain, noisy) =
            (SparseTokenRegression::default(), SparseTokenRegression { noise: 0.5, ..Default::default() });
        let drawn = |task: &SparseTokenRegression, held_out: bool| {
            let mut batch = Batch::default();
            match held_out {
                true => task.append_held_out(1, 0, 2000, &mut batch),
                false => task.sample(1, 0, 3, 2000, &mut batch),
            }
            batch.x
        };
        assert_eq!(drawn(&plain, true), drawn(&noisy, true));
        let (a, b) = (drawn(&plain, false), drawn(&noisy, false));
        let squares = a.iter().zip(&b).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>();
        assert!((squares / 16_000.0 - 0.25).abs() < 0.01, "{squares}");
    }

    #[test]
    fn the_test_may_have_one_list_where_training_has_many() {
        let task = SparseTokenRegression { test: TestPromptKind::One, ..Default::default() };
        let (prompts, mut test, mut train) = (task.prompt_spec(), Batch::default(), Batch::default());
        task.append_held_out(1, 0, 50, &mut test);
        task.sample(1, 0, 0, 50, &mut train);
        let same = |row: &[f32]| {
            prompts.split_row(row).1.chunks(2).all(|list| list == &prompts.split_row(row).1[..2])
        };
        assert!(test.x.chunks(prompts.row_len()).all(same));
        assert!(!train.x.chunks(prompts.row_len()).all(same));
    }

    #[test]
    fn the_script_asks_for_settings_that_there_are() {
        let mut written = vec!["batch", "held"];
        for function in [TeacherKind::Linear, TeacherKind::Network] {
            let task = SparseTokenRegression { function, ..Default::default() };
            written.extend(task.to_pytorch(0).unwrap().settings.into_iter().map(|(key, _)| key));
        }
        let (task, script) = (SparseTokenRegression::default(), include_str!("pytorch/prompts.py"));
        let asked: Vec<&str> =
            script.split("S[\"").skip(1).filter_map(|rest| Some(rest.split_once("\"]")?.0)).collect();
        assert!(asked.len() > 15);
        for key in asked {
            assert!(written.contains(&key) || settings::Settings::value(&task, key).is_some(), "{key}");
        }
    }

    #[test]
    fn changes_of_a_prompt_that_it_cannot_have_are_named() {
        let task = SparseTokenRegression::default();
        let problem = |key: &str, changes: &[(u64, f64)]| {
            task.expected_view_value(key, &Value::Schedule(changes.to_vec()))
        };
        assert_eq!(problem("named", &[(1, 8.0), (16, 1.0)]), None);
        assert_eq!(problem("tokens", &[(8, -0.5)]), None);
        for (key, change) in
            [("named", (17, 1.0)), ("named", (1, 9.0)), ("named", (1, 1.5)), ("tokens", (9, 0.0))]
        {
            assert!(problem(key, &[change]).is_some_and(|expected| {
                expected.starts_with(if key == "named" { "pairs name:position" } else { "pairs index:value" })
            }));
        }
        assert_eq!(problem("lrs", &[(99, 0.0)]), None);
    }

    #[test]
    fn impossible_settings_are_named() {
        for (task, key, expected) in [
            (
                SparseTokenRegression { length: 3, names: 4, ..Default::default() },
                "q",
                "at most N = 3, since all names of a position are different",
            ),
            (
                SparseTokenRegression { codes: PositionCodes::Orthogonal, code_dim: 5, ..Default::default() },
                "de",
                "0, or at least N = 8, because N orthogonal codes need at least N components each",
            ),
            (
                SparseTokenRegression { length: 256, dim: 64, m: 4000, ..Default::default() },
                "m",
                "at most 244 for prompts of 17152 numbers",
            ),
        ] {
            let problems = task.invalid_settings();
            assert_eq!(problems.len(), 1, "{problems:?}");
            assert_eq!((problems[0].key.as_str(), problems[0].expected.as_str()), (key, expected));
        }
        assert!(
            SparseTokenRegression {
                names: 4,
                length: 3,
                repeats: NameRepeats::Independent,
                ..Default::default()
            }
            .invalid_settings()
            .is_empty()
        );
    }
}
