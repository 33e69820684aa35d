// Runs on a machine of a test and prints one line of JSON: the end of a job, the state of a QEMU, or what its guest answers.
//   node action-probe.mjs '{"ask": "job", "method": "PUT", "path": "/2/instances/NAME/modify", "body": {}}'
//   node action-probe.mjs '{"ask": "request", "method": "GET", "path": "/2/jobs/7"}'
//   node action-probe.mjs '{"ask": "job", "id": "7"}'          a job that was submitted before
//   node action-probe.mjs '{"ask": "opcode", "opcode": {}}'     by LUXI; its end, or that of the first failed job that it has submitted
//   node action-probe.mjs '{"ask": "qemu", "name": NAME}'      null if it does not run here
//   node action-probe.mjs '{"ask": "guest", "name": NAME, "line": "uname"}'
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { request } from "node:https";
import { connect } from "node:net";
import { argv, exit, stdout } from "node:process";

const wanted = JSON.parse(argv[2] ?? "");
const state = "/run/ganeti/kvm-hypervisor";
const user = { name: "jane", password: "secret" };

/** @param {string} method @param {string} path @param {unknown} [body] @returns {Promise<any>} */
const send = (method, path, body) =>
  new Promise((resolve, reject) => {
    const text = body === undefined ? "" : JSON.stringify(body);
    const sent = request(`https://127.0.0.1:5080${path}`, {
      ...{ method, rejectUnauthorized: false },
      headers: {
        authorization: `Basic ${Buffer.from(`${user.name}:${user.password}`).toString("base64")}`,
        ...{ "content-type": "application/json", "content-length": Buffer.byteLength(text) },
      },
    });
    sent.on("error", reject);
    sent.on("response", async (answer) => {
      let text = "";
      for await (const part of answer) text += part;
      if (answer.statusCode === 200) resolve(JSON.parse(text));
      else reject(new Error(`${method} ${path}: ${answer.statusCode} ${text}`));
    });
    sent.end(text);
  });

