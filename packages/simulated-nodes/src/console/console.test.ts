// Consoles of simulated instances: what they show, and what they do with keys and with wrong bytes.
import { expect, test } from "vitest";
import { simulatedScreen } from "./screen.js";
import { simulatedTerminal } from "./terminal.js";
import { TextScreen } from "./text-screen.js";

const facts = {
  ...{ instance: "web1.example.com", node: "node1.example.com", os: "debian" },
  ...{ memoryMib: 512, vcpus: 2 },
};

function aTerminal() {
  const shown = { text: "" };
  const terminal = simulatedTerminal(facts, (text) => {
    shown.text += text;
  });
  const say = (text: string) => {
    shown.text = "";
    terminal.input(text);
    return shown.text;
  };
  return { shown, say };
}

test("a terminal boots, lets a user in, and answers commands about its machine", () => {
  const { shown, say } = aTerminal();
  expect(shown.text).toContain("2 virtual CPUs, 512 MiB of memory, on node1.example.com");
  expect(shown.text.endsWith("web1 login: ")).toBe(true);
  expect(say("kim\r")).toContain("kim@web1");
  expect(say("hostname\r")).toContain("web1.example.com\r\n");
  expect(say("nproc\r")).toContain("2\r\n");
  expect(say("rm -rf /\r")).toContain("rm: not found");
  expect(say("exit\r")).toContain("login: ");
});

test("backspace, Ctrl-C and keys without a meaning change only the line", () => {
  const { say } = aTerminal();
  say("kim\r");
  expect(say("ecjo\x7f\x7fho hi\x1b[A\r")).toContain("hi\r\n");
  expect(say("echo a\x03")).toContain("^C");
  expect(say("\x7fwhoami\r")).toContain("kim\r\n");
});

test("a name that would change the terminal is reduced to letters", () => {
  const { say } = aTerminal();
  expect(say("\x1b]0;evil\x07<b>\r")).not.toContain("\x1b]");
});

test("a text screen wraps, scrolls and clears as a terminal does", () => {
  const screen = new TextScreen(3, 2);
  const lines = () => [0, 1].map((y) => [0, 1, 2].map((x) => screen.at(x, y)).join(""));
  screen.write("abcd");
  expect(lines()).toEqual(["abc", "d  "]);
  screen.takeChanged();
  screen.write("\r\nx");
  expect(lines()).toEqual(["d  ", "x  "]);
  expect(screen.takeChanged()).toEqual([0, 1]);
  screen.write("\x1b[2J\x1b[Hok\x1b[32m!");
  expect(lines()).toEqual(["ok!", "   "]);
});

/** A client after the handshake, with the messages that the server has sent since. */
function aScreen() {
  const sent: Uint8Array[] = [];
  const screen = simulatedScreen(facts, (bytes) => sent.push(bytes));
  const greeting = [...Buffer.from("RFB 003.008\n"), 1, 1];
  return { screen, sent, greeting };
}

const request = (isIncremental: 0 | 1) => [3, isIncremental, 0, 0, 0, 0, 2, 128, 1, 144];
const key = (keysym: number) => [4, 1, 0, 0, 0, 0, keysym >> 8, keysym & 0xff];

test("a VNC client is greeted as RFB 3.8 demands, whatever the pieces its bytes come in", () => {
  const { screen, sent, greeting } = aScreen();
  for (const byte of greeting) screen.input(Uint8Array.of(byte));
  expect(Buffer.from(sent[0] ?? []).toString()).toBe("RFB 003.008\n");
  expect([...(sent[1] ?? [])]).toEqual([1, 1]);
  expect([...(sent[2] ?? [])]).toEqual([0, 0, 0, 0]);
  const init = Buffer.from(sent[3] ?? []);
  expect([init.readUInt16BE(0), init.readUInt16BE(2)]).toEqual([640, 400]);
  expect(init.subarray(24).toString()).toBe("web1.example.com (simulated)");
});

test("the whole picture is sent once, and then only rows that change, when they are asked for", () => {
  const { screen, sent, greeting } = aScreen();
  screen.input(Uint8Array.from([...greeting, ...request(0)]));
  const whole = Buffer.from(sent[4] ?? []);
  expect(whole.readUInt16BE(2)).toBe(25);
  expect(whole.length).toBe(4 + 25 * (12 + 640 * 16 * 4));
  screen.input(Uint8Array.from([2, 0, 0, 1, 0, 0, 0, 0, ...request(1)]));
  expect(sent.length).toBe(5);
  screen.input(Uint8Array.from(key(0x61)));
  expect(Buffer.from(sent[5] ?? []).readUInt16BE(2)).toBe(1);
  screen.input(Uint8Array.from(key(0x61)));
  expect(sent.length).toBe(6);
});

test("pixels come in the order that the client asks for", () => {
  const { screen, sent, greeting } = aScreen();
  const format = [0, 0, 0, 0, 32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 0, 8, 16, 0, 0, 0];
  screen.input(Uint8Array.from([...greeting, ...format, ...request(0)]));
  expect([...Buffer.from(sent[4] ?? []).subarray(16, 20)]).toEqual([16, 24, 22, 0]);
});

test.each([
  ["an unknown message", [9]],
  ["an endless clipboard", [6, 0, 0, 0, 255, 255, 255, 255]],
  ["endless encodings", [2, 0, 255, 255]],
  ["pixels of 8 bits", [0, 0, 0, 0, 8, 8, 0, 1, 0, 7, 0, 7, 0, 3, 0, 3, 6, 0, 0, 0]],
])("%s is refused", (_, bytes) => {
  const { screen, greeting } = aScreen();
  screen.input(Uint8Array.from(greeting));
  expect(() => screen.input(Uint8Array.from(bytes))).toThrow(RangeError);
});
