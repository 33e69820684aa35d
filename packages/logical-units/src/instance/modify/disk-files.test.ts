// Files of disks that are detached and attached: at every failure they stay where the configuration has them.
import { faultsAtRest, lostData } from "@ganeti-ts/simulated-nodes/at-rest";
import { expect, test } from "vitest";
import { staged } from "../../../test/support/web1.js";

test.each([
  { type: "file", kind: "lost after" },
  { type: "file", kind: "refused" },
  { type: "sharedfile", kind: "lost after" },
] as const)(
  "a $type disk whose move fails ($kind) is neither detached nor lost",
  async ({ type, kind }) => {
    const disks = [{ size: 1024 }, { size: 1024, name: "data" }];
    const { on, web1, config, simulated, nodes } = await staged({
      disk_template: type,
      disks,
      start: false,
    });
    const faults = () => [
      ...faultsAtRest(config.snapshot, simulated),
      ...lostData(config.snapshot, simulated),
    ];
    const fail = () =>
      simulated.fail({ kind, call: "blockdev_rename", node: nodes[0] ?? "", times: 1 });
    const change = (one: readonly [string, string | number, object]) =>
      on("OP_INSTANCE_SET_PARAMS", { disks: [one] as never });
    const detach = ["detach", "data", {}] as const;
    fail();
    expect((await change(detach)).status).toBe("error");
    expect(web1().disks).toHaveLength(2);
    expect(faults()).toEqual([]);
    expect((await change(detach)).status).toBe("success");
    fail();
    const attach = ["attach", -1, { name: "data" }] as const;
    expect((await change(attach)).status).toBe("error");
    expect(web1().disks).toHaveLength(1);
    expect(faults()).toEqual([]);
    expect((await change(attach)).status).toBe("success");
    expect(faults()).toEqual([]);
  },
);
