import { describe, expect, test } from "vitest";
import { failed } from "../../../test/support/results.js";
import { staged } from "../../../test/support/web1.js";

const op = "OP_INSTANCE_MOVE";
const plain = { disk_template: "plain" };
const to3 = { target_node: "node3.example.com" };
const info = (text: string) => ` - INFO: ${text}`;

describe("instance move", () => {
  test("a move copies the disks and starts the instance at the target", async () => {
    const { on, placesOf, runningOn, volumesOn, expectTidy } = await staged(plain);
    const volumes = volumesOn(1);
    const { status, log } = await on(op, to3);
    expect(status).toBe("success");
    expect(log).toEqual([
      info("Shutting down instance web1.example.com on source node node1.example.com"),
      "Exporting disk/0 from node1.example.com to node3.example.com",
      "disk/0 is now listening, starting export",
      "disk/0 is receiving data on node3.example.com",
      "disk/0 is sending data on node1.example.com",
      "disk/0 finished receiving data",
      "disk/0 finished sending data",
      info("Removing the disks on the original node"),
      info("Starting instance web1.example.com on node node3.example.com"),
    ]);
    expect(placesOf()).toEqual(["node3.example.com"]);
    expect([runningOn(1), runningOn(3)]).toEqual([[], ["web1.example.com"]]);
    expect([volumesOn(1), volumesOn(3)]).toEqual([[], volumes]);
    expectTidy();
  });

  test("a move whose copy fails leaves the instance at the source", async () => {
    const { on, placesOf, simulated, volumesOn, expectTidy } = await staged(plain);
    simulated.fail({ kind: "refused", call: "export_start", times: 1, message: "no" });
    const { result, log } = await on(op, to3);
    expect(result).toEqual(failed("Errors during disk copy: Failed to transfer instance data"));
    expect(log).toContain(" - WARNING: Some disks failed to copy, aborting");
    expect(placesOf()).toEqual(["node1.example.com"]);
    expect([volumesOn(1).length, volumesOn(3).length]).toEqual([1, 0]);
    expectTidy();
    expect(await on(op, to3)).toMatchObject({ status: "success" });
  });

  test("a move of a stopped instance does not start it", async () => {
    const { on, runningOn } = await staged({ ...plain, start: false });
    const { log } = await on(op, to3);
    expect(log[0]).toBe(
      info("Not checking memory on the secondary node as instance will not be started"),
    );
    expect(runningOn(3)).toEqual([]);
  });
});
