import { rm } from 'node:fs/promises';
import { emptyFolder } from './empty-folder.ts';
import { freePort } from './free-port.ts';
import { killAtExit } from './kill-at-exit.ts';

/** The keys of s3rver. */
export const S3_KEYS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

/** An S3 server in a process of its own. */
export interface S3Server {
  readonly endpoint: string;
  readonly port: number;
  readonly client: Bun.S3Client;
  /** Removes every object. */
  empty(): Promise<void>;
  /** SIGKILL; what it has stays. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data. */
  restart(): Promise<void>;
  /** Ends it, and removes what it has. */
  stop(): Promise<void>;
}

/** Starts a server with one bucket; `bare`: s3rver as it is, which is quicker and less of an S3 server. */
export async function startS3Process(bucket: string, kind?: 'bare'): Promise<S3Server> {
  const folder = await emptyFolder();
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const client = new Bun.S3Client({ endpoint, bucket, region: 'us-east-1', ...S3_KEYS });
  const start = async () => {
    const command = [process.execPath, `${import.meta.dir}/s3-child.ts`, folder, String(port), bucket, kind ?? ''];
    const child = Bun.spawn(command, { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' });
    killAtExit(child);
    const { value } = await child.stdout.getReader().read();
    if (value === undefined) throw new Error('the S3 server did not start');
    return child;
  };
  let child = await start();
  const kill = async () => {
    child.kill('SIGKILL');
    await child.exited;
  };
  return {
    endpoint,
    port,
    client,
    async empty() {
      for (;;) {
        const { contents = [] } = await client.list();
        if (contents.length === 0) return;
        for (const { key } of contents) await client.delete(key);
      }
    },
    kill,
    async restart() {
      await kill();
      child = await start();
    },
    async stop() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
