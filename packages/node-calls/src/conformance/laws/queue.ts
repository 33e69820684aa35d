import { dataDirectory } from "../../paths.js";
import { lawsOf } from "../law.js";

const queue = `${dataDirectory}/queue`;

export const queueLaws = lawsOf("queue", ["queue"], {
  async "Copies of jobs are written, renamed and removed, in the directory of the queue only."(
    trial,
  ) {
    const [job, archived] = [`${queue}/job-7`, `${queue}/archive/0/job-7`];
    const exists = async (path: string) =>
      (await trial.ask(1, "get_file_info", { path: trial.pathOn(1, path) })).exists;
    await trial.ask(1, "jobqueue_update", { path: job, content: "{}" });
    const outside = { path: "/tmp/job-7", content: "{}" };
    await trial.refused(1, "jobqueue_update", outside, "the path is outside the queue");
    await trial.ask(1, "jobqueue_rename", { renames: [{ from: job, to: archived }] });
    trial.same([await exists(job), await exists(archived)], [false, true], "renamed");
    await trial.ask(1, "jobqueue_set_drain_flag", { drained: true });
    await trial.ask(1, "jobqueue_set_drain_flag", { drained: false });
    await trial.ask(1, "jobqueue_update", { path: job, content: "{}" });
    await trial.ask(1, "jobqueue_purge", {});
    trial.same(await exists(job), false, "a job after the purge");
  },
});
