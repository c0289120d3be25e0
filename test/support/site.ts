import { beforeAll } from 'bun:test';
import { DEFAULT_SERVER_CONFIG } from '../../src/config/server-config.ts';
import type { SiteBuilder } from './site-builder.ts';
import { makeSiteFiles, PAGE_TEXTS, type SiteFiles } from './site-files.ts';
import { createTestRepository, type TestRepository } from './test-repository.ts';

/** A small repository with one item of every kind, and the ids of its content. */
export interface Site {
  readonly repository: TestRepository;
  readonly build: SiteBuilder;
  readonly files: SiteFiles;
  readonly ids: Readonly<Record<SiteContent, number>>;
}

export type SiteContent =
  | 'commission'
  | 'photographs'
  | 'empty'
  | 'image'
  | 'imageMedia'
  | 'imageRevision'
  | 'book'
  | 'page'
  | 'audio'
  | 'video'
  | 'pdf'
  | 'compound'
  | 'bare'
  | 'hidden'
  | 'subject'
  | 'place'
  | 'person'
  | 'librarian';

/** More than a page of a list. */
const MEMBERS = 60;
const SCENES = [
  'View over the bay from the customs house',
  'Crew of the Annie Laurie',
  'Plan of the eastern breakwater, sheet 4',
  'Colliers at the coal wharf in winter',
  'Ferry of the Dartmouth line leaving',
  'Keeper’s cottage at the outer light',
  'Regatta day, looking towards the island with the spectators’ steamers moored in two rows',
  'Ice in the inner basin',
];
const DATES = ['1929~', '1908-05', '1893', '1890/1930', '187X', '1911-02-14', '1901?', '[1905..1910]'];

const LOOK = {
  introduction:
    'Photographs, papers, maps and voices from the city’s waterfront, free to look at, to search and, where marked, to reuse.',
};

let opened: Promise<Site> | undefined;

/** The time for which the site may be filled, in milliseconds: longer than a test may take. */
const FILLING_MS = 120_000;

/** Fills the site before the tests of a file, so that no test has to wait for it. */
export function useSite(): void {
  beforeAll(async () => void (await openSite()), FILLING_MS);
}

/** Starts the site once for all test files of a process. It ends with the process. */
export function openSite(): Promise<Site> {
  opened ??= createSite();
  return opened;
}

