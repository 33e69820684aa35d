// Life of instances on a real server, with the exact output of each command.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { program as backup } from "../src/programs/gnt-backup.js";
import { program as instance } from "../src/programs/gnt-instance.js";
import { program as os } from "../src/programs/gnt-os.js";
import { RemoteCluster } from "../src/remote/remote-cluster.js";
import { runLine } from "./run-line.js";

const server = fileURLToPath(new URL("../../rapi/dist/ganeti-rapi.js", import.meta.url));
const programs = { "gnt-instance": instance, "gnt-backup": backup, "gnt-os": os };

describe.skipIf(!existsSync(server))(
  "the life of an instance (skipped where no server is built)",
  () => {
    let folder: string;
    let serving: ChildProcess;
    let cluster: RemoteCluster;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "life-of-an-instance-"));
      const words = ["--init=demo.example.com", `--data-dir=${folder}`, "--no-ssl", "-p", "0"];
      serving = spawn(process.execPath, [server, ...words, "--nodes=3", "--groups=1"], {
        stdio: "ignore",
      });
      const socketPath = join(folder, "rapi.sock");
      await vi.waitUntil(() => existsSync(socketPath), { timeout: 300_000 });
      cluster = new RemoteCluster({ url: "http://localhost", socketPath });
    });

    afterAll(() => {
      serving.kill("SIGKILL");
      rmSync(folder, { recursive: true });
    });

    /** The command and its output, without parts that differ between runs. */
    async function told(line: string, typed?: readonly string[]): Promise<string> {
      const [name = "", ...words] = line.split(" ");
      const program = programs[name as keyof typeof programs];
      const { code, stdout, stderr } = await runLine(program, words.join(" "), {
        cluster,
        now: () => BigInt(Date.now()) * 1_000_000n,
        ...(typed === undefined ? {} : { typed }),
      });
      return `$ ${line}\n${steady(stdout)}${steady(stderr)}${code === 0 ? "" : `[exit code ${code}]\n`}`;
    }

    async function story(lines: readonly (string | readonly [string, readonly string[]])[]) {
      const parts: string[] = [];
      for (const line of lines) {
        parts.push(typeof line === "string" ? await told(line) : await told(...line));
      }
      return parts.join("\n");
    }

    test("an instance is created, used, moved and removed", async () => {
      const lines = await story([
        "gnt-instance add -t drbd -s 1g -m 256m -n node1.example.com:node2.example.com -o noop+default --no-name-check --no-ip-check --no-wait-for-sync web1.example.com",
        "gnt-instance list",
        "gnt-instance modify --net add --disk add:size=1g,name=data web1",
        "gnt-instance shutdown web1",
        "gnt-instance modify --net remove --disk 1:remove web1",
        "gnt-instance grow-disk --no-wait-for-sync web1 0 512m",
        "gnt-instance info --static web1",
        "gnt-instance replace-disks -n node3.example.com web1",
        "gnt-instance disk-status web1",
        "gnt-instance rename -f --no-name-check --no-ip-check web1 www.example.com",
        "gnt-instance reinstall -f www",
        "gnt-instance list -o name,pnode,snodes,disk.sizes,status www",
        "gnt-backup export -n node1.example.com www",
        ["gnt-instance remove www", ["y"]],
        "gnt-backup list",
        "gnt-backup import -t plain -n node1.example.com --src-node node1.example.com --no-name-check --no-ip-check www.example.com",
        "gnt-backup remove www.example.com",
        "gnt-instance remove -f www",
        "gnt-instance list --no-headers",
      ]);
      await expect(lines).toMatchFileSnapshot("golden/life-of-an-instance.txt");
    });

    test("instances are first reserved, or created together", async () => {
      const batch = join(folder, "batch.json");
      const { disks, ...rest } = { disks: [{ size: "1g" }], disk_template: "plain", nics: [{}] };
      const common = { ...rest, disks, mode: "create", os_type: "noop+default" };
      const names = ["a1.example.com"];
      writeFileSync(
        batch,
        JSON.stringify(names.map((instance_name) => ({ instance_name, ...common }))),
      );
      const lines = await story([
        "gnt-instance add --forthcoming -t plain -s 1g -m 256m --net 0: -n node2.example.com later.example.com",
        "gnt-instance add --commit later.example.com",
        "gnt-instance add --commit -o noop+default --no-start later.example.com",
        "gnt-instance list -o name,hypervisor,os,pnode,forthcoming",
        `gnt-instance batch-create -I hail ${batch}`,
        ["gnt-instance startup --primary node2.example.com", ["y"]],
        "gnt-instance stop a1",
        "gnt-os list",
        "gnt-os modify --hidden=yes noop",
        "gnt-os info noop",
      ]);
      await expect(lines.replaceAll(folder, "")).toMatchFileSnapshot("golden/reservations.txt");
    });
  },
);

const uuid = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g;

/** Removes times, random names, and progress at the time of a status check. */
const steady = (text: string): string =>
  text
    .replace(/^\w{3} \w{3} [ \d]{2} \d\d:\d\d:\d\d \d{4} /gm, "<time> ")
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, "<time>")
    .replace(/^.*(?:- device disk\/|disk\/\d sent |- progress: |transfer progress: ).*\n/gm, "")
    .replace(/(?:[0-9a-f]{2}:){5}[0-9a-f]{2}/g, "<mac>")
    .replace(uuid, "<uuid>");
