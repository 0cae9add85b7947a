//! The results of a sweep: the table of metrics of all its runs, and the quantity that its map shows.

use super::tests::{end, end_of, open, sweep};
use crate::files::Export;
use crate::sweeps::map::{cell_views, map_legend};
use vivarium_model::permalink::encode;

#[test]
fn the_metrics_of_a_sweep_are_those_of_all_its_runs() {
    let (mut state, _) = open();
    assert_eq!(Export::SweepMetrics.build(&state, "").unwrap_err(), "Nothing has been measured yet.");
    for step in [20, 30, 40, 50] {
        end(&mut state, step);
    }
    assert!(sweep(&state).is_complete());
    let file = Export::SweepMetrics.build(&state, "").unwrap();
    assert!(file.name.ends_with("-metrics.csv"), "{}", file.name);
    let results = Export::Csv.build(&state, "").unwrap().name;
    assert!(results.ends_with("-results.csv"), "{results}");
    let table = String::from_utf8(file.bytes).unwrap();
    let lines: Vec<&str> = table.lines().filter(|line| !line.starts_with('#')).collect();
    let mut expected = vec!["n,k,step,replica,train_loss,train_accuracy,test_loss,test_accuracy".to_string()];
    for (settings, step) in ["10,2", "10,3", "20,2", "20,3"].into_iter().zip([20, 30, 40, 50]) {
        expected.extend((0..2).map(|replica| format!("{settings},{step},{replica},0.5,1,0.25,0.75")));
    }
    assert_eq!(lines, expected);
}

#[test]
fn a_map_of_runs_with_one_share_shows_in_what_they_differ() {
    let (mut state, _) = open();
    for step in [100, 200, 300] {
        end_of(&mut state, &[0, 1], step);
    }
    assert_eq!(cell_views(&state.player.run)[0].text, "2/2", "the last run may fail");
    end_of(&mut state, &[0, 1], 400);
    let texts: Vec<String> = cell_views(&state.player.run).into_iter().map(|cell| cell.text).collect();
    assert_eq!(texts, ["100", "200", "300", "400"]);
    let legend = map_legend(&state.player.run);
    let start =
        "Every run reached the target with all its seeds, so the map shows another quantity. Median step";
    assert!(legend.starts_with(start), "{legend}");
    // A cell opens the same run as ever.
    assert!(!encode(&state.player.run.link).contains("cells"));
    // Runs that agree in everything, or of which no seed succeeds, show the share.
    let (mut state, _) = open();
    for _ in 0..4 {
        end_of(&mut state, &[], 100);
    }
    assert!(cell_views(&state.player.run).iter().all(|cell| cell.text == "0/2"));
    assert!(map_legend(&state.player.run).starts_with("Share of seeds"));
    state.player.run.sweep.as_mut().unwrap().final_metrics[1] = [0.25, 0.9];
    assert_eq!(cell_views(&state.player.run)[1].text, "90.0");
    assert!(map_legend(&state.player.run).starts_with("No run reached the target with any seed"));
}
