//! Maps and answers are those of the network and of the trees, and moving the row changes them as it should.

use super::*;
use crate::hero_testing::{check_scenes, check_texts, texts};
use vivarium_model::permalink::decode;
use vivarium_model::tasks::tabular::TableOrigin;
use vivarium_model::tasks::tabular::uploaded::UploadedTable;
use vivarium_plot::scene::{Anchor, Area, Shape};

/// The link of most runs of these tests: the lab's default run.
const LINK: &str = "#v1/tabular";

/// A picture of a laptop's size.
fn frame() -> Frame {
    Frame { width: 1400.0, height: 540.0, now_ms: 10_000.0, is_still: false }
}

/// The hero of the run of a link.
fn hero_of(link: &str) -> TableHero {
    TableHero::new(&decode(link).0.spec).unwrap()
}

/// Progress at the end of a run.
fn ended() -> StageProgress {
    StageProgress { step: 300, has_ended: true, has_succeeded: false }
}

/// A hero of a network of four neurons that computes f(x) = 2x_c for the first relevant column c, with c.
fn hero_of_one_column() -> (TableHero, usize) {
    let mut hero = hero_of("#v1/tabular?model=mlp&width=4");
    let column = hero.relevant[0];
    let mut w = vec![0.0; 20 * 4];
    (w[column * 4], w[column * 4 + 1]) = (1.0, -1.0);
    let weights = [w, vec![2.0, -2.0, 0.0, 0.0], vec![0.0; 4], vec![0.0]];
    hero.set_weights(ended(), &weights, 0.0);
    (hero, column)
}

/// The cell below the moved row has the answers that the row has, by the reference evaluation.
#[test]
fn maps_are_the_answers_to_the_moved_row() {
    for link in [
        LINK,
        "#v1/tabular?model=mlp&width=30&act=sin&degree=2&loss=square",
        "#v1/tabular?widths=8.6&layers=greedy",
    ] {
        let mut hero = hero_of(link);
        for uses_medians in [false, true] {
            if uses_medians {
                hero.touch("medians", Touch::Press, &frame()).unwrap();
            }
            hero.choose_column(7, 0.0).unwrap();
            assert_eq!((hero.maps[0].len(), hero.maps[1].len()), (hero.cells.len(), hero.cells.len()));
            for cell in [0, 5, hero.cells.len() / 2, hero.cells.len() - 1] {
                hero.move_to(hero.cells[cell]).unwrap();
                let [network, forest] = hero.answers.now;
                assert!((hero.maps[0][cell] - network).abs() < 1e-4, "{link} {cell}: {network}");
                assert!((hero.maps[1][cell] - forest).abs() < 1e-6, "{link} {cell}: {forest}");
            }
        }
    }
}

#[test]
fn the_class_turns_along_the_column_that_the_network_uses_and_along_no_other() {
    let (mut hero, column) = hero_of_one_column();
    assert_eq!(hero.inner_progress(), Some(1.0));
    let other = (0..20).find(|other| !hero.relevant.contains(other)).unwrap();
    hero.touch(&format!("column-{other}"), Touch::Press, &frame()).unwrap();
    let spoken = hero.touch(&format!("column-{column}"), Touch::Press, &frame()).unwrap();
    assert!(spoken.starts_with(&format!(
        "Horizontal: column {}. Vertical: column {}.",
        column + 1,
        other + 1
    )));
    // σ(2) = 0.8808.
    for (x, words) in [(1.0, "Network: class +1, 88.0 %."), (-1.0, "Network: class −1, 88.0 %.")] {
        for y in [-2.0, 0.0, 2.0] {
            let spoken = hero.move_to([x, y]).unwrap();
            assert!(spoken.contains(words), "{spoken}");
        }
    }
    assert!(hero.describe().contains("moved"), "{}", hero.describe());
    // Half a map is 25 steps of the arrow keys.
    hero.move_to([0.0, 0.0]);
    for _ in 0..25 {
        hero.touch("point", Touch::Nudge { x: 1.0, y: -1.0, fine: false }, &frame()).unwrap();
    }
    assert!((hero.row[column] - EDGE).abs() < 1e-4 && (hero.row[other] - EDGE).abs() < 1e-4);
    let layout = picture::Layout::new(&frame());
    let scene = hero.scene(&frame());
    let map = scene.items.iter().find_map(|item| match &item.shape {
        Shape::Cells { area, .. } => Some(*area),
        _ => None,
    });
    let centre = map.unwrap().centre();
    assert!(layout.values_at(centre).iter().all(|value| value.abs() < 1e-4));
    hero.touch("point", Touch::Drag(centre), &frame()).unwrap();
    assert!(hero.row[column].abs() < 1e-4 && hero.row[other].abs() < 1e-4);
    assert_eq!(hero.touch("column-20", Touch::Press, &frame()), None);
    assert_eq!(hero.touch("nothing", Touch::Press, &frame()), None);
}

