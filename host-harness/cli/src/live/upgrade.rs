//! Replacing the policy of a running loop: when its file changes, or by an order.

use std::sync::Arc;

use lictor_controller::upgrade::{
    DefaultTerms, ReplacementCandidate, ReplacementRefusal, ReplacementRequest, ReplacementSender, ReplacementService,
};
use lictor_host::living::only_marks;
use lictor_host::session::CandidatePolicy;

use super::RunArgs;
use super::open::{ActivePolicy, ClusterSessionFactory};
use crate::choice::PolicyArgs;
use crate::failure::CommandError;
use crate::replacing::ReplacementArgs;
use lictor_decide::UserArguments;

impl RunArgs {
    /// Returns whether the policy may be replaced by one that is not named on the command line.
    pub(super) fn is_replaced(&self) -> bool {
        self.operations.has_socket() || self.policy_map.is_some()
    }
}

/// Makes the desk at which replacements are ordered.
pub(super) fn replacement_service(
    asked: &RunArgs,
    opening: &Arc<ClusterSessionFactory>,
    offers: ReplacementSender,
) -> ReplacementService {
    let (choice, opening, own) = (asked.policy.clone(), opening.clone(), asked.replacing.default_terms());
    let is_recorded = asked.record.is_some();
    ReplacementService::new(offers, move |wish| {
        if is_recorded {
            let message = "what is recorded (`--record`) is a session of one policy".to_owned();
            let remedy = "end this process, and start it without `--record`, or with that component".to_owned();
            return Err(ReplacementRefusal { message, remedy });
        }
        load(&choice, &opening, wish, own).map_err(|failure| {
            let (message, remedy) = failure.lines();
            ReplacementRefusal { message, remedy }
        })
    })
}

/// Reads, compiles and configures the policy of a wish. This may take seconds.
fn load(
    choice: &PolicyArgs,
    opening: &Arc<ClusterSessionFactory>,
    wish: ReplacementRequest,
    own: DefaultTerms,
) -> Result<ReplacementCandidate, CommandError> {
    let chosen = match wish.bytes {
        Some(bytes) => choice.load_bytes(&wish.component, bytes)?,
        None => choice.next(&wish.component).load_policy()?,
    };
    let arguments = match wish.arguments {
        None => opening.active_policy().arguments,
        Some(text) => Arc::new(UserArguments::read_text("the arguments", &text).map_err(|mistake| vec![mistake])?),
    };
    let new = ActivePolicy { chosen: Arc::new(chosen), arguments };
    let mut policy = new.chosen.start()?;
    let described = policy.describe()?;
    let system = &opening.system_name;
    let candidate = CandidatePolicy::new(policy, system, &new.arguments.json())
        .map_err(|error| new.arguments.refused(error, system, described.system(system)))?;
    let candidate = new.chosen.bound(candidate);
    let (name, terms) = (new.chosen.source.short(), wish.on.terms(own));
    let deletes_victims = !only_marks(system, &new.arguments.json());
    let opening = opening.clone();
    let settled = Box::new(move || opening.set_active_policy(new));
    Ok(ReplacementCandidate { name, candidate, terms, deletes_victims, settled })
}

/// Follows the file of the component from now on, where an option says so.
pub(super) fn follow(asked: &RunArgs, desk: &ReplacementService) -> Result<(), CommandError> {
    let (desk, component) = (desk.clone(), asked.policy.file().map(|file| file.display().to_string()));
    asked.replacing.follow(&asked.policy, asked.record.is_some(), move || {
        desk.submit(ReplacementRequest {
            component: component.clone().unwrap_or_default(),
            ..ReplacementRequest::default()
        });
    })
}

impl ReplacementArgs {
    /// Returns the terms of a replacement that names none.
    fn default_terms(&self) -> DefaultTerms {
        let ReplacementArgs { shadow, watch, allow, answers, patience, .. } = *self;
        DefaultTerms { shadow, watch, allow, answers, patience }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use lictor_controller::decide::RunMode;
    use lictor_controller::upgrade::ReplacementObserver;
    use lictor_host::replace::Period;

    use super::*;

    /// Returns the desk of `lictor run` with these options.
    fn desk_of(options: &[&str]) -> ReplacementService {
        let line = [&["lictor", "run", "--system", "kubernetes", "--explain-socket", "/nowhere"], options].concat();
        let crate::LictorCommand::Run(asked) = crate::Cli::parse_from(line).command else { panic!() };
        let opening = Arc::new(
            ClusterSessionFactory::read(&asked, RunMode::Enforce, None, |_| Ok(asked.in_force.laws.clone())).unwrap(),
        );
        replacement_service(&asked, &opening, ReplacementObserver::new().1)
    }

    fn request_for(component: &str) -> ReplacementRequest {
        ReplacementRequest { component: component.to_owned(), ..ReplacementRequest::default() }
    }

    #[track_caller]
    fn refused(desk: &ReplacementService, wish: ReplacementRequest, message: &str, remedy: &str) {
        let Err(refusal) = desk.read(wish) else { panic!("it is taken") };
        assert!(refusal.message.contains(message) && refusal.remedy.contains(remedy), "{refusal:?}");
    }

    #[test]
    fn what_is_ordered_is_read_and_configured_or_refused_with_a_remedy() {
        let desk = desk_of(&["--native", "--shadow", "7", "--allow", "any"]);
        let offer = desk.read(request_for("native")).unwrap_or_else(|refusal| panic!("{refusal:?}"));
        assert_eq!((offer.name.as_str(), offer.terms.allowed, offer.terms.answers), ("native", u64::MAX, 1));
        assert_eq!(offer.terms.shadow, Period::Nanoseconds(7_000_000_000));
        refused(&desk, request_for("/no/such.wasm"), "/no/such.wasm: cannot be read", "readable file");
        let bytes = ReplacementRequest { bytes: Some(b"no component".to_vec()), ..request_for("a ConfigMap") };
        refused(&desk, bytes.clone(), "a ConfigMap: not a WebAssembly component", "");
        let arguments = ReplacementRequest { arguments: Some("nonsense: 1".to_owned()), ..request_for("native") };
        refused(&desk, arguments, "the system takes no argument `nonsense`", "known arguments");
        // The maker of a component that is not of a registry is unknown.
        refused(&desk_of(&["--native", "--key", "cosign.pub"]), bytes, "`--key` demands a signature", "");
        let recorded = desk_of(&["--native", "--record", "a.rec"]);
        refused(&recorded, request_for("native"), "`--record`", "without `--record`");
    }

    #[cfg(feature = "oci")]
    #[test]
    fn one_of_a_registry_is_taken_by_its_digest_and_not_by_its_tag_alone() {
        let registry = lictor_artifact::testing::FakeRegistry::start();
        let name = registry.name("team/policy:1");
        let reference = lictor_artifact::ArtifactReference::parse(&name).unwrap();
        let access = lictor_artifact::RegistrySettings::default();
        let contents = lictor_artifact::PushContents { component: crate::embedded(), report: None, title: None };
        let pushed = lictor_artifact::push(&reference, &contents, None, &access).unwrap();
        let desk = desk_of(&["--native"]);
        let offer =
            desk.read(request_for(&pushed.reference.to_string())).unwrap_or_else(|refusal| panic!("{refusal:?}"));
        assert!(offer.name.contains("pinned digest"), "{}", offer.name);
        refused(&desk, request_for(&name), "", "");
        let key = concat!(env!("CARGO_MANIFEST_DIR"), "/../artifact/tests/registry/publisher.pub");
        refused(&desk_of(&["--native", "--key", key]), request_for(&name), "sign", "");
    }
}
