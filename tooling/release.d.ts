// Parts of `release.js` that its tests use.
export interface Published {
  readonly path: string;
  readonly name: string;
  readonly version: string;
}
export type Run = (folder: string, command: readonly string[]) => void;

export function publishedIn(folder: string): Published[];
export function changesetsIn(folder: string): string[];
export function objectionsTo(
  folder: string,
  token: string | undefined,
  changedFiles: string,
): string[];
export function release(folder: string, word?: string, run?: Run): unknown;
