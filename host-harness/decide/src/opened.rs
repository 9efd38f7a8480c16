//! A policy that has received a cluster.

use lictor_contract::{Description, PolicyError, QueueAccount, Severity, SystemInfo};
use lictor_host::driver::VirtualDriver;
use lictor_host::policy::{CallError, Policy};
use lictor_host::rails::Rails;
use lictor_host::recording::Recorder;
use lictor_host::session::{FailureCause, SessionError, SessionInput};

use super::arguments::UserArguments;
use super::explain::NameIndex;
use super::failure::DecideError;
use super::jobs::Memberships;
use super::origins::Origins;
use super::overflow;
use super::problem::Problem;
use super::record::{CycleReport, DecisionReport, PolicySource, newest, usage};
use super::snapshot::ClusterSnapshot;
use super::unread;

/// The settings of a decision.
#[derive(Default)]
pub struct DecisionSettings<'a> {
    /// The name of the system; empty for the first one of the policy.
    pub system: &'a str,
    /// The arguments of the system.
    pub arguments: UserArguments,
    /// The schedulers whose pods are decided about; empty: those that the system stands for.
    pub schedulers: &'a [String],
    /// The rails.
    pub rails: Rails,
    /// The recorder of the session, if there is one. It already watches the policy.
    pub recorder: Option<&'a Recorder>,
}

/// A policy that has received a cluster, and has not decided yet.
pub struct ClusterSession {
    session: VirtualDriver,
    described: Description,
    system: Option<SystemInfo>,
    arguments: UserArguments,
    findings: Vec<Problem>,
    origins: Origins,
    /// The number of the session's findings that are among these.
    reported: usize,
    is_explained: bool,
    includes_standings: bool,
}

impl ClusterSession {
    /// Opens a session of a policy with this description, and passes the cluster to it.
    ///
    /// # Errors
    /// The policy refuses the system or an argument, the cluster has mistakes, or lacks nodes or pods.
    pub fn open(
        policy: Box<dyn Policy>,
        described: Description,
        with: DecisionSettings<'_>,
        read: impl FnOnce() -> Result<ClusterSnapshot, DecideError>,
    ) -> Result<ClusterSession, DecideError> {
        let DecisionSettings { system, arguments, schedulers, rails, recorder } = with;
        let opened = VirtualDriver::open(policy, system, &arguments.json());
        let mut session = opened.map_err(|error| arguments.refused(error, system, described.system(system)))?;
        if !schedulers.is_empty() {
            session.set_schedulers(schedulers.iter().cloned());
        }
        session.set_rails(rails);
        if let Some(recorder) = recorder {
            session.record(recorder.clone());
        }
        let (findings, origins) = load(read()?, &mut session)?;
        let reported = session.findings().len();
        let system = described.system(system).cloned();
        Ok(ClusterSession {
            session,
            described,
            system,
            arguments,
            findings,
            origins,
            reported,
            is_explained: false,
            includes_standings: false,
        })
    }

    /// Returns the session: the cluster, and its commands and plans.
    pub fn session(&self) -> &VirtualDriver {
        &self.session
    }

    /// Returns the session, for further inputs.
    pub fn session_mut(&mut self) -> &mut VirtualDriver {
        &mut self.session
    }

    /// Returns the system whose laws apply. `None`: the policy does not describe it.
    pub fn system(&self) -> Option<&SystemInfo> {
        self.system.as_ref()
    }

    /// Returns the policy's description of itself.
    pub fn described(&self) -> &Description {
        &self.described
    }

    /// Returns the findings about the objects, for their authors.
    pub fn findings(&self) -> &[Problem] {
        &self.findings
    }

    /// Returns the places where the objects were read.
    pub fn origins(&self) -> &Origins {
        &self.origins
    }

    /// Turns explanations on for all that follows. Returns false where the policy cannot explain.
    ///
    /// # Errors
    /// The policy failed.
    pub fn explain(&mut self) -> Result<bool, DecideError> {
        self.is_explained = self.session.explain()?;
        Ok(self.is_explained)
    }

    /// Turns explanations on for the attempts of these pods, and for what is found about them. Returns false where the policy cannot explain.
    ///
    /// # Errors
    /// The policy failed.
    pub fn explain_pods(&mut self, names: &[String]) -> Result<bool, DecideError> {
        self.is_explained = self.session.explain_pods(names)?;
        Ok(self.is_explained)
    }

    /// Returns whether explanations are on.
    pub fn is_explained(&self) -> bool {
        self.is_explained
    }

    /// Adds the standings of running pods to the record, even where nothing else is explained.
    pub fn include_standings(&mut self) {
        self.includes_standings = true;
    }

