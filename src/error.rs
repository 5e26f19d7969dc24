//! Everything that ends a call without a decision, and the only file with status codes.
//!
//! Anything but 200 changes nothing in the cluster and is tried again. The bodies are copied into public Kubernetes
//! Events, so their texts say nothing about hosts, paths or the content of a request.

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::request::RequestFault;
use crate::respond::{self, AnswerFault};

/// Why a call got no decision.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The body can't be used.
    #[error(transparent)]
    Request(#[from] RequestFault),
    /// The path says one thing, the field `finalizing` another.
    #[error("the field finalizing is {finalizing}, which the path does not say; point the hook at the right path")]
    RouteDisagrees {
        /// What the body says.
        finalizing: bool,
    },
    /// The body ended early or was cut off.
    #[error("the body ended before it was complete")]
    BodyBroken,
    /// The body is over the limit.
    #[error("the body is larger than the limit of {limit} bytes; raise server.bodyLimit or make the job smaller")]
    BodyTooLarge {
        /// The limit.
        limit: u64,
    },
    /// The body did not arrive in time.
    #[error("the body did not arrive in time")]
    BodySlow,
    /// Too many bytes are being worked on.
    #[error("too many bytes are in flight; try again")]
    Busy,
    /// The call took too long.
    #[error("the call took longer than its deadline; try again")]
    Deadline,
    /// No such path.
    #[error("there is no hook at this path")]
    NotFound,
    /// The path exists, the method does not.
    #[error("this path does not take this method")]
    MethodNotAllowed,
    /// The service is about to stop.
    #[error("the service is stopping")]
    NotReady,
    /// The decision could not be written.
    #[error("the answer could not be written; this is a bug and was logged")]
    Answer(#[from] AnswerFault),
    /// A bug.
    #[error("the call failed unexpectedly; this is a bug and was logged")]
    Panic,
}

impl Error {
    /// The HTTP status.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        match self {
            Self::Request(fault) => request_status(fault),
            Self::RouteDisagrees { .. } | Self::BodyBroken => StatusCode::BAD_REQUEST,
            Self::BodyTooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::BodySlow => StatusCode::REQUEST_TIMEOUT,
            Self::Busy | Self::Deadline | Self::NotReady => StatusCode::SERVICE_UNAVAILABLE,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::Answer(_) | Self::Panic => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The stable word for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Request(fault) => request_code(fault),
            Self::RouteDisagrees { .. } => "wrong-route",
            Self::BodyBroken => "body-incomplete",
            Self::BodyTooLarge { .. } => "body-too-large",
            Self::BodySlow => "body-too-slow",
            Self::Busy => "busy",
            Self::Deadline => "deadline",
            Self::NotFound => "not-found",
            Self::MethodNotAllowed => "method-not-allowed",
            Self::NotReady => "not-ready",
            Self::Answer(_) => "answer-refused",
            Self::Panic => "bug",
        }
    }

    /// Whole seconds after which to try again, for what passes by itself. metacontroller reads an unreadable or missing
    /// `Retry-After` of a 429 as "now", so it is at least 1.
    #[must_use]
    pub fn retry_after(&self) -> Option<u32> {
        match self {
            Self::Busy | Self::BodySlow | Self::NotReady => Some(1),
            Self::Deadline => Some(2),
            Self::Request(_)
            | Self::RouteDisagrees { .. }
            | Self::BodyBroken
            | Self::BodyTooLarge { .. }
            | Self::NotFound
            | Self::MethodNotAllowed
            | Self::Answer(_)
            | Self::Panic => None,
        }
    }

    /// Whether a part of the body may still be on its way: the connection can't be used again.
    fn leaves_body_unread(&self) -> bool {
        matches!(
            self,
            Self::BodyBroken
                | Self::BodyTooLarge { .. }
                | Self::BodySlow
                | Self::Busy
                | Self::NotFound
                | Self::MethodNotAllowed
        )
    }
}

fn request_status(fault: &RequestFault) -> StatusCode {
    match fault {
        RequestFault::NotJson { .. } | RequestFault::WrongShape { .. } | RequestFault::WrongParent { .. } => {
            StatusCode::BAD_REQUEST
        }
        RequestFault::MissingChildKind { .. } | RequestFault::UpdateStrategy { .. } | RequestFault::ServerSideApply => {
            StatusCode::UNPROCESSABLE_ENTITY
        }
    }
}

fn request_code(fault: &RequestFault) -> &'static str {
    match fault {
        RequestFault::NotJson { .. } => "not-json",
        RequestFault::WrongShape { .. } => "wrong-shape",
        RequestFault::WrongParent { .. } => "wrong-parent",
        RequestFault::MissingChildKind { .. } => "child-kind-missing",
        RequestFault::UpdateStrategy { .. } => "update-strategy",
        RequestFault::ServerSideApply => "server-side-apply",
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let status = self.status();
        let title = status.canonical_reason().unwrap_or("Error");
        let body = respond::problem(status.as_u16(), title, self.code(), &self.to_string());
        let mut response = Response::new(body.into());
        *response.status_mut() = status;
        let mut set = |name: HeaderName, value: HeaderValue| response.headers_mut().insert(name, value);
        set(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        if let Some(seconds) = self.retry_after() {
            set(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.leaves_body_unread() {
            set(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

#[cfg(test)]
mod tests;
