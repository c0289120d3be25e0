import type { Fields } from '../../field-types/field-type.ts';
import type { BaseServices } from '../base-services.ts';
import type { DiscardQueue } from '../files/discarded.ts';
import type { FileIds } from '../files/file-rows.ts';
import type { Schemes } from '../files/scheme.ts';
import type { MergeServices } from '../merged-terms.ts';
import type { RemovalServices } from '../removal-task.ts';
import type { SearchIndex } from '../search-index/search-services.ts';
import type { TermCache } from './fill/term-cache.ts';
import type { Tombstones } from './tombstones.ts';
import type { Announcer } from './write/announce-source.ts';
import type { InsertContent } from './write/insert-content.ts';

/** The services of the domain, created once (`server/open-repository.ts`) and passed to every function. */
export interface Services extends BaseServices, Schemes {
  /** The writer of the search index. */
  readonly search: SearchIndex;
  /** Tells the task that removes references to deleted content about new ones. */
  readonly removals: RemovalServices['removals'];
  /** Tells the task that moves references from one term to another about new ones. */
  readonly merges: MergeServices['merges'];
  /** Tells the task that compares the names of terms that there is a vocabulary. */
  readonly reports: MergeServices['reports'];
  /** Writes what the pages of deleted items show. */
  readonly tombstones: Tombstones;
  readonly fields: Fields;
  readonly terms: TermCache;
  /** The URIs by which the configuration refers to terms. */
  readonly configuredUris: ReadonlySet<string>;
  /** Inserts nodes, media, terms and paragraphs. Simultaneous inserts of nodes share a transaction. */
  readonly insert: InsertContent;
  readonly fileIds: FileIds;
  /** Announces changed source files. */
  readonly derivatives: Announcer;
  /** Removes discarded objects after a delay, in which callers may still open them. */
  readonly discards: DiscardQueue;
}
