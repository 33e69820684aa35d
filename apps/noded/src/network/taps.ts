/** Tap interfaces of instances. They are kept by the kernel until they are removed here. */
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import { outputOf, succeeded } from "../machine/runner.js";

interface TapWish {
  readonly instance: string;
  /** Name of the NIC; that of the cluster's own network decides the name of its interface. */
  readonly nicName: string | null;
  readonly queues: number;
  /** User that opens it; null for root. */
  readonly user: string | null;
  /** Notes the name before there is an interface, so that it is found again should the daemon die in between. */
  note(name: string): Promise<void>;
}

export interface Taps {
  /** Makes an interface; gives its name. */
  make(wish: TapWish): Promise<string>;
  /** Removes an interface that was made for that instance; any other is left alone. */
  remove(name: string, instance: string): Promise<void>;
  /** Interfaces of this node that no program uses, each with the instance for which it was made. */
  unused(): Promise<ReadonlyMap<string, string>>;
}

/** NICs of the network between instances and the daemons of their nodes. */
const communicationNic = "ganeti:communication:";
const communicationTap = "gnt.com.";

/** Nodes may share the interfaces of a machine. */
const mark = (node: string, instance: string): string => `ganeti-ts ${node} ${instance}`;

/** Names in the output of `ip -o link show`. */
export const interfaceNames = (output: string): readonly string[] =>
  [...output.matchAll(/^\d+: ([^:@\s]+)/gm)].map(([, name = ""]) => name);

/** A name that is free: the lowest number for taps, one above the highest for the cluster's own network. */
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
 * Interfaces of the node in the output of `ip -o link show`, each with its instance, without those whose other end a
 * program holds: they have a carrier.
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

/** Whether it has the mark of that instance; one that was never brought up may not have got its mark yet. */
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
  /** Rules of routing name an interface, and stay without it: they would hold for its next namesake. */
  const removeRules = async (name: string): Promise<void> => {
    const listed = (await ip("rule", "show")).matchAll(/ iif (\S+)/g);
    for (const [, device] of listed) if (device === name) await ip("rule", "del", "dev", name);
  };
  // One after the other: a name is free until its interface exists.
  let last: Promise<unknown> = Promise.resolve();
  const make = async ({ instance, nicName, queues, user, note }: TapWish): Promise<string> => {
    const name = freeName(interfaceNames(await ip("-o", "link", "show")), nicName);
    await note(name);
    await ip(
      ...["tuntap", "add", "dev", name, "mode", "tap", "vnet_hdr"],
      ...(queues > 1 ? ["multi_queue"] : []),
      ...(user === null ? [] : ["user", user]),
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
