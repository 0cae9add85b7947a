//! The picture of a run on a Boolean circuit: inputs that can be flipped, wires that carry the values of the ReLU network
//! that computes the circuit, and a slider of noise on all its weights.
//!
//! # Why
//! The network is constructed, not trained. What the page shows of the paper (Wei, Chen and Ma 2022, section 3) is how much
//! noise its weights survive with and without rounding. So 100 draws of noise are evaluated for each touch, and one of them is
//! drawn. The run's own search finds a far smaller change of the weights that makes the answer wrong; it can be shown, too.

mod picture;

use super::state::{CircuitState, half_flipping_noise};
use vivarium_model::models::Family;
use vivarium_model::models::circuit_network::{found, noise};
use vivarium_model::run::RunSpec;
use vivarium_plot::scene::Scene;
use vivarium_science::circuits::{
    Circuit, CircuitKind, GateKind, LayerGate, LayeredCircuit, ReluNetwork, Rounding, is_correct,
};
use vivarium_view::display::hero::{Frame, Hero, StageProgress, Touch};
use vivarium_view::display::words::{MISSING, format_decimal, format_significant, format_thousands};

/// Time in which an example is shown while nobody touches the picture, in milliseconds.
const EXAMPLE_MS: f64 = 1_500.0;

/// Largest number of wires of a circuit that is drawn.
const MAX_WIRES: usize = 120;
/// Largest number of layers of a circuit that is drawn, including the inputs.
const MAX_LAYERS: usize = 121;
/// Largest number of gates in a layer of a circuit that is drawn.
const MAX_WIDTH: usize = 10;
/// Largest number of weights and biases of a network of which 100 draws are evaluated for each touch.
const MAX_PARAMETERS: u64 = 4000;
/// Number of draws of noise that are evaluated for each input and amount of noise.
const DRAWS: usize = 100;
/// Duration in which a signal runs from one layer to the next, in milliseconds.
const LAYER_MS: f64 = 120.0;
/// Longest duration in which a signal runs from the inputs to the output, in milliseconds.
const LONGEST_RUN_MS: f64 = 2400.0;
/// Number of equal steps on the slider of noise.
const SLIDER_STEPS: f64 = 100.0;
/// Steps of the slider for a press of an arrow key without Shift.
const NUDGE_STEPS: f64 = 5.0;
/// Possible largest amounts of noise σ on the slider.
const SLIDER_ENDS: [f64; 10] = [0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 40.0];
/// Number of examples that are shown by themselves before an input flips: all but the last are further draws of noise.
const DRAWS_PER_INPUT: usize = 6;
/// How far a wire is bent for a change of its weight by 1, in CSS pixels.
const BEND: f32 = 200.0;

/// Whether the lab has a picture of the run: of circuits with few gates.
pub fn has_hero(spec: &RunSpec) -> bool {
    let examples = spec.task.examples();
    let Some(Family::Circuit(_)) = spec.model.config().family() else { return false };
    let drawn = examples.data().circuit().filter(|_| examples.invalid_settings().is_empty());
    let layered = drawn.and_then(|drawn| drawn.build_layered().ok());
    let is_drawable = |layered: LayeredCircuit| {
        (2..=MAX_LAYERS).contains(&layered.depth())
            && layered.width() <= MAX_WIDTH
            && layered.layers().iter().flatten().map(|gate| read_gates(gate).len()).sum::<usize>()
                <= MAX_WIRES
            && layered.parameter_count() <= MAX_PARAMETERS
    };
    layered.is_some_and(is_drawable) && crate::parameters::check_is_small(spec).is_ok()
}

/// The picture of a run; `None` if the lab has none for its circuit.
pub fn new_hero(spec: &RunSpec) -> Option<Box<dyn Hero>> {
    Some(Box::new(CircuitHero::new(spec)?))
}

/// The gates of the layer below that a gate reads, as pairs (side, index): one wire with side 0, or two wires, whose sides
/// −1 and 1 are above and below the middle of the gate.
fn read_gates(gate: &LayerGate) -> Vec<(f32, usize)> {
    let [a, b] = gate.inputs;
    match gate.kind.map_or(0, GateKind::input_count) {
        0 => vec![],
        2 if a != b => vec![(-1.0, a.min(b)), (1.0, a.max(b))],
        _ => vec![(0.0, a)],
    }
}

