import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createLog } from '../../../../src/base/log.ts';
import {
  changeDatabasePlan,
  createDatabaseChecks,
  findDatabaseCheck,
} from '../../../../src/upkeep/integrity/check-schedule.ts';
import { createTestRepository, type TestRepository } from '../../../support/test-repository.ts';

const DAY_S = 86_400;

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.node({ title: [{ value: 'Letters' }] });
});
afterAll(() => repository.stop());

const services = () => repository.running.services;
const database = () => services().database;
const lines: { msg: string; level: string }[] = [];
const log = createLog({
  level: 'info',
  format: 'json',
  destination: { write: (line) => void lines.push(JSON.parse(line)) },
});
const step = () => createDatabaseChecks(services(), log).step(new AbortController().signal);
const run = (sql: string) => database().client.batch([sql], 'write');
const begun = () => lines.filter(({ msg }) => msg === 'a check of the database has begun').length;

describe('the scheduled check of the database', () => {
  it('is not run without a plan', async () => {
    await step();
    expect(begun()).toBe(0);
    expect(await (await repository.get('/admin/reports/status', 'admin')).text()).toContain(
      'Last check of the database',
    );
  });

  it('is not run by a process while another one runs it', async () => {
    await changeDatabasePlan(database(), { everySeconds: DAY_S });
    await run(
      `INSERT INTO run (kind, state, about, created_at, lease, lease_until)
        VALUES ('database', 'running', '{}', unixepoch(), 'x', unixepoch() + 60)`,
    );
    await step();
    expect(begun()).toBe(0);
    await run(`UPDATE run SET lease_until = unixepoch() - 1 WHERE kind = 'database'`);
  });

  it('is run once in its period, also after a process that has ended without a release', async () => {
    await step();
    expect(begun()).toBe(1);
    const { last } = await findDatabaseCheck(database());
    expect(last).toMatchObject({ problems: 0, revisions: expect.any(Number) });
    await step();
    expect(begun()).toBe(1);
  });

  it('names damage in the log, on the page of the status and in the metrics', async () => {
    await run(`UPDATE node SET label = cast(x'41ff' as text) WHERE id = 1`);
    await run(`UPDATE setting SET value = json_set(value, '$.startedAt', 0) WHERE name = 'database.checked'`);
    await step();
    const errors = lines.filter(({ level }) => level === 'error').map(({ msg }) => msg);
    expect(errors).toContainEqual(
      expect.stringMatching(/^the database is damaged: node 1: the text in its column label is not/),
    );
    const { last } = await findDatabaseCheck(database());
    expect(last?.problems).toBeGreaterThan(0);
    const page = await (await repository.get('/admin/reports/status', 'admin')).text();
    expect(page).toContain(`${last?.problems} problems, scheduled`);
    const metrics = await (await repository.get('/metrics', 'admin')).text();
    expect(metrics).toMatch(new RegExp(`^repo_database_problems(\\{.*\\})? ${last?.problems}$`, 'm'));
    expect(metrics).toMatch(
      new RegExp(`^repo_database_last_check_timestamp_seconds(\\{.*\\})? ${last?.endedAt}$`, 'm'),
    );
  });
});
