/** Units about tags. */
import type { Unit } from "../unit/unit.js";
import { deleteTags } from "./delete.js";
import { getTags } from "./get.js";
import { searchTags } from "./search.js";
import { setTags } from "./set.js";

export const tagUnits: readonly Unit[] = [getTags, searchTags, setTags, deleteTags];
