import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newClusterPem, newNodePem } from "@ganeti-ts/machines";
import { afterAll, expect, test } from "vitest";
import { certificateFindings } from "./certificate-dates.js";

const data = mkdtempSync(join(tmpdir(), "certificates-"));
afterAll(() => rmSync(data, { recursive: true }));

const day = 86_400_000;
const made = Date.UTC(2026, 0, 1);
/** Certificates are valid for five years: the last day is 2030-12-31. */
const end = made + 1825 * day;

async function written(): Promise<void> {
  const clusterPem = await newClusterPem(made);
  writeFileSync(join(data, "server.pem"), clusterPem);
  writeFileSync(join(data, "client.pem"), await newNodePem(clusterPem, "node1", made));
  writeFileSync(join(data, "rapi.pem"), await newClusterPem(made + 90 * day));
}

test("certificates that expire within 30 days are notes, with their last day and the remedy", async () => {
  await written();
  const at = (daysLeft: number) => certificateFindings({ data }, end - daysLeft * day);
  expect(await at(31)).toEqual({ refusals: [], notes: [] });
  expect(await at(29)).toEqual({
    refusals: [],
    notes: [
      "server.pem expires on 2030-12-31: renew it with Ganeti first (gnt-cluster renew-crypto --new-cluster-certificate)",
      "client.pem expires on 2030-12-31: renew it with Ganeti first (gnt-cluster renew-crypto --new-node-certificates)",
    ],
  });
});

test("an expired certificate of the cluster prevents the adoption; those that nodes still accept do not", async () => {
  await written();
  const { refusals, notes } = await certificateFindings({ data }, end + day);
  expect(refusals).toEqual([expect.stringMatching(/^server\.pem has expired on 2030-12-31: /)]);
  expect(notes).toEqual([expect.stringMatching(/^client\.pem has expired on 2030-12-31: /)]);
});

test("missing and unreadable certificates are left to other checks", async () => {
  for (const file of ["server.pem", "client.pem"])
    writeFileSync(join(data, file), "no certificate\n");
  rmSync(join(data, "rapi.pem"), { force: true });
  expect(await certificateFindings({ data }, end + day)).toEqual({ refusals: [], notes: [] });
});