/// The bit that an output stands for: "1" above 0, "0" below, a dash for 0 and NaN.
fn describe_bit(output: f64) -> &'static str {
    if output > 0.0 {
        "1"
    } else if output < 0.0 {
        "0"
    } else {
        MISSING
    }
}

/// Whether a draw with this margin, the output times +1 or −1 for the label, has a wrong answer: 0 and NaN are wrong, too.
fn is_miss(margin: f64) -> bool {
    margin.is_nan() || margin <= 0.0
}

/// Layer of a gate (0 for the inputs) and its index within the layer, from 0.
type Place = (usize, usize);

/// A wire from a gate to a gate of the next layer.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Wire {
    /// The gate whose value the wire carries.
    from: Place,
    /// The gate that reads the value.
    to: Place,
    /// Where the wire ends at the gate: −1 above its middle, 0 in the middle, 1 below.
    side: f32,
    /// Index of the wire's weight in the parameters θ of the network.
    parameter: usize,
    /// Signed bend of the wire in CSS pixels, proportional to the change of its weight: before the latest change, and now.
    bends: [f32; 2],
}

/// Change that is added to the parameters θ in the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    /// The noise draw with this index, from 0.
    Draw(usize),
    /// The smallest perturbation found by the run's search.
    Smallest,
}

/// Values of all gates, and the output.
#[derive(Debug, Clone, PartialEq, Default)]
struct Values {
    /// The network's values of the gates after rounding, if there is any, `[layers][gates]`; layer 0 is the inputs.
    gates: Vec<Vec<f64>>,
    /// Output F of the network: positive for the bit 1, negative for 0.
    output: f64,
}

impl Values {
    /// The value of a gate; NaN if there is no such gate.
    fn at(&self, (layer, at): Place) -> f64 {
        self.gates.get(layer).and_then(|gates| gates.get(at)).copied().unwrap_or(f64::NAN)
    }
}

/// State of the picture of one run on a circuit.
#[derive(Debug, Clone)]
struct CircuitHero {
    /// The circuit as a list of gates.
    circuit: Circuit,
    /// The circuit in layers.
    layered: LayeredCircuit,
    /// The network without rounding and the network with rounding; both have the same parameters θ.
    networks: [ReluNetwork; 2],
    /// For each layer of gates, the index of the network's linear layer that computes its values.
    gate_layers: Vec<usize>,
    /// Whether the circuit is a product of weights, whose only input is always 1.
    is_product: bool,
    /// The input of the run's first replica, for which the run searches the smallest perturbation.
    own_input: Vec<bool>,
    /// Whether the run's network rounds.
    own_rounding: Rounding,
    /// The input bits that are shown.
    input: Vec<bool>,
    /// Whether the network that is shown rounds.
    rounding: Rounding,
    /// Standard deviation σ of the noise on all weights.
    sigma: f64,
    /// The largest σ on the slider.
    largest_sigma: f64,
    /// Draws of noise with σ = 1, `[draws][parameters]`.
    noise: Vec<Vec<f64>>,
    /// For each draw of noise, the output of the network times +1 or −1, so that it is positive if the answer is right.
    margins: Vec<f64>,
    /// The smallest perturbation that the run's search has found, `[parameters]`, and its norm.
    smallest: Option<(Vec<f64>, f64)>,
    /// Change that is added to the parameters in the picture.
    change: Change,
    /// The circuit's values of all gates for the input that is shown, `[layers][gates]`.
    truth: Vec<Vec<bool>>,
    /// The circuit's output for the input that is shown.
    label: bool,
    /// The network's values with the change of the picture.
    values: Values,
    /// The network's values before the latest flip of an input.
    values_before: Values,
    /// All wires.
    wires: Vec<Wire>,
    /// Time at which a signal began to run from the inputs, in milliseconds; −∞ if the values changed at once.
    run_ms: f64,
    /// Time at which the wires were bent last, in milliseconds.
    bent_ms: f64,
    /// Number of examples shown by themselves.
    example: usize,
    /// Progress of the run.
    progress: StageProgress,
}

