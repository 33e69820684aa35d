/** OP_INSTANCE_QUERY_DATA: data of instances, from the configuration and from their nodes. */

import { groupOf, nodesOfInstance, type Snapshot } from "@ganeti-ts/config";
import { compareNaturally, type InstanceObject, type OpcodeOf } from "@ganeti-ts/protocol";
import { warn } from "../../unit/effects.js";
import { asShared, groupLock, instanceLock, networkLock, nodeLock } from "../../unit/locks.js";
import { areChecksAll, contextAt, type Unit } from "../../unit/unit.js";
import { shownName } from "../state.js";
import { instanceData } from "./instance-data.js";

type Op = OpcodeOf<"OP_INSTANCE_QUERY_DATA">;

export const queryData: Unit<"OP_INSTANCE_QUERY_DATA"> = {
  opcode: "OP_INSTANCE_QUERY_DATA",

  /** Static data need no locks. */
  locks(op, now) {
    if (op.static && !op.use_locking) return [];
    // The run reports the unknown name after its warning.
    if (op.instances.some((name) => now.findInstance(name) === undefined)) return [];
    return wantedInstances(op, now).flatMap((instance) => {
      if (instance.forthcoming) return asShared(instanceLock(instance));
      const nodes = nodesOfInstance(now, instance);
      return asShared(
        instanceLock(instance),
        ...nodes.flatMap((node) => groupOf(now, node)?.uuid ?? []).map(groupLock),
        ...nodes.map(nodeLock),
        ...instance.nics.flatMap(({ network }) => network ?? []).map(networkLock),
      );
    });
  },

  /** Result: data by instance name. */
  async run(op, world) {
    const now = world.config.snapshot;
    if (!op.static && !op.use_locking) {
      warn(world, "Non-static data requested, locks need to be acquired");
    }
    const wanted = wantedInstances(op, now);
    if (await areChecksAll(world, op)) return null;
    const described = await Promise.all(
      wanted.map(async (instance) => {
        return [
          shownName(instance),
          await instanceData(contextAt(world, now), instance, op.static),
        ] as const;
      }),
    );
    return Object.fromEntries(described);
  },
};

/** The named instances, or all. @throws ConfigError */
function wantedInstances({ instances }: Op, now: Snapshot): readonly InstanceObject[] {
  if (instances.length > 0) return instances.map((name) => now.expectInstance(name));
  return [...now.instances()].sort((a, b) => compareNaturally(shownName(a), shownName(b)));
}
