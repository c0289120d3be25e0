import Libsql from 'libsql';

/** A process for tests that hold a database's write lock: says `held`, and lets go after the given milliseconds. */
const [file, milliseconds] = Bun.argv.slice(2) as [string, string];
const database = new Libsql(file);
database.exec('BEGIN IMMEDIATE');
process.stdout.write('held\n');
await Bun.sleep(Number(milliseconds));
database.exec('ROLLBACK');
database.close();
