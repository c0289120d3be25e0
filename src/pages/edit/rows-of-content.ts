import type { JsonObject } from '../../base/json.ts';
import type { FieldTypes } from '../../field-types/field-type.ts';
import type { FieldValues, Item } from '../../model/content-model.ts';
import type { LinkedType } from '../../repository/access-rule.ts';
import { findNamed, type NamedTarget } from '../../repository/content/lists/complete-target.ts';
import type { Call } from '../../web/call.ts';
import type { EditableField } from './arrange-fields.ts';
import { targetText } from './described-targets.ts';
import { EMPTY_ROW, type FormState, NO_REST, type RowState } from './form-state.ts';

/** The members that the repository adds to an item. */
const COMPUTED: ReadonlySet<string> = new Set(['target_type', 'target_uuid', 'url', 'processed']);

/** Returns the form of stored values. Each field has a row for each of its values. */
export async function stateOfValues(
  call: Call,
  fields: readonly EditableField[],
  values: FieldValues,
): Promise<FormState> {
  const names = await namesOfTargets(call, fields, values);
  const { types } = call.api.services.fields;
  return new Map(
    fields.map((field) => [
      field.definition.name,
      (values[field.definition.name] ?? []).map((item) => rowOf(field, item, types, names)),
    ]),
  );
}

type Names = ReadonlyMap<string, NamedTarget>;

function rowOf({ definition, controls }: EditableField, item: Item, types: FieldTypes, names: Names): RowState {
  const texts: Record<string, string> = {};
  for (const { kind, member, ...control } of controls) {
    const value = item[member] ?? null;
    if ('isList' in control && Array.isArray(value)) texts[member] = value.join(', ');
    else if (kind === 'flag') texts[member] = value === true ? '1' : '0';
    else if (value === null || typeof value === 'object') texts[member] = '';
    else if (kind === 'target') {
      const named = names.get(`${definition.targetType} ${value}`);
      texts[member] = named === undefined ? String(value) : targetText(named);
    } else texts[member] = String(value);
  }
  const rest: JsonObject = {};
  for (const member of types.of(definition).input) {
    const value = item[member] ?? null;
    if (value !== null && !(member in texts) && !COMPUTED.has(member)) rest[member] = value;
  }
  return Object.values(texts).every((text) => text === '') && Object.keys(rest).length === 0
    ? EMPTY_ROW
    : { texts, rest: Object.keys(rest).length === 0 ? NO_REST : JSON.stringify(rest) };
}

/** Returns the targets that the caller may view, by type and id. */
async function namesOfTargets(call: Call, fields: readonly EditableField[], values: FieldValues): Promise<Names> {
  const { api, actor } = call;
  const wanted = new Map<LinkedType, number[]>();
  for (const { definition, controls } of fields) {
    const target = controls.find(({ kind }) => kind === 'target');
    const type = definition.targetType;
    if (target === undefined || (type !== 'node' && type !== 'media' && type !== 'taxonomy_term')) continue;
    const ids = (values[definition.name] ?? []).flatMap((item) => Number(item[target.member]) || []);
    wanted.set(type, [...(wanted.get(type) ?? []), ...ids]);
  }
  const names = new Map<string, NamedTarget>();
  for (const [type, ids] of wanted)
    for (const named of await findNamed(api.services.database, type, ids))
      if (api.kinds[type].access.view(actor, named).isAllowed) names.set(`${type} ${named.id}`, named);
  return names;
}
