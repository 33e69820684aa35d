// Life cycles of instances on three real nodes with QEMU, for the disk templates that run on any machine. The steps are those that
// simulated nodes take in virtual time; the cluster must be sound after each of them.
import type { JsonObject } from "@ganeti-ts/protocol";
import { creation, removal, stepsOf, surprises, web } from "@ganeti-ts/testkit/template-steps";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lackingForRealNodes } from "../../src/demo/real/outer.js";
import { type ActionCluster, actionCluster, actionNodes, type EndedJob } from "./action-cluster.js";

const lacks = await lackingForRealNodes({ system: undefined });
if (lacks.length > 0) console.warn(`SKIPPED: ${lacks.join("; ")}`);

const templates = ["file", "sharedfile", "diskless"] as const;

/** Opcodes that stop a guest, and the parameter with the time it gets: systems without a job for it do not listen. */
const stops: Readonly<Record<string, string>> = {
  ...{ OP_INSTANCE_SHUTDOWN: "timeout", OP_INSTANCE_REBOOT: "shutdown_timeout" },
  ...{ OP_INSTANCE_FAILOVER: "shutdown_timeout", OP_INSTANCE_MOVE: "shutdown_timeout" },
  ...{ OP_INSTANCE_REMOVE: "shutdown_timeout", OP_BACKUP_EXPORT: "shutdown_timeout" },
};

/** Opcodes of a verification, with their results on a sound cluster. A machine in a namespace may lack parts of /proc. */
const verifications: readonly (readonly [opcode: JsonObject, sound: unknown])[] = [
  [{ OP_ID: "OP_CLUSTER_VERIFY_CONFIG" }, true],
  [
    { OP_ID: "OP_CLUSTER_VERIFY_GROUP", group_name: "default", ignore_errors: ["ENODESETUP"] },
    true,
  ],
  [{ OP_ID: "OP_GROUP_VERIFY_DISKS", group_name: "default" }, [{}, [], {}]],
];

describe.skipIf(lacks.length > 0)("on real nodes", () => {
  let cluster: ActionCluster;
  const run = (opcode: JsonObject): Promise<EndedJob> => {
    const time = stops[String(opcode.OP_ID)];
    return cluster.ended(time === undefined ? opcode : { ...opcode, [time]: 0 });
  };
  beforeAll(async () => {
    cluster = await actionCluster();
    const allowed = {
      enabled_disk_templates: [...templates],
      ipolicy: { "disk-templates": [...templates] },
    };
    expect(await run({ OP_ID: "OP_CLUSTER_SET_PARAMS", ...allowed })).toMatchObject({
      status: "success",
    });
  });
  afterAll(() => cluster?.close());

  const unsound = async (): Promise<readonly unknown[]> => {
    const found: unknown[] = [];
    for (const [opcode, sound] of verifications) {
      const { result, log } = await run(opcode);
      if (JSON.stringify(result) !== JSON.stringify(sound)) found.push([opcode, result, log]);
    }
    return found;
  };
  const left = async (): Promise<readonly string[]> => {
    const files = "find /srv/ganeti /run/ganeti/kvm-hypervisor/pid -type f 2> /dev/null; true";
    return Promise.all(actionNodes.map((node) => cluster.on(node, files)));
  };

  test.each(templates)(
    "an instance with the disk template %s survives all operations, and nothing is left after its removal",
    async (template) => {
      const before = await left();
      await cluster.done(web, { ...creation(template), os_type: "debian+small" });
      const steps = stepsOf(template).filter(({ changesGroup }) => !changesGroup);
      for (const step of [...steps, { title: "it is removed", opcodes: [removal] }]) {
        expect(await surprises(run, step, template)).toEqual([]);
        expect([step.title, await unsound()]).toEqual([step.title, []]);
      }
      expect(await left()).toEqual(before);
    },
  );
});
