//! Vivarium: watch small neural networks learn, live, on your own machine.
//!
//! # The map of the source
//!
//! Each crate is a folder of `src/` and names only the crates above it in this table, which is what its `Cargo.toml` lists. This
//! package holds the programs (`src/bin/`) and the tests of several crates together (`tests/`), and re-exports the crates'
//! modules.
//!
//! | crate | modules | contents |
//! |---|---|---|
//! | `vivarium-core` | [`mod@settings`], [`mod@catalog`] | one declaration per adjustable value; tables of entries |
//! | | [`language`], [`sources`] | texts in the reader's language; the publications that are cited |
//! | | [`bounds`], [`rng`], [`sorting`] | how large a run may be; the one source of randomness; sorting by one function for all types |
//! | | [`math`] | formulas that several crates need: vectors, statistics, softmax |
//! | | [`pytorch`] | the parts of a PyTorch script that a task, a model or an optimizer adds |
//! | `vivarium-science` | [`groups`] | finite groups and their irreducible real representations |
//! | | [`markov`], [`tokens`] | Markov chains, and how well they can be predicted; prompts whose positions name tokens |
//! | | [`mod@functions`] | prompts of points of a function, and baselines that predict them without a transformer |
//! | | [`descent`] | a transformer whose layers make gradient descent on a network that is stored in its tokens |
//! | | [`circuits`] | Boolean circuits as networks of ReLUs, and how far their weights may move |
//! | | [`succinct`] | programs inside convolutional networks, and cell rules found by search |
//! | | [`machines`] | Turing machines, and a transformer that runs them |
//! | `vivarium-operators` | [`operators`] | operators of networks, graphs of them, and their executors |
//! | `vivarium-model` | [`tasks`], [`models`], [`optim`] | the tasks, the networks that learn them, losses and update rules |
//! | | [`run`], [`permalink`], [`sweep`] | the value that determines a run; its link; grids of runs |
//! | | [`chart`] | the catalogue of charts: names, help and order |
//! | | [`protocol`], [`platform`] | the messages between page and worker; the only target-dependent code |
//! | `vivarium-kernels` | [`kernels`] | training loops on the GPU and on the processor |
//! | `vivarium-training` | [`training`] | the sessions that drive them, and which device trains a run |
//! | `vivarium-plot` | [`analysis`], [`mod@charts`] | from arrays of numbers to readings; from readings to pictures |
//! | `vivarium-view` | [`display`], [`probing`] | a run as it is shown; measurements that are made in short slices |
//! | | [`presets`], [`record`] | named runs with a claim; a run as files: CSV, JSON, a command, a PyTorch script |
//! | | [`ui`] | fields of a form, scales and requests, as plain data |
//! | `vivarium-labs` | [`labs`] | what belongs to one lab only: its charts, probes, texts, presets and stories |
//! | `vivarium-worker` | `worker` | commands in, slices of a session, messages out |
//! | `vivarium-player` | `player` | a run that is played: its device, its trainer's messages, and the way back to earlier steps |
//! | `vivarium-page` | `page` | the state of the page and its actions |
//! | `vivarium-ui`, `vivarium-panels`, `vivarium-app` | `app` | pieces of the page, panels of the labs, and the page itself: in a browser only |
//! | `vivarium-cli`, `vivarium-python` | `cli` | the command line, and its runs and sweeps as a Python module |
//!
//! To find where a chart is made: the name and help of a chart are with its task (`src/model/tasks/<task>/charts.rs`), and its
//! drawing code is in its lab (`src/labs/<lab>/charts.rs`), or in `src/view/display/charts/` if every lab has the chart.
//!
//! # Dimension letters
//!
//! `replicas`: networks trained side by side, the first axis of every parameter. `batch`: examples.
//! `inputs` (n in formulas): numbers in one input. `width` (r): neurons of the hidden layer.

pub use vivarium_core::{bounds, catalog, language, math, pytorch, rng, settings, sorting, sources};
pub use vivarium_kernels as kernels;
pub use vivarium_labs as labs;
pub use vivarium_model::{chart, models, optim, permalink, platform, protocol, run, sweep, tasks};
pub use vivarium_operators as operators;
pub use vivarium_plot::{analysis, charts};
pub use vivarium_science::{circuits, descent, functions, groups, machines, markov, succinct, tokens};
pub use vivarium_training as training;
pub use vivarium_view::{display, presets, probing, record, ui};

#[cfg(feature = "ui")]
pub use vivarium_app as app;
#[cfg(feature = "cli")]
pub use vivarium_cli as cli;
#[cfg(feature = "ui")]
pub use vivarium_page as page;
#[cfg(any(feature = "ui", feature = "cli"))]
pub use vivarium_player as player;
#[cfg(any(feature = "cpu", feature = "train", feature = "fused"))]
pub use vivarium_worker as worker;
