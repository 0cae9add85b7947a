//! Batches for all replicas at once, with a finite sample kept in memory once it has been drawn.

use burn::tensor::{Device, Tensor, TensorData};

use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{Batch, Sampler};

/// The data of a run. What it gives is a function of the specification and the step alone.
pub struct DataLoader {
    spec: RunSpec,
    device: Device,
    /// The finite sample of each replica, where the task has one.
    samples: Vec<Batch>,
    /// All of it on the device, where every step takes all of it.
    whole: Option<Examples>,
}

/// Inputs `[replicas, examples, columns]` and labels `[replicas, examples, 1]`.
pub type Examples = (Tensor<3>, Tensor<3>);

impl DataLoader {
    /// The data of `spec`, for tensors on `device`.
    pub fn new(spec: &RunSpec, device: &Device) -> Self {
        let samples = spec.training_sets(usize::MAX);
        let mut loader = DataLoader { spec: spec.clone(), device: device.clone(), samples, whole: None };
        if spec.batch_size() == loader.samples.first().map_or(0, Batch::len) {
            loader.whole = Some(loader.beginning(usize::MAX));
        }
        loader
    }

    fn task(&self) -> &dyn Sampler {
        self.spec.task.sampler()
    }

    /// The training batch of `step`.
    pub fn batch(&self, step: u64) -> Examples {
        if let Some(whole) = &self.whole {
            return whole.clone();
        }
        let mut batch = Batch::default();
        for replica in 0..self.spec.run.replicas {
            self.spec.append_batch(&self.samples, replica, step, &mut batch);
        }
        self.upload(batch, self.spec.run.replicas)
    }

    /// What the training measures of `step` are taken on: the finite sample (its first `most` examples),
    /// or else the batch that would be trained on next.
    pub fn seen(&self, step: u64, most: usize) -> Examples {
        match &self.whole {
            Some(whole) => whole.clone(),
            None if self.samples.is_empty() => self.batch(step),
            None => self.beginning(most),
        }
    }

    /// The first `most` examples of every replica's sample.
    fn beginning(&self, most: usize) -> Examples {
        let n = self.task().columns();
        let mut batch = Batch::default();
        for sample in &self.samples {
            let size = sample.len().min(most);
            batch.x.extend_from_slice(&sample.x[..size * n]);
            batch.y.extend_from_slice(&sample.y[..size]);
        }
        self.upload(batch, self.samples.len())
    }

    /// Examples `from..from + size` of the held-out batch, with a replica axis of length one, or of as many replicas as
    /// there are where each has its own.
    pub fn held_out(&self, from: usize, size: usize) -> Examples {
        let replicas = if self.task().has_held_out_per_replica() { self.spec.run.replicas } else { 1 };
        let mut batch = Batch::default();
        for replica in 0..replicas as u32 {
            self.task().append_held_out_of_replica(self.spec.run.seed, replica, from, size, &mut batch);
        }
        self.upload(batch, replicas)
    }

    fn upload(&self, batch: Batch, replicas: usize) -> Examples {
        let size = batch.len() / replicas;
        let x = TensorData::new(batch.x, [replicas, size, self.task().columns()]);
        let y = TensorData::new(batch.y, [replicas, size, 1]);
        (Tensor::from_data(x, &self.device), Tensor::from_data(y, &self.device))
    }
}
