//! The chart of the service as helm renders it. Needs helm: the program that HELM names, or the one on PATH. `.ci/helm` gets
//! one and prints its path.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::tested::say_not_tested;

/// Release and namespace that hooks/*/controller.yaml have in their address.
pub(crate) const RELEASE: &str = "rollcall";

pub(crate) struct Helm(PathBuf);

impl Helm {
    /// `None`, said loudly, where there is no helm; in CI that is a failure.
    pub(crate) fn found() -> Option<Self> {
        let program = std::env::var_os("HELM").map_or_else(|| PathBuf::from("helm"), PathBuf::from);
        if Command::new(&program).arg("version").output().is_ok() {
            return Some(Self(program));
        }
        assert!(std::env::var_os("CI").is_none(), "helm is not on PATH, and CI needs it");
        say_not_tested("helm is not on PATH; HELM=$(.ci/helm) gets one");
        None
    }

    /// Runs helm in the chart's folder.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        let output = Command::new(&self.0).args(arguments).current_dir(chart()).output();
        output.expect("helm starts")
    }

    /// What `helm template` gives, or what it says instead. `namespace` is the release's.
    pub(crate) fn render(&self, namespace: &str, more: &[&str]) -> Result<String, String> {
        let arguments = [&["template", RELEASE, ".", "--namespace", namespace], more].concat();
        let output = self.run(&arguments);
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("helm writes text");
        if output.status.success() {
            Ok(text(output.stdout))
        } else {
            Err(text(output.stderr))
        }
    }
}

/// The chart's folder.
pub(crate) fn chart() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("charts/rollcall")
}

/// The objects of a rendering.
pub(crate) fn objects(rendering: &str) -> Vec<Value> {
    let parts = rendering.split("\n---").map(|part| part.trim_start_matches("---"));
    let objects = parts.map(|part| serde_saphyr::from_str::<Value>(part).expect("a rendering is YAML"));
    objects.filter(Value::is_object).collect()
}
