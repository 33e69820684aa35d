// A claim that names devices of an instance, which no faultless program makes.
import { newUuid } from "@ganeti-ts/config";
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
    const { config, run, simulated, volumesOn, nodes } = await simulatedCluster();
    const made = await run(create({ ...how, start: false }));
    expect(made.status, JSON.stringify(made.result)).toBe("success");
    const disk = [...config.snapshot.disks()][0] as RealDisk;
    const volumes = volumesOn(1);
    const claim = {
      ...{ kind: "removal", uuid: newUuid<ClaimUuid>(config.snapshot, config.random) },
      ...{ job: 99 as JobId, node: nodes[0], disks: [{ ...disk, forthcoming: true }] },
      ...{ serial_no: 1, ctime: 1, mtime: 1 },
    };
    await config.change(() => ({
      changes: [{ kind: "put", type: "claim", object: claim as never }],
      value: undefined,
    }));
    const before = brokenInvariants();
    expect(await recoverAll(config, simulated)).toEqual([]);
    expect(volumesOn(1)).toEqual(volumes);
    expect(brokenInvariants()).toBeGreaterThan(before);
    expect(config.snapshot.claim(claim.uuid)).toBeDefined();
  },
);
