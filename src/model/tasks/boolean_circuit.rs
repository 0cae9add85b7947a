//! A Boolean circuit that a network of ReLUs computes (Wei, Chen and Ma 2022, section 3): the weights are written down, and a
//! run searches for the smallest perturbation of them that changes an answer.
//!
//! The circuit itself is a [`CircuitSpec`]; this module has its settings.

pub mod charts;
mod measures;

use crate::chart::Chart;
use crate::tasks::{
    Batch, Examples, MeasureInfo, MeasureNames, Sampler, SettingDefaults, TaskConfig, TaskData,
};
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::rng::{Purpose, RandomStream};
use vivarium_core::settings;
use vivarium_core::settings::{InvalidSetting, Range};
use vivarium_core::sources::WEI_2022;
use vivarium_science::circuits::{
    CircuitError, CircuitKind, CircuitSpec, MAX_GATES, MAX_INPUTS, MAX_LINK_CHARACTERS, MAX_PARITY_BITS,
    MAX_RUN_PARAMETERS,
};

/// Default text of the user's own circuit, one gate per line: the exclusive or of a and b.
const DEFAULT_CIRCUIT: &str = "p = a or b\nq = a and b\nr = not q\nout = p and r";

settings! {
    /// Circuit, minimum depth, and the input that is shown.
    pub struct BooleanCircuit {
        /// The circuit that the network computes.
        named: CircuitKind = CircuitKind::Parity, "circuit", "Circuit", Range::Choice(CircuitKind::OPTIONS);
        /// Number of input bits n; for the adder: number of bits of each of the two added numbers.
        bits: usize = 4, "n", "Bits n", Range::Int(1, MAX_PARITY_BITS as u64), only when "circuit" = "parity" | "tree" | "adder" | "majority" | "random";
        /// Number of random gates; the output depends on every one of them.
        gates: usize = 12, "gates", "Random gates", Range::Int(1, MAX_GATES as u64), only when "circuit" = "random";
        /// Seed of the random circuit; it determines the gates.
        seed: u64 = 0, "which", "Random circuit", Range::Int(0, 1_000_000), only when "circuit" = "random";
        /// Minimum number of layers; ID gates are added to a shallower circuit. For the product of weights: the number of weights.
        depth: usize = 1, "levels", "Depth d", Range::Int(1, MAX_GATES as u64);
        /// The gates of the circuit, one gate per line, such as s = a and b.
        text: String = DEFAULT_CIRCUIT.into(), "text", "Own circuit", Range::Text(MAX_LINK_CHARACTERS), only when "circuit" = "own";
        /// Input bits. If this field is empty, each network gets a different row of the truth table, starting with the last (all bits 1).
        shown: Vec<usize> = vec![], "in", "Input", Range::Numbers(0, 1, MAX_INPUTS);
    }
}

impl BooleanCircuit {
    /// Slug, name, summary and sources of this task.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "boolean-circuit",
        name: "Circuits with noise on the weights",
        about: "A ReLU network computes a Boolean circuit. The weights of the network are set by hand. A search looks for the smallest perturbation of all weights that changes the network's answer.",
        sources: &[WEI_2022],
    };

    /// Charts that only runs of this task have.
    pub const CHARTS: &[Chart] = charts::CHARTS;

    /// Definitions of the measures of this task (loss, accuracy and further ones), in lists.
    pub const MEASURES: &[&[MeasureInfo]] = measures::MEASURES;

    /// Specification, from the settings of this task, of the circuit that the network computes.
    pub fn circuit_spec(&self) -> CircuitSpec {
        CircuitSpec {
            kind: self.named,
            bits: self.bits,
            gates: self.gates,
            seed: self.seed,
            depth: self.depth,
            text: self.text.clone(),
            fixed_input: self.shown.iter().map(|bit| *bit == 1).collect(),
        }
    }

    /// Appends the examples with the numbers `examples`; `bit(example, position)` returns an input bit, both counted
    /// from 0, and the labels are the circuit's outputs as ±1.
    fn append_inputs(
        &self,
        examples: std::ops::Range<usize>,
        bit: impl Fn(usize, u32) -> bool,
        out: &mut Batch,
    ) {
        let Ok(circuit) = self.circuit_spec().build_circuit() else { return };
        for at in examples {
            let bits: Vec<bool> = (0..circuit.input_count() as u32).map(|place| bit(at, place)).collect();
            let sign = |bit: bool| if bit { 1.0 } else { -1.0 };
            out.x.extend(bits.iter().map(|bit| sign(*bit)));
            out.y.push(sign(circuit.evaluate(&bits).unwrap_or(false)));
        }
    }

    /// Key of the setting that the user should change to remove `error`.
    fn setting_of_error(&self, error: &CircuitError) -> &'static str {
        match (self.named, error) {
            (CircuitKind::Own, CircuitError::TooManyLayeredGates(_) | CircuitError::TooManyParameters(_))
                if self.depth > 1 =>
            {
                "levels"
            }
            (CircuitKind::Own, _) => "text",
            (CircuitKind::Relay | CircuitKind::Toy, _) => "levels",
            (CircuitKind::Random, CircuitError::NumberOutOfRange { .. })
                if self.bits <= vivarium_science::circuits::MAX_RANDOM_INPUTS =>
            {
                "gates"
            }
            (CircuitKind::Random, CircuitError::NumberOutOfRange { .. }) => "n",
            (CircuitKind::Random, _) => "gates",
            (_, CircuitError::TooManyLayeredGates(_)) => "levels",
            _ => "n",
        }
    }

    /// Checks that the circuit is valid and its constructed network has at most `MAX_RUN_PARAMETERS` parameters.
    fn check_circuit(&self) -> Result<(), CircuitError> {
        let parameters = self.circuit_spec().build_layered()?.parameter_count();
        (parameters <= MAX_RUN_PARAMETERS as u64)
            .then_some(())
            .ok_or(CircuitError::TooManyRunParameters(parameters))
    }
}

