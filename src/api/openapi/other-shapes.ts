import { type TProperties, type TSchema, Type as t } from '@sinclair/typebox';
import type { BuiltInName } from '../../field-types/registry.ts';
import { anyScalar, closed, text } from '../../field-types/schemas.ts';
import type { ContentModel, FieldDefinition } from '../../model/content-model.ts';
import { define } from '../../repository/content/base-field.ts';
import { SETTING_NAMES, SETTINGS } from '../../repository/settings/settings.ts';
import type { Components } from './components.ts';
import { itemShape } from './item-shapes.ts';

/** Adds the shapes of everything that is no content: files, users, graphs, links, settings and failures. */
export function addOtherShapes(components: Components, model: ContentModel): void {
  components.add('File', fileShape(components));
  components.add('User', userShape(components, model));
  components.add(
    'Graph',
    closed({ '@graph': graph }, { description: 'A JSON-LD graph; its first member is the entity.' }),
  );
  components.add(
    'FileGraph',
    closed({ '@graph': graph, uri: t.Array(closed({ value: t.String({ format: 'uri' }) })) }),
  );
  components.add('Linkset', closed({ linkset: t.Array(linkContext) }, { description: 'RFC 9264.' }));
  components.add('Settings', closed(ofSettings(() => one(closed({ value: t.Boolean() })))));
  components.add('SettingsChange', closed(ofSettings(() => t.Optional(settingInput))));
  components.add('Failure', closed({ message: t.String({ description: 'What is wrong, for people.' }) }));
}

const one = (item: TSchema): TSchema => t.Array(item, { minItems: 1, maxItems: 1 });
const upToOne = (item: TSchema): TSchema => t.Array(item, { maxItems: 1 });

/** An item of a field of this type that no model tells of. */
function item(components: Components, type: BuiltInName, settings: Partial<FieldDefinition> = {}): TSchema {
  return itemShape(components, define('', '', type, settings));
}

function fileShape(components: Components): TSchema {
  const [words, moment] = [item(components, 'string'), item(components, 'created')];
  return closed({
    fid: one(item(components, 'integer')),
    uuid: one(item(components, 'uuid')),
    langcode: one(words),
    uid: one(item(components, 'entity_reference', { targetType: 'user' })),
    filename: one(words),
    uri: one(closed({ value: text, url: t.String({ description: 'The path of the bytes.' }) })),
    filemime: one(words),
    filesize: one(item(components, 'integer')),
    status: one(item(components, 'boolean')),
    created: one(moment),
    changed: one(moment),
  });
}

/** Each caller is shown what concerns them (spec: rest-behaviour, 3.3). */
function userShape(components: Components, model: ContentModel): TSchema {
  const [words, moment, flag] = [item(components, 'string'), item(components, 'created'), item(components, 'boolean')];
  const role = item(components, 'entity_reference', { targetType: 'user_role' });
  const members: TProperties = {
    uid: one(item(components, 'integer')),
    uuid: upToOne(item(components, 'uuid')),
    langcode: one(words),
    preferred_langcode: t.Optional(upToOne(words)),
    preferred_admin_langcode: t.Optional(upToOne(words)),
    name: one(words),
    mail: t.Optional(upToOne(words)),
    timezone: t.Optional(upToOne(words)),
    status: t.Optional(one(flag)),
    created: one(moment),
    changed: one(moment),
    access: t.Optional(one(moment)),
    login: t.Optional(one(moment)),
    init: t.Optional(upToOne(words)),
    roles: t.Optional(t.Array(role)),
    default_langcode: one(flag),
    path: one(item(components, 'path')),
  };
  for (const definition of model.userBundle.fields)
    members[definition.name] = t.Array(itemShape(components, definition), { title: definition.label });
  return closed(members);
}

const graph = t.Array(
  t.Object(
    { '@id': text, '@type': t.Union([text, t.Array(text)]) },
    { additionalProperties: t.Array(t.Unknown()), description: 'Every other member is a predicate, and a list.' },
  ),
  { minItems: 1 },
);

const linkTarget = closed({
  href: t.String({ format: 'uri' }),
  type: t.Optional(text),
  title: t.Optional(text),
});
const linkContext = t.Object(
  { anchor: t.String({ format: 'uri' }) },
  { additionalProperties: t.Array(linkTarget), description: 'Every other member is a relation.' },
);

/** A member for each setting, with what people are told of it. */
function ofSettings(schema: () => TSchema): TProperties {
  return Object.fromEntries(
    SETTING_NAMES.map((name) => [name, { ...schema(), description: SETTINGS[name].description }]),
  );
}

const flagItem = t.Object({ value: anyScalar });
const settingInput = t.Union([t.Array(t.Union([flagItem, anyScalar])), flagItem, anyScalar]);
