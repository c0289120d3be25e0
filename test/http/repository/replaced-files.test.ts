import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import { auditServices } from '../../support/audit.ts';
import { createMedia, pngHead, settledFiles } from '../../support/binaries.ts';
import {
  contentOf,
  type DerivativeSite,
  holdCalls,
  mediaByUse,
  settled,
  startDerivativeSite,
} from '../../support/derivative-site.ts';
import { search } from '../../support/search-call.ts';
import { hocrOf } from '../../support/searched-book.ts';
import { MODEL, USE } from '../../support/site-builder.ts';
import type { Answerer, StubProcessor } from '../../support/stub-processor.ts';
import type { EntityJson, TestRepository } from '../../support/test-repository.ts';
import { attached, uploadWhole } from '../../support/tus.ts';

const FITS = 'https://projects.iq.harvard.edu/fits';
const HTML = { Accept: 'text/html' };
/** More calls than a processor gets at a time. */
const MAX_CALLS = 20;

/** Recognizes the text after the head of a picture. */
const recognize: Answerer = ({ accept, found }) => {
  const text = found.bytes.subarray(33).toString();
  if (accept.startsWith('text/plain')) return { body: text };
  if (accept.startsWith('text/vnd.hocr')) return { body: hocrOf(text) };
  return accept.startsWith('image/')
    ? { body: Buffer.concat([pngHead(2, 2), Buffer.from(text)]) }
    : { body: `<fits>${text}</fits>` };
};

let site: DerivativeSite;
let repository: TestRepository;
let stub: StubProcessor;
beforeAll(async () => {
  site = await startDerivativeSite({ answer: recognize });
  ({ repository, stub } = site);
});
afterEach(() => {
  stub.answer = recognize;
  expect(stub.problems).toEqual([]);
});
afterAll(async () => {
  await settledFiles(repository);
  expect(await auditServices(repository.running.services, true)).toEqual([]);
  expect(repository.failures()).toEqual([]);
  await site.stop();
});

const picture = (text: string) => pngHead(3, 2, text);
const idOf = (entity: EntityJson) => (entity.nid ?? entity.mid)[0].value as number;
const pathOf = (media: EntityJson | undefined) => {
  const [file] = media?.field_media_image ?? media?.field_media_file ?? [];
  return new URL(file.url).pathname;
};

/** A page of a book, whose picture has words. Its derivatives are made. */
async function page(text: string): Promise<{ book: EntityJson; node: EntityJson; original: EntityJson }> {
  const book = await repository.node({ field_model: [{ target_id: await repository.termId(MODEL.compound) }] });
  const field_model = [{ target_id: await repository.termId(MODEL.page) }];
  const node = await repository.node({ title: ['A page'], field_model, field_member_of: [idOf(book)] });
  const original = await createMedia(repository, {
    node,
    uri: `public://pages/${idOf(node)}.png`,
    body: picture(text),
  });
  await settled(repository, node);
  return { book, node, original };
}

const replace = (media: EntityJson, body: Bun.BodyInit, as = 'admin', type = 'image/png') =>
  repository.put(`/media/${idOf(media)}/source`, body, { 'Content-Type': type }, as);

/** Returns every place that shows a word to the administrator. */
async function placesOf(word: string, { book, node }: { book: EntityJson; node: EntityJson }): Promise<string[]> {
  const text = async (path: string, headers = {}) => (await repository.get(path, 'admin', headers)).text();
  const json = async (path: string) => JSON.parse(await text(path)) as EntityJson;
  const marked = (html: string) => new RegExp(`<mark[^>]*>${word}`, 'i').test(html);
  const suggested = (await json(`/search/suggest?q=${word}&_format=json`)).suggestions as { text: string }[];
  const places = {
    page: (await text(`/node/${idOf(node)}`, HTML)).includes(word),
    media: (await text(`/node/${idOf(node)}/media?_format=json`)).includes(word),
    search: (await search(repository, { q: word }, 'admin')).total > 0,
    snippet: marked(await text(`/search?q=${word}`, HTML)),
    'search within': marked(await text(`/node/${idOf(book)}/search?q=${word}`, HTML)),
    suggestion: suggested.some((each) => each.text.includes(word)),
    IIIF: ((await json(`/node/${idOf(book)}/iiif/search?q=${word}`)).items ?? []).length > 0,
  };
  return Object.entries(places).flatMap(([name, isShown]) => (isShown ? [name] : []));
}

/** Holds the processor while `work` runs, and then lets it make what it was asked for. */
async function whileHeld<T>(work: () => Promise<T>): Promise<T> {
  const calls = holdCalls(stub, recognize);
  try {
    return await work();
  } finally {
    stub.answer = recognize;
    for (let held = 0; held < MAX_CALLS; held++) calls.letGo();
  }
}

