//! The picture of a run on sparse parities: bits that can be flipped, the neurons with the largest weights, and the
//! network's answer as a needle.

mod picture;

use vivarium_model::models::family::{Family, Head, OneHiddenLayer};
use vivarium_model::models::mlp;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{Batch, TaskData};
use vivarium_plot::scene::{Scene, WidthScale};
use vivarium_view::display::hero::{Frame, Hero, StageProgress, Touch};
use vivarium_view::display::words::{format_signed, format_thousands, join_list};

/// Largest number of input bits of which a picture is drawn.
const MAX_BITS: usize = 60;
/// Number of neurons in the picture: those with the largest |u|·‖w‖.
const MAX_NEURONS: usize = 16;
/// Number of held-out examples whose answers are drawn as dots.
const DOTS: usize = 100;
/// Shortest time between two exchanges of neurons in the picture, in milliseconds.
const EXCHANGE_INTERVAL_MS: f64 = 800.0;
/// Duration of the movement of a neuron to another place, in milliseconds.
const SORT_MS: f64 = 800.0;
/// Duration of the movement of the needle, in milliseconds.
const NEEDLE_MS: f64 = 120.0;

/// The family of the run's network, if the parity hero can draw it: one hidden layer on few bits, whose output is a
/// weighted sum of its neurons.
fn drawable_layer(spec: &RunSpec) -> Option<OneHiddenLayer> {
    let is_drawable = matches!(spec.task.data(), TaskData::Bits(Some(_)))
        && spec.task.examples().inputs() <= MAX_BITS
        && crate::parameters::check_is_small(spec).is_ok();
    match spec.model.config().family()? {
        Family::OneHiddenLayer(layer) if layer.head == Head::Sum && is_drawable => Some(layer),
        _ => None,
    }
}

/// Whether the lab has a picture of the run.
pub fn has_hero(spec: &RunSpec) -> bool {
    drawable_layer(spec).is_some()
}

/// The picture of a run; `None` if the lab has none for its network.
pub fn new_hero(spec: &RunSpec) -> Option<Box<dyn Hero>> {
    let layer = drawable_layer(spec)?;
    let (n, mut dots) = (spec.task.examples().inputs(), Batch::default());
    let all = spec.task.examples().held_out_count().unwrap_or(DOTS).min(DOTS);
    spec.task.sampler().append_held_out(spec.run.seed, 0, all, &mut dots);
    let initial = spec.initialize_replicas(1);
    let mut hero = ParityHero {
        relevant: spec.task.examples().relevant(spec.run.seed),
        spec: spec.clone(),
        layer,
        bits: dots.x.get(..n)?.to_vec(),
        dots,
        example: 0,
        last_flipped: None,
        network: None,
        weight_scale: WidthScale { largest: 1.0, width: 7.0 },
        output_scale: WidthScale { largest: 1.0, width: 7.0 },
        slots: vec![],
        exchanged_ms: f64::NEG_INFINITY,
        needle: Needle::default(),
        progress: StageProgress::default(),
        ended_ms: None,
    };
    hero.set_weights(StageProgress::default(), &initial, f64::NEG_INFINITY);
    Some(Box::new(hero))
}

/// The network's output with its sign and two decimals; a dash if it is not a finite number.
fn format_answer(answer: f32) -> String {
    if answer.is_finite() { format_signed(answer, 2) } else { "–".into() }
}

/// The weights of the first replica, and what they give on the examples of the picture.
#[derive(Debug, Clone, Default)]
struct NetworkNow {
    /// First layer W, `[bits, width]`.
    w: Vec<f32>,
    /// Output weights u, `[width]`.
    u: Vec<f32>,
    /// All parameter tensors in the order of `RunSpec::parameters`.
    tensors: Vec<Vec<f32>>,
    /// Values of all hidden neurons on the shown example.
    hidden: Vec<f32>,
    /// Output on the shown example.
    answer: f32,
    /// Outputs on the held-out examples that are drawn as dots.
    dot_answers: Vec<f32>,
}

