import type { CallLimit } from '../../base/call-limit.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Item } from '../../model/content-model.ts';
import { createContent } from '../../repository/content/write/save-content.ts';
import { MEMBER_OF } from '../../repository/relations.ts';
import type { PlannedItem, RowPlan, TableProblem } from '../table/row-plan.ts';
import type { LoadContext } from '../table/table-options.ts';
import { type HeldRun, nodeIdOf } from './import-run.ts';
import {
  columnOfPart,
  findLoaded,
  isMade,
  type LoadedRow,
  nodeFingerprint,
  noteItem,
  orTakenOver,
} from './journal-items.ts';
import { loadFile } from './load-file.ts';
import type { NewTerms } from './new-terms.ts';

/** The context of an import. */
export interface ImportContext {
  readonly context: LoadContext;
  readonly run: HeldRun;
  readonly terms: NewTerms;
  /** Runs work with files, with limited concurrency. */
  readonly withFile: CallLimit;
  readonly signal: AbortSignal;
}

/** Creates the node of a row, unless the journal has it. Returns its id. Throws RowFailure. */
export async function loadNode(
  { context, run, terms }: ImportContext,
  plan: RowPlan,
  parentId: number | undefined,
): Promise<number> {
  const { services, kinds, actor } = context;
  try {
    const values = new Map<string, Item[]>();
    for (const [name, items] of plan.values) {
      const whole = resolved(terms, items, plan, name);
      values.set(name, whole instanceof Promise ? await whole : whole);
    }
    if (parentId !== undefined) values.set(MEMBER_OF, [...(values.get(MEMBER_OF) ?? []), { target_id: parentId }]);
    const fingerprint = nodeFingerprint(plan.fingerprint, plan.files.length);
    const node = await createContent(services, actor, kinds.node, plan.bundle, values, {
      id: nodeIdOf(run.firstNodeId, plan),
      after: (uuid) => [noteItem(run, { rowId: plan.id, fingerprint }, 'node', uuid)],
    });
    return node.head.id;
  } catch (error) {
    const made = isMade(error) ? (await findLoaded(services.database, run, [plan.id])).get(plan.id) : undefined;
    if (made) return made.nodeId;
    throw RowFailure.of(plan, undefined, orTakenOver(error));
  }
}

/** Creates the media of a row's files that the journal lacks, one by one. Throws RowFailure. */
export async function loadFiles(
  { context, run, withFile, signal }: ImportContext,
  plan: RowPlan,
  nodeId: number,
  former: LoadedRow | undefined,
  onLoaded: (bytes: number) => void,
): Promise<void> {
  for (const file of plan.files) {
    if (former?.media.has(file.part)) continue;
    signal.throwIfAborted();
    try {
      onLoaded(await withFile(() => loadFile(context, run, { rowId: plan.id, nodeId, file }, signal)));
    } catch (error) {
      if (signal.aborted && error === signal.reason) throw error;
      if (!isMade(error)) throw RowFailure.of(plan, columnOfPart(file.part), orTakenOver(error));
    }
  }
}

/** Returns items with the ids of their terms; a promise only if an id is not known yet. */
function resolved(
  terms: NewTerms,
  items: readonly PlannedItem[],
  plan: RowPlan,
  column: string,
): Item[] | Promise<Item[]> {
  let isWaiting = false;
  const whole = items.map(({ item, newTerm }): Item | Promise<Item> => {
    if (newTerm === undefined) return item;
    const id = terms.idOf(newTerm);
    if (typeof id === 'number') return { ...item, target_id: id };
    isWaiting = true;
    return id.then(
      (term) => ({ ...item, target_id: term }),
      (error: unknown) => {
        throw RowFailure.of(plan, column, error);
      },
    );
  });
  return isWaiting ? Promise.all(whole) : (whole as Item[]);
}

/** The error for a row that could not be loaded, although the check of the table found no problem. */
export class RowFailure extends Error {
  override readonly name = 'RowFailure';
  readonly problem: TableProblem;

  constructor(problem: TableProblem, cause?: unknown) {
    super(problem.message, { cause });
    this.problem = problem;
  }

  /** Returns a RowFailure for a ServiceError; other errors unchanged. */
  static of(plan: Pick<RowPlan, 'number' | 'line'>, column: string | undefined, error: unknown): unknown {
    if (!(error instanceof ServiceError)) return error;
    const message = error.publicMessage.replace(/^Unprocessable Entity: validation failed\.\n/, '').trim();
    const lines = message.split('\n').join('; ');
    return new RowFailure({ row: plan.number, line: plan.line, column, message: lines }, error);
  }
}