#[test]
fn shown_rows_have_their_labels_and_medians_replace_all_other_columns() {
    let mut hero = hero_of(LINK);
    let mut batch = Batch::default();
    hero.spec.task.sampler().append_held_out(hero.spec.run.seed, 0, 3, &mut batch);
    for (at, label) in batch.y.iter().enumerate() {
        let words = format!("held-out row {}: class {}.", at + 1, format_signed(*label, 0));
        assert!(hero.describe().contains(&words), "{} {words}", hero.describe());
        assert_eq!(hero.input(), batch.x[at * 20..(at + 1) * 20]);
        hero.show_next_example(0.0);
    }
    hero.touch("medians", Touch::Press, &frame()).unwrap();
    for (column, value) in hero.input().into_iter().enumerate() {
        let is_axis = hero.axes.contains(&column);
        assert_eq!(value, if is_axis { hero.row[column] } else { hero.medians[column] });
        let below = hero.training.x.iter().skip(column).step_by(20).filter(|x| **x < hero.medians[column]);
        assert_eq!(below.count(), 150);
    }
    assert_eq!(hero.order[..3].iter().filter(|column| hero.relevant.contains(column)).count(), 3);
    assert_eq!(rank_columns(&hero.training, 20, &[]).len(), 20);
}

/// Without medians the maps are those of one row, which the picture says.
#[test]
fn the_picture_says_where_the_other_columns_are() {
    let mut hero = hero_of(LINK);
    let medians = hero.medians.clone();
    for label in [1.0, -1.0] {
        while hero.label() != Some(label) {
            hero.show_next_example(0.0);
        }
        assert_eq!(hero.medians, medians, "medians are those of the training rows, whatever the class");
        let maps = hero.maps.clone();
        assert!(texts(&hero.scene(&frame())).contains("other columns: as in the row"));
        assert!(hero.describe().contains("so that the maps change with the row."), "{}", hero.describe());
        hero.touch("medians", Touch::Press, &frame()).unwrap();
        assert_ne!(hero.maps, maps);
        let maps = hero.maps.clone();
        let row = hero.row.clone();
        hero.row = hero.held_out.x[100..120].iter().map(|x| -x).collect();
        hero.update_maps(0.0);
        assert_eq!(hero.maps, maps, "the maps at the medians do not depend on the row");
        let words = texts(&hero.scene(&frame()));
        assert_eq!(words.matches("other columns: medians").count(), 2, "caption and switch: {words}");
        hero.row = row;
        hero.touch("medians", Touch::Press, &frame()).unwrap();
    }
}

#[test]
fn a_table_of_relevant_columns_alone_has_no_column_without_effect() {
    let mut hero = hero_of("#v1/tabular?n=4&k=3");
    hero.progress = ended();
    assert!(hero.headline().starts_with("Only columns "), "{}", hero.headline());
    let mut hero = hero_of("#v1/tabular?n=3&k=3");
    hero.progress = ended();
    assert_eq!(hero.headline(), "All 3 columns matter. Move the point: where does the class change?");
    check_texts(&hero);
}

/// The forest learns the rule: its error is a few percent, and it remembers nearly all rows on which it was grown.
#[test]
fn the_forest_answers_held_out_rows() {
    let mut hero = hero_of(LINK);
    for _ in 0..2 * MAX_TREES {
        hero.grow_tree();
    }
    assert_eq!((hero.trees.len(), hero.training.len()), (MAX_TREES, 300));
    let share_right = |batch: &Batch| {
        let right = batch.x.chunks_exact(20).zip(&batch.y).filter(|(x, y)| {
            let votes: f32 = hero.trees.iter().map(|tree| tree.vote(&|column| x[column])).sum();
            votes * **y > 0.0
        });
        right.count() as f32 / batch.len() as f32
    };
    assert!(share_right(&hero.held_out) >= 0.88, "{}", share_right(&hero.held_out));
    assert!(share_right(&hero.training) >= 0.98, "{}", share_right(&hero.training));
}

/// Left and right end of a text in CSS pixels, estimated from its number of letters.
fn ends_of(text: &str, x: f32, size: f32, anchor: Anchor) -> [f32; 2] {
    let width = 0.55 * size * text.chars().count() as f32;
    match anchor {
        Anchor::Start => [x, x + width],
        Anchor::Middle => [x - width / 2.0, x + width / 2.0],
        Anchor::End => [x - width, x],
    }
}

