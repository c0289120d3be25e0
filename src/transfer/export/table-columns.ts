import type { ContentModel } from '../../model/content-model.ts';
import { ACCESS_RULE } from '../../repository/access/rule-items.ts';
import {
  ADDITIONAL_FILES,
  ALT_TEXT,
  CHECKSUM,
  CONTENT_TYPE,
  FILE,
  ID,
  ID_COLUMN,
  PARENT,
  REVISION,
} from '../table/columns.ts';
import { USUAL_TABLE_OPTIONS } from '../table/table-options.ts';

const NODE_COLUMNS = [
  'title',
  'published',
  'promote',
  'sticky',
  'created',
  'uid',
  'langcode',
  'url_alias',
  ACCESS_RULE,
];
const FILE_COLUMNS = [FILE, ADDITIONAL_FILES, ALT_TEXT, CHECKSUM];

/** Returns the columns of a table of new content or of changes, for one content type or for all. */
export function tableColumns(
  { nodeTypes }: Pick<ContentModel, 'nodeTypes'>,
  contentType: string | undefined,
  { hasFiles, isForUpdate }: { readonly hasFiles: boolean; readonly isForUpdate: boolean },
): string[] {
  const types = [...nodeTypes.values()].filter(({ name }) => contentType === undefined || name === contentType);
  const isUsual = types.every(({ name }) => name === USUAL_TABLE_OPTIONS.contentType);
  const fields = new Set(types.flatMap((type) => type.fields.map(({ name }) => name)));
  return [
    ...(isForUpdate ? [ID_COLUMN.node, REVISION] : [ID, PARENT]),
    ...(isUsual ? [] : [CONTENT_TYPE]),
    ...NODE_COLUMNS,
    ...fields,
    ...(hasFiles ? FILE_COLUMNS : []),
  ];
}
