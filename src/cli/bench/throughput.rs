//! Training steps per second of all networks of a sweep together, by width and number of networks, on every
//! device.
//!
//! # Speed
//! On two processor cores, with 1, 64 and 2,048 networks, in thousands of steps per second:
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

use super::{Arguments, format_number, measure_rate_or_report, new_table, print_device};
use crate::CommandError;
use vivarium_model::permalink::decode;
use vivarium_model::platform::now_ms;
use vivarium_model::protocol::DeviceKind;
use vivarium_model::run::RunSpec;
use vivarium_model::run::time::format_duration;
use vivarium_training::launch::batch_queue::BatchQueue;
use vivarium_training::launch::device::Device;
use vivarium_training::session::Options;

/// Widths of the hidden layer of the networks in the table of `lab bench --sweeps`.
const WIDTHS: [usize; 4] = [10, 30, 100, 300];
/// Numbers of networks that train together, for the columns of the table of `lab bench --sweeps`.
const REPLICAS: [usize; 6] = [1, 8, 64, 512, 2048, 8192];
/// Number of networks, which differ in their seeds, in each run of the sweep over width and sample size whose
/// duration is estimated.
const SEEDS_PER_RUN: usize = 20;
/// Training steps of all networks of the sweep over width and sample size, if none ends early: 8 widths, 8
/// sample sizes, 2 initialisations, 20 seeds and 20,000 steps.
const FRONTIER_STEPS: f64 = 8.0 * 8.0 * 2.0 * 20.0 * 20_000.0;

/// Runs of other model families than the MLP on parity, which train together in time slices: a description
/// and a link.
const FAMILY_LINKS: [(&str, &str); 2] = [
    ("groups, Z_13, 64 neurons", "#v1/groups?n=13&width=64&halt=steps&steps=10000000&every=100"),
    (
        "Markov chains, t = 20, d = 8, batch 16",
        "#v1/markov?k=2&t=20&d=8&batch=16&held=64&halt=steps&steps=10000000&every=100",
    ),
];
/// Numbers of copies of a run of [`FAMILY_LINKS`], with different seeds, that train together; one table
/// column for each.
const CONCURRENT_RUN_COUNTS: [usize; 4] = [1, 4, 16, 64];

/// A run of the sweep over width and sample size: (30,3)-parity from 1,000 examples with weight decay, with
/// `width` hidden units and `replicas` networks, at most 4,096. Its last step is too far to be reached.
fn frontier_run(width: usize, replicas: usize) -> RunSpec {
    let link = format!(
        "#v1/sparse-parity?n=30&m=1000&wd=0.01&width={width}&replicas={}&halt=steps&steps=10000000&every=100&held=512",
        replicas.min(4096)
    );
    decode(&link).0.spec
}

