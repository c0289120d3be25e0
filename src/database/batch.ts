import type { InStatement, ResultSet } from '@libsql/client';
import { resultOf, type Statement } from './statement.ts';

/** Statements, and lists of statements, by name, in the order in which they run; or a list without names. */
export type Batch = Readonly<Record<string, Statement | readonly InStatement[]>> | readonly InStatement[];

/** The results of a batch, by the names of its statements. */
export type BatchResults<Given extends Batch> = Given extends readonly InStatement[]
  ? ResultSet[]
  : {
      readonly [Name in keyof Given]: Given[Name] extends Statement<infer Result>
        ? Result
        : Given[Name] extends readonly Statement<infer Result>[]
          ? Result[]
          : unknown;
    };

/** Returns the statements of a batch in the order in which they run. */
export function statementsOf(batch: Batch): InStatement[] {
  return Array.isArray(batch) ? batch : Object.values(batch).flat();
}

/** Runs a batch and returns its results by name. */
export async function runBatch<Given extends Batch>(
  batch: Given,
  run: (statements: InStatement[]) => Promise<ResultSet[]>,
): Promise<BatchResults<Given>>;
export async function runBatch(
  batch: Batch,
  run: (statements: InStatement[]) => Promise<ResultSet[]>,
): Promise<unknown> {
  const all = await run(statementsOf(batch));
  if (Array.isArray(batch)) return all;
  const results = all.values();
  const take = (statement: Statement) => resultOf(statement, results.next().value as ResultSet);
  return Object.fromEntries(
    Object.entries(batch).map(([name, each]) => [name, Array.isArray(each) ? each.map(take) : take(each)]),
  );
}
