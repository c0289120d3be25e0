import { type TProperties, type TSchema, Type as t } from '@sinclair/typebox';
import { anyScalar, closed, text, textOrNull } from '../../field-types/schemas.ts';
import { define } from '../../repository/content/base-field.ts';
import type { Components } from './components.ts';
import { itemShape } from './item-shapes.ts';

const one = (item: TSchema): TSchema => t.Array(item, { minItems: 1, maxItems: 1 });
/** An item of a write, in each of the forms that are taken. */
const sent = (item: TSchema): TSchema => t.Union([t.Array(item, { minItems: 1 }), item]);
const ofValue = (description: string): TSchema =>
  t.Union([t.Array(t.Union([t.Object({ value: anyScalar }), anyScalar])), t.Object({ value: anyScalar }), t.Null()], {
    description,
  });

/** Adds the shapes of what changes where addresses lead. */
export function addAliasShapes(components: Components): void {
  const [words, whole] = [
    itemShape(components, define('', '', 'string')),
    itemShape(components, define('', '', 'integer')),
  ];
  const id = one(whole);
  const uuid = one(itemShape(components, define('', '', 'uuid')));
  components.add(
    'Alias',
    closed({
      id,
      uuid,
      langcode: one(words),
      path: one(words),
      alias: one(words),
      status: one(itemShape(components, define('', '', 'boolean'))),
    }),
  );
  components.add('AliasCreate', t.Object(aliasInput(false), { additionalProperties: false }));
  components.add('AliasChange', t.Object(aliasInput(true), { additionalProperties: false }));
  components.add(
    'Redirect',
    closed({
      rid: id,
      uuid,
      type: one(closed({ value: t.Literal('redirect') })),
      uid: t.Array(itemShape(components, define('', '', 'entity_reference', { targetType: 'user' })), { maxItems: 1 }),
      redirect_source: one(
        closed({ path: text, query: t.Union([t.Record(t.String(), t.Union([text, t.Array(text)])), t.Null()]) }),
      ),
      redirect_redirect: one(closed({ uri: text, title: textOrNull, options: t.Array(t.Unknown(), { maxItems: 0 }) })),
      language: one(words),
      status_code: one(whole),
      created: one(itemShape(components, define('', '', 'created'))),
    }),
  );
  components.add('RedirectCreate', t.Object(redirectInput(), { additionalProperties: false }));
}

function aliasInput(isChange: boolean): TProperties {
  const path = ofValue('The canonical path of a node, media or term, as /node/12.');
  const alias = ofValue('The other address of it, as /letters/1.');
  return {
    path: isChange ? t.Optional(path) : path,
    alias: isChange ? t.Optional(alias) : alias,
    langcode: t.Optional(ofValue('That of the content if left out.')),
    status: t.Optional(ofValue('True: there are no others.')),
    uuid: t.Optional(ofValue('Of a new one.')),
    id: t.Optional(t.Unknown()),
    revision_id: t.Optional(t.Unknown()),
  };
}

function redirectInput(): TProperties {
  const source = t.Object({
    path: t.String({ description: 'Without host, as old/page. Upper and lower case are the same.' }),
    query: t.Optional(t.Unknown({ description: 'The parameters that a request must have; any if left out.' })),
  });
  const target = t.Object({
    uri: t.String({ description: 'As internal:/node/12, entity:node/12 or https://example.org/.' }),
    title: t.Optional(textOrNull),
  });
  return {
    type: t.Optional(t.Unknown({ description: 'redirect.' })),
    redirect_source: sent(source),
    redirect_redirect: sent(target),
    status_code: t.Optional(ofValue('301, 302, 303, 307 or 308; 301 if left out.')),
    language: t.Optional(ofValue('That of the site if left out.')),
    uuid: t.Optional(ofValue('Of a new one.')),
    rid: t.Optional(t.Unknown()),
    hash: t.Optional(t.Unknown()),
    uid: t.Optional(t.Unknown()),
    created: t.Optional(t.Unknown()),
  };
}
