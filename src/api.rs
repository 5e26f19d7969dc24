//! Our resources, group `rollcall.dev`. [`v1`] holds the types users write and read; the CRDs are generated from them.
//!
//! Gives the CRDs as objects and as the YAML that the chart carries. Reads nothing.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt;

mod structural;
pub mod v1;

#[cfg(test)]
mod tests;

/// Every CRD.
#[must_use]
pub fn crds() -> Vec<CustomResourceDefinition> {
    vec![structural::for_api_server(v1::CrawlJob::crd())]
}

/// Every CRD as YAML documents: what `rollcall crds` prints and the chart carries.
///
/// # Errors
///
/// When a CRD can't be written as YAML, which no input can cause.
pub fn crds_yaml() -> Result<String, serde_saphyr::ser::Error> {
    let documents: Result<Vec<String>, _> = crds().iter().map(serde_saphyr::to_string).collect();
    Ok(documents?.concat())
}
