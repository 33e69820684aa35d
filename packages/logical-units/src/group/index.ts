/** Units about node groups. */
import { addGroup } from "./add.js";
import { assignNodes } from "./assign-nodes.js";
import { evacuateGroup } from "./evacuate.js";
import { removeGroup } from "./remove.js";
import { renameGroup } from "./rename.js";
import { setGroupParams } from "./set-params.js";
import { verifyGroupDisks } from "./verify-disks.js";

export const groupUnits = [
  addGroup,
  assignNodes,
  setGroupParams,
  removeGroup,
  renameGroup,
  evacuateGroup,
  verifyGroupDisks,
];
