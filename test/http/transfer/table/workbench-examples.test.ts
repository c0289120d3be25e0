import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TableOptions } from '../../../../src/transfer/table/table-options.ts';
import { createTableSite, type TableSite } from '../../../support/table-site.ts';
import { createTestRepository, type TestRepository } from '../../../support/test-repository.ts';

// Tables of input_data and tests/assets of Islandora Workbench (https://github.com/mjordan/islandora_workbench, MIT, copyright (c) 2022
// Islandora Foundation and contributors), the longer ones without their last rows.
const FILES = [
  ...['IMG_1410.tif', 'IMG_2549.jp2', 'IMG_2940.JPG', 'foo.jpg', 'noo.jpg', 'bar.jpg', 'p1.jpg'],
  ...['metropolis_maria_robot.png', 'metropolis_maria_robot_preservation.png', 'transcript.txt'],
];
const LOADED: readonly (readonly [name: string, table: string, options?: Partial<TableOptions>])[] = [
  [
    'input_data/metadata.csv',
    `file,id,title,field_model,field_description,published
IMG_1410.tif,01,Small boats in Havana Harbour,Image,Taken on vacation in Cuba.,
IMG_2549.jp2,02,Manhatten Island,Image,"Taken from the ferry from downtown New York to Highlands, NJ. Weather was windy.",
IMG_2940.JPG,03,Looking across Burrard Inlet,Image,View from Deep Cove to Burnaby Mountain.,1
`,
  ],
  [
    'create_test',
    `file,title,id,field_model,field_description
,Small boats in Havana Harbour,01,Image,Taken on vacation in Cuba.
,Amsterdam waterfront,04,Image,Amsterdam waterfront on an overcast day.
`,
  ],
  [
    'commented_csvs_test',
    `file,id,title,field_model,field_description
IMG_1410.tif,01,Small boats in Havana Harbour,Image,Taken on vacation in Cuba.
# IMG_Image49.jp2,02,Manhatten Island,Image,"Taken from the ferry from downtown New York to Highlands, NJ. Weather was windy."
`,
  ],
  [
    'csv_row_filters_test',
    `file,id,title,field_model,field_edtf_date
,issue_812_001,Issue 812 item 1,Image,2020-01-01
foo.jpg,issue_812_002,Issue 812 item 2,Image,
noo.jpg,issue_812_003,Issue 812 item 3,Binary,1999-01-01|2000
,issue_812_004,Issue 812 item 4,Digital document,2000|2001
bar.jpg,issue_812_005,Issue 812 item 5,Digital document,2012-12-12|2001
,issue_812_006,Issue 812 item 6,Compound object,
`,
  ],
  ['non_latin_text_test', 'id,field_model,title\n1,Image,一九二四年六月十二日\n2,Image,"सरकारी दस्तावेज़"\n'],
  ['update_test/create.csv', 'id,file,title,field_model\nid_1,,Update test node,https://schema.org/DigitalDocument\n'],
  [
    'parents_precede_children_test',
    `file,id,title,field_model,parent_id,field_description,field_weight,field_member_of
p1.jpg,p1,Parent 1,Image,,I am parent 1,,
,c1p1,Child 1 of parent 1,Image,p1,I am parent 1’s first child,1,
`,
  ],
  [
    'taxonomies_test, whose terms its configuration lets it create',
    `file,id,title,field_model,field_genre
,01,Taxo test 1,Image,XNewspapers
,02,Taxo test 2,Image,XPostcards
`,
  ],
  [
    'typed_relation_test, whose terms its configuration lets it create',
    'file,id,title,field_linked_agent,field_model\n,02,Captains Log,"relators:aut:person:Kirk, James T.",Image\n',
    { createTerms: ['person'] },
  ],
  [
    'additional_files_test, with the columns of files of its configuration',
    `file,id,title,field_model,field_abstract,preservation,transcript
metropolis_maria_robot.png,1,Maria,http://purl.org/coar/resource_type/c_c513,Test to exclude fields from export.,metropolis_maria_robot_preservation.png,transcript.txt
`,
    {
      additionalFiles: new Map([
        ['preservation', 'Preservation Master File'],
        ['transcript', 'Transcript'],
      ]),
    },
  ],
];

