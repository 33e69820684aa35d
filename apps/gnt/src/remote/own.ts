/** Resources below `/ganeti-ts/1` that only servers of ours have. */
import type { Json } from "@ganeti-ts/protocol";
import { isJsonObject } from "@ganeti-ts/protocol";
import type { Submitted } from "../cluster.js";
import type { Administration } from "./administration.js";
import { outcome, requireList, requireObject, unexpected, type Wire } from "./wire.js";

const base = "/ganeti-ts/1";

export const ownAdministration = (wire: Wire): Administration => ({
  async submit(jobs) {
    const path = `${base}/jobs`;
    const answer = await wire.call("POST", path, { body: { jobs } });
    return requireList(answer, path).map((one) => submitted(one, path));
  },
  async kill(id) {
    const path = `${base}/jobs/${id}/kill`;
    return outcome(await wire.call("PUT", path), path);
  },
  async changePriority(id, priority) {
    const path = `${base}/jobs/${id}/priority`;
    return outcome(await wire.call("PUT", path, { body: { priority } }), path);
  },
  async archive(id) {
    return (await wire.call("PUT", `${base}/jobs/${id}/archive`)) === true;
  },
  async autoArchive(age) {
    const path = `${base}/queue/autoarchive`;
    const [archived, unchecked] = requireList(
      await wire.call("PUT", path, { body: { age } }),
      path,
    );
    return [Number(archived), Number(unchecked)];
  },
  async why(id) {
    const path = `${base}/jobs/${id}/why`;
    return requireList(await wire.call("GET", path), path).map((one) => {
      const { kind, text } = requireObject(one, path);
      return { kind: String(kind), text: String(text) };
    });
  },
  async claims() {
    const path = `${base}/claims`;
    return requireList(await wire.call("GET", path), path).map((one) => {
      const claim = requireObject(one, path);
      const { job, job_status: status, since, nodes, instance } = claim;
      return {
        ...{ uuid: String(claim.uuid), kind: String(claim.kind), job: Number(job) },
        job_status: typeof status === "string" ? status : null,
        since: typeof since === "number" ? since : null,
        nodes: requireList(nodes, path).map(String),
        instance: typeof instance === "string" ? instance : null,
        devices: Number(claim.devices),
      };
    });
  },
  async isDrained() {
    const path = `${base}/queue`;
    return requireObject(await wire.call("GET", path), path).drained === true;
  },
  async setDrained(drained) {
    await wire.call("PUT", `${base}/queue`, { body: { drained } });
  },
  async watcherPause() {
    const path = `${base}/watcher`;
    const { pause_until: until } = requireObject(await wire.call("GET", path), path);
    return typeof until === "number" ? until : null;
  },
  async setWatcherPause(until) {
    await wire.call("PUT", `${base}/watcher`, { body: { pause_until: until } });
  },
  async renewConfdKey() {
    await wire.call("PUT", `${base}/confd/key`);
  },
});

function submitted(answer: Json, path: string): Submitted {
  if (!isJsonObject(answer)) throw unexpected(path);
  if (typeof answer.id === "number") return { id: answer.id };
  const { refused, error = null } = answer;
  return { refused: String(refused), error };
}
