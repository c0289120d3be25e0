import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../../database/database.ts';
import { findDatabaseCheck } from './check-schedule.ts';

/** Adds the figures of the last check of the database to a registry. */
export function addDatabaseFigures(registry: Registry, database: Database): void {
  const registers = [registry];
  new Gauge({
    name: 'repo_database_problems',
    help: 'Problems that the last check of the database has found.',
    registers,
    async collect() {
      this.set((await findDatabaseCheck(database)).last?.problems ?? 0);
    },
  });
  new Gauge({
    name: 'repo_database_last_check_timestamp_seconds',
    help: 'When a check of the database came to its end last; 0 for never.',
    registers,
    async collect() {
      this.set((await findDatabaseCheck(database)).last?.endedAt ?? 0);
    },
  });
}
