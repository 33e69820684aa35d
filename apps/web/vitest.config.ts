import { project } from "../../vitest.preset.ts";

export default project("web");
