//! Takes a configuration; gives the built `rollcall serve` on loopback, which a test can kill and start again on the same
//! ports.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use crate::call;
use crate::cluster::free_ports;
use crate::process::{Process, folder};
use crate::wait::until;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_rollcall");

/// The same as in production, with shorter waits so that a test takes seconds; `more` replaces and adds. JSON is YAML.
fn configuration(more: &Value) -> String {
    let mut all = json!({"crawl": {"resyncSeconds": 1}, "log": {"format": "pretty", "filter": "rollcall=debug,info"}});
    for (section, fields) in more.as_object().into_iter().flatten() {
        for (field, value) in fields.as_object().into_iter().flatten() {
            all[section][field] = value.clone();
        }
    }
    all.to_string()
}

pub(crate) struct Hook {
    name: String,
    arguments: Vec<String>,
    admin: u16,
    file: PathBuf,
    pub(crate) url: String,
    process: Option<Process>,
}

impl Hook {
    pub(crate) async fn start(name: &str, more: &Value) -> Self {
        let [listen, admin] = free_ports();
        let file: PathBuf = folder().join(format!("{name}.yaml"));
        let arguments = vec![
            "serve".into(),
            format!("--listen=127.0.0.1:{listen}"),
            format!("--admin-listen=127.0.0.1:{admin}"),
            format!("--config={}", file.display()),
        ];
        let url = format!("http://127.0.0.1:{listen}");
        let mut hook = Self {
            name: name.to_owned(),
            arguments,
            admin,
            file,
            url,
            process: None,
        };
        hook.configure(more);
        hook.start_again().await;
        hook
    }

    /// What the next start reads.
    pub(crate) fn configure(&self, more: &Value) {
        std::fs::write(&self.file, configuration(more)).expect("a configuration file");
    }

    /// As a machine that loses power: no goodbye.
    pub(crate) fn kill(&mut self) {
        self.process.take().expect("the hook runs").kill();
    }

    pub(crate) async fn start_again(&mut self) {
        let mut process = Process::start(&self.name, PROGRAM, &self.arguments);
        let ready = format!("http://127.0.0.1:{}/readyz", self.admin);
        until("the hook is ready", Duration::from_secs(20), || {
            process.assert_alive();
            let ready = ready.clone();
            async move {
                call::get(&ready)
                    .await
                    .ok()
                    .filter(|answer| answer.status == 200)
                    .map(|_| ())
            }
        })
        .await;
        self.process = Some(process);
    }
}
