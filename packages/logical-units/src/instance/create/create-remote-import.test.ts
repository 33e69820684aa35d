import type { JsonObject } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { exporting } from "../../../test/support/exports.js";
import { failed, refused } from "../../../test/support/results.js";
import { awaiting, moved, twoClusters } from "../../../test/support/two-clusters.js";

describe("imports from another cluster", () => {
  test("a remote import transfers each disk and removes the instance from its former cluster", async () => {
    const clusters = await twoClusters();
    const { home, away, log, simulated } = clusters;
    expect(log).toEqual(["Generating X509 certificate on node1.example.com"]);
    const { exported, imported, announced } = await moved(clusters, { remove_instance: true });
    expect(exported).toMatchObject({ status: "success", result: [true, [true, true]] });
    expect(exported.log.filter((line) => !/isk.?1/.test(String(line)))).toEqual([
      "Shutting down instance web1.example.com",
      expect.stringMatching(/^Sending disk 0 to 198\.51\.100\.1:\d+$/),
      "Disk 0 is now sending data",
      "Disk 0 finished sending data",
      "Removing instance web1.example.com",
    ]);
    expect(imported).toMatchObject({ status: "success", result: ["far1.example.com"] });
    const from = imported.log.indexOf("* preparing remote import...");
    expect(imported.log.slice(from).filter((line) => !/isk.?1/.test(String(line)))).toEqual([
      "* preparing remote import...",
      "Disk 0 is now listening",
      "remote-import",
      "Disk 0 is now receiving data",
      "Disk 0 finished receiving data",
      "Running rename script for web1.example.com",
      "created",
    ]);
    expect(announced).toMatchObject({
      x509_ca: expect.stringMatching(/^X-Ganeti-Signature: [0-9a-f]+\//),
    });
    expect(home.config.snapshot.findInstance("web1")).toBeUndefined();
    expect(away.instance("web1").disks).toHaveLength(2);
    expect(home.volumesOn(1)).toEqual([]);
    expect(simulated.stateOf(away.nodes[0] ?? "")).toMatchObject({
      certificates: [],
      transfers: {},
    });
  });

  test("the instance's name in the other cluster is resolved with name_check only", async () => {
    const name = { source_instance_name: "unresolved.example.org" };
    const clusters = await twoClusters();
    const { away, prepared } = clusters;
    expect((await away.run(awaiting(prepared, { ...name, name_check: true }))).result).toEqual(
      refused(
        "The given name (unresolved.example.org) does not resolve: Name or service not known",
        "resolver_error",
      ),
    );
    const { imported } = await moved(clusters, {}, { ...name, name_check: false });
    expect(imported).toMatchObject({ status: "success", result: ["far1.example.com"] });
  });

  test("an import whose disks do not arrive fails, and so does the export, which keeps its instance", async () => {
    const clusters = await twoClusters();
    const { home, away } = clusters;
    const small = { disks: [{ size: 1024 }, { size: 1536 }] };
    const { exported, imported } = await moved(clusters, { remove_instance: true }, small);
    expect(exported).toMatchObject({
      status: "error",
      result: failed("Export failed, errors in disk export: disk(s) 0"),
    });
    const text =
      "Some disks for instance web1.example.com on node far1.example.com were not imported successfully";
    expect(imported).toMatchObject({ status: "error", result: failed(text) });
    expect(home.instance("web1").disks).toHaveLength(2);
    expect(away.instance("web1")).toMatchObject({ admin_state: "down" });
  });

  test("an export to an address with another cluster's listener fails", async () => {
    const clusters = await twoClusters();
    const { home, away, prepared } = clusters;
    const job = away.queue.submit([awaiting(prepared)]);
    const remote = (more: JsonObject) =>
      home.run(exporting({ mode: "remote", x509_key_name: prepared.x509_key_name ?? [], ...more }));
    const ca = prepared.x509_ca ?? "";
    const refusals = [
      [{ target_node: [] }, "Missing destination X509 CA"],
      [{ target_node: [], x509_key_name: [] }, "Missing X509 key name for encryption"],
      [
        { target_node: [[]], destination_x509_ca: ca },
        "Received destination information for 1 disks, but instance web1.example.com has 2 disks",
      ],
      [
        { target_node: [[], []], destination_x509_ca: ca, x509_key_name: ["a", "b"] },
        "Invalid data for X509 key name: not enough values to unpack (expected 3, got 2)",
      ],
      [
        { target_node: [[], []], destination_x509_ca: ca, x509_key_name: ["a", "b", "c"] },
        "HMAC for X509 key name is wrong",
      ],
      [
        { target_node: [["198.51.100.1", 5000, "m", "ff", "00"], []], destination_x509_ca: ca },
        "Target info for disk 0: HMAC is wrong",
      ],
      [
        { target_node: [["", 5000, "m", "ff", "00"], []], destination_x509_ca: ca },
        "Target info for disk 0: Missing destination host, port or magic",
      ],
    ] as const;
    for (const [more, message] of refusals) {
      expect((await remote(more as never)).result).toEqual(refused(message, "wrong_input"));
    }
    await away.queue.cancel(await job);
  });

  test.each([
    [{ source_handshake: [] }, "Missing source handshake"],
    [
      { source_handshake: [0, "ff"] },
      "Invalid handshake: Invalid data: not enough values to unpack (expected 3, got 2)",
    ],
    [
      { source_handshake: [0, "ff", "00"] },
      "Invalid handshake: Hash didn't match, clusters don't share the same domain secret",
    ],
    [{ source_x509_ca: null }, "Missing source X509 CA"],
    [{ source_instance_name: null }, "Missing source instance name"],
  ])("is refused with %j", async (more, message) => {
    const { away, prepared } = await twoClusters();
    const op = Object.fromEntries(
      Object.entries(awaiting(prepared, more)).filter(([, value]) => value !== null),
    ) as JsonObject;
    expect((await away.run(op)).result).toEqual(refused(message, "wrong_input"));
  });

  test("a remote import with an unsigned certificate or another secret is refused", async () => {
    const { away, prepared } = await twoClusters();
    const pem = String(prepared.x509_ca).split("\n\n")[1] ?? "";
    const unsigned = await away.run(awaiting(prepared, { source_x509_ca: pem }));
    expect(unsigned.result).toEqual(["GenericError", ["X509 certificate signature is missing"]]);
    const forged = `X-Ganeti-Signature: 00/ff\n\n${pem}`;
    const wrong = await away.run(awaiting(prepared, { source_x509_ca: forged }));
    expect(wrong.result).toEqual(["GenericError", ["X509 certificate signature is invalid"]]);
    const stranger = await twoClusters({ shared: false });
    expect((await stranger.away.run(awaiting(stranger.prepared))).result).toEqual(
      refused(
        "Invalid handshake: Hash didn't match, clusters don't share the same domain secret",
        "wrong_input",
      ),
    );
  });
});
