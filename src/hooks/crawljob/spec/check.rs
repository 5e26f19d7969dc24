//! The checks of single fields. Each takes what was written and gives what is used, or a [`SpecFault`] with a remedy.

use std::collections::BTreeMap;

use super::SpecFault;
use crate::api::v1::crawljob_names::LABEL_CRAWL;
use crate::policy::CrawlPolicy;

/// A pod's hostname `crawl-<name>-<index>` must fit into 63 characters.
const MAX_NAME: usize = 52;
/// Variables that only we set; `STORE_*` come from the storage's Secret.
const OUR_VARIABLES: [&str; 5] = ["CRAWL_ARGS", "CRAWL_ID", "HOME", "WARC_PREFIX", "WEBHOOK_URL"];

/// What a user wrote, safe to show: cut, control characters escaped.
pub(super) fn shown(text: &str, longest: usize) -> String {
    text.chars()
        .take(longest)
        .collect::<String>()
        .escape_debug()
        .to_string()
        .replace("\\\"", "\"")
        .replace("\\'", "'")
}

/// Why a job can't have this name, if so.
#[must_use]
pub fn name_problem(job: &str, policy: &CrawlPolicy) -> Option<String> {
    if !is_dns_label(job, MAX_NAME) {
        return Some(format!(
            "the name {job} is no DNS label of at most {MAX_NAME} characters; make the job again with another name"
        ));
    }
    (policy.anchor.as_deref() == Some(job))
        .then(|| format!("the name {job} is the anchor's; make the job again with another name"))
}

/// The name is usable, is not the anchor's (owner references merge by name), and the selector says it.
pub(super) fn name(job: &str, selector: &BTreeMap<String, String>, policy: &CrawlPolicy) -> Result<(), SpecFault> {
    let fault = |problem: String| Err(SpecFault::new("selector.matchLabels", problem));
    if let Some(problem) = name_problem(job, policy) {
        return fault(problem);
    }
    if selector.len() != 1 || selector.get(LABEL_CRAWL).map(String::as_str) != Some(job) {
        return fault(format!("it must be exactly {LABEL_CRAWL}: {job}"));
    }
    Ok(())
}

pub(super) fn workers(set: Option<u32>) -> Result<Option<u32>, SpecFault> {
    match set {
        Some(0) => Err(SpecFault::new(
            "workers",
            "it is 0; write 1 or more, or use scale 0 to hold the crawl",
        )),
        Some(_) | None => Ok(set),
    }
}

pub(super) fn scale(set: Option<u32>, ephemeral: bool, most: u32) -> Result<u32, SpecFault> {
    let scale = set.unwrap_or(1);
    if ephemeral && scale != 1 {
        return Err(SpecFault::new(
            "scale",
            format!("it is {scale}; an ephemeral crawl has scale 1"),
        ));
    }
    if scale > most {
        return Err(SpecFault::new(
            "scale",
            format!("it is {scale}, more than the configured maximum of {most}"),
        ));
    }
    Ok(scale)
}

/// Without volumes a pause would throw away what is not uploaded.
pub(super) fn ephemeral(ephemeral: bool, paused_at: Option<&str>) -> Result<(), SpecFault> {
    if ephemeral && paused_at.is_some_and(|text| !text.is_empty()) {
        return Err(SpecFault::new(
            "pausedAt",
            "an ephemeral crawl can't be paused; remove it",
        ));
    }
    Ok(())
}

pub(super) fn channel(set: Option<String>, policy: &CrawlPolicy) -> Result<String, SpecFault> {
    let channel = set
        .filter(|channel| !channel.is_empty())
        .unwrap_or_else(|| "default".to_owned());
    if policy.channels.contains_key(&channel) {
        return Ok(channel);
    }
    let known: Vec<&str> = policy.channels.keys().map(String::as_str).collect();
    let problem = format!(
        "there is no channel {}; use one of {}",
        shown(&channel, 64),
        known.join(", ")
    );
    Err(SpecFault::new("crawlerChannel", problem))
}

/// The org is a label value, because tickets are selected by it (Q1).
pub(super) fn org(set: Option<String>) -> Result<Option<String>, SpecFault> {
    let Some(org) = set.filter(|org| !org.is_empty()) else {
        return Ok(None);
    };
    let ends_well = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let plain = org.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    if org.len() <= 63 && plain && ends_well(org.chars().next()) && ends_well(org.chars().last()) {
        return Ok(Some(org));
    }
    Err(SpecFault::new(
        "org",
        "it is no label value: use at most 63 letters, digits, '-', '_' and '.', ending with a letter or digit",
    ))
}

/// Name of a Secret or ConfigMap.
pub(super) fn object_name(field: &str, name: String) -> Result<String, SpecFault> {
    if name.len() <= 253 && name.split('.').all(|part| is_dns_label(part, 253)) {
        return Ok(name);
    }
    Err(SpecFault::new(
        field,
        format!(
            "{} is no object name; use small letters, digits, '-' and '.'",
            shown(&name, 64)
        ),
    ))
}

/// Key of a ConfigMap; it becomes a file name.
pub(super) fn config_key(field: &str, key: String) -> Result<String, SpecFault> {
    let plain = key.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    if (1..=253).contains(&key.len()) && plain && key != "." && !key.starts_with("..") {
        return Ok(key);
    }
    Err(SpecFault::new(
        field,
        format!(
            "{} is no key of a ConfigMap; use letters, digits, '-', '_' and '.'",
            shown(&key, 64)
        ),
    ))
}

/// Only flags that the configuration allows, each with its value in the same argument.
pub(super) fn extra_args(args: Vec<String>, allowed: &[String]) -> Result<Vec<String>, SpecFault> {
    for (position, arg) in args.iter().enumerate() {
        let flag = arg.split_once('=').map_or(arg.as_str(), |(flag, _)| flag);
        if !allowed.iter().any(|one| one == flag) {
            let problem = format!(
                "{} is not allowed; use --flag=value with a flag of the configuration's list",
                shown(flag, 64)
            );
            return Err(SpecFault::new(format!("extraArgs[{position}]"), problem));
        }
    }
    Ok(args)
}

pub(super) fn env(env: BTreeMap<String, String>) -> Result<BTreeMap<String, String>, SpecFault> {
    for name in env.keys() {
        let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let problem = if !starts_well || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            "is no variable name; use letters, digits and '_'"
        } else if OUR_VARIABLES.contains(&name.as_str()) || name.starts_with("STORE_") {
            "is set by rollcall; use the field of the spec that stands for it"
        } else {
            continue;
        };
        return Err(SpecFault::new("env", format!("{} {problem}", shown(name, 64))));
    }
    Ok(env)
}

fn is_dns_label(text: &str, longest: usize) -> bool {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (1..=longest).contains(&text.len()) && text.chars().all(inner) && !text.starts_with('-') && !text.ends_with('-')
}
