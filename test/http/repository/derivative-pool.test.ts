import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { auditServices } from '../../support/audit.ts';
import { createMedia, pngHead, settledFiles } from '../../support/binaries.ts';
import {
  contentOf,
  type DerivativeSite,
  hurry,
  jobsOf,
  mediaByUse,
  settled,
  startDerivativeSite,
} from '../../support/derivative-site.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { USE } from '../../support/site-builder.ts';
import { type StubProcessor, startStubProcessor } from '../../support/stub-processor.ts';
import type { EntityJson, TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

const SERVICE_OF_SERVICE = 'from_itself';
const INTERMEDIATE = 'http://pcdm.org/use#IntermediateFile';
/** Rules that would never end if a derivative triggered itself. JSON is YAML too. */
const action = (from: string, to: string) => ({
  label: 'An image of an image',
  source_term: from,
  derivative_term: to,
  source_mimetypes: ['image/*'],
  mimetype: 'image/jpeg',
  destination_media_type: 'image',
  path: '[node:nid]-[term:name].jpg',
});
const HOSTILE = {
  actions: {
    [SERVICE_OF_SERVICE]: action(USE.service, USE.service),
    there: action(USE.thumbnail, INTERMEDIATE),
    and_back: action(INTERMEDIATE, USE.thumbnail),
  },
  contexts: {
    all: {
      label: 'All',
      conditions: [{ condition: 'media_has_mimetype', mimetypes: '*' }],
      actions: [SERVICE_OF_SERVICE, 'there', 'and_back'],
    },
  },
};

describe('two processors of which one is down', () => {
  let site: DerivativeSite;
  let repository: TestRepository;
  let stub: StubProcessor;
  let other: StubProcessor;
  beforeAll(async () => {
    other = await startStubProcessor();
    site = await startDerivativeSite({ second: other.url, maxConcurrent: 4 });
    ({ repository, stub } = site);
  });
  afterAll(async () => {
    await settledFiles(repository);
    expect(await auditServices(repository.running.services, true)).toEqual([]);
    await site.stop();
    await other.down();
  });

  const upload = async (count: number) => {
    const sound = await repository.termId('http://purl.org/coar/resource_type/c_18cc');
    for (let index = 0; index < count; index++) {
      const node = await repository.node({ field_model: [{ target_id: sound }] });
      await createMedia(repository, { node, type: 'file', uri: 'public://pool/a.txt', body: `text ${index}` });
    }
  };
  /** Makes jobs of the stopped processor available at once. */
  const allDone = () =>
    until(
      async () => {
        await hurry(repository);
        return (await jobsOf(repository)).every(({ state }) => state === 'done');
      },
      { what: 'all jobs are done' },
    );
  const circuitLines = () =>
    repository.log.filter(({ processor, job }) => processor !== undefined && job === undefined);

  it('share the work while both are up', async () => {
    await upload(8);
    await allDone();
    expect(stub.calls.length + other.calls.length).toBe(8);
    expect(stub.calls.length).toBeGreaterThan(0);
    expect(other.calls.length).toBeGreaterThan(0);
    expect(circuitLines()).toEqual([]);
  });

  it('have all of it done by the one that is up, and say so once', async () => {
    await other.down();
    other.calls.length = 0;
    await upload(30);
    await allDone();
    expect(other.calls).toEqual([]);
    expect(await jobsOf(repository)).toHaveLength(38);
    for (const { attempts } of await jobsOf(repository)) expect(attempts).toBe(1);
    const lines = circuitLines();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ level: 'warn', processor: new URL(other.url).origin });
    expect(String(lines[0]?.msg)).toMatch(/cannot be reached \(\w+\)\. The next attempt is in 5 s\.$/);
    expect(repository.failures()).toEqual([]);
  });

  it('are both used again once the other is back', async () => {
    await other.up();
    // Its rest of five seconds has to end first.
    await until(
      async () => {
        await upload(4);
        await allDone();
        return other.calls.length > 0;
      },
      { what: 'the other is used' },
    );
    const lines = circuitLines();
    expect(lines.map(({ level }) => level)).toEqual(['warn', 'info']);
    expect(String(lines[1]?.msg)).toMatch(/answers again$/);
    expect([...stub.problems, ...other.problems, ...stub.overlaps, ...other.overlaps]).toEqual([]);
  }, 15_000);
});

describe('rules that go round in a circle', () => {
  let folder: string;
  let site: DerivativeSite;
  let repository: TestRepository;
  beforeAll(async () => {
    folder = await emptyFolder();
    await writeFile(join(folder, 'rules.yaml'), JSON.stringify(HOSTILE));
    site = await startDerivativeSite({ rulesFile: join(folder, 'rules.yaml') });
    ({ repository } = site);
  });
  afterEach(() => {
    expect(site.stub.problems).toEqual([]);
    expect(repository.failures()).toEqual([]);
    site.stub.calls.length = 0;
  });
  afterAll(async () => {
    await site.stop();
  });

  const put = async (use: string): Promise<EntityJson> => {
    const node = await repository.node();
    await createMedia(repository, {
      node,
      use,
      uri: 'public://circle/a.jpg',
      body: pngHead(1, 1),
      contentType: 'image/jpeg',
    });
    await settled(repository, node);
    return node;
  };

  it('make no service file from a service file', async () => {
    const node = await put(USE.service);
    expect(await jobsOf(repository, node)).toEqual([]);
    expect(await mediaByUse(repository, node)).toHaveProperty('size', 1);
  });

  it('make no service file of one that was made of an original either', async () => {
    const node = await put(USE.original);
    const actions = (await jobsOf(repository, node)).map(({ action }) => action);
    expect(actions).toHaveLength(new Set(actions).size);
    expect(actions).not.toContain(SERVICE_OF_SERVICE);
  });

  it('end where they began', async () => {
    const node = await put(USE.thumbnail);
    const jobs = await jobsOf(repository, node);
    expect(jobs.map(({ action, state, chain }) => [action, state, chain])).toEqual([
      ['there', 'done', '[]'],
      ['and_back', 'done', '["there"]'],
    ]);
    expect(site.stub.calls).toHaveLength(2);
    const media = await mediaByUse(repository, node);
    expect([...media.keys()].sort()).toEqual([INTERMEDIATE, USE.thumbnail].sort());
    const text = await contentOf(repository, media.get(USE.thumbnail) as EntityJson);
    expect(text.match(/image\/jpeg -/g)).toHaveLength(2);
  });
});
