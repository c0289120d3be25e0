import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { identifier } from '../../support/oai.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

/** A harvester that others wrote: HTTP::OAI of CPAN (Debian: libhttp-oai-perl), which follows resumption tokens itself. */
const HARVESTER = String.raw`
use strict; use warnings; use HTTP::OAI;
binmode STDOUT, ':utf8';
my ($url, $verb, %arguments) = @ARGV;
my $harvester = HTTP::OAI::Harvester->new(baseURL => $url);
# With a callback it passes on each part, and otherwise only the last one.
my @items;
$arguments{onRecord} = sub { push @items, shift } if $verb eq 'ListRecords' or $verb eq 'ListIdentifiers';
my $response = $harvester->$verb(%arguments);
die $response->code . ' ' . $response->message if $response->is_error;
if ($verb eq 'Identify') { print join("\n", $response->repositoryName, $response->granularity, $response->deletedRecord), "\n"; exit }
while (my $item = $response->next) { push @items, $item }
for my $item (@items) {
  if ($verb eq 'ListSets') { print $item->setSpec, ' ', $item->setName, "\n"; next }
  if ($verb eq 'ListMetadataFormats') { print $item->metadataPrefix, "\n"; next }
  print $item->identifier, ' ', ($item->is_deleted ? 'deleted' : 'present'), "\n";
}
`;

const NODES = 130;
let repository: TestRepository;
let collection: number;
const present: number[] = [];
const deleted: number[] = [];

beforeAll(async () => {
  repository = await createTestRepository({ siteName: 'Häfen', oai: { adminEmail: undefined, pageSize: 20 } });
  const build = new SiteBuilder(repository);
  collection = await build.node('collection', 'Fotos & Pläne');
  present.push(collection);
  for (let number = 0; number < NODES; number++) {
    const node = await build.node('image', `Blatt ${number} <Ⅳ>`, { field_member_of: [collection] });
    if (number % 13 !== 0) present.push(node);
    else {
      deleted.push(node);
      await repository.delete(`/node/${node}?_format=json`, 'admin');
    }
  }
});
afterAll(() => repository.stop());

async function client(...args: string[]): Promise<string[]> {
  const child = Bun.spawn(['perl', '-e', HARVESTER, `${repository.url}/oai/request`, ...args], { stderr: 'pipe' });
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(errors);
  return output.split('\n').filter((line) => line !== '');
}

describe('HTTP::OAI::Harvester', () => {
  it('reads the description, the formats and the sets', async () => {
    expect(await client('Identify')).toEqual(['Häfen', 'YYYY-MM-DDThh:mm:ssZ', 'persistent']);
    expect(await client('ListMetadataFormats')).toEqual(['oai_dc', 'mods', 'datacite']);
    expect(await client('ListSets')).toEqual([`node:${collection} Fotos & Pläne`]);
  });

  it('harvests all records and headers to the end', async () => {
    const all = [
      ...present.map((nid) => `${identifier(nid)} present`),
      ...deleted.map((nid) => `${identifier(nid)} deleted`),
    ];
    for (const verb of ['ListRecords', 'ListIdentifiers'])
      expect((await client(verb, 'metadataPrefix', 'oai_dc')).sort()).toEqual(all.sort());
  });

  it('harvests a set', async () => {
    const found = await client('ListRecords', 'metadataPrefix', 'mods', 'set', `node:${collection}`);
    expect(found).toHaveLength(NODES);
  });

  it('gets one record', async () => {
    const nid = present.at(-1) ?? 0;
    const found = await client('GetRecord', 'metadataPrefix', 'datacite', 'identifier', identifier(nid));
    expect(found).toEqual([`${identifier(nid)} present`]);
  });

  it('reports errors', async () => {
    await expect(client('ListRecords', 'metadataPrefix', 'marc21')).rejects.toThrow('cannotDisseminateFormat');
  });
});
