//! Configuration: what is read, what is refused, and how it is said.

use super::*;

fn problems(text: &str, variables: &[(&str, &str)]) -> Vec<String> {
    match read(text, variables) {
        Err(ConfigFault::Problems(problems)) => problems
            .into_iter()
            .map(|Problem { path, problem }| format!("{path}: {problem}"))
            .collect(),
        other => panic!("expected problems, got {other:?}"),
    }
}

fn read(text: &str, variables: &[(&str, &str)]) -> Result<Config, ConfigFault> {
    Config::from_parts(
        text,
        variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
    )
}

#[test]
fn values_of_wrong_types_are_all_named_and_the_rest_is_judged() {
    let text = "crawl: {maxScale: 1.5, cpu: 1x, storage: 1Q, livenessPort: 99999, channels: {beta: {image: [], pullPolicy: 7}}}\n\
                log: {format: text}\nserver: {listen: abc, bodyLimit: x}";
    let fault = Config::from_parts(text, []).unwrap_err();
    let ConfigFault::Problems(problems) = fault else {
        panic!("{fault}");
    };
    let mut paths: Vec<&str> = problems.iter().map(|problem| problem.path.as_str()).collect();
    paths.sort_unstable();
    let expected = [
        "crawl.channels.beta.image",
        "crawl.channels.beta.pullPolicy",
        "crawl.cpu",
        "crawl.livenessPort",
        "crawl.maxScale",
        "crawl.storage",
        "log.format",
        "server.bodyLimit",
        "server.listen",
    ];
    assert_eq!(paths, expected, "{problems:?}");
}

#[test]
fn the_built_in_values_are_valid_and_are_the_documented_ones() {
    let config = Config::built_in();
    assert_eq!(config.server.listen, "127.0.0.1:8080".parse().unwrap());
    assert_eq!(
        (config.server.body_limit, config.server.bytes_in_flight),
        (64 << 20, 256 << 20)
    );
    let crawl = config.crawl;
    assert_eq!(
        crawl.channels["default"].name,
        "docker.io/webrecorder/browsertrix-crawler:1.14.1"
    );
    assert_eq!((crawl.cpu_base_millis, crawl.cpu_extra_millis), (900, 600));
    assert_eq!((crawl.memory_base, crawl.memory_extra), (1 << 30, 768 << 20));
    assert_eq!((crawl.growth_percent, crawl.storage), (250, 25 << 30));
    assert_eq!(
        (crawl.redis.cpu_millis, crawl.redis.memory, crawl.redis.storage),
        (10, 200 << 20, 3 << 30)
    );
    assert_eq!(crawl.anchor.as_deref(), Some("rollcall-anchor"));
    assert_eq!((crawl.storage_class, crawl.node_type), (None, None));
    assert!(
        crawl
            .shared_args
            .ends_with(&["--healthCheckPort".to_owned(), "6065".to_owned()])
    );
    assert!(
        !crawl
            .shared_args
            .iter()
            .any(|arg| arg == "--writePagesToRedis" || arg == "--logBehaviorsToRedis")
    );
}

#[test]
fn a_file_states_only_what_differs() {
    let config = read(
        "crawl:\n  maxScale: 7\n  channels:\n    beta: {image: 'x:2'}\nlog:\n",
        &[],
    )
    .unwrap();
    assert_eq!(config.crawl.max_scale, 7);
    assert_eq!(config.crawl.channels["beta"].pull_policy, "IfNotPresent");
    assert!(config.crawl.channels.contains_key("default"));
    assert_eq!(config.crawl.store_port, 6379);
}

#[test]
fn an_unknown_field_names_the_nearest_known_one() {
    let found = problems(
        "crawl: {maxScal: 1, redis: {memoryMax: 1Gi}}\nserve: {}\nzzzzzzzzzz: 1\n",
        &[],
    );
    assert_eq!(
        found,
        [
            "crawl.maxScal: is unknown; did you mean maxScale?",
            "crawl.redis.memoryMax: is unknown; did you mean memory?",
            "serve: is unknown; did you mean server?",
            "zzzzzzzzzz: is unknown; remove it",
        ]
    );
}

#[test]
fn values_of_the_wrong_kind_are_found_all_at_once() {
    let found = problems(
        "crawl: {maxScale: many, sharedArgs: --x, storageClass: 3}\nserver: 5\n",
        &[],
    );
    assert_eq!(
        found,
        [
            "crawl.maxScale: must be a number, not a text",
            "crawl.sharedArgs: must be a list, not a text",
            "crawl.storageClass: must be a text or null, not a number",
            "server: must be a map, not a number",
        ]
    );
}

#[test]
fn what_is_wrong_in_form_does_not_hide_what_is_wrong_in_value() {
    let found = problems(
        "crawl: {maxScal: 1, memory: many}\n",
        &[("ROLLCALL_SERVER__DEADLINE_SECONDS", "20")],
    );
    let paths: Vec<_> = found.iter().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(paths, ["crawl.maxScal", "server.deadlineSeconds", "crawl.memory"]);
}

