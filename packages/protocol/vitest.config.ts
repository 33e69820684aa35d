import { defineProject, mergeConfig } from "vitest/config";
import { preset } from "../../vitest.preset.ts";

export default mergeConfig(preset, defineProject({ test: { name: "protocol" } }));
