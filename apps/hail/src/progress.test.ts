import { expect, test } from "vitest";
import { portsIn } from "../test/fake-ports.js";
import { progress } from "./progress.js";

const terminal = async () => ({ columns: 10, colour: false });

test("the first second is silent; then a line at a time, cut to the terminal", async () => {
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

test("nothing is told to what is no terminal", async () => {
  const { ports, outcome } = portsIn({});
  const { tell, clear } = await progress(ports);
  await ports.sleep(5000);
  tell("text");
  clear();
  expect(outcome.stderr).toBe("");
});
