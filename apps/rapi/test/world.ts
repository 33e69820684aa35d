/** A server without sockets, on a queue in memory, with default values for all parts that a test does not name. */

import { type ClusterObjects, clusterQueue, Events } from "@ganeti-ts/cluster";
import { nameOrders } from "@ganeti-ts/cluster-queries";
import {
  type AccessStore,
  type Executor,
  JobQueue,
  MemoryAccessStore,
  MemoryDatabase,
} from "@ganeti-ts/job-queue";
import { createLockManager } from "@ganeti-ts/locking";
import {
  isJsonObject,
  type Json,
  parseJson,
  systemClock,
  systemRandom,
  type Timers,
} from "@ganeti-ts/protocol";
import { compilePattern } from "@ganeti-ts/query";
import { parseUsers } from "../src/auth/users.js";
import { ConsoleTokens } from "../src/console/tokens.js";
import { usualBodyLimits } from "../src/http/body.js";
import { createGates } from "../src/http/gate.js";
import { noProxies } from "../src/http/remote.js";
import { JobTexts } from "../src/job-texts.js";
import type { ObjectTexts } from "../src/lists/object-texts.js";
import { createLog, type Log } from "../src/log.js";
import { createMetrics } from "../src/metrics.js";
import { accessParts } from "../src/program/access-parts.js";
import { simulatedConsoles } from "../src/program/simulated-consoles.js";
import { createServer } from "../src/server.js";
import type { Settings, World } from "../src/world.js";

const usersText = `
# a comment
jack abc123 write
rita {ha1}8A27B7F622AD8B6F5CB580E230DDB3EC read
odd {SHA}5baa61e4c9b93f3f0682250b6cf8331b write
reader {CLEARTEXT}look read
nobody secret
`;

/** No objects; nodes are not called. */
const noObjects: ClusterObjects = {
  info: () => ({}),
  names: () => [],
  tags: (kind) => (kind === "cluster" ? [] : undefined),
  query: async () => ({ fields: [], data: [] }),
  queryPage: async () => ({ fields: [], data: [], next: null }),
  orders: nameOrders(),
  fields: () => [],
  claims: async () => [],
  live: () => Promise.reject(new Error("there are no nodes")),
  liveInOrder: () => {
    throw new Error("there are no nodes");
  },
  liveNodesInOrder: () => {
    throw new Error("there are no nodes");
  },
  mirrors: async () => undefined,
  watcherPause: async () => null,
  pauseWatcher: async () => ({ ok: true, value: null }),
  runOnNode: async () => undefined,
  fileToNode: async () => undefined,
};

const noTexts: ObjectTexts = {
  infoText: () => '{"name":"cluster.example.com"}',
  listParts: async () => [Buffer.from("[]\n")],
  objectText: async () => undefined,
};

/** Half an hour passes between any two looks at this clock, so that failed logins delay no others. */
function forgetful(): Timers {
  let nowMs = 0;
  return { ...systemClock, now: () => (nowMs += 30 * 60_000) };
}

export interface TestWorld extends World {
  /** Sends a request, and returns the status and the parsed body. */
  ask(method: string, path: string, options?: Asking): Promise<Asked>;
}

interface Asking {
  readonly user?: string | null;
  readonly body?: unknown;
  /** Raw text in place of a JSON value, without a content type. */
  readonly raw?: string;
  readonly headers?: Record<string, string>;
}

interface Asked {
  readonly status: number;
  readonly body: Json;
  readonly text: string;
  readonly headers: Headers;
}

export async function aWorld({
  executor,
  objects = {},
  gates = createGates(20),
  texts = {},
  confd = {},
  users = parseUsers(usersText, () => {}),
  ui,
  now = Date.now,
  timers = forgetful(),
  access = new MemoryAccessStore(),
  log = createLog("silent"),
  ...settings
}: Partial<Settings> & {
  readonly gates?: World["gates"];
  readonly executor?: Executor;
  readonly users?: World["users"];
  readonly ui?: World["ui"];
  readonly now?: () => number;
  readonly timers?: Timers;
  readonly access?: AccessStore;
  readonly log?: Log;
  readonly objects?: Partial<ClusterObjects>;
  readonly texts?: Partial<ObjectTexts>;
  readonly confd?: Partial<World["confd"]>;
} = {}): Promise<TestWorld> {
  const clock = systemClock;
  const metrics = createMetrics();
  const queue = clusterQueue(
    await JobQueue.open({
      store: new MemoryDatabase(clock).connect(),
      locks: createLockManager(),
      patterns: compilePattern,
      clock,
      random: systemRandom,
      ...(executor === undefined ? {} : { executor }),
    }),
  );
  const world: World = {
    queue,
    clock,
    objects: { ...noObjects, ...objects },
    events: new Events("e"),
    texts: { ...noTexts, ...texts },
    planner: {
      place: () => Promise.reject(new Error("nobody plans")),
      explain: () => Promise.reject(new Error("nobody plans")),
      capacity: () => Promise.reject(new Error("nobody plans")),
      balance: () => Promise.reject(new Error("nobody plans")),
      balancePlan: () => Promise.reject(new Error("nobody plans")),
      evacuationPlan: () => Promise.reject(new Error("nobody plans")),
      figures: () => Promise.reject(new Error("nobody plans")),
    },
    jobs: new JobTexts(queue),
    confd: { bound: () => null, renewKey: async () => {}, ...confd },
    ...accessParts({
      ...{ users, access, log, metrics, key: Buffer.alloc(32, 7) },
      clock: {
        now: () => timers.now(),
        after: (ms, then) => timers.after(ms, then),
        wallMicros: () => now() * 1000,
      },
    }),
    ui,
    log,
    metrics,
    gates,
    practice: undefined,
    note: undefined,
    consoles: simulatedConsoles,
    consoleTokens: new ConsoleTokens(now),
    settings: {
      requireAuthentication: false,
      publicMetrics: false,
      proxies: noProxies,
      bodies: usualBodyLimits,
      ...settings,
    },
  };
  return { ...world, ask: askingOf(world) };
}

/** A client of a server without sockets, by default as jack, who may write. */
export function askingOf(world: World): TestWorld["ask"] {
  const app = createServer(world);
  return async (method, path, { user = "jack:abc123", body, raw, headers = {} } = {}) => {
    const response = await app.request(path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(raw === undefined ? {} : { body: new TextEncoder().encode(raw) }),
      headers: {
        ...(user === null ? {} : { authorization: `Basic ${btoa(user)}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
    });
    const text = await response.text();
    return {
      status: response.status,
      text,
      headers: response.headers,
      body: text.endsWith("\n") && !["#", "<"].includes(text[0] ?? "") ? parseJson(text) : text,
    };
  };
}

/** Text of a fault as a client reads it. */
export const faultText = ({ body }: Asked): string =>
  isJsonObject(body) ? `${body.code} ${body.message}: ${body.explain}` : `no fault: ${body}`;
