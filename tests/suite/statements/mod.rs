//! What stories say, sentence by sentence, and how each sentence is shown to hold.
//!
//! # Why
//! A story says "the loss stays at chance" or "a twentieth as far". A number alone can be looked up in a preset's
//! expectations; an adjective cannot. So every sentence of every story stands in a table here, word for word: whoever
//! changes a sentence has to say again what shows it. Sentences about runs are checked on the runs that the story opens, with
//! their own seeds.

mod a_machine_without_a_tape;
mod a_network_inside_a_network;
mod grokking;
mod hidden_progress;
mod learned_to_learn;
mod log_t;
mod no_luck;
mod one_note;
mod rounding_keeps_the_margin;
mod the_program_in_the_filter;
mod unigram_trap;
mod what_training_finds;
mod who_looks_it_up;
mod width_luck;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use vivarium::cli::science;
use vivarium::labs::story::{PassageBlock, Story, parse_story};
use vivarium::labs::{self, find_preset, find_story_file, stories};
use vivarium::permalink::{Link, decode};
use vivarium::presets::Expectation;
use vivarium::probing::Probe;
use vivarium::protocol::{Measurement, ProbeResult};
use vivarium::run::RunSpec;
use vivarium::sweep::cells;
use vivarium::training::launch::device::Device;
use vivarium::training::session::{Options, Session};

/// How a sentence is shown to hold.
pub enum Shown {
    /// It says nothing that could be wrong of a run: a definition, what the run is, a question, what to press or to look at.
    Words,
    /// It holds for every run: by arithmetic, by a proof, or by a paper, which the text names.
    Known(&'static str),
    /// The expectations of this preset say the same; `every_preset_shows_what_it_claims` tests them on twenty seeds.
    Preset(&'static str),
    /// On the runs that the story opens.
    Runs(fn(&Runs) -> bool),
    /// As expectations, on the run of this preset or link with its own seed, or on all runs of its sweep.
    Expects(&'static str, &'static [Expectation]),
}

/// The sentences of a story, in their order.
pub type Statements = &'static [(&'static str, Shown)];

/// The stories that are checked sentence by sentence.
const STORIES: &[(&str, Statements)] = &[
    ("a-machine-without-a-tape", a_machine_without_a_tape::STATEMENTS),
    ("a-network-inside-a-network", a_network_inside_a_network::STATEMENTS),
    ("grokking", grokking::STATEMENTS),
    ("hidden-progress", hidden_progress::STATEMENTS),
    ("learned-to-learn", learned_to_learn::STATEMENTS),
    ("log-t", log_t::STATEMENTS),
    ("no-luck", no_luck::STATEMENTS),
    ("one-note", one_note::STATEMENTS),
    ("rounding-keeps-the-margin", rounding_keeps_the_margin::STATEMENTS),
    ("the-program-in-the-filter", the_program_in_the_filter::STATEMENTS),
    ("unigram-trap", unigram_trap::STATEMENTS),
    ("what-training-finds", what_training_finds::STATEMENTS),
    ("who-looks-it-up", who_looks_it_up::STATEMENTS),
    ("width-luck", width_luck::STATEMENTS),
];

/// A run as a story shows it: trained on the CPU, with its own seed.
pub struct Trained {
    /// Its settings.
    pub spec: RunSpec,
    /// Every measurement.
    pub rows: Vec<Measurement>,
    /// Weights of its first network at the steps that were asked for.
    weights: BTreeMap<u64, Vec<Vec<f32>>>,
    /// When each network was right on every held-out example.
    pub solved: Vec<Option<u64>>,
}

impl Trained {
    /// The last measurement up to this step.
    pub fn row(&self, step: u64) -> &Measurement {
        self.rows.iter().rfind(|row| row.step <= step).unwrap()
    }

    /// Held-out loss of the first network at this step.
    pub fn loss(&self, step: u64) -> f32 {
        self.row(step).test_loss[0]
    }

    /// Held-out accuracy of the first network at this step.
    pub fn accuracy(&self, step: u64) -> f32 {
        self.row(step).test_accuracy[0]
    }

