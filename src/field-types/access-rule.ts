import { Type as t } from '@sinclair/typebox';
import type { JsonObject, JsonValue } from '../base/json.ts';
import { ACCESS_LEVELS } from '../model/access-presets.ts';
import { type AccessRule, NEEDS_END, RULE_MEMBERS, ruleProblem, ruleText } from '../model/access-rules.ts';
import { accessControls } from './access-controls.ts';
import { isNothing, toText } from './convert-value.ts';
import { defineFieldType, NO_WORDS } from './define-field-type.ts';
import { answered, oneOf, text } from './schemas.ts';
import { wrongType } from './violation.ts';

const TEXTS = ['preset', 'level', 'from', 'until', 'reason', 'contact'] as const;
const LISTS_OF_TEXTS = ['open_uses', 'roles', 'networks'] as const;
const LISTS_OF_IDS = ['users', 'terms'] as const;

const day = t.String({ format: 'date' });
const texts = t.Array(text);
const ids = t.Array(t.Integer());

/** The access rule of a node (`model/access-rules.ts`), whose members are those of an item. */
export const accessRule = defineFieldType({
  ...NO_WORDS,
  main: 'preset',
  isConfigurable: false,
  properties: Object.fromEntries(TEXTS.map((member) => [member, 'text'])),
  answer: answered('AccessRuleItem', {
    preset: t.Optional(text),
    level: t.Optional(oneOf(ACCESS_LEVELS)),
    from: t.Optional(day),
    until: t.Optional(day),
    ...{ open_uses: t.Optional(texts), roles: t.Optional(texts), users: t.Optional(ids), networks: t.Optional(texts) },
    ...{ terms: t.Optional(ids), reason: t.Optional(text), contact: t.Optional(text) },
  }),
  input: RULE_MEMBERS,
  parse(raw) {
    const members = RULE_MEMBERS.flatMap((name) => {
      const value = raw[name];
      if (isNothing(value) || (Array.isArray(value) && value.length === 0)) return [];
      return [[name, isText(value) || TEXTS.some((each) => each === name) ? typed(name, value) : value] as const];
    });
    return members.length === 0 ? undefined : Object.fromEntries(members);
  },
  violations(item, _definition, { access }) {
    const wrong = [
      ...TEXTS.filter((name) => !isMissingOr(item[name], isText)),
      ...LISTS_OF_TEXTS.filter((name) => !isMissingOr(item[name], isListOf(isText))),
      ...LISTS_OF_IDS.filter((name) => !isMissingOr(item[name], isListOf(Number.isSafeInteger))),
    ];
    if (wrong.length > 0) return wrong.map(wrongType);
    const message = ruleProblem(item as AccessRule, access);
    return message === undefined ? [] : [{ path: message === NEEDS_END ? 'until' : '', message }];
  },
  complete: (item) => JSON.parse(ruleText(item as AccessRule)) as JsonObject,
  // It would let others in: without them it is stricter.
  portable: ({ users: _users, terms: _terms, ...item }) => item,
  isWhole: true,
  controls: (_definition, { access }) => accessControls(access),
  isJsonInCells: true,
  shortCell: 'preset',
});

/** Returns a member that was sent as text: forms separate the entries of a list by commas. */
function typed(name: string, value: JsonValue): JsonValue {
  const isIds = LISTS_OF_IDS.some((each) => each === name);
  if (!isIds && !LISTS_OF_TEXTS.some((each) => each === name)) return toText(value);
  const entries = String(value)
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  return isIds ? entries.map((entry) => (/^\d{1,15}$/.test(entry) ? Number(entry) : entry)) : entries;
}

const isText = (value: JsonValue | undefined) => typeof value === 'string';
const isListOf = (isEntry: (value: JsonValue) => boolean) => (value: JsonValue) =>
  Array.isArray(value) && value.every(isEntry);

function isMissingOr(value: JsonValue | undefined, isRight: (value: JsonValue) => boolean): boolean {
  return value === undefined || isRight(value);
}
