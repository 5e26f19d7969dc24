//! Takes our driver and a real metacontroller, side by side on the same crawl with the stand-in hook; gives the verdict
//! whether they leave the same objects and write as often. Without METACONTROLLER there is nothing to compare.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::api::{CLAIM, CONFIG_MAP, CRAWL_JOB, POD};
use crate::world::World;
use crate::{audit, metacontroller, stand_in};

#[tokio::test]
async fn our_driver_leaves_what_a_real_metacontroller_leaves() {
    if metacontroller::binary().is_none() {
        eprintln!("METACONTROLLER is not set: nothing to compare with");
        return;
    }
    let url = stand_in::serve().await;
    let (mut own, mut real) = (World::new("own").await, World::new("theirs").await);
    own.drive_ourselves(&url).await;
    real.drive(&url).await;
    let mut left = Vec::new();
    for world in [&own, &real] {
        world.crawl("demo", 2, 20, 40).await;
        world.wait_for_condition("demo", "Complete").await;
        left.push((objects(world).await, creations(world)));
    }
    let (theirs, ours) = (left.pop().expect("two"), left.pop().expect("two"));
    assert_eq!(ours.0.keys().collect::<Vec<_>>(), theirs.0.keys().collect::<Vec<_>>());
    for (name, object) in &ours.0 {
        assert_eq!(*object, theirs.0[name], "{name} differs");
    }
    assert_eq!(ours.1, theirs.1, "writes differ");
}

/// Everything of the crawl, without what can not be equal in two namespaces.
async fn objects(world: &World) -> BTreeMap<String, Value> {
    let mut objects = BTreeMap::new();
    for kind in [CRAWL_JOB, POD, CLAIM, CONFIG_MAP] {
        for mut object in world.objects(kind).list("").await {
            let metadata = object["metadata"].as_object_mut().expect("metadata");
            for field in [
                "uid",
                "resourceVersion",
                "creationTimestamp",
                "managedFields",
                "finalizers",
                "generation",
            ] {
                metadata.remove(field);
            }
            for owner in metadata
                .get_mut("ownerReferences")
                .and_then(Value::as_array_mut)
                .into_iter()
                .flatten()
            {
                owner["uid"] = json!("");
            }
            for field in ["nodeName", "volumeName", "tolerations"] {
                if let Some(spec) = object["spec"].as_object_mut() {
                    spec.remove(field);
                }
            }
            if kind != CRAWL_JOB {
                object["status"] = Value::Null;
            }
            let name = format!("{} {}", kind.kind, object["metadata"]["name"]);
            let text = object.to_string().replace(&world.namespace, "<namespace>");
            // The annotation is compared by content: the order of fields in it may differ.
            objects.insert(name, opened(serde_json::from_str(&text).expect("JSON")));
        }
    }
    objects
}

fn opened(mut object: Value) -> Value {
    let annotation = &mut object["metadata"]["annotations"]["metacontroller.k8s.io/last-applied-configuration"];
    if let Some(text) = annotation.as_str() {
        *annotation = serde_json::from_str(text).expect("the annotation is JSON");
    }
    object
}

/// Writes of children; the finalizer is put on with another verb.
fn creations(world: &World) -> BTreeMap<String, usize> {
    let mut counts = audit::counts(&audit::writes(&world.namespace));
    counts.retain(|what, _| !what.contains("crawljobs"));
    counts
}
