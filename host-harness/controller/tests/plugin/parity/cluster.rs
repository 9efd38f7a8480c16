//! How a story ends in a living cluster.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::core::DynamicObject;
use serde_json::{Value, json};

use super::harness::End;
use super::hold::{is_named, key, pod_name, text};
use super::settle::is_bound;
use super::story::{Act, Story};
use crate::host::Host;
use crate::scheduler::{Claim, Running, Scheduler};
use crate::support::objects::{api, pods, try_create};
use crate::world::World;

/// The time after which all watches have announced the changes that the API server took.
const HEARD: Duration = Duration::from_millis(200);

/// How long to wait for what is expected: longer than kube-scheduler lets a pod wait that was refused several times (10 s).
pub(super) const PATIENCE: Duration = Duration::from_secs(12);

pub(super) const POLL: Duration = Duration::from_millis(20);

/// A kube-scheduler with the plugin, whose hosts come and go.
pub struct Player<'w> {
    pub(super) world: &'w World,
    system: &'static str,
    namespaces: BTreeSet<String>,
    _running: Running,
}

/// A story that is being played: its objects so far, and its host.
pub(super) struct Stage<'p, 'w> {
    pub(super) player: &'p Player<'w>,
    pub(super) story: &'p Story,
    pub(super) objects: Vec<Value>,
    pub(super) host: Option<Host>,
}

impl<'w> Player<'w> {
    pub async fn start(world: &'w World, scheduler: &Scheduler, system: &'static str) -> Player<'w> {
        let folder = &world.testbed.ready.folder;
        // kube-scheduler does not begin without a host, because the host names the objects to send.
        let host = Host::start(system, folder);
        let running = scheduler.start_with(&world.testbed.ready, &host.socket, Claim::All);
        let began = Instant::now();
        while host.said(|said| said.last.is_none()) {
            assert!(began.elapsed() < Duration::from_secs(60), "kube-scheduler does not begin");
            tokio::time::sleep(POLL).await;
        }
        drop(host);
        let namespaces = BTreeSet::from(["default".to_owned()]);
        Player { world, system, namespaces, _running: running }
    }

    /// Plays a story; its ends, each as soon as it is as expected, or as it is after some time.
    ///
    /// # Errors
    /// The API server refuses an object.
    pub async fn play(&mut self, story: &Story, expected: &[End]) -> Result<Vec<End>, String> {
        let wanted = story.objects().map(|object| text(object, "/metadata/namespace").to_owned());
        let wanted: BTreeSet<String> = wanted.filter(|name| !name.is_empty()).collect();
        for name in wanted.difference(&self.namespaces.clone()) {
            let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
            // It may be there from another system.
            let _there = try_create(&self.world.admin, &namespace).await;
            self.namespaces.insert(name.clone());
        }
        let mut stage = Stage { player: self, story, objects: Vec::new(), host: None };
        let played = stage.play(expected).await;
        stage.clear().await;
        played
    }
}

impl Stage<'_, '_> {
    async fn play(&mut self, expected: &[End]) -> Result<Vec<End>, String> {
        for object in &self.story.initial {
            self.create(object).await?;
        }
        self.begun().await;
        let arguments = Value::Object(self.story.args.clone()).to_string();
        let folder = &self.player.world.testbed.ready.folder;
        self.host = Some(Host::start_with(self.player.system, &arguments, self.story.ahead, folder));
        if !self.story.initial.iter().any(|object| object["kind"] == "Pod" && !is_bound(object)) {
            self.nobody_waits().await;
        }
        let (mut ends, mut expected) = (Vec::new(), expected.iter());
        for act in &self.story.acts {
            match act {
                Act::Settle => {
                    let wanted = expected.next().unwrap();
                    let end = self.settle(wanted, ends.is_empty()).await;
                    let is_other = !super::agrees(self.story, wanted, &end);
                    ends.push(end);
                    if is_other {
                        break;
                    }
                }
                Act::Leave => self.leave(ends.last()).await,
                Act::Apply(objects) => {
                    // Bound pods are created before their node, so that no pod finds the node empty. A class is created before its pods.
                    let mut ordered: Vec<&Value> = objects.iter().collect();
                    ordered.sort_by_key(|object| (object["kind"] != "PriorityClass", !is_bound(object)));
                    let mut is_unheard = false;
                    for object in ordered {
                        // Pods and nodes come by watches of their own: the pods must arrive first.
                        if object["kind"] == "Node" && std::mem::take(&mut is_unheard) {
                            tokio::time::sleep(HEARD).await;
                        }
                        self.apply(object).await?;
                        is_unheard |= is_bound(object);
                    }
                }
                Act::Delete(keys) => self.delete(keys).await,
            }
        }
        Ok(ends)
    }

    pub(super) fn of(&self, object: &Value) -> Api<DynamicObject> {
        let [version, kind] = ["/apiVersion", "/kind"].map(|pointer| text(object, pointer));
        api(&self.player.world.admin, version, kind, text(object, "/metadata/namespace"))
    }

