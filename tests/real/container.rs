//! Takes a pod as the API server has it; gives its main container running on this machine: a real redis-server for a Redis
//! pod, a crawler for a crawler pod, rollcall for a pod of the chart, and something that just waits for any other. Writes
//! nothing to the API server.

use std::net::Ipv4Addr;
use std::time::Duration;

use kube::Client;
use serde_json::Value;
use tokio::sync::watch;

use crate::api::{CONFIG_MAP, Objects, SECRET};
use crate::crawler::Crawler;
use crate::kubelet::text;
use crate::machine::Machine;
use crate::process::Process;
use crate::service::Service;

/// What the pod says.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) crawl: String,
    pub(crate) host: String,
    pub(crate) store_url: String,
    pub(crate) webhook_url: String,
    pub(crate) volume: String,
    pub(crate) config: Value,
    pub(crate) size_limit: Option<u64>,
    /// Endpoint, path, user and file name pattern; nothing is uploaded without an endpoint.
    pub(crate) storage: Option<[String; 4]>,
    pub(crate) page_time: Duration,
}

pub(crate) enum Container {
    Redis(Process),
    Service(Service),
    Crawler {
        task: tokio::task::JoinHandle<i32>,
        signals: watch::Sender<u32>,
    },
    Waiting {
        code: Option<i32>,
    },
}

/// Why a container cannot be made, in the kubelet's words.
pub(crate) struct Refused(pub &'static str);

impl Container {
    /// Starts the container; the pod's volumes and variables must be there, as for a kubelet.
    pub(crate) async fn start(
        client: &Client,
        pod: &Value,
        address: Ipv4Addr,
        machine: &Machine,
    ) -> Result<Self, Refused> {
        let container = main_container(pod);
        let mounts = Mounts::read(client, pod).await?;
        match container["name"].as_str() {
            Some("redis") => Ok(Self::Redis(start_redis(pod, container, &mounts, address))),
            Some("crawler") => {
                let setup = Setup::read(client, pod, container, &mounts).await?;
                let (signals, receiver) = watch::channel(0);
                let task = tokio::spawn(Crawler::new(setup, machine.clone(), receiver).run());
                Ok(Self::Crawler { task, signals })
            }
            Some("rollcall") => Ok(Self::Service(Service::start(
                pod,
                container,
                &mounts.config_maps,
                address,
            ))),
            _ => Ok(Self::Waiting { code: None }),
        }
    }

    pub(crate) fn terminate(&mut self) {
        match self {
            Self::Redis(process) | Self::Service(Service { process, .. }) => process.signal("TERM"),
            Self::Crawler { signals, .. } => signals.send_modify(|count| *count += 1),
            Self::Waiting { code } => *code = Some(0),
        }
    }

    pub(crate) fn kill(&mut self) {
        match self {
            Self::Redis(process) | Self::Service(Service { process, .. }) => process.kill(),
            Self::Crawler { task, .. } => task.abort(),
            Self::Waiting { code } => *code = Some(137),
        }
    }

    /// Stops or continues the process as `SIGSTOP` and `SIGCONT` do; only a Redis can be frozen.
    pub(crate) fn freeze(&mut self, frozen: bool) {
        if let Self::Redis(process) = self {
            process.signal(if frozen { "STOP" } else { "CONT" });
        }
    }

    /// The exit code once it has ended.
    pub(crate) async fn ended(&mut self) -> Option<i32> {
        match self {
            Self::Redis(process) => {
                let code = process.ended()?.code().unwrap_or(137);
                if code == 1 {
                    eprintln!("redis-server could not start\n{}", process.tail());
                }
                Some(code)
            }
            Self::Service(service) => Some(service.process.ended()?.code().unwrap_or(137)),
            Self::Crawler { task, .. } if !task.is_finished() => None,
            Self::Crawler { task, .. } => match task.await {
                Ok(code) => Some(code),
                Err(error) if error.is_cancelled() => Some(137),
                Err(error) => panic!("the crawler itself failed: {error}"),
            },
            Self::Waiting { code } => *code,
        }
    }

    /// Whether it would pass its readiness probe.
    pub(crate) async fn is_ready(&mut self, address: Ipv4Addr) -> bool {
        let process = match self {
            Self::Redis(process) => process,
            Self::Service(service) => return service.is_ready().await,
            Self::Crawler { .. } | Self::Waiting { .. } => return true,
        };
        process.assert_alive();
        let Ok(client) = redis::Client::open(format!("redis://{address}:6379/0")) else {
            return false;
        };
        let Ok(mut connection) = client.get_multiplexed_async_connection().await else {
            return false;
        };
        redis::cmd("PING").query_async::<String>(&mut connection).await.is_ok()
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        if let Self::Crawler { task, .. } = self {
            task.abort();
        }
    }
}

/// The container that the pod is about; others never decide.
pub(crate) fn main_container(pod: &Value) -> &Value {
    let containers = pod["spec"]["containers"].as_array().expect("a pod has containers");
    let named = |name: &str| containers.iter().find(|container| container["name"] == name);
    named("crawler").or_else(|| named("redis")).unwrap_or(&containers[0])
}

/// What the volumes of the pod hold.
struct Mounts {
    /// The claim's uid, or the pod's for an emptyDir: whose files these are.
    volume: String,
    config_maps: Vec<Value>,
}

impl Mounts {
    async fn read(client: &Client, pod: &Value) -> Result<Self, Refused> {
        let namespace = text(&pod["metadata"]["namespace"]);
        let claims = Objects::new(client, crate::api::CLAIM, &namespace);
        let maps = Objects::new(client, CONFIG_MAP, &namespace);
        let mut mounts = Self {
            volume: text(&pod["metadata"]["uid"]),
            config_maps: Vec::new(),
        };
        for volume in pod["spec"]["volumes"].as_array().into_iter().flatten() {
            if let Some(name) = volume["persistentVolumeClaim"]["claimName"].as_str() {
                let claim = claims.get(name).await.ok_or(Refused("ContainerCreating"))?;
                mounts.volume = text(&claim["metadata"]["uid"]);
            }
            if let Some(name) = volume["configMap"]["name"].as_str() {
                mounts
                    .config_maps
                    .push(maps.get(name).await.ok_or(Refused("ContainerCreating"))?);
            }
        }
        Ok(mounts)
    }
}

pub(crate) fn strings(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().map(text).collect()
}

fn start_redis(pod: &Value, container: &Value, mounts: &Mounts, address: Ipv4Addr) -> Process {
    let mut arguments = strings(&container["args"]);
    arguments.retain(|argument| argument != "redis-server");
    // Redis goes into each folder it is told of, so the one that is mounted there in the pod must not be named.
    if let Some(at) = arguments.iter().position(|argument| argument == "--dir") {
        arguments.drain(at..(at + 2).min(arguments.len()));
    }
    // The last one of two equal options counts, so ours stand at the end.
    let folder = Machine::path(&mounts.volume).display().to_string();
    let bind = address.to_string();
    let ours = ["--dir", &folder, "--bind", &bind, "--port", "6379", "--daemonize", "no"];
    arguments.extend(ours.map(str::to_owned));
    let name = format!("{}-{}", text(&pod["metadata"]["name"]), text(&pod["metadata"]["uid"]));
    Process::start(&name, "redis-server", &arguments)
}

impl Setup {
    async fn read(client: &Client, pod: &Value, container: &Value, mounts: &Mounts) -> Result<Self, Refused> {
        let variables = variables(client, pod, container).await?;
        let variable = |name: &str| {
            variables
                .iter()
                .rev()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.clone())
        };
        let mut arguments = strings(&container["command"]);
        arguments.extend(strings(&container["args"]));
        arguments.extend(
            variable("CRAWL_ARGS")
                .unwrap_or_default()
                .split_whitespace()
                .map(str::to_owned),
        );
        let option = |name: &str| {
            let at = arguments.iter().position(|argument| argument == name)?;
            arguments.get(at + 1).cloned()
        };
        let file = option("--config").unwrap_or_default();
        let key = file.rsplit('/').next().unwrap_or_default();
        let config = mounts.config_maps.iter().find_map(|map| map["data"][key].as_str());
        let storage = variable("STORE_ENDPOINT_URL").map(|endpoint| {
            let pattern = variable("STORE_FILENAME").unwrap_or_else(|| "@ts-@hostsuffix.wacz".into());
            [
                endpoint,
                variable("STORE_PATH").unwrap_or_default(),
                variable("STORE_USER").unwrap_or_default(),
                pattern,
            ]
        });
        let config: Value = serde_json::from_str(config.unwrap_or("{}")).expect("a configuration in JSON");
        Ok(Self {
            crawl: variable("CRAWL_ID").expect("CRAWL_ID is set"),
            host: pod["spec"]["hostname"]
                .as_str()
                .map_or_else(|| text(&pod["metadata"]["name"]), str::to_owned),
            store_url: option("--redisStoreUrl").expect("--redisStoreUrl is given"),
            webhook_url: variable("WEBHOOK_URL").expect("WEBHOOK_URL is set"),
            volume: mounts.volume.clone(),
            size_limit: option("--sizeLimit")
                .and_then(|limit| limit.parse().ok())
                .filter(|limit| *limit > 0),
            // Browser options mean nothing here; this one is the handle a test has on speed, `slowStep` another.
            page_time: Duration::from_millis(config["pageExtraDelay"].as_u64().unwrap_or(100)),
            config,
            storage,
        })
    }
}

