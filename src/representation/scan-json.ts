import type { ScanProgress } from '../repository/derivatives/scan.ts';

/** How far a scan has come, as whoever asked for it is told. */
export function scanJson({ scanned, total, queued, open, failed, isFinished }: ScanProgress): string {
  return JSON.stringify({ scanned, total, queued, queued_before: open, failed_before: failed, finished: isFinished });
}
