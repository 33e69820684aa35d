/**
 * Entry point of hail's executable, which QuickJS runs: an engine that starts in a fraction of the time of others, and
 * takes several times as long for large clusters. It answers usual small requests, and leaves everything else to the
 * whole program in the executable beside it, NAME-engine.
 */
import { exit, getScriptArgs } from "quickjs:cmdline";
import { TextDecoder, TextEncoder } from "quickjs:encoding";
import * as os from "quickjs:os";
import { err } from "quickjs:std";
import { quickAnswer } from "./hail/quick-answer.js";

/** Bytes; larger messages rarely suit the decoder for small ones. */
const sizeMax = 2 ** 15;
const hangup = 1;

// The decoder of messages expects them where Node and browsers have them.
Object.assign(globalThis, { TextDecoder, TextEncoder });
const [, ...argv] = getScriptArgs();
// A write to a closed pipe fails instead.
os.signal(os.SIGPIPE, undefined);
if (!isAnswered(argv)) runEngine(argv);

/** Whether the answer is written; otherwise nothing is. */
function isAnswered([file, ...further]: readonly string[]): boolean {
  if (file === undefined || file.startsWith("-") || further.length > 0) return false;
  const message = smallFile(file);
  const text = message && quickAnswer(message);
  return text !== undefined && isWritten(text);
}

/** The bytes of a small regular file; undefined for others, and if the file cannot be read. */
function smallFile(path: string): Uint8Array | undefined {
  try {
    const { mode, size } = os.stat(path);
    if ((mode & os.S_IFMT) !== os.S_IFREG || size > sizeMax) return undefined;
    const fd = os.open(path, os.O_RDONLY);
    const bytes = new ArrayBuffer(size);
    const count = os.read(fd, bytes, 0, size);
    os.close(fd);
    return new Uint8Array(bytes, 0, count);
  } catch {
    return undefined;
  }
}

/** False if nothing can be written. */
function isWritten(text: string): boolean {
  const { buffer, byteOffset, byteLength } = new TextEncoder().encode(text);
  let done = 0;
  try {
    while (done < byteLength) done += os.write(1, buffer, byteOffset + done, byteLength - done);
    return true;
  } catch {
    if (done === 0) return false;
    err.puts("hail: <stdout>: the answer is written in part\n");
    return exit(1);
  }
}

/** Ends as the engine does; it gets the signals that this process gets. */
function runEngine(words: readonly string[]): void {
  const engine = `${os.realpath(os.execPath())}-engine`;
  if (!isThere(engine)) {
    err.puts(`hail: there is no ${engine}, which answers all but usual small requests\n`);
    exit(1);
  }
  const pid = os.exec([engine, ...words], { block: false, usePath: false });
  for (const signal of [os.SIGINT, os.SIGTERM, hangup]) {
    os.signal(signal, () => os.kill(pid, signal));
  }
  const look = () => {
    const [ended, status] = os.waitpid(pid, os.WNOHANG);
    if (ended === pid) endAs(status);
  };
  os.signal(os.SIGCHLD, look);
  // The engine may have ended already, and the loop of events does not wait for signals alone.
  setInterval(look, 50);
}

function isThere(path: string): boolean {
  try {
    os.stat(path);
    return true;
  } catch {
    return false;
  }
}

function endAs(status: number): void {
  if (!os.WIFSIGNALED(status)) exit(os.WEXITSTATUS(status));
  const signal = os.WTERMSIG(status);
  os.signal(signal, null);
  os.kill(os.getpid(), signal);
}
