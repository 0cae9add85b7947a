//! The script's text is correct, and if PyTorch is installed the script gives the tokens of the transformer.

use super::library::find_example;
use super::pytorch::{run_part, script, transformer_part};
use super::*;

/// The script of an example.
fn of_example(slug: &str, mode: ExecutionMode) -> String {
    let example = find_example(slug).unwrap();
    let machine = example.parse_machine().unwrap();
    let input = machine.parse_input(example.input).unwrap();
    let run = MachineRun::new(&machine, &input, example.start, example.steps).unwrap();
    script(&machine, &input, run.start, example.steps, mode, run.position_bits())
}

#[test]
fn a_script_contains_all_settings_and_is_deterministic() {
    let written = of_example("increment", ExecutionMode::default());
    assert_eq!(written, of_example("increment", ExecutionMode::default()));
    assert!(!written.contains("{{"));
    let settings = "\nS = {
    \"states\": [\"right\", \"carry\", \"halt\"],
    \"symbols\": [\"_\", \"0\", \"1\"],
    \"rules\": {
        (\"right\", \"_\"): (\"_\", \"L\", \"carry\"),
        (\"right\", \"0\"): (\"0\", \"R\", \"right\"),
        (\"right\", \"1\"): (\"1\", \"R\", \"right\"),
        (\"carry\", \"_\"): (\"1\", \"S\", \"halt\"),
        (\"carry\", \"0\"): (\"1\", \"S\", \"halt\"),
        (\"carry\", \"1\"): (\"0\", \"L\", \"carry\"),
    },
    \"accepting\": [],
    \"rejecting\": [],
    \"input\": \"10111\",
    \"start\": 2,
    \"steps\": 14,
    \"bits\": 4,
    \"beta\": None,
    \"rounding\": True,
}\n";
    assert!(written.contains(settings), "{written}");
    let soft =
        transformer_part(ExecutionMode { attention: AttentionMode::Soft(3.5), rounding: false }).settings;
    assert_eq!(soft, [("beta", "3.5".into()), ("rounding", "False".into())]);
    let endless =
        transformer_part(ExecutionMode { attention: AttentionMode::Soft(f64::INFINITY), rounding: true })
            .settings;
    assert_eq!(endless[0].1, "float(\"inf\")");
}

/// Names with quotes, backslashes, braces and invisible characters.
const ODD: &str = "\"\"\"\\ _ → ' R {{settings}}\n{{settings}} _ → \\ L π\u{202e}\nπ\u{202e} ' → \" S #'\n\
    #' \" → ü L \"\"\"\\";

#[test]
fn names_are_quoted() {
    let machine = Machine::parse(ODD).unwrap();
    let input = machine.parse_input("__'\"\\").unwrap();
    let settings = run_part(&machine, &input, 3, 9, 4).settings;
    assert_eq!(settings[0].1, r##"["\"\"\"\\", "{{settings}}", "π\U0000202e", "#'"]"##);
    assert_eq!(settings[1].1, r#"["_", "\"", "'", "\\", "ü"]"#);
    assert!(settings[2].1.contains(r##"("π\U0000202e", "'"): ("\"", "S", "#'"),"##), "{}", settings[2].1);
    assert_eq!(settings[5].1, r#""__'\"\\""#);
}

/// The scripts in PyTorch; without it these tests are reported as skipped.
#[cfg(not(target_family = "wasm"))]
mod peer {
    use std::fs;
    use std::path::Path;
    use std::process::Command;
    use std::sync::Arc;

    use super::*;
    use vivarium_core::pytorch::peer::find_python;
    use vivarium_core::testing::skip;

    /// Runs the scripts one after the other in one interpreter, since importing torch takes longer than most of them.
    const DRIVER: &str = "
import contextlib, runpy, sys
for line in open('commands'):
    script, out, *more = line.split()
    sys.argv = [script, '--trace', out + '.csv', *more]
    with open(out + '.txt', 'w', encoding='utf-8') as text_output, contextlib.redirect_stdout(text_output):
        runpy.run_path(script, run_name='__main__')
";

    /// A run, and how its transformer is executed.
    struct Trial {
        name: String,
        machine: Machine,
        run: MachineRun,
        mode: ExecutionMode,
        /// Of the noise of the file's second replica.
        sigma: f64,
    }

    impl Trial {
        fn new(name: &str, machine: Machine, input: &str, start: usize, steps: usize) -> Trial {
            let run = MachineRun::new(&machine, &machine.parse_input(input).unwrap(), start, steps).unwrap();
            Trial { name: name.into(), machine, run, mode: ExecutionMode::default(), sigma: 3e-3 }
        }

        fn construction(&self, replica: u32) -> Construction {
            let construction = Construction::new(&self.machine, self.run.position_bits()).unwrap();
            construction.with_noise(if replica == 0 { 0.0 } else { self.sigma }, 7, replica)
        }

        /// Both replicas as a file of weights.
        fn weights(&self) -> Vec<u8> {
            let both = [0, 1].map(|replica| self.construction(replica).tensors().collect::<Vec<_>>());
            let (mut data, mut parts) = (vec![], vec!["\"__metadata__\":{\"format\":\"test\"}".to_string()]);
            for (plain, noisy) in both[0].iter().zip(&both[1]) {
                let begin = data.len();
                let values = plain.values.iter().chain(&noisy.values);
                data.extend(values.flat_map(|value| (*value as f32).to_le_bytes()));
                let shape = [2, plain.rows, plain.columns.unwrap_or(1)];
                let offsets = [begin, data.len()];
                let name = &plain.name;
                parts.push(format!(
                    "\"{name}\":{{\"dtype\":\"F32\",\"shape\":{shape:?},\"data_offsets\":{offsets:?}}}"
                ));
            }
            let header = format!("{{{}}}", parts.join(","));
            [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &data].concat()
        }

        /// The tokens as the script writes them; with noise up to the first that is wrong, since what follows hangs on
        /// the last digits.
        fn trace(&self, replica: u32) -> (String, Option<usize>) {
            let construction = Arc::new(self.construction(replica));
            let run = &self.run;
            let mut transformer = Transformer::new(construction, &run.input, run.start, self.mode).unwrap();
            let first_wrong = transformer.run_until_wrong(run);
            let quoted = |text: &str| match text.contains(['"', ',']) {
                true => format!("\"{}\"", text.replace('"', "\"\"")),
                false => text.to_string(),
            };
            let mut trace = String::from("step,state,symbol,written,head\n");
            for (step, token) in (1..).zip(transformer.tokens()) {
                let state = quoted(&self.machine.state_names()[token.state]);
                let [symbol, written] = [token.symbol, token.written]
                    .map(|symbol| quoted(&self.machine.format_symbols([symbol])));
                trace += &format!("{step},{state},{symbol},{written},{}\n", token.head);
            }
            (trace, first_wrong)
        }

        /// The tokens are those of the transformer, and what was found is said.
        fn check(&self, folder: &Path, out: &str, replica: u32) {
            let read = |ending: &str| fs::read_to_string(folder.join(format!("{out}.{ending}"))).unwrap();
            let ((trace, first_wrong), (found, text_output)) =
                (self.trace(replica), (read("csv"), read("txt")));
            let (name, steps) = (&self.name, self.run.records.len());
            assert!(found.starts_with(&trace), "{name}, {out}:\n{trace}\n{found}");
            assert_eq!(found.lines().count(), steps + 1);
            let last = match first_wrong {
                None => format!("Transformer and simulator agree in all {steps} steps."),
                Some(step) => format!("Transformer and simulator first differ at step {step}."),
            };
            assert_eq!(text_output.lines().last(), Some(last.as_str()), "{name}, {out}");
            if replica == 0 {
                let sizes = text_output.replace(',', "");
                let counts = self.construction(0).counts();
                let MachineRun { input, start, .. } = &self.run;
                let program =
                    MachineProgram::new(self.machine.clone(), input.clone(), *start, steps).unwrap();
                let parts = ParameterBreakdown::new(&program, self.mode.rounding).unwrap();
                let all = [
                    ("blocks", parts.blocks),
                    ("rounding", parts.rounding),
                    ("encoder", parts.encoder),
                    ("first token", parts.initial),
                    ("classifier", parts.classifier),
                    ("total", parts.total()),
                ];
                let all = all.map(|(name, ParameterStats { parameters, nonzeros: entries, l1_norm: norm })| {
                    let norm = norm.round();
                    format!("{name}: {parameters} parameters {entries} of them not 0; their absolute values add up to {norm}\n")
                });
                let first = format!("{} numbers per token {} blocks\n", counts.width, counts.blocks);
                for part in [first].into_iter().chain(all) {
                    assert!(sizes.contains(&part), "{name}: {part}\n{sizes}");
                }
            }
        }
    }

    /// Each trial from its rules, from a file, and from a file with noise.
    #[test]
    fn pytorch_gives_the_same_tokens() {
        let Some(python) = find_python() else { return skip(module_path!(), "no Python can import torch") };
        let examples = library::EXAMPLES.iter().map(|example| {
            let steps = example.steps.min(120);
            Trial::new(example.slug, example.parse_machine().unwrap(), example.input, example.start, steps)
        });
        let odd = Trial::new("odd", Machine::parse(ODD).unwrap(), "__'\"\\", 3, 9);
        let mut trials: Vec<Trial> = examples.chain([odd]).collect();
        for (slug, choice, rounding, sigma) in [
            ("busy-beaver-4", AttentionMode::Soft(3.5), true, 1e-3),
            ("busy-beaver-4", AttentionMode::Soft(2.5), true, 1e-3),
            ("busy-beaver-4", AttentionMode::Soft(24.0), false, 1e-5),
            ("counter", AttentionMode::Hard, true, 0.02),
            ("increment", AttentionMode::Hard, false, 1e-3),
        ] {
            let example = find_example(slug).unwrap();
            let name = format!("{slug}-{choice:?}-{rounding}");
            let machine = example.parse_machine().unwrap();
            let trial = Trial::new(&name, machine, example.input, example.start, example.steps);
            trials.push(Trial { mode: ExecutionMode { attention: choice, rounding }, sigma, ..trial });
        }

        let folder = std::env::temp_dir().join(format!("vivarium-machines-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let mut commands = String::new();
        for (at, trial) in trials.iter().enumerate() {
            let Trial { machine, run, mode, .. } = trial;
            let steps = run.records.len();
            let script = script(machine, &run.input, run.start, steps, *mode, run.position_bits());
            fs::write(folder.join(format!("{at}.py")), script).unwrap();
            fs::write(folder.join(format!("{at}.safetensors")), trial.weights()).unwrap();
            commands += &format!("{at}.py {at}-rules\n");
            for replica in 0..2 {
                commands +=
                    &format!("{at}.py {at}-file-{replica} --weights {at}.safetensors --replica {replica}\n");
            }
        }
        fs::write(folder.join("commands"), commands).unwrap();
        let output = Command::new(python).arg("-c").arg(DRIVER).current_dir(&folder).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        for (at, trial) in trials.iter().enumerate() {
            trial.check(&folder, &format!("{at}-rules"), 0);
            for replica in 0..2 {
                trial.check(&folder, &format!("{at}-file-{replica}"), replica);
            }
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
