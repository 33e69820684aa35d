/** Ports of the distribution: Ganeti's files on the machine of the server. */
import type { MasterFile } from "@ganeti-ts/node-calls";

/** Attributes of a file that candidates apply to their copy. */
export type WrittenFile = Omit<MasterFile, "content">;

/** Error that another program is the master of the files now: nothing was written, and nothing may be written. */
export class ForeignChangeError extends Error {
  override readonly name = "ForeignChangeError";
}

/** Files of Ganeti's data directory on the master. Writing a file again with the same text is harmless. */
export interface GanetiFiles {
  /** Replaces `config.data` durably. @throws ForeignChangeError, errors of the file system */
  writeConfiguration(text: string): Promise<WrittenFile>;
  /**
   * Why another program is the master of these files now: it has replaced `config.data`, or the ssconf files name
   * another node. Undefined while the files are as they were last written.
   */
  foreignChange(): Promise<string | undefined>;
  /** Replaces a file below the queue folder. */
  writeQueueFile(name: string, text: string): Promise<void>;
  /** Moves files below the queue folder; missing ones are skipped. */
  moveQueueFiles(moves: readonly (readonly [from: string, to: string])[]): Promise<void>;
  /** Makes or removes the file that stops submissions. */
  setDrained(drained: boolean): Promise<void>;
}

/** Settings of a cluster whose master candidates hold copies in Ganeti's formats. */
export interface DistributionOptions {
  readonly files: GanetiFiles;
  /** Whether the candidates already have the files of all current jobs; otherwise all files are sent. */
  readonly queueIsComplete: boolean;
  /** Acknowledge submissions only when all candidates that answer have the job's file. Default: at once. */
  readonly waitForCopies?: boolean;
  /** Additional flags that candidates store in the file for data without a place in Ganeti's format. */
  readonly marks?: Readonly<Record<string, boolean>> | undefined;
}
