//! What must hold for every entry of every catalog, so that a new one is tested by being listed.

use vivarium::catalog::CatalogEntry;
use vivarium::models::{Family, Model};
use vivarium::optim::Optimizer;
use vivarium::optim::loss::Loss;
use vivarium::permalink::{Link, ViewSettings, decode, encode};
use vivarium::run::{RunSettings, RunSpec};
use vivarium::settings::{Range, SettingInfo, Settings, SweepAxis, Value};
use vivarium::tasks::{Batch, Task, TaskData};

use crate::finish;

fn catalogs() -> [&'static [CatalogEntry]; 3] {
    [Task::ENTRIES, Model::ENTRIES, Optimizer::ENTRIES]
}

fn all_settings() -> Vec<&'static SettingInfo> {
    let entries = catalogs().into_iter().flatten().flat_map(|e| e.settings);
    entries.chain(RunSettings::SETTINGS).chain(ViewSettings::SETTINGS).collect()
}

/// A model has a network on tensors, which autodiff trains, or a run executes, searches or grows it.
#[test]
fn every_model_is_differentiated_or_a_process() {
    for entry in Model::ENTRIES {
        let model = Model::from_slug(entry.info.slug).unwrap();
        let family = model.config().family();
        let is_process = family.is_some_and(|of| of.is_executed() || matches!(of, Family::Forest(_)));
        assert_eq!(model.net().is_none(), is_process, "{}", entry.info.slug);
    }
}

#[test]
fn slugs_are_unique_and_every_entry_has_its_file() {
    for (entries, folder) in
        catalogs().into_iter().zip(["src/model/tasks", "src/model/models", "src/model/optim"])
    {
        for (i, entry) in entries.iter().enumerate() {
            assert!(entries[..i].iter().all(|other| other.info.slug != entry.info.slug));
            let file = format!("{folder}/{}.rs", entry.info.slug.replace('-', "_"));
            assert!(
                std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(&file).exists(),
                "{file} is missing"
            );
            assert!(entry.info.about.ends_with('.') && !entry.info.sources.is_empty(), "{}", entry.info.slug);
            assert!(entry.info.sources.iter().all(|s| s.url.starts_with("https://")));
        }
    }
}

#[test]
fn settings_are_well_formed_and_unique_wherever_they_meet() {
    for setting in all_settings() {
        assert!(
            setting.key.len() <= 8
                && setting.key.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()),
            "{}",
            setting.key
        );
        assert!(
            setting.help.ends_with('.') && setting.help.len() <= 130,
            "{}: {}",
            setting.key,
            setting.help
        );
        assert!(!setting.label.ends_with(':') && !setting.label.is_empty());
        if let Range::Int(low, high) = setting.range {
            assert!(low < high);
        }
    }
    for entry in catalogs().into_iter().flatten() {
        for (chooser, chosen) in entry.settings.iter().filter_map(|setting| setting.condition) {
            let chooser = entry.settings.iter().find(|setting| setting.key == chooser).unwrap();
            assert!(!chosen.is_empty());
            for choice in chosen {
                chooser.parse(choice).unwrap();
            }
        }
    }
    for task in Task::ENTRIES {
        for model in Model::ENTRIES {
            for optimizer in Optimizer::ENTRIES {
                let settings = [
                    task.settings,
                    model.settings,
                    optimizer.settings,
                    RunSettings::SETTINGS,
                    ViewSettings::SETTINGS,
                ]
                .concat();
                let mut keys: Vec<_> = settings.iter().map(|k| k.key).chain(["model", "opt"]).collect();
                keys.extend(vivarium::permalink::TEACHER_KEYS);
                keys.sort_unstable();
                assert!(keys.windows(2).all(|w| w[0] != w[1]), "{keys:?}");
            }
        }
    }
}

#[test]
fn defaults_are_in_range_and_survive_a_link() {
    for task in Task::ENTRIES {
        let spec = RunSpec::default_of_lab(task.info.slug).unwrap();
        assert!(spec.invalid_settings().is_empty());
        for (_, setting) in spec.settings() {
            setting.check(&spec.value(setting.key).unwrap()).unwrap();
        }
        let view = ViewSettings::default_of_task(&spec.task);
        assert_eq!(encode(&Link { spec, view, ..Default::default() }), format!("#v1/{}", task.info.slug));
    }
}

/// What a task says of its usual run and view is read, and none of it is usual anyway.
#[test]
fn the_usual_run_and_view_of_a_task_are_read_and_needed() {
    for entry in Task::ENTRIES {
        let task = Task::from_slug(entry.info.slug).unwrap();
        let mut spec = RunSpec { task: task.clone(), ..Default::default() };
        for (key, text) in task.config().default_run() {
            let before = spec.clone();
            spec.parse(key, text).unwrap();
            assert_ne!(spec, before, "{}: {key}", entry.info.slug);
        }
        assert_eq!(RunSpec::default_of_lab(entry.info.slug), Some(spec));
        let view = ViewSettings::default_of_task(&task);
        for (key, text) in task.config().default_view() {
            assert_eq!(view.value(key).unwrap().to_string(), *text, "{}: {key}", entry.info.slug);
            assert_ne!(view.value(key), ViewSettings::default().value(key), "{}: {key}", entry.info.slug);
        }
    }
}

