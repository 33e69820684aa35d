/** Commands that change mirrors: drbdsetup and drbdmeta of DRBD 8.4. */
import { bytesPerMib } from "@ganeti-ts/protocol";
import type { NodeContext } from "../../context.js";
import { faultOf, NodeFailure } from "../../failure.js";
import { waitFor } from "../../machine/wait-for.js";
import { deviceBytes, reasonAndOutput, runOrFail } from "../programs.js";
import type { Mirror, Storage } from "./mirror.js";
import { diskWords, netWords, syncWords } from "./options.js";
import { type MirrorSetup, mirrorSetup } from "./show.js";

export type DrbdPorts = Pick<NodeContext, "run" | "clock" | "log">;

/** Minimum size of a metadata device, and the amount that is zeroed. */
const metaMib = 128;
const metaMibMax = 1024;

/** Configuration of an existing minor. Rejects if it cannot be read, since it must not count as missing. */
export async function setupOf({ run }: DrbdPorts, minor: number): Promise<MirrorSetup> {
  const ended = await runOrFail(
    run,
    ["drbdsetup", "show", String(minor)],
    `drbd${minor}: can't read its configuration: `,
    reasonAndOutput,
  );
  return mirrorSetup(ended.stdout);
}

/** Time limit (ms) for reading the first 128 KiB of a disk. */
const readMs = 30_000;

/** Why metadata cannot be read, null if it can. A disk that fails or does not respond is treated as missing. */
export async function readFault({ run, log }: DrbdPorts, path: string): Promise<string | null> {
  const words = ["dd", `if=${path}`, "of=/dev/null", "bs=131072", "count=1"] as const;
  const what = `Can't read from device ${path}: `;
  const fault = await faultOf(() => runOrFail(run, words, what, reasonAndOutput, readMs));
  if (fault !== null) log.error(fault);
  return fault;
}

export async function checkMetaSize({ run }: DrbdPorts, meta: string): Promise<void> {
  const sizeMib = (await deviceBytes(run, meta)) / bytesPerMib;
  if (sizeMib < metaMib) {
    // Ganeti's text [sic: Mib].
    throw new NodeFailure(`Meta device too small (${sizeMib.toFixed(2)}Mib)`);
  }
  if (sizeMib > metaMibMax) {
    throw new NodeFailure(`Meta device too big (${sizeMib.toFixed(2)}MiB)`);
  }
}

/** Writes new metadata, which marks the data as out of date. */
export async function initMeta({ run }: DrbdPorts, minor: number, meta: string): Promise<void> {
  const zeroes = ["if=/dev/zero", `of=${meta}`, `bs=${bytesPerMib}`, `count=${metaMib}`];
  await runOrFail(run, ["dd", ...zeroes, "oflag=direct"], "Can't wipe the meta device: ");
  await runOrFail(
    run,
    ["drbdmeta", "--force", `/dev/drbd${minor}`, "v08", meta, "flex-external", "create-md"],
    "Can't initialize meta device: ",
  );
}

/** Commands that create the resource and the minor; both succeed if the object exists. */
const objectWords = ({ resource, minor }: Mirror): readonly (readonly [string, ...string[]])[] => [
  ["drbdsetup", "new-resource", resource],
  ["drbdsetup", "new-minor", resource, String(minor), "0"],
];

const syncTries = { everyMs: 1_000, forMs: 5_000 };

/** Attaches local storage and sets the rate of synchronisations. */
export async function attach(ports: DrbdPorts, of: Mirror, storage: Storage): Promise<void> {
  const { title, minor, path } = of;
  const { data, meta } = storage;
  const steps: readonly (readonly [string, ...string[]])[] = [
    ...objectWords(of),
    ["drbdmeta", path, "v08", meta, "flex-external", "apply-al"],
    ["drbdsetup", "attach", String(minor), data, meta, "flexible", ...diskWords(of)],
  ];
  for (const words of steps) {
    await runOrFail(ports.run, words, `${title}: can't attach local disk: `);
  }
  await setSyncParameters(ports, of);
}

async function setSyncParameters(ports: DrbdPorts, of: Mirror): Promise<void> {
  const words = ["drbdsetup", "disk-options", String(of.minor), ...syncWords(of)] as const;
  const what = `${of.title}: can't set the synchronization parameters: Can't change syncer rate: `;
  let fault: string | null = null;
  const isDone = async () => {
    fault = await faultOf(() => runOrFail(ports.run, words, what, reasonAndOutput));
    return fault === null;
  };
  if (!(await waitFor(ports, isDone, syncTries))) throw new NodeFailure(fault ?? what);
}

const showTries = { everyMs: 1_000, forMs: 10_000 };

/** Connects to the peer, or disconnects if the mirror has no addresses. */
export async function connect(
  ports: DrbdPorts,
  of: Mirror,
  { isDual = false } = {},
): Promise<void> {
  const { title, resource, addresses, minor } = of;
  const { run } = ports;
  if (addresses === null) return disconnect(ports, of);
  const { local, remote } = addresses;
  const steps: readonly (readonly [string, ...string[]])[] = [
    ...objectWords(of),
    ["drbdsetup", "connect", resource, local, remote, ...netWords(of, isDual)],
  ];
  for (const words of steps) {
    await runOrFail(run, words, `${title}: can't setup network: `, reasonAndOutput);
  }
  const isShown = async () => {
    const shown = await setupOf(ports, minor);
    return shown.local === local && shown.remote === remote;
  };
  if (!(await waitFor(ports, isShown, showTries))) {
    throw new NodeFailure(`${title}: timeout while configuring network`);
  }
}

/** Ends the configured connection, whatever its addresses. A mirror without a connection is not an error. */
export async function disconnect(
  ports: DrbdPorts,
  { title, minor }: Pick<Mirror, "title" | "minor">,
): Promise<void> {
  const { local, remote } = await setupOf(ports, minor);
  if (local === null || remote === null) return;
  await runOrFail(
    ports.run,
    ["drbdsetup", "disconnect", local, remote],
    `${title}: can't shutdown network: `,
  );
}
