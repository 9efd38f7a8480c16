//! What the policies of these tests leave to the native one, which they have in a field `native`.

/// Forwards the functions that no policy of these tests changes.
macro_rules! forward_to_native {
    () => {
        fn has(&self, interface: Interface) -> bool {
            self.native.has(interface)
        }
        fn describe(&mut self) -> Result<Description, CallError> {
            self.native.describe()
        }
        fn pre_filter(&mut self, pod: PodId) -> Result<PreFiltered, CallError> {
            self.native.pre_filter(pod)
        }
        fn filter(&mut self, pod: PodId) -> Result<NodeVerdicts, CallError> {
            self.native.filter(pod)
        }
        fn reserve(&mut self, pod: PodId, node: NodeId) -> Result<Effects, CallError> {
            self.native.reserve(pod, node)
        }
        fn unreserve(&mut self, pod: PodId, cause: ReleaseCause) -> Result<Effects, CallError> {
            self.native.unreserve(pod, cause)
        }
        fn memberships(&mut self, pods: &[PodId]) -> Result<Vec<Membership>, CallError> {
            self.native.memberships(pods)
        }
        fn marks(&mut self, pod: PodId, node: NodeId) -> Result<Vec<Mark>, CallError> {
            self.native.marks(pod, node)
        }
        fn record_notes(&mut self, pods: &NotedPods) -> Result<(), CallError> {
            self.native.record_notes(pods)
        }
        fn notes(&mut self, pod: PodId) -> Result<Vec<Note>, CallError> {
            self.native.notes(pod)
        }
        fn save(&mut self) -> Result<Checkpoint, CallError> {
            self.native.save()
        }
        fn restore(&mut self, checkpoint: &Checkpoint) -> Result<Result<(), StateError>, CallError> {
            self.native.restore(checkpoint)
        }
    };
}
