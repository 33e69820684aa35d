// Every action on a running instance, from its request to QEMU: each row of the tables is sent through RAPI to three daemons in
// namespaces, whose guest is emulated; then QEMU, its process and the interfaces are asked, and again after a migration.
import { describeActions } from "./action-suite.js";
import { diskActions, nicActions } from "./device-actions.js";

describeActions({ disks: diskActions, NICs: nicActions });
