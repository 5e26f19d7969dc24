//! Takes the manifests as they are shipped; gives the API server's word on them, unknown and doubled fields refused.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::api::{COMPOSITE, CRAWL_JOB, CRD, Kind, Objects, short};
use crate::hook::PROGRAM;
use crate::metacontroller;
use crate::world::World;

fn documents(yaml: &str) -> Vec<Value> {
    let parts = yaml.split("\n---").map(|part| part.trim_start_matches("---"));
    let documents = parts.map(|part| serde_saphyr::from_str::<Value>(part).expect("YAML"));
    documents.filter(Value::is_object).collect()
}

#[tokio::test]
async fn the_api_server_accepts_what_is_shipped() {
    let world = World::new("manifests").await;
    let printed = Command::new(PROGRAM).arg("crds").output().expect("the binary runs");
    assert!(
        printed.status.success(),
        "rollcall crds: {}",
        String::from_utf8_lossy(&printed.stderr)
    );
    let crds = documents(&String::from_utf8(printed.stdout).expect("text"));
    assert!(!crds.is_empty(), "rollcall crds prints the kinds");
    let definitions = Objects::new(&world.client, CRD, "");
    for crd in &crds {
        let applied = definitions.apply_strictly(crd).await;
        applied.unwrap_or_else(|error| panic!("{}: {}", crd["metadata"]["name"], short(&error)));
    }
    metacontroller::install(&world.client).await;
    accepted(&world, COMPOSITE, "hooks/crawljob/controller.yaml").await;
    accepted(&world, CRAWL_JOB, "hooks/crawljob/parent.yaml").await;
}

async fn accepted(world: &World, kind: Kind, file: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    for document in documents(&text) {
        assert_eq!(document["kind"], kind.kind, "{file}");
        let applied = world.objects(kind).apply_strictly(&document).await;
        applied.unwrap_or_else(|error| panic!("{file}: {}", short(&error)));
    }
}
