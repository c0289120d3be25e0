import Libsql from 'libsql';
import AsyncLibsql from 'libsql/promise';

/**
 * Writes the database in a file as it is at this moment into another file, while others go on writing: they are not held
 * up, and neither is this process. It takes as much room as the database.
 */
export async function snapshotFile(database: string, into: string): Promise<void> {
  const connection = new Libsql(database);
  try {
    connection.exec('PRAGMA busy_timeout = 5000');
    // Both faces of the driver hold the same kind of connection (docs/decisions/007): this one works on a thread.
    await AsyncLibsql.prototype.exec.call(connection, `VACUUM INTO '${into.replaceAll("'", "''")}'`);
  } finally {
    connection.close();
  }
}
