// Clients of the server during the day: monitoring that lists everything, users who search, followers of events.
import type { Cluster } from "@ganeti-ts/cluster";
import type { Clock } from "@ganeti-ts/protocol";
import { GrowingParts } from "../../src/lists/growing-parts.js";
import { objectTexts } from "../../src/lists/object-texts.js";
import type { Population } from "./population.js";

const minuteMs = 60_000;
/** Interval of whole lists, interval of each user's searches, and number of users. */
const listMs = 15 * minuteMs;
const searchMs = 5 * minuteMs;
const searcherCount = 10;
const followerCount = 20;

export interface ClientCounts {
  lists: number;
  listedMib: number;
  searches: number;
  found: number;
  events: number;
}

export interface Clients {
  readonly counts: Readonly<ClientCounts>;
  /** One request of each kind. */
  list(): Promise<void>;
  search(choice: number): Promise<void>;
  /** Ends all clients. */
  stop(): void;
}

export function startClients(
  cluster: Cluster,
  clock: Clock,
  { nodes, fraction }: { readonly nodes: Population; readonly fraction: () => number },
): Clients {
  const texts = objectTexts(cluster);
  const counts: ClientCounts = { lists: 0, listedMib: 0, searches: 0, found: 0, events: 0 };
  let isStopped = false;
  const list = async () => {
    for (const kind of ["instance", "node"] as const) {
      counts.lists++;
      const listed = await texts.listParts(kind);
      const parts = listed instanceof GrowingParts ? await listed.whole : listed;
      counts.listedMib += parts.reduce((sum, { length }) => sum + length, 0) / 2 ** 20;
    }
  };
  const search = async (choice: number) => {
    const fields = ["name", "pnode", "snodes", "status", "oper_ram", "disk.sizes"];
    const filter = ["=", "pnode", nodes.chosen(choice) as string];
    const { data } = await cluster.objects.query("instance", fields, filter);
    counts.searches++;
    counts.found += data.length;
  };
  const every = (ms: number, firstMs: number, act: () => Promise<void>) => {
    clock.after(firstMs, async function again() {
      if (isStopped) return;
      await act();
      clock.after(ms, again);
    });
  };
  every(listMs, listMs, list);
  for (let at = 0; at < searcherCount; at++) {
    every(searchMs, searchMs * fraction(), () => search(fraction()));
  }
  for (let at = 0; at < followerCount; at++) followEvents(cluster, counts, () => isStopped);
  return {
    ...{ counts, list, search },
    stop() {
      isStopped = true;
    },
  };
}

/** Reads each new event, like a listener that sends it to a client. */
function followEvents({ events }: Cluster, counts: ClientCounts, isStopped: () => boolean): void {
  let last = events.last;
  const leave = events.follow({
    more() {
      if (isStopped()) return leave();
      for (const event of events.since(last) ?? []) {
        counts.events++;
        last = event.number;
      }
    },
    end() {},
  });
}