    /// Accuracy of the first network on what it trains on, at this step.
    pub fn train_accuracy(&self, step: u64) -> f32 {
        self.row(step).train_accuracy[0]
    }

    /// The further measure with this permanent name at this step.
    pub fn measure(&self, slug: &str, step: u64) -> f32 {
        let measures = self.spec.task.examples().measure_names();
        let at = measures.further_measures.iter().position(|measure| measure.slug == slug).unwrap();
        self.row(step).measures[at][0]
    }

    /// The first measured step at which this holds, if there is one.
    pub fn first(&self, holds: impl Fn(&Measurement) -> bool) -> Option<u64> {
        self.rows.iter().find(|row| holds(row)).map(|row| row.step)
    }

    /// The largest size of a weight of the first layer, `[inputs, width]`, on relevant bits, or on the others.
    pub fn largest(&self, step: u64, is_relevant: bool) -> f32 {
        let relevant = self.spec.task.examples().relevant(self.spec.run.seed);
        let width = self.spec.parameters()[0].shape[2];
        let rows = self.weights(step)[0].chunks(width).enumerate();
        let on = rows.filter(|(bit, _)| relevant.contains(bit) == is_relevant);
        on.flat_map(|(_, row)| row).fold(0.0, |most, weight| weight.abs().max(most))
    }

    /// Weights of the first network, which were asked for when the run was trained.
    pub fn weights(&self, step: u64) -> &[Vec<f32>] {
        &self.weights[&step]
    }

    /// What a probe finds in the weights at this step.
    pub fn found(&self, probe: Probe, step: u64) -> ProbeResult {
        labs::run_probe(&probe.id(), &self.spec, step, self.weights(step).to_vec()).unwrap()
    }
}

/// The runs of a story, each trained once.
#[derive(Default)]
pub struct Runs(RefCell<BTreeMap<String, Rc<Trained>>>);

impl Runs {
    /// The run of a preset or link, up to its last step. Settings that a button changes follow the name:
    /// `memorise-understand&wd=0`.
    pub fn run(&self, name: &str) -> Rc<Trained> {
        self.looked_into(name, &[])
    }

    /// The same, with the weights at these steps.
    pub fn looked_into(&self, name: &str, steps: &[u64]) -> Rc<Trained> {
        let key = format!("{name} {steps:?}");
        if let Some(trained) = self.0.borrow().get(&key) {
            return trained.clone();
        }
        let trained = Rc::new(train(name, steps));
        self.0.borrow_mut().insert(key, trained.clone());
        trained
    }
}

/// The link of a preset, with changes behind a `&`, or a link.
fn link(name: &str) -> Link {
    let (slug, changes) = name.split_once('&').unwrap_or((name, ""));
    let Some(preset) = find_preset(slug) else {
        let (link, notices) = decode(name);
        assert!(notices.is_empty(), "{name}: {notices:?}");
        return link;
    };
    let mut link = preset.link();
    for (key, value) in changes.split('&').filter_map(|change| change.split_once('=')) {
        link.spec.parse(key, value).unwrap();
    }
    link
}

/// The settings of a preset or link.
fn decoded(name: &str) -> RunSpec {
    link(name).spec
}

/// How many runs the sweep of a preset has.
fn sweep_cells(name: &str) -> usize {
    cells(&decoded(name)).len()
}

fn train(name: &str, steps: &[u64]) -> Trained {
    let link = link(name);
    let mut session = Session::start(&link.spec, &Device::cpu(), Options::default()).unwrap();
    let (mut rows, mut weights) = (vec![], BTreeMap::new());
    let mut stops: Vec<u64> = steps.to_vec();
    stops.push(u64::MAX);
    for stop in stops {
        while session.step() < stop && !session.finished() {
            let most = stop - session.step();
            for event in pollster::block_on(session.advance(f64::INFINITY, most)).unwrap() {
                if let vivarium::protocol::Event::Metrics(more) = event {
                    rows.extend(more);
                }
            }
        }
        if stop < u64::MAX {
            weights.insert(stop, pollster::block_on(session.first_replica()).unwrap());
        }
    }
    let solved = session.solved().to_vec();
    Trained { spec: link.spec, rows, weights, solved }
}

