//! The CRD chart carries what the types say. `UPDATE_FIXTURES=1 cargo test --test it crds` writes it again.

use std::path::Path;

#[test]
fn the_chart_carries_the_crds_that_the_types_give() {
    let chart = Path::new(env!("CARGO_MANIFEST_DIR")).join("charts/rollcall-crds/templates/crawljobs.yaml");
    let generated = rollcall::api::crds_yaml().unwrap();
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        std::fs::write(&chart, &generated).unwrap();
    }
    let committed = std::fs::read_to_string(&chart).unwrap_or_default();
    assert!(
        committed == generated,
        "charts/rollcall-crds/templates/crawljobs.yaml differs from the types; write it again with \
         `UPDATE_FIXTURES=1 cargo test --test it crds`"
    );
}

#[test]
fn helm_would_not_take_anything_in_the_crds_for_a_template() {
    assert!(!rollcall::api::crds_yaml().unwrap().contains("{{"));
}
