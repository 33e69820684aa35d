// Disks and NICs of a running instance that are added, removed and changed, from the request to QEMU.

import { rest } from "./action.js";
import { describeActions } from "./action-suite.js";
import { diskActions, nicActions } from "./device-actions.js";

describeActions({ disks: rest(diskActions), NICs: rest(nicActions) });