impl ToPyTorch for BooleanCircuit {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        Err("The weights of this network are set by hand, not trained.".into())
    }
}

impl TaskConfig for BooleanCircuit {
    fn default_run(&self) -> SettingDefaults {
        &[("model", "circuit-network"), ("steps", "200"), ("every", "2"), ("halt", "steps"), ("held", "64")]
    }

    fn default_view(&self) -> SettingDefaults {
        &[("show", "norms.gates.strays.where"), ("speed", "60")]
    }

    fn repair(&mut self) {
        // Every input is read by a gate.
        self.gates = self.gates.max(self.bits.saturating_sub(1));
    }

    fn smaller_network_hint(&self) -> &'static str {
        tr!("fewer starts of the search, so that the search fits into a browser's memory")
    }
}

impl Examples for BooleanCircuit {
    fn data(&self) -> TaskData {
        TaskData::Circuit(self.circuit_spec())
    }

    fn inputs(&self) -> usize {
        self.circuit_spec().input_count()
    }

    fn training_set_size(&self) -> Option<usize> {
        None
    }

    fn measure_names(&self) -> MeasureNames {
        measures::MEASURE_NAMES
    }

    fn invalid_settings(&self) -> Vec<InvalidSetting> {
        if let Err(error) = self.check_circuit() {
            let key = self.setting_of_error(&error);
            let found = match key {
                "text" => self.text.clone(),
                "gates" => self.gates.to_string(),
                "levels" => self.depth.to_string(),
                _ => self.bits.to_string(),
            };
            return vec![InvalidSetting::new(
                key,
                &found,
                tr!("a valid circuit. The mistake: {error}", error),
            )];
        }
        let (given, inputs) = (self.shown.len(), self.inputs());
        let found = || self.shown.iter().map(usize::to_string).collect::<Vec<_>>().join(".");
        if given != 0 && given != inputs {
            let expected = tr!("{inputs} bits, one for each input of the circuit, or an empty field", inputs);
            return vec![InvalidSetting::new("in", &found(), expected)];
        }
        if self.named == CircuitKind::Toy && self.shown == [0] {
            return vec![InvalidSetting::new(
                "in",
                "0",
                tr!("1, because the only input of the circuit “product of weights” is always 1"),
            )];
        }
        vec![]
    }
}

impl Sampler for BooleanCircuit {
    fn sample(&self, seed: u64, replica: u32, step: u64, size: usize, out: &mut Batch) {
        let stream = RandomStream::new(seed, Purpose::Batch, replica);
        let inputs = self.inputs() as u32;
        let bit = |at: usize, place: u32| {
            stream.draw_u32(step, (at as u32).wrapping_mul(inputs).wrapping_add(place)) & 1 == 1
        };
        self.append_inputs(0..size, bit, out);
    }

    fn append_held_out(&self, seed: u64, from: usize, size: usize, out: &mut Batch) {
        let stream = RandomStream::new(seed, Purpose::HeldOut, 0);
        self.append_inputs(from..from + size, |at, place| stream.draw_u32(at as u64, place) & 1 == 1, out);
    }

    fn append_training_set(&self, _seed: u64, _replica: u32, _from: usize, _size: usize, _out: &mut Batch) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permalink::{decode, encode};
    use crate::run::RunSpec;
    use vivarium_core::settings::Settings;

