/** Opcodes that test the job queue and the allocator. */
import * as z from "zod";
import {
  AllocatorMode,
  DiskTemplateChoice,
  EvacuationModeChoice,
  HypervisorChoice,
} from "./choices.js";
import { opcode } from "./define.js";
import { OpcodeNic } from "./nic.js";
import { anything, dict, flag, fraction, listOf, natural, nonEmpty, text } from "./values.js";

export const testOpcodes = {
  OP_TEST_DELAY: opcode("OP_TEST_DELAY", "duration", {
    duration: fraction,
    on_master: flag.default(true),
    on_nodes: listOf(nonEmpty).default([]),
    on_node_uuids: listOf(nonEmpty).optional(),
    repeat: natural.default(0),
    interruptible: flag.default(false),
    no_locks: flag.default(true),
  }),
  OP_TEST_ALLOCATOR: opcode("OP_TEST_ALLOCATOR", "iallocator", {
    direction: z.enum(["in", "out"]),
    mode: AllocatorMode,
    name: nonEmpty,
    nics: listOf(OpcodeNic).optional(),
    disks: listOf(anything).optional(),
    hypervisor: HypervisorChoice.optional(),
    iallocator: nonEmpty.optional(),
    tags: listOf(nonEmpty).default([]),
    memory: natural.optional(),
    vcpus: natural.optional(),
    os: nonEmpty.optional(),
    disk_template: DiskTemplateChoice.optional(),
    instances: listOf(nonEmpty).optional(),
    evac_mode: EvacuationModeChoice.optional(),
    target_groups: listOf(nonEmpty).optional(),
    spindle_use: natural.default(1),
    /** Instances of a multi-allocate request; for capacity their maximum, 0: no limit. */
    count: natural.default(1),
    /** Only for allocate, balance and capacity. */
    group_name: nonEmpty.optional(),
  }),
  OP_TEST_JQUEUE: opcode("OP_TEST_JQUEUE", null, {
    notify_waitlock: flag.default(false),
    notify_exec: flag.default(false),
    log_messages: listOf(text).default([]),
    fail: flag.default(false),
  }),
  OP_TEST_OS_PARAMS: opcode("OP_TEST_OS_PARAMS", null, {
    osparams_secret: dict.optional(),
  }),
  OP_TEST_DUMMY: opcode("OP_TEST_DUMMY", null, {
    result: anything,
    messages: anything,
    fail: anything,
    submit_jobs: anything,
  }),
};
