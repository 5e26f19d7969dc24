//! Takes a pod of the chart's Deployment as the API server has it; gives its container's command as a process of the built
//! binary, with the pod's ConfigMaps as files. The pod's address stands for its network, a folder for its mounts.

use std::net::Ipv4Addr;
use std::path::PathBuf;

use serde_json::Value;

use crate::call;
use crate::container::strings;
use crate::hook::PROGRAM;
use crate::kubelet::text;
use crate::process::{Process, folder};

pub(crate) struct Service {
    pub(crate) process: Process,
    ready: String,
}

impl Service {
    pub(crate) fn start(pod: &Value, container: &Value, maps: &[Value], address: Ipv4Addr) -> Self {
        let uid = text(&pod["metadata"]["uid"]);
        let mut arguments = strings(&container["args"]);
        for (inside, outside) in mounts(pod, container, maps, &folder().join("mounts").join(&uid)) {
            for argument in &mut arguments {
                *argument = argument.replace(&inside, &outside.display().to_string());
            }
        }
        for argument in &mut arguments {
            *argument = argument.replace("0.0.0.0", &address.to_string());
        }
        let probe = &container["readinessProbe"]["httpGet"];
        let port = container["ports"].as_array().into_iter().flatten();
        let port = port
            .filter(|port| port["name"] == probe["port"])
            .map(|port| &port["containerPort"]);
        let port = port.last().expect("the port that the probe names");
        Self {
            process: Process::start(
                &format!("{}-{uid}", text(&pod["metadata"]["name"])),
                PROGRAM,
                &arguments,
            ),
            ready: format!("http://{address}:{port}{}", text(&probe["path"])),
        }
    }

    /// Whether it passes its readiness probe.
    pub(crate) async fn is_ready(&mut self) -> bool {
        self.process.assert_alive();
        call::get(&self.ready).await.is_ok_and(|answer| answer.status == 200)
    }
}

/// Writes the ConfigMaps where the container mounts them; gives each mount's place inside and outside.
fn mounts(pod: &Value, container: &Value, maps: &[Value], place: &std::path::Path) -> Vec<(String, PathBuf)> {
    let mut mounts = Vec::new();
    for mount in container["volumeMounts"].as_array().into_iter().flatten() {
        let volumes = pod["spec"]["volumes"].as_array().into_iter().flatten();
        let volume = volumes
            .filter(|volume| volume["name"] == mount["name"])
            .last()
            .expect("the volume");
        let map = maps
            .iter()
            .find(|map| map["metadata"]["name"] == volume["configMap"]["name"]);
        let Some(map) = map else { continue };
        let outside = place.join(text(&mount["name"]));
        std::fs::create_dir_all(&outside).expect("a folder for the mount");
        for (key, value) in map["data"].as_object().into_iter().flatten() {
            std::fs::write(outside.join(key), text(value)).expect("a mounted file");
        }
        mounts.push((text(&mount["mountPath"]), outside));
    }
    mounts
}
