/** A real Ganeti's RAPI, which submits one opcode per resource and leaves the queue's care to its master. */
import { Ending } from "../errors.js";
import type { Administration } from "./administration.js";
import type { Wire } from "./wire.js";

export function ganetiAdministration(wire: Wire): Administration {
  const lacking = (what: string) => async (): Promise<never> => {
    throw new Ending(
      `The server at ${wire.name} is Ganeti's own: over its RAPI one cannot ${what}.`,
    );
  };
  return {
    submit: lacking("submit these jobs"),
    kill: lacking("kill jobs"),
    changePriority: lacking("change a job's priority"),
    archive: lacking("archive jobs"),
    autoArchive: lacking("archive jobs"),
    why: lacking("ask why a job does not run"),
    isDrained: lacking("see the drain flag"),
    setDrained: lacking("set the drain flag"),
    watcherPause: lacking("see the watcher's pause"),
    setWatcherPause: lacking("pause the watcher"),
  };
}
