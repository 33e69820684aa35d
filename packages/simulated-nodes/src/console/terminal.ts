/** A terminal of a simulated instance: it boots, asks for a name, and runs a handful of commands. */

/** The facts of an instance that its terminal shows. */
export interface ConsoleFacts {
  readonly instance: string;
  readonly node: string;
  readonly os: string;
  readonly memoryMib: number;
  readonly vcpus: number;
}

const bold = (text: string) => `\x1b[1m${text}\x1b[0m`;
const green = (text: string) => `\x1b[32m${text}\x1b[0m`;

/** Longest line that is kept, in characters. */
const lineMax = 1000;

/** A terminal as a function of the text that is typed. Sends what it shows, first while it boots. */
export function simulatedTerminal(facts: ConsoleFacts, send: (text: string) => void) {
  let user: string | undefined;
  let line = "";
  /** Inside an escape sequence of a key such as an arrow, which has no effect. */
  let isEscaped = false;
  const prompt = () =>
    user === undefined
      ? `${shortName(facts)} login: `
      : `${green(`${user}@${shortName(facts)}`)}:~$ `;
  const enter = () => {
    const words = line.trim();
    line = "";
    send("\r\n");
    if (user === undefined) {
      if (words !== "") {
        user = words.replace(/[^\w.-]/g, "").slice(0, 32) || "guest";
        send(
          `Welcome to ${facts.os} on ${facts.instance}. ${bold("help")} lists the commands.\r\n`,
        );
      }
    } else if (words === "exit") {
      user = undefined;
      send(bootText(facts));
    } else if (words !== "") {
      send(answer(facts, user, words).replaceAll("\n", "\r\n"));
    }
    send(prompt());
  };
  const key = (character: string) => {
    if (isEscaped) {
      isEscaped = !/[A-Za-z~]/.test(character);
    } else if (character === "\x1b") isEscaped = true;
    else if (character === "\r" || character === "\n") enter();
    else if (character === "\x7f" || character === "\b") {
      if (line !== "") send("\b \b");
      line = line.slice(0, -1);
    } else if (character === "\x03") {
      line = "";
      send(`^C\r\n${prompt()}`);
    } else if (character === "\x0c") {
      send(`\x1b[2J\x1b[H${prompt()}${line}`);
    } else if (character >= " " && line.length < lineMax) {
      line += character;
      send(character);
    }
  };
  send(bootText(facts) + prompt());
  return {
    input(text: string): void {
      for (const character of text) key(character);
    },
  };
}

const shortName = ({ instance }: ConsoleFacts): string => instance.split(".")[0] ?? instance;

const bootText = ({ instance, node, memoryMib, vcpus, os }: ConsoleFacts): string =>
  [
    "",
    bold("Simulated machine"),
    `  ${vcpus} virtual ${vcpus === 1 ? "CPU" : "CPUs"}, ${memoryMib} MiB of memory, on ${node}`,
    `  ${os} boots ... ${green("ok")}`,
    "",
    `${instance} tty1`,
    "",
    "",
  ].join("\r\n");

function answer(facts: ConsoleFacts, user: string, words: string): string {
  const [command = "", ...rest] = words.split(/\s+/);
  switch (command) {
    case "help":
      return "clear  echo  exit  free  help  hostname  nproc  uname  whoami\n";
    case "clear":
      return "\x1b[2J\x1b[H";
    case "echo":
      return `${rest.join(" ")}\n`;
    case "free":
      return `total ${facts.memoryMib} MiB, used ${Math.round(facts.memoryMib / 3)} MiB\n`;
    case "hostname":
      return `${facts.instance}\n`;
    case "nproc":
      return `${facts.vcpus}\n`;
    case "uname":
      return `Simulated ${facts.os}\n`;
    case "whoami":
      return `${user}\n`;
    default:
      return `${command}: not found: this machine is simulated\n`;
  }
}
