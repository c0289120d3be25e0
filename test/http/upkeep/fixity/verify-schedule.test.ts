import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import { type BackgroundTasks, createBackgroundTasks } from '../../../../src/base/background-tasks.ts';
import { ServiceError } from '../../../../src/base/errors.ts';
import { createLog } from '../../../../src/base/log.ts';
import type { Services } from '../../../../src/repository/content/services.ts';
import { keepWorking } from '../../../../src/runs/keep-working.ts';
import { reportFixity } from '../../../../src/upkeep/fixity/verify-report.ts';
import { createVerifyRuns } from '../../../../src/upkeep/fixity/verify-runs.ts';
import { changePlan, createScheduledChecks, findPlan } from '../../../../src/upkeep/fixity/verify-schedule.ts';
import { damage, type StoredObject, storeFiles } from '../../../support/stored-objects.ts';
import type { LogLine } from '../../../support/test-processor.ts';
import { createTestRepository, type TestRepository } from '../../../support/test-repository.ts';
import { until } from '../../../support/until.ts';

const DAY_S = 86_400;
const PLAN = { everySeconds: 30 * DAY_S, bytesPerSecond: 20_000_000 };
const SCOPE = { isScheduled: true };

let repository: TestRepository;
let services: Services;
let objects: StoredObject[];
let started: BackgroundTasks[] = [];
/** The number of times that the schedules looked for something to do. */
let looks = 0;
let lines: LogLine[] = [];
beforeAll(async () => {
  repository = await createTestRepository();
  services = repository.running.services;
  objects = await storeFiles(repository, 3);
});
afterEach(async () => {
  await Promise.all(started.map((schedule) => schedule.stop()));
  started = [];
  lines = [];
  await changePlan(services.database, undefined);
  await services.database.write(["DELETE FROM run WHERE kind = 'fixity'", 'DELETE FROM fixity_check']);
});
afterAll(() => repository.stop());

/** A process that looks every ten milliseconds. */
function start(of = services): BackgroundTasks {
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const refresh = () => {
    looks += 1;
    of.database.refresh();
  };
  const database = { ...of.database, refresh };
  const log = createLog({ level: 'info', format: 'json', destination });
  const checks = createScheduledChecks({ ...of, database }, log, 10);
  const schedule = createBackgroundTasks((message) => log.error(message));
  schedule.start('the check of stored files', (signal) => keepWorking(checks, log, signal));
  started.push(schedule);
  return schedule;
}

/** Waits until the schedules have looked a few times. */
async function looksAgain(): Promise<void> {
  const seen = looks;
  await until(() => looks > seen + 3);
}

const findRun = async () => {
  services.database.refresh();
  return createVerifyRuns(services.database).findLatest(SCOPE);
};
const hasEnded = async () => (await findRun())?.endedAt !== undefined;
const messages = () => lines.map(({ level, msg }) => [level, msg]);

