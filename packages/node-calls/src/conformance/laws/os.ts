import { lawsOf } from "../law.js";
import { anInstance } from "../objects.js";

export const osLaws = lawsOf("os", ["operating systems"], {
  async "Operating systems that are listed as valid are accepted, and others are refused."(trial) {
    const { os } = trial.stage;
    const listed = await trial.ask(0, "os_diagnose", {});
    const found = listed.find(({ name }) => name === os.split("+", 1)[0]);
    trial.same(found?.valid, true, `the OS ${os} is valid`);
    const question = { checks: ["parameters"] as const, parameters: {}, forceVariant: false };
    const own = { ...question, required: true, name: os };
    trial.same(await trial.ask(0, "os_validate", own), true, "a valid OS");
    const missing = { ...question, name: "missing+default" };
    trial.same(
      await trial.ask(0, "os_validate", { ...missing, required: false }),
      false,
      "a missing OS that is not required",
    );
    await trial.refused(0, "os_validate", { ...missing, required: true }, "the OS is missing");
    const parameters = { "no-such-parameter": "1" };
    const unknown = { ...own, parameters };
    await trial.refused(0, "os_validate", unknown, "the OS does not have such a parameter");
    const path = await trial.ask(0, "os_export", {
      instance: anInstance({ os }),
      environment: {},
    });
    trial.same((await trial.ask(0, "get_file_info", { path })).exists, true, "the archive");
    await trial.ask(0, "extstorage_diagnose", {});
  },
});
