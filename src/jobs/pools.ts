import type { DerivativeAction } from './rules.ts';

/** Whoever makes what no action says otherwise of: the processors that the server is configured with. */
export const DEFAULT_POOL = 'default';
/** The processor within the process. */
export const EMBEDDED_POOL = 'embedded';

/** Under which name the jobs of an action wait for those who can do them. */
export function poolOf({ processor }: DerivativeAction): string {
  if (processor === undefined) return DEFAULT_POOL;
  return processor === 'embedded' ? EMBEDDED_POOL : processor.join(' ');
}

/** What a scan has found missing waits apart, and takes turns with what was just uploaded: a million old files hold up no new one. */
export const SCAN_MARK = ' (scan)';

/** Where the jobs of a scan wait for those who serve a pool. */
export function scanPool(pool: string): string {
  return `${pool}${SCAN_MARK}`;
}
