// The file in which Ganeti's own watcher looks for its pause.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aServer } from "./served.js";

test("the watcher's pause is in the file below the virtual root, also after a restart", async () => {
  const server = await aServer();
  const file = join(server.luxi.root.data, "watcher.pause");
  expect(existsSync(file)).toBe(false);
  await server.world.objects.pauseWatcher(1_900_000_000.7);
  expect(readFileSync(file, "utf8")).toBe("1900000000\n");
  const again = await server.again();
  expect(readFileSync(file, "utf8")).toBe("1900000000\n");
  await again.world.objects.pauseWatcher(null);
  expect(existsSync(file)).toBe(false);
  await again.end();
});
