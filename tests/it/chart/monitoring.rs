//! Alerts and dashboard ask only for metrics, labels and words that the service has: they are compared with what it counts
//! in a call that meets all of them.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use serde_json::Value;

use rollcall::api::v1::crawljob_status::CrawlState;
use rollcall::desired::{Does, Verdict};
use rollcall::flow::{Call, Report};
use rollcall::hooks::Told;
use rollcall::metrics::Metrics;
use rollcall::outside::store::Unreachable;

use super::read_yaml;
use crate::helm::chart;

/// The metrics of a service that has seen everything once.
fn counted() -> String {
    let metrics = Metrics::new();
    let mut report = Report::new("crawljob", Call::Sync);
    let verdict = Verdict {
        kind: "Pod",
        name: "crawl-news-0".to_owned(),
        does: Does::CallBack,
        rule: "O5",
        reason: "lost".into(),
    };
    let told = Told {
        state: Some(CrawlState::Running.word()),
        store: Some(Err(Unreachable::Timeout)),
    };
    report.decided(&[verdict], told);
    report.failed_effects = 1;
    metrics.count(&report, 200, Duration::from_millis(1));
    metrics.text().unwrap()
}

/// Every expression of the rules and of the dashboard.
fn expressions() -> Vec<String> {
    fn collect(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                if let Some(Value::String(text)) = fields.get("expr") {
                    found.push(text.clone());
                }
                fields.values().for_each(|value| collect(value, found));
            }
            Value::Array(items) => items.iter().for_each(|value| collect(value, found)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let mut found = Vec::new();
    collect(&read_yaml(&chart().join("files/rules.yaml")), &mut found);
    let dashboard = fs::read_to_string(chart().join("files/dashboard.json")).unwrap();
    collect(&serde_json::from_str(&dashboard).unwrap(), &mut found);
    found
}

/// Metric names in an expression, each with the labels that it is narrowed or grouped by.
fn asked(expression: &str) -> Vec<(String, BTreeSet<String>)> {
    let word = |text: &str| {
        text.chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
            .collect::<String>()
    };
    let labels = |list: &str| {
        let parts = list.split(',').map(|part| word(part.trim()));
        parts
            .filter(|label| !label.is_empty() && label != "le")
            .collect::<BTreeSet<String>>()
    };
    let mut asked = Vec::new();
    let mut groups = BTreeSet::new();
    for (at, _) in expression.match_indices("rollcall_") {
        if let Some((_, group)) = expression[..at].rsplit_once("sum by (") {
            groups = labels(group.split(')').next().unwrap_or_default());
        }
        let name = word(&expression[at..]);
        let after = &expression[at + name.len()..];
        let narrowed = after.strip_prefix('{').and_then(|rest| rest.split('}').next());
        let all = labels(narrowed.unwrap_or_default()).union(&groups).cloned().collect();
        asked.push((name, all));
    }
    asked
}

#[test]
fn alerts_and_dashboard_ask_for_what_is_counted() {
    let counted = counted();
    let mut names = BTreeSet::new();
    for expression in expressions() {
        let asked = asked(&expression);
        assert!(!asked.is_empty(), "{expression} asks for nothing of ours");
        for (name, labels) in asked {
            let line = counted.lines().find(|line| line.starts_with(&format!("{name}{{")));
            let line = line.unwrap_or_else(|| panic!("{name} is not counted: {expression}\n{counted}"));
            for label in labels {
                assert!(
                    line.contains(&format!("{label}=\"")),
                    "{name} has no label {label}: {line}"
                );
            }
            names.insert(name.split("_bucket").next().unwrap_or_default().to_owned());
        }
    }
    let all: BTreeSet<String> = counted
        .lines()
        .filter_map(|line| line.split_once('{').map(|(name, _)| name))
        .filter(|name| !name.ends_with("_sum") && !name.ends_with("_count"))
        .map(|name| name.trim_end_matches("_bucket").to_owned())
        .collect();
    assert_eq!(names, all, "every metric is shown somewhere");
}

#[test]
fn the_words_in_alerts_are_words_of_the_product() {
    let rules = fs::read_to_string(chart().join("files/rules.yaml")).unwrap();
    let listed = |label: &str| {
        let start = format!("{label}=~\"");
        let lists = rules.split(&start).skip(1);
        let words = lists.flat_map(|rest| rest.split('"').next().unwrap_or_default().split('|'));
        words.map(str::to_owned).collect::<BTreeSet<String>>()
    };
    let (states, numbers) = (listed("state"), listed("rule"));
    assert!(!states.is_empty() && !numbers.is_empty());
    for state in states {
        let word = Value::String(state);
        let known: Result<CrawlState, _> = serde_json::from_value(word.clone());
        assert!(known.is_ok(), "{word} is no state");
    }
    let readme = fs::read_to_string(crate::corpus::root().join("hooks/crawljob/README.md")).unwrap();
    for rule in numbers {
        assert!(readme.contains(&format!("**{rule}**")), "{rule} is no rule");
    }
}
