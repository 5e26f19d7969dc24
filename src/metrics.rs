//! What is counted. Takes a finished [`Report`], gives the text that `/metrics` serves.

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use crate::flow::Report;

/// Upper bounds in seconds: from a small answer to the deadline.
const BUCKETS: [f64; 12] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 2.5, 8.0];

/// The counters of one process.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    durations: Family<CallLabels, Histogram>,
    bytes: Family<BytesLabels, Counter>,
    failed_effects: Family<HookLabels, Counter>,
    store_unreachable: Family<ReasonLabels, Counter>,
    call_backs: Family<RuleLabels, Counter>,
    jobs_seen: Family<StateLabels, Counter>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    hook: &'static str,
    call: &'static str,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    hook: &'static str,
    call: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct BytesLabels {
    hook: &'static str,
    direction: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct HookLabels {
    hook: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReasonLabels {
    hook: &'static str,
    reason: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RuleLabels {
    hook: &'static str,
    rule: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StateLabels {
    hook: &'static str,
    state: &'static str,
}

impl Metrics {
    /// All at zero.
    #[must_use]
    pub fn new() -> Self {
        let mut registry = Registry::with_prefix("rollcall");
        let requests = Family::<RequestLabels, Counter>::default();
        let durations = Family::new_with_constructor((|| Histogram::new(BUCKETS)) as fn() -> Histogram);
        let bytes = Family::<BytesLabels, Counter>::default();
        let failed_effects = Family::<HookLabels, Counter>::default();
        let store_unreachable = Family::<ReasonLabels, Counter>::default();
        let call_backs = Family::<RuleLabels, Counter>::default();
        let jobs_seen = Family::<StateLabels, Counter>::default();
        registry.register(
            "requests",
            "Calls answered, by hook, call and HTTP status",
            requests.clone(),
        );
        registry.register_with_unit("duration", "Time to answer a call", Unit::Seconds, durations.clone());
        registry.register_with_unit("body", "Bytes of requests and answers", Unit::Bytes, bytes.clone());
        registry.register(
            "failed_effects",
            "Effects on the outside that failed",
            failed_effects.clone(),
        );
        registry.register(
            "store_unreachable",
            "Calls that could not read the store, by reason",
            store_unreachable.clone(),
        );
        registry.register(
            "call_backs",
            "Children left out of an answer so that they are replaced or go, by rule",
            call_backs.clone(),
        );
        registry.register(
            "jobs_seen",
            "Calls about a job, by the state that the answer gave it",
            jobs_seen.clone(),
        );
        Self {
            registry,
            requests,
            durations,
            bytes,
            failed_effects,
            store_unreachable,
            call_backs,
            jobs_seen,
        }
    }

    /// Counts a finished call.
    pub fn count(&self, report: &Report, status: u16, total: Duration) {
        let (hook, call) = (report.hook, report.call.name());
        self.requests.get_or_create(&RequestLabels { hook, call, status }).inc();
        self.durations
            .get_or_create(&CallLabels { hook, call })
            .observe(total.as_secs_f64());
        for (direction, bytes) in [("in", report.bytes_in), ("out", report.bytes_out)] {
            self.bytes
                .get_or_create(&BytesLabels { hook, direction })
                .inc_by(wide(bytes));
        }
        self.failed_effects
            .get_or_create(&HookLabels { hook })
            .inc_by(wide(report.failed_effects));
        if let Some(reason) = report.store_unreachable() {
            self.store_unreachable
                .get_or_create(&ReasonLabels { hook, reason })
                .inc();
        }
        for (rule, count) in report.call_backs() {
            self.call_backs.get_or_create(&RuleLabels { hook, rule }).inc_by(count);
        }
        if let Some(state) = report.state() {
            self.jobs_seen.get_or_create(&StateLabels { hook, state }).inc();
        }
    }

    /// Counts a request that reached no hook.
    pub fn count_stray(&self, status: u16) {
        self.requests
            .get_or_create(&RequestLabels {
                hook: "none",
                call: "none",
                status,
            })
            .inc();
    }

    /// The `OpenMetrics` text.
    ///
    /// # Errors
    /// When a metric can't be written, which is a bug.
    pub fn text(&self) -> Result<String, std::fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desired::{Does, Verdict};
    use crate::flow::Call;
    use crate::hooks::Told;
    use crate::outside::store::Unreachable;

    #[test]
    fn a_call_is_counted_once_with_its_reason() {
        let metrics = Metrics::new();
        let mut report = Report::new("toy", Call::Sync);
        report.bytes_in = 10;
        report.failed_effects = 2;
        let verdict = |does, rule| Verdict {
            kind: "Pod",
            name: "a".to_owned(),
            does,
            rule,
            reason: "test".into(),
        };
        report.decided(
            &[
                verdict(Does::CallBack, "O5"),
                verdict(Does::CallBack, "O5"),
                verdict(Does::CallBack, "T1"),
                verdict(Does::Keep, "D1"),
            ],
            Told {
                state: Some("running"),
                store: Some(Err(Unreachable::Timeout)),
            },
        );
        metrics.count(&report, 200, Duration::from_millis(3));
        let text = metrics.text().unwrap();
        for line in [
            r#"rollcall_requests_total{hook="toy",call="sync",status="200"} 1"#,
            r#"rollcall_body_bytes_total{hook="toy",direction="in"} 10"#,
            r#"rollcall_failed_effects_total{hook="toy"} 2"#,
            r#"rollcall_store_unreachable_total{hook="toy",reason="timeout"} 1"#,
            r#"rollcall_call_backs_total{hook="toy",rule="O5"} 2"#,
            r#"rollcall_call_backs_total{hook="toy",rule="T1"} 1"#,
            r#"rollcall_jobs_seen_total{hook="toy",state="running"} 1"#,
            r#"rollcall_duration_seconds_bucket{le="0.005",hook="toy",call="sync"} 1"#,
        ] {
            assert!(text.contains(line), "{line} is missing in\n{text}");
        }
        assert!(!text.contains("D1"), "what stays is not called back\n{text}");
    }
}
