//! A stand-in of the API server, over HTTP: discovery, lists, watches, patches, evictions and reviews of rights.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use futures::stream::unfold;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::time::Instant;

use crate::cluster::{Cluster, name_of};
use crate::kinds::{KINDS, PODS, discovery};

/// A watch ends after this time, so that a run sees many of them end. A real API server ends one after five to ten minutes.
const WATCH: Duration = Duration::from_secs(20);

const STRATEGIC: &[u8] = b"application/strategic-merge-patch+json";

type Body = BoxBody<Bytes, Infallible>;

/// An object, or the objects of a kind, as a path names them.
struct Place {
    kind: usize,
    namespace: String,
    /// The name; empty where the path names all objects.
    name: String,
    /// The subresource; empty where the path names none.
    below: String,
}

/// Serves a cluster on a port of this machine until the runtime ends.
pub async fn serve(cluster: Cluster) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let cluster = cluster.clone();
            tokio::spawn(async move {
                let answers = service_fn(move |request| answer(request, cluster.clone()));
                // A client that goes away in the middle of a watch is no failure.
                let _broken = http1::Builder::new().serve_connection(TokioIo::new(stream), answers).await;
            });
        }
    });
    address
}

async fn answer(request: Request<Incoming>, cluster: Cluster) -> Result<Response<Body>, Infallible> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let body: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let path = head.uri.path();
    if let Some(found) = discovery(path) {
        return Ok(said(StatusCode::OK, &found));
    }
    if path.ends_with("/selfsubjectaccessreviews") {
        let mut review = body;
        review["status"] = json!({"allowed": true});
        return Ok(said(StatusCode::CREATED, &review));
    }
    let Some(place) = place(path) else { return Ok(failed(StatusCode::NOT_FOUND, "", "no such path")) };
    let pairs = head.uri.query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
    let query: BTreeMap<&str, &str> = pairs.collect();
    Ok(match (head.method, query.contains_key("watch")) {
        (Method::GET, true) => watch(&cluster, place.kind, query["resourceVersion"].parse().unwrap_or_default()),
        (Method::GET, false) => read(&cluster, &place),
        (Method::PATCH, _) => {
            let is_strategic =
                head.headers.get("content-type").is_some_and(|kind| kind.as_bytes().starts_with(STRATEGIC));
            patch(&cluster, &place, &body, is_strategic)
        }
        (Method::POST, _) => post(&cluster, &place, body),
        _ => failed(StatusCode::METHOD_NOT_ALLOWED, &place.name, "this is not served"),
    })
}

fn place(path: &str) -> Option<Place> {
    let mut parts = path.trim_start_matches('/').split('/');
    let version = match parts.next()? {
        "api" => parts.next()?.to_owned(),
        _ => format!("{}/{}", parts.next()?, parts.next()?),
    };
    let mut parts: Vec<&str> = parts.collect();
    let mut namespace = "";
    if let ["namespaces", named, _, ..] = parts.as_slice() {
        namespace = named;
        parts.drain(..2);
    }
    let kind = KINDS.iter().position(|kind| kind.version() == version && Some(&kind.plural) == parts.first())?;
    let part = |at: usize| parts.get(at).copied().unwrap_or_default().to_owned();
    Some(Place { kind, namespace: namespace.to_owned(), name: part(1), below: part(2) })
}

fn read(cluster: &Cluster, place: &Place) -> Response<Body> {
    let state = cluster.state();
    if !place.name.is_empty() {
        let object = state.objects.get(&(place.kind, format!("{}/{}", place.namespace, place.name)));
        return object.map_or_else(|| gone(&place.name), |object| said(StatusCode::OK, object));
    }
    let items: Vec<&Value> =
        state.objects.range((place.kind, String::new())..(place.kind + 1, String::new())).map(|(_, it)| it).collect();
    let kind = &KINDS[place.kind];
    let metadata = json!({"resourceVersion": state.version.to_string()});
    let list = json!({"kind": format!("{}List", kind.kind), "apiVersion": kind.version(), "metadata": metadata, "items": items});
    said(StatusCode::OK, &list)
}

