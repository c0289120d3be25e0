import { describe, expect, it } from 'bun:test';
import { DEFAULT_SERVER_CONFIG } from '../../../src/config/server-config.ts';
import { createImportPlace, writeImages } from '../../support/import-command.ts';
import { startServer } from '../../support/server-process.ts';
import { startSqld } from '../../support/sqld.ts';
import type { EntityJson } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

const NODES = 300;

describe('an import into a database on a server', () => {
  it('resumes after Ctrl-C, and creates everything once', async () => {
    const sqld = await startSqld();
    const place = await createImportPlace({ REPO_DATABASE_URL: sqld.url });
    try {
      const overrides = { database: { ...DEFAULT_SERVER_CONFIG.database, url: sqld.url } };
      const server = await startServer({ data: place.data, settings: overrides });
      try {
        const images = await writeImages(place.files, NODES);
        const rows = images.map((name, at) => `${at},Far away ${at},Image,Subject ${at % 20},${name}`);
        const table = await place.table('nodes.csv', ['id,title,field_model,field_subject,file', ...rows]);
        const firstNode = async () => (await server.fetch('/node/1?_format=json')).status;
        const stopped = place.start(table);
        await until(async () => (await firstNode()) === 200);
        stopped.kill('SIGINT');
        expect((await stopped.outcome).code).toBe(1);
        expect(await place.run(table)).toMatchObject({ code: 0 });
        expect((await place.run(table)).out).toContain('was imported on');

        const result = await Bun.file(table.replace('.csv', '.result.csv')).text();
        const lines = result.trim().split('\n').slice(1);
        expect(lines.every((line) => /^\d+,\d+,loaded,\d+,.*,file:\d+$/.test(line))).toBe(true);
        expect(new Set(lines.map((line) => line.split(',')[3])).size).toBe(NODES);
        const ids = lines.map((line) => Number(line.split(',')[3]));
        expect(ids).toEqual([...ids].sort((a, b) => a - b));
        const last = await server.fetch(`/node/${Math.max(...ids)}?_format=json`);
        expect(((await last.json()) as EntityJson).title[0].value).toMatch(/^Far away \d+$/);
        expect((await server.fetch(`/node/${Math.max(...ids) + 1}?_format=json`)).status).toBe(404);
        const terms = await server.fetch('/vocabulary/subject?_format=json');
        const names = ((await terms.json()) as EntityJson[]).map((term) => term.name[0].value);
        expect(names.filter((name) => name.startsWith('Subject ')).sort()).toHaveLength(20);
      } finally {
        await server.stop();
      }
    } finally {
      await place.remove();
      await sqld.stop();
    }
  }, 90_000);
});
