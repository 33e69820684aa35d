import { expect, test } from "vitest";
import { portsIn } from "../test/fake-ports.js";
import { progress } from "./progress.js";

const terminal = async () => ({ columns: 10, colour: false });

test("progress is silent for a second, then shows one line cut to the width of the terminal", async () => {
  const { ports, outcome } = portsIn({ change: { terminal } });
  const { tell, clear } = await progress(ports);
  clear();
  for (const text of ["0", "500", "1000 and more", "1050", "1100"]) {
    tell(text);
    await ports.sleep(text === "1000 and more" || text === "1050" ? 50 : 500);
  }
  clear();
  clear();
  expect(outcome.stderr).toBe("\r\u001b[K1000 and \r\u001b[K1100\r\u001b[K");
});

test("no progress is shown if stderr is not a terminal", async () => {
  const { ports, outcome } = portsIn({});
  const { tell, clear } = await progress(ports);
  await ports.sleep(5000);
  tell("text");
  clear();
  expect(outcome.stderr).toBe("");
});
