import type { Database } from '../../database/database.ts';
import type { FieldTypes } from '../../field-types/field-type.ts';
import type { ContentModel } from '../../model/content-model.ts';
import type { AccessState } from '../../repository/access/access-state.ts';
import type { Actor } from '../../repository/actor.ts';
import type { ContentKinds } from '../../repository/content/kinds.ts';
import type { ReferredTerms } from '../../repository/content/read/known-terms.ts';

/** The services that write records. */
export interface RecordServices {
  readonly database: Database;
  readonly model: ContentModel;
  readonly kinds: ContentKinds;
  readonly fieldTypes: FieldTypes;
  readonly terms: ReferredTerms;
  /** The actor whose view records contain. Harvesters see what callers without credentials see. */
  readonly viewer: Actor;
  readonly siteName: string;
}

/** The services that answers to harvesters use. */
export interface HarvestServices extends RecordServices {
  readonly access: Pick<AccessState, 'harvestTimes'>;
  /** The secret of this installation. */
  readonly secret: Buffer;
  /** Returns the seconds since 1970. */
  readonly now: () => number;
  /** The address of the administrator; undefined for one that follows from the host. */
  readonly adminEmail: string | undefined;
  /** The maximum number of records of a response. */
  readonly pageSize: number;
}

/** The place at which harvesters see the repository. */
export interface HarvestSite {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** The host of identifiers, in lower case. */
  readonly host: string;
}
