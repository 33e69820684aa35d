/** `gnt`: all programs in one: `gnt job list` is `gnt-job list`. */
import { main } from "./main.js";
import { processMachine } from "./process-machine.js";
import { programs } from "./programs/index.js";

const [given = "", ...words] = process.argv.slice(2);
const load = programs[given] ?? programs[`gnt-${given}`];
if (load !== undefined) {
  load().then(({ program }) => main(program, words));
} else {
  const machine = processMachine();
  listPrograms().then((text) => {
    machine.write(text);
    process.exit(given === "--help" ? 0 : 1);
  });
}

async function listPrograms(): Promise<string> {
  if (given === "--version") {
    const { versionLines } = await import("./version.js");
    return `${versionLines("gnt").join("\n")}\n`;
  }
  const all = await Promise.all(Object.values(programs).map(async (one) => (await one()).program));
  const width = Math.max(...all.map(({ name }) => name.length));
  const lines = all.map(({ name, summary }) => ` ${name.padEnd(width)} - ${summary}\n`);
  return `Usage: gnt {program} {command} [options...] [argument...]\n\nPrograms:\n${lines.join("")}`;
}