    async fn create(&mut self, object: &Value) -> Result<(), String> {
        if object["kind"] == "Namespace" {
            let labels = Patch::Merge(json!({"metadata": {"labels": object["metadata"]["labels"]}}));
            let name = text(object, "/metadata/name");
            let namespace = try_create(&self.player.world.admin, object).await;
            if namespace.is_err() {
                let patched = self.of(object).patch(name, &PatchParams::default(), &labels).await;
                patched.map_err(|error| error.to_string())?;
            }
            return Ok(());
        }
        let mut made = object.clone();
        let leaves = made["metadata"].as_object_mut().and_then(|it| it.remove("deletionTimestamp")).is_some();
        let began = Instant::now();
        let created = loop {
            match try_create(&self.player.world.admin, &made).await {
                Ok(created) => break created,
                // It hears of new classes a little later.
                Err(kube::Error::Api(error)) if error.code == 403 && began.elapsed() < PATIENCE => {}
                // What is protected is not gone at once.
                Err(kube::Error::Api(error)) if error.code == 409 && began.elapsed() < PATIENCE => {
                    self.remove(object).await;
                }
                Err(error) => return Err(format!("the API server refuses {}: {error}", key(object))),
            }
            tokio::time::sleep(POLL).await;
        };
        self.objects.push(object.clone());
        let fields = made["spec"].as_object().into_iter().flatten();
        if let Some((field, _)) = fields.into_iter().find(|(field, _)| created["spec"].get(*field).is_none()) {
            return Err(format!("the API server drops spec.{field} of {}", key(object)));
        }
        self.status(object).await?;
        if leaves {
            let deleted = self.of(object).delete(text(object, "/metadata/name"), &DeleteParams::default()).await;
            deleted.map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Writes the status of an object, of which a kind of its own has charge at its creation.
    async fn status(&self, object: &Value) -> Result<(), String> {
        let mut status = object["status"].clone();
        if status.is_null() || object["kind"] == "Node" {
            return Ok(());
        }
        if let (true, Some(fields)) = (object["kind"] == "Pod", status.as_object_mut()) {
            // The stand-in for the kubelet writes these.
            fields.retain(|field, _| !matches!(field.as_str(), "phase" | "startTime"));
            if fields.is_empty() {
                return Ok(());
            }
        }
        let patch = Patch::Merge(json!({"status": status}));
        let name = text(object, "/metadata/name");
        match self.of(object).patch_status(name, &PatchParams::default(), &patch).await {
            Ok(_) => Ok(()),
            // Of this kind it is a field like others.
            Err(kube::Error::Api(error)) if error.code == 404 => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Deletes the victims so far.
    async fn leave(&self, last: Option<&End>) {
        let victims = last.into_iter().flat_map(|end| &end.victims);
        let there = self.pods().await;
        for victim in victims.filter(|victim| there.contains_key(*victim)) {
            self.kill(victim).await;
        }
    }

    async fn kill(&self, pod: &str) {
        let (namespace, name) = pod.split_once('/').unwrap();
        let at_once = DeleteParams { grace_period_seconds: Some(0), ..DeleteParams::default() };
        let _gone = pods(&self.player.world.admin, namespace).delete(name, &at_once).await;
    }

    async fn apply(&mut self, object: &Value) -> Result<(), String> {
        let Some(place) = self.objects.iter().position(|there| key(there) == key(object)) else {
            return self.create(object).await;
        };
        let (of, name) = (self.of(object), text(object, "/metadata/name"));
        let there = of.get(name).await.map_err(|error| error.to_string())?;
        let mut made: DynamicObject = serde_json::from_value(object.clone()).map_err(|error| error.to_string())?;
        made.metadata.resource_version = there.metadata.resource_version;
        let replaced = of.replace(name, &PostParams::default(), &made).await;
        replaced.map_err(|error| format!("the API server refuses {}: {error}", key(object)))?;
        self.status(object).await?;
        if object["kind"] == "Node" {
            let status = Patch::Merge(json!({"status": object["status"]}));
            of.patch_status(name, &PatchParams::default(), &status).await.map_err(|error| error.to_string())?;
        }
        self.objects[place] = object.clone();
        Ok(())
    }

    async fn delete(&mut self, keys: &[String]) {
        for key in keys {
            let Some(place) = self.objects.iter().position(|object| is_named(object, key)) else { continue };
            let object = self.objects.remove(place);
            match text(&object, "/kind") {
                "Pod" => self.kill(&pod_name(&object)).await,
                _ => {
                    let _gone =
                        self.of(&object).delete(text(&object, "/metadata/name"), &DeleteParams::default()).await;
                }
            }
        }
    }

    /// Removes an object that is no pod.
    async fn remove(&self, object: &Value) {
        let (of, name) = (self.of(object), text(object, "/metadata/name"));
        // No controller runs here that would remove the finalizers.
        let free = Patch::Merge(json!({"metadata": {"finalizers": null}}));
        let _freed = of.patch(name, &PatchParams::default(), &free).await;
        let _gone = of.delete(name, &DeleteParams::default()).await;
    }

    /// Removes everything of the story.
    async fn clear(&mut self) {
        self.host = None;
        let at_once = DeleteParams { grace_period_seconds: Some(0), ..DeleteParams::default() };
        let namespaces: BTreeSet<String> = self.pods().await.keys().map(|pod| namespace_of(pod)).collect();
        for namespace in namespaces {
            let all = pods(&self.player.world.admin, &namespace);
            let _gone = all.delete_collection(&at_once, &ListParams::default()).await;
        }
        let others = self.objects.iter().filter(|object| object["kind"] != "Pod");
        let deleted = others.map(|object| self.remove(object));
        futures::future::join_all(deleted).await;
        let began = Instant::now();
        while !self.pods().await.is_empty() {
            assert!(began.elapsed() < Duration::from_secs(20), "{}: pods do not leave", self.story.name);
            tokio::time::sleep(POLL).await;
        }
    }
}

fn namespace_of(pod: &str) -> String {
    pod.split_once('/').map(|(namespace, _)| namespace.to_owned()).unwrap_or_default()
}
