import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { SchemeConfig } from '../../src/config/schemes.ts';
import { DEFAULT_SERVER_CONFIG } from '../../src/config/server-config.ts';
import type { Services } from '../../src/repository/content/services.ts';
import { newKey } from '../../src/storage/key.ts';
import { createS3Storage } from '../../src/storage/s3/s3.ts';
import { type VerifyOptions, verify } from '../../src/upkeep/fixity/verify.ts';
import { listProblems, reportFixity } from '../../src/upkeep/fixity/verify-report.ts';
import { findGarbage, removeGarbage } from '../../src/upkeep/gc/gc.ts';
import { S3_KEYS, type S3Server, startS3Process } from '../support/s3-process.ts';
import { storeFiles } from '../support/stored-objects.ts';
import { createTestRepository, type TestRepository } from '../support/test-repository.ts';
import { nextSecond } from '../support/until.ts';

const BUCKET = 'verified';
const FILES = 12;

let server: S3Server;
let repository: TestRepository;
let services: Services;
let keys: string[];
beforeAll(async () => {
  server = await startS3Process(BUCKET);
  repository = await createTestRepository({ schemes: schemesIn(BUCKET) });
  services = repository.running.services;
  keys = (await storeFiles(repository, FILES)).map(({ key }) => key);
});
beforeEach(async () => {
  await services.database.write(["DELETE FROM run WHERE kind = 'fixity'", 'DELETE FROM fixity_check']);
});
afterAll(async () => {
  await repository.stop();
  await server.stop();
});

/** The usual schemes, the public one in a bucket. */
function schemesIn(bucket: string): SchemeConfig[] {
  const { endpoint } = server;
  const s3 = {
    ...{ endpoint, bucket, region: 'us-east-1', prefix: 'kept/', pathStyle: true },
    credentials: { from: 'configuration', keys: { ...S3_KEYS, sessionToken: undefined } } as const,
    ...{ encryption: undefined, storageClass: undefined },
  };
  const [{ name, storeIn } = { name: '', storeIn: undefined }, ...others] = DEFAULT_SERVER_CONFIG.schemes;
  return [{ name, storeIn, driver: 's3', delivery: 'stream', s3 }, ...others];
}

const check = (options: Partial<VerifyOptions> = {}) =>
  verify(services, { scope: { store: 'public' }, signal: new AbortController().signal, ...options });

async function outcomes(): Promise<string[]> {
  const found: string[] = [];
  for await (const { outcome, uri } of listProblems(services.database)) found.push(`${outcome} ${uri}`);
  return found;
}

describe('files in a bucket', () => {
  it('are verified, and missing and damaged ones are reported', async () => {
    expect(await check()).toMatchObject({ checked: FILES + 1, damaged: 0, missing: 0, unreadable: 0 });
    const [hurt, gone] = keys as [string, string];
    const [former, lost] = await Promise.all([hurt, gone].map((key) => server.client.file(`kept/${key}`).bytes()));
    await server.client.write(`kept/${hurt}`, 'other bytes');
    await server.client.delete(`kept/${gone}`);
    expect(await check()).toMatchObject({ checked: FILES + 1, damaged: 1, missing: 1, unreadable: 0 });
    expect(await outcomes()).toEqual(['damaged public://f0.txt', 'missing public://f1.txt']);
    await server.client.write(`kept/${hurt}`, former as Uint8Array);
    await server.client.write(`kept/${gone}`, lost as Uint8Array);
    expect(await check()).toMatchObject({ damaged: 0, missing: 0 });
  });

  it('are not reported as damaged while the server is down, and the check resumes afterwards', async () => {
    let killed: Promise<void> | undefined;
    // So slow that the server goes while files are read.
    const failing = check({
      bytesPerSecond: 1_000,
      onProgress({ checked }) {
        if (checked >= 4) killed ??= server.kill();
      },
    });
    await expect(failing).rejects.toMatchObject({ kind: 'unavailable' });
    await killed;
    expect(await outcomes()).toEqual([]);
    expect((await reportFixity(services.database)).open).toMatchObject([{ isUnderWay: false, damaged: 0, missing: 0 }]);
    await server.restart();
    expect(await check()).toMatchObject({ checked: FILES + 1, damaged: 0, missing: 0, unreadable: 0 });
  });

  it.each([
    ['the bucket is missing', 'nowhere', S3_KEYS.accessKeyId],
    ['the keys are wrong', BUCKET, 'another'],
  ])('are not reported as damaged if %s', async (_what, bucket, accessKeyId) => {
    const [scheme] = schemesIn(bucket);
    if (scheme?.driver !== 's3') throw new Error('the public scheme is not in a bucket');
    const keysToUse = { ...S3_KEYS, accessKeyId, sessionToken: undefined };
    const s3 = { ...scheme.s3, credentials: { from: 'configuration', keys: keysToUse } as const };
    const storage = await createS3Storage(s3, {
      stagingFolder: `${repository.dataFolder}/staging/wrong`,
      readEnv: () => undefined,
      warn: () => undefined,
    });
    const known = services.schemes.get('public');
    if (known === undefined) throw new Error('there is no public scheme');
    const wrong = { ...services, schemes: new Map([...services.schemes, ['public', { ...known, storage }]]) };
    const failing = verify(wrong, { scope: { store: 'public' }, signal: new AbortController().signal });
    await expect(failing).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await outcomes()).toEqual([]);
  });

  it('are kept when unused objects are removed, as are objects of others', async () => {
    const stray = newKey();
    await server.client.write(`kept/${stray}`, 'stray');
    await server.client.write(`kept/notes.txt`, 'mine');
    await server.client.write(`elsewhere/${stray}`, 'another one’s');
    const options = { olderThanSeconds: 0, unreferencedForSeconds: 86_400, signal: new AbortController().signal };
    // The server tells times in whole seconds.
    await nextSecond();
    const found = (await findGarbage(services, options)).stores.find(({ store }) => store === 'public');
    expect(found).toMatchObject({ all: { count: FILES + 2 }, unnamed: { count: 1, bytes: 5 } });
    await removeGarbage(services, options, false);
    const { contents = [] } = await server.client.list();
    const left = contents.map(({ key }) => key);
    expect(left).not.toContain(`kept/${stray}`);
    expect(left).toContain('kept/notes.txt');
    expect(left).toContain(`elsewhere/${stray}`);
    expect(await check()).toMatchObject({ checked: FILES + 1, missing: 0 });
  });
});
