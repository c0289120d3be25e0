import { describe, expect, it } from 'bun:test';
import type { Item } from '../../../../src/model/content-model.ts';
import { chooseStage } from '../../../../src/pages/viewer/choose-stage.ts';
import type { ShowableMedia } from '../../../../src/repository/content/lists/find-showable.ts';

let created = 0;

function media(use: string, mimeType: string, name: string, tracks: readonly Item[] = []): ShowableMedia {
  created += 1;
  return {
    ...{ id: created, uuid: `uuid-${name}`, bundle: 'any', label: name },
    uses: [`http://pcdm.org/use#${use}`],
    tracks,
    file: {
      ...{ id: created, uri: `public://${name}`, mimeType, bytes: 7, width: 40, height: 30 },
      ...{ storageKey: name, storedIn: null },
    },
  };
}

const stageOf = (...all: ShowableMedia[]) =>
  chooseStage({ id: 1, label: 'An item', language: 'en', media: all }, new Set());

const thumbnail = media('ThumbnailImage', 'image/png', 't.png');
const picture = (name: string) => ({ path: `/sites/default/files/${name}`, width: 40, height: 30 });

describe('the stage', () => {
  it('shows the service file of a picture, and opens its original', () => {
    const files = [
      media('OriginalFile', 'image/tiff', 'o.tif'),
      media('ServiceFile', 'image/jpeg', 's.jpg'),
      thumbnail,
    ];
    expect(stageOf(...files)).toMatchObject({
      kind: 'image',
      picture: picture('s.jpg'),
      service: '/iiif/3/uuid-o.tif/info.json',
    });
  });

  it('shows the thumbnail if browsers cannot show the picture or no other file exists', () => {
    expect(stageOf(thumbnail)).toMatchObject({ kind: 'image', picture: picture('t.png'), service: undefined });
    const files = [media('OriginalFile', 'image/tiff', 'o.tif'), thumbnail];
    expect(stageOf(...files)).toMatchObject({ kind: 'image', picture: picture('t.png') });
  });

  it('plays the service file of a video with the tracks of this site', () => {
    const own = { url: '/sites/default/files/c.vtt', kind: 'captions', srclang: 'en', label: 'English', default: true };
    const foreign = { url: '//evil.example/c.vtt', kind: 'captions' };
    const chapters = { url: '/sites/default/files/k.vtt', kind: 'chapters' };
    const original = media('OriginalFile', 'video/quicktime', 'o.mov', [own, foreign, chapters]);
    expect(stageOf(original, media('ServiceFile', 'video/mp4', 's.mp4'), thumbnail)).toEqual({
      kind: 'video',
      file: { path: '/sites/default/files/s.mp4', mimeType: 'video/mp4', bytes: 7 },
      tracks: [
        { path: own.url, kind: 'captions', language: 'en', label: 'English', isDefault: true },
        { path: chapters.url, kind: 'chapters', language: undefined, label: undefined, isDefault: false },
      ],
      picture: picture('t.png'),
    });
  });

  it('offers a transcript in WebVTT as captions', () => {
    const stage = stageOf(media('OriginalFile', 'audio/mpeg', 'a.mp3'), media('Transcript', 'text/vtt', 'a.vtt'));
    expect(stage).toMatchObject({ kind: 'audio', picture: undefined, tracks: [{ kind: 'captions', language: 'en' }] });
  });

  it('opens a PDF, and the PDF derivative of another document', () => {
    expect(stageOf(media('OriginalFile', 'application/pdf', 'a.pdf'))).toMatchObject({
      kind: 'pdf',
      picture: undefined,
    });
    const office = media('OriginalFile', 'application/msword', 'a.doc');
    expect(stageOf(office, media('ServiceFile', 'application/pdf', 'a.pdf'), thumbnail)).toMatchObject({
      ...{ kind: 'pdf', file: { path: '/sites/default/files/a.pdf' }, picture: picture('t.png') },
    });
    const image = media('OriginalFile', 'image/png', 'i.png');
    expect(stageOf(media('IntermediateFile', 'application/pdf', 'about.pdf'), image)).toMatchObject({ kind: 'image' });
  });

  it('names any other file, and shows nothing for an item without files', () => {
    expect(stageOf(media('OriginalFile', 'application/zip', 'a.zip'))).toMatchObject({
      ...{ kind: 'other', file: { path: '/sites/default/files/a.zip' } },
    });
    expect(stageOf(media('OriginalFile', 'video/x-matroska', 'a.mkv'), thumbnail)).toMatchObject({
      ...{ kind: 'other', picture: picture('t.png') },
    });
    expect(stageOf(media('ExtractedText', 'text/plain', 'a.txt'))).toBeUndefined();
    expect(stageOf()).toBeUndefined();
  });
});