/// Measures on each device how many network steps per second (training steps, summed over the networks of a
/// sweep) it makes, and prints a table by width and number of networks.
///
/// # Errors
/// When a device stops working.
pub fn print_throughput(devices: &[Device], arguments: &Arguments) -> Result<(), CommandError> {
    println!(
        "(30,3)-parity, 1,000 examples, batch 32, decay 0.01, measured every 100 steps; network-steps/s"
    );
    for device in devices {
        print_device(device)?;
        let gpu = device.report().kind == DeviceKind::Gpu;
        let heads =
            ["width"].into_iter().map(String::from).chain(REPLICAS.iter().map(|r| format!("{r} networks")));
        let heads: Vec<String> = heads.collect();
        let heads: [&str; REPLICAS.len() + 1] = std::array::from_fn(|at| heads[at].as_str());
        let mut table = new_table(heads, 0);
        for width in WIDTHS {
            let mut row = vec![width.to_string()];
            for replicas in REPLICAS {
                row.push(if replicas <= 4096 {
                    measure_alone(width, replicas, device, arguments)?
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
                let found = measure_batched(replicas, device, arguments.measuring_seconds())?;
                row.push(found.map_or_else(|| "–".into(), |(rate, _)| format_number(rate)));
                best = best.into_iter().chain(found).max_by(|a, b| a.0.total_cmp(&b.0));
            }
            table.add_row(row);
        }
        println!("{table}");
        if gpu {
            print_family_rates(device, arguments.measuring_seconds())?;
        }
        if let Some((rate, networks)) = best {
            let time = format_duration(FRONTIER_STEPS / rate);
            println!(
                "With {networks} networks at once, a sweep over 8 widths, 8 sample sizes, 2 initialisations and 20 \
                 seeds takes at most {time}."
            );
        }
    }
    Ok(())
}

/// Network steps per second (training steps times `replicas`) of one run with `replicas` networks of hidden
/// width `width`, as a table cell.
fn measure_alone(
    width: usize,
    replicas: usize,
    device: &Device,
    arguments: &Arguments,
) -> Result<String, CommandError> {
    let what = format!("width {width}, {replicas} networks");
    let measured =
        measure_rate_or_report(&frontier_run(width, replicas), device, arguments.measuring_seconds(), &what)?;
    let median = measured.map_or(f64::NAN, |(_, rates)| rates.median());
    Ok(if median.is_nan() { "–".into() } else { format_number(median * replicas as f64) })
}

/// Network steps per second of `replicas` networks of all [`WIDTHS`] that train together, in runs of at most
/// [`SEEDS_PER_RUN`] networks, and the number of networks that trained at once. None if there are fewer
/// networks than widths.
fn measure_batched(
    replicas: usize,
    device: &Device,
    seconds: f64,
) -> Result<Option<(f64, usize)>, CommandError> {
    let seeds = SEEDS_PER_RUN.min(replicas / WIDTHS.len());
    if seeds == 0 {
        return Ok(None);
    }
    let run = |number: usize| {
        let mut spec = frontier_run(WIDTHS[number % WIDTHS.len()], seeds);
        spec.run.seed = (number / WIDTHS.len()) as u64;
        spec
    };
    Ok(Some(measure_queue((0..replicas / seeds).map(run), device, seconds)?))
}

/// Measures and prints the network steps per second (training steps times networks) of each run of
/// [`FAMILY_LINKS`] when several copies of it train together on a GPU.
fn print_family_rates(device: &Device, seconds: f64) -> Result<(), CommandError> {
    let heads: [String; CONCURRENT_RUN_COUNTS.len() + 1] =
        std::array::from_fn(|at| match at.checked_sub(1) {
            None => "runs that differ in their seeds".into(),
            Some(at) => format!("{} at once", CONCURRENT_RUN_COUNTS[at]),
        });
    let mut table = new_table(heads.each_ref().map(String::as_str), 0);
    for (name, link) in FAMILY_LINKS {
        let mut row = vec![name.to_string()];
        for runs in CONCURRENT_RUN_COUNTS {
            let run = |seed: usize| {
                let mut spec = decode(link).0.spec;
                spec.run.seed = seed as u64;
                spec
            };
            row.push(format_number(measure_queue((0..runs).map(run), device, seconds)?.0));
        }
        table.add_row(row);
    }
    println!("{table}");
    Ok(())
}

/// Network steps per second (training steps, summed over networks) of the runs `specs` in the batch queue of
/// a sweep, measured for `seconds` seconds after a warm-up, and the number of networks that trained at once.
fn measure_queue(
    specs: impl Iterator<Item = RunSpec>,
    device: &Device,
    seconds: f64,
) -> Result<(f64, usize), CommandError> {
    let mut queue = BatchQueue::new(device, Options { stop_solved: true, ..Options::default() });
    for (number, spec) in specs.enumerate() {
        queue.add(number, spec);
    }
    let rate = |queue: &mut BatchQueue, ms: f64| {
        let (begin, from) = (now_ms(), queue.network_steps());
        while now_ms() - begin < ms {
            pollster::block_on(queue.advance(50.0))?;
        }
        Ok::<_, CommandError>((queue.network_steps() - from) as f64 / (now_ms() - begin) * 1e3)
    };
    // Warm-up: shaders are compiled, and all runs enter the queue.
    rate(&mut queue, (seconds * 1e3).max(1e3))?;
    let (_, networks) = queue.under_way();
    Ok((rate(&mut queue, seconds * 1e3)?, networks))
}
