import type { Database } from '../database/database.ts';
import type { Fields } from '../field-types/field-type.ts';
import type { ContentModel } from '../model/content-model.ts';
import type { Storage } from '../storage/storage.ts';
import type { Announcer } from './announcer.ts';
import type { InsertContent } from './content/insert-content.ts';
import type { TermMemory } from './content/term-memory.ts';
import type { DiscardQueue } from './files/discarded.ts';
import type { FileIds } from './files/file-rows.ts';

/** A storage scheme: `public` of `public://a.png`. */
export interface Scheme {
  readonly name: string;
  /** Where the bytes of files are whose rows say that they are kept in this scheme. */
  readonly storage: Storage;
  /** The scheme in whose storage new files of this one are kept; itself, mostly. */
  readonly storeIn: string;
}

/** What the domain is built on; made once (`server/open-repository.ts`), handed to every function. */
export interface Services {
  readonly database: Database;
  readonly model: ContentModel;
  readonly fields: Fields;
  readonly schemes: ReadonlyMap<string, Scheme>;
  readonly terms: TermMemory;
  /** The URIs by which the configuration refers to terms. */
  readonly configuredUris: ReadonlySet<string>;
  /** Makes the rows of nodes, media and terms; of nodes, those that come at the same moment together. */
  readonly insert: InsertContent;
  readonly fileIds: FileIds;
  /** Announces changed source files. */
  readonly derivatives: Announcer;
  /** Seconds since 1970. */
  readonly now: () => number;
  /** Removes objects that are noted as discarded, once nobody can be about to open them. */
  readonly discards: DiscardQueue;
  /** Tells the operator of something that went wrong after the request was done. */
  readonly warn: (message: string, cause: unknown) => void;
}
