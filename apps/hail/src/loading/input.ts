/** Input files named on the command line; `-` is standard input. */
import { onFile } from "../file-error.js";
import type { Ports } from "../ports.js";

/** Throws a FileError. */
export const readInput = (file: string, { readFile, readStdin }: Ports): Uint8Array =>
  file === "-" ? onFile("<stdin>", readStdin) : onFile(file, () => readFile(file));
