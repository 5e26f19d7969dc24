//! Values that the schema refuses, each with the path that a person looks for.

use crate::helm::{Helm, RELEASE};

/// What is set, and where helm says that it is wrong.
const REFUSED: &[(&str, &str, &str)] = &[
    ("replica=3", "at ''", "replica"),
    ("replicas=many", "at '/replicas'", "integer"),
    ("replicas=0", "at '/replicas'", "minimum"),
    ("image.repo=x", "at '/image'", "repo"),
    ("image.pullPolicy=Sometimes", "at '/image/pullPolicy'", "Always"),
    ("image.digest=latest", "at '/image/digest'", "pattern"),
    ("hooks[0].name=profilejob", "at '/hooks/0/name'", "crawljob"),
    ("hooks[0].timeoutSeconds=5", "at '/hooks/0/timeoutSeconds'", "minimum"),
    ("hooks[0].strategy=InPlace", "at '/hooks/0'", "strategy"),
    ("config.crawl.maxScal=7", "at '/config/crawl'", "maxScal"),
    ("config.crawl.maxScale=many", "at '/config/crawl/maxScale'", "integer"),
    (
        "config.crawl.redis.memory=true",
        "at '/config/crawl/redis/memory'",
        "string",
    ),
    (
        "config.crawl.channels.beta.img=x",
        "at '/config/crawl/channels/beta'",
        "img",
    ),
    (
        "config.orgs.perOrg.acme=few",
        "at '/config/orgs/perOrg/acme'",
        "integer",
    ),
    ("config.server.listen=0.0.0.0:80", "at '/config/server'", "listen"),
    (
        "config.server.allowUnauthenticated=true",
        "at '/config/server'",
        "allowUnauthenticated",
    ),
    ("config.anchors.name=x", "at '/config'", "anchors"),
    ("bindAddress=localhost", "at '/bindAddress'", "pattern"),
    ("jobNamespaces=crawls", "at '/jobNamespaces'", "array"),
    ("jobNamespaces[0]=Crawls", "at '/jobNamespaces/0'", "pattern"),
    (
        "metacontroller.podLabels.app=true",
        "at '/metacontroller/podLabels/app'",
        "string",
    ),
    (
        "networkPolicies.insideRanges[0]=everything",
        "at '/networkPolicies/insideRanges/0'",
        "pattern",
    ),
    (
        "networkPolicies.enabled=yes",
        "at '/networkPolicies/enabled'",
        "boolean",
    ),
    (
        "monitoring.serviceMonitor.interval=often",
        "at '/monitoring/serviceMonitor/interval'",
        "pattern",
    ),
    ("monitoring.alerts.enabled=true", "at '/monitoring'", "alerts"),
];

#[test]
fn unknown_and_mistyped_values_are_refused_with_their_path() {
    let Some(helm) = Helm::found() else { return };
    for (set, path, word) in REFUSED {
        let said = helm.render(
            RELEASE,
            &["--set", "image.repository=registry.example.org/rollcall", "--set", set],
        );
        let said = said.err().unwrap_or_else(|| panic!("{set} is taken"));
        let line = said.lines().find(|line| line.contains(path) && line.contains(word));
        assert!(line.is_some(), "{set}: no line says {path} and {word}\n{said}");
    }
}

#[test]
fn what_no_schema_can_say_is_refused_in_words() {
    let Some(helm) = Helm::found() else { return };
    let said = helm.render(RELEASE, &[]).expect_err("no image is named");
    assert!(
        said.contains("image.repository: say where the image was pushed"),
        "{said}"
    );
    let one = "image.repository=r/r,config.crawl.priorityClass=one,config.crawl.backgroundPriorityClass=one";
    let said = helm
        .render(RELEASE, &["--set", one])
        .expect_err("one name for two families");
    assert!(
        said.contains("config.crawl.priorityClass and backgroundPriorityClass"),
        "{said}"
    );
}
