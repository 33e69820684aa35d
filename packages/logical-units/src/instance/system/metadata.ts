/** tellMetadata: parameters of an instance for the metadata service of its node. */
import { filledOsparams } from "@ganeti-ts/config";
import type { StoredObject } from "@ganeti-ts/node-calls";
import type { InstanceUuid, Json, RealInstance } from "@ganeti-ts/protocol";
import { ask, warn } from "../../unit/effects.js";
import type { World } from "../../unit/unit.js";

/** Tells the primary node, which passes it on; a failure is only warned of. One call. */
export async function tellMetadata(
  world: World,
  uuid: InstanceUuid,
  secret: Readonly<Record<string, Json>> = {},
): Promise<void> {
  const now = world.config.snapshot;
  const instance = now.instance(uuid) as RealInstance;
  const { public: open, private: hidden } = filledOsparams(now, instance);
  const answer = await ask(world, instance.primary_node, "instance_metadata_modify", {
    instance: instance as unknown as StoredObject,
    osparams: { public: open, private: hidden, secret },
  });
  if (answer.ok) return;
  warn(world, `Could not update metadata for instance '${instance.name}': ${answer.message}`);
}
