import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createHash } from 'node:crypto';
import { permissionOf } from '../../../../src/model/permissions.ts';
import type { Actor } from '../../../../src/repository/actor.ts';
import { checkTable } from '../../../../src/transfer/table/check-table.ts';
import { createPlanner } from '../../../../src/transfer/table/create-planner.ts';
import { USUAL_TABLE_OPTIONS } from '../../../../src/transfer/table/table-options.ts';
import { createTableSite, type TableSite } from '../../../support/table-site.ts';
import { createTestRepository, type TestRepository } from '../../../support/test-repository.ts';

const MODEL = 'http://purl.org/coar/resource_type/c_c513';

let repository: TestRepository;
let site: TableSite;

beforeAll(async () => {
  repository = await createTestRepository();
  site = await createTableSite(repository);
}, 30_000);

afterAll(async () => {
  await site.remove();
  await repository.stop();
});

const rows = (columns: string, ...lines: string[]) =>
  `id,title,field_model${columns && `,${columns}`}\n${lines.map((line) => line.replace(',', `,t,${MODEL},`)).join('\n')}\n`;

describe('the columns of a table', () => {
  const refused: [header: string, problem: string][] = [
    ['field_desciption', 'Did you mean field_description?'],
    ['Description', 'This is a label. Write the name of the field: field_description.'],
    ['field_description\u200b', 'Its name has the invisible character U+200B'],
    ['node_id', 'This column is for tables that change nodes: add --update, or remove it to create nodes.'],
    ['status', 'The name of this column is published.'],
    ['zzzzzzzzzzzzzz', 'Unknown column: it is no field of islandora_object.'],
    ['__proto__', 'Unknown column'],
    ['constructor', 'Unknown column'],
    ['toString', 'Unknown column'],
    ['hasOwnProperty', 'Unknown column'],
  ];
  for (const [column, problem] of refused)
    it(`include no unknown name: ${column}`, async () => {
      const found = await site.problems(`id,title,field_model,${column}\n1,t,${MODEL},x\n`);
      expect(found).toHaveLength(1);
      expect(found[0]).toStartWith(`table ${column}: `);
      expect(found[0]).toContain(problem);
    });

  it('are reported as missing if each row needs them', async () => {
    expect(await site.problems('name\nx\n')).toEqual([
      'table name: Unknown column: it is no field of islandora_object. For files, add --additional-files name=TERM.',
      expect.stringMatching(/^table id: The table lacks this column\. It names each row: /),
      'table title: The table lacks this column.',
      'table field_model: The field "Model" is required, but the table lacks its column.',
    ]);
  });

  it('are reported by a planner, too', async () => {
    const found = await createPlanner(site.context, ['id', 'titel'], USUAL_TABLE_OPTIONS);
    expect(found).toBeArray();
  });

  it('may set base fields', async () => {
    const [plan] = await site.plans(
      rows(
        'published,promote,sticky,created,uid,langcode,url_alias',
        '1,0,1,true,2020-11-15T23:49:22+00:00,ADMIN,und,/a/b',
      ),
    );
    expect([...(plan?.values ?? [])].map(([name, items]) => [name, items[0]?.item])).toEqual([
      ['title', { value: 't' }],
      ['field_model', { target_id: await repository.termId(MODEL) }],
      ['status', { value: false }],
      ['promote', { value: true }],
      ['sticky', { value: true }],
      ['created', { value: '2020-11-15T23:49:22+00:00', format: 'Y-m-d\\TH:i:sP' }],
      ['uid', { target_id: 1 }],
      ['langcode', { value: 'und' }],
      ['path', { alias: '/a/b' }],
    ]);
  });

  it('are rejected if the user may not set them', async () => {
    await repository.user('clerk');
    const clerk = await site.as('clerk');
    const may = (permission: string) =>
      permission === 'access content' || permission === 'create islandora_object content';
    const file = await site.write(rows('published,url_alias', '1,0,/x', '2,1,/y'));
    const { problems } = await checkTable({ ...clerk, actor: { ...clerk.actor, may } }, file, USUAL_TABLE_OPTIONS);
    expect(problems.map(({ row, column }) => [row, column])).toEqual([
      [undefined, 'published'],
      [undefined, 'url_alias'],
    ]);
    const none = await checkTable({ ...clerk, actor: { ...clerk.actor, may: () => false } }, file, USUAL_TABLE_OPTIONS);
    expect(none.problems.map(({ message }) => message)).toContain(
      'The user clerk may not create content of the type islandora_object.',
    );
  });

  it('contain no text in a format that the user may not use', async () => {
    const { actor } = site.context;
    const fullHtml = permissionOf('use text format NAME', 'full_html');
    const may: Actor['may'] = (permission) => permission !== fullHtml && actor.may(permission);
    const file = await site.write(rows('field_abstract', '1,<p>x</p>'));
    const options = { ...USUAL_TABLE_OPTIONS, textFormat: 'full_html' };
    const { problems } = await checkTable({ ...site.context, actor: { ...actor, may } }, file, options);
    expect(problems.map(({ column, message }) => [column, message])).toEqual([
      ['field_abstract', '"full_html": The user may not use this text format.'],
    ]);
  });

  it('may contain the content type of a row', async () => {
    const [page] = await site.plans(`id,title,content_type,field_model\n1,t,page,\n2,u,,${MODEL}\n`);
    expect(page?.bundle.name).toBe('page');
    expect(await site.problems(`id,title,content_type,field_model\n1,t,pag,\n2,u,page,${MODEL}\n3,v,,\n`)).toEqual([
      '1 content_type: Unknown content type "pag". Did you mean page?',
      '2 field_model: Content of the type page has no such field.',
      '3 field_model: A value is required ("Model").',
    ]);
  });

  it('are checked only with valid options', async () => {
    const table = 'id,title,body\n1,t,<p>x</p>\n2,u,<p>y</p>\n';
    const [articel, ...others] = await site.problems(table, { contentType: 'articel' });
    expect({ articel, others }).toEqual({ articel: expect.stringContaining('Did you mean article?'), others: [] });
    const [format, ...more] = await site.problems(table, { contentType: 'article', textFormat: 'html' });
    expect({ format, more }).toEqual({ format: expect.stringContaining('Unknown text format "html"'), more: [] });
  });
});

