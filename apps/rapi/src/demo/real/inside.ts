/** insideDemo: the process inside the namespaces of the demonstration. */
import { join } from "node:path";
import { realStory } from "./story.js";

/** Returns the exit code. `ends`: ends after the story instead of waiting for Ctrl-C. */
export async function insideDemo(
  folder: string,
  system: string,
  accelerator: "kvm" | "tcg",
  ends: boolean,
): Promise<number> {
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const stop = new AbortController();
  const stopped = new Promise<void>((resolve) => {
    stop.signal.addEventListener("abort", () => resolve());
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());
  try {
    const story = realStory({ folder, system, accelerator, say, signal: stop.signal });
    // A running command ends with the namespaces.
    await Promise.race([story, stopped.then(() => stop.signal.throwIfAborted())]);
    if (ends) return 0;
    for (const line of nextSteps(folder)) say(line);
    await stopped;
    say("\nstopping …");
    return 0;
  } catch (error) {
    if (stop.signal.aborted) {
      say("\nstopping …");
      return 130;
    }
    say(`failed: ${(error as Error).message}`);
    return 1;
  }
}

const nextSteps = (folder: string): readonly string[] => [
  "",
  "Next, in another terminal, as root:",
  `  ${join(folder, "enter")}                                   # a shell on the master`,
  `  ${join(folder, "enter")} node1.example.com gnt-instance list`,
  `  ${join(folder, "enter")} node1.example.com gnt-instance console counter.example.com   # Ctrl-] ends it`,
  `  ${join(folder, "enter")} node1.example.com ping -c 3 192.0.2.50`,
  "",
  "Ctrl-C ends and removes all of it.",
];
