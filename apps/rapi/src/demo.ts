#!/usr/bin/env node
/**
 * Demonstration: a cluster of its own, an instance on it with the reasons for its placement, and
 * the API.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
    say(`\nready: ${served.url}   user ${user}, password ${password}   (Ctrl-C ends it)`);
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

await main();
