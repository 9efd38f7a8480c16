//! Health and metrics over a real connection.

use std::sync::Arc;

use hyper::Method;
use lictor_host::session::Session;
use lictor_host::session::testing::{ALL, Scripted};
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::Status;
use super::http::{respond, serve};
use super::listen::{ObserverConfig, OperationsObserver};
use crate::decide::DeciderOutput;
use crate::decide::lives::{GivenUpPlan, GivenUpReason};
use crate::report::{EventSource, ReportMode};
use crate::run::listener::LoopObserver;

#[expect(dead_code, reason = "other tests use the rest")]
#[path = "../../tests/support/get.rs"]
mod get;
use get::get;

#[test]
fn health_and_metrics_are_served_until_it_stops() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let status = Arc::new(Status::default());
    let (stop, stopped) = watch::channel(false);
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let served = runtime.spawn(serve(listener, status.clone(), stopped));

    assert!(get(&address, "/healthz").starts_with("HTTP/1.1 200 "));
    assert!(get(&address, "/readyz").starts_with("HTTP/1.1 503 "), "it has read nothing");
    status.set_synced(true);
    status.set_leader(true);
    assert!(get(&address, "/readyz").ends_with("ok: leads\n"));
    status.metrics.request("patch", Some(409), std::time::Duration::from_millis(3));
    let metrics = get(&address, "/metrics");
    assert!(metrics.contains("content-type: application/openmetrics-text"), "{metrics}");
    assert!(metrics.contains("lictor_api_requests_total{verb=\"patch\",code=\"409\"} 1\n"), "{metrics}");
    assert!(metrics.ends_with("# EOF\n"));

    stop.send(true).unwrap();
    runtime.block_on(served).unwrap();
}

#[test]
fn only_what_there_is_may_be_asked_and_nothing_is_written() {
    let status = Status::default();
    let code = |method, path| respond(&method, path, &status).status().as_u16();
    assert_eq!(code(Method::GET, "/livez"), 200);
    assert_eq!(code(Method::GET, "/"), 404);
    assert_eq!(code(Method::POST, "/metrics"), 405);
}

#[test]
fn a_plan_whose_pods_lose_their_nominations_one_after_the_other_is_counted_once() {
    let status = Arc::new(Status::default());
    let origin = EventSource { controller: "lictor.dev/lictor".to_owned(), instance: "lictor-0".to_owned() };
    let (system, mode) = ("test".to_owned(), ReportMode::Enforce);
    let with = ObserverConfig { status: status.clone(), mode, system, origin, explains: false, writes: None };
    let (mut operations, _) = OperationsObserver::new(with);
    let session = Session::open(Box::new(Scripted::deciding(ALL)), "test", "").unwrap();
    for counts in [true, false] {
        let given_up =
            GivenUpPlan { plan: 5, pods: Vec::new(), why: GivenUpReason::NotAdmitted, reason: String::new(), counts };
        operations.output_applied(
            &DeciderOutput { given_up: vec![given_up], ..DeciderOutput::default() },
            &session,
            None,
        );
    }
    let metrics = status.metrics.text().unwrap();
    assert!(metrics.contains("lictor_plans_given_up_total{reason=\"not-admitted\"} 1\n"), "{metrics}");
}
