// Asks the engine of the package, as a program that has installed it: `node ask.mjs QUESTIONS ANSWERS`. Questions are `[name,
// ...parameters]`; an answer is what came of it, or what was wrong.
import { readFileSync, writeFileSync } from "node:fs";
import init, { Lictor } from "lictor-web";

await init();
const lictor = new Lictor();
const ask = ([name, ...parameters]) => {
  try {
    return { value: lictor[name](...parameters) };
  } catch (error) {
    return { error };
  }
};

const [questions, answers] = process.argv.slice(2);
writeFileSync(answers, JSON.stringify(JSON.parse(readFileSync(questions, "utf8")).map(ask)));