async function createSite(): Promise<Site> {
  const [repository, files] = await Promise.all([
    createTestRepository({ siteName: 'Harbour City Archives', site: { ...DEFAULT_SERVER_CONFIG.site, ...LOOK } }),
    makeSiteFiles(),
  ]);
  const { build } = repository;
  const librarian = await repository.user('librarian', 'repository_editor');
  await repository.user('reader');
  const terms = await makeTerms(build);
  const commission = await build.node('collection', 'Harbour Commission', {
    field_description: ['Reports, plans and photographs of the body that ran the port from 1871 to 1958.'],
    field_edtf_date_created: ['1871/1958'],
  });
  const photographs = await build.node('collection', 'Boyle family photographs', {
    field_description: ['Prints by Margaret Boyle and her daughter, given to the archives in 1974.'],
    field_member_of: [commission],
  });
  const voices = await build.node('collection', 'Voices of the waterfront');
  const empty = await build.node('collection', 'Charts not yet described');
  const about = { subject: [terms.subject, terms.otherSubject], place: [terms.place] };
  const image = await build.node('image', SCENES[0] as string, {
    langcode: ['en'],
    field_member_of: [photographs],
    field_abstract: [
      {
        value:
          '<p>Taken from the roof a few weeks before the fire. Two colliers lie at the eastern breakwater; the ferry of the Dartmouth line is leaving.</p>',
        format: 'basic_html',
      },
    ],
    field_alt_title: ['The bay from the roof'],
    field_coordinates: [{ lat: 44.6488, lng: -63.5752 }],
    field_edtf_date_created: ['1929~'],
    field_extent: ['1 photograph, gelatin silver, 20 × 25 cm'],
    field_identifier: ['HCA-1929-0042'],
    field_language: [terms.english],
    field_linked_agent: [
      { target_id: terms.person, rel_type: 'relators:pht' },
      { target_id: terms.company, rel_type: 'relators:fnd' },
    ],
    field_rights: [{ value: 'http://rightsstatements.org/vocab/NoC-US/1.0/', format: 'basic_html' }],
    field_subject: about.subject,
    field_geographic_subject: about.place,
    field_weight: [1],
  });
  const imageMedia = await build.picture(image, files.pictures[0] as SiteFiles['pictures'][number], 'bay');
  await build.upload(image, { use: 'tiles', name: 'bay.zip', bytes: files.tiles });
  await makeMembers(build, files, photographs, terms.subject);
  const { book, page } = await makeBook(build, files, { memberOf: commission, person: terms.person });
  const { audio, video } = await makeRecordings(build, files, { memberOf: voices, person: terms.person });
  const pdf = await build.node('document', 'Regulations of the port, with a table of dues', {
    field_member_of: [commission],
    field_edtf_date_issued: ['1912'],
    field_rights: [{ value: 'https://creativecommons.org/licenses/by/4.0/', format: 'basic_html' }],
  });
  await build.upload(pdf, { name: 'regulations.pdf', bytes: files.pdf });
  const bytes = files.pages[0]?.thumbnail as Uint8Array<ArrayBuffer>;
  await build.upload(pdf, { use: 'thumbnail', name: 'regulations.jpg', bytes });
  await build.upload(pdf, textOf(PAGE_TEXTS.join('\n\n'), 'regulations.txt'));
  const compound = await build.node('compound', 'Postcard, both sides', { field_member_of: [photographs, commission] });
  for (const [at, side] of ['Front', 'Back'].entries()) {
    const node = await build.node('image', side, { field_member_of: [compound], field_weight: [at + 1] });
    await build.picture(node, files.pictures[at + 2] as SiteFiles['pictures'][number], side);
  }
  const bare = await build.node('image', 'Glass negative, not yet digitised', { field_member_of: [photographs] });
  const hidden = await build.node('image', 'Closed until 2040', { status: [false], field_member_of: [photographs] });
  const imageRevision = await makeRevisions(build, image);
  return {
    ...{ repository, build, files },
    ids: {
      ...{
        commission,
        photographs,
        empty,
        image,
        imageMedia,
        imageRevision,
        book,
        page,
        audio,
        video,
        pdf,
        compound,
        bare,
        hidden,
      },
      ...{ subject: terms.subject, place: terms.place, person: terms.person, librarian },
    },
  };
}

async function makeTerms(build: SiteBuilder) {
  const link = (uri: string, source: string) => ({ field_authority_link: [{ uri, title: '', source }] });
  const ports = await build.term('subject', 'Ports');
  const subject = await build.term('subject', 'Harbours', {
    parent: [ports],
    description: [{ value: '<p>Sheltered water where ships anchor, load and unload.</p>', format: 'basic_html' }],
    ...link('http://id.loc.gov/authorities/subjects/sh85058887', 'lcsh'),
  });
  await build.term('subject', 'Breakwaters', { parent: [subject] });
  await build.term('subject', 'Lighthouses', { parent: [subject] });
  return {
    subject,
    otherSubject: await build.term('subject', 'Customs houses'),
    place: await build.term('geo_location', 'Halifax, Nova Scotia'),
    person: await build.term('person', 'Boyle, Margaret, 1880–1961'),
    company: await build.term('corporate_body', 'Harbour Commission'),
    english: await build.term('language', 'English, as spoken in the port'),
  };
}

async function makeMembers(build: SiteBuilder, files: SiteFiles, memberOf: number, subject: number): Promise<void> {
  const waiting = Array.from({ length: MEMBERS }, (_, number) => async () => {
    const scene = SCENES[number % SCENES.length] as string;
    const drawn = files.pictures[number % files.pictures.length] as SiteFiles['pictures'][number];
    const node = await build.node('image', number < SCENES.length ? scene : `${scene}, ${number}`, {
      field_member_of: [memberOf],
      field_edtf_date_created: [DATES[number % DATES.length] as string],
      field_subject: [subject],
      field_weight: [number + 2],
    });
    await build.upload(node, { use: 'service', name: 'service.jpg', bytes: drawn.service });
    await build.upload(node, { use: 'thumbnail', name: 'thumbnail.jpg', bytes: drawn.thumbnail });
  });
  while (waiting.length > 0) await Promise.all(waiting.splice(0, 8).map((make) => make()));
}

