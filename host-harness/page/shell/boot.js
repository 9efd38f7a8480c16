"use strict";
// Starts the engine in a worker and the front end beside it. The front end asks the engine by `lictor.call`.
globalThis.lictor = (() => {
  const text = (id) => document.getElementById(id).textContent;
  const bytes = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  // Without a blob: the bytes of blobs are kept by another process of the browser, which may be short of memory or of disk.
  const unpacked = (base64) =>
    new Response(new Response(bytes(base64)).body.pipeThrough(new DecompressionStream("gzip")));

  // An engine in a worker of its own: it answers one question after another, and the page never waits for it. Where it stops, every
  // question that waits is told so, and `died` is called.
  const engine = (module, died) => {
    const waiting = new Map();
    let next = 0;
    let isStarted = false;
    const script = new Blob([text("engine-script")], { type: "text/javascript" });
    const worker = new Worker(URL.createObjectURL(script));
    const end = (why) => {
      worker.terminate();
      for (const { failed } of waiting.values()) failed(why);
      waiting.clear();
    };
    const dies = (why) => {
      const remedy = "open the file again: a new engine is there for it";
      end([{ severity: "error", message: `the engine stopped: ${why}`, remedy }]);
      // One that cannot even start is not begun again.
      if (isStarted) died?.();
    };
    worker.onmessage = ({ data: { id, value, problems, fault, epoch } }) => {
      if (fault !== undefined) return dies(fault);
      const question = waiting.get(id);
      waiting.delete(id);
      if (problems === undefined) question?.done({ value, epoch });
      else question?.failed(problems);
    };
    worker.onerror = (event) => dies(event.message);
    const ask = (name, parameters, epoch) =>
      new Promise((done, failed) => {
        next += 1;
        waiting.set(next, { done, failed });
        worker.postMessage({ id: next, name, parameters, epoch });
      });
    const start = async () => {
      await ask("start", [await module]);
      isStarted = true;
    };
    return { ask, end, started: start() };
  };

  let compiled;
  let main;
  // How often the engine of the page has opened something: a question is about what was open when it was asked.
  let epoch = 0;
  const begin = () => {
    epoch = 0;
    main = engine(compiled, begin);
  };
  const start = async () => {
    compiled = unpacked(text("engine-module")).arrayBuffer().then((bytes) => WebAssembly.compile(bytes));
    begin();
    const module = await unpacked(text("app-module")).arrayBuffer();
    await app({ module_or_path: module });
    document.getElementById("starting")?.remove();
    performance.mark("shown");
    await main.started;
    performance.mark("engine ready");
  };

  // What takes long is asked of a second engine, which can be stopped. It opens what the first one has open.
  let opened;
  let second;
  const cancel = () => {
    second?.end("stopped");
    second = undefined;
  };
  const aside = async (name, parameters) => {
    cancel();
    const own = engine(compiled);
    second = own;
    await own.started;
    await own.ask("open", [opened]);
    return (await own.ask(name, parameters)).value;
  };
  const call = async (name, parameters) => {
    await started;
    await main.started;
    const answer = await main.ask(name, parameters, epoch);
    if (name === "open") {
      cancel();
      [opened] = parameters;
      epoch = answer.epoch;
    }
    return answer.value;
  };
  // What was written since to the recording that is followed, from this byte on: the engine appends it. The answer says how much of it is known.
  const PAUSE = 500;
  const unanswered = {
    severity: "error",
    message: "`lictor view --live` does not answer any more",
    remedy: "start it again, and open the address that it prints",
  };
  const written = async (from) => {
    const answer = await fetch(`/recording?from=${from}`);
    return answer.ok ? { bytes: new Uint8Array(await answer.arrayBuffer()) } : { problems: await answer.json() };
  };
  const more = async (from) => {
    const { bytes, problems } = await written(from).catch(() => ({ problems: [unanswered] }));
    if (problems) throw problems;
    const known = await call("append", [from, bytes]);
    if (known.whole === from) await new Promise((done) => setTimeout(done, PAUSE));
    return known;
  };
  const base64 = (blob) =>
    new Promise((done, failed) => {
      const reader = new FileReader();
      reader.onload = () => done(reader.result.slice(reader.result.indexOf(",") + 1));
      reader.onerror = () => failed(String(reader.error));
      reader.readAsDataURL(blob);
    });
  // What is in a file: a recording begins with its name, anything else is a text.
  const decoded = (bytes) => new TextDecoder().decode(bytes);
  const content = async (buffer) =>
    decoded(buffer.slice(0, 8)) === "LICTORec"
      ? { text: "", recording: await base64(new Blob([buffer])) }
      : { text: decoded(buffer), recording: "" };
  const taken = async (file) => ({ name: file.name, ...(await content(await file.arrayBuffer())) });
  // Inputs are files with their bytes: what the page has inside, and the examples.
  const read = async ({ bytes, ...rest }) => ({ ...rest, ...(await content(await unpacked(bytes).arrayBuffer())) });
  // What is open, as the part of an address that is never sent: compressed, in the base 64 of addresses.
  const SHARED = "#open=";
  const damaged = {
    severity: "error",
    message: "the address of this page is damaged: a part of what was shared is missing",
    remedy: "ask for the whole address, or for a file: some programs cut long addresses",
  };
  const shared = async (packed) => {
    try {
      return JSON.parse(await unpacked(packed.replaceAll("-", "+").replaceAll("_", "/")).text());
    } catch {
      throw [damaged];
    }
  };
  const pasted = async () =>
    location.hash.startsWith(SHARED) ? shared(location.hash.slice(SHARED.length)) : null;
  const inside = async () => {
    const input = JSON.parse(text("input"));
    return input && read(input);
  };
  const share = async (given) => {
    const stream = new Response(JSON.stringify(given)).body.pipeThrough(new CompressionStream("gzip"));
    const packed = new Uint8Array(await new Response(stream).arrayBuffer());
    let letters = "";
    for (const byte of packed) letters += String.fromCharCode(byte);
    const hash = btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    history.replaceState(null, "", SHARED + hash);
    const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
    return { letters: location.href.length, copied: copied === true };
  };
  // Hands a text over as a file.
  const save = (name, text) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/yaml" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  };
  // Whoever looks at a page that has failed must know it: it may not answer any more.
  addEventListener("error", ({ message }) => {
    if (document.getElementById("failed")) return;
    const place = document.body.appendChild(document.createElement("p"));
    place.id = "failed";
    place.role = "alert";
    place.textContent = `The page has failed: ${message}. Load it again; what is open is lost where it was not shared or saved.`;
  });
  const examples = JSON.parse(text("examples"));
  const started = Promise.resolve().then(start);
  started.catch((error) => {
    const place = document.getElementById("starting") ?? document.body.appendChild(document.createElement("p"));
    place.textContent = `The page could not start: ${error?.[0]?.message ?? error}. It needs a browser of 2023 or later.`;
  });
  return {
    call,
    aside,
    cancel,
    more,
    pasted,
    inside,
    taken,
    share,
    save,
    examples: () => examples.map(({ bytes, ...rest }) => rest),
    example: (index) => read(examples[index]),
  };
})();
