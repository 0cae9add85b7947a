//! Steps that the networks of a sweep make together in a second, by width and networks, on every device.
//!
//! # Speed
//! On two processor cores, with 1, 64 and 2,048 networks, in thousands a second:
//!
//! | width | one core's loop | llvmpipe, which simulates a GPU on the same cores |
//! |---|---|---|
//! | 10 | 522, 525, 522 | 5.8, 4.6, 13.0 |
//! | 30 | 348, 384, 338 | 3.6, 6.5, 5.2 |
//! | 100 | 157, 147, 134 | 3.0, 4.7, 5.3 |
//! | 300 | 63, 62, 58 | 1.2, 2.3, – |
//! | all, in packs | – | –, 4.5, 5.3 |
//!
//! Other programs slow both down by up to a factor of four. No GPU has been timed yet. 2026-11-21.

use super::{Arguments, count, headed, introduce, rate_or_say};
use crate::Trouble;
use vivarium_model::permalink::decode;
use vivarium_model::platform::now_ms;
use vivarium_model::protocol::DeviceKind;
use vivarium_model::run::RunSpec;
use vivarium_model::run::time::duration;
use vivarium_training::launch::batch_queue::BatchQueue;
use vivarium_training::launch::device::Device;
use vivarium_training::session::Options;

/// Widths and replicas of the table.
const WIDTHS: [usize; 4] = [10, 30, 100, 300];
const REPLICAS: [usize; 6] = [1, 8, 64, 512, 2048, 8192];
/// Networks of each run of a sweep, and steps of all runs of the frontier together where none ends early: 8 widths, 8
/// sizes, 2 initialisations, 20 seeds and 20,000 steps.
const SEEDS: usize = 20;
const FRONTIER: f64 = 8.0 * 8.0 * 2.0 * 20.0 * 20_000.0;

/// Runs of one sweep of the families that train slice by slice: what is said of them, and their link.
const FAMILIES: [(&str, &str); 2] = [
    ("groups, Z_13, 64 neurons", "#v1/groups?n=13&width=64&halt=steps&steps=10000000&every=100"),
    (
        "Markov chains, t = 20, d = 8, batch 16",
        "#v1/markov?k=2&t=20&d=8&batch=16&held=64&halt=steps&steps=10000000&every=100",
    ),
];
/// How many of them train together.
const TOGETHER: [usize; 4] = [1, 4, 16, 64];

/// A cell of the frontier of data and width: (30,3)-parity from 1,000 examples with decay, as long as it takes.
fn cell(width: usize, replicas: usize) -> RunSpec {
    let link = format!(
        "#v1/sparse-parity?n=30&m=1000&wd=0.01&width={width}&replicas={}&halt=steps&steps=10000000&every=100&held=512",
        replicas.min(4096)
    );
    decode(&link).0.spec
}

/// Prints a table for each device.
///
/// # Errors
/// When a device stops working.
pub fn compare(devices: &[Device], arguments: &Arguments) -> Result<(), Trouble> {
    println!(
        "(30,3)-parity, 1,000 examples, batch 32, decay 0.01, measured every 100 steps; network-steps/s"
    );
    for device in devices {
        introduce(device)?;
        let gpu = device.report().kind == DeviceKind::Gpu;
        let heads =
            ["width"].into_iter().map(String::from).chain(REPLICAS.iter().map(|r| format!("{r} networks")));
        let heads: Vec<String> = heads.collect();
        let heads: [&str; REPLICAS.len() + 1] = std::array::from_fn(|at| heads[at].as_str());
        let mut table = headed(heads, 0);
        for width in WIDTHS {
            let mut row = vec![width.to_string()];
            for replicas in REPLICAS {
                row.push(if replicas <= 4096 {
                    alone(width, replicas, device, arguments)?
                } else {
                    "–".into()
                });
            }
            table.add_row(row);
        }
        let mut best: Option<(f64, usize)> = None;
        if gpu {
            let mut row = vec!["all, in packs".to_string()];
            for replicas in REPLICAS {
                let found = batched(replicas, device, arguments.seconds())?;
                row.push(found.map_or_else(|| "–".into(), |(rate, _)| count(rate)));
                best = best.into_iter().chain(found).max_by(|a, b| a.0.total_cmp(&b.0));
            }
            table.add_row(row);
        }
        println!("{table}");
        if gpu {
            families(device, arguments.seconds())?;
        }
        if let Some((rate, networks)) = best {
            let time = duration(FRONTIER / rate);
            println!(
                "With {networks} networks at once, a sweep over 8 widths, 8 sample sizes, 2 initialisations and 20 \
                 seeds takes at most {time}."
            );
        }
    }
    Ok(())
}

