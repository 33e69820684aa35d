/** runShadow: serves a shadow of a running cluster, and reports differences of its answers from the original's. */

import { setTimeout as pause } from "node:timers/promises";
import { ConfigError } from "@ganeti-ts/config";
import { ganetiSite } from "@ganeti-ts/machines";
import { isJson, type Json, type JsonObject, parseJson } from "@ganeti-ts/protocol";
import { Carrier, RapiError, type RapiOptions } from "@ganeti-ts/rapi-client/transport";
import {
  type Ask,
  type Comparison,
  compareAnswers,
  type Difference,
  differenceText,
} from "@ganeti-ts/twin";
import type { Log } from "../log.js";
import { type DataDirectory, dataPath, openDataDirectory } from "../program/data-directory.js";
import { keysOf } from "../program/keys.js";
import { listenOnPort, listenOnSocket } from "../program/listen.js";
import { listenForLuxi } from "../program/luxi-listener.js";
import type { ShadowMode } from "../program/mode.js";
import type { Options } from "../program/options.js";
import { StartError } from "../program/start-error.js";
import { createServer } from "../server.js";
import { openShadowWorld, type ShadowWorld } from "./shadow-world.js";

/** Pause (ms) between rounds, longer than live figures are reused in lists. */
const pauseMs = 1100;
const requestGraceMs = 2000;

/** Writes a line of a report. */
type Write = (line: string) => void;

/** Parts of a run other than its options. */
export interface ShadowRun {
  readonly access: Omit<RapiOptions, "url">;
  readonly log: Log;
  readonly write: Write;
  /** Ends the shadow. */
  readonly unwanted: AbortSignal;
}

/** Resolves with the exit code: 1 if the last comparison found an unnamed difference. */
export async function runShadow(
  options: Options,
  shadow: ShadowMode,
  { access, log, write, unwanted }: ShadowRun,
): Promise<number> {
  const site = ganetiSite(options, process.env);
  const directory = openDataDirectory(dataPath(options.dataPath, process.env));
  const opened = await openShadowWorld(options, site, { directory, log }).catch(
    (error: unknown) => {
      if (!(error instanceof ConfigError)) throw error;
      throw new StartError(`${site.data}: ${error.message}`, { cause: error });
    },
  );
  const sides = {
    original: askingRemote(new Carrier({ url: shadow.original, ...access })),
    ours: askingOurs(opened),
    pause: () => pause(pauseMs),
  };
  const last: { comparison: Comparison | undefined } = { comparison: undefined };
  measure(opened, last);
  let closeSockets = async () => {};
  try {
    if (!shadow.once) closeSockets = await listen(options, opened, { directory, log });
    for (let round = 0; ; round++) {
      const { comparison: before } = last;
      const comparison = await compareAnswers(sides, round).catch((error: unknown) => {
        if (!(error instanceof RapiError)) throw error;
        if (shadow.once) throw new StartError(error.message, { cause: error });
        log.error({ problem: error.message }, "the original does not answer");
        return undefined;
      });
      const isNews =
        before === undefined || comparison === undefined || textOf(before) !== textOf(comparison);
      if (comparison !== undefined && (isNews || shadow.json))
        report(comparison, shadow.json, write);
      last.comparison = comparison ?? before;
      if (shadow.once || unwanted.aborted) break;
      await nextTurn(opened, shadow.intervalMs, unwanted);
      if (unwanted.aborted) break;
    }
  } finally {
    await closeSockets();
    await opened.close();
  }
  return (last.comparison?.unnamed.length ?? 0) > 0 ? 1 : 0;
}

/** Resolves after the interval, or earlier after a change, at most once a second. */
async function nextTurn(
  { cluster }: ShadowWorld,
  intervalMs: number,
  signal: AbortSignal,
): Promise<void> {
  const changed = new AbortController();
  const stop = cluster.onChange(() => changed.abort());
  try {
    await pause(pauseMs, undefined, { signal });
    const either = AbortSignal.any([signal, changed.signal]);
    if (!either.aborted) await pause(intervalMs, undefined, { signal: either });
  } catch (error) {
    if ((error as Error).name !== "AbortError") throw error;
  } finally {
    stop();
  }
}

interface Places {
  readonly directory: DataDirectory;
  readonly log: Log;
}