/// The ends and the middle of every setting go through a link and come back.
#[test]
fn every_setting_goes_through_a_link() {
    for (task, model) in pairs_that_suit() {
        for optimizer in Optimizer::ENTRIES {
            let mut base = RunSpec::default_of_lab(task).unwrap();
            base.parse("model", model).unwrap();
            base.parse("opt", optimizer.info.slug).unwrap();
            for (_, setting) in base.settings() {
                for value in some_values(setting.range) {
                    let mut spec = base.clone();
                    spec.set(setting.key, &value).unwrap();
                    if !spec.invalid_settings().is_empty() {
                        continue; // alone in range, but not with the defaults of the others
                    }
                    let view = ViewSettings::default_of_task(&spec.task);
                    let link = encode(&Link { spec: spec.clone(), view, ..Default::default() });
                    let (again, notices) = decode(&link);
                    assert!(notices.is_empty() && again.spec == spec, "{} = {value}", setting.key);
                }
            }
        }
    }
}

/// Every task with every model that can learn it, by their slugs.
pub fn pairs_that_suit() -> Vec<(&'static str, &'static str)> {
    let mut pairs = vec![];
    for task in Task::ENTRIES.iter().map(|task| task.info.slug) {
        let found = Task::from_slug(task).unwrap();
        let suit = |model: &&CatalogEntry| Model::suit(model.info.slug, &found);
        pairs.extend(Model::ENTRIES.iter().filter(suit).map(|model| (task, model.info.slug)));
    }
    let is_for_one = |model: &CatalogEntry| pairs.iter().any(|(_, of)| *of == model.info.slug);
    assert!(Model::ENTRIES.iter().all(is_for_one), "each model is for one of the tasks at least");
    pairs
}

#[test]
fn every_setting_of_the_view_goes_through_a_link() {
    for setting in ViewSettings::SETTINGS {
        for value in some_values(setting.range) {
            let mut link = Link::default();
            assert!(link.view.set(setting.key, &value).unwrap());
            let (again, notices) = decode(&encode(&link));
            assert!(notices.is_empty() && again == link, "{} = {value}", setting.key);
        }
    }
}

fn some_values(range: Range) -> Vec<Value> {
    match range {
        Range::Int(low, high) => {
            vec![Value::Int(low), Value::Int(low / 2 + high / 2), Value::Int(high)]
        }
        Range::Real(low, high) => {
            vec![Value::Real(low), Value::Real((low + high) / 2.0), Value::Real(high)]
        }
        Range::Choice(options) => options.iter().map(|o| Value::Choice(o.slug.into())).collect(),
        Range::List(low, _) => vec![Value::List(vec![]), Value::List(vec![low, low + 1, low + 5])],
        Range::Axis => vec![
            Value::Axis(Default::default()),
            Value::Axis(SweepAxis::new("lr".into(), vec!["0.1".into(), "0.5".into()])),
        ],
        Range::Formula(_) => {
            let texts = ["", "(x1 ^ x2) & x3", "~x1 | x2", "01101001", "0110", "nothing & all", "0x12_ü"];
            texts.iter().map(|text| Value::Formula(text.to_string())).collect()
        }
        Range::Axes => {
            let axis = |key: &str| SweepAxis::new(key.into(), vec!["0.1".into(), "0.5".into()]);
            vec![Value::Axes(vec![]), Value::Axes(vec![axis("lr"), axis("wd")])]
        }
        Range::Sizes(low, high, most) => {
            vec![
                Value::List(vec![low]),
                Value::List(vec![(low + high) / 2; 2]),
                Value::List(vec![high; most]),
            ]
        }
        Range::Numbers(low, high, most) => {
            vec![Value::List(vec![]), Value::List(vec![low, low]), Value::List(vec![high; most])]
        }
        // One element, addition modulo 3, and of the largest size addition again and a table that is no group's.
        Range::Table(most) => {
            let most = most as u64;
            vec![
                Value::List(vec![0]),
                Value::List((0..9).map(|at| (at / 3 + at % 3) % 3).collect()),
                Value::List((0..most * most).map(|at| (at / most + at % most) % most).collect()),
                Value::List((0..most * most).map(|at| at % most).collect()),
            ]
        }
        Range::Points(largest, most) => vec![
            Value::Points(vec![]),
            Value::Points(vec![[-largest, largest], [0.0, 1.0]]),
            Value::Points(vec![[largest; 2]; most]),
        ],
        Range::Text(most) => {
            // What is a machine, an input and a circuit, what is none of them, and what takes most room in a link.
            let texts = [
                "",
                "1",
                "A _ → 1 R B\nA 1 → 1 L B",
                "s = a and b\nout = not s",
                "% &=~#;",
                &"1".repeat(most),
            ];
            texts.into_iter().map(|text| Value::Text(text.into())).collect()
        }
        Range::Schedule(low, high) => vec![Value::Schedule(vec![(3, low), (9, high)])],
        Range::Set(options) => {
            let slugs: Vec<String> = options.iter().map(|o| o.slug.into()).collect();
            (0..slugs.len()).map(|from| Value::Set(slugs[from..].to_vec())).collect()
        }
    }
}

