import type { JsonObject, JsonValue } from '../base/json.ts';
import type { ScanOptions } from '../repository/derivatives/scan.ts';
import { validationFailed } from '../repository/errors.ts';
import { unknownField } from './parse-content.ts';

/** What a member must be, in words and as a check. */
const MEMBERS = {
  action: { words: 'the name of an action', fits: (value: JsonValue) => typeof value === 'string' && value !== '' },
  node: { words: 'the id of a node', fits: (value: JsonValue) => Number.isSafeInteger(value) && Number(value) > 0 },
  restart: { words: 'true or false', fits: isFlag },
  dry_run: { words: 'true or false', fits: isFlag },
} as const;

/** What a body says of a scan. Throws `unprocessable` for a member that there is not, and for values that cannot be. */
export function parseScanOptions(body: JsonObject): ScanOptions {
  const unknown = Object.keys(body).find((name) => !Object.hasOwn(MEMBERS, name));
  if (unknown !== undefined) throw unknownField(unknown, Object.keys(MEMBERS));
  const violations = Object.entries(MEMBERS)
    .filter(([name, { fits }]) => body[name] !== undefined && !fits(body[name]))
    .map(([path, { words }]) => ({ path, message: `This must be ${words}.` }));
  if (violations.length > 0) throw validationFailed(violations);
  const { action, node, restart, dry_run } = body as Partial<{
    action: string;
    node: number;
    restart: boolean;
    dry_run: boolean;
  }>;
  return { action, node, restart, dryRun: dry_run };
}

function isFlag(value: JsonValue): boolean {
  return typeof value === 'boolean';
}
