/**
 * Demonstration: a cluster of its own, an instance on it with the reasons for its placement, and
 * the API.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { instanceStory } from "./demo/instance-story.js";
import { nextCommands } from "./demo/next-commands.js";
import { createLog } from "./log.js";
import { readOptions } from "./program/options.js";
import { serve } from "./program/serve.js";

const user = "demo";
const password = "demo";

const say = (text: string) => process.stdout.write(`${text}\n`);

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "ganeti-ts-"));
  mkdirSync(join(folder, "rapi"));
  writeFileSync(join(folder, "rapi", "users"), `${user} ${password} write\n`, { mode: 0o640 });
  const port = await freePort(5080);
  const options = readOptions([
    ...["--data-dir", folder, "--init=demo.example.com", "--nodes=6", "--groups=2"],
    ...["-p", String(port), "--iallocator-search-path="],
  ]);
  if (typeof options === "string") return;
  say("A cluster of six simulated nodes in two groups begins …");
  const served = await serve(options, createLog("silent"));
  const ended = new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
  try {
    await instanceStory(served, say);
    for (const line of nextCommands(served, user, password)) say(line);
    say(
      `\nready: ${served.url}   user ${user}, password ${password}; in a browser: ${served.url}/ui/   (Ctrl-C ends it)`,
    );
    await ended;
    say("\nstopping …");
  } finally {
    await served.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The port that clients expect, if it is free. */
function freePort(wanted: number): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.on("error", () => resolve(0));
    probe.listen(wanted, "127.0.0.1", () => probe.close(() => resolve(wanted)));
  });
}

const usage = `Usage: pnpm start [-- --real [--system=PATH] [--ends]]
  --real         three nodes in namespaces with real virtual machines, as root
  --system=PATH  archive or directory with the guest's root file system, built from packages otherwise
  --ends         end after the demonstration instead of waiting for Ctrl-C
  -h, --help     print this text
`;

/** Handles `--real [--system=PATH] [--ends]`, the demonstration on real nodes, and refuses unknown words. Returns the exit code; undefined for simulated nodes. */
async function chosen(words: readonly string[]): Promise<number | undefined> {
  const [first, ...more] = words[0] === "--" ? words.slice(1) : words;
  if (first === undefined) {
    await main();
    return undefined;
  }
  if (words.some((word) => word === "-h" || word === "--help")) {
    process.stdout.write(usage);
    return 0;
  }
  const { realDemo } = await import("./demo/real/outer.js");
  const { insideDemo } = await import("./demo/real/inside.js");
  if (first === "--inside") {
    const [folder = "", system = "", accelerator, ends] = more;
    return insideDemo(folder, system, accelerator === "kvm" ? "kvm" : "tcg", ends === "true");
  }
  const system = more.find((word) => word.startsWith("--system="))?.slice("--system=".length);
  const known = more.filter((word) => word === "--ends" || word.startsWith("--system="));
  if (first !== "--real" || known.length < more.length) {
    process.stderr.write(usage);
    return 1;
  }
  return realDemo({ system, ends: more.includes("--ends") }, fileURLToPath(import.meta.url));
}

const code = await chosen(process.argv.slice(2));
// Connections of consoles may still be open.
if (code !== undefined) process.exit(code);
