/** Collector of the storage health: storage units, and disks that have lost their storage. */
import type { Clock } from "@ganeti-ts/protocol";
import type { NodeContext } from "../context.js";
import { ifFailed } from "../failure.js";
import { kernel } from "../storage/drbd/kernel.js";
import { isDiskless } from "../storage/drbd/proc.js";
import { isLost } from "../storage/lvm/plain-disk.js";
import { allVolumes } from "../storage/lvm/volume-table.js";
import { physicalUnits } from "../storage/units/lvm-units.js";
import type { StorageUnit } from "../storage/units/storage-units.js";

/** Ganeti's codes of states. */
const codes = { ok: 0, unknown: 2, bad: 4 } as const;

/** Data of the report. */
interface StorageHealth {
  readonly status: { readonly code: number; readonly message: string };
  readonly physical_volumes: readonly StorageUnit[];
  /** Paths of volumes on missing devices. */
  readonly lost_volumes: readonly string[];
  /** Minors of mirrors without local storage. */
  readonly diskless_minors: readonly number[];
}

export interface StorageHealthCollector {
  health(): Promise<StorageHealth>;
}

type Ports = Pick<NodeContext, "run" | "paths" | "log">;

/** Results are reused for this time (ms): requests are not authenticated, and each collection runs two programs. */
const ageMaxMs = 10_000;

/** Collects on request. Failures that the previous collection did not find are logged. */
export function storageHealthCollector(
  ports: Ports,
  clock: Pick<Clock, "now">,
): StorageHealthCollector {
  let last: { readonly at: number; readonly health: Promise<StorageHealth> } | undefined;
  let reported = "";
  const collect = async (): Promise<StorageHealth> => {
    const health = await storageHealth(ports);
    const { code, message } = health.status;
    if (code !== codes.ok && message !== reported) ports.log.warn(`failing storage: ${message}`);
    reported = message;
    return health;
  };
  return {
    health() {
      const now = clock.now();
      if (last === undefined || now - last.at > ageMaxMs) last = { at: now, health: collect() };
      return last.health;
    },
  };
}

async function storageHealth(ports: Ports): Promise<StorageHealth> {
  const unknown: string[] = [];
  const [units, volumes, minors] = [
    await orEmpty(physicalUnits(ports).list(null), unknown),
    await orEmpty(allVolumes(ports), unknown),
    await disklessMinors(ports, unknown),
  ];
  const lost = [...volumes].flatMap(([path, volume]) => (isLost(volume) ? [path] : []));
  const missing = units.filter(({ name }) => !name.startsWith("/"));
  const problems = [
    ...(missing.length > 0 ? [`${missing.length} physical volumes are missing`] : []),
    ...lost.map((path) => `${path} lies on a missing device`),
    ...minors.map((minor) => `/dev/drbd${minor} has lost its local storage`),
  ];
  const code = problems.length > 0 ? codes.bad : unknown.length > 0 ? codes.unknown : codes.ok;
  return {
    status: { code, message: [...problems, ...unknown].join("; ") },
    physical_volumes: units,
    lost_volumes: lost,
    diskless_minors: minors,
  };
}

/** Minors of diskless mirrors; none if the DRBD module is not loaded. */
async function disklessMinors(ports: Ports, unknown: string[]): Promise<readonly number[]> {
  const found = await kernel(ports).stateIfLoaded().catch(noting(unknown));
  return [...(found?.minors ?? [])].flatMap(([minor, mirror]) =>
    mirror !== null && isDiskless(mirror) ? [minor] : [],
  );
}

const orEmpty = async <Item>(
  listed: Promise<Iterable<Item>>,
  unknown: string[],
): Promise<readonly Item[]> => [...((await listed.catch(noting(unknown))) ?? [])];

const noting = (unknown: string[]) => ifFailed((fault) => void unknown.push(fault));
