import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { call, readAll } from '../../support/processor-call.ts';
import { jobFailure } from '../../support/rejection.ts';
import { createTestProcessor, type TestProcessor } from '../../support/test-processor.ts';

const COMMANDS = `
allowedMimeTypes: ["text/plain", "image/*"]
cmdByMimeType:
  text/plain: { cmd: sh, args: ["-c", 'cat; echo " $1"', "-", "%args"], allowInsecureArgs: true }
  image/png: { cmd: sh, args: ["-c", "exit 3"] }
  image/gif: { cmd: sh, args: ["-c", "head -c 3000000 /dev/zero; sleep 0.1; exit 3"] }
`;

let processor: TestProcessor;
let sources: Bun.Server<undefined>;

beforeAll(async () => {
  processor = await createTestProcessor(COMMANDS);
  sources = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) => {
      const type = new URL(url).searchParams.get('type');
      return type === null
        ? new Response('Gone.', { status: 404 })
        : new Response('source', { headers: { 'Content-Type': type } });
    },
  });
});

afterAll(async () => {
  await processor.stop();
  await sources.stop(true);
});

const make = (query: string, args = '') =>
  call(processor.url, { sourceUrl: `${sources.url.href}1${query}`, mimeType: 'text/plain', args }).then(readAll);

describe('the processor', () => {
  it('creates the requested derivative, and logs the name of the event', async () => {
    expect(await make('?type=text/plain', 'Größe')).toBe('source Größe\n');
    expect(await processor.lastRequest(200)).toMatchObject({ msgId: 'urn:uuid:1' });
  });

  it('reports a failed command', async () => {
    const failure = await jobFailure(make('?type=image/png'));
    expect(failure).toMatchObject({ kind: 'passing', status: 500, isOfAddress: false });
    expect(failure.stderrLine).toBe('The command failed.');
  });

  it('cuts off the output of a command that fails late', async () => {
    const failure = await jobFailure(make('?type=image/gif'));
    expect(failure).toMatchObject({ kind: 'passing', isOfAddress: false });
    expect(failure.message).toContain('was truncated after');
  });

  it('reports an unavailable source', async () => {
    expect(await jobFailure(make(''))).toMatchObject({ kind: 'passing', status: 424, isOfAddress: false });
  });

  it('reports an unsupported type', async () => {
    expect(await jobFailure(make('?type=audio/mpeg'))).toMatchObject({ kind: 'permanent', status: 400 });
  });
});
