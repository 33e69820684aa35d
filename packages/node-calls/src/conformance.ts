/** Laws of node back ends for every call, and objects for tests of one. */
export { checkLaw, describeNodeBackend, type TestRunner } from "./conformance/describe.js";
export { laws } from "./conformance/laws.js";
export { aDrbdDisk, anInstance, aPlainDisk } from "./conformance/objects.js";
export { type Capability, capabilities, type NodeStage } from "./conformance/stage.js";
