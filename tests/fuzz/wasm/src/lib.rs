//! What the page does with a link from outside before a run begins, and with files, as plain functions for Node.
//!
//! # Why
//! In a browser `usize` has 32 bits, so that products of sizes wrap there and not in native tests. So the core itself is
//! compiled as the page is, with a panic wherever numbers wrap, and `tests/fuzz/links.mjs` gives it links,
//! `tests/fuzz/files.mjs` files. Memory comes from there too, with its limit.

mod catalogue;
mod files;
mod held;

use std::cell::RefCell;
use vivarium::display::charts::ChartOfRun;

use vivarium::bounds::MAX_RUN_MEMORY_FLOATS;
use vivarium::labs::cannot_learn;
use vivarium::permalink::{Link, decode, encode};
use vivarium::run::cost::{estimate_seconds, max_cost};
use vivarium::run::{FormSection, RunSpec};
use vivarium::tasks::Batch;
use vivarium_page::files::command_line;
use vivarium_page::settings::form::section_fields;
use vivarium_page::share::titles;
use vivarium_page::state::{Action, State};
use vivarium_page::sweeps::map;
use vivarium_player::device::{GpuSupport, describe_device};
use vivarium_player::status::{learner_text, status_line, step_rate_text};

/// There is a notice.
const NOTICED: u32 = 1;
/// A person is asked before the run begins.
const ASKED: u32 = 2;
/// There is more to compute, in parts.
const BUSY: u32 = 4;
/// The link stands for a sweep.
const SWEPT: u32 = 8;

/// Numbers that are drawn at once for every link.
const SMALL: u64 = 1 << 13;

/// Most notices of a link, with the one that counts the rest.
const MOST_NOTICES: usize = 21;

#[link(wasm_import_module = "node")]
unsafe extern "C" {
    /// Takes the text of a panic, of so many bytes.
    fn panicked(text: *const u8, length: usize);
}

thread_local! {
    /// The link, or what is answered.
    static TEXT: RefCell<Vec<u8>> = const { RefCell::new(vec![]) };
    static PAGE: RefCell<Option<State>> = const { RefCell::new(None) };
}

/// Sends every panic to Node.
#[unsafe(no_mangle)]
pub extern "C" fn start() {
    std::panic::set_hook(Box::new(|info| {
        let text = info.to_string();
        // SAFETY: Node copies the text before it returns.
        unsafe { panicked(text.as_ptr(), text.len()) }
    }));
}

/// Room for a link of so many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    TEXT.with_borrow_mut(|text| {
        text.clear();
        text.resize(length, 0);
        text.as_mut_ptr()
    })
}

/// Puts the catalogue where links are put, and says of how many bytes it is; [`text`] says where.
#[unsafe(no_mangle)]
pub extern "C" fn catalogue() -> usize {
    let json = catalogue::catalogue().to_string().into_bytes();
    let length = json.len();
    TEXT.set(json);
    length
}

/// Where the text is.
#[unsafe(no_mangle)]
pub extern "C" fn text() -> *const u8 {
    TEXT.with_borrow(|text| text.as_ptr())
}

/// Forgets the page, and counts memory from here on.
#[unsafe(no_mangle)]
pub extern "C" fn close() {
    PAGE.set(None);
    held::count_anew();
}

/// Most bytes that were held since the last [`close`], besides what was held then.
#[unsafe(no_mangle)]
pub extern "C" fn most_held() -> usize {
    held::most()
}

/// One task of a page's thread: it opens the link, and shows what there is before a worker has answered. What it is, as
/// a sum of flags.
#[unsafe(no_mangle)]
pub extern "C" fn open() -> u32 {
    let link = the_link();
    let mut page = State::default();
    page.apply(Action::GpuDetected(GpuSupport::NoWebGpu));
    page.apply(Action::Open(link));
    show(&page);
    let spec = &page.player.run.link.spec;
    let flags = [
        (NOTICED, !page.notices.is_empty()),
        (ASKED, page.player.message.ends_with("Play starts the run.")),
        (BUSY, page.player.run.is_busy()),
        (SWEPT, !spec.run.sweep.is_empty()),
    ];
    PAGE.set(Some(page));
    flags.iter().filter(|(_, is)| *is).map(|(flag, _)| flag).sum()
}

/// Another such task: a part of what takes long to compute, and what is shown of it. Whether there is more.
#[unsafe(no_mangle)]
pub extern "C" fn work() -> u32 {
    PAGE.with_borrow_mut(|page| {
        let Some(page) = page else { return 0 };
        page.apply(Action::ContinueWork);
        show(page);
        u32::from(page.player.run.is_busy())
    })
}

/// Puts sample `which` of a kind of files where links are put, and says of how many bytes it is; 0 where there are no
/// more.
#[unsafe(no_mangle)]
pub extern "C" fn sample(kind: u32, which: usize) -> usize {
    let bytes = files::sample(kind, which).unwrap_or_default();
    let length = bytes.len();
    TEXT.set(bytes);
    length
}

