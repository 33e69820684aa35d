import type { Capability } from "./stage.js";
import type { Trial } from "./trial.js";

/** A promise that every back end keeps. */
export interface Law {
  /** A whole sentence. */
  readonly title: string;
  /** Group of calls that it is about. */
  readonly about:
    | "figures"
    | "instances"
    | "disks"
    | "os"
    | "storage"
    | "exports"
    | "setup"
    | "queue"
    | "fence";
  readonly needs: readonly Capability[];
  readonly check: (trial: Trial) => Promise<void>;
}

/** Laws about a group of calls that need the same capabilities, by title. */
export const lawsOf = (
  about: Law["about"],
  needs: Law["needs"],
  checks: Readonly<Record<string, Law["check"]>>,
): readonly Law[] =>
  Object.entries(checks).map(([title, check]) => ({ title, about, needs, check }));
