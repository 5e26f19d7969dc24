//! The cases: fields put into the smallest CrawlJob (`"-"` takes one out), and the sentence with which the API server
//! refuses it. What is not here is not promised.

/// Changes of the spec and what a user reads.
pub(super) const REFUSED: &[(&str, &str)] = &[
    (r#"{"config": "-"}"#, "exactly one of config and configFrom must be set"),
    (
        r#"{"configFrom": {"name": "my-config", "key": "crawl-config.json"}}"#,
        "exactly one of config and configFrom must be set",
    ),
    (
        r#"{"config": null}"#,
        "exactly one of config and configFrom must be set",
    ),
    (
        r#"{"config": "https://a.example/"}"#,
        r#"spec.config in body must be of type object: "string""#,
    ),
    (
        r#"{"config": "-", "configFrom": {"name": "my-config"}}"#,
        "spec.configFrom.key: Required value",
    ),
    (
        r#"{"config": "-", "configFrom": {"name": "", "key": "a"}}"#,
        "spec.configFrom.name in body should be at least 1 chars long",
    ),
    (
        r#"{"config": "-", "configFrom": {"name": "my-config", "key": "a/b"}}"#,
        "spec.configFrom.key in body should match '^[-._A-Za-z0-9]+$'",
    ),
    (r#"{"selector": "-"}"#, "spec.selector: Required value"),
    (r#"{"selector": {}}"#, "spec.selector.matchLabels: Required value"),
    (
        r#"{"selector": {"matchLabels": {}}}"#,
        "spec.selector.matchLabels must be exactly rollcall.dev/crawl with the job's name",
    ),
    (
        r#"{"selector": {"matchLabels": {"rollcall.dev/crawl": "blog"}}}"#,
        "spec.selector.matchLabels must be exactly rollcall.dev/crawl with the job's name",
    ),
    (
        r#"{"selector": {"matchLabels": {"app": "news"}}}"#,
        "spec.selector.matchLabels must be exactly rollcall.dev/crawl with the job's name",
    ),
    (
        r#"{"selector": {"matchLabels": {"rollcall.dev/crawl": "news", "app": "news"}}}"#,
        "spec.selector.matchLabels: Too many: 2: must have at most 1 item",
    ),
    (
        r#"{"scale": -1}"#,
        "spec.scale in body should be greater than or equal to 0",
    ),
    (
        r#"{"scale": 1001}"#,
        "spec.scale in body should be less than or equal to 1000",
    ),
    (
        r#"{"scale": 1.5}"#,
        r#"spec.scale in body must be of type integer: "number""#,
    ),
    (
        r#"{"scale": "2"}"#,
        r#"spec.scale in body must be of type integer: "string""#,
    ),
    (
        r#"{"workers": 0}"#,
        "spec.workers in body should be greater than or equal to 1",
    ),
    (
        r#"{"workers": 101}"#,
        "spec.workers in body should be less than or equal to 100",
    ),
    (
        r#"{"crawlerChannel": ""}"#,
        "spec.crawlerChannel in body should be at least 1 chars long",
    ),
    (
        r#"{"stopping": "yes"}"#,
        r#"spec.stopping in body must be of type boolean: "string""#,
    ),
    (
        r#"{"pausedAt": true}"#,
        r#"spec.pausedAt in body must be of type string: "boolean""#,
    ),
    (
        r#"{"pausedAt": 1764500000}"#,
        r#"spec.pausedAt in body must be of type string: "integer""#,
    ),
    (
        r#"{"timeout": -1}"#,
        "spec.timeout in body should be greater than or equal to 0",
    ),
    (
        r#"{"timeout": "1h"}"#,
        r#"spec.timeout in body must be of type integer: "string""#,
    ),
    (
        r#"{"maxCrawlSize": -1}"#,
        "spec.maxCrawlSize in body should be greater than or equal to 0",
    ),
    (r#"{"maxCrawlSize": "-5Gi"}"#, "spec.maxCrawlSize in body should match"),
    (r#"{"maxCrawlSize": "5 GB"}"#, "spec.maxCrawlSize in body should match"),
    (
        r#"{"maxCrawlSize": 1.5}"#,
        r#"spec.maxCrawlSize in body must be of type integer,string: "number""#,
    ),
    (
        r#"{"resources": {"memory": "lots"}}"#,
        "spec.resources.memory in body should match",
    ),
    (
        r#"{"resources": {"cpu": true}}"#,
        r#"spec.resources.cpu in body must be of type integer,string: "boolean""#,
    ),
    (r#"{"org": "-acme"}"#, "spec.org in body should match"),
    (
        r#"{"priority": "urgent"}"#,
        r#"spec.priority: Unsupported value: "urgent": supported values: "crawl", "background""#,
    ),
    (
        r#"{"storage": {"path": "acme/"}}"#,
        "spec.storage.secretName: Required value",
    ),
    (
        r#"{"storage": {"secretName": ""}}"#,
        "spec.storage.secretName in body should be at least 1 chars long",
    ),
    (
        r#"{"storage": {"secretName": "storage-default", "pfad": "acme/"}}"#,
        r#"unknown field "spec.storage.pfad""#,
    ),
    (
        r#"{"image": "docker.io/evil/crawler"}"#,
        r#"unknown field "spec.image""#,
    ),
    (r#"{"proxy": {}}"#, "spec.proxy.secretName: Required value"),
    (
        r#"{"extraArgs": "--lang=de"}"#,
        r#"spec.extraArgs in body must be of type array: "string""#,
    ),
    (
        r#"{"env": {"MY-NAME": "a"}}"#,
        "names of variables are letters, digits and _, and start with no digit",
    ),
    (
        r#"{"env": {"CRAWL_ARGS": "--help"}}"#,
        "are set by rollcall; use the fields of the spec",
    ),
    (
        r#"{"env": {"STORE_USER": "me"}}"#,
        "are set by rollcall; use the fields of the spec",
    ),
    (
        r#"{"env": {"A": 1}}"#,
        r#"spec.env.A in body must be of type string: "integer""#,
    ),
    (
        r#"{"ephemeral": true, "scale": 2}"#,
        "an ephemeral crawl has a scale of at most 1: nothing of it outlives its pod",
    ),
    (
        r#"{"ephemeral": true, "pausedAt": "2026-12-01T09:00:00Z"}"#,
        "an ephemeral crawl can't be paused: nothing of it outlives its pod",
    ),
];

const LONG: &str = "metadata.name must be a DNS label (a-z, 0-9 and -) of at most 52 characters: the hostnames of the pods \
    are made from it and have at most 63";

/// Names of jobs whose selector says the same.
pub(super) const REFUSED_NAMES: &[(&str, &str)] = &[
    ("a2345678901234567890123456789012345678901234567890123", LONG),
    ("news.daily", LONG),
    (
        "rollcall-anchor",
        "metadata.name must not be rollcall-anchor: owners are merged by name, and the anchor has that one",
    ),
    (
        "News",
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters",
    ),
    (
        "-news",
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters",
    ),
];

/// Names that fit.
pub(super) const NAMES: &[&str] = &["a", "9", "a-1", "a234567890123456789012345678901234567890123456789012"];

/// Changes of the spec that stay.
pub(super) const ACCEPTED: &[&str] = &[
    r#"{"config": "-", "configFrom": {"name": "my-config", "key": "crawl-config.json"}}"#,
    r#"{"scale": 0}"#,
    r#"{"scale": 1000}"#,
    r#"{"workers": 1}"#,
    r#"{"workers": 100}"#,
    r#"{"timeout": 0}"#,
    r#"{"timeout": 9007199254740991}"#,
    r#"{"maxCrawlSize": 0}"#,
    r#"{"maxCrawlSize": 1000000}"#,
    r#"{"maxCrawlSize": "1.5Gi"}"#,
    r#"{"maxCrawlSize": "10e9"}"#,
    r#"{"resources": {"memory": "1500Mi", "cpu": 2, "storage": "30Gi"}}"#,
    r#"{"pausedAt": ""}"#,
    r#"{"pausedAt": "2026-12-01T09:00:00.123+01:00"}"#,
    r#"{"restartTime": "2026-12-01T09:00:00Z"}"#,
    r#"{"org": ""}"#,
    r#"{"org": "acme.corp_1"}"#,
    r#"{"priority": "background"}"#,
    r#"{"ephemeral": true}"#,
    r#"{"ephemeral": true, "scale": 0, "pausedAt": ""}"#,
    r#"{"ephemeral": false, "scale": 3}"#,
    r#"{"storage": {"secretName": "storage-default", "path": "acme/", "filename": "@ts-@hostsuffix.wacz"}}"#,
    r#"{"proxy": {"secretName": "proxies"}, "profileFilename": "p.tar.gz", "saveProfile": true, "warcPrefix": "x"}"#,
    r#"{"extraArgs": ["--lang=de"], "env": {"_A1": ""}, "userId": "me", "stopping": true}"#,
];
