// Random requests to the planner, which change nothing, whatever happens meanwhile.
import type { JsonObject } from "@ganeti-ts/protocol";
import type { Dice } from "@ganeti-ts/testkit/simulation";
import type { Planner } from "../../src/index.js";
import type { Scope } from "./workload.js";

/** Makes one request and waits for the answer. @throws OperationError if there is none */
export async function randomPlan(planner: Planner, dice: Dice, scope: Scope): Promise<void> {
  const wanted: JsonObject = {
    disk_template: dice.pick(["plain", "drbd", "file"]),
    disks: [{ size: 1024 }],
    beparams: { memory: 512 },
    nics: [{}],
  };
  const nodes = [scope.node()];
  await dice.pick<() => Promise<unknown>>([
    () => planner.place(wanted),
    () => planner.explain(wanted),
    () => planner.capacity(wanted),
    () => planner.balance("default", 5),
    () => planner.balancePlan({ group: "default" }),
    () => planner.evacuationPlan({ nodes, scope: dice.pick(["primaries", "all", "other-groups"]) }),
    () => planner.figures(),
  ])();
}
