//! The induction head that is written down by hand (Edelman 2024, proposition 8.2).
//!
//! ```text
//! z = (current symbol, previous symbol, output), three blocks of k = symbols columns each
//! layer 1   z_i W_Q = (c e_{x_i}, 0, 0), W_K = 0, R_1 = (1, 0, 0): A_ij = c/√d · 1[j = i−1]
//!           W_V moves the current symbol to the block of the previous one
//! layer 2   z_i W_Q = (c e_{x_i}, 0, 0), z_j W_K = (e_{x_{j−1}}, 0, 0), R = 0: A_ij = c/√d · 1[x_{j−1} = x_i]
//!           W_V moves the current symbol to the output
//! logits    a times the output
//! ```
//!
//! As c grows, each place of the second layer looks evenly at the places whose previous symbol is x_i, and its output
//! tends to the frequencies of the symbols that have followed x_i. Two things are as they are in so small a network.
//! The first symbol has none before it, so its own layer 1 looks at itself: it counts as having followed itself. And
//! where no place has x_i before it, all scores are equal, and the output is the frequencies of all symbols so far.
//!
//! The thesis also has c in the second W_K, but not in the scores that it draws from it; here those hold. Its softmax
//! of the second layer is printed as 1[j = i − 1], and the first scores lack 1/√d.

use super::{AttentionOnly, Beginning, Block, Norm, Positions};
use crate::tasks::Task;
use vivarium_core::settings::{InvalidSetting, Settings};

impl AttentionOnly {
    /// The weights of the induction head of proposition 8.2, in the order of
    /// [`Architecture::parameters`](crate::models::Architecture::parameters), if that is what a run begins from and
    /// nothing [stands in its way](Self::induction_head_problems).
    pub fn induction_head(&self, task: &Task) -> Option<Vec<Vec<f32>>> {
        let Task::MarkovChain(chain) = task else { return None };
        (self.from == Beginning::Circuit).then(|| self.all_layers(chain.symbols, chain.length))?
    }

    /// The weights that are written by hand where only a part of the induction head of proposition 8.2 is: their numbers in
    /// the order of [`Architecture::parameters`](crate::models::Architecture::parameters), with the weights of one
    /// network. `None` where the settings do not fit or no part is written by hand.
    pub(super) fn given_weights(&self, symbols: usize, length: usize) -> Option<Vec<(usize, Vec<f32>)>> {
        let layer = match self.from {
            Beginning::Drawn | Beginning::Circuit => return None,
            Beginning::Embedding => None,
            Beginning::First => Some(0),
            Beginning::Second => Some(1),
        };
        let all = self.all_layers(symbols, length)?.into_iter().enumerate();
        Some(all.filter(|(which, _)| self.layer_of(*which).is_none_or(|of| Some(of) == layer)).collect())
    }

    /// All weights of the induction head for sequences of `length` of the given number of symbols; `None` where the
    /// settings of the network do not fit.
    fn all_layers(&self, symbols: usize, length: usize) -> Option<Vec<Vec<f32>>> {
        if !self.unmet(symbols).is_empty() {
            return None;
        }
        let (k, d) = (symbols, self.hidden);
        let places = self.places();
        // A k by k block of a matrix of `rows` rows that is `value` times the identity.
        let block = |rows: usize, columns: usize, [row, column]: [usize; 2], value: f64| {
            let mut matrix = vec![0.0; rows * columns];
            (0..k).for_each(|i| matrix[(row * k + i) * columns + column * k + i] = value as f32);
            matrix
        };
        let square = |at: [usize; 2], value: f64| block(d, d, at, value);
        let mut weights = vec![vec![]; places.readout + 1];
        weights[places.embed] = block(k, d, [0, 0], 1.0);
        for (layer, at) in places.layers.iter().enumerate() {
            weights[at.query] = square([0, 0], self.sharpness);
            weights[at.key] = square([1, 0], layer as f64);
            weights[at.value] = square([0, layer + 1], 1.0);
            let mut distances = vec![0.0; length * d];
            if layer == 0 {
                distances[d..d + k].fill(1.0);
            }
            weights[at.distances?] = distances;
        }
        weights[places.readout] = block(d, k, [2, 0], self.slope);
        Some(weights)
    }

