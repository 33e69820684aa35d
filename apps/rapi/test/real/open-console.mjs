// Opens a console of an instance as the page does, and prints what it shows:
//   node open-console.mjs URL USER:PASSWORD INSTANCE serial LINE WANTED   types the line, until the text is shown
//   node open-console.mjs URL USER:PASSWORD INSTANCE vnc                  the name of the screen
import { request } from "node:https";
import { argv, exit, stdout } from "node:process";
import { WebSocket } from "ws";

const [, , url = "", credentials = "", instance, kind, line = "", wanted = ""] = argv;
const headers = { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` };
const rejectUnauthorized = false;

const token = await new Promise((resolve, reject) => {
  const sent = request(`${url}/ganeti-ts/1/instances/${instance}/console`, {
    method: "POST",
    rejectUnauthorized,
    headers: { ...headers, "content-type": "application/json" },
  });
  sent.on("error", reject);
  sent.on("response", async (answer) => {
    let text = "";
    for await (const part of answer) text += part;
    if (answer.statusCode === 200) resolve(JSON.parse(text).token);
    else reject(new Error(`${answer.statusCode} ${text}`));
  });
  sent.end(JSON.stringify({ kind }));
});

const socket = new WebSocket(
  `${url.replace(/^http/, "ws")}/ganeti-ts/1/console`,
  ["ganeti-console", token],
  { headers, rejectUnauthorized },
);
let shown = "";
/** @type {(text: string, code: number) => void} */
const end = (text, code) => {
  stdout.write(`${text}\n`);
  socket.close();
  exit(code);
};
setTimeout(() => end(`not shown: ${JSON.stringify(shown)}`, 1), 60_000).unref();
socket.on("error", (error) => end(error.message, 1));
socket.on("close", (code, reason) => end(`closed: ${code} ${reason} ${JSON.stringify(shown)}`, 1));

if (kind === "serial") {
  // The shell may still be starting: the line is typed until it has been answered.
  setInterval(() => socket.readyState === WebSocket.OPEN && socket.send(`${line}\r`), 3000);
  socket.on("message", (data) => {
    shown += String(data);
    if (shown.includes(wanted)) end(shown, 0);
  });
} else {
  // RFB 3.8 without authentication: the server has logged in already.
  const steps = [
    { length: 12, answer: Buffer.from("RFB 003.008\n") },
    { length: 2, answer: Buffer.of(1) },
    { length: 4, answer: Buffer.of(1) },
  ];
  let received = Buffer.alloc(0);
  socket.on("message", (/** @type {Buffer} */ data) => {
    received = Buffer.concat([received, data]);
    for (let next = steps[0]; next && received.length >= next.length; next = steps[0]) {
      received = received.subarray(next.length);
      socket.send(next.answer);
      steps.shift();
    }
    const length = received.length >= 24 ? received.readUInt32BE(20) : undefined;
    if (steps.length === 0 && length !== undefined && received.length >= 24 + length) {
      end(received.subarray(24, 24 + length).toString(), 0);
    }
  });
}
