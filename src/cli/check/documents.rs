//! The objects in a file: YAML or JSON, several documents, lists. Takes its bytes, gives JSON values.

use serde_json::Value;

use crate::config::{Problem, unknown};
use crate::hooks::{Hook, crawljob::CrawlJobHook};

/// What a document is to us.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A CrawlJob of the version we know.
    CrawlJob,
    /// Somebody else's.
    Other,
    /// Meant for us, and not what we know.
    Wrong(Problem),
}

/// Every object, in order; documents without content are left out.
pub(super) fn of(text: &[u8]) -> Result<Vec<Value>, String> {
    let text = str::from_utf8(text).map_err(|error| format!("it is not UTF-8 ({error}); save it as UTF-8"))?;
    // JSON is YAML, but its own reader says better what is wrong and takes any depth and size of it.
    let documents: Vec<Value> = if text.trim_start().starts_with('{') {
        vec![serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?]
    } else {
        serde_saphyr::from_multiple(text).map_err(|error| format!("it is not YAML: {}", first_line(&error)))?
    };
    Ok(documents
        .into_iter()
        .filter(|document| !document.is_null())
        .flat_map(unlisted)
        .collect())
}

/// The library draws the place below its sentence.
fn first_line(error: &serde_saphyr::Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

fn unlisted(document: Value) -> Vec<Value> {
    match document {
        Value::Object(mut list)
            if list
                .get("kind")
                .is_some_and(|kind| kind == "List" || kind == "CrawlJobList") =>
        {
            match list.remove("items") {
                Some(Value::Array(items)) => items,
                None | Some(_) => Vec::new(),
            }
        }
        single => vec![single],
    }
}

pub(super) fn kind(document: &Value) -> Kind {
    let known = CrawlJobHook::PARENT;
    let wrong = |path: &str, problem: String| {
        Kind::Wrong(Problem {
            path: path.to_owned(),
            problem,
        })
    };
    let (Some(version), Some(kind)) = (document["apiVersion"].as_str(), document["kind"].as_str()) else {
        return wrong("apiVersion and kind", "they are not both there; write both".to_owned());
    };
    if (version, kind) == (known.api_version, known.kind) {
        return Kind::CrawlJob;
    }
    let ours = version.split('/').next() == known.api_version.split('/').next();
    if ours && kind == known.kind {
        return wrong(
            "apiVersion",
            format!("there is no {version}; write {}", known.api_version),
        );
    }
    if ours {
        let kinds = [known.kind.to_owned()];
        return wrong("kind", format!("{kind} {}", unknown(kind, kinds.iter())));
    }
    if kind == known.kind {
        return wrong(
            "apiVersion",
            format!("a CrawlJob is of {}; write that", known.api_version),
        );
    }
    Kind::Other
}
