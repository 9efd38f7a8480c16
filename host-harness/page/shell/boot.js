"use strict";
// Starts the engine in a worker and the front end beside it. The front end asks the engine by `lictor.call`.
globalThis.lictor = (() => {
  const text = (id) => document.getElementById(id).textContent;
  const bytes = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const unpack = (base64) =>
    new Response(new Blob([bytes(base64)]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();

  const waiting = new Map();
  let next = 0;
  let worker;
  const call = (name, parameters) =>
    new Promise((done, failed) => {
      next += 1;
      waiting.set(next, { done, failed });
      worker.postMessage({ id: next, name, parameters });
    });
  // What the engine was asked when it stopped has no answer: every question that waits is told so.
  const stopped = (why) => {
    for (const { failed } of waiting.values()) failed(why);
    waiting.clear();
  };
  const open = () => {
    const script = new Blob([text("engine-script")], { type: "text/javascript" });
    worker = new Worker(URL.createObjectURL(script));
    worker.onmessage = ({ data: { id, value, error } }) => {
      const question = waiting.get(id);
      waiting.delete(id);
      if (error === undefined) question?.done(value);
      else question?.failed(error);
    };
    worker.onerror = (event) => stopped(`The engine stopped: ${event.message}`);
  };

  const start = async () => {
    open();
    const engine = unpack(text("engine-module")).then((module) => call("start", [module]));
    const module = await unpack(text("app-module"));
    await app({ module_or_path: module });
    document.getElementById("starting")?.remove();
    await engine;
  };
  const input = async () => {
    const given = JSON.parse(text("input"));
    return given && { ...given, bytes: new Uint8Array(await unpack(given.bytes)) };
  };
  const started = start();
  started.catch((error) => {
    const place = document.getElementById("starting") ?? document.body.appendChild(document.createElement("p"));
    place.textContent = `The page could not start: ${error}. It needs a browser of 2023 or later.`;
  });
  return { call: async (name, parameters) => { if (name !== "start") await started; return call(name, parameters); }, input };
})();
