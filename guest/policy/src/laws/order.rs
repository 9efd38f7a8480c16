//! Orders: which first?

pub mod cheapest_node_first;
pub mod higher_priority_first;
pub mod important_first;