const REFUSED: readonly (readonly [name: string, table: string, problems: readonly string[]])[] = [
  [
    'additional_files_test, without its configuration',
    'file,id,title,field_model,preservation\n,1,Maria,Image,metropolis_maria_robot_preservation.png\n',
    [
      'table preservation: Unknown column: it is no field of islandora_object. For files, add --additional-files preservation=TERM.',
    ],
  ],
  [
    'create_paged_content_test, whose configuration names the column of ids',
    `field_local_identifier,parent_id,field_weight,file,title,field_model,field_member_of
001,,,,Postcard 1,Compound Object,
003,001,1,,Front of postcard 1,Image,
`,
    [
      'table id: The table lacks this column. It names each row: rename the column with that purpose, such as id_field of Islandora Workbench, or copy it.',
    ],
  ],
  [
    'create_with_field_templates_test, whose configuration has the model',
    'file,id,title,field_description\n,01,Small boats in Havana Harbour,Taken on vacation in Cuba.\n',
    ['table field_model: The field "Model" is required, but the table lacks its column.'],
  ],
  [
    'create_paged_content_from_directories_test, with a folder of pages',
    'id,title,field_model,directory\nid:book1,Using Islandora Workbench for Fun and Profit,Paged Content,book1\n',
    [
      'table directory: An import creates no pages from a folder. Write a row for each page, with its file and parent_id.',
    ],
  ],
  [
    'allow_missing_files_test, with a file of another server',
    'file,id,title,field_model\nhttps://www.lib.sfu.ca/missingimage.jpg,02,Missing,Image\n',
    [
      '1 file: "https://www.lib.sfu.ca/missingimage.jpg" is a URL of a server that imports.allowedSources does not name. Download the file, and write its path.',
    ],
  ],
  [
    'header_column_mismatch_test',
    'file,title,id,field_model,field_description\n,Manhatten Island,02,Image,"Weather was windy.",foo\n',
    ['1 -: The number of cells (6) differs from the number of columns (5).'],
  ],
  [
    'geolocation_test',
    'file,id,field_model,title,field_coordinates\n,1127680,Image,Testing,"+48.43333,-123.36667|+43.45-123.17"\n',
    ['1 field_coordinates: Value 2: "+43.45-123.17" is not of the form latitude,longitude as "49.16667,-123.93333".'],
  ],
  [
    'typed_relation_test/bad_uri_fail.csv',
    'file,id,title,field_linked_agent,field_model\n,02,Manhatten Island,"relators:aut:http://example.com|relators:aut:foo",Image\n',
    [
      '1 field_linked_agent: Value 1: There is no term with the URI "http://example.com".',
      '1 field_linked_agent: Value 2: "foo" lacks its vocabulary, one of corporate_body, family or person. Write "corporate_body:foo".',
    ],
  ],
];

let repository: TestRepository;
let site: TableSite;
let files: string;
beforeAll(async () => {
  repository = await createTestRepository();
  site = await createTableSite(repository);
  files = join(site.folder, 'files');
  await mkdir(files);
  for (const name of FILES) await writeFile(join(files, name), 'bytes');
}, 30_000);
afterAll(async () => {
  await site.remove();
  await repository.stop();
});

describe('an example of Islandora Workbench', () => {
  it.each(LOADED)('can be imported as it is: %s', async (_, table, options = {}) => {
    expect(await site.problems(table, { files, ...options })).toEqual([]);
  });

  it.each(REFUSED)('is refused with what differs: %s', async (_, table, problems) => {
    expect(await site.problems(table, { files })).toEqual([...problems]);
  });
});
