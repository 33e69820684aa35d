// The placement core in a page: each instance is placed as Ganeti's hail would place it, without any server.
import { allocationOf, answerRequest, loadCluster, simulateCluster } from "@ganeti-ts/htools";

let cluster = loadCluster(simulateCluster(["p,6,1t,64g,16"]));

const field = (id: string) => document.getElementById(id) as HTMLInputElement;

field("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const request = allocationOf({
    name: `vm${cluster.instanceCount + 1}.example.com`,
    memoryMib: Number(field("memory").value),
    disksMib: [Number(field("disk").value)],
  });
  const { answer, after } = answerRequest(cluster, request);
  cluster = after;
  const line = document.createElement("li");
  line.textContent = answer.success
    ? `${request.instance.name} on ${(answer.result as string[]).join(" and ")}`
    : answer.info;
  field("log").append(line);
});
