/** Modes of the program other than serving a cluster; each is loaded when it is used. */
import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { dataDirectory } from "@ganeti-ts/node-calls";
import type { Log } from "./log.js";
import { attemptIn, dataPath, openDataDirectory } from "./program/data-directory.js";
import type { ShadowMode, TwinMode } from "./program/mode.js";
import type { Options } from "./program/options.js";
import { StartError } from "./program/start-error.js";
import { stopRequested } from "./stop-requested.js";

/**
 * Carries out the mode of the program, and returns its exit code; undefined if the mode is to serve a cluster.
 * @throws StartError, NewClusterError
 */
export async function withoutServing(options: Options, log: Log): Promise<number | undefined> {
  const { mode } = options;
  switch (mode.kind) {
    case "serve":
    case "init":
    case "adopt":
    case "take-over":
      return undefined;
    case "print-unit":
      return unitPrinted(options);
    case "backup":
      return backedUp(options, mode.file);
    case "restore":
      return restored(options, mode.file);
    case "shadow":
      return shadowed(options, mode, log);
    case "twin":
      return twinMade(options, mode, log);
    case "create": {
      const { makeOnly } = await import("./program/create-cluster.js");
      await makeOnly(options, mode.cluster, log);
      return 0;
    }
    case "machines": {
      const { changeMachine } = await import("./program/real/modes.js");
      await changeMachine(options, mode);
      return 0;
    }
    case "check-adoption":
      return reported(options, mode, log);
    case "hand-back": {
      const { giveBack } = await import("./program/give-back.js");
      for (const part of await giveBack(options, mode, log)) {
        process.stdout.write(`lost: ${part}\n`);
      }
      return 0;
    }
  }
}

/** Prints the unit that starts a server with the other options. @throws UsageError */
async function unitPrinted({ dataPath: path }: Options): Promise<number> {
  const { systemdUnit } = await import("./program/systemd-unit.js");
  const { given } = await import("./program/option-words.js");
  const unit = systemdUnit({
    node: process.execPath,
    nodeOptions: process.execArgv,
    program: realpathSync(process.argv[1] ?? ""),
    dataDirectory: dataPath(path, process.env),
    given: given(process.argv.slice(2)),
  });
  process.stdout.write(unit);
  return 0;
}

/** Prints the findings of an adoption check. */
async function reported(
  options: Options,
  mode: { readonly upgrade: boolean },
  log: Log,
): Promise<number> {
  const { databaseRefusal, examine, findingLines } = await import("@ganeti-ts/takeover");
  const { takeoverPlace } = await import("./program/takeover-place.js");
  const { ganetiSite } = await import("@ganeti-ts/machines");
  const { findings } = await examine(ganetiSite(options, process.env), mode);
  const directory = openDataDirectory(dataPath(options.dataPath, process.env));
  const ofDatabase = await databaseRefusal(takeoverPlace(options, directory, log)).catch(
    (error: unknown) => {
      if (error instanceof StartError) return error.message;
      throw error;
    },
  );
  const refusals = [...findings.refusals, ...(ofDatabase === undefined ? [] : [ofDatabase])];
  for (const line of findingLines({ ...findings, refusals })) process.stdout.write(`${line}\n`);
  if (refusals.length > 0) return 1;
  process.stdout.write("The cluster can be taken over.\n");
  return 0;
}

async function backedUp({ dataPath: given }: Options, file: string): Promise<number> {
  const { backUp } = await import("./program/backup.js");
  await attemptIn(dataPath(given, process.env), (directory) => backUp(directory, file));
  return 0;
}

async function restored(options: Options, from: string): Promise<number> {
  const { restore } = await import("./program/backup.js");
  await attemptIn(dataPath(options.dataPath, process.env), async (directory) => {
    const aside = await restore(directory, from, { place: placeGiven(options) });
    process.stdout.write(`${directory.path} is as it was when ${from} was written.\n`);
    if (aside !== undefined) process.stdout.write(`The database before that is ${aside}.\n`);
    process.stdout.write(
      "Jobs that had not ended are held by a rule: see gnt filter list, and gnt cluster verify.\n",
    );
  });
  return 0;
}

/** Place of a real cluster's files according to the options. */
function placeGiven({ ganetiRoot: root, ganetiData, ganetiHost: host }: Options) {
  const data = ganetiData ?? (root && join(root, dataDirectory));
  return { ...(root && { root }), ...(data && { data }), ...(host && { host }) };
}

/** Access to the remote API of another cluster, from the environment, because other users can see arguments. */
function accessFrom({ insecure }: { readonly insecure: boolean }) {
  const { GANETI_RAPI_USER: user, GANETI_RAPI_PASSWORD: password, GANETI_RAPI_CA } = process.env;
  return {
    ...(user && { user }),
    ...(password && { password }),
    ...(GANETI_RAPI_CA && { ca: readFileSync(GANETI_RAPI_CA, "utf8") }),
    verifyCertificate: !insecure,
  };
}

/** Serves a shadow until a stop signal, or compares once. */
async function shadowed(options: Options, shadow: ShadowMode, log: Log): Promise<number> {
  const { runShadow } = await import("./shadow/run-shadow.js");
  return runShadow(options, shadow, {
    access: accessFrom(shadow),
    log,
    write: (line) => process.stdout.write(`${line}\n`),
    unwanted: stopRequested(),
  });
}

/** Makes a twin, and prints the parts that it lacks. */
async function twinMade(options: Options, twin: TwinMode, log: Log): Promise<number> {
  const access = accessFrom(twin);
  const { source, figures, overNodes } = twin;
  const { makeTwinOnly } = await import("./program/make-twin-only.js");
  const remarks = await makeTwinOnly(options, { source, figures, access, overNodes }, log);
  for (const remark of remarks) process.stdout.write(`${remark}\n`);
  return 0;
}
