import { startS3Server } from './s3-server.ts';

/** The S3 server of tests in a process of its own: says its endpoint on its output, and ends with its input. */
const server = await startS3Server();
console.log(server.endpoint);
for await (const _ of Bun.stdin.stream());
await server.close();
process.exit(0);