async function listen(
  options: Options,
  { world, cluster }: ShadowWorld,
  { directory, log }: Places,
): Promise<() => Promise<void>> {
  const app = createServer(world);
  const { cluster_name: name } = cluster.snapshot().cluster;
  const keys = options.ssl ? await keysOf(options, directory.certificate, name) : undefined;
  const luxi = await listenForLuxi(options, directory.path, { cluster, log });
  const open = await listenOnPort(app, options.address, options.port, keys);
  // The local socket is opened last, as in every server.
  const sockets = [luxi, open, await listenOnSocket(app, directory.socket)];
  const url = `${options.ssl ? "https" : "http"}://${options.address}:${open.port}`;
  log.info({ url, socket: directory.socket, pid: process.pid }, "ready");
  return async () => {
    await Promise.all(sockets.map((socket) => socket.close(requestGraceMs)));
  };
}

/**
 * Asks the original, with reads only. Refusals are answers to compare, except that of the user, with which all would differ.
 * @throws RapiError
 */
export const askingRemote =
  (carrier: Carrier): Ask =>
  async (path) => {
    try {
      const { body } = await carrier.carry("GET", path, {});
      return { status: 200, body: jsonIn(new TextDecoder().decode(body)) };
    } catch (error) {
      if (!(error instanceof RapiError) || error.status === undefined) throw error;
      if (error.status === 401) throw notKnown(error);
      return { status: error.status, body: null };
    }
  };

const notKnown = (error: RapiError): RapiError =>
  new RapiError(
    error.code,
    "the original requires one of its own users (rapi/users of its data directory): see --user and --password-file",
    { method: error.method, url: error.url, status: 401 },
    { cause: error },
  );

/** Asks the shadow in this process, as the owner of the local socket. */
function askingOurs(opened: ShadowWorld): Ask {
  const app = createServer(opened.world);
  return async (path) => {
    await opened.look();
    const response = await app.request(`http://localhost${path}`, {}, { local: true });
    return { status: response.status, body: jsonIn(await response.text()) };
  };
}

function jsonIn(text: string): Json {
  const value: unknown = parseJson(text);
  return isJson(value) ? value : null;
}

function measure({ world }: ShadowWorld, last: { readonly comparison: Comparison | undefined }) {
  world.metrics.gauge({
    name: "ganeti_shadow_differences",
    help: "Differences between the original's answers and ours in the last comparison",
    label: "kind",
    read: async () => ({
      unnamed: last.comparison?.unnamed.length ?? 0,
      named: last.comparison?.named.length ?? 0,
    }),
  });
  world.metrics.gauge({
    name: "ganeti_shadow_compared",
    help: "Answers that were compared in the last comparison",
    label: "",
    read: async () => ({ "": last.comparison?.compared ?? 0 }),
  });
}

const textOf = (comparison: Comparison): string => linesOf(comparison).join("\n");

function linesOf({ unnamed, named }: Comparison): readonly string[] {
  return [
    ...unnamed.map((one) => `DIFFERENCE ${differenceText(one)}`),
    ...byReason(named).map(
      ({ why, count, example }) => `named: ${why}: ${count}, e.g. ${differenceText(example)}`,
    ),
  ];
}

/** Groups named differences by reason. */
function byReason(named: Comparison["named"]) {
  const reasons = new Map<string, { why: string; count: number; example: Difference }>();
  for (const { why, ...example } of named) {
    const known = reasons.get(why);
    if (known === undefined) reasons.set(why, { why, count: 1, example });
    else known.count++;
  }
  return [...reasons.values()];
}

function report(comparison: Comparison, json: boolean, write: Write): void {
  const { compared, unnamed, named } = comparison;
  const time = new Date().toISOString();
  if (json) {
    const reasons = byReason(named).map(plain);
    write(JSON.stringify({ time, compared, unnamed: unnamed.map(plain), named: reasons }));
    return;
  }
  for (const line of linesOf(comparison)) write(line);
  write(
    `${time} ${compared} answers compared: ${unnamed.length} differences, ${named.length} named ones`,
  );
}

/** Converts numbers above 2^53 to text. */
const plain = (value: object): JsonObject =>
  JSON.parse(
    JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? String(one) : one)),
  ) as JsonObject;
