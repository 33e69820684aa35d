import { noopOs } from "@ganeti-ts/simulated-nodes";
import { expect, test } from "vitest";
import { refused } from "../../test/support/results.js";
import { simulatedCluster } from "../../test/support/simulated-cluster.js";

const provider = {
  name: "nas",
  path: "/usr/share/ganeti/extstorage/nas",
  valid: true,
  fault: "",
  parameters: [["pool", "where"]] as const,
};

const stage = (cluster = {}) =>
  simulatedCluster(
    { nodeCount: 2, cluster },
    {
      hosts: [
        {
          name: "node1.example.com",
          operatingSystems: [noopOs, { ...noopOs, name: "debian", variants: ["a", "b"] }],
          extStorage: [provider],
        },
        {
          name: "node2.example.com",
          operatingSystems: [
            noopOs,
            { ...noopOs, name: "debian", variants: ["b", "c"], apiVersions: [15, 20] },
            { ...noopOs, name: "broken", valid: false, fault: "no scripts" },
          ],
        },
      ],
    },
  );

const diagnose = (output_fields: readonly string[], names: readonly string[] = []) => ({
  OP_ID: "OP_OS_DIAGNOSE",
  output_fields,
  names,
});

test("an operating system has the variants and parameters common to all nodes", async () => {
  const { run } = await stage();
  expect((await run(diagnose(["name", "variants", "api_versions"]))).result).toEqual([
    ["debian", ["b"], [20]],
    ["noop", ["default"], [20]],
  ]);
});

test("only queries for the validity or hidden state of systems include unusable ones", async () => {
  const { run } = await stage({ hidden_os: ["noop"], blacklisted_os: ["debian"] });
  expect((await run(diagnose(["name"]))).result).toEqual([]);
  expect((await run(diagnose(["name", "hidden", "blacklisted", "valid"]))).result).toEqual([
    ["broken", false, false, false],
    ["debian", false, true, true],
    ["noop", true, false, true],
  ]);
  expect((await run(diagnose(["name", "hidden"], ["noop", "debian"]))).result).toEqual([
    ["noop", true],
  ]);
});

test("an unknown field is refused", async () => {
  const { run } = await stage();
  expect((await run(diagnose(["name", "nonsense"]))).result).toEqual(
    refused("Unknown output fields selected: nonsense", "wrong_input"),
  );
});

test("providers of external storage are listed with their state on each node", async () => {
  const { run, nodes } = await stage();
  const op = { OP_ID: "OP_EXT_STORAGE_DIAGNOSE", output_fields: ["name", "node_status"] };
  const { result } = await run(op);
  expect(result).toMatchObject([["nas", { [nodes[0] as string]: [expect.anything()] }]]);
});

test("an unknown provider is refused", async () => {
  const { run } = await stage();
  const op = { OP_ID: "OP_EXT_STORAGE_DIAGNOSE", output_fields: ["name"], names: ["san"] };
  expect((await run(op)).result).toEqual(
    refused("ExtStorage provider name san not found", "unknown_entity"),
  );
});
