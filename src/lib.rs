//! Vivarium: watch small neural networks learn, live, on your own machine.
//!
//! # The map of the source
//!
//! | module | contents |
//! |---|---|
//! | [`mod@settings`], [`mod@catalog`] | one declaration per adjustable value; tables of entries |
//! | [`language`] | texts in the reader's language |
//! | [`sources`] | the publications that are cited |
//! | [`sorting`] | sorting by one function for all types |
//! | [`bounds`] | how large a run may be |
//! | [`rng`] | the one source of randomness, the same on every processor |
//! | [`groups`] | finite groups and their irreducible real representations |
//! | [`markov`] | Markov chains, and how well they can be predicted |
//! | [`tokens`] | prompts whose positions name tokens, and the theory of such prompts |
//! | [`mod@functions`] | prompts of points of a function, and baselines that predict them without a transformer |
//! | [`descent`] | a transformer whose layers make gradient descent on a network that is stored in its tokens |
//! | [`circuits`] | Boolean circuits as networks of ReLUs, and how far their weights may move |
//! | [`succinct`] | learning algorithms inside convolutional networks: programs on a grid of examples, and rules found by search |
//! | [`machines`] | Turing machines, and a transformer that runs them |
//! | [`tasks`], [`models`] | the tasks, and the networks that learn them |
//! | [`optim`] | losses and update rules |
//! | [`kernels`], [`training`] | loops that train, and the sessions that drive them |
//! | [`run`], [`permalink`], [`presets`] | the value that determines a run; its link; named runs with a claim |
//! | [`labs`] | the parts that belong to one lab only: its charts, probes, texts, presets, stories and panels |
//! | [`protocol`] | the messages between page and worker |
//! | [`pytorch`] | the parts of a PyTorch script that a task, a model or an optimizer adds |
//! | [`record`] | a run as files: CSV, JSON, a command, a PyTorch script |
//! | [`analysis`], [`mod@charts`] | from arrays of numbers to readings; from readings to pictures |
//! | [`ui`] | parts of the page that depend on no lab and on no state of the page |
//! | [`probing`] | measurements that are made in short slices; the labs declare them |
//! | [`display`] | a run as it is shown, the charts of every lab, and the contract of the labs |
//! | `cli`, `python` | the command line, and its runs and sweeps as a Python module |
//! | `worker`, `app`, `platform` | the two halves of the page, and the only target-dependent code |
//!
//! To find where a chart is made: the name and help of a chart are with its task (`src/tasks/<task>/charts.rs`), and
//! its drawing code is in its lab (`src/labs/<lab>/charts.rs`), or in `src/display/charts/` if every lab has the chart.
//!
//! Dependencies point one way: settings, catalog, rng, groups → tasks → models → run → {permalink, presets,
//! protocol}; optim and kernels → training → analysis → charts; all of these → display → ui → labs → app and cli → python.
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
#[cfg(feature = "python")]
pub mod python;
