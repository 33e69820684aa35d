/** Passwords of displays, read from the files named in the parameters. */
import { readFile } from "node:fs/promises";
import { NodeFailure } from "../../failure.js";
import type { HvParams } from "../hypervisor.js";
import { text } from "./parameters.js";
import type { Runtime } from "./runtime.js";

export interface DisplayPasswords {
  readonly vnc: string | null;
  readonly spice: string | null;
}

/**
 * Passwords by display. Null for a display without a password file, and for a display that the instance does not have or
 * that takes no password: the parameter may be a default of the cluster, and QEMU would refuse the password.
 */
export async function displayPasswords(
  hvparams: HvParams,
  { words }: Pick<Runtime, "words">,
): Promise<DisplayPasswords> {
  const after = (option: string): readonly string[] => {
    const at = words.indexOf(option);
    return at < 0 ? [] : String(words[at + 1] ?? "").split(",");
  };
  const vnc = after("-vnc");
  const spice = after("-spice");
  const read = async (name: string, kind: string): Promise<string | null> => {
    const path = text(hvparams, name);
    return path === "" ? null : passwordIn(path, kind);
  };
  return {
    vnc: vnc.some(isPasswordWord) ? await read("vnc_password_file", "VNC") : null,
    spice:
      spice.length > 0 && !spice.includes("disable-ticketing")
        ? await read("spice_password_file", "SPICE")
        : null,
  };
}

/** Whether the word of a display demands a password; newer versions of QEMU write it with a value. */
const isPasswordWord = (word: string): boolean => word === "password" || word === "password=on";

/** The password in the file, its only line that is not empty. */
async function passwordIn(path: string, kind: string): Promise<string> {
  const content = await readFile(path, "utf8").catch((error: Error) => {
    throw new NodeFailure(`Failed to open ${kind} password file ${path}: ${error.message}`);
  });
  const [password, ...more] = content.split("\n").filter((line) => line.trim() !== "");
  if (password !== undefined && more.length === 0) return password;
  throw new NodeFailure(
    `Failed to open ${kind} password file ${path}: it must have one line, not ${password === undefined ? 0 : more.length + 1}`,
  );
}
