/** Distribution of the ssconf values to the nodes, and OP_CLUSTER_REDIST_CONF, which sends them and the ancillary files again. */
import { ssconfValues } from "@ganeti-ts/config";
import { groupLockName } from "@ganeti-ts/locking";
import { ask, info, warn } from "../unit/effects.js";
import { asShared } from "../unit/locks.js";
import { areChecksAll, type Unit, type World } from "../unit/unit.js";
import { distributeAncillaryFiles } from "./ancillary-files.js";

/**
 * Writes the values to every online node; a node that refuses them causes a warning. Where copies follow the
 * configuration by themselves, it waits for them; `everything` has them sent again.
 * @returns the names of the online nodes that have the values now
 */
export async function distributeSsconf(
  world: World,
  { everything = false } = {},
): Promise<readonly string[]> {
  if (world.copies !== undefined) {
    const missed = await world.copies.flush({ everything });
    for (const { node, problem } of missed) {
      warn(world, `Error while distributing the configuration to node ${node}: ${problem}`);
    }
    const online = [...world.config.snapshot.nodes()].filter(({ offline }) => !offline);
    return online
      .map(({ name }) => name)
      .filter((name) => missed.every(({ node }) => node !== name));
  }
  const { snapshot } = world.config;
  const values = ssconfValues(snapshot);
  const written = await Promise.all(
    Array.from(snapshot.nodes(), async ({ uuid, name, offline }) => {
      if (offline) return [];
      const answer = await ask(world, uuid, "write_ssconf_files", { values });
      if (!answer.ok) {
        warn(world, `Error while uploading ssconf files to node ${name}: ${answer.message}`);
      }
      return answer.ok ? [name] : [];
    }),
  );
  return written.flat();
}

/**
 * OP_CLUSTER_REDIST_CONF: distributes the ssconf values and the ancillary files to every node
 * again.
 */
export const redistributeConfig: Unit<"OP_CLUSTER_REDIST_CONF"> = {
  opcode: "OP_CLUSTER_REDIST_CONF",

  locks: () => asShared(groupLockName("node")),

  async run(op, world) {
    if (await areChecksAll(world, op)) return null;
    const incomplete = await distributeAncillaryFiles(world);
    const written = await distributeSsconf(world, { everything: true });
    const upToDate = written.filter((name) => !incomplete.has(name));
    const nodes = `${upToDate.length} of ${world.config.snapshot.nodeCount} nodes`;
    info(
      world,
      world.copies === undefined
        ? `The files of ${nodes} are up to date; instances, groups, networks and nodes that return reach them` +
            " only with the next gnt-cluster redist-conf"
        : `The copies of ${nodes} are up to date`,
    );
    return null;
  },
};
