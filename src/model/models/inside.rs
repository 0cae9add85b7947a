//! What is inside a network for given inputs: hidden values and attention, as arrays with named axes.
//!
//! Names and axes are the same in all models that have the same thing. `[example, neuron]` are the numbers of neurons,
//! `[example, head, query, key]` the shares of attention that the token `query` gives to the token `key`, without `query`
//! where one token alone is read out. Of networks of several layers, the name ends in the number of the layer, counted from
//! 1: `activations.layer2`.
//!
//! Networks that are executed may have thousands of layers. Where all of them would be more than [`MOST`] numbers, only some
//! are in the arrays, and the array `layers` has their numbers.
//!
//! # Why
//! These are for programs of a person's own, which no chart foresees. Pages have no use for them, and do not load them.

use super::Forms;
use vivarium_core::bounds::{MAX_TENSOR_ENTRIES, saturating_product};
use vivarium_core::settings::format_thousands;

/// Most numbers in the arrays of one network: 64 MiB in single precision.
pub const MOST: u64 = MAX_TENSOR_ENTRIES / 4;

/// When a network is probed, and for what. A network that is executed depends on more than its weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct At<'a> {
    /// The seed of the run.
    pub seed: u64,
    /// Training steps made.
    pub step: u64,
    /// The learning rate of the next step.
    pub rate: f64,
    /// What is asked for.
    pub kinds: &'a [Kind],
}

impl At<'_> {
    /// Whether arrays of this kind are asked for.
    pub fn wants(&self, kind: Kind) -> bool {
        self.kinds.contains(&kind)
    }

    /// Whether nothing from inside the network is asked for.
    pub fn wants_nothing(&self) -> bool {
        !self.wants(Kind::Activations) && !self.wants(Kind::Attention)
    }
}

/// What the numbers of an array are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Values of hidden units, before or after the activation.
    Activations,
    /// Shares of attention.
    Attention,
    /// Inputs, labels and answers.
    Examples,
}

/// Numbers inside a network for each of some examples.
#[derive(Debug, Clone, PartialEq)]
pub struct Inside {
    /// What they are.
    pub kind: Kind,
    /// The name of the array.
    pub name: String,
    /// The names of its axes; the first is that of the examples, except in the array of [`layers`].
    pub axes: Vec<&'static str>,
    /// How long each axis is.
    pub shape: Vec<usize>,
    /// The numbers, the last axis running fastest.
    pub values: Vec<f32>,
}

/// Arrays that are gathered example by example.
#[derive(Debug, Default)]
pub struct Gathered(Vec<Inside>);

