/** Runs the create and rename scripts; preparations shared by all scripts. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { diskText, type InstanceOnNode } from "@ganeti-ts/node-calls";
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import { fullNote } from "../host/full-note.js";
import { timeStamp } from "../host/time-stamp.js";
import { lastLines } from "../machine/last-lines.js";
import { reasonOf, succeeded } from "../machine/runner.js";
import type { DiskTypes } from "../storage/disk-types.js";
import { type FoundOs, findOs, splitName } from "./definition.js";
import { type Environment, instanceEnvironment, type ScriptDevice } from "./environment.js";

/** Opens the disks of an instance for a script; rejects with `NodeFailure` if one is not set up. */
export type OpenDisks = (disks: InstanceOnNode["disks"]) => Promise<readonly ScriptDevice[]>;

export interface OsPorts extends Pick<NodeContext, "paths" | "run" | "clock"> {
  readonly openDisks: OpenDisks;
}

/** The valid definition of an OS. Rejects with `NodeFailure` otherwise. */
async function validOs(paths: NodeContext["paths"], name: string): Promise<FoundOs> {
  const { base } = splitName(name);
  const found = await findOs(paths, base);
  if (found === null) throw new NodeFailure(`Directory for OS ${base} not found in search path`);
  if (!found.valid) throw new NodeFailure(found.fault);
  return found;
}

/** Opens the disks of the instance; returns the OS definition and the environment of its scripts. */
export async function prepared(
  { paths, openDisks }: Pick<OsPorts, "paths" | "openDisks">,
  instance: InstanceOnNode,
  debugLevel = 0,
): Promise<{ readonly os: FoundOs; readonly environment: Environment }> {
  const os = await validOs(paths, instance.os ?? "");
  const devices = await openDisks(instance.disks);
  return { os, environment: instanceEnvironment(os, instance, devices, debugLevel) };
}

/** Path of a log in the directory of OS logs, which is created if it is missing. */
export function osLogPath(
  { paths, clock }: Pick<OsPorts, "paths" | "clock">,
  name: string,
): string {
  const directory = join(paths.log, "os");
  mkdirSync(directory, { recursive: true, mode: 0o750 });
  const time = timeStamp(new Date(clock.wallMicros() / 1000));
  return join(directory, `${name.replaceAll("/", "_")}-${time}.log`);
}

interface ScriptRun {
  readonly script: "create" | "rename";
  readonly os: FoundOs;
  readonly environment: Environment;
  readonly log: string;
}

/** Runs a script; if it fails, rejects with a `NodeFailure` that has the last lines of the log. */
export async function runScript(
  { run }: Pick<OsPorts, "run">,
  { script, os, environment, log }: ScriptRun,
): Promise<void> {
  if (script === "create" && !os.trusted) {
    throw new NodeFailure(`OS '${os.name}' has no trusted create script`);
  }
  const ended = await run.run({
    program: join(os.path, script),
    args: [],
    env: environment,
    cleanEnv: true,
    cwd: os.path,
    outputFile: log,
    endsWithDaemon: true,
  });
  if (succeeded(ended)) return;
  const lines = await lastLines(log);
  throw new NodeFailure(
    `OS ${script} script failed (${reasonOf(ended)}), last lines in the log file:\n${lines.join("\n")}${await fullNote(log)}`,
  );
}

/** Opens each disk for writing, which makes a mirror primary on this node. */
export const openDisksOf =
  (types: DiskTypes): OpenDisks =>
  async (disks) => {
    const devices: ScriptDevice[] = [];
    for (const disk of disks) {
      const type = types(disk);
      const device = await type.find(disk);
      if (device === null) throw new NodeFailure(`Block device '${diskText(disk)}' is not set up`);
      await type.open(disk, { force: false, exclusive: true });
      devices.push({ path: device.path, uri: device.uri });
    }
    return devices;
  };
