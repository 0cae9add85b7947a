//! The native integration tests, in one binary because each one would link Burn.
//!
//! # What the tests notice
//! Every change of one operator, value or match arm in the modules that decide (links, settings, bounds, runs, sweeps, the
//! files of the command line and of the page, sessions with their evaluators, theory, chains, messages) was compiled and run
//! against the tests that reach its place, 2,774 changes, 2026-11-26. The tests noticed 2,621. Of the other 153 by reading: 53
//! change words or times, 41 change nothing, 28 are reached on a GPU alone, 25 act exactly at a limit, and 6 were gaps and
//! have tests since then.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::print_stdout, reason = "which device was tested is worth knowing")]

mod batched_runs;
mod bounds;
mod catalogs;
mod checkpoints;
mod command_line;
mod contract;
mod costs;
mod devices;
mod dropout;
mod folder;
mod functions;
mod fused;
mod fused_sessions;
mod glossary;
mod golden;
mod gradients;
mod group_net;
mod inside;
mod interruptions;
mod ledger;
mod links;
mod markup;
mod pairs;
mod plain;
mod plots;
mod probes;
mod prose;
mod readmes;
mod recorded;
mod reference;
mod scripts;
mod sequences;
mod sessions;
#[cfg(target_os = "linux")]
mod slurm;
mod source_words;
mod stages;
mod statements;
mod stories;
mod structure;
mod sweeps;
mod tables;
mod tensors;
mod ties;
mod words;
mod workers;

use vivarium::permalink::decode;
use vivarium::run::RunSpec;
use vivarium::training::launch::device::Device;
use vivarium::training::session::{Options, Outcome, Session};

/// The run of a link that must be right.
fn spec(link: &str) -> RunSpec {
    let (link, notices) = decode(link);
    assert!(notices.is_empty(), "{notices:?}");
    link.spec
}

/// A session of a link on the CPU.
fn session(link: &str) -> Session {
    Session::start(&spec(link), &Device::cpu(), Options::default()).unwrap()
}

/// A session of a run on a device.
fn session_on(spec: &RunSpec, device: &Device) -> Session {
    Session::start(spec, device, Options::default()).unwrap()
}

/// A whole run on the CPU.
fn finish(session: &mut Session) -> Outcome {
    pollster::block_on(session.finish(|_| {})).unwrap()
}
