//! The reader of specs. Takes any JSON at all, the job's name and the policy; gives a [`Spec`] or the first fault.
//! `null` counts as unset everywhere but inside `config`, which is the crawler's own and kept as it is.

use serde_json::Value;

use super::{Config, Spec, SpecFault, Storage, check};
use crate::api::v1::CrawlJobSpec;
use crate::api::v1::crawljob::{IntOrText, Priority, Resources};
use crate::hooks::crawljob::measure::json_string;
use crate::observed::{Timestamp, time};
use crate::policy::CrawlPolicy;
use crate::quantity::Quantity;
use crate::request::place_of;

/// Longest inline configuration, as the JSON string that goes into the ConfigMap.
pub const MAX_CONFIG_BYTES: usize = 200 * 1024;

impl Spec {
    /// Reads the raw JSON of `spec`; a missing one is `null`.
    ///
    /// # Errors
    /// The first thing that makes the spec unusable, with its path and a remedy.
    pub fn read(job: &str, raw: &str, policy: &CrawlPolicy) -> Result<Self, SpecFault> {
        let api = parse(raw)?;
        check::name(job, &api.selector.match_labels, policy)?;
        let ephemeral = api.ephemeral.unwrap_or(false);
        let workers_set = check::workers(api.workers)?;
        let workers = workers_set.unwrap_or(policy.workers);
        let sizes = Sizes::read(api.resources.as_ref(), workers, policy)?;
        let mut unreadable_times = Vec::new();
        let paused_at = instant("pausedAt", api.paused_at.as_deref(), &mut unreadable_times);
        let restart_time = instant("restartTime", api.restart_time.as_deref(), &mut unreadable_times);
        check::ephemeral(ephemeral, api.paused_at.as_deref())?;
        Ok(Self {
            scale: check::scale(api.scale, ephemeral, policy.max_scale)?,
            workers_set,
            workers,
            channel: check::channel(api.crawler_channel, policy)?,
            stopping: api.stopping.unwrap_or(false),
            paused_at,
            restart_time,
            unreadable_times,
            timeout: api.timeout.filter(|seconds| *seconds > 0),
            max_size: size("maxCrawlSize", api.max_crawl_size.as_ref())?.filter(|bytes| *bytes > 0),
            org: check::org(api.org)?,
            user_id: filled(api.user_id),
            storage: api.storage.map(storage).transpose()?,
            profile: filled(api.profile_filename),
            save_profile: api.save_profile.unwrap_or(false),
            proxy_secret: api
                .proxy
                .map(|proxy| check::object_name("proxy.secretName", proxy.secret_name))
                .transpose()?,
            warc_prefix: filled(api.warc_prefix),
            extra_args: check::extra_args(api.extra_args, &policy.allowed_args)?,
            env: check::env(api.env)?,
            ephemeral,
            cpu_millis: sizes.cpu_millis,
            memory: sizes.memory,
            volume: sizes.volume,
            priority: api.priority.unwrap_or(Priority::Crawl),
            config: config(api.config, api.config_from)?,
        })
    }
}

fn parse(raw: &str) -> Result<CrawlJobSpec, SpecFault> {
    let mut value: Value = serde_json::from_str(raw).map_err(|_| {
        SpecFault::new(
            "",
            "it can't be read: nested too deeply, or a number out of range; simplify it",
        )
    })?;
    if let Value::Object(fields) = &mut value {
        for (_, field) in fields.iter_mut().filter(|(name, _)| *name != "config") {
            drop_nulls(field);
        }
        fields.retain(|_, field| !field.is_null());
    }
    serde_path_to_error::deserialize(value).map_err(|error| {
        let problem = check::shown(&error.inner().to_string(), 200);
        SpecFault {
            field: place_of(&error),
            problem: format!("{problem}; write a value of the documented type"),
        }
    })
}

fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, field| !field.is_null());
            fields.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => {
            items.retain(|item| !item.is_null());
            items.iter_mut().for_each(drop_nulls);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn filled(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

/// O10: unset, empty or unreadable is unset; unreadable is named.
fn instant(field: &'static str, text: Option<&str>, unreadable: &mut Vec<&'static str>) -> Option<Timestamp> {
    let text = text.filter(|text| !text.is_empty())?;
    let instant = time::read(text);
    if instant.is_none() {
        unreadable.push(field);
    }
    instant
}

fn quantity(field: &'static str, value: Option<&IntOrText>) -> Result<Option<Quantity>, SpecFault> {
    match value {
        None => Ok(None),
        Some(IntOrText::Int(number)) => Ok(Some(Quantity::whole(*number))),
        Some(IntOrText::Text(text)) if text.is_empty() => Ok(None),
        Some(IntOrText::Text(text)) => Quantity::parse(text)
            .map(Some)
            .map_err(|fault| SpecFault::new(field, fault.to_string())),
    }
}

/// Whole bytes, rounded up (O11).
fn size(field: &'static str, value: Option<&IntOrText>) -> Result<Option<u64>, SpecFault> {
    let negative = || SpecFault::new(field, "it is negative; write 0 or more");
    quantity(field, value)?
        .map(|size| size.bytes().ok_or_else(negative))
        .transpose()
}

struct Sizes {
    cpu_millis: u64,
    memory: u64,
    volume: u64,
}

impl Sizes {
    /// Start values within the configuration's bounds; without one, the base and a share per further browser.
    fn read(resources: Option<&Resources>, workers: u32, policy: &CrawlPolicy) -> Result<Self, SpecFault> {
        let further = u64::from(workers.saturating_sub(1));
        let scaled = |base: u64, extra: u64| base.saturating_add(further.saturating_mul(extra));
        let cpu = quantity("resources.cpu", resources.and_then(|set| set.cpu.as_ref()))?;
        let cpu = match cpu.map(Quantity::millis) {
            None => scaled(policy.cpu_base_millis, policy.cpu_extra_millis),
            Some(Some(millis)) => millis,
            Some(None) => {
                return Err(SpecFault::new(
                    "resources.cpu",
                    "it is negative or too large; write a number of cores",
                ));
            }
        };
        let memory = size("resources.memory", resources.and_then(|set| set.memory.as_ref()))?;
        let memory = memory.unwrap_or_else(|| scaled(policy.memory_base, policy.memory_extra));
        let volume =
            size("resources.storage", resources.and_then(|set| set.storage.as_ref()))?.unwrap_or(policy.storage);
        for (field, value) in [
            ("resources.cpu", cpu),
            ("resources.memory", memory),
            ("resources.storage", volume),
        ] {
            if value == 0 {
                return Err(SpecFault::new(
                    field,
                    "it is 0; write more, or leave it out for the default",
                ));
            }
        }
        Ok(Self {
            cpu_millis: cpu,
            memory: memory.min(policy.memory_max),
            volume: volume.min(policy.storage_max),
        })
    }
}

fn storage(storage: crate::api::v1::crawljob::Storage) -> Result<Storage, SpecFault> {
    Ok(Storage {
        secret: check::object_name("storage.secretName", storage.secret_name)?,
        path: filled(storage.path),
        filename: filled(storage.filename),
    })
}

fn config(
    inline: Option<serde_json::Map<String, Value>>,
    from: Option<crate::api::v1::crawljob::ConfigFrom>,
) -> Result<Config, SpecFault> {
    match (inline, from) {
        (Some(_), Some(_)) => Err(SpecFault::new(
            "config",
            "config and configFrom are both set; leave one out",
        )),
        (None, None) => Err(SpecFault::new(
            "config",
            "neither config nor configFrom is set; write one of them",
        )),
        (None, Some(from)) => Ok(Config::From {
            name: check::object_name("configFrom.name", from.name)?,
            key: check::config_key("configFrom.key", from.key)?,
        }),
        (Some(config), None) => {
            let text = Value::Object(config).to_string();
            let bytes = json_string(&text);
            if bytes > MAX_CONFIG_BYTES {
                let problem = format!(
                    "it takes {bytes} bytes, more than {MAX_CONFIG_BYTES}; put it into a ConfigMap and use configFrom"
                );
                return Err(SpecFault::new("config", problem));
            }
            Ok(Config::Inline(text))
        }
    }
}