/// Follows the changes of a kind after a version.
fn watch(cluster: &Cluster, kind: usize, version: u64) -> Response<Body> {
    cluster.state().counts.watches += 1;
    let (changes, end) = (cluster.changes(), Instant::now() + WATCH);
    let lines = unfold((cluster.clone(), changes, Some(version)), move |(cluster, mut changes, at)| async move {
        let at = at?;
        loop {
            changes.mark_unchanged();
            let Some((lines, last)) = cluster.state().after(kind, at) else {
                let expired = json!({"type": "ERROR", "object": {"kind": "Status", "status": "Failure", "code": 410,
                    "reason": "Expired", "message": "too old resource version"}});
                return Some((frame(format!("{expired}\n").into()), (cluster, changes, None)));
            };
            if !lines.is_empty() {
                return Some((frame(lines.concat().into()), (cluster, changes, Some(last))));
            }
            if tokio::time::timeout_at(end, changes.changed()).await.is_err() {
                return None;
            }
        }
    });
    response(StatusCode::OK, StreamBody::new(lines).boxed())
}

fn patch(cluster: &Cluster, place: &Place, patch: &Value, is_strategic: bool) -> Response<Body> {
    let name = format!("{}/{}", place.namespace, place.name);
    if KINDS[place.kind].kind == "Event" {
        let mut event = patch.clone();
        event["metadata"] = json!({"name": place.name, "namespace": place.namespace});
        return said(StatusCode::OK, &event);
    }
    let patched = cluster.with(|state| {
        let before = state.objects.get(&(place.kind, name.clone()))?;
        let differs = |field: &str| {
            let wanted = &patch["metadata"][field];
            !wanted.is_null() && *wanted != before["metadata"][field]
        };
        if differs("uid") || differs("resourceVersion") {
            return Some(failed(StatusCode::CONFLICT, &place.name, "the object is another one, or was changed"));
        }
        let after = state.change(place.kind, &name, |object| merge(object, patch, is_strategic))?;
        if place.kind == PODS {
            state.schedule(&name);
        }
        Some(said(StatusCode::OK, &after))
    });
    patched.unwrap_or_else(|| gone(&place.name))
}

fn post(cluster: &Cluster, place: &Place, body: Value) -> Response<Body> {
    if KINDS[place.kind].kind == "Event" {
        let reason = body["reason"].as_str().unwrap_or_default().to_owned();
        *cluster.state().counts.events.entry(reason).or_default() += 1;
        return said(StatusCode::CREATED, &body);
    }
    if place.below != "eviction" {
        return failed(StatusCode::METHOD_NOT_ALLOWED, &place.name, "only events and evictions are created");
    }
    assert_eq!(name_of(&body), format!("{}/{}", place.namespace, place.name));
    cluster.with(|state| {
        let name = name_of(&body);
        let asked = &body["deleteOptions"]["preconditions"];
        let is_it = |pod: &Value| ["uid", "resourceVersion"].iter().all(|field| pod["metadata"][field] == asked[field]);
        match state.objects.get(&(place.kind, name.clone())).map(is_it) {
            Some(true) => {
                state.evict(&name);
                said(StatusCode::CREATED, &json!({"kind": "Status", "apiVersion": "v1", "status": "Success"}))
            }
            Some(false) => failed(StatusCode::CONFLICT, &place.name, "it is another pod, or has changed"),
            None => gone(&place.name),
        }
    })
}

/// Merges a patch. A strategic patch merges conditions by their type.
fn merge(object: &mut Value, patch: &Value, is_strategic: bool) {
    let mut patch = patch.clone();
    if let (true, Some(Value::Array(conditions))) = (is_strategic, patch.pointer_mut("/status/conditions")) {
        let known = object["status"]["conditions"].as_array().into_iter().flatten();
        let others = known.filter(|known| conditions.iter().all(|new| new["type"] != known["type"]));
        let others: Vec<Value> = others.cloned().collect();
        conditions.splice(..0, others);
    }
    json_patch::merge(object, &patch);
}

fn gone(name: &str) -> Response<Body> {
    failed(StatusCode::NOT_FOUND, name, "not found")
}

fn failed(code: StatusCode, name: &str, message: &str) -> Response<Body> {
    let details = json!({"name": name});
    said(
        code,
        &json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code.as_u16(),
        "reason": code.canonical_reason(), "message": message, "details": details}),
    )
}

fn said(code: StatusCode, body: &Value) -> Response<Body> {
    response(code, Full::new(Bytes::from(body.to_string())).boxed())
}

fn frame(line: Bytes) -> Result<Frame<Bytes>, Infallible> {
    Ok(Frame::data(line))
}

fn response(code: StatusCode, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = code;
    response.headers_mut().insert("content-type", "application/json".parse().unwrap());
    response
}
