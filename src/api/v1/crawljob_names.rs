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

/// The name is that of the Redis pod and volume.
#[must_use]
pub fn is_redis(job: &str, name: &str) -> bool {
    name.strip_prefix("redis-") == Some(job)
}

/// The index in a crawler's name, if it is one of this job's. A number has one form only: `07` and `+7` are not ours.
#[must_use]
pub fn index_of(job: &str, name: &str) -> Option<u32> {
    let digits = name.strip_prefix("crawl-")?.strip_prefix(job)?.strip_prefix('-')?;
    let one_form = digits == "0" || digits.starts_with(|first| matches!(first, '1'..='9'));
    one_form.then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::{crawler, index_of, is_redis, redis};

    #[test]
    fn a_name_is_known_in_its_one_form_only() {
        for index in [0, 7, 10, u32::MAX] {
            assert_eq!(index_of("news", &crawler("news", index)), Some(index));
        }
        for stranger in [
            "crawl-news-",
            "crawl-news-07",
            "crawl-news-00",
            "crawl-news-+7",
            "crawl-news--7",
            "crawl-news-7a",
        ] {
            assert_eq!(index_of("news", stranger), None, "{stranger}");
        }
        assert_eq!(index_of("news", "crawl-news-4294967296"), None);
        assert_eq!(index_of("new", "crawl-news-0"), None);
        assert!(is_redis("news", &redis("news")));
        assert!(!is_redis("new", "redis-news"));
    }
}
