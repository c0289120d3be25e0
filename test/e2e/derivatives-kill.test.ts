import { afterAll, describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readEnv } from '../../src/base/env.ts';
import { audit } from '../support/audit.ts';
import {
  countStates,
  examine,
  findSurroundings,
  findTwice,
  QUICK_COMMANDS,
  THREE_OF_EACH,
  Uploader,
} from '../support/derivative-load.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { failuresOf } from '../support/kill-load.ts';
import { pause } from '../support/pause.ts';
import { createRandom, type Random } from '../support/random.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { IS_FULL_SIZE, sized } from '../support/size.ts';
import { until } from '../support/until.ts';

const ROUNDS = Number(readEnv('REPO_KILL_ROUNDS') ?? sized(8, 50));
const CLIENTS = 4;
const MIN_LOAD_MS = 60;
const MAX_LOAD_MS = 600;
/** The number of rounds between two waits for all jobs and checks of everything. */
const SETTLE_EVERY = 10;
const SETTLE_S = 60;
/** The longest time for an upload of each client on a busy machine. */
const ANSWER_S = 60;

const seed = Number(readEnv('REPO_KILL_SEED') ?? Math.floor(Math.random() * 2 ** 31));
const folder = await emptyFolder();
const dataFolder = join(folder, 'data');
let latest: ServerProcess | undefined;
afterAll(async () => {
  await latest?.kill();
});

async function start(): Promise<ServerProcess> {
  const config = `data: ${dataFolder}\nprocessor: ${join(folder, 'processor.yaml')}\n`;
  await writeFile(join(folder, 'repository.yaml'), `${config}derivatives: { rules: ${join(folder, 'rules.yaml')} }\n`);
  await writeFile(join(folder, 'processor.yaml'), QUICK_COMMANDS);
  await writeFile(join(folder, 'rules.yaml'), THREE_OF_EACH);
  latest = await startServer({ config: join(folder, 'repository.yaml'), cwd: folder });
  return latest;
}

/** Waits until every job has ended and returns how many have. */
function settle(): Promise<Record<string, number>> {
  return until(
    () => {
      const { done = 0, ...others } = countStates(dataFolder);
      return Object.keys(others).length === 0 && { done };
    },
    { what: 'every job has ended', seconds: SETTLE_S, tell: () => countStates(dataFolder) },
  );
}

const answeredOf = (clients: readonly Uploader[]) => clients.reduce((sum, { answered }) => sum + answered, 0);

/** Resolves when it is time for the kill of a round: at any moment of a start, or while uploads are answered. */
async function loadFor(round: number, clients: readonly Uploader[], random: Random): Promise<void> {
  const pauseMs = MIN_LOAD_MS + random.below(MAX_LOAD_MS - MIN_LOAD_MS);
  const before = answeredOf(clients);
  // A busy machine answers nothing in the longest pause.
  if (round % 2 === 0) await until(() => answeredOf(clients) >= before + CLIENTS, { seconds: ANSWER_S });
  await pause(pauseMs);
}

describe('a repository with derivatives', () => {
  it(`has exactly one current derivative of each kind after ${ROUNDS} kills under load`, async () => {
    const random = createRandom(seed);
    console.log(`seed ${seed}: REPO_KILL_SEED=${seed} repeats the choices`);
    let server = await start();
    const surroundings = await findSurroundings(server.url);
    const clients = Array.from(
      { length: CLIENTS },
      () => new Uploader(createRandom(random.below(2 ** 31)), surroundings),
    );
    const counts = { killsThatHitJobs: 0, jobsHit: 0, takenOver: 0, halfFilesRemoved: 0 };
    const complaints: unknown[] = [];
    const finish = (ended: ServerProcess) => {
      for (const { released, removed } of ended.log) {
        counts.takenOver += Number(released ?? 0);
        counts.halfFilesRemoved += Number(removed ?? 0);
      }
      complaints.push(...ended.log.filter(({ level }) => level !== 'info'));
    };
    for (let round = 1; round <= ROUNDS; round++) {
      const works = failuresOf(clients.map((client) => client.work(server.url)));
      await Promise.race([loadFor(round, clients, random), works]);
      await server.kill();
      finish(server);
      expect([...(await works), ...complaints]).toEqual([]);
      const { running = 0 } = countStates(dataFolder);
      counts.jobsHit += running;
      counts.killsThatHitJobs += running > 0 ? 1 : 0;
      expect(findTwice(dataFolder)).toEqual([]);
      server = await start();
      if (round % SETTLE_EVERY !== 0 && round !== ROUNDS) continue;
      await settle();
      await server.stop();
      finish(server);
      expect(
        examine(
          dataFolder,
          clients.flatMap(({ originals }) => originals),
        ).faults,
      ).toEqual([]);
      expect(await audit(dataFolder, round === ROUNDS)).toEqual([]);
      server = await start();
    }
    await server.stop();
    finish(server);
    const originals = clients.flatMap((client) => client.originals).filter(({ may }) => may[0] !== undefined);
    const { media } = examine(dataFolder, originals);
    const answered = answeredOf(clients);
    const { done: jobs } = await settle();
    const found = { uploads: answered, originals: originals.length, derivatives: media - originals.length, jobs };
    console.log(`${ROUNDS} rounds: ${JSON.stringify({ ...found, ...counts })}`);
    expect(complaints).toEqual([]);
    expect(answered).toBeGreaterThan(ROUNDS);
    expect(counts.killsThatHitJobs).toBeGreaterThan(sized(0, ROUNDS / 2));
    expect(counts.takenOver).toBeGreaterThan(0);
    // A few kills may all miss the moment of a half written file.
    if (IS_FULL_SIZE) expect(counts.halfFilesRemoved).toBeGreaterThan(0);
  }, 300_000);
});
