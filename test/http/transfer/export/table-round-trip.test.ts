import { afterAll, beforeAll, expect, it } from 'bun:test';
import { exportedTable, importExported } from '../../../support/export-site.ts';
import { createTableSite, type TableSite } from '../../../support/table-site.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../../support/test-repository.ts';

const USE = 'http://pcdm.org/use#';

let from: TestRepository;
let to: TestRepository;
let sites: TableSite[];
beforeAll(async () => {
  [from, to] = await Promise.all([createTestRepository(), createTestRepository()]);
  sites = await Promise.all([from, to].map(createTableSite));
}, 30_000);
afterAll(async () => {
  await Promise.all(sites.map((site) => site.remove()));
  await Promise.all([from, to].map((each) => each.stop()));
});

/** Returns a node without ids and times, which differ between repositories. */
async function portrait(repository: TestRepository, id: number) {
  const json = async (path: string) => (await repository.get(`${path}?_format=json`, 'admin')).json();
  const node = (await json(`/node/${id}`)) as EntityJson;
  const media = (await json(`/node/${id}/media`)) as EntityJson[];
  const named = async (items: EntityJson[]) =>
    Promise.all(
      items.map(async ({ target_id, target_uuid: _uuid, url: _url, pid: _pid, ...rest }) => {
        if (rest.target_type !== 'taxonomy_term' && rest.target_type !== 'node') return rest;
        const target = (await json(
          rest.target_type === 'node' ? `/node/${target_id}` : `/taxonomy/term/${target_id}`,
        )) as EntityJson;
        return { ...rest, label: (target.name ?? target.title)[0].value, in: target.vid[0].target_id ?? 'node' };
      }),
    );
  const fields = Object.keys(node).filter((name) => name.startsWith('field_'));
  const base = ['title', 'status', 'promote', 'sticky', 'created', 'langcode', 'path'];
  const values = await Promise.all([...fields, ...base].map(async (name) => [name, await named(node[name])] as const));
  const files = media.map(async (each) => {
    const [source] = each.field_media_file ?? each.field_media_image ?? each.field_media_document;
    const use = await named(each.field_media_use);
    const bytes = await (await repository.fetch(new URL(source.url).pathname, { as: 'admin' })).text();
    return { bundle: each.bundle[0].target_id, name: each.name[0].value, use, bytes, alt: source.alt };
  });
  return { ...Object.fromEntries(values), files: await Promise.all(files) };
}

it('a table export and import restores values, terms, parents and files', async () => {
  const jane = await from.build.term('person', 'Doe, Jane: 1900-1950');
  const topic = await from.build.term('subject', '1984');
  const access = await from.build.term('islandora_access', 'Staff only');
  const hint = await from.build.term('islandora_display', 'Page by page');
  const collection = await from.node({ title: [{ value: 'Collection' }] });
  const node = await from.node({
    title: [{ value: 'Zoë’s "map", 1|2' }],
    status: [{ value: false }],
    sticky: [{ value: true }],
    created: [{ value: '2001-02-03T04:05:06+00:00' }],
    path: [{ alias: '/maps/one' }],
    field_member_of: [{ target_id: collection.nid[0].value }],
    field_linked_agent: [
      { target_id: jane, rel_type: 'relators:pht' },
      { target_id: jane, rel_type: 'relators:aut' },
    ],
    field_access_terms: [{ target_id: access }],
    field_alternative_title: [{ value: 'Chart, one' }],
    field_display_hints: [{ target_id: hint }],
    field_subject: [{ target_id: topic }],
    field_subject_general: [{ target_id: topic }, { target_id: jane }],
    field_note: [{ value: '<p>One</p>\n<p>Two & three</p>', format: 'basic_html' }],
    field_description: [{ value: 'Plain\r\ntext, "quoted"' }],
    field_edtf_date_issued: [{ value: '2001-05~' }, { value: '1999/..' }],
    field_coordinates: [{ lat: 49.16667, lng: -123.93333 }],
    field_weight: [{ value: 3 }],
    field_identifier: [{ value: '=1+1' }, { value: '0012' }],
  });
  const id = node.nid[0].value;
  const put = (type: string, use: string, uri: string, bytes: string) =>
    from.build.upload(id, { media: type, use: `${USE}${use}`, uri, mimeType: 'application/octet-stream', bytes });
  await put('file', 'OriginalFile', 'public://maps/one.tif', 'the original bytes');
  await put('document', 'IntermediateFile', 'public://maps/one.pdf', 'a document');

  const exported = await exportedTable(sites[0]?.context as never);
  expect(exported.summary).toMatchObject({ nodes: 2, files: 2, problems: 0, isWritten: true });
  await importExported(sites[1]?.context as never, exported, {
    textFormat: 'basic_html',
    createTerms: ['person', 'islandora_access', 'islandora_display'],
  });

  const { rows } = await to.running.services.database.client.execute('SELECT id FROM node ORDER BY id');
  const found = await Promise.all(rows.map((row) => portrait(to, Number(row[0]))));
  const made = await Promise.all([collection.nid[0].value, id].map((each) => portrait(from, each)));
  expect(found).toEqual(made);
  const again = await exportedTable(sites[1]?.context as never);
  const titles = (rowsOf: typeof exported.rows) => Object.values(rowsOf).map(({ title }) => title);
  expect(titles(again.rows)).toEqual(titles(exported.rows));
});
