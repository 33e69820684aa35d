/** Resources that Ganeti does not have: about waiting jobs, and about the server itself. */
import { hindranceText } from "@ganeti-ts/job-queue";
import { JobId, type Json } from "@ganeti-ts/protocol";
import * as z from "zod";
import { HttpFault } from "../http/fault.js";
import type { Gate } from "../http/gate.js";
import { metricsType } from "../metrics.js";
import { faultOfQueue } from "./queue-fault.js";
import { type Method, Rendered, type Resource, resource } from "./resource.js";

const why: Method = {
  summary: "What keeps a job from running: for people, and for programs",
  access: "anybody",
  answer: z.array(z.looseObject({ kind: z.string(), text: z.string() })),
  handle: async ({ names }, { queue }) => {
    try {
      const causes = await queue.whyNotRunning(Number(names.job) as JobId);
      return causes.map((cause) => ({ ...(cause as object), text: hindranceText(cause) }) as Json);
    } catch (error) {
      throw faultOfQueue(error);
    }
  },
};

const Mirror = z.object({
  /** Progress in percent; null unless the mirror is synchronising. */
  sync_percent: z.number().nullable(),
  estimated_seconds: z.number().nullable(),
  degraded: z.boolean(),
});

const mirrors: Method = {
  summary:
    "Synchronisation of an instance's disks, without a job; null for disks without a mirror, or not active",
  access: "read",
  answer: z.array(Mirror.nullable()),
  handle: async ({ names }, { objects }) => {
    const answer = await objects.mirrors(names.instance as string);
    if (answer === undefined) throw new HttpFault(404);
    if (!answer.ok) throw new HttpFault(502, answer.message);
    return answer.value.map(
      (state) =>
        state && {
          sync_percent: state.syncPercent,
          estimated_seconds: state.estimatedSeconds,
          degraded: state.degraded,
        },
    );
  },
};

const Claimed = z.object({
  ...{ uuid: z.string(), kind: z.string(), job: JobId },
  /** Null for a job that is no longer known. The claim of a job that has ended is a leftover, which recovery removes. */
  job_status: z.string().nullable(),
  /** Seconds since the epoch. */
  since: z.number().nullable(),
  nodes: z.array(z.string()),
  instance: z.string().nullable(),
  /** Number of devices. */
  devices: z.int(),
});

const claims: Method = {
  summary:
    "Resources of nodes that jobs hold until their effect is in the configuration, and leftovers of ended jobs",
  access: "read",
  answer: z.array(Claimed),
  handle: async (_, { objects }) =>
    (await objects.claims()).map(({ jobStatus, deviceCount, nodes, ...claim }) => ({
      ...claim,
      ...{ job_status: jobStatus, nodes: [...nodes], devices: deviceCount },
    })),
};

export const ownResources: readonly Resource[] = [
  resource("/ganeti-ts/1/claims", { GET: claims }),
  resource("/ganeti-ts/1/instances/{instance}/mirrors", { GET: mirrors }),
  resource("/ganeti-ts/1/jobs/{job}/why", { GET: why }),
];

/** Time (ms) of waiting requests without the end of any, after which the server counts as stuck. */
const stuckMs = 30_000;

/** Health of this process, for monitoring, and for service managers that restart it. */
export const healthResource: Resource = {
  path: "/healthz",
  methods: {
    GET: {
      summary: "Whether the server works; 503 with a reason if it does not",
      access: "anybody",
      answer: z.object({ status: z.literal("ok") }),
      waits: true,
      handle: (_, { queue, gates }) => {
        if (!queue.isOpen) throw faultOfQueue(new Error("the queue has been stopped"));
        refuseIfStuck("the port", gates.port);
        refuseIfStuck("the local socket", gates.socket);
        return { status: "ok" };
      },
    },
  },
};

/** @throws HttpFault 503 if requests wait and no request ends */
function refuseIfStuck(where: string, gate: Gate): void {
  const still = gate.standstill();
  if (still === undefined || still.forMs < stuckMs) return;
  const { running, waiting, abandoned, forMs } = still;
  throw new HttpFault(
    503,
    `Requests on ${where} are stuck: ${running} running, ${waiting} waiting, ` +
      `${abandoned} abandoned by their clients, none has ended for ${Math.floor(forMs / 1000)} s`,
  );
}

export const metricsResource = (access: "anybody" | "read"): Resource => ({
  path: "/metrics",
  methods: {
    GET: {
      summary: "Figures of the server, for Prometheus",
      access,
      answer: z.string(),
      mediaType: metricsType,
      handle: async (_, { metrics }) => new Rendered(await metrics.text(), metricsType),
    },
  },
});
