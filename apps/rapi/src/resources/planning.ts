/** Planning resources: placement with reasons, capacity, and balancing moves. */
import type { Planned } from "@ganeti-ts/cluster";
import { Explanation, type Json } from "@ganeti-ts/protocol";
import * as z from "zod";
import type { World } from "../world.js";
import { fillOpcode } from "./job-method.js";
import { planBalance } from "./move-plans.js";
import { told } from "./planner-answers.js";
import { type Call, type Resource, resource } from "./resource.js";

/** An instance described and checked by the parameters of an opcode. */
const opcodeBody = { id: "OP_CLUSTER_CAPACITY", without: [] } as const;

const planned = ({ body }: Call): Planned =>
  fillOpcode("OP_CLUSTER_CAPACITY", body, { reason: [] }) as Planned;

const Placed = z.array(z.object({ name: z.string(), nodes: z.array(z.string()) }));

const GroupPlacement = z.object({
  /** Score as computed by hbal; lower is better. */
  score: z.number(),
  /** Weighted terms, whose sum is the score. */
  terms: z.record(z.string(), z.number()),
  /** Memory (MiB) that the tightest node has left when the worst of its peers dies. */
  n1_slack: z.number(),
  n1_failing_nodes: z.int(),
});

export const planningResources: readonly Resource[] = [
  resource("/ganeti-ts/1/placement", {
    GET: {
      summary: "Score with its terms and N+1 of each group that has nodes online",
      access: "read",
      answer: z.record(z.string(), GroupPlacement),
      handle: (_, world) => placementOf(world),
    },
  }),
  resource("/ganeti-ts/1/explain", {
    POST: {
      summary: "Where such an instance would go now, with every candidate and why it is worse",
      access: "read",
      opcodeBody,
      answer: Explanation,
      handle: async (call, { planner }) =>
        (await told(() => planner.explain(planned(call), call.signal))) as Json,
    },
  }),
  resource("/ganeti-ts/1/capacity", {
    POST: {
      summary: "How many such instances fit now, and where each would go",
      access: "read",
      opcodeBody,
      answer: z.object({
        allocator: z.string(),
        info: z.string(),
        count: z.int(),
        placed: Placed,
        figures: z.looseObject({}),
      }),
      handle: async (call, { planner }) => ({
        ...(await told(() => planner.capacity(planned(call), call.signal))),
      }),
    },
  }),
  resource("/ganeti-ts/1/balance", {
    GET: {
      summary: "Which moves would balance a group; carried out by OP_CLUSTER_BALANCE",
      access: "read",
      query: {
        group: "Name or UUID; needed where several groups have nodes",
        "max-moves": "How many at most",
      },
      answer: z.looseObject({
        allocator: z.string(),
        info: z.string(),
        moved: z.array(z.looseObject({ name: z.string(), nodes: z.array(z.string()) })),
        jobs: z.array(z.array(z.looseObject({ OP_ID: z.string() }))),
        figures: z.looseObject({}),
      }),
      handle: async ({ query }, { planner }) => {
        const movesMax = query.integer("max-moves", -1);
        return { ...(await told(() => planner.balance(query.text("group") ?? null, movesMax))) };
      },
    },
    POST: planBalance,
  }),
];

async function placementOf({ planner }: World): Promise<Json> {
  const { score, terms, n1SlackMib, n1FailingNodes } = await planner.figures();
  return Object.fromEntries(
    Object.entries(score).map(([group, total]) => [
      group,
      {
        score: total,
        terms: { ...terms[group] },
        n1_slack: n1SlackMib[group] ?? 0,
        n1_failing_nodes: n1FailingNodes[group] ?? 0,
      },
    ]),
  );
}
