import S3rver from 's3rver';

/** An S3 server in a process of its own: `s3-child.ts FOLDER PORT BUCKET`. Says `ready` on its output, and ends with its input. */
const [directory = '', port = '0', bucket = ''] = process.argv.slice(2);
const server = new S3rver({
  port: Number(port),
  address: '127.0.0.1',
  silent: true,
  directory,
  configureBuckets: [{ name: bucket, configs: [] }],
});
await server.run();
console.log('ready');
for await (const _ of Bun.stdin.stream());
process.exit(0);
