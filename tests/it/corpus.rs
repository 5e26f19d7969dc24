//! The fixtures of `hooks/` as values, and the one way to send a body through the product in this process: the real
//! router, the frozen instant of the corpus, and the store that the fixture brings. Decides nothing about answers.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, header};
use http_body_util::BodyExt;
use serde_json::Value;
use tower::ServiceExt;

use rollcall::app::{State, app};
use rollcall::clock::Clock;
use rollcall::config::Config;
use rollcall::flow::Shell;
use rollcall::observed::Timestamp;
use rollcall::outside::memory::MemoryStores;
use rollcall::outside::{Outside, Stores};

pub(crate) use crate::answer::{Answer, NOW};

/// What a folder below a hook holds; the folder's name is the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Folder {
    Sync,
    Finalize,
    Customize,
    /// Bodies that must not get 200; the twin holds status and code.
    Reject,
}

impl Folder {
    pub(crate) const ALL: [Self; 4] = [Self::Sync, Self::Finalize, Self::Customize, Self::Reject];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sync => "sync",
            Self::Finalize => "finalize",
            Self::Customize => "customize",
            Self::Reject => "reject",
        }
    }
}

/// One fixture.
#[derive(Debug, Clone)]
pub(crate) struct Fixture {
    pub(crate) hook: String,
    pub(crate) folder: Folder,
    /// File name without its ending.
    pub(crate) name: String,
    /// The body as it is sent.
    pub(crate) request: Vec<u8>,
    /// What the store holds; none = no store can be asked.
    pub(crate) store: Option<Value>,
    /// What differs from the built-in configuration; none = nothing.
    config: Option<PathBuf>,
    /// Where the expected answer is.
    pub(crate) response: PathBuf,
}

impl Fixture {
    /// Where it is sent: a body to reject to `sync`, or to `finalize` when it says so.
    pub(crate) fn path(&self) -> String {
        let call = match self.folder {
            Folder::Sync => "sync",
            Folder::Finalize => "finalize",
            Folder::Customize => "customize",
            Folder::Reject => match serde_json::from_slice::<Value>(&self.request) {
                Ok(body) if body["finalizing"] == true => "finalize",
                Ok(_) | Err(_) => "sync",
            },
        };
        format!("/{}/{call}", self.hook)
    }

    /// How failures name it.
    pub(crate) fn title(&self) -> String {
        format!("{}/{}/{}", self.hook, self.folder.name(), self.name)
    }

    /// The body as JSON; only a reject fixture may have none.
    pub(crate) fn body(&self) -> Value {
        serde_json::from_slice(&self.request).unwrap_or_else(|fault| panic!("{}: {fault}", self.title()))
    }

    /// The answer of the product, with a store of its own.
    pub(crate) async fn answer(&self) -> Answer {
        self.answer_to(&self.request).await
    }

    /// The answer to another body in its place.
    pub(crate) async fn answer_to(&self, body: &[u8]) -> Answer {
        send(self.app(stores(self.store.as_ref(), body)), &self.path(), body).await
    }

    /// The product as this fixture needs it configured.
    pub(crate) fn app(&self, stores: Stores) -> Router {
        match &self.config {
            None => app_with(stores),
            Some(path) => app_of(Config::load(Some(path)).expect("a usable configuration"), stores),
        }
    }

    /// It can be sent to any service at the frozen instant: it brings neither store nor configuration.
    pub(crate) fn stands_alone(&self) -> bool {
        self.store.is_none() && self.config.is_none()
    }
}

/// The repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Folders of `hooks/`, sorted.
pub(crate) fn hooks() -> Vec<String> {
    let folders = files(&root().join("hooks")).into_iter().filter(|path| path.is_dir());
    folders.map(|path| name_of(&path)).collect()
}

/// Every fixture of every hook, in the order of their names; read once.
pub(crate) fn corpus() -> &'static [Fixture] {
    static CORPUS: OnceLock<Vec<Fixture>> = OnceLock::new();
    CORPUS.get_or_init(|| {
        let all: Vec<Fixture> = hooks().iter().flat_map(|hook| fixtures(hook)).collect();
        assert!(!all.is_empty(), "hooks/ holds no fixtures");
        all
    })
}

fn fixtures(hook: &str) -> Vec<Fixture> {
    let mut all = Vec::new();
    for folder in Folder::ALL {
        let place = root().join("hooks").join(hook).join(folder.name());
        for path in files(&place) {
            if let Some(name) = name_of(&path).strip_suffix(".request.json") {
                let store = fs::read(place.join(format!("{name}.store.json"))).ok();
                let config = place.join(format!("{name}.config.yaml"));
                all.push(Fixture {
                    hook: hook.to_owned(),
                    folder,
                    request: fs::read(&path).expect("a listed file can be read"),
                    store: store.map(|text| serde_json::from_slice(&text).expect("a store file is JSON")),
                    config: config.exists().then_some(config),
                    response: place.join(format!("{name}.response.json")),
                    name: name.to_owned(),
                });
            }
        }
    }
    all
}

/// The fixtures of one folder.
pub(crate) fn of(folder: Folder) -> impl Iterator<Item = &'static Fixture> {
    corpus().iter().filter(move |fixture| fixture.folder == folder)
}

/// Entries of a folder, sorted; a missing folder is empty.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("listing a folder").path()).collect();
    paths.sort();
    paths
}

pub(crate) fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The stores that a store file describes, for the job that the body is about.
pub(crate) fn stores(file: Option<&Value>, request: &[u8]) -> Stores {
    let Some(file) = file else { return Stores::Disabled };
    let body: Value = serde_json::from_slice(request).expect("a body with a store file is JSON");
    let (namespace, job) = identity(&body);
    let memory = MemoryStores::new();
    memory
        .load(&namespace, &job, file)
        .expect("the store file has the form of a snapshot");
    Stores::Memory(memory)
}

/// Namespace and name of the parent.
pub(crate) fn identity(body: &Value) -> (String, String) {
    let text = |field: &str| {
        body["parent"]["metadata"][field]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    (text("namespace"), text("name"))
}

/// The built-in configuration; read once, because reading YAML takes longer than an answer.
pub(crate) fn built_in() -> &'static Config {
    static CONFIG: OnceLock<Config> = OnceLock::new();
    CONFIG.get_or_init(Config::built_in)
}

/// The product at the frozen instant, as configured by default.
pub(crate) fn app_with(stores: Stores) -> Router {
    app_of(built_in().clone(), stores)
}

/// The product at the frozen instant.
pub(crate) fn app_of(config: Config, stores: Stores) -> Router {
    app_at(NOW, config, stores)
}

/// The product at any instant.
pub(crate) fn app_at(now: &str, config: Config, stores: Stores) -> Router {
    let now: Timestamp = now.parse().expect("the instant is a time");
    let shell = Shell {
        clock: Clock::Frozen(now),
        outside: Outside { stores },
    };
    app(State::new(config, shell))
}

/// Posts `body`, as the caller does.
pub(crate) async fn send(router: Router, path: &str, body: &[u8]) -> Answer {
    let request = Request::post(path)
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::CONTENT_LENGTH, body.len())
        .body(Body::from(body.to_vec()))
        .expect("a request can be built");
    answer_to(router, request).await
}

/// Sends any request.
pub(crate) async fn answer_to(router: Router, request: Request<Body>) -> Answer {
    let response = router.oneshot(request).await.expect("the router always answers");
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.expect("an answer can be read").to_bytes().to_vec();
    Answer {
        status: parts.status,
        headers: parts.headers,
        bytes,
    }
}