/// One task of a page's thread: it opens the bytes as a file of this kind and shows it. What became of it, as a sum of
/// flags.
#[unsafe(no_mangle)]
pub extern "C" fn open_file(kind: u32) -> u32 {
    let (page, flags) = files::opened(kind);
    PAGE.set(Some(page));
    flags
}

/// Several such tasks: what a person does with a file that was taken.
#[unsafe(no_mangle)]
pub extern "C" fn use_file() {
    PAGE.with_borrow_mut(|page| page.as_mut().map(files::used));
}

/// What has to be true of the run of every link; the text stays the link.
#[unsafe(no_mangle)]
pub extern "C" fn check() {
    let text = the_link();
    let (link, notices) = decode(&text);
    assert!(notices.len() <= MOST_NOTICES, "{} notices", notices.len());
    let errors = link.spec.invalid_settings();
    assert!(errors.is_empty(), "{errors:?}");
    same(&link);
    is_within_limits(&link.spec);
}

/// What a worker draws of the link's run: no task of a page, so that it may take its time.
#[unsafe(no_mangle)]
pub extern "C" fn draw() {
    has_its_sizes(&decode(&the_link()).0.spec);
}

/// The link of `link` is clean and means the same.
fn same(link: &Link) {
    let canonical = encode(link);
    let (again, left) = decode(&canonical);
    assert!(again == *link, "{canonical} means {}", encode(&again));
    // Keys that are kept for later are said to have no effect each time.
    let is_kept = |key: &String| link.teacher_keys.iter().any(|(kept, _)| kept == key);
    assert!(left.iter().all(|notice| is_kept(&notice.key)), "{canonical}: {left:?}");
}

/// What is not refused has sizes that 32 bits hold, in bytes as well.
fn is_within_limits(spec: &RunSpec) {
    let cost = max_cost(spec);
    assert!(cost.memory_floats() <= MAX_RUN_MEMORY_FLOATS, "{} numbers", cost.memory_floats());
    assert!(estimate_seconds(spec).is_finite());
    let sizes = spec.sizes();
    for numbers in [sizes.weights, sizes.data, sizes.samples, sizes.held_out, sizes.splits] {
        assert!(numbers <= u64::from(u32::MAX) / 4, "{sizes:?}");
    }
}

/// What a worker draws is as large as the sizes say by which runs are refused. Only of small runs, for the sake of time.
fn has_its_sizes(spec: &RunSpec) {
    let (sizes, sampler) = (spec.sizes(), spec.task.sampler());
    let seed = spec.run.seed;
    if sizes.weights <= SMALL && spec.construction_operations() <= SMALL {
        let drawn: usize = spec.initialize_parameters().iter().map(Vec::len).sum();
        assert_eq!(drawn as u64, sizes.weights);
    }
    let mut batch = Batch::default();
    if sizes.data + sizes.samples <= SMALL {
        sampler.sample(seed, 0, 0, spec.batch_size(), &mut batch);
        assert!(batch.x.len() as u64 <= sizes.data, "{} numbers, {sizes:?}", batch.x.len());
    }
    if sizes.held_out + sizes.splits <= SMALL {
        batch.clear();
        sampler.append_held_out(seed, 0, spec.held_out_count(), &mut batch);
        assert!(batch.x.len() as u64 <= sizes.held_out, "{} numbers, {sizes:?}", batch.x.len());
    }
}

/// What the page computes to show a run: its words, its form, its charts.
fn show(page: &State) {
    let run = &page.player.run;
    let mut shown = vec![
        encode(&run.link),
        status_line(&page.player),
        learner_text(&page.player),
        step_rate_text(&page.player),
        titles::page_title(page),
        command_line(page),
        describe_device(
            page.player.device_choice(),
            page.player.device_report.as_ref(),
            page.player.is_timing(),
        ),
    ];
    shown.extend(page.notices.iter().map(ToString::to_string));
    shown.extend(page.preset().map(|preset| preset.slug.to_string()));
    shown.extend(cannot_learn(&run.link.spec));
    for section in FormSection::ALL {
        shown.extend(
            section_fields(page.form_spec(), section)
                .iter()
                .map(|field| format!("{:?}", page.field_state(field.key))),
        );
    }
    if run.sweep.is_some() {
        shown.extend([map::map_html(run), map::map_legend(run)]);
    }
    for chart in run.link.view.show.iter().filter(|chart| chart.applies(run).is_ok()) {
        shown.extend([chart.title(run), chart.summary(run)]);
        std::hint::black_box(page.reading_to_end(*chart));
    }
    std::hint::black_box(shown);
}

fn the_bytes() -> Vec<u8> {
    TEXT.with_borrow(Vec::clone)
}

fn the_link() -> String {
    TEXT.with_borrow(|text| String::from_utf8_lossy(text).into_owned())
}
