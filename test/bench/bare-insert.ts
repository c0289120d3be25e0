import Database from 'libsql';

/**
 * The baseline of writes: rows of `BYTES` into one table of `FILE`, one after another, each durable before the
 * next (WAL, synchronous=FULL), for `SECONDS`. Prints rows per second.
 */
const [file = '', bytes = '', seconds = ''] = process.argv.slice(2);
const database = new Database(file);
database.exec('PRAGMA journal_mode = WAL');
database.exec('PRAGMA synchronous = FULL');
database.exec('CREATE TABLE IF NOT EXISTS item (id INTEGER PRIMARY KEY, document TEXT NOT NULL)');
const insert = database.prepare('INSERT INTO item (document) VALUES (?)');
const document = 'x'.repeat(Number(bytes));
const startedAt = performance.now();
let rows = 0;
while (performance.now() - startedAt < Number(seconds) * 1000) {
  insert.run(document);
  rows += 1;
}
console.log(rows / ((performance.now() - startedAt) / 1000));
database.close();
