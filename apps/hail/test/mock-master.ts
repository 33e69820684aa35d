// A master that answers on a Unix socket and records its requests: the five calls that
// Ganeti's htools make, framed as Ganeti frames them.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Call {
  readonly method: string;
  readonly args: readonly unknown[];
}

/** One value, or `[status, value]` where the status is not "normal". */
type Field = unknown;
export type Thing = Readonly<Record<string, Field>>;

/** Data of the mock master. Objects are keyed by the names of query fields. */
export interface Realm {
  readonly nodes: readonly Thing[];
  readonly instances: readonly Thing[];
  readonly groups: readonly Thing[];
  readonly info: Readonly<Record<string, unknown>>;
  /** By job id, counted from 101: what a job's status is when asked for the first, second, … time. */
  readonly jobs?: (id: number, time: number) => string;
  /** In place of the job's id: why it was not accepted. */
  readonly refuses?: (id: number) => string | undefined;
  /** Replaces the usual answer by another one, or by malformed text. */
  readonly instead?: (
    call: Call,
  ) => { readonly success: boolean; readonly result: unknown } | string | undefined;
}

export class Status {
  readonly status: number;
  constructor(status: number) {
    this.status = status;
  }
}

/** Status of fields without data in a query result. */
export const noData = new Status(2);
export const unavailable = new Status(3);
export const offline = new Status(4);

export interface Master {
  readonly socket: string;
  readonly calls: Call[];
  /** Opcodes of the jobs submitted, in order, without what depends on the time. */
  submitted(): unknown[];
  close(): Promise<void>;
}

export async function startMaster(realm: Realm): Promise<Master> {
  const folder = mkdtempSync(join(tmpdir(), "master-"));
  const socket = join(folder, "query");
  const calls: Call[] = [];
  const sockets = new Set<Socket>();
  const answer = answering(realm);
  const server = createServer((connection) => {
    sockets.add(connection);
    connection.on("close", () => sockets.delete(connection)).on("error", () => {});
    let waiting = Buffer.alloc(0);
    connection.on("data", (chunk) => {
      waiting = Buffer.concat([waiting, chunk]);
      for (let end = waiting.indexOf(3); end >= 0; end = waiting.indexOf(3)) {
        const call = JSON.parse(waiting.subarray(0, end).toString()) as Call;
        waiting = waiting.subarray(end + 1);
        calls.push(call);
        const reply = answer(call);
        if (reply === "close") connection.destroy();
        else connection.write(`${typeof reply === "string" ? reply : JSON.stringify(reply)}\x03`);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return {
    socket,
    calls,
    submitted: () =>
      calls.filter(({ method }) => method === "SubmitManyJobs").map(({ args }) => timeless(args)),
    close: async () => {
      for (const connection of sockets) connection.destroy();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Without the time in the trail of reasons, and fresh ids in tags. */
function timeless(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replace(/,\d{19}\]/g, ",NANOSECONDS]")
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}:\d+/g, "ID:TIME");
  return JSON.parse(text.replaceAll(",NANOSECONDS]", ',"NANOSECONDS"]'));
}

function answering(realm: Realm) {
  let lastId = 100;
  const polls = new Map<number, number>();
  const success = (result: unknown) => ({ success: true, result });
  return (call: Call) => {
    const other = realm.instead?.(call);
    if (other !== undefined) return other;
    const { method, args } = call;
    switch (method) {
      case "Query": {
        const [kind, fields] = args as [string, string[]];
        const things = { node: realm.nodes, instance: realm.instances, group: realm.groups }[kind];
        return success({ fields: [], data: (things ?? []).map((thing) => row(thing, fields)) });
      }
      case "QueryClusterInfo":
        return success(realm.info);
      case "SubmitManyJobs":
        return success(
          (args[0] as unknown[]).map(() => {
            const id = ++lastId;
            const refusal = realm.refuses?.(id);
            return refusal === undefined ? [true, id] : [false, refusal];
          }),
        );
      case "QueryJobs":
        return success(
          (args[0] as (number | string)[]).map((asked) => {
            const id = Number(asked);
            const time = (polls.get(id) ?? 0) + 1;
            polls.set(id, time);
            return [realm.jobs?.(id, time) ?? "success"];
          }),
        );
      default:
        return { success: false, result: ["GenericError", [`no such call: ${method}`]] };
    }
  };
}

const row = (thing: Thing, fields: readonly string[]): [number, unknown][] =>
  fields.map((field) => {
    const value = thing[field];
    if (value instanceof Status) return [value.status, null];
    return field in thing ? [0, value] : [1, null];
  });

export const aPolicy = {
  minmax: [
    {
      min: spec(128, 1, 1024, 1, 1),
      max: spec(32768, 8, 1048576, 16, 12),
    },
  ],
  std: spec(128, 1, 1024, 1, 1),
  "disk-templates": ["drbd", "plain", "diskless", "ext", "rbd", "sharedfile", "file"],
  "vcpu-ratio": 4,
  "spindle-ratio": 32,
};

function spec(memory: number, cpus: number, disk: number, disks: number, spindles: number) {
  return {
    "memory-size": memory,
    "cpu-count": cpus,
    "disk-size": disk,
    "disk-count": disks,
    "nic-count": 1,
    "spindle-use": spindles,
  };
}

export const realmNode = (name: string, change: Thing = {}): Thing => ({
  name,
  mtotal: 32768,
  mnode: 1024,
  mfree: 31000,
  dtotal: 1048576,
  dfree: 900000,
  ctotal: 8,
  cnos: 1,
  offline: false,
  drained: false,
  vm_capable: true,
  "ndp/spindle_count": 1,
  "group.uuid": "uuid-1",
  tags: [],
  "ndp/exclusive_storage": false,
  sptotal: 0,
  spfree: 0,
  "ndp/cpu_speed": 1,
  ...change,
});

export const realmInstance = (
  name: string,
  nodes: readonly string[],
  change: Thing = {},
): Thing => ({
  name,
  disk_usage: 10368,
  "be/memory": 1024,
  "be/vcpus": 1,
  status: "running",
  pnode: nodes[0],
  snodes: nodes.slice(1),
  tags: [],
  "be/auto_balance": true,
  disk_template: nodes.length > 1 ? "drbd" : "plain",
  "be/spindle_use": 1,
  "disk.sizes": [10240],
  "disk.spindles": [null],
  forthcoming: false,
  ...change,
});

export const realmGroup = (change: Thing = {}): Thing => ({
  uuid: "uuid-1",
  name: "default",
  alloc_policy: "preferred",
  ipolicy: aPolicy,
  tags: [],
  ...change,
});

/** Three nodes; a test adds what it needs. */
export const aRealm = (change: Partial<Realm> = {}): Realm => ({
  nodes: ["node1", "node2", "node3"].map((name) => realmNode(name)),
  instances: [],
  groups: [realmGroup()],
  info: {
    tags: [],
    ipolicy: aPolicy,
    master: "node1",
    default_hypervisor: "fake",
    name: "cluster",
  },
  ...change,
});
