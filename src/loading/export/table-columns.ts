import type { ContentModel } from '../../model/content-model.ts';
import { ADDITIONAL_FILES, ALT_TEXT, CHECKSUM, CONTENT_TYPE, FILE, ID, PARENT } from '../table/columns.ts';
import { USUAL_TABLE_OPTIONS } from '../table/table-options.ts';

const OF_NODES = ['title', 'published', 'promote', 'sticky', 'created', 'uid', 'langcode', 'url_alias'];
const OF_FILES = [FILE, ADDITIONAL_FILES, ALT_TEXT, CHECKSUM];

/** The columns of a table of nodes: those of one content type, or of all, each field once. */
export function tableColumns(
  { nodeTypes }: Pick<ContentModel, 'nodeTypes'>,
  contentType: string | undefined,
  hasFiles: boolean,
): string[] {
  const types = [...nodeTypes.values()].filter(({ name }) => contentType === undefined || name === contentType);
  const isUsual = types.every(({ name }) => name === USUAL_TABLE_OPTIONS.contentType);
  const fields = new Set(types.flatMap((type) => type.fields.map(({ name }) => name)));
  return [ID, PARENT, ...(isUsual ? [] : [CONTENT_TYPE]), ...OF_NODES, ...fields, ...(hasFiles ? OF_FILES : [])];
}
