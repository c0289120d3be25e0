import type { InStatement } from '@libsql/client';
import { isEqualValue } from '../field-types/equal-items.ts';
import { parseItems } from '../field-types/parse-items.ts';
import type { FieldDefinition, FieldValues, Item } from '../model/content-model.ts';
import type { Actor } from '../repository/actor.ts';
import type { Content } from '../repository/content/content.ts';
import type { SubmittedValues } from '../repository/content/fill/check-values.ts';
import { definitionOf } from '../repository/content/kinds.ts';
import { placeAtEnd } from '../repository/content/write/member-places.ts';
import { changeContent } from '../repository/content/write/save-content.ts';
import type { ActiveRun } from './bulk-action.ts';
import type { BulkParts } from './bulk-parts.ts';
import { ItemSkipped } from './item-skipped.ts';
import { storedValue, valueIn, wantedValue } from './wanted-value.ts';

/** The values of the changed fields before and after a change, by the names of the fields. */
export interface Change {
  readonly before: FieldValues;
  readonly after: FieldValues;
}

interface ChangeOptions {
  readonly id: number;
  /** Reads the content, or throws if it does not exist or the actor may not change it. */
  readonly read: () => Promise<Content>;
  readonly check: (content: Content) => void;
  /** The values that this item must have and gets, if its run has them for each item: other values were saved since. */
  readonly planned: Change | undefined;
  /** Returns the statement that stores the result, for the transaction of the change. */
  readonly settle: (content: Content, change: Change) => readonly InStatement[];
}

/**
 * Changes the fields of a run in one item as a PATCH does, with a new revision and its log message. Returns the content,
 * and whether it had the values before.
 */
export async function changeItem(
  { services }: BulkParts,
  actor: Actor,
  run: ActiveRun,
  { id, read, check, planned, settle }: ChangeOptions,
): Promise<{ readonly content: Content; readonly isUnchanged: boolean }> {
  const { types } = services.fields;
  let changed: readonly string[] = [];

  /** Returns the values that fields get. */
  function valuesFor(content: Content): SubmittedValues {
    const values = new Map<string, Item[]>();
    for (const name of planned ? Object.keys(planned.after) : [run.parameters.field ?? '']) {
      const definition = definitionOf(content, name);
      if (definition === undefined) throw new ItemSkipped('Items of its type have no such field.');
      const isSame = (a: readonly Item[], b: readonly Item[]) => isEqualValue(a, b, definition, types);
      const stored = storedValue(content, name);
      const wanted = wantedValue(run, content, { definition, types, stored, planned: planned?.after[name] });
      if (planned !== undefined && !isSame(planned.before[name] ?? [], stored))
        throw new ItemSkipped('It has been changed since.');
      if (!isSame(wanted, stored)) values.set(name, parse(wanted, definition));
    }
    changed = [...values.keys()];
    if (values.size > 0) values.set(content.kind.names.revisionLog, [{ value: logMessage(run) }]);
    return values;
  }

  const parse = (items: readonly Item[], definition: FieldDefinition) => parseItems([...items], definition, types);

  let isUnchanged = true;
  const { action, parameters } = run;
  const content = await changeContent(services, actor, valuesFor, {
    ...{
      read,
      check,
      before: action === 'collection' ? [placeAtEnd({ member: id, parent: parameters.target ?? 0 })] : [],
    },
    after(before, decided) {
      isUnchanged = false;
      const valuesOf = (value: (field: string) => readonly Item[]): FieldValues =>
        Object.fromEntries(changed.map((field) => [field, [...value(field)]]));
      return settle(before, {
        before: valuesOf((field) => storedValue(before, field)),
        after: valuesOf((field) => valueIn(decided, field)),
      });
    },
  });
  return { content, isUnchanged };
}

function logMessage({ id, action, parameters: { targetLabel = '', undoes, reason } }: ActiveRun): string {
  const label = `“${targetLabel.slice(0, 100)}”`;
  const what = {
    publish: 'Published',
    unpublish: 'Unpublished',
    collection: `Moved to the collection ${label}`,
    term: `Added the term ${label}`,
    values: reason ?? `Changed ${label}`,
    order: `Moved among the members of ${label}`,
    update: reason ?? `Updated from the table ${label}`,
    undo: `Undid the bulk change ${undoes}`,
    delete: 'Deleted',
    derivatives: 'Derivatives made again',
  }[action];
  return `${what} (bulk change ${id})`;
}