impl CircuitHero {
    /// The picture of a run before its first step; `None` if there is none for its circuit.
    fn new(spec: &RunSpec) -> Option<Self> {
        if !has_hero(spec) {
            return None;
        }
        let CircuitState { spec: drawn, circuit, layered, network, gate_layers, input, settings, .. } =
            CircuitState::from_spec(spec)?;
        let bare = drawn.build_network(Rounding::Off).ok()?;
        let rounded = drawn.build_network(Rounding::On).ok()?;
        let sigma = match settings.sigma > 0.0 {
            true => settings.sigma,
            // Half of the noise that makes the answer wrong in one of a few random directions.
            false => half_flipping_noise(&network, &input, spec.run.seed, settings.draws)
                .unwrap_or(SLIDER_ENDS[0] / 2.0),
        };
        let largest = SLIDER_ENDS.into_iter().find(|end| *end >= 4.0 * sigma);
        let mut hero = CircuitHero {
            wires: build_wires(&layered, &network, &gate_layers),
            noise: (0..DRAWS as u64).map(|draw| noise(&network, spec.run.seed, draw)).collect(),
            networks: [bare, rounded],
            is_product: drawn.kind == CircuitKind::Toy,
            own_input: input.clone(),
            own_rounding: settings.rounding(),
            rounding: settings.rounding(),
            circuit,
            layered,
            gate_layers,
            input,
            sigma,
            largest_sigma: largest.unwrap_or(SLIDER_ENDS[SLIDER_ENDS.len() - 1]),
            margins: vec![],
            smallest: None,
            change: Change::Draw(0),
            truth: vec![],
            label: false,
            values: Values::default(),
            values_before: Values::default(),
            run_ms: f64::NEG_INFINITY,
            bent_ms: f64::NEG_INFINITY,
            example: 0,
            progress: StageProgress::default(),
        };
        hero.evaluate_draws();
        hero.evaluate_change(f64::NEG_INFINITY);
        Some(hero)
    }

    /// The network that is shown, with or without rounding.
    fn network(&self) -> &ReluNetwork {
        let [bare, rounded] = &self.networks;
        if self.rounding == Rounding::On { rounded } else { bare }
    }

    /// Computes the circuit's values for the input that is shown, and the network's answers with all draws of noise.
    fn evaluate_draws(&mut self) {
        self.truth = self.layered.evaluate_layers(&self.input).unwrap_or_default();
        self.label = self.circuit.evaluate(&self.input).unwrap_or(false);
        let (network, sign) = (self.network(), if self.label { 1.0 } else { -1.0 });
        let margin = |noise: &Vec<f64>| {
            let output = network.output_at(&network.perturb(noise, self.sigma), &self.input);
            output.map_or(f64::NAN, |output| sign * output)
        };
        self.margins = self.noise.iter().map(margin).collect();
    }

    /// Computes the network's values with the change of the picture, and bends the wires.
    fn evaluate_change(&mut self, now_ms: f64) {
        let network = self.network();
        let theta = match (self.change, &self.smallest) {
            (Change::Draw(draw), _) => self.noise.get(draw).map(|noise| network.perturb(noise, self.sigma)),
            (Change::Smallest, smallest) => smallest.as_ref().map(|(delta, _)| network.perturb(delta, 1.0)),
        };
        let theta = theta.unwrap_or_else(|| network.theta().to_vec());
        let Ok(trace) = network.trace_at(&theta, &self.input) else { return };
        let layers = self.gate_layers.iter();
        let layers = layers.map(|at| trace.layers.get(*at).map_or(vec![], |layer| layer.rounded.clone()));
        let gates = std::iter::once(trace.inputs.clone()).chain(layers).collect();
        let bend = |wire: &Wire| {
            let weight = |theta: &[f64]| theta.get(wire.parameter).copied().unwrap_or(0.0);
            BEND * (weight(&theta) - weight(network.theta())) as f32
        };
        let bends: Vec<f32> = self.wires.iter().map(bend).collect();
        self.values_before = std::mem::replace(&mut self.values, Values { gates, output: trace.output() });
        for (wire, bend) in self.wires.iter_mut().zip(bends) {
            wire.bends = [wire.bends[1], bend];
        }
        (self.run_ms, self.bent_ms) = (f64::NEG_INFINITY, now_ms);
    }

