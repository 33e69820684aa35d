// Memory, processors and hypervisor parameters of a running instance that change, from the request to QEMU.

import { rest } from "./action.js";
import { describeActions } from "./action-suite.js";
import { hypervisorActions, sizeActions } from "./parameter-actions.js";

describeActions({ sizes: rest(sizeActions), parameters: hypervisorActions });
