/** Passwords of displays, from the files that parameters name. */
import { readFile } from "node:fs/promises";
import { NodeFailure } from "../../failure.js";
import type { HvParams } from "../hypervisor.js";
import { text } from "./parameters.js";

export interface DisplayPasswords {
  readonly vnc: string | null;
  readonly spice: string | null;
}

/** Null for a display without a file. */
export async function displayPasswords(hvparams: HvParams): Promise<DisplayPasswords> {
  const read = async (name: string, kind: string): Promise<string | null> => {
    const path = text(hvparams, name);
    return path === "" ? null : passwordIn(path, kind);
  };
  return {
    vnc: await read("vnc_password_file", "VNC"),
    spice: await read("spice_password_file", "SPICE"),
  };
}

/** The one line of the file that is not empty. */
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
