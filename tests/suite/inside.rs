//! Hidden values and attention of the networks of the presets.

use vivarium::labs::PRESETS;
use vivarium::models::Model;
use vivarium::models::inside::{At, Inside, Kind};
use vivarium::run::RunSpec;
use vivarium::tasks::Batch;

const BOTH: [Kind; 2] = [Kind::Activations, Kind::Attention];

/// The arrays of a run at its start, for three held-out examples.
fn inside(spec: &RunSpec) -> (Batch, Vec<Inside>) {
    let (mut batch, weights) = (Batch::default(), spec.initialize_replicas(1));
    spec.task.sampler().append_held_out(spec.run.seed, 0, 3, &mut batch);
    let weights: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
    let (network, inputs) = (spec.network(), spec.task.examples().inputs());
    let at = At { seed: spec.run.seed, step: 0, rate: spec.learning_rate(0), kinds: &BOTH };
    let arrays = network.inside_at(&at, &weights, inputs, &batch.x).unwrap();
    (batch, arrays)
}

/// Of every model that has weights: shapes and numbers agree, and shares of attention sum to one where they are a softmax.
#[test]
fn arrays_have_the_shapes_that_they_say() {
    let mut seen = std::collections::BTreeMap::new();
    for preset in PRESETS {
        let spec = preset.link().spec;
        let slug = spec.model.info().slug;
        let is_small = spec.architecture().numbers(spec.task.examples().inputs(), 1) < 1 << 20;
        if seen.contains_key(slug) || !spec.model.config().has_weights() || !is_small {
            continue;
        }
        let (batch, arrays) = inside(&spec);
        for array in &arrays {
            assert_eq!(array.shape.iter().product::<usize>(), array.values.len(), "{slug} {}", array.name);
            assert_eq!((array.axes[0], array.axes.len()), ("example", array.shape.len()), "{slug}");
            assert_eq!(array.shape[0], batch.len(), "{slug} {}", array.name);
            assert!(array.values.iter().all(|value| value.is_finite()), "{slug} {}", array.name);
        }
        seen.insert(slug, arrays.len());
    }
    for slug in [
        "mlp",
        "deep-mlp",
        "parity-transformer",
        "group-net",
        "modular-transformer",
        "attention-only",
        "minimal-markov",
    ] {
        assert!(seen.get(slug).is_some_and(|arrays| *arrays > 0), "{slug}: {seen:?}");
    }
    assert!(seen.len() >= 12 && Model::ENTRIES.len() > seen.len() / 2, "{seen:?}");
}
