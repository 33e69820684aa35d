// quickjs-run quick-executable.js BUNDLE EXECUTABLE: a module as an executable, by @suchipi/quickjs
import { fromFile } from "quickjs:bytecode";
import { getScriptArgs } from "quickjs:cmdline";
import * as os from "quickjs:os";

const [, , bundle, executable] = getScriptArgs();

// Linked statically, the engine starts sooner and needs no libraries.
const folder = os.realpath(os.execPath()).replace(/-linux-(gnu|musl)\//, "-linux-static/");
const engine = contentOf(folder.replace(/[^/]+$/, "qjsbootstrap-bytecode"));
const code = fromFile(bundle, { encodedFileName: "hail", strip: "debug" });

const out = os.open(executable, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o755);
for (const part of [engine, code]) {
  for (let done = 0; done < part.byteLength; ) {
    done += os.write(out, part, done, part.byteLength - done);
  }
}
os.close(out);

function contentOf(path) {
  const { size } = os.stat(path);
  const content = new ArrayBuffer(size);
  const file = os.open(path, os.O_RDONLY);
  for (let done = 0; done < size; ) done += os.read(file, content, done, size - done);
  os.close(file);
  return content;
}
