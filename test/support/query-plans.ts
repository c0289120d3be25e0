import { spyOn } from 'bun:test';
import Database from 'libsql';

/** Half of all references meet the condition of such a search. */
const READS_HALF = /^SCAN reference\b|reference_target \(target_type=\?\)$|PRIMARY KEY \(source_type=\?\)$/;

/** The statements that the program has prepared since a moment. */
export interface CapturedStatements {
  /** Returns each step of a plan for which the database would read half of all references, with the statement. */
  readsOfHalf(file: string): string[];
}

/** Captures the statements that this process prepares for local databases. */
export function captureStatements(): CapturedStatements {
  const prepared = spyOn(Database.prototype, 'prepare');
  return {
    readsOfHalf(file) {
      const texts = new Set(prepared.mock.calls.map(([text]) => String(text)));
      prepared.mockRestore();
      const database = new Database(file, { readonly: true });
      try {
        return [...texts]
          .filter((text) => /^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)/i.test(text))
          .flatMap(readsOfHalfOf(database));
      } finally {
        database.close();
      }
    },
  };
}

function readsOfHalfOf(database: Database.Database): (text: string) => string[] {
  return (text) => {
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all([]) as { detail: string }[];
    return steps.filter(({ detail }) => READS_HALF.test(detail)).map(({ detail }) => `${detail}: ${text}`);
  };
}
