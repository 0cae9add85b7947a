//! Figures of `lab sweep` for runs with invented times.

use super::*;
use vivarium_model::permalink::decode_within;
use vivarium_model::run::cells::sweep_axes;

/// A sweep of `link` with a file of its own, in which `solved` of the networks of each run reached the target: run
/// number i at step 100·(i + 1).
fn index_with_times(name: &str, link: &str, networks: usize, solved: &[usize]) -> SweepIndex {
    let (decoded, notices) = decode_within(link, MAX_SWEEP_RUNS);
    assert!(notices.is_empty(), "{notices:?}");
    let mut settings: Vec<&str> = sweep_axes(&decoded.spec).map(|axis| axis.key.as_str()).collect();
    if !settings.contains(&"seed") {
        settings.push("seed");
    }
    let measured = "replica,success,step,train_loss,train_accuracy,test_loss,test_accuracy";
    let mut text = format!("# lab sweep {link}\ncell,{},{measured}\n", settings.join(","));
    for (number, solved) in solved.iter().enumerate() {
        for replica in 0..networks {
            let is_solved = u8::from(replica < *solved);
            let values = "0,".repeat(settings.len());
            text += &format!("{number},{values}{replica},{is_solved},{},0,1,0,1\n", 100 * (number + 1));
        }
    }
    let path = std::env::temp_dir().join(format!("vivarium-figure-{name}-{}.csv", std::process::id()));
    std::fs::write(&path, text).unwrap();
    let found = SweepIndex::read(&path).unwrap();
    assert_eq!(found.run_count(), solved.len());
    // Windows keeps a file that is open.
    let _ = std::fs::remove_file(path);
    found
}

/// The runs of a sweep of at most two settings.
fn swept(found: &SweepIndex) -> SweepProgress {
    let mut all = build_panels(found).unwrap();
    assert!(all.len() == 1 && all[0].name.is_empty());
    all.remove(0).sweep
}

fn grid(reading: &Reading) -> &Heatmap {
    let Reading::Grid(grid) = reading else { panic!("a map is a grid") };
    grid
}

#[test]
fn shares_stand_over_their_values_which_are_logarithmic_if_all_are_positive() {
    for (name, sweep, is_log, x) in [
        ("numbers", "n:10_20_40", true, [10.0, 20.0, 40.0]),
        ("zero", "seed:0_1_2", false, [0.0, 1.0, 2.0]),
        ("words", "loss:hinge_ce_square", false, [1.0, 2.0, 3.0]),
    ] {
        let found =
            index_with_times(name, &format!("#v1/sparse-parity?replicas=4&sweep={sweep}"), 4, &[4, 1, 0]);
        let Reading::Lines(lines) = build_share_curve(&found.spec, &swept(&found)) else {
            panic!("it is a curve")
        };
        assert_eq!(lines.log_x, is_log, "{name}");
        assert_eq!(lines.y_range, Some((0.0, 1.0)));
        assert_eq!(lines.series.len(), 1);
        assert_eq!(lines.series[0].x, x, "{name}");
        assert_eq!(lines.series[0].y, [1.0, 0.25, 0.0], "{name}");
    }
}

/// The first setting is that of the columns, and of the second one, that of the rows, all runs come together.
#[test]
fn maps_have_the_first_setting_across_and_the_second_one_down() {
    let link = "#v1/sparse-parity?replicas=4&sweep=n:10_20_40&series=k:2_3";
    let found = index_with_times("map", link, 4, &[4, 3, 0, 1, 2, 4]);
    let all = build_maps(&found.spec, &swept(&found));
    // Proposition 6.3 forbids nothing of so few bits.
    assert_eq!(all.len(), 2);
    let (share, reached) = (grid(&all[0]), grid(&all[1]));
    assert_eq!((share.title.as_str(), share.rows, share.columns), (SHARE_TITLE, 2, 3));
    assert_eq!(share.row_names, ["2", "3"]);
    assert_eq!(share.column_names, ["10", "20", "40"]);
    assert_eq!(share.values, [1.0, 0.0, 0.5, 0.75, 0.25, 1.0]);
    let counts: Vec<&str> = share.texts.iter().filter_map(|text| text.split('\n').next()).collect();
    assert_eq!(counts, ["4/4", "0/4", "2/4", "3/4", "1/4", "4/4"]);
    // Wilson's interval of 4 of 4 begins at 4/(4 + 1.96²), and that of 0 of 4 is its mirror image.
    assert_eq!((share.texts[0].as_str(), share.texts[1].as_str()), ("4/4\n51–100 %", "0/4\n0–49 %"));
    assert_eq!([0, 3, 5].map(|at| reached.values[at]), [100.0, 200.0, 600.0]);
    assert!(reached.values[1].is_nan() && reached.values[4].is_nan(), "{:?}", reached.values);
    assert_eq!([0, 1, 3, 4, 5].map(|at| reached.texts[at].as_str()), ["100", "–", "200", "–", "600"]);
}

