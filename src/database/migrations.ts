import init from '../../drizzle/0000_init.sql' with { type: 'text' };

export interface Migration {
  /** The file in `drizzle`, without its extension. */
  readonly name: string;
  readonly statements: readonly string[];
}

/** Every migration in order, inside the executable. A test compares this list with the folder. */
export const migrations: readonly Migration[] = [{ name: '0000_init', statements: split(init) }];

function split(sql: string): string[] {
  return sql
    .split('--> statement-breakpoint')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}
