import type { CardPage } from '../../repository/content/lists/find-cards.ts';
import type { AttachedFiles } from '../../repository/content/read/find-attached-files.ts';
import type { LinkedContent } from '../../repository/content/read/find-breadcrumbs.ts';
import type { Siblings } from '../../repository/content/read/find-siblings.ts';
import type { AttachedMedia } from '../../repository/content/read/surroundings.ts';
import type { NodeUse } from '../../repository/usage/find-usage.ts';
import type { ItemAccess } from '../access/item-access.ts';
import type { PageQuery } from '../content/page-query.ts';
import type { DerivativeFailure } from '../upload/find-failures.ts';
import type { Stage } from '../viewer/stage.ts';

/**
 * The further data of a node's page. It is JSON, and contains all that the page shows beside the content, its surroundings
 * and its links: a cached page is valid while it is the same.
 */
export interface NodePageData {
  readonly query: PageQuery;
  readonly files: AttachedFiles;
  /** All media of the node, if it has more than its surroundings hold. */
  readonly everyMedia: readonly AttachedMedia[] | undefined;
  /** The paths from the topmost ancestors to the parents. */
  readonly breadcrumbs: readonly (readonly LinkedContent[])[];
  readonly siblings: Siblings | undefined;
  readonly members: CardPage;
  readonly stage: Stage | undefined;
  /** How often it was used. Undefined if pages do not show it. */
  readonly use: NodeUse | undefined;
  /** Undefined for content that is not saved. */
  readonly access: ItemAccess | undefined;
  /** The derivatives that failed, for callers who may change the node. */
  readonly failures: readonly DerivativeFailure[];
}
