//! Vivarium: watch small neural networks learn, live, on your own GPU.
//!
//! # The map of the house
//!
//! | module | what lives there |
//! |---|---|
//! | [`mod@settings`], [`mod@catalog`] | one declaration per adjustable value; tables of entries |
//! | [`language`] | texts in the reader's language |
//! | [`sources`] | the publications that are cited |
//! | [`sorting`] | sorting by one function for all types |
//! | [`bounds`] | how large a run may be |
//! | [`rng`] | the one source of randomness, the same on every processor |
//! | [`groups`] | finite groups and their irreducible real representations |
//! | [`markov`] | Markov chains, and what can be predicted of them |
//! | [`tokens`] | prompts whose positions name tokens, and what theory says of them |
//! | [`mod@functions`] | prompts of points of a function, and what can be predicted of them without a transformer |
//! | [`descent`] | a transformer whose layers are gradient descent on a network inside of its tokens |
//! | [`circuits`] | Boolean circuits as networks of ReLUs, and how far their weights may move |
//! | [`succinct`] | learning algorithms inside convolutional networks: programs on a grid of examples, and rules found by search |
//! | [`machines`] | Turing machines, and a transformer that runs them |
//! | [`tasks`], [`models`] | what there is to learn, and what learns |
//! | [`optim`] | losses and update rules |
//! | [`kernels`], [`training`] | loops that train, and the sessions that drive them |
//! | [`run`], [`permalink`], [`presets`] | the value that determines a run; its link; named runs with a claim |
//! | [`labs`] | what only one lab knows: its charts, probes, words, presets, stories and panels |
//! | [`protocol`] | what page and worker say to each other |
//! | [`pytorch`] | what a task or a model adds to a PyTorch script |
//! | [`record`] | a run as files: CSV, JSON, a command, a PyTorch script |
//! | [`analysis`], [`mod@charts`] | plain arrays to readings; readings to pictures |
//! | [`ui`] | pieces of a page that know no lab and no state of the page |
//! | [`probing`] | measurements that are polled; the labs declare them |
//! | [`display`] | a run as it is shown, the charts of every lab, and the contract of the labs |
//! | `worker`, `app`, `platform` | the two halves of the page, and the only target-dependent code |
//!
//! To find where a chart is made: its words stand with its task (`src/tasks/<task>/charts.rs`), what it draws in the
//! folder of its lab (`src/labs/<lab>/charts.rs`), or in `src/display/charts/` where every lab has it.
//!
//! Dependencies point one way: settings, catalog, rng, groups → tasks → models → run → {permalink, presets,
//! protocol}; optim and kernels → training → analysis → charts; all of these → display → ui → labs → app and cli.
//! `tests/suite/layers.rs` holds the table.
//!
//! # Dimension letters
//!
//! `replicas`: networks trained side by side, the first axis of every parameter. `batch`: examples.
//! `inputs` (n in formulas): numbers in one input. `width` (r): neurons of the hidden layer.

#[macro_use]
pub mod language;

pub mod analysis;
pub mod app;
pub mod bounds;
pub mod catalog;
pub mod charts;
pub mod circuits;
pub mod descent;
pub mod display;
pub mod functions;
pub mod groups;
pub mod kernels;
pub mod labs;
pub mod machines;
pub mod markov;
pub mod models;
pub mod optim;
pub mod permalink;
pub mod platform;
pub mod presets;
pub mod probing;
pub mod protocol;
pub mod pytorch;
pub mod record;
pub mod rng;
pub mod run;
pub mod settings;
pub mod sorting;
pub mod sources;
pub mod succinct;
pub mod sweep;
pub mod tasks;
pub mod tokens;
pub mod training;
pub mod ui;
#[cfg(feature = "session")]
pub mod worker;
#[cfg(all(feature = "session", feature = "web", target_family = "wasm"))]
pub mod worker_web;

#[cfg(feature = "cli")]
pub mod cli;
