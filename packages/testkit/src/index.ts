/** Builders for tests: sane defaults, so that a test states only what matters to it. */
export { aCluster, aGroup, aNode, anInstance, aPolicy, aSpec } from "./cluster.js";
