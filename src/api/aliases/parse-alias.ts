import { type TProperties, Type as t } from '@sinclair/typebox';
import type { JsonObject } from '../../base/json.ts';
import type { Fields, Violation } from '../../field-types/field-type.ts';
import { parseItems } from '../../field-types/parse-items.ts';
import type { BuiltInName } from '../../field-types/registry.ts';
import { closed } from '../../field-types/schemas.ts';
import { validateField } from '../../field-types/validate-field.ts';
import type { FieldDefinition } from '../../model/content-model.ts';
import { define } from '../../repository/content/base-field.ts';
import { validationFailed } from '../../repository/errors.ts';
import { lenientBody, unknownField, valueInput } from '../../web/lenient-body.ts';
import { listOfOne, namedSchema } from '../../web/openapi/components.ts';

/** The members of a submitted alias. Undefined for missing ones. */
export interface AliasInput {
  readonly uuid: string | undefined;
  readonly path: string | undefined;
  readonly alias: string | undefined;
  readonly langcode: string | undefined;
}

export const aliasSchema = namedSchema('Alias', (components) => {
  const words = listOfOne(components.itemOf('string'));
  return closed({
    id: listOfOne(components.itemOf('integer')),
    uuid: listOfOne(components.itemOf('uuid')),
    langcode: words,
    path: words,
    alias: words,
    status: listOfOne(components.itemOf('boolean')),
  });
});

export const newAlias = lenientBody(namedSchema('AliasCreate', closed(inputMembers(false))), (body, { api }) =>
  parseAlias(body, api.services.fields, true),
);
export const aliasChange = lenientBody(namedSchema('AliasChange', closed(inputMembers(true))), (body, { api }) =>
  parseAlias(body, api.services.fields, false),
);

function inputMembers(isChange: boolean): TProperties {
  const path = valueInput('The canonical path of a node, media or term, such as /node/12.');
  const alias = valueInput('Another path for it, such as /letters/1.');
  return {
    path: isChange ? t.Optional(path) : path,
    alias: isChange ? t.Optional(alias) : alias,
    langcode: t.Optional(valueInput('Default: the language of the content.')),
    status: t.Optional(valueInput('Always true.', t.Boolean())),
    uuid: t.Optional(valueInput('The UUID of a new alias.')),
    id: t.Optional(t.Unknown()),
    revision_id: t.Optional(t.Unknown()),
  };
}

const MAX_PATH_CHARS = 255;
const member = (name: string, label: string, type: BuiltInName, isRequired = false): FieldDefinition =>
  define(name, label, type, { required: isRequired, maxLength: MAX_PATH_CHARS });
const PATH = member('path', 'System path', 'string', true);
/** Parses the member as text. `ALIAS_RULES` then checks it as an alias, whose items have other members. */
const ALIAS = member('alias', 'URL alias', 'string', true);
const ALIAS_RULES = member('alias', 'URL alias', 'path', true);
const LANGCODE = member('langcode', 'Language', 'language');
const UUID = member('uuid', 'UUID', 'uuid');
const STATUS = member('status', 'Published', 'boolean');
const READ_ONLY = ['id', 'revision_id'];
const MEMBERS = ['path', 'alias', 'langcode', 'uuid', 'status', ...READ_ONLY];

/**
 * Parses an alias as leniently as fields. A new one needs path and alias; a change keeps missing members. White space
 * around an alias and slashes at its end are dropped. Throws `unprocessable` for unknown members, and with all problems
 * of the values.
 */
function parseAlias(body: JsonObject, fields: Fields, isNew: boolean): AliasInput {
  const unknown = Object.keys(body).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) throw unknownField(unknown, MEMBERS);
  const violations: Violation[] = [];
  const path = read(PATH);
  if (path !== undefined && path !== '' && !path.startsWith('/'))
    violations.push({ path: 'path.0.value', message: 'The source path has to start with a slash.' });
  const alias = readAlias();
  const langcode = read(LANGCODE);
  const uuid = read(UUID);
  if (read(STATUS) === 'false')
    violations.push({ path: 'status.0.value', message: 'An alias is always published. Delete it instead.' });
  if (violations.length > 0) throw validationFailed(violations);
  return { uuid, path, alias, langcode };

  /** Returns the value of a member as text. Undefined for a missing optional one. */
  function read(definition: FieldDefinition): string | undefined {
    const raw = body[definition.name];
    if (raw === undefined && !(isNew && definition.required)) return undefined;
    const items = parseItems(raw ?? null, definition, fields.types);
    violations.push(...validateField(items, definition, fields));
    return items[0] === undefined ? undefined : String(items[0].value);
  }

  function readAlias(): string | undefined {
    const before = violations.length;
    const sent = read(ALIAS);
    if (sent === undefined || violations.length > before) return sent;
    const alias = sent.trim().replace(/[\\/]+$/, '') || '/';
    for (const { message } of validateField([{ alias }], ALIAS_RULES, fields))
      violations.push({ path: 'alias.0.value', message });
    return alias;
  }
}