/// A place in the column of neurons.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Slot {
    /// Index of the hidden neuron.
    neuron: usize,
    /// Place from which the neuron moves, counted from 0.
    from: f32,
    /// Time at which the movement began, in milliseconds.
    since_ms: f64,
}

/// The needle of the answer, which moves from one value to the next.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Needle {
    /// Answer from which the needle moves.
    from: f32,
    /// Time at which the movement began, in milliseconds.
    since_ms: f64,
}

/// State of the picture of one run on parities.
#[derive(Debug, Clone)]
struct ParityHero {
    /// Settings of the run.
    spec: RunSpec,
    /// Activation and biases of the hidden layer.
    layer: OneHiddenLayer,
    /// Indices of the bits whose product is the label, from 0.
    relevant: Vec<usize>,
    /// Bits of the shown example, each +1 or −1.
    bits: Vec<f32>,
    /// Held-out examples; their answers are drawn as dots, and they are the examples that are shown one by one.
    dots: Batch,
    /// Index of the held-out example that was shown last.
    example: usize,
    /// Bit that was flipped last.
    last_flipped: Option<usize>,
    /// Weights and answers; `None` before the first weights.
    network: Option<NetworkNow>,
    /// Widths of the lines from bits to neurons.
    weight_scale: WidthScale,
    /// Widths of the lines from neurons to the answer.
    output_scale: WidthScale,
    /// Neurons in the picture, from top to bottom.
    slots: Vec<Slot>,
    /// Time of the last exchange of neurons, in milliseconds.
    exchanged_ms: f64,
    /// Movement of the needle.
    needle: Needle,
    /// Progress of the run.
    progress: StageProgress,
    /// Time at which the run ended, in milliseconds.
    ended_ms: Option<f64>,
}

impl ParityHero {
    /// Number of bits n of an input.
    fn bit_count(&self) -> usize {
        self.bits.len()
    }

    /// The label of the shown example: the product of the relevant bits.
    fn label(&self) -> f32 {
        self.relevant.iter().map(|bit| self.bits[*bit]).product()
    }

    /// The network's output on the shown example; 0 before the first weights.
    fn answer(&self) -> f32 {
        self.network.as_ref().map_or(0.0, |network| network.answer)
    }

    /// Computes hidden values and output on the shown example, and moves the needle there.
    fn evaluate(&mut self, now_ms: f64) {
        let (n, spec) = (self.bit_count(), &self.spec);
        let Some(network) = &mut self.network else { return };
        let slices: Vec<&[f32]> = network.tensors.iter().map(Vec::as_slice).collect();
        let (model, stage) = (spec.network(), spec.stage(self.progress.step));
        let answer = model.evaluate(&slices, n, &self.bits, stage).first().copied().unwrap_or(f32::NAN);
        if let Some(first) = model.linear_first_layer() {
            let (w, b) = first.first_layer(&slices, n);
            let mut z: Vec<f64> = b.iter().map(|b| f64::from(*b)).collect();
            for (bit, row) in self.bits.iter().zip(w.chunks_exact(b.len())) {
                z.iter_mut().zip(row).for_each(|(z, w)| *z += f64::from(bit * w));
            }
            let value = |z: &f64| self.layer.activation.value_and_slope(self.layer.degree, *z).0 as f32;
            network.hidden = z.iter().map(value).collect();
        }
        if answer != network.answer {
            self.needle = Needle { from: network.answer, since_ms: now_ms };
            network.answer = answer;
        }
    }

    /// Neurons in the order of their size |u|·‖w‖, the largest first, at most [`MAX_NEURONS`].
    fn largest_neurons(network: &NetworkNow, n: usize) -> Vec<usize> {
        let width = network.u.len();
        let size = |neuron: usize| {
            let norm: f32 = (0..n).map(|bit| network.w[bit * width + neuron].powi(2)).sum();
            network.u[neuron].abs() * norm.sqrt()
        };
        let sizes: Vec<f32> = (0..width).map(size).collect();
        let mut order: Vec<usize> = (0..width).collect();
        vivarium_core::sorting::sort_by(&mut order, |a, b| sizes[*b].total_cmp(&sizes[*a]).then(a.cmp(b)));
        order.truncate(MAX_NEURONS);
        order
    }