describe('a picture that is replaced', () => {
  it('is redacted once the PUT has answered, before its derivatives are made again', async () => {
    const made = await page('the informer Ravensburg');
    const before = await mediaByUse(repository, made.node);
    expect(await placesOf('Ravensburg', made)).toEqual(expect.arrayContaining(['media', 'search', 'IIIF']));
    const paths = [...before].filter(([use]) => use !== USE.original).map(([, media]) => pathOf(media));
    expect(paths).toHaveLength(5);
    await whileHeld(async () => {
      const put = await replace(made.original, picture('the informer Nobody'));
      expect([put.status, put.headers.get('X-Repo-Notice')]).toEqual([204, null]);
      expect(await placesOf('Ravensburg', made)).toEqual([]);
      for (const path of paths) expect([path, (await repository.get(path, 'admin')).status]).toEqual([path, 404]);
      const between = await mediaByUse(repository, made.node);
      expect([...between.keys()].sort()).toEqual([...before.keys()].sort());
    });
    const states = (await settled(repository, made.node)).map(({ state }) => state);
    expect(new Set(states)).toEqual(new Set(['done']));
    expect(await placesOf('Ravensburg', made)).toEqual([]);
    expect(await placesOf('Nobody', made)).toEqual(expect.arrayContaining(['media', 'search', 'IIIF']));
    const after = await mediaByUse(repository, made.node);
    for (const [use, media] of before) {
      const again = after.get(use);
      const file = (each: EntityJson) => (each.field_media_image ?? each.field_media_file)[0].target_id;
      expect([use, again?.mid, again && file(again), again && pathOf(again)]).toEqual([
        ...[use, media.mid, file(media), pathOf(media)],
      ]);
    }
    expect(after.get(USE.text)?.field_edited_text[0].value).toBe('the informer Nobody');
    expect(await contentOf(repository, after.get(USE.service) as EntityJson)).toContain('Nobody');
  });

  it('is redacted by a PATCH with another file, too', async () => {
    const made = await page('the witness Ottilienberg');
    const { fid } = await repository.build.file(
      'media/image/field_media_image',
      'other.png',
      picture('the witness Nemo'),
      'admin',
    );
    await whileHeld(async () => {
      const body = { bundle: 'image', field_media_image: [{ target_id: fid[0].value, alt: 'A page' }] };
      const patch = await repository.patch(`/media/${idOf(made.original)}?_format=json`, body, 'admin');
      expect(patch.status).toBe(200);
      expect(await placesOf('Ottilienberg', made)).toEqual([]);
    });
    await settled(repository, made.node);
    expect(await placesOf('Ottilienberg', made)).toEqual([]);
    expect(await placesOf('Nemo', made)).toContain('search');
  });

  it('loses its derivatives if none can be made of the new file', async () => {
    const made = await page('the agent Felsenstein');
    const before = await mediaByUse(repository, made.node);
    const paths = [...before].filter(([use]) => use !== USE.original && use !== FITS).map(([, media]) => pathOf(media));
    const put = await replace(made.original, '<svg xmlns="http://www.w3.org/2000/svg"/>', 'admin', 'image/svg+xml');
    expect(put.status).toBe(204);
    expect(await placesOf('Felsenstein', made)).toEqual([]);
    await settled(repository, made.node);
    expect([...(await mediaByUse(repository, made.node)).keys()].sort()).toEqual([USE.original, FITS].sort());
    for (const path of paths) expect((await repository.get(path, 'admin')).status).toBe(404);
  });

  it('stays without derivatives if they cannot be made', async () => {
    const made = await page('the traitor Klingenthal');
    stub.answer = () => ({ status: 400, type: 'text/plain', body: 'Unreadable.' });
    expect((await replace(made.original, picture('nothing'))).status).toBe(204);
    expect((await settled(repository, made.node)).some(({ state }) => state === 'failed')).toBe(true);
    expect(await placesOf('Klingenthal', made)).toEqual([]);
    repository.log.length = 0;
  });

  it('keeps its derivatives if the bytes are the same', async () => {
    const made = await page('the same Wolkenburg');
    await whileHeld(async () => {
      expect((await replace(made.original, picture('the same Wolkenburg'))).status).toBe(204);
      expect(await placesOf('Wolkenburg', made)).toContain('IIIF');
    });
    await settled(repository, made.node);
  });
});

describe('a text that a person has edited', () => {
  it('stays when its picture is replaced, and the person is told', async () => {
    const made = await page('the misread Hohenfels');
    const text = (await mediaByUse(repository, made.node)).get(USE.text) as EntityJson;
    const field_edited_text = [{ value: 'the corrected Hohenfels', format: 'basic_html' }];
    const edit = await repository.patch(
      `/media/${idOf(text)}?_format=json`,
      { bundle: 'extracted_text', field_edited_text },
      'admin',
    );
    expect(edit.status).toBe(200);
    const path = pathOf(text);
    const put = await replace(made.original, picture('the new Nobody'));
    expect(put.headers.get('X-Repo-Notice')).toBe(
      `The text of media ${idOf(text)} was edited by hand. It stays, and may have words of the previous file.`,
    );
    expect((await search(repository, { q: 'corrected Hohenfels' }, 'admin')).total).toBe(1);
    await settled(repository, made.node);
    const after = (await mediaByUse(repository, made.node)).get(USE.text) as EntityJson;
    expect(after.field_edited_text[0].value).toBe('the corrected Hohenfels');
    expect(await (await repository.get(path, 'admin')).text()).toBe('the new Nobody');
  });
});

