import { resolve } from 'node:path';
import { createFixtures, type Fixtures } from './fixtures.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const CONFIG = resolve(import.meta.dir, '../../config/processor.yaml');

/** The derivative to create, in terms of the request headers. */
export interface DerivativeRequest {
  from: string;
  to: string;
  args?: string;
}

/** The compiled program with the configuration that comes with it, and files to send through it. */
export interface DerivativeService {
  processor: ServerProcess;
  fixtures: Fixtures;
  post(file: string | Uint8Array<ArrayBuffer>, wanted: DerivativeRequest): Promise<Response>;
  /** Posts, expects 200 and the wanted type and returns the bytes. */
  make(file: string | Uint8Array<ArrayBuffer>, wanted: DerivativeRequest): Promise<Uint8Array<ArrayBuffer>>;
  stop(): Promise<void>;
}

/** Starts it, with more environment if it is given. A `file` given by name is a fixture. */
export async function startDerivativeService(more: Record<string, string> = {}): Promise<DerivativeService> {
  const env = { PATH: process.env.PATH ?? '', ...more };
  const [processor, fixtures] = await Promise.all([
    startServer({ mode: 'processor', config: CONFIG, env }),
    createFixtures(),
  ]);
  const post: DerivativeService['post'] = async (file, { from, to, args }) =>
    fetch(processor.url, {
      method: 'POST',
      headers: { 'Content-Type': from, Accept: to, ...(args !== undefined && { 'X-Repo-Args': args }) },
      body: typeof file === 'string' ? await fixtures.read(file) : file,
    });
  return {
    processor,
    fixtures,
    post,
    async make(file, wanted) {
      const response = await post(file, wanted);
      const type = response.headers.get('Content-Type');
      if (response.status !== 200 || type !== wanted.to) {
        const stderr = processor.log.at(-1)?.stderr;
        throw new Error(`${response.status} ${type}: ${await response.text()} (${stderr})`);
      }
      return new Uint8Array(await response.arrayBuffer());
    },
    async stop() {
      await processor.stop();
      await fixtures.remove();
    },
  };
}
