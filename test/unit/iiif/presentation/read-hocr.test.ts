import { describe, expect, it } from 'bun:test';
import { createHocrReader, MAX_LINES } from '../../../../src/iiif/presentation/read-hocr.ts';

function read(...chunks: string[]) {
  const reader = createHocrReader();
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

  it('reads unclosed words, and ignores words outside of lines', () => {
    const page = read(`<div class=ocr_page title="bbox 0 0 9 9"><span class=ocrx_word title="bbox 1 1 2 2">a</span>
      <span class=ocr_line title="bbox 1 1 9 2"><span class=ocrx_word title="bbox 1 1 2 2">b
      <span class="ocrx_word" title="bbox 3 1 4 2">c<b>d</b></span> e<span class=ocrx_word title="bbox 5 1 6 2"> </span>`);
    expect(page?.lines.map(({ words }) => words.map(({ text }) => text))).toEqual([['b', 'cd']]);
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

  it('omits lines without text or box, and pages after the first', () => {
    const page = read(`<div class="ocr_page" title="bbox 0 0 9 9">
      <span class="ocr_line" title="bbox 1 1 2 2"> </span><span class="ocr_line">a</span>
      <span class="ocr_line" title="bbox 4 4 2 2">b</span><span class="ocr_line" title="bbox 1 1 2 2">c</span></div>
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
    const reader = createHocrReader();
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
});
