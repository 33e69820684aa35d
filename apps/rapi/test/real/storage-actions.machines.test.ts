// Storage, name and system of an instance that change, from the request to QEMU.

import { rest } from "./action.js";
import { describeActions } from "./action-suite.js";
import { storageActions } from "./storage-actions.js";

describeActions({ storage: rest(storageActions) });
