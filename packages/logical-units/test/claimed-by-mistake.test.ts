// A claim that names devices of an instance, which no faultless program makes: this one refuses it, and finds one that is stored.
import { createMemoryStore, newUuid } from "@ganeti-ts/config";
import { brokenInvariants, type ClaimUuid, type JobId, type RealDisk } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { recoverAll } from "./support/next-server.js";
import { create, mirrored } from "./support/opcodes.js";
import { simulatedCluster } from "./support/simulated.js";

test.each([
  ["plain", {}],
  ["mirrored", mirrored],
])(
  "recovery leaves a claimed volume alone that is part of a %s disk of an instance, and reports it",
  async (_, how) => {
    const store = createMemoryStore();
    const { config, run, simulated, volumesOn, nodes } = await simulatedCluster({ store });
    const made = await run(create({ ...how, start: false }));
    expect(made.status, JSON.stringify(made.result)).toBe("success");
    const disk = [...config.snapshot.disks()][0] as RealDisk;
    const children = disk.children.map((child) => ({ ...child, forthcoming: true }));
    const reserved = { ...disk, children, forthcoming: true };
    const volumes = volumesOn(1);
    const claim = {
      ...{ kind: "removal", uuid: newUuid<ClaimUuid>(config.snapshot, config.random) },
      ...{ job: 99 as JobId, node: nodes[0], disks: [reserved] },
      ...{ serial_no: 1, ctime: 1, mtime: 1 },
    };
    const put = { kind: "put", type: "claim", object: claim as never } as const;
    const change = config.change(() => ({ changes: [put], value: undefined }));
    await expect(change).rejects.toThrow(`would hold a volume of disk ${disk.uuid}`);
    const { serial: expectedSerial } = config.snapshot;
    const serial = expectedSerial + 1;
    const document = JSON.stringify(claim);
    const rows = [{ type: "claim", uuid: claim.uuid, serial, document } as const];
    expect(await store.commit({ expectedSerial, serial, rows })).toBe("done");
    await config.refresh();
    const before = brokenInvariants();
    expect(await recoverAll(config, simulated)).toEqual([]);
    expect(volumesOn(1)).toEqual(volumes);
    expect(brokenInvariants()).toBeGreaterThan(before);
    expect(config.snapshot.claim(claim.uuid)).toBeDefined();
  },
);
