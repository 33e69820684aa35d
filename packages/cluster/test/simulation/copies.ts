// Check of the copies in Ganeti's formats on nodes and master candidates, when the cluster is at rest.
import { ganetiFile, ssconfLines, ssconfValues } from "@ganeti-ts/config";
import { jobFile, jobFileName } from "@ganeti-ts/job-queue";
import { dataDirectory } from "@ganeti-ts/node-calls";
import type { Cluster } from "../../src/index.js";
import type { World } from "./simulate.js";

/** Descriptions of files that differ from the stored state. */
export function copyFaults(world: World, server: Cluster): readonly string[] {
  const { snapshot: now, files, nodes, counts } = world;
  if (!world.hasCopies) return [];
  const faults: string[] = [];
  const { text } = ganetiFile(now.content(), server.queue.rules);
  if (files.configurations.at(-1) !== text) faults.push("config.data of the master is old");
  const queue = queueFiles(world);
  for (const [name, wanted] of queue) {
    if (files.queue.get(name) !== wanted) faults.push(`${name} of the master is old`);
  }
  for (const { uuid, name, offline, master_candidate } of now.nodes()) {
    if (offline) continue;
    const held = nodes.stateOf(uuid)?.files ?? {};
    const check = (file: string, wanted: string) => {
      counts.copies++;
      if (held[`${dataDirectory}/${file}`] !== wanted) faults.push(`${file} on ${name} is old`);
    };
    for (const [key, value] of Object.entries(ssconfValues(now))) {
      check(
        `ssconf_${key}`,
        ssconfLines(value)
          .map((line) => `${line}\n`)
          .join(""),
      );
    }
    if (!master_candidate || uuid === now.cluster.master_node) continue;
    check("config.data", text);
    for (const [file, wanted] of queue) check(`queue/${file}`, wanted);
  }
  return faults;
}

function queueFiles({ jobs }: World): ReadonlyMap<string, string> {
  const live = [...jobs.rows.values()].filter(({ archived }) => !archived);
  const files = live.map(({ id, job }) => [jobFileName(id), jobFile(job)] as const);
  const last = Math.max(0, ...jobs.rows.keys());
  return new Map([...files, ...(last > 0 ? [["serial", `${last}\n`] as const] : [])]);
}
