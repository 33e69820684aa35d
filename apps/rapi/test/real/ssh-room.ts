/** Machines of a test with an sshd each; root of the first may log in to the others, as an administrator can. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { lackingForRealNodes } from "../../src/demo/real/outer.js";
import { type TestRoom, testRoom } from "./test-room.js";

/** Storage that all machines share. */
export const sharedStorage = "/srv/ganeti/shared-file-storage";

export interface SshRoom extends TestRoom {
  /** Runs a script that must succeed; gives what it printed. */
  on(machine: string, script: string): Promise<string>;
}

/** Missing prerequisites of this machine, as sentences. */
export const lackingForSshRoom = async (): Promise<readonly string[]> => [
  ...(await lackingForRealNodes({ system: undefined })),
  ...["/usr/sbin/sshd", "/usr/bin/script"].filter((path) => !existsSync(path)),
];

/** Machines with addresses 192.0.2.11 and following, in the order of their names. */
export async function sshRoom(names: readonly string[]): Promise<SshRoom> {
  const room = await testRoom({
    machines: names.map((name, at) => ({ name, address: `192.0.2.${11 + at}` })),
    hosts: [{ name: "cluster.example.com", address: "192.0.2.10" }],
    shared: sharedStorage,
    env: { GANETI_TS_DATA: "/var/lib/ganeti-ts" },
    commands: join(import.meta.dirname, "../../../gnt/dist"),
    standInSsh: false,
  });
  const on = async (machine: string, script: string): Promise<string> => {
    const { code, stdout, stderr } = await room.run(machine, script);
    expect([script, code, code === 0 ? "" : `${stdout}${stderr}`]).toEqual([script, 0, ""]);
    return stdout;
  };
  const [first = "", ...others] = names;
  await on(first, "mkdir -p -m 700 ~root/.ssh; ssh-keygen -q -t rsa -N '' -f ~root/.ssh/id_rsa");
  const key = (await on(first, "cat ~root/.ssh/id_rsa.pub")).trim();
  for (const machine of others) {
    await on(machine, `mkdir -p -m 700 ~root/.ssh; echo '${key}' > ~root/.ssh/authorized_keys`);
  }
  for (const machine of names) {
    await on(
      machine,
      `rm -f /etc/ssh/ssh_host_*; ssh-keygen -A > /dev/null; mkdir -p /run/sshd
/usr/sbin/sshd -o UsePAM=no -o ListenAddress=$(ip -o -4 addr show br0 | sed 's/.*inet \\([0-9.]*\\).*/\\1/')`,
    );
  }
  return { ...room, on };
}
