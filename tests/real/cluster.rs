//! Takes the built binaries; gives a running control plane (etcd, kube-apiserver, kube-controller-manager,
//! kube-scheduler) on loopback, one for the whole test binary, and clients of it. Knows nothing of rollcall.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::json;

use crate::process::{Process, folder};

/// Whose writes are told apart in the audit log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum User {
    /// The test itself: what an administrator does.
    Admin,
    /// The driver of the hook, ours or a real metacontroller.
    Driver,
    /// The driver with no right but those of the chart's role for metacontroller, which this service account gets.
    Tamed,
    /// The stand-ins for kubelet and volume provisioner.
    Node,
}

impl User {
    const ALL: [Self; 4] = [Self::Admin, Self::Driver, Self::Tamed, Self::Node];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::Driver => "driver",
            Self::Tamed => "system:serviceaccount:metacontroller:metacontroller",
            Self::Node => "node",
        }
    }

    /// Its line in the file of tokens; masters may do everything.
    fn token(self) -> String {
        let name = self.name();
        match self {
            Self::Admin | Self::Driver | Self::Node => format!("{name}-token,{name},{name},\"system:masters\"\n"),
            Self::Tamed => format!("{name}-token,{name},{name}\n"),
        }
    }
}

pub(crate) struct Cluster {
    processes: Mutex<Vec<Process>>,
}

static CLUSTER: OnceLock<Cluster> = OnceLock::new();

/// The control plane, started by the first test that asks.
pub(crate) fn cluster() -> &'static Cluster {
    CLUSTER.get_or_init(Cluster::start)
}

impl Cluster {
    fn start() -> Self {
        let binaries = build();
        let began = Instant::now();
        write_keys(folder());
        let [client, peer, secure, manager, scheduler] = free_ports();
        let etcd = Process::start("etcd", binaries.join("etcd"), &etcd_arguments(client, peer));
        let api = Process::start(
            "kube-apiserver",
            binaries.join("kube-apiserver"),
            &api_arguments(client, secure),
        );
        let mut processes = vec![etcd, api];
        write_kubeconfigs(secure, &mut processes);
        for (name, port) in [("kube-controller-manager", manager), ("kube-scheduler", scheduler)] {
            processes.push(Process::start(
                name,
                binaries.join(name),
                &component_arguments(name, port),
            ));
        }
        wait_blocking("the API server is ready", &mut processes, |_| is_ready());
        eprintln!("control plane ready after {:.1} s", began.elapsed().as_secs_f64());
        Self {
            processes: Mutex::new(processes),
        }
    }

    /// A client that belongs to the calling test's runtime.
    pub(crate) async fn client(&self, user: User) -> Client {
        self.assert_alive();
        let file = Kubeconfig::read_from(kubeconfig(user)).expect("the kubeconfig was written");
        let mut config = Config::from_custom_kubeconfig(file, &KubeConfigOptions::default())
            .await
            .expect("a usable kubeconfig");
        config.connect_timeout = Some(Duration::from_secs(5));
        Client::try_from(config).expect("a client")
    }

    /// Panics with the log of the part that ended.
    pub(crate) fn assert_alive(&self) {
        let mut processes = self.processes.lock().unwrap_or_else(PoisonError::into_inner);
        processes.iter_mut().for_each(Process::assert_alive);
    }
}

pub(crate) fn kubeconfig(user: User) -> PathBuf {
    folder().join(format!("{}.kubeconfig", user.name()))
}

pub(crate) fn audit_log() -> PathBuf {
    folder().join("audit.log")
}

/// Runs the build script, which does nothing when the binaries are there, and gives their folder.
fn build() -> PathBuf {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real/build-controlplane");
    let output = Command::new(&script)
        .stderr(std::process::Stdio::inherit())
        .output()
        .expect("the build script runs");
    assert!(
        output.status.success(),
        "{} failed: {}",
        script.display(),
        output.status
    );
    PathBuf::from(String::from_utf8(output.stdout).expect("a path").trim())
}

/// Ports that nobody listened on a moment ago.
pub(crate) fn free_ports<const N: usize>() -> [u16; N] {
    let listeners = [(); N].map(|()| std::net::TcpListener::bind("127.0.0.1:0").expect("a free port"));
    listeners.map(|listener| listener.local_addr().expect("its address").port())
}

fn pem(label: &str, der: &[u8]) -> String {
    let base64 = serde_json::to_value(k8s_openapi::ByteString(der.to_vec())).expect("bytes become base64");
    format!(
        "-----BEGIN {label}-----\n{}\n-----END {label}-----\n",
        base64.as_str().expect("a string")
    )
}

/// A fresh key for service account tokens, the users' tokens and the audit policy.
fn write_keys(folder: &Path) {
    use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING as KIND, EcdsaKeyPair, KeyPair};
    /// What stands before the 65 bytes of a P-256 point in a public key's encoding.
    const SPKI: [u8; 26] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48,
        0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ];
    let random = ring::rand::SystemRandom::new();
    let private = EcdsaKeyPair::generate_pkcs8(&KIND, &random).expect("a key");
    let pair = EcdsaKeyPair::from_pkcs8(&KIND, private.as_ref(), &random).expect("the same key");
    let public = [&SPKI[..], pair.public_key().as_ref()].concat();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("a file is written");
    write("service-account.key", &pem("PRIVATE KEY", private.as_ref()));
    write("service-account.pub", &pem("PUBLIC KEY", &public));
    write("tokens.csv", &User::ALL.map(User::token).concat());
    let verbs = ["create", "update", "patch", "delete", "deletecollection"];
    let rule = json!({"level": "Metadata", "verbs": verbs, "users": User::ALL.map(User::name)});
    let policy = json!({"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
        "rules": [rule, {"level": "None"}]});
    write("audit-policy.json", &policy.to_string());
}

