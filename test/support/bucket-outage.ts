import { madeBytes } from '../contract/made-bytes.ts';
import { countRows, createMedia, putToNode } from './binaries.ts';
import { startS3Server } from './s3-server.ts';
import { createS3Repository, fileIn, holdingsOf, keysInRows, notesOf } from './s3-site.ts';
import type { LogLine } from './test-processor.ts';
import type { TestRepository } from './test-repository.ts';
import { until } from './until.ts';

const MIB = 1024 * 1024;
const zip = { type: 'file', contentType: 'application/zip' };

/** An answer, as far as tests look at it. */
export interface OutageAnswer {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | null;
}

export interface OutageAnswers {
  readonly answers: Readonly<Record<string, OutageAnswer>>;
  /** The bytes of an interrupted download, and whether it claimed to be whole. */
  readonly download: { readonly bytes: number; readonly isWhole: boolean };
  /** Files and media that came of the uploads. */
  readonly made: number;
  /** The objects without a row once the bucket is back, and the deletions left to the start of another process. */
  readonly left: readonly string[];
  readonly noted: readonly string[];
  readonly log: readonly LogLine[];
}

/** Returns the answers to clients while a bucket is unreachable for a minute. */
export async function answersDuringOutage(): Promise<OutageAnswers> {
  const server = await startS3Server();
  const repository = await createS3Repository(server.config);
  const [one, two] = [await repository.node(), await repository.node()];
  const media = await createMedia(repository, {
    node: await repository.node(),
    ...zip,
    uri: 's3://there.zip',
    body: madeBytes(30 * MIB),
  });
  const { path } = fileIn(media, 'field_media_file');
  const before = await stockOf(repository);
  const download = await begin(await repository.get(path, 'admin'));
  const isUploading = Promise.withResolvers<void>();
  const isAway = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (sent === 20) {
          await until(() => server.requests.some(({ query, status }) => query.has('partNumber') && status === 200));
          isUploading.resolve();
          await isAway.promise;
        }
        if (sent++ === 40) controller.close();
        else controller.enqueue(madeBytes(MIB));
      },
    },
    { highWaterMark: 0 },
  );
  let sent = 0;
  const upload = putToNode(repository, { node: one, ...zip, uri: 's3://half.zip', body: body as never });
  await isUploading.promise;
  await server.goDown();
  isAway.resolve();
  const [middle, put, get, head, rest] = await Promise.all([
    upload.then(told),
    putToNode(repository, { node: two, ...zip, uri: 's3://new.zip', body: madeBytes(100) }).then(told),
    repository.get(path, 'admin').then(told),
    repository.fetch(path, { method: 'HEAD', as: 'admin' }).then(told),
    download(),
  ]);
  const made = (await stockOf(repository)) - before;
  await server.comeUp();
  const left = (await holdingsOf(server.config)).filter(notIn(await keysInRows(repository)));
  const [noted, { log }] = [await notesOf(repository), repository];
  await repository.stop();
  await server.close();
  return { answers: { middle, put, get, head }, download: rest, made, left, noted, log };
}

/** The answer to a PUT over a bucket that says "later" to everything. */
export async function askOfServerThatSaysLater(): Promise<{
  told: OutageAnswer;
  made: number;
  left: readonly string[];
}> {
  const server = await startS3Server();
  const repository = await createS3Repository(server.config);
  const node = await repository.node();
  const before = await stockOf(repository);
  server.fault = () => ({ kind: 'answer', status: 503, code: 'SlowDown' });
  const response = await putToNode(repository, { node, ...zip, uri: 's3://a.zip', body: madeBytes(9 * MIB) });
  const [answer, made] = [await told(response), (await stockOf(repository)) - before];
  server.fault = undefined;
  const left = await holdingsOf(server.config);
  await repository.stop();
  await server.close();
  return { told: answer, made, left };
}

async function told(response: Response): Promise<OutageAnswer> {
  return { status: response.status, text: await response.text(), retryAfter: response.headers.get('retry-after') };
}

async function stockOf(repository: TestRepository): Promise<number> {
  return (await countRows(repository, 'file')) + (await countRows(repository, 'media'));
}

const notIn = (keys: readonly string[]) => (key: string) => !keys.includes(key);

/** Reads the first bytes of an answer; what it answers reads the rest. */
async function begin(response: Response): Promise<() => Promise<OutageAnswers['download']>> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let bytes = (await reader.read()).value?.byteLength ?? 0;
  return async () => {
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read()) bytes += part.value.byteLength;
      return { bytes, isWhole: true };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return { bytes, isWhole: false };
    }
  };
}
