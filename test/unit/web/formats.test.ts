import { describe, expect, it } from 'bun:test';
import { CONTENT_FORMATS, chooseFormat, type Formats, GRAPH_FORMATS } from '../../../src/web/formats.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

function choose(accept: string | undefined, formats: Formats) {
  const request = new Request('http://localhost/node/1', { headers: accept === undefined ? {} : { accept } });
  return chooseFormat(request, formats, request.url).format;
}

describe('the format that Accept chooses', () => {
  it.each(['first', 'second', 'third'])('is chosen from the formats of the address: %s time', () => {
    expect(choose(BROWSER, CONTENT_FORMATS)).toBe('html');
    expect(choose(BROWSER, GRAPH_FORMATS)).toBe('json');
    expect(choose('application/ld+json', CONTENT_FORMATS)).toBe('jsonld');
    expect(choose('application/ld+json', { html: 'text/html', json: 'application/json' })).toBe('html');
  });

  it('is the first format if the header is missing or names none of them', () => {
    for (let time = 0; time < 2; time++) expect(choose('image/png', CONTENT_FORMATS)).toBe('html');
    expect(choose(undefined, CONTENT_FORMATS)).toBe('html');
    expect(choose('image/png', GRAPH_FORMATS)).toBe('json');
  });

  it('is chosen from a header of any length', () => {
    const long = `${Array.from({ length: 500 }, (_, number) => `image/x-${number}`).join()},text/html`;
    for (let time = 0; time < 2; time++) expect(choose(long, CONTENT_FORMATS)).toBe('html');
  });
});
