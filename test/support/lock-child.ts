import Libsql from 'libsql';

/** A process for tests that hold a database's write lock: says `held`, and lets go when its standard input ends. */
const [file] = Bun.argv.slice(2) as [string];
const database = new Libsql(file);
database.exec('BEGIN IMMEDIATE');
process.stdout.write('held\n');
await Bun.stdin.text();
database.exec('ROLLBACK');
database.close();
