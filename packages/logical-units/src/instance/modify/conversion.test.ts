// Conversion of plain disks to mirrored ones: at every failure the volumes with the data stay.
import { expect, test } from "vitest";
import { modifiable } from "../../../test/support/modifiable.js";

const toMirrored = { disk_template: "drbd", remote_node: "node2.example.com" };
const twoDisks = { disks: [{ size: 1024 }, { size: 2048 }] };

test("a conversion whose renaming succeeds without an answer keeps the data", async () => {
  const { modify, about, config, simulated, rest, nodes } = await modifiable(twoDisks);
  const node = nodes[0] ?? "";
  simulated.fail({ kind: "lost after", call: "blockdev_rename", node, times: 1 });
  expect((await modify(toMirrored)).status).toBe("error");
  expect(config.snapshot.disksOf(about())).toMatchObject([
    { dev_type: "plain" },
    { dev_type: "plain" },
  ]);

  expect(rest()).toEqual([]);
});
