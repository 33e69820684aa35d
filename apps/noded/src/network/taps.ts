/** Taps: tap interfaces of instances, which exist in the kernel until they are removed here. */
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import { outputOf, succeeded } from "../machine/runner.js";

interface TapWish {
  readonly instance: string;
  /** Name of the NIC; NICs of the communication network get interface names of their own kind. */
  readonly nicName: string | null;
  readonly queues: number;
  /** Records the name before the interface is created, so that it can be found if the daemon dies in between. */
  note(name: string): Promise<void>;
}

export interface Taps {
  /** Creates an interface and returns its name. */
  make(wish: TapWish): Promise<string>;
  /** Removes the interface if it was created for that instance; leaves any other alone. */
  remove(name: string, instance: string): Promise<void>;
  /** Interfaces of this node that no program uses, each with the instance it was created for. */
  unused(): Promise<ReadonlyMap<string, string>>;
}

/** Prefix of NIC names in the communication network between instances and the daemons of their nodes. */
const communicationNic = "ganeti:communication:";
const communicationTap = "gnt.com.";

/** Alias of an interface; contains the node because virtual nodes share the interfaces of a machine. */
const mark = (node: string, instance: string): string => `ganeti-ts ${node} ${instance}`;

/** Names in the output of `ip -o link show`. */
export const interfaceNames = (output: string): readonly string[] =>
  [...output.matchAll(/^\d+: ([^:@\s]+)/gm)].map(([, name = ""]) => name);

/** A free name: the lowest free number for taps, one above the highest for the communication network. */
export function freeName(names: readonly string[], nicName: string | null): string {
  if (nicName?.startsWith(communicationNic)) {
    const numbers = names.flatMap((name) =>
      name.startsWith(communicationTap) ? [Number(name.slice(communicationTap.length))] : [],
    );
    return `${communicationTap}${Math.max(-1, ...numbers.filter(Number.isInteger)) + 1}`;
  }
  const taken = new Set(names);
  for (let number = 0; ; number++) if (!taken.has(`tap${number}`)) return `tap${number}`;
}

/**
 * Unused interfaces of the node in the output of `ip -o link show`, each with its instance. An interface that a program has
 * open has a carrier.
 */
export function unusedIn(output: string, node: string): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  for (const line of output.split("\n")) {
    const [name] = interfaceNames(line);
    const [, instance] = line.split(`alias ${mark(node, "")}`);
    if (name !== undefined && instance !== undefined && !flagsIn(line).includes("LOWER_UP")) {
      owners.set(name, instance.split(/[\\\s]/)[0] ?? "");
    }
  }
  return owners;
}

const flagsIn = (output: string): readonly string[] =>
  /<([^>]*)>/.exec(output)?.[1]?.split(",") ?? [];

/** Whether the interface has the alias of that instance; one that was never brought up may not have an alias yet. */
function isOf(output: string, wanted: string): boolean {
  const parts = output.split(/[\\\n]/).map((part) => part.trim());
  if (parts.includes(`alias ${wanted}`)) return true;
  return !flagsIn(output).includes("UP") && !parts.some((part) => part.startsWith("alias "));
}

export function taps({ run, nodeName }: Pick<NodeContext, "run" | "nodeName">): Taps {
  const ip = async (...args: string[]): Promise<string> => {
    const ended = await run.run({ program: "ip", args, timeoutMs: 30_000 });
    if (succeeded(ended)) return ended.stdout;
    throw new NodeFailure(`Failed to allocate a new TAP device: ${outputOf(ended).trim()}`);
  };
  /** Removes routing rules of an interface, which would otherwise stay and apply to the next interface of that name. */
  const removeRules = async (name: string): Promise<void> => {
    const listed = (await ip("rule", "show")).matchAll(/ iif (\S+)/g);
    for (const [, device] of listed) if (device === name) await ip("rule", "del", "dev", name);
  };
  // Interfaces are created one at a time, because a name counts as free until its interface exists.
  let last: Promise<unknown> = Promise.resolve();
  const make = async ({ instance, nicName, queues, note }: TapWish): Promise<string> => {
    const name = freeName(interfaceNames(await ip("-o", "link", "show")), nicName);
    await note(name);
    await ip(
      ...["tuntap", "add", "dev", name, "mode", "tap", "vnet_hdr"],
      ...(queues > 1 ? ["multi_queue"] : []),
    );
    await ip("link", "set", "dev", name, "alias", mark(nodeName, instance));
    return name;
  };
  return {
    make(wish) {
      const mine = last.then(() => make(wish));
      last = mine.catch(() => {});
      return mine;
    },
    async remove(name, instance) {
      const args = ["-o", "link", "show", "dev", name];
      const found = await run.run({ program: "ip", args, timeoutMs: 30_000 });
      if (!succeeded(found) || !isOf(found.stdout, mark(nodeName, instance))) return;
      await ip("link", "delete", "dev", name);
      await removeRules(name);
    },
    unused: async () => unusedIn(await ip("-o", "link", "show"), nodeName),
  };
}
