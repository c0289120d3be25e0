import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { freePort } from '../support/free-port.ts';
import type { BareServer } from './repository-load.ts';

/**
 * Starts nginx on one worker with the settings of Debian, as a baseline for files: `files` are the bytes of each path. It
 * logs each request, as ours does. Connections never end by their number of requests. Creates `folder`.
 */
export async function nginxServer(folder: string, files: ReadonlyMap<string, Uint8Array>): Promise<BareServer> {
  const root = join(folder, 'root');
  for (const [path, bytes] of files) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await Bun.write(join(root, path), bytes);
  }
  const port = await freePort();
  const config = join(folder, 'nginx.conf');
  await Bun.write(config, configOf({ folder, root, port }));
  const child = Bun.spawn(['nginx', '-p', folder, '-c', config, '-g', 'daemon off;'], { stderr: 'inherit' });
  while (child.exitCode === null && !(await answers(port))) await Bun.sleep(20);
  if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`);
  return { port, stop: () => child.kill() };
}

/** Its worker reads the folder, which belongs to the user of the measurement. */
function configOf({ folder, root, port }: { folder: string; root: string; port: number }): string {
  return `
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 768; }
http {
  sendfile on;
  tcp_nopush on;
  types { image/png png; }
  default_type text/html;
  access_log ${folder}/access.log;
  keepalive_requests 1000000000;
  server { listen 127.0.0.1:${port}; root ${root}; }
}
`;
}

async function answers(port: number): Promise<boolean> {
  try {
    await fetch(`http://127.0.0.1:${port}/`);
    return true;
  } catch {
    return false;
  }
}
