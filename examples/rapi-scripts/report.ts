// Instances of a cluster with their nodes and memory, and one more instance, over the remote API.
// Arguments: the URL with user and password, and the name of an instance to create.
import { argv } from "node:process";
import { openRapi } from "@ganeti-ts/rapi-client";

const [, , url = "", name = "web1.example.com"] = argv;

// A cluster makes its certificate itself: give it as `ca` where the network between is not yours.
const rapi = openRapi({ url, verifyCertificate: false });

const job = await rapi.instances.create({
  instance_name: name,
  mode: "create",
  disk_template: "plain",
  disks: [{ size: 1024 }],
  nics: [{}],
  os_type: "noop+default",
  beparams: { memory: 256 },
  name_check: false,
  ip_check: false,
});
const ended = await rapi.jobs.wait(job);
console.log(`job ${job}: ${ended?.status}`);

for (const instance of await rapi.instances.list()) {
  console.log(`${instance.name}: ${instance.beparams.maxmem} MiB, ${instance.status}`);
}