impl Gathered {
    /// Adds the numbers of the next example to the array of this name, which has these axes behind that of the examples.
    pub fn add(
        &mut self,
        kind: Kind,
        name: &str,
        axes: &[(&'static str, usize)],
        values: impl IntoIterator<Item = f64>,
    ) {
        let at = self.0.iter().position(|array| array.name == name).unwrap_or_else(|| {
            let names = std::iter::once("example").chain(axes.iter().map(|axis| axis.0)).collect();
            let shape = std::iter::once(0).chain(axes.iter().map(|axis| axis.1)).collect();
            self.0.push(Inside { kind, name: name.into(), axes: names, shape, values: vec![] });
            self.0.len() - 1
        });
        let array = &mut self.0[at];
        array.shape[0] += 1;
        array.values.extend(values.into_iter().map(|value| value as f32));
    }

    /// The same of hidden units.
    pub fn activations(
        &mut self,
        name: &str,
        axes: &[(&'static str, usize)],
        values: impl IntoIterator<Item = f64>,
    ) {
        self.add(Kind::Activations, name, axes, values);
    }

    /// The same of shares of attention.
    pub fn attention(
        &mut self,
        name: &str,
        axes: &[(&'static str, usize)],
        values: impl IntoIterator<Item = f64>,
    ) {
        self.add(Kind::Attention, name, axes, values);
    }

    /// All of them.
    pub fn arrays(self) -> Vec<Inside> {
        self.0
    }
}

/// Whether arrays of so many numbers can be made.
///
/// # Errors
/// A sentence where they cannot.
pub fn fits(numbers: u64) -> Result<(), String> {
    let (found, most) = (format_thousands(numbers), format_thousands(MOST));
    let said = || {
        format!("the arrays would have {found} numbers, and at most {most} are possible: use fewer examples")
    };
    (numbers <= MOST).then_some(()).ok_or_else(said)
}

/// The layers from 0 to `last` that are in the arrays: all of them, or every second one, every third one and so on, and
/// always the last one. A layer has `each` numbers for all examples together.
///
/// # Errors
/// A sentence where the first and the last layer alone are too large.
pub fn kept(last: u64, each: u64) -> Result<Vec<u64>, String> {
    let most = MOST / each.max(1);
    fits(saturating_product([each, last.min(1) + 1]))?;
    let every = last.div_ceil(most.saturating_sub(1).max(1)).max(1);
    let every = usize::try_from(every).unwrap_or(usize::MAX);
    Ok((0..last).step_by(every).chain([last]).collect())
}

/// The name of the array of answers, of a network that says them together with what is inside.
pub const OUTPUTS: &str = "outputs";

/// The name of the array of [`layers`].
const LAYERS: &str = "layers";

/// The array that says which layers were kept.
pub fn layers(kept: &[u64]) -> Inside {
    Inside {
        kind: Kind::Activations,
        name: LAYERS.into(),
        axes: vec!["layer"],
        shape: vec![kept.len()],
        values: kept.iter().map(|layer| *layer as f32).collect(),
    }
}

/// The sentence that says that some layers are not in these arrays, if some are not.
pub fn left_out(arrays: &[Inside]) -> Option<String> {
    let kept = &arrays.iter().find(|array| array.name == LAYERS)?.values;
    let (count, all) = (kept.len() as u64, *kept.last()? as u64 + 1);
    let (some, all) = (count < all).then(|| (format_thousands(count), format_thousands(all)))?;
    Some(format!(
        "Only {some} of the {all} layers are in the arrays, because all layers together have too many numbers. \
         The array layers contains the numbers of these layers."
    ))
}

/// The name of an array of layer `layer`, counted from 0.
pub fn of_layer(name: &str, layer: usize) -> String {
    format!("{name}.layer{}", layer + 1)
}

/// The values z = xW + b of linear forms for one input.
pub fn forms((w, b): &Forms<'_>, x: &[f32]) -> Vec<f64> {
    let mut z: Vec<f64> = b.iter().map(|b| f64::from(*b)).collect();
    for (x, row) in x.iter().zip(w.chunks_exact(b.len())) {
        z.iter_mut().zip(row).for_each(|(z, w)| *z += f64::from(x * w));
    }
    z
}

/// What models have that say nothing of it themselves: the values of the first layer's forms, and the shares of attention
/// of each head at the token that is read out, `[examples, heads, inputs + 1]`.
pub fn usual(forms_of: Option<Forms<'_>>, looks: Option<Vec<f32>>, inputs: usize, x: &[f32]) -> Vec<Inside> {
    let mut all = Gathered::default();
    if let Some(first) = &forms_of {
        for x in x.chunks_exact(inputs.max(1)) {
            all.activations("preactivations", &[("neuron", first.1.len())], forms(first, x));
        }
    }
    let examples = x.len() / inputs.max(1);
    if let Some(looks) = looks.filter(|looks| examples > 0 && !looks.is_empty()) {
        let (each, tokens) = (looks.len() / examples, inputs + 1);
        for shares in looks.chunks_exact(each) {
            let axes = [("head", each / tokens), ("key", tokens)];
            all.attention("attention", &axes, shares.iter().map(|share| f64::from(*share)));
        }
    }
    all.arrays()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permalink::decode;
    use crate::run::RunSpec;
    use crate::tasks::Batch;
    use vivarium_core::math::dot;

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

    fn outputs(spec: &RunSpec, batch: &Batch) -> Vec<f32> {
        let weights = spec.initialize_replicas(1);
        let weights: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
        spec.network().evaluate(&weights, spec.task.examples().inputs(), &batch.x, 0)
    }

    fn spec(link: &str) -> RunSpec {
        let (link, notices) = decode(link);
        assert!(notices.is_empty(), "{notices:?}");
        link.spec
    }

    /// f = uᵀh + β from the array of activations is what the network answers.
    #[test]
    fn activations_of_a_layer_give_the_output() {
        let spec = spec("#v1/sparse-parity?n=8&k=2&width=12&act=sin&degree=2");
        let (batch, arrays) = inside(&spec);
        let outputs = outputs(&spec, &batch);
        let weights = spec.initialize_replicas(1);
        let h = arrays.iter().find(|array| array.name == "activations").unwrap();
        assert_eq!((h.axes.as_slice(), h.shape.as_slice()), (&["example", "neuron"][..], &[3, 12][..]));
        for (h, output) in h.values.chunks_exact(12).zip(&outputs) {
            let f = dot(h, &weights[1]) + weights[3][0];
            assert!((f - output).abs() < 1e-5, "{f} {output}");
        }
    }

    /// The same of a network on pairs: the activations times w are the logits.
    #[test]
    fn activations_of_pairs_give_the_logits() {
        let spec = spec("#v1/groups?n=7&width=16");
        let (batch, arrays) = inside(&spec);
        let outputs = outputs(&spec, &batch);
        let weights = spec.initialize_replicas(1);
        let h = &arrays[0];
        assert_eq!((h.name.as_str(), h.shape.as_slice()), ("activations", &[3, 16][..]));
        for (h, logits) in h.values.chunks_exact(16).zip(outputs.chunks_exact(7)) {
            for (w, logit) in weights[2].chunks_exact(16).zip(logits) {
                let f = dot(h, w);
                assert!((f - logit).abs() < 1e-4, "{f} {logit}");
            }
        }
    }

    #[test]
    fn shares_of_attention_sum_to_one() {
        let links = [
            ("#v1/sparse-parity?n=8&k=2&model=parity-transformer", "attention"),
            ("#v1/sparse-boolean?n=8&k=2&model=cls-transformer", "attention"),
            ("#v1/groups?n=7&model=modular-transformer&demb=8&heads=2", "attention"),
            ("#v1/markov?k=3&t=12&heads=2.1&d=12", "attention.layer1"),
            ("#v1/markov?k=3&t=12&heads=2.1&d=12", "attention.layer2"),
        ];
        for (link, name) in links {
            let (link, _) = decode(link);
            let (_, arrays) = inside(&link.spec);
            let array = arrays.iter().find(|array| array.name == name).unwrap();
            assert_eq!((array.axes[1], *array.axes.last().unwrap()), ("head", "key"), "{name}");
            for shares in array.values.chunks_exact(*array.shape.last().unwrap()) {
                let sum: f32 = shares.iter().sum();
                assert!((sum - 1.0).abs() < 1e-5, "{name}: {sum}");
            }
        }
    }

    #[test]
    fn layers_are_left_out_where_all_are_too_many() {
        assert_eq!(kept(3, 10), Ok(vec![0, 1, 2, 3]));
        assert_eq!(kept(0, MOST), Ok(vec![0]));
        assert_eq!(kept(9, MOST / 2), Ok(vec![0, 9]));
        // Four layers fit, and the last one is always there.
        assert_eq!(kept(10, MOST / 4), Ok(vec![0, 4, 8, 10]));
        for (last, each) in
            [(9_100, 5_000), (1 << 20, 299), (1, MOST / 2), (17, 1 << 20), (u64::MAX >> 1, 1 << 20)]
        {
            let layers = kept(last, each).unwrap();
            assert!(layers.len() as u64 * each <= MOST, "{last} {each}");
            assert_eq!((layers[0], layers.last()), (0, Some(&last)));
        }
        let refused = kept(1, MOST / 2 + 1).unwrap_err();
        assert_eq!(
            refused,
            "the arrays would have 16,777,218 numbers, and at most 16,777,216 are possible: use fewer examples"
        );
        assert!(kept(u64::MAX, u64::MAX).is_err() && fits(MOST).is_ok());
        assert_eq!(left_out(&[layers(&[0, 1, 2])]), None);
        let said = left_out(&[layers(&[0, 4, 8, 10])]).unwrap();
        assert!(said.starts_with("Only 4 of the 11 layers are in the arrays, "), "{said}");
    }
}
