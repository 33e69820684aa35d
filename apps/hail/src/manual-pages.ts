/** All manual pages, by file name, as JSON on standard output: for the build. */
import manifest from "../package.json" with { type: "json" };
import { hail } from "./hail/program.js";
import { harep } from "./harep/program.js";
import { hbal } from "./hbal/program.js";
import { hcheck } from "./hcheck/program.js";
import { hinfo } from "./hinfo/program.js";
import { hroller } from "./hroller/program.js";
import { hscan } from "./hscan/program.js";
import { hspace } from "./hspace/program.js";
import { hsqueeze } from "./hsqueeze/program.js";
import { htoolsPage, manualPage } from "./manual.js";
import type { CommandLineProgram } from "./option.js";
import { programs } from "./programs.js";

const { version } = manifest;
const all = [hail, harep, hbal, hcheck, hinfo, hroller, hscan, hspace, hsqueeze];
const pages = all.map((program) => {
  const summary = programs.get(program.name)?.description ?? program.name;
  const text = manualPage(program as CommandLineProgram<never>, { summary, version });
  return [`${program.name}.1`, text] as const;
});
process.stdout.write(
  JSON.stringify(Object.fromEntries([...pages, ["htools.1", htoolsPage(programs, version)]])),
);
