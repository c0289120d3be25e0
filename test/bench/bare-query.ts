import { createClient } from '@libsql/client';

/** The baseline for a remote database: `bare-query.ts URL NODE` answers each request with one query. Prints its port. */
const [url = '', id = ''] = process.argv.slice(2);
const client = createClient({ url });
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch() {
    const { rows } = await client.execute({ sql: 'SELECT document FROM node WHERE id = ?', args: [Number(id)] });
    return new Response(String(rows[0]?.[0]), { headers: { 'Content-Type': 'application/json' } });
  },
});
console.log(server.port);
