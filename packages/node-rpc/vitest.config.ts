import { project } from "../../vitest.preset.ts";

export default project("node-rpc");
