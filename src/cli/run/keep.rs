//! Checkpoints at chosen steps: with `--checkpoint run.safetensors --keep 0,100`, the files are
//! `run.step-0.safetensors` and `run.step-100.safetensors`.

use std::path::{Path, PathBuf};

use crate::CommandError;
use vivarium_core::settings::format_thousands;

/// Steps of `--keep` at which a checkpoint is still to be written.
#[derive(Debug, Default)]
pub struct KeptSteps {
    /// Steps of `--keep` that training has not reached yet, ascending.
    remaining_steps: Vec<u64>,
    /// Path of the checkpoint of `--checkpoint`; the files of `--keep` have the step before its extension.
    checkpoint_path: PathBuf,
    /// Training steps of `--keep` whose checkpoint could not be written.
    failed_steps: Vec<u64>,
}

impl KeptSteps {
    /// The steps of `--keep` from `first_step` on; `path` is that of `--checkpoint`.
    ///
    /// # Errors
    /// [`CommandError::BadLink`] with a sentence for each step after `last_step`.
    pub fn new(
        steps: &[u64],
        path: Option<&Path>,
        first_step: u64,
        last_step: u64,
    ) -> Result<Self, CommandError> {
        let late = steps.iter().filter(|step| **step > last_step);
        let late: Vec<String> = late
            .map(|step| {
                let (step, last) = (format_thousands(*step), format_thousands(last_step));
                format!("--keep: step {step} is after the last step of the run, {last}")
            })
            .collect();
        if !late.is_empty() {
            return Err(CommandError::BadLink(late));
        }
        let mut steps: Vec<u64> = steps.iter().copied().filter(|step| *step >= first_step).collect();
        steps.sort_unstable();
        steps.dedup();
        Ok(KeptSteps {
            remaining_steps: steps,
            checkpoint_path: path.map(Path::to_path_buf).unwrap_or_default(),
            failed_steps: vec![],
        })
    }

    /// Number of steps from `step` to the next checkpoint of `--keep`; `u64::MAX` if there is none.
    pub fn steps_to_next(&self, step: u64) -> u64 {
        self.remaining_steps.iter().find(|next| **next > step).map_or(u64::MAX, |next| next - step)
    }

    /// Removes `step` from the steps at which a checkpoint is still to be written, and returns the path of
    /// that checkpoint; None if `step` is not one of them.
    pub fn take_path(&mut self, step: u64) -> Option<PathBuf> {
        let at = self.remaining_steps.iter().position(|next| *next == step)?;
        self.remaining_steps.remove(at);
        Some(kept_checkpoint_path(&self.checkpoint_path, step))
    }

    /// Notes that the checkpoint at training step `step` could not be written, for an error at the end of the
    /// run.
    pub fn add_failed_step(&mut self, step: u64) {
        self.failed_steps.push(step);
    }

    /// A sentence about the steps of `--keep` that a run which ended at `step` did not reach; None if it
    /// reached all.
    pub fn describe_missed(&self, step: u64) -> Option<String> {
        let missed: Vec<String> = self.remaining_steps.iter().map(|step| format_thousands(*step)).collect();
        (!missed.is_empty()).then(|| {
            format!(
                "--keep: no checkpoint at step {}, because the run ended at step {}.",
                missed.join(", "),
                format_thousands(step)
            )
        })
    }

    /// Checks that all checkpoints of `--keep` up to now were written.
    ///
    /// # Errors
    /// [`CommandError::Other`] with the steps of those that were not.
    pub fn check_failed(&self) -> Result<(), CommandError> {
        let failed: Vec<String> = self.failed_steps.iter().map(|step| format_thousands(*step)).collect();
        match failed.is_empty() {
            true => Ok(()),
            false => {
                let steps = failed.join(", ");
                Err(CommandError::Other(anyhow::anyhow!(
                    "--keep: the checkpoint at step {steps} was not written"
                )))
            }
        }
    }
}

/// Path of the checkpoint at a step: the path of `--checkpoint` with the step before its extension.
fn kept_checkpoint_path(path: &Path, step: u64) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path.extension().map_or_else(String::new, |end| format!(".{}", end.to_string_lossy()));
    path.with_file_name(format!("{stem}.step-{step}{ending}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_is_reached_and_taken_once() {
        let path = Path::new("out/run.v1.safetensors");
        let mut keep = KeptSteps::new(&[100, 0, 7, 7], Some(path), 0, 100).unwrap();
        assert_eq!(
            [keep.steps_to_next(0), keep.steps_to_next(5), keep.steps_to_next(7), keep.steps_to_next(100)],
            [7, 2, 93, u64::MAX]
        );
        assert_eq!(keep.take_path(0), Some("out/run.v1.step-0.safetensors".into()));
        assert_eq!((keep.take_path(0), keep.take_path(6)), (None, None));
        assert_eq!(keep.take_path(7), Some("out/run.v1.step-7.safetensors".into()));
        assert_eq!(
            keep.describe_missed(40).unwrap(),
            "--keep: no checkpoint at step 100, because the run ended at step 40."
        );
        assert!(keep.check_failed().is_ok());
        keep.add_failed_step(7);
        assert!(keep.check_failed().unwrap_err().to_string().contains("step 7 was not written"));
        assert_eq!(kept_checkpoint_path(Path::new("run"), 3), Path::new("run.step-3"));
    }

    #[test]
    fn a_resumed_run_keeps_what_is_still_to_come() {
        let keep = KeptSteps::new(&[0, 50, 80], None, 50, 100).unwrap();
        assert_eq!(keep.remaining_steps, [50, 80]);
        let refused = KeptSteps::new(&[50, 101], None, 0, 100).unwrap_err().to_string();
        assert_eq!(refused, "--keep: step 101 is after the last step of the run, 100");
    }
}
