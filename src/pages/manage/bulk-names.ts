/** A change of many items. */
export type BulkActionName =
  | 'publish'
  | 'unpublish'
  | 'collection'
  | 'term'
  | 'delete'
  | 'derivatives'
  | 'order'
  | 'undo';

/** The state of an item of a change. */
export type BulkItemState = 'waiting' | 'done' | 'unchanged' | 'skipped' | 'failed';
