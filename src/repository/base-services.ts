import type { Database } from '../database/database.ts';
import type { ContentModel } from '../model/content-model.ts';
import type { AccessState } from './access/access-state.ts';

/** The services that every part of the domain uses. `content/services.ts` has the others. */
export interface BaseServices {
  readonly database: Database;
  readonly model: ContentModel;
  /** The access rules of content. */
  readonly access: AccessState;
  /** Returns the seconds since 1970. */
  readonly now: () => number;
  /** Reports to the operator a problem after which the request succeeded. */
  readonly warn: (message: string, cause: unknown) => void;
}
