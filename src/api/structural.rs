//! What the API server should hear instead of what the schema generator says. Takes a CRD, gives one.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};

/// Adjusts every version's schema:
/// - nothing is nullable: the API server then drops a null before it checks or stores, so that null is unset for the
///   rules too, and a default applies;
/// - no `uint32` and `uint64`, which it warns about; the bounds say the same;
/// - nothing of a status is required, so that one from an older version, or a part of one, never blocks a write.
pub(super) fn for_api_server(mut crd: CustomResourceDefinition) -> CustomResourceDefinition {
    for version in &mut crd.spec.versions {
        let Some(root) = version
            .schema
            .as_mut()
            .and_then(|schema| schema.open_api_v3_schema.as_mut())
        else {
            continue;
        };
        adjust(root);
        if let Some(status) = root.properties.as_mut().and_then(|root| root.get_mut("status")) {
            status.required = None;
        }
    }
    crd
}

fn adjust(schema: &mut JSONSchemaProps) {
    schema.nullable = None;
    if schema
        .format
        .as_deref()
        .is_some_and(|format| format.starts_with("uint"))
    {
        schema.format = None;
    }
    schema
        .properties
        .iter_mut()
        .flatten()
        .for_each(|(_, property)| adjust(property));
    if let Some(JSONSchemaPropsOrBool::Schema(values)) = &mut schema.additional_properties {
        adjust(values);
    }
    match &mut schema.items {
        Some(JSONSchemaPropsOrArray::Schema(item)) => adjust(item),
        Some(JSONSchemaPropsOrArray::Schemas(items)) => items.iter_mut().for_each(adjust),
        None => {}
    }
}
