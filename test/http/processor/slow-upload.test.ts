import { afterEach, describe, expect, it } from 'bun:test';
import { checkLeftovers, isRunning } from '../../support/leftovers.ts';
import { speak } from '../../support/raw-http.ts';
import { createTestProcessor } from '../../support/test-processor.ts';
import { until } from '../../support/until.ts';

const MARKER = 'slow-upload-87654';
const processor = await createTestProcessor(`
allowedMimeTypes: ["*"]
minUploadRate: 1000
minUploadPeriod: 0.3
cmdByMimeType:
  x/begins: { cmd: sh, args: [-c, "head -c 3000000 /dev/zero; cat > /dev/null; : ${MARKER}"] }
  x/reads-late: { cmd: sh, args: [-c, "sleep 0.8; cat; : ${MARKER}"] }
  default: { cmd: sh, args: [-c, "wc -c; : ${MARKER}"] }
`);
checkLeftovers(() => processor.post('x/y', 'warm up'), processor.stop);
afterEach(() => until(() => !isRunning(MARKER)));

const head = (type: string) =>
  `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: 1000000\r\n\r\n`;
/** A byte now and then. */
const drip = (count: number) => Array.from({ length: count }, () => ['x', 50] as const).flat();

describe('a body that arrives too slowly', () => {
  it('returns 408 with the reason, and ends the command and the connection', async () => {
    const { text, closed } = await speak(processor.port, [head('x/y'), ...drip(16)]);
    expect(text).toStartWith('HTTP/1.1 408 ');
    expect(text).toEndWith(
      'The body of the request came too slowly: fewer than 1000 bytes a second over 0.3 seconds.\n',
    );
    expect(closed).toBe(true);
    expect(await processor.lastRequest()).toMatchObject({ status: 408, failure: { kind: 'too-slow' } });
  });

  it('closes the connection if the response has begun', async () => {
    const { text, closed } = await speak(processor.port, [head('x/begins'), ...drip(16)]);
    expect(text).toStartWith('HTTP/1.1 200 ');
    expect(text).not.toEndWith('\r\n0\r\n\r\n');
    expect(closed).toBe(true);
    expect(await processor.lastRequest()).toMatchObject({ failure: { kind: 'too-slow' } });
  });
});

it('a slow command is not treated as a slow sender', async () => {
  const body = 'x'.repeat(5_000_000);
  expect(await (await processor.post('x/reads-late', body)).text()).toBe(body);
});
