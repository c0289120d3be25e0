import S3rver from 's3rver';
import { startS3Server } from './s3-server.ts';

/**
 * An S3 server in a process of its own: `s3-child.ts FOLDER PORT BUCKET`, and `bare` for s3rver without the corrections
 * of `s3-server.ts`. Prints `ready`, and ends with its input.
 */
const [folder = '', port = '0', bucket = '', kind] = process.argv.slice(2);
if (kind === 'bare') {
  const configureBuckets = [{ name: bucket }];
  await new S3rver({
    port: Number(port),
    address: '127.0.0.1',
    silent: true,
    directory: folder,
    configureBuckets,
  }).run();
} else await startS3Server({ port: Number(port), folder, bucket });
console.log('ready');
for await (const _ of Bun.stdin.stream());
process.exit(0);
