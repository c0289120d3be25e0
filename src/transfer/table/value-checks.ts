import { ServiceError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import { oneOf, shown } from '../../field-types/cell.ts';
import type { FieldType, Violation } from '../../field-types/field-type.ts';
import { MISSING, NOT_A_CHOICE, WRONG_TYPE } from '../../field-types/violation.ts';
import type { Bundle, ContentModel, EntityType, FieldDefinition, Item } from '../../model/content-model.ts';
import type { Content } from '../../repository/content/content.ts';
import type { SubmittedValues } from '../../repository/content/fill/check-values.ts';
import type { Target } from '../../repository/content/fill/targets.ts';
import { definitionOf } from '../../repository/content/kinds.ts';
import { entityTarget } from '../../repository/content/referring-fields.ts';
import type { Services } from '../../repository/content/services.ts';
import { decideChange, decideNew } from '../../repository/content/write/decide-content.ts';
import { ValidationFailed } from '../../repository/errors.ts';
import { MEMBER_OF } from '../../repository/relations.ts';
import type { FindReferred } from './find-referred.ts';
import { COMMAND_WORDS } from './option-words.ts';
import type { PlannedItem } from './row-plan.ts';
import type { LoadContext, TableOptions } from './table-options.ts';

interface ValueProblem {
  readonly column: string | undefined;
  readonly message: string;
}

/** Checks values as the write of the content does. */
interface ValueChecks {
  check(row: RowValues): Promise<ValueProblem[]>;
}

/** The values of a row. */
interface RowValues {
  readonly bundle: Bundle;
  readonly values: ReadonlyMap<string, readonly PlannedItem[]>;
  /** True if the node becomes a member of a new node. */
  readonly hasParent: boolean;
  /** Fields with an invalid value, which is already reported. */
  readonly faulty: ReadonlySet<string>;
  /** The content that gets the values; undefined for a new node. */
  readonly content?: Content;
}

/** The first id of stand-ins for new entities. No entity has such an id. */
const FIRST_STAND_IN_ID = -1;

/** The columns of the values to check. */
interface CheckedColumns {
  /** Returns the column of a field, which the table may lack. */
  readonly columnOf: (field: string) => string;
  readonly all: ReadonlySet<string>;
  /** Columns with a problem of the whole table, which rows do not repeat. */
  readonly reported: ReadonlySet<string | undefined>;
}

export function createValueChecks(
  context: LoadContext,
  referred: FindReferred,
  { columnOf, all, reported }: CheckedColumns,
  options: Pick<TableOptions, 'subdelimiter' | 'words'>,
): ValueChecks {
  const { services, kinds, actor } = context;
  const isReported = (field: string) => reported.has(columnOf(field));

  /** Returns the targets of values: those that the planner has found, and stand-ins for new entities. */
  async function targetsOf({
    bundle,
    values,
    hasParent,
    content,
  }: RowValues): Promise<{ submitted: SubmittedValues; newTargets: Target[] }> {
    const kind = content?.kind ?? kinds.node;
    const newTargets: Target[] = [];
    const submitted = new Map<string, Item[]>();
    const pretend = (type: EntityType, targetBundle: string): Item => {
      const id = FIRST_STAND_IN_ID - newTargets.length;
      newTargets.push({ ...STAND_IN, type, id, uuid: String(id), bundle: targetBundle, ownerId: actor.id });
      return { target_id: id };
    };
    for (const [name, items] of values) {
      if (isReported(name)) continue;
      const definition = definitionOf({ kind, bundle }, name) as FieldDefinition;
      const type = entityTarget(definition);
      const whole: Item[] = [];
      for (const { item, newTerm } of items) {
        whole.push(newTerm ? { ...item, ...pretend('taxonomy_term', newTerm.vocabulary) } : item);
        if (type === undefined || typeof item.target_id !== 'number') continue;
        const referredTarget = referred.byId(type, item.target_id);
        const target = referredTarget instanceof Promise ? await referredTarget : referredTarget;
        if (target) newTargets.push(target);
      }
      submitted.set(name, whole);
    }
    // The content type of the parent does not matter.
    if (hasParent && !values.has(MEMBER_OF)) submitted.set(MEMBER_OF, [pretend('node', '')]);
    return { submitted, newTargets };
  }

  return {
    async check(row) {
      const { bundle, faulty, content } = row;
      const kind = content?.kind ?? kinds.node;
      const { submitted, newTargets } = await targetsOf(row);
      try {
        if (content === undefined) await decideNew(services, actor, kind, bundle, submitted, { newTargets });
        else await decideChange(services, actor, content, submitted, { newTargets });
        return [];
      } catch (error) {
        // Any other error is no problem of the row.
        const isOfRow = error instanceof ServiceError && ['unprocessable', 'forbidden'].includes(error.kind);
        if (!isOfRow) throw error;
        if (!(error instanceof ValidationFailed)) return [{ column: undefined, message: error.publicMessage }];
        return error.violations.flatMap((violation) => {
          const [name = '', delta] = violation.path.split('.');
          const definition = definitionOf({ kind, bundle }, name);
          if (definition === undefined || faulty.has(name) || isReported(name)) return [];
          const items = submitted.get(name) ?? [];
          const message = violationText(violation, definition, items, delta, services, options);
          return [{ column: all.has(columnOf(name)) ? columnOf(name) : undefined, message }];
        });
      }
    },
  };
}

const STAND_IN = { status: true, accessSet: 0, version: undefined, file: undefined } as const;

/** Returns the message about an invalid value of a cell, with its position if there are several values. */
function violationText(
  { path, message }: Violation,
  definition: FieldDefinition,
  items: readonly Item[],
  delta: string | undefined,
  { model, fields }: Pick<Services, 'model' | 'fields'>,
  { subdelimiter, words = COMMAND_WORDS }: Pick<TableOptions, 'subdelimiter' | 'words'>,
): string {
  if (message === MISSING) return `A value is required ("${definition.label}").`;
  const item = delta === undefined ? undefined : items[Number(delta)];
  if (item === undefined) return `${message} The text between values is "${subdelimiter}" (${words.subdelimiter}).`;
  const member = path.split('.')[2];
  const value = textOf(item, member);
  // Some messages begin with the value.
  const prefix = value === undefined || message.startsWith(`${value} `) ? '' : `${shown(value)}: `;
  const text = `${prefix}${inWords(message, fields.types.of(definition), definition, member, value, model)}`;
  return items.length === 1 ? text : `Value ${Number(delta) + 1}: ${text}`;
}

function textOf(item: Item, member: string | undefined): string | undefined {
  const value = item[member ?? 'value'] ?? item.value ?? item.uri;
  return value === undefined || value === null || typeof value === 'object' ? undefined : String(value);
}

function inWords(
  message: string,
  type: FieldType,
  definition: FieldDefinition,
  member: string | undefined,
  value: string | undefined,
  { languages, textFormats, fallbackFormat }: ContentModel,
): string {
  if (message === WRONG_TYPE && type.cellKind !== undefined) return `This is not ${type.cellKind}.`;
  if (message !== NOT_A_CHOICE) return message;
  const formats = [fallbackFormat, ...textFormats.keys()];
  const choices = type.cellChoices(member, definition, { languages, textFormats: formats });
  if (choices.length === 0) return message;
  // Only text formats have permissions.
  if (value !== undefined && choices.includes(value)) return 'The user may not use this text format.';
  const guess = value === undefined ? undefined : nearest(value, choices);
  return guess === undefined ? `It must be ${oneOf(choices)}.` : `Unknown value. Did you mean ${guess}?`;
}
