/** Resources that are not Ganeti's: about jobs that wait, and about the server itself. */
import { hindranceText } from "@ganeti-ts/job-queue";
import type { JobId, Json } from "@ganeti-ts/protocol";
import { z } from "zod";
import { metricsType } from "../metrics.js";
import { faultOfQueue } from "./queue-fault.js";
import { type Method, Rendered, type Resource } from "./resource.js";

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

export const ownResources: readonly Resource[] = [
  { path: "/ganeti-ts/1/jobs/{job}/why", methods: { GET: why } },
];

/** Whether this process does its work, for those who restart it where it does not. */
export const healthResource: Resource = {
  path: "/healthz",
  methods: {
    GET: {
      summary: "Whether the server works",
      access: "anybody",
      answer: z.object({ status: z.literal("ok") }),
      waits: true,
      handle: (_, { queue }) => {
        if (queue.isOpen) return { status: "ok" };
        throw faultOfQueue(new Error("the queue has been stopped"));
      },
    },
  },
};

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
