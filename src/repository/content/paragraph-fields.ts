import type { Item } from '../../model/content-model.ts';
import { anyone, type BaseField, define, READ_ONLY, readOnly } from './base-field.ts';
import * as common from './common-base-fields.ts';

const HOST_REASON = 'It is set when the entity that contains the paragraph is saved.';

const NO_SETTINGS: Item[] = [{ value: [] }];

const text = (content: string | null | undefined): Item[] =>
  content === null || content === undefined ? [] : common.value(content);

/** The base fields of paragraphs, in the order of the answer. */
export function paragraphFields(uuidOf: (bundle: string) => string): BaseField[] {
  return [
    common.id('id'),
    common.uuid(),
    common.revisionId('revision_id'),
    common.langcode(),
    common.bundle('type', 'paragraphs_type', uuidOf),
    common.status(anyone),
    common.created(anyone),
    {
      // Text, as in the original.
      definition: define('parent_id', 'Parent ID', 'string'),
      read: ({ base }) => text(base.parentId),
      create: readOnly(),
      update: readOnly(HOST_REASON),
      isOfEntity: true,
    },
    {
      definition: define('parent_type', 'Parent type', 'string'),
      read: ({ base }) => text(base.parentType),
      create: readOnly(),
      update: readOnly(HOST_REASON),
      isOfEntity: true,
    },
    {
      // Loaders set the field before they create the host.
      definition: define('parent_field_name', 'Parent field name', 'string', { maxLength: 32 }),
      read: ({ base }) => text(base.parentField),
      write: ({ base }, [item]) => {
        base.parentField = item === undefined ? undefined : String(item.value);
      },
      create: anyone,
      update: readOnly(HOST_REASON),
      isOfEntity: true,
    },
    {
      definition: define('behavior_settings', 'Behavior settings', 'string_long'),
      read: () => NO_SETTINGS,
      ...READ_ONLY,
    },
    ...common.onlyTranslation(),
  ];
}
