import type { Bundle } from '../../model/content-model.ts';
import type { LinkedType } from '../../repository/access-rule.ts';
import { ID_COLUMN } from '../table/columns.ts';
import type { OptionWords } from '../table/option-words.ts';

type Explanations = Readonly<Record<string, string>>;

const REMOVE = 'Remove it.';
const NO_FILES = 'A table of changes adds and replaces no files.';
const OF_NEW_CONTENT = 'This column is for tables of new content; an update changes content.';

/** Columns of the tasks of Islandora Workbench that a table of changes does not have, with what to do instead. */
const EXPLAINED: Readonly<Record<LinkedType, Explanations>> = {
  node: {
    id: `${OF_NEW_CONTENT} ${REMOVE}`,
    parent_id: `${OF_NEW_CONTENT} Write the node of the parent into field_member_of.`,
    file: `${NO_FILES} Add them on the upload page of the item, such as /node/12/upload.`,
    additional_files: `${NO_FILES} Add them on the upload page of the item, such as /node/12/upload.`,
    checksum: `${OF_NEW_CONTENT} ${REMOVE}`,
    media_use_tid: 'The use is a value of a media: update media with the columns media_id and media_use_tid.',
    image_alt_text:
      'The text is a value of a media. /admin/reports/accessibility lists images, and changes their texts.',
    path: 'The name of this column is url_alias.',
    alias: 'The name of this column is url_alias.',
    type: 'The name of this column is content_type.',
  },
  media: {
    file: `${NO_FILES} Replace the file on the upload page of the media, such as /media/12/upload, or with PUT to /media/12/source.`,
    checksum: `${OF_NEW_CONTENT} ${REMOVE}`,
    image_alt_text:
      'The text is a part of the image field. /admin/reports/accessibility lists images, and changes their texts.',
    title: 'The name of this column is name.',
    bundle: 'The name of this column is media_type.',
  },
  taxonomy_term: {
    title: 'The name of this column is term_name.',
    name: 'The name of this column is term_name.',
    vid: 'The name of this column is vocabulary.',
    vocab_id: 'The name of this column is vocabulary.',
    published_status: 'The name of this column is published.',
  },
};

/** Columns that exports of Islandora Workbench contain for their reader. */
const FOR_READERS = /^REMOVE THIS COLUMN/;

/** The pages that do what a table with the ids alone asks for. */
const ONLY_IDS: Readonly<Record<LinkedType, string>> = {
  node: 'To delete items, select them at /admin/content.',
  media: 'To delete media, select them at /admin/content/media.',
  taxonomy_term: 'To delete terms, open their vocabulary at /admin/structure/taxonomy.',
};

const NEW_TERMS = 'Items create the terms that they name, and the page of a vocabulary creates single ones.';

/** Returns the problem of a table without a column that names its rows. */
export function whyNoKey(type: LinkedType, key: string, uuid: string, { keyColumn }: OptionWords): string {
  const newTerms = type === 'taxonomy_term' ? ` ${NEW_TERMS}` : '';
  return `The table lacks a column that names its rows: ${key} or ${uuid}. For another one, ${keyColumn}.${newTerms}`;
}

/** Returns the problem of a table without a column that changes anything. */
export function whyNoChange(type: LinkedType): string {
  return `The table has no column that changes anything. ${ONLY_IDS[type]}`;
}

/** Returns the explanation of an unknown column. Undefined if there is none. */
export function explainColumn(
  column: string,
  type: LinkedType,
  bundles: Iterable<Bundle>,
  { changes }: OptionWords,
): string | undefined {
  const own = EXPLAINED[type];
  if (Object.hasOwn(own, column)) return own[column];
  if (column === 'redirect_source' || column === 'redirect_target')
    return 'Redirects are no content. POST each to /entity/redirect.';
  if (FOR_READERS.test(column)) return 'This column and the rows with labels and numbers are for readers. Remove them.';
  const other = Object.entries(ID_COLUMN).find(([each, name]) => each !== type && name === column);
  if (other !== undefined) return `This column is for tables of another kind: ${changes(other[0] as LinkedType)}.`;
  for (const { fields } of bundles) {
    const labelled = fields.find(({ label }) => label.toLowerCase() === column.toLowerCase());
    if (labelled) return `This is a label. Write the name of the field: ${labelled.name}.`;
  }
  return undefined;
}