/// The variables of the container, envFrom first as in a real pod.
async fn variables(client: &Client, pod: &Value, container: &Value) -> Result<Vec<(String, String)>, Refused> {
    let namespace = text(&pod["metadata"]["namespace"]);
    let mut variables = Vec::new();
    for source in container["envFrom"].as_array().into_iter().flatten() {
        let (kind, reference) = match source.get("secretRef") {
            Some(reference) => (SECRET, reference),
            None => (CONFIG_MAP, &source["configMapRef"]),
        };
        let name = text(&reference["name"]);
        let Some(found) = Objects::new(client, kind, &namespace).get(&name).await else {
            if reference["optional"] == true {
                continue;
            }
            return Err(Refused("CreateContainerConfigError"));
        };
        for (key, value) in found["data"].as_object().into_iter().flatten() {
            let plain = if kind == SECRET { decode(value) } else { text(value) };
            variables.push((key.clone(), plain));
        }
    }
    for variable in container["env"].as_array().into_iter().flatten() {
        variables.push((text(&variable["name"]), text(&variable["value"])));
    }
    Ok(variables)
}

fn decode(base64: &Value) -> String {
    let bytes: k8s_openapi::ByteString = serde_json::from_value(base64.clone()).expect("a secret's value is base64");
    String::from_utf8(bytes.0).expect("a variable is text")
}
