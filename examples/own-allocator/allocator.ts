// An instance allocator with a rule of its own: the emptiest nodes win. Ganeti runs it with the name of a message file:
//
//   esbuild allocator.ts --bundle --platform=node --format=cjs --banner:js='#!/usr/bin/env node' --outfile=emptiest
//   install -m 755 emptiest /usr/lib/ganeti/iallocators/     on every master candidate
//   gnt-instance add -I emptiest …
import { readFileSync } from "node:fs";
import { argv, stdout } from "node:process";
import {
  type AllocatorAnswer,
  type ClusterData,
  decodeMessage,
  encodeAnswer,
  MessageError,
  type NodeData,
  type Wanted,
} from "@ganeti-ts/protocol";

function answerTo(file: string): AllocatorAnswer {
  const { cluster, request } = decodeMessage(readFileSync(file));
  if (request.type !== "allocate") {
    return { success: false, info: `${request.type} is not supported`, result: [] };
  }
  const chosen = candidates(cluster, request).slice(0, request.requiredNodes);
  if (chosen.length < request.requiredNodes) {
    return { success: false, info: `only ${chosen.length} nodes have room`, result: [] };
  }
  const names = chosen.map(({ name }) => name);
  return { success: true, info: `emptiest: ${names.join(", ")}`, result: names };
}

/** Nodes with room for the instance, the one with most free memory first. */
function candidates({ nodes }: ClusterData, { instance }: Wanted): readonly NodeData[] {
  return nodes
    .filter(({ offline }) => !offline)
    .filter(
      (node) => node.memoryFreeMib > instance.memoryMib && node.diskFreeMib > instance.diskMib,
    )
    .toSorted((a, b) => b.memoryFreeMib - a.memoryFreeMib);
}

try {
  stdout.write(encodeAnswer(answerTo(argv[2] ?? "")));
} catch (error) {
  if (!(error instanceof MessageError)) throw error;
  stdout.write(encodeAnswer({ success: false, info: error.message, result: [] }));
}