/// r·T·m over ½·C(n, k): one neuron on n bits has r = n + 3 parameters, and makes T = 100 steps on m = 8 examples.
/// C(20, 8) = 125,970, C(30, 8) = 5,852,925 and C(40, 8) = 76,904,685; of one bit it is n, which forbids nothing.
#[test]
fn a_third_map_shows_what_theory_allows_where_that_is_not_everything() {
    let link = "#v1/sparse-parity?width=1&batch=8&steps=100&replicas=2&sweep=n:20_30_40&series=k:1_8";
    let found = index_with_times("allowed", link, 2, &[2, 0, 2, 0, 2, 0]);
    let all = build_maps(&found.spec, &swept(&found));
    assert_eq!(all.len(), 3);
    let allowed = grid(&all[2]);
    assert_eq!(allowed.title, "Largest share by proposition 6.3, with adversarial errors of gradients");
    assert_eq!((allowed.rows, allowed.columns, allowed.values.len()), (2, 3, 6));
    assert_eq!(allowed.values[..3], [1.0; 3]);
    let few: [(f64, f64); 3] = [(23.0, 125_970.0), (33.0, 5_852_925.0), (43.0, 76_904_685.0)];
    for (value, (parameters, sets)) in allowed.values[3..].iter().zip(few) {
        let expected = parameters * 100.0 * 8.0 / (0.5 * sets);
        assert!((f64::from(*value) / expected - 1.0).abs() < 1e-6, "{value} and {expected}");
    }
    assert_eq!(allowed.texts, ["100.0 %", "100.0 %", "100.0 %", "29.2 %", "0.9 %", "0.0 %"]);
}

#[test]
fn a_figure_has_the_readings_that_its_sweep_has() {
    let [times, errors, enough] = [chart::SWEEP, chart::ENDS, chart::THRESHOLD].map(Chart::name);
    let median = "Median step at which the target is reached";
    let boolean = "#v1/sparse-boolean?replicas=4&sweep=m:20_30_40&series=n:25_50";
    let all = [SHARE_TITLE, median, times, errors, enough];
    for (name, link, networks, runs, drawn) in [
        ("curve", "#v1/sparse-parity?replicas=2&sweep=n:10_20", 2, 2, &[SHARE_TITLE, times] as &[&str]),
        ("ends", "#v1/tabular?n=5&replicas=2&sweep=m:40_60", 2, 2, &[SHARE_TITLE, errors]),
        ("single", boolean, 4, 6, &[SHARE_TITLE, median, times]),
        ("tries", &boolean.replace("?", "?tries=2&"), 4, 6, &[SHARE_TITLE, median, times, enough]),
        (
            "words",
            "#v1/sparse-boolean?tries=2&replicas=4&sweep=m:20_30&series=loss:hinge_ce",
            4,
            4,
            &[SHARE_TITLE, median, times],
        ),
    ] {
        let found = index_with_times(&format!("drawn-{name}"), link, networks, &vec![networks; runs]);
        let path = std::env::temp_dir().join(format!("vivarium-figure-{name}-{}.svg", std::process::id()));
        draw_figure(&path, &found, &FigureStyle::default()).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(path).unwrap();
        let titles: Vec<&str> = all.into_iter().filter(|title| text.contains(title)).collect();
        assert_eq!(titles, drawn, "{name}");
    }
}

/// Two seeds and two widths are four maps of 2 × 2 runs, and each shows its own.
#[test]
fn further_settings_have_a_map_for_each_combination() {
    let link = "#v1/sparse-parity?replicas=2&sweep=n:10_20&series=k:2_3&further=seed:5_6,width:16_32";
    let solved = [2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0, 2, 1, 0, 2];
    let found = index_with_times("further", link, 2, &solved);
    let all = build_panels(&found).unwrap();
    let names: Vec<&str> = all.iter().map(|panel| panel.name.as_str()).collect();
    assert!(
        names.len() == 4 && names[0].starts_with("seed = 5, ") && names[0].ends_with(" = 16"),
        "{names:?}"
    );
    assert!(names[3].starts_with("seed = 6, ") && names[3].ends_with(" = 32"), "{names:?}");
    for (panel, solved) in all.iter().zip(solved.chunks(4)) {
        let counts: Vec<usize> =
            panel.sweep.solved_steps.iter().map(|times| times.iter().flatten().count()).collect();
        assert_eq!(counts, solved, "{}", panel.name);
        assert!(panel.spec.run.further.is_empty());
    }
    let last = &all[3];
    assert_eq!(last.sweep.cells[1].spec.value("width").unwrap().to_string(), "32");
    assert_eq!((last.spec.run.seed, last.sweep.cells[1].spec.run.seed), (6, 6));
    assert_eq!(grid(&build_maps(&last.spec, &last.sweep)[0]).values, [1.0, 0.0, 0.5, 1.0]);
    let path = std::env::temp_dir().join(format!("vivarium-figure-further-{}.svg", std::process::id()));
    draw_figure(&path, &found, &FigureStyle::default()).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(path).unwrap();
    for name in names {
        assert!(text.contains(&format!("{name}: {SHARE_TITLE}")), "{name}");
    }
}

/// A curve for each value of the second setting, with the words of the printed law, as long as there are few of them.
#[test]
fn two_settings_are_curves_as_well_with_the_fit_that_is_printed() {
    let of = |name: &str, link: &str, runs: usize| {
        let found = index_with_times(name, link, 6, &vec![6; runs]);
        let path = std::env::temp_dir().join(format!("vivarium-two-{name}-{}.svg", std::process::id()));
        draw_figure(&path, &found, &FigureStyle::default()).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(path).unwrap();
        (text, format_power_laws(&found).unwrap())
    };
    let (drawn, printed) = of("few", "#v1/sparse-parity?replicas=6&sweep=n:10_20_40&series=k:2_3", 6);
    assert_eq!(printed.lines().count(), 2);
    for line in printed.lines() {
        let (name, law) = line.split_once(": t_c ∝ n^α, ").unwrap();
        assert!(law.starts_with("exponent ") && law.contains(", 95 % interval "), "{line}");
        assert!(drawn.contains(&format!("{name}, {law}")), "{line}");
    }
    let (drawn, printed) =
        of("many", "#v1/sparse-parity?replicas=6&sweep=n:10_20&series=seed:lin:1..13:13", 26);
    assert!(!drawn.contains(chart::SWEEP.name()) && printed.lines().count() == 13, "{printed}");
}
