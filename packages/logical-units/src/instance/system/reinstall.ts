/**
 * OP_INSTANCE_REINSTALL: runs the create scripts of an operating system again on a stopped
 * instance.
 */

import { filledOsparams, instanceOnNode, secondaryNodes } from "@ganeti-ts/config";
import type { Json, OpcodeOf, Parameters, ParameterValue, RealInstance } from "@ganeti-ts/protocol";
import { instanceHooks } from "../../hooks/instance-hooks.js";
import { ask, info, valueOrFail } from "../../unit/effects.js";
import { asExclusive, instanceLock } from "../../unit/locks.js";
import { wrongInput } from "../../unit/refusals.js";
import { areChecksAll, contextAt, type Unit, type UnitContext } from "../../unit/unit.js";
import { imageDisks } from "../disks/disk-content.js";
import { shutdownDisks, startDisks } from "../running/activation.js";
import { checkNodeOnline, checkOsparams } from "../running/node-checks.js";
import { checkInstanceState } from "../running/running.js";
import { changeInstance, down, namedRealInstance, nodeName } from "../state.js";
import { tellMetadata } from "./metadata.js";
import { helperTimeouts, installVirtualized, mayRunOnNode } from "./virtual-install.js";

export const reinstall: Unit<"OP_INSTANCE_REINSTALL"> = {
  opcode: "OP_INSTANCE_REINSTALL",
  hooks: instanceHooks("instance-reinstall"),

  locks: (op, now) => asExclusive(instanceLock(namedRealInstance(now, op))),

  async run(op, world) {
    const now = world.config.snapshot;
    const context = contextAt(world, now);
    const instance = namedRealInstance(now, op);
    const givenImage = op.osparams?.["os-image"];
    if (typeof givenImage === "string" && !/^(\/|[a-z]+:\/\/)/.test(givenImage)) {
      wrongInput("OS image must be an absolute path or a URL");
    }
    checkNodeOnline(now, instance.primary_node, "Instance primary node offline, cannot reinstall");
    if (instance.disks.length === 0) wrongInput(`Instance '${instance.name}' has no disks`);
    await checkInstanceState(context, instance, down, "cannot reinstall");
    const changed: RealInstance = {
      ...instance,
      os: op.os_type ?? instance.os,
      osparams: updated(instance.osparams, op.osparams),
      osparams_private: updated(instance.osparams_private, op.osparams_private),
    };
    const filled = filledOsparams(now, changed);
    const hidden = { ...filled.private, ...op.osparams_secret };
    const osparams = { open: filled.public, hidden };
    const nodes = [instance.primary_node, ...secondaryNodes(now, instance)];
    await checkOsparams(context, nodes, changed.os, osparams, op.force_variant);
    if (await areChecksAll(world, op)) return null;

    if (givenImage !== undefined) world.log(`Using OS image '${givenImage}'`);
    if (op.os_type !== undefined) world.log(`Changing OS scripts to '${op.os_type}'...`);
    const { os, osparams: own, osparams_private } = changed;
    const image = own["os-image"];
    if (image === undefined && os === "") {
      const nothing =
        "No OS scripts or OS image specified or found in the instance's configuration";
      info(world, `${nothing}, nothing to install`);
      return null;
    }
    await changeInstance(world, instance.uuid, (before) => ({
      ...before,
      os,
      osparams: own,
      osparams_private,
    }));
    const isTrusted = os === "" || (await mayRunOnNode(world, changed));
    await startDisks(world, changed, null);
    try {
      const latest = world.config.snapshot;
      if (typeof image === "string") await imageDisks(contextAt(world, latest), changed, image);
      if (!isTrusted) {
        await installVirtualized(
          world,
          world.config.snapshot.instance(instance.uuid) as RealInstance,
          {
            startupTimeoutSeconds: helperTimeouts.startup,
            hasMemory: false,
            timeoutSeconds: helperTimeouts.shutdown,
            secretOsparams: op.osparams_secret ?? {},
          },
        );
      } else if (os !== "") {
        await runCreateScripts(contextAt(world, latest), changed, op);
      }
      await tellMetadata(world, instance.uuid, op.osparams_secret);
    } finally {
      await shutdownDisks(world, changed);
    }
    return null;
  },
};

/** Runs the scripts on the primary node. @throws ExecError */
async function runCreateScripts(
  context: UnitContext,
  instance: RealInstance,
  op: OpcodeOf<"OP_INSTANCE_REINSTALL">,
): Promise<void> {
  info(context, "Running instance OS create scripts...");
  const { name, primary_node: node } = instance;
  valueOrFail(
    await ask(context, node, "instance_os_add", {
      instance: instanceOnNode(context.now, instance, { osparams: op.osparams_secret ?? {} }),
      reinstall: true,
      debugLevel: op.debug_level,
    }),
    `Could not install OS for instance '${name}' on node '${nodeName(context.now, node)}'`,
  );
}

/** `default` removes a value. */
function updated(old: Parameters, given: Readonly<Record<string, Json>> = {}): Parameters {
  const merged = { ...old, ...given } as Record<string, ParameterValue>;
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== "default"));
}
