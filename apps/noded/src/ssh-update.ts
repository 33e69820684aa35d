#!/usr/bin/env node
/** The program `ssh-update`: applies the changes of ssh files that the master writes to its standard input. */
import { text } from "node:stream/consumers";
import { ssconfReader } from "./host/ssconf.js";
import { SshUpdate, updateSsh } from "./host/ssh-update.js";
import { nodePaths } from "./machine/paths.js";
import { systemRunner } from "./machine/system-runner.js";

process.umask(0o077);
const paths = nodePaths(process.env.GANETI_ROOTDIR ?? "");
try {
  const update = SshUpdate.parse(JSON.parse(await text(process.stdin)));
  await updateSsh({ paths, run: systemRunner(() => {}), ssconf: ssconfReader(paths.data) }, update);
} catch (error) {
  process.stderr.write(`ssh-update: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