    /// Decides `cycles` cycles, at the newest time in the cluster. `source` is that of the policy, for the record.
    ///
    /// # Errors
    /// The policy failed, or gave an invalid answer.
    pub fn decide(&mut self, cycles: u32, source: PolicySource) -> Result<DecisionReport, DecideError> {
        let ahead = newest(self.session.mirror()).saturating_sub(self.session.mirror().now());
        self.session.advance(ahead)?;
        let mut record = DecisionReport::new(
            &self.described,
            self.system(),
            source,
            self.arguments.values.clone(),
            self.session.mirror(),
        );
        if self.is_explained || self.includes_standings {
            record.standings = self.session.standings()?;
        }
        let before = self.accounts()?;
        for cycle in 1..=cycles {
            self.session.serve(SessionInput::Cycle)?;
            record.cycles.push(CycleReport::of(cycle, &mut self.session));
        }
        let after = self.accounts()?;
        record.accounts = usage::compare(&before, &after, self.session.mirror().resources());
        record.findings = self.findings.clone();
        for (kind, problem) in unread::findings(&record.ignored, &self.described, self.system()) {
            record.warned.insert(kind);
            record.findings.push(problem);
        }
        // An object that a decision changes is read once more: earlier findings are not repeated.
        for finding in self.session.findings().iter().skip(self.reported) {
            let finding = self.origins.place(finding.clone());
            if !record.findings.contains(&finding) {
                record.findings.push(finding);
            }
        }
        Ok(record)
    }

    /// Returns the usage of quotas and queues; empty where the policy has none.
    ///
    /// # Errors
    /// The policy failed.
    pub fn accounts(&mut self) -> Result<Vec<QueueAccount>, DecideError> {
        match self.session.accounts() {
            Err(SessionError { cause: FailureCause::CallError(CallError::MissingInterface(_)), .. }) => Ok(Vec::new()),
            accounts => Ok(accounts?),
        }
    }

    /// Returns the queue and the job of each pod, as the policy says.
    ///
    /// # Errors
    /// The policy failed, or gave an invalid answer.
    pub fn memberships(&mut self) -> Result<Memberships, DecideError> {
        Ok(self.session.memberships()?)
    }

    /// Returns the pods and jobs by name, as they are now.
    ///
    /// # Errors
    /// The policy failed, or gave an invalid answer.
    pub fn names(&mut self) -> Result<NameIndex, DecideError> {
        let memberships = self.memberships()?;
        Ok(NameIndex::of(self.session.mirror(), &memberships))
    }
}

/// Passes a snapshot to a session. Returns the warnings and findings, and the places of the objects.
///
/// # Errors
/// The snapshot is empty or has mistakes, or an error about an object is found.
pub fn load(snapshot: ClusterSnapshot, session: &mut VirtualDriver) -> Result<(Vec<Problem>, Origins), DecideError> {
    let ClusterSnapshot { objects, origins, files } = snapshot;
    let mistakes = session.mirror().mistakes_in(&objects);
    if !mistakes.is_empty() {
        return Err(DecideError::Input(mistakes));
    }
    let nothing = |what, remedy| Err(DecideError::Nothing { what, files: files.clone(), remedy });
    if objects.is_empty() {
        return nothing(
            "object",
            "write the output of `kubectl get nodes,pods,... --all-namespaces -o yaml` into the file",
        );
    }
    if let Err(error) = session.serve(SessionInput::InitialList(objects)) {
        return Err(match &error.cause {
            FailureCause::CallError(CallError::Refused { error: PolicyError::Overflow(over), .. }) => {
                DecideError::Objects(vec![overflow::problem(over, &origins)])
            }
            _ => error.into(),
        });
    }
    let warnings = session.mirror().warnings();
    let warnings = warnings.iter().map(|warning| Problem::from(warning).of(Severity::Warning));
    let findings = session.findings().iter().map(|finding| origins.place(finding.clone()));
    let problems: Vec<Problem> = warnings.chain(findings).collect();
    if problems.iter().any(|problem| problem.severity == Severity::Error) {
        return Err(DecideError::Objects(problems));
    }
    if session.mirror().nodes().next().is_none() {
        return nothing("Node", "pods need nodes: dump both, `kubectl get nodes,pods,... --all-namespaces -o yaml`");
    }
    if session.mirror().pods().next().is_none() {
        return nothing(
            "Pod",
            "dump the pods of all namespaces: `kubectl get nodes,pods,... --all-namespaces -o yaml`",
        );
    }
    Ok((problems, origins))
}
