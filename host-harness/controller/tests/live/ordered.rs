//! A replacement is ordered: through a ConfigMap, with the rights of `deploy/` and no others, and over the socket.

use std::path::Path;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::Client;
use kube::api::{Api, ListParams};
use lictor::Native;
use lictor_controller::ops::explain::{SocketServer, UpgradeCommand, request_upgrade};
use lictor_controller::upgrade::follow::ConfigMapFollower;
use lictor_controller::upgrade::map::{ConfigMapClient, ReplacementResult, read};
use lictor_controller::upgrade::{
    DefaultTerms, ReplacementCandidate, ReplacementRefusal, ReplacementRequest, ReplacementService, ReplacementStage,
    TermOverrides,
};
use lictor_host::policy::Policy;
use lictor_host::sandbox::{Sandbox, SandboxLimits};
use lictor_host::session::CandidatePolicy;
use serde_json::json;
use tokio::sync::watch;

use crate::controller::Controller;
use crate::liar::{Liar, Lie};
use crate::support::objects::{api, wait_for};
use crate::support::testbed::client;
use crate::world::{SOON, Step, World};

const NAMESPACE: &str = "lictor-system";
const MAP: &str = "lictor-policy";

/// Returns a desk at which `same` is the policy of this project, `liar` one that lies, and bytes are a component.
fn desk(controller: &Controller) -> ReplacementService {
    let refuse = |message: String| ReplacementRefusal { message, remedy: "name another one".to_owned() };
    ReplacementService::new(controller.offers.clone(), move |wish: ReplacementRequest| {
        let policy: Box<dyn Policy> = match (wish.component.as_str(), &wish.bytes) {
            (_, Some(bytes)) => {
                let loaded = Sandbox::new(SandboxLimits::default()).and_then(|sandbox| sandbox.load(bytes));
                let started = loaded.and_then(|loaded| loaded.start());
                Box::new(started.map_err(|error| refuse(error.to_string()))?)
            }
            ("same", None) => Box::new(Native::default()),
            ("liar", None) => Box::new(Liar::new(Lie::Ghost).0),
            (other, None) => return Err(refuse(format!("{other} cannot be read"))),
        };
        let candidate = CandidatePolicy::new(policy, "coscheduling", "").map_err(|error| refuse(error.to_string()))?;
        Ok(ReplacementCandidate {
            name: wish.component,
            candidate,
            terms: wish.on.terms(OWN),
            deletes_victims: true,
            settled: Box::new(|| {}),
        })
    })
}

/// The terms of the process, as they are by default.
const OWN: DefaultTerms = DefaultTerms { shadow: 60, watch: 60, allow: 0, answers: 1, patience: 600 };

fn wish(component: &str, bytes: Option<Vec<u8>>) -> ReplacementRequest {
    let on = TermOverrides { shadow: Some(1), watch: Some(1), patience: Some(60), ..TermOverrides::default() };
    ReplacementRequest { component: component.to_owned(), bytes, arguments: None, on }
}

/// Creates a pod that fits nowhere, so that there is something to compare.
async fn waits(step: &Step<'_>) {
    step.held("large", "high", json!({"spec": {"nodeSelector": {"no": "such"}}})).await;
}

/// Returns the reasons of the events about the ConfigMap.
async fn reasons(admin: &Client) -> Vec<String> {
    let all = api(admin, "events.k8s.io/v1", "Event", NAMESPACE).list(&ListParams::default()).await.unwrap();
    let about = all.items.into_iter().filter(|event| event.data["regarding"]["name"] == MAP);
    about.filter_map(|event| Some(event.data["reason"].as_str()?.to_owned())).collect()
}

async fn ends(orders: &ConfigMapClient, wish: &ReplacementRequest, ordered: &str) -> ReplacementResult {
    let digest = orders.write(wish, ordered).await.unwrap();
    let ended = async || {
        let answer = orders.result(&digest).await.unwrap();
        answer.filter(|answer| answer.progress.stage.is_final())
    };
    wait_for(&format!("{} has come to its end", wish.component), SOON, ended).await
}

/// Checks orders through a ConfigMap, which holds the component or names it. The progress is written into the ConfigMap, and events report it.
pub async fn through_a_config_map(world: &World) {
    let deploy = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy");
    for file in ["namespace.yaml", "service-account.yaml", "cluster-role.yaml", "role.yaml"] {
        world.testbed.apply_path(&deploy.join(file)).await;
    }
    let step = world.step("map", 2).await;
    step.fill().await;
    let controller = Controller::start(&world.how("coscheduling"));
    waits(&step).await;
    let (user, (_lead, leads)) = (client(&world.testbed.ready.user.kubeconfig).await, watch::channel(true));
    let mut follower = ConfigMapFollower::new(user, (NAMESPACE, MAP), desk(&controller), "first");
    follower.begin().await;
    let following = tokio::spawn(follower.run(leads));

    let orders = ConfigMapClient::new(world.admin.clone(), NAMESPACE, MAP);
    let embedded = wish("this file", Some(lictor::embedded().to_vec()));
    let done = ends(&orders, &embedded, "1").await;
    assert_eq!((done.progress.stage, done.by.as_str()), (ReplacementStage::Done, "first"), "{done:?}");
    assert!(done.progress.compared > 0);
    let refused = ends(&orders, &wish("nowhere", None), "2").await.progress;
    assert_eq!((refused.stage, refused.last()), (ReplacementStage::Refused, "nowhere cannot be read"));
    let orders_liar = ConfigMapClient::new(world.admin.clone(), NAMESPACE, MAP);
    let gang = async {
        wait_for("it is compared", SOON, async || {
            (controller.offers.progress(None)?.stage == ReplacementStage::Shadow).then_some(())
        })
        .await;
        step.gang("g", &["g0", "g1"]).await;
    };
    let liar = wish("liar", None);
    let (rolled_back, ()) = tokio::join!(ends(&orders_liar, &liar, "3"), gang);
    assert_eq!(rolled_back.progress.stage, ReplacementStage::RolledBack, "{rolled_back:?}");
    assert!(
        rolled_back.progress.differences.iter().any(|text| text.contains("no pod has the number")),
        "{rolled_back:?}"
    );
    step.all_run(&["g0", "g1"]).await;
    assert_eq!(step.evicted().len(), 2);
    let said = async || {
        let reasons = reasons(&world.admin).await;
        let all = ["PolicyCompared", "PolicyReplaced", "PolicyRefused", "PolicyRolledBack"];
        all.iter().all(|reason| reasons.iter().any(|said| said == reason)).then_some(())
    };
    wait_for("events say so", SOON, said).await;

    // A later leader does not try the last order again. A policy that took over is in force from the beginning.
    following.abort();
    goes_on_from_there(world, &orders, &controller).await;
    controller.stop().await;
    step.end().await;
}

