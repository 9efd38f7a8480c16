//! The host's side of the cluster: reads Kubernetes objects, mirrors them, and sends the policy the changes as events.

mod budgets;
mod eligibility;
mod error;
mod inter_pod;
pub mod load;
mod mirror;
mod object;
mod reads;
mod volumes;

pub(crate) use budgets::CoveringBudget;
pub use eligibility::Ineligible;
pub use error::InputError;
pub(crate) use mirror::{ALL_NODES, InterPodTerms, ReplayChunk, ReplayPosition, SpreadTerm};
pub use mirror::{ChangeVisibility, InvalidObject, Mirror, PodChange};
pub use object::{BadPlacedKind, KubernetesObject, check_placed_kinds};
pub(crate) use object::{MAX_AMOUNT, NO_NUMBER};
pub use object::{dotted, step};
pub(crate) use reads::BUDGET_KIND;
pub use reads::kinds_read;
