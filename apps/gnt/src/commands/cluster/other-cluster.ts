/** accessOf: access to the remote API of another cluster, for the server program. */
import { readFileSync } from "node:fs";
import { Ending } from "../../errors.js";
import type { OptionValues } from "../../invocation.js";

/** Credentials as the server program takes them: never as arguments, which all users of the machine can see. */
export function accessOf(options: OptionValues) {
  const user = options.text("user");
  const file = options.text("password-file");
  const ca = options.text("ca");
  return {
    ...(user !== undefined && { GANETI_RAPI_USER: user }),
    ...(file !== undefined && { GANETI_RAPI_PASSWORD: passwordIn(file) }),
    ...(ca !== undefined && { GANETI_RAPI_CA: ca }),
  };
}

/** Its first line. @throws Ending */
function passwordIn(file: string): string {
  try {
    return readFileSync(file, "utf8").split("\n", 1)[0]?.replace(/\r$/, "") ?? "";
  } catch (error) {
    throw new Ending(`Cannot read ${file}: ${(error as Error).message}`);
  }
}