    /// Flips an input bit and lets the signal run to the output; does nothing if there is no such bit.
    fn flip(&mut self, at: usize, now_ms: f64) {
        let Some(bit) = self.input.get_mut(at) else { return };
        *bit = !*bit;
        self.evaluate_draws();
        if self.change == Change::Smallest {
            self.change = Change::Draw(0);
        }
        self.evaluate_change(now_ms);
        self.run_ms = now_ms;
    }

    /// Shows the first draw of noise with a wrong answer, or the first draw if all answers are right.
    fn show_first_wrong(&mut self, now_ms: f64) {
        let first = self.margins.iter().position(|margin| is_miss(*margin));
        self.change = Change::Draw(first.unwrap_or(0));
        self.evaluate_change(now_ms);
    }

    /// Shows the next draw of noise.
    fn show_next_draw(&mut self, now_ms: f64) {
        self.change = match self.change {
            Change::Draw(draw) => Change::Draw((draw + 1) % DRAWS),
            Change::Smallest => Change::Draw(0),
        };
        self.evaluate_change(now_ms);
    }

    /// Number of draws of noise with a wrong answer.
    fn count_wrong(&self) -> usize {
        self.margins.iter().filter(|margin| is_miss(**margin)).count()
    }

    /// How far the signal has run since an input was flipped, in layers: 1.5 is between the layers 1 and 2.
    fn signal_layer(&self, frame: &Frame) -> f64 {
        let duration = LAYER_MS.min(LONGEST_RUN_MS / self.layered.depth().max(1) as f64);
        if frame.is_still { f64::INFINITY } else { (frame.now_ms - self.run_ms) / duration }
    }

    /// The values that are shown in a layer, and whether they are the present ones: until the signal has arrived, the layer
    /// has its values from before. The layer after the last one is the output.
    fn shown_values(&self, layer: usize, frame: &Frame) -> (&Values, bool) {
        let is_new = self.signal_layer(frame) >= layer as f64;
        (if is_new { &self.values } else { &self.values_before }, is_new)
    }

    /// Whether the network's present value of a gate is on the other side of ½ than the circuit's value.
    fn is_wrong(&self, place: Place) -> bool {
        let truth = self.truth.get(place.0).and_then(|gates| gates.get(place.1));
        truth.is_some_and(|truth| !is_correct(self.values.at(place) - 0.5, *truth))
    }

    /// Name, in a sentence, of the first gate whose value in the network is wrong, by layers: "gate 5"; "the output" if all
    /// gates are right.
    fn name_first_wrong(&self) -> String {
        let layers = self.layered.layers().iter().enumerate();
        let mut gates = layers
            .flat_map(|(layer, gates)| gates.iter().enumerate().map(move |(at, gate)| ((layer, at), gate)));
        let Some((_, gate)) = gates.find(|(place, _)| self.is_wrong(*place)) else {
            return tr!("the output").into();
        };
        match gate.signal.checked_sub(self.circuit.input_count()) {
            Some(number) if self.is_product => tr!("weight {number}", number = number + 1),
            Some(number) if !gate.is_inserted => tr!("gate {number}", number = number + 1),
            _ => tr!("the wire of {name}", name = self.circuit.signal_name(gate.signal)),
        }
    }

    /// The noise as text for the page.
    fn format_sigma(&self) -> String {
        format_decimal(self.sigma as f32)
    }

    /// A sentence on the number of draws with wrong answers; `is_first` says whether the first of them is shown, so that the
    /// sentence can name its first wrong gate.
    fn describe_draws(&self, is_first: bool) -> String {
        let (sigma, wrong, count) = (self.format_sigma(), self.count_wrong(), self.margins.len());
        match wrong > 0 && is_first {
            true => tr!(
                "Noise {sigma}: {wrong} of {count} draws wrong, first at {place}.",
                sigma,
                wrong,
                count,
                place = self.name_first_wrong()
            ),
            false => tr!("Noise {sigma}: {wrong} of {count} draws wrong.", sigma, wrong, count),
        }
    }

