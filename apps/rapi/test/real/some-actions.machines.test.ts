// Some actions of each kind on a running instance, from the request to QEMU; the files beside this one have the others.
import { describeActions } from "./action-suite.js";
import { diskActions, nicActions } from "./device-actions.js";
import { sizeActions } from "./parameter-actions.js";
import { storageActions } from "./storage-actions.js";

describeActions({
  actions: [...diskActions, ...nicActions, ...sizeActions, ...storageActions].filter(
    ({ isQuick }) => isQuick === true,
  ),
});
