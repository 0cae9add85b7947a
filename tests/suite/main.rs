//! The native integration tests, in one binary because each one would link Burn.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::print_stdout, reason = "which device was tested is worth knowing")]

mod batched_runs;
mod bounds;
mod catalogs;
mod command_line;
mod contract;
mod costs;
mod devices;
mod folder;
mod functions;
mod fused;
mod fused_sessions;
mod golden;
mod gradients;
mod group_net;
mod interruptions;
mod layers;
mod links;
mod markup;
mod pairs;
mod plain;
mod probes;
mod prose;
mod readmes;
mod reference;
mod sequences;
mod sessions;
#[cfg(target_os = "linux")]
mod slurm;
mod stages;
mod stories;
mod sweeps;
mod tables;
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
