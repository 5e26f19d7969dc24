//! Problems of a configuration, gathered so that all of them are told at once.

use super::Problem;

/// Problems as they are found.
#[derive(Debug)]
pub(super) struct Problems(pub(super) Vec<Problem>);

impl Problems {
    /// Notes a problem.
    pub(super) fn push(&mut self, path: &str, problem: String) {
        self.0.push(Problem {
            path: path.to_owned(),
            problem,
        });
    }

    /// Notes a problem unless `holds`.
    pub(super) fn require(&mut self, holds: bool, path: &str, problem: impl FnOnce() -> String) {
        if !holds {
            self.push(path, problem());
        }
    }

    /// An address with a port.
    pub(super) fn address(&mut self, path: &str, text: &str) -> Option<std::net::SocketAddr> {
        let address = text.parse().ok();
        self.require(address.is_some(), path, || {
            format!("{text:?} is no address with a port, such as 127.0.0.1:8080 or [::]:8080")
        });
        address
    }
}
