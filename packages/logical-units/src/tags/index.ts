/** Units about tags. */
import { deleteTags } from "./delete.js";
import { getTags } from "./get.js";
import { searchTags } from "./search.js";
import { setTags } from "./set.js";

export const tagUnits = [getTags, searchTags, setTags, deleteTags];