    /// A sentence on the change that is shown and its answer.
    fn describe_change(&self) -> String {
        let (is_right, place) = (is_correct(self.values.output, self.label), self.name_first_wrong());
        match (self.change, is_right) {
            (Change::Draw(draw), true) => tr!("Draw {number}: the answer is right.", number = draw + 1),
            (Change::Draw(draw), false) => {
                tr!("Draw {number}: the answer is wrong, first at {place}.", number = draw + 1, place)
            }
            (Change::Smallest, _) => {
                let norm = self.smallest.as_ref().map_or(f64::NAN, |(_, norm)| *norm);
                let (size, answer) = (format_significant(norm), describe_bit(self.values.output));
                let label = u8::from(self.label);
                tr!(
                    "With a change of the weights of norm {size}, the answer is {answer} instead of {label}, first wrong at {place}.",
                    size,
                    answer,
                    label,
                    place
                )
            }
        }
    }

    /// Sets the noise to a share of the slider, from 0 to 1; returns the sentence on its effect, or `None` if nothing
    /// changed.
    fn set_noise(&mut self, share: f64, now_ms: f64) -> Option<String> {
        if !share.is_finite() {
            return None;
        }
        let sigma = (share.clamp(0.0, 1.0) * SLIDER_STEPS).round() / SLIDER_STEPS * self.largest_sigma;
        if sigma == self.sigma {
            return None;
        }
        self.sigma = sigma;
        self.evaluate_draws();
        self.show_first_wrong(now_ms);
        Some(self.describe_draws(true))
    }

    /// Switches rounding on or off; returns the sentence on its effect.
    fn switch_rounding(&mut self, now_ms: f64) -> String {
        let name = match self.rounding {
            Rounding::On => tr!("Rounding is off."),
            Rounding::Off => tr!("Rounding is on."),
        };
        self.rounding = if self.rounding == Rounding::On { Rounding::Off } else { Rounding::On };
        self.evaluate_draws();
        self.show_first_wrong(now_ms);
        format!("{name} {}", self.describe_draws(true))
    }

    /// Shows the smallest perturbation found for the run's own input and network, or again a draw of noise; returns the
    /// sentence on its effect.
    fn switch_smallest(&mut self, now_ms: f64) -> String {
        if self.smallest.is_none() {
            return tr!("The search has not found such a change yet.").into();
        }
        if self.change == Change::Smallest {
            self.show_first_wrong(now_ms);
            return self.describe_draws(true);
        }
        self.input.clone_from(&self.own_input);
        (self.rounding, self.change) = (self.own_rounding, Change::Smallest);
        self.evaluate_draws();
        self.evaluate_change(now_ms);
        self.describe_change()
    }

    /// Flips an input bit; returns the sentence on its effect, or `None` if there is no such bit.
    fn flip_and_describe(&mut self, at: usize, now_ms: f64) -> Option<String> {
        if self.is_product || at >= self.input.len() {
            return None;
        }
        let before = describe_bit(self.values.output);
        self.flip(at, now_ms);
        let (name, value) = (self.circuit.signal_name(at), u8::from(self.input[at]));
        let (after, label) = (describe_bit(self.values.output), u8::from(self.label));
        Some(match before == after {
            true => tr!(
                "{name} is {value}. The network's answer stays {after}; the circuit gives {label}.",
                name,
                value,
                after,
                label
            ),
            false => tr!(
                "{name} is {value}. The network's answer changed from {before} to {after}; the circuit gives {label}.",
                name,
                value,
                before,
                after,
                label
            ),
        })
    }
}

