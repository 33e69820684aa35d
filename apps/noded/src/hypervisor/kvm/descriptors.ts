/** Files and taps that the daemon opens for a QEMU which cannot, because it runs as a user or in a chroot. */
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import { NodeFailure } from "../../failure.js";
import { outputOf, type Runner, succeeded } from "../../machine/runner.js";
import { shipped } from "../../machine/shipped.js";
import { attempt } from "../../storage/failures.js";
import type { HvParams } from "../hypervisor.js";
import { flag, text } from "./parameters.js";
import type { Qmp } from "./qmp.js";

interface Ports {
  readonly run: Runner;
  readonly qmp: Qmp;
}

/** Time limit (ms) for the program that sends a descriptor. */
const sendMs = 30_000;

/** Whether the QEMU of a machine with these parameters can no longer open files of the node. */
export const isConfined = (hvparams: HvParams): boolean =>
  flag(hvparams, "use_chroot") || ["user", "pool"].includes(text(hvparams, "security_model"));

/** Executes a command that takes a descriptor: of a file, or with more words of a tap's queue. */
const executeWith = (
  { run, qmp }: Ports,
  opened: readonly [path: string, ...words: string[]],
  command: string,
  args?: JsonObject,
): Promise<Json> =>
  qmp.executeThrough(
    async (socket, message) => {
      // Node.js cannot send descriptors.
      const words = [shipped("programs/send-descriptor.py"), message, ...opened];
      const ended = await attempt("Devices of a confined QEMU need python3", () =>
        run.run({ program: "python3", args: words, inherit: [socket], timeoutMs: sendMs }),
      );
      if (!succeeded(ended)) throw new NodeFailure(`Cannot open ${outputOf(ended).trim()}`);
    },
    command,
    args,
  );

/** Runs `action` with a path by which QEMU can open the file as long as `action` runs. */
export async function withFile<T>(
  ports: Ports,
  path: string,
  action: (path: string) => Promise<T>,
): Promise<T> {
  const added = (await executeWith(ports, [path], "add-fd")) as JsonObject;
  const set = { "fdset-id": added["fdset-id"] as number };
  try {
    return await action(`/dev/fdset/${set["fdset-id"]}`);
  } finally {
    await ports.qmp.execute("remove-fd", set);
  }
}

/** Back end of a NIC as `nicDevice` describes it. */
type Netdev = Readonly<Record<string, string | number | boolean>>;

/** Flags of TUNSETIFF. */
const tunFlags = { tap: 0x2, noPacketInformation: 0x1000, multiQueue: 0x100, vnetHdr: 0x4000 };

/** Runs `action` with the same back end, whose queues are open. */
export async function withQueues(
  ports: Ports,
  netdev: Netdev,
  action: (netdev: Netdev) => Promise<void>,
): Promise<void> {
  const { type = "", id = "", ifname, queues = 1, vnet_hdr, vhost } = netdev;
  const numbers = Array.from({ length: Number(queues) }, (_, at) => at);
  const fds = numbers.map((at) => `${id}-${at}`);
  const vhostfds = vhost === true ? numbers.map((at) => `${id}-vhost-${at}`) : [];
  const flags =
    tunFlags.tap |
    tunFlags.noPacketInformation |
    (numbers.length > 1 ? tunFlags.multiQueue : 0) |
    (vnet_hdr === false ? 0 : tunFlags.vnetHdr);
  try {
    for (const fdname of fds) {
      const queue = ["/dev/net/tun", String(ifname), String(flags)] as const;
      await executeWith(ports, [...queue], "getfd", { fdname });
    }
    for (const fdname of vhostfds) {
      await executeWith(ports, ["/dev/vhost-net"], "getfd", { fdname });
    }
    await action({
      ...{ type, id, fds: fds.join(":") },
      ...(vhost === true && { vhost, vhostfds: vhostfds.join(":") }),
    });
  } catch (error) {
    // A back end that was made has taken them.
    for (const fdname of [...fds, ...vhostfds]) {
      await ports.qmp.execute("closefd", { fdname }).catch(() => {});
    }
    throw error;
  }
}