async fn goes_on_from_there(world: &World, orders: &ConfigMapClient, controller: &Controller) {
    let user = client(&world.testbed.ready.user.kubeconfig).await;
    let last = controller.offers.progress(None).unwrap().number;
    let (_lead, leads) = watch::channel(true);
    let second =
        tokio::spawn(ConfigMapFollower::new(user.clone(), (NAMESPACE, MAP), desk(controller), "second").run(leads));
    tokio::time::sleep(std::time::Duration::from_secs(3)).await;
    assert_eq!(controller.offers.progress(None).unwrap().number, last, "it was rolled back");
    assert_eq!(ends(orders, &wish("same", None), "4").await.by, "second");
    second.abort();
    let taken = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let flag = taken.clone();
    let adopting = ReplacementService::new(controller.offers.clone(), move |wish: ReplacementRequest| {
        let flag = flag.clone();
        let candidate = CandidatePolicy::new(Box::new(Native::default()), "coscheduling", "").unwrap();
        let name = wish.component.clone();
        let settled = Box::new(move || flag.lock().unwrap().push(wish.component));
        Ok(ReplacementCandidate { name, candidate, terms: wish.on.terms(OWN), deletes_victims: true, settled })
    });
    ConfigMapFollower::new(user, (NAMESPACE, MAP), adopting, "third").begin().await;
    assert_eq!(*taken.lock().unwrap(), ["same"]);
    let map: Api<ConfigMap> = Api::namespaced(world.admin.clone(), NAMESPACE);
    let said = read(MAP, &map.get(MAP).await.unwrap()).unwrap();
    assert_eq!(said.result.map(|answer| answer.progress.stage), Some(ReplacementStage::Done));
    orders.withdraw().await.unwrap();
    assert!(read(MAP, &map.get(MAP).await.unwrap()).is_none());
}

/// Orders over the socket: one that takes over, one that is given up, and one for which there is nothing.
pub async fn over_the_socket(world: &World) {
    let step = world.step("socket", 1).await;
    let controller = Controller::start(&world.how("coscheduling"));
    waits(&step).await;
    let socket = std::env::temp_dir().join(format!("lictor-ordered-{}.sock", std::process::id()));
    let server = SocketServer::listen_with_upgrades(&socket, Some(desk(&controller)), |_, _| false).unwrap();
    let say = |line: UpgradeCommand| {
        let socket = socket.clone();
        async move { tokio::task::spawn_blocking(move || request_upgrade(&socket, &line)).await.unwrap() }
    };
    assert!(say(UpgradeCommand::Progress(None)).await.unwrap_err().to_string().contains("no such replacement"));
    // The loop is there when the cluster was listed.
    let ordered = async || say(UpgradeCommand::Upgrade(wish("same", None))).await.ok();
    let number = Some(wait_for("it is ordered", SOON, ordered).await.number);
    let comes_to = async |stage: ReplacementStage| {
        let there =
            async || say(UpgradeCommand::Progress(number)).await.ok().filter(|progress| progress.stage == stage);
        wait_for(&format!("it is {stage:?}"), SOON, there).await
    };
    assert!(comes_to(ReplacementStage::Done).await.compared > 0);
    let refused = say(UpgradeCommand::Upgrade(wish("nowhere", None))).await.unwrap().number;
    let there =
        async || say(UpgradeCommand::Progress(Some(refused))).await.ok().filter(|progress| progress.stage.is_final());
    assert_eq!(wait_for("it is refused", SOON, there).await.last(), "nowhere cannot be read");
    let mut long = wish("same", None);
    long.on.shadow = Some(600);
    let number = say(UpgradeCommand::Upgrade(long)).await.unwrap().number;
    let in_shadow =
        async || (controller.offers.progress(Some(number))?.stage == ReplacementStage::Shadow).then_some(());
    wait_for("it is compared", SOON, in_shadow).await;
    say(UpgradeCommand::GiveUp).await.unwrap();
    let there = async || controller.offers.progress(Some(number)).filter(|progress| progress.stage.is_final());
    let ended = wait_for("it is given up", SOON, there).await;
    assert!(
        ended.stage == ReplacementStage::RolledBack && ended.last().ends_with("given up: somebody gave it up"),
        "{ended:?}"
    );
    let nothing = say(UpgradeCommand::GiveUp).await.unwrap_err();
    assert_eq!(nothing.to_string(), "no replacement is under way");
    drop(server);
    controller.stop().await;
    step.end().await;
}
