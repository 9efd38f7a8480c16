//! Benchmarks of the policy, natively and in the component: `cargo bench -p lictor-bench`.