    /// What stands in the way of the induction head of proposition 8.2, each with what would be right; nothing where a
    /// run does not begin from it.
    pub fn induction_head_problems(&self, task: &Task) -> Vec<InvalidSetting> {
        match task {
            Task::MarkovChain(chain) if self.from != Beginning::Drawn => self.unmet(chain.symbols),
            _ => vec![],
        }
    }

    /// The settings that do not fit the induction head for the given number of symbols, each with the value that fits.
    fn unmet(&self, symbols: usize) -> Vec<InvalidSetting> {
        let wide = 3 * symbols;
        let unmet = [
            ("d", self.hidden != wide, format!("{wide}, three blocks of k = {symbols}")),
            ("heads", self.heads != [1, 1], "1.1, one head in each of two layers".into()),
            (
                "pos",
                self.positions != Positions::Relative,
                "relative, for a head that attends to the previous symbol".into(),
            ),
            (
                "norm",
                self.norm != Norm::None,
                "none: the induction head is written for the plain formulas".into(),
            ),
            ("mlp", self.mlp != Block::Off, "off: the induction head uses attention only".into()),
        ];
        let problem = |(key, _, expected): (&str, bool, String)| {
            let found = self.value(key).map(|value| value.to_string()).unwrap_or_default();
            InvalidSetting::new(key, &found, expected)
        };
        unmet.into_iter().filter(|(_, unmet, _)| *unmet).map(problem).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::attention_only::{OfLength, Plain};
    use crate::permalink::{decode, encode};
    use crate::tasks::MarkovChain;
    use vivarium_core::rng::{Purpose, RandomStream};

    /// The network written for k symbols and contexts of `length`.
    fn circuit(symbols: usize, length: usize, sharpness: f64, slope: f64) -> Plain {
        let net = AttentionOnly {
            hidden: 3 * symbols,
            from: Beginning::Circuit,
            sharpness,
            slope,
            ..Default::default()
        };
        let task = Task::MarkovChain(MarkovChain { symbols, length, ..Default::default() });
        let written = net.induction_head(&task).unwrap();
        let weights: Vec<&[f32]> = written.iter().map(Vec::as_slice).collect();
        OfLength { net, length }.plain(&weights, symbols)
    }

    /// Whether place j has symbol `x` before it; the first counts as its own.
    fn follows(context: &[u8], j: usize, x: u8) -> bool {
        context[j.saturating_sub(1)] == x
    }

    #[test]
    fn sharp_attention_counts_what_has_followed_the_current_symbol() {
        let (mut none, t) = (0, 30);
        for k in 2..=4 {
            let plain = circuit(k, t, 200.0, 1.0);
            for seed in 0..20 {
                let stream = RandomStream::new(seed, Purpose::Batch, k as u32);
                let context: Vec<u8> =
                    (0..t as u32).map(|i| (stream.draw_u32(0, i) as usize % k) as u8).collect();
                let look = plain.look(&context, &[]);
                let [first, second] = &look.heads[..] else { panic!() };
                for i in 0..t {
                    let matches: Vec<usize> = (0..=i).filter(|j| follows(&context, *j, context[i])).collect();
                    none += usize::from(matches.is_empty());
                    let all: Vec<usize> = (0..=i).collect();
                    let seen = if matches.is_empty() { &all } else { &matches };
                    for j in 0..t {
                        let expected = if j == i.saturating_sub(1) { 1.0 } else { 0.0 };
                        assert!((first.shares[i * t + j] - expected).abs() < 1e-6);
                        let even = if seen.contains(&j) { 1.0 / seen.len() as f64 } else { 0.0 };
                        assert!((second.shares[i * t + j] - even).abs() < 1e-6, "{k} {context:?} {i} {j}");
                    }
                    for next in 0..k {
                        let times = seen.iter().filter(|j| usize::from(context[**j]) == next).count();
                        let expected = times as f64 / seen.len() as f64;
                        assert!((look.logits[i * k + next] - expected).abs() < 1e-6);
                    }
                }
            }
        }
        assert!(none > 50, "places where the symbol is new were among them: {none}");
    }

    /// Where the current symbol is not the first, what the network counts are pairs alone.
    #[test]
    fn frequencies_are_those_of_pairs_but_for_the_first_symbol() {
        let plain = circuit(3, 12, 150.0, 1.0);
        let context = [2, 0, 1, 0, 0, 1, 1, 0, 2, 1, 0, 1];
        let logits = plain.look(&context, &[]).logits;
        // After 1: 0, 1, 0, 0; after 0: 1, 0, 1, 2, 1; after 2: itself, 0, 1.
        let expected: [(usize, [f64; 3]); 2] = [(11, [0.75, 0.25, 0.0]), (10, [0.25, 0.5, 0.25])];
        for (i, expected) in expected {
            logits[i * 3..][..3]
                .iter()
                .zip(expected)
                .for_each(|(f, e)| assert!((f - e).abs() < 1e-6, "{f} {e}"));
        }
        let after: [f64; 3] = [0.5, 0.0, 0.5];
        logits[8 * 3..][..3].iter().zip(after).for_each(|(f, e)| assert!((f - e).abs() < 1e-6, "{f} {e}"));
    }

    #[test]
    fn scores_are_the_sharpness_over_the_root_of_d() {
        let look = circuit(2, 5, 7.0, 3.0).look(&[0, 1, 0, 0, 1], &[]);
        let score = 7.0 / 6f64.sqrt();
        // As single precision keeps them; the second layer's keys are what the first one mixed.
        assert!((look.heads[0].scores[4 * 5 + 3] - score).abs() < 1e-12);
        assert_eq!(look.heads[0].scores[4 * 5 + 4], 0.0);
        let mixed: f64 = look.heads[0].shares[3 * 5..4 * 5]
            .iter()
            .zip([0.0, 1.0, 0.0, 0.0, 1.0])
            .map(|(a, b)| a * b)
            .sum();
        assert!((look.heads[1].scores[4 * 5 + 3] - score * mixed).abs() < 1e-12);
    }

    /// A chain with rows uniform on the simplex, and a context of `length` symbols from its stationary law, by inverse
    /// distribution functions: the chain, row by row, and the context.
    fn drawn(k: usize, length: usize, number: u64) -> (Vec<f64>, Vec<u8>) {
        let chain = RandomStream::new(11, Purpose::Chain, k as u32);
        let mut rows = vec![];
        for row in 0..k {
            let unit = |i: usize| f64::from(chain.draw_uniform(number, (row * (k - 1) + i) as u32));
            let mut cuts: Vec<f64> = (0..k - 1).map(unit).chain([0.0, 1.0]).collect();
            cuts.sort_unstable_by(f64::total_cmp);
            rows.extend(cuts.windows(2).map(|w| w[1] - w[0]));
        }
        // Powers of a chain that stays where it is half of the time: it has no period.
        let mut power: Vec<f64> = rows
            .iter()
            .enumerate()
            .map(|(i, p)| 0.5 * p + if i % (k + 1) == 0 { 0.5 } else { 0.0 })
            .collect();
        for _ in 0..40 {
            let entry = |i: usize| (0..k).map(|m| power[i / k * k + m] * power[m * k + i % k]).sum();
            power = (0..k * k).map(entry).collect();
        }
        let stream = RandomStream::new(11, Purpose::Batch, k as u32);
        let mut context: Vec<u8> = vec![];
        for i in 0..length as u32 {
            let law = match context.last() {
                None => &power[..k],
                Some(x) => &rows[usize::from(*x) * k..][..k],
            };
            let mut rest = f64::from(stream.draw_uniform(number, i));
            let next = law.iter().position(|p| {
                rest -= p;
                rest < 0.0
            });
            context.push(next.unwrap_or(k - 1) as u8);
        }
        (rows, context)
    }

    /// Mean KL of the chain's law and the network's prediction after the last symbol, at the best whole slope, with its
    /// standard error and that slope.
    fn divergence(k: usize, length: usize, sharpness: f64, chains: u64) -> (f64, f64, usize) {
        let plain = circuit(k, length, sharpness, 1.0);
        let mut sums = [[0.0; 2]; 6];
        for number in 0..chains {
            let (rows, context) = drawn(k, length, number);
            let logits = plain.look(&context, &[]).logits;
            let (law, frequencies) =
                (&rows[usize::from(context[length - 1]) * k..][..k], &logits[(length - 1) * k..]);
            for (slope, sums) in sums.iter_mut().enumerate() {
                let powers: Vec<f64> = frequencies.iter().map(|f| (slope as f64 * f).exp()).collect();
                let total: f64 = powers.iter().sum();
                let kl: f64 = law
                    .iter()
                    .zip(&powers)
                    .filter(|(p, _)| **p > 0.0)
                    .map(|(p, q)| p * (p * total / q).ln())
                    .sum();
                sums[0] += kl / chains as f64;
                sums[1] += kl * kl / chains as f64;
            }
        }
        let best = (0..6).min_by(|a, b| sums[*a][0].total_cmp(&sums[*b][0])).unwrap();
        let [mean, square] = sums[best];
        (mean, ((square - mean * mean) / chains as f64).sqrt(), best)
    }

    /// Against numbers that were measured once with another program, on 2,000 chains of its own.
    #[test]
    fn the_circuit_predicts_as_well_as_its_affine_read_out_allows() {
        let measured = [
            (2, 100, 5.0, 0.074),
            (2, 100, 20.0, 0.0195),
            (2, 50, 2.0, 0.0905),
            (2, 50, 10.0, 0.030),
            (2, 50, 50.0, 0.0264),
            (3, 50, 5.0, 0.147),
            (3, 50, 20.0, 0.063),
        ];
        for (k, t, sharpness, expected) in measured {
            let (mean, error, slope) = divergence(k, t, sharpness, 2000);
            // Both sides have this standard error.
            let far = (mean - expected).abs() / (2f64.sqrt() * error);
            assert!(
                far < 3.5,
                "k={k} t={t} c={sharpness}: {mean} ± {error} with a={slope}, {expected} expected"
            );
            assert!(sharpness < 20.0 || (2..=3).contains(&slope), "{slope}");
        }
    }
    #[test]
    fn a_run_begins_from_it_in_every_replica_and_keeps_it_in_its_link() {
        let link = "#v1/markov?k=3&d=9&from=circuit&c=35&replicas=2";
        let (found, notices) = decode(link);
        assert!(notices.is_empty(), "{notices:?}");
        let mut written = found.spec.initialize_parameters();
        assert_eq!(written.iter().map(Vec::len).collect::<Vec<_>>()[..2], [2 * 27, 2 * 81]);
        let query = written.swap_remove(1);
        assert_eq!(query[..81], query[81..]);
        assert_eq!(query.iter().filter(|q| **q == 35.0).count(), 6);
        assert_eq!(query.iter().filter(|q| **q == 0.0).count(), 2 * 81 - 6);
    }

    /// A width that is no three blocks cannot be mended by a default, and the run begins from drawn weights.
    #[test]
    fn a_link_that_stands_in_its_own_way_is_mended_and_says_so() {
        for settings in
            ["from=circuit", "from=circuit&d=16", "from=circuit&d=12&norm=pre", "k=3&d=6&from=circuit"]
        {
            let (link, notices) = decode(&format!("#v1/markov?{settings}"));
            assert_eq!(notices.len(), 1, "{notices:?}");
            assert!(notices[0].key == "from" && notices[0].found == "circuit", "{notices:?}");
            assert!(notices[0].expected.starts_with("drawn, or another value of d: "), "{notices:?}");
            assert!(link.spec.invalid_settings().is_empty());
            assert_eq!(link.spec.value("from").unwrap().to_string(), "drawn");
        }
        assert_eq!(
            decode("#v1/markov?from=circuit&d=12&norm=pre").0.spec.value("norm").unwrap().to_string(),
            "pre"
        );
        let settings = "d=6&heads=2&pos=absolute&norm=pre&mlp=on";
        let (link, notices) = decode(&format!("#v1/markov?from=circuit&{settings}"));
        let keys: Vec<&str> = notices.iter().map(|notice| &notice.key[..]).collect();
        assert_eq!(keys, ["heads", "pos", "norm", "mlp"], "what a default mends keeps the beginning");
        assert!(link.spec.invalid_settings().is_empty());
        assert!(link.spec.model.config().constructed(&link.spec.task, 0).is_some());
        assert!(decode(&format!("#v1/markov?{settings}")).1.is_empty());
    }

    /// Whatever else a link says: what it gives can be, is mended once for all, and begins from what it says.
    #[test]
    fn a_link_to_it_always_ends_in_something_possible() {
        let others =
            ["", "&norm=pre", "&mlp=on&pos=absolute", "&heads=5.3", "&heads=3&t=2", "&replicas=4096&t=256"];
        for k in [2, 3, 5, 8] {
            for d in [2, 6, 9, 16, 24, 128] {
                for other in others {
                    let text = format!("#v1/markov?from=circuit&k={k}&d={d}{other}");
                    let (link, _) = decode(&text);
                    assert!(link.spec.invalid_settings().is_empty(), "{text}");
                    let (again, notices) = decode(&encode(&link));
                    assert!(notices.is_empty() && again.spec == link.spec, "{text}: {notices:?}");
                    let circuit = link.spec.value("from").unwrap().to_string() == "circuit";
                    assert_eq!(
                        link.spec.model.config().constructed(&link.spec.task, 0).is_some(),
                        circuit,
                        "{text}"
                    );
                    assert!(!circuit || d == 3 * k, "{text}");
                }
            }
        }
    }

    /// Each replica has random weights of its own in the layer that is not written by hand.
    #[test]
    fn a_run_can_begin_from_a_part_of_it() {
        let weights = |from: &str| {
            let (found, notices) = decode(&format!("#v1/markov?k=2&d=6&replicas=2&seed=3&{from}"));
            assert!(notices.is_empty(), "{from}: {notices:?}");
            found.spec.initialize_parameters()
        };
        let (written, drawn) = (weights("from=circuit&c=5"), weights("from=drawn&std=0.2"));
        // embed, query, key, value and distances of both layers, readout.
        for (from, by_hand) in [
            ("from=embedding", vec![0, 9]),
            ("from=layer1&c=5", vec![0, 1, 2, 3, 4, 9]),
            ("from=layer2&c=5", vec![0, 5, 6, 7, 8, 9]),
        ] {
            let found = weights(&format!("{from}&std=0.2"));
            for which in 0..10 {
                let expected = if by_hand.contains(&which) { &written } else { &drawn };
                assert_eq!(found[which], expected[which], "{from}: parameter {which}");
            }
        }
    }

    #[test]
    fn layers_can_be_frozen() {
        let trained = |settings: &str| -> String {
            let spec = decode(&format!("#v1/markov?{settings}")).0.spec;
            let architecture = spec.architecture();
            (0..spec.parameters().len())
                .map(|which| if architecture.is_trained(which) { '1' } else { '0' })
                .collect()
        };
        assert_eq!(trained("trained=all"), "1111111111");
        assert_eq!(trained("trained=layers"), "0111111110");
        assert_eq!(trained("trained=layer1"), "0111100000");
        assert_eq!(trained("trained=layer2"), "0000011110");
        // With norms and MLPs, a layer has gains, an output projection and an MLP too.
        assert_eq!(trained("trained=layer1&norm=pre&mlp=on"), "011111111100000000000");
        let (link, notices) = decode("#v1/markov?heads=1&trained=layer2");
        assert_eq!((notices[0].key.as_str(), notices[0].found.as_str()), ("trained", "layer2"));
        assert!(link.spec.invalid_settings().is_empty());
    }

    #[test]
    fn what_stands_in_its_way_is_stated_and_nothing_is_constructed() {
        let net =
            AttentionOnly { heads: vec![2], mlp: Block::On, from: Beginning::Circuit, ..Default::default() };
        let task = Task::MarkovChain(Default::default());
        let problems = net.induction_head_problems(&task);
        let keys: Vec<&str> = problems.iter().map(|problem| &problem.key[..]).collect();
        assert_eq!(keys, ["d", "heads", "mlp"]);
        assert_eq!(problems[0].to_string(), "d = 16: expected 6, three blocks of k = 2");
        assert_eq!(net.induction_head(&task), None);
        assert_eq!(AttentionOnly::default().induction_head(&task), None);
        assert!(AttentionOnly::default().induction_head_problems(&task).is_empty());
    }
}