#[test]
fn a_variable_overrides_the_file_and_its_value_is_yaml() {
    let config = read(
        "crawl: {maxScale: 7}\n",
        &[
            ("ROLLCALL_CRAWL__MAX_SCALE", "9"),
            ("ROLLCALL_CRAWL__REDIS__CPU", "20m"),
            ("ROLLCALL_CRAWL__ALLOWED_ARGS", "[--lang]"),
            ("ROLLCALL_ORGS__PER_ORG", "{acme: 3}"),
            ("ROLLCALL_ANCHOR__NAME", ""),
        ],
    )
    .unwrap();
    assert_eq!((config.crawl.max_scale, config.crawl.redis.cpu_millis), (9, 20));
    assert_eq!(config.crawl.allowed_args, ["--lang"]);
    assert_eq!(config.crawl.org_max_concurrent["acme"], 3);
    assert_eq!(config.crawl.anchor, None);
}

#[test]
fn a_wrong_variable_is_named_and_those_of_a_service_called_rollcall_are_left_alone() {
    let found = problems("", &[("ROLLCALL_CRAWL__MAXSCALE", "9"), ("ROLLCALL_LOG__FORMAT", "[1")]);
    assert_eq!(found.len(), 2);
    assert!(found[0].starts_with("ROLLCALL_LOG__FORMAT: is not YAML"));
    assert_eq!(
        found[1],
        "crawl.maxscale (from ROLLCALL_CRAWL__MAXSCALE): is unknown; did you mean maxScale?"
    );
    read(
        "",
        &[
            ("ROLLCALL_PORT_8080_TCP_ADDR", "10.0.0.1"),
            ("ROLLCALL_SERVICE_HOST", "10.0.0.1"),
        ],
    )
    .unwrap();
}

#[test]
fn a_variable_with_single_underscores_is_told_how_it_is_written() {
    let found = problems(
        "",
        &[("ROLLCALL_CRAWL_MAX_SCALE", "9"), ("ROLLCALL_CRAWL_REDIS_CPU", "1")],
    );
    assert_eq!(
        found,
        [
            "ROLLCALL_CRAWL_MAX_SCALE: is not read; sections and fields are joined by two underscores: ROLLCALL_CRAWL__MAX_SCALE",
            "ROLLCALL_CRAWL_REDIS_CPU: is not read; sections and fields are joined by two underscores: ROLLCALL_CRAWL__REDIS__CPU",
        ]
    );
}

#[test]
fn a_maximum_below_the_request_is_refused_with_both_numbers() {
    let found = problems(
        "crawl: {memoryMaximum: 1Gi, storageMaximum: 1Gi, redis: {memoryMaximum: 100Mi}}\n",
        &[],
    );
    assert_eq!(
        found,
        [
            "crawl.memoryMaximum: 1Gi is below the 1792Mi that 2 browsers ask for",
            "crawl.storageMaximum: 1Gi is below the 25Gi that crawl.storage asks for",
            "crawl.redis.memoryMaximum: 100Mi is below the 200Mi that crawl.redis.memory asks for",
        ]
    );
}

#[test]
fn numbers_that_could_never_work_are_refused() {
    for (text, path) in [
        ("crawl: {maxScale: 0}", "crawl.maxScale"),
        ("crawl: {maxScale: -1}", "crawl.maxScale"),
        ("crawl: {storePort: 70000}", "crawl.storePort"),
        ("crawl: {terminationGraceSeconds: 0}", "crawl.terminationGraceSeconds"),
        ("crawl: {resyncSeconds: 7200}", "crawl.resyncSeconds"),
        ("crawl: {cpu: 0}", "crawl.cpu"),
        ("crawl: {memory: 1Gb}", "crawl.memory"),
        ("crawl: {growthRatio: 0.5}", "crawl.growthRatio"),
        ("crawl: {user: {uid: 0}}", "crawl.user.uid"),
        ("crawl: {channels: {beta: {}}}", "crawl.channels.beta.image"),
        (
            "crawl: {channels: {default: {pullPolicy: Sometimes}}}",
            "crawl.channels.default.pullPolicy",
        ),
        ("crawl: {allowedArgs: ['--lang=de']}", "crawl.allowedArgs"),
        ("anchor: {name: Bad_Name}", "anchor.name"),
        ("orgs: {perOrg: {acme: few}}", "orgs.perOrg.acme"),
        ("server: {listen: localhost}", "server.listen"),
        ("server: {deadlineSeconds: 10}", "server.deadlineSeconds"),
        ("server: {storeDeadlineSeconds: 8}", "server.storeDeadlineSeconds"),
        ("server: {idleSeconds: 60}", "server.idleSeconds"),
        ("server: {bodyLimit: 1Gi}", "server.bytesInFlight"),
        ("log: {format: xml}", "log.format"),
    ] {
        let found = problems(text, &[]);
        assert!(found.len() == 1 && found[0].starts_with(path), "{text}: {found:?}");
    }
}

#[test]
fn a_file_that_is_not_yaml_or_says_a_field_twice_is_refused() {
    assert!(matches!(read("crawl: [", &[]), Err(ConfigFault::NotYaml(_))));
    assert!(matches!(
        read("crawl: {maxScale: 1, maxScale: 2}", &[]),
        Err(ConfigFault::NotYaml(_))
    ));
    assert!(matches!(read("- crawl", &[]), Err(ConfigFault::Problems(_))));
}
