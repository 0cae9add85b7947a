//! Teacher and student: the label is the output of a linear classifier with random weights, the teacher.
//!
//! Inputs x ∈ {−1, +1}ⁿ are uniform, the teacher's weights w* are drawn once from N(0, I), and
//!
//! ```text
//! y = sign(w*·x)
//! ```
//!
//! For a student that answers sign(w·x), the probability of a wrong answer depends on the overlap R alone, the cosine of
//! the angle between w and w*, as n grows: (1/π) arccos R (Vallet 1989; Engel and Van den Broeck 2001, chapter 1).
//!
//! ```
//! use vivarium_model::tasks::{Batch, Sampler, TeacherStudent};
//! let task = TeacherStudent { n: 20, ..Default::default() };
//! let (mut batch, teacher) = (Batch::default(), task.teacher(3));
//! task.append_held_out(3, 0, 50, &mut batch);
//! let field = |e: usize| (0..20).map(|i| teacher[i] * f64::from(batch.x[e * 20 + i])).sum::<f64>();
//! assert!((0..50).all(|e| field(e) * f64::from(batch.y[e]) > 0.0));
//! ```

pub mod charts;

use super::{
    Batch, Examples, MeasureInfo, Sampler, SettingDefaults, TaskConfig, TaskData, measures, pytorch,
};
use crate::chart::Chart;
use vivarium_core::bounds::{self, MAX_TRAINING_SET_ENTRIES};
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::rng::{Purpose, RandomStream};
use vivarium_core::settings;
use vivarium_core::settings::{InvalidSetting, Range};
use vivarium_core::sources::Source;

settings! {
    /// Linear classification: the label is the output of a linear teacher with random weights.
    pub struct TeacherStudent {
        /// Number of components of each input; the teacher has one weight for each component.
        n: usize = 100, "n", "Inputs n", Range::Int(2, 2048);
        /// Number of training examples, sampled once and used again and again; 0 means new examples at every step.
        m: usize = 0, "m", "Sample size m", Range::Int(0, 100_000), "examples";
    }
}

impl TeacherStudent {
    /// Slug, name, summary and sources of this task.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "teacher-student",
        name: "Teacher and student",
        about: "The label is the answer of a linear classifier with random weights, the teacher. A network, the student, learns to give the same answers.",
        sources: &[Source {
            cite: "Vallet 1989",
            title: "The Hebb Rule for Learning Linearly Separable Boolean Functions: Learning and Generalization (Europhysics Letters 8)",
            url: "https://doi.org/10.1209/0295-5075/8/8/008",
        }],
    };

    /// Charts that only runs of this task have.
    pub const CHARTS: &[Chart] = charts::CHARTS;

    /// Definitions of the measures of this task (loss, accuracy and further ones), in lists.
    pub const MEASURES: &[&[MeasureInfo]] = &[&measures::SIGN_LABEL_MEASURES];

    /// Weights w* of the linear teacher that gives the labels in a run with this seed, `[n]` for n inputs.
    pub fn teacher(&self, seed: u64) -> Vec<f64> {
        let stream = RandomStream::new(seed, Purpose::Support, 0);
        (0..self.n as u32).map(|i| f64::from(stream.draw_normal(0, i))).collect()
    }

    /// Appends the examples with the indices `examples` (from 0) that `stream` draws at `step`, with the labels of the
    /// teacher of `seed`.
    fn append_examples(
        &self,
        seed: u64,
        stream: RandomStream,
        step: u64,
        examples: impl Iterator<Item = usize>,
        out: &mut Batch,
    ) {
        let (teacher, mut words) = (self.teacher(seed), vec![0; self.n]);
        for example in examples {
            stream.fill_u32(step, (example * self.n) as u32, &mut words);
            let sign = |word: &u32| if word >> 31 == 0 { 1.0f32 } else { -1.0 };
            out.x.extend(words.iter().map(sign));
            let field: f64 = words.iter().map(sign).zip(&teacher).map(|(x, w)| f64::from(x) * w).sum();
            out.y.push(if field < 0.0 { -1.0 } else { 1.0 });
        }
    }
}

