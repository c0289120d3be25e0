import { afterAll, describe, expect, it } from 'bun:test';
import { createProcessorWithin } from '../../support/test-processor.ts';

/** Writes the file to standard error, and then does what `how` says. */
const saying = (how: string) => `{ cmd: sh, args: [-c, "cat >&2; ${how}"] }`;
const { post, processor, stop } = await createProcessorWithin(`
allowedMimeTypes: ["*"]
cmdByMimeType:
  x/fails: ${saying('exit 3')}
  x/fails-late: ${saying('echo begun; sleep 0.4; echo at last >&2; exit 3')}
  x/works: ${saying('echo done')}
  x/works-long: ${saying('head -c 4000000 /dev/zero; echo at last >&2')}
  default: { cmd: cat }
`);
afterAll(stop);

describe('a caller of the processor in the same program', () => {
  it.each([
    ['the last line', 'one\ntwo\n', 'two'],
    ['the last line that is not blank, trimmed', 'one\n  two\t \n\n \n', 'two'],
    ['a line without an end', 'one', 'one'],
    ['no more than 500 characters', `${'é'.repeat(400)}${'😀'.repeat(200)}`, `${'é'.repeat(400)}${'😀'.repeat(100)}`],
    ['nothing where there are only blanks', ' \n\n', undefined],
  ])('receives the standard error of a command: %s', async (_, written, line) => {
    for (const [type, status] of [
      ['x/fails', 500],
      ['x/works', 200],
    ] as const) {
      const { response, stderrLine } = await post(type, written);
      expect({ status: response.status, body: await response.text() }).toEqual({
        status,
        body: status === 200 ? 'done\n' : 'The command failed.\n',
      });
      expect(stderrLine()).toBe(line);
    }
  });

  it('receives it at the end of the body of a long response', async () => {
    const { response, stderrLine } = await post('x/works-long', 'before\n');
    expect((await response.arrayBuffer()).byteLength).toBe(4_000_000);
    expect(stderrLine()).toBe('at last');
  });

  it('receives it after the body of a response fails', async () => {
    const { response, stderrLine } = await post('x/fails-late', 'before\n');
    expect(response.status).toBe(200);
    const read = response.text().then(
      () => 'whole',
      () => 'cut',
    );
    expect(await read).toBe('cut');
    expect(stderrLine()).toBe('at last');
  });

  it('receives nothing if no command ran or its standard error is empty', async () => {
    expect((await post('nonsense', 'x')).stderrLine()).toBeUndefined();
    expect((await post('text/plain', 'x')).stderrLine()).toBeUndefined();
  });
});

it('a processor does not send standard error to clients of its port', async () => {
  const { href } = processor.listen({ host: '127.0.0.1', port: 0 });
  for (const type of ['x/fails', 'x/works', 'x/fails-late']) {
    const headers = { 'Content-Type': type };
    const response = await fetch(href, { method: 'POST', body: 'the secret', headers, keepalive: false });
    const seen = JSON.stringify([...response.headers]) + (await response.text().catch(String));
    expect(seen).not.toMatch(/secret|at last/);
  }
});
