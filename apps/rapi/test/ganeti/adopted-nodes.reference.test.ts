// Nodes of an adopted cluster: removed and added by Ganeti's own program, made candidates, and given new certificates. The
// ssh keys that nodes know are those that Ganeti's master gives them: GANETI_TS_RECORD=1 records these again.
import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { benchUnavailable, type ReferenceNode, withReferenceCluster } from "@ganeti-ts/reference";
import { describe, expect, test } from "vitest";
import {
  debian,
  handBack,
  newDataDirectory,
  removed,
  runOwn,
  startMaster,
  succeeded,
  textOf,
  until,
  verified,
} from "./adoption.js";
import { knownKeys, letMasterIn, withOwnHomes } from "./own-homes.js";

const problem = benchUnavailable();
if (problem !== undefined) console.warn(`SKIPPED, no test has run here: ${problem}`);

const digestOf = ({ clientPem }: ReferenceNode) =>
  new X509Certificate(readFileSync(clientPem)).fingerprint;

/** Digests that a node accepts from its callers. */
const acceptedBy = (node: ReferenceNode) =>
  textOf(node, "ssconf_master_candidates_certs")
    .trim()
    .split("\n")
    .map((line) => line.slice(line.indexOf("=") + 1))
    .sort();

const fixture = fileURLToPath(new URL("../fixtures/ganeti-ssh-keys.json", import.meta.url));
const isRecording = process.env.GANETI_TS_RECORD !== undefined;

const demotion = "gnt-node modify --master-candidate=no --auto-promote node3.example.com";
const promotion = "gnt-node modify --master-candidate=yes node3.example.com";
const removal = "gnt-node remove node3.example.com";
const adding = "gnt-node add --no-ssh-key-check -g g2 node3.example.com";
/** In the order of the test, after an instance is removed that is on the node. */
const changes = [demotion, promotion, removal, adding];
const removalOfInstance = "gnt-instance remove -f inst4.example.com";

const renew = "gnt-cluster renew-crypto --new-node-certificates --force";

describe.skipIf(problem !== undefined || !isRecording)("Ganeti's master", () => {
  test("has the ssh keys of its nodes recorded", () =>
    withReferenceCluster({}, async (plain) => {
      const bench = await withOwnHomes(plain);
      const [, , third] = bench.nodes;
      if (third === undefined) throw new Error("needs three nodes");
      await debian(bench, removalOfInstance);
      const lines: string[] = [];
      for (const change of changes) {
        if (change === adding) letMasterIn(bench, third);
        await debian(bench, change);
        lines.push(`${JSON.stringify(change)}: ${JSON.stringify(knownKeys(bench))}`);
      }
      writeFileSync(fixture, `{\n${lines.join(",\n")}\n}\n`);
    }));
});

describe.skipIf(problem !== undefined || isRecording)("An adopted cluster", () => {
  test("loses and gains nodes and gets new certificates, and is handed back with them", () =>
    withReferenceCluster({}, async (plain) => {
      const bench = await withOwnHomes(plain);
      const keysAfter = JSON.parse(readFileSync(fixture, "utf8"));
      /** By Debian's program; nodes know the keys afterwards that Ganeti's master gives them. */
      const changed = async (change: string) => {
        await debian(bench, change);
        expect([change, knownKeys(bench)]).toEqual([change, keysAfter[change]]);
      };
      const { nodes } = bench;
      const [, second, third] = nodes;
      if (second === undefined || third === undefined) throw new Error("needs three nodes");
      const data = newDataDirectory();
      try {
        const errors = await verified(bench);
        await bench.stopMaster();
        const master = await startMaster(bench, data, ["--adopt"]);
        const digests = () => nodes.map(digestOf).sort();
        const before = digestOf(third);
        // Nodes get the list within moments after the job.
        const isListed = (wanted: boolean) =>
          until(
            () => acceptedBy(second).includes(before) === wanted,
            `the other node ${wanted ? "accepts" : "refuses"} the certificate`,
          );
        const areListed = () =>
          until(
            () => nodes.every((node) => isDeepStrictEqual(acceptedBy(node), digests())),
            "all nodes accept exactly the present certificates",
          );

        await debian(bench, removalOfInstance);
        await changed(demotion);
        await isListed(false);
        await changed(promotion);
        await isListed(true);

        await changed(removal);
        expect(existsSync(third.clientPem)).toBe(false);
        await isListed(false);
        letMasterIn(bench, third);
        await changed(adding);
        await areListed();
        expect(digestOf(third)).not.toBe(before);
        const copied = () => textOf(third, "config.data") === textOf(bench.master, "config.data");
        await until(copied, "the new candidate has the configuration");
        expect(await verified(bench)).toEqual(errors);

        // The same by our own program, which prepares the machine over ssh as well.
        const byOriginal = digestOf(third);
        await debian(bench, removal);
        expect(existsSync(third.clientPem)).toBe(false);
        letMasterIn(bench, third);
        succeeded(adding, await runOwn(bench, data, adding));
        expect(knownKeys(bench)).toEqual(keysAfter[adding]);
        await areListed();
        expect(digestOf(third)).not.toBe(byOriginal);
        await until(copied, "the node that was added again has the configuration");
        expect(await verified(bench)).toEqual(errors);

        const old = digests();
        succeeded(renew, await runOwn(bench, data, renew));
        await areListed();
        expect(old.filter((digest) => digests().includes(digest))).toEqual([]);
        expect(await bench.call(third, "version", [])).toEqual([true, 3_000_000]);
        expect(await verified(bench)).toEqual(errors);
        await debian(bench, "gnt-instance reboot inst1.example.com");

        await master.stop();
        await handBack(bench, data, errors);
        await debian(bench, "gnt-instance reboot inst1.example.com");
        await debian(bench, demotion);
        await debian(bench, promotion);
      } finally {
        removed(data);
      }
    }));

  test("keeps nodes that accept the master when the server is killed while certificates are renewed", () =>
    withReferenceCluster({}, async (bench) => {
      const [, , third] = bench.nodes;
      if (third === undefined) throw new Error("needs three nodes");
      const data = newDataDirectory();
      const next = join(bench.master.dataFolder, "client.pem.next");
      try {
        await bench.stopMaster();
        let master = await startMaster(bench, data, ["--adopt"]);
        let before = digestOf(bench.master);
        const moments: Readonly<Record<string, () => boolean>> = {
          "the second certificate is made": () => existsSync(next),
          "a node accepts both": () =>
            acceptedBy(third).length === bench.nodes.length + 1 &&
            acceptedBy(third).includes(before),
          "the second one is used": () => digestOf(bench.master) !== before,
        };
        for (const [what, isSo] of Object.entries(moments)) {
          before = digestOf(bench.master);
          const running = runOwn(bench, data, renew);
          while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
          await master.kill();
          expect([what, (await running).status]).not.toEqual([what, 0]);
          for (const node of bench.nodes) {
            expect([what, await bench.call(node, "version", [])]).toEqual([
              what,
              [true, 3_000_000],
            ]);
          }
          master = await startMaster(bench, data);
          succeeded(renew, await runOwn(bench, data, renew));
          const digests = () => bench.nodes.map(digestOf).sort();
          await until(
            () => bench.nodes.every((node) => isDeepStrictEqual(acceptedBy(node), digests())),
            "all nodes accept exactly the present certificates",
          );
          expect(digestOf(bench.master)).not.toBe(before);
          expect(existsSync(next)).toBe(false);
        }
        await debian(bench, "gnt-instance reboot inst1.example.com");
        await master.stop();
      } finally {
        removed(data);
      }
    }));
});
