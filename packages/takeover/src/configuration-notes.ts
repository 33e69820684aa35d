/** configurationNotes: faults of a configuration that is about to be taken over. */
import { type ConfigFile, consistencyFaults, Snapshot } from "@ganeti-ts/config";

/** Number of faults that are written out. */
const faultsMax = 10;

/** Notes rather than refusals, because Ganeti, too, works with such a configuration and reports its faults. O(n log n). */
export function configurationNotes(content: ConfigFile["content"]): readonly string[] {
  const faults = consistencyFaults(Snapshot.of(content));
  const notes = faults.slice(0, faultsMax).map((fault) => `config.data: ${fault}`);
  const more = faults.length - faultsMax;
  if (more <= 0) return notes;
  return [...notes, `config.data: ${more} more faults, which gnt-cluster verify lists`];
}
