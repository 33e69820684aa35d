/** Console access to an instance on a simulated node. */
import type { Console, ConsoleRequest } from "@ganeti-ts/node-calls";

export function consoleOf(request: ConsoleRequest): Console {
  const { hvparams } = request;
  const { hypervisor, network_port } = request.instance;
  const [name, nodeName] = [String(request.instance.name), String(request.node.name)];
  switch (hypervisor) {
    case "fake":
      return { instance: name, kind: "msg", message: "Console not available for fake hypervisor" };
    case "kvm":
    case "xen-hvm": {
      const bind = hvparams.vnc_bind_address;
      if (typeof bind === "string" && bind !== "" && typeof network_port === "number") {
        const host = bind === "0.0.0.0" ? nodeName : bind;
        const display = String(network_port - 5900);
        return { instance: name, kind: "vnc", host, port: network_port, display };
      }
      return ssh(name, nodeName, `/usr/lib/ganeti/tools/kvm-console-wrapper ${name}`);
    }
    case "lxc":
      return ssh(name, nodeName, `lxc-console -n ${name}`);
    default:
      return ssh(name, nodeName, `/usr/lib/ganeti/tools/xen-console-wrapper ${name}`);
  }
}

const ssh = (instance: string, host: string, command: string): Console => ({
  instance,
  kind: "ssh",
  host,
  user: "root",
  command: command.split(" "),
});
