//! Searches among cell rules whose rules are judged on the GPU, with the kernel of [`vivarium_kernels::cell_rules`].
//!
//! # Why
//! Which rule a restart tries does not depend on what earlier ones came to. So one launch judges thousands of restarts ahead,
//! whatever the measurements in between, and the loop of the processor takes the points from there and keeps its books: the
//! numbers of both devices are the same to the last bit.
//!
//! # Speed
//! NVIDIA H200 through Vulkan, d = 7 and m = 15, all 19,683 rules on 3,000 queries (2026-11-26): one search in 0.1 s, where one
//! core of the same machine takes 3.4 to 5.1 s; 20 searches in 0.7 to 0.8 s (70 s); 400 in 10.5 s. The last is
//! 4.6·10¹² cell updates a second, with the reading back and the books of the processor in it: 84 times one core of a quick
//! processor ([`crate::cpu::rule_search`]), 9,400 times numpy. About 29 operations make 32 updates, so that the
//! card's 1.7·10¹³ operations on whole numbers would allow 1.8·10¹³ updates. Memory is no limit: a lane reads 512 bytes for
//! 65,536 updates, 4·10¹⁰ of 4.8·10¹² bytes a second.

use crate::cpu::process::ProcessLearner;
use crate::cpu::rule_search::{Ahead, RuleSearchProcess};
use crate::gpu::errors::trouble;
use crate::gpu::launch_sizer::LaunchSizer;
use crate::session::learner::{Learner, Local, Progress, Segment, Weights};
use vivarium_kernels::cell_rules::RuleJudge;
use vivarium_model::platform::now_ms;
use vivarium_model::protocol::{Measurement, RunError};
use vivarium_model::run::RunSpec;

/// Searches among rules, which the GPU that has been opened judges.
pub struct RuleSearchGpu {
    searches: ProcessLearner<RuleSearchProcess>,
    kernel: RuleJudge,
    sizer: LaunchSizer,
}

impl RuleSearchGpu {
    /// The searches of `spec` before their first restart.
    ///
    /// # Errors
    /// A sentence that says why the searches are not covered, or why this GPU cannot judge them.
    pub fn new(spec: &RunSpec) -> Result<Self, String> {
        let searches = ProcessLearner::<RuleSearchProcess>::new(spec)?;
        let queries: Result<Vec<_>, _> =
            (0..spec.run.replicas as u64).map(|number| searches.network.process.queries(number)).collect();
        let net = searches.network.process.net();
        let queries = queries.map_err(|error| error.to_string())?;
        let kernel = RuleJudge::new(&queries, net.validation, net.readout())?;
        Ok(RuleSearchGpu { searches, kernel, sizer: LaunchSizer::default() })
    }

    /// Has the restarts from `from` on judged, up to `last` at most.
    async fn judge(&mut self, spec: &RunSpec, from: u64, last: u64) -> Result<(), RunError> {
        let begin = now_ms();
        let most = (self.sizer.steps as u64).min(self.kernel.most_rules() as u64);
        let until = from + most.min(last.saturating_sub(from));
        let net = self.searches.network.process.net();
        let tried = |replica: usize| -> Vec<_> {
            (from..until).map_while(|step| net.tried(spec.run.seed, replica, step)).collect()
        };
        let rules: Vec<_> = (0..spec.run.replicas).map(tried).collect();
        if rules.iter().all(|rules| !rules.is_empty()) {
            let points = self.kernel.judge(&rules).await.map_err(|failure| match (failure, trouble()) {
                (RunError::GpuLost(_), Some(why)) => RunError::GpuLost(why),
                (failure, _) => failure,
            })?;
            *self.searches.network.process.ahead() = Ahead { from, points };
            self.sizer.learn(until - from, now_ms() - begin);
        }
        Ok(())
    }
}

impl Learner for RuleSearchGpu {
    fn advance<'a>(&'a mut self, segment: &'a Segment<'a>) -> Local<'a, Progress> {
        Box::pin(async move {
            let from = segment.from;
            let ahead = self.searches.network.process.ahead();
            if !segment.due(from) && !(ahead.from..ahead.until()).contains(&from) {
                self.judge(segment.spec, from, segment.last).await?;
            }
            let evaluated = self.searches.network.process.ahead().until();
            // Behind the last rule of a list there is nothing to evaluate or to try.
            let until = if evaluated > from { segment.until.min(evaluated) } else { segment.until };
            self.searches.advance(&Segment { until, ..*segment }).await
        })
    }

    fn measure(&mut self, step: u64, held_out: usize) -> Local<'_, Measurement> {
        self.searches.measure(step, held_out)
    }

    fn weights(&self) -> Local<'_, Weights> {
        self.searches.weights()
    }

    fn first_replica(&self, count: usize) -> Local<'_, Vec<Vec<f32>>> {
        self.searches.first_replica(count)
    }

    fn load(&mut self, weights: &Weights) {
        self.searches.load(weights);
    }

    fn remember(&mut self, step: u64) {
        self.searches.remember(step);
    }

    fn restore(&mut self) -> Local<'_, ()> {
        self.searches.restore()
    }

    fn stop_replica(&mut self, replica: usize, row: &Measurement) {
        self.searches.stop_replica(replica, row);
    }
}

#[cfg(test)]
#[cfg(feature = "cli")]
mod tests {
    use super::*;
    use crate::launch::device::gpu_or_skip;
    use vivarium_model::permalink::decode;

    /// All rows of a run, and its weights at the end.
    fn run(mut learner: impl Learner, spec: &RunSpec) -> (Vec<Measurement>, Weights) {
        let last = spec.run.steps;
        let mut segment = Segment {
            spec,
            from: 0,
            until: last,
            last,
            measured: None,
            held_out: 64,
            deadline_ms: f64::INFINITY,
        };
        let mut rows: Vec<Measurement> = vec![];
        while rows.last().is_none_or(|row| row.step < last) {
            let progress = pollster::block_on(learner.advance(&segment)).unwrap();
            segment.from = progress.step;
            rows.extend(progress.rows);
            segment.measured = rows.last().map(|row| row.step);
        }
        (rows, pollster::block_on(learner.weights()).unwrap())
    }

    #[test]
    fn a_search_is_the_same_on_both_devices_to_the_last_bit() {
        if gpu_or_skip().is_none() {
            return;
        }
        for link in ["replicas=3&steps=700&every=70", "tried=all&read=bottom&valid=40&steps=19690&every=1979"]
        {
            let link = format!("#v1/succinct-learning?model=cell-rules&inputs=5&examples=8&held=64&{link}");
            let (link, notices) = decode(&link);
            assert!(notices.is_empty(), "{notices:?}");
            let on_gpu = run(RuleSearchGpu::new(&link.spec).unwrap(), &link.spec);
            let on_processor = run(ProcessLearner::<RuleSearchProcess>::new(&link.spec).unwrap(), &link.spec);
            assert_eq!(format!("{:?}", on_gpu.0), format!("{:?}", on_processor.0));
            assert_eq!(on_gpu.1, on_processor.1);
        }
    }
}
