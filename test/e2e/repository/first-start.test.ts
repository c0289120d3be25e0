import { describe, expect, it } from 'bun:test';
import { verifyPassword } from '../../../src/auth/password.ts';
import { createLog } from '../../../src/base/log.ts';
import { DEFAULT_SERVER_CONFIG } from '../../../src/config/server-config.ts';
import { removeContent } from '../../../src/repository/content/write/remove-content.ts';
import { ListenError } from '../../../src/server/listen.ts';
import { type OpenRepository, openRepository } from '../../../src/server/open-repository.ts';
import { startRepository } from '../../../src/server/repository.ts';
import { emptyFolder } from '../../support/empty-folder.ts';

const log = createLog({ level: 'fatal', format: 'json', destination: { write: () => undefined } });

function start(dataFolder: string, administratorPassword?: string, port = 0) {
  const config = { ...DEFAULT_SERVER_CONFIG, dataFolder };
  return startRepository({ config, host: '127.0.0.1', port, administratorPassword, log });
}

const open = (dataFolder: string) => openRepository({ ...DEFAULT_SERVER_CONFIG, dataFolder }, log);

async function hashOf(dataFolder: string): Promise<string> {
  const { api, close } = await open(dataFolder);
  const hash = (await api.findUser.byId(1))?.row.passwordHash;
  close();
  if (typeof hash !== 'string') throw new Error('the administrator has no password');
  return hash;
}

async function terms({ services }: OpenRepository): Promise<string[]> {
  const sql = "SELECT bundle || '/' || label FROM taxonomy_term ORDER BY 1";
  return (await services.database.client.execute(sql)).rows.map((row) => String(row[0]));
}

describe('the administrator', () => {
  it('gets a password that is shown once', async () => {
    const folder = await emptyFolder();
    const first = await start(folder);
    const { generatedPassword } = first;
    await first.stop(1);
    expect(generatedPassword).toMatch(/^\S{12,}$/);
    expect(await verifyPassword(generatedPassword as string, await hashOf(folder))).toBe(true);
    const second = await start(folder);
    await second.stop(1);
    expect(second.generatedPassword).toBeUndefined();
    expect(await verifyPassword(generatedPassword as string, await hashOf(folder))).toBe(true);
  });

  it('gets the password given at the first start, and keeps it', async () => {
    const folder = await emptyFolder();
    const first = await start(folder, 'chosen by me');
    await first.stop(1);
    expect(first.generatedPassword).toBeUndefined();
    await (await start(folder, 'another one')).stop(1);
    expect(await verifyPassword('chosen by me', await hashOf(folder))).toBe(true);
  });

  it('gets no password from a failed start, and one from the next', async () => {
    const folder = await emptyFolder();
    const taken = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
    const error = await start(folder, undefined, taken.port).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ListenError);
    await taken.stop(true);
    const second = await start(folder);
    await second.stop(1);
    expect(await verifyPassword(second.generatedPassword ?? '', await hashOf(folder))).toBe(true);
  });

  it('gets one valid password when two processes start at once', async () => {
    const folder = await emptyFolder();
    const running = await Promise.all([start(folder), start(folder)]);
    for (const each of running) await each.stop(1);
    const told = running.flatMap(({ generatedPassword }) => generatedPassword ?? []);
    expect(told).toHaveLength(1);
    expect(await verifyPassword(told[0] as string, await hashOf(folder))).toBe(true);
  });
});

describe('the terms of the model', () => {
  it('are created once, and not again after removal', async () => {
    const folder = await emptyFolder();
    const first = await open(folder);
    const all = await terms(first);
    expect(new Set(all).size).toBe(all.length);
    const read = async () => {
      const content = await first.api.findContent('taxonomy_term', 1);
      if (content === undefined) throw new Error('there is no term 1');
      return content;
    };
    await removeContent(first.services, read, () => undefined);
    const fewer = await terms(first);
    await first.close();
    expect(fewer.length).toBeLessThan(all.length);
    const second = await open(folder);
    expect(await terms(second)).toEqual(fewer);
    await second.close();
  });

  it('are completed by the next start after an interrupted one', async () => {
    const folder = await emptyFolder();
    const first = await open(folder);
    const all = await terms(first);
    await first.services.database.write([
      "DELETE FROM setting WHERE name LIKE 'seeded.%' AND name NOT LIKE '%.a%'",
      'DELETE FROM taxonomy_term_revision WHERE entity_id IN (SELECT id FROM taxonomy_term WHERE id > 40)',
      "DELETE FROM reference WHERE source_type = 'taxonomy_term' AND source_id > 40",
      'DELETE FROM term_uri WHERE term_id > 40',
      'DELETE FROM taxonomy_term WHERE id > 40',
    ]);
    const kept = await terms(first);
    expect(kept).toHaveLength(40);
    await first.close();
    const second = await open(folder);
    expect(await terms(second)).toEqual(all);
    await second.close();
  });

  it('are created once by processes that start together', async () => {
    const [alone, together] = [await emptyFolder(), await emptyFolder()];
    const one = await open(alone);
    const three = await Promise.all([open(together), open(together), open(together)]);
    expect(await terms(three[0] as OpenRepository)).toEqual(await terms(one));
    for (const each of [one, ...three]) each.close();
  });
});