/** @param {string | number} id */
async function endOfJob(id) {
  for (;;) {
    const { status, opresult, oplog } = await send("GET", `/2/jobs/${id}`);
    if (!["queued", "waiting", "running", "canceling"].includes(status)) {
      return {
        status,
        result: opresult[0],
        log: oplog[0].map((/** @type {unknown[]} */ entry) => entry.at(-1)),
      };
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** @param {object} opcode */
async function endOfOpcode(opcode) {
  const request = { method: "SubmitJob", args: [[{ reason: [], ...opcode }]] };
  const socket = connect("/var/run/ganeti/socket/ganeti-query").setEncoding("utf8");
  socket.write(`${JSON.stringify(request)}\u0003`);
  let text = "";
  for await (const part of socket) {
    text += part;
    if (text.endsWith("\u0003")) break;
  }
  const { success, result } = JSON.parse(text.slice(0, -1));
  if (!success) throw new Error(text);
  const end = await endOfJob(result);
  for (const [, job] of end.result?.jobs ?? []) {
    const one = await endOfJob(job);
    if (one.status !== "success") return one;
  }
  return end;
}

/** Answers of a QEMU to commands of its monitor, in their order. @param {string} path @param {readonly object[]} commands */
async function monitor(path, commands) {
  const socket = connect(path).setEncoding("utf8");
  const queue = [{ execute: "qmp_capabilities" }, ...commands];
  /** @type {any[]} */
  const answers = [];
  let rest = "";
  for await (const part of socket) {
    const lines = (rest + part).split("\n");
    rest = lines.pop() ?? "";
    for (const message of lines.map((line) => JSON.parse(line))) {
      if (message.error) throw new Error(JSON.stringify(message.error));
      if (message.return !== undefined) answers.push(message.return);
      if (message.return === undefined && message.QMP === undefined) continue;
      const next = queue[answers.length];
      if (next === undefined) return answers.slice(1);
      socket.write(JSON.stringify(next));
    }
  }
  throw new Error(`${path} has closed the connection`);
}

/** @param {string} name */
async function stateOfQemu(name) {
  const pid = readText(`${state}/pid/${name}`).trim();
  const words = pid === "" ? [] : readText(`/proc/${pid}/cmdline`).split("\0").slice(0, -1);
  if (words.length === 0) return null;
  const [status, blocks, balloon, cpus, network, migration] = await monitor(
    `${state}/ctrl/${name}.qmp`,
    [
      ...["query-status", "query-block", "query-balloon", "query-cpus-fast"].map((execute) => ({
        execute,
      })),
      { execute: "human-monitor-command", arguments: { "command-line": "info network" } },
      { execute: "query-migrate-parameters" },
    ],
  );
  return {
    ...{ pid: Number(pid), words, status: status.status, memoryMib: balloon.actual / 1024 ** 2 },
    disks: disksOf(blocks),
    open: openFiles(pid),
    nics: nicsOf(network, pid),
    vcpus: cpus.length,
    allowed: cpus.map(
      (/** @type {{"thread-id": number}} */ cpu) =>
        /Cpus_allowed_list:\s*(\S+)/.exec(
          readText(`/proc/${pid}/task/${cpu["thread-id"]}/status`),
        )?.[1],
    ),
    bandwidthMib: migration["max-bandwidth"] / 1024 ** 2,
    taps: readdirSync("/sys/class/net")
      .filter((link) => link.startsWith("tap"))
      .sort(),
  };
}

/** Files with disks that the process has open. @param {string} pid */
const openFiles = (pid) =>
  readdirSync(`/proc/${pid}/fd`)
    .map((fd) => targetOf(`/proc/${pid}/fd/${fd}`))
    .filter((path) => path.startsWith("/srv/ganeti/") || /^\/dev\/(drbd|xenvg|dm-)/.test(path))
    .sort();

/** Disks by the ids of their devices. @param {any[]} blocks */
const disksOf = (blocks) =>
  blocks
    .filter(({ inserted, device }) => inserted && device.startsWith("disk-"))
    .map(({ device: id, inserted }) => ({
      ...{ id, sizeMib: inserted.image["virtual-size"] / 1024 ** 2, isReadOnly: inserted.ro },
    }));

/** Target of a symbolic link; empty if there is none. @param {string} path */
function targetOf(path) {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

/** @param {string} text @param {string} pid */
function nicsOf(text, pid) {
  const taps = new Map(
    [...text.matchAll(/^ \\ (\S+?): .*type=tap,(.*)$/gm)].map(([, id = "", rest = ""]) => [
      id,
      tapOf(rest, pid),
    ]),
  );
  return [...text.matchAll(/^(nic-\S+?): .*model=([^,]+),macaddr=([0-9a-f:]+)/gm)].map(
    ([, id = "", model, mac]) => {
      const tap = taps.get(id) ?? "";
      return { id, model, mac, tap, bridge: bridgeOf(tap) };
    },
  );
}

/** @param {string} rest @param {string} pid */
function tapOf(rest, pid) {
  const named = /ifname=([^,\s]+)/.exec(rest)?.[1];
  const fd = /fd=(\d+)/.exec(rest)?.[1];
  return named ?? /^iff:\s*(\S+)/m.exec(readText(`/proc/${pid}/fdinfo/${fd}`))?.[1] ?? "";
}

/** @param {string} tap */
const bridgeOf = (tap) => targetOf(`/sys/class/net/${tap}/master`).replace(/.*\//, "");

/** @param {string} path */
function readText(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Output of a line in the shell of the guest's console; the line is typed until it is answered. @param {string} name @param {string} line */
async function answerOfGuest(name, line) {
  const socket = connect(`${state}/ctrl/${name}.serial`).setEncoding("utf8");
  // The console shows what is typed before the first line runs: the marks are put together by the shell. Lines of earlier
  // questions may still be answered.
  const own = Date.now().toString(36);
  const typed = `\rstty -echo; printf 'be''gin-${own}:'; { ${line}\n} 2>&1; printf ':e''nd-${own}\\n'\r`;
  /** @type {NodeJS.Timeout | undefined} */
  let again;
  /** @param {number} seconds */
  const type = (seconds) => {
    socket.write(typed);
    again = setTimeout(type, seconds * 1000, Math.min(60, seconds * 1.5));
  };
  type(3);
  let shown = "";
  for await (const part of socket) {
    shown += part;
    const [found, end] = shown.split(`begin-${own}:`)[1]?.split(`:end-${own}`) ?? [];
    if (found === undefined || end === undefined) continue;
    clearTimeout(again);
    return found.replaceAll("\r", "").trim();
  }
  throw new Error(`the console has ended: ${shown}`);
}

/** @type {Record<string, () => Promise<unknown>>} */
const kinds = {
  job: async () => endOfJob(wanted.id ?? (await send(wanted.method, wanted.path, wanted.body))),
  request: () => send(wanted.method, wanted.path, wanted.body),
  opcode: () => endOfOpcode(wanted.opcode),
  qemu: () => stateOfQemu(wanted.name),
  guest: () => answerOfGuest(wanted.name, wanted.line),
};
const found = await kinds[wanted.ask]?.();
stdout.write(`${JSON.stringify(found)}\n`, () => exit(0));
