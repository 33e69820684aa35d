import { expect, test } from "vitest";
import { type Options, readOptions } from "./options.js";
import { settingsOf } from "./settings.js";

test.each([
  { args: [], madeHere: true, ofGaneti: false },
  { args: ["--anonymous-reads"], madeHere: false, ofGaneti: false },
  { args: ["--require-authentication"], madeHere: true, ofGaneti: true },
])(
  "whether each request needs a user, on clusters of both origins: $args",
  ({ args, madeHere, ofGaneti }) => {
    const options = readOptions(args) as Options;
    const [here, there] = [settingsOf(options, "made here"), settingsOf(options, "Ganeti")];
    expect([here.requireAuthentication, there.requireAuthentication]).toEqual([madeHere, ofGaneti]);
  },
);
