import { describe, expect, test } from "vitest";
import { newHost } from "./host.js";
import { shellAnswer } from "./shell.js";

const host = newHost({ name: "node1.example.com", files: { "/etc/a": "1\n", "/etc/b/c": "2\n" } });

describe("a command line on a simulated node", () => {
  test.each([
    ["hostname", "node1.example.com\n", 0],
    ["true", "", 0],
    ["false", "", 1],
    [`echo a "b  c" 'd|e'`, "a b  c d|e\n", 0],
    ["cat /etc/a /etc/b/c", "1\n2\n", 0],
    ["cat /etc/x", "cat: /etc/x: No such file or directory\n", 1],
    ["ls /etc", "a\nb\n", 0],
    ["ls /etc/a /x", "/etc/a\nls: cannot access '/x': No such file or directory\n", 1],
    ["", "", 0],
  ])("%s", (command, output, exitCode) => {
    expect(shellAnswer(host, command)).toEqual({ output, exitCode });
  });

  test.each(["uptime", "/bin/true"])("%s is not there, and it is said what is", (command) => {
    const { output, exitCode } = shellAnswer(host, command);
    expect(exitCode).toBe(127);
    expect(output).toContain(`${command}: command not found (a simulated node has true, false, `);
  });

  test.each(["echo $HOME", "true && false", "cat /etc/*", "echo 'a", 'echo "$x"', "true;"])(
    "%s needs a shell, which it has not",
    (command) => {
      expect(shellAnswer(host, command).exitCode).toBe(2);
    },
  );
});
