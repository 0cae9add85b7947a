//! Checkpoints at chosen steps: with `--checkpoint run.safetensors --keep 0,100`, the files are
//! `run.step-0.safetensors` and `run.step-100.safetensors`.

use std::path::{Path, PathBuf};

use crate::Trouble;
use vivarium_core::settings::thousands;

/// The steps at which a run is still to be kept.
#[derive(Debug, Default)]
pub struct Keep {
    /// Rising.
    steps: Vec<u64>,
    /// Where the run's own checkpoint is.
    path: PathBuf,
    /// Steps at which the file was not written.
    failed: Vec<u64>,
}

impl Keep {
    /// At these steps, of a run that goes on from step `from` and whose last step is `last`.
    ///
    /// # Errors
    /// [`Trouble::BadLink`] with a sentence for each step that comes after the last one.
    pub fn new(steps: &[u64], path: Option<&Path>, from: u64, last: u64) -> Result<Self, Trouble> {
        let late = steps.iter().filter(|step| **step > last);
        let late: Vec<String> = late
            .map(|step| {
                let (step, last) = (thousands(*step), thousands(last));
                format!("--keep: step {step} is after the last step of the run, {last}")
            })
            .collect();
        if !late.is_empty() {
            return Err(Trouble::BadLink(late));
        }
        let mut steps: Vec<u64> = steps.iter().copied().filter(|step| *step >= from).collect();
        steps.sort_unstable();
        steps.dedup();
        Ok(Keep { steps, path: path.map(Path::to_path_buf).unwrap_or_default(), failed: vec![] })
    }

    /// How many steps the run may make in one go.
    pub fn most(&self, step: u64) -> u64 {
        self.steps.iter().find(|next| **next > step).map_or(u64::MAX, |next| next - step)
    }

    /// The file for the run at `step`, if that step was asked for; it is returned once.
    pub fn take(&mut self, step: u64) -> Option<PathBuf> {
        let at = self.steps.iter().position(|next| *next == step)?;
        self.steps.remove(at);
        Some(beside(&self.path, step))
    }

    /// The file at `step` was not written.
    pub fn fail(&mut self, step: u64) {
        self.failed.push(step);
    }

    /// What is said at the end of steps that were not reached.
    pub fn missed(&self, step: u64) -> Option<String> {
        let missed: Vec<String> = self.steps.iter().map(|step| thousands(*step)).collect();
        (!missed.is_empty()).then(|| {
            format!(
                "--keep: no checkpoint at step {}, because the run ended at step {}.",
                missed.join(", "),
                thousands(step)
            )
        })
    }

    /// Fails if a file was not written.
    ///
    /// # Errors
    /// [`Trouble::Other`] with the steps.
    pub fn check(&self) -> Result<(), Trouble> {
        let failed: Vec<String> = self.failed.iter().map(|step| thousands(*step)).collect();
        match failed.is_empty() {
            true => Ok(()),
            false => {
                let steps = failed.join(", ");
                Err(Trouble::Other(anyhow::anyhow!("--keep: the checkpoint at step {steps} was not written")))
            }
        }
    }
}

/// The name of the file at a step, beside the file of the run's own checkpoint.
fn beside(path: &Path, step: u64) -> PathBuf {
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
        let mut keep = Keep::new(&[100, 0, 7, 7], Some(path), 0, 100).unwrap();
        assert_eq!([keep.most(0), keep.most(5), keep.most(7), keep.most(100)], [7, 2, 93, u64::MAX]);
        assert_eq!(keep.take(0), Some("out/run.v1.step-0.safetensors".into()));
        assert_eq!((keep.take(0), keep.take(6)), (None, None));
        assert_eq!(keep.take(7), Some("out/run.v1.step-7.safetensors".into()));
        assert_eq!(
            keep.missed(40).unwrap(),
            "--keep: no checkpoint at step 100, because the run ended at step 40."
        );
        assert!(keep.check().is_ok());
        keep.fail(7);
        assert!(keep.check().unwrap_err().to_string().contains("step 7 was not written"));
        assert_eq!(beside(Path::new("run"), 3), Path::new("run.step-3"));
    }

    #[test]
    fn a_resumed_run_keeps_what_is_still_to_come() {
        let keep = Keep::new(&[0, 50, 80], None, 50, 100).unwrap();
        assert_eq!(keep.steps, [50, 80]);
        let refused = Keep::new(&[50, 101], None, 0, 100).unwrap_err().to_string();
        assert_eq!(refused, "--keep: step 101 is after the last step of the run, 100");
    }
}
