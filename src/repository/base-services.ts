import type { Database } from '../database/database.ts';
import type { ContentModel } from '../model/content-model.ts';

/** The services that every part of the domain uses. `content/services.ts` has the others. */
export interface BaseServices {
  readonly database: Database;
  readonly model: ContentModel;
  /** Returns the seconds since 1970. */
  readonly now: () => number;
  /** Reports to the operator a problem after which the request succeeded. */
  readonly warn: (message: string, cause: unknown) => void;
}
