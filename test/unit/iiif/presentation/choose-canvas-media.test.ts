import { describe, expect, it } from 'bun:test';
import { canvasMediaOf, chooseCanvasMedia } from '../../../../src/iiif/presentation/choose-canvas-media.ts';
import { MEDIA_USE_URI } from '../../../../src/model/media-use.ts';
import type { ShowableMedia, ShowableNode } from '../../../../src/repository/content/lists/find-showable.ts';

const { original: ORIGINAL, service: SERVICE, thumbnail: THUMBNAIL } = MEDIA_USE_URI;

let count = 0;

function media(mimeType: string, ...uses: string[]): ShowableMedia {
  count += 1;
  const file = { id: count, uri: `public://${count}`, mimeType, bytes: 1, width: 1, height: 1, storageKey: `${count}` };
  return {
    id: count,
    uuid: `${count}`,
    bundle: 'file',
    label: '',
    uses,
    tracks: [],
    file: { ...file, storedIn: null },
  };
}

function node(...all: ShowableMedia[]): ShowableNode {
  count += 1;
  return { id: count, label: 'A node', language: 'en', media: all };
}

/** The family, the original, the painted file and the thumbnail, as positions in the list of media. */
function positions(...all: ShowableMedia[]) {
  const shown = canvasMediaOf(node(...all));
  const at = (each: ShowableMedia | undefined) => (each === undefined ? undefined : all.indexOf(each));
  return shown && [shown.family, at(shown.original), at(shown.painted), at(shown.thumbnail)];
}

describe('the canvas of a node', () => {
  it.each([
    ['the original', [media('image/jpeg', ORIGINAL)], ['image', 0, 0, undefined]],
    ['the service file', [media('image/jpeg', SERVICE), media('image/tiff', ORIGINAL)], ['image', 1, 0, undefined]],
    ['a file without a use', [media('image/png')], ['image', 0, 0, undefined]],
    ['the image service of a TIFF', [media('image/tiff', ORIGINAL)], ['image', 0, undefined, undefined]],
    [
      'the thumbnail of an image in an unsupported format',
      [media('image/x-raw', ORIGINAL), media('image/png', THUMBNAIL)],
      ['image', 0, 1, 1],
    ],
    [
      'audio in the format that browsers play',
      [media('audio/x-aiff', ORIGINAL), media('audio/mpeg', SERVICE)],
      ['audio', 0, 1, undefined],
    ],
    ['video that browsers cannot play', [media('video/x-msvideo', ORIGINAL)], ['video', 0, 0, undefined]],
    [
      'the thumbnail of a PDF',
      [media('application/pdf', ORIGINAL), media('image/png', THUMBNAIL)],
      ['document', 0, 1, 1],
    ],
    [
      'a PDF even with a service file',
      [media('application/pdf', ORIGINAL), media('image/jpeg', SERVICE)],
      ['document', 0, undefined, undefined],
    ],
    [
      'the service file of another document',
      [media('application/zip', ORIGINAL), media('video/mp4', SERVICE)],
      ['video', 1, 1, undefined],
    ],
    ['nothing for another document', [media('application/zip', ORIGINAL)], undefined],
    ['nothing for an image in an unsupported format', [media('image/x-raw', ORIGINAL)], undefined],
    [
      'an image beside its tiles',
      [media('application/zip', 'http://iiif.io/api/image/3/ImageService'), media('image/png')],
      ['image', 1, 1, undefined],
    ],
    ['nothing for a thumbnail alone', [media('image/png', THUMBNAIL)], undefined],
  ])('shows %s', (_, all, expected) => {
    expect(positions(...all)).toEqual(expected as ReturnType<typeof positions>);
  });
});

describe('the canvases of a manifest', () => {
  const picture = node(media('image/png', ORIGINAL));
  const pdf = node(media('application/pdf', ORIGINAL));
  const empty = node();
  const shown = (own: ShowableNode, members: ShowableNode[], isPaged: boolean) =>
    chooseCanvasMedia({ node: own, members, parentModels: new Map() }, isPaged).map(({ node }) => node);

  it("are the members' canvases, without the book's own document or picture", () => {
    expect(shown(pdf, [picture, empty], true)).toEqual([picture]);
    expect(shown(picture, [pdf], true)).toEqual([pdf]);
    expect(shown(pdf, [picture], false)).toEqual([picture]);
  });

  it('are those of the node and its members in other cases', () => {
    expect(shown(picture, [pdf], false)).toEqual([picture, pdf]);
    expect(shown(picture, [empty], false)).toEqual([picture]);
    expect(shown(empty, [empty], true)).toEqual([]);
  });
});
