//! Scheduler and kubelet: from Pending over ContainerCreating to Running, exits, restarts with back-off, eviction, and
//! termination with grace. What it writes into a pod's status is [`Run`]'s.

use serde_json::Value;

use super::api_server::{CONFIG_MAP, Key};
use super::clock::Millis;
use super::crawler::{Crawler, Next};
use super::metacontroller::{terminating, text};
use super::run::{Exit, Process, Run, Stage};
use super::world::{Event, World};

mod process;
mod scheduler;

impl World {
    /// A pod was made or changed.
    pub(super) fn pod_changed(&mut self, key: &Key, pod: &Value) {
        let uid = text(&pod["metadata"], "uid").to_owned();
        if !self.runs.contains_key(&uid) {
            self.runs.insert(uid.clone(), Run::new(key, pod));
            let wait = self.rng.between(200, 700);
            self.wake(&uid, wait);
        }
        let grace = pod["metadata"]["deletionGracePeriodSeconds"].as_i64().unwrap_or(0);
        let now = self.now;
        let Some(run) = self
            .runs
            .get_mut(&uid)
            .filter(|run| terminating(pod) && run.kill_at.is_none())
        else {
            return;
        };
        run.kill_at = Some(now + grace * 1000);
        match &mut run.stage {
            Stage::Running(Process::Crawler(crawler)) => crawler.terminate(now),
            Stage::Running(Process::Server) => self.wake(&uid, 800),
            Stage::Unplaced(_) | Stage::Creating | Stage::Ended | Stage::BackOff | Stage::Over => self.wake(&uid, 400),
        }
    }

    /// A pod object is gone: whatever ran there is gone too, and its emptyDir.
    pub(super) fn pod_gone(&mut self, key: &Key, pod: &Value) {
        let uid = text(&pod["metadata"], "uid");
        self.runs.remove(uid);
        self.volume_gone(&key.name, uid);
    }

    pub(super) fn wake(&mut self, uid: &str, wait: u64) {
        let at = self.now + Millis::try_from(wait).unwrap_or(0);
        if let Some(run) = self.runs.get_mut(uid) {
            run.wake = Some(at);
            self.after(wait, Event::Pod(uid.to_owned()));
        }
    }

    /// The next thing a pod's scheduler, kubelet or process does.
    pub(super) fn pod_step(&mut self, uid: &str) {
        let now = self.now;
        let Some(run) = self.runs.get_mut(uid).filter(|run| run.wake == Some(now)) else {
            return;
        };
        run.wake = None;
        if run.kill_at.is_some() {
            return self.leave(uid);
        }
        match run.stage {
            Stage::Unplaced(_) => self.place(uid),
            Stage::Creating | Stage::BackOff => self.start(uid),
            Stage::Running(_) => self.run_process(uid),
            Stage::Ended => self.back_off(uid),
            Stage::Over => {}
        }
    }

    /// A terminating pod: its process goes on until it ends or its grace is over.
    fn leave(&mut self, uid: &str) {
        let Some(run) = self.runs.get(uid) else { return };
        let killed = run.kill_at.is_some_and(|at| at <= self.now);
        match &run.stage {
            Stage::Running(Process::Crawler(_)) if !killed => self.run_process(uid),
            Stage::Running(Process::Crawler(_)) => self.exit(uid, 137, "Error"),
            Stage::Running(Process::Server) => self.exit(uid, 0, "Completed"),
            Stage::Unplaced(_) | Stage::Creating | Stage::Ended | Stage::BackOff | Stage::Over => {
                let key = run.key.clone();
                self.note("kubelet", format!("{} is gone", key.name));
                self.api.remove(&key);
            }
        }
    }

