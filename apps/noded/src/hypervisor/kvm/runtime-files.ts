/** Reading and writing the runtime file of an instance. */
import { NodeFailure } from "../../failure.js";
import { makeFolder, readIfThere, replaceFile } from "../state-files.js";
import type { KvmPorts } from "./ports.js";
import { type Runtime, readRuntime, runtimeText } from "./runtime.js";

type Ports = Pick<KvmPorts, "files">;

export const saveRuntime = (ports: Ports, name: string, runtime: Runtime): Promise<void> =>
  saveRuntimeText(ports, name, runtimeText(runtime));

export async function saveRuntimeText({ files }: Ports, name: string, text: string): Promise<void> {
  try {
    await makeFolder(files.runtimes, 0o775);
    await replaceFile(files.of(name).runtime, text);
  } catch (error) {
    throw new NodeFailure(`Failed to save KVM runtime file: ${(error as Error).message}`);
  }
}

export async function loadRuntimeText({ files }: Ports, name: string): Promise<string> {
  const { runtime } = files.of(name);
  const text = await readIfThere(runtime);
  if (text === null) throw new NodeFailure(`Failed to load KVM runtime file: no file ${runtime}`);
  return text;
}

export const loadRuntime = async (ports: Ports, name: string): Promise<Runtime> =>
  readRuntime(await loadRuntimeText(ports, name));
