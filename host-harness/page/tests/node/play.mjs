// Asks the engine of the page, outside of a browser: `node play.mjs PAGE QUESTIONS ANSWERS`. Questions are `[name, ...parameters]`; an
// answer is what came of it, or what was wrong.
import { readFileSync, writeFileSync } from "node:fs";
import { runInThisContext } from "node:vm";
import { gunzipSync } from "node:zlib";

const [page, questions, answers] = process.argv.slice(2);
const html = readFileSync(page, "utf8");
const part = (id) => html.match(new RegExp(`<script type="text/plain" id="${id}">([\\s\\S]*?)</script>`))[1];

// What a worker has.
let done;
globalThis.onmessage = null;
globalThis.postMessage = (message) => done(message);
runInThisContext(part("engine-script").replaceAll("<\\/script", "</script").replaceAll("<\\!--", "<!--"));

const ask = (name, ...parameters) =>
  new Promise((answered) => {
    done = ({ value, error }) => answered(error === undefined ? { value } : { error });
    globalThis.onmessage({ data: { id: 1, name, parameters } });
  });

await ask("start", gunzipSync(Buffer.from(part("engine-module"), "base64")));
const all = [];
for (const question of JSON.parse(readFileSync(questions, "utf8"))) all.push(await ask(...question));
writeFileSync(answers, JSON.stringify(all));
