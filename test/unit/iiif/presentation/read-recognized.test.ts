import { describe, expect, it } from 'bun:test';
import { createPageReader, MAX_LINES } from '../../../../src/iiif/presentation/read-recognized.ts';

function read(...chunks: string[]) {
  const reader = createPageReader();
  for (const chunk of chunks) reader.push(chunk);
  return reader.end();
}

const PAGE = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en" lang="en"><body>
 <div class='ocr_page' id='page_1' title='image "scan.png"; bbox 0 0 200 400; ppageno 0'>
  <div class='ocr_carea' title="bbox 10 20 190 100"><p class='ocr_par' lang='eng' title="bbox 10 20 190 100">
   <span class='ocr_line' lang='eng' title="bbox 10 20 190 60; baseline 0 -5; x_size 30">
    <span class='ocrx_word' title='bbox 10 20 90 60; x_wconf 96'>Tom</span>
    <span class='ocrx_word' title='bbox 100 20 190 60; x_wconf 95'>&amp; J&eacute;r&ocirc;me</span>
   </span>
   <span class='ocr_header' title="bbox 10 70 190 100"><span class='ocrx_word'> <em>Two</em></span></span>
  </p></div>
 </div></body></html>`;

describe('a reader of hOCR', () => {
  it('returns the lines of a page with their boxes', () => {
    expect(read(PAGE)).toEqual({
      box: { left: 0, top: 0, right: 200, bottom: 400 },
      lines: [
        {
          text: 'Tom & Jérôme',
          words: [
            { text: 'Tom', box: { left: 10, top: 20, right: 90, bottom: 60 } },
            { text: '& Jérôme', box: { left: 100, top: 20, right: 190, bottom: 60 } },
          ],
          box: { left: 10, top: 20, right: 190, bottom: 60 },
          language: 'eng',
        },
        { text: 'Two', words: [], box: { left: 10, top: 70, right: 190, bottom: 100 }, language: undefined },
      ],
    });
  });

  it('reads unclosed words, and words and text outside of lines and words', () => {
    const page = read(`<div class=ocr_page title="bbox 0 0 9 9"><span class=ocrx_word title="bbox 1 1 2 2">a</span>
      <span class=ocr_line title="bbox 1 1 9 2"><span class=ocrx_word title="bbox 1 1 2 2">b
      <span class="ocrx_word" title="bbox 3 1 4 2">c<b>d</b></span> e<span class=ocrx_word title="bbox 5 1 6 2"> </span>`);
    expect(page?.lines.map(({ words }) => words.map(({ text }) => text))).toEqual([['a'], ['b', 'cd', 'e']]);
  });

  it('returns the same for any division into chunks', () => {
    expect(read(...PAGE)).toEqual(read(PAGE));
  });

  it('reads HTML that is not well-formed', () => {
    const page =
      read(`<DIV CLASS=ocr_page TITLE="bbox 0 0 50 50"><p><span class="x ocr_line" title="bbox 1 2 3 4">a <b>b
      <p>c<span class=ocrx_line title='x_size 3;bbox 5 6 7 8'>d</div>`);
    expect(page?.lines.map(({ text }) => text)).toEqual(['a b c', 'd']);
  });

  it('gives lines without a box that of their page', () => {
    const page = read(`<div class="ocr_page" title="bbox 0 0 9 8">
      <span class="ocr_line">a</span><span class="ocr_line" title="bbox 4 4 2 2">b</span></div>`);
    const box = { left: 0, top: 0, right: 9, bottom: 8 };
    expect(page?.lines.map((line) => [line.text, line.box])).toEqual([
      ['a', box],
      ['b', box],
    ]);
  });

  it('omits lines without text, and pages after the first', () => {
    const page = read(`<div class="ocr_page" title="bbox 0 0 9 9">
      <span class="ocr_line" title="bbox 1 1 2 2"> </span><span class="ocr_line" title="bbox 1 1 2 2">c</span></div>
      <div class="ocr_page" title="bbox 0 0 8 8"><span class="ocr_line" title="bbox 1 1 2 2">d</span></div>`);
    expect(page?.box?.right).toBe(9);
    expect(page?.lines.map(({ text }) => text)).toEqual(['c']);
  });

  it('returns no lines for other text', () => {
    for (const text of ['', 'plain', '<a', '\0\0', '{"a":1}'])
      expect(read(text)).toEqual({ box: undefined, lines: [] });
  });

  it('quickly returns undefined for elements nested too deeply', () => {
    const part = '<b>'.repeat(20_000);
    const reader = createPageReader();
    for (let count = 0; count < 250; count++) reader.push(part);
    for (let count = 0; count < 250; count++) reader.push('</i><form>'.repeat(6_000));
    expect(reader.end()).toBeUndefined();
  });

  it('ignores long attributes', () => {
    const long = 'ocr_line '.repeat(1_000);
    expect(read(`<p class="${long}" title="bbox 1 1 2 2">a</p>`)?.lines).toEqual([]);
  });

  it('returns undefined for too many lines', () => {
    const line = '<span class="ocr_line" title="bbox 1 1 2 2">a</span>';
    expect(read(line.repeat(MAX_LINES))?.lines).toHaveLength(MAX_LINES);
    expect(read(line.repeat(MAX_LINES + 1))).toBeUndefined();
  });

  const page = (inside: string) => `<div class="ocr_page" title="bbox 0 0 180 180">${inside}</div>`;
  const line = (inside: string) => page(`<span class="ocr_line" title="bbox 10 10 120 30">${inside}</span>`);
  const word = (text: string, box: string) => `<span class="ocrx_word" title="bbox ${box}">${text}</span>`;
  const HARBOUR = { text: 'Harbour', box: { left: 10, top: 10, right: 50, bottom: 30 } };
  const LIGHT = { text: 'light', box: { left: 60, top: 10, right: 120, bottom: 30 } };
  const light = word('light', '60 10 120 30');
  const cinfo = (text: string) => `<span class="ocrx_cinfo" title="x_bboxes 10 10 15 30; x_conf 90">${text}</span>`;
  it.each([
    ['characters', line(`${word(cinfo('H') + cinfo('arbour'), '10 10 50 30')} ${light}`)],
    [
      'characters on lines of their own',
      line(`${word(`\n ${cinfo('Har')}\n ${cinfo('bour')}\n`, '10 10 50 30')}\n${light}`),
    ],
    ['emphasis', line(`${word('<strong><em>H</em>arb</strong>our', '10 10 50 30')} ${light}`)],
    ['emphasis around them', line(`<em>${word('Harbour', '10 10 50 30')}</em> ${light}`)],
    ['a drop cap in them', line(`${word('<span class="ocr_dropcap">H</span>arbour', '10 10 50 30')} ${light}`)],
    [
      'a drop cap before them',
      line(`<span class="ocr_dropcap" title="bbox 10 10 20 30">H</span>${word('arbour', '20 10 50 30')} ${light}`),
    ],
    ['no line', page(`<p class="ocr_par" title="bbox 10 10 120 30">${word('Harbour', '10 10 50 30')} ${light}</p>`)],
    [
      'no paragraph',
      page(`<div class="ocr_carea" title="bbox 1 1 9 9">${word('Harbour', '10 10 50 30')}${light}</div>`),
    ],
    ['no area', page(`${word('Harbour', '10 10 50 30')}\n${light}`)],
    ['boxes with decimals', line(`${word('Harbour', '10.0 10.0 50.0 30.0')} ${light}`)],
  ])('reads words with %s', (_, hocr) => {
    const box = { left: 10, top: 10, right: 120, bottom: 30 };
    expect(read(hocr)?.lines).toEqual([{ text: 'Harbour light', words: [HARBOUR, LIGHT], box, language: undefined }]);
  });

  it.each(['bbox 10 10', 'bbox 50 10 10 30', 'bbox a b c d', 'x_wconf 90', ''])(
    'gives a word with the place "%s" that of its line',
    (title) => {
      const hocr = line(`<span class="ocrx_word" title="${title}">Harbour</span> ${light}`);
      const box = { left: 10, top: 10, right: 120, bottom: 30 };
      expect(read(hocr)?.lines[0]?.words).toEqual([{ text: 'Harbour', box }, LIGHT]);
    },
  );

  it('makes lines of words that have none, one below the other', () => {
    const words = [word('one', '10 10 50 30'), word('two', '60 12 99 31'), word('three', '12 40 50 60')];
    expect(read(page(words.join(' ')))?.lines.map(({ text, box }) => [text, box])).toEqual([
      ['one two', { left: 10, top: 10, right: 99, bottom: 31 }],
      ['three', { left: 12, top: 40, right: 50, bottom: 60 }],
    ]);
  });

  it('reads no text of scripts, styles and titles', () => {
    expect(
      read(page('<style>a{}</style><script>b()</script><title>c</title>d'))?.lines.map(({ text }) => text),
    ).toEqual(['d']);
  });

  it('reads the files with faults that are known', async () => {
    for (const name of ['char-boxes', 'bad-box', 'words-in-par']) {
      const text = await Bun.file(new URL(`../../../fixtures/hocr/${name}.hocr`, import.meta.url)).text();
      expect(read(text)?.lines.map((each) => each.words.map((its) => its.text))).toEqual([['Harbour', 'light']]);
    }
  });
});
