import type { JsonObject } from '../../base/json.ts';
import type { Fields, Violation } from '../../field-types/field-type.ts';
import { parseItems } from '../../field-types/parse-items.ts';
import type { BuiltInName } from '../../field-types/registry.ts';
import { validateField } from '../../field-types/validate-field.ts';
import type { FieldDefinition } from '../../model/content-model.ts';
import { define } from '../../repository/content/base-field.ts';
import { validationFailed } from '../../repository/errors.ts';
import { unknownField } from '../content/parse-content.ts';

/** What a body says of an alias; undefined for what it does not say. */
export interface AliasInput {
  readonly uuid: string | undefined;
  readonly path: string | undefined;
  readonly alias: string | undefined;
  readonly langcode: string | undefined;
}

const MAX_PATH_CHARS = 255;
const member = (name: string, label: string, type: BuiltInName, isRequired = false): FieldDefinition =>
  define(name, label, type, { required: isRequired, maxLength: MAX_PATH_CHARS });
const PATH = member('path', 'System path', 'string', true);
/** Read as text and checked as an alias: an item of this field has no other members. */
const ALIAS = member('alias', 'URL alias', 'string', true);
const ALIAS_RULES = member('alias', 'URL alias', 'path', true);
const LANGCODE = member('langcode', 'Language', 'language');
const UUID = member('uuid', 'UUID', 'uuid');
const STATUS = member('status', 'Published', 'boolean');
/** Sent back as they were read. */
const READ_ONLY = ['id', 'revision_id'];
const MEMBERS = ['path', 'alias', 'langcode', 'uuid', 'status', ...READ_ONLY];

/**
 * Reads an alias, as leniently as fields are read. A new one needs path and alias; a change keeps what is not sent.
 * White space around an alias, and slashes at its end, are dropped. Throws `unprocessable` for a member that there is not
 * and for values that cannot be, all of them at once.
 */
export function parseAlias(body: JsonObject, fields: Fields, isNew: boolean): AliasInput {
  const stranger = Object.keys(body).find((name) => !MEMBERS.includes(name));
  if (stranger !== undefined) throw unknownField(stranger, MEMBERS);
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

  /** The value of a member as text; undefined for one that was not sent and need not be. */
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
