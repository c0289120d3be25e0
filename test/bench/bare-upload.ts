/** The baseline for an upload to S3: `bare-upload.ts ENDPOINT BUCKET KEY FILE` with Bun's own writer. Prints bytes per second. */
const [endpoint = '', bucket = '', key = '', path = ''] = process.argv.slice(2);
const keys = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
const writer = new Bun.S3Client({ endpoint, bucket, ...keys }).file(key).writer();
const startedAt = performance.now();
let bytes = 0;
for await (const chunk of Bun.file(path).stream()) {
  bytes += chunk.byteLength;
  await writer.write(chunk);
}
await writer.end();
console.log(bytes / ((performance.now() - startedAt) / 1000));

export {};