/// One run of so many networks.
fn alone(width: usize, replicas: usize, device: &Device, arguments: &Arguments) -> Result<String, Trouble> {
    let what = format!("width {width}, {replicas} networks");
    let measured = rate_or_say(&cell(width, replicas), device, arguments.seconds(), &what)?;
    let median = measured.map_or(f64::NAN, |(_, rates)| rates.median());
    Ok(if median.is_nan() { "–".into() } else { count(median * replicas as f64) })
}

/// Steps per second of runs of [`SEEDS`] networks each of all widths, so many networks together, and how many of them
/// trained at once; nothing where they are too few for all widths.
fn batched(replicas: usize, device: &Device, seconds: f64) -> Result<Option<(f64, usize)>, Trouble> {
    let seeds = SEEDS.min(replicas / WIDTHS.len());
    if seeds == 0 {
        return Ok(None);
    }
    let run = |number: usize| {
        let mut spec = cell(WIDTHS[number % WIDTHS.len()], seeds);
        spec.run.seed = (number / WIDTHS.len()) as u64;
        spec
    };
    Ok(Some(queued((0..replicas / seeds).map(run), device, seconds)?))
}

/// Prints the steps that runs of one sweep make together in a second, by family and how many runs there are.
fn families(device: &Device, seconds: f64) -> Result<(), Trouble> {
    let heads: [String; TOGETHER.len() + 1] = std::array::from_fn(|at| match at.checked_sub(1) {
        None => "runs that differ in their seeds".into(),
        Some(at) => format!("{} at once", TOGETHER[at]),
    });
    let mut table = headed(heads.each_ref().map(String::as_str), 0);
    for (name, link) in FAMILIES {
        let mut row = vec![name.to_string()];
        for runs in TOGETHER {
            let run = |seed: usize| {
                let mut spec = decode(link).0.spec;
                spec.run.seed = seed as u64;
                spec
            };
            row.push(count(queued((0..runs).map(run), device, seconds)?.0));
        }
        table.add_row(row);
    }
    println!("{table}");
    Ok(())
}

/// Steps per second of these runs in the queue of a sweep, and how many networks trained at once.
fn queued(
    specs: impl Iterator<Item = RunSpec>,
    device: &Device,
    seconds: f64,
) -> Result<(f64, usize), Trouble> {
    let mut queue = BatchQueue::new(device, Options { stop_solved: true, ..Options::default() });
    for (number, spec) in specs.enumerate() {
        queue.add(number, spec);
    }
    let rate = |queue: &mut BatchQueue, ms: f64| {
        let (begin, from) = (now_ms(), queue.network_steps());
        while now_ms() - begin < ms {
            pollster::block_on(queue.advance(50.0))?;
        }
        Ok::<_, Trouble>((queue.network_steps() - from) as f64 / (now_ms() - begin) * 1e3)
    };
    // Shaders are compiled, and all are taken in.
    rate(&mut queue, (seconds * 1e3).max(1e3))?;
    let (_, networks) = queue.under_way();
    Ok((rate(&mut queue, seconds * 1e3)?, networks))
}
