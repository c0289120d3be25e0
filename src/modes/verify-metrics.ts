import { Gauge, type Registry } from 'prom-client';
import type { FixityFigures } from '../repository/storage/verify-report.ts';

/** Adds what is known of stored files to a registry. It is read whenever someone asks, once for both. */
export function addFixityFigures(registry: Registry, read: () => Promise<FixityFigures>): void {
  const registers = [registry];
  let reading: Promise<FixityFigures> | undefined;
  const readOnce = () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  new Gauge({
    name: 'repo_fixity_damaged_files',
    help: 'Stored files that were damaged, missing or unreadable when they were checked last.',
    registers,
    async collect() {
      this.set((await readOnce()).problems);
    },
  });
  new Gauge({
    name: 'repo_fixity_last_run_timestamp_seconds',
    help: 'When a check of stored files came to its end last; 0 for never.',
    registers,
    async collect() {
      this.set((await readOnce()).lastEnd);
    },
  });
}
