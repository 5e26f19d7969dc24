//! What the API server and the hook accept, and what its author may still not have meant. Takes a CrawlJob; gives notes, which
//! are printed and count as no problem.

use serde_json::Value;

use crate::config::Problem;
use crate::policy::CrawlPolicy;
use crate::quantity::{Quantity, canonical_bytes};

/// The fields in which browsertrix-crawler's configuration names where a crawl begins.
const BEGINNINGS: [&str; 3] = ["seeds", "seedFile", "url"];

/// Everything worth a second look, by path.
pub(super) fn of(job: &Value, policy: &CrawlPolicy) -> Vec<Problem> {
    let spec = &job["spec"];
    let sizes = [
        ("memory", policy.memory_max, "crawl.memoryMaximum"),
        ("storage", policy.storage_max, "crawl.storageMaximum"),
    ];
    let sizes = sizes.into_iter().filter_map(|(field, most, name)| {
        let given = text(&spec["resources"][field])?;
        let bytes = Quantity::parse(&given).ok()?.bytes()?;
        let most_text = canonical_bytes(most);
        (bytes > most).then(|| Problem {
            path: format!("spec.resources.{field}"),
            problem: format!("{given} is above {name}; {most_text} is used instead"),
        })
    });
    sizes.chain(no_beginning(&spec["config"])).collect()
}

fn no_beginning(config: &Value) -> Option<Problem> {
    let config = config.as_object()?;
    let begins = |field: &&str| match config.get(*field) {
        None | Some(Value::Null) => false,
        Some(Value::Array(list)) => !list.is_empty(),
        Some(Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_)) => true,
    };
    (!BEGINNINGS.iter().any(begins)).then(|| Problem {
        path: "spec.config".to_owned(),
        problem: format!(
            "it has none of {}; the crawler would have nothing to visit",
            BEGINNINGS.join(", ")
        ),
    })
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}