describe('the schedule of checks', () => {
  it('does nothing without a plan', async () => {
    start();
    await looksAgain();
    expect({ run: await findRun(), lines }).toEqual({ run: undefined, lines: [] });
  });

  it('checks everything once, and logs begin and end', async () => {
    await changePlan(services.database, PLAN);
    start();
    await until(hasEnded);
    await until(async () => lines.length === 2);
    expect(messages()).toEqual([
      ['info', 'a check of the stored files has begun'],
      ['info', 'a check of the stored files has come to its end'],
    ]);
    expect(await reportFixity(services.database)).toMatchObject({ neverChecked: 0, plan: PLAN });
    await looksAgain();
    expect((await reportFixity(services.database)).last?.id).toBe((await findRun())?.id ?? 0);
    expect(lines).toHaveLength(2);
  });

  it('starts again after the period', async () => {
    await changePlan(services.database, PLAN);
    start();
    await until(hasEnded);
    const first = (await findRun())?.id;
    await services.database.write([`UPDATE run SET created_at = created_at - ${30 * DAY_S} WHERE kind = 'fixity'`]);
    await until(async () => (await hasEnded()) && (await findRun())?.id !== first);
  });

  it('logs damage as an error, with the file, once', async () => {
    const [hurt] = objects as [StoredObject];
    await damage(hurt);
    try {
      await changePlan(services.database, PLAN);
      start();
      await until(async () => lines.length === 3);
      const errors = lines.filter(({ level }) => level === 'error');
      expect(errors).toMatchObject([
        { file: hurt.id, uri: hurt.uri, outcome: 'damaged', msg: 'a stored file is damaged' },
        { damaged: 1, msg: 'a check of the stored files has come to its end' },
      ]);
    } finally {
      await damage(hurt);
    }
  });

  it('spreads the reads over the period', async () => {
    await changePlan(services.database, PLAN);
    const { id } = await createVerifyRuns(services.database).take(SCOPE, false);
    // As after half of the period, of which nearly two thirds should be done by then.
    const half = `json_set(progress, '$.total', 1000, '$.checked', 700), created_at = unixepoch() - ${15 * DAY_S}`;
    await services.database.write([`UPDATE run SET lease = NULL, progress = ${half} WHERE id = ${id}`]);
    start();
    await looksAgain();
    expect(await findRun()).toMatchObject({ id, checked: 700 });
    await services.database.write([`UPDATE run SET progress = json_set(progress, '$.checked', 600) WHERE id = ${id}`]);
    await until(hasEnded);
    expect((await findRun())?.checked).toBeGreaterThan(600);
  });

  it('runs in one process at a time, and can move to another', async () => {
    await changePlan(services.database, { ...PLAN, bytesPerSecond: 100 });
    const first = start();
    await until(async () => (await findRun()) !== undefined);
    await until(() => lines.length === 1);
    start();
    await looksAgain();
    expect(messages()).toEqual([['info', 'a check of the stored files has begun']]);
    await changePlan(services.database, PLAN);
    await first.stop();
    await until(hasEnded);
  });

  it('stops immediately with the server', async () => {
    await changePlan(services.database, { ...PLAN, bytesPerSecond: 1 });
    const schedule = start();
    await until(async () => (await findRun()) !== undefined);
    await schedule.stop();
    expect((await reportFixity(services.database)).open).toMatchObject([{ checked: 0, isUnderWay: false }]);
  });

  it('reports an unavailable store once', async () => {
    const scheme = services.schemes.get('public');
    if (scheme === undefined) throw new Error('there is no public scheme');
    const read = async () => {
      throw new ServiceError('unavailable', 'The file store does not answer.');
    };
    const changed = { ...scheme, storage: { ...scheme.storage, read } };
    await changePlan(services.database, PLAN);
    start({ ...services, schemes: new Map([...services.schemes, ['public', changed]]) });
    await until(async () => lines.length === 2);
    await looksAgain();
    expect(messages().at(-1)).toEqual(['warn', 'the stored files cannot be checked at present']);
    expect(lines).toHaveLength(2);
  });

  it('can be removed, together with an unfinished check', async () => {
    await changePlan(services.database, PLAN);
    await createVerifyRuns(services.database).take(SCOPE, false);
    await changePlan(services.database, undefined);
    expect({ plan: await findPlan(services.database), run: await findRun() }).toEqual({
      plan: undefined,
      run: undefined,
    });
  });

  it('reports how to correct an invalid plan', async () => {
    await services.database.write(["INSERT INTO setting VALUES ('storage.verify', 'x')"]);
    try {
      await expect(findPlan(services.database)).rejects.toMatchObject({
        kind: 'misconfigured',
        publicMessage: expect.stringContaining('repo storage verify --schedule'),
      });
    } finally {
      await services.database.write(["DELETE FROM setting WHERE name = 'storage.verify'"]);
    }
  });
});
