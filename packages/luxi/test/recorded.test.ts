// Exchanges of Ganeti 3.0.2's own programs and server, read where GANETI_TS_CORPUS names the folder
// of recordings: every request decodes and encodes again, every result decodes, refusals are alike.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { luxiMethods } from "@ganeti-ts/luxi";
import { describe, expect, test } from "vitest";
import { exchangesOf, problemOf } from "./exchanges.js";

const corpus = process.env.GANETI_TS_CORPUS;
const reason = "skipped: GANETI_TS_CORPUS does not name the folder of recorded exchanges";
if (corpus === undefined) console.warn(`recorded LUXI exchanges are ${reason}`);

/** Refusals that differ, by recording and text of the request; see docs/differences.md. */
const differences = [
  ["instance-modify-mixed-indices.json", "OP_INSTANCE_SET_PARAMS", "accepted"],
  ["raw-arguments.json", "QueryConfigValues", "Unable to read 1 tuple"],
  ["raw-arguments.json", "ArchiveJob", "Unable to read 1 tuple"],
  // Whether a regular expression compiles is for the port to say.
  ["raw-query.json", '"=~","name","("', "accepted"],
  // Ganeti shows 0.01 as 1.0e-2.
  ["raw-submit.json", "0.01", "Unable to read list"],
] as const;

describe.skipIf(corpus === undefined)("Recorded exchanges", () => {
  const folder = join(corpus ?? "", "luxi");
  const exchanges = (corpus === undefined ? [] : readdirSync(folder))
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => exchangesOf(name, readFileSync(join(folder, name), "utf8")));

  test("all recorded exchanges decode and encode as they are, but for the named differences", () => {
    const problems = exchanges.flatMap((exchange) => {
      const problem = problemOf(exchange);
      return problem === undefined ? [] : [{ ...exchange, problem }];
    });
    const unexplained = problems.filter(
      ({ source, request, problem }) =>
        !differences.some(
          ([file, part, text]) =>
            source === file && request.includes(part) && problem.includes(text),
        ),
    );
    expect(unexplained).toEqual([]);
    expect(problems).toHaveLength(differences.length);
    const methods = new Set(
      exchanges.map(({ request }) => /"method":\s*"(\w+)"/.exec(request)?.[1]),
    );
    expect(exchanges.length).toBeGreaterThan(1300);
    for (const method of Object.keys(luxiMethods)) expect(methods).toContain(method);
  });
});
