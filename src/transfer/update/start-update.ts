import type { NewItem } from '../../bulk/run-queries.ts';
import { startPlannedRun } from '../../bulk/start-run.ts';
import type { Item } from '../../model/content-model.ts';
import { createNewTerms } from '../import/new-terms.ts';
import { TableError } from '../table/row-plan.ts';
import type { LoadContext } from '../table/table-options.ts';
import { readUpdate } from './check-update.ts';
import type { UpdateOptions, UpdatePlan } from './update-plan.ts';

interface NewUpdate {
  readonly file: string;
  /** The name of the table for the history. */
  readonly name: string;
  /** The reason for the log of the revisions; undefined for the name of the table. */
  readonly reason: string | undefined;
  readonly options: UpdateOptions;
  /** Called with the number of rows that are read. */
  readonly onRows?: ((rows: number) => void) | undefined;
}

/**
 * Starts the run that makes the changes of a table without problems, and creates the new terms that it names. Returns the
 * id of the run. Throws TableError if the table has a problem by now; the run then never begins.
 */
export function startUpdate(
  context: LoadContext,
  { file, name, reason, options, onRows }: NewUpdate,
  signal: AbortSignal,
): Promise<number> {
  const { services, actor } = context;
  const terms = createNewTerms(context);
  let rows = 0;

  async function itemOf({ id, before, after }: UpdatePlan): Promise<NewItem> {
    const values: Record<string, Item[]> = {};
    for (const [field, items] of after) {
      const whole = items.map(async ({ item, newTerm }) =>
        newTerm === undefined ? item : { ...item, target_id: await terms.idOf(newTerm) },
      );
      values[field] = await Promise.all(whole);
    }
    return [id, JSON.stringify(before), JSON.stringify(values)];
  }

  async function* groups(): AsyncGenerator<NewItem[]> {
    for await (const batch of readUpdate(context, file, options, { signal, validates: false })) {
      const plans: UpdatePlan[] = [];
      for (const [, { plan, problems }] of batch) {
        if (problems[0] !== undefined) throw new TableError(problems[0]);
        if (plan !== undefined) plans.push(plan);
      }
      rows += batch.length;
      onRows?.(rows);
      if (plans.length > 0) yield Promise.all(plans.map(itemOf));
    }
  }

  const parameters = { targetLabel: name, reason };
  return startPlannedRun(services.database, actor, { type: options.type, action: 'update', parameters }, groups());
}
