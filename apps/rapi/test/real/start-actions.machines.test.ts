// Instances that start with certain hypervisor parameters, which then change, from the request to QEMU.

import { describeActions } from "./action-suite.js";
import { startActions } from "./parameter-actions.js";

describeActions({ starts: startActions });
