import { beforeAll, describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Libsql from 'libsql';
import { outcomeOf } from '../support/command-outcome.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { EXECUTABLE } from '../support/server-process.ts';
import { copyStopped } from '../support/test-repository.ts';
import { until } from '../support/until.ts';

const RECORDS = 30_000;
const LABEL = 'http://www.w3.org/2004/02/skos/core#prefLabel';

let folder: string;
let data: string;
let file: string;
beforeAll(async () => {
  folder = await emptyFolder();
  data = join(folder, 'data');
  await copyStopped(data);
  file = join(folder, 'many.nt');
  const lines = Array.from({ length: RECORDS }, (_, index) => `<http://a/${index}> <${LABEL}> "Name ${index}" .`);
  await writeFile(file, `${lines.join('\n')}\n`);
});

function authority(...args: string[]) {
  const command = [EXECUTABLE, 'authority', ...args, '--data', data];
  const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  return { child, outcome: outcomeOf(child) };
}

function count(sql: string): number {
  const database = new Libsql(join(data, 'repository.db'));
  const row = database.prepare(sql).get() as { n: number };
  database.close();
  return row.n;
}

describe('repo authority load', () => {
  it('starts again after a kill, and leaves nothing of the first attempt', async () => {
    const first = authority('load', file);
    await until(() => count('SELECT count(*) AS n FROM authority_record') >= 3_000);
    first.child.kill('SIGKILL');
    await first.outcome;
    expect((await authority('list').outcome).out).toBe('');
    const { code, out } = await authority('load', file).outcome;
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringContaining('The list many (other) has 30,000 records'),
    });
    expect(count('SELECT count(*) AS n FROM authority_record')).toBe(RECORDS);
    expect(count('SELECT count(*) AS n FROM authority_list')).toBe(1);
    expect(
      count("SELECT count(*) AS n FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%authority_word_%'"),
    ).toBe(1);
    expect((await authority('list').outcome).out).toMatch(/^many\tother\t30000\t30000\t/);
  }, 60_000);

  it('shows broken lines, and says that nothing has changed after an interruption', async () => {
    const broken = join(folder, 'broken.nt');
    await writeFile(broken, `<http://a/1> <${LABEL}> "One" .\n<http://a/2> <\n`);
    const { code, out, err } = await authority('load', broken).outcome;
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('1 broken line left out.') });
    expect(err).toContain('line 2: ');
    const stopped = authority('load', file, '--name', 'stopped');
    await until(() => count("SELECT count(*) AS n FROM authority_list WHERE name = 'stopped'") === 1);
    stopped.child.kill('SIGTERM');
    const outcome = await stopped.outcome;
    expect(outcome).toMatchObject({ code: 1, err: expect.stringContaining('Nothing has changed') });
    expect(count("SELECT count(*) AS n FROM authority_list WHERE name = 'stopped'")).toBe(0);
  }, 60_000);

  it('removes a list, and names the most similar one', async () => {
    expect(await authority('remove', 'mani').outcome).toMatchObject({
      ...{ code: 1, err: expect.stringContaining('did you mean many?') },
    });
    expect(await authority('remove', 'many').outcome).toMatchObject({
      ...{ code: 0, out: 'Removed many with 30,000 records.\n' },
    });
    expect(count("SELECT count(*) AS n FROM authority_record WHERE uri = 'http://a/7'")).toBe(0);
  }, 60_000);
});