impl ToPyTorch for TeacherStudent {
    fn to_pytorch(&self, seed: u64) -> Result<ScriptPart, String> {
        // The teacher is written down: a student that begins from weights of the page goes on with the same teacher.
        let teacher: Vec<String> = self.teacher(seed).into_iter().map(settings::format_real).collect();
        let code = vec![
            pytorch::EXAMPLES_SCRIPT,
            include_str!("pytorch/teacher.py"),
            pytorch::UNIFORM_BITS_SCRIPT,
            pytorch::SIGN_LOSSES_SCRIPT,
        ];
        Ok(ScriptPart {
            code,
            settings: vec![("teacher", format!("[{}]", teacher.join(", ")))],
            ..ScriptPart::default()
        })
    }
}

impl TaskConfig for TeacherStudent {
    fn default_run(&self) -> SettingDefaults {
        &[
            ("model", "perceptron"),
            ("loss", "corr"),
            ("lr", "1"),
            ("batch", "1"),
            ("steps", "2000"),
            ("target", "0.9"),
            ("halt", "steps"),
            ("every", "20"),
            ("held", "4096"),
        ]
    }

    fn default_view(&self) -> SettingDefaults {
        &[("show", "accuracy.weights.overlap"), ("speed", "200")]
    }
}

impl Examples for TeacherStudent {
    fn data(&self) -> TaskData {
        TaskData::Bits(None)
    }

    fn inputs(&self) -> usize {
        self.n
    }

    fn training_set_size(&self) -> Option<usize> {
        (self.m > 0).then_some(self.m)
    }

    fn invalid_settings(&self) -> Vec<InvalidSetting> {
        if bounds::saturating_product([self.m, self.n]) <= MAX_TRAINING_SET_ENTRIES {
            return vec![];
        }
        let expected =
            tr!("at most {most} for n = {n}", most = MAX_TRAINING_SET_ENTRIES / self.n as u64, n = self.n);
        vec![InvalidSetting::new("m", &self.m.to_string(), expected)]
    }
}

impl Sampler for TeacherStudent {
    fn sample(&self, seed: u64, replica: u32, step: u64, size: usize, out: &mut Batch) {
        if self.m == 0 {
            return self.append_examples(
                seed,
                RandomStream::new(seed, Purpose::Batch, replica),
                step,
                0..size,
                out,
            );
        }
        let visits = self.batch_indices(seed, replica, step, size);
        self.append_examples(
            seed,
            RandomStream::new(seed, Purpose::Sample, replica),
            0,
            visits.into_iter(),
            out,
        );
    }

    fn append_held_out(&self, seed: u64, from: usize, size: usize, out: &mut Batch) {
        self.append_examples(seed, RandomStream::new(seed, Purpose::HeldOut, 0), 0, from..from + size, out);
    }

    fn append_training_set(&self, seed: u64, replica: u32, from: usize, size: usize, out: &mut Batch) {
        let until = (from + size).min(self.m);
        self.append_examples(seed, RandomStream::new(seed, Purpose::Sample, replica), 0, from..until, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_visited_as_they_were_drawn_and_labels_are_balanced() {
        let task = TeacherStudent { n: 9, m: 40 };
        let (mut whole, mut batch) = (Batch::default(), Batch::default());
        task.append_training_set(5, 2, 0, 40, &mut whole);
        task.sample(5, 2, 7, 8, &mut batch);
        for (at, visit) in task.batch_indices(5, 2, 7, 8).into_iter().enumerate() {
            assert_eq!(batch.x[at * 9..][..9], whole.x[visit * 9..][..9]);
            assert_eq!(batch.y[at], whole.y[visit]);
        }
        let (task, mut many) = (TeacherStudent::default(), Batch::default());
        task.append_held_out(1, 0, 8192, &mut many);
        assert!(many.y.iter().sum::<f32>().abs() < 0.05 * 8192.0);
        assert!(many.x.iter().all(|x| x.abs() == 1.0));
    }
}
