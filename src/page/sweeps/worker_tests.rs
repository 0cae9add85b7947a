//! Sweeps that several workers make: what they come to is what one worker finds alone.

use crate::state::{Action, State};
use crate::sweeps::SweepAction;
use crate::sweeps::workers::SweepWorkers;
use crate::timeline::tests::Page;
use crate::timeline::tests::Trains as _;
use crate::timeline::tests::with_a_worker::Real;
use vivarium_model::permalink::encode;
use vivarium_player::trainer::TrainerMessage;
use vivarium_view::display::RunPhase;
use vivarium_view::display::sweep::SweepProgress;

use std::rc::Rc;

/// Networks that find it, that do not, and that diverge.
const SWEEP: &str = "#v1/sparse-parity?n=10&k=2&width=16&act=power&degree=4&replicas=3&steps=60&every=20&held=64&device=cpu\
     &sweep=lr:0.001_0.02_0.05_3_100&series=seed:1_2&speed=0";

/// Number of runs so large that the sweep does not end during a test.
const LONG: &str = "#v1/sparse-parity?n=10&k=2&replicas=3&steps=60&every=20&held=64&device=cpu&halt=steps\
     &sweep=width:lin:8..27:20&series=seed:lin:1..20:20&speed=0";

/// A page with a sweep, its trainer and its sweep workers.
struct SweepPage {
    page: Page<Real>,
    workers: SweepWorkers<Rc<Real>>,
    /// Everybody who was ever opened, under the number.
    members: Vec<Rc<Real>>,
    /// How many were given back.
    gone: usize,
    /// Runs that ended before their turn.
    ahead: Vec<usize>,
}

impl SweepPage {
    fn new(link: &str, cores: usize) -> Self {
        let page = Page::open(link, Real::new());
        let mut office =
            SweepPage { page, workers: SweepWorkers::new(cores), members: vec![], gone: 0, ahead: vec![] };
        office.settle();
        office
    }

    fn settle(&mut self) {
        let members = &mut self.members;
        let gone = self.workers.update(&self.page.state, |number| {
            assert_eq!(number as usize, members.len());
            members.push(Rc::new(Real::new()));
            members.last().cloned()
        });
        self.gone += gone.len();
    }

    fn act(&mut self, action: Action) {
        self.page.act(action);
        self.settle();
    }

    /// Everybody works for a moment, and what the members say is heard.
    fn work(&mut self) {
        self.page.trainer.work(1);
        self.page.listen();
        self.settle();
        self.run_workers();
    }

    /// Lets every sweep worker train for a moment, and handles its messages.
    fn run_workers(&mut self) {
        for number in 0..self.members.len() {
            self.members[number].work(1);
            for message in self.members[number].take() {
                if let Some((run, outcome)) =
                    self.workers.handle_message(number as u32, TrainerMessage::Message(message))
                {
                    self.ahead.push(run);
                    self.page.act(Action::SweepRunEnded(run, outcome));
                }
            }
        }
        self.settle();
    }

    /// Trains until the condition holds.
    fn run_until(&mut self, done: impl Fn(&State) -> bool) {
        for _ in 0..100_000 {
            if done(&self.page.state) {
                return;
            }
            self.work();
        }
        panic!("it never came to that");
    }

    fn sweep(&self) -> &SweepProgress {
        self.page.state.player.run.sweep.as_ref().expect("a sweep")
    }
}

fn is_over(state: &State) -> bool {
    matches!(state.player.run.phase, RunPhase::Finished(_))
        && state.player.run.sweep.as_ref().is_some_and(SweepProgress::is_complete)
}

/// Formats the results of the sweep; NaN equals itself in this form.
fn sweep_results(office: &SweepPage) -> String {
    let sweep = office.sweep();
    format!("{:?} {:?} {:?}", sweep.solved_steps, sweep.final_metrics, sweep.final_accuracies)
}

#[test]
fn what_others_make_of_a_sweep_is_what_one_finds_alone() {
    let mut alone = SweepPage::new(SWEEP, 1);
    alone.run_until(is_over);
    assert!(alone.members.is_empty(), "one core is the trainer's");
    let mut office = SweepPage::new(SWEEP, 4);
    office.run_until(is_over);
    assert_eq!((office.members.len(), office.gone), (3, 3), "nobody waits when it is over");
    assert!(office.ahead.len() >= 3 && !office.ahead.contains(&9), "{:?}", office.ahead);
    assert_eq!(sweep_results(&office), sweep_results(&alone));
    let metrics = |page: &SweepPage| page.sweep().format_metrics_csv(&page.page.state.player.run.link.spec);
    assert_eq!(metrics(&office), metrics(&alone));
    assert_eq!(office.sweep().ended_count(), 10);
    let rows = |office: &SweepPage| office.page.state.player.run.history.rows().cloned().collect::<Vec<_>>();
    assert_eq!(
        format!("{:?}", rows(&office)),
        format!("{:?}", rows(&alone)),
        "the last run is the trainer's"
    );
    let times = office.sweep().solved_steps.concat();
    assert!(times.iter().any(Option::is_some) && times.iter().any(Option::is_none), "{times:?}");
}

