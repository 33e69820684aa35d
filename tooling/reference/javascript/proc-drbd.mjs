// Loaded by `node --import` before a node daemon: the kernel's files about DRBD, from the stand-ins.
import { execFile } from "node:child_process";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { promisify } from "node:util";

const readFile = promises.readFile;

promises.readFile = async (path, ...rest) => {
  if (path === "/proc/drbd") return (await promisify(execFile)("drbd-status")).stdout;
  if (path === "/sys/module/drbd/parameters/usermode_helper") return "/bin/true\n";
  return await readFile(path, ...rest);
};
syncBuiltinESMExports();
