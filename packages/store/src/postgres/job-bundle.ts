/** Bundles of queued jobs, whose documents stay in one text until they are needed. */
import type { JobRow, UndecodedJob } from "@ganeti-ts/job-queue";
import type { Job, JobId } from "@ganeti-ts/protocol";
import { isPlainText, jobOfText } from "../rows/documents.js";
import { type BundleRow, bundleSeparator } from "./statements.js";

/**
 * The jobs of a bundle, for the news. A job costs a few numbers, and no text of its own: a server decodes only the
 * jobs that it runs. The bundle's text stays in memory as long as any of its jobs is queued.
 */
export function rowsOfBundle({ ids, priorities, documents }: BundleRow): readonly JobRow[] {
  const priorityList = priorities.split(",");
  const isPlain = isPlainText(documents);
  let end = -1;
  return ids.split(",").map((id, at): JobRow => {
    const start = end + 1;
    end = documents.indexOf(bundleSeparator, start);
    if (end < 0) end = documents.length;
    const priority = Number(priorityList[at]);
    const undecoded = new BundledJob(documents, start, end, priority, isPlain);
    return { id: Number(id) as JobId, status: "queued", archived: false, claim: null, undecoded };
  });
}

class BundledJob implements UndecodedJob {
  readonly priority: number;
  readonly isPlain: boolean;
  readonly #documents: string;
  readonly #start: number;
  readonly #end: number;

  /** `isBundlePlain`: whether no job of the bundle has dependencies or rate limits. */
  constructor(
    documents: string,
    start: number,
    end: number,
    priority: number,
    isBundlePlain: boolean,
  ) {
    this.#documents = documents;
    this.#start = start;
    this.#end = end;
    this.priority = priority;
    this.isPlain = isBundlePlain || isPlainText(this.#text());
  }

  decoded(): Job {
    return jobOfText(this.#text(), []);
  }

  #text(): string {
    return this.#documents.slice(this.#start, this.#end);
  }
}