describe('rows with references to each other', () => {
  it('may be in any order', async () => {
    const check = await site.check(rows('parent_id', 'a,book', 'b,book', 'book,shelf', 'shelf,'));
    expect(check.problems).toEqual([]);
    expect([...check.parents].sort()).toEqual(['book', 'shelf']);
  });

  it('are rejected with a missing parent, or with two parents', async () => {
    const node = await repository.node();
    expect(await site.problems(rows('parent_id,field_member_of', 'a,nowhere,', `b,a,${node.nid[0].value}`))).toEqual([
      '1 parent_id: No row has the id "nowhere". Write the id of an existing node in field_member_of.',
      '2 parent_id: The row has both parent_id and field_member_of. Remove one of them.',
    ]);
  });

  it('are rejected in a cycle, once each', async () => {
    expect(await site.problems(rows('parent_id', 'x,a', 'a,b', 'b,c', 'c,a', 'self,self', 'fine,'))).toEqual([
      '2 parent_id: Rows are members of each other in a cycle: "a" (row 2) in "b" (row 3) in "c" (row 4) in "a".',
      '5 parent_id: The row is its own parent.',
    ]);
  });

  it('are rejected with an id or alias of another', async () => {
    await repository.node({ path: [{ alias: '/taken' }] });
    const found = await site.problems(rows('url_alias', '1,/one', '1,/one', '2,/taken', '3,no-slash'));
    expect(found).toHaveLength(4);
    expect(found.slice(0, 2)).toEqual([
      '2 id: Row 1 already has the id "1".',
      '2 url_alias: Row 1 already has the alias "/one".',
    ]);
    expect(found[2]).toMatch(/^3 url_alias: \/node\/\d+ already has the alias "\/taken"\.$/);
    expect(found[3]).toContain('4 url_alias: "no-slash": The alias path has to start with a slash.');
  });
});