fn etcd_arguments(client: u16, peer: u16) -> Vec<String> {
    let (client, peer) = (format!("http://127.0.0.1:{client}"), format!("http://127.0.0.1:{peer}"));
    vec![
        "--name=etcd".into(),
        format!("--data-dir={}", folder().join("etcd").display()),
        "--unsafe-no-fsync".into(),
        "--log-level=warn".into(),
        format!("--listen-client-urls={client}"),
        format!("--advertise-client-urls={client}"),
        format!("--listen-peer-urls={peer}"),
        format!("--initial-advertise-peer-urls={peer}"),
        format!("--initial-cluster=etcd={peer}"),
    ]
}

fn api_arguments(etcd: u16, port: u16) -> Vec<String> {
    let file = |name: &str| folder().join(name).display().to_string();
    vec![
        format!("--etcd-servers=http://127.0.0.1:{etcd}"),
        format!("--secure-port={port}"),
        "--bind-address=127.0.0.1".into(),
        "--advertise-address=127.0.0.1".into(),
        format!("--cert-dir={}", file("certificates")),
        format!("--token-auth-file={}", file("tokens.csv")),
        "--authorization-mode=RBAC".into(),
        format!("--service-account-key-file={}", file("service-account.pub")),
        format!("--service-account-signing-key-file={}", file("service-account.key")),
        "--service-account-issuer=https://kubernetes.default.svc".into(),
        "--service-cluster-ip-range=10.0.0.0/24".into(),
        "--endpoint-reconciler-type=none".into(),
        format!("--audit-policy-file={}", file("audit-policy.json")),
        format!("--audit-log-path={}", audit_log().display()),
        "--audit-log-mode=blocking".into(),
    ]
}

fn component_arguments(name: &str, port: u16) -> Vec<String> {
    let mut arguments = vec![
        format!("--kubeconfig={}", folder().join("components.kubeconfig").display()),
        "--leader-elect=false".into(),
        "--bind-address=127.0.0.1".into(),
        format!("--secure-port={port}"),
        format!("--cert-dir={}", folder().join(format!("{name}-certificates")).display()),
    ];
    if name == "kube-controller-manager" {
        let left_out = "-node-lifecycle-controller,-taint-eviction-controller,-cloud-node-lifecycle-controller";
        arguments.extend([
            format!(
                "--service-account-private-key-file={}",
                folder().join("service-account.key").display()
            ),
            format!(
                "--root-ca-file={}",
                folder().join("certificates/apiserver.crt").display()
            ),
            format!("--controllers=*,{left_out}"),
        ]);
    }
    arguments
}

/// The API server makes its own certificate; the kubeconfigs name it once it is there.
fn write_kubeconfigs(port: u16, processes: &mut [Process]) {
    let certificate = folder().join("certificates/apiserver.crt");
    wait_blocking("the API server has made its certificate", processes, |_| {
        certificate.exists()
    });
    let users = User::ALL.map(|user| (user.name(), user.name()));
    for (file, user) in users.into_iter().chain([("components", User::Admin.name())]) {
        let config = json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "real",
            "clusters": [{"name": "real", "cluster": {
                "server": format!("https://127.0.0.1:{port}"), "certificate-authority": certificate}}],
            "users": [{"name": "real", "user": {"token": format!("{user}-token")}}],
            "contexts": [{"name": "real", "context": {"cluster": "real", "user": "real"}}],
        });
        std::fs::write(folder().join(format!("{file}.kubeconfig")), config.to_string()).expect("a kubeconfig");
    }
}

/// Asks `/readyz` on a runtime of its own, because the first caller's must not be needed later.
fn is_ready() -> bool {
    let ask = || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let file = Kubeconfig::read_from(kubeconfig(User::Admin)).ok()?;
            let config = Config::from_custom_kubeconfig(file, &KubeConfigOptions::default())
                .await
                .ok()?;
            let client = Client::try_from(config).ok()?;
            let request = axum::http::Request::get("/readyz").body(Vec::new()).ok()?;
            let answer = tokio::time::timeout(Duration::from_secs(2), client.request_text(request))
                .await
                .ok()?;
            (answer.ok()? == "ok").then_some(())
        })
    };
    std::thread::spawn(ask).join().expect("the question ends").is_some()
}

fn wait_blocking(what: &str, processes: &mut [Process], mut condition: impl FnMut(&mut [Process]) -> bool) {
    let bound = Duration::from_secs(90);
    let start = Instant::now();
    while !condition(processes) {
        processes.iter_mut().for_each(Process::assert_alive);
        if start.elapsed() > bound {
            let logs: Vec<String> = processes.iter().map(Process::tail).collect();
            panic!("waited {bound:?} in vain until {what}\n{}", logs.join("\n"));
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}
