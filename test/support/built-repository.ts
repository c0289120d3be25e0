import { EXECUTABLE } from './executable.ts';
import { asAdministrator, type RepositoryProcess, type StartingProcess } from './repository-process.ts';
import { ADMIN_PASSWORD } from './test-repository.ts';

interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly removed?: number;
  readonly status?: number;
}

/** Starts the repository of the compiled program on a data folder, as an operator would. */
export function startBuiltRepository(dataFolder: string): StartingProcess {
  const command = [EXECUTABLE, 'serve', '--mode', 'repository', '--data', dataFolder, '--host', '127.0.0.1'];
  const child = Bun.spawn([...command, '--port', '0', '--log-format', 'json'], {
    env: { PATH: process.env.PATH ?? '', REPO_ADMIN_PASSWORD: ADMIN_PASSWORD },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const complaints: string[] = [];
  let removed = 0;
  const ready = Promise.withResolvers<string>();
  // Who kills it before it is ready asks for nothing more.
  ready.promise.catch(() => {});
  const look = (text: string) => {
    // The one line for people is the first: how to go on.
    if (!text.startsWith('{')) return;
    const line = JSON.parse(text) as LogLine;
    removed += line.removed ?? 0;
    const isRefusal = line.status !== undefined && line.status < 500;
    if (line.level !== 'info' && !isRefusal) complaints.push(text);
    const address = line.msg.match(/^ready at (http:\S+)$/)?.[1];
    if (address) ready.resolve(address);
  };
  const reading = Promise.all([
    eachLine(child.stdout, look),
    eachLine(child.stderr, (line) => complaints.push(line)),
  ]).then(() => ready.reject(new Error(`the repository did not start: ${complaints.join('\n')}`)));
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await child.exited;
    await reading;
  };
  const open = async (): Promise<RepositoryProcess> => {
    const url = await ready.promise;
    return {
      url,
      pid: child.pid,
      removed,
      complaints,
      fetch: asAdministrator(url),
      kill: () => end('SIGKILL'),
      stop: () => end('SIGTERM'),
    };
  };
  return { ready: open(), kill: () => end('SIGKILL') };
}

/** Calls for each whole line; what a killed process has written of its last one is none. */
async function eachLine(stream: ReadableStream<Uint8Array>, call: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) if (line !== '') call(line);
  }
}
