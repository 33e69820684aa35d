import { lawsOf } from "../law.js";
import { anInstance } from "../objects.js";
import type { Trial } from "../trial.js";
import { creation, volume } from "./disks.js";

const options = {
  compress: "none",
  magic: "571e7ff28f10fec23aefeb5210b6ecd8a2260ce0",
  keyName: null,
  caPem: null,
  ipv6: false,
  connectTimeoutSeconds: 60,
};

/** Waits until the transfer has ended; its exit status. The first status can take a node some seconds. */
async function ended(trial: Trial, node: number, name: string): Promise<number> {
  let unknown = 0;
  for (let time = 0; time < 600; time++) {
    const [status] = await trial.ask(node, "impexp_status", { names: [name] });
    if (status == null && ++unknown > 30) return trial.end(`${name} is unknown`);
    if (status != null && status.exitStatus !== null) return status.exitStatus;
    await trial.stage.pass(1000);
  }
  return trial.end(`${name} has not ended after 10 minutes`);
}

async function listens(trial: Trial, name: string): Promise<number> {
  for (let time = 0; time < 60; time++) {
    const [status] = await trial.ask(1, "impexp_status", { names: [name] });
    if (status?.listenPort != null) return status.listenPort;
    await trial.stage.pass(1000);
  }
  return trial.end(`${name} does not listen after a minute`);
}

const fileOf = ({ stage }: Trial, instance: string) =>
  `${stage.exportDirectory}/${instance}.new/disk0.snap`;

export const exportLaws = [
  ...lawsOf("exports", ["exports", "lvm"], {
    async "A disk is transferred to a file, and the finished export is listed until its removal."(
      trial,
    ) {
      const disk = volume(trial);
      const primary_node = trial.stage.members[0].uuid;
      const instance = anInstance({ os: trial.stage.os, disks: [disk], primary_node });
      await trial.ask(0, "blockdev_create", creation(disk));
      const common = { instance, component: "disk0", options };
      const file = { kind: "file", path: fileOf(trial, instance.name) } as const;
      const into = await trial.ask(1, "import_start", { ...common, end: file });
      const port = await listens(trial, into);
      const host = trial.stage.members[1].secondaryIp;
      const end = { kind: "raw-disk", disk } as const;
      const from = await trial.ask(0, "export_start", { ...common, end, host, port });
      trial.same(await ended(trial, 0, from), 0, "exit status of the sender");
      trial.same(await ended(trial, 1, into), 0, "exit status of the receiver");
      await trial.ask(0, "impexp_cleanup", { name: from });
      await trial.ask(1, "impexp_cleanup", { name: into });
      trial.same(await trial.ask(1, "impexp_status", { names: [into] }), [null], "after cleanup");
      await trial.ask(1, "finalize_export", { instance, disks: [disk] });
      trial.same(await trial.ask(1, "export_list", {}), [instance.name], "exports");
      const path = `${trial.stage.exportDirectory}/${instance.name}`;
      const answer = await trial.ask(1, "export_info", { path });
      trial.same(answer.instance?.name, instance.name, "name in the description");
      trial.same(answer.instance?.disk0_dump, disk.uuid, "file of the disk in the description");
      trial.same(answer.backend?.maxmem, "1024", "memory in the description");
      await trial.ask(1, "export_remove", { name: instance.name });
      trial.same(await trial.ask(1, "export_list", {}), [], "exports after the removal");
    },
  }),
  ...lawsOf("exports", ["exports"], {
    async "An aborted transfer ends with a failure."(trial) {
      const file = { kind: "file", path: fileOf(trial, "web.example.com") } as const;
      const transfer = { instance: anInstance(), component: "disk0", end: file, options };
      const name = await trial.ask(1, "import_start", transfer);
      await listens(trial, name);
      await trial.ask(1, "impexp_abort", { name });
      trial.holds((await ended(trial, 1, name)) !== 0, "an aborted transfer succeeds");
      await trial.ask(1, "impexp_cleanup", { name });
    },
  }),
  ...lawsOf("exports", ["certificates"], {
    async "Each certificate has a key of its own, until it is removed."(trial) {
      const own = await trial.ask(0, "node_crypto_tokens", {});
      const one = await trial.ask(0, "x509_cert_create", { validitySeconds: 3600 });
      const two = await trial.ask(0, "x509_cert_create", { validitySeconds: 3600 });
      trial.holds(one.name !== two.name, "two keys have the same name");
      trial.holds(one.certPem.includes("BEGIN CERTIFICATE"), "not a certificate in PEM");
      for (const { name } of [one, two]) await trial.ask(0, "x509_cert_remove", { name });
      const after = await trial.ask(0, "node_crypto_tokens", {});
      trial.same(after, own, "digest of the node's own certificate");
    },
  }),
];
