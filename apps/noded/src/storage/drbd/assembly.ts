/** Assembly of a mirror: attaches its local storage and connects it, as far as that has not been done. */
import { NodeFailure } from "../../failure.js";
import { attempt } from "../failures.js";
import { attach, connect, type DrbdPorts, disconnect, setupOf } from "./drbdsetup.js";
import type { Mirror, Storage } from "./mirror.js";
import type { MirrorSetup } from "./show.js";

/** Whether the configured local storage is `wanted`; null means no storage. */
export const hasStorage = (setup: MirrorSetup, wanted: Storage | null): boolean =>
  setup.data === (wanted?.data ?? null) &&
  setup.meta === (wanted?.meta ?? null) &&
  (setup.metaIndex ?? 0) === 0;

/** Whether the configured connection is that of the mirror. */
export const hasAddresses = (setup: MirrorSetup, { addresses }: Mirror): boolean =>
  setup.local === (addresses?.local ?? null) && setup.remote === (addresses?.remote ?? null);

/** Configures a minor that is not configured yet: its storage first, then its connection. */
export async function bringUp(
  ports: DrbdPorts,
  of: Mirror,
  storage: Storage | null,
): Promise<void> {
  if (storage !== null) await attach(ports, of, storage);
  if (of.addresses !== null) await connect(ports, of);
}

/** Completes a configured minor: compares it with the wanted state, and adds or corrects the storage or the connection. */
export async function complete(
  ports: DrbdPorts,
  of: Mirror,
  storage: Storage | null,
): Promise<void> {
  const setup = await setupOf(ports, of.minor);
  const [isLocal, isNet] = [hasStorage(setup, storage), hasAddresses(setup, of)];
  if (isLocal && isNet) return;
  const compared = async (what: string): Promise<void> => {
    const now = await setupOf(ports, of.minor);
    if (hasStorage(now, storage) && hasAddresses(now, of)) return;
    throw new NodeFailure(`${of.title}: ${what} successful, but 'drbdsetup show' disagrees`);
  };
  if (isLocal && setup.local === null) {
    await connect(ports, of);
    return compared("network attach");
  }
  if (isNet && setup.data === null && storage !== null) {
    await attach(ports, of, storage);
    return compared("disk attach");
  }
  if (isLocal && setup.data !== null) {
    await attempt(
      `${of.title}: device has correct local storage, wrong remote peer and is unable to disconnect in order to attach to the correct peer`,
      () => disconnect(ports, of),
    );
    await connect(ports, of);
    return compared("network attach");
  }
  throw new NodeFailure(`${of.title}: cannot activate, unknown or unhandled reason`);
}
