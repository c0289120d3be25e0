import { ServiceError } from '../../base/errors.ts';
import type { EntityType, FieldDefinition, Item, NodeType } from '../../model/content-model.ts';
import { definitionOf, type SubmittedValues } from '../../repository/content/check-values.ts';
import { decideNew } from '../../repository/content/decide-content.ts';
import { entityTarget } from '../../repository/content/referring-fields.ts';
import type { Target } from '../../repository/content/targets.ts';
import { ValidationFailed } from '../../repository/errors.ts';
import { type Columns, columnOf, MEMBER_OF } from './columns.ts';
import type { FindReferred } from './find-referred.ts';
import type { PlannedItem } from './row-plan.ts';
import type { LoadContext, TableOptions } from './table-options.ts';
import { violationText } from './violation-text.ts';

export interface ValueProblem {
  readonly column: string | undefined;
  readonly message: string;
}

/** Checks values as the write will that makes a node of them. */
export interface ValueChecks {
  check(row: RowValues): Promise<ValueProblem[]>;
}

/** What a row says of its node. */
export interface RowValues {
  readonly bundle: NodeType;
  readonly values: ReadonlyMap<string, readonly PlannedItem[]>;
  /** Whether the node is put into one that is still to be made. */
  readonly hasParent: boolean;
  /** Fields of which it was said already that a value is not understood. */
  readonly faulty: ReadonlySet<string>;
}

/** No entity has such an id: those of what is still to be made. */
const FIRST_PRETENDED_ID = -1;

/** `told` are the columns of which the whole table is told: nothing is said of them for each row. */
export function createValueChecks(
  context: LoadContext,
  referred: FindReferred,
  columns: Columns,
  told: ReadonlySet<string | undefined>,
  options: Pick<TableOptions, 'subdelimiter'>,
): ValueChecks {
  const { services, kinds, actor } = context;

  /** What values refer to: what the planner has found already, and stand-ins for what there is not yet. */
  async function targetsOf({
    bundle,
    values,
    hasParent,
  }: RowValues): Promise<{ submitted: SubmittedValues; newTargets: Target[] }> {
    const newTargets: Target[] = [];
    const submitted = new Map<string, Item[]>();
    const pretend = (type: EntityType, targetBundle: string): Item => {
      const id = FIRST_PRETENDED_ID - newTargets.length;
      newTargets.push({ ...STAND_IN, type, id, uuid: String(id), bundle: targetBundle, ownerId: actor.id });
      return { target_id: id };
    };
    for (const [name, items] of values) {
      if (told.has(columnOf(name))) continue;
      const definition = definitionOf({ kind: kinds.node, bundle }, name) as FieldDefinition;
      const type = entityTarget(definition);
      const whole: Item[] = [];
      for (const { item, newTerm } of items) {
        whole.push(newTerm ? { ...item, ...pretend('taxonomy_term', newTerm.vocabulary) } : item);
        if (type === undefined || typeof item.target_id !== 'number') continue;
        const found = referred.byId(type, item.target_id);
        const target = found instanceof Promise ? await found : found;
        if (target) newTargets.push(target);
      }
      submitted.set(name, whole);
    }
    // Of which type the parent will be does not matter where the field takes any.
    if (hasParent && !values.has(MEMBER_OF)) submitted.set(MEMBER_OF, [pretend('node', '')]);
    return { submitted, newTargets };
  }

  return {
    async check(row) {
      const { bundle, faulty } = row;
      const { submitted, newTargets } = await targetsOf(row);
      try {
        await decideNew(services, actor, kinds.node, bundle, submitted, { newTargets });
        return [];
      } catch (error) {
        // Only what is wrong with the values is a problem of the row.
        if (!(error instanceof ServiceError) || error.kind !== 'unprocessable') throw error;
        if (!(error instanceof ValidationFailed)) return [{ column: undefined, message: error.publicMessage }];
        return error.violations.flatMap((violation) => {
          const [name = '', delta] = violation.path.split('.');
          const definition = definitionOf({ kind: kinds.node, bundle }, name);
          if (definition === undefined || faulty.has(name) || told.has(columnOf(name))) return [];
          const items = submitted.get(name) ?? [];
          const message = violationText(violation, definition, items, delta, services, options);
          return [{ column: columns.all.has(columnOf(name)) ? columnOf(name) : undefined, message }];
        });
      }
    },
  };
}

const STAND_IN = { status: true, version: undefined, file: undefined } as const;
