import { rm } from 'node:fs/promises';
import { emptyFolder } from './empty-folder.ts';

/** A page in a real Chromium, seen from outside: what is asked of it is no script of the page. */
export interface ChromiumPage {
  /** Opens an address and waits until it has loaded. `authorization` goes with every request. */
  open(address: string, authorization: string): Promise<void>;
  /** The value of an expression, or what its promise resolves to. Throws what it throws. */
  evaluate(expression: string): Promise<unknown>;
  close(): Promise<void>;
}

interface Answer {
  readonly id?: number;
  readonly method?: string;
  readonly result?: { result?: { value?: unknown }; exceptionDetails?: unknown };
  readonly error?: { message: string };
}

const OPTIONS = ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', '--window-size=1000,900'];

/** Starts Chromium with an empty page. Throws if it does not come up. */
export async function startChromium(): Promise<ChromiumPage> {
  const profile = await emptyFolder();
  const command = ['chromium', ...OPTIONS, `--user-data-dir=${profile}`, '--remote-debugging-port=0', 'about:blank'];
  const child = Bun.spawn(command, { stdout: 'ignore', stderr: 'pipe' });
  const port = await portIn(child.stderr);
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as {
    type: string;
    webSocketDebuggerUrl: string;
  }[];
  const socket = new WebSocket(String(targets.find(({ type }) => type === 'page')?.webSocketDebuggerUrl));
  const waiting = new Map<number | string, (answer: Answer) => void>();
  const answerTo = (key: number | string) => new Promise<Answer>((resolve) => waiting.set(key, resolve));
  socket.onmessage = ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer;
    waiting.get(answer.id ?? String(answer.method))?.(answer);
  };
  await new Promise((resolve) => {
    socket.onopen = resolve;
  });
  let calls = 0;
  async function call(method: string, params: object = {}): Promise<NonNullable<Answer['result']>> {
    calls += 1;
    const answer = answerTo(calls);
    socket.send(JSON.stringify({ id: calls, method, params }));
    const { result, error } = await answer;
    if (error !== undefined || result?.exceptionDetails !== undefined)
      throw new Error(`${method}: ${error?.message ?? JSON.stringify(result?.exceptionDetails)}`);
    return result ?? {};
  }
  await call('Page.enable');
  await call('Network.enable');
  return {
    async open(url, authorization) {
      await call('Network.setExtraHTTPHeaders', { headers: { Authorization: authorization } });
      const loaded = answerTo('Page.loadEventFired');
      await call('Page.navigate', { url });
      await loaded;
    },
    async evaluate(expression) {
      const params = { expression, awaitPromise: true, returnByValue: true };
      return (await call('Runtime.evaluate', params)).result?.value;
    },
    async close() {
      socket.close();
      child.kill();
      await child.exited;
      await rm(profile, { recursive: true, force: true });
    },
  };
}

async function portIn(stderr: ReadableStream<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of stderr) {
    text += Buffer.from(chunk).toString();
    const port = /DevTools listening on ws:\/\/[^:]+:(\d+)/.exec(text)?.[1];
    if (port !== undefined) return port;
  }
  throw new Error(`Chromium did not start: ${text}`);
}
