/** fakePrograms: a runner that imitates programs which would change the machine, and runs all others. */
import { mkdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { ssconfReader } from "../src/host/ssconf.js";
import { SshUpdate, updateSsh } from "../src/host/ssh-update.js";
import type { NodePaths } from "../src/machine/paths.js";
import type { Command, Runner } from "../src/machine/runner.js";
import { systemRunner } from "../src/machine/system-runner.js";
import { type Answer, finished } from "./a-context.js";

/** `neighbours`: paths of the machines that ssh reaches, by name. */
export function fakePrograms(
  { interfaces }: Pick<NodePaths, "interfaces">,
  neighbours: Readonly<Record<string, NodePaths>>,
): Runner {
  const real = systemRunner(() => {});
  const addresses: string[][] = [];
  const played: Record<string, (command: Command) => Promise<Answer>> = {
    async ip({ args }) {
      const [object, action, address = "", , device = ""] = args;
      if (object === "address" && action === "add") addresses.push([device, address]);
      if (object === "address" && action === "del") {
        const at = addresses.findIndex((one) => one.join() === `${device},${address}`);
        if (at === -1) return { code: 2, stderr: "RTNETLINK answers: Cannot assign\n" };
        addresses.splice(at, 1);
      }
      const lines = addresses.map(([dev, own], at) => `${at + 2}: ${dev}    inet ${own} scope\n`);
      return { stdout: object === "-o" ? lines.join("") : "" };
    },
    ping: async () => ({ code: 1 }),
    arping: async () => ({}),
    async "ovs-vsctl"({ args }) {
      mkdirSync(join(interfaces, args[2] as string, "bridge"), { recursive: true });
      return {};
    },
    async ssh({ args, input }) {
      const [host = "", command = ""] = args.slice(-2);
      const paths = neighbours[host.replace("root@", "")];
      if (paths === undefined) return { code: 255, stderr: "No route to host\n" };
      if (command.startsWith("cat ")) {
        return {
          stdout: await readFile(join(paths.root, userInfo().homedir, command.slice(4)), "utf8"),
        };
      }
      const update = SshUpdate.parse(JSON.parse(String(input)));
      await updateSsh({ paths, run: real, ssconf: ssconfReader(paths.data) }, update);
      return {};
    },
  };
  return {
    ...real,
    async run(command) {
      const play = played[command.program];
      if (play === undefined) return real.run(command);
      return finished(command, await play(command));
    },
  };
}
