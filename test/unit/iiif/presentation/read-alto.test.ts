import { describe, expect, it } from 'bun:test';
import { createPageReader } from '../../../../src/iiif/presentation/read-recognized.ts';
import { placeOnCanvas } from '../../../../src/iiif/presentation/text-on-canvas.ts';

function read(...chunks: string[]) {
  const reader = createPageReader();
  for (const chunk of chunks) reader.push(chunk);
  return reader.end();
}

const string = (text: string, left: number, rest = '') =>
  `<String ID="s" CONTENT="${text}" HPOS="${left}" VPOS="10" WIDTH="40" HEIGHT="20" ${rest}/>`;
const LINE = 'HPOS="10" VPOS="10" WIDTH="110" HEIGHT="20"';

interface Parts {
  readonly unit?: string;
  readonly size?: string;
  readonly namespace?: string;
  readonly prefix?: string;
}

const alto = (
  inside: string,
  { unit = 'pixel', size = 'WIDTH="200" HEIGHT="400"', namespace = 'v4', prefix = '' }: Parts = {},
) =>
  `<?xml version="1.0" encoding="UTF-8"?>
<!-- made by a program -->
<!DOCTYPE alto [ <!ENTITY x "y"> ]>
<alto xmlns="http://www.loc.gov/standards/alto/ns-${namespace}#"><Description>
<MeasurementUnit>${unit}</MeasurementUnit></Description><Layout>
<Page ID="p" PHYSICAL_IMG_NR="1" ${size}><PrintSpace HPOS="0" VPOS="0" WIDTH="200" HEIGHT="400">
<ComposedBlock ID="c"><TextBlock ID="b" LANG="deu" HPOS="5" VPOS="5" WIDTH="190" HEIGHT="80">${inside}</TextBlock>
</ComposedBlock></PrintSpace></Page></Layout></alto>`.replace(/(<\/?)(?=[a-zA-Z])/g, `$1${prefix}`);

describe('a reader of ALTO', () => {
  it.each([{ namespace: 'v2' }, { namespace: 'v3' }, { namespace: 'v4' }, { prefix: 'alto:' }])(
    'returns the lines of a page with their boxes: %o',
    (parts) => {
      const page = read(
        alto(
          `<TextLine ${LINE}>${string('Tom', 10)}<SP WIDTH="5"/>${string('&amp;&#xE9;', 60, 'WC="0.5"')}</TextLine>`,
          parts,
        ),
      );
      expect(page).toEqual({
        box: { left: 0, top: 0, right: 200, bottom: 400 },
        lines: [
          {
            text: 'Tom &é',
            words: [
              { text: 'Tom', box: { left: 10, top: 10, right: 50, bottom: 30 } },
              { text: '&é', box: { left: 60, top: 10, right: 100, bottom: 30 } },
            ],
            box: { left: 10, top: 10, right: 120, bottom: 30 },
            language: 'deu',
          },
        ],
      });
    },
  );

  it('returns the same for any division into chunks', () => {
    const file = alto(`<TextLine ${LINE}>${string('Tom', 10)}</TextLine>`);
    expect(read(...file)).toEqual(read(file));
  });

  it('joins the parts of a divided word', () => {
    const page = read(
      alto(`<TextLine ${LINE}>${string('the', 10)}${string('har', 60, 'SUBS_TYPE="HypPart1" SUBS_CONTENT="harbour"')}
        <HYP CONTENT="-" HPOS="110" VPOS="10" WIDTH="5" HEIGHT="20"/></TextLine>
        <TextLine ${LINE}>${string('bour', 10, 'SUBS_TYPE="HypPart2" SUBS_CONTENT="harbour"')}${string('light', 60)}</TextLine>`),
    );
    expect(page?.lines.map(({ text }) => text)).toEqual(['the har-', 'bour light']);
    expect(page?.lines.flatMap(({ words }) => words.map(({ box: _, ...word }) => word))).toEqual([
      { text: 'the' },
      { text: 'har', whole: 'harbour' },
      { text: 'bour', isRest: true },
      { text: 'light' },
    ]);
  });

  it('finds a divided word whose first part is on another page', () => {
    const page = read(
      alto(`<TextLine>${string('bour', 10, 'SUBS_TYPE="HypPart2" SUBS_CONTENT="harbour"')}</TextLine>`),
    );
    expect(page?.lines[0]?.words).toMatchObject([{ text: 'bour', whole: 'harbour' }]);
  });

  it('gives words and lines without a box that of what is around them', () => {
    const page = read(
      alto(`<TextLine ${LINE}><String CONTENT="Tom" HPOS="1"/>${string('Cat', 60)}</TextLine>
        <TextLine><String CONTENT="alone" HPOS="" VPOS="1" WIDTH="5" HEIGHT="5"/></TextLine>`),
    );
    expect(page?.lines[0]?.words[0]).toEqual({ text: 'Tom', box: { left: 10, top: 10, right: 120, bottom: 30 } });
    expect(page?.lines[1]).toMatchObject({
      text: 'alone',
      words: [],
      box: { left: 5, top: 5, right: 195, bottom: 85 },
    });
  });

  it('reads words directly in a block', () => {
    expect(read(alto(string('Tom', 10)))?.lines.map(({ text }) => text)).toEqual(['Tom']);
  });

  it.each([
    // A page of 2 × 4 inches at 100 dpi.
    ['pixel', 'WIDTH="200" HEIGHT="400"', '10,10,40,20'],
    ['mm10', 'WIDTH="508" HEIGHT="1016"', '4,4,16,8'],
    ['inch1200', 'WIDTH="2400" HEIGHT="4800"', '1,1,3,2'],
    // Without a size, the units are those of 300 dpi.
    ['inch1200', '', '3,3,10,5'],
    ['mm10', '', '12,12,47,23'],
    ['pixel', '', '10,10,40,20'],
  ])('places words in the unit %s on a page of %s', (unit, size, place) => {
    const page = read(alto(`<TextLine>${string('Tom', 10)}</TextLine>`, { unit, size }));
    const [box] = page?.lines[0]?.words.map((word) => word.box) ?? [];
    expect(page && box && placeOnCanvas(box, page, { width: 200, height: 400 })).toBe(place);
  });
});
