//! A whole exploration: workers, their limits, and the result.

use crate::config::Config;
use crate::explore::cpu_time::WorkerClocks;
use crate::explore::shared::{FeatureMaker, Shared};
use crate::explore::worker::{StartError, Worker};
use crate::omission::{Omission, StopCause};
use crate::report::{Exploration, LayerReport, Observer};
use cairn_home::resident_bytes;
use cairn_ir::Program;
use std::sync::Arc;
use std::time::Instant;

/// Bytes of a worker's stack: deep recursion is avoided, but the solver's libraries are not ours.
const STACK: usize = 64 << 20;

/// Ends a run that has no time or memory left for its paths: loading the program took all of it.
fn stop_if_loading_took_all(shared: &Shared) {
    let limits = &shared.config.limits;
    if let (Some(start), Some(time)) = (limits.start, limits.time)
        && start.elapsed() >= time
    {
        let tenths = |time: std::time::Duration| time.as_millis() as u64 / 100;
        shared.leave_out(Omission::LoadingTooLong(
            tenths(start.elapsed()),
            tenths(time),
        ));
        shared.stop_by(StopCause::Time);
        return;
    }
    let (Some(limit), Some(resident)) = (shared.config.limits.memory, resident_bytes()) else {
        return;
    };
    if resident > limit {
        let megabytes = |bytes: u64| bytes.div_ceil(1 << 20);
        shared.leave_out(Omission::LoadingTooLarge(megabytes(resident), limit >> 20));
        shared.stop_by(StopCause::Memory);
    }
}

/// An exploration that can be watched and stopped from other threads while it runs.
pub struct Explorer {
    shared: Arc<Shared>,
}

impl Explorer {
    /// Prepares an exploration of a verified program.
    pub fn new(program: Arc<Program>, mut config: Config, observer: Box<dyn Observer>) -> Self {
        config.jobs = config.jobs.max(1);
        config.limits.start.get_or_insert_with(Instant::now);
        Explorer {
            shared: Arc::new(Shared::new(program, config, observer)),
        }
    }

    /// The same exploration with one more feature, which each worker makes for itself.
    ///
    /// # Panics
    /// If [`Explorer::shared`] was taken and is still held.
    #[must_use]
    pub fn with_feature(mut self, make: FeatureMaker) -> Self {
        let shared = Arc::get_mut(&mut self.shared).expect("it was not given out yet");
        shared.features.push(make);
        self
    }

    /// The same exploration with one more feature that sees what is pending after all others: how each
    /// case was decided.
    ///
    /// # Panics
    /// If [`Explorer::shared`] was taken and is still held.
    #[must_use]
    pub fn with_feature_behind(mut self, make: FeatureMaker) -> Self {
        let shared = Arc::get_mut(&mut self.shared).expect("it was not given out yet");
        shared.features_behind.push(make);
        self
    }

    /// What the workers share, for the observer.
    pub fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Explores until all is done or a limit is reached.
    ///
    /// # Errors
    /// What is wrong with the configuration.
    pub fn run(&self) -> Result<Exploration, StartError> {
        let shared = &*self.shared;
        let jobs = shared.config.jobs;
        let clocks = &WorkerClocks::default();
        // Before there is any worker, which might have explored all by then.
        if shared.config.limits.findings == Some(0) {
            shared.stop_by(StopCause::Findings);
        }
        let results: Vec<Result<Vec<LayerReport>, StartError>> = std::thread::scope(|scope| {
            let watcher = shared.config.limits.cpu_time.map(|most| {
                let watcher = scope.spawn(move || clocks.watch(shared, most));
                watcher.thread().clone()
            });
            let workers: Vec<_> = (0..jobs)
                .map(|number| {
                    std::thread::Builder::new()
                        .stack_size(STACK)
                        .name(format!("worker {number}"))
                        .spawn_scoped(scope, move || {
                            clocks.add_this_thread();
                            let mut worker = Worker::new(shared, number).inspect_err(|_| {
                                shared.stop_by(StopCause::Start);
                            })?;
                            if number == 0 {
                                stop_if_loading_took_all(shared);
                            }
                            worker.work();
                            Ok(worker.layers())
                        })
                        .inspect_err(|_| shared.stop_by(StopCause::Start))
                        .map_err(|source| StartError::Thread { number, source })
                })
                .collect();
            let ended: Vec<_> = workers
                .into_iter()
                .map(|worker| {
                    let ended = worker.map(|worker| worker.join());
                    ended.inspect(|ended| {
                        if ended.is_err() {
                            shared.stop_by(StopCause::Bug);
                        }
                    })
                })
                .collect();
            if let Some(watcher) = watcher {
                clocks.end(&watcher);
            }
            ended
                .into_iter()
                .map(|ended| match ended? {
                    Ok(result) => result,
                    Err(panic) => std::panic::resume_unwind(panic),
                })
                .collect()
        });
        let mut layers: Vec<LayerReport> = Vec::new();
        for result in results {
            for (i, layer) in result?.into_iter().enumerate() {
                match layers.get_mut(i) {
                    Some(sum) => {
                        sum.sat += layer.sat;
                        sum.unsat += layer.unsat;
                        sum.time += layer.time;
                    }
                    None => layers.push(layer),
                }
            }
        }
        if let Some(why) = shared.stopped_by() {
            let waiting = shared.waiting_paths() as u64;
            // All workers have ended: nothing else writes.
            shared.counters.of(0).stopped.add(waiting);
            if shared.left_something_out() {
                shared.leave_out(Omission::EndedBy(why));
            } else {
                // The limit was reached when everything was done.
                shared.forget_stop();
            }
        }
        Ok(Exploration::of(shared, layers))
    }
}