fn read(slug: &str) -> Story {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    parse_story(&std::fs::read_to_string(find_story_file(root, slug).unwrap()).unwrap()).unwrap()
}

/// The sentences that a reader may believe: texts, guesses that are marked right, and explanations.
fn sentences(story: &Story) -> Vec<String> {
    let mut all = vec![];
    for block in story.passages.iter().flat_map(|passage| &passage.blocks) {
        let texts = match block {
            PassageBlock::Text(text) | PassageBlock::More(text) => vec![text.clone()],
            PassageBlock::Buttons(_) => continue,
            PassageBlock::Question { guesses, answer } => {
                let right = guesses.iter().filter(|(_, is_right)| *is_right).map(|(guess, _)| guess.clone());
                right.chain([answer.clone()]).collect()
            }
        };
        all.extend(texts.iter().flat_map(|text| split_sentences(text)));
    }
    all
}

/// Splits a text where a sentence ends and the next one begins with a capital, a number or a quotation.
fn split_sentences(text: &str) -> Vec<String> {
    let text = text.replace('\n', " ");
    let (mut all, mut from) = (vec![], 0);
    for end in text.match_indices(['.', '?']).map(|(at, _)| at + 1) {
        let rest = &text[end..];
        let next = rest.trim_start().chars().next();
        let begins = |c: char| c.is_uppercase() || c.is_ascii_digit() || "“*(".contains(c);
        if rest.is_empty() || rest.starts_with(' ') && next.is_some_and(begins) {
            all.push(text[from..end].trim().to_string());
            from = end;
        }
    }
    let rest = text[from..].trim();
    if !rest.is_empty() {
        all.push(rest.to_string());
    }
    all
}

#[test]
fn every_sentence_of_a_story_has_what_shows_it() {
    let mut missing: Vec<String> = stories()
        .filter(|about| STORIES.iter().all(|(slug, _)| *slug != about.slug))
        .map(|about| format!("{} is not checked", about.slug))
        .collect();
    for (slug, statements) in STORIES {
        let about = stories().find(|story| story.slug == *slug).map_or("", |story| story.about);
        let told = [split_sentences(about), sentences(&read(slug))].concat();
        let listed: Vec<&str> = statements.iter().map(|(sentence, _)| *sentence).collect();
        missing.extend(
            told.iter().filter(|said| !listed.contains(&said.as_str())).map(|said| format!("{slug}: {said}")),
        );
        let old = listed.iter().filter(|listed| !told.iter().any(|said| said == *listed));
        missing.extend(old.map(|listed| format!("{slug} no longer says: {listed}")));
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn presets_that_show_a_sentence_have_expectations() {
    for (slug, statements) in STORIES {
        for (sentence, shown) in *statements {
            if let Shown::Preset(name) = shown {
                assert!(
                    find_preset(name).is_some_and(|preset| !preset.expectations.is_empty()),
                    "{slug}: {sentence}"
                );
            }
            if let Shown::Known(why) = shown {
                assert!(why.len() > 10, "{slug}: {sentence}");
            }
        }
    }
}

/// Every statement of a story on its runs.
fn hold(slug: &str) {
    let (_, statements) = STORIES.iter().find(|(name, _)| *name == slug).unwrap();
    let runs = Runs::default();
    let mut wrong = vec![];
    for (sentence, shown) in *statements {
        match shown {
            Shown::Runs(holds) if !holds(&runs) => wrong.push(sentence.to_string()),
            Shown::Expects(name, expected) => {
                let verdicts = science::check_run(link(name).spec, expected, &Device::cpu()).unwrap();
                let failed = verdicts.into_iter().filter(|verdict| !verdict.holds);
                wrong.extend(failed.map(|verdict| format!("{sentence} ({})", verdict.text)));
            }
            Shown::Words | Shown::Known(_) | Shown::Preset(_) | Shown::Runs(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{slug}:\n{}", wrong.join("\n"));
}
