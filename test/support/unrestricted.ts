import { UNLIMITED } from '../../src/repository/access/sight.ts';
import type { ViewerAccess } from '../../src/search/search-types.ts';

/** The members of an actor whom no access rule restricts. */
export const UNRESTRICTED = { editedTypes: [] as string[], sight: UNLIMITED, rightsOf: () => undefined };

/** The same of the viewer of a search. */
export const OPEN_ACCESS: ViewerAccess = {
  ...{ isUnlimited: true, version: 0, verdicts: new Uint8Array(), hasClosedFiles: false, editedTypes: [] },
};
