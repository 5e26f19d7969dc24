//! Names of a job's children, both ways. A pure function of the job's name; the index is the number at the end (O1).

/// Label that selects a job's children.
pub const LABEL_CRAWL: &str = "rollcall.dev/crawl";
/// Label that says what a child is for.
pub const LABEL_ROLE: &str = "rollcall.dev/role";
/// Label with the index of an instance.
pub const LABEL_INDEX: &str = "rollcall.dev/index";
/// Label of a ticket: the org whose queue it stands in (Q1).
pub const LABEL_ORG: &str = "rollcall.dev/org";
/// Annotation: the restart instant a crawler pod was made for (R1).
pub const ANNOTATION_RESTART: &str = "rollcall.dev/restart-time";
/// Annotation: browsers of a crawler pod (Z3).
pub const ANNOTATION_WORKERS: &str = "rollcall.dev/workers";
/// Annotation: bytes of memory a pod was made with (Z1).
pub const ANNOTATION_MEMORY: &str = "rollcall.dev/memory";

/// Pod and volume of instance `index`.
#[must_use]
pub fn crawler(job: &str, index: u32) -> String {
    format!("crawl-{job}-{index}")
}

/// Redis pod and volume.
#[must_use]
pub fn redis(job: &str) -> String {
    format!("redis-{job}")
}

/// ConfigMap with the crawler's configuration.
#[must_use]
pub fn config(job: &str) -> String {
    format!("crawl-config-{job}")
}

/// The register.
#[must_use]
pub fn register(job: &str) -> String {
    format!("crawl-register-{job}")
}

/// The queue ticket.
#[must_use]
pub fn ticket(job: &str) -> String {
    format!("crawl-ticket-{job}")
}

/// The index in a crawler's name, if it is one of this job's.
#[must_use]
pub fn index_of(job: &str, name: &str) -> Option<u32> {
    let digits = name.strip_prefix("crawl-")?.strip_prefix(job)?.strip_prefix('-')?;
    let index: u32 = digits.parse().ok()?;
    (index.to_string() == digits).then_some(index)
}
