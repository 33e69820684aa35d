/** Resources for simulated failures of nodes, with which administrators practise. */
import * as z from "zod";
import { HttpFault } from "../http/fault.js";
import { type MachineState, type Practice, PracticeError } from "../practice.js";
import type { World } from "../world.js";
import { checkedBody } from "./checked-body.js";
import { type Call, type Method, type Resource, resource } from "./resource.js";

const name = z.string().min(1);
const Machine = z.object({
  name,
  /** A node without power does not answer. */
  powered: z.boolean(),
  /** Factor by which calls and synchronisation are slowed down. */
  slowness: z.number(),
  /** Instances of its hypervisor. */
  instances: z.array(name),
  volume_groups: z.record(z.string(), z.object({ size_mib: z.int(), free_mib: z.int() })),
  missing_devices: z.array(name),
});

const SimulatedFailure = z.discriminatedUnion("action", [
  z.object({ action: z.enum(["kill", "revive", "empty-disk"]) }),
  z.object({ action: z.literal("slow"), times: z.number().min(1).max(1000).default(10) }),
  z.object({ action: z.literal("fill-disk"), free_mib: z.int().min(0).default(0) }),
  z.object({ action: z.enum(["break-disk", "mend-disk"]), device: name.optional() }),
  z.object({ action: z.enum(["crash", "user-shutdown"]), instance: name }),
]);

const state: Method = {
  summary: "How the machine of a simulated node is",
  access: "read",
  answer: Machine,
  handle: (call, world) => found(practiceOf(world).state(nodeOf(call)), call),
};

const happen: Method = {
  summary: "Lets something happen to the machine of a simulated node: it is gone, slow, full, …",
  access: "full",
  body: SimulatedFailure,
  answer: Machine,
  handle: async (call, world) => {
    const failure = checkedBody(SimulatedFailure, call.body);
    const node = nodeOf(call);
    world.log.info({ node, ...failure, user: call.user?.name ?? "owner" }, "simulated failure");
    try {
      const machine = found(await practiceOf(world).happen(node, failure), call);
      await world.record("simulate", { object: node, done: true, text: failure.action });
      return machine;
    } catch (error) {
      if (error instanceof PracticeError) throw new HttpFault(400, error.message);
      throw error;
    }
  },
};

const nodeOf = ({ names }: Call): string => names.node as string;

/** @throws HttpFault 400 where nodes are real */
function practiceOf({ practice }: World): Practice {
  if (practice !== undefined) return practice;
  throw new HttpFault(
    400,
    "The nodes of this cluster are not simulated: nothing can be tried on them",
  );
}

/** @throws HttpFault 404 */
function found(machine: MachineState | undefined, call: Call): MachineState {
  if (machine === undefined) throw new HttpFault(404, `Node '${nodeOf(call)}' not known`);
  return machine;
}

export const practiceResources: readonly Resource[] = [
  resource("/ganeti-ts/1/simulation/{node}", { GET: state, PUT: happen }),
];
