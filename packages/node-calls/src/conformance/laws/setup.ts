import { lawsOf } from "../law.js";
import type { Trial } from "../trial.js";
import { upload } from "./disks.js";

const masterAddress = ({ stage }: Trial) => ({
  uuid: stage.members[0].uuid,
  ip: "192.0.2.200",
  netdev: stage.bridge,
  netmask: 24,
  ...({ family: 4, externalScript: false } as const),
});

export const setupLaws = [
  ...lawsOf("setup", ["uploads"], {
    async "An uploaded file is there, and an upload replaces the earlier one."(trial) {
      const { uploadPath: path } = trial.stage;
      const size = async () =>
        (await trial.ask(0, "get_file_info", { path: trial.pathOn(0, path) })).sizeBytes;
      await trial.ask(0, "upload_file", upload(path, "first, and longer\n"));
      trial.same(await size(), 18, "size of the first upload");
      await trial.ask(0, "upload_file_single", { ...upload(path, "second\n"), mode: null });
      trial.same(await size(), 7, "size of the second upload");
      const asked = { clusterName: "cluster.example.com", files: [path, "/missing/file"] };
      const { files } = await trial.ask(0, "node_verify", asked);
      trial.same(Object.keys(files ?? {}), [path], "files with a checksum");
      const values = { master_node: ["node1.example.com"], cluster_name: "cluster.example.com" };
      await trial.ask(0, "write_ssconf_files", { values });
      trial.same(await trial.ask(0, "master_node_name", {}), "node1.example.com", "the master");
      const host = { host: "node9.example.com", ip: "192.0.2.9" };
      await trial.ask(0, "etc_hosts_modify", { ...host, action: "add" });
      await trial.ask(0, "etc_hosts_modify", { ...host, ip: null, action: "remove" });
    },

    async "The watcher is paused until it is resumed."(trial) {
      const until = 4_000_000_000;
      await trial.ask(0, "set_watcher_pause", { until });
      trial.same(await trial.ask(0, "get_watcher_pause", {}), until, "end of the pause");
      await trial.ask(0, "set_watcher_pause", { until: null });
      trial.same(await trial.ask(0, "get_watcher_pause", {}), null, "no pause");
    },
  }),
  ...lawsOf("setup", ["master address"], {
    async "The master has the cluster's address from activation to deactivation."(trial) {
      const master = masterAddress(trial);
      const has = () => trial.ask(0, "node_has_ip_address", { address: master.ip });
      await trial.ask(0, "node_activate_master_ip", master);
      trial.same(await has(), true, "the address after activation");
      const { ip, netdev } = master;
      const change = { oldNetmask: 24, netmask: 25, ip, netdev };
      await trial.ask(0, "node_change_master_netmask", change);
      trial.same(await has(), true, "the address with another netmask");
      await trial.ask(0, "node_deactivate_master_ip", { ...master, netmask: 25 });
      trial.same(await has(), false, "the address after deactivation");
    },
  }),
  ...lawsOf("setup", ["membership"], {
    async "A node changes its role, and leaves the cluster."(trial) {
      const first = await trial.ask(2, "node_crypto_tokens", {});
      trial.same(await trial.ask(2, "node_crypto_tokens", {}), first, "the same certificate");
      trial.holds(
        first.digest !== (await trial.ask(1, "node_crypto_tokens", {})).digest,
        "two nodes have one certificate",
      );
      await trial.ask(2, "node_ensure_daemon", { daemon: "ganeti-kvmd", run: true });
      await trial.ask(2, "node_configure_ovs", { name: "switch1", link: null });
      await trial.ask(2, "bridges_exist", { bridges: ["switch1"] });
      await trial.ask(2, "node_start_master_daemons", { noVoting: true });
      await trial.ask(2, "node_stop_master", {});
      await trial.ask(2, "node_demote_from_mc", {});
      await trial.ask(2, "node_leave_cluster", { modifySshSetup: false });
    },
  }),
  ...lawsOf("setup", ["ssh keys"], {
    async "Keys for logins are added, renewed and removed on all nodes."(trial) {
      const [one, two, three] = trial.stage.members;
      const potentialCandidates = [one.name, two.name];
      const added = { uuid: two.uuid, name: two.name, potentialCandidates };
      const files = { toAuthorizedKeys: true, toPublicKeys: true, getPublicKeys: true };
      trial.same(await trial.ask(0, "node_ssh_key_add", { ...added, ...files }), [], "added");
      const renewed = await trial.ask(0, "node_ssh_keys_renew", {
        uuids: [one.uuid, two.uuid, three.uuid],
        names: [one.name, two.name, three.name],
        candidates: [one.uuid],
        potentialCandidates,
        oldKeyType: "rsa",
        newKeyType: "rsa",
        newKeyBits: 2048,
      });
      trial.same(renewed, [], "nodes whose keys were not renewed");
      const removed = await trial.ask(0, "node_ssh_key_remove", {
        ...added,
        candidates: [one.uuid],
        fromAuthorizedKeys: true,
        fromPublicKeys: true,
        clearAuthorizedKeys: true,
        clearPublicKeys: true,
        isReadded: false,
      });
      trial.same(removed, [], "nodes whose keys were not removed");
    },
  }),
  ...lawsOf("setup", ["hooks"], {
    async "Hooks without scripts succeed, and a delay takes its time."(trial) {
      const hooks = { path: "no-such-operation", phase: "pre", environment: {} } as const;
      trial.same(await trial.ask(0, "hooks_runner", hooks), [], "results of no scripts");
      const over = trial.answer(0, "test_delay", { seconds: 2 });
      await trial.stage.pass(2000);
      trial.same((await over).ok, true, "a delay succeeds");
    },
  }),
  ...lawsOf("setup", ["commands"], {
    async "Commands and allocators that the node has are run, others are refused."(trial) {
      const { restrictedCommand: command, allocator: name } = trial.stage;
      await trial.ask(0, "restricted_command", { command });
      await trial.refused(0, "restricted_command", { command: "missing" }, "it is not there");
      const run = { input: '{"version": 2}', parameters: {} };
      await trial.ask(0, "iallocator_runner", { ...run, name });
      await trial.refused(0, "iallocator_runner", { ...run, name: "missing" }, "it is missing");
    },
  }),
  ...lawsOf("setup", ["power"], {
    async "A node that is switched off does not answer until it is switched on again."(trial) {
      const { oobProgram: program, members, hypervisor } = trial.stage;
      const oob = { program, node: members[1].name, timeoutSeconds: 60 };
      await trial.ask(0, "run_oob", { ...oob, command: "power-off" });
      await trial.refused(1, "vg_list", {}, "the node is switched off");
      await trial.ask(0, "run_oob", { ...oob, command: "power-on" });
      await trial.ask(1, "vg_list", {});
      const look = { storage: null, hypervisors: null };
      const { bootId } = await trial.ask(1, "node_info", look);
      await trial.ask(1, "node_powercycle", { name: hypervisor, hvparams: {} });
      await trial.stage.pass(60_000);
      const after = await trial.ask(1, "node_info", look);
      trial.holds(after.bootId !== bootId, "a power cycle is not a new boot");
    },
  }),
];
