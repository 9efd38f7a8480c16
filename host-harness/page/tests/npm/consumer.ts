// A program that uses the package: every method, with the types of what it takes and answers. It is checked, not run.
import init, { Lictor, initSync } from "lictor-web";
import type { Between, Bound, Decisions, Edit, Explanation, Fact, Known, Law, Moment, Picture, Placed, Problem } from "lictor-web";
import type { Reason, Report, Summary, System, Told, WhatIf, Written } from "lictor-web";

await init();
await init({ module_or_path: fetch("lictor-web_bg.wasm") });
initSync({ module: new Uint8Array() });

const lictor = new Lictor();
const told: Told = { name: "cluster.yaml", text: "", system: "kubernetes", schedulers: ["default-scheduler"] };
const between: Between = { victimsLeave: true, seconds: 30 };
const edits: Edit[] = [
  { kind: "job", name: "train", namespace: "nlp", pods: 4, min: 4, requests: { cpu: "8" }, queue: "nlp", priority: 100 },
  { kind: "bound", queue: "nlp", bound: "max", resource: "cpu", amount: "64" },
  { kind: "priority", pods: ["nlp/train-0"], priority: 9000 },
  { kind: "cordon", node: "a100-02" },
  { kind: "drain", node: "a100-02" },
  { kind: "object", key: "Pod/nlp/train-0" },
  { kind: "objects", objects: [{ apiVersion: "v1", kind: "Node", metadata: { name: "a100-09" } }] },
];

const systems: System[] = lictor.systems();
const laws: Law[] = lictor.laws();
const summary: Summary = lictor.open(told);
const decisions: Decisions = lictor.decide(1, false);
const moment: Moment | null = lictor.cycle(between);
const known: Known = lictor.append(12, new Uint8Array());
const last: number = lictor.skip(known.moments);
const explanation: Explanation = lictor.explain("nlp/train-0");
const earlier: Explanation = lictor.explain("nlp/train-0", 1);
const whatIf: WhatIf = lictor.whatIf("nlp/train-0");
const written: Written[] = [lictor.snapshot(), lictor.scenario(), lictor.maskedScenario()];
const masked: Summary = lictor.open(lictor.masked());
const picture: Picture = lictor.picture();
const notTried: string | null = whatIf.notTried;
const offered: Edit[] = whatIf.changes.map(({ objects }) => ({ kind: "objects", objects }));
const changes: string = [...edits, ...offered].reduce((changes, edit) => lictor.edit(edit, changes), "");
const bounds: Bound[] = lictor.bounds();
const placed: Placed[] = [...lictor.podsOn("a100-02"), ...lictor.podsOn("a100-02", 1)];
const report: Report = lictor.play(true);
lictor.free();

// What is known of a field is of use.
const nodes: number = summary.cluster.nodes + masked.cluster.nodes + picture.nodes.length;
const late: string[] = decisions.cycles.flatMap(({ attempts }) => attempts.flatMap(({ retryAt }) => retryAt ?? []));
const problems: Problem[] = moment === null ? [] : moment.record.findings;
const why: (Reason | null)[] = [explanation, earlier].flatMap(({ pods }) => pods.map(({ attempts }) => attempts[0]?.reason ?? null));
for (const evicted of Object.values(decisions.cycles[0]?.victims ?? {})) {
  const for_whom: string = "preemptor" in evicted ? evicted.preemptor : evicted.queue;
  const how: "Soft" | "Delete" | "Unreserved" = evicted.how;
}

// None of the types is `any`, none takes another field, and a word is one of those that there are.
// @ts-expect-error
const number: number = explanation;
// @ts-expect-error
const unknown: Between = { victimsLeave: true, minutes: 1 };
// @ts-expect-error
const nameless: Told = { text: "" };
// @ts-expect-error
const undrained: Edit = { kind: "drain", pods: [] };
// @ts-expect-error
const word: Problem["severity"] = "info";
// @ts-expect-error
const fact: Fact = { least: 1, most: "2" };
// @ts-expect-error
const absent: string = decisions.cycles[0]!.attempts[0]!.retryAt;
// @ts-expect-error
lictor.decide("1", false);
// @ts-expect-error
lictor.weigh();
