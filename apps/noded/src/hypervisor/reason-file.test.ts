import { readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { aFolder } from "../../test/a-context.js";
import { nodePaths } from "../machine/paths.js";
import { keepReason } from "./life-calls.js";

test("a reason trail keeps all digits of nanoseconds and gets an entry of the daemon", async () => {
  const root = aFolder();
  const paths = nodePaths(root);
  const reason = [["gnt:client", "upgrade", 1_795_350_811_288_683_123n]] as const;
  const clock = { ...systemClock, wallMicros: () => 1_795_350_811_288_683 };
  await keepReason({ paths, clock }, "web.example.com", reason as never, "shutdown");
  const file = join(paths.run, "instance-reason/web.example.com");
  expect(readFileSync(file, "utf8").replaceAll(" ", "")).toBe(
    '[["gnt:client","upgrade",1795350811288683123],' +
      '["gnt:daemon:noded:shutdown","",1795350811288683000]]',
  );
});