async function makeBook(build: SiteBuilder, files: SiteFiles, { memberOf, person }: Record<string, number>) {
  const book = await build.node('book', 'Annual report of the Harbour Commission', {
    field_member_of: [memberOf as number],
    field_edtf_date_issued: ['1909'],
    field_linked_agent: [{ target_id: person as number, rel_type: 'relators:edt' }],
    field_publisher: ['Printed for the Commission'],
    field_place_published: ['Halifax'],
  });
  const pages: number[] = [];
  for (const [at, drawn] of files.pages.entries()) {
    const text = PAGE_TEXTS[at] as string;
    const page = await build.node('page', `Page ${at + 1}`, { field_member_of: [book], field_weight: [at + 1] });
    await build.picture(page, drawn, `page-${at + 1}`);
    await build.upload(page, textOf(text, `page-${at + 1}.txt`));
    await build.upload(page, { use: 'hocr', name: `page-${at + 1}.hocr`, bytes: hocrOf(text) });
    pages.push(page);
  }
  const bytes = files.pages[0]?.thumbnail as Uint8Array<ArrayBuffer>;
  await build.upload(book, { use: 'thumbnail', name: 'cover.jpg', bytes });
  return { book, page: pages[1] as number };
}

async function makeRecordings(build: SiteBuilder, files: SiteFiles, { memberOf, person }: Record<string, number>) {
  const field_linked_agent = [{ target_id: person as number, rel_type: 'relators:ive' }];
  const field_member_of = [memberOf as number];
  const audio = await build.node('audio', 'Interview with Margaret Boyle', {
    ...{ field_member_of, field_linked_agent, field_edtf_date_created: ['1958-11'] },
  });
  const recording = await build.upload(audio, { name: 'interview.mp3', bytes: files.audio });
  await build.captions(recording, 'audio', CAPTIONS);
  const video = await build.node('video', 'The ferry in a storm', {
    ...{ field_member_of, field_edtf_date_created: ['1936-12-06'] },
  });
  const filmed = await build.upload(video, { name: 'ferry.mp4', bytes: files.video });
  await build.captions(filmed, 'video', CAPTIONS);
  const bytes = files.pictures[1]?.thumbnail as Uint8Array<ArrayBuffer>;
  await build.upload(video, { use: 'thumbnail', name: 'ferry.jpg', bytes });
  return { audio, video };
}

const CAPTIONS = `WEBVTT

00:00:00.000 --> 00:00:02.000
I was born above the chandler's shop.

00:00:02.000 --> 00:00:05.000
You could hear the fog bell from every room.
`;

function textOf(text: string, name: string) {
  return { use: 'text', name, bytes: text } as const;
}

/** One line of words below another, 24 pixels each, as tesseract describes them. */
function hocrOf(text: string): string {
  const words = text.split(' ').map((word, at) => {
    const [x, y] = [120 + (at % 5) * 150, 140 + Math.floor(at / 5) * 48];
    return `<span class="ocrx_word" title="bbox ${x} ${y} ${x + 130} ${y + 40}; x_wconf 95">${word}</span>`;
  });
  const line = `<span class="ocr_line" title="bbox 120 140 880 1200">${words.join(' ')}</span>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<html xmlns="http://www.w3.org/1999/xhtml"><body><div class="ocr_page" title="bbox 0 0 1000 1500">${line}</div></body></html>`;
}

/** Changes a node twice. Returns the id of its first revision. */
async function makeRevisions(build: SiteBuilder, node: number): Promise<number> {
  const first = await build.read(`/node/${node}`);
  const change = (fields: object, message: string) =>
    build.change(`/node/${node}`, { type: 'islandora_object', revision_log: [message], ...fields }, 'librarian');
  await change({ field_extent: ['1 photograph'] }, 'Shorten the extent');
  await change(
    { field_extent: ['1 photograph, gelatin silver, 20 × 25 cm'], field_note: ['Dated by the ferry in the picture.'] },
    'Restore the extent and say how the date was found',
  );
  return first.vid[0].value;
}