#[test]
fn scenes_are_bounded_and_their_targets_disjoint() {
    let mut hero = hero_of(LINK);
    for values in [[0.0, 0.5], [-9.0, 9.0], [9.0, -9.0]] {
        hero.move_to(values).unwrap();
        for progress in [StageProgress::default(), ended()] {
            hero.progress = progress;
            check_texts(&hero);
            assert!(hero.headline().chars().count() <= 90, "{}", hero.headline());
        }
        for scene in check_scenes(&hero, 10_000.0, None) {
            let frame = Frame { width: scene.width, height: scene.height, ..frame() };
            assert!(scene.items.len() <= 600, "{}", scene.items.len());
            let is_inside = |area: &Area| {
                area.left >= 0.0
                    && area.top >= 0.0
                    && area.right() <= frame.width
                    && area.bottom() <= frame.height
            };
            let mut areas: Vec<Area> = vec![];
            for item in &scene.items {
                if let Shape::Text { text, at, size, anchor, .. } = &item.shape {
                    let [left, right] = ends_of(text, at.x, *size, *anchor);
                    let area = Area::new(left, at.y - size / 2.0, right - left, *size);
                    assert!(is_inside(&area) && *size >= 11.0, "{text} {area:?} in {frame:?}");
                    assert!(areas.iter().all(|other| !other.overlaps(&area)), "{text} in {frame:?}");
                    areas.push(area);
                }
            }
            assert_eq!(scene.targets.len(), if frame.is_narrow() { 12 } else { 14 });
            for target in &scene.targets {
                assert!(is_inside(&target.area), "{target:?}");
                assert!(target.area.width >= 24.0 && target.area.height >= 24.0, "{target:?}");
            }
            assert!(texts(&scene).contains("of 40 trees"));
        }
    }
}

#[test]
fn wrong_weights_are_survived() {
    let mut hero = hero_of(LINK);
    let right: Vec<usize> = hero.weights.as_ref().unwrap().iter().map(Vec::len).collect();
    hero.set_weights(ended(), &[], 0.0);
    hero.set_weights(ended(), &[vec![1.0; 3]], 0.0);
    assert_eq!(hero.progress.step, 0);
    let broken: Vec<Vec<f32>> = right.iter().map(|length| vec![f32::NAN; *length]).collect();
    hero.set_weights(ended(), &broken, 0.0);
    assert_eq!((hero.progress.step, hero.inner_progress()), (300, None));
    assert!(hero.describe().contains("Network: –."), "{}", hero.describe());
    for text in [hero.headline(), hero.describe()] {
        assert!(text.starts_with("The run has diverged") && !text.contains("NaN"), "{text}");
    }
    check_texts(&hero);
    hero.show_next_example(5.0);
    assert!(!hero.scene(&frame()).items.is_empty());
    let nowhere = Touch::Nudge { x: f32::NAN, y: 0.0, fine: true };
    assert_eq!(hero.touch("point", nowhere, &frame()), None);
}

#[test]
fn perceptrons_on_few_columns_have_a_picture() {
    let has = |link: &str| has_hero(&decode(&format!("#v1/tabular{link}")).0.spec);
    for link in [
        "",
        "?n=64",
        "?turned=yes",
        "?k=2&rule=parity",
        "?n=40&widths=200.100",
        "?widths=300.300",
        "?model=mlp",
    ] {
        assert!(has(link), "{link}");
    }
    for link in ["?model=random-forest", "?n=100", "?widths=1000.1000"] {
        assert!(!has(link), "{link}");
    }
    assert!(!has_hero(&decode("#v1/sparse-parity").0.spec));
    let turned = hero_of("#v1/tabular?turned=yes");
    assert_eq!((turned.relevant.len(), turned.inner_progress()), (0, None));
}

/// The label of an opened table is the sign of its second column.
#[test]
fn an_opened_table_has_a_picture_while_it_is_open() {
    let x: Vec<f32> = (0..180).map(|at| ((at * 37 % 101) as f32 - 50.0) / 30.0).collect();
    let y = x.chunks_exact(3).map(|row| if row[1] > 0.0 { 1.0 } else { -1.0 }).collect();
    let number = UploadedTable { columns: 3, x, y }.register();
    let mut spec = decode(LINK).0.spec;
    if let Task::Tabular(task) = &mut spec.task {
        (task.origin, task.csv, task.m) = (TableOrigin::Uploaded, number, 0);
    }
    let hero = TableHero::new(&spec).unwrap();
    assert_eq!((hero.column_count(), hero.order[0], hero.training.len()), (3, 1, 54));
    // The columns of an opened table are divided by their standard deviations.
    let words = texts(&check_scenes(&hero, 10_000.0, None)[0]);
    assert!(words.contains("±2.6 SD") && words.contains("columns of the row, in SD"), "{words}");
    assert!(hero.describe().contains("in standard deviations from the mean"), "{}", hero.describe());
    assert!(texts(&hero_of(LINK).scene(&frame())).contains("−2.6 to 2.6"));
    if let Task::Tabular(task) = &mut spec.task {
        task.csv = number + 1;
    }
    assert!(!has_hero(&spec) && new_hero(&spec).is_none());
}
