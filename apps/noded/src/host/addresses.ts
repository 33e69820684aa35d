/** Addresses of the machine's interfaces. */
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import { outputOf, succeeded } from "../machine/runner.js";

export interface OwnAddress {
  readonly device: string;
  readonly address: string;
  readonly netmask: number;
}

/** Parses the output of `ip -o addr show`, including interfaces that are down. */
export const readAddresses = (text: string): readonly OwnAddress[] =>
  text.split("\n").flatMap((line) => {
    const found = /^\d+:\s+(\S+)\s+inet6?\s+([^/\s]+)(?:\s+peer\s+\S+?)?\/(\d+)/.exec(line);
    if (found === null) return [];
    const [, device = "", address = "", netmask] = found;
    return [{ device, address, netmask: Number(netmask) }];
  });

export async function ownAddresses({
  run,
}: Pick<NodeContext, "run">): Promise<readonly OwnAddress[]> {
  const ended = await run.run({ program: "ip", args: ["-o", "addr", "show"] });
  if (!succeeded(ended)) throw new NodeFailure(`Cannot list addresses: ${outputOf(ended)}`);
  return readAddresses(ended.stdout);
}
