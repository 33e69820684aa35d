import { ssconfValues } from "@ganeti-ts/config";
import { expect, test } from "vitest";
import { busyCluster } from "./busy-cluster.js";

test("every node gets the same ssconf values, one per file", async () => {
  const { config } = await busyCluster(
    {},
    {
      uid_pool: [
        [1000, 1099],
        [2000, 2000],
      ],
      tags: ["b", "a"],
      candidate_pool_size: 2,
    },
  );
  const values = ssconfValues(config.snapshot);
  const shown = Object.entries(values)
    .filter(([key]) => !key.startsWith("hvparams_"))
    .map(([key, text]) => `== ${key}\n${text}`)
    .join("");
  await expect(shown).toMatchFileSnapshot("../golden/ssconf.txt");
  expect(values.hvparams_fake).toBe("migration_mode=live\n");
  expect(values.hvparams_kvm).toContain("\nacpi=True\n");
});