    /// The container starts, unless a ConfigMap it mounts is not there.
    fn start(&mut self, uid: &str) {
        let Some(pod) = self.pod(uid).cloned() else { return };
        if !self.config_maps_exist(&pod) {
            return self.wake(uid, 1000);
        }
        let now = self.now;
        self.addresses += 1;
        let address = format!("10.244.{}.{}", self.addresses / 250, self.addresses % 250 + 1);
        self.set(uid, |run| {
            run.started = now;
            if run.address.is_empty() {
                run.address = address;
            }
            run.stage = Stage::Running(if run.container == "crawler" {
                Process::Crawler(Crawler::new(now))
            } else {
                Process::Server
            });
        });
        if let Some(volume) = self.volume_of(&pod) {
            self.disks.entry(volume).or_default();
        }
        self.write_status(uid);
        self.note("kubelet", format!("{} runs", text(&pod["metadata"], "name")));
        self.wake(uid, Crawler::BOOT);
    }

    fn config_maps_exist(&self, pod: &Value) -> bool {
        let namespace = text(&pod["metadata"], "namespace");
        let mut names = pod["spec"]["volumes"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|volume| volume["configMap"]["name"].as_str());
        names.all(|name| self.api.get(&Key::new(CONFIG_MAP, namespace, name)).is_some())
    }

    fn run_process(&mut self, uid: &str) {
        match self.process_step(uid) {
            None => {}
            Some(Next::After(wait)) => {
                let left = self.runs.get(uid).and_then(|run| run.kill_at).map(|at| at - self.now);
                let left = left.map_or(wait, |left| u64::try_from(left).unwrap_or(0).min(wait));
                self.wake(uid, left);
            }
            Some(Next::Exit(code)) => self.exit(uid, code, if code == 0 { "Completed" } else { "Error" }),
        }
    }

    /// A container ended.
    pub(super) fn exit(&mut self, uid: &str, code: i32, reason: &str) {
        let now = self.now;
        let Some(run) = self
            .runs
            .get_mut(uid)
            .filter(|run| matches!(run.stage, Stage::Running(_)))
        else {
            return;
        };
        run.last = Some(Exit {
            code,
            reason: reason.to_owned(),
            started: run.started,
            finished: now,
        });
        let leaving = run.kill_at.is_some();
        let over = !leaving && code == 0 && run.container != "redis";
        run.stage = if over { Stage::Over } else { Stage::Ended };
        let name = run.key.name.clone();
        self.write_status(uid);
        self.note("kubelet", format!("{name} ended with {code} ({reason})"));
        if !over {
            self.wake(uid, if leaving { 300 } else { 600 });
        }
    }

    /// The first restart comes at once, the next after 10 s, 20 s, ... up to 5 minutes.
    fn back_off(&mut self, uid: &str) {
        let Some(run) = self.runs.get_mut(uid) else { return };
        let steps = run.restarts;
        run.restarts += 1;
        run.stage = Stage::BackOff;
        let wait = if steps == 0 {
            200
        } else {
            (10_000 << (steps - 1).min(5)).min(300_000)
        };
        if steps > 0 {
            self.write_status(uid);
        }
        self.wake(uid, wait);
    }

    /// The node gives the pod up: phase Failed, for good.
    pub(super) fn fail_pod(&mut self, uid: &str, reason: &str) {
        self.set(uid, |run| {
            run.stage = Stage::Over;
            run.wake = None;
            run.last = None;
        });
        let Some(run) = self.runs.get(uid) else { return };
        let failed = run.failed(reason);
        let _ = self.api.edit(&run.key.clone(), |pod| pod["status"] = failed);
    }

    fn set(&mut self, uid: &str, change: impl FnOnce(&mut Run)) {
        if let Some(run) = self.runs.get_mut(uid) {
            change(run);
        }
    }

    fn write_status(&mut self, uid: &str) {
        let Some(run) = self.runs.get(uid) else { return };
        let (key, status) = (run.key.clone(), run.status());
        let _ = self.api.edit(&key, |pod| pod["status"] = status);
    }

    pub(super) fn pod(&self, uid: &str) -> Option<&Value> {
        let run = self.runs.get(uid)?;
        self.api
            .get(&run.key)
            .filter(|pod| text(&pod["metadata"], "uid") == uid)
    }
}
