//! Takes every call on its way to the hook; gives it to the hook unchanged and, when RECORD names a folder, writes request
//! and response there in the form of the fixtures. It changes nothing and judges nothing.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::post;
use serde_json::Value;

use crate::call;

struct Recorder {
    folder: PathBuf,
    url: String,
    calls: AtomicUsize,
}

/// The address that the caller should use: the hook's own, or a recorder's in front of it.
pub(crate) async fn in_front_of(url: &str, name: &str) -> String {
    let Some(folder) = std::env::var_os("RECORD") else {
        return url.to_owned();
    };
    let folder = PathBuf::from(folder).join(name);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let recorder = Arc::new(Recorder {
        folder,
        url: url.to_owned(),
        calls: AtomicUsize::new(0),
    });
    let app = Router::new().route("/{hook}/{call}", post(pass)).with_state(recorder);
    tokio::spawn(async move { axum::serve(listener, app).await });
    format!("http://{address}")
}

async fn pass(
    State(recorder): State<Arc<Recorder>>,
    Path((hook, call)): Path<(String, String)>,
    body: String,
) -> (StatusCode, Vec<u8>) {
    let request: Value = serde_json::from_str(&body).expect("a caller sends JSON");
    // A hook that is down looks to the caller like one behind a proxy that is up.
    let Ok(answer) = call::post(&format!("{}/{hook}/{call}", recorder.url), &request).await else {
        return (StatusCode::BAD_GATEWAY, Vec::new());
    };
    let number = recorder.calls.fetch_add(1, Ordering::Relaxed);
    let folder = recorder.folder.join(&hook).join(&call);
    std::fs::create_dir_all(&folder).expect("a folder for the recording");
    let write = |what: &str, value: &Value| {
        let text = serde_json::to_string_pretty(value).expect("JSON");
        std::fs::write(folder.join(format!("{number:04}.{what}.json")), text + "\n").expect("a recording is written");
    };
    write("request", &request);
    write("response", &serde_json::from_slice(&answer.body).unwrap_or_default());
    (StatusCode::from_u16(answer.status).expect("a status"), answer.body)
}