    /// Chooses the neurons of the picture: while the run trains, a neuron that is now among the largest takes the place of
    /// one that is not; at the end, neurons move into the order of their size.
    fn arrange(&mut self, now_ms: f64) {
        let Some(network) = &self.network else { return };
        let largest = Self::largest_neurons(network, self.bits.len());
        if self.slots.is_empty() {
            // In the order of the layer, so that sorting at the end is seen.
            let mut first = largest;
            first.sort_unstable();
            let place = |(at, neuron)| Slot { neuron, from: at as f32, since_ms: f64::NEG_INFINITY };
            self.slots = first.into_iter().enumerate().map(place).collect();
        } else if self.progress.has_ended {
            let sorted = largest.iter().enumerate().map(|(to, neuron)| {
                let before = self.slots.iter().position(|slot| slot.neuron == *neuron);
                Slot { neuron: *neuron, from: before.unwrap_or(to) as f32, since_ms: now_ms }
            });
            let sorted: Vec<Slot> = sorted.collect();
            let is_same = sorted.iter().zip(&self.slots).all(|(new, old)| new.neuron == old.neuron);
            if !is_same {
                self.slots = sorted;
            }
        } else if now_ms - self.exchanged_ms >= EXCHANGE_INTERVAL_MS {
            let shown: Vec<usize> = self.slots.iter().map(|slot| slot.neuron).collect();
            let mut entering = largest.iter().filter(|neuron| !shown.contains(neuron));
            for (at, slot) in self.slots.iter_mut().enumerate() {
                if !largest.contains(&slot.neuron)
                    && let Some(neuron) = entering.next()
                {
                    *slot = Slot { neuron: *neuron, from: at as f32, since_ms: f64::NEG_INFINITY };
                    self.exchanged_ms = now_ms;
                }
            }
        }
    }

    /// Whether the network's answers on all held-out examples of the picture have the signs of their labels.
    fn is_right_on_dots(&self) -> bool {
        let answers = self.network.iter().flat_map(|network| &network.dot_answers);
        self.network.is_some() && answers.zip(&self.dots.y).all(|(answer, label)| answer * label > 0.0)
    }

    /// A sentence on the answer and the label.
    fn describe_answer(&self) -> String {
        let (answer, label) = (format_answer(self.answer()), format_signed(self.label(), 0));
        tr!("The network answers {answer}; the label is {label}.", answer, label)
    }

    /// Numbers, from 1, of the `count` bits with the largest weights |u|·|w|, summed over all neurons.
    fn strongest_bits(&self, count: usize) -> Vec<usize> {
        let Some(network) = &self.network else { return vec![] };
        let width = network.u.len();
        let weight = |bit: usize| -> f32 {
            (0..width).map(|neuron| (network.u[neuron] * network.w[bit * width + neuron]).abs()).sum()
        };
        let weights: Vec<f32> = (0..self.bit_count()).map(weight).collect();
        let mut order: Vec<usize> = (0..self.bit_count()).collect();
        vivarium_core::sorting::sort_by(&mut order, |a, b| {
            weights[*b].total_cmp(&weights[*a]).then(a.cmp(b))
        });
        order.truncate(count);
        let mut found: Vec<usize> = order.into_iter().map(|bit| bit + 1).collect();
        found.sort_unstable();
        found
    }
}

impl Hero for ParityHero {
    fn set_weights(&mut self, progress: StageProgress, weights: &[Vec<f32>], now_ms: f64) {
        let n = self.bit_count();
        let (Some(w), Some(u)) = (weights.get(mlp::W), weights.get(mlp::U)) else { return };
        if progress.has_ended && !self.progress.has_ended {
            self.ended_ms = Some(now_ms);
        } else if !progress.has_ended {
            self.ended_ms = None;
        }
        self.progress = progress;
        let mut network = self.network.take().unwrap_or_default();
        network.w.clone_from(w);
        network.u.clone_from(u);
        network.tensors = weights.to_vec();
        let slices: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
        network.dot_answers =
            self.spec.network().evaluate(&slices, n, &self.dots.x, self.spec.stage(progress.step));
        self.network = Some(network);
        self.arrange(now_ms);
        self.evaluate(now_ms);
        if let Some(network) = &self.network {
            let width = network.u.len();
            let shown = self.slots.iter();
            let weights = shown.flat_map(|slot| (0..n).map(|bit| network.w[bit * width + slot.neuron]));
            self.weight_scale = self.weight_scale.doubled_for(weights);
            self.output_scale = self.output_scale.doubled_for(network.u.iter().copied());
        }
    }

