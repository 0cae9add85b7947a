//! What the networks of a batch are trained and measured on, in one buffer; runs on the same examples share them.

use crate::session::bit_packed;
use crate::session::learner::MEASURE_SAMPLE;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Task;

/// Where the data of one run lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Data {
    /// Where its relevant inputs are listed, and how many they are.
    pub relevant: [usize; 2],
    /// Where the rows of the first replica's finite sample lie, words of each replica, and how many rows.
    pub rows: [usize; 3],
    /// Where its held-out examples lie.
    pub held_out: usize,
    /// What is measured of the finite samples, if there are any.
    pub seen: Option<Seen>,
}

/// Examples of finite samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Seen {
    /// Where those of the first replica lie.
    pub first: usize,
    /// Words of each replica.
    pub own: usize,
    /// Examples of each replica.
    pub count: usize,
}

/// What examples follow from: the task, the seed, the replicas and how many are held out.
type Origin = (Task, u64, usize, usize);

/// The words of all runs.
#[derive(Default)]
pub(crate) struct Words {
    words: Vec<u32>,
    known: Vec<(Origin, Data)>,
}

/// Words that the data of `spec` take, for an estimate.
pub(crate) fn words_of(spec: &RunSpec) -> u64 {
    let task = spec.task.sampler();
    let (inputs, size) = (task.inputs(), task.training_set_size().unwrap_or(0));
    let seen = size.min(MEASURE_SAMPLE).div_ceil(32) * (inputs + 1);
    let held_out = spec.held_out_count().div_ceil(32) * (inputs + 1);
    held_out as u64 + spec.run.replicas as u64 * (size * (inputs / 32 + 1) + seen) as u64
}

impl Words {
    /// Adds what `spec` needs.
    pub fn add(&mut self, spec: &RunSpec) -> Data {
        let origin = (spec.task.clone(), spec.run.seed, spec.run.replicas, spec.held_out_count());
        if let Some((_, data)) = self.known.iter().find(|(known, _)| *known == origin) {
            return *data;
        }
        let relevant = spec.task.examples().relevant(spec.run.seed);
        let relevant = [self.push(relevant.iter().map(|i| *i as u32).collect()), relevant.len()];
        let (rows, size) = (bit_packed::rows(spec), spec.task.examples().training_set_size().unwrap_or(0));
        let own = rows.len() / spec.run.replicas;
        let rows = [self.push(rows), own, size];
        let held_out = self.push(bit_packed::held_out(spec, spec.held_out_count()));
        let mut seen: Option<Seen> = None;
        for replica in 0..spec.run.replicas as u32 {
            let Some((words, count)) = bit_packed::seen(spec, replica) else { break };
            let own = words.len();
            let first = self.push(words);
            seen.get_or_insert(Seen { first, own, count });
        }
        let data = Data { relevant, rows, held_out, seen };
        self.known.push((origin, data));
        data
    }

    fn push(&mut self, words: Vec<u32>) -> usize {
        let at = self.words.len();
        self.words.extend(words);
        at
    }

    /// All of them; never none, since there is no empty buffer.
    pub fn into_words(mut self) -> Vec<u32> {
        if self.words.is_empty() {
            self.words.push(0);
        }
        self.words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::permalink::decode;

    #[test]
    fn runs_on_the_same_examples_share_them() {
        let spec = |query: &str| decode(&format!("#v1/sparse-parity?n=33&held=100&{query}")).0.spec;
        let mut words = Words::default();
        let first = spec("m=70&replicas=3&width=10");
        let data = words.add(&first);
        assert_eq!(data, words.add(&spec("m=70&replicas=3&width=99&lr=1&wd=0.1")));
        assert_eq!(words.words.len() as u64, words_of(&first) + 3);
        assert_eq!((data.rows[1], data.rows[2]), (140, 70));
        assert_eq!(data.seen.map(|seen| (seen.own, seen.count)), Some((3 * 34, 70)));
        for other in ["m=70&replicas=3&seed=1", "m=71&replicas=3", "m=70&replicas=3&noise=0.1"] {
            assert_ne!(data, words.add(&spec(other)), "{other}");
        }
        let fresh = words.add(&spec("replicas=2"));
        assert_eq!((fresh.rows[1], fresh.rows[2], fresh.seen), (0, 0, None));
    }
}
