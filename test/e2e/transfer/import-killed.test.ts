import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { audit } from '../../support/audit.ts';
import { createImportPlace, type ImportPlace, openAndClose, writeImages } from '../../support/import-command.ts';
import { sized } from '../../support/size.ts';

const NODES = sized(2_500, 10_000);
const KILLS = sized(2, 20);

let place: ImportPlace;
let table: string;

beforeAll(async () => {
  place = await createImportPlace();
  await openAndClose(place.data);
  const images = await writeImages(place.files, NODES);
  const rows = images.map((name, at) => {
    // A member of a row above, or below, or of none.
    const parent = at % 10 === 3 ? `r${at - 3}` : at % 10 === 5 ? `r${at + 4}` : '';
    return `r${at},${parent},Object ${at},Image,Subject ${at % 70},${name}`;
  });
  table = await place.table('nodes.csv', ['id,parent_id,title,field_model,field_subject,file', ...rows]);
}, 60_000);

afterAll(() => place.remove());

const LOADED = "SELECT count(*) FROM import_item WHERE part = ''";
const MEDIA = "SELECT count(*) FROM import_item WHERE part <> ''";

describe(`an import of ${NODES} images`, () => {
  it(`resumes after ${KILLS} kills and Ctrl-C, and creates each node, media and file once`, async () => {
    for (let kill = 1; kill <= KILLS; kill++) {
      const wanted = ((NODES * 0.7) / KILLS) * (kill - Math.random());
      const killed = place.start(table);
      await killed.until(MEDIA, wanted);
      killed.kill('SIGKILL');
      await killed.outcome;
      expect(place.count(MEDIA)).toBeLessThan(NODES);
    }
    const stopped = place.start(table);
    await stopped.until(MEDIA, NODES * 0.8);
    stopped.kill('SIGINT');
    const { code, out, err } = await stopped.outcome;
    expect(code).toBe(1);
    expect(out).toMatch(/^Imported [\d,]+ nodes and [\d,]+ files of /);
    expect(err).toMatch(/^[\d,]+ rows are left\. Run the same command to resume\.$/m);
    const last = await place.run(table);
    expect(last).toMatchObject({ code: 0 });
    expect(last.out).toContain(` ${NODES.toLocaleString('en')} rows are loaded in total.`);

    expect(place.count(LOADED)).toBe(NODES);
    expect(place.count(MEDIA)).toBe(NODES);
    expect(place.count('SELECT count(*) FROM node')).toBe(NODES);
    expect(place.count('SELECT count(DISTINCT label) FROM node')).toBe(NODES);
    expect(place.count('SELECT count(*) FROM media')).toBe(NODES);
    expect(place.count("SELECT count(DISTINCT uri) FROM file WHERE uri LIKE '%image-%'")).toBe(NODES);
    expect(place.count("SELECT count(*) FROM file WHERE uri LIKE '%image-%'")).toBe(NODES);
    expect(place.count("SELECT count(*) FROM taxonomy_term WHERE folded_label LIKE 'subject %'")).toBe(70);
    expect(place.count("SELECT count(*) FROM reference WHERE field = 'field_member_of'")).toBe(NODES / 5);
    const result = (await Bun.file(table.replace('.csv', '.result.csv')).text()).trim().split('\n');
    expect(result).toHaveLength(NODES + 1);
    expect(
      result.slice(1).filter((line) => !/^\d+,r\d+,loaded,\d+,[0-9a-f-]{36},\/node\/\d+,file:\d+$/.test(line)),
    ).toEqual([]);

    const ids = result.slice(1).map((line) => Number(line.split(',')[3]));
    expect(ids).toEqual([...ids].sort((a, b) => a - b));

    expect((await place.run(table)).out).toMatch(/^nodes\.csv was imported on /);
    expect(place.count('SELECT count(*) FROM node')).toBe(NODES);
    // A start removes what the killed ones had staged.
    await openAndClose(place.data);
    expect(await audit(place.data, true)).toEqual([]);
  }, 600_000);
});
