// gnt-cluster adopt, master-failover and hand-back with a database of PostgreSQL.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { benchUnavailable, type ReferenceNode, withReferenceCluster } from "@ganeti-ts/reference";
import { programs, startPostgres } from "@ganeti-ts/testkit/postgres";
import { describe, expect, test } from "vitest";
import {
  expectHandedBack,
  newDataDirectory,
  removed,
  runOwn,
  runServer,
  succeeded,
  verified,
} from "./adoption.js";

const problem =
  benchUnavailable() ?? (programs === undefined ? "PostgreSQL 15 is not installed" : undefined);
if (problem !== undefined) console.warn(`SKIPPED, no test has run here: ${problem}`);

describe.skipIf(problem !== undefined)("A cluster of Ganeti", () => {
  test(
    "is adopted into a database, taken over from there by another candidate, and handed back",
    { timeout: 600_000 },
    () =>
      withReferenceCluster({}, async (bench) => {
        const [first, second] = bench.nodes;
        if (second === undefined) throw new Error("needs two nodes");
        const database = await startPostgres();
        const [data, other, third] = [newDataDirectory(), newDataDirectory(), newDataDirectory()];
        const store = `--store=${database.url}`;
        const succeeds = async (folder: string, line: string, node: ReferenceNode = first) =>
          succeeded(line, await runOwn(bench, folder, line, node));
        try {
          const errors = await verified(bench);
          await bench.stopMaster();
          expect(await succeeds(data, `gnt-cluster adopt --check ${store}`)).toContain(
            "The cluster can be taken over.",
          );
          expect(await succeeds(data, `gnt-cluster adopt ${store}`)).toContain("is served from");
          await succeeds(data, "gnt-cluster add-tags in:database");

          const taken = "the database of --store holds a cluster already: name another database";
          for (const words of ["--check ", ""]) {
            const refused = await runOwn(bench, other, `gnt-cluster adopt ${words}${store}`);
            expect([refused.status, refused.stdout]).toEqual([
              1,
              expect.stringContaining(`refused: ${taken}\n`),
            ]);
          }
          const needless = await runOwn(bench, data, `gnt-cluster master-failover ${store}`);
          expect([needless.status, needless.stderr]).toEqual([
            1,
            expect.stringContaining("--store is for a master candidate on which no server runs"),
          ]);
          const pid = readFileSync(join(data, "rapi.pid"), "utf8").trim();
          await bench.exec("kill", ["-KILL", pid]);
          const program = await runServer(bench, other, ["--adopt", store, "-p", "0"]);
          expect([program.status, program.stderr]).toEqual([1, expect.stringContaining(taken)]);
          expect(await succeeds(third, `gnt-cluster master-failover ${store}`, second)).toContain(
            "This node is the master",
          );
          expect(await succeeds(third, "gnt-cluster list-tags", second)).toContain("in:database");
          const again = "gnt-node modify --master-candidate=yes node1.example.com";
          await succeeds(third, again, second);
          expect(await succeeds(third, `gnt-cluster hand-back ${store}`, second)).toContain(
            "Ganeti's daemons have the cluster again",
          );
          await expectHandedBack(bench, errors, second);
          const tags = await bench.exec("gnt-cluster", ["list-tags"], { node: second });
          expect(tags.stdout).toContain("in:database");
        } finally {
          for (const folder of [data, other, third]) removed(folder);
          // Connections of servers that the bench ends later keep no test waiting.
          void database.stop();
        }
      }),
  );
});