/// Every task with every model, optimizer and loss that go together trains for 20 steps to finite numbers.
#[test]
fn every_combination_trains() {
    for (task, model) in pairs_that_suit() {
        for optimizer in Optimizer::ENTRIES {
            for loss in Loss::ALL {
                let spec = RunSpec::default_of_lab(task).unwrap();
                let of_classes = spec.task.examples().classes().is_some();
                let of_numbers = spec.task.sampler().label_variance(0).is_some();
                // Layers that are written down are plain descent.
                let is_descent = matches!(spec.task.data(), TaskData::Fit(_));
                if of_classes && *loss != Loss::CrossEntropy || of_numbers && *loss != Loss::Square {
                    continue;
                }
                if is_descent && optimizer.info.slug != "sgd" {
                    continue;
                }
                // Where there is a size of the task to shrink.
                let size = if spec.value("n").is_some() { "&n=8" } else { "" };
                let link = format!(
                    "#v1/{task}?model={model}&opt={}&loss={}{size}&lr=0.003&held=64&steps=20&halt=steps&every=10&replicas=2",
                    optimizer.info.slug,
                    loss.slug()
                );
                let (link, notices) = decode(&link);
                assert!(notices.is_empty(), "{notices:?}");
                let mut session = vivarium::training::session::Session::start(
                    &link.spec,
                    &vivarium::training::launch::device::Device::cpu(),
                    Default::default(),
                )
                .unwrap();
                let outcome = finish(&mut session);
                assert_eq!(outcome.rows.len(), 3);
                for row in &outcome.rows {
                    let all = [&row.train_loss, &row.train_accuracy, &row.test_loss, &row.test_accuracy];
                    assert!(all.iter().all(|v| v.len() == 2 && v.iter().all(|x| x.is_finite())));
                }
                // Some models begin alike in every replica, and some are done by now or never trained.
                let last = &outcome.rows[2].test_loss;
                let (config, task) = (link.spec.model.config(), &link.spec.task);
                let is_executed = !config.has_weights() && config.constructed(task, 0).is_some();
                let are_done = last == &[0.0, 0.0] || is_executed || !config.is_optimized();
                assert!(last[0] != last[1] || are_done, "{link:?}: replicas are different networks");
            }
        }
    }
}

/// Labels are signs in about equal numbers, or classes, and samples are functions of their arguments.
#[test]
fn every_task_samples_what_it_says() {
    for task in Task::ENTRIES {
        let mut spec = RunSpec::default_of_lab(task.info.slug).unwrap();
        if spec.value("frac").is_some() {
            // All pairs at once are the same for every seed; a part of them is not.
            spec.parse("frac", "0.5").unwrap();
        }
        if ["sparse-boolean", "tabular"].contains(&task.info.slug) {
            // Some hundred labels are not balanced enough.
            spec.parse("m", "0").unwrap();
        }
        let sampler = spec.task.sampler();
        let draw = |seed, replica, step| {
            let mut batch = Batch::default();
            sampler.sample(seed, replica, step, 2048, &mut batch);
            batch
        };
        let batch = draw(1, 0, 0);
        assert_eq!((batch.x.len(), batch.y.len()), (2048 * sampler.columns(), 2048));
        match sampler.classes() {
            None if sampler.label_variance(1).is_some() => {
                assert!(batch.y.iter().all(|y| y.is_finite()) && batch.x.iter().any(|x| x.fract() != 0.0));
            }
            None => {
                assert!(batch.y.iter().all(|y| y.abs() == 1.0));
                assert!(batch.y.iter().sum::<f32>().abs() < 5.0 * 2048f32.sqrt());
            }
            Some(classes) => {
                let is_class = |y: &f32| *y >= 0.0 && y.fract() == 0.0 && (*y as usize) < classes;
                assert!(batch.y.iter().all(is_class));
                assert!(
                    batch.x.iter().all(|x| x.fract() == 0.0 && (0.0..sampler.inputs() as f32).contains(x))
                );
            }
        }
        assert_eq!(batch, draw(1, 0, 0));
        for other in [draw(2, 0, 0), draw(1, 1, 0), draw(1, 0, 1)] {
            assert_ne!(batch.x, other.x);
        }
        assert!(sampler.relevant(1).iter().all(|i| *i < sampler.inputs()));
    }
}