    fn show_next_example(&mut self, now_ms: f64) {
        let (n, count) = (self.bit_count(), self.dots.y.len());
        self.example = (self.example + 1) % count.max(1);
        if let Some(bits) = self.dots.x.get(self.example * n..(self.example + 1) * n) {
            self.bits = bits.to_vec();
        }
        self.last_flipped = None;
        self.evaluate(now_ms);
    }

    fn touch(&mut self, key: &str, touch: Touch, frame: &Frame) -> Option<String> {
        let bit: usize = key.strip_prefix("bit-")?.parse().ok()?;
        if touch != Touch::Press || bit >= self.bit_count() {
            return None;
        }
        let before = self.answer();
        self.bits[bit] = -self.bits[bit];
        self.last_flipped = Some(bit);
        self.evaluate(frame.now_ms);
        let bit_name = bit + 1;
        let value = if self.bits[bit] > 0.0 { tr!("plus 1") } else { tr!("minus 1") };
        let [before, after] = [before, self.answer()].map(format_answer);
        Some(tr!(
            "Bit {bit_name} is {value}. The answer changed from {before} to {after}.",
            bit_name,
            value,
            before,
            after
        ))
    }

    fn scene(&self, frame: &Frame) -> Scene {
        picture::draw(self, frame)
    }

    fn has_diverged(&self) -> bool {
        self.network.is_some() && !self.answer().is_finite()
    }

    fn own_headline(&self) -> String {
        let (width, k) = (format_thousands(self.layer.width as u64), self.relevant.len());
        let other = (0..self.bit_count()).find(|bit| !self.relevant.contains(bit));
        let has_found = self.progress.has_ended && self.progress.has_succeeded;
        match (has_found && self.is_right_on_dots(), self.relevant.last(), other) {
            (true, Some(relevant), Some(other)) => tr!(
                "Flip bit {relevant}: the answer turns. Flip bit {other}: it does not.",
                relevant = relevant + 1,
                other = other + 1
            ),
            (true, ..) => tr!("Flip any bit: the answer turns.").into(),
            _ if has_found => {
                tr!("The network is still wrong on some inputs. Flip a bit: does the answer turn?").into()
            }
            _ if self.progress.has_ended => {
                tr!("The network has not reached its target accuracy. Flip a bit.").into()
            }
            _ if self.layer.width == 1 => tr!("A single neuron searches for {k} secret bits. Flip one.", k),
            _ => tr!("{width} neurons search for {k} secret bits. Flip one.", width, k),
        }
    }

    fn own_description(&self) -> String {
        let step = format_thousands(self.progress.step);
        let bits: Vec<String> =
            self.strongest_bits(self.relevant.len()).into_iter().map(|bit| bit.to_string()).collect();
        let answer = self.describe_answer();
        tr!(
            "Step {step}. {answer} The bits with the largest weights are {bits}.",
            step,
            answer,
            bits = join_list(&bits)
        )
    }

    fn inner_progress(&self) -> Option<f32> {
        let network = self.network.as_ref()?;
        let width = network.u.len();
        let weight = |bit: usize| -> f32 {
            (0..width).map(|neuron| (network.u[neuron] * network.w[bit * width + neuron]).abs()).sum()
        };
        let all: f32 = (0..self.bit_count()).map(weight).sum();
        let relevant: f32 = self.relevant.iter().map(|bit| weight(*bit)).sum();
        (all > 0.0).then_some(relevant / all)
    }

    fn new_run_label(&self) -> &'static str {
        tr!("New secret")
    }

    fn inner_progress_name(&self) -> &'static str {
        tr!("weight share of the secret bits")
    }
}

#[cfg(test)]
mod tests;