/// Runs from the far end count at once: in the progress, the map and the curves.
#[test]
fn what_ends_before_its_turn_is_seen_at_once() {
    let mut office = SweepPage::new(SWEEP, 2);
    for _ in 0..1000 {
        // The trainer answers and makes no step.
        office.page.listen();
        office.settle();
        office.run_workers();
        if office.sweep().ended_count() >= 4 {
            break;
        }
    }
    assert_eq!((office.sweep().solved_steps.len(), office.ahead.as_slice()), (0, [8, 7, 6, 5].as_slice()));
    assert!(
        office.sweep().describe_progress().starts_with("4 of 10 runs"),
        "{}",
        office.sweep().describe_progress()
    );
    let faces = crate::sweeps::map::cell_views(&office.page.state.player.run);
    let is_made = |face: &crate::sweeps::map::CellView| face.description.contains("the target was reached");
    assert_eq!(faces.iter().map(is_made).collect::<Vec<_>>()[4..], [false, true, true, true, true, false]);
    assert!(faces[0].is_now);
    let points = office.sweep().curves(&office.page.state.player.run.link.spec);
    assert_eq!(points.iter().map(|(_, points)| points.len()).sum::<usize>(), 4);
}

#[test]
fn those_who_help_rest_with_the_page_and_leave_with_the_sweep() {
    let mut office = SweepPage::new(LONG, 3);
    office.run_until(|state| state.player.run.sweep.as_ref().unwrap().ended_count() >= 2);
    office.act(Action::TogglePlay);
    for _ in 0..50 {
        // Whoever was at a run finishes the step it was at.
        office.run_workers();
    }
    let ended = office.sweep().ended_count();
    for _ in 0..200 {
        office.run_workers();
    }
    assert_eq!((office.sweep().ended_count(), office.gone), (ended, 0), "paused");
    office.act(Action::TogglePlay);
    office.run_until(|state| state.player.run.sweep.as_ref().unwrap().ended_count() > ended);
    // At a speed that a person has chosen there is nothing to be ahead of.
    office.act(Action::Edit("speed".into(), "5".into()));
    let ahead = office.ahead.len();
    for _ in 0..200 {
        office.run_workers();
    }
    assert_eq!(office.ahead.len(), ahead);
    office.act(Action::Edit("speed".into(), "0".into()));
    let kept = office.sweep().ended_count();
    office.act(Action::Sweep(SweepAction::Cancel));
    assert_eq!((office.gone, office.sweep().ended_count()), (2, kept), "what was found is kept");
    office.act(Action::TogglePlay);
    office.run_until(|state| state.player.run.sweep.as_ref().unwrap().ended_count() > kept);
    office.act(Action::Open("#v1/sparse-parity?n=9".into()));
    assert_eq!(office.gone, 4, "another run wants nobody");
    assert_eq!(encode(&office.page.state.player.run.link), "#v1/sparse-parity?n=9");
}

#[test]
fn a_member_that_breaks_down_costs_time_alone() {
    let mut alone = SweepPage::new(SWEEP, 1);
    alone.run_until(is_over);
    let mut office = SweepPage::new(SWEEP, 3);
    office.run_until(|state| state.player.run.sweep.as_ref().unwrap().ended_count() >= 1);
    assert_eq!(office.workers.handle_message(0, TrainerMessage::Died("out of memory".into())), None);
    office.settle();
    assert_eq!(office.gone, 1);
    office.run_until(is_over);
    assert_eq!((office.members.len(), office.gone), (2, 2), "nobody takes its place");
    assert_eq!(sweep_results(&office), sweep_results(&alone));
}

/// Each of them holds a run of its own: two of these took 4.7 GiB.
#[test]
fn there_are_as_many_helpers_as_there_is_memory_for() {
    let helpers = |link: &str| {
        let (link, notices) = vivarium_model::permalink::decode(link);
        assert!(notices.is_empty(), "{notices:?}");
        vivarium_model::run::cost::max_cost(&link.spec).max_sweep_workers(7)
    };
    assert_eq!((helpers(SWEEP), helpers(LONG)), (7, 7));
    let dear = "#v1/sparse-parity?n=512&width=4096&device=cpu&sweep=lr:0.01_0.1_1";
    assert!(
        (1..7).contains(&helpers(&format!("{dear}&replicas=4"))),
        "{}",
        helpers(&format!("{dear}&replicas=4"))
    );
    assert_eq!(helpers(&format!("{dear}&replicas=24")), 0);
    // The dearest of its runs counts.
    assert_eq!(helpers(&dear.replace("lr:0.01_0.1_1", "replicas:1_24")), 0);
    let office = SweepPage::new(&format!("{dear}&replicas=24&speed=0"), 8);
    assert!(office.members.is_empty());
}
