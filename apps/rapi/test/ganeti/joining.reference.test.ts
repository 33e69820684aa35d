// Input for the programs of Ganeti that prepare a machine, judged by these programs themselves.

import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Snapshot } from "@ganeti-ts/config";
import { daemonInput, joinInput } from "@ganeti-ts/machines";
import type { JsonObject } from "@ganeti-ts/protocol";
import { benchUnavailable, withReferenceCluster } from "@ganeti-ts/reference";
import { readOriginalConfiguration } from "@ganeti-ts/takeover";
import { describe, expect, test } from "vitest";
import { newDataDirectory, removed } from "./adoption.js";

const problem = benchUnavailable();
if (problem !== undefined) console.warn(`SKIPPED, no test has run here: ${problem}`);

describe.skipIf(problem !== undefined)("Programs of Ganeti that prepare a machine", () => {
  test("accept what our gnt-node add sends them, and refuse other forms of it", () =>
    withReferenceCluster({}, async (bench) => {
      const { master } = bench;
      const folder = newDataDirectory();
      try {
        const { content } = await readOriginalConfiguration({ data: master.dataFolder });
        const now = Snapshot.of(content);
        // The programs do not examine the content.
        for (const end of ["", ".pub"])
          writeFileSync(join(folder, `ssh_host_rsa_key${end}`), "KEY\n");
        copyFileSync(master.serverPem, join(folder, "server.pem"));
        const lines = content.nodes.map(({ uuid }, at) => `${uuid} ssh-rsa KEY${at}\n`);
        writeFileSync(join(folder, "ganeti_pub_keys"), lines.join(""));
        const site = { host: master.name, root: undefined, data: folder };
        const joining = joinInput(now, site, folder);
        expect(joining.authorized_keys).toEqual(
          Object.fromEntries(content.nodes.map(({ uuid }, at) => [uuid, [`ssh-rsa KEY${at}`]])),
        );
        const daemon = daemonInput(now, { ...site, data: master.dataFolder }, "node3.example.com");
        const judged = async (program: string, input: JsonObject) => {
          const { status, stderr } = await bench.attempt(
            `/usr/lib/ganeti/${program}`,
            ["--dry-run"],
            {
              input: JSON.stringify(input),
            },
          );
          return status === 0 ? "accepted" : stderr;
        };
        expect(await judged("prepare-node-join", joining)).toBe("accepted");
        expect(await judged("prepare-node-join", { ...joining, more: 1 })).not.toBe("accepted");
        const { ssconf: _, ...withoutSsconf } = daemon;
        expect(await judged("node-daemon-setup", daemon)).toBe("accepted");
        expect(await judged("node-daemon-setup", withoutSsconf)).toContain("Ssconf values");
      } finally {
        removed(folder);
      }
    }));
});
