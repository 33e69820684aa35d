/** Distribution of the ssconf values to the nodes. */
import { ssconfValues } from "@ganeti-ts/config";
import { ask } from "../unit/calls.js";
import { warn } from "../unit/feedback.js";
import type { World } from "../unit/unit.js";

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