describe('a file that a person has added as a derivative', () => {
  it('stays when its picture is replaced, and the person is told', async () => {
    const { node, original } = await page('the own Adlerstein');
    const service = (await mediaByUse(repository, node)).get(USE.service) as EntityJson;
    expect((await replace(service, picture('made by hand'))).status).toBe(204);
    await whileHeld(async () => {
      const put = await replace(original, picture('the new Nobody'));
      expect(put.headers.get('X-Repo-Notice')).toBe(
        `Media ${idOf(service)} was not made by the program. It stays, and may show the previous file.`,
      );
      expect(await contentOf(repository, service)).toContain('made by hand');
    });
    await settled(repository, node);
    expect(await contentOf(repository, service)).toContain('made by hand');
  });

  it('stays if it was uploaded in the browser before its picture', async () => {
    const node = await repository.node({ title: ['With a picture of its own'] });
    const upload = await uploadWhole(repository, 'own.png', new Uint8Array(picture('of its own')));
    const use = await repository.termId(USE.thumbnail);
    await attached(repository, upload, { node: idOf(node), media_use: use });
    const own = (await mediaByUse(repository, node)).get(USE.thumbnail) as EntityJson;
    const original = { node, type: 'image', use: USE.original, contentType: 'image/png' };
    await createMedia(repository, { ...original, uri: 'public://scan.png', body: picture('the scan') });
    await settled(repository, node);
    expect(await contentOf(repository, own)).toContain('of its own');
    const service = (await mediaByUse(repository, node)).get(USE.service) as EntityJson;
    expect(await contentOf(repository, service)).toContain('the scan');
  });
});

describe('a text whose own file is replaced', () => {
  async function transcript(text: string): Promise<{ book: EntityJson; node: EntityJson; media: EntityJson }> {
    const node = await repository.node({ title: ['A letter'] });
    const options = { node, type: 'extracted_text', use: USE.text, contentType: 'text/plain' };
    const media = await createMedia(repository, { ...options, uri: `public://texts/${idOf(node)}.txt`, body: text });
    return { book: node, node, media };
  }
  const read = async (media: EntityJson) =>
    (await (await repository.get(`/media/${idOf(media)}?_format=json`, 'admin')).json()) as EntityJson;

  it('has the words of the new file, in the field and in the search', async () => {
    const made = await transcript('the name Steinbach');
    expect(await placesOf('Steinbach', made)).toEqual(expect.arrayContaining(['media', 'search']));
    const put = await replace(made.media, 'the name withheld', 'admin', 'text/plain');
    expect([put.status, put.headers.get('X-Repo-Notice')]).toEqual([204, null]);
    expect((await read(made.media)).field_edited_text[0].value).toBe('the name withheld');
    expect(await placesOf('Steinbach', made)).toEqual([]);
    expect((await search(repository, { q: 'withheld' }, 'admin')).total).toBe(1);
  });

  it('has them after a PUT to its item, too', async () => {
    const made = await transcript('the name Eichendorf');
    const path = `/node/${idOf(made.node)}/media/extracted_text/${await repository.termId(USE.text)}`;
    expect((await repository.put(path, 'the name hidden', { 'Content-Type': 'text/plain' }, 'admin')).status).toBe(204);
    expect(await placesOf('Eichendorf', made)).toEqual([]);
  });

  it('stays as it was edited, and the person is told', async () => {
    const made = await transcript('the name Lindenau');
    const field_edited_text = [{ value: 'the edited name Lindenau', format: 'basic_html' }];
    const body = { bundle: 'extracted_text', field_edited_text };
    expect((await repository.patch(`/media/${idOf(made.media)}?_format=json`, body, 'admin')).status).toBe(200);
    const put = await replace(made.media, 'another text', 'admin', 'text/plain');
    expect(put.headers.get('X-Repo-Notice')).toContain(`The text of media ${idOf(made.media)} was edited by hand.`);
    expect((await read(made.media)).field_edited_text[0].value).toBe('the edited name Lindenau');
  });

  it.each([false, true])(
    'has the words of another file of a PATCH; the old one deleted before: %s',
    async (isDeleted) => {
      const made = await transcript(`the name Birkenau${isDeleted}`);
      const { fid } = await repository.build.file(
        'media/extracted_text/field_media_file',
        'new.txt',
        'the name blackened',
        'admin',
      );
      if (isDeleted) {
        const old = made.media.field_media_file[0].target_id;
        expect((await repository.delete(`/entity/file/${old}`, 'admin')).status).toBe(204);
        expect(await placesOf(`Birkenau${isDeleted}`, made)).toEqual([]);
      }
      const body = { bundle: 'extracted_text', field_media_file: [{ target_id: fid[0].value }] };
      const patch = await repository.patch(`/media/${idOf(made.media)}?_format=json`, body, 'admin');
      expect([patch.status, patch.headers.get('X-Repo-Notice')]).toEqual([200, null]);
      expect((await read(made.media)).field_edited_text[0].value).toBe('the name blackened');
      expect(await placesOf(`Birkenau${isDeleted}`, made)).toEqual([]);
    },
  );
});
