/** Refusal of stores that a newer version of this program has written. */
import { HaltError } from "@ganeti-ts/job-queue";

/** `content` is what the two versions are of. */
export const newerVersion = (content: string, found: number, known: number): HaltError =>
  new HaltError(
    "version",
    `${content} version ${found} is from a newer version of ganeti-ts; this one knows version ${known}`,
  );
