// A bench with Ganeti 3.1 of Debian 13, whose root file system is unpacked into the cache folder.
import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { benchUnavailable, withReferenceCluster } from "../src/index.js";
import { membersOf, namespaceOf } from "../src/keeper.js";

const problem = benchUnavailable("3.1");
if (problem !== undefined) console.warn(`SKIPPED, no test has run here: ${problem}`);
const reason = problem === undefined ? "" : ` (skipped: ${problem})`;

describe.skipIf(problem !== undefined)(`a bench of version 3.1${reason}`, () => {
  test("Ganeti 3.1 answers on every wire, with its versions, and nothing of it stays", async () => {
    const installed = existsSync("/usr/share/ganeti/3.1");
    const ended = await withReferenceCluster({ version: "3.1" }, async (bench) => {
      const versions = (await bench.exec("gnt-cluster", ["version"])).stdout;
      expect(versions).toMatch(/^Software version: 3\.1\.0~rc2$/m);
      expect(versions).toMatch(/^Configuration format: 3010000$/m);

      const fields = ["--no-headers", "--separator=:", "-o", "name,status"];
      expect((await bench.exec("gnt-instance", ["list", ...fields])).stdout.split("\n")).toEqual([
        ...["inst1", "inst2", "inst3", "inst4"].map((name) => `${name}.example.com:running`),
        ...["inst5", "inst6"].map((name) => `${name}.example.com:ADMIN_down`),
        "",
      ]);

      const info = await bench.request("GET", "/2/info");
      expect(info.status).toBe(200);
      expect(JSON.parse(info.text)).toMatchObject({
        name: bench.cluster.name,
        software_version: "3.1.0~rc2",
        protocol_version: bench.release.protocol,
        config_version: 3010000,
      });
      const instance = await bench.request("GET", "/2/instances/inst5.example.com");
      // A field that 3.0 does not have.
      expect(JSON.parse(instance.text).custom_osparams).toEqual({ my_param: "42" });

      for (const node of bench.nodes) {
        expect(await bench.call(node, "version", [])).toEqual([true, 3010000]);
      }
      expect(await bench.luxi("QueryClusterInfo", [])).toMatchObject({ success: true });
      const { recording } = await bench.record(() =>
        bench.exec("gnt-instance", ["reboot", "inst1.example.com"]),
      );
      expect(recording.nodeCalls.map(({ method }) => method)).toContain("instance_reboot");
      const library = "import ganeti.constants as c; print(c.RELEASE_VERSION)";
      expect(await bench.python(library)).toBe("3.1.0~rc2\n");
      // Our programs run on the Node of this process, also where Debian 13 has replaced everything else.
      expect((await bench.exec(process.execPath, ["--version"])).stdout).toBe(
        `${process.version}\n`,
      );
      return { directory: bench.directory, namespace: namespaceOf(bench.initPid) ?? "" };
    });
    expect(existsSync(ended.directory)).toBe(false);
    expect(membersOf(ended.namespace)).toEqual([]);
    expect(existsSync("/usr/share/ganeti/3.1")).toBe(installed);
  });
});
