/** Debian's gnt-* and hbal on a bench, with the LUXI socket of Ganeti or of a server of ours. */
import { mkdtempSync } from "node:fs";
import type { Outcome, ReferenceBench } from "@ganeti-ts/reference";
import { virtualRoot } from "../../src/program/virtual-root.js";

/** Commands that ask without a job, most of them nodes. Memory and load of the machine are left out. */
export const asking = [
  "gnt-cluster getmaster",
  "gnt-cluster list-tags",
  "gnt-instance list --no-headers --separator=| -o name,uuid,pnode,snodes,admin_state,disk_template,tags,be/maxmem",
  "gnt-instance list -o name,status,oper_state,oper_ram,oper_vcpus",
  "gnt-instance list -o name,disk_usage,nic.ips,nic.macs,network_port",
  "gnt-instance console --show-cmd inst1.example.com",
  "gnt-node list -o name,pip,role,group,pinst_cnt,sinst_cnt,pinst_list,tags",
  "gnt-node list -o name,ctotal,cnodes,bootid",
  "gnt-group list",
  "gnt-network list",
  "gnt-filter list",
  "gnt-backup list",
];

export type Run = (command: string) => Promise<Outcome>;

export const running =
  (bench: ReferenceBench, environment: Readonly<Record<string, string>>): Run =>
  (command) => {
    const [program = "", ...args] = command.split(" ");
    return bench.attempt(program, args, { environment: { COLUMNS: "200", ...environment } });
  };

/** Runs Debian's programs on the LUXI socket of the server with this data folder. */
export function onOurs(bench: ReferenceBench, data: string): Run {
  const { path, hostName } = virtualRoot(data, bench.master.name);
  return running(bench, { GANETI_ROOTDIR: path, GANETI_HOSTNAME: hostName });
}

export async function results(run: Run, commands: readonly string[]) {
  const found: Record<string, unknown> = {};
  for (const command of commands) {
    const { status, stdout, stderr } = await run(command);
    const lines = `${stdout}${stderr}`.split("\n");
    // Storage is listed in the order in which nodes answer.
    if (command.startsWith("gnt-node list-storage")) lines.sort();
    found[command] = { status, lines };
  }
  return found;
}

/** The output without figures of the machine, which differ from moment to moment. */
export const measured = ({ status, stdout, stderr }: Outcome) => ({
  status,
  lines: `${stdout}${stderr}`
    .replaceAll(/-?\d+(\.\d+)?(?=[\s,])/g, "#")
    .replaceAll(/ +#/g, " #")
    .split("\n"),
});

/** Short: paths of sockets are limited. */
export const dataFolder = () => mkdtempSync("/tmp/gl-");