/// All wires of a circuit, with the indices of their weights in the parameters of its network.
fn build_wires(layered: &LayeredCircuit, network: &ReluNetwork, gate_layers: &[usize]) -> Vec<Wire> {
    let mut wires = vec![];
    for (layer, gates) in layered.layers().iter().enumerate().skip(1) {
        // The first linear layer after the one that computes the layer below.
        let first =
            layer.checked_sub(2).and_then(|below| gate_layers.get(below)).map_or(0, |below| below + 1);
        let Some(linear) = network.layers().get(first) else { continue };
        for (at, gate) in gates.iter().enumerate() {
            let wire = |(side, read): (f32, usize)| Wire {
                from: (layer - 1, read),
                to: (layer, at),
                side,
                parameter: linear.row_range(at).start + read,
                bends: [0.0; 2],
            };
            wires.extend(read_gates(gate).into_iter().map(wire));
        }
    }
    wires
}

impl Hero for CircuitHero {
    fn set_weights(&mut self, progress: StageProgress, weights: &[Vec<f32>], now_ms: f64) {
        self.progress = progress;
        let fits = |(delta, _): &(Vec<f64>, f64)| {
            delta.len() == self.network().theta().len() && delta.iter().all(|delta| delta.is_finite())
        };
        let smallest = found(weights).filter(fits);
        if smallest == self.smallest {
            return;
        }
        self.smallest = smallest;
        if self.change == Change::Smallest {
            if self.smallest.is_none() {
                self.change = Change::Draw(0);
            }
            self.evaluate_change(now_ms);
        }
    }

    fn example_interval_ms(&self) -> f64 {
        EXAMPLE_MS
    }

    fn show_next_example(&mut self, now_ms: f64) {
        self.example = self.example.wrapping_add(1);
        let number = self.example / DRAWS_PER_INPUT;
        match self.example.is_multiple_of(DRAWS_PER_INPUT) && !self.is_product {
            true => self.flip(number % self.input.len().max(1), now_ms),
            false => self.show_next_draw(now_ms),
        }
    }

    fn touch(&mut self, key: &str, touch: Touch, frame: &Frame) -> Option<String> {
        let now_ms = frame.now_ms;
        match (key, touch) {
            ("noise", Touch::Drag(point)) => {
                let share = picture::slider_share(self, point, frame);
                self.set_noise(f64::from(share), now_ms)
            }
            ("noise", Touch::Nudge { x, y, fine }) => {
                let steps = if fine { 1.0 } else { NUDGE_STEPS };
                let share = self.sigma / self.largest_sigma + f64::from(x - y) * steps / SLIDER_STEPS;
                self.set_noise(share, now_ms)
            }
            ("shake", Touch::Press) => {
                self.show_next_draw(now_ms);
                Some(self.describe_change())
            }
            ("rounding", Touch::Press) => Some(self.switch_rounding(now_ms)),
            ("smallest", Touch::Press) => Some(self.switch_smallest(now_ms)),
            (_, Touch::Press) => self.flip_and_describe(key.strip_prefix("input-")?.parse().ok()?, now_ms),
            _ => None,
        }
    }

    fn scene(&self, frame: &Frame) -> Scene {
        picture::draw(self, frame)
    }

    fn own_headline(&self) -> String {
        match (&self.smallest, self.is_product) {
            (Some((_, norm)), _) if self.progress.has_ended => tr!(
                "Press “Smallest found”: a change of norm {size} makes the answer wrong.",
                size = format_significant(*norm)
            ),
            (_, true) => {
                tr!("A product of weights that are 1. Drag the noise until the answer is wrong.").into()
            }
            (_, false) => {
                tr!("A network of logic gates. Flip an input, or drag the noise on its weights.").into()
            }
        }
    }

    fn own_description(&self) -> String {
        let step = format_thousands(self.progress.step);
        let (input, label) = (super::texts::format_bits(&self.input), u8::from(self.label));
        let (draws, change) = (self.describe_draws(false), self.describe_change());
        let smallest = match &self.smallest {
            Some((_, norm)) => tr!(
                "The smallest change of the weights found so far that makes the answer wrong has norm {size}.",
                size = format_significant(*norm)
            ),
            None => String::new(),
        };
        let spoken = tr!(
            "Step {step}. For the input {input} the circuit gives {label}. {draws} {change} {smallest}",
            step,
            input,
            label,
            draws,
            change,
            smallest
        );
        spoken.trim_end().into()
    }
}

#[cfg(test)]
mod tests;
