//! A policy and the cluster of a case.

use lictor_contract::Pod;
use lictor_oracle::{CaseStep, FuzzCase};
use serde_json::Value;

use crate::{ScenarioAction, UsedAmounts, act};
use lictor_host::cluster::{KubernetesObject, load};
use lictor_host::driver::VirtualDriver;
use lictor_host::policy::Policy;

/// The file name of the objects of a case in messages.
const FILE: &str = "case";

/// A policy that decides in the cluster of a case.
pub struct CaseSession(VirtualDriver);

impl CaseSession {
    /// Configures the policy and sends it the cluster.
    ///
    /// # Errors
    /// The policy refuses the arguments or the cluster, or an object cannot be read.
    pub fn open(case: &FuzzCase, policy: Box<dyn Policy>) -> Result<CaseSession, String> {
        CaseSession::open_for(case, policy, &[])
    }

    /// Opens a case as [`CaseSession::open`] does. `schedulers`: the schedulers whose pods are tried; empty: those of the system.
    ///
    /// # Errors
    /// Those of [`CaseSession::open`].
    pub fn open_for(case: &FuzzCase, policy: Box<dyn Policy>, schedulers: &[String]) -> Result<CaseSession, String> {
        let arguments = Value::Object(case.args.clone()).to_string();
        let mut session =
            VirtualDriver::open(policy, case.system.name(), &arguments).map_err(|error| error.to_string())?;
        if !schedulers.is_empty() {
            session.set_schedulers(schedulers.iter().cloned());
        }
        session.apply(objects(&case.objects)?).map_err(|error| format!("initial cluster: {error}"))?;
        session.take_report();
        Ok(CaseSession(session))
    }

    /// Takes a step. Returns the outcome in the form of `lictor test --output json`, with the current nominations.
    ///
    /// # Errors
    /// The policy breaks the contract, or an object of the step cannot be read.
    pub fn take(&mut self, step: &CaseStep) -> Result<Value, String> {
        let action = match step {
            CaseStep::Order => ScenarioAction::Order(Vec::new()),
            CaseStep::Schedule(pod) => ScenarioAction::Schedule(pod.clone()),
            CaseStep::Cycle => ScenarioAction::Cycle(1),
            CaseStep::Advance(seconds) => ScenarioAction::Advance(seconds.saturating_mul(1_000_000_000)),
            CaseStep::EvictionsComplete => ScenarioAction::EvictionsComplete,
            CaseStep::Apply(values) => ScenarioAction::Apply(objects(values)?),
            CaseStep::Usage(names) => {
                ScenarioAction::Status(names.iter().map(|name| (name.clone(), UsedAmounts::default())).collect())
            }
        };
        let actual = act(action, &mut self.0)?;
        let mut said = serde_json::to_value(actual).map_err(|error| error.to_string())?;
        if let Some(fields) = said.as_object_mut() {
            fields.insert("standing".to_owned(), self.nominations());
        }
        Ok(said)
    }

    /// Returns the current nominations: pods and their nodes.
    fn nominations(&self) -> Value {
        let mirror = self.0.mirror();
        let nomination = |pod: &Pod| {
            let node = mirror.node(pod.nominated?)?;
            Some((mirror.pod_name(pod.id)?.to_owned(), Value::from(node.name.clone())))
        };
        Value::Object(mirror.pods().filter_map(nomination).collect())
    }
}

/// Reads objects in the form that a file has.
fn objects(values: &[Value]) -> Result<Vec<KubernetesObject>, String> {
    let mut objects = Vec::with_capacity(values.len());
    for value in values {
        for document in load::read(FILE, &value.to_string()).map_err(|mistake| mistake.to_string())? {
            objects.push(KubernetesObject::from_document(document).map_err(|mistake| mistake.to_string())?);
        }
    }
    Ok(objects)
}
