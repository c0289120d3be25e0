import { UNLIMITED } from '../../src/repository/access/sight.ts';
import type { Actor } from '../../src/repository/actor.ts';
import type { ViewerAccess } from '../../src/search/search-types.ts';

/** The members of an actor whom no access rule restricts, and without roles for collections. */
export const UNRESTRICTED = {
  ...{ editedTypes: [] as string[], sight: UNLIMITED, rightsOf: () => undefined, hasPlaces: false },
  at(this: Actor): Actor {
    return this;
  },
  anywhere(this: Actor): Actor {
    return this;
  },
};

/** The same of the viewer of a search. */
export const OPEN_ACCESS: ViewerAccess = {
  ...{
    isUnlimited: true,
    version: 0,
    verdicts: new Uint8Array(),
    drafts: new Uint8Array(),
    hasClosedFiles: false,
    editedTypes: [],
  },
};
