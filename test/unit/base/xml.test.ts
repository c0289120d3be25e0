import { describe, expect, it } from 'bun:test';
import { XMLParser } from 'fast-xml-parser';
import { xmlAttribute, xmlText } from '../../../src/base/xml.ts';

const parser = new XMLParser({
  ignoreAttributes: false,
  trimValues: false,
  attributeNamePrefix: '@',
  htmlEntities: true,
});

describe('text in XML', () => {
  it('escapes the characters of markup', () => {
    expect(xmlText('a < b && c > "d" \'e\' ]]>')).toBe('a &lt; b &amp;&amp; c &gt; "d" \'e\' ]]&gt;');
  });

  it('keeps tabs and line feeds, and writes carriage returns as references', () => {
    expect(xmlText('a\tb\nc\r\nd')).toBe('a\tb\nc&#13;\nd');
  });

  it('removes control characters and noncharacters', () => {
    expect(xmlText('a\u0000b\u000bc\u001fd\ufffee\uffff')).toBe('abcde');
    expect(xmlText('\u007f\u0085')).toBe('\u007f\u0085');
  });

  it('replaces unpaired surrogates, and keeps pairs', () => {
    expect(xmlText('a\ud800b\udc00c😀')).toBe('a�b�c😀');
  });
});

describe('an attribute in XML', () => {
  it('escapes quotes, markup and white space', () => {
    expect(xmlAttribute('a "b"\n<c>\t&\r')).toBe('a &quot;b&quot;&#10;&lt;c&gt;&#9;&amp;&#13;');
  });

  it('parses to the original text', () => {
    const text = 'says "<&>" twice';
    expect(parser.parse(`<x a="${xmlAttribute(text)}">${xmlText(text)}</x>`).x).toEqual({ '@a': text, '#text': text });
  });
});
