import type Database from 'libsql';
import AsyncDatabase from 'libsql/promise';

/**
 * Calls of the driver that take long, on a thread of its own. They are methods of its asynchronous class, called on a
 * connection of its synchronous class: both hold the same native connection (docs/decisions/041).
 */

/** Runs a statement that waits for the disk. Nothing else may use the connection until it resolves. */
export async function execOffThread(connection: Database.Database, sql: string): Promise<void> {
  await AsyncDatabase.prototype.exec.call(connection, sql);
}

/** Copies from its server to a replica what it lacks. */
export async function syncOffThread(replica: Database.Database): Promise<void> {
  await AsyncDatabase.prototype.sync.call(replica);
}