    fn notices(link: &str) -> Vec<String> {
        let (read, notices) = decode(&format!("#v1/boolean-circuit?{link}"));
        assert_eq!(read.spec.invalid_settings(), [], "{link}");
        assert!(notices.iter().all(|notice| !notice.key.is_empty()));
        notices.iter().map(|notice| notice.to_string()).collect()
    }

    #[test]
    fn own_circuits_go_through_a_link() {
        let link = "#v1/boolean-circuit?circuit=own&text=inputs~b~a;s~=~a~and~b;out~=~not~s&in=1.0";
        let (read, notices) = decode(link);
        assert!(notices.is_empty(), "{notices:?}");
        assert_eq!(encode(&read), link);
        let drawn = read.spec.task.data().circuit().unwrap();
        assert_eq!(drawn.build_circuit().unwrap().to_string(), "inputs b a\ns = a and b\nout = not s");
        assert_eq!(drawn.replica_input(3), [true, false]);
        // As a mail program or a person writes it.
        let (other, notices) = decode(
            "#v1/boolean-circuit?circuit=own&text=inputs%20b%20a%3Bs%20=%20a%20and%20b%0Aout = not s&in=1.0",
        );
        assert!(notices.is_empty(), "{notices:?}");
        assert_eq!(encode(&other), link);
    }

    #[test]
    fn what_cannot_be_is_one_sentence() {
        for (link, said) in [
            (
                "circuit=own&text=s~=~a~xor~b",
                "line 1: there is no gate “xor”; the gates are “and”, “or”, “not” and “id”",
            ),
            ("circuit=own&text=s~=~t;t~=~not~s", "line 1: s depends on its own value"),
            (
                "circuit=own&text=inputs~a;s~=~a~and~b",
                "line 2: b is neither in the list of inputs nor assigned in any line",
            ),
            ("circuit=own&text=", "the circuit has no gate"),
            ("circuit=own&text=s~=~a;s~=~b", "line 2: s is already assigned in line 1"),
            ("circuit=random&gates=2&n=5", "the number must be from 4 to 400, but it is 2"),
            ("circuit=adder&n=17", "the number must be from 1 to 16, but it is 17"),
            ("circuit=majority&n=20", "the number must be from 1 to 19, but it is 20"),
            ("n=32", "the network of a run must have at most 20000 parameters"),
            ("in=1.0", "4 bits, one for each input of the circuit, or an empty field"),
            ("circuit=toy&in=0", "1, because the only input of the circuit “product of weights” is always 1"),
            ("circuit=toy&levels=401", "a whole number from 1 to 400"),
        ] {
            let said_of = notices(link);
            assert_eq!(said_of.len(), 1, "{link}: {said_of:?}");
            assert!(said_of[0].contains(said), "{link}: {said_of:?}");
        }
        let many: String = (0..401).map(|i| format!("g{i}=x;")).collect();
        let said = notices(&format!("circuit=own&text={many}"));
        assert!(said.len() == 1 && said[0].contains("at most 400 gates"), "{said:?}");
        for huge in ["a=b;".repeat(5000), "~7E".repeat(9000), "x".repeat(100_000)] {
            let said = notices(&format!("circuit=own&text={huge}"));
            assert!((1..=2).contains(&said.len()), "{said:?}");
        }
        // 64 inputs are carried past many gates.
        let (nots, ands): (String, String) = (
            (0..60).map(|i| format!("n{} = not n{i};", i + 1)).collect(),
            (1..64).map(|i| format!("h{i}=h{} and x{i};", i - 1)).collect(),
        );
        let said = notices(&format!("circuit=own&text={nots}h0=n60;{ands}"));
        assert!(said.len() == 1 && said[0].contains("parameters"), "{said:?}");
    }

    #[test]
    fn settings_are_those_of_the_table_where_a_link_says_nothing() {
        let spec = RunSpec::default_of_lab("boolean-circuit").unwrap();
        assert_eq!(spec.invalid_settings(), []);
        assert_eq!(spec.task.examples().inputs(), 4);
        for setting in BooleanCircuit::SETTINGS {
            assert!(setting.help.ends_with('.') && !setting.label.is_empty(), "{}", setting.key);
        }
    }

    #[test]
    fn labels_are_what_the_circuit_says() {
        let task = BooleanCircuit::default();
        let mut batch = Batch::default();
        task.sample(3, 1, 5, 100, &mut batch);
        assert_eq!((batch.x.len(), batch.y.len()), (400, 100));
        for (x, y) in batch.x.chunks(4).zip(&batch.y) {
            // Each 0 is a −1, and an even number of them changes no sign.
            assert_eq!(-x.iter().product::<f32>(), *y);
        }
        let mut held = Batch::default();
        task.append_held_out(3, 10, 5, &mut held);
        assert_eq!(held.len(), 5);
    }
}
