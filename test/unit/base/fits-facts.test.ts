import { describe, expect, it } from 'bun:test';
import { fitsFacts } from '../../../src/base/fits-facts.ts';

const START = '<?xml version="1.0"?>\n<fits xmlns="http://hul.harvard.edu/ois/xml/ns/fits/fits_output">';
const FACTS = `
  <identification status="CONFLICT">
    <identity format="TIFF" mimetype="image/tiff" toolname="repo"><tool toolname="Exiftool" toolversion="12"/><version toolname="Exiftool">6.0</version></identity>
    <identity format="A &amp; B" mimetype="image/x-b" toolname="repo"><tool toolname="file utility"/></identity>
  </identification>
  <fileinfo><size toolname="x">12</size><md5checksum toolname="x">abc</md5checksum></fileinfo>
  <filestatus><message toolname="x">Warning &lt;b&gt;</message></filestatus>
  <metadata><image><imageWidth toolname="x">400</imageWidth><empty/><colorSpace>RGB</colorSpace><colorSpace>YCbCr</colorSpace></image></metadata>`;

describe('the facts of a FITS document', () => {
  it('are its formats and the facts about file and content', () => {
    expect(fitsFacts(`${START}${FACTS}\n<toolOutput><tool>much</tool></toolOutput></fits>`)).toEqual({
      formats: [
        { name: 'TIFF', mimeType: 'image/tiff', version: '6.0' },
        { name: 'A & B', mimeType: 'image/x-b', version: undefined },
      ],
      file: [
        { name: 'size', value: '12' },
        { name: 'md5checksum', value: 'abc' },
      ],
      status: [{ name: 'message', value: 'Warning <b>' }],
      content: [
        { name: 'imageWidth', value: '400' },
        { name: 'colorSpace', value: 'RGB' },
        { name: 'colorSpace', value: 'YCbCr' },
      ],
    });
  });

  it('are read from output that is cut off', () => {
    expect(fitsFacts(`${START}${FACTS}<toolOutput><tool>cut of`)?.formats).toHaveLength(2);
    expect(fitsFacts(`${START}${FACTS}</fits>\n`)?.formats).toHaveLength(2);
  });

  it.each([
    '',
    'no XML',
    '<html></html>',
    `${START}${FACTS.slice(0, 300)}`,
    '<fits><identification></fits>',
    '</fits>',
    '<!DOCTYPE fits [<!ENTITY a "aaaa">]><fits><fileinfo><size>&a;</size></fileinfo></fits>',
  ])('are missing or empty for %j', (text) => {
    const facts = fitsFacts(text);
    expect(facts?.file ?? []).toEqual([]);
    expect(facts?.content ?? []).toEqual([]);
  });

  it('are limited in number and length', () => {
    const many = `<metadata><image>${'<a>x</a>'.repeat(1000)}<b>${'y'.repeat(1000)}</b></image></metadata>`;
    expect(fitsFacts(`${START}${many}</fits>`)?.content).toHaveLength(60);
    expect(fitsFacts(`${START}<fileinfo><b>${'y'.repeat(1000)}</b></fileinfo></fits>`)?.file[0]?.value).toHaveLength(
      301,
    );
  });
});
