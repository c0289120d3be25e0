import { describe, expect, it } from 'bun:test';
import { createPageReader } from '../../../../src/iiif/presentation/read-recognized.ts';

function read(text: string) {
  const reader = createPageReader();
  reader.push(text);
  return reader.end();
}

const coords = (box: string) => {
  const [left, top, right, bottom] = box.split(' ');
  return `<Coords points="${left},${top} ${right},${top} ${right},${bottom} ${left},${bottom}"/>`;
};
const equiv = (text: string, rest = '') => `<TextEquiv ${rest}><PlainText/><Unicode>${text}</Unicode></TextEquiv>`;
const word = (text: string, box: string) => `<Word id="w">${coords(box)}${equiv(text)}</Word>`;

const pageXml = (inside: string) => `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<PcGts xmlns="http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"><Metadata><Creator>a</Creator></Metadata>
<Page imageFilename="a.jpg" imageWidth="200" imageHeight="400"><ReadingOrder/>
<TextRegion id="r" primaryLanguage="German">${coords('5 5 195 85')}${inside}</TextRegion></Page></PcGts>`;

describe('a reader of PAGE XML', () => {
  it('returns the lines of a page with their words', () => {
    const page = read(
      pageXml(`<TextLine id="l">${coords('10 10 120 30')}<Baseline points="1,2 3,4"/>
        ${word('Tom', '10 10 50 30')}${word('&amp; Cat', '60 10 120 30')}${equiv('Tom &amp; Cat')}</TextLine>
        ${equiv('Tom &amp; Cat')}`),
    );
    expect(page).toEqual({
      box: { left: 0, top: 0, right: 200, bottom: 400 },
      lines: [
        {
          text: 'Tom & Cat',
          words: [
            { text: 'Tom', box: { left: 10, top: 10, right: 50, bottom: 30 } },
            { text: '& Cat', box: { left: 60, top: 10, right: 120, bottom: 30 } },
          ],
          box: { left: 10, top: 10, right: 120, bottom: 30 },
          language: 'German',
        },
      ],
    });
  });

  it('reads a line without words, and a region without lines, in their own place', () => {
    const line = pageXml(`<TextLine>${coords('10 10 120 30')}${equiv('a line')}</TextLine>${equiv('not again')}`);
    expect(read(line)?.lines).toMatchObject([{ text: 'a line', words: [], box: { left: 10, top: 10, right: 120 } }]);
    expect(read(pageXml(equiv('a region')))?.lines).toMatchObject([{ text: 'a region', words: [], box: { left: 5 } }]);
  });

  it('reads the text of a line whose words have none', () => {
    const page = read(
      pageXml(`<TextLine>${coords('10 10 120 30')}<Word>${coords('1 1 2 2')}</Word>${equiv('Tom')}</TextLine>`),
    );
    expect(page?.lines).toMatchObject([{ text: 'Tom', words: [] }]);
  });

  it('reads the best of several readings, and no glyphs', () => {
    const glyph = `<Glyph>${coords('1 1 2 2')}${equiv('X')}</Glyph>`;
    const readings = `${equiv('Tim', 'index="2"')}${equiv('Tom', 'index="1"')}${equiv('Tam', 'index="3"')}`;
    const page = read(
      pageXml(`<TextLine>${coords('10 10 120 30')}<Word>${coords('10 10 50 30')}${glyph}${readings}</Word></TextLine>`),
    );
    expect(page?.lines.map(({ text }) => text)).toEqual(['Tom']);
  });

  it('gives words and lines without a box that of what is around them', () => {
    const page = read(
      pageXml(`<TextLine>${coords('10 10 120 30')}<Word>${equiv('Tom')}</Word>${word('Cat', '60 10 99 30')}</TextLine>
        <TextLine>${equiv('alone')}</TextLine>`),
    );
    expect(page?.lines[0]?.words[0]).toEqual({ text: 'Tom', box: { left: 10, top: 10, right: 120, bottom: 30 } });
    expect(page?.lines[1]).toMatchObject({ text: 'alone', box: { left: 5, top: 5, right: 195, bottom: 85 } });
  });

  it('reads the points of earlier versions, and prefixes of namespaces', () => {
    const points = '<pc:Coords><pc:Point x="10" y="10"/><pc:Point x="50" y="30"/></pc:Coords>';
    const page = read(`<pc:PcGts xmlns:pc="http://schema.primaresearch.org/PAGE/gts/pagecontent/2010-03-19">
      <pc:Page imageWidth="200" imageHeight="400"><pc:TextRegion><pc:TextLine>${points}
      <pc:TextEquiv><pc:Unicode>Tom</pc:Unicode></pc:TextEquiv></pc:TextLine></pc:TextRegion></pc:Page></pc:PcGts>`);
    expect(page?.lines).toMatchObject([{ text: 'Tom', box: { left: 10, top: 10, right: 50, bottom: 30 } }]);
  });
});
