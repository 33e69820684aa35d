import type { JsonObject } from "@ganeti-ts/protocol";
import { noopOs } from "@ganeti-ts/simulated-nodes";
import { creationOf } from "@ganeti-ts/testkit/configuration";
import { expect, test } from "vitest";
import { failed, refused } from "../../../test/support/results.js";
import { simulatedCluster } from "../../../test/support/simulated.js";

async function stage(more: JsonObject = {}) {
  const parameters = [["size", "how big it is to be"]] as const;
  const host = { operatingSystems: [{ ...noopOs, parameters }] };
  const cluster = await simulatedCluster({ host });
  await cluster.run(
    creationOf("web1.example.com", {
      ...{ pnode: "node1.example.com", start: false, no_install: true },
      ...more,
    }),
  );
  const reinstall = (given: JsonObject = {}) =>
    cluster.run({ OP_ID: "OP_INSTANCE_REINSTALL", instance_name: "web1.example.com", ...given });
  return { ...cluster, reinstall };
}

test("a stopped instance gets its operating system again, or another one", async () => {
  const { reinstall, instance } = await stage();
  expect(await reinstall({ os_type: "noop+default", osparams: { size: "big" } })).toEqual({
    status: "success",
    result: null,
    log: [
      "Changing OS scripts to 'noop+default'...",
      " - INFO: Running instance OS create scripts...",
    ],
  });
  expect(instance("web1")).toMatchObject({ osparams: { size: "big" }, disks_active: false });
  expect((await reinstall({ osparams: { size: "default" } })).status).toBe("success");
  expect(instance("web1").osparams).toEqual({});
});

test("a reinstallation is refused for running instances and unknown operating systems", async () => {
  const { reinstall, run } = await stage();
  expect((await reinstall({ os_type: "nosuch" })).result).toEqual([
    ...failed(expect.stringMatching(/^OS Parameters validation failed on node node1/)),
  ]);
  await run({ OP_ID: "OP_INSTANCE_STARTUP", instance_name: "web1.example.com" });
  expect((await reinstall()).result).toEqual(
    refused("Instance 'web1.example.com' is marked to be up, cannot reinstall", "wrong_state"),
  );
});

test("a failed reinstallation leaves the disks inactive", async () => {
  const { reinstall, simulated, instance } = await stage();
  simulated.fail({ kind: "refused", call: "instance_os_add", message: "no space" });
  expect((await reinstall()).result).toEqual(
    failed(
      "Could not install OS for instance 'web1.example.com' on node 'node1.example.com': no space",
    ),
  );
  expect(instance("web1")).toMatchObject({ disks_active: false });
});
