// The answer of this package as it goes to Ganeti.
import { type AllocatorMessage, encodeAnswer } from "@ganeti-ts/protocol";
import type { Switches } from "@ganeti-ts/testkit";
import { answerRequest, loadCluster } from "../src/index.js";

export const ourAnswer = ({ cluster, request }: AllocatorMessage, switches: Switches): string =>
  encodeAnswer(answerRequest(loadCluster(cluster), request, switches).answer);