describe('the check of a table', () => {
  it('counts rows and hashes the file', async () => {
    const text = `\ufeff${rows('', '1,', '2,')}`.replaceAll('\n', '\r\n').replaceAll(`${MODEL},`, MODEL);
    const progress: number[] = [];
    const check = await site.check(text, {}, { onProgress: ({ rows: count }) => progress.push(count) });
    expect(check).toMatchObject({ rows: 2, problemCount: 0, header: ['id', 'title', 'field_model'] });
    expect(check.sha256).toBe(createHash('sha256').update(text).digest('hex'));
    expect(progress.at(-1)).toBe(2);
  });

  it('finds all problems and keeps the first thousand', async () => {
    const check = await site.check(rows('field_weight', ...Array.from({ length: 1_500 }, (_, at) => `${at},x`)));
    expect(check.problemCount).toBe(1_500);
    expect(check.problems).toHaveLength(1_000);
    expect(check.problems[999]).toMatchObject({ row: 1_000, line: 1_001, column: 'field_weight' });
  });

  it('reports rows with too few cells, and continues with the next rows', async () => {
    expect(await site.problems(`id,title,field_model\n1,t\n2,t,\n`)).toEqual([
      '1 -: The number of cells (2) differs from the number of columns (3).',
      '2 field_model: A value is required ("Model").',
    ]);
  });

  it('reports a file that is not a table, and a table without rows', async () => {
    expect(await site.problems('')).toEqual([
      'table -: The table is empty. Its first row must hold the names of columns.',
    ]);
    expect(await site.problems('id,title,field_model\n')).toEqual(['table -: The table has a header and no rows.']);
    const broken = await site.check(`id,title,field_model\n1,t,x\n2,"t\n`);
    expect(broken.problems.map(({ row, line }) => [row, line])).toContainEqual([2, 3]);
    expect(broken.sha256).toBe('');
  });

  it('accepts cells of a megabyte', async () => {
    const [plan] = await site.plans(`id,title,field_model,field_description\n1,t,${MODEL},${'x'.repeat(1 << 20)}\n`);
    expect(plan?.values.get('field_description')?.[0]?.item.value).toHaveLength(1 << 20);
  });

  it('ends when it is aborted', async () => {
    const reason = new Error('enough');
    const file = await site.write(rows('', '1,'));
    const check = checkTable(site.context, file, USUAL_TABLE_OPTIONS, { signal: AbortSignal.abort(reason) });
    await expect(check).rejects.toBe(reason);
  });
});

describe('the fingerprint of a row', () => {
  const fingerprint = async (text: string) => (await site.plans(text, { files: site.folder }))[0]?.fingerprint;

  it('is the same for the same cells in any order', async () => {
    const first = await fingerprint(`id,title,field_model,field_weight\n1,t,${MODEL},3\n`);
    expect(await fingerprint(`title,field_weight,id,field_model\nt,3,1,${MODEL}\n`)).toBe(first);
    expect(await fingerprint(`id,title,field_model,field_weight,field_note,file\n1,t,${MODEL},3,,\n`)).toBe(first);
    expect(await fingerprint(`id,title,field_model,field_weight\n1,t,${MODEL},4\n`)).not.toBe(first);
    expect(await fingerprint(`id,title,field_model,field_weight\n1,T,${MODEL},3\n`)).not.toBe(first);
  });
});

describe('a table without problems', () => {
  it('can be imported', async () => {
    const [plan] = await site.plans(rows('published,url_alias,field_edtf_date_issued', '1,1,/written,1999-12'));
    const values = Object.fromEntries(
      [...(plan?.values ?? [])].map(([name, items]) => [name, items.map(({ item }) => item)]),
    );
    const body = { ...values, type: [{ target_id: plan?.bundle.name }] };
    const response = await repository.post('/node?_format=json', body, 'admin');
    expect(response.status).toBe(201);
  });
});
